import Bluetooth

/// One of several files, and the record that it is at. Records are read many at a time, so that a reader
/// is taken up seldom.
final class MergedFile {
  let name: String
  private var reader: CaptureReader?
  private(set) var summary: CaptureSummary?
  /// The records that were read last.
  let chunk = RecordChunk()
  /// Where the record that it is at begins in `chunk`.
  private(set) var position = 0
  /// Where the one after it begins.
  private var next = 0
  /// Whether there is a record.
  private(set) var isOpen = false
  /// The latest time of its records up to this one.
  private(set) var time = Timestamp(seconds: .min / 2, nanoseconds: 0)
  /// What ended the file, until it is told.
  private var failure: CaptureFailure?

  init(_ input: CaptureFile) throws(CaptureFailure) {
    name = input.name
    do throws(CaptureFailure) {
      let opened = try CaptureReader(input.open())
      summary = opened.summary
      reader = consume opened
    } catch {
      // What is damaged from its beginning has no records, and the others have.
      guard error.kind == .damaged else { throw error.of(input.name) }
      failure = error.of(input.name)
    }
  }

  /// Goes to the next record.
  ///
  /// - Throws: behind the last one, what ended the file.
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

  /// Reads records.
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
