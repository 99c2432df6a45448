// Checksums that were learnt: those of the language, sums with a constant, and any CRC.

import Bytes
package import Decoders

/// Any CRC of 8 or 16 bits.
package struct CRC: Sendable, Equatable {
  package var width: Int
  /// Without its highest bit; not reflected.
  package var polynomial: UInt32
  /// The register at the start, as it is before bits are reflected.
  package var initial: UInt32
  /// Whether the least significant bit of each byte comes first, and the result is reflected.
  package var isReflected: Bool
  package var xorout: UInt32

  package init(
    width: Int, polynomial: UInt32, initial: UInt32, isReflected: Bool, xorout: UInt32
  ) {
    self.width = width
    self.polynomial = polynomial
    self.initial = initial
    self.isReflected = isReflected
    self.xorout = xorout
  }

  var mask: UInt32 { width == 8 ? 0xff : 0xffff }

  /// Returns the CRC of the bytes in a range.
  func compute(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    run(initial, bytes, range) ^ xorout
  }

  /// Returns the register, reflected if the CRC is, after some bytes.
  func run(_ start: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    var register = start
    let top: UInt32 = 1 << UInt32(width - 1)
    let shift = UInt32(width - 8)
    for index in range {
      let byte = isReflected ? Self.reflected(bytes[index]) : bytes[index]
      register ^= UInt32(byte) << shift
      for _ in 0..<8 {
        register = register & top == 0 ? register << 1 : register << 1 ^ polynomial
      }
    }
    register &= mask
    return isReflected ? Self.reflected(register, width) : register
  }

  /// Returns a byte with its bits in the opposite order.
  static func reflected(_ byte: UInt8) -> UInt8 { UInt8(reflected(UInt32(byte), 8)) }

  static func reflected(_ value: UInt32, _ width: Int) -> UInt32 {
    var (rest, result) = (value, UInt32(0))
    for _ in 0..<width {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }
}

/// How a checksum is computed.
package enum LearntAlgorithm: Sendable, Equatable {
  /// One of the language, to which a number is added; for an exclusive or, with which it is
  /// combined.
  case named(ChecksumAlgorithm, add: UInt32)
  case crc(CRC)

  package var width: Int {
    switch self {
    case .named(let algorithm, _): algorithm.width
    case .crc(let crc): crc.width / 8
    }
  }

  /// Whether it has a number that was fitted to the frames.
  var isFree: Bool {
    switch self {
    case .named(_, let add): add != 0
    case .crc: true
    }
  }

  /// Returns the checksum of the bytes in a range.
  package func compute(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    switch self {
    case .named(let algorithm, let add):
      let sum = algorithm.compute(
        bytes.bytes.part(Slice(start: range.lowerBound, count: range.count)))
      guard add != 0 else { return sum }
      if algorithm == .xor8 { return sum ^ add }
      return (sum &+ add) & (algorithm.width == 1 ? 0xff : 0xffff)
    case .crc(let crc): return crc.compute(bytes, range)
    }
  }
}

/// The checksum of a frame.
package struct LearntChecksum: Sendable, Equatable {
  package var algorithm: LearntAlgorithm
  /// The number of bytes after it.
  package var after: Int
  package var isBigEndian: Bool
  /// The first byte that it covers. It covers everything from there up to itself.
  package var first: Int
  package var evidence: Evidence
  package var confidence: Confidence

  package var width: Int { algorithm.width }

  /// Returns where it begins in a frame; nil if the frame is too short to have one.
  package func place(in frame: [UInt8]) -> Int? {
    let place = frame.count - after - width
    return place > first ? place : nil
  }

  /// Returns whether a frame has it.
  package func matches(_ frame: [UInt8]) -> Bool {
    guard let place = place(in: frame) else { return false }
    return algorithm.compute(frame, first..<place) == found(in: frame, at: place)
  }

  /// Returns the number in the place of the checksum.
  func found(in frame: [UInt8], at place: Int) -> UInt32 {
    var number: UInt32 = 0
    for index in 0..<width {
      let byte = UInt32(frame[place + (isBigEndian ? index : width - 1 - index)])
      number = number << 8 | byte
    }
    return number
  }
}
