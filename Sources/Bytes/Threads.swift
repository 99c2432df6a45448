import Glibc

/// A thread of the system's.
package struct Thread: Sendable {
  private var handle = pthread_t()

  /// What a thread does, as an object, which is what the system can hand on.
  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Begins to do `work`; nil where the system has no more threads.
  package init?(_ work: @escaping @Sendable () -> Void) {
    let object = unsafe Unmanaged.passRetained(Work(work))
    let error = unsafe pthread_create(
      &handle, nil,
      { pointer in
        if let pointer = unsafe pointer {
          unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run()
        }
        return nil
      }, object.toOpaque())
    guard error == 0 else {
      unsafe object.release()
      return nil
    }
  }

  /// Waits for the end of the work; once.
  package func join() { pthread_join(handle, nil) }
}

/// A lock, and a change that can be waited for while it is held.
@safe
package final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>

  /// One that nobody holds.
  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe change = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    // Times to wait are of a clock that nobody sets.
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(change, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(change)
    unsafe mutex.deallocate()
    unsafe change.deallocate()
  }

  /// Waits until nobody holds it, and holds it.
  package func take() { unsafe pthread_mutex_lock(mutex) }

  /// Lets it go.
  package func letGo() { unsafe pthread_mutex_unlock(mutex) }

  /// Lets it go until somebody tells a change, or perhaps for no reason, and holds it again.
  package func awaitChange() { unsafe pthread_cond_wait(change, mutex) }

  /// The same, for so long at most; false where the time is over.
  package func awaitChange(until end: Deadline) -> Bool {
    var time = end.time
    return unsafe pthread_cond_timedwait(change, mutex, &time) != ETIMEDOUT
  }

  /// A moment to come.
  package struct Deadline: Sendable {
    fileprivate let time: timespec

    /// The moment in so many milliseconds.
    package init(milliseconds: Int32) {
      let end = MonotonicClock.nanoseconds + Int64(milliseconds) * 1_000_000
      time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    }
  }

  /// Wakes all who wait for a change.
  package func tellChange() { unsafe pthread_cond_broadcast(change) }
}

/// What one thread hands to another, one element after the other. Nobody waits to give.
///
/// Not a pipe: who writes to one is taken off its processor in favour of who reads.
package final class Handoff<Element: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  // Everything below is touched only by who holds `lock`.
  private var elements: [Element] = []
  private var isEnded = false

  /// One with nothing in it.
  package init() {}

  /// Hands on an element; after the end it is dropped.
  package func give(_ element: Element) {
    lock.take()
    defer { lock.letGo() }
    if !isEnded { elements.append(element) }
    lock.tellChange()
  }

  /// The next element, which is waited for; nil where none will come any more.
  package func take() -> Element? {
    lock.take()
    defer { lock.letGo() }
    while elements.isEmpty, !isEnded { lock.awaitChange() }
    // Never more than a few: members keep pace with each other.
    return elements.isEmpty ? nil : elements.removeFirst()
  }

  /// Nothing is given any more; what was given can still be taken.
  package func end() {
    lock.take()
    defer { lock.letGo() }
    isEnded = true
    lock.tellChange()
  }
}
