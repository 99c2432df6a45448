import Bluetooth
import Bytes
import Cryptography
import Reports
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
      isKnown(on: connection)
    else { return nil }
    return layout
  }

  /// Returns whether the services are those that the device had on a connection, as far as the
  /// capture shows: not if they were discovered, or found to have changed, after it.
  func isKnown(on connection: Connection) -> Bool {
    guard let database, let discovery = database.discovery else { return false }
    let hasChanged = database.changes > 0 || !database.disagreements.isEmpty
    let known = hasChanged ? discovery.upperBound : discovery.lowerBound
    return connection.lastPacket ?? .max >= known
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
