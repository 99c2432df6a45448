package import Bluetooth

/// Reads the keys of bonds from files: YAML as documented in docs/keys.md, and the `info` files in
/// which BlueZ stores them.
package enum KeysFile {
  /// Reads a file's bytes; its first character shows which of the two kinds it is.
  ///
  /// - Parameters:
  ///   - file: its name, for errors and for the origin of a key.
  ///   - address: the device of BlueZ's file, if known, since the file itself does not contain it.
  /// - Throws: what is wrong, with the line.
  package static func read(
    _ bytes: [UInt8], file: String, address: DeviceAddress? = nil
  ) throws(ProfileError) -> [Bond] {
    if let text = String(validating: bytes, as: UTF8.self), isINI(text) {
      return [try bluez(text, file: file, address: address)]
    }
    let root = try KeyedNode(
      try SourceNode.read(bytes, file: file, secretBut: names),
      "a mapping with the key `devices`, or an info file of BlueZ")
    let isReversed: Bool =
      try root.node("byte_order")?.choice([
        ("least_significant_first", false), ("most_significant_first", true),
      ]) ?? false
    var bonds: [Bond] = []
    for device in try root.required("devices").list("a list of devices") {
      bonds.append(try bond(device, isReversed: isReversed))
    }
    try root.finish()
    return bonds
  }

  /// The keys that the mappings of a file can have; anything else in it may be a key in the wrong
  /// place.
  private static let names: Set<String> = [
    "byte_order", "devices", "address", "address_type", "name", "irk", "csrk", "own_csrk",
    "link_key", "ltk", "long_term_keys", "ediv", "rand", "authenticated", "key_size", "host_is",
    "stk", "tk", "passkey", "oob", "private_key", "session_key",
  ]

  /// Reads one device.
  private static func bond(
    _ node: SourceNode, isReversed: Bool
  ) throws(ProfileError) -> Bond {
    let node = try KeyedNode(node, "a device with the key `address`")
    let written = try node.required("address")
    let text = try written.text("an address")
    guard let address = text == "any" ? .zero : DeviceAddress(text: text) else {
      throw written.error(
        "expected an address such as C0:FF:EE:12:34:56, or any, found \(written.kind)")
    }
    if address == .zero {
      for key in ["address_type", "name", "irk", "csrk", "own_csrk"] {
        if let value = node.node(key) {
          throw value.error("needs the address of its device instead of any")
        }
      }
    }
    let type: AddressType =
      try node.node("address_type")?.choice([("public", .public), ("random", .random)])
      ?? usual(address)
    var bond = Bond(address, type, file: written.file)
    if let name = node.node("name") {
      bond.name = try name.line("a name").utf8.map { $0 }
      guard !mayBeKey(try name.text()) else {
        throw name.error("expected a name, found what may be a key: a name is printed")
      }
    }
    bond.identityResolvingKey = try node.node("irk")?.key(isReversed: isReversed)
    bond.signatureKey = try node.node("csrk")?.key(isReversed: isReversed)
    bond.ownSignatureKey = try node.node("own_csrk")?.key(isReversed: isReversed)
    bond.linkKey = try node.node("link_key")?.key(isReversed: isReversed)
    if let written = node.node("ltk") {
      bond.longTermKeys.append(try longTermKey(written, node, isReversed: isReversed))
    }
    for other in try node.node("long_term_keys")?.list("a list of keys") ?? [] {
      let other = try KeyedNode(other, "a key with the key `ltk`")
      bond.longTermKeys.append(
        try longTermKey(try other.required("ltk"), other, isReversed: isReversed))
      try other.finish()
    }
    bond.sniffer = try snifferKeys(node, isReversed: isReversed)
    try node.finish()
    return bond
  }

  /// Reads the keys that only decrypt what a sniffer recorded.
  private static func snifferKeys(
    _ node: KeyedNode, isReversed: Bool
  ) throws(ProfileError) -> Bond.SnifferKeys {
    var keys = Bond.SnifferKeys()
    if let key = try node.node("stk")?.key(isReversed: isReversed) { keys.shortTerm = [key] }
    for name in ["tk", "oob"] {
      if let key = try node.node(name)?.key(isReversed: isReversed) { keys.temporary.append(key) }
    }
    if let passkey = try node.node("passkey")?.passkey() { keys.passkeys = [passkey] }
    if let key = try node.node("private_key")?.key(size: 32, isReversed: isReversed) {
      keys.privateKeys = [key]
    }
    if let key = try node.node("session_key")?.key(isReversed: isReversed) { keys.session = [key] }
    return keys
  }

  private static func longTermKey(
    _ written: SourceNode, _ node: KeyedNode, isReversed: Bool
  ) throws(ProfileError) -> Bond.LongTermKey {
    let size = try node.node("key_size")?.number(in: 7...16)
    var key = Bond.LongTermKey(
      try written.longTermKey(size: size ?? Bond.keySize, isReversed: isReversed))
    key.size = size.map { UInt8($0) }
    if let ediv = try node.node("ediv")?.number(in: 0...0xffff) { key.ediv = UInt16(ediv) }
    if let rand = try node.node("rand")?.number("a number of 64 bits") {
      key.rand = UInt64(bitPattern: Int64(rand))
    }
    key.isAuthenticated = try node.node("authenticated")?.flag()
    key.isForPeripheral =
      try node.node("host_is")?.choice([("central", false), ("peripheral", true)]) ?? false
    return key
  }

  /// Returns the most likely type of an address: a static address begins with two set bits (Core,
  /// Vol 6, Part B, 1.3.2.1), but hardly any assigned public one does.
  static func usual(_ address: DeviceAddress) -> AddressType {
    address.value >> 46 == 0b11 ? .random : .public
  }
}

extension SourceNode {
  /// Returns the bytes of a key, least significant first.
  ///
  /// - Parameter isReversed: whether it is written with the most significant byte first.
  fileprivate func key(
    size: Int = Bond.keySize, isReversed: Bool
  ) throws(ProfileError) -> [UInt8] {
    guard let key = KeysFile.bytes(try text("a key")), key.count == size else {
      throw error("expected the \(size) bytes of a key in hexadecimal")
    }
    return isReversed ? key.reversed() : key
  }

  /// Returns the 16 bytes of a long term key, of which only those that count may be written. Zeros
  /// fill the others, which are the most significant ones (Core, Vol 3, Part H, 2.3.4).
  fileprivate func longTermKey(size: Int, isReversed: Bool) throws(ProfileError) -> [UInt8] {
    let key = KeysFile.bytes(try text("a key")) ?? []
    guard key.count == size || key.count == Bond.keySize else {
      let hint = 7..<Bond.keySize ~= key.count ? "; `key_size` allows fewer" : ""
      throw error("expected the 16 bytes of a key in hexadecimal\(hint)")
    }
    let ascending = isReversed ? key.reversed() : key
    return ascending + [UInt8](repeating: 0, count: Bond.keySize - ascending.count)
  }

  /// Returns the number of a passkey.
  fileprivate func passkey() throws(ProfileError) -> UInt32 {
    let digits = try text("a passkey")
    guard KeysFile.isPasskey(digits), let number = UInt32(digits) else {
      throw error("expected the six digits of a passkey, with those that are zero")
    }
    return number
  }
}

extension KeysFile {
  /// Returns whether a text may be a key, or most of one, and so is better not shown.
  package static func mayBeKey(_ text: some StringProtocol) -> Bool {
    let digits = String(text.filter { !$0.isWhitespace && $0 != ":" && $0 != "-" })
    let rest = digits.hasPrefix("0x") || digits.hasPrefix("0X") ? digits.dropFirst(2) : digits[...]
    return rest.utf8.count >= 24 && rest.allSatisfy(\.isHexDigit)
  }

  /// Returns whether a text has the form of a passkey: six digits.
  package static func isPasskey(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 6 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  /// Returns the 16 bytes of a key.
  static func key(_ text: some StringProtocol) -> [UInt8]? {
    bytes(text).flatMap { $0.count == Bond.keySize ? $0 : nil }
  }

  /// Returns the bytes of a key written as hexadecimal digits, in either case, optionally with
  /// spaces or colons between bytes and with `0x` in front. No key has more than 32 bytes.
  fileprivate static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var digits = String(text.filter { !$0.isWhitespace && $0 != ":" })
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
    guard digits.utf8.count <= 64, digits.utf8.count % 2 == 0, digits.allSatisfy(\.isHexDigit)
    else { return nil }
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == digits.utf8.count else { return nil }
    return (0..<values.count / 2).map { (index: Int) -> UInt8 in
      UInt8(values[2 * index] << 4 | values[2 * index + 1])
    }
  }
}
