// The socket types come from CBlueZ if the compiler meets its headers before Glibc's.
import Bytes
import CBlueZ
import CLibarchive  // for types of sockets, which belong to the module that the compiler loads first
import Glibc
import Synchronization

/// The address of the last socket's path; 0 for none.
private let latest = Atomic<UInt>(0)

/// A listening Unix socket, as opened by `btmon --server`. Clients are served one at a time;
/// further ones wait until the current one has closed. Its file is removed at the end.
final class ServerSocket {
  private let descriptor: Int32
  private let path: String
  /// The file's device and inode, so that no other program's file is removed.
  private let identity: (dev_t, ino_t)

  /// The maximum number of waiting clients.
  private static let mostWaiting: Int32 = 16

  /// Listens at a path. A socket file on which no program listens any more is replaced.
  ///
  /// - Throws: `.unavailable` if something else has that name, or another program listens there.
  init(path: String) throws(CaptureFailure) {
    guard var address = Self.address(path) else {
      throw CaptureFailure(.unavailable, "is too long a name for a socket: 107 bytes at most")
    }
    let opened = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard opened >= 0 else { throw CaptureFailure(.unavailable, systemWords(errno)) }
    var error = Self.bind(opened, &address)
    if error == EADDRINUSE {
      var status = stat()
      let isSocket =
        unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
      let words: String? =
        !isSocket
        ? "this name belongs to a file that is not a socket; choose another path, or remove it"
        : Self.isListening(&address)
          ? "another program already listens at this socket; choose another path, or end that program"
          : nil
      if let words {
        close(opened)
        throw CaptureFailure(.unavailable, words)
      }
      unsafe unlink(path)
      error = Self.bind(opened, &address)
    }
    var status = stat()
    guard error == nil, unsafe lstat(path, &status) == 0, listen(opened, Self.mostWaiting) == 0
    else {
      let error = error ?? errno
      close(opened)
      if error == EACCES || error == EPERM {
        throw CaptureFailure(.forbidden, "the socket cannot be created: \(systemWords(error))")
      }
      let advice = error == ENOENT ? FolderWords.advice(path) : ""
      throw CaptureFailure(
        .unavailable, "the socket cannot be created: \(systemWords(error))\(advice)")
    }
    descriptor = opened
    self.path = path
    identity = (status.st_dev, status.st_ino)
    // The previous one is never freed: a signal handler may be reading it.
    let name = unsafe strdup(path)
    latest.store(UInt(bitPattern: name), ordering: .releasing)
    _ = fcntl(opened, F_SETFL, O_NONBLOCK)
  }

  /// Removes the file of the most recent socket, for signal handlers that end the program.
  static func removeLatest() {
    let name = latest.exchange(0, ordering: .acquiring)
    if let path = unsafe UnsafePointer<CChar>(bitPattern: name) { unsafe unlink(path) }
  }

  deinit {
    latest.store(0, ordering: .relaxed)
    close(descriptor)
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_dev == identity.0, status.st_ino == identity.1 {
      unsafe unlink(path)
    }
  }

  /// Waits for the next client; returns nil once the interruption came.
  func accept(_ interruption: Interruption) throws(CaptureFailure) -> Int32? {
    while true {
      guard interruption.wait(for: descriptor) == .ready else { return nil }
      let client = Glibc.accept(descriptor, nil, nil)
      if client >= 0 {
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
      }
      switch errno {
      case EINTR, EAGAIN, ECONNABORTED: continue
      default: throw CaptureFailure(.unavailable, systemWords(errno))
      }
    }
  }

  /// Closes all waiting clients and returns how many of them have sent something.
  func dismissWaiting() -> Int {
    var count = 0
    for _ in 0..<2 * Self.mostWaiting {
      let client = Glibc.accept(descriptor, nil, nil)
      guard client >= 0 else { break }
      if (Descriptor.readableByteCount(client) ?? 0) > 0 { count += 1 }
      close(client)
    }
    return count
  }

  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let isThere = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard !bytes.isEmpty, bytes.count < place.count, !bytes.contains(0) else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    return isThere ? address : nil
  }

  /// Calls `use` with an address in the system's form; returns an error number.
  private static func call(
    _ address: inout sockaddr_un, _ use: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
  ) -> Int32? {
    let result = unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe use(
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    return result == 0 ? nil : errno
  }

  private static func bind(_ descriptor: Int32, _ address: inout sockaddr_un) -> Int32? {
    unsafe call(&address) { unsafe Glibc.bind(descriptor, $0, $1) }
  }

  private static func isListening(_ address: inout sockaddr_un) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // A full queue of waiting clients also means that a program is listening.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let error = unsafe call(&address) { unsafe connect(descriptor, $0, $1) }
    return error == nil || error == EAGAIN
  }
}
