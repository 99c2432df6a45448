import Bluetooth
package import Bytes
package import Captures
import Dissectors
package import Sessions

/// The second of the two passes over a capture before it can be redacted: determines the changes to
/// ACL data. The bytes of one such record do not show what they are, and may be only a part of
/// something.
package struct RedactionPlanner: PacketReport, ~Copyable {
  private var options: RedactionOptions
  let books: Books
  private let search: BookSearch
  private let parts: NameParts
  private let serialParts: NameParts
  private var places: PDUPlaces
  private let meanings: AttributeMeanings
  private var patches = Patches()
  private var report: RedactionReport
  /// The types of the attributes whose values are removed.
  private var removed: Set<BluetoothUUID> = []
  /// The number of PDUs that were joined from pieces that may not belong together, and lost some of
  /// them.
  private var doubtful = 0
  private var last = 0
  /// Incomplete advertising data.
  private var chains = AdvertisingParts()
  /// What the sides of connections on the air sent last.
  private var sent = SentBefore()
  /// Values that are read or written in parts.
  private var longValues = ValueParts()
  /// The bytes being changed: of a record, or of a PDU that came in several records, and what
  /// follows it.
  private var changed: [UInt8] = []
  /// The same, before pieces were removed that may be another PDU's.
  private var doubted: [UInt8] = []

  init(
    _ books: Books, _ options: RedactionOptions, _ torn: TornWays, _ meanings: AttributeMeanings
  ) {
    self.meanings = meanings
    var books = books
    // What cannot be looked for may be anywhere.
    let isFull = !books.unlisted.isEmpty
    if isFull { books.removeAllValues() }
    self.books = books
    places = PDUPlaces(torn)
    self.options = options
    search = BookSearch(books)
    parts = NameParts(books.names)
    serialParts = NameParts(books.serials)
    report = RedactionReport()
    report.unlisted = books.unlisted
    if isFull { self.options.values = .all }
  }

  /// Never satisfied, since every packet may contain something.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    last = packet.record.number
    // All of it is removed.
    if packet.record.isWhitened { return }
    if let air = packet.dissection.air, !isReadable(packet, air) { return }
    places.observe(packet, memory)
    switch packet.dissection.content {
    case .acl: observeData(packet, memory)
    case .linkControl: replaceControl(packet)
    case .command, .event, .advertising:
      for chain in chains.observe(packet, memory.advertisements) {
        replace(chain)
      }
      replaceMicrosofts(packet)
    case .controllerLog: if packet.record.original == nil { removeLog(packet.record) }
    default: break
    }
  }

  /// Replaces the fields of Microsoft's commands, of their results and of events, which the record
  /// alone does not identify.
  private mutating func replaceMicrosofts(_ packet: borrowing Packet) {
    guard packet.record.original == nil, let found = packet.dissection.parameters,
      found.row == PDUTable.core.microsoftCommand || found.row == PDUTable.core.microsoftEvent
        || found.completed == PDUTable.core.microsoftCommand
    else { return }
    changed = packet.record.bytes.array
    for field in SensitiveFields(packet.dissection, packet.bytes).fields {
      replace(field, packet.bytes)
    }
    // As an unknown vendor's packet it would be removed, so all of it is written.
    patches.add(RecordPlace(record: packet.record.number, offset: 0, count: changed.count), changed)
  }

  // MARK: Packets from the air

  /// Returns whether a packet from the air shows what it is. If it does not, its payload is
  /// removed, or changed as that of the packet that it repeats.
  private mutating func isReadable(_ packet: borrowing Packet, _ air: AirPacket) -> Bool {
    switch packet.dissection.content {
    case .acl, .linkControl:
      // What was not decrypted before cannot be written.
      let isEncrypted = packet.answer.air?.encryption == .decrypted
      sent.observe(packet, air)
      if isEncrypted { removeUnread(packet, air) }
      return !isEncrypted
    case .linkData:
      removeUnread(packet, air)
      return false
    default: return true
    }
  }

  /// Removes the payload of a packet that is encrypted or damaged, or of an unknown stream.
  private mutating func removeUnread(_ packet: borrowing Packet, _ air: AirPacket) {
    let payload = air.payload(packet.record.bytes)
    guard !payload.isEmpty else { return }
    let number = packet.record.number
    let fact = packet.answer.air
    if fact?.isResent == true {
      if let original = sent.original(of: packet, air) {
        patches.add(
          number, repeating: original.record, shift: Int(payload.start) - original.start)
        return
      }
    } else if fact?.crc != .wrong {
      sent.observe(packet, air)
    }
    let place = RecordPlace(
      record: number, offset: Int(payload.start), count: Int(payload.count))
    if fact?.encryption == .unread {
      // What is sent again must still be recognised.
      patches.disguise(place)
      report.encrypted += 1
      return
    }
    patches.add(place, nil)
    if air.header.crc == .wrong || fact?.crc == .wrong {
      report.damaged += 1
    } else {
      report.unread += 1
    }
  }

  /// Replaces the fields of a control PDU.
  private mutating func replaceControl(_ packet: borrowing Packet) {
    let fields = SensitiveFields(packet.dissection, packet.bytes).fields
    let isFound = search.first(in: packet.record.bytes, from: 0) != nil
    guard !fields.isEmpty || isFound else { return }
    changed = packet.record.bytes.array
    for field in fields { replace(field, packet.bytes) }
    if isFound {
      lookThrough(
        sparing: ByteUses(packet.dissection, packet.bytes, packet.record.framing), packet.record)
    }
    patchRecord(packet.record)
  }

  // MARK: ACL data

  private mutating func observeData(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    // A record that repeats one of another file is changed in the same way as that one.
    guard packet.record.original == nil, case .acl(let header) = packet.dissection.content else {
      return
    }
    if ControllerLog.holds(packet.record, packet.dissection) {
      removeLog(packet.record)
      return
    }
    removeTail(packet.record, header)
    if packet.answer.fragment.isFragment || packet.dissection.l2cap == nil || places.isLost
      || places.isOutOfStep
    {
      removeUnfinished(packet)
      return
    }
    // Without its request, an echo may be a piece of anything.
    let isAlone =
      packet.dissection.att?.opcode == .prepareWriteResponse && packet.answer.request == nil
    let isDoubtful = isAlone || self.isDoubtful(packet)
    let values = AttributeValue.all(packet, memory, meanings)
    for value in values where stays(value, packet.bytes) { report.leave(value) }
    let gaps = unclaimed(packet, values)
    // Most packets do not change, so nothing is copied for them.
    let isChanged =
      isAlone || places.areJoined || packet.dissection.smp != nil || options.values == .all
      || !gaps.isEmpty
      || packet.dissection.attFields.signature != nil
      || search.first(in: packet.record.bytes, from: 0) != nil
      || values.contains {
        isRemoved($0, packet.bytes) || !$0.sensitiveFields(packet.bytes).isEmpty
      }
    if isChanged { change(values, gaps, packet, isDoubtful: isDoubtful) }
    leavePayload(packet)
    guard !values.isEmpty, ValueParts.concerns(packet.dissection) else { return }
    let certain = isChanged ? changed : packet.bytes.array
    for chain in longValues.observe(
      packet, isDoubtful ? doubted : certain, certain: certain, memory, places)
    {
      lookThrough(chain)
    }
  }

  /// Returns whether a PDU may have been joined from pieces that do not belong together. If pieces
  /// are missing, ascending handles show that those of a discovery do.
  private func isDoubtful(_ packet: borrowing Packet) -> Bool {
    guard places.areJoined else { return false }
    if places.isDoubtful || !packet.dissection.hasPlausibleHandles(packet.bytes) { return true }
    return places.isTorn && !packet.dissection.isDiscovery(packet.answer.request?.type)
  }

  /// Returns the bytes of a PDU that no field claims, and what follows the PDU in its record.
  private func unclaimed(_ packet: borrowing Packet, _ values: [AttributeValue]) -> [Slice] {
    var gaps: [Slice] = []
    if packet.dissection.att != nil {
      gaps = AttributeValue.unclaimed(packet.dissection, packet.bytes)
      for value in values { if let excess = value.excess(packet.bytes) { gaps.append(excess) } }
    } else if packet.dissection.isSignalling {
      gaps = OtherPayload.inSignalling(
        packet.bytes, packet.dissection.body, onLE: packet.dissection.l2cap?.cid == .leSignalling)
    }
    let end = places.areJoined ? packet.bytes.byteCount : packet.payloadEnd
    let behind = packet.dissection.body.end
    if behind < end { gaps.append(Slice(start: behind, count: end - behind)) }
    return gaps
  }

  /// Changes a whole PDU.
  private mutating func change(
    _ values: [AttributeValue], _ gaps: [Slice], _ packet: borrowing Packet, isDoubtful: Bool
  ) {
    let isSingle = !places.areJoined
    changed = isSingle ? packet.record.bytes.array : packet.bytes.array
    if packet.dissection.smp != nil {
      for field in packet.dissection.sensitiveFieldsOfSMP(packet.bytes) {
        replace(field, packet.bytes)
      }
    }
    if let signature = packet.dissection.attFields.signature {
      replace(SensitiveField(.secret, signature), packet.bytes)
    }
    for value in values { replace(value, packet.bytes) }
    for gap in gaps where remove(gap) { report.unused += 1 }
    if options.values == .all { removePayload(packet) }
    if search.first(in: changed.bytes, from: 0) != nil {
      let uses = ByteUses(
        pdu: packet.dissection, packet.bytes, request: packet.answer.request?.type,
        psm: packet.answer.channel?.psm, count: changed.count,
        end: isSingle ? packet.payloadEnd : changed.count)
      lookThrough(sparing: uses, packet.record)
    }
    if isDoubtful {
      doubted = changed
      removeDoubtful(packet.dissection, packet.bytes)
    }
    if isSingle {
      patchRecord(packet.record)
    } else {
      patches.add(
        places.places(of: Slice(start: 0, count: changed.count), packet.record), changed,
        original: packet.bytes, last: packet.record.number)
      for place in places.behind { patches.add(place, nil, isUnfinished: true) }
    }
  }

  /// Removes what remains of a PDU after its first piece if it may belong to another PDU and so may
  /// be anything.
  private mutating func removeDoubtful(_ dissection: Dissection, _ bytes: RawSpan) {
    // The headers stay, as in removeUnfinished: with them the redacted capture shows the same
    // procedures.
    let header =
      (dissection.body.start > 0 ? L2CAPHeader.size : 0)
      + (dissection.att != nil ? 3 : dissection.smp != nil ? 1 : 0)
    // An echo does not need to keep its first piece: the request has it.
    let echo =
      dissection.att?.opcode == .prepareWriteResponse ? dissection.attFields.value : nil
    let isEcho = echo != nil
    let start = echo.map { Int($0.start) } ?? max(header, places.firstPiece)
    // A byte of a key that was replaced by the same byte stays, or the key would no longer be one.
    let replaced = dissection.sensitiveFieldsOfSMP(bytes).map(\.slice)
    var isRemoved = false
    for index in start..<max(start, changed.count)
    where changed[index] != 0 && (isEcho || changed[index] == bytes.byte(at: index))
      && !replaced.contains(where: { $0.start <= index && index < $0.end })
    {
      changed[index] = 0
      isRemoved = true
    }
    if isRemoved { doubtful += 1 }
  }

  /// Removes a controller's report to its manufacturer: everything after the packet's header, since
  /// it may be anything.
  private mutating func removeLog(_ record: borrowing CaptureRecord) {
    let start = (record.framing == .h4 ? 1 : 0) + 4
    report.controllerLogs += 1
    patches.add(
      RecordPlace(
        record: record.number, offset: start, count: record.bytes.byteCount - start), nil)
  }

  /// Removes what follows an ACL packet's end in its record.
  private mutating func removeTail(_ record: borrowing CaptureRecord, _ header: ACLHeader) {
    if record.framing.isFromAir { return }
    let end = (record.framing == .h4 ? 1 : 0) + 4 + Int(header.length)
    let count = record.bytes.byteCount - end
    guard count > 0 else { return }
    // For a PDU in one record, it is counted with what follows the PDU.
    patches.add(RecordPlace(record: record.number, offset: end, count: count), nil)
  }

  /// Counts a packet of another protocol, which stays.
  private mutating func leavePayload(_ packet: borrowing Packet) {
    guard options.values != .all, packet.dissection.att == nil, packet.dissection.smp == nil,
      !packet.dissection.isSignalling
    else { return }
    if !OtherPayload.of(packet).isEmpty { report.leftPayloads += 1 }
  }

  private mutating func replace(_ value: AttributeValue, _ bytes: RawSpan) {
    if isRemoved(value, bytes) {
      clear(value.slice)
      if value.isSerial { report.serialValues += 1 } else { report.values += 1 }
      if let type = value.type { removed.insert(type.shortest) }
      removed.formUnion(value.otherTypes)
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

  /// Removes the data of protocols that this program does not read completely.
  private mutating func removePayload(_ packet: borrowing Packet) {
    guard packet.dissection.att == nil, packet.dissection.smp == nil,
      !packet.dissection.isSignalling
    else { return }
    if remove(OtherPayload.of(packet)) { report.payloads += 1 }
  }

  /// Zeroes a part of the bytes being changed, and returns whether it contained anything else.
  private mutating func remove(_ slice: Slice) -> Bool {
    var isRemoved = false
    let start = Int(slice.start)
    for index in start..<max(start, min(slice.end, changed.count)) where changed[index] != 0 {
      changed[index] = 0
      isRemoved = true
    }
    return isRemoved
  }

  /// Searches the bytes being changed.
  private mutating func lookThrough(sparing uses: ByteUses, _ record: borrowing CaptureRecord) {
    for outcome in search.replace(in: &changed, sparing: uses) { report.find(outcome, record) }
  }

  /// Records the changes to a record.
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

  /// Removes a part of a PDU whose other parts are missing, or have not come yet: it may be part of
  /// a key, a value or an address. Headers stay, and for ATT and the Security Manager the opcode (1
  /// byte) and ATT's handle (2). If the end comes, the part is written again.
  private mutating func removeUnfinished(_ packet: borrowing Packet) {
    guard case .acl(let header) = packet.dissection.content else { return }
    // A frame of an SDU, whole by itself.
    if packet.dissection.l2cap != nil, !places.isLost, places.areJoined {
      changed = packet.bytes.array
      clear(packet.dissection.body)
      patches.add(places.places(of: Slice(start: 0, count: changed.count), packet.record), changed)
      for place in places.behind { patches.add(place, nil, isUnfinished: true) }
      return
    }
    // If a PDU lies in one record, its body counts from there; else from after the packet's header.
    var start = Int(packet.payload.start)
    if packet.dissection.l2cap != nil, !places.isLost {
      start = Int(packet.dissection.body.start)
    } else if header.boundary != .continuation {
      start += L2CAPHeader.size
      if let channel = packet.answer.fragment.channel {
        if channel.carriesSecurityManager { start += 1 }
        if channel == .attribute { start += 3 }
      }
    }
    let end = packet.payloadEnd
    guard start < end else { return }
    patches.addUnfinished(
      RecordPlace(record: packet.record.number, offset: start, count: end - start))
  }

  // MARK: Advertising data

  /// Replaces fields in joined advertising data, since one may extend over two packets.
  private mutating func replace(_ chain: AdvertisingParts.Chain) {
    changed = chain.bytes
    let bytes = chain.bytes
    if chain.lacksStart {
      // It may be part of anything, perhaps of a Broadcast Code.
      changed = books.keys[bytes]
      report.count(.secret)
    } else {
      let isDoubtful = chain.isDoubtful
      let known = Slice(start: 0, count: isDoubtful ? chain.firstCount : bytes.count)
      for field in SensitiveFields(advertisingData: bytes.bytes, known).fields {
        replace(field, bytes.bytes)
      }
      if isDoubtful, remove(Slice(start: known.end, count: bytes.count - known.end)) {
        report.unused += 1
      }
      let uses = ByteUses(advertisingData: bytes.bytes)
      for outcome in search.replace(in: &changed, sparing: uses) {
        report.find(outcome, chain.last)
      }
    }
    patches.add(chain.places, changed)
  }

  /// Searches a joined value for what extends over two parts; what lies in one of them was replaced
  /// before.
  private mutating func lookThrough(_ chain: ValueParts.Chain) {
    guard search.first(in: chain.bytes.bytes, from: 0) != nil else { return }
    changed = chain.bytes
    for outcome in search.replace(in: &changed, sparing: ByteUses(payload: changed.count)) {
      report.find(outcome, chain.last)
    }
    for echo in chain.echoes { patches.add(echo.places, Array(changed[echo.range])) }
    for index in changed.indices where chain.certain[index] != chain.bytes[index] {
      changed[index] = chain.certain[index]
    }
    patches.add(chain.places, changed)
  }

  // MARK: Changing

  private func isRemoved(_ value: AttributeValue, _ bytes: RawSpan) -> Bool {
    switch options.values {
    case .none: false
    case .all: !value.isStructure(bytes)
    case .types(let types):
      value.type.map { types.contains($0.shortest) } ?? false
        || value.otherTypes.contains(where: types.contains)
    }
  }

  /// Returns whether a value is a device's own data and does not change, unless something known is
  /// found in it.
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

  /// Returns the redaction, once the capture was read to its end.
  package consuming func redaction() -> Redaction {
    var report = report
    if case .types(let types) = options.values {
      // Parts of advertisements were already found.
      report.missingValues = types.filter { !removed.contains($0) && !report.isFound($0) }
    }
    return Redaction(
      books, search, patches, report, last: last, removesStreams: options.values == .all)
  }
}
