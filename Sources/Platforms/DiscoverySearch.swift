import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// A search for attributes that continues from request to request. Bounded: by the number of
/// attributes.
struct DiscoverySearch: Sendable {
  /// What is searched for.
  enum Kind: UInt8, Sendable { case services, includes, characteristics, descriptors }

  let kind: Kind
  let wanted: BluetoothUUID?
  /// The first handle, the last handle that was reported, and the last handle to be searched.
  let start: UInt16
  private(set) var last: UInt16 = 0
  let end: UInt16
  private(set) var services: [AppService] = []
  private(set) var characteristics: [AppCharacteristic] = []
  private(set) var descriptors: [AppDescriptor] = []
  /// The most attributes that one search may report.
  private static let most = 16_384
  /// Its last answer, and the request that it answers.
  private(set) var packet = 0
  private(set) var time: Timestamp?
  private(set) var request: Int?
  private(set) var latency: Int64?

  init(_ kind: Kind, _ wanted: BluetoothUUID?, start: UInt16, end: UInt16) {
    (self.kind, self.wanted, self.start, self.end) = (kind, wanted, start, end)
  }

  /// Records an answer.
  mutating func note(_ packet: borrowing Packet, _ request: Request) {
    (self.packet, time) = (packet.record.number, packet.record.time)
    (self.request, latency) = (request.packet, packet.answer.latency)
  }

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
