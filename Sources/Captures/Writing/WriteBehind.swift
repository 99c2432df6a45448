import Bytes

/// Writes what it is given in a thread of its own, in its order, while the next is made.
///
///     let behind = WriteBehind(descriptor)
///     behind?.write(&output)  // output is empty again
///     let reason = behind?.finish()
final class WriteBehind: Sendable {
  /// A buffer that goes back and forth between the threads; only one of them holds it.
  private final class Batch: @unchecked Sendable {
    var bytes = Output()
    /// Why it was not written.
    var failure: WriteFailure.Reason?
  }

  private let full = Handoff<Batch>()
  private let empty = Handoff<Batch>()
  private let thread: Thread

  /// How many buffers wait to be written, or to be filled: where one takes longer, the other does not stop.
  private static let waiting = 2

  /// One that writes to `descriptor`; nil where the system has no more threads.
  init?(_ descriptor: Int32) {
    let (full, empty) = (full, empty)
    let thread = Thread {
      var failure: WriteFailure.Reason?
      while let batch = full.take() {
        if failure == nil { failure = Self.write(batch.bytes, to: descriptor) }
        batch.failure = failure
        batch.bytes.clear()
        empty.give(batch)
      }
      empty.end()
    }
    guard let thread else { return nil }
    self.thread = thread
    for _ in 0..<Self.waiting { empty.give(Batch()) }
  }

  deinit { full.end() }

  private static func write(
    _ output: borrowing Output, to descriptor: Int32
  ) -> WriteFailure.Reason? {
    switch Descriptor.write(output.bytes, to: descriptor, nil).ending {
    case .complete: nil
    case .failed(let error): .system(error)
    case .givenUp: .nobodyReads
    }
  }

  /// Takes what `output` holds, and leaves it empty. Waits where too much is to be written.
  ///
  /// - Returns: why something before it could not be written.
  func write(_ output: inout Output) -> WriteFailure.Reason? {
    guard let batch = empty.take() else { return nil }
    let failure = batch.failure
    swap(&batch.bytes, &output)
    full.give(batch)
    return failure
  }

  /// Waits until everything is written; once.
  ///
  /// - Returns: why something could not be written.
  func finish() -> WriteFailure.Reason? {
    full.end()
    thread.join()
    var failure: WriteFailure.Reason?
    while let batch = empty.take() { failure = failure ?? batch.failure }
    return failure
  }
}
