package import Bytes
import Glibc

/// A writer whose file is a complete capture at every moment, for `live -w` and `convert`.
///
/// Records are collected until `flush`, or until there are many, and only whole ones are written.
/// An error is no reason to stop watching: it is kept in `failure`, and later records are counted
/// and dropped.
///
///     var writer = try CaptureWriter(path: "air.btsnoop", WriterFormat(.btsnoop, .monitor))
///     while let record = try source.next() { writer.write(record) }
///     writer.finish()
package struct CaptureWriter: ~Copyable {
  /// The name of the file as given.
  package let path: String
  /// The name used in sentences.
  package var name: String { WriteFailure.subject(path) }
  /// The first error, which ended writing.
  package private(set) var failure: WriteFailure?
  /// The number of records in the file, or in all files if they are rotated.
  package private(set) var recordsWritten = 0
  /// The number of files that rotation has finished and kept.
  package var finishedFiles: Int { finished?.count ?? 0 }
  /// The finished files that rotation has removed.
  package var removed: RemovedFiles { finished?.removed ?? RemovedFiles() }
  /// The number of records in the previous files.
  private var recordsBefore = 0
  /// The number of records lost because of the failure.
  package private(set) var recordsLost = 0

  /// The number of records that the format cannot represent.
  package private(set) var recordsLeftOut = 0

  private var file: RecordFile?
  private var encoder: RecordEncoder
  private let rotation: Rotation?
  private var finished: FinishedFiles?
  /// The bytes to write, and the number of records in them.
  private var batch = Output()
  private var batchRecords = 0
  /// Whether the batch begins with a header, which is not a record.
  private var hasHeader = false
  /// Whether the file has a record.
  private var holdsRecords = false

  /// The thread that writes while the next records are collected, once there are many.
  private var behind: WriteBehind?
  private let writesBehind: Bool

  /// The number of bytes collected before they are written.
  private static let batchBytes = 1 << 16
  /// The same for writing in another thread: larger, so that the threads wake each other less
  /// often.
  private static let batchBytesBehind = 1 << 18

  /// Creates or truncates a file; `-` is standard output, which is never rotated.
  ///
  /// - Parameters:
  ///   - decimals: The decimals of the capture's clock; 9 for nanoseconds if the format has them.
  ///   - rotation: When to start a new file.
  ///   - interruption: Ends waiting for a reader that does not read what is written.
  /// - Throws: If the file cannot be opened. Later errors are in `failure`.
  package init(
    path: String, _ format: WriterFormat, decimals: Int = 6, rotation: Rotation? = nil,
    _ interruption: Interruption? = nil
  ) throws(WriteFailure) {
    try self.init(
      path, RecordFile(path: path, interruption), format, decimals: decimals,
      rotation: path == "-" ? nil : rotation)
  }

  /// Writes to an open descriptor, and closes it at the end if it is `owned`.
  ///
  /// - Parameter behind: Whether a second thread writes. Only for a file that is not read until it
  ///   is finished, since `failure` and `recordsWritten` lag behind until `finish`.
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

  /// What the file could not represent, one sentence each.
  package var remarks: [String] {
    var remarks = encoder.remarks
    if recordsLost > 0 {
      let records = recordsLost == 1 ? "1 record was" : "\(recordsLost) records were"
      remarks.append("\(records) not written")
    }
    return remarks
  }

  /// Writes a record; it is in the file after the next `flush`.
  @inline(__always)
  package mutating func write(_ record: borrowing CaptureRecord) {
    write(record, comment: record.bytes.part(.empty))
  }

  /// Writes a record with a UTF-8 comment if the format supports comments. The comment is cut if it
  /// is too long, and left out if the record already has it.
  @inline(__always)
  package mutating func write(_ record: borrowing CaptureRecord, comment: RawSpan) {
    guard failure == nil else {
      recordsLost += 1
      return
    }
    if let rotation {
      let (before, encoderBefore) = (batch.count, encoder)
      guard append(record, comment) else { return }
      // The record that exceeds the limit begins the next file.
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

  /// Writes all remaining records of `source`, until writing fails.
  ///
  /// - Parameter promptly: Whether collected records are written before the source may wait.
  mutating func writeAll<Source: CaptureSource & ~Copyable>(
    of source: inout Source, promptly: Bool
  ) throws(CaptureFailure) {
    while failure == nil {
      if promptly, !source.isReady { flush() }
      guard let record = try source.next() else { return }
      write(record)
    }
  }

  /// Skips a record that should not be written; drops before it count for the next record.
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

  /// Writes out the collected records, before the caller waits.
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

  // A function of its own, so that the batch can be borrowed while the file changes.
  private static func write(
    _ batch: borrowing Output, to file: inout RecordFile?
  ) -> (written: Int, reason: WriteFailure.Reason?) {
    file?.write(batch.bytes) ?? (0, .system(EBADF))
  }
  /// Passes the collected records to the other thread for writing.
  private mutating func handOn() {
    if behind == nil, let file = file?.descriptor { behind = WriteBehind(file) }
    guard let behind else { return flush() }
    let reason = behind.write(&batch)
    recordsWritten += batchRecords
    forget()
    fail(behind: reason)
  }

  /// Records the failure to write what was passed to the other thread.
  private mutating func fail(behind reason: WriteFailure.Reason?) {
    guard let reason, failure == nil else { return }
    failure = WriteFailure(path: path, reason)
    // How many records are whole does not matter, since such a file never gets a name.
    recordsLost += recordsWritten
    recordsWritten = 0
  }

  /// Writes out the collected records and closes the file.
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
