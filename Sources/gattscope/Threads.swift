import Bytes
import Glibc
import Synchronization

/// A thread of the system's.
struct Thread {
  private var handle = pthread_t()

  /// What a thread does, as an object, which is what the system can hand on.
  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Begins to do `work`; nil where the system has no more threads.
  init?(_ work: @escaping @Sendable () -> Void) {
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
  func join() { pthread_join(handle, nil) }
}

/// What one thread hands to another, one element after the other. Nobody waits to give.
///
/// Not a pipe: who writes to one is taken off its processor in favour of who reads.
@safe
final class Handoff<Element: Sendable>: @unchecked Sendable {
  // Everything below is touched only by who holds `lock`.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let arrival: UnsafeMutablePointer<pthread_cond_t>
  private var elements: [Element] = []
  private var isEnded = false

  init() {
    unsafe lock = .allocate(capacity: 1)
    unsafe arrival = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(arrival, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe pthread_cond_destroy(arrival)
    unsafe lock.deallocate()
    unsafe arrival.deallocate()
  }

  /// Hands on an element; after the end it is dropped.
  func give(_ element: Element) {
    unsafe pthread_mutex_lock(lock)
    if !isEnded { elements.append(element) }
    unsafe pthread_cond_signal(arrival)
    unsafe pthread_mutex_unlock(lock)
  }

  /// The next element, which is waited for; nil where none will come any more.
  func take() -> Element? {
    unsafe pthread_mutex_lock(lock)
    while elements.isEmpty, !isEnded { unsafe pthread_cond_wait(arrival, lock) }
    // Never more than a few: members keep pace with each other.
    let element = elements.isEmpty ? nil : elements.removeFirst()
    unsafe pthread_mutex_unlock(lock)
    return element
  }

  /// Nothing is given any more; what was given can still be taken.
  func end() {
    unsafe pthread_mutex_lock(lock)
    isEnded = true
    unsafe pthread_cond_broadcast(arrival)
    unsafe pthread_mutex_unlock(lock)
  }
}

/// Several threads that write to one descriptor in turns: the turn goes from member to member, and back
/// from the last to the first.
final class Ring: Sendable {
  private let descriptor: Int32
  /// Where each member waits for its turn.
  private let turns: [Handoff<Void>]
  private let failed = Mutex<Int32?>(nil)

  /// A ring of `count` members who write to `descriptor`.
  init(of count: Int, to descriptor: Int32) {
    self.descriptor = descriptor
    turns = (0..<count).map { _ in Handoff() }
  }

  /// The error of the first write that failed.
  var failure: Int32? { failed.withLock { $0 } }

  /// Has every member do its work, the first one in this thread, and waits for all.
  ///
  /// - Returns: false where the system has no more threads: then nothing was done.
  func run(_ work: @escaping @Sendable (Int) -> Void) -> Bool {
    // Where the members wait until all of them are there.
    let start = Handoff<Void>()
    let threads = turns.indices.dropFirst().compactMap { member in
      Thread { [self] in
        guard start.take() != nil else { return }
        work(member)
        leave(member)
      }
    }
    let isComplete = threads.count == turns.count - 1
    if isComplete {
      for _ in threads { start.give(()) }
      turns.first?.give(())
      work(0)
      leave(0)
    }
    start.end()
    for thread in threads { thread.join() }
    return isComplete
  }

  /// Writes what `output` holds as soon as it is this member's turn, and lets the next go on. Where a
  /// turn before could not be written, nothing is written any more.
  func write(_ output: inout Output, member: Int) {
    // Where the turn will not come any more, the member before has written all of its own.
    _ = turns[member].take()
    if let failure { output.fail(failure) }
    output.flush(to: descriptor)
    if let error = output.failure { failed.withLock { $0 = $0 ?? error } }
    turns[(member + 1) % turns.count].give(())
  }

  /// Lets the next member go on without this one from now on.
  private func leave(_ member: Int) { turns[(member + 1) % turns.count].end() }
}
