package import Bluetooth
import Bytes
package import Meanings
package import Sessions

/// One value for each side.
package struct BothSides<Value: Sendable>: Sendable {
  private var local: Value
  private var peer: Value

  init(_ value: Value) { (local, peer) = (value, value) }

  package subscript(side: Side) -> Value {
    get { side == .local ? local : peer }
    _modify { if side == .local { yield &local } else { yield &peer } }
  }
}

/// How often something happened, with its first and last occurrence.
package struct Tally: Sendable {
  package private(set) var count = 0
  package private(set) var first: Moment?
  package private(set) var last: Moment?
  private var pauses: (shortest: Int64, longest: Int64)?

  /// The time between two occurrences, in nanoseconds; nil if they are fewer than five, or not
  /// regular.
  package var period: Int64? {
    guard count >= 5, let pauses, pauses.shortest > 0,
      pauses.longest - pauses.shortest <= pauses.shortest / 4
    else { return nil }
    return pauses.longest
  }

  /// The packets from the first occurrence to the last.
  package var packets: PacketSet {
    guard let first, let last else { return [] }
    return PacketSet(first.packet...max(first.packet, last.packet))
  }

  mutating func note(_ moment: Moment) {
    count &+= 1
    if let last, let pause = moment.nanoseconds(since: last) {
      pauses = (min(pauses?.shortest ?? pause, pause), max(pauses?.longest ?? pause, pause))
    }
    if first == nil { first = moment }
    last = moment
  }
}

/// An attribute as one connection used it.
package struct AttributeUsage: Sendable {
  /// An operation by the peer that the declaration does not offer, with its packets.
  package typealias Unoffered = (
    operation: ValueOperation, request: Int, answer: Int, length: Int
  )

  package let handle: UInt16
  /// Whether its values answer what is written to it; nil: it has not sent any.
  var isControlPoint: Bool?
  package let server: Side
  package internal(set) var identity: AttributeIdentity
  /// Its name, if only a profile has one; known at the end.
  var profileName: String?
  /// For a characteristic's value: the properties in its declaration, if known.
  package internal(set) var properties: CharacteristicProperties?
  /// How it was read, written, and sent: few attributes are used in more than one way.
  @Rare var reading: Reading
  @Rare var writing: Writing
  @Rare var sending: Sending
  /// The values that may be cut, by how they are transferred.
  package internal(set) var cuts: [CutValues] = []
  /// For a characteristic's declaration that sends values: the handle of the characteristic's
  /// value; 0: unknown, or discovered only after it had sent values.
  package internal(set) var declaredValue: UInt16 = 0
  /// The first operations that were done but not offered.
  package internal(set) var unoffered: [Unoffered] = []
  /// The index of the protocol used on the attribute; nil: none was recognised.
  package internal(set) var vendor: Int?
  /// The protocols that may be used on the attribute; nil: not looked up yet.
  var claims: [(vendor: Int, isByFrame: Bool)]?

  /// Records that values may be missing for another reason than a loss at the sender.
  mutating func interrupt() { if sent > 0 { sending.counter.interrupt() } }

  package var cannotBeWritten: Bool { identity.cannotBeWritten(properties) }

  struct Reading: Defaulted {
    var all = Tally()
    var longest: (length: Int, packet: Int) = (0, 0)
  }

  struct Writing: Defaulted {
    var first: Moment?
    var requests = Tally()
    var commands = Tally()
    var longest: (length: Int, packet: Int) = (0, 0)
    var dropped = DroppedCommands()
    var series = WriteSeries()
    var control: ControlWrite?
    @Rare var pieces: PieceSeries
  }

  struct Sending: Defaulted {
    var notifications = Tally()
    var indications = Tally()
    var counter = CountingByte()
    @Rare var pieces: PieceSeries
    @Rare var messages: FullMessages
  }

  package var reads: Tally { _reading.part { $0.all } }
  /// The end of the longest value that was read, and the packet of the response.
  package var longestRead: (length: Int, packet: Int) { _reading.part { $0.longest } }
  /// The first Write Request that was answered, or Write Command.
  package var firstWrite: Moment? { _writing.part { $0.first } }
  package var writes: Tally { _writing.part { $0.requests } }
  package var commands: Tally { _writing.part { $0.commands } }
  /// The end of the longest value that was written with prepared writes, and the packet of the
  /// response.
  package var longestWrite: (length: Int, packet: Int) { _writing.part { $0.longest } }
  package var notifications: Tally { _sending.part { $0.notifications } }
  package var indications: Tally { _sending.part { $0.indications } }
  /// The notifications on the link's own bearer that filled a PDU of the default MTU, 23 bytes.
  package var sentPieces: PieceSeries { _sending.part { $0.pieces } }
  var sendsPieces: Bool { _sending.part { $0.$pieces.part { $0.isOpen } } }
  /// The writes that filled a PDU of the default MTU.
  package var writtenPieces: PieceSeries { _writing.part { $0.pieces } }
  var writesPieces: Bool { _writing.part { $0.$pieces.part { $0.isOpen } } }
  package var dropped: DroppedCommands { _writing.part { $0.dropped } }
  /// Whether the first byte of notifications is a counter.
  package var counter: CountingByte { _sending.part { $0.counter } }
  package var series: WriteSeries { _writing.part { $0.series } }
  /// The write to a control point that has no result yet.
  package var control: ControlWrite? { _writing.part { $0.control } }
  package var messages: FullMessages { _sending.part { $0.messages } }
  /// Whether a notification may be a part of a message.
  func mayContinueMessage(_ length: Int) -> Bool {
    _sending.part {
      $0.$messages.part { !$0.isRefuted && (length > 20 || $0.current != nil) }
    }
  }

  /// The bytes of the usage when it was last measured.
  private var measured = 0

  /// Measures the usage approximately. Reads its parts in place, since a copy costs more than the
  /// sum.
  ///
  /// - Returns: the growth since the last measurement, in bytes.
  mutating func measure() -> Int {
    let before = measured
    measured = MemoryLayout<Self>.stride + _reading.bytes + _writing.bytes + _sending.bytes
    measured += _writing.part { $0.$pieces.bytes + ($0.dropped.hasValue ? 64 : 0) }
    measured += _sending.part {
      $0.$pieces.bytes + $0.$messages.bytes + ListBytes.of($0.counter.gaps)
    }
    measured += ListBytes.of(cuts) + ListBytes.of(unoffered) + ListBytes.of(claims ?? [])
    return measured - before
  }

  /// Records a value that was written, if the attribute cannot be written, and returns whether it
  /// cannot. Changes the usage in place, since a copy costs more than all the rest.
  mutating func noteUnsuitable(_ length: Int, _ value: RawSpan, isCommand: Bool) -> Bool {
    guard cannotBeWritten else { return false }
    writing.dropped.noteWritten(length, value)
    if isCommand { writing.dropped.note(value) }
    return true
  }

  /// The packet with the first notification or indication; 0: none.
  var firstSent: Int {
    [notifications.first, indications.first].compactMap { $0?.packet }.min() ?? 0
  }

  package var sent: Int { _sending.part { $0.notifications.count + $0.indications.count } }
  package var written: Int { writes.count + commands.count }
  package var named: NamedAttribute { NamedAttribute(identity, profileName) }

  init(_ handle: UInt16, _ server: Side, _ identity: AttributeIdentity) {
    (self.handle, self.server, self.identity) = (handle, server, identity)
  }
}

extension AttributeIdentity {
  /// Returns whether it is a declaration, or a value whose declaration with these properties does
  /// not offer writing. What an earlier connection discovered may be that of other firmware.
  func cannotBeWritten(_ properties: CharacteristicProperties?) -> Bool {
    guard via == .discovered else { return false }
    return switch kind {
    case .service, .include, .characteristic: true
    case .value: properties.map { !$0.canBeWritten } ?? false
    case .descriptor, nil: false
    }
  }
}

/// What became of writes to an attribute whose declaration does not offer writing. Some servers
/// carry them out.
package struct DroppedCommands: Sendable {
  /// Whether a value was written that no CCCD can have.
  private(set) var hasOtherValues = false
  private var value: [UInt8]?
  var hasValue: Bool { value != nil }
  /// The number of commands that a value of the same service followed.
  private var reactions = 0
  private var isReadBack = false

  /// Whether the server seems to carry them out.
  package var areHonoured: Bool { isReadBack || reactions > 1 }

  mutating func note(_ value: RawSpan) { self.value = value.array }
  mutating func noteWritten(_ length: Int, _ value: RawSpan) {
    if length != 2 || value.byteCount == 2 && value.littleEndianU16(at: 0) > 3 {
      hasOtherValues = true
    }
  }
  mutating func noteReaction() { reactions &+= 1 }
  mutating func note(read other: RawSpan) {
    if let value, other.isEqual(to: value.bytes), !value.isEmpty { isReadBack = true }
  }
}

/// The values of one direction that fill a PDU of the default MTU, and the longest series of them.
package struct PieceSeries: Defaulted {
  package struct Series: Sendable {
    package fileprivate(set) var count = 0
    package fileprivate(set) var first = Moment(packet: 0, time: nil)
    package fileprivate(set) var last = Moment(packet: 0, time: nil)
    fileprivate var number: UInt16 = 0
    /// How often the first bytes, as a number, grew by one.
    fileprivate var steps = 0

    /// Whether the values are numbered: a protocol's messages of this length.
    package var isNumbered: Bool { count > 1 && steps == count - 1 }
  }

  package init() {}

  package private(set) var all = Tally()
  /// Whether a value of another length ends a message.
  var isOpen: Bool { current.count > 0 }
  package var longest: Series { current.count > ended.count ? current : ended }
  private var current = Series()
  /// The longest one before it.
  private var ended = Series()

  /// The longest time between two pieces of one message.
  private static let longestPause: Int64 = 500_000_000
  /// The bytes of a value that fills a PDU of the default MTU.
  static let length = 20

  /// Records the next value of the attribute.
  ///
  /// - Parameters:
  ///   - length: its length; `value` is empty if the bytes may be secret.
  ///   - other: the last packet with a value of the other direction, which ends a message.
  mutating func note(_ length: Int, _ value: RawSpan, _ moment: Moment, after other: Int) {
    guard length == Self.length else {
      if isOpen { end() }
      return
    }
    all.note(moment)
    let start = value.byteCount > 1 ? value.littleEndianU16(at: 0) : 0
    if current.count > 0, other < current.last.packet,
      moment.nanoseconds(since: current.last) ?? .max <= Self.longestPause
    {
      let step = start &- current.number
      if step == 0x100 || step & 0xff == 1 { current.steps &+= 1 }
      current.count &+= 1
      current.last = moment
    } else {
      end()
      current = Series(count: 1, first: moment, last: moment)
    }
    current.number = start
  }

  private mutating func end() {
    if current.count > ended.count { ended = current }
    current.count = 0
  }
}

/// A byte that increases by one from value to value, with its gaps.
package struct CountingByte: Sendable {
  /// A place where the byte increased by more than one: the packets with the values before and
  /// after it, how many are missing, and the time between those two in nanoseconds.
  package typealias Gap = (before: Int, after: Int, missing: Int, pause: Int64?)

  /// How often it increased by one.
  package private(set) var steps = 0
  /// How often it changed in a way that a counter does not.
  package private(set) var breaks = 0
  package private(set) var gaps: [Gap] = []
  package private(set) var gapCount = 0
  package private(set) var missing = 0
  private var last: (value: UInt8, moment: Moment)?
  /// The time that the steps by one took, in nanoseconds.
  private var steppingTime: Int64 = 0

  /// The mean time between two values, in nanoseconds.
  package var period: Int64 { steppingTime / Int64(max(1, steps)) }

  /// No transport loses more at a time and continues.
  private static let mostMissing: UInt8 = 32
  private static let listed = 8

  /// Whether it is a counter beyond reasonable doubt: many steps, no breaks, and few gaps.
  package var isCounter: Bool { steps >= 20 && breaks == 0 && gapCount * 8 <= steps }

  /// Records that values may be missing for another reason than a loss at the sender.
  mutating func interrupt() { last = nil }

  mutating func note(_ value: UInt8, _ moment: Moment) {
    defer { last = (value, moment) }
    guard let last else { return }
    let step = value &- last.value
    let pause = moment.nanoseconds(since: last.moment)
    // Some counters have no 0.
    if step == 1 || step == 2 && value == 1 {
      steps &+= 1
      steppingTime.add(clamped: max(0, pause ?? 0))
      return
    }
    switch step {
    case 2...(Self.mostMissing + 1):
      gapCount &+= 1
      missing &+= Int(step) - 1
      if gaps.count < Self.listed {
        gaps.append((last.moment.packet, moment.packet, Int(step) - 1, pause))
      }
    default: breaks &+= 1
    }
  }
}
