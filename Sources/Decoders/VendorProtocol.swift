package import Bluetooth
package import Bytes

/// A vendor's protocol: where it is spoken, its frames, and what its messages mean.
///
/// Open frames and open requests are kept in Sessions; what is here says, from bytes and numbers
/// alone, whether a frame begins or is complete, which message it is, and whether a response fits a
/// request.
package final class VendorProtocol: Sendable {
  /// Where the protocol is spoken; what is nil is not asked for.
  package struct Claim: Sendable, Equatable {
    /// A device's name, with `*` and `?`.
    package var device: String?
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID?
    package var company: UInt16?
    /// Wherever a whole frame is seen.
    package var isFrame = false

    /// Everywhere.
    package init() {}

    /// Whether nothing but the frame is asked for.
    package var isAnywhere: Bool {
      isFrame && device == nil && service == nil && characteristic == nil && company == nil
    }
  }

  /// A way that messages go.
  package enum Channel: Sendable, Equatable {
    /// Writes with and without response; notifications and indications; reads.
    case write, notify, read
    /// A characteristic.
    case characteristic(BluetoothUUID)
  }

  /// How responses belong to requests.
  package struct Exchange: Sendable, Equatable {
    /// Whether a command is a request's; nil: the channel says so.
    package var request: [Operation]?
    /// The command of the response to a command; nil: any.
    package var response: [Operation]?
    /// Whether both have one sequence number.
    package var usesSequence = false
    /// After so many milliseconds a request has no answer.
    package var timeout = 5000
    /// Of a control point: the response's field that repeats the request's command; empty: none.
    package var requestField = ""

    /// In order.
    package init() {}

    /// Whether a command is a request's; nil: the channel says so.
    ///
    /// - Parameter frame: the frame, whose header the rule may ask for.
    package func isRequest(_ command: Int, _ frame: RawSpan = RawSpan()) -> Bool? {
      guard let request else { return nil }
      return Self.run(request, command, frame).isTrue
    }

    /// Whether one command can be the answer to another.
    package func answers(_ answer: Int?, _ command: Int?) -> Bool {
      guard let rule = response else { return true }
      guard let command, let answer else { return false }
      let expected = Self.run(rule, command, RawSpan())
      return expected.isKnown && expected.number == answer
    }
  }

  /// Messages that follow one that announces them.
  package struct Series: Sendable, Equatable {
    /// How many: an expression, whose place among the programs of the announcing message this is.
    package var count: Int
    /// The command of those that follow.
    package var command: Int
    /// Their field that numbers them; empty: none. And the first one's number.
    package var index: String
    package var first: Int
    /// After so many milliseconds without one the series is over.
    package var timeout: Int

    /// A series.
    package init(count: Int, command: Int, index: String, first: Int, timeout: Int) {
      self.count = count
      self.command = command
      self.index = index
      self.first = first
      self.timeout = timeout
    }
  }

  /// A message.
  package struct Message: Sendable {
    /// Its commands; nil: those that no other message has.
    package var commands: ClosedRange<Int>?
    /// Only as a request, only as a response; nil: as either.
    package var isRequest: Bool?
    /// It answers nothing.
    package var isUnsolicited: Bool
    /// Nothing answers it.
    package var isUnanswered: Bool
    /// What is announced.
    package var series: Series?
    /// The fields: those of the header, then those of the payload.
    package var definition: Definition
    /// Whether the profile does not have it: the one for commands that no other message has.
    package var isImplied = false

    /// A message.
    package init(
      commands: ClosedRange<Int>?, isRequest: Bool?, isUnsolicited: Bool, isUnanswered: Bool,
      series: Series?, definition: Definition
    ) {
      self.commands = commands
      self.isRequest = isRequest
      self.isUnsolicited = isUnsolicited
      self.isUnanswered = isUnanswered
      self.series = series
      self.definition = definition
    }
  }

  /// The profile's name, and a few words for people.
  package let profile: String
  package let title: String
  /// Where it is spoken: any of these.
  package let claims: [Claim]
  /// The ways of requests and of responses.
  package let requests: [Channel]
  package let responses: [Channel]
  /// The frames.
  package let frame: FrameLayout
  /// How responses belong to requests.
  package let exchange: Exchange
  /// The messages, those without commands last.
  package let messages: [Message]
  /// Whether a message has a field that is secret.
  package let hasSecrets: Bool
  /// How many messages the profile has.
  package var messageCount: Int { messages.count { !$0.isImplied } }

  /// A protocol.
  package init(
    profile: String, title: String, claims: [Claim], requests: [Channel], responses: [Channel],
    frame: FrameLayout, exchange: Exchange, messages: [Message]
  ) {
    self.profile = profile
    self.title = title
    self.claims = claims
    self.requests = requests
    self.responses = responses
    self.frame = frame
    self.exchange = exchange
    self.messages = messages
    hasSecrets = messages.contains { $0.definition.hasSecrets }
  }

  /// The first of the claims that a characteristic fulfils, but for the frame, those that ask for more
  /// than a frame before those that do not; nil where there is none.
  package func claim(
    characteristic: BluetoothUUID, service: BluetoothUUID?, isOfDevice: (String) -> Bool
  ) -> Claim? {
    let fitting = claims.filter { claim in
      if let wanted = claim.characteristic, wanted.shortest != characteristic { return false }
      if let wanted = claim.service, wanted.shortest != service { return false }
      if let device = claim.device, !isOfDevice(device) { return false }
      return claim.company == nil
    }
    return fitting.first { !$0.isAnywhere } ?? fitting.first
  }

  /// Whether a frame is a request.
  ///
  /// - Parameters:
  ///   - bytes: those that the frame's places count in.
  ///   - onRequestChannel: whether it came on a channel for requests.
  package func isRequest(_ frame: Frame, _ bytes: RawSpan, onRequestChannel: Bool) -> Bool {
    exchange.isRequest(frame.command ?? 0, bytes.part(frame.bytes)) ?? onRequestChannel
  }

  /// The message of a command.
  package func message(_ command: Int?, isRequest: Bool) -> Message? {
    var other: Message?
    for message in messages {
      if let only = message.isRequest, only != isRequest { continue }
      guard let commands = message.commands else {
        other = other ?? message
        continue
      }
      if let command, commands.contains(command) { return message }
    }
    return other
  }

  /// Whether these bytes begin with a whole frame whose checksum is right: what recognises the
  /// protocol where nothing else does.
  package func isRecognized(in bytes: RawSpan) -> Bool {
    guard frame.isVerifiable, case .complete(let count) = frame.extent(of: bytes) else {
      return false
    }
    return frame.parts(of: bytes, Slice(start: 0, count: count)).isSound
  }

  /// Decodes the message of a frame that is whole, its checksum too.
  package func decode(
    _ frame: Frame, _ message: Message, _ bytes: RawSpan, isRequest: Bool,
    externals: [Known] = [], with decoder: inout ValueDecoder, into decoded: inout Decoded
  ) {
    // A header stands before the payload, and is read with it.
    let hasHeader = message.definition.tables.fields.contains { $0.flags.contains(.open) }
    let start = hasHeader ? Int(frame.bytes.start) : Int(frame.payload.start)
    let slice = Slice(start: start, count: frame.payload.end - start)
    let context = DecodingContext(
      isWritten: isRequest, command: frame.command ?? 0, externals: externals)
    decoder.decode(message.definition, bytes, slice, context, into: &decoded)
    if let padding = self.frame.padding { decoded.leaveOut(padding, bytes) }
    guard let checksum = frame.checksum, let part = self.frame.checksum?.part else { return }
    let end = frame.bytes.end
    let at = part.at < 0 ? end + part.at : Int(frame.bytes.start) + part.at
    let place = Slice(start: frame.isJoined ? max(0, end - part.width) : at, count: part.width)
    decoded.fields.append(
      DecodedField(
        field: DecodedField.frameChecksum, form: frame.isSound ? .checksumOK : .checksumBad,
        raw: Int(checksum.expected), bytes: place, end: decoded.fields.count + 1))
    guard !frame.isSound else { return }
    decoded.problems.append(
      DecodingProblem(
        code: .badChecksum, field: DecodedField.frameChecksum, bytes: place,
        found: Int(checksum.found), expected: Int(checksum.expected)))
  }
}

extension VendorProtocol.Exchange {
  /// What a rule over a command comes to.
  private static func run(
    _ operations: [Operation], _ command: Int, _ frame: RawSpan
  ) -> Known {
    // Of a fixed size, since this is asked for every message.
    var stack = InlineArray<32, Known>(repeating: .unknown)
    var depth = 0
    for operation in operations {
      guard let code = operation.code, depth >= code.arity, depth < stack.count || code.arity > 0
      else { return .unknown }
      switch code.arity {
      case 0:
        stack[depth] =
          code == .number
          ? Known(operation.operand)
          : code == .header ? HeaderPart(operation.operand).number(in: frame) : Known(command)
        depth += 1
      case 1: stack[depth - 1] = code.result(stack[depth - 1])
      default:
        stack[depth - 2] = code.result(stack[depth - 2], stack[depth - 1])
        depth -= 1
      }
    }
    return depth > 0 ? stack[depth - 1] : .unknown
  }
}

/// A number in the header of a frame, as an operation's operand says where it stands.
package struct HeaderPart: Sendable, Equatable {
  /// The first byte, and how many, 1 to 8.
  package var at: Int
  package var width: Int
  package var isBigEndian: Bool
  /// The first bit of the number, and how many.
  package var bit: Int
  package var bitCount: Int

  /// All of a number.
  package init(at: Int, width: Int, isBigEndian: Bool) {
    self.at = at
    self.width = width
    self.isBigEndian = isBigEndian
    bit = 0
    bitCount = 8 * width
  }

  /// From an operand.
  init(_ operand: Int) {
    at = operand >> 24 & 0xffff
    width = max(1, min(8, operand >> 16 & 0xf))
    isBigEndian = operand >> 20 & 1 == 1
    bit = operand >> 8 & 0x3f
    bitCount = operand & 0x7f
  }

  /// As an operand.
  package var operand: Int {
    at << 24 | (isBigEndian ? 1 << 20 : 0) | width << 16 | bit << 8 | bitCount
  }

  /// The number; not known where the frame does not reach so far.
  func number(in frame: RawSpan) -> Known {
    guard at + width <= frame.byteCount else { return .unknown }
    let number = ValueDecoder.load(frame, at, width, bigEndian: isBigEndian) >> UInt64(bit)
    let mask = bitCount >= 64 ? UInt64.max : 1 << UInt64(bitCount) - 1
    return Known(Int(truncatingIfNeeded: number & mask))
  }
}

extension Decoded {
  /// Adds bytes that nothing explains.
  package mutating func addTail(_ tail: Slice) {
    fields.append(DecodedField(field: -1, form: .tail, bytes: tail, end: fields.count + 1))
    problems.append(
      DecodingProblem(
        code: .trailingBytes, field: -1, bytes: tail, found: Int(tail.count), expected: 0))
  }

  /// Takes back that no field explains the bytes at the end, where all of them only fill up.
  fileprivate mutating func leaveOut(_ padding: UInt8, _ bytes: RawSpan) {
    guard let tail = fields.last, tail.form == .tail, problems.last?.code == .trailingBytes else {
      return
    }
    let rest = bytes.part(tail.bytes)
    for offset in 0..<rest.byteCount where rest.byte(at: offset) != padding { return }
    fields.removeLast()
    problems.removeLast()
  }
}
