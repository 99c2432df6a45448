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
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, of key: UInt64,
    on connection: Int, _ record: borrowing CaptureRecord, _ doubt: ResponseDoubt,
    _ supplied: inout SuppliedMaps, _ dissection: inout Dissection, _ answer: inout Answer
  ) {
    if let type = fields.type, secretTypes.contains(type) {
      noteKeyMaterial()
    }
    // This comes before the list may declare the attribute as another one.
    if hasKeyMaterial, let items = fields.items {
      answer.listsKeyMaterial = listsKeyMaterial(items, bytes, key)
    }
    if fields.items != nil || opcode == .errorResponse {
      learn(
        opcode, fields, bytes, of: key, on: connection, packet: record.number, doubt, &dissection,
        answer)
    }
    if opcode == .multipleHandleValueNotification, let items = fields.items {
      noteSending(items, bytes, of: key, on: connection, packet: record.number)
    }
    guard let handle = fields.handle ?? answer.request?.handle, handle != 0 else { return }
    answer.attribute = find(handle, of: key, packet: record.number)
    if !supplied.isEmpty, let place = answer.attribute, doubt.alternatives.isEmpty,
      !record.isTruncated,
      let found = contradiction(place, opcode, fields, answer.request)
    {
      supplied.note(
        refute(place, found.operation, found.error, packet: record.number))
      answer.attribute = find(handle, of: key, packet: record.number)
    }
    if let place = answer.attribute {
      noteUse(
        place, opcode, fields.error, on: connection, packet: record.number)
    }
    if opcode == .writeResponse { noteAcceptance(handle, of: key) }
    guard let value = fields.value else { return }
    let count = Int(value.count)
    switch opcode {
    case .readResponse where (count == 2 || count == 16) && doubt.alternatives.isEmpty:
      learn(
        read: bytes.part(value), handle, at: answer.attribute, of: key,
        connection: connection, packet: record.number)
    case .writeRequest where answer.attribute == nil && count == 2:
      guard bytes.littleEndianU16(at: Int(value.start)) <= 3 else { return }
      noteConfiguration(handle, of: key, packet: record.number)
    case .handleValueNotification, .handleValueIndication:
      if opcode == .handleValueIndication, count == 4, let place = answer.attribute,
        isShort(place, 0x2a05)
      {
        noteChanged(
          bytes.littleEndianU16(at: Int(value.start)),
          bytes.littleEndianU16(at: Int(value.start) + 2), of: key,
          connection: connection, packet: record.number)
        break
      }
      if let place = answer.attribute { noteValue(place) }
      noteSending(
        handle, isKnown: answer.attribute != nil, of: key, connection: connection,
        packet: record.number)
      return
    default: return
    }
    // What was learnt may have moved or removed the attribute.
    answer.attribute = find(handle, of: key, packet: record.number)
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
      noteSending(
        handle, isKnown: place != nil, of: key, connection: connection, packet: packet)
    }
  }

  /// Learns from discovery lists, from the ends of discoveries, and from refusals.
  ///
  /// If the request is missing, only a Find Information Response is meaningful on its own: it lists
  /// each attribute with its type. The meaning of other lists depends on the request, so that it can
  /// only be inferred.
  private mutating func learn(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, of key: UInt64,
    on connection: Int, packet: Int, _ doubt: ResponseDoubt, _ dissection: inout Dissection,
    _ answer: Answer
  ) {
    guard let request = answer.request ?? Request(evident: opcode, packet: packet) else {
      if let items = fields.items {
        infer(opcode, items, bytes, of: key, connection: connection, packet: packet)
      }
      return
    }
    // If it may equally answer a request for something else, its meaning is unknown.
    guard
      doubt.alternatives.allSatisfy({
        $0.opcode == request.opcode && $0.type == request.type && $0.service == request.service
      })
    else { return }
    if let items = fields.items {
      let older = learn(
        opcode, items, bytes, request, of: key, connection: connection,
        packet: packet)
      if let older {
        dissection.problems.add(
          Problem(.attributeChanged, Int(older.handle), older.packet))
      }
      if let limit = takeLimitReached() {
        dissection.problems.add(Problem(.attributes, limit: limit))
      }
    } else if fields.error == .attributeNotFound {
      learnEnd(of: request, of: key, connection: connection, packet: packet)
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
