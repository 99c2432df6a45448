// The decompressors of single compressed files and of archives within them: zlib (Debian: zlib1g-dev), which is linked as an archive
// where the distribution has one, and liblzma, libzstd and libbz2, which are loaded when such a file is opened. libarchive brings
// them along, but keeps the last 64 KB of what it inflates from a file that ends early, and does not compare gzip's checksum.

#ifndef GATTSCOPE_CZLIB_SHIM_H
#define GATTSCOPE_CZLIB_SHIM_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/// How a stream is compressed.
enum czlib_codec { CZLIB_ZLIB, CZLIB_GZIP, CZLIB_XZ, CZLIB_ZSTD, CZLIB_BZIP2 };

/// What came of a step.
enum czlib_result {
  /// The stream goes on.
  CZLIB_MORE,
  /// The stream is complete.
  CZLIB_END,
  /// The bytes are not what the codec writes.
  CZLIB_DAMAGED,
  /// The bytes are those of a complete stream, but not those that were compressed; of xz and bzip2 this is damage.
  CZLIB_CHECKSUM,
  /// The stream needs more memory than it may have.
  CZLIB_MEMORY,
};

// The other libraries' headers would need three more packages to build. These are the parts of their stable interfaces that are
// used: liblzma 5 (lzma/base.h, lzma/container.h), libzstd 1 (zstd.h), libbz2 1.0 (bzlib.h).

struct czlib_lzma_stream {
  const uint8_t *next_in;
  size_t avail_in;
  uint64_t total_in;
  uint8_t *next_out;
  size_t avail_out;
  uint64_t total_out;
  const void *allocator;
  void *internal;
  void *reserved_pointers[4];
  uint64_t seek_pos;
  uint64_t reserved_integer;
  size_t reserved_sizes[2];
  int reserved_enums[2];
};

struct czlib_bz_stream {
  char *next_in;
  unsigned int avail_in;
  unsigned int total_in_low, total_in_high;
  char *next_out;
  unsigned int avail_out;
  unsigned int total_out_low, total_out_high;
  void *state;
  void *(*allocate)(void *, int, int);
  void (*release)(void *, void *);
  void *opaque;
};

struct czlib_zstd_buffer {
  const void *start;
  size_t size, position;
};

enum {
  CZLIB_LZMA_STREAM_END = 1, CZLIB_LZMA_NO_CHECK = 2, CZLIB_LZMA_UNSUPPORTED_CHECK = 3, CZLIB_LZMA_GET_CHECK = 4,
  CZLIB_LZMA_MEMORY = 5, CZLIB_LZMA_MEMLIMIT = 6, CZLIB_LZMA_BUFFER = 10, CZLIB_BZ_STREAM_END = 4, CZLIB_BZ_MEMORY = -3,
  /// ZSTD_d_windowLogMax, and the least value that it may have.
  CZLIB_ZSTD_WINDOW = 100, CZLIB_ZSTD_LEAST_WINDOW = 10,
};

/// A decompressor. It stays where it is: zlib points to its own stream.
struct czlib {
  enum czlib_codec codec;
  int is_open;
  /// The most bytes that may be allocated.
  size_t most_memory;
  union {
    z_stream zlib;
    struct czlib_lzma_stream lzma;
    struct czlib_bz_stream bzip2;
    void *zstd;
  } stream;
  // Of the library that the codec needs.
  uint32_t (*lzma_open)(struct czlib_lzma_stream *, uint64_t, uint32_t);
  int (*lzma_code)(struct czlib_lzma_stream *, int);
  void (*lzma_close)(struct czlib_lzma_stream *);
  uint64_t (*lzma_memory)(const struct czlib_lzma_stream *);
  int (*lzma_limit)(struct czlib_lzma_stream *, uint64_t);
  void *(*zstd_create)(void);
  size_t (*zstd_decompress)(void *, struct czlib_zstd_buffer *, struct czlib_zstd_buffer *);
  unsigned (*zstd_is_error)(size_t);
  const char *(*zstd_error)(size_t);
  size_t (*zstd_free)(void *);
  size_t (*zstd_memory)(const void *);
  size_t (*zstd_set)(void *, int, int);
  int (*bzip2_open)(struct czlib_bz_stream *, int, int);
  int (*bzip2_decompress)(struct czlib_bz_stream *);
  int (*bzip2_close)(struct czlib_bz_stream *);
};

/// Loads the library that the codec needs; 0 where it is not there.
static inline int czlib_load(struct czlib *self) {
  void *handle;
  int missing = 0;
#define CZLIB_FIND(field, symbol) missing |= !(*(void **)&self->field = dlsym(handle, symbol))
  switch (self->codec) {
    case CZLIB_ZLIB:
    case CZLIB_GZIP: return 1;
    case CZLIB_XZ:
      if (!(handle = dlopen("liblzma.so.5", RTLD_LAZY | RTLD_LOCAL))) return 0;
      CZLIB_FIND(lzma_open, "lzma_stream_decoder");
      CZLIB_FIND(lzma_code, "lzma_code");
      CZLIB_FIND(lzma_close, "lzma_end");
      CZLIB_FIND(lzma_memory, "lzma_memusage");
      CZLIB_FIND(lzma_limit, "lzma_memlimit_set");
      return !missing;
    case CZLIB_ZSTD:
      if (!(handle = dlopen("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL))) return 0;
      CZLIB_FIND(zstd_create, "ZSTD_createDStream");
      CZLIB_FIND(zstd_decompress, "ZSTD_decompressStream");
      CZLIB_FIND(zstd_is_error, "ZSTD_isError");
      CZLIB_FIND(zstd_error, "ZSTD_getErrorName");
      CZLIB_FIND(zstd_free, "ZSTD_freeDStream");
      CZLIB_FIND(zstd_memory, "ZSTD_sizeof_DStream");
      CZLIB_FIND(zstd_set, "ZSTD_DCtx_setParameter");
      return !missing;
    case CZLIB_BZIP2:
      if (!(handle = dlopen("libbz2.so.1.0", RTLD_LAZY | RTLD_LOCAL)) && !(handle = dlopen("libbz2.so.1", RTLD_LAZY | RTLD_LOCAL)))
        return 0;
      CZLIB_FIND(bzip2_open, "BZ2_bzDecompressInit");
      CZLIB_FIND(bzip2_decompress, "BZ2_bzDecompress");
      CZLIB_FIND(bzip2_close, "BZ2_bzDecompressEnd");
      return !missing;
  }
#undef CZLIB_FIND
  return 0;
}

static inline void czlib_end(struct czlib *self) {
  if (!self->is_open) return;
  self->is_open = 0;
  switch (self->codec) {
    case CZLIB_ZLIB:
    case CZLIB_GZIP: inflateEnd(&self->stream.zlib); break;
    case CZLIB_XZ: self->lzma_close(&self->stream.lzma); break;
    case CZLIB_ZSTD: self->zstd_free(self->stream.zstd); break;
    case CZLIB_BZIP2: self->bzip2_close(&self->stream.bzip2); break;
  }
}

/// Limits the window of a zstd stream, which is refused in the middle of a frame.
static inline void czlib_limit_window(struct czlib *self) {
  // Besides the window, libzstd allocates a few blocks of up to 128 KB.
  int bits = CZLIB_ZSTD_LEAST_WINDOW;
  while (bits < 30 && ((size_t)2 << bits) + (1 << 20) <= self->most_memory) bits++;
  self->zstd_set(self->stream.zstd, CZLIB_ZSTD_WINDOW, bits);
}

/// Begins a stream, which may be another one after the end of the one before; 0 where that fails.
static inline int czlib_begin(struct czlib *self) {
  // For zlib: how large the window may be, and which header is expected.
  enum { ZLIB_HEADER = MAX_WBITS, GZIP_HEADER = MAX_WBITS + 16 };
  czlib_end(self);
  memset(&self->stream, 0, sizeof self->stream);
  switch (self->codec) {
    case CZLIB_ZLIB: self->is_open = inflateInit2(&self->stream.zlib, ZLIB_HEADER) == Z_OK; break;
    case CZLIB_GZIP: self->is_open = inflateInit2(&self->stream.zlib, GZIP_HEADER) == Z_OK; break;
    case CZLIB_XZ: self->is_open = self->lzma_open(&self->stream.lzma, self->most_memory, 0) == 0; break;
    case CZLIB_ZSTD:
      self->is_open = (self->stream.zstd = self->zstd_create()) != 0;
      if (self->is_open) czlib_limit_window(self);
      break;
    case CZLIB_BZIP2: self->is_open = self->bzip2_open(&self->stream.bzip2, 0, 0) == 0; break;
  }
  return self->is_open;
}

/// What a zlib or bzip2 stream needs: a window of 32 KB, or a block of 900,000 bytes in four parts (bzlib.h).
enum { CZLIB_ZLIB_BYTES = 1 << 16, CZLIB_BZIP2_BYTES = 4 << 20 };

/// The number of bytes that are allocated for the stream.
static inline size_t czlib_memory(struct czlib *self) {
  if (!self->is_open) return 0;
  switch (self->codec) {
    case CZLIB_ZLIB:
    case CZLIB_GZIP: return CZLIB_ZLIB_BYTES;
    case CZLIB_XZ: return self->lzma_memory(&self->stream.lzma);
    case CZLIB_ZSTD: return self->zstd_memory(self->stream.zstd);
    case CZLIB_BZIP2: return CZLIB_BZIP2_BYTES;
  }
  return 0;
}

/// Limits what later steps may allocate in all. A stream that needs more ends with CZLIB_MEMORY.
static inline void czlib_limit(struct czlib *self, size_t most) {
  if (most == self->most_memory) return;
  self->most_memory = most;
  if (!self->is_open) return;
  if (self->codec == CZLIB_XZ) self->lzma_limit(&self->stream.lzma, most);
  if (self->codec == CZLIB_ZSTD) czlib_limit_window(self);
}

/// Opens a decompressor that may allocate `most` bytes; null where its library is not there.
static inline struct czlib *czlib_open(enum czlib_codec codec, size_t most) {
  struct czlib *self = (struct czlib *)calloc(1, sizeof *self);
  if (!self) return 0;
  self->codec = codec;
  self->most_memory = most;
  if (czlib_load(self) && czlib_begin(self)) return self;
  free(self);
  return 0;
}

static inline void czlib_close(struct czlib *self) {
  if (!self) return;
  czlib_end(self);
  free(self);
}

/// Decompresses some of the `*count` bytes at `bytes` into `*room` bytes at `out`, and leaves in both how many were used.
static inline enum czlib_result czlib_step(struct czlib *self, const void *bytes, size_t *count, void *out, size_t *room) {
  const size_t given = *count, space = *room;
  *count = *room = 0;
  switch (self->codec) {
    case CZLIB_ZLIB:
    case CZLIB_GZIP: {
      z_stream *stream = &self->stream.zlib;
      stream->next_in = (Bytef *)bytes;
      stream->avail_in = (uInt)given;
      stream->next_out = (Bytef *)out;
      stream->avail_out = (uInt)space;
      int result = inflate(stream, Z_NO_FLUSH);
      *count = given - stream->avail_in;
      *room = space - stream->avail_out;
      if (result == Z_STREAM_END) return CZLIB_END;
      // Z_BUF_ERROR: nothing could be done, for want of input or room.
      if (result == Z_OK || result == Z_BUF_ERROR) return CZLIB_MORE;
      if (result == Z_MEM_ERROR) return CZLIB_MEMORY;
      return stream->msg && strstr(stream->msg, "check") && !strstr(stream->msg, "header") ? CZLIB_CHECKSUM : CZLIB_DAMAGED;
    }
    case CZLIB_XZ: {
      struct czlib_lzma_stream *stream = &self->stream.lzma;
      stream->next_in = (const uint8_t *)bytes;
      stream->avail_in = given;
      stream->next_out = (uint8_t *)out;
      stream->avail_out = space;
      int result = self->lzma_code(stream, 0);
      *count = given - stream->avail_in;
      *room = space - stream->avail_out;
      switch (result) {
        case CZLIB_LZMA_STREAM_END: return CZLIB_END;
        case 0:
        case CZLIB_LZMA_NO_CHECK:
        case CZLIB_LZMA_UNSUPPORTED_CHECK:
        case CZLIB_LZMA_GET_CHECK:
        case CZLIB_LZMA_BUFFER: return CZLIB_MORE;
        case CZLIB_LZMA_MEMORY:
        case CZLIB_LZMA_MEMLIMIT: return CZLIB_MEMORY;
        default: return CZLIB_DAMAGED;
      }
    }
    case CZLIB_ZSTD: {
      struct czlib_zstd_buffer in = {bytes, given, 0}, made = {out, space, 0};
      size_t result = self->zstd_decompress(self->stream.zstd, &made, &in);
      *count = in.position;
      *room = made.position;
      if (!self->zstd_is_error(result)) return result == 0 ? CZLIB_END : CZLIB_MORE;
      const char *words = self->zstd_error(result);
      if (strstr(words, "checksum")) return CZLIB_CHECKSUM;
      return strstr(words, "memory") ? CZLIB_MEMORY : CZLIB_DAMAGED;
    }
    case CZLIB_BZIP2: {
      struct czlib_bz_stream *stream = &self->stream.bzip2;
      stream->next_in = (char *)bytes;
      stream->avail_in = (unsigned)given;
      stream->next_out = (char *)out;
      stream->avail_out = (unsigned)space;
      int result = self->bzip2_decompress(stream);
      *count = given - stream->avail_in;
      *room = space - stream->avail_out;
      if (result == CZLIB_BZ_STREAM_END) return CZLIB_END;
      if (result == CZLIB_BZ_MEMORY) return CZLIB_MEMORY;
      return result == 0 ? CZLIB_MORE : CZLIB_DAMAGED;
    }
  }
  return CZLIB_DAMAGED;
}

#endif
