// The attribute that a value belongs to: the only place that looks up attributes for values and
// conversations.

package import Bluetooth

/// What is known about the place that a value belongs to: an attribute, or a serial channel. Part
/// of every value, so it refers to nothing that copies would have to count.
package struct AttributeIdentity: Sendable {
  /// Identifies the server; stays the same across reconnections if the peer is known by its
  /// address.
  package var server: UInt64
  /// The end that is the server.
  package var side: Side
  /// The attribute; nil if the capture does not reveal it.
  package var handle: UInt16?
  /// The serial channel; nil for attributes.
  package var channel: SerialChannel?
  /// The attribute's UUID, once known.
  package var uuid: BluetoothUUID?
  /// The UUID of the service that contains it, if known; for a serial channel, that of the service
  /// that it was found by.
  package var service: BluetoothUUID?
  /// The kind of the attribute.
  package var kind: Attribute.Kind?
  /// How `kind` and `uuid` are known.
  package var via: Attribute.Via?
  /// For a descriptor: the handle of the characteristic value that it belongs to.
  package var owner: UInt16?
  /// What distinguishes a 128-bit UUID from all others of the server.
  package var part: UUIDPart = .whole
  /// Whether the handle is needed to distinguish it from others with the same UUID.
  package var needsHandle = true

  /// Whether it is a Client Characteristic Configuration; its UUID may have any form.
  package var isConfiguration: Bool { uuid?.shortest == .clientConfiguration }

  /// Creates an attribute of which only the server is known.
  init(server: UInt64, _ side: Side = .peer, handle: UInt16?) {
    self.server = server
    self.side = side
    self.handle = handle
  }
}

extension Memory {
  /// Returns what is known about a serial channel.
  package func identity(
    of serial: SerialFact, _ server: UInt64, on link: LinkSlot
  ) -> AttributeIdentity {
    var identity = AttributeIdentity(server: server, serial.server, handle: nil)
    identity.channel = serial.channel
    identity.service = service(of: serial, on: link)
    identity.needsHandle = false
    return identity
  }

  /// Returns the service for which a serial channel is used, if that is known.
  package func service(of serial: SerialFact, on link: LinkSlot) -> BluetoothUUID? {
    guard case .rfcomm(let channel) = serial.channel else { return nil }
    return services.service(of: channel, at: Attributes.key(of: serial.server, links[link]))
  }

  /// Returns what is known about the attribute `handle` of one side of a link.
  package func identity(of handle: UInt16?, at side: Side, on link: LinkSlot) -> AttributeIdentity {
    identity(of: handle, Attributes.key(of: side, links[link]), side, connection: links.id(link))
  }

  /// Returns what is known now of an attribute of a server that was identified before.
  ///
  /// - Parameter connection: the connection that uses it, which distinguishes what was discovered
  ///   on it from what was carried over.
  package func identity(
    of handle: UInt16?, _ server: UInt64, _ side: Side, connection: Int
  ) -> AttributeIdentity {
    var identity = AttributeIdentity(server: server, side, handle: handle)
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
    identity.part = attribute.part
    identity.needsHandle = attribute.hasTwin || attribute.kind != .value
    return identity
  }
  /// Returns the kind of an attribute, if known by now.
  package func kind(of attribute: AttributeIdentity, connection: Int) -> Attribute.Kind? {
    identity(
      of: attribute.handle, attribute.server, attribute.side, connection: connection
    ).kind
  }

  /// Returns the properties in the declaration of the characteristic whose value an attribute is;
  /// nil if unknown.
  package func properties(of identity: AttributeIdentity) -> CharacteristicProperties? {
    guard identity.kind == .value, let handle = identity.handle, handle > 1,
      let place = attributes.look(handle - 1, of: attributes.currentKey(identity.server))
    else { return nil }
    let declaration = attributes[place]
    return declaration.kind == .characteristic && declaration.target == handle
      ? declaration.properties : nil
  }
}
