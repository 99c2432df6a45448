import Bytes
import Captures
import Cryptography
import Documents
import Glibc
import Reports

// What else `table` needs from the system: paths that are not UTF-8, folders and processes.
extension Terminal {
  /// The system's facts about a file that `table` uses.
  struct FileFacts: Sendable {
    /// The size in bytes.
    var size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    var changed: Int64
    /// The device and inode, which identify the file under any path.
    var device: UInt64
    var node: UInt64
    /// The kind of a file that is not a regular one, as a clause: "is a pipe, not a file".
    var otherKind: StaticString?
    var isFolder = false
  }

  /// Calls `body` with a path that ends with a zero byte, as the system needs it.
  private static func withPath<Result>(
    _ path: some Sequence<UInt8>, _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    let terminated = Array(path) + [0]
    return unsafe terminated.withUnsafeBytes { bytes in
      let characters = unsafe bytes.bindMemory(to: CChar.self)
      guard let start = characters.baseAddress else { return unsafe body("") }
      return unsafe body(start)
    }
  }

  private static func facts(_ status: stat) -> FileFacts {
    let kind: StaticString? =
      switch status.st_mode & S_IFMT {
      case S_IFREG: nil
      case S_IFDIR: "is a folder"
      case S_IFIFO: "is a pipe, not a file"
      case S_IFSOCK: "is a socket, not a file"
      default: "is a device, not a file"
      }
    return FileFacts(
      size: Int64(status.st_size),
      changed: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec),
      device: UInt64(truncatingIfNeeded: status.st_dev),
      node: UInt64(truncatingIfNeeded: status.st_ino), otherKind: kind,
      isFolder: status.st_mode & S_IFMT == S_IFDIR)
  }

  /// Returns the facts about a path, or nil if nothing is there.
  ///
  /// - Parameter follows: whether links are followed.
  static func facts(of path: some Sequence<UInt8>, follows: Bool = true) -> FileFacts? {
    var status = stat()
    let result = unsafe withPath(path) {
      follows ? unsafe stat($0, &status) : unsafe lstat($0, &status)
    }
    return result == 0 ? facts(status) : nil
  }

  /// An open file, which is closed when this value is destroyed.
  struct OpenFile: ~Copyable {
    private let descriptor: Int32
    /// The facts about the file when it was opened.
    let facts: FileFacts
    /// The path by which this process can open the file again.
    var path: String { "/proc/self/fd/\(descriptor)" }

    fileprivate init(_ descriptor: Int32, _ facts: FileFacts) {
      self.descriptor = descriptor
      self.facts = facts
    }

    deinit { close(descriptor) }

    /// Reads the first bytes of the file. Returns their number and the first eight bytes of their
    /// SHA-256, or nil if time runs out.
    ///
    /// - Parameters:
    ///   - size: the most bytes to read; bytes written meanwhile do not count.
    ///   - patience: the time in which to read them.
    /// - Throws: the system's error.
    func digest(
      atMost size: Int64, within patience: inout Patience
    ) throws(SystemFailure) -> (size: Int64, digest: UInt64)? {
      let digest = SHA256()
      var block = [UInt8](repeating: 0, count: 1 << 16)
      var offset: Int64 = 0
      var failure: Int32?
      var isOver = false
      while offset < size {
        isOver = patience.isOver()
        if isOver { break }
        let wanted = Int(min(Int64(block.count), size - offset))
        let count = unsafe block.withUnsafeMutableBytes {
          unsafe pread(descriptor, $0.baseAddress, wanted, off_t(offset))
        }
        if count < 0, errno == EINTR { continue }
        if count < 0 { failure = errno }
        guard count > 0 else { break }
        digest.add(block.bytes.part(Slice(start: 0, count: count)))
        offset += Int64(count)
      }
      let prefix = digest.prefix()
      if let failure { throw SystemFailure(code: failure) }
      return isOver ? nil : (offset, prefix)
    }
  }

  /// An error of the system.
  struct SystemFailure: Error {
    let code: Int32
    /// The system's words.
    var words: String { systemWords(code) }
  }

  /// Opens a file for reading, without waiting for the writer of a pipe.
  static func openToRead(_ path: some Sequence<UInt8>) throws(SystemFailure) -> OpenFile {
    let descriptor = unsafe withPath(path) {
      unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard descriptor >= 0 else { throw SystemFailure(code: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw SystemFailure(code: code)
    }
    return OpenFile(descriptor, facts(status))
  }

  /// Returns the names in a folder in the order of their bytes, and whether each is a folder.
  static func contents(
    ofFolder path: some Sequence<UInt8>
  ) throws(SystemFailure) -> [(name: [UInt8], isFolder: Bool)] {
    guard let directory = unsafe withPath(path, { unsafe opendir($0) }) else {
      throw SystemFailure(code: errno)
    }
    defer { unsafe closedir(directory) }
    var names: [(name: [UInt8], isFolder: Bool)] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe [UInt8](bytes.prefix { $0 != 0 })
      }
      if name == [0x2e] || name == [0x2e, 0x2e] { continue }
      var isFolder = unsafe Int(entry.pointee.d_type) == Int(DT_DIR)
      if unsafe Int(entry.pointee.d_type) == Int(DT_UNKNOWN) {
        let whole = Array(path) + [0x2f] + name
        isFolder = facts(of: whole, follows: false)?.isFolder ?? false
      }
      names.append((name, isFolder))
    }
    return names.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// Reads a list of paths to its end; `-` is standard input.
  static func list(_ path: String) throws(CaptureFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var input = try InputBuffer(path: path)
    while try input.fill(1) {
      bytes.append(input.take(input.count))
      guard bytes.count <= mostListBytes else {
        throw CaptureFailure(.notReadable, "is larger than 1 GB, which a list of paths may not be")
      }
    }
    return bytes
  }

  private static let mostListBytes = 1 << 30

  // MARK: Files that are written

  /// Creates a folder that only its owner can access.
  static func makeFolder(_ path: String) throws(SystemFailure) {
    guard unsafe mkdir(path, 0o700) == 0 else { throw SystemFailure(code: errno) }
  }

  /// Creates a file that only its owner can read, or empties the existing one, and returns it open
  /// for writing. A link is not followed: no file of this folder is meant to be one.
  static func makeFile(_ path: String) throws(SystemFailure) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe Glibc.open(path, flags, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(code: errno) }
    return descriptor
  }

  /// Closes a file that was written, and throws an error of the file system.
  static func closeFile(_ descriptor: Int32) throws(SystemFailure) {
    guard close(descriptor) == 0 else { throw SystemFailure(code: errno) }
  }

  static func renameFile(_ old: String, to new: String) throws(SystemFailure) {
    guard unsafe rename(old, new) == 0 else { throw SystemFailure(code: errno) }
  }

  static func removeFile(_ path: String) { _ = unsafe unlink(path) }

  /// Removes a folder that contains only files. A link to a folder is left alone.
  static func removeFolder(_ path: String) {
    guard facts(of: path.utf8, follows: false)?.isFolder == true else { return }
    for entry in (try? contents(ofFolder: path.utf8)) ?? [] {
      _ = unsafe withPath(Array(path.utf8) + [0x2f] + entry.name) { unsafe unlink($0) }
    }
    _ = unsafe rmdir(path)
  }

  /// Locks a file, and creates it if it does not exist. A link is not followed.
  ///
  /// - Returns: the descriptor, which holds the lock until it is closed, or nil if another process
  ///   holds it.
  static func lock(_ path: String) throws(SystemFailure) -> Int32? {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(code: errno) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    let code = errno
    close(descriptor)
    guard code == EWOULDBLOCK else { throw SystemFailure(code: code) }
    return nil
  }

  // MARK: Processes

  /// A process of this program that works on a part, and the pipe from its standard output.
  struct Worker: Sendable {
    /// The process's id.
    let process: Int32
    /// The end of the pipe from which its standard output is read.
    let progress: Int32

    /// Ends the process at once.
    func kill() { _ = Glibc.kill(process, SIGKILL) }

    /// Waits for the process to end. Returns its status, or the signal that ended it. Must be
    /// called once.
    func wait() -> (status: Int32, signal: Int32?) {
      defer { close(progress) }
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0 {
        if errno != EINTR { return (74, nil) }
      }
      let signal = status & 0x7f
      return signal == 0 ? (status >> 8 & 0xff, nil) : (128 + signal, signal)
    }

    /// Returns what the process has printed since the last call, or nil after it has ended.
    func take() -> [UInt8]? {
      var block = [UInt8](repeating: 0, count: 4096)
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe read(progress, $0.baseAddress, $0.count)
      }
      return count > 0 ? Array(block.prefix(count)) : count == 0 ? nil : []
    }
  }

  /// Runs this program with other arguments.
  ///
  /// - Parameters:
  ///   - input: the file for its standard input.
  ///   - lock: the descriptor of a locked file, which the process also holds until it ends.
  static func work(
    _ arguments: [String], input: String, holding lock: Int32
  ) throws(SystemFailure) -> Worker {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemFailure(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    // With equal numbers, this only clears FD_CLOEXEC.
    unsafe posix_spawn_file_actions_adddup2(&actions, lock, lock)
    defer { close(ends[1]) }
    do throws(SystemFailure) {
      let process = try unsafe spawn("/proc/self/exe", ["gattscope"] + arguments, &actions)
      return Worker(process: process, progress: ends[0])
    } catch {
      close(ends[0])
      throw error
    }
  }

  /// Starts a program that reads a descriptor as its standard input.
  ///
  /// - Parameters:
  ///   - arguments: its arguments, the first of which is its name.
  ///   - settings: variables that replace or extend this program's environment: `LESS=FRX`.
  static func spawn(
    _ path: String, _ arguments: [String], setting settings: [String], input: Int32
  ) throws(SystemFailure) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    return try unsafe spawn(path, arguments, setting: settings, &actions)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], setting settings: [String] = [],
    _ actions: inout posix_spawn_file_actions_t
  ) throws(SystemFailure) -> pid_t {
    let environment = (try? contents(of: "/proc/self/environ")) ?? []
    let names = settings.map { $0.prefix { $0 != "=" } + "=" }
    let variables = environment.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { variable in !names.contains { variable.hasPrefix($0) } }
    var strings = unsafe copies(arguments)
    var settings = unsafe copies(variables + settings)
    defer { unsafe (strings + settings).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let error = unsafe posix_spawn(&process, path, &actions, nil, &strings, &settings)
    guard error == 0 else { throw SystemFailure(code: error) }
    return process
  }

  /// Returns copies of strings in the form that the system needs, with nil after the last one.
  private static func copies(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    unsafe strings.map { unsafe strdup($0) } + [nil]
  }

  /// Waits until one of the descriptors can be read or the time is up.
  static func wait(for descriptors: [Int32], milliseconds: Int32) {
    var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
  }

  /// The bytes with which a worker reports a file that was read to its end, and any other file.
  static let wholeFile = UInt8(ascii: ".")
  static let unreadFile = UInt8(ascii: "x")

  /// Reports on a worker's standard output that a file is done.
  ///
  /// - Returns: whether the process that started the worker still listens.
  static func reportDone(_ word: UInt8) -> Bool {
    var byte = word
    return unsafe Glibc.write(STDOUT_FILENO, &byte, 1) == 1
  }

  /// The destination of rows without `--out`.
  static var standardOutput: Int32 { STDOUT_FILENO }

  /// Returns whether a descriptor has something to read, or its other end is closed.
  static func isReadable(_ descriptor: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waiting, 1, 0) > 0
  }

  /// Shows progress on one line, if standard error is a terminal.
  static func showProgress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    var output = Output(descriptor: STDERR_FILENO)
    output.string("\r\(text)\u{1b}[K")
    output.flush()
  }
}
