import Glibc

/// A system thread.
package struct Thread: Sendable {
  private var handle = pthread_t()

  /// A thread's closure wrapped in an object, whose pointer the system can pass to the thread.
  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that runs `work`; returns nil if the system has no more threads.
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

  /// Waits for the thread to end. Call it once.
  package func join() { pthread_join(handle, nil) }
}

/// A mutex with a condition variable.
@safe
package final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>

  /// Creates an unlocked lock.
  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe change = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    // Timed waits use a clock that cannot be set.
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

  /// Acquires the lock, waiting until it is free.
  package func acquire() { unsafe pthread_mutex_lock(mutex) }

  /// Releases the lock.
  package func release() { unsafe pthread_mutex_unlock(mutex) }

  /// Releases the lock, waits for a change to be signalled (or a spurious wake-up), and acquires it
  /// again.
  package func awaitChange() { unsafe pthread_cond_wait(change, mutex) }

  /// Does the same with a time limit; returns false if the time is over.
  package func awaitChange(until end: Deadline) -> Bool {
    var time = end.time
    return unsafe pthread_cond_timedwait(change, mutex, &time) != ETIMEDOUT
  }

  /// A moment in the future.
  package struct Deadline: Sendable {
    fileprivate let time: timespec

    /// Creates the moment `milliseconds` from now.
    package init(milliseconds: Int32) {
      let end = MonotonicClock.nanoseconds + Int64(milliseconds) * 1_000_000
      time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    }
  }

  /// Wakes all threads that wait for a change.
  package func signalChange() { unsafe pthread_cond_broadcast(change) }
}

/// A queue of elements passed from one thread to another. Giving never waits.
///
/// Not a pipe: on a write the scheduler replaces the writer with the reader on its processor.
package final class Handoff<Element: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  // Everything below is accessed only while `lock` is held.
  private var elements: [Element] = []
  private var isEnded = false

  /// Creates an empty queue.
  package init() {}

  /// Adds an element. After the end it is dropped.
  package func give(_ element: Element) {
    lock.acquire()
    defer { lock.release() }
    if !isEnded { elements.append(element) }
    lock.signalChange()
  }

  /// Returns the next element, waiting for one; nil once no more will come.
  package func take() -> Element? {
    lock.acquire()
    defer { lock.release() }
    while elements.isEmpty, !isEnded { lock.awaitChange() }
    // Never more than a few elements, since both sides keep pace with each other.
    return elements.isEmpty ? nil : elements.removeFirst()
  }

  /// Ends the queue. Elements already given can still be taken.
  package func end() {
    lock.acquire()
    defer { lock.release() }
    isEnded = true
    lock.signalChange()
  }
}
