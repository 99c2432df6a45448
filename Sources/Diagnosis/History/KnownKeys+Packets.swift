// Where keys travel: the Security Manager, commands and events of HCI, the Linux kernel's management
// interface.

import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

extension KnownKeys {
  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    switch dissection.content {
    case .acl:
      guard let pdu = dissection.smp, let direction = record.direction, let link = answer.link
      else { return }
      observe(
        pdu, Side(sent: direction), memory.links.connection(link), record.number, bytes)
    case .command(let command): observe(command.opcode, bytes, dissection.body, record.number)
    case .event(let event):
      if event.code == 0x18 || event.isLEMeta {
        observe(event, bytes, dissection.body, record.number)
      }
    case .control(let control): observe(control, bytes, dissection.body, record.number)
    case .note, .sco, .iso, .unknown: break
    }
  }

  // MARK: The Security Manager

  private mutating func observe(
    _ pdu: SMPPDU, _ side: Side, _ connection: Connection, _ packet: Int, _ bytes: RawSpan
  ) {
    let kind: Kind
    let value: [UInt8]
    switch pdu {
    case .encryptionInformation(let pdu):
      (kind, value) = (.longTerm, bytes.part(pdu.longTermKey).array)
    case .identityInformation(let pdu):
      (kind, value) = (.identityResolving, bytes.part(pdu.identityResolvingKey).array)
    case .signingInformation(let pdu):
      (kind, value) = (.signature, bytes.part(pdu.signatureKey).array)
    case .centralIdentification(let pdu):
      identify(
        connection: connection.id, side, ediv: pdu.ediv, rand: bytes.part(pdu.rand).littleEndian)
      return
    default: return
    }
    var key = Key(kind, value, .pairing, packet: packet)
    key.side = side
    key.connection = connection.id
    add(key)
  }

  // MARK: HCI

  /// LE Encrypt: key (16 bytes), data. LE Add Device To Resolving List: address type (1), address (6),
  /// peer's key (16), own key (16). Link Key Request Reply: address (6), key (16) (Core, Vol 4, Part E,
  /// 7.8.22, 7.8.38, 7.1.10). The long term keys are in the history of their connection.
  private mutating func observe(
    _ opcode: UInt16, _ bytes: RawSpan, _ body: Slice, _ packet: Int
  ) {
    var cursor = Cursor(bytes, body)
    switch opcode {
    case 0x2017:
      guard let value = try? cursor.take(16) else { return }
      add(Key(.unknown, bytes.part(value).array, .controller, packet: packet))
    case 0x2027:
      guard let type = try? cursor.u8(), let address = try? DeviceAddress(parsing: &cursor),
        let peers = try? cursor.take(16), let own = try? cursor.take(16)
      else { return }
      var key = Key(.identityResolving, bytes.part(peers).array, .controller, packet: packet)
      (key.address, key.type) = (address, AddressType(rawValue: type & 1))
      add(key)
      key.bytes = bytes.part(own).array
      key.side = .local
      (key.address, key.type) = (nil, nil)
      add(key)
    case 0x040b:
      guard let address = try? DeviceAddress(parsing: &cursor), let value = try? cursor.take(16)
      else { return }
      var key = Key(.link, bytes.part(value).array, .controller, packet: packet)
      (key.address, key.type) = (address, .public)
      add(key)
    default: break
    }
  }

  /// Link Key Notification: address (6 bytes), key (16), key type (1). LE Generate DHKey Complete: status
  /// (1), key (32) (7.7.24, 7.7.65.9).
  private mutating func observe(
    _ event: HCIEvent, _ bytes: RawSpan, _ body: Slice, _ packet: Int
  ) {
    var cursor = Cursor(bytes, body)
    if event.code == 0x18 {
      guard let address = try? DeviceAddress(parsing: &cursor), let value = try? cursor.take(16)
      else { return }
      var key = Key(.link, bytes.part(value).array, .event, packet: packet)
      (key.address, key.type) = (address, .public)
      if let type = try? cursor.u8() { key.isAuthenticated = Self.isAuthenticated(linkKey: type) }
      add(key)
    } else if event.subevent(bytes, body) == 0x09 {
      guard (try? cursor.u8()) != nil, (try? cursor.u8()) == 0, let value = try? cursor.take(32)
      else { return }
      add(Key(.diffieHellman, bytes.part(value).array, .event, packet: packet))
    }
  }

  /// Whether a link key is authenticated, by its type (7.7.24); nil where that says nothing of it.
  private static func isAuthenticated(linkKey type: UInt8) -> Bool? {
    switch type {
    case 0x04, 0x07: false
    case 0x05, 0x08: true
    default: nil
    }
  }

  // MARK: The management interface (BlueZ, doc/mgmt-protocol.rst)

  private mutating func observe(
    _ control: ControlRecord, _ bytes: RawSpan, _ body: Slice, _ packet: Int
  ) {
    var cursor = Cursor(bytes, body)
    /// What stands in front of the key, or of the keys.
    let head: Int
    switch (control.isEvent, control.code) {
    // Load Link Keys: debug keys (1 byte), count (2).
    case (false, 0x0012): head = 3
    // Load Long Term Keys, Load Identity Resolving Keys: count (2).
    case (false, 0x0013), (false, 0x0030): head = 2
    // New Link Key, New Long Term Key, New Signature Resolving Key: store hint (1).
    case (true, 0x0009), (true, 0x000a), (true, 0x0019): head = 1
    // New Identity Resolving Key: store hint (1), the address used (6).
    case (true, 0x0018): head = 7
    default: return
    }
    guard (try? cursor.take(head)) != nil else { return }
    while let key = Self.key(control, &cursor, bytes, packet) { add(key) }
  }

  /// One key: address (6 bytes), type of address (1), then by its kind.
  @_lifetime(cursor: copy cursor)
  private static func key(
    _ control: ControlRecord, _ cursor: inout Cursor, _ bytes: RawSpan, _ packet: Int
  ) -> Key? {
    guard let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8() else {
      return nil
    }
    var key = Key(.unknown, [], .management, packet: packet)
    // 0 BR/EDR, 1 LE public, 2 LE random.
    (key.address, key.type) = (address, kind == 2 ? .random : .public)
    switch control.code {
    case 0x0009, 0x0012:
      // Type (1), value (16), PIN length (1).
      guard let type = try? cursor.u8(), let value = try? cursor.take(16),
        (try? cursor.u8()) != nil
      else { return nil }
      key.kind = .link
      key.isAuthenticated = isAuthenticated(linkKey: type)
      key.bytes = bytes.part(value).array
    case 0x000a, 0x0013:
      // Type (1), central (1), size (1), EDIV (2), Rand (8), value (16).
      guard let type = try? cursor.u8(), let isCentral = try? cursor.u8(),
        let size = try? cursor.u8(), let ediv = try? cursor.u16(),
        let rand = try? cursor.unsigned(width: 8), let value = try? cursor.take(16)
      else { return nil }
      key.kind = .longTerm
      // The first four types: unauthenticated, authenticated; both again with Secure Connections.
      key.isAuthenticated = type < 4 ? type & 1 == 1 : nil
      (key.size, key.ediv, key.rand) = (size, ediv, rand)
      // A key for links on which this host is the peripheral is its own.
      let isLegacy = type < 2
      if isLegacy, isCentral == 0 { key.side = .local }
      key.bytes = bytes.part(value).array
    case 0x0018, 0x0030:
      guard let value = try? cursor.take(16) else { return nil }
      key.kind = .identityResolving
      key.bytes = bytes.part(value).array
    default:
      // Type (1: bit 0 remote, bit 1 authenticated), value (16).
      guard let type = try? cursor.u8(), let value = try? cursor.take(16) else { return nil }
      key.kind = .signature
      key.side = type & 1 == 0 ? .local : .peer
      key.isAuthenticated = type & 2 != 0
      key.bytes = bytes.part(value).array
    }
    return key
  }
}

extension RawSpan {
  /// The number that these bytes are, the least significant first; of more than eight the first eight.
  var littleEndian: UInt64 {
    var value: UInt64 = 0
    for index in 0..<min(8, byteCount) { value |= UInt64(byte(at: index)) << UInt64(8 * index) }
    return value
  }
}
