import Bytes
import Testing

@testable import Decoders

/// The object of a field in JSON: its keys depend on what the field holds, and each has one type.
@Suite("What decoded fields hold, in JSON")
struct FieldContentTests {
  /// Returns the fields of bytes in JSON.
  private func fields(_ fields: String, _ hex: String) throws -> String {
    let bytes = Decoding.bytes(hex)
    let decoded = try Decoding.decode(fields, hex).decoded
    var output = Output()
    DecodedWriter(decoded, isJSON: true)?.fields(bytes.bytes, into: &output)
    return String(decoding: output.bytes.array, as: UTF8.self)
  }

  static let quantities: [(String, String, String)] = [
    ("type: u8", "07", #"{"number":7}"#),
    ("type: u16, unit: V, scale: {divide: 100}", "4a01", #"{"number":3.3,"unit":"V"}"#),
    ("type: f32, unit: V", "0000803f", #"{"number":1,"unit":"V"}"#),
    // A code always has its number, a special value never.
    ("type: u8, values: {3: start}", "03", #"{"number":3,"word":"start"}"#),
    ("type: u8, values: {3: start}", "04", #"{"number":4}"#),
    ("type: u8, values: {3: start}, open: true", "03", #"{"number":3,"word":"start"}"#),
    ("type: u8, unit: V, special: {255: unknown}", "ff", #"{"word":"unknown"}"#),
    ("type: u8, unit: V, special: {255: unknown}", "fe", #"{"number":254,"unit":"V"}"#),
    ("type: u8, special: {255: unknown}", "ff", #"{"word":"unknown"}"#),
    ("type: u8, unit: V, values: {255: unknown}, open: true", "ff", #"{"word":"unknown"}"#),
    // Not a number (IEEE 11073).
    ("type: medfloat16, unit: V", "ff07", #"{"word":"nan"}"#),
  ]

  @Test("Quantities and codes", arguments: quantities)
  func numbers(_ field: String, _ hex: String, _ expected: String) throws {
    #expect(try fields("- {name: a, \(field)}", hex) == "{\"a\":\(expected)}")
  }

  static let identifiers: [(String, String, String)] = [
    ("type: u8, format: hex", "82", #"{"code":"0x82"}"#),
    ("type: u8, format: hex, values: {0x82: go}", "82", #"{"code":"0x82","word":"go"}"#),
    ("type: u16, values: company", "4c00", #"{"code":"0x004c"}"#),
    ("type: u32, epoch: 1970-01-01", "00000000", #"{"text":"1970-01-01T00:00:00Z"}"#),
    ("type: utf8, size: rest", "4142", #"{"text":"AB"}"#),
    ("type: text, size: rest", "4142", #"{"text":"AB"}"#),
    ("type: text, size: rest", "0102", #"{"hex":"0102"}"#),
    ("type: uuid, size: 2", "0d18", #"{"text":"180d"}"#),
    ("type: address", "665544332211", #"{"text":"11:22:33:44:55:66"}"#),
    ("type: bytes, size: 2", "0102", #"{"hex":"0102"}"#),
  ]

  @Test("Identifiers, texts and bytes", arguments: identifiers)
  func others(_ field: String, _ hex: String, _ expected: String) throws {
    #expect(try fields("- {name: a, \(field)}", hex) == "{\"a\":\(expected)}")
  }

  @Test("Bits, groups, repeated fields and what is left over")
  func structures() throws {
    let bits =
      "- {name: a, type: u8, bits: [{bit: 0, name: b}, {bits: [1, 2], name: c, values: {2: two}}]}"
    #expect(try fields(bits, "05") == #"{"b":{"flag":true},"c":{"number":2,"word":"two"}}"#)
    let group = "- {name: a, fields: [{name: b, type: u8, unit: m}]}"
    #expect(
      try fields(group, "05 06")
        == #"{"a":{"fields":{"b":{"number":5,"unit":"m"}}},"unknown":{"hex":"06"}}"#)
    let list = "- {name: a, type: u8, unit: m, repeat: rest, special: {255: none}}"
    #expect(
      try fields(list, "05 ff") == #"{"a":{"list":[{"number":5},{"word":"none"}],"unit":"m"}}"#)
    let groups = "- {name: a, repeat: rest, fields: [{name: b, type: u8, unit: m}]}"
    #expect(
      try fields(groups, "05 06")
        == #"{"a":{"list":[{"fields":{"b":{"number":5,"unit":"m"}}},"#
        + #"{"fields":{"b":{"number":6,"unit":"m"}}}]}}"#)
  }

  /// The table has the number of a code beside its word, but none beside a special value.
  @Test("Numbers of codes in tables")
  func codeNumbers() throws {
    for (field, expected) in [
      ("values: {3: start}", "3"), ("special: {3: none}", ""), ("format: hex, values: {3: go}", ""),
      ("unit: m", ""),
    ] {
      let decoded = try Decoding.decode("- {name: a, type: u8, \(field)}", "03").decoded
      var output = Output()
      DecodedWriter(decoded, isJSON: true)?.codeNumber(of: 0, into: &output)
      #expect(String(decoding: output.bytes.array, as: UTF8.self) == expected, "\(field)")
    }
  }
}
