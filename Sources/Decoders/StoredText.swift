import Bytes

/// Bytes as text that a Swift literal can hold, six bits a character. The built-in definitions need
/// no work at start-up this way: they are part of the program's constants, and only those that are
/// used are read.
package enum StoredText {
  private static let digits: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// Returns the text for some bytes.
  package static func text(_ bytes: [UInt8]) -> String {
    let digits = digits.bytes
    var text: [UInt8] = []
    var (word, bits) = (0, 0)
    for byte in bytes {
      (word, bits) = (word << 8 | Int(byte), bits + 8)
      while bits >= 6 {
        bits -= 6
        text.append(digits.byte(at: word >> bits & 63))
      }
      word &= 63
    }
    if bits > 0 { text.append(digits.byte(at: word << (6 - bits) & 63)) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text, up to the first character outside the alphabet.
  package static func bytes(_ text: RawSpan) -> [UInt8] {
    var offset = 0
    return bytes(text, from: &offset)
  }

  /// Returns the first bytes of a text; a few if it has no more.
  static func bytes(_ text: RawSpan, upTo most: Int) -> [UInt8] {
    bytes(text.part(Slice(start: 0, count: min(text.byteCount, (most * 8 + 5) / 6))))
  }

  /// Returns the bytes of a text from an offset on, up to the first character outside the alphabet,
  /// whose offset replaces that one.
  static func bytes(_ text: RawSpan, from offset: inout Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    var (word, bits) = (0, 0)
    while offset < text.byteCount, let digit = digit(text.byte(at: offset)) {
      offset += 1
      (word, bits) = ((word << 6 | digit) & 0xffff, bits + 6)
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> bits))
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x41...0x5a: Int(byte) - 0x41
    case 0x61...0x7a: Int(byte) - 0x61 + 26
    case 0x30...0x39: Int(byte) - 0x30 + 52
    case 0x2d: 62
    case 0x5f: 63
    default: nil
    }
  }
}
