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
  /// Why writing ended early: the first error.
  package private(set) var failure: WriteFailure?
  /// Records in the file, or in all files where they are rotated.
  package private(set) var recordsWritten = 0
  /// Files that rotation has finished and kept, and what it removed.
  package var finishedFiles: Int { finished?.count ?? 0 }
  package var removed: RemovedFiles { finished?.removed ?? RemovedFiles() }
  /// Records that were in the files before this one.
  private var recordsBefore = 0
  /// Records that the failure cost.
  package private(set) var recordsLost = 0

  private var file: RecordFile?
  private var encoder: RecordEncoder
  private let rotation: Rotation?
  private var finished: FinishedFiles?
  /// What is to be written, and where each record of it ends.
  private var batch = Output()
  private var ends: [Int] = []
  /// Whether the batch begins with a header, which is no record.
  private var hasHeader = false
  /// Whether the file holds a record.
  private var holdsRecords = false

  /// So much is collected before it is written.
  private static let batchBytes = 1 << 16

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
  package init(
    descriptor: Int32, owned: Bool, name: String, _ format: WriterFormat, decimals: Int = 6
  ) {
    self.init(
      name, RecordFile(descriptor: descriptor, owned: owned), format, decimals: decimals,
      rotation: nil)
  }

  private init(
    _ path: String, _ file: consuming RecordFile, _ format: WriterFormat, decimals: Int,
    rotation: Rotation?
  ) {
    self.path = path
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
  package mutating func write(_ record: borrowing CaptureRecord) {
    write(record, comment: record.bytes.part(.empty))
  }

  /// The same with a comment, UTF-8, where the format has room for such: it is cut where it is too long,
  /// and left out where the record has it already.
  package mutating func write(_ record: borrowing CaptureRecord, comment: RawSpan) {
    guard failure == nil else {
      recordsLost += 1
      return
    }
    if let rotation {
      let (before, encoderBefore) = (batch.count, encoder)
      guard append(record, comment) else { return }
      // The record that is one too many begins the next file.
      if isTooLong(rotation), holdsRecords || recordsInBatch > 1 {
        batch.shorten(to: before)
        ends.removeLast()
        encoder = encoderBefore
        rotate()
        append(record, comment)
      }
    } else {
      append(record, comment)
    }
    if batch.count >= Self.batchBytes { flush() }
  }

  /// Passes a record over that is not to be written: what was lost before it was lost before the next one.
  package mutating func skip(_ record: borrowing CaptureRecord) { encoder.skip(record) }

  private var recordsInBatch: Int { ends.count - (hasHeader ? 1 : 0) }

  private func isTooLong(_ rotation: Rotation) -> Bool {
    switch file {
    case .some(let file): return file.byteCount + Int64(batch.count) > rotation.bytes
    case nil: return false
    }
  }

  @discardableResult
  private mutating func append(_ record: borrowing CaptureRecord, _ comment: RawSpan) -> Bool {
    guard failure == nil else {
      recordsLost += 1
      return false
    }
    guard encoder.write(record, comment: comment, into: &batch) else { return false }
    ends.append(batch.count)
    return true
  }

  /// Writes out what was collected: for whoever is about to wait.
  package mutating func flush() {
    guard batch.count > 0, failure == nil else { return }
    let result = Self.write(batch, ends: ends, to: &file)
    let written = max(0, result.records - (hasHeader ? 1 : 0))
    recordsWritten += written
    if written > 0 { holdsRecords = true }
    if let reason = result.reason {
      recordsLost += recordsInBatch - written
      failure = WriteFailure(path: path, reason)
    }
    forget()
  }

  // Apart, so that the batch is lent while the file changes.
  private static func write(
    _ batch: borrowing Output, ends: [Int], to file: inout RecordFile?
  ) -> (records: Int, reason: WriteFailure.Reason?) {
    file?.write(batch.bytes, ends: ends) ?? (0, .system(EBADF))
  }

  /// Writes out what was collected and closes the file.
  package mutating func finish() {
    flush()
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
    ends.removeAll(keepingCapacity: true)
    hasHeader = false
  }

  private mutating func begin() {
    encoder.begin(into: &batch)
    ends.append(batch.count)
    hasHeader = true
  }

  /// Finishes the file and begins the next one.
  private mutating func rotate() {
    flush()
    guard failure == nil else { return }
    close()
    guard failure == nil else { return }
    do throws(WriteFailure) {
      try finished?.takeIn(records: recordsWritten - recordsBefore)
      recordsBefore = recordsWritten
      file = try RecordFile(path: path)
    } catch {
      failure = error
      return
    }
    holdsRecords = false
    begin()
  }
}
