import Bytes
import Glibc
import Synchronization

/// Threads that take turns writing to one descriptor. The turn passes from member to member, and
/// from the last back to the first.
final class Ring: Sendable {
  private let descriptor: Int32
  /// The queues on which each member waits for its turn.
  private let turns: [Handoff<Void>]
  private let failed = Mutex<Int32?>(nil)

  /// Creates a ring of `count` members that write to `descriptor`.
  init(of count: Int, to descriptor: Int32) {
    self.descriptor = descriptor
    turns = (0..<count).map { _ in Handoff() }
  }

  /// The error of the first write that failed.
  var failure: Int32? { failed.withLock { $0 } }

  /// Runs `work` for every member, the first one in this thread, and waits for all of them.
  ///
  /// - Returns: false if the system has no more threads; in that case nothing was done.
  func run(_ work: @escaping @Sendable (Int) -> Void) -> Bool {
    // The members wait here until all of them have started.
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

  /// Writes what `output` holds when it is this member's turn, and passes the turn on. If an
  /// earlier turn failed, nothing is written.
  func write(_ output: inout Output, member: Int) {
    // If the turn does not come any more, the previous member has written all of its output.
    _ = turns[member].take()
    if let failure { output.fail(failure) }
    output.flush(to: descriptor)
    if let error = output.failure { failed.withLock { $0 = $0 ?? error } }
    turns[(member + 1) % turns.count].give(())
  }

  /// Lets the next member continue without this one from now on.
  private func leave(_ member: Int) { turns[(member + 1) % turns.count].end() }
}
