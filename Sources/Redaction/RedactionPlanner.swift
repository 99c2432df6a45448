import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// The second of the two passes over a capture before it can be redacted: finds out what is to be changed
/// in ACL data, of which a record's bytes alone do not tell what they are, and may hold only a part of it.
package struct RedactionPlanner: PacketReport, ~Copyable {
  private var options: RedactionOptions
  let books: Books
  private let search: Search
  private let parts: NameParts
  private let serialParts: NameParts
  private var places = PDUPlaces()
  private var patches = Patches()
  private var report: RedactionReport
  /// The types of the attributes whose values are removed.
  private var removed: Set<BluetoothUUID> = []
  /// The number of the last record.
  private var last = 0
  /// Advertising data that is not complete.
  private var chains = AdvertisingParts()
  /// Values that are read or written in parts.
  private var longValues = ValueParts()
  /// The bytes that are changed: of a record, or of a PDU that came in several, and what stands behind it.
  private var changed: [UInt8] = []

  init(_ books: Books, _ options: RedactionOptions) {
    self.books = books
    self.options = options
    search = Search(books)
    parts = NameParts(books.names)
    serialParts = NameParts(books.serials)
    report = RedactionReport()
    report.unlisted = books.unlisted
    // What cannot be looked for may stand anywhere.
    if !report.unlisted.isEmpty { self.options.values = .all }
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
      for chain in chains.observe(record, dissection, bytes, memory.advertisements) {
        replace(chain)
      }
      replaceMicrosofts(record, dissection, bytes)
      if record.original == nil, dissection.isVendorsUnread(bytes) { report.vendors += 1 }
    case .controllerLog: removeLog(record, dissection)
    default: break
    }
  }

  /// Removes what a controller logs: only its vendor knows what it holds, and it may be anything.
  private mutating func removeLog(_ record: borrowing CaptureRecord, _ dissection: Dissection) {
    guard record.original == nil else { return }
    let start = Int(dissection.body.start)
    let place = RecordPlace(
      record: record.number, offset: start, count: record.bytes.byteCount - start)
    guard place.count > 0 else { return }
    patches.add(place, [UInt8](repeating: 0, count: place.count))
    report.controllerLogs += 1
  }

  /// What is Microsoft's the record does not say.
  private mutating func replaceMicrosofts(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan
  ) {
    guard let row = dissection.parameters?.row,
      row == HCITable.core.microsoftCommand || row == HCITable.core.microsoftEvent
    else { return }
    changed = record.bytes.array
    for field in SensitiveFields(dissection, bytes).fields { replace(field, bytes) }
    patchRecord(record)
  }

  // MARK: ACL data

  private mutating func observeData(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    // A record that another file has, too, is changed as that one is.
    guard record.original == nil else { return }
    if answer.fragment.isFragment || dissection.l2cap == nil || places.isLost || places.isOutOfStep
    {
      removeUnfinished(record, dissection, bytes, answer)
      return
    }
    let values = AttributeValue.all(record, dissection, bytes, answer, memory)
    for value in values where stays(value, bytes) { report.leave(value) }
    // Of most packets nothing changes: then nothing is copied.
    let isChanged =
      places.areJoined || dissection.smp != nil || options.values == .all
      || search.first(in: record.bytes, from: 0) != nil
      || values.contains { isRemoved($0, bytes) || !$0.sensitiveFields(bytes).isEmpty }
    if isChanged { change(values, record, dissection, bytes, answer) }
    guard !values.isEmpty, ValueParts.concerns(dissection) else { return }
    for chain in longValues.observe(
      record, dissection, isChanged ? changed : bytes.array, answer, memory, places)
    {
      lookThrough(chain)
    }
  }

  /// Changes a PDU that is whole.
  private mutating func change(
    _ values: [AttributeValue], _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: Answer
  ) {
    let isSingle = !places.areJoined
    changed = isSingle ? record.bytes.array : bytes.array
    let end = bytes.byteCount
    if !isSingle { appendWhatIsBehind(record, answer.fragment) }
    if dissection.smp != nil {
      for field in dissection.sensitiveFieldsOfSMP(bytes) { replace(field, bytes) }
    }
    for value in values { replace(value, bytes) }
    if options.values == .all { removePayload(dissection, bytes, answer, end: end) }
    if search.first(in: changed.bytes, from: 0) != nil {
      let uses = ByteUses(
        pdu: dissection, bytes, request: answer.request?.type, psm: answer.channel?.psm,
        count: changed.count)
      lookThrough(sparing: uses, record)
    }
    if isSingle {
      patchRecord(record)
    } else {
      patches.add(places.places(of: Slice(start: 0, count: end), record), changed)
      patches.add(places.behind, Array(changed.dropFirst(end)))
    }
  }

  /// Of what stands behind a joined PDU the last part is in this record: it may be the PDU's own end, where
  /// something in its middle is missing.
  private mutating func appendWhatIsBehind(
    _ record: borrowing CaptureRecord, _ fate: FragmentFate
  ) {
    for place in places.behind {
      if fate.isTruncated || place.record != record.number {
        changed.append(contentsOf: repeatElement(0, count: place.count))
      } else {
        changed.append(
          record.bytes.part(Slice(start: place.offset, count: place.count)))
      }
    }
  }

  private mutating func replace(_ value: AttributeValue, _ bytes: RawSpan) {
    if isRemoved(value, bytes) {
      clear(value.slice)
      report.values += 1
      if let type = value.type { removed.insert(type.shortest) }
      return
    }
    for field in value.sensitiveFields(bytes) {
      let found: [UInt8]?
      switch field.kind {
      case .name where value.offset > 0:
        found = parts.pseudonym(of: bytes.part(field.slice), at: value.offset, books.names)
      case .serial where value.offset > 0, .personalText where value.offset > 0:
        found = serialParts.pseudonym(of: bytes.part(field.slice), at: value.offset, books.serials)
      default: found = nil
      }
      guard let found else {
        replace(field, bytes)
        continue
      }
      write(found, at: field.slice)
      report.count(field.kind)
    }
  }

  /// Removes what other protocols say, and what stands in ATT's without being one of its fields.
  private mutating func removePayload(
    _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer, end: Int
  ) {
    var isRemoved = false
    func remove(_ slice: Slice, from bytes: inout [UInt8]) {
      for index in Int(slice.start)..<min(slice.end, bytes.count) where bytes[index] != 0 {
        bytes[index] = 0
        isRemoved = true
      }
    }
    let body = dissection.body
    if dissection.att != nil {
      for slice in AttributeValue.unclaimed(dissection, bytes) { remove(slice, from: &changed) }
    } else if dissection.isSignalling {
      for slice in OtherPayload.inSignalling(bytes, body) { remove(slice, from: &changed) }
    } else if dissection.smp == nil {
      let kept = OtherPayload.header(of: answer.channel?.psm, dissection.l2cap?.cid, bytes, body)
      remove(Slice(start: Int(body.start) + kept, count: Int(body.count) - kept), from: &changed)
    }
    remove(Slice(start: end, count: changed.count - end), from: &changed)
    if isRemoved { report.payloads += 1 }
  }

  /// Looks through the bytes that are changed.
  private mutating func lookThrough(sparing uses: ByteUses, _ record: borrowing CaptureRecord) {
    for outcome in search.replace(in: &changed, sparing: uses) { report.find(outcome, record) }
  }

  /// Notes what has changed in a record.
  private mutating func patchRecord(_ record: borrowing CaptureRecord) {
    let bytes = record.bytes
    var start = 0
    while start < changed.count, changed[start] == bytes.byte(at: start) { start += 1 }
    guard start < changed.count else { return }
    var end = changed.count
    while changed[end - 1] == bytes.byte(at: end - 1) { end -= 1 }
    patches.add(
      RecordPlace(record: record.number, offset: start, count: end - start),
      Array(changed[start..<end]))
  }

  /// Removes a part of a PDU whose other parts are not there, or not yet: it may be a part of a key, a value or
  /// an address. Headers stay, and of ATT and the Security Manager opcode (1 byte) and ATT's handle (2). Where
  /// the end comes, it is written again.
  private mutating func removeUnfinished(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer
  ) {
    guard case .acl(let header) = dissection.content else { return }
    // A frame of an SDU, whole by itself.
    if dissection.l2cap != nil, !places.isLost, places.areJoined {
      changed = bytes.array
      clear(dissection.body)
      patches.add(places.places(of: Slice(start: 0, count: changed.count), record), changed)
      for place in places.behind { patches.add(place, nil) }
      return
    }
    // Where a PDU lies in one record, what its body is counts from there; else behind the packet's header.
    var start = (record.framing == .h4 ? 1 : 0) + 4
    if dissection.l2cap != nil, !places.isLost {
      start = Int(dissection.body.start)
    } else if header.boundary != .continuation {
      start += L2CAPHeader.size
      if let channel = answer.fragment.channel {
        if channel.carriesSecurityManager { start += 1 }
        if channel == .attribute { start += 3 }
      }
    }
    guard start < record.bytes.byteCount else { return }
    let place = RecordPlace(
      record: record.number, offset: start, count: record.bytes.byteCount - start)
    patches.add(place, nil)
  }

  // MARK: Advertising data

  /// What advertising data holds that came in several packets may lie in two of them.
  private mutating func replace(_ chain: AdvertisingParts.Chain) {
    changed = chain.bytes
    let bytes = chain.bytes
    if chain.lacksStart {
      // Nobody knows what it is a part of: a Broadcast Code, perhaps.
      changed = books.keys[bytes]
      report.count(.secret)
    } else {
      let whole = Slice(start: 0, count: bytes.count)
      for field in SensitiveFields(advertisingData: bytes.bytes, whole).fields {
        replace(field, bytes.bytes)
      }
      let uses = ByteUses(advertisingData: bytes.bytes)
      for outcome in search.replace(in: &changed, sparing: uses) {
        report.find(outcome, chain.last)
      }
    }
    patches.add(chain.places, changed)
  }

  /// What lies in two parts of a value is found where they are put together; what lies in one of them was
  /// replaced before.
  private mutating func lookThrough(_ chain: ValueParts.Chain) {
    guard search.first(in: chain.bytes.bytes, from: 0) != nil else { return }
    changed = chain.bytes
    for outcome in search.replace(in: &changed, sparing: ByteUses(payload: changed.count)) {
      report.find(outcome, chain.last)
    }
    patches.add(chain.places, changed)
  }

  // MARK: Changing

  private func isRemoved(_ value: AttributeValue, _ bytes: RawSpan) -> Bool {
    switch options.values {
    case .none: false
    case .all: !value.isStructure(bytes)
    case .types(let types): value.type.map { types.contains($0.shortest) } ?? false
    }
  }

  /// Whether a value is one of a device's that nothing changes, unless something known is found in it.
  private func stays(_ value: AttributeValue, _ bytes: RawSpan) -> Bool {
    !value.isStructure(bytes) && !isRemoved(value, bytes) && value.sensitiveFields(bytes).isEmpty
  }

  private mutating func replace(_ field: SensitiveField, _ bytes: RawSpan) {
    let replacement = books.replacement(field, bytes)
    guard !bytes.part(field.slice).isEqual(to: replacement.bytes) else {
      report.leave(field.kind, isRemoved: books.removes(field.kind))
      return
    }
    write(replacement, at: field.slice)
    report.count(field.kind)
  }

  private mutating func write(_ replacement: [UInt8], at slice: Slice) {
    let start = Int(slice.start)
    for (index, byte) in replacement.prefix(Int(slice.count)).enumerated()
    where start + index < changed.count {
      changed[start + index] = byte
    }
  }

  private mutating func clear(_ slice: Slice) {
    for index in Int(slice.start)..<min(slice.end, changed.count) { changed[index] = 0 }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    for chain in chains.finish() { replace(chain) }
    for chain in longValues.finish() { lookThrough(chain) }
    report.unfinished = patches.close()
  }

  /// What is to be done, now that the capture was read to its end.
  package consuming func redaction() -> Redaction {
    var report = report
    if case .types(let types) = options.values {
      // What advertisements had in parts was found already.
      report.missingValues = types.filter { !removed.contains($0) && !report.isFound($0) }
    }
    return Redaction(
      books, search, patches, report, last: last, removesStreams: options.values == .all)
  }
}
