package import Bluetooth
import Bytes

/// How one attribute was used.
package struct AttributeUse: Sendable {
  /// The protection of the link.
  package enum Security: UInt8, Sendable {
    case unknown, unencrypted, encrypted, authenticated
  }

  /// An operation and its outcome.
  package struct Access: Sendable {
    package let operation: ValueOperation
    /// The protection of the link at that time.
    package let security: Security
    /// The error with which it was refused; nil if it was not.
    package let error: ATTErrorCode?
    /// The first packet with this outcome.
    package let packet: Int
    /// Whether the capture has no answer to the request.
    var isUnanswered = false

    /// Whether the capture shows its outcome: commands are not answered.
    package var isOutcomeKnown: Bool {
      switch operation {
      case .writeWithoutResponse, .signedWrite: false
      default: !isUnanswered
      }
    }
  }

  /// The attribute.
  package let handle: UInt16
  private var counts = InlineArray<8, UInt32>(repeating: 0)
  /// The value that was conveyed last; nil: none.
  package private(set) var value: [UInt8]?
  /// The packet that carried the value, and its operation.
  package private(set) var valuePacket = 0
  package private(set) var valueOperation = ValueOperation.read
  /// The range of the values' lengths.
  package var lengths: ClosedRange<Int>? {
    shortestLength > longestLength ? nil : Int(shortestLength)...Int(longestLength)
  }
  private var shortestLength = UInt32.max
  private var longestLength: UInt32 = 0
  /// Each distinct operation with its outcome.
  package private(set) var accesses: [Access] = []
  /// The first packet that used it, and the last.
  package private(set) var packets: ClosedRange<Int>
  /// Whether the value may be a key: it is one of several, and some attribute's values are keys.
  package private(set) var isSecret = false
  /// The Write Requests without an answer: how many, and the first; and the last with its value. A
  /// list of at most one, since most attributes have none.
  private var unanswered: [(count: UInt32, first: Int, last: Int, value: [UInt8])] = []

  private static let accessLimit = 16
  /// The maximum length of an attribute value (Core, Vol 3, Part F, 3.2.9).
  package static let longest = 512

  init(_ handle: UInt16, packet: Int) {
    self.handle = handle
    packets = packet...packet
  }

  /// The operations that succeeded, as the properties that a declaration must have. It is unknown
  /// whether a command was obeyed, but a client only sends one if it knows the attribute accepts
  /// it.
  package var properties: CharacteristicProperties {
    var bits: UInt8 = 0
    for access in accesses where access.error == nil {
      switch access.operation {
      case .read: bits |= 0x02
      case .write, .preparedWrite: bits |= 0x08
      case .writeWithoutResponse: bits |= 0x04
      case .signedWrite: bits |= 0x40
      case .notification: bits |= 0x10
      case .indication: bits |= 0x20
      case .advertisement, .data: break
      }
    }
    return CharacteristicProperties(rawValue: bits)
  }

  /// Returns how often an operation was done or tried.
  package func count(of operation: ValueOperation) -> Int {
    // Data is sent on channels.
    operation == .data ? 0 : Int(counts[Int(operation.rawValue)])
  }

  /// Records that a packet used it.
  mutating func note(packet: Int) {
    packets = min(packets.lowerBound, packet)...max(packets.upperBound, packet)
  }

  mutating func add(
    _ operation: ValueOperation, _ value: RawSpan, packet: Int, isSecret: Bool = false
  ) {
    self.isSecret = isSecret
    // Filled again, not replaced: a value arrives with every notification.
    if self.value == nil { self.value = [] }
    self.value?.removeAll(keepingCapacity: true)
    self.value?.append(value.part(Slice(start: 0, count: Self.longest)))
    valuePacket = packet
    valueOperation = operation
    let count = UInt32(truncatingIfNeeded: value.byteCount)
    (shortestLength, longestLength) = (min(shortestLength, count), max(longestLength, count))
  }

  /// Records an attempt to read or write, with its outcome.
  mutating func add(_ conveyed: ConveyedValue, _ value: RawSpan, _ security: Security) {
    let (operation, packet) = (conveyed.operation, conveyed.packet)
    let isRead = operation == .read
    let decided = conveyed.response ?? packet
    if conveyed.outcome.reason != nil || conveyed.lacksAnswer {
      if operation == .write { note(unanswered: value.array, packet: packet) }
      return
    }
    note(packet: decided)
    // If the server refuses to read on, what came before was still read.
    if conveyed.outcome == .done || isRead && conveyed.value != nil {
      let isAppended =
        isRead && append(value, at: conveyed.offset, packet: packet, isSecret: conveyed.isSecret)
      if !isAppended {
        note(
          operation, security, nil, packet: isRead ? conveyed.first ?? packet : decided)
        replace(conveyed, value)
      }
    }
    if let refusal = conveyed.restRefusal {
      note(packet: refusal.packet)
      note(operation, security, refusal.error, packet: refusal.packet)
    } else if case .refused(let error) = conveyed.outcome {
      note(operation, security, error, packet: decided)
    }
  }

  /// Replaces the value by one that was read or written. A prepared write that does not begin at
  /// offset 0 replaces the value's end, if the value is known.
  private mutating func replace(_ conveyed: ConveyedValue, _ value: RawSpan) {
    let (offset, packet) = (conveyed.offset, conveyed.packet)
    if conveyed.operation == .preparedWrite {
      guard !conveyed.isCut, let before = offset == 0 ? [] : self.value, offset <= before.count
      else { return }
      let whole = Array(before.prefix(offset)) + value.array
      add(
        .preparedWrite, whole.bytes, packet: packet,
        isSecret: conveyed.isSecret || offset > 0 && isSecret)
    } else if offset == 0, conveyed.operation == .write || packet >= valuePacket {
      // A long read may be complete only after a later value was sent.
      add(conveyed.operation, value, packet: packet, isSecret: conveyed.isSecret)
    }
  }

  /// Records a part of a value that was read from an offset.
  ///
  /// - Returns: whether it belongs to the known value: it follows that value, or is part of it.
  private mutating func append(
    _ part: RawSpan, at offset: Int, packet: Int, isSecret: Bool
  ) -> Bool {
    guard valueOperation == .read, offset > 0, var whole = value, offset <= whole.count else {
      return false
    }
    if whole.count == offset {
      whole.append(part)
      add(.read, whole.bytes, packet: packet, isSecret: isSecret || self.isSecret)
    }
    return true
  }

  /// Adds what was done with the same attribute under another address of its server. To be called
  /// once unanswered requests are settled.
  mutating func absorb(_ other: AttributeUse) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
    if other.value != nil, value == nil || other.valuePacket > valuePacket {
      value = other.value
      (valuePacket, valueOperation) = (other.valuePacket, other.valueOperation)
      isSecret = other.isSecret
    }
    shortestLength = min(shortestLength, other.shortestLength)
    longestLength = max(longestLength, other.longestLength)
    for access in other.accesses { add(access) }
    accesses.sort { $0.packet < $1.packet }
    packets =
      min(
        packets.lowerBound, other.packets.lowerBound)...max(
        packets.upperBound, other.packets.upperBound)
  }

  /// Records a Write Request that was not answered.
  mutating func note(unanswered value: [UInt8], packet: Int) {
    let before = unanswered.first
    unanswered = [((before?.count ?? 0) &+ 1, before?.first ?? packet, packet, value)]
  }

  /// Counts the Write Requests, although whether they succeeded is unknown: the capture has no
  /// answer at all.
  mutating func takeUnanswered() {
    guard let unanswered = unanswered.first, count(of: .write) == 0 else { return }
    add(
      Access(
        operation: .write, security: .unknown, error: nil, packet: unanswered.first,
        isUnanswered: true))
    counts[Int(ValueOperation.write.rawValue)] = unanswered.count
    if unanswered.last > valuePacket {
      let value = unanswered.value
      add(.write, value.bytes, packet: unanswered.last)
    }
  }

  mutating func note(
    _ operation: ValueOperation, _ security: Security, _ error: ATTErrorCode?, packet: Int
  ) {
    counts[Int(operation.rawValue)] &+= 1
    add(Access(operation: operation, security: security, error: error, packet: packet))
  }

  /// Adds an outcome; one that is known keeps its first packet.
  private mutating func add(_ access: Access) {
    let known = accesses.firstIndex {
      $0.operation == access.operation && $0.security == access.security
        && $0.error == access.error && $0.isUnanswered == access.isUnanswered
    }
    if let known {
      if accesses[known].packet > access.packet { accesses[known] = access }
    } else if accesses.count < Self.accessLimit {
      accesses.append(access)
    }
  }
}
