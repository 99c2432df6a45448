import Bluetooth
import Bytes
import Testing

@testable import Decoders

/// How fields combine: bits, conditions, repeats, groups, choices, layouts, checksums, texts.
struct StructureTests {
  @Test
  func bits() throws {
    let fields = """
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: wide}
          - {bits: [1, 2], name: contact, values: {2: not_detected, 3: detected}}
          - {bits: [4, 7], name: level, signed: true}
      - {name: value, type: u8, when: "!flags.wide"}
      - {name: value, type: u16, when: flags.wide}
      """
    let narrow = try Decoding.decode(fields, "f4 05")
    #expect(
      narrow.fields == #"{"wide":false,"contact":"not_detected","level":-1,"value":5}"#)
    #expect(narrow.line == "contact not detected, level -1, value 5")
    #expect(narrow.problems == [])
    let wide = try Decoding.decode(fields, "0f 05 01")
    #expect(wide.fields == #"{"wide":true,"contact":"detected","level":0,"value":261}"#)
    #expect(wide.problems == ["reserved_bits@0"])
  }

  /// Each turn of a group begins without the numbers of the turn before; those of fields around it
  /// stay.
  @Test
  func turnsOfGroups() throws {
    let fields = """
      - {name: first, type: u8}
      - name: turn
        repeat: rest
        fields:
          - {name: kind, type: u8}
          - {name: amount, type: u8, when: kind == 1}
          - {name: last, type: u8, when: amount == 7 && first == 3}
      """
    #expect(
      try Decoding.decode(fields, "03 01 07 08 02 01 07 09 02 02").fields
        == #"{"first":3,"turn":[{"kind":1,"amount":7,"last":8},{"kind":2},{"kind":1,"amount":7,"last":9},{"kind":2},{"kind":2}]}"#
    )
  }

  /// A flag that no expression uses is named if it is set.
  @Test
  func flagsInText() throws {
    let fields = """
      - {name: flags, type: u8, bits: [{bit: 0, name: on_battery}, {bit: 1, name: charging}]}
      - {name: level, type: u8, unit: "%"}
      """
    #expect(try Decoding.decode(fields, "02 64").line == "charging, level 100 %")
    #expect(try Decoding.decode(fields, "00 64").line == "level 100 %")
    // The text of a value with only flags states that none is set.
    let flags = "- {name: flags, type: u8, bits: [{bit: 0, name: on_battery}]}"
    #expect(try Decoding.decode(flags, "00").line == "nothing set")
    #expect(try Decoding.decode(flags, "01").line == "on battery")
  }

  @Test(arguments: [
    ("a == 1 && b == 2", "01 02 09", true), ("a == 1 && b == 2", "01 03 09", false),
    ("a | b << 4 == 0x21", "01 02 09", true), ("(a + b) * 2 == 6", "01 02 09", true),
    ("a - b == -1", "01 02 09", true), ("a % 2 || !b", "02 00 09", true),
    ("~a & 1", "02 00 09", true), ("a ^ b", "05 05 09", false), ("a / b == 2", "05 02 09", true),
    ("a / 0", "05 02 09", true), ("0 && a / 0", "05 02 09", false),
    ("1 || a / 0", "05 02 09", true), ("size == 3", "01 02 09", true),
    ("remaining == 1", "01 02 09", true), ("a >= 2", "02 02 09", true),
    ("a < 2", "02 02 09", false),
    ("a != b", "01 02 09", true), ("a > b", "01 02 09", false), ("a <= 0x7f", "01 02 09", true),
    ("a >> 1 == 0b10", "05 00 09", true), ("written", "01 02 09", false),
    ("a & 0x80 == 0", "01 02 09", true),
  ])
  func conditions(_ expression: String, _ hex: String, _ isThere: Bool) throws {
    let fields = """
      - {name: a, type: u8}
      - {name: b, type: u8}
      - {name: c, type: u8, when: "\(expression)"}
      """
    let result = try Decoding.decode(fields, hex)
    #expect(result.fields.contains(#""c":9"#) == isThere)
    // If a condition is unknown, the field is assumed to be present if bytes are left, and marked
    // so.
    #expect(result.isAssumed == (expression == "a / 0"))
  }

  /// E2E-CRC of a CGM value: another characteristic's value decides, or the remaining bytes without
  /// it.
  @Test
  func otherCharacteristic() throws {
    let fields = """
      - {name: value, type: u16}
      - {name: crc, type: u16, checksum: crc16_mcrf4xx, when: "@2aa8.features.e2e_crc"}
      """
    // CRC-16/MCRF4XX of "123456789" is 0x6f91 (reveng's catalogue); of 01 02, the same code
    // computes it.
    let crc = ChecksumAlgorithm.crc16MCRF4XX.compute([0x01, 0x02].bytes)
    let hex = "0102" + String(crc & 0xff, radix: 16) + String(crc >> 8, radix: 16)
    let known = try Decoding.decode(fields, hex, DecodingContext(externals: [Known(1)]))
    #expect(known.fields == #"{"value":513,"crc":"ok"}"#)
    #expect(!known.isAssumed)
    let unknown = try Decoding.decode(fields, hex)
    #expect(unknown.fields == #"{"value":513,"crc":"ok"}"#)
    #expect(unknown.decoded.fields.last?.isAssumed == true)
    #expect(try Decoding.decode(fields, "0102").problems == [])
    let absent = try Decoding.decode(fields, hex, DecodingContext(externals: [Known(0)]))
    #expect(absent.problems == ["trailing_bytes@2"])
    let promised = try Decoding.decode(fields, "0102", DecodingContext(externals: [Known(1)]))
    #expect(promised.problems == ["missing_bytes@2"])
  }

  @Test(arguments: [
    ("repeat: rest", "01 02 03", "[1,2,3]", []), ("repeat: 2", "01 02", "[1,2]", []),
    ("repeat: rest, min: 1", "", "", ["too_few@0"]),
    ("repeat: rest, max: 2", "01 02 03", "[1,2]", ["trailing_bytes@2"]),
    ("repeat: 3", "01 02", "[1,2]", ["missing_bytes@2"]),
  ])
  func repeats(_ keys: String, _ hex: String, _ json: String, _ problems: [String]) throws {
    let result = try Decoding.decode("- {name: it, type: u8, \(keys)}", hex)
    let tail = problems == ["trailing_bytes@2"] ? #","unknown":"03""# : ""
    #expect(result.fields == (json.isEmpty ? "{}" : "{\"it\":\(json)\(tail)}"))
    #expect(result.problems == problems)
  }

  @Test
  func countedRepeat() throws {
    let fields = """
      - {name: count, type: u8, quiet: true}
      - {name: it, type: u16, scale: {decimal: -1}, unit: V, repeat: count}
      """
    let result = try Decoding.decode(fields, "02 0f00 1e00")
    #expect(result.fields == #"{"count":2,"it":[1.5,3]}"#)
    #expect(result.line == "1.5 3.0 V")
  }

  @Test
  func longListsAreCutInText() throws {
    let result = try Decoding.decode("- {name: it, type: u8, repeat: rest}", "0102030405060708090a")
    #expect(result.line == "1 2 3 4 5 6 7 8 and 2 more")
  }

  /// Records preceded by their size, which includes itself, as in CGM Measurement.
  @Test
  func sizedRecords() throws {
    let fields = """
      - name: record
        repeat: rest
        prefix: u8
        prefix_counts: whole
        fields: [{name: value, type: u16}, {name: status, type: u8, optional: true}]
        text: "{value}[ status {status}]"
      """
    let result = try Decoding.decode(fields, "03 0100  04 0200 07  06 0300 08 aabb")
    #expect(
      result.fields
        == #"{"record":[{"value":1},{"value":2,"status":7},{"value":3,"status":8,"unknown":"aabb"}]}"#
    )
    #expect(result.line == "1; 2 status 7; 3 status 8")
    #expect(result.problems == ["trailing_bytes@11"])
    // A truncated record does not hide the ones before it.
    let short = try Decoding.decode(fields, "03 0100 05 02")
    #expect(short.fields == #"{"record":[{"value":1},{"unknown":"02"}]}"#)
    #expect(short.problems.first == "missing_bytes@4")
  }

  @Test
  func choice() throws {
    let fields = """
      - {name: op, type: u8, values: {1: reset, 2: set, 6: response}}
      - choose: op
        cases:
          2: [{name: rate, type: u16, unit: Hz}]
          "3-5": [{name: operand, type: bytes}]
          6: [{name: request, type: u8}, {name: result, type: u8, values: {1: success}}]
          other: []
      """
    #expect(try Decoding.decode(fields, "01").line == "op reset")
    #expect(try Decoding.decode(fields, "02 6400").line == "op set, rate 100 Hz")
    let response = try Decoding.decode(fields, "06 02 01").fields
    #expect(response == #"{"op":"response","request":2,"result":"success"}"#)
    let operand = try Decoding.decode(fields, "04 aa").fields
    #expect(operand == #"{"op":4,"operand":"aa"}"#)
    #expect(try Decoding.decode(fields, "01 aa").problems == ["trailing_bytes@1"])
  }

  @Test
  func groupsLayoutsAndUnits() throws {
    let before = """
      structures:
        pair: [{name: x, type: i8, unit: m}, {name: y, type: i8, unit: m}]
      enumerations:
        switch: {0: off, 1: on}

      """
    let fields = """
      - {name: state, type: u8, values: switch}
      - {name: from, layout: pair}
      - {name: to, fields: [{name: x, type: u8}, {name: deep, fields: [{name: z, type: u8, unit: s}]}]}
      - {layout: pair, when: to.deep.z}
      """
    let result = try Decoding.decode(fields, "01 01ff 0203 0405", before: before)
    #expect(
      result.fields
        == #"{"state":"on","from":{"x":1,"y":-1},"to":{"x":2,"deep":{"z":3}},"x":4,"y":5}"#)
    #expect(
      result.line == "state on, from x 1 m, y -1 m, to x 2, deep 3 s, x 4 m, y 5 m")
  }

  @Test
  func layoutOfAnotherCharacteristic() throws {
    let more = """
        - uuid: "2afe"
          name: Other
          fields: [{name: a, type: u8}, {name: b, type: u8, when: a}]

      """
    let result = try Decoding.decode("- {name: inner, layout: \"2afe\"}", "01 02", more: more)
    #expect(result.fields == #"{"inner":{"a":1,"b":2}}"#)
  }

  @Test
  func checksums() throws {
    let fields = """
      - {name: head, type: u8}
      - {name: data, type: bytes, size: size - 2}
      - {name: check, type: u8, checksum: {algorithm: xor8, from: 1}}
      """
    let good = try Decoding.decode(fields, "ff 01 02 03").fields
    #expect(good == #"{"head":255,"data":"0102","check":"ok"}"#)
    let bad = try Decoding.decode(fields, "ff 01 02 04")
    #expect(bad.fields == #"{"head":255,"data":"0102","check":"bad"}"#)
    #expect(bad.problems == ["bad_checksum@3"])
    #expect(bad.decoded.problems.first?.expected == 3)
  }

  /// Each algorithm's check value, for "123456789", is from the catalogue of parametrised CRC
  /// algorithms (reveng); the sums are worked out by hand.
  @Test(arguments: [
    (ChecksumAlgorithm.xor8, UInt32(0x31)), (.sum8, 0xdd), (.sum8Negated, 0x23), (.sum16, 0x1dd),
    (.sum16Negated, 0xfe23), (.sum8Inverted, 0x22), (.sum16Inverted, 0xfe22),
    (.crc8, 0xf4), (.crc8Maxim, 0xa1), (.crc16CCITTFalse, 0x29b1), (.crc16XModem, 0x31c3),
    (.crc16Kermit, 0x2189), (.crc16MCRF4XX, 0x6f91), (.crc16ARC, 0xbb3d), (.crc16Modbus, 0x4b37),
    (.crc32, 0xcbf4_3926),
  ])
  func checkValues(_ algorithm: ChecksumAlgorithm, _ expected: UInt32) {
    let digits = [UInt8]("123456789".utf8)
    let found = algorithm.compute(digits.bytes)
    #expect(found == expected)
  }

  @Test(arguments: [
    ("{a:02}.{b:x2}", "01.0a"), ("{a} {b:n} {b}", "1 10 10 V"), ("{b:raw}", "10"),
    ("{{{a}}} [[x]]", "{1} [x]"), ("[at {c}, ]{a}", "1"), ("[a {a}[ c {c}] ]", "a 1 "),
    ("{c} and {a}", "a 1, b 10 V"),
  ])
  func texts(_ text: String, _ expected: String) throws {
    let fields = """
      - {name: a, type: u8}
      - {name: b, type: u8, unit: V}
      - {name: c, type: u8, optional: true}
      """
    let more = "    text: \"\(text)\"\n"
    #expect(try Decoding.decode(fields, "01 0a", more: more).line == expected)
  }

  /// RuuviTag 3's temperature has separate sign, whole degrees and hundredths.
  @Test
  func computed() throws {
    let fields = """
      - {name: t, type: u8, bits: [{bits: [0, 6], name: whole, quiet: true}, {bit: 7, name: negative}]}
      - {name: hundredths, type: u8, quiet: true}
      - {name: temperature, compute: "(t.whole * 100 + hundredths) * (1 - 2 * t.negative)",
         scale: {decimal: -2}, unit: °C}
      """
    let result = try Decoding.decode(fields, "8105")
    #expect(result.line == "-1.05 °C")
    #expect(
      result.fields == #"{"whole":1,"negative":true,"hundredths":5,"temperature":-1.05}"#)
  }

  /// A secret is named but never shown: not in text, JSON, unexplained bytes or problems.
  @Test
  func secrets() throws {
    let fields = """
      - {name: kind, type: u8}
      - {name: irk, type: bytes, size: 4, secret: true}
      """
    let text = Decoding.profile(fields, more: "    text: \"{irk}, {irk:n}\"\n")
    for profile in [Decoding.profile(fields), text] {
      let definition = try Decoding.definition(profile)
      for hex in ["01 c0ffee99 c0ffee99", "01 c0ffee"] {
        let bytes = Decoding.bytes(hex)
        let result = Decoding.decode(definition, bytes)
        var json = Output()
        var line = Output()
        result.decoded.writeJSON(bytes.bytes, line: &line, into: &json)
        let document = String(decoding: json.bytes.array, as: UTF8.self)
        #expect(!document.contains("c0ff") && !document.contains("c0 ff"), "\(document)")
        #expect(document.contains(#""hidden":["irk""#))
        #expect(result.line.contains("<hidden>"))
        json.clear()
        result.decoded.writeJSON(bytes.bytes, showsKeys: true, line: &line, into: &json)
        #expect(String(decoding: json.bytes.array, as: UTF8.self).contains("c0ffee"))
      }
    }
  }

  /// JSON lists the assumed fields.
  @Test
  func assumedInJSON() throws {
    let fields = """
      - {name: a, type: u8}
      - {name: b, type: u8, when: "@2aa8.x"}
      """
    let result = try Decoding.decode(fields, "0102")
    var json = Output()
    var line = Output()
    let bytes: [UInt8] = [1, 2]
    result.decoded.writeJSON(bytes.bytes, line: &line, into: &json)
    let document = String(decoding: json.bytes.array, as: UTF8.self)
    #expect(
      document
        == #"{"profile":"test","name":"Test","fields":{"a":{"number":1},"b":{"number":2}},"assumed":["b"],"text":"a 1, b 2"}"#
    )
  }

  @Test
  func quietTurnsAndEmptyGroups() throws {
    let fields = """
      - {name: keys, type: u8, repeat: 3, quiet: [0]}
      - {name: flags, type: u8, bits: [{bit: 0, name: up}]}
      - {name: source, fields: [{name: it, type: u8, quiet: [0]}]}
      """
    #expect(try Decoding.decode(fields, "040005 01 00").line == "keys 4 5, up")
    #expect(try Decoding.decode(fields, "000000 00 07").line == "source 7")
  }
}
