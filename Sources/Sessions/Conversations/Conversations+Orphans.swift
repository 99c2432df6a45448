import Bluetooth
import Bytes
import Captures
import Dissectors

extension Conversations {
  /// Reports a response or an error whose request is unknown.
  mutating func tellOrphan(
    _ place: Place, _ arrived: Arrived, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    let pdu = arrived.pdu
    let fields = pdu.fields
    var told = ConveyedValue(
      operation: .read, attribute: identity(nil, place, isLocal: place.isLocal, memory),
      parties: bearers[place.bearer].parties, direction: place.direction.reversed,
      packet: arrived.packet, time: arrived.time)
    switch pdu.opcode {
    case .errorResponse:
      guard let error = fields.error, let opcode = fields.requestOpcode else { return }
      switch opcode {
      case .readRequest, .readMultipleRequest, .readMultipleVariableRequest: break
      case .writeRequest: told.operation = .write
      case .prepareWriteRequest: told.operation = .preparedWrite
      default: return
      }
      told.outcome = .refused(error)
      told.attribute = identity(
        fields.handle == 0 ? nil : fields.handle, place, isLocal: place.isLocal, memory)
    case .readResponse, .readBlobResponse:
      guard let value = fields.value else { return }
      told.value = keep(bytes.part(value))
      told.packets = keep(arrived.packets)
      told.isCut = arrived.isCut
      // As in `show`: if any attribute's values are keys, this may be one.
      told.isSecret = memory.attributes.hasKeyMaterial
    case .readByTypeResponse:
      guard let items = fields.items else { return }
      var cursor = Cursor(bytes, items.list)
      told.packets = keep(arrived.packets)
      told.isSecret = memory.attributes.hasKeyMaterial
      while let item = items.next(&cursor) {
        guard let handle = item.handle, let slice = item.value else { continue }
        told.attribute = identity(handle, place, isLocal: place.isLocal, memory)
        guard memory.attributes.isRead(handle, bytes.part(slice), of: told.attribute.server) else {
          continue
        }
        told.value = keep(bytes.part(slice))
        told.isCut = item.missing > 0
        tell(told)
      }
      return
    default: return
    }
    tell(told)
  }
}
