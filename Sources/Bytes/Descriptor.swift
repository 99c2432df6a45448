import Glibc

/// What is done with the system's descriptors.
package enum Descriptor {
  /// How a write ended.
  package enum Ending: Equatable, Sendable {
    /// All was taken.
    case complete
    /// With this error of the system's.
    case failed(Int32)
    /// The end was put to the program, and nobody took anything any more.
    case givenUp
  }

  /// How long nothing may be taken, once the interruption came, until writing is given up, unless an
  /// interruption says otherwise.
  package static let patienceSeconds: Int64 = 1

  /// Writes all bytes, and waits for whoever reads them: for ever, but once the interruption came only as
  /// long as something is taken now and then.
  ///
  /// - Returns: how many bytes were taken.
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
    // Since when nothing is taken, after the interruption.
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
      // Nothing written, and no reason given: to try again could go on for ever.
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

  /// How many bytes can be read at once (of a socket of datagrams: the next one's); nil where the system
  /// does not say.
  package static func readableByteCount(_ descriptor: Int32) -> Int? {
    var count: Int32 = 0
    return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : nil
  }

  /// Opens a file, which of a named pipe may wait for whoever is at its other end, until the interruption.
  /// A new one only its owner can read: what devices said to each other is nobody else's.
  ///
  /// - Returns: the descriptor, or the system's error number: EINTR where the interruption came first.
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
