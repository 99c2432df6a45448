import ProgramRunner
import Testing

@Suite("Values in diff") struct DiffValuesTests {
  /// Compares two captures with the same notifications except for one value.
  private func difference(
    _ values: ([UInt8], [UInt8]), uuid: Int = 0xfff1, _ options: String...
  ) throws -> Program.Ending {
    let folder = try Folder()
    let paths = try [("left", values.0), ("right", values.1)].map { name, value in
      var talk = Talk()
      talk.discover(0xfff0, 1...9, [(3, uuid), (5, 0x2a19)])
      talk.notify(3, value)
      talk.notify(5, [1])
      return try folder.write(name, talk.file.bytes)
    }
    return try Program.run(["diff"] + options + paths)
  }

  private func changed(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).drop { !$0.hasPrefix("  ~ ") }.dropFirst().prefix {
      $0.hasPrefix("    ")
    }.map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test("text is printed once, in quotes") func text() throws {
    let values = ([UInt8]("AT+A\r\n".utf8), [UInt8]("AT+BC\r\n".utf8))
    let lines = changed(try difference(values).text)
    #expect(lines == [#""AT+A\r\n" → "AT+BC\r\n""#], "\(lines)")
  }

  @Test("a decoded value is printed once, in words; --all prints fields and bytes, too")
  func decoded() throws {
    let values: ([UInt8], [UInt8]) = ([6, 72], [6, 75])
    let words = "72 bpm, contact detected → 75 bpm, contact detected"
    let lines = changed(try difference(values, uuid: 0x2a37).text)
    #expect(lines == [words], "\(lines)")
    let all = changed(try difference(values, uuid: 0x2a37, "--all").text)
    #expect(all.first == words && all.contains("06 48 → 06 4b"), "\(all)")
  }

  @Test("bytes are printed once, with marks") func bytes() throws {
    let lines = changed(try difference(([1, 2, 3], [1, 9, 3])).text)
    #expect(lines == ["01 02 03 → 01 09 03", "^^ ^^"], "\(lines)")
  }

  @Test("in JSON text has no bytes, and a step has its value once") func json() throws {
    for values: ([UInt8], [UInt8]) in [([1, 2, 3], [1, 9, 3]), ([6, 72], [6, 75])] {
      let text = try difference(values, "--json").text
      #expect(text.ranges(of: #""value":"01"#).count <= 2, "\(text)")
      #expect(!text.contains(#""text":"01 02 03""#) && !text.contains(": 01 02 03"), "\(text)")
    }
  }

  @Test("lines keep to the width", arguments: [60, 80, 100]) func width(_ width: Int) throws {
    let left = [UInt8](repeating: 1, count: 50)
    for right in [[UInt8](repeating: 2, count: 50), [UInt8]("a long text \(width) of words".utf8)] {
      let text = try difference((left, right), "--width", "\(width)").text
      // A path is one word.
      let lines = text.split(separator: "\n").filter { !$0.contains("/") }
      #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    }
  }
}
