// What gattscope uses of libpcap (Debian: libpcap-dev), fed with bytes that gattscope has read itself.
//
// The library is loaded when the first pcap file is opened, not linked: it brings libdbus, libsystemd and eight more with
// it. Measured on Debian 12 (400 runs of an empty program, median): 0.43 ms without libpcap, 0.95 ms linked with it; nobody
// who reads a btsnoop file should wait for that, or need libpcap at all.

#ifndef GATTSCOPE_CLIBPCAP_SHIM_H
#define GATTSCOPE_CLIBPCAP_SHIM_H

#include <dlfcn.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/// The bytes that libpcap's stream is given next: as many as its buffer takes are copied into it at once. Measured with
/// records of 35 bytes: a stream without a buffer costs 0.7 µs a record, nearly all of it the C library's calls.
struct clibpcap_feed {
  const unsigned char *bytes;
  size_t count;
};

/// libpcap's functions that are used, once it is loaded.
struct clibpcap_library {
  void *handle;
  __typeof__(&pcap_fopen_offline_with_tstamp_precision) open;
  __typeof__(&pcap_next_ex) next;
  __typeof__(&pcap_geterr) error;
  __typeof__(&pcap_close) close;
};

/// The size of the stream's buffer.
#define CLIBPCAP_STREAM_BYTES 65536

/// An open capture. `feed` stays where it is, because the stream points to it.
struct clibpcap_capture {
  struct clibpcap_library library;
  struct clibpcap_feed feed;
  /// How many of the bytes that follow the last record are in the stream's buffer already.
  size_t ahead;
  pcap_t *pcap;
  char message[PCAP_ERRBUF_SIZE];
};

// glibc's fopencookie, whose prototype needs _GNU_SOURCE, which a module cannot define for the headers that it imports.
struct clibpcap_stream_functions {
  ssize_t (*read)(void *, char *, size_t);
  ssize_t (*write)(void *, const char *, size_t);
  int (*seek)(void *, long *, int);
  int (*close)(void *);
};
FILE *clibpcap_fopencookie(void *cookie, const char *mode, struct clibpcap_stream_functions functions)
    __asm__("fopencookie");

static inline ssize_t clibpcap_read(void *cookie, char *buffer, size_t size) {
  struct clibpcap_feed *feed = (struct clibpcap_feed *)cookie;
  size_t count = size < feed->count ? size : feed->count;
  memcpy(buffer, feed->bytes, count);
  feed->bytes += count;
  feed->count -= count;
  return (ssize_t)count;
}

/// Loads libpcap; 0 where it is not there.
static inline int clibpcap_load(struct clibpcap_library *library) {
  void *handle = dlopen("libpcap.so.0.8", RTLD_LAZY | RTLD_LOCAL);  // Debian's name for it
  if (!handle) handle = dlopen("libpcap.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return 0;
  library->handle = handle;
  *(void **)&library->open = dlsym(handle, "pcap_fopen_offline_with_tstamp_precision");
  *(void **)&library->next = dlsym(handle, "pcap_next_ex");
  *(void **)&library->error = dlsym(handle, "pcap_geterr");
  *(void **)&library->close = dlsym(handle, "pcap_close");
  return library->open && library->next && library->error && library->close;
}

/// The version that libpcap tells of itself, "libpcap version 1.10.3 (with TPACKET_V3)"; null where it is not there. The
/// text is libpcap's and stays.
static inline const char *clibpcap_version(void) {
  struct clibpcap_library library;
  if (!clibpcap_load(&library)) return 0;
  __typeof__(&pcap_lib_version) version;
  *(void **)&version = dlsym(library.handle, "pcap_lib_version");
  return version ? version() : 0;
}

/// Makes libpcap ready for the records behind the file's header of `count` bytes, with times in nanoseconds. Where that
/// fails, `pcap` is null and `message` is libpcap's; where libpcap is not there, the message is empty. Null: no memory.
static inline struct clibpcap_capture *clibpcap_open(const unsigned char *header, size_t count) {
  struct clibpcap_capture *capture = (struct clibpcap_capture *)calloc(1, sizeof *capture);
  if (!capture || !clibpcap_load(&capture->library)) return capture;
  struct clibpcap_stream_functions functions = {clibpcap_read, 0, 0, 0};
  capture->feed.bytes = header;
  capture->feed.count = count;
  FILE *stream = clibpcap_fopencookie(&capture->feed, "r", functions);
  if (!stream) {
    strcpy(capture->message, "no stream could be opened");
    return capture;
  }
  setvbuf(stream, 0, _IOFBF, CLIBPCAP_STREAM_BYTES);
  // Nobody else has it: locking it for each of libpcap's reads costs as much as the read.
  __fsetlocking(stream, FSETLOCKING_BYCALLER);
  capture->pcap = capture->library.open(stream, PCAP_TSTAMP_PRECISION_NANO, capture->message);
  if (!capture->pcap) fclose(stream);
  return capture;
}

/// Reads the record that `bytes` begin with, its first `record` ones, header first: 1, or less where libpcap refuses it, and
/// `message` says why. What follows may be taken into the stream's buffer, too: the next call's `bytes` begin with it.
static inline int clibpcap_next(struct clibpcap_capture *capture, const unsigned char *bytes, size_t count, size_t record,
                                struct pcap_pkthdr **header, const unsigned char **data) {
  capture->feed.bytes = bytes + capture->ahead;
  capture->feed.count = count - capture->ahead;
  int result = capture->library.next(capture->pcap, header, data);
  capture->ahead = count - capture->feed.count - record;
  if (result != 1) {
    strncpy(capture->message, capture->library.error(capture->pcap), sizeof capture->message - 1);
  }
  return result;
}

/// libpcap's functions for devices, once it is loaded.
struct clibpcap_device_library {
  __typeof__(&pcap_create) create;
  __typeof__(&pcap_set_snaplen) set_snaplen;
  __typeof__(&pcap_set_immediate_mode) set_immediate_mode;
  __typeof__(&pcap_set_buffer_size) set_buffer_size;
  __typeof__(&pcap_activate) activate;
  __typeof__(&pcap_setnonblock) setnonblock;
  __typeof__(&pcap_datalink) datalink;
  __typeof__(&pcap_get_selectable_fd) selectable;
  __typeof__(&pcap_next_ex) next;
  __typeof__(&pcap_stats) stats;
  __typeof__(&pcap_geterr) error;
  __typeof__(&pcap_statustostr) status;
  __typeof__(&pcap_findalldevs) findalldevs;
  __typeof__(&pcap_freealldevs) freealldevs;
  __typeof__(&pcap_close) close;
};

/// Loads libpcap's functions for devices; 0 where they are not there.
static inline int clibpcap_load_devices(struct clibpcap_device_library *library) {
  struct clibpcap_library offline;
  if (!clibpcap_load(&offline)) return 0;
  int missing = 0;
#define CLIBPCAP_FIND(field, name) missing |= !(*(void **)&library->field = dlsym(offline.handle, name))
  CLIBPCAP_FIND(create, "pcap_create");
  CLIBPCAP_FIND(set_snaplen, "pcap_set_snaplen");
  CLIBPCAP_FIND(set_immediate_mode, "pcap_set_immediate_mode");
  CLIBPCAP_FIND(set_buffer_size, "pcap_set_buffer_size");
  CLIBPCAP_FIND(activate, "pcap_activate");
  CLIBPCAP_FIND(setnonblock, "pcap_setnonblock");
  CLIBPCAP_FIND(datalink, "pcap_datalink");
  CLIBPCAP_FIND(selectable, "pcap_get_selectable_fd");
  CLIBPCAP_FIND(next, "pcap_next_ex");
  CLIBPCAP_FIND(stats, "pcap_stats");
  CLIBPCAP_FIND(error, "pcap_geterr");
  CLIBPCAP_FIND(status, "pcap_statustostr");
  CLIBPCAP_FIND(findalldevs, "pcap_findalldevs");
  CLIBPCAP_FIND(freealldevs, "pcap_freealldevs");
  CLIBPCAP_FIND(close, "pcap_close");
#undef CLIBPCAP_FIND
  return !missing;
}

/// A device that libpcap has open.
struct clibpcap_device {
  struct clibpcap_device_library library;
  pcap_t *pcap;
  /// What activating gave: 0 and more where it is open, else an error of libpcap's (PCAP_ERROR_).
  int result;
  char message[PCAP_ERRBUF_SIZE + 1];
};

/// Keeps what libpcap says in its own words, or else in those for a status.
static inline void clibpcap_keep_message(struct clibpcap_device *device, int status) {
  const char *text = device->library.error(device->pcap);
  if (!text || !*text) text = device->library.status(status);
  strncpy(device->message, text, PCAP_ERRBUF_SIZE);
}

/// Opens a device for reading without waiting. `pcap` is null where that fails, and the message empty where libpcap is not
/// there. Null: no memory.
static inline struct clibpcap_device *clibpcap_device_open(const char *name, int snapshot, int buffer) {
  struct clibpcap_device *device = (struct clibpcap_device *)calloc(1, sizeof *device);
  if (!device || !clibpcap_load_devices(&device->library)) return device;
  struct clibpcap_device_library *library = &device->library;
  device->pcap = library->create(name, device->message);
  if (!device->pcap) {
    device->result = PCAP_ERROR;
    return device;
  }
  library->set_snaplen(device->pcap, snapshot);
  library->set_immediate_mode(device->pcap, 1);
  library->set_buffer_size(device->pcap, buffer);
  device->result = library->activate(device->pcap);
  if (device->result >= 0 && library->setnonblock(device->pcap, 1, device->message) == 0) return device;
  if (device->result < 0) clibpcap_keep_message(device, device->result);
  else device->result = PCAP_ERROR;
  library->close(device->pcap);
  device->pcap = 0;
  return device;
}

/// Reads the next packet: 1, 0 where there is none, or less where libpcap fails, and `message` says why.
static inline int clibpcap_device_next(struct clibpcap_device *device, struct pcap_pkthdr **header,
                                       const unsigned char **data) {
  int result = device->library.next(device->pcap, header, data);
  if (result < 0) clibpcap_keep_message(device, result);
  return result;
}

/// How many packets the device has lost; -1 where it does not say.
static inline long long clibpcap_device_drops(struct clibpcap_device *device) {
  struct pcap_stat statistics;
  if (device->library.stats(device->pcap, &statistics) != 0) return -1;
  return (long long)statistics.ps_drop;
}

static inline int clibpcap_device_link_type(struct clibpcap_device *device) {
  return device->library.datalink(device->pcap);
}

static inline int clibpcap_device_descriptor(struct clibpcap_device *device) {
  return device->library.selectable(device->pcap);
}

static inline void clibpcap_device_close(struct clibpcap_device *device) {
  if (!device) return;
  if (device->pcap) device->library.close(device->pcap);
  free(device);
}

static inline void clibpcap_close(struct clibpcap_capture *capture) {
  if (!capture) return;
  if (capture->pcap) capture->library.close(capture->pcap);
  // The library stays loaded: another file may follow.
  free(capture);
}

#endif
