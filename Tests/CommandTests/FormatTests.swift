import Foundation
import ProgramRunner
import Testing

@Suite("Every format, and several files as one")
struct FormatTests {
  private func run(_ arguments: String..., in folder: Folder? = nil, input: String? = nil) throws
    -> Program.Ending
  {
    try Program.run(arguments, in: folder, input: input)
  }

  private func sample(_ name: String) -> String { Program.sample(name) }

  /// Returns the summary of each packet, without packet numbers.
  private func summaries(_ ending: Program.Ending) -> [String] {
    ending.objects.compactMap { $0?["summary"] as? String }.map {
      $0.replacing(#/#\d+/#, with: "#")
    }
  }

  @Test(
    "The same session gives the same lines in every format",
    arguments: [
      ("heart-rate.pcap", "heart-rate"), ("pairing-fails.pcap", "pairing-fails"),
      ("monitor.pcap", "monitor"), ("wristband.pcapng", "wristband"),
    ])
  func sameLines(_ other: String, _ original: String) throws {
    let expected = try run("show", "--json", sample(original))
    let found = try run("show", "--json", sample(other))
    #expect(found.status == 0)
    #expect(summaries(found) == summaries(expected))
    let directions = [expected, found].map { $0.objects.map { $0?["direction"] as? String } }
    #expect(directions[0] == directions[1])
    let inferred = found.objects.count { $0?["direction_via"] as? String == "inferred" }
    #expect(
      inferred
        == (other == "pairing-fails.pcap" ? found.lines.count : other == "wristband.pcapng" ? 1 : 0)
    )
  }

  @Test("PacketLogger's packets are the session's, with its notes between them")
  func packetLogger() throws {
    let expected = try run("show", "--json", sample("write-refused"))
    let found = try run("show", "--json", sample("write-refused.pklg"))
    #expect(found.status == 0 && found.errors.isEmpty)
    let packets = found.objects.compactMap { $0?["type"] as? String == "packet" ? $0 : nil }
    #expect(
      packets.map { $0["protocol"] as? String }
        == expected.objects.map { $0?["protocol"] as? String })
    let kinds = found.objects.compactMap { ($0?["note"] as? [String: Any])?["kind"] as? String }
    #expect(kinds == ["log", "log", "log", "log", "lmp", "unknown"])
    // The configuration may hold a key.
    #expect(!found.text.contains("000102030405"))
    let shown = try run("show", "--json", "--show-keys", sample("write-refused.pklg"))
    #expect(shown.text.contains("000102030405"))
    #expect(try !run("show", "-v", "-x", sample("write-refused.pklg")).text.contains("03 04 05 06"))
    // The times of log lines are before those of the preceding packets.
    #expect(try !run("info", sample("write-refused.pklg")).text.contains("goes back"))
  }

  @Test("Comments, and packets of other interfaces")
  func pcapng() throws {
    let capture = sample("wristband.pcapng")
    let text = try run("show", "-v", "--packets", "4", capture)
    #expect(text.text.contains("comment: \"first half, “quoted”\\n\""))
    let json = try run("show", "--json", "--packets", "4", capture)
    #expect(
      json.objects.first??["comments"] as? [String]
        == Array(repeating: "first half, “quoted”\n", count: 2))
    // Reported only after reading everything.
    #expect(text.errors.isEmpty)
    let all = try run("show", capture)
    #expect(all.errors.contains("3 packets of other interfaces (Ethernet) left out\n"))
    let info = try run("info", capture)
    #expect(info.text.contains("left out     3 packets of other interfaces (Ethernet)\n"))
    #expect(info.errors.isEmpty)
    // They keep their numbers: #6 was an Ethernet packet.
    #expect(try run("show", "--json", capture).packets.prefix(7) == [1, 2, 3, 4, 5, 7, 8])
  }

  @Test(
    "Names do not matter, and pipes work as well as files",
    arguments: ["heart-rate.pcap", "wristband.pcapng", "write-refused.pklg"])
  func namesAndPipes(_ name: String) throws {
    let folder = try Folder()
    let file = try folder.write("capture.btsnoop", try CaptureBytes(contentsOf: sample(name)).bytes)
    let expected = try run("show", sample(name))
    #expect(try run("show", file).output == expected.output)
    #expect(try run("show", "-", input: file).output == expected.output)
  }

  @Test(
    "A cut anywhere gives the lines before it, and status 65 unless it falls between records",
    arguments: ["monitor.pcap", "wristband.pcapng", "enhanced-connection.pklg"])
  func cuts(_ name: String) throws {
    let bytes = try CaptureBytes(contentsOf: sample(name)).bytes
    let whole = try run("show", "--json", sample(name))
    let folder = try Folder()
    var statuses: Set<Int32> = []
    for count in stride(from: 60, to: bytes.count, by: 97) {
      let file = try folder.write("cut", Array(bytes.prefix(count)))
      let ending = try run("show", "--json", file)
      statuses.insert(ending.status)
      #expect(ending.status == 65 || ending.status == 0, "\(name), \(count) bytes")
      #expect(
        ending.output.elementsEqual(whole.output.prefix(ending.output.count)), "\(count) bytes")
      if ending.status == 65 {
        #expect(ending.errors.contains(" at byte "), "\(count) bytes: \(ending.errors)")
        #expect(ending.errors.contains("ends early"), "\(count) bytes: \(ending.errors)")
      }
    }
    #expect(statuses.contains(65))
  }

  // MARK: Several files

  /// Returns a sample capture as two files, the second of which begins with record `second`.
  private func halves(_ folder: Folder, second: Int, first last: Int) throws -> (String, String) {
    let file = try CaptureBytes(contentsOf: sample("heart-rate"))
    let head = Array(file.bytes[..<16])
    return (
      try folder.write("btsnoop_hci.log.last", Array(file.bytes[..<file.ends[last]])),
      try folder.write("btsnoop_hci.log", head + Array(file.bytes[file.ends[second - 1]...]))
    )
  }

  @Test("Two halves, in either order, equal the whole")
  func joined() throws {
    let folder = try Folder()
    let (first, second) = try halves(folder, second: 91, first: 90)
    let whole = try run("show", sample("heart-rate"))
    for arguments in [["show", first, second], [second, first]] {
      let ending = try Program.run(arguments)
      #expect(ending.status == 0 && ending.errors.isEmpty)
      let lines = ending.lines
      #expect(lines.filter { !$0.hasPrefix("file ") } == whole.lines)
      #expect(lines[1] == "file \(first)" && lines[92] == "file \(second)")
    }
    let json = try run("show", "--json", second, first)
    let files = json.objects.enumerated().compactMap { index, object in
      (object?["file"] as? String).map { "\(index + 1) \($0)" }
    }
    #expect(files == ["1 \(first)", "91 \(second)"])
  }

  @Test("info describes each file on its own; one that cannot be read does not stop the rest")
  func infoOfSeveral() throws {
    let folder = try Folder()
    let (first, second) = try halves(folder, second: 91, first: 90)
    let whole = try run("show", sample("heart-rate"))
    let missing = folder.path("missing.log")
    let json = try run("info", "--json", second, missing, first)
    #expect(json.status == 66)
    #expect(json.errors == "gattscope: \(missing): no such file or directory\n")
    let records = json.objects.map { ($0?["records"] as? [String: Any])?["total"] as? Int }
    #expect(records == [whole.lines.count - 91, 90])
    let text = try run("info", first, second)
    #expect(text.status == 0)
    let alone = try [first, second].map { try run("info", $0).text }
    #expect(text.text == alone.joined(separator: "\n"))
  }

  @Test("A page that is sent to others has no folders")
  func pages() throws {
    let folder = try Folder()
    let (first, second) = try halves(folder, second: 81, first: 90)
    let plain = try Program.run(["report", first, second]).text
    let redacted = try Program.run(["report", "--redact", first, second]).text
    for page in [plain, redacted] {
      #expect(page.contains("btsnoop_hci.log overlaps the files before it by "))
      #expect(!page.contains(folder.path("")))
    }
  }

  @Test("Overlapping records are printed once; one of the files may be standard input")
  func overlap() throws {
    let folder = try Folder()
    let (first, second) = try halves(folder, second: 81, first: 90)
    let ending = try run("show", second, first)
    #expect(ending.status == 0)
    #expect(ending.errors.contains("overlaps the files before it by "))
    #expect(ending.errors.contains("10 of its records are in those too and shown twice\n"))
    #expect(ending.errors.split(separator: "\n").count == 1)
    let piped = try run("show", first, "-", input: second)
    #expect(piped.status == 0)
    #expect(piped.lines.count == ending.lines.count && piped.text.contains("file standard input\n"))
  }

  @Test("Records that two files have are shown twice, and connections once")
  func overlapIsLearntOnce() throws {
    let folder = try Folder()
    let (first, second) = try halves(folder, second: 81, first: 90)
    let objects = try run("show", "--json", second, first).objects.compactMap(\.self)
    let whole = try run("show", "--json", sample("heart-rate")).objects.compactMap(\.self)
    let codes = objects.map { object in
      (object["problems"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }
    #expect(Array(codes[90..<100]) == Array(repeating: ["repeated_record"], count: 10))
    #expect(codes[..<90].allSatisfy(\.isEmpty) && codes[100...].allSatisfy(\.isEmpty))
    #expect(objects[90..<100].allSatisfy { $0["connection"] == nil })
    #expect(objects[90..<100].contains { $0["att"] != nil })
    // All other packets have the same summaries as with one file, but other numbers.
    func summaries(_ objects: [[String: Any]]) -> [String] {
      objects.map { object in
        let summary = object["summary"] as? String ?? ""
        return summary.replacing(/#\d+/, with: "#")
      }
    }
    #expect(summaries(Array(objects[..<90] + objects[100...])) == summaries(whole))
    let connections = objects.compactMap { ($0["connection"] as? [String: Any])?["id"] as? Int }
    #expect(Set(connections) == [1])
  }

  @Test("A damaged first file is read up to the damage, then the next one")
  func damaged() throws {
    let folder = try Folder()
    let (first, second) = try halves(folder, second: 91, first: 90)
    let bytes = try CaptureBytes(contentsOf: first).bytes
    try folder.write("btsnoop_hci.log.last", Array(bytes.dropLast(3)))
    let ending = try run("show", "--json", first, second)
    #expect(ending.status == 65)
    #expect(ending.errors.hasPrefix("gattscope: \(first): record 90 at byte "))
    let whole = try run("show", "--json", sample("heart-rate"))
    #expect(ending.lines.count == whole.lines.count - 1)
    let missing = try run("show", second, "missing", in: folder)
    #expect(missing.status == 66 && missing.output.isEmpty)
    #expect(missing.errors == "gattscope: missing: no such file or directory\n")
  }
}
