package import Bluetooth
package import Bytes
import Synchronization

/// A vendor's protocol: where it is used, its frames, and what its messages mean.
///
/// Open frames and open requests are kept elsewhere (`VendorMessages`). From bytes and numbers
/// alone, this type determines whether a frame begins or is complete, which message it is, and
/// whether a response fits a request.
package final class VendorProtocol: Sendable {
  /// Where the protocol is used; a nil property matches anything.
  package struct Claim: Sendable, Equatable {
    /// A device's name, with `*` and `?`.
    package var device: String?
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID?
    package var company: UInt16?
    package var channel: SerialChannel?
    /// Whether it applies wherever a whole frame is seen.
    package var isFrame = false

    package init() {}

    /// Whether it requires nothing but the frame.
    package var isAnywhere: Bool {
      isFrame && device == nil && service == nil && characteristic == nil && company == nil
        && channel == nil
    }
  }

  /// A channel that carries messages.
  package enum Channel: Sendable, Equatable {
    /// Writes with and without response; notifications and indications; reads.
    case write, notify, read
    case characteristic(BluetoothUUID)
  }

  /// How responses are matched to requests.
  package struct Exchange: Sendable, Equatable {
    /// The rule for whether a command is a request; nil: the channel decides.
    package var request: [Operation]?
    /// The rule for the command of the response to a command; nil: any.
    package var response: [Operation]?
    /// Whether both have the same sequence number.
    package var usesSequence = false
    /// The number of milliseconds after which a request counts as unanswered.
    package var timeout = 5000
    /// For a control point: the response's field that repeats the request's command; empty: none.
    package var requestField = ""

    /// Creates an exchange in which responses come in order.
    package init() {}

    /// Returns whether a command is a request; nil: the channel decides.
    ///
    /// - Parameter frame: the frame, whose header the rule may use.
    package func isRequest(_ command: Int, _ frame: RawSpan = RawSpan()) -> Bool? {
      guard let request else { return nil }
      return Self.run(request, command, frame).isTrue
    }

    /// Returns whether one command can be the answer to another.
    package func answers(_ answer: Int?, _ command: Int?) -> Bool {
      Self.isExpected(answer, answering(command))
    }

    /// Returns the command of the answer to a command: unknown if nothing can answer it, nil if any
    /// command can.
    func answering(_ command: Int?) -> Known? {
      guard let rule = response else { return nil }
      guard let command else { return .unknown }
      return Self.run(rule, command, RawSpan())
    }

    /// Returns whether a command is the expected one.
    static func isExpected(_ answer: Int?, _ expected: Known?) -> Bool {
      guard let expected else { return true }
      return answer != nil && expected.isKnown && expected.number == answer
    }
  }

  /// Messages that follow one that announces them.
  package struct Series: Sendable, Equatable {
    /// The program of the announcing message that computes their number.
    package var count: Int
    /// The command of the messages that follow.
    package var command: Int
    /// The field that numbers them, or an empty string; then the number of the first.
    package var index: String
    package var first: Int
    /// The number of milliseconds without a message after which the series is over.
    package var timeout: Int

    package init(count: Int, command: Int, index: String, first: Int, timeout: Int) {
      self.count = count
      self.command = command
      self.index = index
      self.first = first
      self.timeout = timeout
    }
  }

  /// A kind of message. It is an object, since each message that is found refers to one.
  package final class Message: Sendable {
    /// Its commands; nil: all that no other message has.
    package let commands: ClosedRange<Int>?
    /// The text with which its lines begin; its fields follow that. Empty: not a message of lines.
    package let beginning: [UInt8]
    /// What must be true of its frames: an expression; nil: nothing. Which bytes the payload must
    /// begin with, and how many it has, is in the definition's subject.
    package let condition: [Operation]?
    /// Whether it is only a request or only a response; nil: either.
    package let isRequest: Bool?
    /// Whether it answers nothing.
    package let isUnsolicited: Bool
    /// Whether nothing answers it.
    package let isUnanswered: Bool
    /// The series that it announces.
    package let series: Series?
    /// The fields: those of the header, then those of the payload.
    package let definition: Definition
    /// Whether it is not from the profile but implied for commands that no other message has.
    package let isImplied: Bool

    package init(
      commands: ClosedRange<Int>?, beginning: [UInt8] = [], condition: [Operation]? = nil,
      isRequest: Bool?, isUnsolicited: Bool, isUnanswered: Bool, series: Series?,
      definition: Definition,
      isImplied: Bool = false
    ) {
      self.commands = commands
      self.beginning = beginning
      self.condition = condition
      self.isRequest = isRequest
      self.isUnsolicited = isUnsolicited
      self.isUnanswered = isUnanswered
      self.series = series
      self.definition = definition
      self.isImplied = isImplied
    }

    /// Whether more than its command decides which frames are such messages.
    package var isConditional: Bool {
      condition != nil || !definition.subject.match.isEmpty || definition.subject.sizes != nil
    }

    /// Whether it is for all frames whose commands no other message has.
    package var isForAllOthers: Bool { commands == nil && beginning.isEmpty && !isConditional }

    /// Returns where the fields of a frame's payload are.
    fileprivate func payload(of frame: Frame) -> Slice {
      let start = Int(frame.payload.start) + beginning.count
      return Slice(start: start, count: max(0, frame.payload.end - start))
    }

    /// Returns whether the payload begins with the message's text.
    fileprivate func begins(_ frame: Frame, _ bytes: RawSpan) -> Bool {
      guard frame.payload.count >= beginning.count else { return false }
      let start = Int(frame.payload.start)
      return beginning.indices.allSatisfy { bytes.byte(at: start + $0) == beginning[$0] }
    }

    /// Returns whether a frame with one of the commands is such a message.
    fileprivate func fits(_ frame: Frame, _ bytes: RawSpan) -> Bool {
      guard definition.fits(bytes.part(payload(of: frame))) else { return false }
      guard let condition else { return true }
      return Exchange.run(condition, frame.command ?? 0, bytes.part(frame.bytes)).isTrue
    }
  }

  /// The profile's name, and a short title for users.
  package let profile: String
  package let title: String
  /// Where the protocol is used: any of these.
  package let claims: [Claim]
  /// The channels of requests and of responses.
  package let requests: [Channel]
  package let responses: [Channel]
  /// The layouts of frames. Of several that a direction has, a frame has the first that fits.
  package let frames: FrameLayouts
  /// The bytes with which frames can begin, one bit each.
  private let firstBytes: InlineArray<4, UInt64>
  /// How responses are matched to requests.
  package let exchange: Exchange
  /// The messages, those without commands last. They are read from their stored form on first use,
  /// since most captures use none.
  package var messages: [Message] {
    knownMessages.withLock { known in
      if let known { return known }
      let messages = Self.messages(BuiltInProfiles.messages(at: place))
      known = messages
      return messages
    }
  }
  private let knownMessages: Mutex<[Message]?>
  /// Where `BuiltInProfiles` has the messages, which are read when they are needed.
  private let place: Int
  /// Whether a message has a secret field.
  package let hasSecrets: Bool
  /// The number of messages in the profile.
  package var messageCount: Int { messages.count { !$0.isImplied } }

  package convenience init(
    profile: String, title: String, claims: [Claim], requests: [Channel], responses: [Channel],
    frames: [FrameLayout], exchange: Exchange, messages: [Message]
  ) {
    self.init(
      profile: profile, title: title, claims: claims, requests: requests, responses: responses,
      frames: frames, exchange: exchange, messages: messages, messagesAt: 0,
      hasSecrets: messages.contains { $0.definition.hasSecrets })
  }

  /// Creates a protocol.
  ///
  /// - Parameter messages: nil if they are still to be read from their stored form.
  init(
    profile: String, title: String, claims: [Claim], requests: [Channel], responses: [Channel],
    frames: [FrameLayout], exchange: Exchange, messages: [Message]?, messagesAt place: Int,
    hasSecrets: Bool
  ) {
    self.profile = profile
    self.title = title
    self.claims = claims
    self.requests = requests
    self.responses = responses
    self.frames = FrameLayouts(frames)
    firstBytes = Self.firstBytes(of: frames)
    self.exchange = exchange
    knownMessages = Mutex(messages)
    self.place = place
    self.hasSecrets = hasSecrets
  }

  private static func firstBytes(of frames: [FrameLayout]) -> InlineArray<4, UInt64> {
    var bits = InlineArray<4, UInt64>(repeating: 0)
    for frame in frames {
      guard let first = frame.start.first, let byte = first else {
        return InlineArray(repeating: .max)
      }
      bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }
    return bits
  }

  /// A bit for a protocol, by index; if there are many, some share one.
  package static func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }

  /// Returns whether a frame can begin with a byte.
  package func canBegin(with byte: UInt8) -> Bool {
    firstBytes[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1
  }

  /// Returns whether a frame must show that the protocol is used on a characteristic or a serial
  /// channel; nil if its claims exclude it. Claims that require more than a frame come first.
  package func needsFrame(
    on characteristic: BluetoothUUID?, _ channel: SerialChannel? = nil, of service: BluetoothUUID?,
    isOfDevice: (String) -> Bool
  ) -> Bool? {
    var isAnywhere = false
    for claim in claims {
      if let wanted = claim.characteristic, wanted.shortest != characteristic { continue }
      if let wanted = claim.channel, wanted != channel { continue }
      if let wanted = claim.service, wanted.shortest != service { continue }
      if let device = claim.device, !isOfDevice(device) { continue }
      guard claim.company == nil else { continue }
      guard claim.isAnywhere else { return claim.isFrame }
      isAnywhere = true
    }
    return isAnywhere ? true : nil
  }

  /// Returns whether the service or the device's name decides whether the protocol is used on a
  /// characteristic or a serial channel.
  package func needsContext(on characteristic: BluetoothUUID?, _ channel: SerialChannel?) -> Bool {
    guard characteristic != nil || channel != nil else { return false }
    return claims.contains { claim in
      guard claim.service != nil || claim.device != nil, claim.company == nil else { return false }
      if let wanted = claim.characteristic, wanted.shortest != characteristic?.shortest {
        return false
      }
      return claim.channel == nil || claim.channel == channel
    }
  }

  /// Returns whether a frame is a request.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the frame's positions count in.
  ///   - onRequestChannel: whether it came on a channel for requests.
  package func isRequest(_ frame: Frame, _ bytes: RawSpan, onRequestChannel: Bool) -> Bool {
    exchange.isRequest(frame.command ?? 0, bytes.part(frame.bytes)) ?? onRequestChannel
  }

  /// Returns which message a frame is: the first of its command that fits, or else the first of
  /// those for all other commands. Of those whose text a line begins with, it is the one with the
  /// longest.
  ///
  /// - Parameter bytes: the bytes that the frame's positions count in.
  package func message(_ frame: Frame, _ bytes: RawSpan, isRequest: Bool) -> Message? {
    var other: Message?
    var beginning: Message?
    for message in messages {
      if let only = message.isRequest, only != isRequest { continue }
      if let commands = message.commands {
        guard let command = frame.command, commands.contains(command) else { continue }
        if message.fits(frame, bytes) { return message }
      } else if !message.beginning.isEmpty {
        guard message.beginning.count > beginning?.beginning.count ?? 0,
          message.begins(frame, bytes), message.fits(frame, bytes)
        else { continue }
        beginning = message
      } else if other == nil, message.fits(frame, bytes) {
        other = message
      }
    }
    return beginning ?? other
  }

  /// Returns how many of the bytes are a frame of a direction, and the index of its layout.
  ///
  /// - Parameters:
  ///   - searched: the number of bytes that were already searched for the end, in vain.
  ///   - searchedLayout: the layout for which they were searched.
  package func extent(
    of bytes: RawSpan, isRequest: Bool, searchedUpTo searched: Int = 0, as searchedLayout: Int = 0
  ) -> (layout: Int, extent: FrameExtent) {
    for layout in frames.indices where frames.at(layout).isRequest ?? isRequest == isRequest {
      let extent = frames.at(layout).extent(
        of: bytes, searchedUpTo: layout == searchedLayout ? searched : 0)
      if extent != .none { return (layout, extent) }
    }
    return (0, .none)
  }

  /// Returns the frame that all bytes are, apart from those that fill the value after it; nil if
  /// they are not one. If bytes are escaped, its positions count in those that are returned, too.
  package func wholeFrame(
    _ bytes: RawSpan, isRequest: Bool
  ) -> (frame: Frame, unescaped: [UInt8]?)? {
    let (layout, extent) = extent(of: bytes, isRequest: isRequest)
    guard case .complete(let count) = extent,
      count == bytes.byteCount || frames.at(layout).isFilled(bytes, from: count)
    else { return nil }
    var unescaped: [UInt8] = []
    let frame = frames.at(layout).frame(
      bytes, Slice(start: 0, count: count), layout: layout, into: &unescaped)
    return frame.map { ($0, frames.at(layout).isEscaped ? unescaped : nil) }
  }

  /// Returns whether the bytes begin with a whole frame with a correct checksum, which identifies
  /// the protocol if nothing else does.
  package func isRecognized(in bytes: RawSpan, isRequest: Bool) -> Bool {
    let (layout, extent) = extent(of: bytes, isRequest: isRequest)
    guard case .complete(let count) = extent, frames.at(layout).isVerifiable else { return false }
    var unescaped: [UInt8] = []
    let frame = frames.at(layout).frame(
      bytes, Slice(start: 0, count: count), layout: layout, into: &unescaped)
    return frame?.isSound ?? false
  }

  /// Decodes the message of a whole frame, including its checksum.
  package func decode(
    _ frame: Frame, _ message: Message, _ bytes: RawSpan, isRequest: Bool,
    externals: [Known] = [], with decoder: inout ValueDecoder, into decoded: inout Decoded
  ) {
    // A header comes before the payload and is read with it.
    let hasHeader = message.definition.tables.fields.contains { $0.flags.contains(.open) }
    let payload = message.payload(of: frame)
    let start = hasHeader ? Int(frame.bytes.start) : Int(payload.start)
    let slice = Slice(start: start, count: payload.end - start)
    let context = DecodingContext(
      isWritten: isRequest, command: frame.command ?? 0, externals: externals)
    decoder.decode(message.definition, bytes, slice, context, into: &decoded)
    if let padding = frames.at(frame.layout).padding { decoded.leaveOut(padding, bytes) }
    guard let checksum = frame.checksum, let part = frames.at(frame.layout).layout.checksum?.part
    else {
      return
    }
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
  /// Returns the result of a rule for a command.
  fileprivate static func run(
    _ operations: [Operation], _ command: Int, _ frame: RawSpan
  ) -> Known {
    // The size is fixed, since this is called for every message.
    var stack = InlineArray<32, Known>(repeating: .unknown)
    var depth = 0
    for operation in operations {
      guard let code = operation.code, depth >= code.arity, depth < stack.count || code.arity > 0
      else { return .unknown }
      switch code.arity {
      case 0:
        stack[depth] =
          switch code {
          case .number: Known(operation.operand)
          case .header: HeaderPart(operation.operand).number(in: frame)
          case .size: Known(frame.byteCount)
          default: Known(command)
          }
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

/// A number in the header of a frame, as encoded in an operation's operand.
package struct HeaderPart: Sendable, Equatable {
  /// The offset of the first byte, and the number of bytes, 1 to 8.
  package var at: Int
  package var width: Int
  package var isBigEndian: Bool
  /// The first bit of the number, and the number of bits.
  package var bit: Int
  package var bitCount: Int

  /// Creates a part that is all of a number.
  package init(at: Int, width: Int, isBigEndian: Bool) {
    self.at = at
    self.width = width
    self.isBigEndian = isBigEndian
    bit = 0
    bitCount = 8 * width
  }

  /// Creates a part from an operand.
  init(_ operand: Int) {
    at = operand >> 24 & 0xffff
    width = max(1, min(8, operand >> 16 & 0xf))
    isBigEndian = operand >> 20 & 1 == 1
    bit = operand >> 8 & 0x3f
    bitCount = operand & 0x7f
  }

  /// The part encoded as an operand.
  package var operand: Int {
    at << 24 | (isBigEndian ? 1 << 20 : 0) | width << 16 | bit << 8 | bitCount
  }

  /// Returns the number; unknown if the frame is too short.
  func number(in frame: RawSpan) -> Known {
    guard at + width <= frame.byteCount else { return .unknown }
    let number = ValueDecoder.load(frame, at, width, bigEndian: isBigEndian) >> UInt64(bit)
    let mask = bitCount >= 64 ? UInt64.max : 1 << UInt64(bitCount) - 1
    return Known(Int(truncatingIfNeeded: number & mask))
  }
}

extension Decoded {
  /// Adds bytes that no field explains.
  package mutating func addTail(_ tail: Slice) {
    fields.append(DecodedField(field: -1, form: .tail, bytes: tail, end: fields.count + 1))
    problems.append(
      DecodingProblem(
        code: .trailingBytes, field: -1, bytes: tail, found: Int(tail.count), expected: 0))
  }

  /// Removes the tail that no field explains if it is only padding.
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
