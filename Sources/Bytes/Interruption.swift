import Glibc
import Synchronization

/// The end that is put to live sources from outside: Ctrl-C, a time that is over, a count that is
/// reached.
///
/// Sources wait through it, so that its coming wakes them. What has arrived by then is still read, but
/// not for longer than `drainSeconds`. Who writes is patient with slow readers until then; from then on
/// only as long as they take something (`Descriptor.write`).
@safe
package final class Interruption: Sendable {
  /// What signals interrupt.
  package static let process = Interruption()

  /// How long sources are still read after it came, at most.
  package static let drainSeconds: Int64 = 10
  /// How often calls of the system that wait are ended once it came, in milliseconds.
  static let wakeMilliseconds: Int32 = 100

  /// How long a writer waits, once it came, for a reader who takes nothing.
  let patienceSeconds: Int64

  /// A pipe whose reading end can be read once it came.
  private let reader: Int32
  private let writer: Int32
  /// When it came (nanoseconds of the monotonic clock); 0 before.
  private let moment = Atomic<Int64>(0)
  /// What sources left unread, in bytes.
  private let left = Atomic<Int>(0)
  /// The threads that are in a call of the system's which the interruption is to end.
  private let waiting = Mutex<[pthread_t]>([])

  /// One that has not come. Where the system has no descriptors left, it wakes nobody.
  package init(patienceSeconds: Int64 = Descriptor.patienceSeconds) {
    self.patienceSeconds = patienceSeconds
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
    let now = max(1, MonotonicClock.nanoseconds)
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

  /// Whether it came so long ago that nothing is to be read any more.
  package var isDrainOver: Bool {
    let came = moment.load(ordering: .acquiring)
    return came != 0 && MonotonicClock.nanoseconds - came > Self.drainSeconds * 1_000_000_000
  }

  /// Notes what a source that is read no more still had, where that is for want of time.
  package func leaveUnread(_ descriptor: Int32) {
    guard isDrainOver, let count = Descriptor.readableByteCount(descriptor) else { return }
    left.add(count, ordering: .relaxed)
  }

  /// That sources were not read to where they stood when it came; nil where they were.
  package var remark: String? {
    let unread = left.load(ordering: .relaxed)
    guard unread > 0 else { return nil }
    return "reading was given up \(Self.drainSeconds) s after the end was asked for; "
      + "at least \(unread) \(unread == 1 ? "byte was" : "bytes were") left unread"
  }

  /// Ends what `waking` waits for, again and again once the interruption came, until the program ends:
  /// a call that is about to wait would miss a single signal. To be called once.
  package func wakeFromNowOn() {
    // A signal of no other use here (sockets' urgent data) that by itself does nothing.
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

  /// Does something that may wait in the system for ever; once the interruption came (and where
  /// `wakeFromNowOn` was called) that wait ends with EINTR, again and again.
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
      // Woken by the interruption or by a signal: the time begins again, which nobody minds.
      if found == 0 { return .timeOver }
    }
  }
}
