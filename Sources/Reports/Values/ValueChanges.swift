import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Finds the values that differ from the one before, and the last write before each.
struct ValueChanges: Sendable {
  /// A write to a characteristic.
  struct Write: Sendable {
    let packet: Int
    /// The attribute's handle; 0 for a serial channel.
    let handle: UInt16
    /// The attribute. Only values of its server can follow.
    let attribute: AttributeIdentity
    /// What was written, up to a limit, and its length; nil if it is not known yet.
    var value: (bytes: [UInt8], count: Int, isHidden: Bool)?
    /// Whether it needs a response that has not come: the server may still refuse it.
    var isOpen = false
    /// Whether it is a part of a value that takes effect when all parts are executed.
    var isPrepared = false
  }

  /// Values of an attribute that are compared: those of the server, or those that are written.
  private struct Key: Hashable, Sendable {
    let entry: ValueEntry.Key
    let isWrite: Bool
  }

  private var latest: [Key: Int] = [:]
  /// The last writes on each connection, the latest last.
  private var writes: [Int: [Write]] = [:]
  private let limits: Limits

  /// The maximum number of writes kept of a connection: an indication is reported when it is
  /// confirmed, and others may follow it before that.
  private static let mostWrites = 8
  /// The number of bytes kept of what was written.
  private static let kept = 20

  init(_ limits: Limits) { self.limits = limits }

  /// Records a write when its packet is seen, since values may follow it before its response.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard let pdu = packet.dissection.att, let handle = packet.dissection.attFields.handle,
      let link = packet.answer.link,
      let direction = packet.record.direction
    else { return }
    switch pdu.opcode {
    case .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest: break
    default: return
    }
    let server = pdu.opcode.server(direction)
    let attribute = memory.identity(of: handle, at: server, on: link)
    guard !mayConfigure(attribute, packet.bytes.part(packet.dissection.attFields.value ?? .empty))
    else { return }
    let connection = memory.links.id(link)
    if pdu.opcode == .prepareWriteRequest {
      // The last part stands for the whole.
      writes[connection]?.removeAll {
        $0.isPrepared && $0.handle == handle && $0.attribute.side == server
      }
    }
    var write = Write(packet: packet.record.number, handle: handle, attribute: attribute)
    // The capture may lack all answers.
    write.isOpen = pdu.opcode == .writeRequest && memory.hasSeenAnswers(direction.reversed)
    write.isPrepared = pdu.opcode == .prepareWriteRequest
    add(write, connection)
  }

  /// Returns whether a write may only have switched notifications or indications on or off: an
  /// unknown attribute may be a CCCD, too.
  private func mayConfigure(_ attribute: AttributeIdentity, _ value: RawSpan) -> Bool {
    attribute.isConfiguration
      || attribute.uuid == nil && attribute.channel == nil && value.byteCount == 2
        && value.littleEndianU16(at: 0) <= 3
  }

  private mutating func add(_ write: Write, _ connection: Int) {
    if writes[connection] == nil, writes.count >= limits.writers,
      let oldest = writes.keys.min()
    {
      writes[oldest] = nil
    }
    var list = writes.removeValue(forKey: connection) ?? []
    if let known = list.firstIndex(where: { $0.packet == write.packet }) {
      list[known] = write
    } else {
      if list.count >= Self.mostWrites { list.removeFirst() }
      list.insert(write, at: list.firstIndex { $0.packet > write.packet } ?? list.count)
    }
    writes[connection] = list
  }

  /// Records what was written, once the outcome of the write is known. A write that was refused or
  /// not executed changed nothing.
  mutating func observe(_ value: ConveyedValue, _ bytes: RawSpan, _ memory: borrowing Memory) {
    guard value.isWritten,
      let handle = value.attribute.channel == nil ? value.attribute.handle : 0
    else { return }
    let connection = value.parties.connection
    let reason: ValueOutcome.Reason? =
      if case .noResponse(let reason) = value.outcome { reason } else { nil }
    let content = bytes.part(value.value ?? .empty)
    guard value.outcome == .done || reason != nil, !mayConfigure(value.attribute, content) else {
      writes[connection]?.removeAll { $0.packet == value.packet }
      return
    }
    guard value.value != nil else { return }
    // The capture may lack all answers.
    let isOpen =
      reason != nil && reason != .recordsLost && reason != .forgotten
      && value.operation != .preparedWrite
      && value.direction.map { memory.hasSeenAnswers($0.reversed) } ?? false
    add(
      Write(
        packet: value.packet, handle: handle, attribute: value.attribute,
        value: (
          content.part(Slice(start: 0, count: Self.kept)).array, content.byteCount,
          value.isKeyMaterial
        ), isOpen: isOpen), connection)
  }

  /// Returns the last write on a value's connection before it; nil if none is known.
  func write(before value: ConveyedValue) -> Write? {
    guard !value.isWritten else { return nil }
    return writes[value.parties.connection]?.last { write in
      write.packet < value.packet && write.attribute.side == value.attribute.side
    }
  }

  /// Returns whether a value differs from the one before of its attribute, and records it.
  mutating func differs(_ value: ConveyedValue, _ bytes: RawSpan) -> Bool {
    guard value.outcome == .done, let slice = value.value else { return false }
    let key = Key(entry: ValueEntry.Key(value), isWrite: value.isWritten)
    var hasher = Hasher()
    hasher.combine(value.offset)
    let content = bytes.part(slice)
    hasher.combine(content.byteCount)
    for index in 0..<content.byteCount { hasher.combine(content.byte(at: index)) }
    let hash = hasher.finalize()
    if let known = latest[key] {
      latest[key] = hash
      return known != hash
    }
    if latest.count < 2 * limits.valueSeries { latest[key] = hash }
    return true
  }
}
