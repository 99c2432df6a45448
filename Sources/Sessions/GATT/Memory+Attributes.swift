package import Bluetooth
import Bytes
import Captures
import Dissectors

/// What ATT PDUs reveal about attributes.
extension Memory {
  /// Returns the attribute `handle` that a PDU with this opcode and direction refers to, or nil if
  /// it is not known.
  package func attribute(
    _ handle: UInt16, _ opcode: ATTOpcode, _ direction: Direction, on link: LinkSlot
  ) -> Attributes.Place? {
    attributes.look(handle, of: Attributes.key(of: opcode.server(direction), links[link]))
  }

  /// Learns what a PDU reveals about attributes, and finds the one that it refers to.
  mutating func observeAttributes(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, _ direction: Direction,
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ answer: inout Answer
  ) {
    guard let link = answer.link else { return }
    if !supplied.maps.isEmpty, !links[link].hasLookedForMap {
      applySupplied(to: link, packet: record.number)
    }
    let side = opcode.server(direction)
    if let type = fields.type, attributes.secretTypes.contains(type) {
      attributes.noteKeyMaterial()
    }
    // This comes before the list may declare the attribute as another one.
    if attributes.hasKeyMaterial, let items = fields.items {
      answer.listsKeyMaterial = hasKeyMaterial(
        items, bytes, Attributes.key(of: side, links[link]))
    }
    if let handles = fields.handles {
      note(handles: bytes.part(handles), packet: record.number)
    }
    if fields.items != nil || opcode == .errorResponse {
      learnAttributes(opcode, fields, bytes, of: side, record, &dissection, answer)
    }
    if opcode == .multipleHandleValueNotification, let items = fields.items {
      noteSending(items, bytes, Attributes.key(of: side, links[link]), record, link)
    }
    guard let handle = fields.handle ?? answer.request?.handle, handle != 0 else { return }
    let key = Attributes.key(of: side, links[link])
    answer.attribute = attributes.find(handle, of: key, packet: record.number)
    if !supplied.maps.isEmpty, let place = answer.attribute, doubt.alternatives.isEmpty,
      !record.isTruncated,
      let found = attributes.contradiction(place, opcode, fields, answer.request)
    {
      supplied.note(
        attributes.refute(place, found.operation, found.error, packet: record.number))
      answer.attribute = attributes.find(handle, of: key, packet: record.number)
    }
    if let place = answer.attribute {
      attributes.noteUse(
        place, opcode, fields.error, on: links[link].id, packet: record.number)
    }
    if opcode == .writeResponse { attributes.noteAcceptance(handle, of: key) }
    guard let value = fields.value else { return }
    let count = Int(value.count)
    switch opcode {
    case .readResponse where (count == 2 || count == 16) && doubt.alternatives.isEmpty:
      attributes.learn(
        read: bytes.part(value), handle, at: answer.attribute, of: key,
        connection: links[link].id, packet: record.number)
    case .writeRequest where answer.attribute == nil && count == 2:
      guard bytes.littleEndianU16(at: Int(value.start)) <= 3 else { return }
      attributes.noteConfiguration(handle, of: key, packet: record.number)
    case .handleValueNotification, .handleValueIndication:
      if opcode == .handleValueIndication, count == 4, let place = answer.attribute,
        attributes.isShort(place, 0x2a05)
      {
        attributes.forget(
          bytes.littleEndianU16(at: Int(value.start)),
          bytes.littleEndianU16(at: Int(value.start) + 2), of: key,
          connection: links[link].id, packet: record.number)
        break
      }
      if let place = answer.attribute { attributes.noteValue(place) }
      attributes.noteSending(
        handle, isKnown: answer.attribute != nil, of: key, connection: links[link].id,
        packet: record.number)
      return
    default: return
    }
    // What was learnt may have moved or removed the attribute.
    answer.attribute = attributes.find(handle, of: key, packet: record.number)
  }

  @inline(never)
  private mutating func note(handles: RawSpan, packet: Int) {
    askedHandles.note(
      (0..<handles.byteCount / 2).map { handles.littleEndianU16(at: 2 * $0) }, packet: packet)
  }

  /// Returns whether one of the values in a list belongs to an attribute whose values are keys,
  /// whatever was requested.
  @inline(never)
  private func hasKeyMaterial(_ items: ATTItems, _ bytes: RawSpan, _ key: UInt64) -> Bool {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard item.value != nil, let handle = item.handle,
        let place = attributes.look(handle, of: key)
      else { continue }
      if attributes.secretTypes.contains(attributes[place].uuid) { return true }
    }
    return false
  }

  /// Records the handles that several notifications in one PDU come from.
  private mutating func noteSending(
    _ items: ATTItems, _ bytes: RawSpan, _ key: UInt64, _ record: borrowing CaptureRecord,
    _ link: LinkSlot
  ) {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle, handle != 0 else { continue }
      let place = attributes.find(handle, of: key, packet: record.number)
      attributes.noteSending(
        handle, isKnown: place != nil, of: key, connection: links[link].id, packet: record.number)
    }
  }

  /// Learns from discovery lists, from the ends of discoveries, and from refusals.
  ///
  /// If the request is missing, only a Find Information Response is meaningful on its own: it lists
  /// each attribute with its type. The meaning of other lists depends on the request: services may
  /// be primary or secondary, and five bytes that look like a characteristic's declaration may be
  /// another attribute's value. So nothing is learnt from them.
  private mutating func learnAttributes(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, of side: Side,
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ answer: Answer
  ) {
    guard let link = answer.link,
      let request = answer.request ?? Request(evident: opcode, packet: record.number)
    else { return }
    // If it may equally answer a request for something else, its meaning is unknown.
    guard
      doubt.alternatives.allSatisfy({
        $0.opcode == request.opcode && $0.type == request.type && $0.service == request.service
      })
    else { return }
    let key = Attributes.key(of: side, links[link])
    if let items = fields.items {
      let older = attributes.learn(
        opcode, items, bytes, request, of: key, connection: links[link].id,
        packet: record.number)
      if let older {
        dissection.problems.add(
          Problem(.attributeChanged, Int(older.handle), older.packet))
      }
      if let limit = attributes.takeLimitReached() {
        dissection.problems.add(Problem(.attributes, limit: limit))
      }
    } else if fields.error == .attributeNotFound {
      attributes.learnEnd(of: request, of: key, packet: record.number)
    } else if request.opcode == .writeRequest, let handle = request.handle {
      attributes.noteRefusal(handle, of: key)
    }
  }

  /// Records that a link is encrypted. If the key is from an earlier pairing, the two are bonded:
  /// the server then reports changes, so what was known of both still holds (Core, Vol 3, Part G,
  /// 2.5.2).
  mutating func trustAttributes(on link: LinkSlot) {
    guard links[pairing: link].request == nil else { return }
    for side in [Side.peer, .local] {
      attributes.makeCertain(
        Attributes.key(of: side, links[link]), on: links[link].id)
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
