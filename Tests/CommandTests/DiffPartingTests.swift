import Foundation
import ProgramRunner
import Testing

@Suite("Where two sessions part, and differences in all of them") struct DiffPartingTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func document(_ arguments: String...) throws -> [String: Any] {
    let ending = try Program.run(["diff", "--json"] + arguments)
    return try #require(ending.objects.first ?? nil, "\(ending.text) \(ending.errors)")
  }

  private func list(_ document: [String: Any], _ key: String) throws -> [[String: Any]] {
    try #require(document[key] as? [[String: Any]], "no list \(key)")
  }

  /// Returns the document about two conversations that begin with the same discovery: fff6 and fff7
  /// of service fff0.
  private func difference(
    _ left: (inout Talk) -> Void, _ right: (inout Talk) -> Void
  ) throws -> [String: Any] {
    var paths: [String] = []
    for name in ["left", "right"] {
      var reported = Talk()
      reported.discover(0xfff0, 1...5, [(3, 0xfff6), (5, 0xfff7)])
      if name == "left" { left(&reported) } else { right(&reported) }
      paths.append(try folder.write("\(name).btsnoop", reported.file.bytes))
    }
    return try document(paths[0], paths[1])
  }

  /// Returns `outcome: #5 Read 2a19 | #7 Read 2a19`, or nil if the sessions do not part.
  private func first(_ document: [String: Any]) throws -> String? {
    try list(document, "first").first.map { first in
      let sides = ["left", "right"].map { key -> String in
        guard let side = first[key] as? [String: Any] else { return "nothing" }
        return "#\(side["packet"] as? Int ?? 0) \(side["text"] as? String ?? "")"
      }
      return "\(first["kind"] as? String ?? ""): \(sides.joined(separator: " | "))"
    }
  }

  // MARK: Where sessions part

  @Test("a failure on one side is compared with nothing that the other side does not try")
  func unrelated() throws {
    let document = try difference { left in
      left.read(3, [1])
      left.request(3, [2])
    } _: { right in
      right.request(5, [2], error: 5)
      right.write(5, [7])
    }
    #expect(
      try first(document)
        == "only_right_fails: nothing | #5 Write Request fff7: Insufficient Authentication (0x05)")
    let lines = try Program.run(
      ["diff", folder.path("left.btsnoop"), folder.path("right.btsnoop")]).lines
    #expect(
      lines.contains("FIRST DIFFERENCE  an operation fails that the other side does not try"),
      "\(lines)")
    #expect(lines.contains { $0.contains("only right  #5") }, "\(lines)")
  }

  @Test("a refused discovery request is compared only with the same request")
  func discovery() throws {
    let refused: [UInt8] = [1, 4, 4, 0, 5]
    let other = try difference { left in
      left.read(3, [1])
    } _: { right in
      right.att([4, 4, 0, 5, 0], isSent: true)
      right.att(refused, isSent: false)
      right.read(3, [1])
    }
    #expect(try first(other) == nil, "only one step differs, and its request differs")
    let same = try difference { left in
      left.att([4, 4, 0, 5, 0], isSent: true)
      left.att([5, 1, 4, 0, 2, 0x29], isSent: false)
    } _: { right in
      right.att([4, 4, 0, 5, 0], isSent: true)
      right.att(refused, isSent: false)
    }
    let found = try first(same)
    let reported = try #require(found)
    #expect(
      reported.hasPrefix("outcome: ") && reported.contains("Discovery: 3 requests |"), "\(reported)"
    )
    #expect(
      reported.hasSuffix("Find Information Request: Insufficient Authentication (0x05)"),
      "\(reported)")
  }

  @Test("a refused read has no message, and is compared with one that returned a message")
  func refusedRead() throws {
    let document = try difference { left in
      left.read(5, [0xa5, 0x05, 0x82, 0x55, 0x77])
    } _: { right in
      right.att([0x0a, 5, 0], isSent: true)
      right.att([1, 0x0a, 5, 0, 5], isSent: false)
    }
    let found = try first(document)
    let reported = try #require(found)
    #expect(reported.hasPrefix("outcome: #6 Read fff7"), "\(reported)")
    #expect(reported.hasSuffix("#5 Read fff7: Insufficient Authentication (0x05)"), "\(reported)")
  }

  @Test("a failed pairing, if the other side does not pair at all")
  func onePairs() throws {
    let sample = try CaptureBytes(contentsOf: Program.sample("pairing-fails"))
    // #45 is the Pairing Request.
    let before = try folder.write("before.btsnoop", Array(sample.bytes[..<sample.ends[44]]))
    let found = try first(try document(before, Program.sample("pairing-fails")))
    let reported = try #require(found)
    #expect(reported.hasPrefix("only_right: nothing | #45 Pairing Request"), "\(reported)")
  }

  @Test("attributes that differ only in position are paired, however many there are")
  func twins() throws {
    let talk = { (handle: Int) throws -> String in
      var reported = Talk()
      // In several responses, each as full as possible.
      for start in stride(from: 0, to: 320, by: 32) {
        reported.discover(
          0xfff0, 1...900, (start..<start + 32).map { (3 + 2 * $0, 0xfff6) })
      }
      reported.read(handle, [1])
      return try folder.write("\(handle).btsnoop", reported.file.bytes)
    }
    let document = try document(try talk(3 + 2 * 270), try talk(3 + 2 * 290))
    let names = try list(document, "operations").map { $0["name"] as? String ?? "" }
    #expect(
      names == ["Read fff6, 271 of 320", "Read fff6, 291 of 320"])
  }

  // MARK: Differences in every session

  /// Returns a copy of a sample in which the second byte after a PDU's opcode is changed.
  private func copy(_ name: String, changing opcode: [UInt8]) throws -> String {
    var bytes = try CaptureBytes(contentsOf: Program.sample(name)).bytes
    let place = try #require(bytes.firstRange(of: opcode)).upperBound + 1
    bytes[place] ^= 0x55
    return try folder.write("changed.btsnoop", bytes)
  }

  @Test(
    "random values of a pairing differ as expected, can be ignored, and are no difference",
    arguments: [
      (opcode: [0x11, 0, 6, 0, 4], field: "random_value"),
      (opcode: [0x11, 0, 6, 0, 3], field: "confirm_value"),
      (opcode: [0x41, 0, 6, 0, 0x0c], field: "public_key_x"),
      (opcode: [0x11, 0, 6, 0, 0x0d], field: "dhkey_check"),
    ] as [(opcode: [UInt8], field: String)])
  func random(opcode: [UInt8], field: String) throws {
    let sample = Program.sample("lost-subscription")
    let changed = try copy("lost-subscription", changing: opcode)
    let document = try document(sample, changed)
    #expect(document["same"] as? Bool == true)
    let operations = try list(document, "operations")
    #expect(operations.count == 1 && operations.first?["expected"] as? Bool == true)
    let operation = try #require(operations.first)
    let change = try list(operation, "changes").first
    let fields = try list(try #require(change), "fields")
    #expect(fields.map { $0["name"] as? String } == [field])
    #expect(fields.first?["expected"] as? String == "random")
    #expect(fields.first?["left"] as? String != fields.first?["right"] as? String)
    let text = try Program.run(["diff", "--color", "always", sample, changed])
    #expect(text.status == 0, "\(text.text)")
    let line = text.lines.last { $0.contains(field.replacing("_", with: " ")) }
    #expect(line?.contains("random") == true && line?.contains("\u{1b}[2m") == true, "\(text.text)")
    for ignored in [field, "random"] {
      let silent = try Program.run(["diff", "--ignore", ignored, sample, changed])
      #expect(silent.status == 0 && silent.text.isEmpty, "\(silent.text)")
    }
  }

  @Test("values that reveal a passkey differ, and are not printed")
  func hidden() throws {
    let changed = try copy("pairing-fails", changing: [0x11, 0, 6, 0, 3])
    let sample = Program.sample("pairing-fails")
    let bytes = try CaptureBytes(contentsOf: sample).bytes
    let start = try #require(bytes.firstRange(of: [0x11, 0, 6, 0, 3])).upperBound
    let words = bytes[start..<start + 16].map { String(UInt16($0) | 0x100, radix: 16).suffix(2) }
    for face in [["--json"], ["--all"], []] {
      let hidden = try Program.run(["diff", "--ascii"] + face + [sample, changed]).text
      #expect(hidden.contains("hidden"), "\(hidden)")
      let shown = try Program.run(
        ["diff", "--ascii", "--all", "--show-keys"] + face + [sample, changed]
      ).text
      for separator in ["", " "] {
        let value = words.joined(separator: separator)
        #expect(!hidden.contains(value), "\(hidden)")
        if separator == " " { #expect(shown.contains(value), "\(shown)") }
      }
    }
  }

  // MARK: Not compared

  @Test("what was not compared, and how to change that, is in text and JSON")
  func remarks() throws {
    func pair(_ document: [String: Any]) throws -> [String: Any] {
      let first = try list(document, "pairs").first
      return try #require(first)
    }
    func left(_ pair: [String: Any]) -> [String] {
      (pair["not_compared"] as? [[String: Any]] ?? []).compactMap { $0["what"] as? String }
    }
    let sample = Program.sample("heart-rate")
    let ends = try pair(try document(sample, Program.sample("heart-rate.peripheral")))
    #expect(left(ends) == ["timing"])
    let map = try folder.write(
      "map.json", [UInt8](try Program.run(["map", "--json", Program.sample("wristband")]).output))
    #expect(
      left(try pair(try document(sample, map))) == ["security", "link", "conversation", "timing"])
    let text = try Program.run(["diff", sample, map])
    #expect(text.text.contains("conversation, timing: not compared"), "\(text.text)")
    // Both ends in one capture share one clock.
    let both = try Program.run(
      ["convert", "--merge", sample, Program.sample("heart-rate.peripheral"), "both.pcapng"],
      in: folder)
    #expect(both.status == 0, "\(both.errors)")
    let joined = try Program.run(
      ["diff", "--json", "--left-connection", "1", "--right-connection", "2", "both.pcapng"],
      in: folder)
    let joinedPair = try pair(try #require(joined.objects.first ?? nil))
    #expect(joinedPair["paired_by"] as? String == "two_ends" && left(joinedPair).isEmpty)
    let connections = ["--left-connection", "1,2", "--right-connection", "1"]
    let lost = Program.sample("lost-subscription")
    let more = try Program.run(["diff", "--json"] + connections + [lost]).objects.first ?? nil
    let morePair = try pair(try #require(more))
    #expect(morePair["more_connections_left"] as? [Int] == [2])
    let handles = ["--left-connection", "1", "--right-connection", "2"]
    let unnamed = Program.sample("enhanced-connection")
    let bare = try Program.run(["diff", "--json"] + handles + [unnamed]).objects.first ?? nil
    let unnamedPair = try pair(try #require(bare))
    let hints = try #require(unnamedPair["hints"] as? [String])
    #expect(hints.count == 2 && hints[1].contains("--map"), "\(hints)")
    #expect(hints[0] == "compared as requested: the addresses differ")
    let bareText = try Program.run(["diff", "--width", "132"] + handles + [unnamed]).text
    for hint in hints { #expect(bareText.contains(hint)) }
    #expect(ends["hints"] == nil && ends["more_connections_left"] == nil)
  }
}
