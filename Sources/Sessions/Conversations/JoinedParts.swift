package import Bluetooth
package import Bytes
import Dissectors

/// A value that is read in several parts (Core, Vol 3, Part G, 4.8.3). A response that fills its
/// PDU may be a part; the next request decides.
struct LongRead: Sendable {
  private(set) var isOpen = false
  private(set) var attribute = AttributeIdentity(server: 0, handle: nil)
  /// The offset in the attribute's value at which the first part begins.
  private(set) var start = 0
  private(set) var bytes: [UInt8] = []
  private(set) var packets: [Int] = []
  /// The packet of the last part that added bytes, and its time.
  private(set) var packet = 0
  private(set) var time: Timestamp?
  private(set) var latency: Int64?
  /// The packet of the first part.
  private(set) var first = 0
  /// Whether the link was encrypted when the last part came.
  private(set) var isEncrypted: Bool?
  private(set) var isCut = false
  /// Whether the last part filled its PDU, if the PDU's maximum size is known.
  private(set) var fillsPDU = false
  /// The error with which the server refused to read on, and its packet.
  var refusal: (error: ATTErrorCode, packet: Int)?
  /// Whether a part may belong to another attribute, which may be a key.
  var mayBeKey = false

  /// The offset of the next part.
  var end: Int { start + bytes.count }

  mutating func begin(_ attribute: AttributeIdentity, at offset: Int) {
    isOpen = true
    self.attribute = attribute
    start = offset
    bytes.removeAll(keepingCapacity: true)
    packets.removeAll(keepingCapacity: true)
    isCut = false
    refusal = nil
    mayBeKey = false
  }

  /// Adds a part that begins at `offset`, which lies between `start` and `end`.
  mutating func add(
    _ part: RawSpan, at offset: Int, _ arrived: Arrived, fillsPDU: Bool, _ limits: Limits
  ) {
    self.fillsPDU = fillsPDU
    if packets.isEmpty { first = arrived.packet }
    isEncrypted = arrived.isEncrypted
    if arrived.isCut { isCut = true }
    if bytes.isEmpty || part.byteCount > 0 {
      (packet, time) = (arrived.packet, arrived.time)
      latency = arrived.latency
      if packets.count < limits.fragmentNumbers {
        if arrived.packets.isEmpty { packets.append(packet) }
        packets.append(contentsOf: arrived.packets)
      }
    }
    append(part, at: offset, limits)
  }

  private mutating func append(_ part: RawSpan, at offset: Int, _ limits: Limits) {
    if offset < end { bytes.removeSubrange(max(0, offset - start)...) }
    let room = max(0, limits.longValueBytes - bytes.count)
    // The first part fits one PDU and is kept whole; what is joined is bounded.
    let kept = bytes.isEmpty ? part.byteCount : min(part.byteCount, room)
    if kept < part.byteCount { self.isCut = true }
    bytes.append(part.part(Slice(start: 0, count: kept)))
  }

  /// Adds a part of which only the packet matters.
  mutating func add(_ part: RawSpan, at offset: Int, _ packet: Int, isCut: Bool, _ limits: Limits) {
    append(part, at: offset, limits)
    if isCut { self.isCut = true }
    if part.byteCount > 0, packets.count < limits.fragmentNumbers { packets.append(packet) }
  }

  /// Ends the read; the bytes stay until the next one begins.
  mutating func close() { isOpen = false }

  /// Returns the value that was read, unless it came in one piece.
  ///
  /// - Parameters:
  ///   - bytes: receives its bytes.
  ///   - packets: receives its packet numbers.
  ///   - direction: that of the server's PDUs.
  func join(
    into bytes: inout [UInt8], packets: inout [Int], _ direction: Direction
  ) -> JoinedValue? {
    guard let handle = attribute.handle, self.packets.count > 1 else { return nil }
    let first = packets.count
    packets += self.packets
    bytes += self.bytes
    return JoinedValue(
      handle: handle, offset: start,
      value: Slice(start: bytes.count - self.bytes.count, count: self.bytes.count),
      direction: direction, packets: first..<packets.count, isCut: isCut, mayBeKey: mayBeKey)
  }

  /// Forgets the read: no later part continues it.
  mutating func forget() {
    begin(AttributeIdentity(server: 0, handle: nil), at: 0)
    isOpen = false
  }

  /// Returns whether an error shows that there is no more: Invalid Offset, Attribute Not Long.
  static func isEnd(_ error: ATTErrorCode) -> Bool {
    error == .invalidOffset || error == .attributeNotLong
  }

  /// Returns whether a Read Blob Request continues the read, or asks what follows its end.
  func isContinued(by fields: ATTFields) -> Bool {
    let offset = Int(fields.offset ?? 0)
    return attribute.handle == fields.handle
      && (isOpen ? start < offset && offset <= end : offset == end)
  }

  /// Returns whether a part continues the read: it is of the same attribute and leaves no gap.
  func fits(_ part: borrowing Procedure) -> Bool {
    attribute.handle != nil && attribute.handle == part.attribute.handle
      && attribute.server == part.attribute.server && start <= part.offset && part.offset <= end
  }
}

/// A value that was joined from several PDUs.
package struct JoinedValue: Sendable {
  /// The attribute.
  package let handle: UInt16
  /// The offset in the attribute's value at which it begins.
  package let offset: Int
  /// Where its bytes are in the list to which they were appended.
  package fileprivate(set) var value: Slice
  /// The direction of the server's PDUs.
  package let direction: Direction
  /// The range of the numbers of the packets that carried it.
  package fileprivate(set) var packets: Range<Int>
  /// The packet of the last part, and its time.
  fileprivate(set) var packet = 0
  fileprivate(set) var time: Timestamp?
  /// Whether the capture lacks part of it.
  package fileprivate(set) var isCut: Bool
  /// Whether a part may be one of a key.
  package fileprivate(set) var mayBeKey = false
  /// Whether the server echoed other bytes.
  fileprivate(set) var isEchoWrong = false

  /// The offset in the attribute's value at which it ends.
  var end: Int { offset + Int(value.count) }
}

/// The parts of prepared writes that a server holds for a client until it executes them (Core, Vol
/// 3, Part F, 3.4.6).
struct PreparedQueue: Sendable {
  struct Part: Sendable {
    let handle: UInt16
    /// The offset in the attribute's value.
    let offset: Int
    /// The range in `bytes`.
    let value: Range<Int>
    let packet: Int
    let time: Timestamp?
    /// The range in `packets`.
    let packets: Range<Int>
    let isCut: Bool
    let mayBeKey: Bool
    let isEchoWrong: Bool
    /// Whether it was already joined into a value.
    var isTaken = false
  }

  private(set) var parts: [Part] = []
  private(set) var bytes: [UInt8] = []
  private(set) var packets: [Int] = []
  /// Whether parts had no room, or may have been in lost records.
  private(set) var isIncomplete = false

  var isEmpty: Bool { parts.isEmpty && !isIncomplete }

  /// Adds a part.
  ///
  /// - Returns: whether there was room.
  mutating func add(_ procedure: borrowing Procedure, isEchoWrong: Bool, _ limits: Limits) -> Bool {
    guard let handle = procedure.attribute.handle, parts.count < limits.preparedParts,
      bytes.count + procedure.value.count <= limits.longValueBytes
    else {
      isIncomplete = true
      return false
    }
    let (start, first) = (bytes.count, packets.count)
    bytes.append(contentsOf: procedure.value)
    if procedure.packets.isEmpty || packets.count + procedure.packets.count > limits.fragmentNumbers
    {
      packets.append(procedure.packet)
    } else {
      packets.append(contentsOf: procedure.packets)
    }
    parts.append(
      Part(
        handle: handle, offset: procedure.offset, value: start..<bytes.count,
        packet: procedure.packet, time: procedure.time, packets: first..<packets.count,
        isCut: procedure.isCut, mayBeKey: procedure.mayHoldKey, isEchoWrong: isEchoWrong))
    return true
  }

  /// Joins the parts into values: one for each run of consecutive parts of an attribute, ordered by
  /// their first parts.
  ///
  /// - Parameters:
  ///   - bytes: receives their bytes.
  ///   - packets: receives their packet numbers.
  ///   - direction: that of the server's PDUs.
  mutating func join(
    into bytes: inout [UInt8], packets: inout [Int], _ direction: Direction
  ) -> [JoinedValue] {
    var joined: [JoinedValue] = []
    for first in parts.indices where !parts[first].isTaken {
      let handle = parts[first].handle
      var open: JoinedValue?
      for index in first..<parts.count where parts[index].handle == handle {
        parts[index].isTaken = true
        let part = parts[index]
        // A part at the same offset again begins another value of the same attribute.
        if let value = open, part.offset > value.end || part.offset <= value.offset {
          joined.append(value)
          open = nil
        }
        var value =
          open
          ?? JoinedValue(
            handle: handle, offset: part.offset, value: Slice(start: bytes.count, count: 0),
            direction: direction, packets: packets.count..<packets.count, isCut: isIncomplete)
        if part.offset < value.end {
          bytes.removeSubrange((Int(value.value.start) + part.offset - value.offset)...)
        }
        bytes.append(contentsOf: self.bytes[part.value])
        packets.append(contentsOf: self.packets[part.packets])
        value.value = Slice(
          start: Int(value.value.start), count: bytes.count - Int(value.value.start))
        value.packets = value.packets.lowerBound..<packets.count
        (value.packet, value.time) = (part.packet, part.time)
        if part.isCut { value.isCut = true }
        if part.mayBeKey { value.mayBeKey = true }
        if part.isEchoWrong { value.isEchoWrong = true }
        open = value
      }
      if let open { joined.append(open) }
    }
    return joined
  }

  mutating func lose() { if !parts.isEmpty { isIncomplete = true } }

  mutating func clear() {
    parts.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    packets.removeAll(keepingCapacity: true)
    isIncomplete = false
  }
}
