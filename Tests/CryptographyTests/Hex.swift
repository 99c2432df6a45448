import Bluetooth
import Bytes
import Testing

@testable import Cryptography

/// Converts hexadecimal text, "02 40 00" or "024000", to bytes.
func hex(_ text: String) -> [UInt8] {
  let digits = Array(text.filter { $0 != " " })
  return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
    UInt8(String(digits[$0...$0 + 1]), radix: 16)
  }
}

/// Converts a number in the specification's notation to its bytes in transmission order.
func wire(_ text: String) -> [UInt8] { hex(text).reversed() }

/// Parses a value in the specification's notation.
func value(_ text: String) throws -> PairingValue {
  let bytes = wire(text)
  let value = PairingValue(bytes.bytes)
  return try #require(value)
}

/// Parses a coordinate in the specification's notation.
func coordinate(_ text: String) throws -> P256Coordinate {
  let bytes = wire(text)
  let coordinate = P256Coordinate(bytes.bytes)
  return try #require(coordinate)
}

/// Parses a Pairing Request or Response in the specification's notation.
func command(_ text: String) throws -> PairingCommand {
  let bytes = wire(text)
  let command = PairingCommand(bytes.bytes)
  return try #require(command)
}

/// Parses an address that follows its type: "00561237 37bfce".
func address(_ text: String) throws -> PairingAddress {
  let bytes = wire(text)
  let parts = (bytes.dropLast(), bytes.last)
  let value = parts.0.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  return PairingAddress(DeviceAddress(value: value), isRandom: parts.1 == 1)
}

func digits(_ number: UInt32) throws -> SixDigits { try #require(SixDigits(number)) }

/// The two key pairs of Core, Vol 2, Part G, 7.1.2.1, the first of which is the debug key pair, and
/// the other values of Core, Vol 3, Part H, D.2 to D.5.
enum Sample {
  static let debugX = "20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6"
  static let debugY = "dc809c49 652aeb6d 63329abf 5a52155c 766345c2 8fed3024 741c8ed0 1589d28b"
  static let otherPrivate =
    "55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd"
  static let otherX = "1ea1f0f0 1faf1d96 09592284 f19e4c00 47b58afd 8615a69f 559077b2 2faaa190"
  static let otherY = "4c55f33e 429dad37 7356703a 9ab85160 472d1130 e28e3676 5f89aff9 15b1214a"
  static let dhKey = "ec0234a3 57c8ad05 341010a6 0a397d9b 99796b13 b4f866f1 868d34f3 73bfa698"
  static let random1 = "d5cb8454 d177733e ffffb2ec 712baeab"
  static let random2 = "a6e8e7cc 25a75f6e 216583f7 ff3dc4cf"
  static let address1 = "00561237 37bfce"
  static let address2 = "00a71370 2dcfc1"
  static let macKey = "2965f176 a1084a02 fd3f6a20 ce636e20"
  static let longTermKey = "69867911 69d7cd23 980522b5 94750a38"
}
