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
  /// The types of the attributes whose values are removed.
  private var removed: Set<BluetoothUUID> = []
  /// The number of the last record.
  private var last = 0
  /// Where the parts stand of advertising data that is not complete.
  private var chains: [AdvertisingKey: [RecordPlace]] = [:]
  /// So many are followed at most.
  private static let mostChains = 256
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
    last = record.number
    places.observe(record, dissection, bytes, answer, memory)
    switch dissection.content {
    case .acl: observeData(record, dissection, bytes, answer, memory)
    case .command, .event:
      observeChains(record, bytes, memory.advertisements)
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
    guard record.original == nil else { return }
    if answer.fragment.isFragment {
      removeFragment(record, dissection, answer.fragment.channel)
      return
    }
    // What lies in one record is looked through when that is written.
    changed = places.areJoined ? bytes.array : []
    if dissection.smp != nil {
      for field in dissection.sensitiveFieldsOfSMP(bytes) { replace(field, bytes, record) }
    }
    let values = AttributeValue.all(record, dissection, bytes, answer, memory)
    for value in values where isRemoved(value, bytes) {
      add(value.slice, nil, record)
      report.values += 1
      if let type = value.type { removed.insert(type.shortest) }
    }
    for value in values where !isRemoved(value, bytes) {
      for field in value.sensitiveFields(bytes) {
        let book: NameBook
        switch field.kind {
        case .name where value.offset > 0: book = books.names
        case .serial where value.offset > 0: book = books.serials
        default:
          replace(field, bytes, record)
          continue
        }
        let part = bytes.part(field.slice).array
        add(field.slice, book.part(part, at: value.offset), record)
        report.count(field.kind)
      }
    }
    guard places.areJoined else { return }
    lookThrough(record.number)
    let whole = Slice(start: 0, count: changed.count)
    patches.add(places.places(of: whole, record), changed)
  }

  /// Replaces what is found in the joined bytes.
  private mutating func lookThrough(_ record: Int) {
    for found in search.all(in: changed.bytes) {
      let range = Int(found.slice.start)..<found.slice.end
      changed.replaceSubrange(range, with: found.replacement)
      report.find(found.kind, record)
    }
  }

  /// Removes a part of a PDU of the Security Manager or of ATT, behind the PDU's header (4 bytes), opcode (1)
  /// and ATT's handle (2), and a part of nobody knows what. It may be a part of a key or of a value, whose
  /// end is not in the capture; where the end comes, it is written again.
  private mutating func removeFragment(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ channel: ChannelID?
  ) {
    guard case .acl(let header) = dissection.content else { return }
    var kept = L2CAPHeader.size
    if let channel {
      guard channel.carriesSecurityManager || channel == .attribute else { return }
      kept += channel == .attribute ? 3 : 1
    }
    if header.boundary == .continuation { kept = 0 }
    let body = dissection.body
    guard body.count > kept else { return }
    patches.add(
      RecordPlace(
        record: record.number, offset: Int(body.start) + kept, count: Int(body.count) - kept), nil)
  }

  /// Advertising data that came in several reports: what it holds may lie in two of them.
  private mutating func observeChains(
    _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ advertisements: Advertisements
  ) {
    guard record.original == nil else { return }
    for advertisement in advertisements.reports {
      guard advertisement.isPart || advertisement.joined != nil else { continue }
      let key = AdvertisingKey(record.adapter ?? 0xffff, advertisement.report)
      let data = advertisement.report.data
      if chains.count > Self.mostChains { chains = [:] }
      chains[key, default: []].append(
        RecordPlace(record: record.number, offset: Int(data.start), count: Int(data.count)))
      guard let slice = advertisement.joined else {
        if advertisement.partNumber == 1, let last = chains[key]?.last { chains[key] = [last] }
        continue
      }
      guard let chain = chains.removeValue(forKey: key) else { continue }
      let joined = advertisements.joined.bytes.part(slice)
      guard chain.reduce(0, { $0 + $1.count }) == joined.byteCount else { continue }
      changed = joined.array
      let whole = Slice(start: 0, count: changed.count)
      for field in SensitiveFields(advertisingData: joined, whole).fields {
        let range = Int(field.slice.start)..<field.slice.end
        changed.replaceSubrange(range, with: books.replacement(field, joined))
        report.count(field.kind)
      }
      lookThrough(record.number)
      patches.add(chain, changed)
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
    if places.areJoined {
      let start = Int(slice.start)
      for index in 0..<Int(slice.count) where start + index < changed.count {
        changed[start + index] = replacement.map { $0[index] } ?? 0
      }
    } else if let place = places.places(of: slice, record).first {
      patches.add(place, replacement)
    }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    patches.close()
  }

  /// What is to be done, now that the capture was read to its end.
  package consuming func redaction() -> Redaction {
    var report = report
    if case .types(let types) = options.values {
      report.missingValues = types.filter { !removed.contains($0) }
    }
    return Redaction(
      books, search, patches, report, last: last, removesStreams: options.values == .all)
  }
}
