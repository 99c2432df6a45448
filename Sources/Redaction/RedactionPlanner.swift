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
  private var places: PDUPlaces
  private var patches = Patches()
  private var report: RedactionReport
  /// The types of the attributes whose values are removed.
  private var removed: Set<BluetoothUUID> = []
  /// How many PDUs were joined of pieces that may not belong together, and lost some of them.
  private var doubtful = 0
  /// The number of the last record.
  private var last = 0
  /// Advertising data that is not complete.
  private var chains = AdvertisingParts()
  /// Values that are read or written in parts.
  private var longValues = ValueParts()
  /// The bytes that are changed: of a record, or of a PDU that came in several, and what stands behind it.
  private var changed: [UInt8] = []

  init(_ books: Books, _ options: RedactionOptions, _ torn: TornWays) {
    self.books = books
    places = PDUPlaces(torn)
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
      if record.original == nil, options.values != .all, dissection.isVendorsUnread(bytes) {
        report.vendors += 1
      }
    case .controllerLog: if record.original == nil { removeLog(record) }
    default: break
    }
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
    // As a vendor's it may be removed: all of it is written again.
    patches.add(
      RecordPlace(record: record.number, offset: 0, count: changed.count), changed)
  }

  // MARK: ACL data

  private mutating func observeData(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    // A record that another file has, too, is changed as that one is.
    guard record.original == nil, case .acl(let header) = dissection.content else { return }
    if ControllerLog.holds(record, dissection) {
      removeLog(record)
      return
    }
    removeTail(record, header)
    if answer.fragment.isFragment || dissection.l2cap == nil || places.isLost || places.isOutOfStep
    {
      removeUnfinished(record, dissection, bytes, answer)
      return
    }
    let isDoubtful = self.isDoubtful(dissection, bytes, answer)
    let values = AttributeValue.all(record, dissection, bytes, answer, memory)
    for value in values where stays(value, bytes) { report.leave(value) }
    let gaps = unclaimed(dissection, values, bytes, record)
    // Of most packets nothing changes: then nothing is copied.
    let isChanged =
      places.areJoined || dissection.smp != nil || options.values == .all || !gaps.isEmpty
      || dissection.attFields.signature != nil
      || search.first(in: record.bytes, from: 0) != nil
      || values.contains { isRemoved($0, bytes) || !$0.sensitiveFields(bytes).isEmpty }
    if isChanged { change(values, gaps, record, dissection, bytes, answer, isDoubtful: isDoubtful) }
    leavePayload(dissection, answer, bytes)
    guard !values.isEmpty, ValueParts.concerns(dissection) else { return }
    for chain in longValues.observe(
      record, dissection, isChanged ? changed : bytes.array, answer, memory, places)
    {
      lookThrough(chain)
    }
  }

  /// Whether a PDU may have been joined of pieces that do not belong together. Where pieces are missing, handles that
  /// ascend show that those of a discovery do.
  private func isDoubtful(_ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer) -> Bool {
    guard places.areJoined else { return false }
    if places.isDoubtful || !dissection.hasPlausibleHandles(bytes) { return true }
    return places.isTorn && !dissection.isDiscovery(answer.request?.type)
  }

  /// The bytes of a PDU that no field claims, and what stands behind the PDU in its record.
  private func unclaimed(
    _ dissection: Dissection, _ values: [AttributeValue], _ bytes: RawSpan,
    _ record: borrowing CaptureRecord
  ) -> [Slice] {
    var gaps: [Slice] = []
    if dissection.att != nil {
      gaps = AttributeValue.unclaimed(dissection, bytes)
      for value in values { if let excess = value.excess(bytes) { gaps.append(excess) } }
    } else if dissection.isSignalling {
      gaps = OtherPayload.inSignalling(
        bytes, dissection.body, onLE: dissection.l2cap?.cid == .leSignalling)
    }
    let end = places.areJoined ? bytes.byteCount : record.bytes.byteCount
    let behind = dissection.body.end
    if behind < end { gaps.append(Slice(start: behind, count: end - behind)) }
    return gaps
  }

  /// Changes a PDU that is whole.
  private mutating func change(
    _ values: [AttributeValue], _ gaps: [Slice], _ record: borrowing CaptureRecord,
    _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer, isDoubtful: Bool
  ) {
    let isSingle = !places.areJoined
    changed = isSingle ? record.bytes.array : bytes.array
    if dissection.smp != nil {
      for field in dissection.sensitiveFieldsOfSMP(bytes) { replace(field, bytes) }
    }
    if let signature = dissection.attFields.signature {
      replace(SensitiveField(.secret, signature), bytes)
    }
    for value in values { replace(value, bytes) }
    for gap in gaps where remove(gap) { report.unused += 1 }
    if options.values == .all { removePayload(dissection, bytes, answer) }
    if search.first(in: changed.bytes, from: 0) != nil {
      let uses = ByteUses(
        pdu: dissection, bytes, request: answer.request?.type, psm: answer.channel?.psm,
        count: changed.count)
      lookThrough(sparing: uses, record)
    }
    if isDoubtful { removeDoubtful(dissection, bytes) }
    if isSingle {
      patchRecord(record)
    } else {
      patches.add(places.places(of: Slice(start: 0, count: changed.count), record), changed)
      for place in places.behind { patches.add(place, nil, isUnfinished: true) }
    }
  }

  /// Removes what stays of the pieces behind the first one of a PDU, where they may belong to another PDU: there
  /// they may be anything.
  private mutating func removeDoubtful(_ dissection: Dissection, _ bytes: RawSpan) {
    // The headers stay, as in removeUnfinished: with them the redacted capture shows the same procedures.
    let header =
      (dissection.body.start > 0 ? L2CAPHeader.size : 0)
      + (dissection.att != nil ? 3 : dissection.smp != nil ? 1 : 0)
    var isRemoved = false
    for index in max(header, places.firstPiece)..<max(header, places.firstPiece, changed.count)
    where changed[index] != 0 && changed[index] == bytes.byte(at: index) {
      changed[index] = 0
      isRemoved = true
    }
    if isRemoved { doubtful += 1 }
  }

  /// Removes what a controller tells its maker: all behind the packet's header, since it may be anything.
  private mutating func removeLog(_ record: borrowing CaptureRecord) {
    let start = (record.framing == .h4 ? 1 : 0) + 4
    report.controllerLogs += 1
    patches.add(
      RecordPlace(
        record: record.number, offset: start, count: record.bytes.byteCount - start), nil)
  }

  /// Removes what stands behind an ACL packet's end in its record.
  private mutating func removeTail(_ record: borrowing CaptureRecord, _ header: ACLHeader) {
    let end = (record.framing == .h4 ? 1 : 0) + 4 + Int(header.length)
    let count = record.bytes.byteCount - end
    guard count > 0 else { return }
    // Of a PDU in one record it is counted with what stands behind that.
    patches.add(RecordPlace(record: record.number, offset: end, count: count), nil)
  }

  /// Counts a packet of another protocol, which stays what it is.
  private mutating func leavePayload(
    _ dissection: Dissection, _ answer: Answer, _ bytes: RawSpan
  ) {
    guard options.values != .all, dissection.att == nil, dissection.smp == nil,
      !dissection.isSignalling
    else { return }
    let kept = OtherPayload.header(
      of: answer.channel?.psm, dissection.l2cap?.cid, bytes, dissection.body)
    if dissection.body.count > kept { report.leftPayloads += 1 }
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

  /// Removes what protocols say that are none of those which this program reads whole.
  private mutating func removePayload(
    _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer
  ) {
    guard dissection.att == nil, dissection.smp == nil, !dissection.isSignalling else { return }
    let body = dissection.body
    let kept = OtherPayload.header(of: answer.channel?.psm, dissection.l2cap?.cid, bytes, body)
    if remove(Slice(start: Int(body.start) + kept, count: Int(body.count) - kept)) {
      report.payloads += 1
    }
  }

  /// Makes zeros of a part of the bytes that are changed; whether anything else stood there.
  private mutating func remove(_ slice: Slice) -> Bool {
    var isRemoved = false
    let start = Int(slice.start)
    for index in start..<max(start, min(slice.end, changed.count)) where changed[index] != 0 {
      changed[index] = 0
      isRemoved = true
    }
    return isRemoved
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
      for place in places.behind { patches.add(place, nil, isUnfinished: true) }
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
    patches.add(place, nil, isUnfinished: true)
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
    report.unfinished = patches.close() + doubtful
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
