package import Bytes
import Glibc

/// Writes records to a file, which is a complete capture at every moment: `live -w` and `convert`.
///
/// Records are collected until `flush`, or until there are many, and written together, whole ones only.
/// What goes wrong is no reason to stop watching: it is kept in `failure`, and what follows is counted
/// and dropped.
///
///     var writer = try CaptureWriter(path: "air.btsnoop", WriterFormat(.btsnoop, .monitor))
///     while let record = try source.next() { writer.write(record) }
///     writer.finish()
package struct CaptureWriter: ~Copyable {
  /// The name of the file, as it was given.
  package let path: String
  /// The same as sentences call it.
  package var name: String { WriteFailure.subject(path) }
  /// Why writing ended early: the first error.
  package private(set) var failure: WriteFailure?
  /// Records in the file, or in all files where they are rotated.
  package private(set) var recordsWritten = 0
  /// Files that rotation has finished and kept.
  package var finishedFiles: Int { finished?.count ?? 0 }
  /// What rotation has removed of them.
  package var removed: RemovedFiles { finished?.removed ?? RemovedFiles() }
  /// Records that were in the files before this one.
  private var recordsBefore = 0
  /// Records that the failure cost.
  package private(set) var recordsLost = 0

  /// Records that the format has no room for.
  package private(set) var recordsLeftOut = 0

  private var file: RecordFile?
  private var encoder: RecordEncoder
  private let rotation: Rotation?
  private var finished: FinishedFiles?
  /// What is to be written, and how many records that are.
  private var batch = Output()
  private var batchRecords = 0
  /// Whether the batch begins with a header, which is no record.
  private var hasHeader = false
  /// Whether the file holds a record.
  private var holdsRecords = false

  /// What writes while the next records are collected, once there are many.
  private var behind: WriteBehind?
  private let writesBehind: Bool

  /// So much is collected before it is written.
  private static let batchBytes = 1 << 16
  /// The same where another thread writes it: threads wake each other less often.
  private static let batchBytesBehind = 1 << 18

  /// Opens a file anew; `-` is standard output, which is never rotated.
  ///
  /// - Parameters:
  ///   - decimals: of the capture's clock; 9 for nanoseconds, where the format can hold them.
  ///   - rotation: when a new file is begun.
  ///   - interruption: after which nobody is waited for who does not read what is written.
  /// - Throws: where the file cannot be opened. What goes wrong later is in `failure`.
  package init(
    path: String, _ format: WriterFormat, decimals: Int = 6, rotation: Rotation? = nil,
    _ interruption: Interruption? = nil
  ) throws(WriteFailure) {
    try self.init(
      path, RecordFile(path: path, interruption), format, decimals: decimals,
      rotation: path == "-" ? nil : rotation)
  }

  /// Writes to an open descriptor, and closes it at the end where it is `owned`.
  ///
  /// - Parameter behind: a second thread writes: for a file that nobody reads until it is finished, since
  ///   `failure` and `recordsWritten` are late then, until `finish`.
  package init(
    descriptor: Int32, owned: Bool, name: String, _ format: WriterFormat, decimals: Int = 6,
    behind: Bool = false
  ) {
    self.init(
      name, RecordFile(descriptor: descriptor, owned: owned), format, decimals: decimals,
      rotation: nil, behind: behind)
  }

  private init(
    _ path: String, _ file: consuming RecordFile, _ format: WriterFormat, decimals: Int,
    rotation: Rotation?, behind: Bool = false
  ) {
    self.path = path
    writesBehind = behind
    self.file = consume file
    self.rotation = rotation
    finished = rotation.map { FinishedFiles(path, $0) }
    encoder = RecordEncoder(format, decimals: decimals)
    begin()
    flush()
  }

  /// What the file could not hold: one sentence each.
  package var remarks: [String] {
    var remarks = encoder.remarks
    if recordsLost > 0 {
      let records = recordsLost == 1 ? "1 record was" : "\(recordsLost) records were"
      remarks.append("\(records) not written")
    }
    return remarks
  }

  /// Takes a record; it is in the file after the next `flush`.
  @inline(__always)
  package mutating func write(_ record: borrowing CaptureRecord) {
    write(record, comment: record.bytes.part(.empty))
  }

  /// The same with a comment, UTF-8, where the format has room for such: it is cut where it is too long,
  /// and left out where the record has it already.
  @inline(__always)
  package mutating func write(_ record: borrowing CaptureRecord, comment: RawSpan) {
    guard failure == nil else {
      recordsLost += 1
      return
    }
    if let rotation {
      let (before, encoderBefore) = (batch.count, encoder)
      guard append(record, comment) else { return }
      // The record that is one too many begins the next file.
      if isTooLong(rotation), holdsRecords || batchRecords > 1 {
        batch.shorten(to: before)
        batchRecords -= 1
        encoder = encoderBefore
        rotate()
        append(record, comment)
      }
    } else {
      append(record, comment)
    }
    guard batch.count >= Self.batchBytes else { return }
    if writesBehind {
      if batch.count >= Self.batchBytesBehind { handOn() }
    } else {
      flush()
    }
  }

  /// Writes all records that are left of `source`, until writing fails.
  ///
  /// - Parameter promptly: whether what was collected is written before the source may wait.
  mutating func writeAll<Source: CaptureSource & ~Copyable>(
    of source: inout Source, promptly: Bool
  ) throws(CaptureFailure) {
    while failure == nil {
      if promptly, !source.isReady { flush() }
      guard let record = try source.next() else { return }
      write(record)
    }
  }

  /// Passes a record over that is not to be written: what was lost before it was lost before the next one.
  package mutating func skip(_ record: borrowing CaptureRecord) { encoder.skip(record) }

  private func isTooLong(_ rotation: Rotation) -> Bool {
    switch file {
    case .some(let file): return file.byteCount + Int64(batch.count) > rotation.bytes
    case nil: return false
    }
  }

  @discardableResult
  @inline(__always)
  private mutating func append(_ record: borrowing CaptureRecord, _ comment: RawSpan) -> Bool {
    guard failure == nil else {
      recordsLost += 1
      return false
    }
    guard encoder.write(record, comment: comment, into: &batch) else {
      recordsLeftOut += 1
      return false
    }
    batchRecords += 1
    return true
  }

  /// Writes out what was collected: for whoever is about to wait.
  package mutating func flush() {
    guard batch.count > 0, failure == nil else { return }
    if behind != nil { return handOn() }
    let (written, reason) = Self.write(batch, to: &file)
    var records = batchRecords
    if let reason {
      let whole = encoder.wholeRecords(in: batch.bytes, upTo: written, hasHeader: hasHeader)
      file?.keep(whole.end, of: written)
      records = whole.records
      recordsLost += batchRecords - records
      failure = WriteFailure(path: path, reason)
    }
    recordsWritten += records
    if records > 0 { holdsRecords = true }
    forget()
  }

  // Apart, so that the batch is lent while the file changes.
  private static func write(
    _ batch: borrowing Output, to file: inout RecordFile?
  ) -> (written: Int, reason: WriteFailure.Reason?) {
    file?.write(batch.bytes) ?? (0, .system(EBADF))
  }
  /// Has the other thread write what was collected.
  private mutating func handOn() {
    if behind == nil, let file = file?.descriptor { behind = WriteBehind(file) }
    guard let behind else { return flush() }
    let reason = behind.write(&batch)
    recordsWritten += batchRecords
    forget()
    fail(behind: reason)
  }

  /// Takes in why what was handed on could not be written.
  private mutating func fail(behind reason: WriteFailure.Reason?) {
    guard let reason, failure == nil else { return }
    failure = WriteFailure(path: path, reason)
    // How many are whole in such a file nobody asks: it gets no name.
    recordsLost += recordsWritten
    recordsWritten = 0
  }

  /// Writes out what was collected and closes the file.
  package mutating func finish() {
    flush()
    if let behind {
      fail(behind: behind.finish())
      self.behind = nil
    }
    close()
  }

  private mutating func close() {
    if let error = file?.close(), failure == nil {
      failure = WriteFailure(path: path, .system(error))
    }
    file = nil
  }

  private mutating func forget() {
    batch.clear()
    batchRecords = 0
    hasHeader = false
  }

  private mutating func begin() {
    encoder.begin(into: &batch)
    hasHeader = true
  }

  /// Finishes the file and begins the next one.
  private mutating func rotate() {
    flush()
    guard failure == nil else { return }
    let mode: mode_t? =
      switch file {
      case .some(let file): file.mode
      case nil: nil
      }
    close()
    guard failure == nil else { return }
    do throws(WriteFailure) {
      try finished?.takeIn(records: recordsWritten - recordsBefore)
      recordsBefore = recordsWritten
      file = try RecordFile(path: path, mode: mode)
    } catch {
      failure = error
      return
    }
    holdsRecords = false
    begin()
  }
}
