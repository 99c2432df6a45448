package import Bluetooth

/// The user's own profiles, in addition to the built-in ones.
package struct SuppliedProfiles: Sendable {
  /// Their definitions, in order of preference.
  package var definitions: [Definition] = []
  /// Their protocols, in order of preference.
  package var vendors: [VendorProtocol] = []

  /// The content of a file that the user named for this run.
  package struct Named: Sendable {
    package let file: String
    package let definitions: [Definition]
    package let vendor: VendorProtocol?

    package init(file: String, definitions: [Definition], vendor: VendorProtocol?) {
      (self.file, self.definitions, self.vendor) = (file, definitions, vendor)
    }
  }

  /// The content of these files, which is expected to decode something.
  package var named: [Named] = []

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
