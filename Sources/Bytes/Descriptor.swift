import Glibc

/// Blocking operations on file descriptors that an interruption can end.
package enum Descriptor {
  /// The outcome of a write.
  package enum Ending: Equatable, Sendable {
    /// All bytes were written.
    case complete
    /// The system reported this `errno`.
    case failed(Int32)
    /// An interruption came, and the reader accepted no more bytes in time.
    case givenUp
  }

  /// How long, after an interruption, a writer waits for a reader that accepts nothing, in seconds.
  /// An `Interruption` can have its own limit.
  package static let patienceSeconds: Int64 = 1

  /// Writes all bytes, waiting for the reader as long as necessary. After the interruption it keeps
  /// writing only while the reader keeps accepting bytes.
  ///
  /// - Returns: The number of bytes written, and how the write ended.
  package static func write(
    _ bytes: RawSpan, to descriptor: Int32, _ interruption: Interruption?
  ) -> (count: Int, ending: Ending) {
    guard let interruption else { return writeAll(bytes, to: descriptor, nil) }
    return interruption.waking { writeAll(bytes, to: descriptor, interruption) }
  }

  private static func writeAll(
    _ bytes: RawSpan, to descriptor: Int32, _ interruption: Interruption?
  ) -> (count: Int, ending: Ending) {
    var written = 0
    // When, after the interruption, the reader stopped accepting bytes.
    var stalled: Int64?
    while written < bytes.byteCount {
      let rest = bytes.dropping(written)
      let result = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if result > 0 {
        written += result
        stalled = nil
        continue
      }
      // Nothing was written and no reason given: trying again could go on forever.
      if result == 0 { return (written, .failed(EIO)) }
      if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&waiting, 1, interruption == nil ? -1 : Interruption.wakeMilliseconds)
      } else if errno != EINTR {
        return (written, .failed(errno))
      }
      guard let interruption, interruption.hasCome else { continue }
      let now = MonotonicClock.nanoseconds
      let patience = interruption.patienceSeconds * 1_000_000_000
      if now - (stalled ?? now) >= patience { return (written, .givenUp) }
      stalled = stalled ?? now
    }
    return (written, .complete)
  }

  /// Returns the number of bytes that can be read at once (for a datagram socket, the size of the
  /// next datagram), or nil if the system does not report it.
  package static func readableByteCount(_ descriptor: Int32) -> Int? {
    var count: Int32 = 0
    return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : nil
  }

  /// Opens a file. For a named pipe this may wait for the other end, until the interruption comes.
  /// A new file is readable only by its owner, since captured traffic is private.
  ///
  /// - Returns: The descriptor, and the system's error number: EINTR if the interruption came
  ///   first.
  package static func open(
    _ path: String, _ flags: Int32, _ interruption: Interruption?
  ) -> (descriptor: Int32, error: Int32) {
    while true {
      func attempt() -> (descriptor: Int32, error: Int32) {
        let opened = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600)
        return (opened, opened < 0 ? errno : 0)
      }
      let result = interruption?.waking(attempt) ?? attempt()
      guard result.error == EINTR, interruption?.hasCome != true else { return result }
    }
  }
}
