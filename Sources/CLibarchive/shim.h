// What gattscope uses of libarchive (Debian: libarchive-dev).
//
// The library is loaded when the first archive is opened, not linked, because it loads libxml2 and ICU: an empty program takes
// 0.63 ms without it and 1.93 ms with it (Debian 12, median of 200 runs). Someone who reads a plain log should not wait for
// that, nor need libarchive at all.
//
// A process of its own reads each archive, because libarchive allocates what numbers in the file ask for, and repeats what they
// ask for: dictionaries, names, lists of entries. The process is a fork of this one that runs only the C code below. It has
// limits on memory and processor time, no descriptors except a socket to this process and possibly the archive, and cannot
// write to a file. Both sides send each other a `clibarchive_message` at a time.

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

/// The number of bytes that are passed on at a time.
#define CLIBARCHIVE_BLOCK_BYTES 65536

/// What a message asks for, or has.
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
};

struct clibarchive_message {
  enum clibarchive_subject subject;
  /// ARCHIVE_OK, ARCHIVE_WARN, ARCHIVE_EOF, or less. Of input: -1 on failure.
  int result;
  /// The offset of `bytes` in the entry. Bytes between two blocks are a hole.
  long long offset;
  /// The number of the archive's bytes that libarchive has interpreted. It may have read more.
  long long position;
  int is_file, is_encrypted, is_zip;
  /// The number of `bytes`: of the entry, its name, or libarchive's message after a failure.
  unsigned count;
  unsigned char bytes[CLIBARCHIVE_BLOCK_BYTES];
};

/// An open archive. It must not move, since both processes keep its address.
struct clibarchive_archive {
  struct clibarchive_library library;
  pid_t process;
  int socket;
  clibarchive_read read;
  clibarchive_is_over is_over;
  void *source;
  /// The request or answer.
  struct clibarchive_message message;
  /// The archive's bytes.
  struct clibarchive_message input;
  // Of the process that reads the archive.
  struct archive *archive;
  /// The unsent rest of the entry's current block.
  const unsigned char *block;
  size_t block_count;
  long long block_offset;
};

/// Sends a message. Returns 0 if the other process has ended.
static inline int clibarchive_send(int socket, const struct clibarchive_message *message) {
  size_t size = offsetof(struct clibarchive_message, bytes) + message->count;
  ssize_t sent;
  do sent = send(socket, message, size, MSG_NOSIGNAL); while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)size;
}

/// Waits for a message. Returns 0 if the other process has ended.
static inline int clibarchive_receive(int socket, struct clibarchive_message *message) {
  ssize_t received;
  do received = recv(socket, message, sizeof *message, 0); while (received < 0 && errno == EINTR);
  const size_t head = offsetof(struct clibarchive_message, bytes);
  return received >= (ssize_t)head && message->count == (size_t)received - head;
}

// MARK: The process that reads the archive

static inline la_ssize_t clibarchive_read_block(struct archive *archive, void *data, const void **block) {
  struct clibarchive_archive *self = (struct clibarchive_archive *)data;
  self->input.subject = CLIBARCHIVE_INPUT;
  self->input.count = 0;
  if (!clibarchive_send(self->socket, &self->input) || !clibarchive_receive(self->socket, &self->input)) _exit(0);
  if (self->input.result < 0) {
    self->library.set_error(archive, -1, "reading failed");
    return ARCHIVE_FATAL;
  }
  *block = self->input.bytes;
  return self->input.count;
}

static inline void clibarchive_answer(struct clibarchive_archive *self, int result, const char *text) {
  struct clibarchive_message *message = &self->message;
  message->result = result;
  if (result < ARCHIVE_WARN || (result != ARCHIVE_OK && message->subject == CLIBARCHIVE_DATA)) {
    // Not every part of libarchive reports why it failed.
    if (self->library.error_number(self->archive) == ENOMEM || errno == ENOMEM) message->result = CLIBARCHIVE_NO_MEMORY;
    text = self->library.error(self->archive);
  }
  if (text) {
    message->count = strnlen(text, 4096);
    memcpy(message->bytes, text, message->count);
  }
  message->position = self->library.filter_bytes(self->archive, 0);
  message->is_zip = (self->library.format(self->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
  if (!clibarchive_send(self->socket, message)) _exit(0);
}

/// Answers requests until the other process closes the socket.
static inline void clibarchive_serve(struct clibarchive_archive *self) {
  struct clibarchive_message *message = &self->message;
  struct archive_entry *entry;
  while (clibarchive_receive(self->socket, message)) {
    int result = ARCHIVE_OK;
    const char *name = 0;
    message->count = 0;
    errno = 0;
    if (message->subject == CLIBARCHIVE_ENTRY) {
      self->block_count = 0;
      result = self->library.next_header(self->archive, &entry);
      if (result == ARCHIVE_OK || result == ARCHIVE_WARN) {
        message->is_file = self->library.file_type(entry) == AE_IFREG;
        message->is_encrypted = self->library.is_encrypted(entry) == 1;
        name = self->library.name(entry);
        if (!name) name = self->library.raw_name(entry);
      }
    } else {
      if (!self->block_count) {
        const void *bytes = 0;
        la_int64_t offset = 0;
        result = self->library.data_block(self->archive, &bytes, &self->block_count, &offset);
        self->block = (const unsigned char *)bytes;
        self->block_offset = offset;
        if (result != ARCHIVE_OK) self->block_count = 0;
      }
      message->offset = self->block_offset;
      message->count = self->block_count < sizeof message->bytes ? self->block_count : sizeof message->bytes;
      if (message->count) memcpy(message->bytes, self->block, message->count);
      self->block += message->count;
      self->block_offset += message->count;
      self->block_count -= message->count;
    }
    clibarchive_answer(self, result, name);
  }
  _exit(0);
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
  self->message.subject = CLIBARCHIVE_ENTRY;
  self->message.count = 0;
  clibarchive_answer(self, result, 0);
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

/// Waits for the answer, and supplies the archive's bytes until it comes. Returns its result.
static inline int clibarchive_await(struct clibarchive_archive *self) {
  struct clibarchive_message *message = &self->message;
  const int milliseconds = 100;
  for (;;) {
    struct pollfd waiting = {self->socket, POLLIN, 0};
    int ready = poll(&waiting, 1, milliseconds);
    if (self->is_over(self->source)) return CLIBARCHIVE_NO_TIME;
    if (ready <= 0) continue;
    if (!clibarchive_receive(self->socket, message)) {
      // The process has ended, or does so now.
      siginfo_t info;
      memset(&info, 0, sizeof info);
      waitid(P_PID, (id_t)self->process, &info, WEXITED | WNOWAIT);
      message->count = 0;
      // libarchive exits with this status where it has no other way to report that it has no memory.
      if (info.si_code == CLD_EXITED && info.si_status == 1) return CLIBARCHIVE_NO_MEMORY;
      return info.si_code != CLD_EXITED && info.si_status == SIGXCPU ? CLIBARCHIVE_NO_TIME : CLIBARCHIVE_ENDED;
    }
    if (message->subject != CLIBARCHIVE_INPUT) return message->result;
    long count = self->read(self->source, self->input.bytes, sizeof self->input.bytes);
    self->input.result = count < 0 ? -1 : 0;
    self->input.count = count < 0 ? 0 : count;
    // If the process has ended, that is received next.
    clibarchive_send(self->socket, &self->input);
  }
}

/// Sends a request and waits for the answer, which is then in `message`.
static inline int clibarchive_ask(struct clibarchive_archive *self, enum clibarchive_subject subject) {
  if (self->process <= 0) return CLIBARCHIVE_ENDED;
  self->message.subject = subject;
  self->message.count = 0;
  clibarchive_send(self->socket, &self->message);
  return clibarchive_await(self);
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
  *result = clibarchive_await(self);
  return self;
}

/// The bytes of the latest answer.
static inline const void *clibarchive_bytes(const struct clibarchive_archive *self) { return self->message.bytes; }

/// Ends the process and adds the processor time that it used.
static inline void clibarchive_close(struct clibarchive_archive *self, double *seconds) {
  if (!self) return;
  clibarchive_end(self, seconds);
  // The library stays loaded, since another archive may follow.
  free(self);
}

#endif
