package import Bytes

/// What one record holds, as far as its bytes alone can tell: numbers, and slices of the packet's
/// bytes, which travel beside it.
///
/// A layer that was decoded stays, however broken the next one is; `problems` says where and why
/// decoding stopped.
package struct Dissection: Sendable {
  /// What the record turned out to be.
  package enum Content: Sendable {
    /// Bytes without a packet type that is known.
    case unknown
    /// A monitor record that is no packet.
    case note(MonitorNote)
    /// A management command or event of the kernel (monitor opcodes 16 and 17).
    case control(ControlRecord)
    /// An HCI command.
    case command(HCICommand)
    /// An HCI event.
    case event(HCIEvent)
    /// ACL data: a whole L2CAP PDU or a fragment of one.
    case acl(ACLHeader)
    /// Synchronous data.
    case sco(SCOHeader)
    /// Isochronous data.
    case iso(ISOHeader)
    /// A controller's debug log, in the form of ACL data: no connection has that handle.
    case controllerLog(ACLHeader)
  }

  // In an order that leaves no gaps: a dissection is copied, once a packet.

  /// What the record is.
  package var content: Content = .unknown
  /// The ATT PDU, where the channel carries ATT.
  package private(set) var att: ATTPDU?
  /// The L2CAP basic header, once the PDU is complete.
  package var l2cap: L2CAPHeader?
  /// The fields of the ATT PDU, which several look at.
  package private(set) var attFields = ATTFields()
  /// The Security Manager's PDU, where the channel carries one.
  package var smp: SMPPDU?
  /// Of a frame on a credit-based channel that begins an SDU: the SDU's length.
  package var sduLength: UInt16?
  /// The bytes after the last header that was decoded: parameters, fragment, payload.
  package var body: Slice = .empty
  /// The rows that describe a command or event.
  package var parameters: HCIParameters?
  /// Of a frame on a channel in one of the retransmission modes or in streaming mode: its control
  /// field.
  package var control: ControlField?
  /// What is wrong with the record, in the order in which it was found.
  package var problems = Problems()
  /// Nothing. Of a type with an existential in it the compiler hands on the address, even where a
  /// parameter is no `borrowing` one. Of others as large as this it would hand on a copy, bit by bit, with
  /// every packet.
  private let anchor: (any Sendable)? = nil

  /// Nothing known.
  package init() {}

  /// Forgets everything: one dissection serves for all packets, and most of what it may hold a packet does
  /// not have.
  package mutating func clear() {
    content = .unknown
    if att != nil {
      att = nil
      attFields = ATTFields()
    }
    if smp != nil { smp = nil }
    body = .empty
    parameters = nil
    l2cap = nil
    sduLength = nil
    control = nil
    problems.clear()
  }

  /// Takes the ATT PDU and its fields.
  mutating func take(_ pdu: ATTPDU) {
    if att != nil { attFields = ATTFields() }
    att = pdu
    pdu.fill(&attFields)
  }
}

/// The headers in front of everything else, and the dispatch on the packet type.
extension Dissection {
  /// Dissects an H4 packet: one type byte (1 command, 2 ACL, 3 SCO, 4 event, 5 ISO), then the
  /// packet (Core, Vol 4, Part A, 2). Where nothing is known yet: all that reads a record does so in place,
  /// since it is done for every packet.
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

  /// Dissects a packet whose type is known from elsewhere.
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
        take(HCIParameters(command, body: body), bytes, status: nil, isTruncated: isTruncated)
      case .event:
        var event = try HCIEvent(parsing: &cursor)
        takeBody(&cursor, claimed: Int(event.length), isTruncated: isTruncated)
        event.isLEMeta = event.code == HCIEvent.leMetaCode && !body.isEmpty
        content = .event(event)
        let found = HCIParameters(event, bytes, body: body)
        take(found, bytes, status: found.status(bytes), isTruncated: isTruncated)
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

  /// Keeps the parameters and checks that their rows and their bytes agree, unless it is already
  /// known that bytes are missing.
  mutating func take(
    _ found: HCIParameters, _ bytes: RawSpan, status: UInt8?, isTruncated: Bool
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

  /// Checks the advertising data of commands, what they return, and inquiry results. That of reports
  /// may be a part of more: `Sessions` checks it.
  @inline(never)
  private mutating func checkAdvertisingData(
    _ layout: HCILayout, _ found: HCIParameters, _ bytes: RawSpan
  ) {
    if case .event(let event) = content, event.isLEMeta { return }
    let slice = found.completed == nil ? found.outer : found.inner
    var checker = ADChecker()
    var fields = HCIFields(bytes, slice)
    try? fields.walk(layout, &checker)
    for index in 0..<checker.problems.count { problems.add(checker.problems[index]) }
  }

  /// Cuts off the bytes that a header's length field claims, and says where it lied.
  ///
  /// In a truncated record the claim is right and the bytes are missing: no second problem.
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
