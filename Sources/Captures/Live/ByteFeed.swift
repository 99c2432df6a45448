package import Bytes
import Glibc

/// A source of an `InputBuffer`'s bytes that is more than one descriptor.
protocol ByteFeed: AnyObject {
  /// Reads up to `count` bytes (at least 1) into `start`, waiting for the first one if necessary.
  ///
  /// - Returns: The number of bytes read; 0 at the end.
  func read(into start: UnsafeMutableRawPointer, atMost count: Int) throws(CaptureFailure) -> Int
}

/// A feed of pieces of any length, as passed from another thread.
final class PieceFeed: ByteFeed {
  private let pieces: () -> [UInt8]?
  /// The rest of a piece that did not fit.
  private var piece: ArraySlice<UInt8> = []

  init(_ pieces: @escaping () -> [UInt8]?) { self.pieces = pieces }

  func read(into start: UnsafeMutableRawPointer, atMost count: Int) -> Int {
    while piece.isEmpty {
      guard let next = pieces() else { return 0 }
      piece = next[...]
    }
    let taken = piece.prefix(count)
    unsafe taken.withUnsafeBytes { bytes in
      if let first = bytes.baseAddress {
        unsafe start.copyMemory(from: first, byteCount: bytes.count)
      }
    }
    piece = piece.dropFirst(taken.count)
    return taken.count
  }
}

/// A feed of a pipe, socket or terminal, read until its end or an interruption.
final class StreamFeed: ByteFeed {
  private let descriptor: Int32
  private let interruption: Interruption
  /// Whether bytes can be read without waiting first, as from a file.
  private let isFile: Bool
  /// The number of unread bytes among those that had arrived when the interruption came; nil
  /// before.
  private var left: Int?

  /// Reads a descriptor, which is closed with the feed.
  init(_ descriptor: Int32, _ interruption: Interruption) {
    self.descriptor = descriptor
    self.interruption = interruption
    var status = stat()
    isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit { close(descriptor) }

  func read(into start: UnsafeMutableRawPointer, atMost count: Int) throws(CaptureFailure) -> Int {
    while true {
      // After the interruption, neither a file is read to its end nor an endless stream forever.
      if interruption.hasCome, left == nil {
        left = isFile ? 0 : max(1, Descriptor.readableByteCount(descriptor) ?? .max)
      }
      if let left, left <= 0 { return 0 }
      if !isFile, interruption.wait(for: descriptor) == .interrupted {
        interruption.leaveUnread(descriptor)
        return 0
      }
      let result = unsafe Glibc.read(descriptor, start, count)
      if result >= 0 {
        left = left.map { $0 - result }
        return result
      }
      switch errno {
      case EINTR, EAGAIN: continue
      // The other end of a pseudo-terminal was closed, or a terminal's device was taken away.
      case EIO where isatty(descriptor) == 1: return 0
      default: throw CaptureFailure(.inaccessible, systemWords(errno))
      }
    }
  }
}

extension InputBuffer {
  /// Reads an open descriptor until its end or the interruption, and closes it.
  package init(stream descriptor: Int32, _ interruption: Interruption) {
    self.init(StreamFeed(descriptor, interruption))
  }

  /// Opens a file, device or named pipe as a live source; `-` is standard input. Waits for the
  /// writer of a named pipe.
  ///
  /// - Throws: `.inaccessible` with the system's message; `.notReadable` if it is a serial line;
  ///   `.unavailable` if the interruption came before anything was written to the pipe.
  package init(stream path: String, _ interruption: Interruption) throws(CaptureFailure) {
    if path == "-" {
      let copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
      self.init(stream: copy, interruption)
      return
    }
    // Without O_NONBLOCK, opening a named pipe would wait for its writer, and no interruption could
    // end that.
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard opened >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
    if isatty(opened) == 1 {
      close(opened)
      throw CaptureFailure(
        .notReadable,
        "is a serial line or a terminal; the monitor on one is read with -i tty:\(path)")
    }
    var status = stat()
    if unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
      // A pipe without a writer is at its end; poll(2) only waits for the first writer.
      guard interruption.wait(for: opened) == .ready else {
        close(opened)
        throw CaptureFailure(.unavailable, "no program wrote to this pipe")
      }
    }
    self.init(stream: opened, interruption)
  }
}
