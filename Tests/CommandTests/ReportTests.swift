// report: one page to read and send.

import Foundation
import ProgramRunner
import Testing

@Suite("report") struct ReportTests {
  private static let sample = Program.sample("write-refused")

  @Test("writes a page to a file or to standard output, the same each time") func places() throws {
    let folder = try Folder()
    let out = folder.path("page.html")
    let ending = try Program.run(["report", "-o", out, Self.sample])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.text.isEmpty && ending.errors.isEmpty)
    let page = try String(contentsOf: URL(filePath: out), encoding: .utf8)
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    let other = try Program.run(["report", Self.sample])
    #expect(other.status == 0)
    #expect(other.text == page)
  }

  @Test("does not replace a file without --force, nor write to a missing folder")
  func files() throws {
    let folder = try Folder()
    let out = folder.path("page.html")
    try folder.write("page.html", [UInt8]("mine".utf8))
    let refused = try Program.run(["report", "-o", out, Self.sample])
    #expect(refused.status == 73)
    #expect(try String(contentsOf: URL(filePath: out), encoding: .utf8) == "mine")
    for _ in 0..<2 {
      let replaced = try Program.run(["report", "--force", "-o", out, Self.sample])
      #expect(replaced.status == 0 && replaced.errors == "gattscope: \(out) was replaced\n")
      #expect(try String(contentsOf: URL(filePath: out), encoding: .utf8).hasSuffix("</html>\n"))
    }
    let again = try Program.run(["report", "-o", out, Self.sample])
    #expect(again.errors.hasSuffix("replace it with --force\n"))
    let missing = try Program.run(["report", "-o", folder.path("none/page.html"), Self.sample])
    #expect(missing.status == 74, "\(missing.errors)")
    let itself = folder.path("own.btsnoop")
    try FileManager.default.copyItem(atPath: Self.sample, toPath: itself)
    #expect(try Program.run(["report", "--force", "-o", itself, itself]).status == 64)
  }

  @Test("a page is not larger than its limit, and says what was left out")
  func limit() throws {
    let folder = try Folder()
    // Connections, each with the messages of a sample, whose findings differ in each.
    let sample = try CaptureBytes(contentsOf: Self.sample).bytes
    let header = 16
    var bytes = Array(sample.prefix(header))
    while bytes.count < 4_000_000 { bytes += sample.dropFirst(header) }
    try folder.write("long.btsnoop", bytes)
    let page = folder.path("page.html")
    for limit in [500_000, 700_000, 1_000_000, 1_500_000] {
      let ending = try Program.run(
        [
          "report", "--force", "--limit", "\(limit / 1000)k", "-o", page,
          folder.path("long.btsnoop"),
        ])
      #expect(ending.status == 0, "\(ending.errors)")
      let written = try Data(contentsOf: URL(filePath: page))
      #expect(written.count <= limit, "\(written.count) bytes for a limit of \(limit)")
      #expect(written.count > limit / 2, "only \(written.count) bytes for a limit of \(limit)")
      let remark = Data("left out to keep the page below its limit".utf8)
      #expect(written.range(of: remark) != nil)
    }
  }

  @Test("a damaged capture gives a page up to the damage, and a file that is not a capture none")
  func damage() throws {
    let folder = try Folder()
    let out = folder.path("page.html")
    let bytes = try CaptureBytes(contentsOf: Self.sample).bytes
    try folder.write("cut.btsnoop", Array(bytes.prefix(5000)))
    let ending = try Program.run(["report", "-o", out, folder.path("cut.btsnoop")])
    #expect(ending.status == 65)
    let page = try String(contentsOf: URL(filePath: out), encoding: .utf8)
    let reported = try #require(ending.errors.split(separator: ": ").last)
    #expect(
      page.contains(reported.trimmingCharacters(in: .whitespacesAndNewlines)), "\(ending.errors)")
    try folder.write("notes.txt", [UInt8]("no capture".utf8))
    let none = folder.path("none.html")
    #expect(try Program.run(["report", "-o", none, folder.path("notes.txt")]).status == 65)
    #expect(try Program.run(["report", "-o", none, folder.path("missing")]).status == 66)
    #expect(!FileManager.default.fileExists(atPath: none))
  }

  @Test(
    "the fields of every packet are those of show -v, except what it answers",
    arguments: Program.captures)
  func fields(_ capture: URL) throws {
    var shown: [Int: [String]] = [:]
    var number = 0
    for line in try Program.run(["show", "-v", capture.path]).lines.dropFirst() {
      // A field has at most its offsets in the first eleven columns; a packet has its time there.
      if line.prefix(11).allSatisfy({ "0123456789– ".contains($0) }),
        line.prefix(13).hasSuffix("  ")
      {
        shown[number, default: []].append(line)
      } else if let next = line.split(separator: " ").first.flatMap({ Int($0) }) {
        number = next
      }
    }
    let page = try Program.run(["report", capture.path]).text
    let start = try #require(page.firstRange(of: "id=\"details\">"))
    let rest = page[start.upperBound...]
    let end = try #require(rest.firstRange(of: "</script>"))
    let details = try JSONSerialization.jsonObject(with: Data(rest[..<end.lowerBound].utf8))
    let parts = try #require((details as? [String: Any])?["fields"] as? [[String: Any]])
    var count = 0
    for part in parts {
      let lines = try #require(part["lines"] as? [String])
      let begins = try #require(part["begins"] as? [[Int]])
      let packets = try #require(part["n"] as? [Int])
      let first = try #require(part["b"] as? [Int])
      let others = try #require(part["x"] as? [[Int]])
      for (index, packet) in packets.enumerated() {
        let fields = (begins[first[index]] + others[index]).map { Self.shown(lines[$0]) }
        // Only the layers' own answers are left out, not those of signalling commands or of a
        // vendor's messages.
        var part = ""
        let expected = (shown[packet] ?? []).filter { line in
          let field = line.dropFirst(13)
          if !field.hasPrefix(" ") { part = String(field) }
          let isAnswer = field.hasPrefix("  request: ") || field.hasPrefix("  latency: ")
          return !isAnswer || part == "decoded"
        }
        // A page has the words of JSON with blanks.
        let spelled = [fields, expected].map { lines in
          lines.map { $0.split(separator: "_").joined(separator: " ") }
        }
        #expect(spelled[0] == spelled[1], "#\(packet)")
        count += 1
      }
    }
    #expect(count > 0 || shown.isEmpty, "no packet has fields on the page")
  }

  /// Returns a field of a page as `show -v` prints it. Its parts are separated by tabs: the place
  /// of its bytes, its depth, its name if it has one, and its value if it has one.
  private static func shown(_ field: String) -> String {
    let parts = field.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, let depth = Int(parts[1]) else { return field }
    // The remark that offsets count in a joined PDU has no offsets.
    let offsets =
      parts[0] == "joined" ? "" : parts[0].split(separator: "-").joined(separator: "–")
    let place = String(repeating: " ", count: max(0, 11 - offsets.count)) + offsets
    let value = parts.count > 3 ? (parts[2].isEmpty ? "" : ": ") + parts[3] : ""
    return place + String(repeating: " ", count: 2 + 2 * depth) + parts[2] + value
  }

  @Test("--redact leaves no address, name or key of the capture") func redact() throws {
    let ending = try Program.run(["report", "--redact", Self.sample])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.errors.contains("replaced: "))
    for secret in ["F1:F1:F1:F1:F1:F1", "C0:FF:EE:C0:FF:EE", "&quot;Lock&quot;", "\\\"Lock\\\""] {
      #expect(!ending.text.contains(secret), "\(secret) remains")
    }
    #expect(ending.text.contains("redacted: keys, addresses and names are pseudonyms"))
    let device = try Program.run(["report", "--redact", "--device", "Lock", Self.sample])
    #expect(device.status == 64)
  }

  @Test("secrets are hidden unless they are requested") func secrets() throws {
    let key = "1c7c29c1"
    let shown = try Program.run(["show", "-v", "--show-keys", Self.sample]).text
    let hidden = try Program.run(["report", Self.sample]).text
    let revealed = try Program.run(["report", "--show-keys", Self.sample]).text
    #expect(hidden.contains("&lt;hidden&gt;") || hidden.contains("\\u003chidden>"))
    #expect(revealed.count != hidden.count)
    #expect(shown.contains(key) == revealed.contains(key))
  }

  @Test("a selection narrows the page down") func selection() throws {
    let all = try Program.run(["report", Self.sample]).text
    let part = try Program.run(["report", "--layer", "att", Self.sample]).text
    #expect(all.contains("LE Set Extended Scan Enable"))
    #expect(!part.contains("LE Set Extended Scan Enable"))
    let none = try Program.run(["report", "--packets", "9999", Self.sample])
    #expect(none.status == 0)
    #expect(none.errors.contains("no packet matches the selection"))
    #expect(none.text.contains("no packet matches the selection"))
  }

  @Test(
    "invalid sizes are refused",
    arguments: ["0", "499k", "x", "5T", "-1", "99999999999999999999", "2G"])
  func sizes(_ size: String) throws {
    let ending = try Program.run(["report", "--limit", size, Self.sample])
    #expect(ending.status == 64)
    #expect(ending.errors.contains("expected a size") || size == "-1", "\(ending.errors)")
  }

  @Test("reads standard input and several captures") func inputs() throws {
    let piped = try Program.run(["report", "-"], input: Self.sample)
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(piped.text.contains("standard input"))
    let redacted = try Program.run(["report", "--redact", "-"], input: Self.sample)
    #expect(redacted.status == 0, "\(redacted.errors)")
    let two = try Program.run(["report", Program.sample("heart-rate"), Self.sample])
    #expect(two.status == 0)
    #expect(two.text.contains("heart-rate.btsnoop write-refused.btsnoop"))
  }

  @Test("diff --html names files with the same name by their folders") func sameNames() throws {
    let folder = try Folder()
    for (name, sample) in [("good", "heart-rate"), ("bad", "write-refused")] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: Program.sample(sample), toPath: folder.path("\(name)/btsnoop_hci.log"))
    }
    let paths = ["good", "bad"].map { folder.path("\($0)/btsnoop_hci.log") }
    let page = try Program.run(["diff", "--html"] + paths).text
    #expect(page.contains("<title>good/btsnoop_hci.log ↔ bad/btsnoop_hci.log"))
    #expect(!page.contains(folder.path("good")))
  }

  @Test("diff --html starts where the sides part") func diff() throws {
    let ending = try Program.run([
      "diff", "--html", Program.sample("write-refused"), Program.sample("pairing-fails"),
    ])
    #expect(ending.status == 1, "\(ending.errors)")
    #expect(ending.text.hasPrefix("<!doctype html>") && ending.text.hasSuffix("</html>\n"))
    // The side that fails comes first, by its name.
    #expect(
      ending.text.contains("pairing-fails.btsnoop fails where write-refused.btsnoop succeeds"))
    #expect(ending.text.contains("<dl><dt>pairing-fails.btsnoop</dt>"))
    #expect(!ending.text.contains(">left<") && !ending.text.contains(">right<"))
    #expect(!ending.text.contains("<script"))
    let same = try Program.run(["diff", "--html", Self.sample, Self.sample])
    #expect(same.status == 0)
    #expect(same.text.contains("Nothing differs."))
    #expect(try Program.run(["diff", "--html", "--json", Self.sample, Self.sample]).status == 64)
  }

  @Test("diff --html writes a file, as report does") func diffFile() throws {
    let folder = try Folder()
    let out = folder.path("page.html")
    let sides = [Program.sample("write-refused"), Program.sample("pairing-fails")]
    let written = try Program.run(["diff", "--html", "-o", out] + sides)
    #expect(written.status == 1 && written.text.isEmpty, "\(written.errors)")
    let page = try Program.run(["diff", "--html"] + sides).text
    #expect(try String(contentsOfFile: out, encoding: .utf8) == page)
    let refused = try Program.run(["diff", "--html", "-o", out] + sides)
    #expect(refused.status == 73 && refused.errors.contains("--force"), "\(refused.errors)")
    #expect(try Program.run(["diff", "--html", "--force", "-o", out] + sides).status == 1)
    let itself = folder.path("itself.btsnoop")
    try FileManager.default.copyItem(atPath: sides[0], toPath: itself)
    let over = ["diff", "--html", "--force", "-o", itself, itself, sides[1]]
    #expect(try Program.run(over).status == 64)
    #expect(try Program.run(["diff", "-o", folder.path("text")] + sides).status == 64)
  }

  @Test("diff --html folds the PDUs of a pairing") func diffPairing() throws {
    let page = try Program.run([
      "diff", "--html", Program.sample("pairing-all-keys"), Program.sample("mitm-demanded"),
    ]).text
    #expect(page.contains("<summary>~ 7 PDUs of pairing  random values, as always</summary>"))
  }
}
