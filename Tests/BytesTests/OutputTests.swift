import Bytes
import Testing

/// Returns the text that `write` adds to an empty buffer.
func written(_ write: (inout Output) -> Void) -> String {
  var output = Output()
  write(&output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

struct OutputTests {
  @Test(arguments: [
    (0, "0"), (9, "9"), (10, "10"), (-1, "-1"), (99, "99"), (100, "100"),
    (999_999_999_999_999_999, "999999999999999999"),
    (1_000_000_000_000_000_000, "1000000000000000000"),
    (Int.max, "9223372036854775807"), (Int.min, "-9223372036854775808"),
  ])
  func decimals(value: Int, text: String) {
    #expect(written { $0.decimal(value) } == text)
  }

  @Test func unsignedDecimalsAndLeadingZeros() {
    #expect(written { $0.decimal(UInt.max) } == "18446744073709551615")
    #expect(written { $0.decimal(UInt(10_000_000_000_000_000_000)) } == "10000000000000000000")
    #expect(written { $0.decimal(UInt(7), digits: 3) } == "007")
    #expect(written { $0.decimal(UInt(1234), digits: 3) } == "1234")
    #expect(written { $0.decimal(UInt(0), digits: 0) } == "0")
  }

  @Test(arguments: [
    (37_500, 3, true, "37.5"), (37_500, 3, false, "37.500"), (37_000, 3, true, "37"),
    (5, 3, true, "0.005"), (-5, 3, true, "-0.005"), (0, 3, true, "0"), (0, 2, false, "0.00"),
    (42, 0, true, "42"), (-1_000_001, 6, true, "-1.000001"),
    (Int.max, 18, true, "9.223372036854775807"), (Int.min, 18, true, "-9.223372036854775808"),
    (Int.min, 19, true, "-0.9223372036854775808"),
  ])
  func fixedPoint(value: Int, decimals: Int, trim: Bool, text: String) {
    #expect(written { $0.fixed(value, decimals: decimals, trim: trim) } == text)
  }

  @Test func hexadecimal() {
    let bytes: [UInt8] = [0xa5, 0x06, 0x00, 0xff]
    #expect(written { $0.hex(bytes.bytes) } == "a50600ff")
    #expect(written { $0.hex(bytes.bytes, separator: 0x20) } == "a5 06 00 ff")
    #expect(written { $0.hex([UInt8]().bytes, separator: 0x20) } == "")
    #expect(written { $0.hexadecimal(0x2a37, digits: 4) } == "0x2a37")
    #expect(written { $0.hexadecimal(0x1, digits: 2) } == "0x01")
    #expect(written { $0.hexadecimal(.max, digits: 16) } == "0xffffffffffffffff")
    #expect(written { $0.hexadecimal(0x1_23, digits: 2) } == "0x23")
  }

  @Test func textOfEachKind() {
    #expect(written { $0.text("Write Request") } == "Write Request")
    #expect(written { $0.string("grüße") } == "grüße")
    #expect(
      written { $0.lowercased([UInt8]("LE_Set_Random[i] Ä@Z".utf8).bytes) }
        == "le_set_random[i] Ä@z")
  }

  @Test func growsAndKeepsEverything() {
    var output = Output()
    for index in 0..<5000 { output.byte(UInt8(truncatingIfNeeded: index)) }
    let large = [UInt8](repeating: 0x41, count: 3 * Output.bufferSize + 17)
    output.raw(large.bytes)
    #expect(output.count == 5000 + large.count)
    #expect(output.bytes.byte(at: 4999) == UInt8(truncatingIfNeeded: 4999))
    #expect(output.bytes.dropping(5000).array == large)
    output.flush()
    #expect(output.count == 5000 + large.count)
    output.clear()
    #expect(output.count == 0)
    #expect(output.failure == nil)
  }
}

struct UntrustedTextTests {
  // Bytes that a device's name may contain, and what is safe to print on a terminal.
  @Test(
    arguments: [
      ([0x4a, 0x42, 0x4c], "JBL"),
      ([0x1b, 0x5b, 0x32, 0x4a], "\\x1b[2J"),  // ESC [ 2 J: clear the screen
      ([0x61, 0x0a, 0x0d, 0x09, 0x00, 0x7f], "a\\n\\r\\t\\x00\\x7f"),
      ([0x5c, 0x78, 0x31, 0x62], "\\\\x1b"),  // a backslash in the name
      ([0xc3, 0xbc], "ü"),
      ([0xc2, 0x9b], "\\u{9b}"),  // U+009B, the one-byte CSI
      ([0xe2, 0x80, 0xae, 0x41], "\\u{202e}A"),  // RIGHT-TO-LEFT OVERRIDE
      ([0xe2, 0x81, 0xa6], "\\u{2066}"),  // LEFT-TO-RIGHT ISOLATE
      ([0xe2, 0x80, 0x8b], "\\u{200b}"),  // ZERO WIDTH SPACE
      ([0xf3, 0xa0, 0x81, 0x81], "\\u{e0041}"),  // a tag character
      ([0xf0, 0x9f, 0x8e, 0xa7], "🎧"),
      ([0xff, 0xfe], "\\xff\\xfe"),  // never in UTF-8
      ([0xc3], "\\xc3"),  // cut short
      ([0xc3, 0x41], "\\xc3A"),  // continuation missing
      ([0xc0, 0xaf], "\\xc0\\xaf"),  // overlong /
      ([0xe0, 0x80, 0xaf], "\\xe0\\x80\\xaf"),  // overlong /
      ([0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"),  // a surrogate
      ([0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),  // above U+10FFFF
    ] as [([UInt8], String)])
  func printable(bytes: [UInt8], text: String) {
    #expect(written { $0.printable(bytes.bytes) } == text)
  }

  @Test(
    arguments: [
      ([0x4a, 0x42, 0x4c], "JBL"),
      ([0x22, 0x5c, 0x2f], "\\\"\\\\/"),
      ([0x0a, 0x0d, 0x09], "\\n\\r\\t"),
      ([0x00, 0x1b, 0x1f, 0x7f], "\\u0000\\u001b\\u001f\\u007f"),
      ([0xc2, 0x9b], "\\u009b"),
      ([0xe2, 0x80, 0xa8], "\\u2028"),  // LINE SEPARATOR
      ([0xe2, 0x80, 0xae, 0x41], "\\u202eA"),  // RIGHT-TO-LEFT OVERRIDE
      ([0xf3, 0xa0, 0x81, 0x81], "\\udb40\\udc41"),  // U+E0041, a tag character
      ([0xc3, 0xbc, 0xf0, 0x9f, 0x8e, 0xa7], "ü🎧"),
      ([0x61, 0xff, 0x62], "a\u{fffd}b"),
      ([0xed, 0xa0, 0x80], "\u{fffd}\u{fffd}\u{fffd}"),
    ] as [([UInt8], String)])
  func jsonEscaped(bytes: [UInt8], text: String) {
    #expect(written { $0.jsonEscaped(bytes.bytes) } == text)
  }

  /// Both escaping methods turn every pair of bytes into valid UTF-8 without control characters.
  @Test func noPairOfBytesGetsThroughRaw() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let pair = [first, second]
        for text in [
          written { $0.printable(pair.bytes) }, written { $0.jsonEscaped(pair.bytes) },
        ] where text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
          Issue.record("\(pair): \(text.debugDescription)")
        }
      }
    }
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("ü", 1), ("u\u{308}", 1), ("心率", 4), ("🎧", 2), ("ㅎ", 2), ("é€", 2),
  ])
  func columns(text: String, columns: Int) {
    #expect(Array(text.utf8).bytes.columns == columns)
  }

  @Test func aBrokenByteTakesAColumn() {
    #expect(([0xff, 0x41] as [UInt8]).bytes.columns == 2)
  }
}
