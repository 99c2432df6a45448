// What gattscope uses of BlueZ's headers (Debian: libbluetooth-dev): the socket family and address of the HCI monitor. No
// library is linked.
//
// Receiving stands here, too: the macros that walk a message's control data are C's, and recvmmsg's prototype needs
// _GNU_SOURCE, which a module cannot define for the headers that it imports.

#ifndef GATTSCOPE_CBLUEZ_SHIM_H
#define GATTSCOPE_CBLUEZ_SHIM_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/// Messages of one batch.
#define CBLUEZ_MESSAGES 64
/// The room of each: a monitor's header, whose length has 16 bits, and its packet. Only pages that were received into
/// become real memory.
#define CBLUEZ_MESSAGE_BYTES (6 + 65535 + 3)
/// The room for a message's control data: its time and the socket's count of drops.
#define CBLUEZ_CONTROL_BYTES 128

/// The kernel's mmsghdr.
struct cbluez_message {
  struct msghdr header;
  unsigned count;
};
int cbluez_recvmmsg(int descriptor, struct cbluez_message *messages, unsigned count, int flags, struct timespec *timeout)
    __asm__("recvmmsg");

/// What was received at once.
struct cbluez_batch {
  struct cbluez_message messages[CBLUEZ_MESSAGES];
  struct iovec places[CBLUEZ_MESSAGES];
  unsigned char control[CBLUEZ_MESSAGES][CBLUEZ_CONTROL_BYTES] __attribute__((aligned(8)));
  unsigned char *bytes;
};

/// What the kernel says of a message.
struct cbluez_facts {
  /// Bytes that were received of it.
  size_t count;
  /// When it was made, where `has_time`.
  long long seconds;
  long long microseconds;
  int has_time;
  /// How many messages the socket has lost up to this one, where `has_drops`.
  int has_drops;
  unsigned drops;
};

/// Room for a batch; null where there is no memory.
static inline struct cbluez_batch *cbluez_batch_make(void) {
  struct cbluez_batch *batch = (struct cbluez_batch *)calloc(1, sizeof *batch);
  if (!batch) return 0;
  batch->bytes = (unsigned char *)malloc((size_t)CBLUEZ_MESSAGES * CBLUEZ_MESSAGE_BYTES);
  if (!batch->bytes) {
    free(batch);
    return 0;
  }
  return batch;
}

static inline void cbluez_batch_free(struct cbluez_batch *batch) {
  if (!batch) return;
  free(batch->bytes);
  free(batch);
}

/// Receives what is there, without waiting: how many messages, or an error's number, negative.
static inline int cbluez_batch_receive(struct cbluez_batch *batch, int descriptor) {
  for (int index = 0; index < CBLUEZ_MESSAGES; index++) {
    batch->places[index].iov_base = batch->bytes + (size_t)index * CBLUEZ_MESSAGE_BYTES;
    batch->places[index].iov_len = CBLUEZ_MESSAGE_BYTES;
    struct msghdr *header = &batch->messages[index].header;
    memset(header, 0, sizeof *header);
    header->msg_iov = &batch->places[index];
    header->msg_iovlen = 1;
    header->msg_control = batch->control[index];
    header->msg_controllen = CBLUEZ_CONTROL_BYTES;
  }
  int received = cbluez_recvmmsg(descriptor, batch->messages, CBLUEZ_MESSAGES, MSG_DONTWAIT, 0);
  return received < 0 ? -errno : received;
}

/// Where a message's bytes are.
static inline const unsigned char *cbluez_batch_bytes(const struct cbluez_batch *batch, int index) {
  return batch->bytes + (size_t)index * CBLUEZ_MESSAGE_BYTES;
}

/// What the kernel says of a message.
static inline struct cbluez_facts cbluez_batch_facts(struct cbluez_batch *batch, int index) {
  struct cbluez_message *message = &batch->messages[index];
  struct cbluez_facts facts = {message->count, 0, 0, 0, 0, 0};
  for (struct cmsghdr *item = CMSG_FIRSTHDR(&message->header); item; item = CMSG_NXTHDR(&message->header, item)) {
    if (item->cmsg_level != SOL_SOCKET) continue;
    if (item->cmsg_type == SO_TIMESTAMP && item->cmsg_len >= CMSG_LEN(sizeof(struct timeval))) {
      struct timeval time;
      memcpy(&time, CMSG_DATA(item), sizeof time);
      facts.seconds = time.tv_sec;
      facts.microseconds = time.tv_usec;
      facts.has_time = 1;
    } else if (item->cmsg_type == SO_RXQ_OVFL && item->cmsg_len >= CMSG_LEN(sizeof facts.drops)) {
      memcpy(&facts.drops, CMSG_DATA(item), sizeof facts.drops);
      facts.has_drops = 1;
    }
  }
  return facts;
}

/// How many messages a socket has lost since it was made, for want of room; -1 where the kernel does not say
/// (SO_MEMINFO, Linux 4.12; SK_MEMINFO_DROPS of linux/sock_diag.h).
static inline long long cbluez_drops(int descriptor) {
#ifdef SO_MEMINFO
  unsigned numbers[9] = {0};
  socklen_t size = sizeof numbers;
  if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, numbers, &size) == 0 && size == sizeof numbers) return numbers[8];
#else
  (void)descriptor;
#endif
  return -1;
}

#endif
