// L2CAP's signalling commands, one struct each (in the files Signalling+….swift), the reader of the
// commands in a frame, and the dispatch from code to struct.

package import Bluetooth
package import Bytes

/// The namespace of the structs that mirror L2CAP's signalling commands (Core, Vol 3, Part A, 4).
package enum Signalling {}

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

/// A signalling command of any kind.
package enum SignallingPDU: Sendable {
  case commandReject(Signalling.CommandReject)
  case connectionRequest(Signalling.ConnectionRequest)
  case connectionResponse(Signalling.ConnectionResponse)
  case configureRequest(Signalling.ConfigureRequest)
  case configureResponse(Signalling.ConfigureResponse)
  case disconnection(Signalling.Disconnection)
  case echo(Signalling.Echo)
  case informationRequest(Signalling.InformationRequest)
  case informationResponse(Signalling.InformationResponse)
  case createChannelRequest(Signalling.CreateChannelRequest)
  case createChannelResponse(Signalling.CreateChannelResponse)
  case moveChannelRequest(Signalling.MoveChannelRequest)
  case moveChannelResponse(Signalling.MoveChannelResponse)
  case moveChannelConfirmation(Signalling.MoveChannelConfirmation)
  case moveChannelConfirmationResponse(Signalling.MoveChannelConfirmationResponse)
  case parameterUpdateRequest(Signalling.ParameterUpdateRequest)
  case parameterUpdateResponse(Signalling.ParameterUpdateResponse)
  case leConnectionRequest(Signalling.LEConnectionRequest)
  case leConnectionResponse(Signalling.LEConnectionResponse)
  case flowControlCredit(Signalling.FlowControlCredit)
  case enhancedConnectionRequest(Signalling.EnhancedConnectionRequest)
  case enhancedConnectionResponse(Signalling.EnhancedConnectionResponse)
  case reconfigureRequest(Signalling.ReconfigureRequest)
  case reconfigureResponse(Signalling.ReconfigureResponse)
  /// A command with a code that the specification does not define.
  case unknown

  /// Reads the data of a command.
  ///
  /// - Parameter rest: Set to the bytes that belong to no field.
  package init(
    _ command: SignallingCommand, _ bytes: RawSpan, rest: inout Slice
  ) throws(ParseError) {
    rest = command.data
    var cursor = Cursor(bytes, command.data)
    self = try Self(command.code, parsing: &cursor)
    rest = cursor.rest()
  }

  @_lifetime(cursor: copy cursor)
  private init(_ code: SignallingCode, parsing cursor: inout Cursor) throws(ParseError) {
    switch code {
    case .commandReject: self = .commandReject(try .init(parsing: &cursor))
    case .connectionRequest: self = .connectionRequest(try .init(parsing: &cursor))
    case .connectionResponse: self = .connectionResponse(try .init(parsing: &cursor))
    case .configureRequest: self = .configureRequest(try .init(parsing: &cursor))
    case .configureResponse: self = .configureResponse(try .init(parsing: &cursor))
    case .disconnectionRequest, .disconnectionResponse:
      self = .disconnection(try .init(parsing: &cursor))
    case .echoRequest, .echoResponse: self = .echo(.init(parsing: &cursor))
    case .informationRequest: self = .informationRequest(try .init(parsing: &cursor))
    case .informationResponse: self = .informationResponse(try .init(parsing: &cursor))
    case .createChannelRequest: self = .createChannelRequest(try .init(parsing: &cursor))
    case .createChannelResponse: self = .createChannelResponse(try .init(parsing: &cursor))
    case .moveChannelRequest: self = .moveChannelRequest(try .init(parsing: &cursor))
    case .moveChannelResponse: self = .moveChannelResponse(try .init(parsing: &cursor))
    case .moveChannelConfirmation:
      self = .moveChannelConfirmation(try .init(parsing: &cursor))
    case .moveChannelConfirmationResponse:
      self = .moveChannelConfirmationResponse(try .init(parsing: &cursor))
    case .parameterUpdateRequest: self = .parameterUpdateRequest(try .init(parsing: &cursor))
    case .parameterUpdateResponse: self = .parameterUpdateResponse(try .init(parsing: &cursor))
    case .leConnectionRequest: self = .leConnectionRequest(try .init(parsing: &cursor))
    case .leConnectionResponse: self = .leConnectionResponse(try .init(parsing: &cursor))
    case .flowControlCredit: self = .flowControlCredit(try .init(parsing: &cursor))
    case .enhancedConnectionRequest:
      self = .enhancedConnectionRequest(try .init(parsing: &cursor))
    case .enhancedConnectionResponse:
      self = .enhancedConnectionResponse(try .init(parsing: &cursor))
    case .reconfigureRequest: self = .reconfigureRequest(try .init(parsing: &cursor))
    case .reconfigureResponse: self = .reconfigureResponse(try .init(parsing: &cursor))
    default: self = .unknown
    }
  }

  /// Visits the fields of fixed size; `channels` and `options` are separate.
  ///
  /// - Parameter start: The offset of the command's data in `bytes`.
  package func walk<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
  ) {
    switch self {
    case .commandReject(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .connectionRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .connectionResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .configureRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .configureResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .disconnection(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .echo(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .informationRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .informationResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .createChannelRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .createChannelResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .moveChannelRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .moveChannelResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .moveChannelConfirmation(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .moveChannelConfirmationResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .parameterUpdateRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .parameterUpdateResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .leConnectionRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .leConnectionResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .flowControlCredit(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .enhancedConnectionRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .enhancedConnectionResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .reconfigureRequest(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .reconfigureResponse(let pdu): pdu.walk(bytes, at: start, &visitor)
    case .unknown: break
    }
  }

  /// The list of channel identifiers at the end of an enhanced command.
  package var channels: ChannelList? {
    switch self {
    case .enhancedConnectionRequest(let pdu):
      ChannelList(name: "Source_CIDs", line: "source CID", list: pdu.sourceCIDs)
    case .enhancedConnectionResponse(let pdu):
      ChannelList(name: "Destination_CIDs", line: "destination CID", list: pdu.destinationCIDs)
    case .reconfigureRequest(let pdu):
      ChannelList(name: "Destination_CIDs", line: "destination CID", list: pdu.destinationCIDs)
    default: nil
    }
  }

  /// The configuration options of a configure command.
  package var options: Slice? {
    switch self {
    case .configureRequest(let pdu): pdu.options
    case .configureResponse(let pdu): pdu.options
    default: nil
    }
  }

  /// The result in a response, with the code set that names it; nil for other commands.
  package var result: (code: UInt16, set: CodeSet)? {
    switch self {
    case .commandReject(let pdu): (pdu.reason, .l2capReject)
    case .connectionResponse(let pdu): (pdu.result, .l2capConnectionResult)
    case .configureResponse(let pdu): (pdu.result, .l2capConfigureResult)
    case .informationResponse(let pdu): (pdu.result, .l2capInformationResult)
    case .createChannelResponse(let pdu): (pdu.result, .l2capConnectionResult)
    case .moveChannelResponse(let pdu): (pdu.result, .l2capMoveResult)
    case .moveChannelConfirmation(let pdu): (pdu.result, .l2capMoveConfirmation)
    case .parameterUpdateResponse(let pdu): (pdu.result, .l2capUpdateResult)
    case .leConnectionResponse(let pdu): (pdu.result, .l2capCreditResult)
    case .enhancedConnectionResponse(let pdu): (pdu.result, .l2capEnhancedResult)
    case .reconfigureResponse(let pdu): (pdu.result, .l2capReconfigureResult)
    default: nil
    }
  }

  /// Whether a response refuses its request. An unknown option or information type is not a
  /// refusal: this is how two devices find out what both support.
  package var isRefusal: Bool {
    switch self {
    case .connectionResponse(let pdu): pdu.result > 1
    case .configureResponse(let pdu): pdu.result == 2 || pdu.result == 5
    case .createChannelResponse(let pdu): pdu.result > 1
    case .moveChannelResponse(let pdu): pdu.result > 1
    case .parameterUpdateResponse(let pdu): pdu.result != 0
    case .leConnectionResponse(let pdu): pdu.result != 0
    case .enhancedConnectionResponse(let pdu): pdu.result != 0 && !pdu.isPending
    case .reconfigureResponse(let pdu): pdu.result != 0
    default: false
    }
  }

  /// The MTU and MPS that a device accepts on credit-based channels, the minimum for both (23 on LE
  /// credit-based channels, 64 on enhanced ones: 4.22, 4.25), and the offset in the command's data
  /// of the MTU, which precedes the MPS.
  var limits: (mtu: UInt16, mps: UInt16, least: UInt16, offset: Int)? {
    switch self {
    case .leConnectionRequest(let pdu): (pdu.mtu, pdu.mps, 23, 4)
    case .leConnectionResponse(let pdu) where pdu.result == 0: (pdu.mtu, pdu.mps, 23, 2)
    case .enhancedConnectionRequest(let pdu): (pdu.mtu, pdu.mps, 64, 2)
    case .enhancedConnectionResponse(let pdu) where pdu.opensSome: (pdu.mtu, pdu.mps, 64, 0)
    case .reconfigureRequest(let pdu): (pdu.mtu, pdu.mps, 64, 0)
    default: nil
    }
  }

  /// Whether a response announces another one.
  package var isPending: Bool {
    switch self {
    case .connectionResponse(let pdu): pdu.result == 1
    case .createChannelResponse(let pdu): pdu.result == 1
    case .configureResponse(let pdu): pdu.result == 4
    case .moveChannelResponse(let pdu): pdu.result == 1
    case .enhancedConnectionResponse(let pdu): pdu.isPending
    default: false
    }
  }
}

/// A list of channel identifiers, two bytes each.
package struct ChannelList: Sendable {
  package let name: StaticString
  /// The words for one identifier in a line.
  package let line: StaticString
  /// The position of the list; an odd last byte belongs to none.
  package let list: Slice

  /// The number of identifiers.
  package var count: Int { Int(list.count) / 2 }

  /// Returns the identifier at `index`, which must be below `count`.
  package func channel(_ index: Int, _ bytes: RawSpan) -> ChannelID {
    ChannelID(rawValue: bytes.littleEndianU16(at: Int(list.start) + 2 * index))
  }
}

extension FieldVisitor where Self: ~Copyable {
  /// Visits a number that is at `offset`.
  mutating func number(
    _ name: StaticString, _ value: some FixedWidthInteger & UnsignedInteger,
    _ form: Parameter.Form = .plain, line: StaticString? = nil, _ bytes: RawSpan, at offset: Int
  ) {
    let width = value.bitWidth / 8
    let slice = Slice(start: offset, count: width)
    field(
      name, line: line, .number(Int64(truncatingIfNeeded: value), width: width, form),
      bytes.part(slice), at: slice)
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
      if let limits = pdu.limits, min(limits.mtu, limits.mps) < limits.least {
        let isMTU = limits.mtu < limits.least
        problems.add(
          Problem(
            .parameterTooSmall,
            at: Int(command.data.start) + limits.offset + (isMTU ? 0 : 2),
            Int(isMTU ? limits.mtu : limits.mps), Int(limits.least)))
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
