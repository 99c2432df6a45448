import Bluetooth
import Captures
import Testing

@testable import Reports

private func connection(_ handle: UInt8 = 1) -> TestRecord {
  TestRecord(
    bytes: [4, 0x3e, 19, 1, 0, handle, 0, 0, 1, handle, 2, 3, 4, 5, 0xc6, 24, 0, 0, 0, 0xf4, 1, 0],
    direction: .received)
}

private let reset = TestRecord(bytes: [1, 3, 0x0c, 0])
private let done = TestRecord(bytes: [4, 0x0e, 4, 1, 3, 0x0c, 0], direction: .received)
private let completed = TestRecord(bytes: [4, 0x13, 5, 1, 1, 0, 1, 0], direction: .received)
private let read = acl([0x0a, 3, 0], sent: true)

/// Returns one service, one characteristic, one descriptor, and the end: eight packets.
private func discovery(_ handle: UInt8 = 1) -> [TestRecord] {
  [
    acl([0x10, 1, 0, 0xff, 0xff, 0, 0x28], sent: true, handle: handle),
    acl([0x11, 6, 1, 0, 5, 0, 0x0d, 0x18], sent: false, handle: handle),
    acl([0x08, 1, 0, 5, 0, 3, 0x28], sent: true, handle: handle),
    acl([0x09, 7, 2, 0, 0x10, 3, 0, 0x37, 0x2a], sent: false, handle: handle),
    acl([0x04, 4, 0, 5, 0], sent: true, handle: handle),
    acl([0x05, 1, 4, 0, 2, 0x29], sent: false, handle: handle),
    acl([0x10, 6, 0, 0xff, 0xff, 0, 0x28], sent: true, handle: handle),
    acl([0x01, 0x10, 6, 0, 0x0a], sent: false, handle: handle),
  ]
}

/// Returns the lines of `show --brief`, without their columns.
private func brief(_ records: [TestRecord], _ change: (inout ShowOptions) -> Void = { _ in })
  -> [String]
{
  var options = ShowOptions()
  options.isBrief = true
  options.time = .none
  change(&options)
  return Rendering.text(records, options).split(separator: "\n").dropFirst().map { line in
    String(line.drop { $0 == " " })
  }
}

@Suite("--brief folds packets without news")
struct BriefTests {
  @Test("Success and flow control are counted at the end")
  func leftOut() {
    #expect(
      brief([reset, done, completed, completed]).last
        == "hidden: 1 successful command, 2 flow control packets")
    #expect(brief([reset, done]).count == 2)
    #expect(brief([reset]).count == 1)
  }

  @Test("A controller's debug log has one line")
  func controllerLog() {
    let log = TestRecord(bytes: hex("02 dc 2e 02 00 01 02"), direction: .received)
    let lines = brief([log, log, log])
    #expect(lines.contains { $0.contains("controller debug log (3 packets, #1–#3)") }, "\(lines)")
  }

  @Test("What advertisers send is one line, with how many of them there are")
  func advertising() {
    func report(_ address: UInt8, rssi: UInt8 = 0xc4) -> TestRecord {
      TestRecord(
        bytes: [4, 0x3e, 15, 2, 1, 0, 1, address, 2, 3, 4, 5, 0xc6, 3, 2, 1, 6, rssi],
        direction: .received)
    }
    let two = brief([report(1), report(2), report(1)])
    #expect(
      two.map { $0.hasSuffix("3 advertising reports from 2 devices (3 packets, #1–#3)") } == [true],
      "\(two)")
    let one = brief([report(1), reset, report(1), report(1)])
    #expect(one.count == 3, "\(one)")
    #expect(
      one.last?.hasSuffix("2 advertising reports from C6:05:04:03:02:01 (2 packets, #3–#4)")
        == true, "\(one)")
    // A report that is cut is a problem, and has a line of its own.
    let cut = TestRecord(bytes: [4, 0x3e, 5, 2, 1, 0, 1, 7], direction: .received)
    #expect(brief([report(1), cut]).count == 2)
  }

  @Test("Credits of a channel are flow control; so is a response to no command")
  func credits() {
    let credits = acl([0x16, 1, 4, 0, 0x41, 0, 5, 0], cid: 5, sent: false)
    let nothing = TestRecord(bytes: [4, 0x0f, 4, 0, 1, 0, 0], direction: .received)
    // Those for an unknown channel are news.
    let known = [connection(), credits, nothing]
    #expect(brief(known).last == "hidden: 1 flow control packet", "\(brief(known))")
    // Other signalling is news, with credits beside it, too.
    let both = acl(
      [0x16, 1, 4, 0, 0x41, 0, 5, 0, 0x08, 2, 0, 0], cid: 1, sent: true)
    #expect(brief([connection(), both]).count == 2)
  }

  @Test("Successful management commands; a vendor's response that may not be one")
  func answers() {
    func control(_ bytes: [UInt8], isEvent: Bool) -> TestRecord {
      TestRecord(bytes: [1, 0, 0, 0] + bytes, framing: .monitor(opcode: isEvent ? 17 : 16))
    }
    // Set Powered (5): on; Command Complete, Command Status: Busy.
    let set = control([5, 0, 1], isEvent: false)
    let done = control([1, 0, 5, 0, 0, 1, 0, 0, 0], isEvent: true)
    let busy = control([2, 0, 5, 0, 0x0a], isEvent: true)
    #expect(brief([set, done]).last == "hidden: 1 successful command")
    #expect(brief([done]).count == 1 && brief([done])[0].contains("Command Complete"))
    #expect(brief([set, busy]).last?.contains("Busy") == true)
    let vendors = [
      TestRecord(bytes: [1, 0x77, 0xfc, 0]),
      TestRecord(bytes: [4, 0x0e, 5, 1, 0x77, 0xfc, 5, 6], direction: .received),
    ]
    #expect(brief(vendors).last?.contains("Command Complete") == true)
  }

  @Test("Failures, damage and responses to unseen requests stay")
  func news() {
    let failed = TestRecord(bytes: [4, 0x0f, 4, 0x0c, 1, 3, 0x0c], direction: .received)
    #expect(brief([reset, failed]).last?.contains("Command Disallowed") == true)
    let broken = TestRecord(bytes: [4, 0x13, 5, 1, 1, 0], direction: .received)
    #expect(brief([broken]).count == 1 && brief([broken])[0].contains("⚠"))
    #expect(brief([done]).count == 1 && brief([done])[0].contains("Command Complete"))
  }

  @Test(
    "Controller set-up after its Reset is one line, without failures and news")
  func startUp() {
    let mask = TestRecord(bytes: [1, 1, 0x0c, 8, 0, 0, 0, 0, 0, 0, 0, 0])
    let version = TestRecord(bytes: [1, 1, 0x10, 0])
    let scan = TestRecord(bytes: [1, 0x0c, 0x20, 2, 1, 0])
    let lines = brief([reset, done, mask, version, mask, scan, mask])
    #expect(lines.count == 5, "\(lines)")
    #expect(lines[1].hasSuffix("start-up: Set Event Mask and 2 more commands (3 packets, #3–#5)"))
    #expect(lines[2].contains("LE Set Scan Enable"))
    #expect(lines[3].hasSuffix("→ Set Event Mask"), "one packet needs no summary: \(lines)")
    let later = brief([mask, version])
    #expect(
      later.map { $0.hasSuffix("set-up: Set Event Mask and 1 more command (2 packets, #1–#2)") }
        == [true], "\(later)")
    // What a vendor's command does is known only after a Reset; a timeout is that of a connection.
    let vendor = TestRecord(bytes: [1, 0x77, 0xfc, 0])
    let timeout = TestRecord(bytes: [1, 0x37, 0x0c, 4, 1, 0, 0, 0x7d])
    #expect(brief([vendor, timeout]).count == 2)
    // So is the refresh of a link's key, and its transmit power.
    let refresh = TestRecord(bytes: [1, 0x53, 0x0c, 2, 1, 0])
    let power = TestRecord(bytes: [1, 0x68, 0x0c, 3, 1, 0, 0])
    let named = brief([mask, version, refresh, power])
    #expect(named.count == 3, "\(named)")
    let failed = TestRecord(bytes: [4, 0x0e, 4, 1, 1, 0x0c, 0x12], direction: .received)
    let failing = brief([reset, mask, failed, version])
    #expect(failing.count == 4 && failing[2].contains("Set Event Mask: "), "\(failing)")
  }

  @Test("A discovery is one line with its results and their place")
  func discovered() {
    let lines = brief([connection()] + discovery() + [completed, read])
    #expect(lines.count == 4, "\(lines)")
    #expect(
      lines[1]
        == "2         1   discovered 1 service, 1 characteristic, 1 descriptor "
        + "(8 packets, #2–#9)")
    #expect(lines[2].contains("Read Request"))
    let found = brief([connection()] + discovery().suffix(2))
    #expect(found.last?.hasSuffix("discovery, nothing found (2 packets, #2–#3)") == true)
  }

  @Test("Attributes that are discovered twice on a connection count once")
  func again() {
    let descriptors = [
      acl([0x04, 4, 0, 5, 0], sent: true), acl([0x05, 1, 4, 0, 2, 0x29], sent: false),
    ]
    let inOne = brief([connection()] + discovery() + descriptors)
    #expect(inOne.last?.contains("1 characteristic, 1 descriptor (10 packets") == true, "\(inOne)")
    let inTwo = brief([connection()] + discovery() + [reset] + descriptors)
    #expect(inTwo.last?.contains("discovery, nothing new found (2 packets") == true, "\(inTwo)")
    let other = brief([connection()] + discovery() + [connection(2)] + discovery(2))
    #expect(other.count { $0.contains("1 characteristic, 1 descriptor (8 packets") } == 2)
  }

  @Test("Events of which only the code is known are counted at the end; vendors' are not")
  func unknownEvents() {
    func event(_ code: UInt8) -> TestRecord {
      TestRecord(bytes: [4, code, 1, 1], direction: .received)
    }
    let lines = brief([event(0x60), reset, event(0x6e), event(0xff)])
    #expect(lines.last == "hidden: 2 unknown events", "\(lines)")
    #expect(lines.count == 3 && lines[1].contains("Vendor"), "\(lines)")
  }

  @Test("Other packets divide a discovery; flow control does not")
  func divided() {
    var records = [connection()] + discovery()
    records.insert(completed, at: 3)
    #expect(brief(records).count { $0.contains("discovered") } == 1)
    records.insert(reset, at: 5)
    #expect(brief(records).count { $0.contains("discovered") } == 2)
  }

  @Test("Simultaneous discoveries are a line each, in their order")
  func sideBySide() {
    let both = zip(discovery(1), discovery(2)).flatMap { [$0, $1] }
    let lines = brief([connection(1), connection(2)] + both)
    #expect(lines.count { $0.contains("(8 packets, #") } == 2)
    #expect(lines[2].contains("#3–#17") && lines[3].contains("#4–#18"))
  }

  @Test("More discoveries than the limit: all of their packets are counted")
  func many() {
    let handles = 1...UInt8(20)
    let all = handles.map(discovery)
    let mixed = (0..<8).flatMap { step in all.map { $0[step] } }
    let lines = brief(handles.map(connection) + mixed)
    let counted = lines.compactMap { line in
      line.firstMatch(of: /\((\d+) packets?, #/).flatMap { Int($0.1) }
    }
    #expect(counted.reduce(0, +) == 160)
  }

  @Test("Rounds of passkey entry after the first; a single round is shown")
  func rounds() {
    let key = [UInt8](repeating: 1, count: 16)
    func round() -> [TestRecord] {
      [(3, true), (3, false), (4, true), (4, false)].map { opcode, sent in
        acl([opcode] + key, cid: 6, sent: sent)
      }
    }
    let publicKeys = [true, false].map { sent in
      acl([0x0c] + [UInt8](repeating: 1, count: 64), cid: 6, sent: sent)
    }
    /// Returns Pairing Request and Response: the input and output of both, and the requested
    /// authentication.
    func features(_ capabilities: (UInt8, UInt8), _ authentication: UInt8) -> [TestRecord] {
      [(1, capabilities.0, true), (2, capabilities.1, false)].map { opcode, capability, sent in
        acl([opcode, capability, 0, authentication, 16, 1, 1], cid: 6, sent: sent)
      }
    }
    let check = acl([0x0d] + key, cid: 6, sent: true)
    let twenty = (0..<20).flatMap { _ in round() }
    // A keyboard and a display; bonding, protection and Secure Connections are requested.
    let passkey = features((2, 0), 0x0d)
    let lines = brief([connection()] + passkey + publicKeys + twenty + [check])
    #expect(lines.count == 11, "\(lines)")
    #expect(
      lines.dropFirst(9).first?.hasSuffix("passkey entry, rounds 2–20 (76 packets, #10–#85)")
        == true, "\(lines)")
    // Legacy pairing has no public keys and one round; so has Just Works.
    #expect(brief([connection()] + features((2, 0), 0x05) + round() + [check]).count == 8)
    #expect(
      brief([connection()] + features((3, 3), 0x09) + publicKeys + round() + [check]).count == 10)
    // If the beginning of a pairing is not in the capture, the meaning of its values is unknown.
    let unknown = brief([connection()] + publicKeys + twenty + [check])
    #expect(!unknown.contains { $0.contains("passkey entry") }, "\(unknown)")
  }

  @Test("Fragments")
  func fragments() {
    // A notification of eight bytes in two packets.
    let first = TestRecord(
      bytes: [2, 1, 0x20, 6, 0, 11, 0, 4, 0, 0x1b, 3], direction: .received)
    let second = TestRecord(
      bytes: [2, 1, 0x10, 9, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], direction: .received)
    let lines = brief([connection(), first, second])
    #expect(lines.count == 3 && lines[1].contains("Notification"))
    #expect(lines[2] == "hidden: 1 fragment")
  }

  @Test("With a selection only selected packets are folded; --limit counts folded ones, too")
  func selected() {
    let records = [connection()] + discovery() + [read]
    let sent = brief(records) { $0.selection.directions = [.sent] }
    #expect(sent[0].contains("(4 packets, #2–#8)") && sent.count == 2)
    #expect(brief(records) { $0.selection.limit = 3 }.last?.contains("(2 packets, #2–#3)") == true)
  }
}
