import Bytes
import Synchronization

/// Notices when the reader of standard output has gone, even while there is nothing to write.
final class ReaderWatch: Sendable {
  private let isGone = Atomic<Bool>(false)

  /// Whether the reader has gone.
  var hasGone: Bool { isGone.load(ordering: .relaxed) }

  /// Triggers the interruption when `descriptor` has no reader any more, since reading on from the
  /// source is then useless.
  ///
  /// - Parameter descriptor: must stay open; for a closed one, poll(2) reports an error.
  func follow(_ descriptor: Int32, _ interruption: Interruption) {
    // Not joined: the thread ends with the program.
    _ = Thread { [self] in
      // With no events requested, poll(2) reports only errors and hang-ups, which files do not
      // have.
      guard interruption.wait(for: descriptor, events: 0) == .ready else { return }
      isGone.store(true, ordering: .relaxed)
      interruption.come()
    }
  }
}
