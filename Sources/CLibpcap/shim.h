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
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/// The bytes that libpcap is given next. It takes them through a stream without a buffer, so never more than it needs.
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

/// An open capture. `feed` stays where it is, because the stream points to it.
struct clibpcap_capture {
  struct clibpcap_library library;
  struct clibpcap_feed feed;
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
  setvbuf(stream, 0, _IONBF, 0);
  capture->pcap = capture->library.open(stream, PCAP_TSTAMP_PRECISION_NANO, capture->message);
  if (!capture->pcap) fclose(stream);
  return capture;
}

/// Reads the record that `bytes` hold, header first: 1, or less where libpcap refuses it, and `message` says why.
static inline int clibpcap_next(struct clibpcap_capture *capture, const unsigned char *bytes, size_t count,
                                struct pcap_pkthdr **header, const unsigned char **data) {
  capture->feed.bytes = bytes;
  capture->feed.count = count;
  int result = capture->library.next(capture->pcap, header, data);
  if (result != 1) {
    strncpy(capture->message, capture->library.error(capture->pcap), sizeof capture->message - 1);
  }
  return result;
}

static inline void clibpcap_close(struct clibpcap_capture *capture) {
  if (!capture) return;
  if (capture->pcap) capture->library.close(capture->pcap);
  // The library stays loaded: another file may follow.
  free(capture);
}

#endif
