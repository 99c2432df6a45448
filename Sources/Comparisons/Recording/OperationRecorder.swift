import Bluetooth
import Bytes
import Captures
import Decoders
import Histories
import Dissectors
import Meanings
import Reports
import Sessions

/// Records the operations on each connection, as `diff` compares them. Memory grows with the
/// operations, up to a limit: the two sides can be compared only when both are known.
struct OperationRecorder: ~Copyable {
  /// What is kept of all connections together.
  private(set) var session = ComparedSession()
  /// The operations of each connection, by connection number.
  private(set) var operations: [Int: [ComparedOperation]] = [:]
  /// The attributes of `session.roles`, by index.
  private var identities: [NamedAttribute] = []
  /// The role of this host on each connection.
  private var centrals: [Int: Side] = [:]
  /// The connections with data that is not recorded: that of other L2CAP channels.
  private(set) var uncompared: Set<Int> = []
  private var places: [AttributeKey: Int] = [:]
  private var messages: [String: Int] = [:]
  /// Requests that find attributes or set the MTU, until they are answered, by connection and
  /// packet.
  private var unanswered: [Int: [Int: Unanswered]] = [:]
  /// The last request that was answered, by connection and by whether the host sent it.
  private var lastAnswered: [Int: [Bool: Int]] = [:]
  /// Decodes values.
  private(set) var reading: ValueReading
  let showsKeys: Bool
  /// The user's profiles.
  let profiles: SuppliedProfiles
  private let bounds: SessionBounds
  private var kept = 0
  /// The packet of the first operation that was not kept, or nil if all were.
  private(set) var firstLeftOut: Int?

  /// A request that was not answered yet.
  private struct Unanswered {
    /// The index of its operation on the connection.
    let place: Int
    let isByHost: Bool
    let opcode: ATTOpcode
    /// The MTU that it offers.
    var mtu: UInt16 = 0
  }

  /// The result of a request whose end is not in the capture.
  private static let captureEnds: Wording = "no answer: the capture ends"
  /// The result of a request that nothing answers.
  private static let noResponse: Wording = "no response"
  /// The result of a request whose answer may be missing from the capture.
  static let notCaptured: Wording = "no answer that the capture has"

  /// Identifies an attribute among all servers; without a handle, by its type.
  private struct AttributeKey: Hashable {
    var server: UInt64
    var side: Side
    var handle: UInt16
    var uuid: BluetoothUUID?
  }

  init(_ profiles: SuppliedProfiles, showsKeys: Bool, _ bounds: SessionBounds) {
    self.bounds = bounds
    reading = ValueReading(profiles, showsKeys: showsKeys, keepsRecent: true)
    self.showsKeys = showsKeys
    self.profiles = profiles
  }

  // MARK: Packets

  /// Records a packet: follows its protocol, and stores everything that is not a value.
  mutating func follow(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if packet.dissection.att != nil { reading.follow(packet, memory) }
    // The answers may be among the lost records.
    if memory.links.gap == packet.record.number { unanswered = [:] }
    // A packet that another file contains, too, was recorded already.
    guard packet.record.original == nil, let link = packet.answer.link,
      let direction = packet.record.direction
    else {
      return
    }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    if packet.dissection.isOfOtherChannel(packet.answer) {
      if uncompared.count < bounds.connections { uncompared.insert(id) }
    } else if let pdu = packet.dissection.smp {
      let isByCentral = isByCentral(direction, memory.links.connection(link))
      add(pdu, packet, direction == .sent, isByCentral, id)
    } else if let pdu = packet.dissection.att {
      observe(pdu.opcode, packet.dissection.attFields, direction, packet, id, memory)
    }
  }

  /// Returns whether the central sent packets of this direction, or nil if the roles are unknown.
  private mutating func isByCentral(_ direction: Direction, _ connection: Connection) -> Bool? {
    guard let central = connection.central else { return nil }
    if centrals.count < bounds.connections { centrals[connection.id] = central }
    return Side(sent: direction) == central
  }

  /// Records an ATT PDU that finds attributes or sets the MTU. Values come from `Conversations`.
  private mutating func observe(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ direction: Direction, _ packet: borrowing Packet,
    _ id: Int, _ memory: borrowing Memory
  ) {
    guard let link = packet.answer.link else { return }
    let isByCentral = isByCentral(direction, memory.links.connection(link))
    // The request that the packet answers.
    let request = packet.answer.request.flatMap { answered($0.packet, direction != .sent, id) }
    switch opcode {
    case .exchangeMTURequest:
      guard let mtu = fields.mtu else { return }
      var operation = ComparedOperation(
        .exchangeMTU, connection: id, packet: packet.record.number, time: packet.record.time)
      (operation.isByHost, operation.isByCentral) = (direction == .sent, isByCentral)
      guard append(operation) else { return }
      expectAnswer(packet.record.number, direction == .sent, id, to: opcode, offering: mtu)
    case .exchangeMTUResponse:
      guard let request, let mtu = fields.mtu else { return }
      let words = keep("client \(request.mtu), server \(mtu)")
      settleMTU(request, id, packet.record) {
        $0.latency = packet.answer.latency
        $0.text = words
        $0.value = words
      }
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest:
      discover(opcode, direction == .sent, isByCentral, id, packet.record)
    case .readByTypeRequest where fields.type?.declares == true:
      discover(opcode, direction == .sent, isByCentral, id, packet.record)
    case .errorResponse: refuse(fields, request, id, packet.record)
    default: break
    }
  }

  /// Records a request whose operation is the last one, until it is answered.
  private mutating func expectAnswer(
    _ packet: Int, _ isByHost: Bool, _ id: Int, to opcode: ATTOpcode, offering mtu: UInt16 = 0
  ) {
    guard let place = operations[id]?.indices.last else { return }
    if let waiting = unanswered[id], waiting.count >= bounds.unanswered,
      let oldest = waiting.keys.min()
    {
      unanswered[id]?[oldest] = nil
    }
    unanswered[id, default: [:]][packet] = Unanswered(
      place: place, isByHost: isByHost, opcode: opcode, mtu: mtu)
  }

  /// Records that a request was answered, and returns it if it was pending.
  private mutating func answered(_ packet: Int, _ isByHost: Bool, _ id: Int) -> Unanswered? {
    if operations[id] != nil { lastAnswered[id, default: [:]][isByHost] = packet }
    return unanswered[id]?.removeValue(forKey: packet)
  }

  /// Completes an MTU exchange with its answer, by which it is reported.
  private mutating func settleMTU(
    _ request: Unanswered, _ id: Int, _ record: borrowing CaptureRecord,
    _ complete: (inout ComparedOperation) -> Void
  ) {
    guard var operation = operations[id]?[request.place] else { return }
    operation.packet = record.number
    operation.lastPacket = record.number
    operation.time = record.time
    complete(&operation)
    operations[id]?[request.place] = operation
  }

  /// Records a request that looks for attributes. Consecutive ones are one operation, since their
  /// number depends on the MTU and on the attributes.
  private mutating func discover(
    _ opcode: ATTOpcode, _ isByHost: Bool, _ isByCentral: Bool?, _ id: Int,
    _ record: borrowing CaptureRecord
  ) {
    if let last = operations[id]?.last, last.kind == .discovery, last.failure == nil,
      last.isByHost == isByHost, let place = operations[id]?.indices.last
    {
      operations[id]?[place].count += 1
      operations[id]?[place].requests.insert(opcode)
      operations[id]?[place].lastPacket = record.number
      expectAnswer(record.number, isByHost, id, to: opcode)
      return
    }
    var operation = ComparedOperation(
      .discovery, connection: id, packet: record.number, time: record.time)
    (operation.isByHost, operation.isByCentral) = (isByHost, isByCentral)
    operation.requests = [opcode]
    guard append(operation) else { return }
    expectAnswer(record.number, isByHost, id, to: opcode)
  }

  /// Records an Error Response to a request that is not about a value.
  private mutating func refuse(
    _ fields: ATTFields, _ request: Unanswered?, _ id: Int, _ record: borrowing CaptureRecord
  ) {
    guard let error = fields.error, let opcode = fields.requestOpcode else { return }
    switch opcode {
    case .exchangeMTURequest:
      guard let request else { return }
      let failure = keep("\(error)")
      settleMTU(request, id, record) { $0.failure = failure }
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest,
      .readByTypeRequest:
      // A discovery ends when nothing more is found.
      guard error != .attributeNotFound, let request else { return }
      fail(request, id, "\(error)")
    default: break
    }
  }

  /// Stores why a request that finds attributes or sets the MTU failed; for a discovery, also which
  /// of its requests failed.
  private mutating func fail(_ request: Unanswered, _ id: Int, _ reason: Wording) {
    guard operations[id]?[request.place].kind == .discovery else {
      let words = keep(reason)
      operations[id]?[request.place].failure = words
      return
    }
    let name = request.opcode.name.map { "\($0): " as Wording } ?? ""
    let words = keep("\(name)\(reason)")
    operations[id]?[request.place].failure = words
    operations[id]?[request.place].failedRequest = request.opcode
  }

  // MARK: Keeping

  /// Returns whether there is room for an operation. Once there is none, that is remembered, and
  /// there is none for later ones either.
  private mutating func hasRoom(_ id: Int, _ packet: Int) -> Bool {
    guard firstLeftOut == nil else { return false }
    if kept < bounds.operations, session.bytes.count < bounds.bytes,
      identities.count <= bounds.attributes,
      operations.count < bounds.connections || operations[id] != nil
    {
      return true
    }
    firstLeftOut = packet
    return false
  }

  /// Stores an operation if there is room, and returns whether there was.
  @discardableResult
  private mutating func append(_ operation: ComparedOperation) -> Bool {
    guard hasRoom(operation.connection, operation.packet) else { return false }
    kept += 1
    operations[operation.connection, default: []].append(operation)
    return true
  }

  /// Stores bytes.
  private mutating func keep(_ span: RawSpan) -> Slice {
    let start = session.bytes.count
    session.bytes.append(span)
    return Slice(start: start, count: span.byteCount)
  }

  /// Stores words.
  private mutating func keep(_ words: Wording) -> Slice { keep([UInt8](words.text.utf8).bytes) }

  /// Returns the index of an attribute in `identities`.
  private mutating func place(_ attribute: AttributeIdentity) -> Int {
    let key = AttributeKey(
      server: attribute.server, side: attribute.side, handle: attribute.handle ?? 0,
      uuid: attribute.handle == nil ? attribute.uuid : nil)
    if let known = places[key] {
      // It may have been unknown at its first use.
      if identities[known].uuid == nil { identities[known] = NamedAttribute(attribute) }
      return known
    }
    places[key] = identities.count
    identities.append(NamedAttribute(attribute))
    return identities.count - 1
  }

  // MARK: Values that are transferred, or were requested

  /// Records the values of a packet.
  mutating func record(_ conversations: Conversations, _ memory: borrowing Memory) {
    for value in conversations.values
    where value.parties.connection > 0 && value.operation != .data {
      record(value, conversations.bytes, memory)
    }
  }

  private mutating func record(
    _ value: ConveyedValue, _ bytes: [UInt8], _ memory: borrowing Memory
  ) {
    guard hasRoom(value.parties.connection, value.packet) else { return }
    var operation = ComparedOperation(
      .value(value.operation), connection: value.parties.connection, packet: value.packet,
      time: value.time)
    operation.lastPacket = max(value.packet, value.response ?? 0)
    operation.latency = value.latency
    // The client reads and writes; the server notifies and indicates.
    let sender =
      switch value.operation {
      case .notification, .indication: value.attribute.side
      default: value.attribute.side.other
      }
    operation.isByHost = sender == .local
    let connection = value.parties.connection
    if let central = centrals[connection] ?? central(of: connection, memory) {
      operation.isByCentral = sender == central
    }
    operation.role = place(value.attribute)
    operation.offset = value.operation == .read ? value.offset : 0
    operation.isHidden = value.isKeyMaterial && !showsKeys
    let isRead = reading.read(value, bytes.bytes, memory)
    if let name = reading.name(value.attribute.uuid), let role = operation.role {
      identities[role].profileName = name
    }
    if let slice = value.value {
      let content = bytes.bytes.part(slice)
      operation.value = keep(content)
      if isRead { describe(content, in: &operation) }
    }
    operation.failure = failure(of: value)
    if case .noResponse = value.outcome { operation.isUnanswered = operation.failure != nil }
    operation.lacksAnswer = value.lacksAnswer
    operation.lacksRequest = value.lacksRequest
    operation.isCut = value.isCut
    operation.isRestRefused = value.isRestRefused
    operation.unknown = value.outcome.reason.flatMap { reason in
      switch reason {
      case .captureEnded:
        keep(
          value.direction.map { memory.hasSeenAnswers($0.reversed) } ?? true
            ? Self.captureEnds : Self.notCaptured)
      case .recordsLost, .forgotten: keep(Self.notCaptured)
      case .connectionEnded, .timedOut, .overtaken: nil
      }
    }
    append(operation)
  }

  private mutating func central(of id: Int, _ memory: borrowing Memory) -> Side? {
    var found: Side?
    memory.links.forEach { if $0.id == id { found = $0.central } }
    if centrals.count < bounds.connections { centrals[id] = found }
    return found
  }

  private mutating func failure(of value: ConveyedValue) -> Slice? {
    switch value.outcome {
    case .done: return nil
    case .refused(let error):
      var words = Output()
      words.error(error, reading.profiles.errorName(of: value))
      if value.lacksRequest { words.text(", to a request that is not in the capture") }
      return keep(words.bytes)
    case .cancelled: return keep("cancelled")
    case .notExecuted(let reason), .noResponse(let reason):
      switch reason {
      // What is missing from the capture reveals nothing about the devices.
      case .captureEnded, .recordsLost, .forgotten: return nil
      case .connectionEnded, .timedOut, .overtaken: break
      }
      if case .notExecuted = value.outcome { return keep("not executed") }
      return keep(Self.noResponse)
    }
  }

  /// Stores the meaning of the value that was decoded last.
  private mutating func describe(
    _ value: RawSpan, in operation: inout ComparedOperation
  ) {
    let start = session.bytes.count
    let line = reading.meaning.line.bytes.array
    session.bytes += line
    operation.text = Slice(start: start, count: line.count)
    if let sighting = reading.meaning.sighting {
      operation.message = message(sighting)
      if sighting.frame == nil { return }
    }
    let first = session.bytes.count
    if let whole = reading.meaning.sighting?.bytes {
      fields(whole.bytes)
    } else {
      fields(value)
    }
    guard session.bytes.count > first else { return }
    operation.fields = Slice(start: first, count: session.bytes.count - first)
  }

  /// Returns the name of a vendor message: its command, not its content.
  private mutating func message(_ sighting: VendorSighting) -> Int {
    var name = sighting.vendor.profile
    if sighting.frame == nil {
      name += " part"
    } else {
      name += " \(reading.meaning.decoded.definition?.name ?? "")"
    }
    if let command = sighting.command { name += " \(command)" }
    if let known = messages[name] { return known }
    messages[name] = session.messages.count
    session.messages.append(name)
    return session.messages.count - 1
  }

  /// Stores the fields of the value that was decoded last.
  private mutating func fields(_ value: RawSpan) {
    guard let writer = reading.meaning.writer() else { return }
    var groups: [(name: String, end: Int)] = []
    var text = Output()
    for (place, entry) in reading.meaning.decoded.fields.enumerated() {
      while let group = groups.last, group.end <= place { groups.removeLast() }
      let name = writer.name(entry)
      if entry.form == .group {
        groups.append((name, entry.end))
        continue
      }
      text.clear()
      var kind = FieldList.Kind.plain
      switch entry.form {
      case .checksumOK, .checksumBad:
        kind = entry.form == .checksumOK ? .checksum : .wrongChecksum
        text.hex(value.part(entry.bytes), separator: 0x20)
        text.text(entry.form == .checksumOK ? " ok" : " bad")
      case .dateTime:
        kind = .time
        writer.entry(place, value, into: &text)
      default: writer.entry(place, value, into: &text)
      }
      let path = (groups.map(\.name) + [name]).joined(separator: ".")
      FieldList.append([UInt8](path.utf8), text.bytes.array, kind, to: &session.bytes)
    }
  }

  // MARK: Security Manager PDUs

  /// Records a PDU.
  private mutating func add(
    _ pdu: SMPPDU, _ packet: borrowing Packet, _ isByHost: Bool, _ isByCentral: Bool?, _ id: Int
  ) {
    guard hasRoom(id, packet.record.number) else { return }
    let body = packet.bytes.part(packet.dissection.body)
    let hides = packet.dissection.hidesSMP(packet.answer) && !showsKeys
    var operation = ComparedOperation(
      .pairing(pdu.opcode), connection: id, packet: packet.record.number, time: packet.record.time)
    (operation.isByHost, operation.isByCentral) = (isByHost, isByCentral)
    switch pdu {
    case .pairing(let features):
      operation.value = keep(body)
      operation.text = keep(features.words)
      operation.fields = keep(keysOf: features)
    case .failed(let reason):
      operation.value = keep(body)
      operation.failure = keep("\(reason)")
    case .securityRequest(let wanted):
      operation.value = keep(body)
      operation.text = keep(wanted.words)
    case .confirm(let confirm):
      operation.random = keep([("confirm_value", hex(confirm, packet.bytes))], isSecret: hides)
    case .random(let value):
      operation.random = keep([("random_value", hex(value, packet.bytes))], isSecret: hides)
    case .publicKey(let key):
      operation.random = keep(
        [("public_key_x", hex(key.x, packet.bytes)), ("public_key_y", hex(key.y, packet.bytes))],
        isSecret: hides)
    case .dhKeyCheck(let check):
      operation.random = keep([("dhkey_check", hex(check, packet.bytes))], isSecret: hides)
    case .encryptionInformation(let key):
      operation.random = keep([("long_term_key", hex(key, packet.bytes))], isSecret: hides)
    case .centralIdentification(let identification):
      operation.random = keep(
        [
          ("ediv", "\(code: identification.ediv, digits: 4)"),
          ("rand", hex(identification.rand, packet.bytes)),
        ], isSecret: hides)
    case .identityInformation(let key):
      operation.random = keep([("identity_resolving_key", hex(key, packet.bytes))], isSecret: hides)
    case .signingInformation(let key):
      operation.random = keep([("signature_key", hex(key, packet.bytes))], isSecret: hides)
    case .identityAddressInformation(let identity):
      operation.value = keep(body)
      operation.text = keep("\(identity.address)")
    case .incomplete:
      operation.value = keep(body)
      operation.isHidden = hides
      operation.isCut = packet.record.isTruncated
      if pdu.opcode == .pairingFailed, packet.record.isTruncated {
        operation.unknown = keep("its reason is cut off")
      }
    case .keypressNotification, .unknown:
      operation.value = keep(body)
      operation.isHidden = hides
    }
    append(operation)
  }

  private func hex(_ slice: Slice, _ bytes: RawSpan) -> Wording {
    "\(hex: bytes.part(slice).array)"
  }

  /// Stores fields that are chosen at random for every session, or computed from such fields.
  private mutating func keep(
    _ fields: [(name: StaticString, value: Wording)], isSecret: Bool = false
  ) -> Slice {
    let start = session.bytes.count
    for (name, value) in fields {
      FieldList.append(
        [UInt8](name.description.utf8), [UInt8](value.text.utf8), isSecret ? .secret : .random,
        to: &session.bytes)
    }
    return Slice(start: start, count: session.bytes.count - start)
  }

  /// Stores the keys that both sides are to distribute, which the words of a pairing omit.
  private mutating func keep(keysOf features: SMP.PairingFeatures) -> Slice {
    let start = session.bytes.count
    let keys = [
      ("initiator_keys", features.initiatorKeys), ("responder_keys", features.responderKeys),
    ]
    for (name, keys) in keys {
      let names = (0..<8).filter { keys.rawValue >> $0 & 1 != 0 }.map { bit in
        KeyDistribution.short(bit: bit)?.description ?? "bit \(bit)"
      }
      let words = names.isEmpty ? "none" : names.joined(separator: " ")
      FieldList.append([UInt8](name.utf8), [UInt8](words.utf8), .plain, to: &session.bytes)
    }
    return Slice(start: start, count: session.bytes.count - start)
  }

  // MARK: What is known only at the end

  /// Completes the record after the capture was read to its end.
  mutating func finish(
    _ connections: [ConnectionHistory], _ devices: [MapDevice], _ memory: borrowing Memory
  ) {
    for index in identities.indices where identities[index].identity.mayBeKnownBetter {
      let known = identities[index].identity
      guard let handle = known.handle else { continue }
      identities[index].identity = memory.identity(
        of: handle, known.server, known.side, connection: 0)
    }
    judgeUnanswered(connections, memory)
    let twins = TwinAttributes(devices)
    session.roles = identities.map { ComparedSession.Role($0, twins, memory) }
    for history in connections {
      let parts = memory.coverage.parts(of: history.connection)
      if !parts.isSuperset(of: .bothDirections) { forgetMissingAnswers(history.id) }
      addEnds(of: history, hasEvents: parts.contains(.events))
    }
    // Sorting is stable.
    for id in operations.keys { operations[id]?.sort { $0.settled < $1.settled } }
  }

  /// Makes the outcome of unanswered operations unknown, on a connection of which the capture lacks
  /// one direction.
  private mutating func forgetMissingAnswers(_ id: Int) {
    for index in (operations[id] ?? []).indices {
      guard operations[id]?[index].isUnanswered ?? false else { continue }
      operations[id]?[index].isUnanswered = false
      operations[id]?[index].failure = nil
      operations[id]?[index].failedRequest = nil
      let words = keep(Self.notCaptured)
      operations[id]?[index].unknown = words
    }
  }

  /// Adds how a connection begins and ends, and how it is encrypted.
  private mutating func addEnds(of history: ConnectionHistory, hasEvents: Bool) {
    let connection = history.connection
    let id = history.id
    let central = connection.central
    var connect = ComparedOperation(
      .connect, connection: id, packet: connection.firstPacket, time: connection.firstTime)
    connect.isByCentral = central == nil ? nil : true
    connect.isByHost = central.map { $0 == .local }
    var added = connection.isOpeningMissing ? [] : [connect]
    for attempt in history.encryption.attempts {
      var encryption = ComparedOperation(
        .encryption, connection: id, packet: attempt.moment.packet, time: attempt.moment.time)
      encryption.isByHost = attempt.starter.map { $0 == .local }
      encryption.isByCentral = attempt.starter.flatMap { side in central.map { side == $0 } }
      encryption.lastPacket = attempt.end?.packet ?? attempt.moment.packet
      if attempt.ediv != 0 || attempt.rand != 0 {
        encryption.random = keep([
          ("random_number", "\(code: attempt.rand, digits: 16)"),
          ("encrypted_diversifier", "\(code: attempt.ediv, digits: 4)"),
        ])
      }
      if let status = attempt.failure {
        encryption.failure = keep("\(status)")
      } else if attempt.isKeyMissingHere {
        // The central's controller reports this.
        encryption.failure = keep("\(StatusCode.pinOrKeyMissing)")
      } else if attempt.outcome == .off {
        encryption.text = keep("off")
        encryption.value = encryption.text
      } else if attempt.outcome == nil {
        if connection.hasEndedInCapture, !connection.hasLostPackets {
          encryption.failure = keep("no answer before the connection ended")
        } else {
          encryption.unknown = keep(
            hasEvents && !connection.hasLostPackets ? Self.captureEnds : Self.notCaptured)
        }
      }
      added.append(encryption)
    }
    let end = end(of: history, hasEvents: hasEvents)
    operations[id, default: []].insert(contentsOf: added, at: 0)
    operations[id, default: []].append(end)
  }

  /// Determines the results of requests that were never answered: the client waits for an answer
  /// before it continues, and the link has to exist.
  private mutating func judgeUnanswered(
    _ connections: [ConnectionHistory], _ memory: borrowing Memory
  ) {
    let hasAnswers = memory.hasHeard(.sent) && memory.hasHeard(.received)
    for history in connections {
      let id = history.id
      let parts = memory.coverage.parts(of: history.connection)
      for (packet, request) in (unanswered[id] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard operations[id]?[request.place].failure == nil else { continue }
        let isOvertaken = (lastAnswered[id]?[request.isByHost] ?? 0) > packet
        let isOver = isOvertaken || history.connection.hasEndedInCapture
        if !hasAnswers || !parts.isSuperset(of: .bothDirections) {
          let words = keep(Self.notCaptured)
          operations[id]?[request.place].unknown = words
        } else if isOver {
          fail(request, id, Self.noResponse)
          operations[id]?[request.place].isUnanswered = true
        } else {
          let words = keep(Self.captureEnds)
          operations[id]?[request.place].unknown = words
        }
      }
    }
  }

  private mutating func end(
    of history: ConnectionHistory, hasEvents: Bool
  ) -> ComparedOperation {
    let connection = history.connection
    var end = ComparedOperation(
      .end, connection: history.id, packet: connection.lastPacket ?? .max, time: connection.lastTime
    )
    let words: Wording
    // The reason, by which ends are compared beside the device.
    var value: Wording?
    switch connection.ending {
    case .localHost, .peer:
      let side: Side = connection.ending == .localHost ? .local : .peer
      let who: Wording =
        connection.role(of: side).map { "by the \($0.key)" }
        ?? "by \(side.words(connection.vantage))"
      // The usual reasons only mean that one side ended the link.
      let isUsual =
        connection.reason == .remoteUserTerminated
        || connection.reason == .connectionTerminatedByLocalHost
      let reason: Wording =
        isUsual ? "" : connection.reason.map { (code: StatusCode) -> Wording in ": \(code)" } ?? ""
      words = "\(who)\(reason)"
      value = reason
      end.isByHost = side == .local
      end.isByCentral = connection.central.map { $0 == side }
    case nil, .forgotten, .fileEnded:
      words =
        hasEvents ? "still open when the capture ends" : "its end is not in the capture: no events"
      end.unknown = keep(words)
    case .unknown, .replaced: words = "for a reason that is not in the capture"
    case .timeout, .neverEstablished, .micFailure, .reset, .controller:
      words = connection.reason.map { "\($0)" } ?? "the controller ends the link"
      end.failure = keep(words)
    }
    end.text = keep(words)
    end.value = value.map { keep($0) } ?? end.text
    return end
  }
}

extension Connection {
  /// Whether its end is in the capture.
  fileprivate var hasEndedInCapture: Bool {
    ending != nil && ending != .forgotten && ending != .fileEnded
  }
}

extension ComparedOperation {
  /// The packet by which it is ordered: the one that completes it. A server answers in the same
  /// order at both ends of a link, while requests on several bearers overtake each other's answers.
  fileprivate var settled: Int { kind == .discovery ? packet : max(packet, lastPacket) }
}

extension BluetoothUUID {
  /// Whether attributes of this type declare others, so that reading them is discovery.
  fileprivate var declares: Bool { width == 2 && 0x2800...0x2803 ~= low }
}

extension Dissection {
  /// Whether it is a whole PDU of an L2CAP channel that carries neither ATT nor pairing nor
  /// signalling.
  fileprivate func isOfOtherChannel(_ answer: Answer) -> Bool {
    guard let cid = l2cap?.cid, !answer.fragment.isFragment, answer.channel?.bearer == nil else {
      return false
    }
    // The fixed channels are ATT, both Security Managers and the signalling channels.
    return att == nil && smp == nil && ![1, 4, 5, 6, 7].contains(cid.rawValue)
  }
}
