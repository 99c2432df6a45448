import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions
import Testing

@testable import Reports

/// Returns the output of `info` for received events.
private func info(json isJSON: Bool = false, links: Int = 2, _ events: [String]) -> String {
  var limits = Limits()
  limits.links = links
  let records = events.map { text in
    TestRecord(bytes: hex(text), direction: text.hasPrefix("01") ? .sent : .received)
  }
  return page(records, json: isJSON, limits: limits)
}

/// Returns the output for any records.
private func page(_ records: [TestRecord], json isJSON: Bool = false, limits: Limits = Limits())
  -> String
{
  var source = RecordList(records)
  var report = InfoReport("x", source.summary, json: isJSON, glyphs: .utf8, limits: limits)
  var output = Output()
  var pass = Pass(limits)
  do throws(CaptureFailure) {
    try pass.run(&source, &report, into: &output)
  } catch {
    Issue.record("\(error)")
  }
  return String(decoding: output.bytes.array, as: UTF8.self)
}

/// LE Connection Complete.
private func connect(_ handle: String) -> String {
  "04 3e 13 01 00 \(handle) 00 00 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"
}

/// LE Create Connection: LE 1M alone.
private let ask =
  "01 0d 20 19 60 00 30 00 00 01 55 44 33 22 11 c0 00 18 00 28 00 00 00 48 00 00 00 00 00"

@Suite struct InfoTests {
  /// Counts in a file whose sum exceeds the range of a number.
  @Test(
    arguments: [
      ([7], "7"), ([4_294_967_297, 2], "4294967299"),
      ([9_223_372_036_854_775_807, 1], "9223372036854775807"),
      ([18_446_744_073_709_551_615, 1], "9223372036854775807"),
    ] as [([UInt64], String)])
  func drops(_ counts: [UInt64], _ sum: String) {
    let records = counts.map { TestRecord(bytes: hex(reset), direction: .received, drops: $0) }
    let document = page(records, json: true)
    #expect(document.contains("\"dropped\":\(sum)"), "\(document)")
    #expect(page(records).contains("\(sum) record"), "\(page(records))")
    // `show` prints the same for one.
    let lost = written { $0.message(of: Problem(dropped: counts[0])) }
    let one = page([records[0]], json: true)
    let number =
      lost.split(separator: " ").first { (word: Substring) in word.allSatisfy(\.isNumber) } ?? ""
    #expect(one.contains("\"dropped\":\(number)"), "\(lost); \(one)")
  }

  @Test("A mask that disables the events of PHYs counts beyond lost records") func mask() {
    // LE Set Event Mask: without LE PHY Update Complete.
    let records = ["01 01 20 08 1f 00 00 00 00 00 00 00", ask, connect("40")]
    let text = page(
      records.enumerated().map { index, text in
        TestRecord(
          bytes: hex(text), direction: index < 2 ? .sent : .received, drops: index == 1 ? 1 : 0)
      })
    #expect(!text.contains("LE 1M"), "\(text)")
  }

  @Test("what a link carries data with, and how much") func link() throws {
    func lengths(_ sent: String, _ time: String) -> String {
      "04 3e 0b 07 40 00 \(sent) \(time) fb 00 48 08"
    }
    func interval(_ units: String) -> String { "04 3e 0a 03 00 40 00 \(units) 00 00 00 48 00" }
    let events = [
      ask, connect("40"), interval("06"), interval("06"), interval("24"),
      lengths("fb 00", "48 08"),
    ]
    let text = info(events)
    #expect(text.contains(", LE 1M by default, 27→251 bytes, 30→7.5→45 ms, not"), "\(text)")
    // The time holds 27 bytes; on LE 2M it holds 67. The PHYs may differ.
    let short = info([ask, connect("40"), lengths("fb 00", "48 01")])
    #expect(
      short.contains("27 bytes (251 agreed on, but only 328 µs) sent, 27→251 bytes received"),
      "\(short)")
    let phy = info(events + [lengths("fb 00", "48 01"), "04 3e 06 0c 00 40 00 02 01"])
    #expect(phy.contains(", LE 2M sent, LE 1M received, 67 bytes (251 agreed on"), "\(phy)")
    // A PHY update that failed changes nothing; Read PHY reports, too.
    let failed = info([ask, connect("40"), "04 3e 06 0c 1a 40 00 02 02"])
    #expect(failed.contains(", LE 1M by default"), "\(failed)")
    // Without the command, the link may have opened on another PHY.
    let unasked = info([connect("40")])
    #expect(!unasked.contains("LE 1M") && unasked.contains(", 27 bytes"), "\(unasked)")
    #expect(info([connect("40"), "04 0e 08 01 30 20 00 40 00 03 03"]).contains(", LE Coded, 27"))
    let document = info(json: true, events)
    #expect(
      document.contains(
        """
        "phy":{"sent":"LE 1M","received":"LE 1M","via":"default"},\
        "data_length":{"sent":{"octets":251,"time_us":2120,"effective":251},\
        "received":{"octets":251,"time_us":2120,"effective":251}},\
        "intervals_ms":[30,7.5,45],"interval_changes":2
        """), "\(document)")
    // More than eight.
    let many = info([connect("40")] + (1...9).map { interval("2\($0)") })
    #expect(many.contains("30→41.25→42.5→43.75→45→46.25→47.5→…→51.25 ms"), "\(many)")
    // No opening: nothing is assumed.
    let data = "02 40 20 08 00 04 00 04 00 0a 03 00 00"
    // Nothing is said of the direction that the capture lacks.
    #expect(info([data]).contains("on; 8 bytes received, when"), "\(info([data]))")
  }

  @Test("bytes per second") func rates() {
    func time(_ tenths: Int64) -> Timestamp {
      Timestamp(microseconds: 1_700_000_000_000_000 + tenths * 100_000)
    }
    var records = [TestRecord(bytes: hex(connect("40")), direction: .received, time: time(0))]
    let header = "40 20 fc 01 f8 01 04 00 52 03 00 "
    for index in 1...10 {
      records.append(
        TestRecord(
          bytes: hex("02 " + header + String(repeating: "00 ", count: 501)), direction: .sent,
          time: time(Int64(index))))
    }
    let text = page(records)
    #expect(text.contains("; 5.1 kB sent (5.1 kB/s); not"), "\(text)")
    #expect(
      page(records, json: true).contains("{\"packets\":10,\"bytes\":5080,\"bytes_per_s\":5080}"))
    #expect(Rate.perSecond(.max, 1) == .max)
    #expect(Rate.perSecond(1, 0) == 0)
  }

  /// Returns records of connections to one peer, in seconds: each lasts `duration` and ends with
  /// `reason`.
  private func reconnections(_ ends: [(duration: Int64, reason: UInt8)]) -> [TestRecord] {
    var records: [TestRecord] = []
    var seconds: Int64 = 1_700_000_000
    func add(_ text: String) {
      records.append(
        TestRecord(
          bytes: hex(text), direction: .received,
          time: Timestamp(seconds: seconds, nanoseconds: 0)))
    }
    for end in ends {
      add(connect("40"))
      seconds += end.duration
      add("04 05 04 00 40 00 \(String(end.reason, radix: 16))")
      seconds += 1
    }
    return records
  }

  @Test("more than three connections in a row with one peer share a line") func grouped() {
    let ends: [(Int64, UInt8)] = [(1, 0x16), (2, 0x13), (12, 0x13), (3, 0x16), (4, 0x13)]
    let text = page(reconnections(ends))
    #expect(
      text.contains(
        """
        connections  5
          1–5  peer C0:11:22:33:44:55 random static, this host is central, #1–#10, \
        5 connections of 1.0–12.0 s, not encrypted; \
        ended: 3 by the peer, Remote User Terminated Connection (0x13), 2 by this host

        """), "\(text)")
    let alike = page(reconnections([(2, 0x13), (2, 0x13), (2, 0x13), (2, 0x13)]))
    #expect(
      alike.contains(
        "4 connections of 2.0 s, not encrypted; all ended by the peer, Remote User"), "\(alike)")
    // JSON lists each.
    #expect(page(reconnections(ends), json: true).contains("\"id\":3,"))
  }

  @Test("three connections, and those that are open or failed to pair, keep their lines")
  func separate() {
    let ended: [(Int64, UInt8)] = [(1, 0x13), (2, 0x13), (3, 0x13), (4, 0x13)]
    let three = page(reconnections(Array(ended.prefix(3))))
    #expect(three.contains("\n  1  peer ") && three.contains("\n  3  peer "), "\(three)")
    var records = reconnections(ended)
    records += reconnections([(1, 0x13)]).prefix(1)
    let open = page(records)
    #expect(open.contains("\n  1–4  peer ") && open.contains("\n  5  peer "), "\(open)")
    // Pairing Failed on the second of them leaves fewer than four in a row.
    var failed = reconnections(ended + ended)
    failed.insert(
      TestRecord(
        bytes: hex("02 40 20 06 00 02 00 06 00 05 04"), direction: .received,
        time: failed[2].time), at: 3)
    let page = page(failed)
    for line in ["\n  1  peer ", "\n  2  peer ", "\n  3–8  peer "] {
      #expect(page.contains(line), "\(page)")
    }
    #expect(page.contains("pairing failed: Confirm Value Failed (0x04)"), "\(page)")
  }

  @Test("a controller that reports another address: the logs of several hosts may be joined")
  func joined() {
    let first = "04 0e 0a 01 09 10 00 01 02 03 04 05 06"
    let other = "04 0e 0a 01 09 10 00 11 12 13 14 15 16"
    let words = "a controller's own address changes once: the logs of several hosts may be joined"
    #expect(info([first, other]).contains(words), "\(info([first, other]))")
    #expect(info(json: true, [first, other]).contains(words))
    #expect(!info([first, first]).contains("joined"), "\(info([first, first]))")
  }

  private let reset = "04 0e 04 01 03 0c 00"

  @Test("a controller's debug log is counted, and is not a connection") func controllerLog() {
    let log = TestRecord(
      bytes: hex("02 dc 2e 08 00 04 00 04 00 0b 41 42 43"), direction: .received)
    let page = page([log, log])
    #expect(page.contains("records      2: 2 controller debug log packets"), "\(page)")
    #expect(page.contains("connections  none"), "\(page)")
    let show = Rendering.text([log])
    #expect(show.contains("Controller debug log  ") && show.contains("  8 bytes"), "\(show)")
    #expect(Rendering.json([log]).contains(#""protocol":"controller_log""#))
  }

  @Test("a clock that was not set is reported") func clock() {
    var record = TestRecord(bytes: hex("04 0e 04 01 03 0c 00"), direction: .received)
    #expect(!page([record]).contains("clock of the device"))
    record.time = Timestamp(seconds: 60, nanoseconds: 0)
    #expect(
      page([record]).contains("remark       the clock of the device that recorded it was not set"))
  }

  /// Others have taken the slots before the end of the capture.
  @Test func connectionsThatWereResetAreNotOpen() {
    let page = info([connect("40"), reset, connect("41"), connect("42")])
    #expect(page.contains("ended by a reset of the controller"))
    #expect(page.split(separator: "created, peer never heard").count == 3)
  }

  @Test func connectionsThatWereReplacedAreNotOpen() {
    let page = info(links: 1, [connect("40"), connect("40")])
    #expect(page.contains(", not encrypted; its end is not in the capture\n"))
  }

  @Test func connectionsThatWereForgottenAreNotOpen() {
    let page = info(links: 1, [connect("40"), connect("41")])
    #expect(page.contains(", not encrypted; not followed to its end\n"))
    let document = info(json: true, links: 1, [connect("40"), connect("41")])
    #expect(document.contains("\"ended_by\":\"forgotten\""))
  }

  @Test func reasonsThatTheCaptureCut() {
    let page = info([connect("40"), "04 05 04 00 40 00"])
    #expect(page.contains("; ended for a reason that is not in the capture\n"))
    let document = info(json: true, [connect("40"), "04 05 04 00 40 00"])
    #expect(document.contains("\"ended_by\":\"unknown\"") && !document.contains("\"reason\""))
  }

  /// Encryption Change: PIN or Key Missing (Core, Vol 1, Part F, 2.6); the last one counts.
  @Test func failedEncryption() {
    let page = info([connect("40"), "04 08 04 05 40 00 00", "04 08 04 06 40 00 00"])
    #expect(page.contains(", not encrypted, encryption failed: PIN or Key Missing (0x06), #3"))
    let other = info([connect("40"), connect("41"), "04 08 04 06 41 00 00"])
    #expect(other.split(separator: "encryption failed").count == 2, "\(other)")
  }

  /// LE Enhanced Connection Complete with Operation Cancelled by Host is what the host wanted.
  @Test func cancelledByTheHost() {
    let terminated = "04 3e 06 12 44 00 00 00 00"
    #expect(info([terminated]).contains("failures     none\n"))
    #expect(info(["04 3e 06 12 43 00 00 00 00"]).contains("failures     1 HCI failure"))
  }

  /// An indication is not a request: they are counted separately.
  @Test func unansweredApart() {
    func end(_ pdus: [(String, Direction)]) -> String {
      var link = Link()
      for pdu in pdus { link.att(pdu.0, pdu.1) }
      link.add([4, 5, 4, 0, 0x40, 0, 0x13], .received)
      return page(link.records)
    }
    let indication = ("1d 14 00 dd", Direction.received)
    // The capture has nothing that this host sent.
    #expect(!end([indication]).contains("unanswered"))
    let both = end([indication, ("0a 10 00", .sent)])
    #expect(both.contains("unanswered   1 request and 1 indication: "), "\(both)")
  }

  // MARK: Who ended a link

  /// Returns records of a link with a supervision timeout of 720 ms: a Disconnect command, and
  /// `wait` milliseconds later its end.
  private func disconnection(wait: Int64, reason: String) -> [TestRecord] {
    let start = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    return [
      TestRecord(bytes: hex(connect("40")), direction: .received, time: start),
      TestRecord(bytes: hex("01 06 04 03 40 00 13"), time: start),
      TestRecord(
        bytes: hex("04 05 04 00 40 00 \(reason)"), direction: .received,
        time: Timestamp(microseconds: 1_700_000_000_000_000 + wait * 1000)),
    ]
  }

  /// The controller gives this reason if it hears nothing for the supervision timeout.
  @Test("a Disconnect that ends with Connection Timeout: the link was lost, and who asked")
  func deadLink() {
    let dead = page(disconnection(wait: 100, reason: "08"))
    #expect(
      dead.contains(
        "; ended with Connection Timeout (0x08): the link was dead before this host disconnected, #2\n"
      ), "\(dead)")
    #expect(dead.contains("failures     1 lost link;"), "\(dead)")
    // The link may have died afterwards: the peer heard the request, but not its acknowledgement.
    let late = page(disconnection(wait: 720, reason: "08"))
    #expect(
      late.contains(
        "; ended with Connection Timeout (0x08) after this host asked to disconnect, #2\n"),
      "\(late)")
    #expect(late.contains("failures     1 lost link;"), "\(late)")
    let usual = page(disconnection(wait: 100, reason: "16"))
    #expect(usual.contains("; ended by this host\n"), "\(usual)")
    #expect(usual.contains("failures     none\n"), "\(usual)")
    // Only a host gives this reason.
    let refused = page(disconnection(wait: 100, reason: "3b"))
    #expect(refused.contains("1 link that a host ended for an error"), "\(refused)")
  }

  @Test("the end of a stream of a connection is not the end of a link") func streams() {
    let (created, data) = ("04 3e 1d 19 00 60 00 \(zeros(25))", "05 60 20 04 00 02 00 01 02")
    let lost = "04 05 04 00 60 00 08"
    for beginning in [created, data] {
      let text = info([connect("40"), beginning, lost])
      #expect(text.contains("failures     1 lost stream;"), "\(text)")
      #expect(text.contains("\nconnections  1\n"), "\(text)")
      let document = info(json: true, [connect("40"), beginning, lost])
      #expect(document.contains(#""failures":[{"kind":"streams_lost","count":1}]"#), "\(document)")
    }
    let ended = info([connect("40"), created, "04 05 04 00 60 00 13"])
    #expect(ended.contains("failures     none\n"), "\(ended)")
    let link = info([connect("60"), lost])
    #expect(link.contains("failures     1 lost link;"), "\(link)")
  }

  private func zeros(_ count: Int) -> String {
    Array(repeating: "00", count: count).joined(separator: " ")
  }

  @Test("Attribute Not Found ends a search even if its request is missing") func ends() {
    func error(_ pdu: String) -> String {
      info([connect("40"), "02 40 20 09 00 05 00 04 00 01 \(pdu)"])
    }
    for request in ["04", "06", "08", "10"] {
      #expect(error("\(request) 10 00 0a").contains("failures     none\n"), "\(request)")
    }
    for refusal in ["0a 10 00 0a", "08 10 00 05"] {
      #expect(error(refusal).contains("failures     1 ATT error;"), "\(refusal)")
    }
  }

  // MARK: Pairing and host

  /// Pairing fails twice on one connection: the last failure counts, with its sender.
  @Test func failedPairing() {
    func failed(_ reason: UInt8, _ direction: Direction) -> TestRecord {
      TestRecord(
        bytes: [2, 0x40, direction == .sent ? 0 : 0x20, 6, 0, 2, 0, 6, 0, 5, reason],
        direction: direction)
    }
    let link = TestRecord(bytes: hex(connect("40")), direction: .received)
    let byHost = page([link, failed(8, .received), failed(4, .sent)])
    #expect(
      byHost.contains(", pairing failed: Confirm Value Failed (0x04), by this host, #3, still open")
    )
    let byPeer = page([link, failed(4, .sent), failed(8, .received)])
    #expect(byPeer.contains(", pairing failed: Unspecified Reason (0x08), by the peer, #3"))
    #expect(byPeer.contains("failures     2 failed pairings; show --errors lists them"))
    #expect(!page([link]).contains("pairing"))
  }

  /// Uses PacketLogger's first notes about the host, but no other line of its log.
  @Test func hostOfPacketLogger() {
    func note(_ text: String) -> TestRecord {
      TestRecord(bytes: Array(text.utf8), framing: .packetLogger(type: 0xfc))
    }
    let notes = [
      note("Product: iPhone15,2"), note("Software: iOS 17.1"), note("Software: iOS 17.1"),
      note("Address: C0:FF:EE:12:34:56"), note("Something else"),
    ]
    let lines = page(notes).split(separator: "\n")
    #expect(lines.contains("host         Product: iPhone15,2"))
    #expect(
      lines.count { $0.hasPrefix("host ") } == 2
        && lines.contains("host         Software: iOS 17.1"))
    #expect(lines.contains("adapter      hci0, C0:FF:EE:12:34:56"))
    #expect(
      page(notes, json: true).contains(
        #""host_software":["Product: iPhone15,2","Software: iOS 17.1"]"#))
  }
}
