import Bluetooth
import Bytes
import Dissectors

/// The identities of devices with private addresses: from keys distributed in pairing, from the
/// host's commands to the controller, and from the management interface.
extension Memory {
  /// Learns from what a peer distributes when the two pair: its key, then the address that belongs
  /// to it.
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

  /// Learns from LE Add Device To Resolving List.
  mutating func learnIdentity(_ command: HCICommand, _ bytes: RawSpan, _ body: Slice) {
    guard command.opcode == HCICommand.leAddDeviceToResolvingList else { return }
    var cursor = Cursor(bytes, body)
    guard let device = try? LEResolvingListDevice(parsing: &cursor) else { return }
    if identities.learn(bytes.part(device.peerKey), device.address, device.type) { resolveLinks() }
  }

  /// Learns from the keys that the management interface reports, among them those that resolve
  /// identities.
  mutating func learnKeys(
    _ control: ControlRecord, _ bytes: RawSpan, _ body: Slice, packet: Int
  ) {
    guard var told = ManagementKeys(control, bytes, body) else { return }
    var isNew = false
    while let key = told.next(bytes) {
      keys.observe(key, bytes, packet: packet)
      guard case .identityResolving(let key) = key else { continue }
      if identities.learn(bytes.part(key.key), key.device.address, key.device.type) { isNew = true }
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

  /// Resolves the peer of a link if it has a resolvable address.
  mutating func resolvePeer(of link: LinkSlot) {
    guard links[link].identity == nil, links[link].peerType == .random,
      let peer = links[link].peer, let identity = identities.resolve(peer)
    else { return }
    identify(link, identity.address, identity.type)
  }

  /// Resolves the peers of all open links after a key was added.
  private mutating func resolveLinks() {
    for link in links.open { resolvePeer(of: link) }
  }

  /// Records the identity of a link's peer. What was learnt about the peer under another address is
  /// added to it.
  private mutating func identify(
    _ link: LinkSlot, _ address: DeviceAddress, _ type: AddressType
  ) {
    // An all-zero address means that there is none (Core, Vol 3, Part H, 2.4.2.1 [mem]).
    guard address != .zero else { return }
    let before = Attributes.key(of: .peer, links[link])
    links[link].identity = (address, type)
    attributes.rename(before, to: Attributes.key(of: .peer, links[link]))
    if links[link].name == nil { links[link].name = names.find(address, type) }
  }
}
