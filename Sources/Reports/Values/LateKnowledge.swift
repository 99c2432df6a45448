import Bluetooth
import Bytes
import Meanings
import Sessions

/// What `values` learns of attributes after their values: a phone that knows a device uses handles
/// that only their use reveals.
extension AttributeIdentity {
  /// Whether later packets may have revealed what it is, or what it belongs to: a CCCD is matched
  /// with its characteristic when a value arrives.
  package var mayBeKnownBetter: Bool {
    guard channel == nil else { return false }
    return uuid == nil || via == .supplied || kind == .descriptor && owner == nil
  }
}

extension AttributeIdentity {
  /// A number by which the places of a server are sorted: the handle of an attribute; those without
  /// one come later, and serial channels last.
  package var order: UInt32 {
    if let channel { return 0x2_0000 | channel.number }
    return handle.map { UInt32($0) } ?? 0x1_0000
  }
}

extension ValueEntry {
  /// Decodes the stored values again, now that their type is known.
  mutating func readAgain(_ reading: inout ValueReading) {
    guard let uuid = attribute.uuid, uuid != .encryptedDataKeyMaterial else { return }
    for position in series.indices {
      series[position].readAgain(uuid, service: attribute.service, &reading)
    }
  }
}
