import Bluetooth
package import Bytes

/// The contents of one record, as far as its bytes alone determine them: numbers, and slices of the
/// packet's bytes, which are passed alongside.
///
/// A decoded layer is kept even if the next one is broken; `problems` lists where and why decoding
/// stopped.
package struct Dissection: Sendable {
  /// The kind of record, with its decoded header.
  package enum Content: Sendable {
    /// Bytes without a known packet type.
    case unknown
    /// A monitor record that is not a packet.
    case note(MonitorNote)
    /// A management command or event of the kernel (monitor opcodes 16 and 17).
    case control(ControlRecord)
    /// An HCI command.
    case command(HCICommand)
    /// An HCI event.
    case event(HCIEvent)
    /// ACL data: a whole L2CAP PDU or a fragment.
    case acl(ACLHeader)
    /// Synchronous data.
    case sco(SCOHeader)
    /// Isochronous data.
    case iso(ISOHeader)
    /// A controller's debug log in the form of ACL data, with a handle that no connection has.
    case controllerLog(ACLHeader)
    /// A PDU on the air, on an advertising channel.
    case advertising(AdvertisingPDU)
    /// A PDU on the air, on another channel, that is not passed to L2CAP: it is empty, resent,
    /// encrypted or damaged, or belongs to a stream. What is passed to L2CAP is `acl`.
    case linkData(LinkPDU)
    /// A Link Layer control PDU; `parameters` has its row.
    case linkControl(LinkPDU)
  }

  // Ordered without gaps, since a dissection is set up once per packet.

  package var content: Content = .unknown
  /// The ATT PDU, if the channel carries ATT.
  package private(set) var att: ATTPDU?
  /// The L2CAP basic header, once the PDU is complete.
  package var l2cap: L2CAPHeader?
  /// The fields of the ATT PDU, filled in once for all readers.
  package private(set) var attFields = ATTFields()
  /// The PDU of another protocol that is dissected; at most one of them has a PDU.
  private enum Other {
    case none
    case smp(SMPPDU)
    case rfcomm(RFCOMMFrame)
  }
  private var other = Other.none
  /// The SDU length, in a frame on a credit-based channel that begins an SDU.
  package var sduLength: UInt16?
  /// The bytes after the last decoded header: parameters, fragment or payload.
  package var body: Slice = .empty
  /// What an event reports about links, keys and commands.
  package private(set) var fact: EventFact = .other
  /// The table rows that describe a command or event.
  package var parameters: PacketParameters?
  /// The control field, in a frame on a channel in a retransmission mode or streaming mode.
  package var control: ControlField?
  /// For a record from the air: the sniffer's header and the Link Layer packet.
  package var air: AirPacket?
  /// The problems of the record, in the order in which they were found.
  package var problems = Problems()
  private let passing = PassedByReference()

  package init() {}

  /// Resets everything, if one dissection is used for several packets.
  package mutating func clear() {
    if case .event = content { fact = .other }
    content = .unknown
    if att != nil {
      att = nil
      attFields = ATTFields()
    }
    other = .none
    body = .empty
    parameters = nil
    l2cap = nil
    sduLength = nil
    control = nil
    if air != nil { air = nil }
    problems.clear()
  }

  /// The Security Manager PDU, if the channel carries one.
  package var smp: SMPPDU? {
    get { if case .smp(let pdu) = other { pdu } else { nil } }
    set { other = newValue.map { .smp($0) } ?? .none }
  }

  /// The RFCOMM frame, if the channel carries RFCOMM.
  package internal(set) var rfcomm: RFCOMMFrame? {
    get { if case .rfcomm(let frame) = other { frame } else { nil } }
    set { other = newValue.map { .rfcomm($0) } ?? .none }
  }

  /// Reads the ATT PDU at `cursor`; of one that is too short, keeps opcode and bytes.
  ///
  /// - Parameter missing: the number of its bytes that the capture did not keep.
  @_lifetime(cursor: copy cursor)
  mutating func readATT(_ cursor: inout Cursor, missing: Int) throws(ParseError) {
    let opcode = ATTOpcode(rawValue: try cursor.u8())
    if att != nil { attFields = ATTFields() }
    att = ATTPDU(opcode: opcode)
    var again = cursor
    do throws(ParseError) {
      try attFields.read(opcode, parsing: &cursor, missing: missing)
    } catch {
      att = ATTPDU(opcode: opcode, isIncomplete: true)
      attFields = ATTFields()
      attFields.data = again.rest()
      throw error
    }
  }
}

/// The headers before everything else, and the dispatch on the packet type.
extension Dissection {
  /// Dissects an H4 packet: one type byte (1 command, 2 ACL, 3 SCO, 4 event, 5 ISO), then the
  /// packet (Core, Vol 4, Part A, 2). The dissection must be empty. Records are read in place,
  /// since this is done for every packet.
  package mutating func read(h4 bytes: RawSpan, isTruncated: Bool) {
    guard bytes.byteCount > 0 else {
      if !isTruncated { problems.add(Problem(.emptyRecord)) }
      return
    }
    let type = bytes.byte(at: 0)
    guard let type = PacketType(rawValue: type) else {
      body = Slice(start: 0, count: bytes.byteCount)
      problems.add(Problem(.unknownPacketType, at: 0, Int(type)))
      return
    }
    var cursor = Cursor(bytes.dropping(1), base: 1)
    parse(type, bytes, &cursor, isTruncated: isTruncated)
  }

  /// Dissects a packet whose type is already known.
  package mutating func read(_ type: PacketType, _ bytes: RawSpan, isTruncated: Bool) {
    var cursor = Cursor(bytes)
    parse(type, bytes, &cursor, isTruncated: isTruncated)
  }

  @_lifetime(cursor: copy cursor)
  private mutating func parse(
    _ type: PacketType, _ bytes: RawSpan, _ cursor: inout Cursor, isTruncated: Bool
  ) {
    do throws(ParseError) {
      switch type {
      case .command:
        let command = try HCICommand(parsing: &cursor)
        content = .command(command)
        takeBody(&cursor, claimed: Int(command.length), isTruncated: isTruncated)
        let found = PacketParameters(command, bytes, body: body)
        store(found, bytes, status: nil, isTruncated: isTruncated)
      case .event:
        var event = try HCIEvent(parsing: &cursor)
        takeBody(&cursor, claimed: Int(event.length), isTruncated: isTruncated)
        event.isLEMeta = event.code == HCIEvent.leMetaCode && !body.isEmpty
        content = .event(event)
        var whole = Cursor(bytes, body)
        fact.read(event, &whole)
        let found = PacketParameters(event, bytes, body: body)
        store(found, bytes, status: found.status(bytes), isTruncated: isTruncated)
      case .acl:
        let header = try ACLHeader(parsing: &cursor)
        content = .acl(header)
        takeBody(&cursor, claimed: Int(header.length), isTruncated: isTruncated)
      case .sco:
        let header = try SCOHeader(parsing: &cursor)
        content = .sco(header)
        takeBody(&cursor, claimed: Int(header.length), isTruncated: isTruncated)
      case .iso:
        let header = try ISOHeader(parsing: &cursor)
        content = .iso(header)
        takeBody(&cursor, claimed: Int(header.length), isTruncated: isTruncated)
      }
    } catch {
      if !isTruncated { problems.add(Problem(error)) }
      body = cursor.rest()
    }
  }

  /// Stores the parameters and checks their bytes against their rows, unless bytes are already
  /// known to be missing.
  mutating func store(
    _ found: PacketParameters, _ bytes: RawSpan, status: UInt8?, isTruncated: Bool
  ) {
    parameters = found
    guard !isTruncated, problems.isEmpty, problems.areLookedFor else { return }
    if let problem = found.problem(bytes, status: status) {
      problems.add(problem)
    } else if let layout = found.completed?.returns ?? found.row?.parameters,
      layout.has(.advertisingData)
    {
      checkAdvertisingData(layout, found, bytes)
    }
  }

  /// Checks the advertising data in commands, return parameters and inquiry results. The data of a
  /// report may be only a part; `Sessions` checks it.
  @inline(never)
  private mutating func checkAdvertisingData(
    _ layout: ParameterLayout, _ found: PacketParameters, _ bytes: RawSpan
  ) {
    if case .event(let event) = content, event.isLEMeta { return }
    let slice = found.completed == nil ? found.outer : found.inner
    var checker = ADChecker()
    var fields = FieldWalk(bytes, slice)
    try? fields.walk(layout, &checker)
    for index in 0..<checker.problems.count { problems.add(checker.problems[index]) }
  }

  /// Cuts off the number of bytes that a header's length field claims, and records a mismatch.
  ///
  /// In a truncated record the claim is correct and bytes are missing, which is not another
  /// problem.
  @_lifetime(cursor: copy cursor)
  private mutating func takeBody(_ cursor: inout Cursor, claimed: Int, isTruncated: Bool) {
    let available = cursor.remaining
    let offset = cursor.offset
    body = cursor.takeUpTo(claimed)
    if claimed > available, !isTruncated {
      problems.add(Problem(.lengthTooLarge, at: offset, claimed, available))
    } else if claimed < available {
      problems.add(Problem(.leftOver, at: offset + claimed, available - claimed))
    }
  }
}

/// The packet types of H4 (Core, Vol 4, Part A, 2).
package enum PacketType: UInt8, Sendable {
  case command = 1, acl, sco, event, iso
}
