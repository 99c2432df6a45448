// What gattscope uses of libarchive (Debian: libarchive-dev).
//
// The library is loaded when the first archive is opened, not linked, because it loads libxml2 and ICU: an empty program takes
// 0.63 ms without it and 1.93 ms with it (Debian 12, median of 200 runs). Someone who reads a plain log should not wait for
// that, nor need libarchive at all.
//
// A process of its own reads each archive, because libarchive allocates what numbers in the file ask for, and repeats what they
// ask for: dictionaries, names, lists of entries. The process is a fork of this one that runs only the C code below. It has
// limits on memory and processor time, no descriptors except a socket to this process and possibly the archive, and cannot
// write to a file.
//
// The processes take turns, and wake each other with one byte through the socket: that costs more than reading a small entry,
// so an answer is a batch of entries. It is in memory that both share, so that what was read stays if the process crashes.

#ifndef GATTSCOPE_CLIBARCHIVE_SHIM_H
#define GATTSCOPE_CLIBARCHIVE_SHIM_H

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// The functions of libarchive that are used.
struct clibarchive_library {
  __typeof__(&archive_read_new) create;
  __typeof__(&archive_read_support_format_zip) support_zip;
  __typeof__(&archive_read_support_format_tar) support_tar;
  __typeof__(&archive_read_support_format_7zip) support_7zip;
  __typeof__(&archive_read_support_format_rar) support_rar;
  __typeof__(&archive_read_support_format_rar5) support_rar5;
  __typeof__(&archive_read_open_fd) open_descriptor;
  __typeof__(&archive_read_open) open;
  __typeof__(&archive_read_next_header) next_header;
  __typeof__(&archive_read_data_block) data_block;
  __typeof__(&archive_format) format;
  __typeof__(&archive_filter_bytes) filter_bytes;
  __typeof__(&archive_error_string) error;
  __typeof__(&archive_errno) error_number;
  __typeof__(&archive_set_error) set_error;
  __typeof__(&archive_entry_pathname_utf8) name;
  __typeof__(&archive_entry_pathname) raw_name;
  __typeof__(&archive_entry_filetype) file_type;
  __typeof__(&archive_entry_is_encrypted) is_encrypted;
};

/// Loads libarchive. Returns 0 if it is not installed.
static inline int clibarchive_load(struct clibarchive_library *library) {
  void *handle = dlopen("libarchive.so.13", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return 0;
  int missing = 0;
#define CLIBARCHIVE_FIND(field, symbol) missing |= !(*(void **)&library->field = dlsym(handle, symbol))
  CLIBARCHIVE_FIND(create, "archive_read_new");
  CLIBARCHIVE_FIND(support_zip, "archive_read_support_format_zip");
  CLIBARCHIVE_FIND(support_tar, "archive_read_support_format_tar");
  CLIBARCHIVE_FIND(support_7zip, "archive_read_support_format_7zip");
  CLIBARCHIVE_FIND(support_rar, "archive_read_support_format_rar");
  CLIBARCHIVE_FIND(support_rar5, "archive_read_support_format_rar5");
  CLIBARCHIVE_FIND(open_descriptor, "archive_read_open_fd");
  CLIBARCHIVE_FIND(open, "archive_read_open");
  CLIBARCHIVE_FIND(next_header, "archive_read_next_header");
  CLIBARCHIVE_FIND(data_block, "archive_read_data_block");
  CLIBARCHIVE_FIND(format, "archive_format");
  CLIBARCHIVE_FIND(filter_bytes, "archive_filter_bytes");
  CLIBARCHIVE_FIND(error, "archive_error_string");
  CLIBARCHIVE_FIND(error_number, "archive_errno");
  CLIBARCHIVE_FIND(set_error, "archive_set_error");
  CLIBARCHIVE_FIND(name, "archive_entry_pathname_utf8");
  CLIBARCHIVE_FIND(raw_name, "archive_entry_pathname");
  CLIBARCHIVE_FIND(file_type, "archive_entry_filetype");
  CLIBARCHIVE_FIND(is_encrypted, "archive_entry_is_encrypted");
#undef CLIBARCHIVE_FIND
  return !missing;
}

/// The kinds of archives. Only the one that the first bytes show is enabled, and no filter, since CZlib decompresses.
enum clibarchive_kind { CLIBARCHIVE_ZIP, CLIBARCHIVE_TAR, CLIBARCHIVE_7ZIP, CLIBARCHIVE_RAR };

/// Copies up to `size` bytes to `buffer`. Returns their number, 0 at the end, or -1 on failure.
typedef long (*clibarchive_read)(void *source, void *buffer, size_t size);
/// Returns whether the time is over. It is called at least every 100 ms.
typedef int (*clibarchive_is_over)(void *source);

/// The number of the archive's bytes that are read at a time.
#define CLIBARCHIVE_BLOCK_BYTES 65536
/// The number of bytes of a batch.
#define CLIBARCHIVE_BATCH_BYTES 262144
/// The number of bytes of an entry that are read before it is known whether more are needed.
#define CLIBARCHIVE_FIRST_BYTES 65536
/// The most bytes of a name or of libarchive's message.
#define CLIBARCHIVE_TEXT_BYTES 4096

/// What an item is, or what a byte in the socket asks for or announces.
enum clibarchive_subject {
  /// The next entry.
  CLIBARCHIVE_ENTRY,
  /// The next bytes of the entry.
  CLIBARCHIVE_DATA,
  /// More bytes of the archive.
  CLIBARCHIVE_INPUT,
};

/// The process that reads the archive returns these results besides libarchive's own.
enum {
  /// libarchive could not allocate memory.
  CLIBARCHIVE_NO_MEMORY = -100,
  /// The process was ended because it had used up its processor time.
  CLIBARCHIVE_NO_TIME = -101,
  /// The process ended without an answer.
  CLIBARCHIVE_ENDED = -102,
  /// `clibarchive_read` failed.
  CLIBARCHIVE_NO_INPUT = -103,
};

/// An entry, bytes of an entry, or the end of either. Its `count` bytes follow: the entry's name or bytes, or libarchive's
/// message after a failure.
struct clibarchive_item {
  enum clibarchive_subject subject;
  /// ARCHIVE_OK, ARCHIVE_WARN, ARCHIVE_EOF, or less.
  int result;
  /// The offset of the bytes in the entry. Bytes between two blocks are a hole.
  long long offset;
  /// The number of the archive's bytes that libarchive has interpreted. It may have read more.
  long long position;
  int is_file, is_encrypted, is_zip;
  unsigned count;
};

/// What both processes can access.
struct clibarchive_shared {
  /// The number of bytes in `batch`.
  unsigned batch_bytes;
  /// The number of bytes in `input`, or -1 if they could not be read.
  int input_bytes;
  unsigned char batch[CLIBARCHIVE_BATCH_BYTES];
  unsigned char input[CLIBARCHIVE_BLOCK_BYTES];
};

/// An open archive. It must not move, since both processes keep its address.
struct clibarchive_archive {
  struct clibarchive_library library;
  struct clibarchive_shared *shared;
  pid_t process;
  int socket;
  clibarchive_read read;
  clibarchive_is_over is_over;
  void *source;
  /// The latest item.
  struct clibarchive_item item;
  const unsigned char *item_bytes;
  /// A copy of the batch, which the other process cannot change, its size, and the offset of the next item.
  unsigned char batch[CLIBARCHIVE_BATCH_BYTES];
  unsigned batch_bytes, next;
  /// Why there will be no further batch; 0 while there may be one.
  int end;
  // Of the process that reads the archive.
  struct archive *archive;
  /// The rest of the entry's current block that is in no item.
  const unsigned char *block;
  size_t block_count;
  long long block_offset;
  int has_no_input;
};

/// Sends a byte. The receiver notices if that failed, since the other process has ended then.
static inline void clibarchive_send(int socket, enum clibarchive_subject subject) {
  const unsigned char byte = (unsigned char)subject;
  ssize_t sent;
  do sent = send(socket, &byte, 1, MSG_NOSIGNAL); while (sent < 0 && errno == EINTR);
}

/// Waits for a byte. Returns -1 if the other process has ended.
static inline int clibarchive_receive(int socket) {
  unsigned char byte;
  ssize_t received;
  do received = recv(socket, &byte, 1, 0); while (received < 0 && errno == EINTR);
  return received == 1 ? byte : -1;
}

/// Returns the number of bytes that an item with this many bytes occupies.
static inline unsigned clibarchive_item_size(unsigned count) { return (sizeof(struct clibarchive_item) + count + 7) & ~7u; }

// MARK: The process that reads the archive

static inline la_ssize_t clibarchive_read_block(struct archive *archive, void *data, const void **block) {
  struct clibarchive_archive *self = (struct clibarchive_archive *)data;
  clibarchive_send(self->socket, CLIBARCHIVE_INPUT);
  if (clibarchive_receive(self->socket) < 0) _exit(0);
  if (self->shared->input_bytes < 0) {
    self->has_no_input = 1;
    self->library.set_error(archive, -1, "reading failed");
    return ARCHIVE_FATAL;
  }
  *block = self->shared->input;
  return self->shared->input_bytes;
}

/// Adds an item to the batch. Unless libarchive failed, `bytes` are its bytes.
static inline void clibarchive_add(
  struct clibarchive_archive *self, struct clibarchive_item *item, int result, const void *bytes, size_t count) {
  item->result = result;
  if (result < ARCHIVE_WARN || result == ARCHIVE_RETRY || (result != ARCHIVE_OK && item->subject == CLIBARCHIVE_DATA)) {
    // Not every part of libarchive reports why it failed.
    if (self->library.error_number(self->archive) == ENOMEM || errno == ENOMEM) item->result = CLIBARCHIVE_NO_MEMORY;
    if (self->has_no_input) item->result = CLIBARCHIVE_NO_INPUT;
    bytes = self->library.error(self->archive);
    count = bytes ? strnlen((const char *)bytes, CLIBARCHIVE_TEXT_BYTES) : 0;
  }
  item->count = (unsigned)count;
  item->position = self->library.filter_bytes(self->archive, 0);
  item->is_zip = (self->library.format(self->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
  struct clibarchive_shared *shared = self->shared;
  unsigned char *place = shared->batch + shared->batch_bytes;
  memcpy(place, item, sizeof *item);
  if (count) memcpy(place + sizeof *item, bytes, count);
  __atomic_store_n(&shared->batch_bytes, shared->batch_bytes + clibarchive_item_size(item->count), __ATOMIC_RELEASE);
}

/// Moves to the next entry and adds it. Returns libarchive's result, and in `has_bytes` whether the entry's bytes can be read.
static inline int clibarchive_add_entry(struct clibarchive_archive *self, int *has_bytes) {
  struct clibarchive_item item = {CLIBARCHIVE_ENTRY};
  struct archive_entry *entry;
  const char *name = 0;
  self->block_count = 0;
  errno = 0;
  const int result = self->library.next_header(self->archive, &entry);
  if (result == ARCHIVE_OK || result == ARCHIVE_WARN) {
    item.is_file = self->library.file_type(entry) == AE_IFREG;
    item.is_encrypted = self->library.is_encrypted(entry) == 1;
    name = self->library.name(entry);
    if (!name) name = self->library.raw_name(entry);
  }
  *has_bytes = item.is_file && !item.is_encrypted;
  clibarchive_add(self, &item, result, name, name ? strnlen(name, CLIBARCHIVE_TEXT_BYTES) : 0);
  return result;
}

/// Adds the next bytes of the entry, up to `most`, or their end. Returns libarchive's result, and their number in `count`.
static inline int clibarchive_add_bytes(struct clibarchive_archive *self, size_t most, size_t *count) {
  struct clibarchive_item item = {CLIBARCHIVE_DATA};
  int result = ARCHIVE_OK;
  errno = 0;
  if (!self->block_count) {
    const void *bytes = 0;
    la_int64_t offset = 0;
    result = self->library.data_block(self->archive, &bytes, &self->block_count, &offset);
    self->block = (const unsigned char *)bytes;
    self->block_offset = offset;
    if (result != ARCHIVE_OK) self->block_count = 0;
  }
  item.offset = self->block_offset;
  *count = self->block_count < most ? self->block_count : most;
  clibarchive_add(self, &item, result, self->block, *count);
  self->block += *count;
  self->block_offset += *count;
  self->block_count -= *count;
  return result;
}

/// Adds what `asked` names and what follows it: until there is no room for more, or only the program knows whether it needs
/// more bytes of the entry.
static inline void clibarchive_add_all(struct clibarchive_archive *self, enum clibarchive_subject asked) {
  const unsigned head = sizeof(struct clibarchive_item), most = CLIBARCHIVE_BATCH_BYTES - head - 8;
  size_t left = CLIBARCHIVE_BATCH_BYTES;
  while (self->shared->batch_bytes + CLIBARCHIVE_TEXT_BYTES < most) {
    if (asked == CLIBARCHIVE_ENTRY) {
      int has_bytes = 0;
      const int result = clibarchive_add_entry(self, &has_bytes);
      if (result == ARCHIVE_EOF || result < ARCHIVE_WARN) return;
      if (has_bytes) asked = CLIBARCHIVE_DATA;
      left = CLIBARCHIVE_FIRST_BYTES;
    } else {
      const size_t room = most - self->shared->batch_bytes;
      size_t count = 0;
      if (!left) return;
      if (clibarchive_add_bytes(self, left < room ? left : room, &count) != ARCHIVE_OK) asked = CLIBARCHIVE_ENTRY;
      // Blocks without bytes need time, too.
      left -= left < count + head ? left : count + head;
    }
  }
}

/// Answers requests until the other process closes the socket.
static inline void clibarchive_serve(struct clibarchive_archive *self) {
  for (;;) {
    clibarchive_send(self->socket, CLIBARCHIVE_ENTRY);
    const int asked = clibarchive_receive(self->socket);
    if (asked < 0) _exit(0);
    self->shared->batch_bytes = 0;
    clibarchive_add_all(self, (enum clibarchive_subject)asked);
  }
}

static inline void clibarchive_limit(int resource, rlim_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < most)) return;
  limit.rlim_cur = most;
  setrlimit(resource, &limit);
}

/// Returns the size of this process's address space in bytes, or 0 if it is unknown.
static inline size_t clibarchive_size(void) {
  char text[64];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  return strtoul(text, 0, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/// Gives up everything that reading an archive does not need, then opens and reads it.
///
/// - Parameter memory: the number of bytes that may be allocated.
static inline void clibarchive_work(
  struct clibarchive_archive *self, enum clibarchive_kind kind, int descriptor, size_t memory, unsigned seconds) {
  // The program decides what Ctrl-C ends; the signals of a crash have no handler here.
  signal(SIGINT, SIG_IGN);
  const int fatal[] = {SIGXCPU, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTERM};
  for (size_t index = 0; index < sizeof fatal / sizeof *fatal; index++) signal(fatal[index], SIG_DFL);
  // Descriptors that an earlier fork kept open would hide the end of the process that they belong to.
  int copy = fcntl(self->socket, F_DUPFD, 3), file = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD, 3);
  const size_t size = clibarchive_size();
  if (!size || copy < 0 || (descriptor >= 0 && file < 0) || dup2(copy, 0) < 0 || (file >= 0 && dup2(file, 1) < 0)) _exit(2);
  syscall(SYS_close_range, file < 0 ? 1u : 2u, ~0u, 0u);
  self->socket = 0;
  clibarchive_limit(RLIMIT_CORE, 0);
  clibarchive_limit(RLIMIT_FSIZE, 0);
  clibarchive_limit(RLIMIT_CPU, seconds);
  // libarchive converts names to the locale's encoding and omits those it cannot convert.
  setlocale(LC_CTYPE, "C.UTF-8");
  clibarchive_limit(RLIMIT_AS, size + memory);
  self->archive = self->library.create();
  if (!self->archive) _exit(1);
  switch (kind) {
    case CLIBARCHIVE_ZIP: self->library.support_zip(self->archive); break;
    case CLIBARCHIVE_TAR: self->library.support_tar(self->archive); break;
    case CLIBARCHIVE_7ZIP: self->library.support_7zip(self->archive); break;
    case CLIBARCHIVE_RAR:
      self->library.support_rar(self->archive);
      self->library.support_rar5(self->archive);
  }
  errno = 0;
  int result = file < 0
    ? self->library.open(self->archive, self, 0, clibarchive_read_block, 0)
    : self->library.open_descriptor(self->archive, 1, CLIBARCHIVE_BLOCK_BYTES);
  struct clibarchive_item item = {CLIBARCHIVE_ENTRY};
  clibarchive_add(self, &item, result, 0, 0);
  if (result >= ARCHIVE_WARN) clibarchive_add_all(self, CLIBARCHIVE_ENTRY);
  clibarchive_serve(self);
}

// MARK: The program

/// Ends the process. Returns its status (wait(2)), and adds the processor time that it used.
static inline int clibarchive_end(struct clibarchive_archive *self, double *seconds) {
  struct rusage used;
  int status = 0;
  if (self->process <= 0) return 0;
  close(self->socket);
  kill(self->process, SIGKILL);
  pid_t ended;
  do ended = wait4(self->process, &status, 0, &used); while (ended < 0 && errno == EINTR);
  if (ended == self->process)
    *seconds += used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  self->process = 0;
  return status;
}

/// Waits for the next batch, and supplies the archive's bytes until it is there. Returns 0, or why there will be no further one.
static inline int clibarchive_await(struct clibarchive_archive *self) {
  const int milliseconds = 100;
  for (;;) {
    struct pollfd waiting = {self->socket, POLLIN, 0};
    int ready = poll(&waiting, 1, milliseconds);
    if (self->is_over(self->source)) return CLIBARCHIVE_NO_TIME;
    if (ready <= 0) continue;
    const int subject = clibarchive_receive(self->socket);
    if (subject < 0) {
      // The process has ended, or does so now.
      siginfo_t info;
      memset(&info, 0, sizeof info);
      waitid(P_PID, (id_t)self->process, &info, WEXITED | WNOWAIT);
      // libarchive exits with this status where it has no other way to report that it has no memory.
      if (info.si_code == CLD_EXITED && info.si_status == 1) return CLIBARCHIVE_NO_MEMORY;
      return info.si_code != CLD_EXITED && info.si_status == SIGXCPU ? CLIBARCHIVE_NO_TIME : CLIBARCHIVE_ENDED;
    }
    if (subject != CLIBARCHIVE_INPUT) return 0;
    self->shared->input_bytes = (int)self->read(self->source, self->shared->input, sizeof self->shared->input);
    clibarchive_send(self->socket, CLIBARCHIVE_INPUT);
  }
}

/// Waits for the next batch and copies it. If the process has ended, this is what it had read before.
static inline void clibarchive_receive_batch(struct clibarchive_archive *self) {
  self->end = clibarchive_await(self);
  self->next = 0;
  self->batch_bytes = __atomic_load_n(&self->shared->batch_bytes, __ATOMIC_ACQUIRE);
  if (self->batch_bytes > sizeof self->batch) self->batch_bytes = 0;
  memcpy(self->batch, self->shared->batch, self->batch_bytes);
}

/// Moves to the next item, which is then in `item`, and returns its result. If there is none, this asks for `subject`, whose
/// failure the item is if the process has ended.
static inline int clibarchive_next(struct clibarchive_archive *self, enum clibarchive_subject subject) {
  const unsigned head = sizeof self->item;
  self->item.subject = subject;
  self->item.count = 0;
  if (self->next == self->batch_bytes && !self->end) {
    self->shared->batch_bytes = 0;
    clibarchive_send(self->socket, subject);
    clibarchive_receive_batch(self);
  }
  const unsigned left = self->batch_bytes - self->next;
  // A batch without items, or with one that is too long, is not from the code above.
  if (left < head) return self->end = self->end ? self->end : CLIBARCHIVE_ENDED;
  memcpy(&self->item, self->batch + self->next, head);
  if (self->item.count > left - head) {
    self->item.subject = subject;
    self->item.count = 0;
    return self->end = CLIBARCHIVE_ENDED;
  }
  self->item_bytes = self->batch + self->next + head;
  const unsigned size = clibarchive_item_size(self->item.count);
  self->next += size < left ? size : left;
  return self->item.result;
}

/// Opens the archive that begins at the position of `descriptor` or, if that is negative, the one that `read` supplies.
/// `process` is 0 if libarchive is not installed or no process can be started; errno is then 0 or the system's. Returns null
/// if there is no memory.
///
/// - Parameters:
///   - memory: the number of bytes that libarchive may allocate.
///   - seconds: the processor time that it may use.
static inline struct clibarchive_archive *clibarchive_open(
  enum clibarchive_kind kind, int descriptor, size_t memory, unsigned seconds, clibarchive_read read, clibarchive_is_over is_over,
  void *source, int *result) {
  struct clibarchive_archive *self = (struct clibarchive_archive *)calloc(1, sizeof *self);
  int ends[2];
  *result = ARCHIVE_FATAL;
  errno = 0;
  if (!self) return self;
  if (!clibarchive_load(&self->library)) {
    errno = 0;
    return self;
  }
  self->read = read;
  self->is_over = is_over;
  self->source = source;
  void *shared = mmap(0, sizeof *self->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return self;
  self->shared = (struct clibarchive_shared *)shared;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return self;
  self->socket = ends[1];
  pid_t process = fork();
  if (process == 0) clibarchive_work(self, kind, descriptor, memory, seconds);
  const int error = errno;
  close(ends[1]);
  self->socket = ends[0];
  if (process < 0) {
    close(ends[0]);
    errno = error;
    return self;
  }
  self->process = process;
  clibarchive_receive_batch(self);
  *result = clibarchive_next(self, CLIBARCHIVE_ENTRY);
  return self;
}

/// Ends the process and adds the processor time that it used.
static inline void clibarchive_close(struct clibarchive_archive *self, double *seconds) {
  if (!self) return;
  clibarchive_end(self, seconds);
  if (self->shared) munmap(self->shared, sizeof *self->shared);
  // The library stays loaded, since another archive may follow.
  free(self);
}

#endif
