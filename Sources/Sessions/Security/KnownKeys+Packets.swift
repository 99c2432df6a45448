// Reads keys from packets: the Security Manager, HCI commands and events, the Linux kernel's
// management interface.

import Bluetooth
import Bytes
import Dissectors

extension KnownKeys {
  // MARK: The Security Manager

  /// Records a key that a side distributes.
  mutating func observe(
    _ pdu: SMPPDU, from side: Side, connection: Int, packet: Int, _ bytes: RawSpan
  ) {
    let kind: Kind
    let value: [UInt8]
    switch pdu {
    case .encryptionInformation(let key): (kind, value) = (.longTerm, bytes.part(key).array)
    case .identityInformation(let key): (kind, value) = (.identityResolving, bytes.part(key).array)
    case .signingInformation(let key): (kind, value) = (.signature, bytes.part(key).array)
    case .centralIdentification(let pdu):
      identify(
        connection: connection, side, ediv: pdu.ediv, rand: bytes.part(pdu.rand).littleEndian)
      return
    default: return
    }
    var key = Key(kind, value, .pairing, packet: packet)
    key.side = side
    key.connection = connection
    add(key)
  }

  // MARK: HCI

  /// Records the keys in a command. Those that encrypt a link are in the history of the connection,
  /// with what came of it.
  mutating func observe(
    _ opcode: UInt16, _ bytes: RawSpan, _ body: Slice, packet: Int
  ) {
    var cursor = Cursor(bytes, body)
    switch opcode {
    case HCICommand.leEncrypt:
      guard let command = try? LEEncrypt(parsing: &cursor) else { return }
      add(Key(.unknown, bytes.part(command.key).array, .controller, packet: packet))
    case HCICommand.leAddDeviceToResolvingList:
      guard let device = try? LEResolvingListDevice(parsing: &cursor), let own = device.localKey
      else { return }
      var key = Key(
        .identityResolving, bytes.part(device.peerKey).array, .controller, packet: packet)
      (key.address, key.type) = (device.address, AddressType(rawValue: device.type.rawValue & 1))
      add(key)
      key.bytes = bytes.part(own).array
      key.side = .local
      (key.address, key.type) = (nil, nil)
      add(key)
    case HCICommand.linkKeyRequestReply:
      guard let reply = try? LinkKeyRequestReply(parsing: &cursor) else { return }
      var key = Key(.link, bytes.part(reply.key).array, .controller, packet: packet)
      (key.address, key.type) = (reply.peer, .public)
      add(key)
    default: break
    }
  }

  /// Records the key of LE Enable Encryption, or of the reply to LE Long Term Key Request.
  ///
  /// - Parameters:
  ///   - connection: the connection, if it is known.
  ///   - isShortTerm: whether it is the short-term key of legacy pairing, unless EDIV or Rand
  ///     identifies it.
  mutating func observe(
    encrypting bytes: RawSpan, _ body: Slice, isReply: Bool, _ link: LinkKey,
    _ connection: Connection?, isShortTerm: Bool, packet: Int
  ) {
    var cursor = Cursor(bytes, body)
    let value: Slice
    var (ediv, rand): (UInt16, UInt64) = (0, 0)
    if isReply {
      guard let reply = try? LELongTermKeyRequestReply(parsing: &cursor) else { return }
      value = reply.key
      if let requested, requested.link == link { (ediv, rand) = (requested.ediv, requested.rand) }
    } else {
      guard let command = try? LEEnableEncryption(parsing: &cursor), let key = command.key else {
        return
      }
      (value, ediv, rand) = (key, command.ediv, command.rand)
    }
    let isIdentified = ediv != 0 || rand != 0
    var key = Key(
      isShortTerm && !isIdentified ? .shortTerm : .longTerm, bytes.part(value).array, .controller,
      packet: packet)
    key.side = isReply ? .local : .peer
    (key.ediv, key.rand) = (ediv, rand)
    if let connection {
      key.connection = connection.id
      key.address = connection.identity?.address ?? connection.peer
      key.type = connection.identity?.type ?? connection.peerType
    }
    add(encrypting: key)
  }

  mutating func observe(_ notified: LinkKeyNotification, _ bytes: RawSpan, packet: Int) {
    guard let value = notified.key else { return }
    var key = Key(.link, bytes.part(value).array, .event, packet: packet)
    (key.address, key.type) = (notified.peer, .public)
    key.isAuthenticated = notified.type?.isAuthenticated
    add(key)
  }

  mutating func observe(_ complete: LEGenerateDHKeyComplete, _ bytes: RawSpan, packet: Int) {
    guard complete.status == .success else { return }
    add(Key(.diffieHellman, bytes.part(complete.key).array, .event, packet: packet))
  }

  // MARK: The management interface

  /// Records a key that the management interface reports.
  mutating func observe(_ stored: ManagementKey, _ bytes: RawSpan, packet: Int) {
    add(Self.key(stored, bytes, packet))
  }

  private static func key(_ stored: ManagementKey, _ bytes: RawSpan, _ packet: Int) -> Key {
    switch stored {
    case .link(let stored):
      var key = Key(.link, stored.device, bytes.part(stored.key), packet)
      key.isAuthenticated = stored.type.isAuthenticated
      return key
    case .longTerm(let stored):
      var key = Key(.longTerm, stored.device, bytes.part(stored.key), packet)
      key.isAuthenticated = stored.isAuthenticated
      (key.size, key.ediv, key.rand) = (stored.size, stored.ediv, stored.rand)
      // A key for links on which this host is the peripheral is this host's own.
      if stored.isLegacy, !stored.isCentral { key.side = .local }
      return key
    case .identityResolving(let stored):
      return Key(.identityResolving, stored.device, bytes.part(stored.key), packet)
    case .signatureResolving(let stored):
      var key = Key(.signature, stored.device, bytes.part(stored.key), packet)
      key.side = stored.isPeers ? .peer : .local
      key.isAuthenticated = stored.isAuthenticated
      return key
    }
  }
}

extension KnownKeys.Key {
  /// Creates a key that the management interface reports.
  fileprivate init(
    _ kind: KnownKeys.Kind, _ device: ManagementDevice, _ value: RawSpan, _ packet: Int
  ) {
    self.init(kind, value.array, .management, packet: packet)
    (address, type) = (device.address, device.type)
  }
}

extension RawSpan {
  /// The bytes as a number, least significant first; only the first eight count.
  var littleEndian: UInt64 {
    var value: UInt64 = 0
    for index in 0..<min(8, byteCount) { value |= UInt64(byte(at: index)) << UInt64(8 * index) }
    return value
  }
}
