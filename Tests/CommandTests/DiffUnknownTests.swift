import ProgramRunner
import Testing

@Suite("diff: what a capture does not show") struct DiffUnknownTests {
  /// Two captures of data alone, so that only the right one shows an MTU, and neither an interval.
  @Test("is not called the same") func unknown() throws {
    let folder = try Folder()
    var (left, right) = (Talk(), Talk())
    left.request(5, [1])
    right.att([0x02, 0xb9, 0], isSent: true)
    right.att([0x03, 0xb9, 0], isSent: false)
    right.request(5, [1])
    let captures = [
      try folder.write("left", left.file.bytes), try folder.write("right", right.file.bytes),
    ]
    let short = try Program.run(["diff"] + captures)
    #expect(short.text.contains("Security, link: no known difference"))
    let facts = try Program.run(["diff", "--all", "--json"] + captures).objects.first??["link"]
    let mtu = (facts as? [[String: Any]])?.first { $0["name"] as? String == "MTU" }
    #expect(mtu?["uncertain"] as? Bool == true, "\(String(describing: facts))")
    let twice = try Program.run(["diff", "--html", captures[1], captures[1]])
    #expect(twice.text.contains("No known difference."))
    let whole = try Program.run(["diff", "--all"] + captures)
    let rows = whole.text.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    #expect(rows.contains("MTU 23 or more 185"), "\(whole.text)")
    #expect(rows.contains("interval not known not known"), "\(whole.text)")
    #expect(rows.contains("method not known not known"), "\(whole.text)")
  }

  /// Writes the records of a sample that a rule keeps, by their data and whether they were sent.
  private func part(
    of name: String, in folder: Folder, _ keeps: (ArraySlice<UInt8>, _ isSent: Bool) -> Bool
  ) throws -> String {
    let sample = try CaptureBytes(contentsOf: Program.sample(name))
    var kept = Array(sample.bytes[..<sample.ends[0]])
    for (start, end) in zip(sample.ends, sample.ends.dropFirst()) {
      let isSent = sample.bytes[start + 11] & 1 == 0
      if keeps(sample.bytes[start + 24..<end], isSent) { kept += sample.bytes[start..<end] }
    }
    return try folder.write("part.btsnoop", kept)
  }

  private static let aclData: UInt8 = 2

  @Test("a capture without events, and so without roles, is the same but for the end")
  func withoutRoles() throws {
    let folder = try Folder()
    for name in ["heart-rate", "wristband", "secret-values"] {
      let data = try part(of: name, in: folder) { data, _ in data.first == Self.aclData }
      let text = try Program.run(["diff", Program.sample(name), data]).text
      #expect(text.contains("\nConversation  1 of "), "\(name): \(text)")
      #expect(text.contains("its end is not in the capture: no events"), "\(name): \(text)")
      #expect(!text.contains("FIRST DIFFERENCE"), "\(name): \(text)")
    }
  }

  @Test("a write whose answer is not in the capture has not succeeded")
  func withoutAnswers() throws {
    let folder = try Folder()
    let sent = try part(of: "heart-rate", in: folder) { data, isSent in
      isSent && data.first == Self.aclData
    }
    let document = try Program.run(["diff", "--json", Program.sample("heart-rate"), sent]).objects
    let first = try #require(document.first??["first"] as? [[String: Any]])
    // #161 of the left is refused; what the left receives is not in the right.
    #expect(first.map { $0["kind"] as? String } == ["changed"], "\(first)")
    #expect((first[0]["left"] as? [String: Any])?["packet"] as? Int == 47, "\(first)")
    let text = try Program.run(["diff", Program.sample("heart-rate"), sent]).text
    #expect(!text.contains("no answer: the capture ends"), "\(text)")
  }

  @Test("attributes without names have those of the other side, unless its types contradict that")
  func namedByOtherSide() throws {
    let folder = try Folder()
    var (left, right, other) = (Talk(), Talk(), Talk())
    left.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39)])
    left.read(3, [1])
    left.request(5, [1])
    right.read(3, [1])
    right.request(5, [1], error: 0x80)
    other.discover(0x180d, 1...9, [(3, 0x2a37)])
    other.read(3, [1])
    other.request(5, [1], error: 0x80)
    let paths = try [("left", left), ("right", right), ("other", other)].map {
      try folder.write($0.0, $0.1.file.bytes)
    }
    let text = try Program.run(["diff", "--width", "132", paths[0], paths[1]]).text
    #expect(
      text.contains(
        "2 operations on the right have only handles, named as on the other side: both are assumed to have one map"
      ), "\(text)")
    #expect(text.contains("\nFIRST DIFFERENCE THAT MATTERS\n"), "\(text)")
    let document = try Program.run(["diff", "--all", "--json", paths[1], paths[0]]).objects.first
    let operations = try #require(document??["operations"] as? [[String: Any]])
    let reads = operations.filter { $0["operation"] as? String == "read" }
    #expect(reads.map { $0["kind"] as? String } == ["same"], "\(operations)")
    #expect(reads.map { $0["uuid_via"] as? String } == ["inferred"], "\(operations)")
    let contradicted = try Program.run(["diff", paths[0], paths[2]]).text
    #expect(
      contradicted.contains("1 operation on the right has only a handle; --map"), "\(contradicted)")
    #expect(!contradicted.contains("named as on"), "\(contradicted)")
  }

  @Test("a capture that begins later, or has only one direction, is compared in what it shows")
  func parts() throws {
    let folder = try Folder()
    let whole = Program.sample("write-refused")
    // The pairing begins before the first packet, so that the refused write and its method are not
    // known.
    var count = 0
    let late = try part(of: "write-refused", in: folder) { _, _ in
      count += 1
      return count > 100
    }
    let later = try Program.run(["diff", whole, late]).text
    #expect(later.contains("nothing differs in what both captures show"), "\(later)")
    #expect(!later.contains("FIRST DIFFERENCE") && !later.contains("no pairing here"), "\(later)")
    // What the peripheral sends is compared with what the peripheral sends.
    let received = try part(of: "write-refused", in: folder) { data, isSent in
      !isSent && data.first == Self.aclData
    }
    let heard = try Program.run(["diff", "--all", "--json", whole, received]).objects
    let operations = try #require(heard.first??["operations"] as? [[String: Any]])
    let keys = operations.filter { $0["name"] as? String == "Pairing Public Key" }
    // The host's key is only on the left; the peripheral's is the same on both sides.
    #expect(keys.map { $0["kind"] as? String } == ["removed", "same"], "\(keys)")
    let refused = operations.filter { $0["kind"] as? String == "added" }.map { side in
      (side["right"] as? [String: Any])?["text"] as? String ?? ""
    }
    #expect(
      refused.contains { $0.hasSuffix("to a request that is not in the capture") }, "\(refused)")
  }

  @Test("a value that the capture cuts is equal as far as it goes") func cut() throws {
    let folder = try Folder()
    let sample = try CaptureBytes(contentsOf: Program.sample("heart-rate"))
    var file = CaptureBytes()
    for (start, end) in zip(sample.ends, sample.ends.dropFirst()) {
      let data = Array(sample.bytes[start + 24..<end])
      file.record(
        Array(data.prefix(20)), flags: UInt32(sample.bytes[start + 11]),
        original: UInt32(data.count), microseconds: Int64(start))
    }
    let path = try folder.write("cut.btsnoop", file.bytes)
    let text = try Program.run(["diff", Program.sample("heart-rate"), path]).text
    #expect(!text.contains("not there"), "\(text)")
    #expect(!text.contains("Indication"), "#152 is cut, and nothing else differs: \(text)")
  }

  @Test("data of other channels is not compared, which is said") func otherData() throws {
    let folder = try Folder()
    let other = try part(of: "channels", in: folder) { data, _ in
      // L2CAP data of channels other than the fixed ones.
      !(data.first == Self.aclData && data.count > 9 && data[data.startIndex + 7] >= 0x40)
    }
    let run = try Program.run(["diff", Program.sample("channels"), other])
    let words = "data of L2CAP channels other than ATT and pairing is not compared"
    #expect((run.text + run.errors).contains(words), "\(run.text) \(run.errors)")
  }

  @Test("the peripheral's data without roles fits the central's capture, with its map")
  func peripheralWithoutRoles() throws {
    let folder = try Folder()
    let data = try part(of: "heart-rate.peripheral", in: folder) { data, _ in
      data.first == Self.aclData
    }
    let text = try Program.run(["diff", Program.sample("heart-rate"), data]).text
    #expect(text.contains("\nConversation  1 of "), "\(text)")
    #expect(!text.contains("FIRST DIFFERENCE") && !text.contains("services"), "\(text)")
  }

  @Test("enhanced bearers carry no data that is not compared") func enhancedBearers() throws {
    let run = try Program.run([
      "diff", "--all", Program.sample("enhanced-bearers"),
      Program.sample("enhanced-bearers.peripheral"),
    ])
    #expect(!run.text.contains("L2CAP channels") && run.errors.isEmpty, "\(run.text) \(run.errors)")
  }

  @Test("a map whose properties do not allow what was done names nothing") func misfit() throws {
    let folder = try Folder()
    var (left, right) = (Talk(), Talk())
    left.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39)])
    left.read(3, [1])
    // There is no attribute 8 in the other map.
    right.read(8, [1])
    right.read(3, [1])
    let paths = [
      try folder.write("left", left.file.bytes), try folder.write("right", right.file.bytes),
    ]
    let text = try Program.run(["diff"] + paths).text
    #expect(text.contains("2 operations on the right have only handles; --map"), "\(text)")
  }

  @Test("with events and one direction of data, nothing is said not to be answered")
  func oneDirection() throws {
    let folder = try Folder()
    let sent = try part(of: "heart-rate", in: folder) { data, isSent in
      isSent || data.first != Self.aclData
    }
    let text = try Program.run(["diff", Program.sample("heart-rate"), sent]).text
    #expect(!text.contains("no response") && !text.contains("THAT MATTERS"), "\(text)")
    #expect(text.contains("client 185, server 517  →  no answer that the capture has"), "\(text)")
    #expect(!text.contains("only left"), "\(text)")
  }

  @Test("what is missing between steps does not make one side's the first difference")
  func patchy() throws {
    let folder = try Folder()
    for name in ["wristband", "pairing-all-keys", "enhanced-bearers", "peer-leaves"] {
      for isSentMissing in [false, true] {
        let patchy = try part(of: name, in: folder) { data, isSent in
          data.first != Self.aclData || isSent != isSentMissing
        }
        let text = try Program.run(["diff", Program.sample(name), patchy]).text
        #expect(
          text.contains("Conversation") && !text.contains("only left   #"), "\(name): \(text)")
        #expect(
          !text.contains("only right  #") && !text.contains("does not try"), "\(name): \(text)")
      }
    }
  }
}
