import Bytes
import Synchronization

/// Notices that whoever reads standard output has gone, also while there is nothing to write.
final class ReaderWatch: Sendable {
  private let isGone = Atomic<Bool>(false)

  /// Whether the reader has gone.
  var hasGone: Bool { isGone.load(ordering: .relaxed) }

  /// Has the interruption come when nobody reads `descriptor` any more: what is read of the source then
  /// helps nobody.
  ///
  /// - Parameter descriptor: stays open: of a closed one, poll(2) reports an error.
  func follow(_ descriptor: Int32, _ interruption: Interruption) {
    // Nobody waits for its end: the program's is enough.
    _ = Thread { [self] in
      // Without any event, poll(2) reports only errors and hang-ups: files have none.
      guard interruption.wait(for: descriptor, events: 0) == .ready else { return }
      isGone.store(true, ordering: .relaxed)
      interruption.come()
    }
  }
}
