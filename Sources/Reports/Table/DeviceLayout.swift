import Bluetooth
import Bytes
import Cryptography
import Sessions

extension MapDevice {
  /// Returns a fingerprint of the services and characteristics: their UUIDs, types, properties and
  /// order. It contains nothing that differs between two devices with the same firmware: no
  /// handles, values or packets.
  ///
  /// Returns nil if not all of them were requested, or if the connection ended before they were
  /// known: before the first discovery or, if they changed, before the last one.
  func layout(on connection: Connection) -> UInt64? {
    guard serviceExtent == .all, characteristicExtent == .all, !services.isEmpty,
      let database, let discovery = database.discovery
    else { return nil }
    let hasChanged = database.changes > 0 || !database.disagreements.isEmpty
    let known = hasChanged ? discovery.upperBound : discovery.lowerBound
    guard connection.lastPacket ?? .max >= known else { return nil }
    return layout
  }

  private var layout: UInt64 {
    var text = Output()
    for service in services {
      text.byte(service.declaration.isSecondary ? 0x73 : 0x70)
      text.uuid(service.declaration.uuid.shortest)
      for characteristic in service.characteristics {
        guard let declaration = characteristic.declaration else { continue }
        text.byte(0x20)
        text.uuid(declaration.uuid.shortest)
        text.byte(0x3a)
        text.hex(declaration.properties.rawValue)
      }
      text.byte(0x0a)
    }
    let digest = SHA256()
    digest.add(text.bytes)
    return digest.prefix()
  }
}
