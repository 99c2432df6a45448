// L2CAP's signalling commands: the reader of the commands in a frame, and that of a command by its
// row in `SignallingRows.swift`.

package import Bluetooth
package import Bytes

/// The header of a signalling command, with the position of its data: code (1 byte), identifier
/// (1), length of the data (2) (Core, Vol 3, Part A, 4).
package struct SignallingCommand: Sendable {
  package let code: SignallingCode
  /// The identifier that matches a response with its request; never 0.
  package let identifier: UInt8
  /// The claimed length of the data.
  package let length: UInt16
  /// The offset of the command.
  package let start: Int
  /// The data, as far as it exists.
  package let data: Slice

  /// The header's size in bytes.
  package static let headerSize = 4

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    start = cursor.offset
    code = SignallingCode(rawValue: try cursor.u8())
    identifier = try cursor.u8()
    length = try cursor.u16()
    data = cursor.takeUpTo(Int(length))
  }
}

/// A reader of the commands in a C-frame: several on BR/EDR, one on LE (Core, Vol 3, Part A, 4).
package struct SignallingCommands: Sendable {
  private let end: Int
  private var offset: Int

  /// Reads the commands in the part `frame` of a packet's bytes.
  package init(_ frame: Slice) {
    offset = Int(frame.start)
    end = frame.end
  }

  /// Returns the next command; nil at the end, or if not even a header is left.
  package mutating func next(_ bytes: RawSpan) -> SignallingCommand? {
    var cursor = Cursor(bytes, rest)
    guard let command = try? SignallingCommand(parsing: &cursor) else { return nil }
    offset = command.data.end
    return command
  }

  /// The bytes not yet read.
  package var rest: Slice { Slice(start: offset, count: end - offset) }
}

/// The fields of a signalling command, read by its row.
package struct SignallingPDU: Sendable {
  package let code: SignallingCode
  private let row: SignallingRow.Reference
  /// The offset of the data in the packet's bytes.
  private let start: Int
  private var numbers: InlineArray<15, UInt16> = .init(repeating: 0)
  /// The bytes after the fields: echoed data, options or channel identifiers.
  private let end: Slice

  /// Reads the data of a command.
  ///
  /// - Parameter rest: Set to the bytes that belong to no field.
  package init(
    _ command: SignallingCommand, _ bytes: RawSpan, rest: inout Slice
  ) throws(ParseError) {
    let data = command.data
    code = command.code
    row = SignallingRow.command(command.code)
    start = Int(data.start)
    rest = data
    var offset = 0
    /// The field that is the first of those not there.
    var missing: (offset: Int, width: Int)?
    let fields = row.element.fields.span
    for index in fields.indices where Self.isThere(fields[index], numbers) {
      let field = fields[index]
      let past = field.offset + field.width
      guard past <= data.count else {
        if missing.map({ field.offset < $0.offset }) ?? true {
          missing = (field.offset, field.width)
        }
        continue
      }
      offset = max(offset, past)
      if field.role != .none {
        numbers[field.role.rawValue] = bytes.littleEndianU16(at: start + field.offset)
      }
    }
    var cursor = Cursor(bytes, Slice(start: start + offset, count: Int(data.count) - offset))
    if case .channels(_, let least) = row.element.end, least > 0, cursor.remaining < 2 {
      missing = missing ?? (offset, 2)
    }
    if let missing {
      throw ParseError(
        offset: start + missing.offset, needed: missing.width,
        available: Int(data.count) - missing.offset)
    }
    switch row.element.end {
    case .data, .options: end = cursor.rest()
    // At most five complete ones.
    case .channels: end = cursor.takeUpTo(min(10, cursor.remaining & ~1))
    case .none: end = Slice(start: cursor.offset, count: 0)
    }
    rest = cursor.rest()
  }

  private static func isThere(
    _ field: SignallingField, _ numbers: InlineArray<15, UInt16>
  ) -> Bool {
    let result = numbers[SignallingField.Role.result.rawValue]
    return switch field.presence {
    case .always: true
    case .reason(let reason): result == reason
    case .information(let type):
      result == 0 && numbers[SignallingField.Role.type.rawValue] == type
    }
  }

  private subscript(_ role: SignallingField.Role) -> UInt16 { numbers[role.rawValue] }

  private func field(_ role: SignallingField.Role) -> SignallingField? {
    let fields = row.element.fields.span
    for index in fields.indices where fields[index].role == role { return fields[index] }
    return nil
  }

  private func has(_ role: SignallingField.Role) -> Bool {
    field(role) != nil
  }

  // MARK: Fields, which are 0 if the command does not have them

  /// The protocol of the channel (PSM or SPSM).
  package var psm: PSM { PSM(rawValue: self[.psm]) }
  /// Whether the command contains the protocol of its channel.
  package var namesService: Bool { has(.psm) }
  /// The channel's end on the requesting device; of credits, that on the device that gives them.
  package var source: ChannelID { ChannelID(rawValue: self[.source]) }
  /// The channel's end on the responding device; 0 if there is no channel.
  package var destination: ChannelID { ChannelID(rawValue: self[.destination]) }
  /// The largest SDU that the device accepts.
  package var mtu: UInt16 { self[.mtu] }
  /// The largest K-frame payload that the device accepts.
  package var mps: UInt16 { self[.mps] }
  /// The number of K-frames that the peer may send.
  package var credits: UInt16 { self[.credits] }
  /// What is pending, if the result is pending.
  package var status: UInt16 { self[.status] }
  package var wanted: WantedParameters {
    WantedParameters(
      intervalMin: self[.intervalMin], intervalMax: self[.intervalMax], latency: self[.latency],
      timeout: self[.timeout])
  }

  /// The result in a response, or the reason of Command Reject, with the code set that names it;
  /// nil for other commands.
  package var result: (code: UInt16, set: CodeSet)? {
    row.element.results.map { (self[.result], $0) }
  }

  /// The configuration options of a configure command.
  package var options: Slice? {
    if case .options = row.element.end { end } else { nil }
  }

  /// The bytes of an echo.
  package var echo: Slice? {
    if case .data = row.element.end { end } else { nil }
  }

  /// The list of channel identifiers at the end of an enhanced command.
  package var channels: ChannelList? {
    if case .channels(let kind, _) = row.element.end {
      ChannelList(kind: kind, list: end)
    } else {
      nil
    }
  }

  /// The minimum of MTU and MPS that a device may state, on LE credit-based channels and on
  /// enhanced ones (4.22, 4.25), and the offset of the MTU, which precedes the MPS; nil if the
  /// command does not state them.
  var limits: (least: UInt16, offset: Int)? {
    guard has(.mps), succeeds, let field = field(.mtu) else { return nil }
    let isLE = code == .leConnectionRequest || code == .leConnectionResponse
    return (isLE ? 23 : 64, start + field.offset)
  }

  // MARK: What a response decides

  /// Whether a response grants what was requested, if only some of the channels. True without a
  /// result.
  package var succeeds: Bool {
    let result = self[.result]
    return code == .enhancedConnectionResponse ? [0, 4, 9, 10].contains(result) : result == 0
  }

  /// Whether a response refuses its request. An unknown option or information type is not a
  /// refusal: this is how two devices find out what both support.
  package var isRefusal: Bool {
    let result = self[.result]
    return switch code {
    case .connectionResponse, .createChannelResponse, .moveChannelResponse: result > 1
    case .configureResponse: result == 2 || result == 5
    case .parameterUpdateResponse, .leConnectionResponse, .enhancedConnectionResponse,
      .reconfigureResponse:
      result != 0 && !isPending
    default: false
    }
  }

  /// Whether a response announces another one.
  package var isPending: Bool {
    switch code {
    case .connectionResponse, .createChannelResponse, .moveChannelResponse: self[.result] == 1
    case .configureResponse: self[.result] == 4
    case .enhancedConnectionResponse: (0x0d...0x0f).contains(self[.result])
    default: false
    }
  }

  // MARK: Display

  /// Visits the fields; `channels` and `options` are separate.
  package func walk<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ visitor: inout Visitor
  ) {
    let fields = row.element.fields.span
    for index in fields.indices where Self.isThere(fields[index], numbers) {
      fields[index].visit(bytes, start, isShown: isShown(fields[index]), &visitor)
    }
    if let echo, !echo.isEmpty {
      visitor.field("Echo_Data", line: "", .bytes(.unknown), bytes.part(echo), at: echo)
    }
  }

  private func isShown(_ field: SignallingField) -> Bool {
    switch field.showing {
    case .always: true
    case .nonzero: self[field.role] != 0
    case .success: succeeds
    case .accepting: !isRefusal
    case .pending: isPending
    }
  }
}

extension SignallingField {
  /// Visits the field in data that begins at `start`.
  func visit<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ start: Int, isShown: Bool = true, _ visitor: inout Visitor
  ) {
    let slice = Slice(start: start + offset, count: width)
    var cursor = Cursor(bytes, slice)
    guard let number = try? cursor.unsigned(width: width) else { return }
    visitor.field(
      name, line: isShown ? line : nil, number: Int64(bitPattern: number), width: width, form,
      bytes.part(slice), at: slice)
  }
}

/// A list of channel identifiers, two bytes each.
package struct ChannelList: Sendable {
  /// On which device the channels' ends are.
  enum Kind { case source, destination }

  let kind: Kind
  /// The position of the list.
  package let list: Slice

  package var name: StaticString { kind == .source ? "Source_CIDs" : "Destination_CIDs" }
  /// The words for one identifier in a line.
  package var line: StaticString { kind == .source ? "source CID" : "destination CID" }
  /// The number of identifiers.
  package var count: Int { Int(list.count) / 2 }

  /// Returns the identifier at `index`, which must be below `count`.
  package func channel(_ index: Int, _ bytes: RawSpan) -> ChannelID {
    ChannelID(rawValue: bytes.littleEndianU16(at: Int(list.start) + 2 * index))
  }
}

extension Dissection {
  /// Reads the commands in the C-frame in `body` and records their problems.
  ///
  /// - Parameter isCut: Whether bytes are missing at the end, which is already reported or not an
  ///   error.
  mutating func checkSignalling(_ bytes: RawSpan, onLE isLE: Bool, isCut: Bool) {
    var commands = SignallingCommands(body)
    var count = 0
    while let command = commands.next(bytes) {
      count += 1
      check(command, bytes, isCut: isCut)
      // On LE, a frame has only one command.
      if isLE { break }
    }
    let rest = commands.rest
    guard !rest.isEmpty || count == 0, !isCut else { return }
    if isLE, count > 0 {
      problems.add(Problem(.leftOver, at: Int(rest.start), Int(rest.count)))
    } else {
      problems.add(
        Problem(.tooShort, at: Int(rest.start), SignallingCommand.headerSize, Int(rest.count)))
    }
  }

  private mutating func check(_ command: SignallingCommand, _ bytes: RawSpan, isCut: Bool) {
    let isShort = command.data.count < command.length
    if isShort, !isCut {
      problems.add(
        Problem(
          .lengthTooLarge, at: Int(command.data.start), Int(command.length),
          Int(command.data.count)))
    }
    if command.identifier == 0 { problems.add(Problem(.invalidIdentifier, at: command.start + 1)) }
    if command.code.name == nil {
      problems.add(
        Problem(.unknownOpcode, at: command.start, Int(command.code.rawValue)))
      return
    }
    var rest = Slice.empty
    do throws(ParseError) {
      let pdu = try SignallingPDU(command, bytes, rest: &rest)
      guard !isShort else { return }
      if let options = pdu.options, let problem = ConfigurationOptions.problem(options, bytes) {
        problems.add(problem)
      }
      if let limits = pdu.limits, min(pdu.mtu, pdu.mps) < limits.least {
        let isMTU = pdu.mtu < limits.least
        problems.add(
          Problem(
            .parameterTooSmall, at: limits.offset + (isMTU ? 0 : 2), Int(isMTU ? pdu.mtu : pdu.mps),
            Int(limits.least)))
      }
      if !rest.isEmpty { problems.add(Problem(.leftOver, at: Int(rest.start), Int(rest.count))) }
    } catch {
      // A wrong length field has already been reported.
      if !isShort { problems.add(Problem(error)) }
    }
  }

  /// Whether the PDU is a frame of signalling commands.
  package var isSignalling: Bool {
    guard let l2cap else { return false }
    return l2cap.cid == .signalling || l2cap.cid == .leSignalling
  }
}
