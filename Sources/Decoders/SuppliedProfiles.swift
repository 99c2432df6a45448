package import Bluetooth

/// Profiles of people's own, beside the program's.
package struct SuppliedProfiles: Sendable {
  /// Their definitions, in the order in which they are preferred.
  package var definitions: [Definition] = []
  /// Their protocols, likewise.
  package var vendors: [VendorProtocol] = []

  /// None.
  package init() {}

  /// Characteristics and descriptors whose values hold what these profiles call secret.
  package var secretTypes: [BluetoothUUID] {
    var types: [BluetoothUUID] = []
    for definition in definitions where definition.hasSecrets && definition.subject.isAttribute {
      types.append(definition.subject.uuid)
    }
    for vendor in vendors where vendor.hasSecrets {
      types += vendor.claims.compactMap(\.characteristic)
    }
    return types
  }
}
