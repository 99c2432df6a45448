package import Bluetooth
package import Sessions

/// An attribute as findings and roles name it.
package struct NamedAttribute: Sendable {
  package var identity: AttributeIdentity
  /// Its name, if only a profile has one: `Nordic UART RX`.
  package var profileName: String?

  package init(_ identity: AttributeIdentity, _ profileName: String? = nil) {
    self.identity = identity
    self.profileName = profileName
  }

  package var handle: UInt16? { identity.handle }
  package var uuid: BluetoothUUID? { identity.uuid }
  package var service: BluetoothUUID? { identity.service }
  package var kind: Attribute.Kind? { identity.kind }
  package var via: Attribute.Via? { identity.via }
}
