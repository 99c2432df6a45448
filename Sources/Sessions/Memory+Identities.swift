import Bluetooth
import Bytes
import Dissectors

/// Who devices with private addresses are: keys from pairing, from the host's commands to the
/// controller, and from the management interface.
extension Memory {
  /// Learns from what a peer gives when the two pair: its key, then the address that belongs to it.
  mutating func learnIdentity(_ pdu: SMPPDU, _ bytes: RawSpan, _ link: LinkSlot) {
    switch pdu {
    case .identityInformation(let key):
      identities.expect(bytes.part(key.identityResolvingKey), connection: links[link].id)
    case .identityAddressInformation(let identity):
      if identities.complete(
        identity.address, identity.addressType, connection: links[link].id)
      {
        resolveLinks()
      }
      identify(link, identity.address, identity.addressType)
    default: break
    }
  }

  /// Learns from LE Add Device To Resolving List: address type (1 byte), address (6), peer's key (16),
  /// own key (16) (Core, Vol 4, Part E, 7.8.38).
  mutating func learnIdentity(_ command: HCICommand, _ bytes: RawSpan, _ body: Slice) {
    guard command.opcode == 0x2027 else { return }
    var cursor = Cursor(bytes, body)
    guard let type = try? cursor.u8(), let address = try? DeviceAddress(parsing: &cursor),
      let key = try? cursor.take(16)
    else { return }
    if identities.learn(bytes.part(key), address, AddressType(rawValue: type)) { resolveLinks() }
  }

  /// Learns from Load Identity Resolving Keys: count (2 bytes), then the keys; and from New Identity
  /// Resolving Key: store hint (1), address used (6), a key. Each key is an address (6), its type (1: 1
  /// LE public, 2 LE random) and a value (16) (BlueZ, doc/mgmt-protocol.rst).
  mutating func learnIdentity(_ control: ControlRecord, _ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    switch (control.isEvent, control.code) {
    case (false, 0x0030): guard (try? cursor.take(2)) != nil else { return }
    case (true, 0x0018): guard (try? cursor.take(7)) != nil else { return }
    default: return
    }
    var isNew = false
    while let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
      let key = try? cursor.take(16)
    {
      let type: AddressType = kind == 2 ? .random : .public
      if identities.learn(bytes.part(key), address, type) { isNew = true }
    }
    if isNew { resolveLinks() }
  }

  /// Resolves the addresses of advertisers.
  mutating func resolveAdvertisers() {
    for index in advertisements.reports.indices {
      guard let address = advertisements.reports[index].report.address,
        advertisements.reports[index].report.addressType == .random
      else { continue }
      _ = identities.resolve(address)
    }
  }

  /// Resolves the peer of a link that has a resolvable address.
  mutating func resolvePeer(of link: LinkSlot) {
    guard links[link].identity == nil, links[link].peerType == .random,
      let peer = links[link].peer, let identity = identities.resolve(peer)
    else { return }
    identify(link, identity.address, identity.type)
  }

  /// Resolves the peers of all open links, now that there is one more key.
  private mutating func resolveLinks() {
    for link in links.open { resolvePeer(of: link) }
  }

  /// Takes in who the peer of a link is. What was learnt of it under another address is its own.
  private mutating func identify(
    _ link: LinkSlot, _ address: DeviceAddress, _ type: AddressType
  ) {
    // All zeros say that there is none (Core, Vol 3, Part H, 2.4.2.1 [mem]).
    guard address != .zero else { return }
    let before = Attributes.key(isLocal: false, links[link])
    links[link].identity = (address, type)
    attributes.rename(before, to: Attributes.key(isLocal: false, links[link]))
    if links[link].name == nil { links[link].name = names.find(address, type) }
  }
}
