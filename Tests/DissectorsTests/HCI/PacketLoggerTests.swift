// PacketLogger records that are not packets. Layouts: Wireshark, packetlogger.c.

import Bytes
import Testing

@testable import Dissectors

@Suite struct PacketLoggerTests {
  /// Process 321, type 16, "btd", "CB", "com", "Sv", "no".
  private let line =
    hex("41 01 00 00 10 62 74 64 00 43 42 00 63 6f 6d 00 53 76 00 6e 6f")

  private func logged(_ type: UInt8, _ bytes: [UInt8], isTruncated: Bool = false) -> Dissection {
    Dissection(packetLogger: type, bytes.bytes, isTruncated: isTruncated)
  }

  private func note(_ dissection: Dissection) throws -> MonitorNote {
    guard case .note(let note) = dissection.content else {
      Issue.record("not a note: \(dissection.content)")
      throw CancellationError()
    }
    return note
  }

  private func text(_ slice: Slice?, of bytes: [UInt8]) -> String? {
    slice.map { String(decoding: bytes.bytes.part($0).array, as: UTF8.self) }
  }

  @Test func systemLog() throws {
    let dissection = logged(0xf7, line)
    #expect(problems(dissection) == [])
    let note = try note(dissection)
    #expect(note.kind == .log)
    #expect(note.recordType == .systemLog)
    #expect(text(note.identifier, of: line) == "btd")
    #expect(text(note.text, of: line) == "no")
    #expect(dissection.body.isEmpty)
    var cursor = Cursor(line.bytes)
    let parts = try SystemLogLine(parsing: &cursor)
    #expect(parts.processIdentifier == 321)
    #expect(parts.level == 16)
    #expect(
      [parts.sender, parts.subsystem, parts.category].map { text($0, of: line) }
        == ["CB", "com", "Sv"])
  }

  /// A record that is too short for its strings is a problem and is shown as bytes; one that the
  /// capture truncated is only shown as bytes.
  @Test func everyPrefixOfALine() throws {
    for count in 0..<line.count - 2 {
      let bytes = Array(line.prefix(count))
      let dissection = logged(0xf7, bytes)
      #expect(dissection.problems.count == 1, "\(count) bytes")
      #expect(dissection.problems[0].code == .tooShort)
      #expect(Int(dissection.body.count) == count)
      let note = try note(dissection)
      #expect(note.text == nil)
      let truncated = logged(0xf7, bytes, isTruncated: true)
      #expect(truncated.problems.isEmpty)
      #expect(Int(truncated.body.count) == count)
    }
  }

  @Test(arguments: [0xf8, 0xf9, 0xfa, 0xfc] as [UInt8]) func texts(type: UInt8) throws {
    let bytes = Array("a line".utf8)
    let dissection = logged(type, bytes)
    let note = try note(dissection)
    #expect(note.kind == .log && note.recordType?.rawValue == type)
    #expect(text(note.text, of: bytes) == "a line")
    #expect(dissection.body.isEmpty && dissection.problems.isEmpty)
    #expect(!dissection.isSecretNote)
  }

  /// Records with an undocumented layout are shown as bytes.
  @Test(arguments: [(0xfb, false), (0xfd, true), (0xfe, false)] as [(UInt8, Bool)])
  func bytes(type: UInt8, isSecret: Bool) throws {
    let dissection = logged(type, [1, 2, 3])
    let note = try note(dissection)
    #expect(note.kind == .log && note.text == nil)
    #expect(dissection.body == Slice(start: 0, count: 3))
    #expect(dissection.isSecretNote == isSecret)
  }

  @Test func linkManagerAndUnknown() throws {
    let lmp = logged(0x0b, [1, 2])
    let note = try note(lmp)
    #expect(note.kind == .lmp && lmp.problems.isEmpty)
    #expect(lmp.body == Slice(start: 0, count: 2))
    let unknown = logged(0x55, [9])
    #expect(problems(unknown).count == 1)
    #expect(unknown.problems[0] == Problem(.unknownRecordType, 0x55))
  }

  /// A truncated header of a link type: its bytes, and the expected size.
  @Test func incomplete() {
    let bytes: [UInt8] = [0, 0, 1]
    let dissection = Dissection(incomplete: bytes.bytes, needed: 4, isTruncated: false)
    #expect(dissection.problems[0] == Problem(.tooShort, at: 0, 4, 3))
    #expect(dissection.body == Slice(start: 0, count: 3))
    #expect(Dissection(incomplete: bytes.bytes, needed: 4, isTruncated: true).problems.isEmpty)
  }
}
