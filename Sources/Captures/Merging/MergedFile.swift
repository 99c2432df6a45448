import Bluetooth

/// One of several files, and its current record. Records are read in batches, so that the reader is
/// moved in and out rarely.
final class MergedFile {
  let name: String
  private var reader: CaptureReader?
  private(set) var summary: CaptureSummary?
  /// The records read last.
  let chunk = RecordChunk()
  /// The position of the current record in `chunk`.
  private(set) var position = 0
  /// The position of the next record.
  private var next = 0
  /// Whether there is a current record.
  private(set) var isOpen = false
  /// The latest time of the file's records up to the current one.
  private(set) var time = Timestamp(seconds: .min / 2, nanoseconds: 0)
  /// The failure that ended the file, until it is thrown.
  private var failure: CaptureFailure?

  init(_ input: CaptureFile) throws(CaptureFailure) {
    name = input.name
    do throws(CaptureFailure) {
      let opened = try CaptureReader(input.open())
      summary = opened.summary
      reader = consume opened
    } catch {
      // A file damaged at its beginning has no records, but the other files have.
      guard error.kind == .damaged else { throw error.of(input.name) }
      failure = error.of(input.name)
    }
  }

  /// Advances to the next record.
  ///
  /// - Throws: After the last record, the failure that ended the file.
  func advance() throws(CaptureFailure) {
    if next >= chunk.count { fill() }
    position = next
    isOpen = position < chunk.count
    guard isOpen else {
      if let failure {
        self.failure = nil
        throw failure
      }
      return
    }
    let (chunk, position) = (chunk, position)
    next = chunk.next(after: position)
    let record = chunk.record(at: position)
    if let found = record.time, time.isEarlier(than: found) { time = found }
  }

  /// Reads the next batch of records.
  private func fill() {
    chunk.clear()
    next = 0
    guard var reader = reader.take() else { return }
    do throws(CaptureFailure) {
      while !chunk.isFull {
        guard let record = try reader.next() else {
          summary = reader.summary
          return
        }
        chunk.append(record, number: record.number, drops: record.drops)
      }
    } catch {
      summary = reader.summary
      failure = error.of(name)
      return
    }
    self.reader = consume reader
  }
}
