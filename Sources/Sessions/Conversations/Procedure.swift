import Bluetooth
import Bytes
import Captures
import Dissectors

/// A request or an indication that waits for its answer, with what it carried. The instance is
/// reused, so that nothing is allocated for each request.
struct Procedure: Sendable {
  private enum State: Sendable {
    case free, waiting
    /// A later request of its bearer was answered: its own answer may still come late.
    case passed
  }

  private var state = State.free
  var isOpen: Bool { state != .free }
  var isPassed: Bool { state == .passed }
  /// Whether an answer came of which the capture has too few bytes.
  var hasCutAnswer = false
  private(set) var packet = 0
  private(set) var time: Timestamp?
  private(set) var opcode = ATTOpcode(rawValue: 0)
  /// The connection's number.
  var connection = 0
  /// The attribute; only its handle if no values are joined.
  var attribute = AttributeIdentity(server: 0, handle: nil)
  /// The offset in the attribute's value at which it begins.
  private(set) var offset = 0
  /// The value, or the handles of a Read Multiple request.
  private(set) var value: [UInt8] = []
  /// The packets, if there are several.
  private(set) var packets: [Int] = []
  private(set) var isCut = false
  /// Whether its pieces may be those of a key.
  private(set) var mayHoldKey = false
  /// Whether the capture lacks some of its fields.
  private(set) var isIncomplete = false
  /// How many packets the captured host had sent on the link, including this one; nil: unknown.
  var ordinal: Int?
  /// Whether it was sent when the connection had already ended.
  var isLate = false
  /// Whether a Read Blob Request continues where the read before it ended.
  var goesOn = false
  /// Whether an Execute Write Request writes the prepared values instead of cancelling them.
  private(set) var executes = true
  /// For an Execute Write Request, the parts that were prepared before it: answered or not, it
  /// closes the queue (Core, Vol 3, Part F, 3.4.6.3).
  var prepared: PreparedQueue?

  /// The operation if it stays unanswered; nil for a request that has nothing to do with values.
  /// Discovery is not a read; for a read by UUID, the type is known.
  var operation: ValueOperation? {
    opcode == .readByTypeRequest && attribute.uuid != nil ? .read : opcode.operation
  }

  mutating func begin(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, packets fragments: ArraySlice<Int>
  ) {
    let fields = packet.dissection.attFields
    state = .waiting
    mayHoldKey = packet.answer.mayHoldKey
    (hasCutAnswer, goesOn) = (false, false)
    isIncomplete = packet.dissection.att?.isIncomplete ?? false
    self.packet = packet.record.number
    time = packet.record.time
    self.opcode = opcode
    attribute = AttributeIdentity(server: 0, handle: fields.handle)
    offset = Int(fields.offset ?? 0)
    value.removeAll(keepingCapacity: true)
    value.append(packet.bytes.part(fields.value ?? fields.handles ?? .empty))
    packets.removeAll(keepingCapacity: true)
    packets.append(contentsOf: fragments)
    isCut = packet.isCut
    ordinal = nil
    executes = fields.executeFlags != 0
  }

  mutating func pass() { state = .passed }

  mutating func end() {
    state = .free
    prepared = nil
  }
}

/// A response or a confirmation.
struct Arrived: Sendable {
  /// The packet of the request that it answers, if that is known.
  private(set) var request: Int?
  let opcode: ATTOpcode
  let fields: ATTFields
  let packet: Int
  let time: Timestamp?
  private(set) var latency: Int64?
  /// The packets that carried it, if there are several.
  let packets: ArraySlice<Int>
  /// The length of the PDU before the capture cut it, if its headers show it.
  let length: Int
  /// The channel that it came on, if that is a bearer of its own.
  let channel: ChannelFact?
  /// Whether the link was encrypted; nil: unknown.
  let isEncrypted: Bool?
  let isCut: Bool
  /// Whether one of its values may be a key.
  let mayHoldKey: Bool
  /// Whether it may equally answer another request.
  private(set) var isHeld = false
  /// Its bytes, if it was held.
  private(set) var bytes: [UInt8] = []

  init(_ opcode: ATTOpcode, _ packet: borrowing Packet, isEncrypted: Bool?) {
    (request, latency, channel) = (
      packet.answer.request?.packet, packet.answer.latency, packet.answer.channel
    )
    mayHoldKey = packet.answer.mayHoldKey
    (self.packet, time) = (packet.record.number, packet.record.time)
    (self.opcode, packets, self.isEncrypted) = (opcode, packet.parts, isEncrypted)
    fields = packet.dissection.attFields
    isCut = packet.isCut
    length = max(
      Int(packet.dissection.body.count),
      Int(packet.dissection.sduLength ?? packet.dissection.l2cap?.length ?? 0))
  }

  /// Holds it until later packets show which request it answers.
  mutating func hold(_ bytes: RawSpan) {
    isHeld = true
    self.bytes = bytes.array
  }

  /// Forgets which request it answers: the request or its fields are unknown.
  mutating func forgetRequest() { (request, latency) = (nil, nil) }

  /// Assigns a held response to another request.
  mutating func assign(_ request: Request, isCertain: Bool) {
    self.request = request.packet
    latency = request.latency(until: time)
    isHeld = !isCertain
  }
}

extension ATTOpcode {
  /// How a PDU conveys a value or asks for one; nil for all others.
  var operation: ValueOperation? {
    // The cases are compared in this order, so frequent ones come first.
    switch self {
    case .handleValueNotification, .multipleHandleValueNotification: .notification
    case .writeCommand: .writeWithoutResponse
    case .writeRequest: .write
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest: .read
    case .handleValueIndication: .indication
    case .prepareWriteRequest: .preparedWrite
    case .signedWriteCommand: .signedWrite
    default: nil
    }
  }

  /// Whether a value follows a handle.
  var carriesValue: Bool { operation.map { $0 != .read } ?? false }
}
