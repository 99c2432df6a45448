import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The use of each byte of a packet. Bytes that carry the structure (headers, lengths, opcodes,
/// handles, types) must stay, or the rest cannot be read.
struct ByteUses: Sendable {
  private enum Use: UInt8, Sendable {
    /// Content: values, names, advertising data, texts, and what is not dissected.
    case payload
    /// A 16-byte UUID: a device's manufacturer may have put an address into it, but no name.
    case identifier
    case structure
  }

  private var uses: [Use]

  /// Marks all of `count` bytes as payload.
  init(payload count: Int) { uses = [Use](repeating: .payload, count: count) }

  /// Returns whether a byte of something that was found may be replaced.
  func mayChange(_ index: Int, _ kind: RedactionReport.Elsewhere) -> Bool {
    guard uses.indices.contains(index) else { return false }
    switch uses[index] {
    case .payload: return true
    case .identifier: return kind == .address || kind == .secret || kind == .beacon
    case .structure: return false
    }
  }

  private mutating func set(_ slice: Slice, _ use: Use) {
    let start = max(0, Int(slice.start))
    for index in start..<max(start, min(slice.end, uses.count)) { uses[index] = use }
  }

  // MARK: Everything but ACL data

  /// Determines the uses in a record that can be read on its own.
  init(_ dissection: Dissection, _ bytes: RawSpan, _ framing: CaptureRecord.Framing) {
    self.init(payload: bytes.byteCount)
    if let air = dissection.air {
      set(Slice(start: air.pdu.end, count: bytes.byteCount - air.pdu.end), .structure)
    }
    switch dissection.content {
    case .command, .event, .control, .advertising, .linkControl:
      guard let found = dissection.parameters else { return }
      set(Slice(start: 0, count: Int(found.outer.start)), .structure)
      if let row = found.row { walk(row.parameters, bytes, found.outer) }
      if let row = found.completed { walk(row.returns, bytes, found.inner) }
    case .note(let note):
      set(Slice(start: 0, count: bytes.byteCount), .structure)
      for slice in [note.identifier, note.text, dissection.body] {
        if let slice { set(slice, .payload) }
      }
    case .acl, .sco, .iso, .controllerLog, .linkData:
      set(Slice(start: 0, count: Int(dissection.body.start)), .structure)
    // The type byte: changed, it would make another kind of packet.
    case .unknown: if framing == .h4 { set(Slice(start: 0, count: 1), .structure) }
    }
  }

  private mutating func walk(_ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice) {
    guard layout.has(.known) else { return }
    for claim in ParameterClaims(layout, bytes, slice).all {
      switch claim.value {
      // Digits that users compare, and diversifiers, were already replaced.
      case .number: set(claim.slice, .structure)
      case .uuid: set(claim.slice, .identifier)
      case .advertisingData: takeStructures(bytes, claim.slice)
      case .address, .bytes, .text, .secret, .advertisingFragment: break
      }
    }
  }

  /// Determines the uses in advertising data.
  init(advertisingData bytes: RawSpan) {
    self.init(payload: bytes.byteCount)
    takeStructures(bytes, Slice(start: 0, count: bytes.byteCount))
  }

  /// Marks length (1 byte) and type (1) of each AD structure, and lists of UUIDs.
  private mutating func takeStructures(_ bytes: RawSpan, _ slice: Slice) {
    var offset = Int(slice.start)
    while offset < slice.end {
      let length = Int(bytes.byte(at: offset))
      guard length > 0, offset + 1 < slice.end else { return }
      set(Slice(start: offset, count: 2), .structure)
      let data = Slice(start: offset + 2, count: min(length - 1, slice.end - offset - 2))
      switch ADType(rawValue: bytes.byte(at: offset + 1)).layout(count: length - 1) {
      case .uuids, .solicitedUUIDs: set(data, .identifier)
      default: break
      }
      offset += 1 + length
    }
  }

  // MARK: PDUs

  /// Determines the uses in a PDU and in what surrounds it.
  ///
  /// - Parameters:
  ///   - request: the attribute type that the request asked for, if this is an ATT response.
  ///   - psm: the PSM of the channel.
  ///   - count: the number of bytes in all, which exceeds `bytes` if something follows the PDU.
  ///   - end: the end of what may be data.
  init(
    pdu dissection: Dissection, _ bytes: RawSpan, request: BluetoothUUID?, psm: PSM?, count: Int,
    end: Int
  ) {
    self.init(payload: count)
    if end < count { set(Slice(start: end, count: count - end), .structure) }
    let body = dissection.body
    set(Slice(start: 0, count: Int(body.start)), .structure)
    if dissection.att != nil {
      takeATT(dissection, bytes, request)
    } else if let smp = dissection.smp {
      set(body, .structure)
      set(smp.rest(of: body), .payload)
      for field in dissection.sensitiveFieldsOfSMP(bytes) { set(field.slice, .payload) }
    } else if dissection.isSignalling {
      takeSignalling(bytes, body, onLE: dissection.l2cap?.cid == .leSignalling)
    } else {
      set(body, .structure)
      set(OtherPayload.of(dissection, psm, bytes), .payload)
    }
  }

  private mutating func takeATT(
    _ dissection: Dissection, _ bytes: RawSpan, _ request: BluetoothUUID?
  ) {
    let body = dissection.body
    let fields = dissection.attFields
    set(body, .structure)
    if let value = fields.value {
      set(Slice(start: Int(value.start), count: body.end - Int(value.start)), .payload)
    }
    for slice in AttributeValue.unclaimed(dissection, bytes) { set(slice, .payload) }
    let uuid = 16
    // A requested type is the last parameter.
    if let type = fields.type, Int(type.width) == uuid {
      set(Slice(start: Int(body.start) + fields.headSize - uuid, count: uuid), .identifier)
    }
    guard let items = fields.items else { return }
    let isDeclaration =
      dissection.att?.opcode == .readByGroupTypeResponse
      || request.map { $0.shortest.width == 2 && 0x2800...0x2803 ~= $0.shortest.low } ?? false
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      if let type = item.type, Int(type.width) == uuid {
        set(Slice(start: cursor.offset - uuid, count: uuid), .identifier)
      }
      guard let value = item.value else { continue }
      if !isDeclaration {
        set(value, .payload)
      } else if value.count >= uuid {
        set(Slice(start: value.end - uuid, count: uuid), .identifier)
      }
    }
  }

  /// Marks signalling commands: code (1 byte), identifier (1), length (2), data. The data of an
  /// echo, and of a command of unknown layout, is payload.
  private mutating func takeSignalling(_ bytes: RawSpan, _ body: Slice, onLE isLE: Bool) {
    set(body, .structure)
    for data in OtherPayload.inSignalling(bytes, body, onLE: isLE) { set(data, .payload) }
  }
}

/// The data in PDUs of neither ATT nor the Security Manager.
enum OtherPayload {
  /// Returns the data in a packet that does not belong to a value; empty if all of it does.
  static func of(_ packet: borrowing Packet) -> Slice {
    packet.serialValue != nil
      ? .empty : of(packet.dissection, packet.answer.channel?.psm, packet.bytes)
  }

  /// Returns the part of an L2CAP payload that does not carry the structure of its protocol.
  static func of(_ dissection: Dissection, _ psm: PSM?, _ bytes: RawSpan) -> Slice {
    let body = dissection.body
    if let frame = dissection.rfcomm { return data(of: frame, bytes) }
    let kept =
      if dissection.l2cap?.cid == .connectionless {
        2
      } else if psm == .sdp {
        // PDU (1 byte), transaction (2), length (2).
        5
      } else {
        0
      }
    let count = min(kept, Int(body.count))
    return Slice(start: Int(body.start) + count, count: Int(body.count) - count)
  }

  /// Returns the data of an RFCOMM frame: its payload, unless that consists of the multiplexer's
  /// commands, whose fields are known.
  private static func data(of frame: RFCOMMFrame, _ bytes: RawSpan) -> Slice {
    guard frame.kind == .uih, frame.dlci == .control else { return frame.payload }
    var commands = MultiplexerCommands(frame.payload)
    while let command = commands.next(bytes) {
      guard let layout = command.row?.parameters else { return frame.payload }
      let claims = ParameterClaims(layout, bytes, command.values)
      let areKnown = claims.all.allSatisfy { claim in
        if case .number = claim.value { true } else { false }
      }
      guard areKnown, claims.rest.isEmpty else { return frame.payload }
    }
    return commands.rest
  }

  /// Returns the bytes of signalling commands that are not part of L2CAP's structure: the data of
  /// an echo, the data of a command of unknown layout, and what no field claims.
  static func inSignalling(_ bytes: RawSpan, _ body: Slice, onLE isLE: Bool) -> [Slice] {
    var result: [Slice] = []
    var commands = SignallingCommands(body)
    while let command = commands.next(bytes) {
      result += unclaimed(command, bytes)
      // On LE a frame holds one command (Core, Vol 3, Part A, 4).
      if isLE { break }
    }
    // The rest is not a command.
    return (result + [commands.rest]).filter { !$0.isEmpty }
  }

  private static func unclaimed(_ command: SignallingCommand, _ bytes: RawSpan) -> [Slice] {
    // A command that is truncated, or longer than its length, has unknown content.
    guard Int(command.length) == Int(command.data.count) else { return [command.data] }
    var rest = Slice.empty
    guard let pdu = try? SignallingPDU(command, bytes, rest: &rest) else { return [command.data] }
    if pdu.echo != nil || pdu.code.name == nil { return [command.data] }
    guard let options = pdu.options else { return [rest] }
    var list = ConfigurationOptions(options)
    var end = Int(options.start)
    while let option = list.next(bytes), option.size == Int(option.value.count) {
      end = option.value.end
    }
    return [Slice(start: end, count: options.end - end)]
  }
}
