import Bytes

/// How the checksum of vendors' frames, and of values of Bluetooth profiles, is computed: an
/// exclusive or, a sum or a CRC of bytes, which is then combined with two constants.
package struct ChecksumAlgorithm: Sendable, Equatable {
  /// How bytes are combined.
  package enum Kind: Int, Sendable, CaseIterable {
    /// Exclusive or of all bytes; their sum; the remainder of a division of polynomials.
    case xor, sum, crc
  }

  package var kind: Kind
  /// The number of bytes of the checksum, 1 to 4.
  package var width: Int
  /// A CRC's polynomial without its highest term, the most significant bit first.
  package var polynomial: UInt32 = 0
  /// The value before the first byte.
  package var initial: UInt32 = 0
  /// Whether a CRC takes the least significant bit of each byte first, and whether the bits of its
  /// result are reversed.
  package var reflectsInput = false
  package var reflectsOutput = false
  /// What the result is combined with by an exclusive or, and what is then added to it.
  package var inverted: UInt32 = 0
  package var added: UInt32 = 0

  package init(_ kind: Kind, width: Int) { (self.kind, self.width) = (kind, width) }

  private static func crc(
    _ width: Int, _ polynomial: UInt32, from initial: UInt32 = 0, reflected: Bool = false,
    inverted: UInt32 = 0
  ) -> Self {
    var crc = Self(.crc, width: width)
    (crc.polynomial, crc.initial, crc.inverted) = (polynomial, initial, inverted)
    (crc.reflectsInput, crc.reflectsOutput) = (reflected, reflected)
    return crc
  }

  /// Returns a sum with each bit inverted, to which a number is added: 0 gives the ones'
  /// complement, 1 the number that makes the sum of all bytes 0.
  private static func complement(_ width: Int, plus added: UInt32) -> Self {
    var sum = Self(.sum, width: width)
    (sum.inverted, sum.added) = (sum.mask, added)
    return sum
  }

  package static let xor8 = Self(.xor, width: 1)
  package static let sum8 = Self(.sum, width: 1)
  package static let sum8Negated = complement(1, plus: 1)
  package static let sum16 = Self(.sum, width: 2)
  package static let sum16Negated = complement(2, plus: 1)
  package static let crc8 = crc(1, 0x07)
  package static let crc8Maxim = crc(1, 0x31, reflected: true)
  package static let crc16CCITTFalse = crc(2, 0x1021, from: 0xffff)
  package static let crc16XModem = crc(2, 0x1021)
  package static let crc16Kermit = crc(2, 0x1021, reflected: true)
  /// E2E-CRC of the Bluetooth glucose profiles.
  package static let crc16MCRF4XX = crc(2, 0x1021, from: 0xffff, reflected: true)
  package static let crc16ARC = crc(2, 0x8005, reflected: true)
  package static let crc16Modbus = crc(2, 0x8005, from: 0xffff, reflected: true)
  package static let crc32 = crc(
    4, 0x04c1_1db7, from: 0xffff_ffff, reflected: true, inverted: 0xffff_ffff)
  package static let sum8Inverted = complement(1, plus: 0)
  package static let sum16Inverted = complement(2, plus: 0)

  /// The algorithms with names in profiles. Their places are stored, so new ones are appended.
  package static let named: [(name: StaticString, algorithm: ChecksumAlgorithm)] = [
    ("xor8", xor8), ("sum8", sum8), ("sum8_negated", sum8Negated), ("sum16", sum16),
    ("sum16_negated", sum16Negated), ("crc8", crc8), ("crc8_maxim", crc8Maxim),
    ("crc16_ccitt_false", crc16CCITTFalse), ("crc16_xmodem", crc16XModem),
    ("crc16_kermit", crc16Kermit), ("crc16_mcrf4xx", crc16MCRF4XX), ("crc16_arc", crc16ARC),
    ("crc16_modbus", crc16Modbus), ("crc32", crc32), ("sum8_inverted", sum8Inverted),
    ("sum16_inverted", sum16Inverted),
  ]

  /// The name in profiles, or how many bits the checksum has.
  package var name: String {
    Self.named.first { $0.algorithm == self }.map { "\($0.name)" }
      ?? "a checksum of \(8 * width) bits"
  }

  /// The bits of a checksum.
  package var mask: UInt32 { width >= 4 ? .max : 1 << UInt32(8 * width) - 1 }

  /// Returns the checksum of bytes.
  package func compute(_ bytes: RawSpan) -> UInt32 {
    let value =
      switch kind {
      case .xor: fold(bytes) { $0 ^ $1 }
      case .sum: fold(bytes) { $0 &+ $1 }
      case .crc: remainder(bytes)
      }
    return ((value ^ inverted) &+ added) & mask
  }

  private func fold(_ bytes: RawSpan, _ combine: (UInt32, UInt32) -> UInt32) -> UInt32 {
    var value = initial
    for index in 0..<bytes.byteCount { value = combine(value, UInt32(bytes.byte(at: index))) }
    return value
  }

  private func remainder(_ bytes: RawSpan) -> UInt32 {
    var value = initial
    if reflectsInput {
      // All of it is reversed, so that bytes need not be.
      value = reversed(value)
      let polynomial = reversed(polynomial)
      for index in 0..<bytes.byteCount {
        value ^= UInt32(bytes.byte(at: index))
        for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
      }
    } else {
      let top: UInt32 = 1 << UInt32(8 * width - 1)
      for index in 0..<bytes.byteCount {
        value ^= UInt32(bytes.byte(at: index)) << UInt32(8 * width - 8)
        for _ in 0..<8 { value = value & top == 0 ? value << 1 : value << 1 ^ polynomial }
      }
      value &= mask
    }
    return reflectsInput == reflectsOutput ? value : reversed(value)
  }

  /// Returns the bits of a checksum in the opposite order.
  private func reversed(_ value: UInt32) -> UInt32 {
    var value = value.byteSwapped
    value = value >> 4 & 0x0f0f_0f0f | (value & 0x0f0f_0f0f) << 4
    value = value >> 2 & 0x3333_3333 | (value & 0x3333_3333) << 2
    value = value >> 1 & 0x5555_5555 | (value & 0x5555_5555) << 1
    return value >> UInt32(32 - 8 * width)
  }
}

// The stored form: a number for those with names, all parameters of the others.

extension ChecksumAlgorithm {
  /// The place among `named`; nil if it has no name.
  package var number: Int? { Self.named.firstIndex { $0.algorithm == self } }

  /// Returns the algorithm of a place among `named`.
  package static func named(_ number: Int) -> ChecksumAlgorithm? {
    named.indices.contains(number) ? named[number].algorithm : nil
  }

  func write(_ writer: inout TableWriter) {
    writer.count(kind.rawValue)
    writer.count(width)
    writer.count((reflectsInput ? 1 : 0) | (reflectsOutput ? 2 : 0))
    for number in [polynomial, initial, inverted, added] { writer.count(Int(number)) }
  }

  init(_ reader: inout TableReader) {
    self.init(Kind(rawValue: reader.count()) ?? .xor, width: max(1, min(4, reader.count())))
    let reflections = reader.count()
    (reflectsInput, reflectsOutput) = (reflections & 1 != 0, reflections & 2 != 0)
    polynomial = UInt32(truncatingIfNeeded: reader.count())
    initial = UInt32(truncatingIfNeeded: reader.count())
    inverted = UInt32(truncatingIfNeeded: reader.count())
    added = UInt32(truncatingIfNeeded: reader.count())
  }
}
