import Foundation
import ProgramRunner
import Testing

/// Strings with which a device or a log line could attack a terminal or a JSON reader.
private let strings: [[UInt8]] = [
  Array("\u{1b}[2J\u{1b}]0;owned\u{7}".utf8),
  Array("line\r\nnext\u{b}\u{c}\u{8}\tend".utf8),
  Array("\u{202e}gnp.exe\u{2066}\u{200f}\u{200b}".utf8),
  Array("\u{9b}31mC1\u{85}\u{2028}\u{2029}".utf8),
  Array("\"quote\\back".utf8),
  [0x41, 0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf5, 0x42],
  [0xe2, 0x82], [0xf0, 0x9f, 0x92], [0x1b], [0x00, 0x1b, 0x5b, 0x33, 0x31, 0x6d],
  Array("Café 漢字 🔑".utf8),
]

@Suite("Strings from the air")
struct HostileStringTests {
  /// Returns a capture with each string as a log line, a system note, an advertised name, a
  /// controller's name and an attribute's value.
  private static func capture() -> [UInt8] {
    var file = CaptureBytes(datalink: 2001)
    for string in strings {
      let text = string.prefix(24)
      file.record([6] + [UInt8(text.count)] + text + string, flags: 0xffff_000d)
      file.record(Array(string), flags: 0xffff_000c)
      let name = Array((text + [UInt8](repeating: 0, count: 8)).prefix(8))
      file.record([0, 1, 1, 2, 3, 4, 5, 6] + name, flags: 0)
      file.record([1, 0, 0, 0, 2, 0, 1, 0x16, 0, 0, 0, 0, 0, UInt8(text.count)] + text, flags: 14)
      let data = [UInt8(text.count + 1), 0x09] + text
      let report = [0, 1, 1, 2, 3, 4, 5, 0xc6, UInt8(data.count)] + data + [0xc4]
      file.record([0x3e, UInt8(report.count + 2), 2, 1] + report, flags: 3)
      file.record([0x13, 0x0c, 248] + padded(text, 248), flags: 2)
      file.record([0x0e, 252, 1, 0x14, 0x0c, 0] + padded(text, 248), flags: 3)
      let value = [0x1b, 0x10, 0] + text
      let count = UInt8(value.count)
      file.record([1, 0x20, count + 4, 0, count, 0, 4, 0] + value, flags: 5)
    }
    return file.bytes
  }

  private static func padded(_ text: some Collection<UInt8>, _ count: Int) -> [UInt8] {
    Array((Array(text) + [UInt8](repeating: 0, count: count)).prefix(count))
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0a: false
    case 0..<0x20, 0x7f...0x9f, 0x200b...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  @Test(
    "No control character reaches the terminal",
    arguments: [["show"], ["show", "-v", "-x"], ["show", "--width", "80"], ["info"]])
  func text(_ verb: [String]) throws {
    let folder = try Folder()
    let file = try folder.write("evil\u{1b}[31m\u{202e}.btsnoop", Self.capture())
    for options in [[], ["--ascii"]] {
      let ending = try Program.run(verb + options + [file])
      #expect(ending.status == 0)
      let text = try #require(String(validating: ending.output, as: UTF8.self))
      #expect(!text.unicodeScalars.contains(where: Self.isHarmful))
      if verb == ["show"] { #expect(ending.lines.count == strings.count * 8 + 1) }
      #expect(options.isEmpty || text.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test("JSON is valid and keeps the strings")
  func json() throws {
    let folder = try Folder()
    let file = try folder.write("capture", Self.capture())
    let ending = try Program.run(["show", "--json", file])
    #expect(ending.status == 0 && ending.packets == Array(1..<strings.count * 8 + 1))
    #expect(ending.output.allSatisfy { $0 >= 0x20 || $0 == 0x0a })
    // The log lines: valid UTF-8 is unchanged.
    for (index, string) in strings.enumerated() {
      let note = ending.objects[index * 8]?["note"] as? [String: Any]
      let expected = String(validating: string, as: UTF8.self)
      guard let expected, !string.contains(0) else { continue }
      #expect(note?["text"] as? String == expected)
    }
    let info = try Program.run(["info", "--json", file])
    #expect(info.status == 0 && info.objects.first != nil)
  }
}
