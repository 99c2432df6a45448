import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about attempts to connect") struct ConnectingRuleTests {
  @Test("an attempt that is cancelled after 20 s: no response") func timeout() throws {
    let evidence = evidence {
      $0.advertise()
      $0.askToConnect()
      $0.clock += 20_000
      $0.giveUpConnecting()
    }
    let finding = try #require(evidence.finding("connect_timeout"))
    #expect(finding.packets == "#1 #2 #4 #6")
    #expect(finding.severity == .error)
    #expect(finding.why.text.contains("last heard advertising in #1, 1 ms before the attempt"))
    #expect(finding.note?.text.contains("133") == true)
  }

  @Test("a weak signal of the device is reported, a strong one is not") func weak() throws {
    for (rssi, words) in [
      (Int8(-92), ", with a weak signal (-92 dBm), near the sensitivity limit of receivers."),
      (-84, "before the attempt."), (127, "before the attempt."),
    ] {
      let evidence = evidence {
        $0.advertise(rssi: rssi)
        $0.askToConnect()
        $0.clock += 20_000
        $0.giveUpConnecting()
      }
      let finding = try #require(evidence.finding("connect_timeout"))
      #expect(finding.why.text.hasSuffix(words), "\(rssi): \(finding.why.text)")
    }
  }

  @Test("whether the device advertised in the meantime, and was connectable")
  func meanwhile() throws {
    let evidence = evidence {
      $0.askToConnect()
      $0.advertise(event: 3)
      $0.advertise(event: 3)
      $0.clock += 20_000
      $0.giveUpConnecting()
    }
    let finding = try #require(evidence.finding("connect_timeout"))
    #expect(
      finding.why.text.hasSuffix(
        "2 times during the attempt, last in #4, but never connectable, with a strong signal (-56 dBm)."
      ))
  }

  @Test("attempts beyond the limit are not counted, so their number is the least") func omitted()
    throws
  {
    let attempts = { (count: Int) in
      evidence { traffic in
        for _ in 0..<count {
          traffic.askToConnect()
          traffic.clock += 20_000
          traffic.giveUpConnecting()
        }
      }
    }
    let many = try #require(attempts(260).finding("connect_timeout"))
    #expect(many.what.text.hasSuffix("(at least 256 attempts)"))
    let all = try #require(attempts(256).finding("connect_timeout"))
    #expect(all.what.text.hasSuffix("(256 attempts)"))
    #expect(all.what.text.contains("at least") == false)
  }

  @Test("attempts to one device are reported together; a later success makes it a warning")
  func resolved() throws {
    let evidence = evidence {
      for _ in 0..<2 {
        $0.askToConnect()
        $0.clock += 20_000
        $0.giveUpConnecting()
      }
      $0.askToConnect()
      $0.establish()
    }
    let finding = try #require(evidence.finding("connect_timeout"))
    #expect(finding.packets == "#1 #3 #5 #6 #8 #10")
    #expect(finding.severity == .note)
    #expect(finding.isResolved)
  }

  @Test("the same with an established link, or one that is still pending, is not a failure")
  func noTimeout() {
    let evidence = evidence {
      $0.askToConnect()
      $0.clock += 20_000
      $0.establish()
      $0.askToConnect(peer: 0xc0ff_eeff_eeff)
      $0.clock += 20_000
      $0.advertise()
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("cancelled after 200 ms, the device had no time: only a note") func cancelled() throws {
    let evidence = evidence {
      $0.askToConnect()
      $0.clock += 200
      $0.giveUpConnecting()
    }
    #expect(rules(in: evidence) == ["connect_cancelled"])
    let finding = try #require(evidence.finding("connect_cancelled"))
    #expect(
      finding.line == "This host cancelled a connection to C0:11:22:33:44:55 after 202 ms #1 #3 #5")
    #expect(finding.severity == .note)
  }

  @Test("a link that was established despite its cancellation, and is ended at once") func race()
    throws
  {
    let evidence = evidence {
      $0.askToConnect()
      $0.clock += 2000
      $0.command(0x200e)
      $0.connect()
      $0.complete(0x200e, [0x0c])
      $0.endLink()
    }
    #expect(rules(in: evidence) == ["connect_cancelled"])
    let finding = try #require(evidence.finding("connect_cancelled"))
    #expect(
      finding.line == "This host ended the connection 2 ms after it was created #3 #4 #6")
    #expect(finding.certainty == .certain)
    #expect(finding.connections == [1])
  }

  @Test("a link that is ended at once after some data is not such a link") func used() {
    let evidence = evidence {
      $0.connect()
      $0.ask("02 17 00", "03 17 00")
      $0.endLink()
    }
    #expect(rules(in: evidence) == [])
  }

  private static func waitForList(_ traffic: inout Traffic) {
    traffic.perform(0x0c03)
    traffic.perform(0x2011, [1] + little(Traffic.peer, width: 6))
    traffic.askToConnect(peer: 0, type: 0, policy: 1)
    traffic.clock += 30_000
    traffic.giveUpConnecting()
  }

  @Test("with the accept list, a device that is removed from it afterwards was given up")
  func acceptList() throws {
    let evidence = evidence {
      Self.waitForList(&$0)
      $0.perform(0x2012, [1] + little(Traffic.peer, width: 6))
    }
    let finding = try #require(evidence.finding("connect_timeout"))
    #expect(finding.packets == "#5 #7 #9 #10")
    #expect(finding.severity == .error)
  }

  @Test("a device that stays on the list was given up if no attempt follows") func abandoned() {
    func capture(_ pause: Int, repeats: Bool) -> [String] {
      rules(
        in: evidence {
          Self.waitForList(&$0)
          $0.wait(pause)
          if repeats { $0.askToConnect(peer: 0, type: 0, policy: 1) }
          $0.advertise(peer: 0xc0ff_eeff_eeff)
        })
    }
    #expect(capture(10_000, repeats: false) == ["connect_timeout"])
    #expect(capture(10_000, repeats: true) == ["connect_timeout"])
    #expect(capture(50, repeats: true) == [])
    #expect(capture(500, repeats: false) == [], "another attempt may follow after the capture")
  }

  @Test("a scan without pauses during the attempt comes first") func fullScan() throws {
    func capture(window: String, stops: Bool = false) -> Finding? {
      evidence {
        $0.perform(0x200b, hex("01 30 00 \(window) 00 00"))
        $0.perform(0x200c, [1, 0])
        $0.advertise()
        $0.askToConnect()
        if stops {
          $0.perform(0x200c, [0, 0])
        }
        $0.clock += 20_000
        $0.giveUpConnecting()
      }.finding("connect_timeout")
    }
    let finding = try #require(capture(window: "30 00"))
    #expect(finding.packets == "#3 #5 #6 #8 #10")
    #expect(finding.why.text.hasPrefix("Meanwhile this host scanned without a pause (since #3)"))
    #expect(finding.headline.text.hasSuffix("while it scanned without a pause (#3)"))
    #expect(capture(window: "10 00")?.why.text.contains("scanned") == false)
    #expect(capture(window: "30 00", stops: true)?.why.text.contains("scanned") == false)
  }

  @Test("cancelled to add another device to the list, it was not given up") func acceptListGrows() {
    let evidence = evidence {
      Self.waitForList(&$0)
      $0.perform(0x2011, [1] + little(0xc0ff_eeff_eeff, width: 6))
      $0.askToConnect(peer: 0, type: 0, policy: 1)
    }
    #expect(rules(in: evidence) == [])
  }

  /// The same with a controller that scans for 30 ms in each 1280 ms, as Android does in the
  /// background.
  private static func waitInBackground(_ traffic: inout Traffic) {
    traffic.perform(0x0c03)
    traffic.perform(0x2011, [1] + little(Traffic.peer, width: 6))
    traffic.begin(
      0x200d,
      hex("00 08 30 00 01 00") + [UInt8](repeating: 0, count: 6)
        + hex("00 18 00 28 00 00 00 f4 01 00 00 00 00"))
    traffic.clock += 30_000
    traffic.giveUpConnecting()
  }

  @Test("a device that does not respond in the background is a note, outside the verdict")
  func background() throws {
    let evidence = evidence {
      Self.waitInBackground(&$0)
      $0.perform(0x2012, [1] + little(Traffic.peer, width: 6))
    }
    let finding = try #require(evidence.finding("connect_timeout"))
    #expect(finding.severity == .note)
    #expect(
      finding.line
        == "C0:11:22:33:44:55 did not appear while this host scanned for it in the background #5 #7 #9 #10"
    )
    #expect(finding.why.text.contains("for 30 ms in each 1.3 s"))
  }

  @Test(
    "a device that the next attempt reached before its removal from the list was not given up"
  )
  func reachedAndRemoved() {
    let other = 0xc0ff_eeff_eeff
    let evidence = evidence {
      Self.waitInBackground(&$0)
      // An app wants another device, which connects at once.
      $0.perform(0x2011, [1] + little(other, width: 6))
      $0.askToConnect(peer: 0, type: 0, policy: 1)
      $0.connect(peer: other)
      $0.perform(0x2012, [1] + little(other, width: 6))
      $0.received("1b 03 00 01")
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("a device that was not on the list at the attempt's start was not waited for")
  func notListed() {
    let evidence = evidence {
      Self.waitForList(&$0)
      $0.perform(0x2012, [1] + little(0xc0ff_eeff_eeff, width: 6))
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("Connection Limit Exceeded states how many links are open") func limit() throws {
    let evidence = evidence {
      $0.establish()
      $0.askToConnect(peer: 0xc0ff_eeff_eeff, status: 0x09)
    }
    let finding = try #require(evidence.finding("connect_limit"))
    #expect(
      finding.line
        == "No resources for a connection to C0:FF:EE:FF:EE:FF: Connection Limit Exceeded (0x09) #3 #4"
    )
    #expect(
      finding.why.text == "1 connection of this controller was open when it refused another one.")
    #expect(rules(in: evidence) == ["connect_limit"])
  }

  @Test("a second attempt during the first one is refused; the first is not blamed")
  func refused() throws {
    let evidence = evidence {
      $0.askToConnect()
      $0.askToConnect(peer: 0xc0ff_eeff_eeff, status: 0x0c)
      $0.establish()
    }
    #expect(rules(in: evidence) == ["connect_refused"])
    let finding = try #require(evidence.finding("connect_refused"))
    #expect(
      finding.line
        == "The controller did not connect to C0:FF:EE:FF:EE:FF: Command Disallowed (0x0c) #3 #4")
    #expect(finding.severity == .error)
  }

  @Test("a page of a device whose flags exclude BR/EDR") func bredr() throws {
    let evidence = evidence {
      $0.advertise(type: 0)
      $0.begin(0x0405, little(Traffic.peer, width: 6) + hex("18 cc 01 00 00 00 01"))
      $0.event(0x03, [0x04, 0, 0] + little(Traffic.peer, width: 6) + [1, 0])
    }
    let finding = try #require(evidence.finding("connect_bredr_to_le"))
    #expect(
      finding.line
        == "A BR/EDR connection was attempted to C0:11:22:33:44:55, an LE device: Page Timeout (0x04) #2 #4 #1"
    )
    #expect(finding.certainty == .certain)
  }

  /// Returns the findings about pages of a device that advertises on LE with these flags.
  private static func pagesOfAdvertiser(
    flags: String = "02", event: UInt8 = 0, status: UInt8 = 0x04, times: Int = 1,
    _ before: (inout Traffic) -> Void = { _ in }
  ) -> [Finding] {
    let evidence = evidence { traffic in
      before(&traffic)
      traffic.advertise(type: 0, event: event, data: "02 01 \(flags)")
      for _ in 0..<times { Self.page(&traffic, status: status) }
    }
    return evidence.findings(of: "connect_bredr_to_le")
  }

  @Test("a page of a device whose flags do not exclude BR/EDR, although it only answers on LE")
  func wrongFlags() throws {
    let found = Self.pagesOfAdvertiser(times: 2)
    #expect(found.map(\.packets) == ["#2 #4 #5 #7 #1"])
    #expect(found.first.whatText.contains("heard only on LE (2 attempts)"))
    let finding = try #require(found.first)
    #expect(finding.certainty == .possible)
    #expect(finding.severity == .warning)
    #expect(finding.remedy?.text.contains("set its flags to 0x06") == true)
    #expect(finding.why.text.contains("without the flag BR/EDR Not Supported (#1)"))
  }

  @Test("the device may have both: it was heard on BR/EDR, says so, or refused the page")
  func dualMode() {
    let peer = little(Traffic.peer, width: 6)
    #expect(
      Self.pagesOfAdvertiser {
        $0.event(0x22, [1] + peer + hex("01 00 0c 02 5a 00 00 c8"))
      }.isEmpty, "Inquiry Result with RSSI")
    #expect(
      Self.pagesOfAdvertiser { $0.event(0x04, peer + hex("0c 02 5a 01")) }.isEmpty,
      "Connection Request")
    #expect(
      Self.pagesOfAdvertiser { $0.event(0x07, [0] + peer + [0x41, 0]) }.isEmpty,
      "Remote Name Request Complete")
    #expect(Self.pagesOfAdvertiser(flags: "1a").isEmpty, "simultaneous LE and BR/EDR")
    #expect(Self.pagesOfAdvertiser(status: 0x0d).isEmpty, "rejected by the device")
    #expect(Self.pagesOfAdvertiser(event: 3).isEmpty, "not connectable")
    // A flag proves nothing about a device that is heard on BR/EDR, before or later.
    let later = evidence {
      $0.advertise(type: 0)
      Self.page(&$0)
      $0.event(0x07, [0] + peer + [0x41, 0])
    }
    #expect(rules(in: later) == ["connect_page_timeout"])
    #expect(
      Self.pagesOfAdvertiser { $0.event(0x07, [4] + peer) }.count == 1,
      "a name request that failed")
  }

  /// Records Create Connection to a device over BR/EDR, and Connection Complete with a failure.
  private static func page(_ traffic: inout Traffic, status: UInt8 = 0x04) {
    let peer = little(Traffic.peer, width: 6)
    traffic.begin(0x0405, peer + hex("18 cc 01 00 00 00 01"))
    traffic.wait(5119)
    traffic.event(0x03, [status, 0, 0] + peer + [1, 0])
  }

  @Test("a BR/EDR device without a response is reported once, with the number of attempts")
  func unpaged() throws {
    let evidence = evidence {
      Self.page(&$0)
      Self.page(&$0)
    }
    #expect(rules(in: evidence) == ["connect_page_timeout"])
    let finding = try #require(evidence.finding("connect_page_timeout"))
    #expect(
      finding.line
        == "Could not connect to C0:11:22:33:44:55 over BR/EDR (2 attempts): Page Timeout (0x04) #1 #3 #4 #6"
    )
    #expect(finding.severity == .note)
    #expect(
      finding.why.text.hasSuffix(
        "reported the failure 5.1 s later (#3). The device did not answer."))
  }

  @Test("all attempts are counted; one while a connection exists shows nothing about the device")
  func counted() throws {
    let many = evidence { traffic in for _ in 0..<199 { Self.page(&traffic) } }
    #expect(many.finding("connect_page_timeout").whatText.contains("(199 attempts)"))
    let exists = try #require(
      evidence { Self.page(&$0, status: 0x0b) }.finding("connect_page_timeout"))
    #expect(exists.severity == .note)
    #expect(exists.why.text.hasSuffix("A connection with the device exists or is being made."))
    #expect(exists.remedy == nil)
  }

  @Test("one that this host cancelled is not a failure; beside LE connections it is a note")
  func unpagedBeside() {
    #expect(rules(in: evidence { Self.page(&$0, status: 0x02) }) == [])
    let beside = evidence {
      $0.connect(peer: 0xc0ff_eeff_eeff)
      $0.received("1b 03 00 01")
      Self.page(&$0)
    }
    #expect(beside.finding("connect_page_timeout")?.severity == .note)
  }

  @Test("repeating a pending attempt fails without harm") func repeated()
    throws
  {
    let evidence = evidence {
      $0.askToConnect()
      $0.askToConnect(status: 0x0c)
      $0.establish()
    }
    let finding = try #require(evidence.finding("connect_refused"))
    #expect(finding.packets == "#3 #4 #1")
    #expect(finding.what.text.contains("was repeated while it was pending"))
    #expect(finding.severity == .note)
  }

  @Test("a device that was only seen with the other address type, long before the attempt")
  func otherType() throws {
    func attempt(alsoSeen: Bool) -> Finding? {
      evidence {
        $0.advertise(type: 1)
        if alsoSeen { $0.advertise(type: 0) }
        $0.wait(120_000)
        $0.askToConnect(type: 0)
        $0.wait(20_000)
        $0.giveUpConnecting()
      }.finding("connect_wrong_address")
    }
    let finding = try #require(attempt(alsoSeen: false))
    #expect(finding.line.hasSuffix(" #1"))
    // Almost: it was also heard with the requested type.
    #expect(attempt(alsoSeen: true) == nil)
  }

  @Test("a device that may still be in a link that was lost here") func deadLink() throws {
    func attempt(after pause: Int) -> Finding? {
      evidence {
        $0.establish()
        $0.wait(100)
        $0.disconnect(reason: 0x22)
        $0.wait(pause)
        $0.askToConnect()
        $0.wait(1500)
        $0.giveUpConnecting()
      }.finding("connect_timeout")
    }
    let soon = try #require(attempt(after: 10))
    #expect(soon.why.text.contains("may still have been in that connection"))
    let late = try #require(attempt(after: 60_000))
    #expect(!late.why.text.contains("may still"), "\(late.why.text)")
  }

  // MARK: The last sign of a device

  @Test("a connection that was lost is the last sign of the device: the failed attempt is a note")
  func afterLoss() throws {
    func attempt(
      reason: UInt8 = 0x08, waits: Int = 30_000, advertisesBefore: Bool = true,
      advertises: Bool = false
    ) -> Finding? {
      evidence {
        if advertisesBefore { $0.advertise() }
        $0.askToConnect()
        $0.establish()
        $0.wait(8000)
        $0.disconnect(reason: reason)
        if advertises { $0.advertise() }
        $0.wait(199)
        $0.askToConnect()
        $0.wait(waits)
        $0.giveUpConnecting()
      }.finding("connect_timeout")
    }
    let lost = try #require(attempt())
    #expect(
      lost.line
        == "Could not connect to C0:11:22:33:44:55 again after the link was lost #6 #7 #9 #11")
    #expect(lost.severity == .note)
    #expect(lost.connections == [1])
    #expect(
      lost.why.text.hasSuffix(
        "It was in connection 1 until #6, 200 ms before the attempt, when the link was lost."))
    #expect(lost.remedy?.text == "Find out first why the link was lost (#6).")
    // It was never heard advertising.
    let unheard = try #require(attempt(advertisesBefore: false))
    #expect(
      unheard.why.text.hasSuffix(
        "when the link was lost. The capture has no advertisement of any device at that time."))
    // It may still be in the link.
    let short = try #require(attempt(waits: 1200))
    #expect(short.why.text.contains("supervision timeout of 720 ms") == true, "\(short.why.text)")
    // It was heard after the loss, so it was not away: an error of its own.
    let heard = try #require(attempt(advertises: true))
    #expect(heard.severity == .error)
    #expect(heard.why.text.contains("It was last heard advertising in #7"))
    // The peer left: the link was not lost.
    let left = try #require(attempt(reason: 0x13))
    #expect(left.severity == .error)
    #expect(left.why.text.hasSuffix("It was in connection 1 until #6, 200 ms before the attempt."))
  }

  /// Records a command about a device on the filter accept list.
  private static func list(
    _ traffic: inout Traffic, _ opcode: Int, peer: Int = Traffic.peer, type: UInt8 = 1
  ) {
    traffic.perform(opcode, [type] + little(peer, width: 6))
  }

  @Test("devices are given up together, and what was heard counts since the first attempt for each")
  func givenUpTogether() throws {
    let other = 0xc0ff_eeff_eeff
    func found(hears: Bool) -> [Finding] {
      evidence {
        $0.perform(0x0c03)
        Self.list(&$0, 0x2011)
        $0.askToConnect(peer: 0, type: 0, policy: 1)
        if hears { $0.advertise(peer: 0xc022_3344_5566) }
        $0.wait(5000)
        $0.giveUpConnecting()
        Self.list(&$0, 0x2011, peer: other)
        $0.askToConnect(peer: 0, type: 0, policy: 1)
        $0.wait(5000)
        $0.giveUpConnecting()
        Self.list(&$0, 0x2012)
        Self.list(&$0, 0x2012, peer: other)
      }.findings(of: "connect_timeout")
    }
    let heard = found(hears: true)
    #expect(
      heard.map(\.what.text) == [
        "Could not connect to C0:11:22:33:44:55", "Could not connect to C0:FF:EE:FF:EE:FF",
      ])
    let texts = heard.map(\.why.text)
    #expect(texts[0].hasSuffix("The capture has no advertisement from this address until then."))
    #expect(texts[1].hasSuffix("The capture has no advertisement of any device at that time."))
    #expect(
      found(hears: false).allSatisfy {
        $0.why.text.hasSuffix("The capture has no advertisement of any device at that time.")
      })
  }

  @Test("a device on the list with both address types is one device, and has no wrong type")
  func bothTypes() throws {
    let evidence = evidence {
      $0.perform(0x0c03)
      for type in [UInt8(0), 1] { Self.list(&$0, 0x2011, type: type) }
      $0.askToConnect(peer: 0, type: 0, policy: 1)
      $0.wait(30_000)
      $0.giveUpConnecting()
      for type in [UInt8(0), 1] { Self.list(&$0, 0x2012, type: type) }
      $0.advertise(type: 0)
    }
    #expect(rules(in: evidence) == ["connect_timeout"])
    #expect(evidence.packets(of: "connect_timeout") == ["#7 #9 #11 #14"])
  }

  @Test("a host that waits for a device, and cancels and repeats the attempt, gets one note")
  func longWait() throws {
    func capture(_ times: Int, connects: Bool = false, hears: Bool = false) -> [Finding] {
      evidence { traffic in
        traffic.perform(0x0c03)
        Self.list(&traffic, 0x2011)
        if connects {
          traffic.establish()
        }
        for _ in 0..<times {
          traffic.askToConnect(peer: 0, type: 0, policy: 1)
          traffic.wait(10_000)
          traffic.giveUpConnecting()
        }
        traffic.askToConnect(peer: 0, type: 0, policy: 1)
        if hears { traffic.advertise() }
        traffic.wait(1000)
        traffic.command(0x1001)
      }.findings(of: "connect_timeout")
    }
    let found = capture(12)
    #expect(
      found.map(\.line) == [
        "C0:11:22:33:44:55 did not appear while this host scanned for it #5 #62"
      ])
    let finding = try #require(found.first)
    #expect(finding.severity == .note)
    #expect(finding.why.text.contains("cancelled 12 times, last at #62"))
    #expect(capture(12, hears: true).first?.what.text.contains("was not reached") == true)
    #expect(capture(9).isEmpty, "few of them")
    #expect(capture(12, connects: true).isEmpty, "it is connected")
  }

  @Test(
    "a device with the name of one that is connected over BR/EDR may be it: another explanation")
  func namesake() throws {
    func attempt(name: String = "41 42 43 44", classic: Bool = true, type: UInt8 = 1) -> Finding? {
      evidence {
        if classic {
          $0.event(
            0x07,
            [0] + little(Traffic.peer, width: 6) + hex("41 42 43 44")
              + [UInt8](repeating: 0, count: 244))
          $0.connectClassic()
        }
        $0.askToConnect(peer: 0xc0ff_eeff_eeff, type: type)
        $0.advertise(peer: 0x6011_2233_4466, data: "05 09 \(name)")
        $0.wait(30_000)
        $0.giveUpConnecting()
      }.finding("connect_timeout")
    }
    let finding = try #require(attempt())
    #expect(finding.alternatives.count == 1)
    #expect(finding.alternatives.first?.text.contains("with the name \"ABCD\" (#5)") == true)
    #expect(attempt(name: "41 42 43 45")?.alternatives.isEmpty == true, "another name")
    #expect(attempt(classic: false)?.alternatives.isEmpty == true, "no such connection")
    #expect(attempt(type: 0)?.alternatives.isEmpty == true, "a public address does not change")
  }

  @Test("a wrong address type that was put right later is a note") func typePutRight() throws {
    func attempt(type: UInt8) -> Finding? {
      evidence {
        $0.advertise(type: 1)
        $0.askToConnect(type: 0)
        $0.wait(20_000)
        $0.giveUpConnecting()
        $0.wait(60_000)
        $0.connect(type: type)
        $0.received("1b 03 00 01")
      }.finding("connect_wrong_address")
    }
    let right = try #require(attempt(type: 1))
    #expect(right.severity == .note)
    #expect(right.isResolved)
    #expect(attempt(type: 0)?.severity == .error)
  }

  @Test("a device on LE Coded, and an attempt on LE 1M; with both PHYs there is no finding")
  func phy() throws {
    let wrong = evidence {
      $0.advertise(phy: 3)
      $0.askToConnect(phys: 1)
      $0.clock += 5000
      $0.giveUpConnecting()
    }
    #expect(
      wrong.lines(of: "connect_scan_wrong_phy") == [
        "The attempt did not scan on the PHY that C0:11:22:33:44:55 advertises on #2 #4 #6 #1"
      ])
    let right = evidence {
      $0.advertise(phy: 3)
      $0.askToConnect(phys: 5)
      $0.clock += 5000
      $0.giveUpConnecting()
    }
    #expect(rules(in: right) == ["connect_timeout"])
  }

  @Test("impossible parameters are named with the reason") func impossible() {
    // Interval 30 ms, latency 20, timeout 1000 ms: must be above 2 × 21 × 30 = 1260 ms.
    let evidence = evidence {
      $0.askToConnect(wanted: "18 00 18 00 14 00 64 00", status: 0x12)
    }
    #expect(
      evidence.lines(of: "connect_parameters_impossible") == [
        "The connection was requested with invalid parameters #1 #2"
      ])
    #expect(
      evidence.finding("connect_refused").whyText.contains("= 1260 ms"), "\(rules(in: evidence))")
  }
}

@Suite("Links that were created but never established") struct NotEstablishedTests {
  private static func attempt(_ traffic: inout Traffic, after milliseconds: Int) {
    traffic.askToConnect()
    traffic.connect()
    traffic.clock += milliseconds - 1
    traffic.disconnect(reason: 0x3e)
  }

  @Test("0x3e is reported with its time and the six intervals that it means") func one() throws {
    let evidence = evidence { Self.attempt(&$0, after: 182) }
    let finding = try #require(evidence.finding("connect_not_established"))
    #expect(
      finding.line
        == "The link was not established and ended after 182 ms: Connection Failed to be Established (0x3e) #3 #4"
    )
    #expect(finding.severity == .error)
    #expect(rules(in: evidence) == ["connect_not_established"])
  }

  @Test("many of them are one finding") func many() throws {
    let evidence = evidence { traffic in
      for _ in 0..<12 { Self.attempt(&traffic, after: 91) }
    }
    let found = evidence.lines(of: "connect_not_established")
    #expect(found.count == 1, "\(found)")
    #expect(
      found.first?.hasPrefix(
        "12 links to one device were not established and ended after 91 ms: Connection Failed to be Established (0x3e)"
      ) == true,
      "\(found)")
  }

  @Test("if a link is established afterwards, it is a resolved note") func retried() {
    let evidence = evidence {
      Self.attempt(&$0, after: 91)
      $0.establish()
    }
    let finding = evidence.finding("connect_not_established")
    #expect(finding?.severity == .note)
    #expect(finding?.isResolved == true)
  }

  @Test("on the peripheral it is the central that was not heard again") func peripheral() {
    let evidence = evidence {
      $0.connect(role: 1)
      $0.disconnect(reason: 0x3e)
    }
    #expect(
      evidence.finding("connect_not_established").whyText.hasPrefix(
        "The central's connection request arrived"))
  }

  @Test("a link that the peer ends after data was established") func established() {
    let evidence = evidence {
      $0.establish()
      $0.disconnect(reason: 0x13)
    }
    #expect(rules(in: evidence) == [])
  }
}
