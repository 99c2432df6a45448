import Bytes
import Captures
import Dissectors
import Sessions

/// The changes to make in a capture before it is given to others: learnt in two passes over it
/// (`RedactionLearner`, `RedactionPlanner`), then applied record by record.
///
///     var learner = RedactionLearner(options)
///     try pass.run(&source, &learner, into: &output)
///     var planner = learner.planner()
///     try secondPass.run(&sameSource, &planner, into: &output)
///     var redacted = RedactedSource(sameSourceAgain, planner.redaction())
package struct Redaction: Sendable {
  let books: Books
  private let search: BookSearch
  private let patches: Patches
  /// What was done so far: in ACL data.
  package let report: RedactionReport
  /// The number of the last record that it covers. Nothing is known of records that were added to
  /// the file since.
  let last: Int
  /// Whether synchronous and isochronous data, which is mostly sound, is replaced by zeros.
  private let removesStreams: Bool

  init(
    _ books: Books, _ search: BookSearch, _ patches: Patches, _ report: RedactionReport,
    last: Int, removesStreams: Bool
  ) {
    self.last = last
    self.removesStreams = removesStreams
    self.books = books
    self.search = search
    self.patches = patches
    self.report = report
  }

  /// Writes the bytes of a record with everything sensitive replaced. The length stays the same, so
  /// that all offsets are unchanged.
  ///
  /// - Parameters:
  ///   - bytes: receives the bytes; earlier contents are overwritten.
  ///   - dissection: as the previous record left it.
  func write(
    _ record: borrowing CaptureRecord, into bytes: inout [UInt8], _ dissection: inout Dissection,
    counting report: inout RedactionReport
  ) {
    dissection.read(record)
    bytes.removeAll(keepingCapacity: true)
    bytes.append(record.bytes)
    report.records += 1
    if record.framing.isFromAir {
      writeAir(record, into: &bytes, &dissection, counting: &report)
      return
    }
    let number = record.original ?? record.number
    let isWritten = patches.replacesAll(record.bytes.byteCount, of: number)
    if !isWritten { replaceFields(dissection, record, in: &bytes, &report) }
    removeStream(dissection, from: &bytes, &report)
    patches.apply(to: &bytes, of: number, books)
    // ACL data was already searched, since its bytes alone do not show what carries the structure.
    // A record that repeats one of another file may have another header.
    if case .acl = dissection.content, record.original == nil { return }
    lookThrough(dissection, record, in: &bytes, &report)
  }

  /// Replaces everything sensitive in a packet from the air. Data was examined before, since its
  /// bytes alone do not show what they are.
  private func writeAir(
    _ record: borrowing CaptureRecord, into bytes: inout [UInt8], _ dissection: inout Dissection,
    counting report: inout RedactionReport
  ) {
    guard let air = dissection.air else { return }
    if case .linkData(let pdu) = dissection.content, air.isOfAdvertising {
      dissection.content = .advertising(AdvertisingPDU(pdu))
    }
    if case .advertising = dissection.content {
      if air.header.crc == .wrong {
        // Nothing in it can be believed.
        if Self.clear(air.payload(record.bytes), in: &bytes) { report.damaged += 1 }
      } else {
        dissection.readAdvertising(record.bytes, isTruncated: record.isTruncated)
        replaceFields(dissection, record, in: &bytes, &report)
      }
    } else if case .unknown = dissection.content {
      replaceFields(dissection, record, in: &bytes, &report)
    }
    patches.apply(to: &bytes, of: record.number, books)
    if case .advertising = dissection.content, air.header.crc != .wrong {
      lookThrough(dissection, record, in: &bytes, &report)
    }
    // What follows the packet, or a part of its CRC.
    _ = Self.clear(Slice(start: air.end, count: max(0, bytes.count - air.end)), in: &bytes)
    air.repairCRC(from: record.bytes, in: &bytes)
  }

  private func replaceFields(
    _ dissection: Dissection, _ record: borrowing CaptureRecord, in bytes: inout [UInt8],
    _ report: inout RedactionReport
  ) {
    for field in SensitiveFields(dissection, record.bytes).fields {
      let replacement = books.replacement(field, record.bytes)
      if Self.replace(field.slice, replacement, in: &bytes) {
        report.count(field.kind)
      } else {
        report.leave(field.kind, isRemoved: books.removes(field.kind))
      }
    }
  }

  private func lookThrough(
    _ dissection: Dissection, _ record: borrowing CaptureRecord, in bytes: inout [UInt8],
    _ report: inout RedactionReport
  ) {
    guard search.first(in: bytes.bytes, from: 0) != nil else { return }
    let uses = ByteUses(dissection, record.bytes, record.framing)
    for outcome in search.replace(in: &bytes, sparing: uses) { report.find(outcome, record) }
  }

  private static func clear(_ slice: Slice, in bytes: inout [UInt8]) -> Bool {
    replace(slice, [UInt8](repeating: 0, count: Int(slice.count)), in: &bytes)
  }

  /// Removes the payload of synchronous and isochronous data, if requested.
  private func removeStream(
    _ dissection: Dissection, from bytes: inout [UInt8], _ report: inout RedactionReport
  ) {
    switch dissection.content {
    case .sco, .iso:
      let payload = dissection.body
      guard removesStreams else {
        if !payload.isEmpty { report.leftStreams += 1 }
        return
      }
      if Self.replace(payload, [UInt8](repeating: 0, count: Int(payload.count)), in: &bytes) {
        report.streams += 1
      }
    default: return
    }
  }

  /// Overwrites a part, and returns whether that changes anything.
  private static func replace(
    _ slice: Slice, _ replacement: [UInt8], in bytes: inout [UInt8]
  ) -> Bool {
    guard slice.start >= 0, slice.end <= bytes.count else { return false }
    let range = Int(slice.start)..<slice.end
    guard range.count <= replacement.count,
      !bytes[range].elementsEqual(replacement.prefix(range.count))
    else { return false }
    bytes.replaceSubrange(range, with: replacement.prefix(range.count))
    return true
  }
}
