import ProgramRunner
import Testing

/// The numbers of the packets that options let through; text and JSON must agree on them.
private func numbers(_ options: [String], _ capture: String = "monitor") throws -> [Int] {
  let json = try Program.run(["show", "--json"] + options + [Program.sample(capture)])
  let text = try Program.run(["show"] + options + [Program.sample(capture)])
  #expect(json.status == 0 && text.status == 0)
  // Nothing shown is said on standard error, and nothing else.
  let remark = "no packet matches what was asked for\n"
  let isSilent = text.errors.isEmpty && json.errors.isEmpty
  let isTold = text.errors.hasSuffix(remark) && json.errors.hasSuffix(remark)
  #expect(json.packets.isEmpty && !options.contains("0") ? isTold : isSilent, "\(text.errors)")
  let inText = text.lines.dropFirst().map { line in
    Int(line.drop { $0 == " " }.prefix { $0.isNumber }) ?? -1
  }
  #expect(json.packets == inText)
  return json.packets
}

// What the sample holds: 28 records; captures/README.md says how it was made.
@Suite("Options that choose packets")
struct SelectionTests {
  @Test(
    "--packets",
    arguments: [
      (["97"], []), (["5"], [5]), (["5-7"], [5, 6, 7]), (["27-"], [27, 28]),
      (["1,3,5-6"], [1, 3, 5, 6]), (["6-7", "2-3"], [2, 3, 6, 7]), (["#5–#6"], [5, 6]),
      (["2-4,3-5"], [2, 3, 4, 5]), (["20-99"], Array(20...28)),
    ])
  func packets(_ values: [String], _ expected: [Int]) throws {
    #expect(try numbers(values.flatMap { ["--packets", $0] }) == expected)
  }

  @Test("--packets with an open beginning")
  func openBeginning() throws { #expect(try numbers(["--packets=-3"]) == [1, 2, 3]) }

  @Test(
    "--layer",
    arguments: [
      ("hci_cmd", [12]), ("hci_evt", [13, 14, 16, 24]), ("att", [15, 17]), ("sco", [18, 19]),
      ("iso", [20, 21]), ("mgmt", [8, 9]), ("acl", []), ("l2cap", []), ("unknown", []),
      ("adv", []), ("note", [1, 2, 3, 4, 5, 6, 7, 10, 11, 22, 23, 25, 26, 27, 28]),
      ("att,sco", [15, 17, 18, 19]),
    ])
  func layers(_ layer: String, _ expected: [Int]) throws {
    #expect(try numbers(["--layer", layer]) == expected)
  }

  @Test("--layer adv, in a capture that has advertising")
  func advertising() throws {
    #expect(try numbers(["--layer", "adv"], "pairing-fails") == Array(33...38))
  }

  @Test("--connection, --direction, --errors")
  func others() throws {
    #expect(try numbers(["--connection", "1"]) == [14, 15, 16, 17, 24])
    #expect(try numbers(["--connection", "2"]) == [])
    #expect(try numbers(["--direction", "sent"]) == [12, 15, 18, 20])
    #expect(
      try numbers(["--direction", "received"]) == [13, 14, 16, 17, 19, 21, 24])
    #expect(try numbers(["--errors"]) == [23])
    #expect(try numbers(["--errors"], "pairing-fails") == [53])
  }

  @Test("--limit: none, some, more than there are")
  func limit() throws {
    #expect(try numbers(["--limit", "0"]) == [])
    #expect(try numbers(["--limit", "1"]) == [1])
    #expect(try numbers(["--limit", "99"]) == Array(1...28))
  }

  @Test("Different options must all match, a repeated one once")
  func combined() throws {
    #expect(try numbers(["--layer", "att", "--direction", "sent"]) == [15])
    #expect(try numbers(["--layer", "att", "--layer", "iso", "--limit", "3"]) == [15, 17, 20])
    #expect(try numbers(["--connection", "1", "--packets", "15-20"]) == [15, 16, 17])
    #expect(
      try numbers(["--direction", "sent", "--direction", "received", "--layer", "note"]) == [])
  }

  @Test("--limit and --packets stop reading: damage behind them is not met")
  func stops() throws {
    let folder = try Folder()
    let bytes = CaptureBytes.session(5).bytes.dropLast()
    let file = try folder.write("cut", Array(bytes))
    #expect(try Program.run(["show", "--packets", "1-4", file]).status == 0)
    #expect(try Program.run(["show", "--limit", "4", file]).status == 0)
    #expect(try Program.run(["show", "--limit", "5", file]).status == 65)
  }
}
