import Bluetooth
import Bytes
import Sessions

/// What `values` learns of attributes behind their values: a phone that knows a device writes and hears from
/// handles that only their use tells of.
extension AttributeIdentity {
  /// Whether what came later may have told what it is, or whose: a CCCD is joined with its value when that is
  /// heard from.
  var mayBeKnownBetter: Bool {
    uuid == nil || via == .supplied || kind == .descriptor && owner == nil
  }
}

extension ValueEntry {
  /// Reads what is kept of the values again, now that it is known what they are of.
  mutating func readAgain(_ reading: inout ValueReading) {
    guard let uuid = attribute.uuid, uuid != .encryptedDataKeyMaterial else { return }
    for position in series.indices {
      series[position].readAgain(uuid, service: attribute.service, &reading)
    }
  }
}
