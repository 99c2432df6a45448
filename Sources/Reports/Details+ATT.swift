import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Details {
  /// An ATT PDU.
  static func att<Sink: FieldSink & ~Copyable>(
    _ pdu: ATTPDU, _ bytes: RawSpan, _ answer: Answer, to sink: inout Sink
  ) {
    let fields = pdu.fields
    sink.begin("att")
    sink.identifier("opcode", UInt64(pdu.opcode.rawValue), digits: 2)
    if let name = pdu.opcode.name { sink.word("name", name) }
    answered(answer, to: &sink)
    if let bearer = answer.channel?.bearer {
      sink.identifier("bearer", UInt64(bearer.rawValue), digits: 4)
    }
    if let opcode = fields.requestOpcode {
      sink.identifier("request_opcode", UInt64(opcode.rawValue), digits: 2)
      if let name = opcode.name { sink.word("request_name", name) }
    }
    // A response says nothing of its attribute; its request did.
    if let handle = fields.handle ?? answer.request.flatMap({ $0.handle }) {
      sink.identifier("handle", UInt64(handle), digits: 4)
    }
    if let error = fields.error {
      sink.code("error", UInt64(error.rawValue), digits: 2, error.name)
      if error == .attributeNotFound, let meaning = answer.request?.meaningOfNotFound {
        sink.flag("ends_discovery", meaning == .endOfDiscovery)
      }
    }
    if let start = fields.startHandle {
      sink.identifier("start_handle", UInt64(start), digits: 4)
    }
    if let end = fields.endHandle { sink.identifier("end_handle", UInt64(end), digits: 4) }
    if let type = fields.type { sink.uuid("uuid", type) }
    if let offset = fields.offset { sink.number("offset", Int(offset)) }
    if let mtu = fields.mtu { sink.number("mtu", Int(mtu)) }
    if let flags = fields.executeFlags {
      sink.code("flags", UInt64(flags), digits: 2, ATT.ExecuteWriteRequest.name(flags))
    }
    if let value = fields.value { sink.bytes("value", bytes.part(value)) }
    if let counter = fields.signCounter { sink.number("sign_counter", Int(counter)) }
    if let signature = fields.signature { sink.bytes("signature", bytes.part(signature)) }
    if let handles = fields.handles { self.handles(bytes.part(handles), to: &sink) }
    if let items = fields.items { self.items(items, bytes, answer.request?.type, to: &sink) }
    if let data = fields.data, !data.isEmpty { sink.bytes("data", bytes.part(data)) }
    sink.end()
  }

  private static func handles<Sink: FieldSink & ~Copyable>(
    _ handles: RawSpan, to sink: inout Sink
  ) {
    sink.beginList("handles")
    for index in 0..<handles.byteCount / 2 {
      sink.element(handle: handles.littleEndianU16(at: 2 * index))
    }
    sink.endList()
  }

  /// The items of a list. What their values are is known from the type that the request asked for.
  private static func items<Sink: FieldSink & ~Copyable>(
    _ items: ATTItems, _ bytes: RawSpan, _ type: BluetoothUUID?, to sink: inout Sink
  ) {
    sink.beginList("items")
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      sink.beginItem()
      if let handle = item.handle { sink.identifier("handle", UInt64(handle), digits: 4) }
      if let end = item.endHandle { sink.identifier("end_handle", UInt64(end), digits: 4) }
      if let uuid = item.type { sink.namedUUID(uuid) }
      if let value = item.value {
        let meaning = DeclaredAttribute(bytes.part(value), type)
        declared(meaning, to: &sink)
        sink.bytes("value", bytes.part(value))
        if item.missing > 0 { sink.number("missing", item.missing) }
      }
      sink.endItem()
    }
    sink.endList()
  }

  private static func declared<Sink: FieldSink & ~Copyable>(
    _ declared: DeclaredAttribute, to sink: inout Sink
  ) {
    switch declared {
    case .service(let uuid): sink.namedUUID(uuid)
    case .characteristic(let declaration):
      sink.namedUUID(declaration.uuid)
      sink.identifier("value_handle", UInt64(declaration.valueHandle), digits: 4)
      sink.words(
        "properties", bits: Int(declaration.properties.rawValue), of: 8,
        CharacteristicProperties.key(bit:))
    case .include(let declaration):
      if let uuid = declaration.uuid { sink.namedUUID(uuid) }
      sink.identifier("included_start_handle", UInt64(declaration.startHandle), digits: 4)
      sink.identifier("included_end_handle", UInt64(declaration.endHandle), digits: 4)
    case .other: break
    }
  }
}
