import Bluetooth
package import Bytes

/// Reads a source in a thread of its own, writes what it gives to a file, and hands it on to whoever
/// prints it: neither the source nor the file waits for a terminal.
///
///     let recorder = Recorder(of: source.summary, losing: address.isDevice, writer)
///     let thread = recorder.start(source)
///     var records = recorder.records()
///     try pass.run(&records, &report, into: &output)
///     interruption.come()
///     thread?.join()
package final class Recorder: @unchecked Sendable {
  /// What has become of the records so far.
  package struct Status: Equatable, Sendable {
    /// Records that were read, and markers.
    package var records = 0
    /// Records that the source says it lost.
    package var drops: UInt64 = 0
    /// Records that were not handed on, for want of room.
    package var leftOut = 0
    /// Markers among the records.
    package var markers = 0
    /// Records that were written to the file, or to all files where they are rotated.
    package var written = 0
    /// Files before it that are left, and what of them was removed.
    package var finishedFiles = 0
    package var removed = RemovedFiles()
    /// Why the file is not complete.
    package var writeFailure: WriteFailure?
    /// Whether the source has ended.
    package var hasEnded = false
  }

  /// A marker on its way to whoever prints it.
  private struct LateMarker {
    let number: Int
    let time: Timestamp
    let payload: [UInt8]
  }

  private let queue: RecordQueue
  /// The most records of the source that are taken.
  private let most: Int
  /// Told at once what went wrong with the file, from the reading thread, which must not be stopped there.
  private let complain: @Sendable (WriteFailure) -> Void

  private let lock = Lock()
  // Everything below is touched only by who holds `lock`.
  private var writer: CaptureWriter?
  private var known: CaptureSummary
  private var current = Status()
  /// The last record's number: the source's, and the markers before it.
  private var last = 0
  /// The chunk that is being filled.
  private var open: RecordChunk?
  /// Records that were left out since the last one that was handed on.
  private var leftOut: UInt64 = 0
  /// Whether the reading thread waits for room for a record that is in the file already.
  private var isAwaitingRoom = false
  /// Markers that were set meanwhile: they stand behind that record.
  private var lateMarkers: [LateMarker] = []
  private var failure: CaptureFailure?

  /// A recorder for one source.
  ///
  /// - Parameters:
  ///   - summary: what is known of the source.
  ///   - losesRecords: what to do where the printing is too slow: leave records out and count them, since
  ///     the source would lose them; else have the source wait.
  ///   - most: after so many records the source is left; nil: never.
  ///   - writer: where everything is written to.
  ///   - waitingBytes: how much may wait to be printed.
  ///   - complain: is told once why the file is not complete, as soon as that is known.
  package init(
    of summary: CaptureSummary, losing losesRecords: Bool, most: Int? = nil,
    _ writer: consuming CaptureWriter? = nil,
    waitingBytes: Int = LiveLimits.waitingBytes,
    complain: @escaping @Sendable (WriteFailure) -> Void = { _ in }
  ) {
    known = summary
    self.most = most ?? .max
    queue = RecordQueue(most: waitingBytes, leavesOut: losesRecords)
    self.writer = consume writer
    self.complain = complain
  }

  /// What has become of the records so far.
  package var status: Status {
    lock.take()
    defer { lock.letGo() }
    return current
  }

  /// What is known of the source, and what is to be said about reading and writing it.
  package var summary: CaptureSummary {
    lock.take()
    defer { lock.letGo() }
    var summary = known
    if current.leftOut > 0 {
      let records = current.leftOut == 1 ? "1 record" : "\(current.leftOut) records"
      summary.remarks.append(
        "\(records) came faster than they could be printed, and were left out"
          + (current.written > 0 ? " of what was printed; the file has them" : ""))
    }
    return summary
  }

  /// The records as they are handed on; to be called once.
  package func records() -> RecordedSource { RecordedSource(self, queue) }

  /// Begins to read a source in another thread; nil where the system has no more threads.
  package func start<Source: CaptureSource & SendableMetatype & ~Copyable>(
    _ source: consuming Source
  ) -> Thread? {
    let box = Box(source)
    return Thread { [self] in
      guard var source = box.content.take() else { return }
      read(&source)
    }
  }

  /// Reads a source to its end, in this thread.
  package func read<Source: CaptureSource & ~Copyable>(_ source: inout Source) {
    report(flush())
    var failure: CaptureFailure?
    var read = 0
    do throws(CaptureFailure) {
      while true {
        if !source.isReady { report(flush()) }
        if read == most { break }
        guard let record = try source.next() else { break }
        read += 1
        report(take(record))
      }
    } catch {
      failure = error
    }
    report(finish(source.summary, failure))
  }

  private func report(_ failure: WriteFailure?) { if let failure { complain(failure) } }

  /// Adds what the user has to say, as a record of its own, between what came before and what comes
  /// after. May be called from any thread.
  package func mark(_ text: String) {
    lock.take()
    defer { lock.letGo() }
    guard !current.hasEnded else { return }
    current.records += 1
    current.markers += 1
    last += 1
    let marker = LateMarker(number: last, time: .now, payload: Marker.payload(text))
    write(Self.record(of: marker))
    if isAwaitingRoom, lateMarkers.count < LiveLimits.lateMarkers {
      lateMarkers.append(marker)
      return
    }
    // Where nobody prints, it is in the file alone.
    guard !isAwaitingRoom, let chunk = open ?? queue.chunkWithRoom() else {
      leaveOut()
      return
    }
    append(Self.record(of: marker), number: marker.number, drops: 0, to: chunk)
    // At once: nobody knows when the next record comes.
    queue.give(chunk)
    open = nil
  }

  @_lifetime(borrow marker)
  private static func record(of marker: borrowing LateMarker) -> CaptureRecord {
    CaptureRecord(
      number: 0, time: marker.time, direction: nil, adapter: nil,
      framing: .monitor(opcode: MonitorOpcode.userLog.rawValue),
      originalLength: marker.payload.count, drops: 0, fileOffset: 0, bytes: marker.payload.bytes)
  }

  private func leaveOut() {
    leftOut += 1
    current.leftOut += 1
  }

  private func append(
    _ record: borrowing CaptureRecord, number: Int, drops: UInt64, to chunk: RecordChunk
  ) {
    chunk.append(record, number: number, drops: drops.adding(clamped: leftOut))
    leftOut = 0
  }

  /// Takes a record of the source's.
  ///
  /// - Returns: what has gone wrong with the file, the first time.
  private func take(_ record: borrowing CaptureRecord) -> WriteFailure? {
    lock.take()
    defer { lock.letGo() }
    current.drops.add(clamped: record.drops)
    current.records += 1
    last = record.number + current.markers
    let number = last
    var failure = write(record)
    if open == nil {
      // Room may have to be waited for: the file is complete meanwhile, and nobody else waits.
      failure = failure ?? flushWriter()
      isAwaitingRoom = true
      lock.letGo()
      let chunk = queue.chunk()
      lock.take()
      isAwaitingRoom = false
      open = chunk
    }
    let late = lateMarkers
    lateMarkers = []
    guard let chunk = open else {
      for _ in 0...late.count { leaveOut() }
      return failure
    }
    append(record, number: number, drops: record.drops, to: chunk)
    for marker in late {
      append(Self.record(of: marker), number: marker.number, drops: 0, to: chunk)
    }
    if chunk.isFull {
      queue.give(chunk)
      open = nil
    }
    return failure
  }

  /// Hands on what was collected and writes it out: for whoever is about to wait.
  private func flush() -> WriteFailure? {
    lock.take()
    defer { lock.letGo() }
    if let chunk = open, chunk.count > 0 {
      queue.give(chunk)
      open = nil
    }
    return flushWriter()
  }

  /// The source has ended.
  private func finish(
    _ summary: CaptureSummary, _ failure: CaptureFailure?
  ) -> WriteFailure? {
    let writeFailure = flush()
    lock.take()
    writer?.finish()
    known = summary
    known.remarks += Self.remarks(writer)
    self.failure = failure
    current.hasEnded = true
    lock.letGo()
    queue.end()
    return writeFailure
  }

  private static func remarks(_ writer: borrowing CaptureWriter?) -> [String] {
    switch writer {
    case .some(let writer): writer.remarks.map { "\(writer.name): \($0)" }
    case nil: []
    }
  }

  @discardableResult
  private func write(_ record: borrowing CaptureRecord) -> WriteFailure? {
    writer?.write(record)
    return learn()
  }

  private func flushWriter() -> WriteFailure? {
    writer?.flush()
    return learn()
  }

  /// Takes over what is known of the file; gives the failure where it is new.
  private func learn() -> WriteFailure? {
    switch writer {
    case .some(let writer):
      current.written = writer.recordsWritten
      current.finishedFiles = writer.finishedFiles
      current.removed = writer.removed
      guard current.writeFailure == nil, let failure = writer.failure else { return nil }
      current.writeFailure = failure
      return failure
    case nil: return nil
    }
  }

  /// What ended the source, once.
  fileprivate func takeFailure() -> CaptureFailure? {
    lock.take()
    defer { lock.letGo() }
    defer { failure = nil }
    return failure
  }
}

/// A value that is handed to another thread.
private final class Box<Content: ~Copyable>: @unchecked Sendable {
  var content: Content?

  init(_ content: consuming Content) { self.content = consume content }
}

/// The records that a `Recorder` hands on.
package struct RecordedSource: CaptureSource, ~Copyable {
  private let recorder: Recorder
  private let queue: RecordQueue
  private var chunk: RecordChunk?
  private var position = 0

  fileprivate init(_ recorder: Recorder, _ queue: RecordQueue) {
    self.recorder = recorder
    self.queue = queue
  }

  deinit { queue.abandon() }

  /// What is known of the source; after the end, everything.
  package var summary: CaptureSummary { recorder.summary }

  /// Whether a record is there.
  package var isReady: Bool {
    if let chunk, position < chunk.count { return true }
    return queue.isReady
  }

  /// Waits until a record or the end is there, for so long at most; false where the time is over.
  package mutating func wait(milliseconds: Int32) -> Bool {
    isReady || queue.wait(milliseconds: milliseconds)
  }

  /// The next record, or nil at the end of the source.
  ///
  /// - Throws: what the source threw.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    if let chunk, position >= chunk.count {
      queue.giveBack(chunk)
      self.chunk = nil
    }
    if chunk == nil {
      chunk = queue.take()
      position = 0
    }
    guard let chunk else {
      if let failure = recorder.takeFailure() { throw failure }
      return nil
    }
    let start = position
    position = chunk.next(after: start)
    let record = chunk.record(at: start)
    return unsafe _overrideLifetime(record, mutating: &self)
  }
}
