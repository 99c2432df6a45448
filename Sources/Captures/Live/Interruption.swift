package import Bluetooth
import Glibc
import Synchronization

/// The end that is put to live sources from outside: Ctrl-C, a time that is over, a count that is
/// reached.
///
/// Sources wait through it, so that its coming wakes them. What has arrived by then is still read, but
/// not for longer than `drainNanoseconds`: a source may never be silent.
@safe
package final class Interruption: Sendable {
  /// What signals interrupt.
  package static let process = Interruption()

  /// How long sources are still read after it came.
  static let drainNanoseconds: Int64 = 1_000_000_000

  /// A pipe whose reading end can be read once it came.
  private let reader: Int32
  private let writer: Int32
  /// When it came (nanoseconds of the monotonic clock); 0 before.
  private let moment = Atomic<Int64>(0)

  /// One that has not come. Where the system has no descriptors left, it wakes nobody.
  package init() {
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    // Where standard input is closed, its number is not to be taken for it.
    for index in ends.indices where (0...2).contains(ends[index]) {
      let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, 3)
      close(ends[index])
      ends[index] = moved
    }
    (reader, writer) = (ends[0], ends[1])
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    for end in [reader, writer] where end >= 0 { close(end) }
  }

  /// Comes; may be called from a signal handler, where the object exists already, and several times.
  package func come() {
    let now = max(1, Self.monotonicNanoseconds)
    guard moment.compareExchange(expected: 0, desired: now, ordering: .releasing).exchanged else {
      return
    }
    let error = errno
    var byte: UInt8 = 0
    _ = unsafe write(writer, &byte, 1)
    errno = error
  }

  /// Whether it came.
  package var hasCome: Bool { moment.load(ordering: .acquiring) != 0 }

  /// What waiting ended with.
  package enum Awaited: Sendable {
    /// The descriptor can be read or written, or has its end or an error.
    case ready
    /// The interruption came, and nothing is left to be read.
    case interrupted
    /// Neither within the time.
    case timeOver
  }

  /// Waits until a descriptor can be read, the interruption comes or the time is over; with a negative
  /// descriptor, for the other two.
  ///
  /// - Parameters:
  ///   - events: of poll(2), POLLIN if left out.
  ///   - milliseconds: how long at most; negative: for ever.
  package func wait(
    for descriptor: Int32, events: Int32 = POLLIN, milliseconds: Int32 = -1
  ) -> Awaited {
    while true {
      let came = moment.load(ordering: .acquiring)
      if came != 0, Self.monotonicNanoseconds - came > Self.drainNanoseconds {
        return .interrupted
      }
      var waiting = (
        pollfd(fd: descriptor, events: Int16(events), revents: 0),
        pollfd(fd: came == 0 ? reader : -1, events: Int16(POLLIN), revents: 0)
      )
      let found = unsafe withUnsafeMutableBytes(of: &waiting) { bytes in
        let first = unsafe bytes.baseAddress?.assumingMemoryBound(to: pollfd.self)
        return unsafe poll(first, 2, came == 0 ? milliseconds : 0)
      }
      if waiting.0.revents != 0 { return .ready }
      if came != 0 { return .interrupted }
      // Woken by the interruption or by a signal: the time begins again, which nobody minds.
      if found == 0 { return .timeOver }
    }
  }

  /// Nanoseconds of a clock that never goes back.
  package static var monotonicNanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Timestamp {
  /// This machine's clock, in microseconds as the kernel stamps records.
  package static var now: Timestamp {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec / 1000 * 1000))
  }

  /// The time so many nanoseconds later.
  package func advanced(nanoseconds: Int64) -> Timestamp {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var (sum, carried) = (Int64(self.nanoseconds) + rest, whole)
    if sum < 0 {
      (sum, carried) = (sum + 1_000_000_000, carried - 1)
    } else if sum >= 1_000_000_000 {
      (sum, carried) = (sum - 1_000_000_000, carried + 1)
    }
    return Timestamp(seconds: seconds &+ carried, nanoseconds: UInt32(sum))
  }
}
