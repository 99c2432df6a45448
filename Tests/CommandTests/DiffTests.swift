import Foundation
import ProgramRunner
import Testing

@Suite("diff as a command") struct DiffTests {
  private func run(_ arguments: String...) throws -> Program.Ending {
    try Program.run(["diff"] + arguments)
  }

  /// Returns a folder with two captures, and their names: titles and commands hold paths, and long
  /// ones wrap.
  private func samples() throws -> (folder: Folder, left: String, right: String) {
    let folder = try Folder()
    let names = ["heart-rate", "wristband"]
    for name in names {
      _ = try folder.write("\(name).btsnoop", CaptureBytes(contentsOf: Program.sample(name)).bytes)
    }
    return (folder, "\(names[0]).btsnoop", "\(names[1]).btsnoop")
  }

  /// Returns the document of `diff --json`.
  private func document(_ arguments: String...) throws -> [String: Any] {
    let ending = try Program.run(["diff", "--json"] + arguments)
    let document = try #require(ending.objects.first ?? nil, "\(ending.text) \(ending.errors)")
    #expect(ending.status == (document["same"] as? Bool == true ? 0 : 1), "\(arguments)")
    return document
  }

  private func list(_ document: [String: Any], _ key: String) throws -> [[String: Any]] {
    try #require(document[key] as? [[String: Any]], "no list \(key)")
  }

  /// Returns a copy of a sample capture in which bytes were replaced once.
  private func copy(
    _ name: String, _ before: [UInt8], _ after: [UInt8], in folder: Folder
  ) throws -> String {
    var bytes = try CaptureBytes(contentsOf: Program.sample(name)).bytes
    let place = try #require(bytes.firstRange(of: before), "\(name) does not contain \(before)")
    bytes.replaceSubrange(place, with: after)
    return try folder.write("changed.btsnoop", bytes)
  }

  @Test("a capture and itself: no output, status 0, and 65 if it is damaged")
  func same() throws {
    #expect(Program.smallCaptures.count >= 7)
    for capture in Program.smallCaptures {
      let file = try CaptureBytes(contentsOf: capture.path)
      let isWhole = file.ends.last == file.bytes.count
      let ending = try run(capture.path, capture.path)
      #expect(
        ending.text == "", "\(capture.lastPathComponent): expected nothing, got \(ending.text)")
      #expect(ending.status == (isWhole ? 0 : 65), "\(capture.lastPathComponent): \(ending.errors)")
    }
  }

  @Test("both ends of one connection: the same map and the same conversation")
  func twoEnds() throws {
    let peripherals = Program.captures.filter { $0.path.hasSuffix(".peripheral.btsnoop") }
    #expect(peripherals.count >= 4)
    for peripheral in peripherals {
      let central = peripheral.path.replacing(".peripheral.btsnoop", with: ".btsnoop")
      let name = peripheral.lastPathComponent
      let document = try document(central, peripheral.path)
      let pairs = try list(document, "pairs")
      #expect(pairs.map { $0["paired_by"] as? String } == ["two_ends"], "\(name)")
      for key in ["map", "operations", "first", "timing", "security"] {
        let entries = try list(document, key)
        #expect(entries.isEmpty, "\(name), \(key): expected none, got \(entries)")
      }
    }
  }

  @Test("one command's date is changed: that field, and the checksum that results")
  func field() throws {
    let folder = try Folder()
    let sample = Program.sample("wristband")
    let changed = try copy(
      "wristband", [0xa5, 0x06, 0x03, 0x0b, 0x14, 0xbf], [0xa5, 0x06, 0x03, 0x0b, 0x15, 0xbe],
      in: folder)
    let document = try document(sample, changed)
    let operations = try list(document, "operations")
    #expect(operations.count == 1, "\(operations)")
    let changes = try list(try #require(operations.first), "changes")
    #expect(changes.count == 1, "\(changes)")
    let fields = try list(try #require(changes.first), "fields")
    let reported = fields.map { field in
      ["name", "left", "right", "expected"].map { field[$0] as? String ?? "-" }.joined(
        separator: " ")
    }
    #expect(reported == ["day 20 21 -", "checksum bf ok be ok checksum"])
    for key in ["map", "security", "link", "timing", "first"] {
      #expect(try list(document, key).isEmpty, "\(key)")
    }
    let text = try run(sample, changed)
    #expect(text.status == 1)
    #expect(
      text.text.contains("packet count for 11-20?  →  packet count for 11-21?"), "\(text.text)")
    for ignored in ["day", "fff6.day", "fff6"] {
      let silent = try run("--ignore", ignored, sample, changed)
      #expect(silent.status == 0 && silent.text == "", "--ignore \(ignored): \(silent.text)")
    }
    #expect(try run("--ignore", "month", sample, changed).status == 1)
  }

  @Test("a checksum that differs alone has no cause")
  func checksum() throws {
    let folder = try Folder()
    let changed = try copy(
      "wristband", [0xa5, 0x06, 0x03, 0x0b, 0x14, 0xbf], [0xa5, 0x06, 0x03, 0x0b, 0x14, 0xbe],
      in: folder)
    let document = try document(Program.sample("wristband"), changed)
    let changes = try list(try #require(try list(document, "operations").first), "changes")
    let fields = try list(try #require(changes.first), "fields")
    #expect(fields.map { $0["name"] as? String } == ["checksum"])
    #expect(fields.first?["expected"] == nil, "\(fields)")
  }

  @Test("the first significant difference: refused on one side and allowed on the other")
  func first() throws {
    let document = try document(Program.sample("write-refused"), Program.sample("mitm-demanded"))
    let first = try #require(try list(document, "first").first, "no first difference")
    let (left, right) = (first["left"] as? [String: Any], first["right"] as? [String: Any])
    let isRefused = { (side: [String: Any]?) in
      (side?["text"] as? String)?.contains("Insufficient Authentication") ?? false
    }
    #expect(isRefused(left) != isRefused(right), "\(first)")
    let lines = try run(Program.sample("write-refused"), Program.sample("mitm-demanded")).lines
    let place = lines.firstIndex(of: "FIRST DIFFERENCE THAT MATTERS")
    let security = lines.firstIndex { $0.hasPrefix("Security") }
    #expect(try #require(place) < #require(security), "\(lines)")
  }

  @Test("the refused step comes first if one pairing succeeds and the other does not")
  func pairing() throws {
    let generated = Program.sharedCaptures.appending(path: "generated").path
    guard FileManager.default.fileExists(atPath: generated) else { return }
    let document = try document(
      "\(generated)/pair_legacy_passkey.btsnoop",
      "\(generated)/pairfail_legacy_passkey_confirm.btsnoop")
    let first = try #require(try list(document, "first").first, "no first difference")
    let sides = ["left", "right"].map { key -> String in
      let side = first[key] as? [String: Any]
      return "#\(side?["packet"] as? Int ?? 0) \(side?["text"] as? String ?? "")"
    }
    #expect(
      sides == ["#48 Pairing Random", "#48 Pairing Failed: Confirm Value Failed (0x04)"])
  }

  @Test("two connections of one capture, by number and by device")
  func connections() throws {
    let sample = Program.sample("enhanced-connection")
    let byNumber = try run("--left-connection", "1", "--right-connection", "2", sample)
    let byDevice = try run("--left-device", "Therm*", "--right-device", "F3:*", sample)
    #expect(byNumber.status == 1 && byNumber.text == byDevice.text, "\(byDevice.text)")
    #expect(try run("--left-connection", "1", "--right-connection", "1", sample).text == "")
    let none = try run("--left-connection", "9", "--right-connection", "1", sample)
    #expect(none.errors.contains("no such device or connection"), "\(none.errors)")
  }

  @Test("a saved map: equal to its own capture, and its changes")
  func savedMap() throws {
    let folder = try Folder()
    let sample = Program.sample("heart-rate")
    let map = try Program.run(["map", "--json", sample]).text
    let saved = try folder.write("map.json", [UInt8](map.utf8))
    #expect(try run(saved, saved).text == "")
    let silent = try run(sample, saved)
    #expect(silent.status == 0 && silent.text == "", "\(silent.text)")
    let other = map.replacing("41582d31", with: "41582d32")
    #expect(other != map)
    let changed = try folder.write("changed.json", [UInt8](other.utf8))
    let entries = try list(try document(sample, changed), "map")
    #expect(entries.count == 1 && entries.first?["uuid"] as? String == "2a24", "\(entries)")
    let right = entries.first?["right"] as? [String: Any]
    #expect(right?["text"] as? String == "\"AX-2\"", "\(entries)")
    let broken = try folder.write("broken.json", [UInt8]("{\"devices\":".utf8))
    #expect(try run(sample, broken).status == 65)
  }

  @Test("times: a step that takes three seconds longer is reported, and nothing else")
  func times() throws {
    let folder = try Folder()
    let sample = try CaptureBytes(contentsOf: Program.sample("wristband"))
    let file = sample.bytes
    // The time of each record from #89 on, in microseconds, at byte 16 of its header.
    var changed = file
    for start in sample.ends.dropLast().dropFirst(88) {
      var time = file[start + 16..<start + 24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      time += 3_000_000
      for place in 0..<8 {
        changed[start + 16 + place] = UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * place))
      }
    }
    let slow = try folder.write("slow.btsnoop", changed)
    let document = try document(Program.sample("wristband"), slow)
    let timing = try list(document, "timing")
    #expect(timing.count == 1 && timing.first?["what"] as? String == "step", "\(timing)")
    #expect(try list(document, "operations").isEmpty)
  }

  @Test("secrets are compared but not printed")
  func secrets() throws {
    let sample = Program.sample("secret-values")
    for arguments in [["--all"], ["--json", "--all"]] {
      let hidden = try Program.run(["diff"] + arguments + [sample, Program.sample("heart-rate")])
      #expect(hidden.text.contains("hidden"), "\(arguments)")
    }
  }

  @Test("one side from standard input; a stream gives the same output as the file")
  func stream() throws {
    let (folder, left, right) = try samples()
    let file = try Program.run(["diff", left, right], in: folder)
    let stream = try Program.run(
      ["diff", "-", right], in: folder, input: Program.sample("heart-rate"))
    #expect(stream.status == 1)
    // A stream cannot be read again, so no command to explain it is printed.
    let lines = file.lines.dropFirst(2).filter { !$0.contains("gattscope explain") }
    #expect(Array(stream.lines.dropFirst(2)) == lines)
  }

  @Test("damage has precedence over a difference, and everything before it is compared")
  func damaged() throws {
    let folder = try Folder()
    let whole = try CaptureBytes(contentsOf: Program.sample("wristband")).bytes
    let cut = try folder.write("cut.btsnoop", Array(whole.dropLast(500)))
    let ending = try run(Program.sample("wristband"), cut)
    #expect(ending.status == 65 && ending.text.contains("Conversation"), "\(ending.text)")
    #expect(ending.errors.contains("cut.btsnoop"), "\(ending.errors)")
    #expect(
      try run(Program.sample("wristband"), folder.url.appending(path: "none").path).status == 66)
  }

  /// Returns a sample without some of its records, by number, or up to a number.
  private func part(
    of name: String, without numbers: Set<Int> = [], upTo last: Int = .max, in folder: Folder
  ) throws -> String {
    let sample = try CaptureBytes(contentsOf: Program.sample(name))
    let (bytes, ends) = (sample.bytes, sample.ends)
    var kept = Array(bytes[..<ends[0]])
    for number in 1..<ends.count where number <= last && !numbers.contains(number) {
      kept += bytes[ends[number - 1]..<ends[number]]
    }
    return try folder.write("part.btsnoop", kept)
  }

  /// Returns the two sides of the first difference, such as `#45 Exchange MTU: no response`, or
  /// nil.
  private func firstSides(_ document: [String: Any]) throws -> [String]? {
    try list(document, "first").first.map { first in
      ["left", "right"].map { key in
        let side = first[key] as? [String: Any]
        return "#\(side?["packet"] as? Int ?? 0) \(side?["text"] as? String ?? "")"
      }
    }
  }

  @Test(
    "a request without a response is the first difference",
    arguments: [
      (
        "heart-rate", 47,
        ["#47 Exchange MTU: client 185, server 517", "#45 Exchange MTU: no response"]
      ),
      (
        "heart-rate", 125,
        ["#123 Discovery", "#123 Discovery: Find Information Request: no response"]
      ),
    ] as [(String, Int, [String])])
  func unanswered(sample: String, answer: Int, expected: [String]) throws {
    let folder = try Folder()
    let lacking = try part(of: sample, without: [answer], in: folder)
    let sides = try #require(try firstSides(try document(Program.sample(sample), lacking)))
    for (side, beginning) in zip(sides, expected) {
      #expect(side.hasPrefix(beginning), "expected \(expected), got \(sides)")
    }
  }

  @Test("keys that were distributed show that encryption succeeded, whatever its event says")
  func encryptionWithoutItsEvent() throws {
    let folder = try Folder()
    // #90 is the Encryption Change.
    let lacking = try part(of: "lost-subscription", without: [90], in: folder)
    let document = try document(Program.sample("lost-subscription"), lacking)
    #expect(try list(document, "first").isEmpty)
  }

  @Test("what the capture cuts off has neither succeeded nor failed")
  func cutOff() throws {
    let folder = try Folder()
    // #108 is the request for the manufacturer's name.
    let cut = try part(of: "heart-rate", upTo: 108, in: folder)
    let document = try document(Program.sample("heart-rate"), cut)
    #expect(try list(document, "first").map { $0["kind"] as? String } == ["changed"])
    let text = try run(Program.sample("heart-rate"), cut).text
    #expect(text.contains("\"Acme\"  →  no answer: the capture ends"), "\(text)")
    #expect(!text.contains("not there") && !text.contains("done"), "\(text)")
  }

  @Test("a wrong checksum on one side has no cause")
  func wrongChecksum() throws {
    let folder = try Folder()
    let changed = try copy(
      "wristband", [0xa5, 0x06, 0x03, 0x0b, 0x14, 0xbf], [0xa5, 0x06, 0x03, 0x0b, 0x15, 0xbf],
      in: folder)
    let ignoring = try run("--ignore", "day", Program.sample("wristband"), changed)
    #expect(ignoring.status == 1)
    #expect(ignoring.text.contains(", checksum bf, not be\n"), "\(ignoring.text)")
  }

  @Test("text is not compared as bytes; pairing keys are compared by name")
  func fieldsOfWords() throws {
    let folder = try Folder()
    let cut = try part(of: "heart-rate", upTo: 120, in: folder)
    for entry in try list(try document(Program.sample("heart-rate"), cut), "operations") {
      guard entry["operation"] as? String == "end" else { continue }
      for change in try list(entry, "changes") { #expect(try list(change, "fields").isEmpty) }
    }
    // The Pairing Request's keys of the initiator and the responder: LTK and IRK, now also CSRK.
    let sample = try CaptureBytes(contentsOf: Program.sample("lost-subscription")).bytes
    let start = try #require(sample.firstRange(of: [0x07, 0x00, 0x06, 0x00, 0x01])).upperBound
    let request = Array(sample[start - 1..<start + 6])
    let other = Array(request.dropLast(2)) + [request[5] | 4, request[6]]
    let changed = try copy("lost-subscription", request, other, in: folder)
    let text = try run(Program.sample("lost-subscription"), changed).text
    #expect(text.contains(/initiator keys +\S.* → .*CSRK/), "\(text)")
  }

  @Test("nothing to compare is reported, and so are missing selections: status 64")
  func nothing() throws {
    let folder = try Folder()
    let none = try part(of: "heart-rate", upTo: 10, in: folder)
    let ending = try run(none, none)
    #expect(ending.status == 0 && ending.text.isEmpty)
    #expect(ending.errors.contains("there is nothing to compare"), "\(ending.errors)")
    let (left, right) = (Program.sample("heart-rate"), Program.sample("wristband"))
    for option in ["--left-connection", "--right-connection"] {
      let missing = try run(option, "9", left, right)
      #expect(missing.status == 64 && missing.text.isEmpty, "\(missing.text)")
      #expect(missing.errors.contains("no such device or connection"), "\(missing.errors)")
    }
  }

  @Test("a saved map has no connections, and is complete") func mapSides() throws {
    let folder = try Folder()
    let sample = Program.sample("heart-rate")
    let map = try Program.run(["map", "--json", sample])
    try folder.write("map.json", map.output)
    let connection = try run("--left-connection", "1", folder.path("map.json"), sample)
    #expect(connection.status == 64)
    #expect(connection.errors.contains("is a saved map: it has no connections"))
    let device = try run("--left-device", "Nobody", folder.path("map.json"), sample)
    #expect(device.status == 64)
    #expect(device.errors.contains("is a saved map and has no such device"), "\(device.errors)")
    try folder.write("cut.json", Array(map.output.prefix(700)))
    let cut = try run(folder.path("cut.json"), sample)
    #expect(cut.status == 65)
    #expect(cut.errors.contains("cut.json ends early, at byte 700"), "\(cut.errors)")
  }

  @Test("an MTU known only as a minimum does not contradict a larger one")
  func leastMTU() throws {
    let sample = Program.sample("wristband")
    let document = try document(sample, sample.replacing(".btsnoop", with: ".pcapng"))
    #expect(try list(document, "link").isEmpty, "23, and 23 or more")
  }

  /// Returns a capture of one connection on which values of handle 3 are notified at these times,
  /// by this host or the peer.
  private func notifications(
    _ values: [(microseconds: Int64, isSent: Bool, value: [UInt8])], _ name: String,
    in folder: Folder
  ) throws -> String {
    var capture = CaptureBytes()
    // LE Connection Complete: handle 0x0040, central, F1:11:11:11:11:11, random, 30 ms, latency 0,
    // 5 s.
    capture.record(
      [0x04, 0x3e, 0x13, 1, 0, 0x40, 0, 0, 1, 0x11, 0x11, 0x11, 0x11, 0x11, 0xf1, 0x18, 0]
        + [0, 0, 0xf4, 1, 0],
      flags: 3)
    for (microseconds, isSent, value) in values {
      let length = UInt8(value.count + 3)
      capture.record(
        [0x02, 0x40, 0x20, length + 4, 0, length, 0, 4, 0, 0x1b, 3, 0] + value,
        flags: isSent ? 0 : 1, microseconds: microseconds)
    }
    return try folder.write(name, capture.bytes)
  }

  @Test("an ignored byte is ignored in any number of values", arguments: [1000, 1001, 2500])
  func ignoredInMany(count: Int) throws {
    let folder = try Folder()
    let sides = try [UInt8(1), 2].map { byte in
      try notifications(
        (0..<count).map { (Int64($0) * 1000, false, [UInt8($0 % 7), 0, byte, 9]) },
        "\(byte).btsnoop", in: folder)
    }
    let ignoring = try run("--ignore", "byte 3", sides[0], sides[1])
    #expect(ignoring.status == 0 && ignoring.text.isEmpty, "\(ignoring.text)")
    let other = try run("--ignore", "byte 4", sides[0], sides[1])
    #expect(other.status == 1, "another byte")
    let document = try document(sides[0], sides[1])
    let operation = try #require(try list(document, "operations").first)
    #expect(operation["changed_values"] as? Int == count)
    #expect(try list(operation, "changes").count == min(count, 1000))
    #expect(operation["expected"] as? Bool == true, "byte 3 differs in every pair")
  }

  @Test("intervals of both sides' servers are separate, and in the same order on every run")
  func intervals() throws {
    let folder = try Folder()
    // The peer notifies every 100 ms, on the right every 300; this host every 50 ms, on the right
    // every 250.
    let sides = try [(100, 50), (300, 250)].map { peer, own in
      let received = (1...20).map { (Int64($0 * peer * 1000), false, [UInt8(1)]) }
      let sent = (1...20).map { (Int64($0 * own * 1000), true, [UInt8(2)]) }
      return try notifications(
        (received + sent).sorted { ($0.0, $0.1 ? 1 : 0) < ($1.0, $1.1 ? 1 : 0) },
        "\(peer).btsnoop", in: folder)
    }
    for _ in 0..<4 {
      let timing = try list(try document(sides[0], sides[1]), "timing")
      let reported = timing.filter { $0["what"] as? String == "interval" }.map { entry in
        let times = ["left", "right"].map {
          (entry[$0] as? [String: Any])?["time_ms"] as? Double ?? 0
        }
        return "\(entry["name"] as? String ?? "") \(Int(times[0])) \(Int(times[1]))"
      }
      #expect(
        reported == ["Notification 0x0003 by the central 50 250", "Notification 0x0003 100 300"])
    }
  }

  @Test("--stat is short, --all lists what is equal, widths are kept")
  func faces() throws {
    let (folder, left, right) = try samples()
    let stat = try Program.run(["diff", "--stat", left, right], in: folder)
    #expect(stat.status == 1 && stat.lines.count < 15, "\(stat.text)")
    let all = try Program.run(["diff", "--all", left, left], in: folder)
    #expect(all.status == 0 && all.text.contains("= Connect"), "\(all.text)")
    let ascii = try Program.run(["diff", "--ascii", "--width", "60", left, right], in: folder)
    #expect(ascii.output.allSatisfy { $0 < 0x80 })
  }

  @Test("usage: two captures, or one and a selection")
  func usage() throws {
    let sample = Program.sample("heart-rate")
    for arguments in [
      [], [sample], [sample, sample, sample], ["--left-connection", "1", sample], ["-", "-"],
      ["--stat", "--json", sample, sample], ["--left-connection", "x", sample, sample],
    ] {
      let ending = try Program.run(["diff"] + arguments)
      #expect(ending.status == 64, "\(arguments): \(ending.status)")
      #expect(ending.output.isEmpty && ending.errors.hasPrefix("Error: "), "\(ending.errors)")
    }
  }
}
