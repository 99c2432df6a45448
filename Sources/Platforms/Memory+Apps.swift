// The apps' view of attributes, looked up in what Sessions remembers.

import Bluetooth
import Sessions

extension Memory {
  /// Returns the attribute `handle` of one side of a link.
  func appAttribute(_ handle: UInt16?, at side: Side, on link: LinkSlot) -> AppAttribute {
    let identity = identity(of: handle, at: side, on: link)
    let owner = identity.owner.map { self.identity(of: $0, at: side, on: link) }
    return AppAttribute(identity: identity, owner: owner)
  }

  /// Returns a value's attribute with the characteristic that it belongs to.
  func appAttribute(_ identity: AttributeIdentity, connection: Int) -> AppAttribute {
    let owner = identity.owner.map {
      self.identity(of: $0, identity.server, identity.side, connection: connection)
    }
    return AppAttribute(identity: identity, owner: owner)
  }

  /// Returns the service of the peer that contains a handle.
  func service(of handle: UInt16, on link: LinkSlot) -> AppService? {
    let key = attributes.currentKey(
      Attributes.key(of: .peer, links.connection(link)))
    guard let server = attributes.servers.firstIndex(where: { $0.key == key }),
      let found = attributes.servers[server].service(of: handle)
    else { return nil }
    return AppService(uuid: found.uuid, start: found.handle, end: found.end)
  }

  /// Returns the services that a server's last change affected in whole or in part.
  func invalidated(of server: UInt64) -> [AppService] {
    let key = attributes.currentKey(server)
    guard let known = attributes.servers.first(where: { $0.key == key }) else { return [] }
    // A change takes effect after its indication.
    let affected: [Attribute] =
      if let changed = attributes.changed, changed.key == key, changed.first <= changed.last {
        known.services(in: changed.first...changed.last)
      } else {
        known.invalidated
      }
    return affected.map { AppService(uuid: $0.uuid, start: $0.handle, end: $0.end) }
  }

  /// Returns the handle of the value of the peer's characteristic that a descriptor belongs to.
  func owner(of descriptor: UInt16, on link: LinkSlot) -> UInt16? {
    identity(of: descriptor, at: .peer, on: link).owner
  }

  /// Returns the peer's characteristic that a descriptor belongs to.
  func characteristic(with descriptor: UInt16, on link: LinkSlot) -> AppAttribute? {
    owner(of: descriptor, on: link).map { appAttribute($0, at: .peer, on: link) }
  }

  /// Returns the peer's characteristic whose descriptors begin at a handle.
  func characteristic(before handle: UInt16, on link: LinkSlot) -> AppAttribute? {
    guard handle > 1 else { return nil }
    let attribute = appAttribute(handle - 1, at: .peer, on: link)
    return attribute.identity.kind == .value ? attribute : nil
  }
}
