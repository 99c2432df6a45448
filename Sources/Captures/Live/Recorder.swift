import Bluetooth
package import Bytes

/// A recorder that reads a source in a thread of its own, writes its records to a file, and passes
/// them on for printing, so that neither the source nor the file waits for a terminal.
///
///     let recorder = Recorder(of: source.summary, losing: address.isDevice, writer)
///     let thread = recorder.start(source)
///     var records = recorder.records()
///     try pass.run(&records, &report, into: &output)
///     interruption.come()
///     thread?.join()
package final class Recorder: @unchecked Sendable {
  /// The counts of records so far.
  package struct Status: Equatable, Sendable {
    /// The number of records read, and of markers.
    package var records = 0
    /// The number of records that the source reports as lost.
    package var drops: UInt64 = 0
    /// The number of records not passed on because there was no room.
    package var leftOut = 0
    /// The number of markers among the records.
    package var markers = 0
    /// The number of records written to the file, or to all files if they are rotated.
    package var written = 0
    /// The number of finished files that remain, and the files that were removed.
    package var finishedFiles = 0
    package var removed = RemovedFiles()
    /// Why the file is incomplete.
    package var writeFailure: WriteFailure?
    /// Whether the source has ended.
    package var hasEnded = false
  }

  /// A marker waiting to be passed on for printing.
  private struct LateMarker {
    let number: Int
    let time: Timestamp
    let payload: [UInt8]
  }

  private let queue: RecordQueue
  /// The maximum number of records to read from the source.
  private let most: Int
  /// Receives a write failure at once, on the reading thread, so it must return quickly.
  private let complain: @Sendable (WriteFailure) -> Void

  private let lock = Lock()
  // Everything below is accessed only while `lock` is held.
  private var writer: CaptureWriter?
  private var known: CaptureSummary
  private var current = Status()
  /// The last record's number, which counts the source's records and the markers before it.
  private var last = 0
  /// The chunk being filled.
  private var open: RecordChunk?
  /// The number of records left out since the last one passed on.
  private var leftOut: UInt64 = 0
  /// Whether the reading thread waits for room for a record that is already in the file.
  private var isAwaitingRoom = false
  /// Markers set during that wait, which belong after that record.
  private var lateMarkers: [LateMarker] = []
  private var failure: CaptureFailure?

  /// Creates a recorder for one source.
  ///
  /// - Parameters:
  ///   - summary: The properties of the source.
  ///   - losesRecords: Whether the source would lose records if it had to wait. If printing is too
  ///     slow, records are then left out and counted; otherwise the source waits.
  ///   - most: The number of records after which reading stops; nil for no limit.
  ///   - writer: The writer of all records.
  ///   - waitingBytes: The maximum number of bytes waiting to be printed.
  ///   - complain: Called once with the reason why the file is incomplete, as soon as it is known.
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

  /// The counts of records so far.
  package var status: Status {
    lock.acquire()
    defer { lock.release() }
    return current
  }

  /// The properties of the source, with remarks about reading and writing it.
  package var summary: CaptureSummary {
    lock.acquire()
    defer { lock.release() }
    var summary = known
    if current.leftOut > 0 {
      let records = current.leftOut == 1 ? "1 record" : "\(current.leftOut) records"
      summary.remarks.append(
        "\(records) came faster than they could be printed, and were left out"
          + (current.written > 0 ? " of what was printed; the file has them" : ""))
    }
    return summary
  }

  /// Returns the records for printing. Call it once.
  package func records() -> RecordedSource { RecordedSource(self, queue) }

  /// Starts reading a source in another thread; returns nil if the system has no more threads.
  package func start<Source: CaptureSource & SendableMetatype & ~Copyable>(
    _ source: consuming Source
  ) -> Thread? {
    let box = Box(source)
    return Thread { [self] in
      guard var source = box.content.take() else { return }
      read(&source)
    }
  }

  /// Reads a source to its end in the current thread.
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
        report(process(record))
      }
    } catch {
      failure = error
    }
    report(finish(source.summary, failure))
  }

  private func report(_ failure: WriteFailure?) { if let failure { complain(failure) } }

  /// Adds the user's text as a record of its own between the previous and the next record. May be
  /// called from any thread.
  package func mark(_ text: String) {
    lock.acquire()
    defer { lock.release() }
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
    // If nothing is being printed, the marker is only in the file.
    guard !isAwaitingRoom, let chunk = open ?? queue.chunkWithRoom() else {
      leaveOut()
      return
    }
    append(Self.record(of: marker), number: marker.number, drops: 0, to: chunk)
    // Passed on at once, since the next record may take long to come.
    queue.give(chunk)
    open = nil
  }

  @_lifetime(borrow marker)
  private static func record(of marker: borrowing LateMarker) -> CaptureRecord {
    CaptureRecord(
      number: 0, time: marker.time, direction: nil, adapter: .unknown,
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

  /// Processes a record of the source.
  ///
  /// - Returns: The failure to write the file, the first time only.
  private func process(_ record: borrowing CaptureRecord) -> WriteFailure? {
    lock.acquire()
    defer { lock.release() }
    current.drops.add(clamped: record.drops)
    current.records += 1
    last = record.number + current.markers
    let number = last
    var failure = write(record)
    if open == nil {
      // This may wait for room. The file is brought up to date first, and the lock is released.
      failure = failure ?? flushWriter()
      isAwaitingRoom = true
      lock.release()
      let chunk = queue.chunk()
      lock.acquire()
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

  /// Passes on and writes out what was collected, before the caller waits.
  private func flush() -> WriteFailure? {
    lock.acquire()
    defer { lock.release() }
    if let chunk = open, chunk.count > 0 {
      queue.give(chunk)
      open = nil
    }
    return flushWriter()
  }

  /// Records that the source has ended.
  private func finish(
    _ summary: CaptureSummary, _ failure: CaptureFailure?
  ) -> WriteFailure? {
    let writeFailure = flush()
    lock.acquire()
    writer?.finish()
    known = summary
    known.remarks += Self.remarks(writer)
    self.failure = failure
    current.hasEnded = true
    lock.release()
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

  /// Updates the status from the writer; returns the failure if it is new.
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

  /// Returns the failure that ended the source, once.
  fileprivate func takeFailure() -> CaptureFailure? {
    lock.acquire()
    defer { lock.release() }
    defer { failure = nil }
    return failure
  }
}

/// A container that moves a noncopyable value to another thread.
private final class Box<Content: ~Copyable>: @unchecked Sendable {
  var content: Content?

  init(_ content: consuming Content) { self.content = consume content }
}

/// The records passed on by a `Recorder`.
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

  /// The properties of the source; complete only after the end.
  package var summary: CaptureSummary { recorder.summary }

  /// Whether a record is available.
  package var isReady: Bool {
    if let chunk, position < chunk.count { return true }
    return queue.isReady
  }

  /// Waits until a record or the end is available, for at most `milliseconds`; returns false if the
  /// time is over.
  package mutating func wait(milliseconds: Int32) -> Bool {
    isReady || queue.wait(milliseconds: milliseconds)
  }

  /// Returns the next record, or nil at the end of the source.
  ///
  /// - Throws: The error that ended the source.
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
