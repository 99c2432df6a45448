// Passes the fields of each layer of a packet to a sink, in the shape of the JSON contract and of
// `show -v`. There is one function for each layer.

import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Passes the content of a packet to a sink.
package enum Details {
  /// Appends everything between the record's own fields and its summary.
  static func packet<Sink: FieldSink & ~Copyable>(
    _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    if let link = packet.answer.link { connection(link, memory, to: &sink) }
    // The advertising data of reports is included only once, with the reports.
    let writesReports = !writesReportsAsParameters(memory, Sink.writesAll)
    sink.writesStructures = !writesReports
    // Among the parameters, it is not known which report data belongs to if there are several.
    if !writesReports, memory.advertisements.reports.count == 1 {
      sink.advertiser = memory.advertiser(of: memory.advertisements.reports[0])
    }
    if let air = packet.dissection.air { self.air(air, packet, memory, to: &sink) }
    switch packet.dissection.content {
    case .note(let note): Self.note(note, packet.dissection, packet.bytes, to: &sink)
    case .control(let control): Self.control(control, packet, to: &sink)
    case .advertising, .linkData, .linkControl: break
    case .unknown where packet.dissection.air != nil: break
    case .unknown:
      payload(packet.dissection.body, of: packet.bytes, isSecret: false, to: &sink)
    case .command(let command):
      // Opcode (2 bytes), length of the parameters (1).
      let start = Int(packet.dissection.body.start) - 3
      sink.begin("hci")
      sink.word("kind", "command")
      sink.at(start, 2)
      sink.identifier("opcode", UInt64(command.opcode), digits: 4)
      length(Int(command.length), at: start + 2, 1, to: &sink)
      parameters(packet.dissection, packet.bytes, mayHoldSecret: false, to: &sink)
      sink.end()
    case .event(let event):
      sink.begin("hci")
      Self.event(event, packet, memory, to: &sink)
      sink.end()
    case .acl where packet.dissection.air != nil: l2cap(packet, memory, to: &sink)
    case .acl(let header):
      acl(header, packet, memory, to: &sink)
    case .sco(let header):
      let start = Int(packet.dissection.body.start) - 3
      sink.begin("hci")
      sink.word("kind", "sco")
      sink.at(start, 2)
      sink.identifier("handle", UInt64(header.handle), digits: 4)
      sink.at(start + 1, 1)
      sink.number("packet_status", Int(header.packetStatus))
      sink.at(start + 2, 1)
      sink.number("data_length", Int(header.length))
      sink.end()
    case .iso(let header):
      let start = Int(packet.dissection.body.start) - 4
      sink.begin("hci")
      sink.word("kind", "iso")
      sink.at(start, 2)
      sink.identifier("handle", UInt64(header.handle), digits: 4)
      sink.at(start + 1, 1)
      sink.word("boundary", header.boundary.key)
      sink.at(start + 1, 1)
      sink.flag("has_timestamp", header.hasTimestamp)
      sink.at(start + 2, 2)
      sink.number("data_length", Int(header.length))
      if let load = ISOLoad(header, packet.bytes, packet.dissection.body) {
        Self.isochronous(load, to: &sink)
      }
      sink.end()
    case .controllerLog(let header):
      let start = Int(packet.dissection.body.start) - 4
      sink.begin("hci")
      sink.word("kind", "controller_log")
      sink.at(start, 2)
      sink.identifier("handle", UInt64(header.handle), digits: 4)
      sink.at(start + 2, 2)
      sink.number("data_length", Int(header.length))
      sink.end()
    }
    if let pdu = packet.dissection.att {
      att(pdu, packet, memory, to: &sink)
    }
    if let pdu = packet.dissection.smp { smp(pdu, packet, to: &sink) }
    if let frame = packet.dissection.rfcomm { rfcomm(frame, packet, memory, to: &sink) }
    if writesReports { advertisements(packet.bytes, memory, to: &sink) }
    sink.advertiser = KnownAdvertiser()
  }

  /// Returns whether advertising reports are listed only in place, among the parameters of their
  /// event: if every field is listed and the reports need nothing from other packets, or if there
  /// are no reports.
  static func writesReportsAsParameters(_ memory: borrowing Memory, _ writesAll: Bool) -> Bool {
    if memory.advertisements.reports.isEmpty { return true }
    return writesAll
      && memory.advertisements.reports.allSatisfy { advertisement in
        switch advertisement.report.kind {
        case .legacy, .directed, .extended:
          advertisement.joined == nil && advertisement.chain == nil && !advertisement.isPart
            && !advertisement.lacksFirstPart && !advertisement.mayHoldSecret
        case .periodic, .response, .bigInfo: false
        }
      }
  }

  /// Appends the connection that a packet belongs to. Links that are not connections have no
  /// identity.
  private static func connection<Sink: FieldSink & ~Copyable>(
    _ link: LinkSlot, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let state = ConnectionState(of: link, memory)
    if state.id == 0 || sink.repeats(state) { return }
    defer { sink.remember(state) }
    let connection = memory.links.connection(link)
    sink.begin("connection")
    sink.number("id", connection.id)
    if connection.isOnAir {
      parties(memory.air.link(connection: connection.id), to: &sink)
    } else {
      sink.identifier("handle", UInt64(connection.handle), digits: 4)
    }
    if let peer = connection.peer { sink.address("peer", peer) }
    if let kind = connection.peerKind?.key { sink.word("peer_type", kind) }
    if let identity = connection.otherIdentity { sink.address("identity", identity) }
    if let address = connection.peerResolvable { sink.address("resolvable_address", address) }
    if let entry = connection.name, let name = memory.names[entry] {
      sink.string("name", name.bytes)
    }
    if !connection.isOnAir, let role = connection.role(of: .local) {
      sink.word("local_role", role.key)
    }
    sink.end()
  }

  // MARK: HCI

  private static func event<Sink: FieldSink & ~Copyable>(
    _ event: HCIEvent, _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    // Code (1 byte), length of the parameters (1).
    let start = Int(packet.dissection.body.start)
    sink.word("kind", "event")
    sink.at(start - 2, 1)
    sink.identifier("event", UInt64(event.code), digits: 2)
    length(Int(event.length), at: start - 1, 1, to: &sink)
    if let subevent = event.subevent(packet.bytes, packet.dissection.body) {
      sink.at(start, 1)
      sink.identifier("subevent", UInt64(subevent), digits: 2)
    } else if event.code == HCIEvent.vendorCode, let found = packet.dissection.parameters {
      vendorEvent(found, packet.dissection, packet.bytes, to: &sink)
    }
    if let parameters = packet.dissection.parameters, let status = parameters.status(packet.bytes) {
      sink.code("status", UInt64(status), digits: 2, StatusCode(rawValue: status).name)
    }
    self.answered(packet.answer, to: &sink)
    if let train = memory.advertisements.lostTrain { lost(train, to: &sink) }
    let mayHoldSecret = memory.advertisements.mayHoldSecret
    sink.hidesAdvertising = mayHoldSecret && !sink.showsKeys
    if packet.dissection.mayBeMisread(packet.bytes) {
      name(packet.dissection, to: &sink)
      payload(packet.dissection.body, of: packet.bytes, isSecret: true, to: &sink)
    } else {
      parameters(packet.dissection, packet.bytes, mayHoldSecret: mayHoldSecret, to: &sink)
    }
    sink.hidesAdvertising = false
  }

  /// Appends what precedes the parameters in a vendor event: Android's subevent code, or
  /// Microsoft's event prefix.
  private static func vendorEvent<Sink: FieldSink & ~Copyable>(
    _ found: PacketParameters, _ dissection: Dissection, _ bytes: RawSpan, to sink: inout Sink
  ) {
    let start = Int(dissection.body.start)
    let count = Int(found.outer.start) - start
    guard count > 0 else { return }
    sink.at(start, count)
    if found.row == PDUTable.core.microsoftEvent {
      sink.bytes("prefix", bytes.part(Slice(start: start, count: count)))
    } else {
      sink.identifier("subevent", UInt64(bytes.byte(at: start)), digits: 2)
    }
  }

  /// Appends the request that a packet answers, and the latency.
  static func answered<Sink: FieldSink & ~Copyable>(
    _ answer: Answer, to sink: inout Sink
  ) {
    guard sink.writesAnswers, let request = answer.request else { return }
    sink.number("request", request.packet)
    if let latency = answer.latency {
      sink.quantity("latency", Int(latency / 1000), .latency)
    }
  }

  /// Appends the name of a command or event in the tables, and its parameters; those that are not
  /// described are appended as bytes.
  ///
  /// - Parameter mayHoldSecret: whether its advertising data may be a part of a secret.
  static func parameters<Sink: FieldSink & ~Copyable>(
    _ dissection: Dissection, _ bytes: RawSpan, mayHoldSecret: Bool, to sink: inout Sink
  ) {
    guard let found = dissection.parameters else { return }
    name(dissection, to: &sink)
    fields(found, dissection, bytes, mayHoldSecret: mayHoldSecret, to: &sink)
  }

  /// Appends the parameters of a packet, and the bytes that are not described.
  static func fields<Sink: FieldSink & ~Copyable>(
    _ found: PacketParameters, _ dissection: Dissection, _ bytes: RawSpan, mayHoldSecret: Bool,
    to sink: inout Sink
  ) {
    var rest = (slice: found.outer, isSecret: false)
    sink.begin("parameters")
    if let row = found.row {
      rest = walk(row.parameters, bytes, found.outer, to: &sink)
    }
    if !found.inner.isEmpty { rest = returned(found, dissection, bytes, to: &sink) }
    sink.end()
    payload(rest.slice, of: bytes, isSecret: rest.isSecret || mayHoldSecret, to: &sink)
  }

  /// Appends the name of a command or event in the tables.
  static func name<Sink: FieldSink & ~Copyable>(_ dissection: Dissection, to sink: inout Sink) {
    if let row = dissection.parameters?.row { sink.name("name", row.name) }
  }

  /// Appends the SDU that starts in isochronous data.
  private static func isochronous<Sink: FieldSink & ~Copyable>(
    _ load: ISOLoad, to sink: inout Sink
  ) {
    var offset = load.offset
    if let timestamp = load.timestamp {
      sink.at(offset, 4)
      sink.number("timestamp_us", Int(timestamp))
      offset += 4
    }
    sink.at(offset, 2)
    sink.number("sequence_number", Int(load.sequenceNumber))
    sink.at(offset + 2, 2)
    sink.number("sdu_length", Int(load.sduLength))
    sink.at(offset + 3, 1)
    sink.number("packet_status", Int(load.status))
  }

  /// Appends a length, if every field is listed.
  private static func length<Sink: FieldSink & ~Copyable>(
    _ length: Int, at offset: Int, _ count: Int, to sink: inout Sink
  ) {
    guard Sink.writesAll else { return }
    sink.at(offset, count)
    sink.number("length", length)
  }

  /// Appends the return parameters of a Command Complete. Returns the bytes that no row describes,
  /// and whether they may be secret.
  private static func returned<Sink: FieldSink & ~Copyable>(
    _ found: PacketParameters, _ dissection: Dissection, _ bytes: RawSpan, to sink: inout Sink
  ) -> (slice: Slice, isSecret: Bool) {
    if let completed = found.completed, completed.returns.has(.known) {
      return walk(completed.returns, bytes, found.inner, to: &sink)
    }
    // The status of the kernel's interface comes first and was already appended.
    if case .control = dissection.content {
      let mayHoldSecret =
        found.completed.map { $0.parameters.has(.secret) } ?? false
      return (found.inner, mayHoldSecret)
    }
    let status = bytes.byte(at: Int(found.inner.start))
    sink.at(Int(found.inner.start), 1)
    sink.code("status", UInt64(status), digits: 2, StatusCode(rawValue: status).name)
    return (Slice(start: Int(found.inner.start) + 1, count: Int(found.inner.count) - 1), false)
  }

  /// Appends the parameters that are present. Returns the bytes after them, and whether they may be
  /// secret.
  static func walk<Sink: FieldSink & ~Copyable>(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice, to sink: inout Sink
  ) -> (slice: Slice, isSecret: Bool) {
    guard layout.has(.known) else { return (slice, false) }
    var fields = FieldWalk(bytes, slice)
    // If the bytes end too early, the dissection already has the problem.
    try? fields.walk(layout, &sink)
    let rest = fields.rest()
    let isSecret =
      fields.isFragment || Secrets.mayHold(layout, bytes, rest, behind: fields.advertising)
    return (rest, isSecret)
  }

  // MARK: Data

  private static func acl<Sink: FieldSink & ~Copyable>(
    _ header: ACLHeader, _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    // Handle and flags (2 bytes), length of the data (2); they have no position in a joined PDU.
    let isWhole = packet.dissection.l2cap != nil
    let start = (isWhole ? packet.answer.fragment.start : Int(packet.dissection.body.start)) - 4
    let size = packet.answer.fragment.hasJoinedBytes ? 0 : 1
    sink.begin("hci")
    sink.word("kind", "acl")
    sink.at(start, 2 * size)
    sink.identifier("handle", UInt64(header.handle), digits: 4)
    sink.at(start + 1, size)
    sink.word("boundary", header.boundary.key)
    if header.broadcast != 0 {
      sink.at(start + 1, size)
      sink.number("broadcast", Int(header.broadcast))
    }
    length(Int(header.length), at: start + 2, 2 * size, to: &sink)
    if packet.dissection.l2cap == nil, !packet.answer.fragment.isFragment {
      // A continuation of an unknown PDU may be part of a key.
      payload(packet.dissection.body, of: packet.bytes, isSecret: true, to: &sink)
    }
    sink.end()
    l2cap(packet, memory, to: &sink)
  }

  /// Appends bytes that are not dissected, with their position.
  static func payload<Sink: FieldSink & ~Copyable>(
    _ slice: Slice, of bytes: RawSpan, isSecret: Bool, to sink: inout Sink
  ) {
    sink.at(Int(slice.start), Int(slice.count))
    payload(bytes.part(slice), isSecret: isSecret, to: &sink)
  }

  /// Appends bytes that are not dissected. Some may contain keys: those of the Security Manager,
  /// and those in place of a key.
  static func payload<Sink: FieldSink & ~Copyable>(
    _ payload: RawSpan, isSecret: Bool, to sink: inout Sink
  ) {
    guard payload.byteCount > 0 else { return }
    if isSecret && !sink.showsKeys {
      sink.hidden("data", payload.byteCount)
    } else {
      sink.bytes("data", payload)
    }
  }

  // MARK: Monitor

  private static func note<Sink: FieldSink & ~Copyable>(
    _ note: MonitorNote, _ dissection: Dissection, _ bytes: RawSpan, to sink: inout Sink
  ) {
    // Every kind that has the field has it at the same offset (see `MonitorNote`).
    sink.begin("note")
    sink.word("kind", note.kind.key)
    if let type = note.controllerType {
      sink.at(0, 1)
      sink.number("controller_type", Int(type))
    }
    if let bus = note.bus {
      sink.at(1, 1)
      sink.code("bus", UInt64(bus), digits: 2, MonitorNote.busName(bus))
    }
    if let text = note.text {
      sink.at(Int(text.start), Int(text.count))
      if !sink.showsKeys, let open = note.textWithoutPasskey(bytes) {
        sink.string("text", open.bytes)
      } else {
        sink.string("text", bytes.part(text).beforeZero)
      }
    }
    if let priority = note.priority {
      sink.at(0, 1)
      sink.number("priority", Int(priority))
    }
    if let identifier = note.identifier, !identifier.isEmpty {
      sink.at(Int(identifier.start), Int(identifier.count))
      sink.string("ident", bytes.part(identifier).beforeZero)
    }
    // All zeros: the controller has no address yet.
    if let address = note.address, address != .zero {
      sink.at(note.kind == .newIndex ? 2 : 0, 6)
      sink.address("address", address)
    }
    if let manufacturer = note.manufacturer {
      sink.at(6, 2)
      sink.identifier("manufacturer", UInt64(manufacturer), digits: 4)
      if let name = CompanyID(rawValue: manufacturer).name {
        sink.string("manufacturer_name", name.bytes)
      }
    }
    if let cookie = note.cookie {
      sink.at(0, 4)
      sink.identifier("cookie", UInt64(cookie), digits: 8)
    }
    if let format = note.format {
      sink.at(4, 2)
      sink.number("format", Int(format))
    }
    if let version = note.version {
      sink.at(6, 1)
      sink.number("version", Int(version))
    }
    if let revision = note.revision {
      sink.at(7, 2)
      sink.number("revision", Int(revision))
    }
    if let flags = note.flags {
      sink.at(9, 4)
      sink.identifier("flags", UInt64(flags), digits: 8)
    }
    if let type = note.recordType { packetLogger(type, bytes, to: &sink) }
    payload(dissection.body, of: bytes, isSecret: dissection.isSecretNote, to: &sink)
    sink.end()
  }

  /// Appends the type of a PacketLogger record and, for a line of the system log, its process.
  private static func packetLogger<Sink: FieldSink & ~Copyable>(
    _ type: PacketLoggerType, _ bytes: RawSpan, to sink: inout Sink
  ) {
    sink.code("record_type", UInt64(type.rawValue), digits: 2, type.name)
    var cursor = Cursor(bytes)
    guard type == .systemLog, let line = try? SystemLogLine(parsing: &cursor) else { return }
    sink.number("process_id", Int(line.processIdentifier))
    sink.number("level", Int(line.level))
    if !line.sender.isEmpty { sink.string("sender", bytes.part(line.sender)) }
    if !line.subsystem.isEmpty { sink.string("subsystem", bytes.part(line.subsystem)) }
    if !line.category.isEmpty { sink.string("category", bytes.part(line.category)) }
  }
}

extension RawSpan {
  /// The bytes before the first zero: strings in records are zero-terminated, or fill their field.
  var beforeZero: RawSpan {
    @_lifetime(copy self) get {
      var count = 0
      while count < byteCount, byte(at: count) != 0 { count += 1 }
      return part(Slice(start: 0, count: count))
    }
  }

  /// The bytes without blanks and line breaks at the end.
  var withoutTrailingBlanks: RawSpan {
    @_lifetime(copy self) get {
      var count = byteCount
      while count > 0, byte(at: count - 1) <= 0x20 { count -= 1 }
      return part(Slice(start: 0, count: count))
    }
  }
}
