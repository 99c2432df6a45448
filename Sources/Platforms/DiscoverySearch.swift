import Bluetooth
import Bytes
import Dissectors
import Sessions

extension DiscoveryEvents.Search {
  /// Records an item of a response.
  mutating func add(_ handle: UInt16, _ item: ATTItems.Item, _ bytes: RawSpan) {
    guard services.count + characteristics.count + descriptors.count < Self.most else { return }
    switch kind {
    case .services:
      last = max(last, item.endHandle ?? handle)
      var uuid = wanted
      if let slice = item.value {
        var cursor = Cursor(bytes, slice)
        uuid = try? BluetoothUUID(parsing: &cursor, width: Int(slice.count))
      }
      guard let uuid else { return }
      services.append(AppService(uuid: uuid, start: handle, end: item.endHandle ?? handle))
    case .includes:
      last = max(last, handle)
      guard let slice = item.value, let include = IncludeDeclaration(bytes.part(slice)) else {
        return
      }
      // A 128-bit UUID is not contained here.
      services.append(
        AppService(
          uuid: include.uuid ?? .include, start: include.startHandle, end: include.endHandle))
    case .characteristics:
      guard let slice = item.value,
        let declaration = CharacteristicDeclaration(bytes.part(slice))
      else { return }
      last = max(last, max(handle, declaration.valueHandle))
      characteristics.append(
        AppCharacteristic(
          uuid: declaration.uuid, handle: declaration.valueHandle,
          properties: declaration.properties))
    case .descriptors:
      last = max(last, handle)
      if let type = item.type { descriptors.append(AppDescriptor(uuid: type, handle: handle)) }
    }
  }
}
