import Bytes

/// A thread that writes buffers in order while the caller fills the next one.
///
///     let behind = WriteBehind(descriptor)
///     behind?.write(&output)  // output is empty again
///     let reason = behind?.finish()
final class WriteBehind: Sendable {
  /// A buffer passed back and forth between the threads; only one of them holds it at a time.
  private final class Batch: @unchecked Sendable {
    var bytes = Output()
    /// Why it was not written.
    var failure: WriteFailure.Reason?
  }

  private let full = Handoff<Batch>()
  private let empty = Handoff<Batch>()
  private let thread: Thread

  /// The number of buffers in circulation, so that neither thread stops when the other takes
  /// longer.
  private static let waiting = 2

  /// Starts a thread that writes to `descriptor`; returns nil if the system has no more threads.
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

  /// Passes on the contents of `output` and leaves it empty. Waits if too much is still to be
  /// written.
  ///
  /// - Returns: Why earlier bytes could not be written.
  func write(_ output: inout Output) -> WriteFailure.Reason? {
    guard let batch = empty.take() else { return nil }
    let failure = batch.failure
    swap(&batch.bytes, &output)
    full.give(batch)
    return failure
  }

  /// Waits until everything is written. Call it once.
  ///
  /// - Returns: Why some bytes could not be written.
  func finish() -> WriteFailure.Reason? {
    full.end()
    thread.join()
    var failure: WriteFailure.Reason?
    while let batch = empty.take() { failure = failure ?? batch.failure }
    return failure
  }
}
