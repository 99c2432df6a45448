// Files with bond keys.

import Bluetooth
import ProfileFiles
import Testing

@Suite("Files with keys") struct KeysFileTests {
  private static let address = DeviceAddress(value: 0xc0ff_ee12_3456)
  private static let ascending = (0..<16).map { UInt8($0) }

  private static func read(
    _ text: String, address: DeviceAddress? = nil
  ) throws(ProfileError) -> [Bond] {
    try KeysFile.read(Array(text.utf8), file: "keys", address: address)
  }

  /// Returns the error about a file, or an empty text.
  private static func error(_ text: String, address: DeviceAddress? = nil) -> String {
    do throws(ProfileError) {
      _ = try read(text, address: address)
      return "nothing"
    } catch {
      return error.description
    }
  }

  @Test("YAML: all keys of a device") func yaml() throws {
    let bonds = try Self.read(
      """
      devices:
        - address: c0:ff:ee:12:34:56
          address_type: random
          name: Band
          ltk: 000102030405060708090a0b0c0d0e0f
          ediv: 0x1234
          rand: 0x0807060504030201
          authenticated: true
          key_size: 16
          irk: 00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f
          csrk: "00010203 04050607 08090a0b 0c0d0e0f"
          own_csrk: 0x000102030405060708090A0B0C0D0E0F
          link_key: 000102030405060708090a0b0c0d0e0f
          long_term_keys:
            - ltk: ffffffffffffffffffffffffffffffff
              host_is: peripheral
        - address: 00:11:22:33:44:55
      """)
    try #require(bonds.count == 2)
    #expect(bonds[0].address == Self.address)
    #expect(bonds[0].type == .random)
    #expect(bonds[0].name == Array("Band".utf8))
    #expect(
      bonds[0].longTermKeys.map(\.bytes) == [Self.ascending, [UInt8](repeating: 0xff, count: 16)])
    #expect(bonds[0].longTermKeys[0].ediv == 0x1234)
    #expect(bonds[0].longTermKeys[0].rand == 0x0807_0605_0403_0201)
    #expect(bonds[0].longTermKeys[0].isAuthenticated == true)
    #expect(bonds[0].longTermKeys[0].size == 16)
    #expect(bonds[0].longTermKeys.map(\.isForPeripheral) == [false, true])
    for key in [
      bonds[0].identityResolvingKey, bonds[0].signatureKey, bonds[0].ownSignatureKey,
      bonds[0].linkKey,
    ] {
      #expect(key == Self.ascending)
    }
    #expect(bonds[1].type == .public)
    #expect(bonds[1].longTermKeys.isEmpty)
  }

  @Test(
    "Keys may be written in the specification's order, the most significant byte first")
  func byteOrder() throws {
    let bonds = try Self.read(
      """
      byte_order: most_significant_first
      devices:
        - {address: "C0:FF:EE:12:34:56", irk: 0f0e0d0c0b0a09080706050403020100}
      """)
    #expect(bonds.first?.identityResolvingKey == Self.ascending)
    // The two most significant bits are set: a static address.
    #expect(bonds.first?.type == .random)
  }

  @Test("YAML: keys for captures from the air, of a device or of any") func sniffer() throws {
    let bonds = try Self.read(
      """
      devices:
        - address: any
          ltk: 000102030405060708090a0b0c0d0e0f
          stk: 000102030405060708090a0b0c0d0e0f
          tk: 000102030405060708090a0b0c0d0e0f
          oob: ffffffffffffffffffffffffffffffff
          passkey: 000042
          private_key: 000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f
          session_key: 000102030405060708090a0b0c0d0e0f
        - {address: "C0:FF:EE:12:34:56", passkey: "123456"}
      """)
    try #require(bonds.count == 2)
    #expect(bonds.map(\.isAnyDevice) == [true, false])
    let keys = bonds[0].sniffer
    #expect(bonds[0].longTermKeys.map(\.bytes) == [Self.ascending])
    #expect(keys.shortTerm == [Self.ascending] && keys.session == [Self.ascending])
    #expect(keys.temporary == [Self.ascending, [UInt8](repeating: 0xff, count: 16)])
    #expect(keys.privateKeys == [Self.ascending + Self.ascending])
    #expect(keys.passkeys == [42] && bonds[1].sniffer.passkeys == [123_456])
    #expect(bonds[1].sniffer.shortTerm.isEmpty && !bonds[1].isFromCapture)
  }

  @Test("keys for captures from the air have the file's byte order, too") func snifferOrder() throws
  {
    let bonds = try Self.read(
      """
      byte_order: most_significant_first
      devices:
        - address: any
          tk: 0f0e0d0c0b0a09080706050403020100
          private_key: 0f0e0d0c0b0a09080706050403020100 0f0e0d0c0b0a09080706050403020100
      """)
    #expect(bonds.first?.sniffer.temporary == [Self.ascending])
    #expect(bonds.first?.sniffer.privateKeys == [Self.ascending + Self.ascending])
  }

  @Test("of a short key, only the bytes that count may be written; zeros are the most significant")
  func shortKeys() throws {
    for (order, written) in [
      ("least_significant_first", "00010203040506"), ("most_significant_first", "06050403020100"),
    ] {
      let bonds = try Self.read(
        """
        byte_order: \(order)
        devices:
          - {address: any, ltk: \(written), key_size: 7}
        """)
      #expect(
        bonds.first?.longTermKeys.map(\.bytes) == [
          Self.ascending.prefix(7) + [UInt8](repeating: 0, count: 9)
        ])
    }
  }

  @Test("BlueZ's info file: all of its keys") func bluez() throws {
    let bonds = try Self.read(
      """
      [General]
      Name=Band
      AddressType=static
      SupportedTechnologies=LE;
      Trusted=true

      [IdentityResolvingKey]
      Key=000102030405060708090A0B0C0D0E0F

      [LongTermKey]
      Key=000102030405060708090A0B0C0D0E0F
      Authenticated=1
      EncSize=16
      EDiv=4660
      Rand=578437695752307201

      [PeripheralLongTermKey]
      Key=FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
      Authenticated=0
      EncSize=7
      EDiv=1
      Rand=2

      [LinkKey]
      Key=000102030405060708090A0B0C0D0E0F
      Type=5
      PINLength=0

      [LocalSignatureKey]
      Key=000102030405060708090A0B0C0D0E0F
      Counter=0
      Authenticated=false

      [RemoteSignatureKey]
      Key=000102030405060708090A0B0C0D0E0F
      """, address: Self.address)
    try #require(bonds.count == 1)
    let bond = bonds[0]
    #expect(bond.address == Self.address)
    #expect(bond.type == .random)
    #expect(bond.name == Array("Band".utf8))
    #expect(bond.longTermKeys.map(\.ediv) == [4660, 1])
    // 0x0807060504030201 in decimal.
    #expect(bond.longTermKeys.map(\.rand) == [0x0807_0605_0403_0201, 2])
    #expect(bond.longTermKeys.map(\.isAuthenticated) == [true, false])
    #expect(bond.longTermKeys.map(\.size) == [16, 7])
    #expect(bond.longTermKeys.map(\.isForPeripheral) == [false, true])
    for key in [
      bond.identityResolvingKey, bond.signatureKey, bond.ownSignatureKey, bond.linkKey,
      bond.longTermKeys[0].bytes,
    ] {
      #expect(key == Self.ascending)
    }
  }

  @Test("A Secure Connections key that BlueZ stores twice is one key") func once()
    throws
  {
    let key = "Key=000102030405060708090A0B0C0D0E0F\nEDiv=0\nRand=0\nAuthenticated=2\n"
    let bonds = try Self.read(
      "[LongTermKey]\n\(key)[PeripheralLongTermKey]\n\(key)[SlaveLongTermKey]\n\(key)",
      address: Self.address)
    #expect(bonds.first?.longTermKeys.count == 1)
  }

  @Test(
    "Errors are one sentence with the line, and never contain the key",
    arguments: [
      ("devices:\n  - address: nobody\n", "keys:2: devices.address: expected an address"),
      (
        "devices:\n  - {address: 'C0:FF:EE:12:34:56', irk: 0011}\n",
        "keys:2: devices.irk: expected the 16 bytes"
      ),
      ("devices:\n  - {name: Band}\n", "keys:2: devices: the key `address` is missing"),
      (
        "devices:\n  - {address: 'C0:FF:EE:12:34:56', ltkk: 00}\n",
        "keys:2: devices: unknown key `ltkk`"
      ),
      (
        "devices:\n  - {address: any, ltk: 00010203040506}\n",
        "keys:2: devices.ltk: expected the 16 bytes of a key in hexadecimal; `key_size` allows fewer"
      ),
      (
        "devices:\n  - {address: any, ltk: 0001020304050607, key_size: 7}\n",
        "keys:2: devices.ltk: expected the 16 bytes"
      ),
      ("devices:\n  - {address: any, stk: 0011}\n", "keys:2: devices.stk: expected the 16 bytes"),
      (
        "devices:\n  - {address: any, private_key: 0011}\n",
        "keys:2: devices.private_key: expected the 32 bytes"
      ),
      (
        "devices:\n  - {address: any, passkey: 42}\n",
        "keys:2: devices.passkey: expected the six digits of a passkey"
      ),
      (
        "devices:\n  - {address: any, passkey: 0x1234}\n",
        "keys:2: devices.passkey: expected the six digits of a passkey"
      ),
      (
        "devices:\n  - {address: any, name: Band}\n",
        "keys:2: devices.name: needs the address of its device instead of any"
      ),
      (
        "devices:\n  - {address: any, irk: 000102030405060708090a0b0c0d0e0f}\n",
        "keys:2: devices.irk: needs the address of its device instead of any"
      ),
      ("devices: [\n", "keys:"),
      ("", "keys: is empty"),
      ("\u{1}\u{2}", "keys"),
      ("[General]\nName\n", "keys:2: expected NAME=VALUE"),
      ("[LongTermKey]\nKey=00\n", "keys:2: expected the 16 bytes of a key"),
      ("[LongTermKey]\nEDiv=x\n", "keys:2: expected a number after EDiv="),
      ("[General\n", "keys"),
      (
        "[LongTermKey]\nEDiv=65536\n", "keys:2: expected a number from 0 to 65535 after EDiv="
      ),
      ("[LongTermKey]\nEDiv=-1\n", "keys:2: expected a number after EDiv="),
      (
        "[LongTermKey]\n\nEncSize=200\n", "keys:3: expected a number from 7 to 16 after EncSize="
      ),
      ("[LongTermKey]\nEncSize=6\n", "keys:2: expected a number from 7 to 16 after EncSize="),
      ("[LongTermKey]\nEDiv=65535\nEncSize=7\n", "nothing"),
    ])
  func errors(_ text: String, _ expected: String) {
    let reported = Self.error(text, address: Self.address)
    #expect(reported.hasPrefix(expected), "\(reported)")
  }

  @Test(
    "Messages do not quote a wrong key, which may be a real key with one wrong letter")
  func noSecretInErrors() {
    let reported = Self.error(
      "devices:\n  - {address: 'C0:FF:EE:12:34:56', irk: 00112233445566778899aabbccddeefg}\n")
    #expect(reported.hasPrefix("keys:2") && !reported.contains("0011"), "\(reported)")
  }

  @Test("A BlueZ file without an address asks for one") func whose() {
    #expect(Self.error("[General]\nName=Band\n").contains("ADDRESS=FILE"))
  }
}
