import Testing

@testable import Bytes

/// Compares code that writes whole machine words with code that writes single bytes, at every
/// length and alignment.
@Suite struct OutputPiecesTests {

  @Test(arguments: 0...40)
  func aStringOfEachLengthIsEscapedAtEachPlace(length: Int) {
    let plain = Array("The quick brown fox jumps over the lazy dog".utf8.prefix(length))
    for (special, escaped) in [
      (0x22, "\\\""), (0x5c, "\\\\"), (0x00, "\\u0000"), (0x1f, "\\u001f"), (0x0a, "\\n"),
      (0x7f, "\\u007f"), (0xff, "\u{fffd}"),
    ] as [(UInt8, String)] {
      for place in plain.indices {
        var bytes = plain
        bytes[place] = special
        let expected =
          String(decoding: plain[..<place], as: UTF8.self) + escaped
          + String(decoding: plain[(place + 1)...], as: UTF8.self)
        let found = written { $0.jsonEscaped(bytes.bytes) }
        #expect(found == expected, "byte \(special) at \(place) of \(length)")
      }
    }
    #expect(written { $0.jsonEscaped(plain.bytes) } == String(decoding: plain, as: UTF8.self))
  }

  /// Letters of two, three and four bytes are not escaped, even across word boundaries.
  @Test(arguments: 0...16)
  func lettersOfOtherScriptsStay(before: Int) {
    let text = String(repeating: "a", count: before) + "äß→𝄞\u{2028}é"
    let expected = text.replacing("\u{2028}", with: "\\u2028")
    #expect(written { $0.jsonEscaped([UInt8](text.utf8).bytes) } == expected)
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 101, 999, 1000, 9999, 10_000, 99_999, 100_000])
  func decimalsAroundEachPower(value: UInt) {
    for number in [value, value * 1_000_003, .max - value] {
      #expect(written { $0.decimal(number) } == "\(number)")
      let digits = "\(number)"
      let padding = String(repeating: "0", count: max(0, 12 - digits.count))
      #expect(written { $0.decimal(number, digits: 12) } == padding + digits)
      #expect(
        written {
          $0.spaces(24)
          $0.put(number, endingAt: 24)
        } == String(repeating: " ", count: 24 - digits.count) + digits)
    }
  }

  @Test func countingOnInAColumnIsWritingTheNextNumber() {
    var column = Output()
    column.spaces(6)
    column.put(0, endingAt: 6)
    for number in UInt(1)...100_100 {
      column.increment(endingAt: 6)
      let found = String(decoding: column.bytes.array, as: UTF8.self)
      let digits = "\(number)"
      let expected = String(repeating: " ", count: 6 - digits.count) + digits
      guard found == expected else {
        Issue.record("\(expected) was written as \(found)")
        return
      }
    }
  }

  /// Copies each part of a buffer, which takes one move, two moves or a call, including parts that
  /// end with the buffer.
  @Test func partsOfABufferAreCopiedAtEachLength() {
    let all = (0..<1024).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }
    var source = Output()
    source.raw(all.bytes)
    for length in 0...130 {
      for start in [0, 1, 31, 500, 1024 - length] {
        var copy = Output()
        copy.byte(0xee)
        source.copy(Slice(start: start, count: length), into: &copy)
        #expect(
          copy.bytes.array == [0xee] + all[start..<start + length], "\(length) from \(start)")
      }
    }
  }

  @Test(arguments: 1...16)
  func hexadecimalOfEachWidth(digits: Int) {
    for number in [0, 0x9a, 0x0123_4567_89ab_cdef, UInt64.max, 0xf0e1_d2c3_b4a5_9687] {
      // Only the last digits of a longer number are written.
      let all = String(repeating: "0", count: 16) + String(number, radix: 16)
      #expect(written { $0.hexadecimal(number, digits: digits) } == "0x" + all.suffix(digits))
      #expect(written { $0.hexDigits(number, digits) } == all.suffix(digits))
    }
  }

  @Test(arguments: 0...13)
  func bytesInHexadecimalOfEachLength(length: Int) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 0x9f) }
    let pairs = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    #expect(written { $0.hex(bytes.bytes) } == pairs.joined())
    #expect(written { $0.hex(bytes.bytes, separator: 0x20) } == pairs.joined(separator: " "))
  }

  @Test func octetsWithColons() {
    #expect(written { $0.sixOctets(0xc0ff_ee12_3456) } == "C0:FF:EE:12:34:56")
    #expect(written { $0.sixOctets(0xabcd_0102_0a0b_0c9f) } == "01:02:0A:0B:0C:9F")
  }

  @Test func namesOfEachLength() {
    for name: StaticString in [
      "", "a", "ab", "abc", "abcd", "abcde", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno",
      "abcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnopqrstuvwxyzabcdef",
      "abcdefghijklmnopqrstuvwxyzabcdefg", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    ] {
      #expect(written { $0.text(name) } == name.description)
      #expect(written { $0.jsonWord(name) } == "\"\(name.description)\"")
    }
  }

  @Test(arguments: [
    (0, "", ""), (500_000_000, ".5", ".500000000"), (173_900_000, ".1739", ".173900000"),
    (1, ".000000001", ".000000001"), (120_000, ".00012", ".000120000"),
  ])
  func fractionsWithAndWithoutTrailingZeros(value: UInt, trimmed: String, whole: String) {
    #expect(written { $0.fraction(value, decimals: 9) } == trimmed)
    if value > 0 { #expect(written { $0.fraction(value, decimals: 9, trim: false) } == whole) }
  }

  /// A repeated key, and more keys than the cache has room for.
  @Test func keysAreWrittenTheSameAgain() {
    var keys = KeyCache(isJSON: true)
    var textKeys = KeyCache(isJSON: false)
    var output = Output()
    let names: [StaticString] = [
      "Connection_Handle", "a", "", "type",
      "a_key_that_is_longer_than_sixty_characters_and_therefore_is_never_kept",
    ]
    for round in 0..<3 {
      for name in names {
        output.clear()
        keys.write(name, isFirst: round == 1, into: &output)
        let expected = (round == 1 ? "" : ",") + "\"\(name.description.lowercased())\":"
        #expect(String(decoding: output.bytes.array, as: UTF8.self) == expected)
        output.clear()
        textKeys.write(name, into: &output)
        let expectedText = "\(name.description): "
        #expect(String(decoding: output.bytes.array, as: UTF8.self) == expectedText)
      }
    }
  }

  /// Differences at each position of a text, and texts of different lengths.
  @Test func commonBytesAreCounted() {
    func common(_ text: [UInt8], _ other: [UInt8]) -> (count: Int, isAll: Bool) {
      (text.bytes.commonCount(with: other.bytes), text.bytes.isEqual(to: other.bytes))
    }
    let text = [UInt8](repeating: 0x61, count: 19)
    for place in text.indices {
      var other = text
      other[place] = 0x62
      #expect(common(text, other) == (place, false))
      #expect(common(text, [UInt8](text.prefix(place))) == (place, false))
    }
    #expect(common(text, text) == (19, true))
    #expect(common([], []) == (0, true))
  }
}
