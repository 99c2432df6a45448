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
  ]

  /// Reads one device.
  private static func bond(
    _ node: SourceNode, isReversed: Bool
  ) throws(ProfileError) -> Bond {
    let node = try KeyedNode(node, "a device with the key `address`")
    let written = try node.required("address")
    guard let address = DeviceAddress(text: try written.text("an address")) else {
      throw written.error("expected an address such as C0:FF:EE:12:34:56, found \(written.kind)")
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
    if let key = try node.node("ltk")?.key(isReversed: isReversed) {
      bond.longTermKeys.append(try longTermKey(key, node))
    }
    for other in try node.node("long_term_keys")?.list("a list of keys") ?? [] {
      let other = try KeyedNode(other, "a key with the key `ltk`")
      let key = try other.required("ltk").key(isReversed: isReversed)
      bond.longTermKeys.append(try longTermKey(key, other))
      try other.finish()
    }
    try node.finish()
    return bond
  }

  private static func longTermKey(
    _ key: [UInt8], _ node: KeyedNode
  ) throws(ProfileError) -> Bond.LongTermKey {
    var key = Bond.LongTermKey(key)
    if let ediv = try node.node("ediv")?.number(in: 0...0xffff) { key.ediv = UInt16(ediv) }
    if let rand = try node.node("rand")?.number("a number of 64 bits") {
      key.rand = UInt64(bitPattern: Int64(rand))
    }
    key.isAuthenticated = try node.node("authenticated")?.flag()
    if let size = try node.node("key_size")?.number(in: 7...16) { key.size = UInt8(size) }
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
  /// Returns the 16 bytes of a key, least significant first.
  ///
  /// - Parameter isReversed: whether it is written with the most significant byte first.
  fileprivate func key(isReversed: Bool) throws(ProfileError) -> [UInt8] {
    guard let key = KeysFile.key(try text("a key")) else {
      throw error("expected the 16 bytes of a key in hexadecimal")
    }
    return isReversed ? key.reversed() : key
  }
}

extension KeysFile {
  /// Returns whether a text may be a key, or most of one, and so is better not shown.
  package static func mayBeKey(_ text: some StringProtocol) -> Bool {
    let digits = String(text.filter { !$0.isWhitespace && $0 != ":" && $0 != "-" })
    let rest = digits.hasPrefix("0x") || digits.hasPrefix("0X") ? digits.dropFirst(2) : digits[...]
    return rest.utf8.count >= 24 && rest.allSatisfy(\.isHexDigit)
  }

  /// Returns the bytes of a key written as 32 digits, in either case, optionally with spaces or
  /// colons between bytes and with `0x` in front.
  static func key(_ text: some StringProtocol) -> [UInt8]? {
    var digits = String(text.filter { !$0.isWhitespace && $0 != ":" })
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
    guard digits.utf8.count == 2 * Bond.keySize, digits.allSatisfy(\.isHexDigit) else {
      return nil
    }
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == 2 * Bond.keySize else { return nil }
    return (0..<Bond.keySize).map { (index: Int) -> UInt8 in
      UInt8(values[2 * index] << 4 | values[2 * index + 1])
    }
  }
}
