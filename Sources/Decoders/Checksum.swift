import Bytes

/// The checksums at the end of vendors' frames and of values of Bluetooth profiles.
package enum ChecksumAlgorithm: Int, Sendable, CaseIterable {
  /// Exclusive or of all bytes.
  case xor8
  /// The sum of all bytes.
  case sum8
  /// The number that makes the sum of all bytes 0.
  case sum8Negated
  /// The sum of all bytes, 16 bits.
  case sum16
  /// The number that makes the sum of all bytes 0, 16 bits.
  case sum16Negated
  /// Polynomial 0x07, from 0 (CRC-8/SMBUS).
  case crc8
  /// Polynomial 0x31 reflected, from 0 (CRC-8/MAXIM-DOW).
  case crc8Maxim
  /// Polynomial 0x1021, from 0xffff (CRC-16/IBM-3740).
  case crc16CCITTFalse
  /// Polynomial 0x1021, from 0.
  case crc16XModem
  /// Polynomial 0x1021 reflected, from 0.
  case crc16Kermit
  /// Polynomial 0x1021 reflected, from 0xffff: E2E-CRC of the Bluetooth glucose profiles.
  case crc16MCRF4XX
  /// Polynomial 0x8005 reflected, from 0.
  case crc16ARC
  /// Polynomial 0x8005 reflected, from 0xffff.
  case crc16Modbus
  /// Polynomial 0x04c11db7 reflected, from 0xffffffff, inverted (CRC-32/ISO-HDLC).
  case crc32

  /// The name in profiles.
  package var name: StaticString {
    switch self {
    case .xor8: "xor8"
    case .sum8: "sum8"
    case .sum8Negated: "sum8_negated"
    case .sum16: "sum16"
    case .sum16Negated: "sum16_negated"
    case .crc8: "crc8"
    case .crc8Maxim: "crc8_maxim"
    case .crc16CCITTFalse: "crc16_ccitt_false"
    case .crc16XModem: "crc16_xmodem"
    case .crc16Kermit: "crc16_kermit"
    case .crc16MCRF4XX: "crc16_mcrf4xx"
    case .crc16ARC: "crc16_arc"
    case .crc16Modbus: "crc16_modbus"
    case .crc32: "crc32"
    }
  }

  /// The number of bytes of the checksum.
  package var width: Int {
    switch self {
    case .xor8, .sum8, .sum8Negated, .crc8, .crc8Maxim: 1
    case .crc32: 4
    default: 2
    }
  }

  /// Returns the checksum of bytes.
  package func compute(_ bytes: RawSpan) -> UInt32 {
    switch self {
    case .xor8: fold(bytes) { $0 ^ $1 }
    case .sum8: fold(bytes) { $0 &+ $1 } & 0xff
    case .sum8Negated: (0 &- fold(bytes) { $0 &+ $1 }) & 0xff
    case .sum16: fold(bytes) { $0 &+ $1 } & 0xffff
    case .sum16Negated: (0 &- fold(bytes) { $0 &+ $1 }) & 0xffff
    case .crc8: direct(bytes, polynomial: 0x07, from: 0, width: 8)
    case .crc8Maxim: reflected(bytes, polynomial: 0x8c, from: 0)
    case .crc16CCITTFalse: direct(bytes, polynomial: 0x1021, from: 0xffff, width: 16)
    case .crc16XModem: direct(bytes, polynomial: 0x1021, from: 0, width: 16)
    case .crc16Kermit: reflected(bytes, polynomial: 0x8408, from: 0)
    case .crc16MCRF4XX: reflected(bytes, polynomial: 0x8408, from: 0xffff)
    case .crc16ARC: reflected(bytes, polynomial: 0xa001, from: 0)
    case .crc16Modbus: reflected(bytes, polynomial: 0xa001, from: 0xffff)
    case .crc32: ~reflected(bytes, polynomial: 0xedb8_8320, from: 0xffff_ffff)
    }
  }

  private func fold(_ bytes: RawSpan, _ combine: (UInt32, UInt32) -> UInt32) -> UInt32 {
    var value: UInt32 = 0
    for index in 0..<bytes.byteCount { value = combine(value, UInt32(bytes.byte(at: index))) }
    return value
  }

  /// Computes a CRC whose most significant bit comes first.
  private func direct(
    _ bytes: RawSpan, polynomial: UInt32, from start: UInt32, width: UInt32
  ) -> UInt32 {
    var value = start
    let top: UInt32 = 1 << (width - 1)
    for index in 0..<bytes.byteCount {
      value ^= UInt32(bytes.byte(at: index)) << (width - 8)
      for _ in 0..<8 { value = value & top == 0 ? value << 1 : value << 1 ^ polynomial }
    }
    return value & (top << 1 &- 1)
  }

  /// Computes a CRC whose least significant bit comes first; the polynomial is reflected.
  private func reflected(_ bytes: RawSpan, polynomial: UInt32, from start: UInt32) -> UInt32 {
    var value = start
    for index in 0..<bytes.byteCount {
      value ^= UInt32(bytes.byte(at: index))
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
    }
    return value
  }
}
