// What gattscope uses of libarchive (Debian: libarchive-dev).
//
// The library is loaded when the first archive is opened, not linked, because it loads libxml2 and ICU: an empty program takes
// 0.63 ms without it and 1.93 ms with it (Debian 12, median of 200 runs). Someone who reads a plain log should not wait for
// that, nor need libarchive at all.

#ifndef GATTSCOPE_CLIBARCHIVE_SHIM_H
#define GATTSCOPE_CLIBARCHIVE_SHIM_H

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <locale.h>
#include <stdlib.h>

/// The functions of libarchive that are used.
struct clibarchive_library {
  __typeof__(&archive_read_new) create;
  __typeof__(&archive_read_open_fd) open_descriptor;
  __typeof__(&archive_read_open) open;
  __typeof__(&archive_read_next_header) next_header;
  __typeof__(&archive_read_data_block) data_block;
  __typeof__(&archive_read_free) destroy;
  __typeof__(&archive_format) format;
  __typeof__(&archive_filter_bytes) filter_bytes;
  __typeof__(&archive_filter_count) filter_count;
  __typeof__(&archive_error_string) error;
  __typeof__(&archive_set_error) set_error;
  __typeof__(&archive_entry_pathname_utf8) name;
  __typeof__(&archive_entry_pathname) raw_name;
  __typeof__(&archive_entry_filetype) file_type;
  __typeof__(&archive_entry_is_encrypted) is_encrypted;
};

/// The compressions and formats that are read. archive_read_support_filter_all is not used: for lrzip, grzip and lzop it starts other
/// programs because of a file's first bytes. CZlib decompresses gzip, xz, zstd and bzip2.
#define CLIBARCHIVE_KINDS(kind) \
  kind(archive_read_support_filter_lz4) kind(archive_read_support_format_zip) \
  kind(archive_read_support_format_7zip) kind(archive_read_support_format_tar) \
  kind(archive_read_support_format_cpio) \
  kind(archive_read_support_format_rar) kind(archive_read_support_format_rar5) \
  kind(archive_read_support_format_raw)

/// Loads libarchive. Returns 0 if it is not installed.
static inline int clibarchive_load(struct clibarchive_library *library, void **handle) {
  *handle = dlopen("libarchive.so.13", RTLD_LAZY | RTLD_LOCAL);
  if (!*handle) return 0;
  int missing = 0;
#define CLIBARCHIVE_FIND(field, symbol) missing |= !(*(void **)&library->field = dlsym(*handle, symbol))
  CLIBARCHIVE_FIND(create, "archive_read_new");
  CLIBARCHIVE_FIND(open_descriptor, "archive_read_open_fd");
  CLIBARCHIVE_FIND(open, "archive_read_open");
  CLIBARCHIVE_FIND(next_header, "archive_read_next_header");
  CLIBARCHIVE_FIND(data_block, "archive_read_data_block");
  CLIBARCHIVE_FIND(destroy, "archive_read_free");
  CLIBARCHIVE_FIND(format, "archive_format");
  CLIBARCHIVE_FIND(filter_bytes, "archive_filter_bytes");
  CLIBARCHIVE_FIND(filter_count, "archive_filter_count");
  CLIBARCHIVE_FIND(error, "archive_error_string");
  CLIBARCHIVE_FIND(set_error, "archive_set_error");
  CLIBARCHIVE_FIND(name, "archive_entry_pathname_utf8");
  CLIBARCHIVE_FIND(raw_name, "archive_entry_pathname");
  CLIBARCHIVE_FIND(file_type, "archive_entry_filetype");
  CLIBARCHIVE_FIND(is_encrypted, "archive_entry_is_encrypted");
#undef CLIBARCHIVE_FIND
  return !missing;
}

/// Copies up to `size` bytes to `buffer`. Returns their number, 0 at the end, or -1 on failure.
typedef long (*clibarchive_read)(void *source, void *buffer, size_t size);

/// The number of bytes that libarchive receives at a time.
#define CLIBARCHIVE_BLOCK_BYTES 65536

/// An open archive. It must not move, since libarchive keeps its address.
struct clibarchive_archive {
  struct clibarchive_library library;
  struct archive *archive;
  /// The current entry.
  struct archive_entry *entry;
  clibarchive_read read;
  void *source;
  unsigned char block[CLIBARCHIVE_BLOCK_BYTES];
};

static inline la_ssize_t clibarchive_read_block(struct archive *archive, void *data, const void **block) {
  struct clibarchive_archive *self = (struct clibarchive_archive *)data;
  long count = self->read(self->source, self->block, sizeof self->block);
  if (count < 0) self->library.set_error(archive, -1, "reading failed");
  *block = self->block;
  return count < 0 ? ARCHIVE_FATAL : count;
}

/// Opens the archive that begins at the position of `descriptor` or, if that is negative, the one that `read` supplies. After
/// ARCHIVE_FATAL, clibarchive_error says why. `archive` is null if libarchive is not installed. Returns null if there is no memory.
static inline struct clibarchive_archive *clibarchive_open(int descriptor, clibarchive_read read, void *source, int *result) {
  struct clibarchive_archive *self = (struct clibarchive_archive *)calloc(1, sizeof *self);
  void *handle;
  *result = ARCHIVE_FATAL;
  if (!self || !clibarchive_load(&self->library, &handle)) return self;
  // libarchive converts names to the locale's encoding and omits those it cannot convert.
  setlocale(LC_CTYPE, "C.UTF-8");
  self->archive = self->library.create();
  if (!self->archive) return self;
  self->read = read;
  self->source = source;
#define CLIBARCHIVE_SUPPORT(name) { \
    int (*support)(struct archive *); \
    *(void **)&support = dlsym(handle, #name); \
    if (support) support(self->archive); \
  }
  CLIBARCHIVE_KINDS(CLIBARCHIVE_SUPPORT)
#undef CLIBARCHIVE_SUPPORT
  *result = descriptor < 0
    ? self->library.open(self->archive, self, 0, clibarchive_read_block, 0)
    : self->library.open_descriptor(self->archive, descriptor, CLIBARCHIVE_BLOCK_BYTES);
  return self;
}

/// Moves to the next entry and skips the rest of the current one. Returns ARCHIVE_OK, ARCHIVE_WARN, ARCHIVE_EOF, or less.
static inline int clibarchive_next(struct clibarchive_archive *self) {
  return self->library.next_header(self->archive, &self->entry);
}

/// Returns the entry's next bytes and their offset in it. Bytes between two blocks are a hole.
static inline int clibarchive_block(struct clibarchive_archive *self, const void **bytes, size_t *count, long long *offset) {
  la_int64_t position = 0;
  int result = self->library.data_block(self->archive, bytes, count, &position);
  *offset = position;
  return result;
}

/// Returns the entry's path, which is valid until the next entry, or null if it has none.
static inline const char *clibarchive_name(struct clibarchive_archive *self) {
  const char *name = self->library.name(self->entry);
  return name ? name : self->library.raw_name(self->entry);
}

static inline int clibarchive_is_file(struct clibarchive_archive *self) {
  return self->library.file_type(self->entry) == AE_IFREG;
}

/// Whether it is one compressed file rather than an archive.
static inline int clibarchive_is_compressed_file(struct clibarchive_archive *self) {
  return self->library.format(self->archive) == ARCHIVE_FORMAT_RAW;
}

/// Whether it is a zip that is not compressed as a whole: its only filter passes the bytes on.
static inline int clibarchive_is_plain_zip(struct clibarchive_archive *self) {
  return (self->library.format(self->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP
    && self->library.filter_count(self->archive) == 1;
}

/// The number of the archive's bytes that libarchive has interpreted, after decompression. It may have read more.
static inline long long clibarchive_position(struct clibarchive_archive *self) {
  return self->library.filter_bytes(self->archive, 0);
}

static inline int clibarchive_is_encrypted(struct clibarchive_archive *self) {
  return self->library.is_encrypted(self->entry) == 1;
}

/// libarchive's message for its last error.
static inline const char *clibarchive_error(struct clibarchive_archive *self) {
  const char *text = self->library.error(self->archive);
  return text ? text : "";
}

static inline void clibarchive_close(struct clibarchive_archive *self) {
  if (!self) return;
  if (self->archive) self->library.destroy(self->archive);
  // The library stays loaded, since another archive may follow.
  free(self);
}

#endif
