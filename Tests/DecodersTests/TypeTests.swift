import Bluetooth
import Testing

@testable import Decoders

/// One field of each type, and its bytes' decoding in JSON and in text.
struct TypeTests {
  /// A type's keys, bytes, JSON, text and problems, worked out by hand unless a source is given.
  struct Row: CustomTestStringConvertible, Sendable {
    var keys: String
    var hex: String
    var json: String
    var line: String
    var problems: [String] = []
    var testDescription: String { "\(keys) of \(hex)" }
  }

  static let integers: [Row] = [
    Row(keys: "type: u8", hex: "ff", json: "255", line: "255"),
    Row(keys: "type: i8", hex: "ff", json: "-1", line: "-1"),
    Row(keys: "type: u16", hex: "0102", json: "513", line: "513"),
    Row(keys: "type: u16, endian: big", hex: "0102", json: "258", line: "258"),
    Row(keys: "type: i16, endian: big", hex: "fffe", json: "-2", line: "-2"),
    Row(keys: "type: u24", hex: "010203", json: "197121", line: "197121"),
    Row(keys: "type: i24", hex: "ffff80", json: "-8323073", line: "-8323073"),
    Row(keys: "type: u32", hex: "ffffffff", json: "4294967295", line: "4294967295"),
    Row(keys: "type: i32", hex: "ffffffff", json: "-1", line: "-1"),
    Row(keys: "type: u40", hex: "0000000001", json: "4294967296", line: "4294967296"),
    Row(keys: "type: u48, endian: big", hex: "000000000102", json: "258", line: "258"),
    Row(keys: "type: i56", hex: "ffffffffffffff", json: "-1", line: "-1"),
    Row(
      keys: "type: u64", hex: "ffffffffffffffff", json: "18446744073709551615",
      line: "18446744073709551615"),
    Row(
      keys: "type: i64", hex: "0000000000000080", json: "-9223372036854775808",
      line: "-9223372036854775808"),
    Row(keys: "type: u16, format: hex", hex: "5900", json: "\"0x0059\"", line: "0x0059"),
    Row(keys: "type: bcd, size: 2", hex: "3412", json: "1234", line: "1234"),
    Row(keys: "type: bcd, size: 2, endian: big", hex: "1234", json: "1234", line: "1234"),
    Row(
      keys: "type: bcd, size: 1", hex: "1a", json: "\"1a\"", line: "1a", problems: ["bad_digit@0"]),
  ]

  static let scaled: [Row] = [
    Row(
      keys: "type: i16, scale: {decimal: -2}, unit: °C", hex: "6608", json: "21.5", line: "21.50 °C"
    ),
    Row(
      keys: "type: u16, scale: {divide: 1024}, unit: s", hex: "e602", json: "0.724609375",
      line: "0.725 s"),
    Row(keys: "type: u16, scale: {binary: -1}", hex: "0300", json: "1.5", line: "1.5"),
    Row(keys: "type: u16, scale: {binary: -6}, unit: V", hex: "c000", json: "3", line: "3.00 V"),
    Row(
      keys: "type: u16, scale: {multiply: 0.005}, unit: kg", hex: "c842", json: "85.48",
      line: "85.480 kg"),
    Row(keys: "type: u16, scale: {multiply: 5, decimal: 1}", hex: "0300", json: "150", line: "150"),
    Row(
      keys: "type: u16, scale: {add: 50000}, unit: Pa", hex: "c87d", json: "82200", line: "82200 Pa"
    ),
    Row(
      keys: "type: u8, scale: {multiply: 0.5, add: -40}, unit: °C", hex: "7b", json: "21.5",
      line: "21.5 °C"),
    Row(keys: "type: u8, scale: {divide: 3}", hex: "02", json: "0.6667", line: "0.7"),
    Row(keys: "type: i8, scale: {divide: 3}", hex: "fe", json: "-0.6667", line: "-0.7"),
    Row(keys: "type: u16, scale: {divide: 1024}, decimals: 1", hex: "0004", json: "1", line: "1.0"),
    // Time Exponential 8: 1.1^(n − 64) s.
    Row(
      keys: "type: u8, exponential: {base: 1.1, minus: 64}, unit: s", hex: "40", json: "1.0",
      line: "1.000 s"),
    Row(keys: "type: u8, exponential: {base: 2, minus: 64}", hex: "42", json: "4.0", line: "4.000"),
    Row(keys: "type: u8, exponential: {base: 2, minus: 64}", hex: "3f", json: "0.5", line: "0.500"),
    Row(
      keys: "type: u64, scale: {decimal: 18}", hex: "ffffffffffffffff",
      json: "18446744073709551615e18", line: "18446744073709551615e18"),
  ]

  static let words: [Row] = [
    Row(
      keys: "type: u8, values: {0: other, 2: left_wrist}", hex: "02", json: "\"left_wrist\"",
      line: "left wrist"),
    Row(
      keys: "type: u8, values: {0: other, 2: left_wrist}", hex: "07", json: "7", line: "7",
      problems: ["reserved_value@0"]),
    Row(
      keys: "type: u8, values: {\"0x80-0xff\": vendor}", hex: "90", json: "\"vendor\"",
      line: "vendor"),
    Row(
      keys: "type: u16, unit: m, special: {0xffff: not_known}", hex: "ffff", json: "\"not_known\"",
      line: "not known"),
    Row(
      keys: "type: u16, unit: m, special: {0xffff: not_known}", hex: "0500", json: "5", line: "5 m"),
    Row(
      keys: "type: i8, special: {-128: not_known}", hex: "80", json: "\"not_known\"",
      line: "not known"),
    Row(
      keys: "type: i8, special: {0x80: not_known}", hex: "80", json: "\"not_known\"",
      line: "not known"),
    Row(
      keys: "type: u8, range: [1, 12]", hex: "0d", json: "13", line: "13",
      problems: ["out_of_range@0"]),
    Row(keys: "type: u8, range: [1, 12]", hex: "0c", json: "12", line: "12"),
    Row(
      keys: "type: u8, equals: 2", hex: "03", json: "3", line: "3", problems: ["unexpected_value@0"]
    ),
    Row(
      keys: "type: u16, values: company", hex: "5900", json: "\"0x0059\"",
      line: "0x0059 Nordic Semiconductor ASA"),
    Row(
      keys: "type: u16, values: uuid", hex: "0d18", json: "\"0x180d\"", line: "0x180d Heart Rate"),
    Row(
      keys: "type: u8, values: att_error", hex: "05", json: "\"0x05\"",
      line: "0x05 Insufficient Authentication"),
    Row(
      keys: "type: u16, values: appearance", hex: "4103", json: "\"0x0341\"",
      line: "0x0341 Heart Rate Sensor: Heart Rate Belt"),
  ]

  static let floats: [Row] = [
    Row(keys: "type: f32", hex: "0000c03f", json: "1.5", line: "1.5"),
    Row(keys: "type: f32", hex: "cdcccc3d", json: "0.1", line: "0.1"),
    Row(keys: "type: f32", hex: "0000c07f", json: "\"nan\"", line: "nan"),
    Row(keys: "type: f32", hex: "000080ff", json: "\"-inf\"", line: "-inf"),
    Row(keys: "type: f64", hex: "000000000000f83f", json: "1.5", line: "1.5"),
    Row(keys: "type: f16", hex: "003e", json: "1.5", line: "1.5"),
    Row(
      keys: "type: f16", hex: "0100", json: "5.960464477539063e-08", line: "5.960464477539063e-08"),
    Row(keys: "type: f16", hex: "007c", json: "\"+inf\"", line: "+inf"),
    // IEEE 11073-20601: 36.4 as FLOAT is mantissa 364, exponent −1 (the capture heart-rate, 2a1c).
    Row(keys: "type: medfloat32, unit: °C", hex: "6c0100ff", json: "36.4", line: "36.4 °C"),
    Row(
      keys: "type: medfloat16, scale: {decimal: 5}, unit: mg/dL", hex: "5ab0", json: "90",
      line: "90 mg/dL"),
    Row(keys: "type: f32, decimals: 1", hex: "f065aa41", json: "21.299774", line: "21.3"),
    Row(keys: "type: medfloat32", hex: "6c010002", json: "36400", line: "36400"),
    Row(keys: "type: medfloat32", hex: "ffff7f00", json: "\"nan\"", line: "nan"),
    Row(keys: "type: medfloat32", hex: "00008000", json: "\"nres\"", line: "nres"),
    Row(keys: "type: medfloat32", hex: "feff7f00", json: "\"+inf\"", line: "+inf"),
    Row(keys: "type: medfloat32", hex: "02008000", json: "\"-inf\"", line: "-inf"),
    Row(keys: "type: medfloat32", hex: "01008000", json: "\"reserved\"", line: "reserved"),
    Row(keys: "type: medfloat32", hex: "ffffffff", json: "-0.1", line: "-0.1"),
    // 114 as SFLOAT is 0x0072, 11.4 is 0xf072.
    Row(keys: "type: medfloat16, unit: mmHg", hex: "7200", json: "114", line: "114 mmHg"),
    Row(keys: "type: medfloat16", hex: "72f0", json: "11.4", line: "11.4"),
    Row(keys: "type: medfloat16", hex: "7280", json: "0.00000114", line: "0.00000114"),
    Row(keys: "type: medfloat16", hex: "ff07", json: "\"nan\"", line: "nan"),
    Row(keys: "type: medfloat16", hex: "0008", json: "\"nres\"", line: "nres"),
    Row(keys: "type: medfloat16", hex: "ffff", json: "-0.1", line: "-0.1"),
  ]

  static let others: [Row] = [
    Row(
      keys: "type: bytes", hex: String(repeating: "ab", count: 33),
      json: "\"" + String(repeating: "ab", count: 33) + "\"",
      line: String(repeating: "ab ", count: 20) + "… (33 bytes)"),
    Row(keys: "type: utf8", hex: "41636d65", json: "\"Acme\"", line: "\"Acme\""),
    Row(
      keys: "type: utf8", hex: "41ff", json: "\"A\u{fffd}\"", line: "\"A\\xff\"",
      problems: ["bad_text@0"]),
    Row(keys: "type: utf8", hex: "1b5b", json: "\"\\u001b[\"", line: "\"\\x1b[\""),
    Row(keys: "type: utf8", hex: "", json: "\"\"", line: "\"\""),
    Row(keys: "type: utf8, terminator: \"00\"", hex: "4100", json: "\"A\"", line: "\"A\""),
    Row(keys: "type: utf8, size: 2", hex: "4142", json: "\"AB\"", line: "\"AB\""),
    Row(keys: "type: utf8, prefix: u8", hex: "024142", json: "\"AB\"", line: "\"AB\""),
    Row(keys: "type: utf16", hex: "4100e900", json: "\"Aé\"", line: "\"Aé\""),
    Row(keys: "type: utf16, endian: big", hex: "0041", json: "\"A\"", line: "\"A\""),
    Row(keys: "type: text", hex: "4f4b0d0a", json: #""OK\r\n""#, line: #""OK\r\n""#),
    Row(
      keys: "type: text", hex: "a506030b14bf", json: #""a506030b14bf""#, line: "a5 06 03 0b 14 bf"),
    Row(
      keys: "type: utf8, expand: {0x00: \".com/\", 0x07: .com}", hex: "676f6f07",
      json: #""goo.com""#, line: #""goo.com""#),
    Row(
      keys: "type: address, special: {0xffffffffffff: not_available}", hex: "ffffffffffff",
      json: #""not_available""#, line: "not available"),
    Row(keys: "type: bytes", hex: "0102", json: "\"0102\"", line: "01 02"),
    Row(
      keys: "type: bytes, prefix: u16, endian: big, prefix_counts: whole", hex: "0003ff",
      json: "\"ff\"", line: "ff"),
    Row(
      keys: "type: bytes, size: 2, equals: \"02 15\"", hex: "0216", json: "\"0216\"", line: "02 16",
      problems: ["unexpected_value@0"]),
    Row(keys: "type: uuid, size: 2", hex: "0d18", json: "\"180d\"", line: "180d Heart Rate"),
    Row(
      keys: "type: uuid, size: 16, endian: big", hex: "6e400001b5a3f393e0a9e50e24dcca9e",
      json: "\"6e400001-b5a3-f393-e0a9-e50e24dcca9e\"", line: "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    ),
    Row(
      keys: "type: uuid", hex: "9ecadc240ee5a9e093f3a3b50100406e",
      json: "\"6e400001-b5a3-f393-e0a9-e50e24dcca9e\"", line: "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    ),
    Row(
      keys: "type: address", hex: "563412eeffc0", json: "\"C0:FF:EE:12:34:56\"",
      line: "C0:FF:EE:12:34:56"),
    Row(
      keys: "type: datetime", hex: "e8070b0d102a08", json: "\"2024-11-13T16:42:08\"",
      line: "2024-11-13 16:42:08"),
    Row(
      keys: "type: datetime", hex: "00000b00102a08", json: "\"????-11-??T16:42:08\"",
      line: "????-11-?? 16:42:08"),
    Row(
      keys: "type: u32, epoch: \"1970-01-01\"", hex: "00f15365", json: "\"2023-11-14T22:13:20Z\"",
      line: "2023-11-14 22:13:20"),
    Row(
      keys: "type: u24, epoch: \"1970-01-01\", unit: d", hex: "db4c00", json: "\"2023-11-14\"",
      line: "2023-11-14"),
    Row(
      keys: "type: u48, epoch: \"2000-01-01\", unit: ms", hex: "010000000000",
      json: "\"2000-01-01T00:00:00.001Z\"", line: "2000-01-01 00:00:00.001"),
  ]

  @Test(arguments: integers + scaled + words + floats + others)
  func value(_ row: Row) throws {
    let result = try Decoding.decode("- {name: it, \(row.keys)}", row.hex)
    #expect(result.fields == "{\"it\":\(row.json)}")
    #expect(result.line == row.line)
    #expect(result.problems == row.problems)
  }

  /// A truncated value is a problem at its first byte; text and bytes show what is there.
  @Test(arguments: [
    ("type: u16", "01", "{\"unknown\":\"01\"}", ["missing_bytes@0"]),
    ("type: medfloat32", "0102", "{\"unknown\":\"0102\"}", ["missing_bytes@0"]),
    ("type: datetime", "", "{}", ["missing_bytes@0"]),
    // Month 13; 30 February of any year; 29 February of a common year, of a leap year, of an
    // unknown year; hour 24; minute 60; second 60.
    ("type: datetime", "e8070d01000000", "{\"it\":\"2024-13-01T00:00:00\"}", ["out_of_range@0"]),
    ("type: datetime", "0000021e000000", "{\"it\":\"????-02-30T00:00:00\"}", ["out_of_range@0"]),
    ("type: datetime", "e907021d000000", "{\"it\":\"2025-02-29T00:00:00\"}", ["out_of_range@0"]),
    ("type: datetime", "e807021d000000", "{\"it\":\"2024-02-29T00:00:00\"}", []),
    ("type: datetime", "0000021d000000", "{\"it\":\"????-02-29T00:00:00\"}", []),
    ("type: datetime", "e8070b0dff0000", "{\"it\":\"2024-11-13T255:00:00\"}", ["out_of_range@0"]),
    ("type: datetime", "e8070b0d003c00", "{\"it\":\"2024-11-13T00:60:00\"}", ["out_of_range@0"]),
    ("type: datetime", "e8070b0d00003c", "{\"it\":\"2024-11-13T00:00:60\"}", ["out_of_range@0"]),
    ("type: utf8, size: 4", "4142", "{\"it\":\"AB\"}", ["missing_bytes@0"]),
    ("type: bytes, prefix: u8", "0301", "{\"it\":\"01\"}", ["missing_bytes@1"]),
    ("type: u8", "0102", "{\"it\":1,\"unknown\":\"02\"}", ["trailing_bytes@1"]),
  ])
  func wrongSize(_ keys: String, _ hex: String, _ json: String, _ problems: [String]) throws {
    let result = try Decoding.decode("- {name: it, \(keys)}", hex)
    #expect(result.fields == json)
    #expect(result.problems == problems)
  }
}
