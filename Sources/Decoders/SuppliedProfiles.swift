package import Bluetooth

/// The user's own profiles, in addition to the built-in ones.
package struct SuppliedProfiles: Sendable {
  /// Their definitions, in order of preference.
  package var definitions: [Definition] = []
  /// Their protocols, in order of preference.
  package var vendors: [VendorProtocol] = []

  package init() {}

  /// The characteristics and descriptors whose values contain something that these profiles mark as
  /// secret.
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
