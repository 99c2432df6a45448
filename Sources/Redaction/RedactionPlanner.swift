import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// The second of the two passes over a capture before it can be redacted: finds out what is to be changed
/// in ACL data, of which a record's bytes alone do not tell what they are, and may hold only a part of it.
package struct RedactionPlanner: PacketReport, ~Copyable {
  private let options: RedactionOptions
  let books: Books
  private let search: Search
  private var places = PDUPlaces()
  private var patches = Patches()
  private var report: RedactionReport
  /// The bytes of a PDU that came in several records, with what is changed in them; else empty.
  private var changed: [UInt8] = []

  init(_ books: Books, _ options: RedactionOptions) {
    self.books = books
    self.options = options
    search = Search(books)
    report = RedactionReport()
    report.unlistedAddresses = books.addresses.unlisted
  }

  /// Never: every packet may hold something.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    places.observe(record, dissection, answer, memory)
    switch dissection.content {
    case .acl: observeData(record, dissection, bytes, answer, memory)
    case .command, .event:
      // That it is Microsoft's, the record does not say.
      let row = dissection.parameters?.row
      if row != nil, row == HCITable.core.microsoftCommand || row == HCITable.core.microsoftEvent {
        for field in SensitiveFields(dissection, bytes).fields { replace(field, bytes, record) }
      }
    default: break
    }
  }

  private mutating func observeData(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    // A record that another file has, too, is changed as that one is.
    guard record.original == nil, !answer.fragment.isFragment else { return }
    // What lies in one record is looked through when that is written.
    changed = places.areJoined ? bytes.array : []
    if dissection.smp != nil {
      for field in dissection.sensitiveFieldsOfSMP(bytes) { replace(field, bytes, record) }
    }
    let values = AttributeValue.all(record, dissection, bytes, answer, memory)
    for value in values where isRemoved(value, bytes) {
      add(value.slice, nil, record)
      report.values += 1
    }
    for value in values where !isRemoved(value, bytes) {
      for field in value.sensitiveFields(bytes) {
        guard field.kind == .name, value.offset > 0 else {
          replace(field, bytes, record)
          continue
        }
        let part = bytes.part(field.slice).array
        add(field.slice, books.names.part(part, at: value.offset), record)
        report.count(.name)
      }
    }
    for found in search.all(in: changed.bytes) {
      add(found.slice, found.replacement, record)
      report.find(found.kind, record.number)
    }
  }

  private func isRemoved(_ value: AttributeValue, _ bytes: RawSpan) -> Bool {
    switch options.values {
    case .none: false
    case .all: !value.isStructure(bytes)
    case .types(let types): value.type.map { types.contains($0.shortest) } ?? false
    }
  }

  private mutating func replace(
    _ field: SensitiveField, _ bytes: RawSpan, _ record: borrowing CaptureRecord
  ) {
    let replacement = books.replacement(field, bytes)
    guard !bytes.part(field.slice).isEqual(to: replacement.bytes) else { return }
    add(field.slice, replacement, record)
    report.count(field.kind)
  }

  /// Notes what is to stand at the part `slice` of the current packet's bytes; nil: zeros.
  private mutating func add(
    _ slice: Slice, _ replacement: [UInt8]?, _ record: borrowing CaptureRecord
  ) {
    for index in 0..<Int(slice.count) where Int(slice.start) + index < changed.count {
      changed[Int(slice.start) + index] = replacement.map { $0[index] } ?? 0
    }
    var position = 0
    for place in places.places(of: slice, record) {
      let part = replacement.map { Array($0.dropFirst(position).prefix(place.count)) }
      patches.add(place, part)
      position += place.count
    }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    patches.close()
  }

  /// What is to be done, now that the capture was read to its end.
  package consuming func redaction() -> Redaction {
    Redaction(books, search, patches, report)
  }
}
