import Bluetooth
import Bytes
import Captures
import Dissectors
package import Sessions

/// The positions of secrets in a record: `-x` and `--raw` show these bytes as `..`.
package struct Secrets: Sendable {
  private var ranges = InlineArray<8, Slice>(repeating: .empty)
  private var count = 0

  /// The number of bytes before the data in an ACL packet (Core, Vol 4, Part E, 5.4.2).
  private static let aclHeaderBytes = 4

  package static let none = Secrets()

  private init() {}

  /// Finds the secrets of a packet in the bytes of its record.
  package init(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    let record = packet.record.bytes
    switch packet.dissection.content {
    case .control where packet.dissection.mayMisplaceSecret: add(packet.dissection.body, of: record)
    case .command, .event, .control:
      guard let found = packet.dissection.parameters else { return }
      if let row = found.row { addParameters(row.parameters, found.outer, of: record) }
      if let row = found.completed { addParameters(row.returns, found.inner, of: record) }
      addAdvertising(record, memory.advertisements)
      // Anything may follow the packet, for instance another one with a key.
      add(
        Slice(
          start: packet.dissection.body.end, count: record.byteCount - packet.dissection.body.end),
        of: record
      )
      if packet.dissection.mayBeMisread(record) { add(packet.dissection.body, of: record) }
    case .acl, .advertising, .linkData, .linkControl, .unknown:
      if let air = packet.dissection.air {
        addAir(air, packet, memory)
      } else if case .acl = packet.dissection.content {
        let start = Self.aclHeaderBytes + (packet.record.framing == .h4 ? 1 : 0)
        addData(record, start..<record.byteCount, packet, memory)
      }
    case .note(let note):
      if packet.dissection.isSecretNote { add(packet.dissection.body, of: record) }
      if let digits = note.passkey(record) { add(digits, of: record) }
    case .sco, .iso, .controllerLog: break
    }
  }

  /// Finds the secrets of a PDU that was split over several packets, in its joined bytes; or of one
  /// that was decrypted, in its plain bytes.
  init(joined packet: borrowing Packet, _ memory: borrowing Memory) {
    if packet.dissection.air != nil, case .acl = packet.dissection.content,
      packet.dissection.l2cap == nil
    {
      let channel = packet.answer.fragment.channel
      guard
        channel?.carriesSecurityManager ?? true || packet.answer.fragment.isDoubtful
          || memory.attributes.hasKeyMaterial
      else { return }
      add(Slice(start: 0, count: packet.bytes.byteCount), of: packet.bytes)
      return
    }
    if packet.answer.fragment.isDoubtful {
      let start = packet.answer.fragment.firstPiece
      add(Slice(start: start, count: packet.bytes.byteCount - start), of: packet.bytes)
    }
    if let pdu = packet.dissection.att, packet.answer.bringsKeyMaterial(pdu.opcode, memory) {
      let start = Int(packet.dissection.body.start) + 1
      add(Slice(start: start, count: packet.bytes.byteCount - start), of: packet.bytes)
    }
    if case .linkControl = packet.dissection.content { addControl(packet) }
    guard packet.dissection.smp != nil else { return }
    // The bytes after a PDU without secrets are unknown.
    let start = Int(packet.dissection.body.start) + packet.dissection.openBytesOfSMP(packet.answer)
    add(Slice(start: start, count: packet.bytes.byteCount - start), of: packet.bytes)
  }

  /// Adds the secret parameters of a command or event.
  private mutating func addParameters(
    _ layout: ParameterLayout, _ slice: Slice, of record: RawSpan
  ) {
    guard layout.has(.secret) || layout.has(.advertisingData) else { return }
    let claims = ParameterClaims(layout, record, slice, isOfSecrets: true)
    for claim in claims.all { add(claim.slice, of: record) }
    // Only a part of an advertising data field is significant; a key in it may extend beyond that
    // part.
    let (data, field) = claims.advertising
    if field.count > data.count,
      ADStructures.holdSecret(record, field) || ADStructures.endInsideSecret(record, data)
    {
      add(field, of: record)
    }
    // A key that is cut short is still most of a key.
    let rest = Int(claims.rest.start)
    let behind = Slice(start: rest, count: record.byteCount - rest)
    if claims.isFragment || Self.mayHold(layout, record, behind, behind: data) {
      add(behind, of: record)
    }
  }

  /// Adds the secrets of a packet from the air in the bytes of its record. What was decrypted here
  /// is not in them.
  private mutating func addAir(
    _ air: AirPacket, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let record = packet.record.bytes
    switch packet.dissection.content {
    case _ where packet.answer.air?.encryption == .decrypted: break
    case .acl:
      // Header (1 byte) and length (1) precede the data, and the CRC follows it.
      let start = min(Int(air.pdu.start) + 2, air.pdu.end)
      addData(record, start..<air.pdu.end, packet, memory)
    case .advertising(let pdu):
      addAdvertising(record, memory.advertisements)
      if memory.advertisements.reports.isEmpty, ADStructures.holdSecretAnywhere(record, pdu.payload)
      {
        add(pdu.payload, of: record)
      }
    case .linkControl where packet.dissection.parameters != nil: addControl(packet)
    default:
      if packet.mayHoldSecret(memory) {
        let start = Int(packet.dissection.body.start)
        add(Slice(start: start, count: record.byteCount - start), of: record)
      }
    }
  }

  /// Adds the secret parameters of a control PDU.
  private mutating func addControl(_ packet: borrowing Packet) {
    guard let found = packet.dissection.parameters, let row = found.row else { return }
    addParameters(row.parameters, found.outer, of: packet.bytes)
  }

  /// Adds Security Manager PDUs that contain keys, and fragments that may.
  ///
  /// - Parameter data: the place of the data in the record.
  private mutating func addData(
    _ record: RawSpan, _ data: Range<Int>, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    var start = data.lowerBound
    if packet.answer.fragment.isDoubtful {
      add(Slice(start: start, count: record.byteCount - start), of: record)
      return
    }
    if packet.dissection.l2cap != nil {
      addAttributeValues(record, end: data.upperBound, packet, memory)
    }
    // The content of a fragment is unknown if its channel is.
    let channel = packet.dissection.l2cap?.cid ?? packet.answer.fragment.channel
    // The attribute of a part of a PDU is known only when the PDU is complete.
    let isPart = packet.dissection.l2cap == nil && memory.attributes.hasKeyMaterial
    guard channel?.carriesSecurityManager ?? true || isPart else { return }
    // To the end of the record, whatever the length field contains.
    if channel == nil, packet.answer.fragment.isFragment,
      packet.answer.fragment.progress.have <= L2CAPHeader.size
    {
      // Everything that has arrived of the PDU so far is a part of its header.
      start += Int(packet.dissection.body.count)
    } else if packet.dissection.l2cap != nil, !packet.answer.fragment.hasJoinedBytes {
      // The PDU is in this record: the opcode is shown, and all of a PDU without secrets. What
      // follows it is unknown.
      start = Int(packet.dissection.body.start) + packet.dissection.openBytesOfSMP(packet.answer)
    } else if packet.dissection.l2cap != nil, !packet.dissection.hidesSMP(packet.answer) {
      let (have, of) = packet.answer.fragment.progress
      let behind =
        Int(packet.dissection.body.count) - packet.dissection.openBytesOfSMP(packet.answer)
      start = max(start, data.upperBound - max(0, have - of) - behind)
    }
    // A CRC would reveal much of what is hidden before it.
    let isOpen = packet.dissection.smp != nil && !packet.dissection.hidesSMP(packet.answer)
    let end = isOpen ? data.upperBound : record.byteCount
    add(Slice(start: start, count: end - start), of: record)
  }

  /// Adds the values of an ATT PDU that are keys, and what follows a PDU without secrets, which may
  /// be a PDU with secrets.
  ///
  /// - Parameter end: the end of the data in the record.
  private mutating func addAttributeValues(
    _ record: RawSpan, end: Int, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    // For an incomplete SDU this is not known yet.
    let hides =
      packet.dissection.att.map { packet.answer.bringsKeyMaterial($0.opcode, memory) }
      ?? (packet.answer.fragment.isFragment && memory.attributes.hasKeyMaterial)
    if packet.answer.fragment.hasJoinedBytes {
      let (have, of) = packet.answer.fragment.progress
      // The data of the last part: all of it if the values are keys, otherwise what exceeds the
      // PDU.
      let count = min(end, max(0, have - of))
      add(
        hides
          ? Slice(start: 0, count: record.byteCount) : Slice(start: end - count, count: count),
        of: record)
    } else {
      // Opcode (1 byte). The handle after it is not secret, but it is also in the request.
      let start = hides ? Int(packet.dissection.body.start) + 1 : packet.dissection.body.end
      add(Slice(start: start, count: (hides ? record.byteCount : end) - start), of: record)
    }
  }

  /// Returns whether the bytes after the parameters that could be read may be a part of a secret.
  ///
  /// - Parameter advertising: the advertising data among those parameters.
  static func mayHold(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ rest: Slice, behind advertising: Slice
  ) -> Bool {
    if layout.has(.secret) { return true }
    guard layout.has(.advertisingData), !rest.isEmpty else { return false }
    return ADStructures.holdSecret(bytes, rest)
      || ADStructures.endInsideSecret(bytes, advertising)
  }

  /// Adds all bytes of reports whose AD structures contain pairing data, or are parts of such data.
  private mutating func addAdvertising(_ record: RawSpan, _ advertisements: Advertisements) {
    for advertisement in advertisements.reports {
      let data = advertisement.report.data
      if advertisement.mayHoldSecret || ADStructures.holdSecret(record, data) {
        add(data, of: record)
      }
    }
  }

  private mutating func add(_ slice: Slice, of record: RawSpan) {
    guard slice.count > 0 else { return }
    if count == ranges.count {
      // Too many to store, so everything is secret.
      ranges[0] = Slice(start: 0, count: record.byteCount)
      return
    }
    ranges[count] = slice
    count += 1
  }

  /// Returns whether the byte at `offset` is part of a secret.
  func contains(_ offset: Int) -> Bool {
    for index in 0..<count
    where offset >= Int(ranges[index].start) && offset < ranges[index].end {
      return true
    }
    return false
  }

  /// Whether nothing is secret.
  package var isEmpty: Bool { count == 0 }
}

extension Dissection {
  /// Whether this is a management record that contains a secret and does not have the length in its
  /// row. The kernel's structures have changed over the years, so the position of a key is then
  /// unknown. If problems were not checked, it is assumed.
  var mayMisplaceSecret: Bool {
    guard case .control = content, let found = parameters else { return false }
    let layouts = [found.row.map(\.parameters), found.completed.map(\.returns)]
    let mayHoldKey = layouts.contains {
      $0.map { $0.has(.secret) || $0.has(.advertisingData) } ?? false
    }
    guard mayHoldKey else { return false }
    guard problems.areLookedFor else { return true }
    for index in 0..<problems.count {
      if problems[index].code == .tooShort || problems[index].code == .leftOver { return true }
    }
    return false
  }

  /// Returns the number of bytes of a Security Manager PDU that are not secret: 0 if it is empty,
  /// the opcode of a PDU that may be secret, otherwise everything that the opcode accounts for.
  fileprivate func openBytesOfSMP(_ answer: Answer) -> Int {
    guard let smp else { return 0 }
    if hidesSMP(answer) { return 1 }
    if case .incomplete = smp { return Int(body.count) }
    return Int(smp.rest(of: body).start - body.start)
  }
}

extension Dissection {
  /// Returns whether this is a vendor event that looks like one of Android's with advertising data,
  /// but does not have its length, and contains what looks like a structure with a secret.
  func mayBeMisread(_ bytes: RawSpan) -> Bool {
    guard case .event(let event) = content, event.code == HCIEvent.vendorCode, !body.isEmpty,
      let row = PDUTable.core.androidEvent(bytes.byte(at: Int(body.start))), parameters?.row != row
    else { return false }
    return row.parameters.has(.advertisingData)
      && ADStructures.holdSecretAnywhere(bytes, body)
  }
}

extension Answer {
  /// How secret the values of a PDU are.
  enum Secrecy {
    case open
    /// The attribute's values are secret or contain secrets; profiles define which part is.
    case known
    /// They may belong to an attribute whose values are secret.
    case doubtful
  }

  /// Returns how secret the values of an ATT PDU are. Values of several attributes may be secret if
  /// there is an attribute whose values are (`SecretTypes`).
  func secrecy(_ opcode: ATTOpcode, _ memory: borrowing Memory) -> Secrecy {
    if fragment.isDoubtful { return .doubtful }
    guard memory.attributes.hasKeyMaterial else { return .open }
    switch opcode {
    case .readMultipleResponse, .readMultipleVariableResponse, .multipleHandleValueNotification:
      return .doubtful
    default: break
    }
    let types = memory.attributes.secretTypes
    if types.contains(request?.type) || listsKeyMaterial { return .doubtful }
    // It is unknown which of several requests it answers: one of them may have requested a key.
    if !memory.doubt.alternatives.isEmpty { return .doubtful }
    if request == nil {
      // The missing request may have requested a key.
      switch opcode {
      case .readResponse, .readBlobResponse, .readByTypeResponse: return .doubtful
      default: break
      }
    }
    return types.contains(attribute.map { memory.attributes[$0].uuid }) ? .known : .open
  }

  /// Returns whether the values of an ATT PDU are secret, contain secrets, or may do so.
  func bringsKeyMaterial(_ opcode: ATTOpcode, _ memory: borrowing Memory) -> Bool {
    secrecy(opcode, memory) != .open
  }
}

extension Answer {
  /// Returns the attribute whose value was joined on this packet, a server's response.
  func attribute(_ joined: JoinedValue, _ memory: borrowing Memory) -> Attributes.Place? {
    link.flatMap { memory.attribute(joined.handle, .readBlobResponse, joined.direction, on: $0) }
  }

  /// Returns how secret a value in parts is.
  func secrecy(_ joined: JoinedValue, _ memory: borrowing Memory) -> Secrecy {
    if joined.mayBeKey { return .doubtful }
    guard memory.attributes.hasKeyMaterial else { return .open }
    guard let place = attribute(joined, memory) else { return .doubtful }
    return memory.attributes.secretTypes.contains(memory.attributes[place].uuid) ? .known : .open
  }
}

extension Output {
  /// Appends a record's bytes in hexadecimal, with secrets as `..`.
  package mutating func hex(_ bytes: RawSpan, hiding secrets: Secrets, separator: UInt8? = nil) {
    guard !secrets.isEmpty else {
      hex(bytes, separator: separator)
      return
    }
    for offset in 0..<bytes.byteCount {
      if offset > 0, let separator { byte(separator) }
      if secrets.contains(offset) { text("..") } else { hex(bytes.byte(at: offset)) }
    }
  }
}

extension MonitorNote {
  /// Returns the text up to its first zero, with `<hidden>` for the digits of a passkey, or nil if
  /// there is no passkey.
  func textWithoutPasskey(_ bytes: RawSpan) -> [UInt8]? {
    guard let text, let digits = passkey(bytes) else { return nil }
    let before = Slice(start: Int(text.start), count: Int(digits.start) - Int(text.start))
    var open = bytes.part(before).array
    open.append(("<hidden>" as StaticString).bytes)
    open.append(bytes.part(text).beforeZero.dropping(Int(digits.end) - Int(text.start)))
    return open
  }
}
