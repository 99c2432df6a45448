// Whose value it is: the one place where what values and conversations say of an attribute is looked up.

package import Bluetooth

/// What is known of the attribute that a value belongs to.
package struct AttributeIdentity: Sendable {
  /// Tells servers apart; stays over reconnections where the peer is known by its address.
  package var server: UInt64
  /// Whether the captured host is the server.
  package var isLocal = false
  /// The attribute; nil where the capture does not tell it.
  package var handle: UInt16?
  /// What the handle stands for, once that is known.
  package var uuid: BluetoothUUID?
  /// The service that holds it, where that is known.
  package var service: BluetoothUUID?
  /// What the attribute is.
  package var kind: Attribute.Kind?
  /// How that is known.
  package var via: Attribute.Via?
  /// Of a descriptor: the handle of the characteristic's value that it belongs to.
  package var owner: UInt16?
  /// How many groups of digits tell a long UUID from all others of the server: 1 to 5.
  package var groups: UInt8 = 5
  /// Whether the handle is needed to tell it from others with the same UUID.
  package var needsHandle = true
  /// What it is called where only a profile has a name for it: `Nordic UART RX`; nil as long as nobody who
  /// knows profiles has said so.
  package var profileName: String?

  /// An attribute of which nothing is known but its server.
  init(server: UInt64, isLocal: Bool, handle: UInt16?) {
    self.server = server
    self.isLocal = isLocal
    self.handle = handle
  }
}

extension Memory {
  /// What is known of the attribute `handle` of one side of a link.
  ///
  /// - Parameter isLocal: whether the captured host is the server.
  package func identity(
    of handle: UInt16?, isLocal: Bool, on link: LinkSlot
  ) -> AttributeIdentity {
    let server = Attributes.key(isLocal: isLocal, links[link])
    return identity(of: handle, server, isLocal: isLocal, connection: links.id(link))
  }

  /// The same for a server that was named before: more may be known by now.
  ///
  /// - Parameter connection: the connection that asks, which tells what was discovered from what was
  ///   carried over.
  package func identity(
    of handle: UInt16?, _ server: UInt64, isLocal: Bool, connection: Int
  ) -> AttributeIdentity {
    var identity = AttributeIdentity(server: server, isLocal: isLocal, handle: handle)
    guard let handle, handle != 0 else { return identity }
    let key = attributes.currentKey(server)
    guard let place = attributes.look(handle, of: key) else {
      identity.service = attributes.service(of: handle, of: key)
      return identity
    }
    let attribute = attributes[place]
    identity.uuid = attribute.uuid
    identity.service = attributes.service(of: place)
    identity.kind = attribute.kind
    identity.via = attributes.via(of: place, on: connection)
    identity.owner = attributes.value(before: place).map { attributes[$0].handle }
    if identity.owner == nil, attribute.kind == .descriptor, attribute.target != 0 {
      identity.owner = attribute.target
    }
    identity.groups = attribute.groups
    identity.needsHandle = attribute.hasTwin || attribute.kind != .value
    return identity
  }
  /// What an attribute is, as far as that is known by now.
  package func kind(of attribute: AttributeIdentity, connection: Int) -> Attribute.Kind? {
    identity(
      of: attribute.handle, attribute.server, isLocal: attribute.isLocal, connection: connection
    ).kind
  }

  /// What the declaration of the characteristic offers whose value an attribute is; nil where that is not
  /// known.
  package func properties(of identity: AttributeIdentity) -> CharacteristicProperties? {
    guard identity.kind == .value, let handle = identity.handle, handle > 1,
      let place = attributes.look(handle - 1, of: attributes.currentKey(identity.server))
    else { return nil }
    let declaration = attributes[place]
    return declaration.kind == .characteristic && declaration.target == handle
      ? declaration.properties : nil
  }
}
