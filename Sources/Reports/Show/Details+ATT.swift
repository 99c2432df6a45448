import Bluetooth
import Bytes
import Captures
import Dissectors
import Meanings
import Sessions

extension Details {
  /// Appends an ATT PDU, which starts at the dissection's body.
  static func att<Sink: FieldSink & ~Copyable>(
    _ pdu: ATTPDU, _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let fields = packet.dissection.attFields
    let hides = packet.answer.bringsKeyMaterial(pdu.opcode, memory)
    sink.begin("att")
    // The parameters that a PDU has follow each other in this order.
    var position = Int(packet.dissection.body.start)
    func next(_ size: Int, _ sink: inout Sink) {
      sink.at(position, size)
      position += size
    }
    next(1, &sink)
    sink.identifier("opcode", UInt64(pdu.opcode.rawValue), digits: 2)
    if let name = pdu.opcode.name { sink.name("name", name) }
    answered(packet.answer, to: &sink)
    if let bearer = packet.answer.channel?.bearer {
      sink.identifier("bearer", UInt64(bearer.rawValue), digits: 4)
    }
    if let opcode = fields.requestOpcode {
      next(1, &sink)
      sink.identifier("request_opcode", UInt64(opcode.rawValue), digits: 2)
      if let name = opcode.name { sink.name("request_name", name) }
    }
    if let handle = fields.handle {
      next(2, &sink)
      sink.identifier("handle", UInt64(handle), digits: 4)
    } else if let handle = packet.answer.request?.handle {
      // A response does not contain its attribute handle, but its request did.
      sink.identifier("handle", UInt64(handle), digits: 4)
    }
    if let error = fields.error {
      next(1, &sink)
      let name =
        error.isOfProfile
        ? sink.errorName(error, of: ErrorSubject(packet.answer, memory)) : nil
      sink.error("error", error, name)
      if let meaning = packet.answer.meaning(of: fields), meaning != .either {
        sink.flag("ends_discovery", meaning == .endOfDiscovery)
      }
    }
    if let first = fields.startHandle {
      next(2, &sink)
      sink.identifier("start_handle", UInt64(first), digits: 4)
    }
    if let end = fields.endHandle {
      next(2, &sink)
      sink.identifier("end_handle", UInt64(end), digits: 4)
    }
    if let type = fields.type {
      next(Int(type.width), &sink)
      sink.uuid("uuid", type)
    } else if let place = packet.answer.attribute {
      attribute(place, packet.answer, memory, to: &sink)
    }
    if let offset = fields.offset {
      next(2, &sink)
      sink.number("offset", Int(offset))
    }
    if let mtu = fields.mtu {
      next(2, &sink)
      sink.number("mtu", Int(mtu))
    }
    if let flags = fields.executeFlags {
      next(1, &sink)
      sink.code("flags", UInt64(flags), digits: 2, ATTFields.executeName(flags))
    }
    if let value = fields.value {
      if let type = fields.type,
        case .service(let uuid) = DeclaredAttribute(packet.bytes.part(value), type)
      {
        sink.at(Int(value.start), Int(value.count))
        sink.uuid("value_uuid", uuid)
      }
      self.value("value", value, of: packet.bytes, isSecret: hides, to: &sink)
    }
    if let counter = fields.signCounter {
      // After the value.
      sink.at(fields.value?.end ?? position, 4)
      sink.number("sign_counter", Int(counter))
    }
    if let signature = fields.signature {
      self.bytes("signature", signature, of: packet.bytes, to: &sink)
    }
    if let handles = fields.handles { self.handles(handles, packet.bytes, to: &sink) }
    if let items = fields.items {
      if items.layout == .handleLengthValue || items.layout == .lengthValue {
        values(items, pdu.opcode, packet, memory, hides: hides, to: &sink)
      } else {
        self.items(items, packet.bytes, packet.answer.request, hides: hides, to: &sink)
      }
    }
    if !memory.longValues.isEmpty { joined(packet.answer, memory, to: &sink) }
    if let data = fields.data, !data.isEmpty {
      self.value("data", data, of: packet.bytes, isSecret: hides, to: &sink)
    }
    sink.end()
  }

  /// Appends what is known of the attribute that a PDU is about.
  private static func attribute<Sink: FieldSink & ~Copyable>(
    _ place: Attributes.Place, _ answer: Answer, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let attribute = memory.attributes[place]
    sink.uuid("uuid", attribute.uuid)
    if let service = memory.attributes.service(of: place) { sink.uuid("service", service) }
    sink.word("attribute", attribute.kind.key)
    let connection = answer.link.map { memory.links.id($0) } ?? 0
    sink.word("via", memory.attributes.via(of: place, on: connection).key)
  }

  /// Appends an attribute value, which may be a key.
  private static func value<Sink: FieldSink & ~Copyable>(
    _ key: StaticString, _ slice: Slice, of bytes: RawSpan, isSecret: Bool, to sink: inout Sink
  ) {
    guard isSecret, !sink.showsKeys else {
      self.bytes(key, slice, of: bytes, to: &sink)
      return
    }
    sink.at(Int(slice.start), Int(slice.count))
    sink.hidden(key, Int(slice.count))
  }

  /// Appends the values that the packet completes.
  @inline(never)
  private static func joined<Sink: FieldSink & ~Copyable>(
    _ answer: Answer, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let values = memory.longValues
    sink.beginList("joined")
    for joined in values.values {
      sink.beginItem()
      sink.identifier("handle", UInt64(joined.handle), digits: 4)
      if let place = answer.attribute(joined, memory) {
        sink.uuid("uuid", memory.attributes[place].uuid)
      }
      if joined.offset > 0 { sink.number("offset", joined.offset) }
      let value = values.bytes.bytes.part(joined.value)
      let secrecy = answer.secrecy(joined, memory)
      if secrecy != .open, !sink.showsKeys {
        sink.hidden("value", value.byteCount)
      } else {
        sink.bytes("value", value)
      }
      if joined.isCut { sink.flag("incomplete", true) }
      sink.packets("packets", values.packets[joined.packets])
      if joined.offset == 0, !joined.isCut, secrecy != .doubtful,
        let place = answer.attribute(joined, memory)
      {
        let uuid = memory.attributes[place].uuid
        sink.decoded(uuid.subjectKind, uuid, value)
      }
      sink.endItem()
    }
    sink.endList()
  }

  private static func bytes<Sink: FieldSink & ~Copyable>(
    _ key: StaticString, _ slice: Slice, of bytes: RawSpan, to sink: inout Sink
  ) {
    sink.at(Int(slice.start), Int(slice.count))
    sink.bytes(key, bytes.part(slice))
  }

  private static func handles<Sink: FieldSink & ~Copyable>(
    _ slice: Slice, _ bytes: RawSpan, to sink: inout Sink
  ) {
    let handles = bytes.part(slice)
    sink.beginList("handles")
    for index in 0..<handles.byteCount / 2 {
      sink.at(Int(slice.start) + 2 * index, 2)
      sink.element(handle: handles.littleEndianU16(at: 2 * index))
    }
    sink.endList()
  }

  /// Appends the items of a list. The requested type determines how their values are interpreted.
  private static func items<Sink: FieldSink & ~Copyable>(
    _ items: ATTItems, _ bytes: RawSpan, _ request: Request?, hides: Bool, to sink: inout Sink
  ) {
    let type = request?.type
    sink.beginList("items")
    var cursor = Cursor(bytes, items.list)
    var start = cursor.offset
    while let item = items.next(&cursor) {
      sink.at(start, cursor.offset - start)
      sink.beginItem()
      if let handle = item.handle {
        sink.at(start, 2)
        sink.identifier("handle", UInt64(handle), digits: 4)
      }
      if let end = item.endHandle {
        sink.at(start + 2, 2)
        sink.identifier("end_handle", UInt64(end), digits: 4)
      }
      if let uuid = item.type {
        sink.at(start + 2, Int(uuid.width))
        sink.namedUUID(uuid)
      } else if item.value == nil, let uuid = request?.service {
        // A response contains the location of the service, and its request the UUID.
        sink.namedUUID(uuid)
      }
      if let value = item.value {
        let meaning = DeclaredAttribute(bytes.part(value), type)
        declared(meaning, at: Int(value.start), to: &sink)
        self.value("value", value, of: bytes, isSecret: hides, to: &sink)
        if item.missing > 0 { sink.number("missing", item.missing) }
        if case .other = meaning, let type, !hides, item.missing == 0 {
          sink.decoded(type.subjectKind, type, bytes.part(value))
        }
      }
      sink.endItem()
      start = cursor.offset
    }
    sink.endList()
  }

  /// Appends the values of a Multiple Handle Value Notification, or of a read of several
  /// attributes.
  @inline(never)
  private static func values<Sink: FieldSink & ~Copyable>(
    _ items: ATTItems, _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory,
    hides: Bool, to sink: inout Sink
  ) {
    var list = ListedValues(items, packet.answer, memory)
    sink.beginList("items")
    var cursor = Cursor(packet.bytes, items.list)
    var start = cursor.offset
    while let (item, handle) = list.next(&cursor) {
      sink.at(start, cursor.offset - start)
      sink.beginItem()
      let uuid = packet.answer.type(of: handle, opcode, packet.record.direction, memory)
      if let handle {
        if item.handle != nil { sink.at(start, 2) }
        sink.identifier("handle", UInt64(handle), digits: 4)
      }
      if let uuid { sink.namedUUID(uuid) }
      if let value = item.value {
        self.value("value", value, of: packet.bytes, isSecret: hides, to: &sink)
        if item.missing > 0 { sink.number("missing", item.missing) }
        if let uuid, !hides || sink.showsKeys, item.missing == 0 {
          sink.decoded(uuid.subjectKind, uuid, packet.bytes.part(value))
        }
      }
      sink.endItem()
      start = cursor.offset
    }
    sink.endList()
  }

  private static func declared<Sink: FieldSink & ~Copyable>(
    _ declared: DeclaredAttribute, at start: Int, to sink: inout Sink
  ) {
    switch declared {
    case .service(let uuid):
      sink.at(start, Int(uuid.width))
      sink.namedUUID(uuid)
    case .characteristic(let declaration):
      sink.at(start + 3, Int(declaration.uuid.width))
      sink.namedUUID(declaration.uuid)
      sink.at(start + 1, 2)
      sink.identifier("value_handle", UInt64(declaration.valueHandle), digits: 4)
      sink.at(start, 1)
      sink.words(
        "properties", bits: Int(declaration.properties.rawValue), of: 8,
        CharacteristicProperties.key(bit:))
    case .include(let declaration):
      if let uuid = declaration.uuid {
        sink.at(start + 4, 2)
        sink.namedUUID(uuid)
      }
      sink.at(start, 2)
      sink.identifier("included_start_handle", UInt64(declaration.startHandle), digits: 4)
      sink.at(start + 2, 2)
      sink.identifier("included_end_handle", UInt64(declaration.endHandle), digits: 4)
    case .other: break
    }
  }
}
