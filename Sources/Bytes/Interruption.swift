import Glibc
import Synchronization

/// A request to end live sources, caused by Ctrl-C, a time limit or a packet count.
///
/// Sources wait through it, so that it wakes them when it comes. Data that has arrived by then is
/// still read, for at most `drainSeconds`. Until then writers wait for slow readers indefinitely;
/// afterwards only while the reader accepts bytes (`Descriptor.write`).
@safe
package final class Interruption: Sendable {
  /// The interruption that signals trigger.
  package static let process = Interruption()

  /// How long sources are still read after the interruption, at most.
  package static let drainSeconds: Int64 = 10
  /// How often blocking system calls are interrupted after it has come, in milliseconds.
  static let wakeMilliseconds: Int32 = 100

  /// How long, after the interruption, a writer waits for a reader that accepts nothing.
  let patienceSeconds: Int64

  /// The read end of a pipe that becomes readable when the interruption comes.
  private let reader: Int32
  private let writer: Int32
  /// When the interruption came, in nanoseconds of the monotonic clock; 0 before.
  private let moment = Atomic<Int64>(0)
  /// The number of bytes that sources left unread.
  private let left = Atomic<Int>(0)
  /// The threads in a system call that the interruption should end.
  private let waiting = Mutex<[pthread_t]>([])

  /// Creates an interruption that has not come. If no file descriptors are left, it wakes no one.
  package init(patienceSeconds: Int64 = Descriptor.patienceSeconds) {
    self.patienceSeconds = patienceSeconds
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    // If standard input is closed, the pipe must not take over its number.
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

  /// Triggers the interruption. It may be called repeatedly, and from a signal handler provided
  /// that the object already exists.
  package func come() {
    let now = max(1, MonotonicClock.nanoseconds)
    guard moment.compareExchange(expected: 0, desired: now, ordering: .releasing).exchanged else {
      return
    }
    let error = errno
    var byte: UInt8 = 0
    _ = unsafe write(writer, &byte, 1)
    errno = error
  }

  package var hasCome: Bool { moment.load(ordering: .acquiring) != 0 }

  /// Whether it came so long ago that no more data should be read.
  package var isDrainOver: Bool {
    let came = moment.load(ordering: .acquiring)
    return came != 0 && MonotonicClock.nanoseconds - came > Self.drainSeconds * 1_000_000_000
  }

  /// Records how much a source still had to read if reading stopped because time ran out.
  package func leaveUnread(_ descriptor: Int32) {
    guard isDrainOver, let count = Descriptor.readableByteCount(descriptor) else { return }
    left.add(count, ordering: .relaxed)
  }

  /// A note that sources were not read up to the moment of the interruption; nil if they were.
  package var remark: String? {
    let unread = left.load(ordering: .relaxed)
    guard unread > 0 else { return nil }
    return "reading stopped \(Self.drainSeconds) s after the stop request; "
      + "at least \(unread) \(unread == 1 ? "byte was" : "bytes were") left unread"
  }

  /// Starts a thread that, once the interruption comes, keeps interrupting the calls inside
  /// `waking` until the program ends: a call that is just about to wait would miss a single signal.
  /// Call it once.
  package func wakeFromNowOn() {
    // A signal not otherwise used here (urgent data on sockets), which is ignored by default.
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    unsafe sigaction(SIGURG, &action, nil)
    _ = Thread { [self] in
      while !hasCome { _ = wait(for: -1) }
      while true {
        waiting.withLock { for thread in $0 { pthread_kill(thread, SIGURG) } }
        _ = poll(nil, 0, Self.wakeMilliseconds)
      }
    }
  }

  /// Runs `work`, which may block in a system call. After the interruption, if `wakeFromNowOn` was
  /// called, the blocking call keeps failing with EINTR.
  func waking<Result>(_ work: () -> Result) -> Result {
    let thread = pthread_self()
    waiting.withLock { $0.append(thread) }
    defer {
      waiting.withLock { threads in
        if let place = threads.lastIndex(of: thread) { threads.remove(at: place) }
      }
    }
    return work()
  }

  /// How a wait ended.
  package enum Awaited: Sendable {
    /// The descriptor can be read or written, is at its end, or has an error.
    case ready
    /// The interruption came, and nothing is left to read.
    case interrupted
    /// The time limit passed first.
    case timeOver
  }

  /// Waits until the descriptor is ready, the interruption comes or the time is over. With a
  /// negative descriptor, waits only for the latter two.
  ///
  /// - Parameters:
  ///   - events: The poll(2) events to wait for.
  ///   - milliseconds: The time limit; negative means none.
  package func wait(
    for descriptor: Int32, events: Int32 = POLLIN, milliseconds: Int32 = -1
  ) -> Awaited {
    while true {
      let came = moment.load(ordering: .acquiring)
      if isDrainOver { return .interrupted }
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
      // Woken by the interruption or by a signal. The time limit starts again, which does no harm.
      if found == 0 { return .timeOver }
    }
  }
}
