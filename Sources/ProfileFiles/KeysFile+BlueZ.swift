// The files in which BlueZ stores what it knows about a device:
// /var/lib/bluetooth/ADAPTER/DEVICE/info.

import Bluetooth

extension KeysFile {
  /// Returns whether a text begins like such a file, with a section: `[General]`.
  static func isINI(_ text: String) -> Bool {
    for line in text.split(whereSeparator: \.isNewline) {
      let content = line.drop { $0.isWhitespace || $0 == "\u{feff}" }
      if content.isEmpty || content.hasPrefix("#") || content.hasPrefix(";") { continue }
      return content.hasPrefix("[") && content.last { !$0.isWhitespace } == "]"
        && !content.contains(":")
    }
    return false
  }

  /// The content of a section that contains a key.
  private struct Section {
    var name: Substring = ""
    var key: [UInt8]?
    var numbers: [Substring: UInt64] = [:]
  }

  /// Reads such a file: sections in brackets, which contain `Key=`. Keys are written in the order
  /// in which the kernel passes them on: least significant byte first (BlueZ, src/device.c and
  /// src/adapter.c [mem]).
  static func bluez(
    _ text: String, file: String, address: DeviceAddress?
  ) throws(ProfileError) -> Bond {
    func failure(_ message: String, _ line: Int = 0) -> ProfileError {
      ProfileError(file: file, line: line, key: "", message: message)
    }
    guard let address else {
      throw failure(
        "an info file of BlueZ does not name its device: leave it in the folder named after the device's address, or write ADDRESS=FILE"
      )
    }
    var bond = Bond(address, usual(address), file: file)
    var section = Section()
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let content = line.drop { $0.isWhitespace || $0 == "\u{feff}" }
      if content.isEmpty || content.hasPrefix("#") || content.hasPrefix(";") { continue }
      if content.hasPrefix("[") {
        guard let end = content.lastIndex(of: "]") else {
          throw failure("a section's name ends with ]", index + 1)
        }
        add(section, to: &bond)
        section = Section(name: content[..<end].dropFirst())
        continue
      }
      guard let equals = content.firstIndex(of: "=") else {
        throw failure("expected NAME=VALUE or [SECTION]", index + 1)
      }
      let name = content[..<equals]
      let value = content[content.index(after: equals)...]
      switch (section.name, name) {
      case ("General", "Name"):
        // A name is printed.
        if !mayBeKey(value) { bond.name = Array(value.utf8.prefix(248)) }
      case ("General", "AddressType"):
        switch value {
        case "static": bond.type = .random
        case "public": bond.type = .public
        default: throw failure("expected AddressType=static or public", index + 1)
        }
      case (_, "Key") where isKeySection(section.name):
        guard let key = key(value) else {
          throw failure("expected the 16 bytes of a key in hexadecimal after Key=", index + 1)
        }
        section.key = key
      case (_, "Authenticated"), (_, "EncSize"), (_, "EDiv"), (_, "Rand"):
        guard isKeySection(section.name) else { continue }
        guard let number = number(value) else {
          throw failure("expected a number after \(name)=", index + 1)
        }
        let range = range(name)
        guard range.contains(number) else {
          throw failure(
            "expected a number from \(range.lowerBound) to \(range.upperBound) after \(name)=",
            index + 1)
        }
        section.numbers[name] = number
      default: break
      }
    }
    add(section, to: &bond)
    return bond
  }

  private static func number(_ value: Substring) -> UInt64? {
    if value == "true" { return 1 }
    if value == "false" { return 0 }
    return value.hasPrefix("0x") ? UInt64(value.dropFirst(2), radix: 16) : UInt64(value)
  }

  /// Returns the range of a number: the Encrypted Diversifier has 16 bits, a key 7 to 16 bytes
  /// (Core, Vol 3, Part H, 2.4.2.1 and 3.5.1).
  private static func range(_ name: Substring) -> ClosedRange<UInt64> {
    switch name {
    case "EDiv": 0...0xffff
    case "EncSize": 7...16
    default: 0...UInt64.max
    }
  }

  private static func isKeySection(_ name: Substring) -> Bool {
    switch name {
    case "LongTermKey", "PeripheralLongTermKey", "SlaveLongTermKey", "IdentityResolvingKey",
      "LinkKey", "LocalSignatureKey", "RemoteSignatureKey":
      true
    default: false
    }
  }

  /// Adds the key of a section that has ended.
  private static func add(_ section: Section, to bond: inout Bond) {
    guard let bytes = section.key else { return }
    switch section.name {
    case "LongTermKey", "PeripheralLongTermKey", "SlaveLongTermKey":
      var key = Bond.LongTermKey(bytes)
      key.isForPeripheral = section.name != "LongTermKey"
      // The kernel's types: bit 0 means that it is authenticated; 4 is the debug key.
      if let type = section.numbers["Authenticated"], type < 4 {
        key.isAuthenticated = type & 1 == 1
      }
      if let size = section.numbers["EncSize"] { key.size = UInt8(exactly: size) }
      if let ediv = section.numbers["EDiv"].flatMap({ UInt16(exactly: $0) }) { key.ediv = ediv }
      if let rand = section.numbers["Rand"] { key.rand = rand }
      // BlueZ writes a Secure Connections key under several names.
      if !bond.longTermKeys.contains(where: { $0.bytes == key.bytes && $0.ediv == key.ediv }) {
        bond.longTermKeys.append(key)
      }
    case "IdentityResolvingKey": bond.identityResolvingKey = bytes
    case "LinkKey": bond.linkKey = bytes
    case "LocalSignatureKey": bond.ownSignatureKey = bytes
    case "RemoteSignatureKey": bond.signatureKey = bytes
    default: break
    }
  }
}
