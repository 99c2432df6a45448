import Testing

@testable import Decoders
@testable import ProfileFiles

/// Profiles that look valid but cannot mean what they state.
struct RefusalTests {
  /// Fields, the first in line 6.
  @Test(arguments: [
    (
      "- {name: a, type: bytes, size: -1}",
      "test.yaml:6: characteristics.fields.size: expected a number from 0, found `-1`"
    ),
    (
      "- {name: a, size: -3, fields: []}",
      "test.yaml:6: characteristics.fields.size: expected a number from 0, found `-3`"
    ),
    (
      "- {name: a, type: u8, repeat: -2}",
      "test.yaml:6: characteristics.fields.repeat: expected a number from 0, found `-2`"
    ),
    (
      "- {name: a, type: utf8}\n- {name: b, type: u8}",
      "test.yaml:7: characteristics.fields: nothing can follow `a` of line 6, which uses all remaining bytes; it needs one of the keys size, prefix, terminator"
    ),
    (
      "- {name: g, fields: [{name: a, type: bytes, size: rest}]}\n- {name: b, type: u8}",
      "test.yaml:7: characteristics.fields: nothing can follow `a` of line 6, which uses all remaining bytes; it needs one of the keys size, prefix, terminator"
    ),
    (
      "- {name: a, type: u16, repeat: rest}\n- {name: b, type: u8}",
      "test.yaml:7: characteristics.fields: nothing can follow `a` of line 6, which uses all remaining bytes; it needs a number for repeat, or max"
    ),
    (
      "- {name: a, repeat: rest, min: 1, fields: [{name: c, type: u8}]}\n- {name: b, type: u8}",
      "test.yaml:7: characteristics.fields: nothing can follow `a` of line 6, which uses all remaining bytes; it needs a number for repeat, or max"
    ),
    (
      "- {name: f, type: u8}\n- {name: a, type: u8, when: f, repeat: rest}\n- {name: b, type: u8, when: f}",
      "test.yaml:8: characteristics.fields: nothing can follow `a` of line 7, which uses all remaining bytes; it needs a number for repeat, or max"
    ),
    (
      "- {name: a, type: u8, values: {0: off, \"0-3\": on}}",
      "test.yaml:6: characteristics.fields.values: `0-3` has a number that `off` has"
    ),
    (
      "- {name: a, type: u8, values: {\"0-3\": off, \"2-5\": on}}",
      "test.yaml:6: characteristics.fields.values: `2-5` has a number that `off` has"
    ),
    (
      "- {name: a, type: u8, values: {0: off, 0x00: on}}",
      "test.yaml:6: characteristics.fields.values: `0x00` has a number that `off` has"
    ),
    (
      "- {name: a, type: i8, special: {-128: off, 0x80: on}}",
      "test.yaml:6: characteristics.fields.special: `0x80` has a number that `off` has"
    ),
    (
      "- choose: size\n  cases: {\"1-3\": [], 2: [{name: a, type: u8}]}",
      "test.yaml:7: characteristics.fields.cases: the case `2` is never used: earlier cases contain all of its numbers"
    ),
  ])
  func field(_ fields: String, _ expected: String) {
    let found = Decoding.read(Decoding.profile(fields)).errors.map(\.description)
    #expect(found == [expected], "expected \(expected), got \(found)")
  }

  /// A field that takes all bytes of a sized group, or is in another case, has no fields after it.
  @Test(arguments: [
    "- {name: g, size: 2, fields: [{name: a, type: utf8}]}\n- {name: b, type: u8}",
    "- {name: a, type: utf8, terminator: \"00\"}\n- {name: b, type: u8}",
    "- {name: f, type: u8}\n- {name: a, type: utf8, when: f}\n- {name: b, type: u8, when: \"!f\"}",
    "- choose: size\n  cases: {1: [{name: a, type: bytes}], other: [{name: b, type: u8}]}",
    "- {name: a, type: utf8}\n- {name: b, compute: size}",
    "- {name: f, type: u8}\n- {name: a, type: u8, when: f & 1, repeat: rest}\n- {name: b, type: u8, when: f & 2, repeat: rest}",
    "- {name: a, type: u8, repeat: rest, max: 3}\n- {name: b, type: u8}",
    "- {name: g, size: 2, fields: [{name: a, type: u8, repeat: rest}]}\n- {name: b, type: u8}",
    "- {name: f, type: u8, bits: [{bit: 0, name: size}]}\n- {name: command, type: u8, when: f.size}",
    "- choose: size\n  cases: {2: [{name: a, type: u8}], \"1-3\": [{name: b, type: u8}]}",
    "- {name: a, type: utf8}\n- {name: b, type: u8, when: remaining >= 1}",
  ])
  func behind(_ fields: String) {
    let found = Decoding.read(Decoding.profile(fields)).errors.map(\.description)
    #expect(found == [], "expected no errors, got \(found)")
  }

  /// A frame in line 3 and a message in line 4.
  @Test(arguments: [
    (
      "command: {at: 0, type: u8}", "0x100",
      "test.yaml:4: messages.command: `0x100` is not a command of 1 byte, from 0 to 255"
    ),
    (
      "command: {at: 0, type: u16}", "\"0xff00-0x10000\"",
      "test.yaml:4: messages.command: `0xff00-0x10000` is not a command of 2 bytes, from 0 to 65535"
    ),
    (
      "command: {at: 0, type: u8}", "-1",
      "test.yaml:4: messages.command: `-1` is not a command of 1 byte, from 0 to 255"
    ),
    (
      "command: {at: 1, type: u8}, length: {at: 0, type: u16}", "1",
      "test.yaml:3: frame.length: byte 1 of the frame is in `length` and in `command` of line 3"
    ),
    (
      "start: \"a5\", command: {at: 0, type: u8}", "1",
      "test.yaml:3: frame.command: byte 0 of the frame is one that it begins with, by `start`"
    ),
    (
      "size: 4, command: {at: 3, type: u8}, checksum: {at: -1, algorithm: xor8}", "1",
      "test.yaml:3: frame.checksum: byte 3 of the frame is in `checksum` and in `command` of line 3"
    ),
    (
      "command: {at: 0, type: u8}, sequence: {at: -2, type: u16}, checksum: {at: -1, algorithm: xor8}",
      "1",
      "test.yaml:3: frame.checksum: byte -1 of the frame is in `checksum` and in `sequence` of line 3"
    ),
    ("start: \"a5 ??\", command: {at: 1, type: u8}", "1", ""),
  ])
  func frame(_ frame: String, _ command: String, _ expected: String) {
    let text =
      "profile: x\napplies_to: [{service: fff0}]\nframe: {\(frame)}\nmessages: [{command: \(command), name: a}]\n"
    let found = Decoding.read(text).errors.map(\.description)
    #expect(found == (expected.isEmpty ? [] : [expected]), "expected \(expected), got \(found)")
  }

  /// The text encodings of files: UTF-8, also with a byte order mark.
  @Test
  func encodings() {
    let text = Decoding.profile("- {name: a, type: u8, unit: °C}")
    let reader = Decoding.reader
    let marked = reader.read([0xef, 0xbb, 0xbf] + [UInt8](text.utf8), name: "test.yaml")
    #expect(marked.errors.map(\.description) == [])
    #expect(marked.profile?.definitions.count == 1)
    let units = [UInt16](text.utf16)
    let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    for bytes in [little, big, [0xff, 0xfe] + little, [0xfe, 0xff] + big] {
      #expect(
        reader.read(bytes, name: "test.yaml").errors.map(\.description) == [
          "test.yaml: is UTF-16 text; expected UTF-8; save it as that in an editor"
        ])
    }
    let wide = text.unicodeScalars.flatMap { scalar in
      (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
    }
    let turned = stride(from: 0, to: wide.count, by: 4).flatMap { wide[$0..<$0 + 4].reversed() }
    for bytes in [wide, turned, [0xff, 0xfe, 0, 0] + wide, [0, 0, 0xfe, 0xff] + turned] {
      #expect(
        reader.read(bytes, name: "test.yaml").errors.map(\.description) == [
          "test.yaml: is UTF-32 text; expected UTF-8; save it as that in an editor"
        ])
    }
    let zero = reader.read([UInt8]("profile: x\ntitle: a\0b\n".utf8), name: "test.yaml")
    #expect(zero.errors.map(\.description) == ["test.yaml:2: a zero byte is not text"])
  }
}
