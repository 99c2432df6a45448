// Encryption: HCI commands and events, and the shortest possible pairing.

package import Bluetooth

extension Traffic {
  /// Appends LE Enable Encryption and its Command Status; every byte of the key is `key`.
  package mutating func startEncryption(
    _ handle: Int = 0x40, key: UInt8 = 0x11, ediv: Int = 0, rand: Int = 0, status code: UInt8 = 0
  ) {
    begin(
      0x2019,
      little(handle) + little(rand, width: 8) + little(ediv)
        + [UInt8](repeating: key, count: 16), status: code)
  }

  /// Appends an LE Long Term Key Request and its answer: a key whose bytes are all `key`, or no key
  /// if it is nil.
  package mutating func requestKey(
    _ handle: Int = 0x40, key: UInt8?, ediv: Int = 0, rand: Int = 0
  ) {
    askForKey(handle, ediv: ediv, rand: rand)
    if let key {
      perform(
        0x201a, little(handle) + [UInt8](repeating: key, count: 16), returns: [0] + little(handle))
    } else {
      perform(0x201b, little(handle), returns: [0] + little(handle))
    }
  }

  /// Appends an LE Long Term Key Request.
  package mutating func askForKey(_ handle: Int = 0x40, ediv: Int = 0, rand: Int = 0) {
    meta(0x05, little(handle) + little(rand, width: 8) + little(ediv))
  }

  /// Appends an Encryption Change.
  package mutating func encrypted(
    _ handle: Int = 0x40, status: UInt8 = 0, enabled: UInt8 = 1
  ) {
    event(0x08, [status] + little(handle) + [enabled])
  }

  /// Appends an Encryption Change, version 2, with a key size.
  package mutating func encrypted(_ handle: Int = 0x40, keySize: UInt8) {
    event(0x59, [0] + little(handle) + [1, keySize])
  }

  /// Appends a legacy pairing with bonding, up to the creation of the key; its values are not
  /// valid.
  ///
  /// - Parameters:
  ///   - initiator: the side that starts pairing.
  ///   - sizes: both sides' maximum key sizes, the initiator's first.
  package mutating func pairLegacy(
    by initiator: Direction = .sent, handle: Int = 0x40, sizes: (Int, Int) = (16, 16)
  ) {
    let responder: Direction = initiator == .sent ? .received : .sent
    let value = [UInt8](repeating: 0x5a, count: 16).map { String($0, radix: 16) }
      .joined(separator: " ")
    smp("01 03 00 01 \(String(sizes.0, radix: 16)) 01 01", initiator, handle: handle)
    smp("02 03 00 01 \(String(sizes.1, radix: 16)) 01 01", responder, handle: handle)
    for opcode in ["03", "04"] {
      smp("\(opcode) \(value)", initiator, handle: handle)
      smp("\(opcode) \(value)", responder, handle: handle)
    }
  }

  /// Appends only the last step of Secure Connections: both sides have the key.
  package mutating func pairSecurely(by initiator: Direction = .sent, handle: Int = 0x40) {
    let responder: Direction = initiator == .sent ? .received : .sent
    let value = [UInt8](repeating: 0x5a, count: 16).map { String($0, radix: 16) }
      .joined(separator: " ")
    smp("01 03 00 09 10 02 02", initiator, handle: handle)
    smp("02 03 00 09 10 02 02", responder, handle: handle)
    smp("0d \(value)", initiator, handle: handle)
    smp("0d \(value)", responder, handle: handle)
  }

  /// Appends a connection that is paired, encrypted with a key whose bytes are all `key`, and
  /// ended. Both sides are bonded afterwards. This host is the central.
  package mutating func bond(key: UInt8 = 0x11, peer: Int = 0xc011_2233_4455) {
    connect(peer: peer)
    pairSecurely()
    startEncryption(key: key)
    encrypted()
    received("0b 64")
    endLink()
  }

  /// Does the same with this host as the peripheral.
  package mutating func bondAsPeripheral(key: UInt8 = 0x11) {
    connect(role: 1)
    pairSecurely(by: .received)
    requestKey(key: key)
    encrypted()
    received("0b 64")
    disconnect()
  }

  /// Appends a command of the management interface, on the socket with the cookie 1.
  package mutating func addControl(_ opcode: Int, _ parameters: [UInt8]) {
    note(16, little(1, width: 4) + little(opcode) + parameters)
  }
}
