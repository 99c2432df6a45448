import Bytes
import Glibc
import Synchronization

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
