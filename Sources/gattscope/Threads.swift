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

/// Pipes within the program, one a thread: what is written to one end is read from the other.
struct Pipes {
  /// The ends that are read from.
  let outlets: [Int32]
  /// The ends that are written to.
  let inlets: [Int32]

  /// Nil where the system has no more pipes.
  init?(_ count: Int) {
    var (outlets, inlets): ([Int32], [Int32]) = ([], [])
    for _ in 0..<count {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { break }
      outlets.append(ends[0])
      inlets.append(ends[1])
    }
    (self.outlets, self.inlets) = (outlets, inlets)
    guard outlets.count == count else {
      closeOutlets()
      closeInlets()
      return nil
    }
  }

  /// How many bytes each of them takes, for certain, while nobody reads.
  var capacity: Int {
    // A page that was begun to be read is not filled again.
    inlets.map { Int(fcntl($0, Self.getSize)) / 2 }.min() ?? .max
  }

  /// F_GETPIPE_SZ, which Swift's Glibc module does not have.
  private static let getSize: Int32 = 1032

  /// Nothing is read any more.
  func closeOutlets() { outlets.forEach { close($0) } }

  /// Nothing is written any more.
  func closeInlets() { inlets.forEach { close($0) } }
}

/// A pipe through which bytes are handed on that mean nothing but "go on".
private struct Signal {
  private let (wait, call): (Int32, Int32)

  init(_ pipes: Pipes, _ index: Int) {
    (wait, call) = (pipes.outlets[index], pipes.inlets[index])
  }

  /// Lets whoever waits go on, once.
  func give() {
    var byte: UInt8 = 0
    while unsafe write(call, &byte, 1) < 0, errno == EINTR {}
  }

  /// Waits until it is given; false where it never will be any more.
  @discardableResult
  func take() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(wait, &byte, 1)
      if count >= 0 || errno != EINTR { return count == 1 }
    }
  }

  /// Whoever waits from now on goes on when what was given is taken.
  func end() { close(call) }
}

/// Several threads that write to one descriptor in turns: the turn goes from member to member, and back
/// from the last to the first.
final class Ring: Sendable {
  private let descriptor: Int32
  private let pipes: Pipes
  /// Where each member waits for its turn.
  private let turns: [Signal]
  /// Where the members wait until all of them are there.
  private let start: Signal
  private let failed = Mutex<Int32?>(nil)

  /// A ring of `count` members who write to `descriptor`; nil where the system has no more pipes.
  init?(of count: Int, to descriptor: Int32) {
    guard let pipes = Pipes(count + 1) else { return nil }
    self.descriptor = descriptor
    self.pipes = pipes
    turns = (0..<count).map { Signal(pipes, $0) }
    start = Signal(pipes, count)
  }

  deinit { pipes.closeOutlets() }

  /// The error of the first write that failed.
  var failure: Int32? { failed.withLock { $0 } }

  /// Has every member do its work, the first one in this thread, and waits for all.
  ///
  /// - Returns: false where the system has no more threads: then nothing was done.
  func run(_ work: @escaping @Sendable (Int) -> Void) -> Bool {
    var threads: [Thread] = []
    for member in turns.indices.dropFirst() {
      let thread = Thread { [self] in
        guard start.take() else { return }
        work(member)
        leave(member)
      }
      if let thread { threads.append(thread) }
    }
    let isComplete = threads.count == turns.count - 1
    if isComplete {
      for _ in threads { start.give() }
      turns.first?.give()
      work(0)
      leave(0)
    } else {
      turns.forEach { $0.end() }
    }
    start.end()
    for thread in threads { thread.join() }
    return isComplete
  }

  /// Writes what `output` holds as soon as it is this member's turn, and lets the next go on. Where a
  /// turn before could not be written, nothing is written any more.
  func write(_ output: inout Output, member: Int) {
    // Where the turn will not come any more, the member before has written all of its own.
    turns[member].take()
    if let failure { output.fail(failure) }
    output.flush(to: descriptor)
    if let error = output.failure { failed.withLock { $0 = $0 ?? error } }
    turns[(member + 1) % turns.count].give()
  }

  /// Lets the next member go on without this one from now on.
  private func leave(_ member: Int) { turns[(member + 1) % turns.count].end() }
}
