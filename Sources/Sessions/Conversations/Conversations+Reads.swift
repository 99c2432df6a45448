import Bluetooth
import Bytes
import Captures
import Dissectors

/// Reads, and writes in parts.
extension Conversations {
  // MARK: Reads

  /// Processes a value or part of one that was read.
  ///
  /// - Parameters:
  ///   - isFull: whether the part may fill its PDU, judging by what is known about the MTU, so that
  ///     there may be more.
  ///   - fillsPDU: whether it certainly fills its PDU.
  mutating func read(
    _ place: Place, _ pending: Procedure, _ part: RawSpan, _ arrived: Arrived, isFull: Bool,
    fillsPDU: Bool, _ memory: borrowing Memory
  ) {
    let side = place.side
    // Other requests may have been answered since it was requested.
    let fits = pending.goesOn && sides[side].read.fits(pending)
    if !fits || !sides[side].read.isOpen {
      // Nothing follows a value that seemed to be whole.
      if fits, part.byteCount == 0 { return }
      finishRead(place)
      sides[side].read.begin(pending.attribute, at: pending.offset)
    }
    if arrived.isHeld, memory.attributes.hasKeyMaterial { sides[side].read.mayBeKey = true }
    sides[side].read.add(
      part, at: pending.offset, arrived, fillsPDU: fillsPDU, limits)
    if isFull { mayHaveOpenReads = true } else { finishRead(place) }
  }

  /// Reports the values that the client has not continued to read for a while.
  mutating func finishReads(_ time: Timestamp, _ patience: Int64) {
    mayHaveOpenReads = false
    for bearer in bearers.indices {
      for direction in [Direction.sent, .received] {
        let place = Place(bearer: bearer, direction: direction)
        guard sides[place.side].read.isOpen else { continue }
        if !procedures.sides[place.side].isAsking, let last = sides[place.side].read.time,
          time.nanoseconds(since: last) > patience
        {
          finishRead(place)
        } else {
          mayHaveOpenReads = true
        }
      }
    }
  }

  /// Reports the value that was read in parts, if one is open.
  mutating func finishRead(
    _ place: Place, _ outcome: ValueOutcome = .done, response: Int? = nil,
    isRestRefused: Bool = false
  ) {
    guard sides[place.side].read.isOpen else { return }
    let read = sides[place.side].read
    sides[place.side].read.close()
    var value = ConveyedValue(
      operation: .read, outcome: outcome, attribute: read.attribute,
      parties: bearers[place.bearer].parties, direction: place.direction.reversed,
      packet: read.packet, time: read.time)
    value.response = response
    value.latency = read.packets.count > 1 ? nil : read.latency
    value.offset = read.start
    value.isCut = read.isCut
    value.mayGoOn = outcome == .done && read.fillsPDU && response == nil && !read.isEnded
    value.isRestRefused = isRestRefused && read.fillsPDU
    value.isSecret = read.mayBeKey
    value.value = keep(read.bytes.bytes)
    value.packets = keep(read.packets[...])
    if outcome == .done { learnLength(read.attribute, read.start, read.bytes.count, read.isCut) }
    tell(value)
  }

  /// Remembers the length of a value.
  private mutating func learnLength(
    _ attribute: AttributeIdentity, _ offset: Int, _ length: Int, _ isCut: Bool
  ) {
    guard offset == 0, !isCut, let handle = attribute.handle else { return }
    let key = AttributeKey(server: attribute.server, handle: handle)
    if lengths.count < limits.valueLengths || lengths[key] != nil { lengths[key] = length }
  }

  /// Reports values that were read by their type: one for each attribute of that type (Core, Vol 3,
  /// Part G, 4.8.2).
  mutating func readByType(
    _ place: Place, _ pending: Procedure, _ items: ATTItems, _ arrived: Arrived, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    let isSecret =
      arrived.listsKeyMaterial || arrived.isHeld && memory.attributes.hasKeyMaterial
    let mtu = memory.mtu(on: bearers[place.bearer].link, arrived.channel)
    // A single value that fills the PDU may continue.
    let isFull =
      items.singleValueLength.map { ATTItems.isFull($0, mtu: mtu.value) } ?? false
    var cursor = Cursor(bytes, items.list)
    let packets = isFull ? nil : keep(arrived.packets)
    while let item = items.next(&cursor) {
      guard let slice = item.value else { continue }
      var attribute = identity(item.handle, place, isLocal: place.isLocal, memory)
      if attribute.uuid == nil { attribute.uuid = pending.attribute.uuid }
      if isFull {
        finishRead(place)
        sides[place.side].read.begin(attribute, at: 0)
        sides[place.side].read.mayBeKey = isSecret
        sides[place.side].read.add(
          bytes.part(slice), at: 0, arrived, fillsPDU: !mtu.isLowerBound, limits)
        mayHaveOpenReads = true
      } else {
        tellRead(
          place, attribute, bytes.part(slice), arrived, packets, isCut: item.missing > 0,
          isSecret: isSecret)
      }
    }
  }

  /// Reports a value that was read.
  ///
  /// - Parameter packets: the packets of the PDU, shared by all of its values.
  private mutating func tellRead(
    _ place: Place, _ attribute: AttributeIdentity, _ value: RawSpan, _ arrived: Arrived,
    _ packets: Range<Int>?, isCut: Bool, isSecret: Bool
  ) {
    var told = ConveyedValue(
      operation: .read, attribute: attribute, parties: bearers[place.bearer].parties,
      direction: place.direction.reversed, packet: arrived.packet,
      time: arrived.time)
    told.latency = arrived.latency
    told.isCut = isCut
    told.isSecret = isSecret
    told.value = keep(value)
    told.packets = packets
    tell(told)
  }

  /// Reports several values that were read at once (Core, Vol 3, Part F, 3.4.4.7 and 3.4.4.11).
  /// They are split if each comes with its length, or if the lengths are known.
  mutating func readMultiple(
    _ place: Place, _ pending: Procedure, _ fields: ATTFields, _ arrived: Arrived, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    let handles = pending.value.bytes
    let count = handles.byteCount / 2
    let packets = keep(arrived.packets)
    // The ends of the values come from the server or are inferred: if any attribute's values are
    // keys, any value may be one.
    let isSecret = memory.attributes.hasKeyMaterial
    if let items = fields.items {
      var cursor = Cursor(bytes, items.list)
      for index in 0..<count {
        guard let item = items.next(&cursor), let slice = item.value else { return }
        let handle = handles.littleEndianU16(at: 2 * index)
        tellRead(
          place, identity(handle, place, isLocal: place.isLocal, memory), bytes.part(slice),
          arrived, packets, isCut: item.missing > 0, isSecret: isSecret)
      }
      return
    }
    guard let value = fields.value else { return }
    if !arrived.isCut, let split = split(handles, Int(value.count), pending.attribute.server) {
      var start = Int(value.start)
      for (index, length) in split.enumerated() {
        let handle = handles.littleEndianU16(at: 2 * index)
        tellRead(
          place, identity(handle, place, isLocal: place.isLocal, memory),
          bytes.part(Slice(start: start, count: length)), arrived, packets, isCut: false,
          isSecret: isSecret)
        start += length
      }
      return
    }
    var told = ConveyedValue(
      operation: .read, attribute: identity(nil, place, isLocal: place.isLocal, memory),
      parties: bearers[place.bearer].parties, direction: place.direction.reversed,
      packet: arrived.packet, time: arrived.time)
    told.latency = arrived.latency
    told.isCut = arrived.isCut
    told.value = keep(bytes.part(value))
    told.handles = keep(handles)
    told.packets = packets
    told.isSecret = isSecret
    tell(told)
  }

  /// Returns the length of each of several values that have `total` bytes together; nil if that is
  /// unknown.
  private func split(_ handles: RawSpan, _ total: Int, _ server: UInt64) -> [Int]? {
    let count = handles.byteCount / 2
    var found: [Int?] = []
    var known = 0
    var unknown: UInt16?
    var unknownCount = 0
    for index in 0..<count {
      let handle = handles.littleEndianU16(at: 2 * index)
      let length = lengths[AttributeKey(server: server, handle: handle)]
      found.append(length)
      if let length {
        known += length
      } else if unknown == nil || unknown == handle {
        unknown = handle
        unknownCount += 1
      } else {
        return nil
      }
    }
    guard known <= total else { return nil }
    if unknownCount == 0 { return known == total ? found.compactMap(\.self) : nil }
    // One attribute of unknown length, possibly repeated: it gets what the others leave.
    guard (total - known) % unknownCount == 0 else { return nil }
    let each = (total - known) / unknownCount
    return found.map { $0 ?? each }
  }

  // MARK: Prepared writes

  /// Reports the values whose parts were prepared, one for each run of consecutive parts of an
  /// attribute, and empties the queue.
  mutating func flush(
    _ queue: PreparedQueue, _ place: Place, _ outcome: ValueOutcome, response: Int?,
    unanswered: Procedure? = nil, isAcknowledged: Bool? = nil, _ memory: borrowing Memory
  ) {
    guard !queue.isEmpty else { return }
    var queue = queue
    for joined in queue.join(into: &bytes, packets: &packets) {
      var value = ConveyedValue(
        operation: .preparedWrite, outcome: outcome,
        attribute: identity(joined.handle, place, isLocal: place.isLocal, memory),
        parties: bearers[place.bearer].parties, direction: place.direction,
        packet: unanswered?.packet ?? joined.packet, time: unanswered?.time ?? joined.time)
      value.response = response
      value.isAcknowledged = isAcknowledged
      value.offset = joined.offset
      value.isCut = joined.isCut
      value.isEchoWrong = joined.isEchoWrong
      value.value = Slice(start: joined.bytes.lowerBound, count: joined.bytes.count)
      // The Execute Write Request is a packet of its own.
      if joined.packets.count > 1 || unanswered != nil { value.packets = joined.packets }
      tell(value)
    }
  }
}
