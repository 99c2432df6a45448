// Attribute values that look like text: the line of `show` and the lines of `values` agree on them.

import Bluetooth
import Bytes
import Testing

@testable import Reports

@Suite("Values that look like text")
struct TextValueTests {
  /// Returns a link, and a discovered characteristic 0x0011 with this UUID.
  private func link(_ uuid: String) -> [TestRecord] {
    let size = uuid.split(separator: " ").count
    return [
      received("04 3e 13 01 00 40 00 00 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"),
      att("08 01 00 ff ff 03 28", .sent),
      att("09 0\(5 + size) 10 00 1a 11 00 \(uuid)", .received),
    ]
  }

  private func att(_ text: String, _ direction: Direction) -> TestRecord {
    let pdu = hex(text)
    let l2cap = [UInt8(pdu.count), 0, 4, 0] + pdu
    return TestRecord(bytes: [2, 0x40, 0, UInt8(l2cap.count), 0] + l2cap, direction: direction)
  }

  /// No profile decodes the value: a decoded value has precedence over its text.
  private static let undecoded = {
    var options = (show: ShowOptions(), values: ValuesOptions())
    options.show.profiles = nil
    options.values.profiles = nil
    return options
  }()

  /// UUID, value, and what both print.
  @Test(
    arguments: [
      ("29 2a", "41 63 6d 65", "\"Acme\""), ("29 2a", "41", "\"A\""),
      ("29 2a", "41 00 00", "\"A\""),
      ("00 2a", "c3 a4", "\"ä\""), ("00 2a", "", "(empty)"), ("00 2a", "00", "00"),
      ("00 2a", "c3", "c3"), ("f7 ff", "41 63 6d 65", "\"Acme\""),
      ("f7 ff", "41 63 6d", "41 63 6d"), ("f7 ff", "41 63 6d 65 00", "\"Acme\""),
      ("f7 ff", "41 54 0d 0a", #""AT\r\n""#), ("f7 ff", "0d 0a 4f 4b 0d 0a", #""\r\nOK\r\n""#),
      ("f7 ff", "41 63 6d 0a", #""Acm\n""#), ("f7 ff", "0d 0a 0d 0a", "0d 0a 0d 0a"),
      ("f7 ff", "7b 0a 20 22 61 22 3a 20 31 0a 7d 09", #""{\n \"a\": 1\n}\t""#),
      // A number of four bytes: 65.
      ("f7 ff", "41 00 00 00", "41 00 00 00"), ("f7 ff", "30 75 00 00", "30 75 00 00"),
      ("f7 ff", "41 63 0a 65", "41 63 0a 65"), ("19 2a", "64", "64"),
      ("f7 ff", "22 5c 1b 41 41", "22 5c 1b 41 41"), ("f7 ff", "41 22 41 41", "\"A\\\"AA\""),
    ])
  func quoted(_ uuid: String, _ value: String, _ expected: String) {
    for pdu in ["1b 11 00 \(value)", "12 11 00 \(value)"] {
      let direction: Direction = pdu.hasPrefix("1b") ? .received : .sent
      let records = link(uuid) + [att(pdu, direction)]
      let line = Rendering.text(records, Self.undecoded.show).split(separator: "\n").last ?? ""
      #expect(line.hasSuffix(expected), "\(line)")
      // The value itself is unchanged.
      let json = Rendering.json(records).split(separator: "\n").last ?? ""
      let digits = value.filter { $0 != " " }
      #expect(json.contains("\"value\":\"\(digits)\""), "\(json)")
      guard pdu.hasPrefix("1b"), expected.hasPrefix("\"") else { continue }
      var source = RecordList(records)
      var lines = ValueLines(Self.undecoded.values, .text, source.summary)
      let listed = Rendering.run(&source, &lines)
      #expect(listed.hasSuffix("\(value)  \(expected)\n"), "\(listed)")
    }
  }

  @Test("A response's value depends on its request, and lists on theirs")
  func answers() {
    func last(_ records: [TestRecord]) -> Substring {
      Rendering.text(records, Self.undecoded.show).split(separator: "\n").last ?? ""
    }
    let known = link("24 2a")
    #expect(last(known + [att("0a 11 00", .sent), att("0b 41 58", .received)]).hasSuffix("\"AX\""))
    // Read By Type of Device Name: handle 0x0003.
    let byType = [att("08 01 00 ff ff 00 2a", .sent), att("09 04 03 00 48 69", .received)]
    #expect(last(known + byType).hasSuffix("0x0003 \"Hi\""))
    // Multiple Handle Value Notification: two values, handle and length in front of each.
    let several = att("23 11 00 02 00 41 58 12 00 02 00 41 58", .received)
    #expect(last(known + [several]).contains("\"AX\", 0x0012 41 58"))
    // The attribute that is read is unknown.
    #expect(last([known[0], att("0b 41 58", .received)]).contains(" 41 58  "))
  }

  @Test("A key is hidden whether or not it looks like text")
  func keys() {
    let records = link("88 2b") + [att("1b 11 00 41 63 6d 65", .received)]
    let line = Rendering.text(records)
    #expect(line.contains("session key <hidden>") && !line.contains("Acme"), "\(line)")
  }
}
