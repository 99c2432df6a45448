package import Bluetooth
import Bytes
import Captures
import Dissectors

/// What ATT PDUs reveal about attributes.
extension Attributes {
  /// Learns what a PDU reveals, and finds the attribute that it refers to.
  ///
  /// - Parameters:
  ///   - key: the server.
  ///   - connection: the connection's number.
  ///   - doubt: what remains uncertain about the request that the PDU answers.
  ///   - supplied: receives what contradicts the supplied maps.
  mutating func observe(
    _ opcode: ATTOpcode, _ packet: inout Packet, of key: UInt64, on connection: Int,
    _ doubt: ResponseDoubt, _ supplied: inout SuppliedMaps
  ) {
    let (fields, bytes, number) = (packet.dissection.attFields, packet.bytes, packet.record.number)
    if let type = fields.type, secretTypes.contains(type) {
      noteKeyMaterial()
    }
    // This comes before the list may declare the attribute as another one.
    if hasKeyMaterial, let items = fields.items {
      packet.answer.listsKeyMaterial = listsKeyMaterial(items, bytes, key)
    }
    if fields.items != nil || opcode == .errorResponse {
      learn(opcode, &packet, of: key, on: connection, doubt)
    }
    if opcode == .multipleHandleValueNotification, let items = fields.items {
      noteSending(items, bytes, of: key, on: connection, packet: number)
    }
    guard let handle = fields.handle ?? packet.answer.request?.handle, handle != 0 else { return }
    packet.answer.attribute = find(handle, of: key, packet: number)
    if !supplied.isEmpty, let place = packet.answer.attribute, doubt.alternatives.isEmpty,
      !packet.record.isTruncated,
      let found = contradiction(place, opcode, fields, packet.answer.request)
    {
      supplied.note(refute(place, found.operation, found.error, packet: number))
      packet.answer.attribute = find(handle, of: key, packet: number)
    }
    if let place = packet.answer.attribute {
      noteUse(place, opcode, fields.error, on: connection, packet: number)
    }
    if opcode == .writeResponse { noteAcceptance(handle, of: key) }
    guard let value = fields.value else { return }
    let count = Int(value.count)
    switch opcode {
    case .readResponse where (count == 2 || count == 16) && doubt.alternatives.isEmpty:
      learn(
        read: bytes.part(value), handle, at: packet.answer.attribute, of: key,
        connection: connection, packet: number)
    case .writeRequest where packet.answer.attribute == nil && count == 2:
      guard bytes.littleEndianU16(at: Int(value.start)) <= 3 else { return }
      noteConfiguration(handle, of: key, packet: number)
    case .handleValueNotification, .handleValueIndication:
      if opcode == .handleValueIndication, count == 4, let place = packet.answer.attribute,
        isShort(place, 0x2a05)
      {
        noteChanged(
          bytes.littleEndianU16(at: Int(value.start)),
          bytes.littleEndianU16(at: Int(value.start) + 2), of: key,
          connection: connection, packet: number)
        break
      }
      if let place = packet.answer.attribute { noteValue(place) }
      noteSending(
        handle, isKnown: packet.answer.attribute != nil, of: key, connection: connection,
        packet: number)
      return
    default: return
    }
    // What was learnt may have moved or removed the attribute.
    packet.answer.attribute = find(handle, of: key, packet: number)
  }

  /// Returns whether one of the values in a list belongs to an attribute whose values are keys,
  /// whatever was requested.
  @inline(never)
  private func listsKeyMaterial(_ items: ATTItems, _ bytes: RawSpan, _ key: UInt64) -> Bool {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard item.value != nil, let handle = item.handle,
        let place = look(handle, of: key)
      else { continue }
      if secretTypes.contains(self[place].uuid) { return true }
    }
    return false
  }

  /// Records the handles that several notifications in one PDU come from.
  private mutating func noteSending(
    _ items: ATTItems, _ bytes: RawSpan, of key: UInt64, on connection: Int, packet: Int
  ) {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle, handle != 0 else { continue }
      let place = find(handle, of: key, packet: packet)
      noteSending(handle, isKnown: place != nil, of: key, connection: connection, packet: packet)
    }
  }

  /// Learns from discovery lists, from the ends of discoveries, and from refusals.
  ///
  /// If the request is missing, only a Find Information Response is meaningful on its own: it lists
  /// each attribute with its type. The meaning of other lists depends on the request, so that it
  /// can only be inferred.
  private mutating func learn(
    _ opcode: ATTOpcode, _ packet: inout Packet, of key: UInt64, on connection: Int,
    _ doubt: ResponseDoubt
  ) {
    let (fields, bytes, number) = (packet.dissection.attFields, packet.bytes, packet.record.number)
    guard let request = packet.answer.request ?? Request(evident: opcode, packet: number) else {
      if let items = fields.items {
        infer(opcode, items, bytes, of: key, connection: connection, packet: number)
      }
      return
    }
    // If it may equally packet.answer a request for something else, its meaning is unknown.
    guard
      doubt.alternatives.allSatisfy({
        $0.opcode == request.opcode && $0.type == request.type && $0.service == request.service
      })
    else { return }
    if let items = fields.items {
      let older = learn(
        opcode, items, bytes, request, of: key, connection: connection,
        packet: number)
      if let older {
        packet.dissection.problems.add(Problem(.attributeChanged, Int(older.handle), older.packet))
      }
      if let limit = takeLimitReached() {
        packet.dissection.problems.add(Problem(.attributes, limit: limit))
      }
    } else if fields.error == .attributeNotFound {
      learnEnd(of: request, of: key, connection: connection, packet: number)
    } else if request.opcode == .writeRequest, let handle = request.handle {
      noteRefusal(handle, of: key)
    }
  }
}

extension ATTOpcode {
  /// Whether servers send PDUs of this kind; clients send all others (Core, Vol 3, Part F, 3.3).
  package var isServers: Bool {
    switch role {
    case .response, .indication: true
    case .request, .confirmation: false
    // Notifications, but not commands.
    case .unacknowledged: rawValue & 0x40 == 0
    }
  }

  /// Returns the end that is the server, if a PDU of this kind has a direction.
  package func server(_ direction: Direction) -> Side {
    (direction == .sent) == isServers ? .local : .peer
  }
}
