import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about controllers") struct ControllerRuleTests {
  @Test("Hardware Error is reported once, with its code and number") func hardware() {
    let evidence = evidence {
      $0.event(0x10, [0x42])
      $0.event(0x10, [0x42])
    }
    #expect(
      evidence.lines(of: "hci_hardware_error") == [
        "The controller reports Hardware Error 2 times, code 0x42 #1 #2"
      ])
    #expect(evidence.finding("hci_hardware_error")?.severity == .error)
  }

  @Test("a Hardware Error in place of an answer names the command, and what is wrong with it")
  func hardwareAtCommand() throws {
    func capture(
      _ bytes: [UInt8], delay: Int = 1, answers: Bool = false
    ) -> Finding? {
      evidence {
        $0.perform(0x0c03)
        $0.add(bytes, .sent)
        $0.clock += delay
        $0.event(0x10, [0])
        if answers { $0.complete(0x2009) }
      }.finding("hci_hardware_error")
    }
    let data = [UInt8](repeating: 0, count: 31)
    let whole = [1] + little(0x2009) + [32, 0] + data
    let plain = try #require(capture(whole))
    #expect(
      plain.headline.text
        == "the controller reports Hardware Error instead of answering LE Set Scan Response Data (#3)"
    )
    #expect(plain.certainty == .possible)
    let long = try #require(capture(whole + [0, 0]))
    #expect(long.why.text.contains("with 32 bytes of parameters"))
    #expect(long.why.text.hasSuffix("The packet has 2 bytes more than its length field states."))
    #expect(capture(whole, delay: 3000)?.certainty == .certain, "too long before")
    #expect(capture(whole, answers: true)?.certainty == .certain, "answered after all")
  }

  @Test("a refused command whose length is wrong says what is wrong") func wrongLength() {
    func why(_ parameters: [UInt8], status: UInt8 = 0x12) -> String? {
      evidence {
        $0.perform(0x2008, parameters, returns: [status])
      }.finding("hci_advertising_refused")?.why.text
    }
    let asked = "The command in #1 was answered with this status."
    #expect(why([31] + [UInt8](repeating: 0, count: 31)) == asked)
    #expect(
      why([32] + [UInt8](repeating: 0, count: 32))
        == "\(asked) Its data length is 32, but the field for the data has 31 bytes.")
    #expect(
      why([5] + [UInt8](repeating: 0, count: 5))
        == "\(asked) A parameter needs 31 bytes, but only 5 are left.")
    #expect(
      why([5] + [UInt8](repeating: 0, count: 33))
        == "\(asked) Its parameters have 2 bytes more than the specification defines.")
  }

  @Test("an answer that is one byte too long, after which the host resets the controller")
  func badAnswer() throws {
    func capture(
      _ more: [UInt8], times: Int = 2, pause: Int = 4000, goesOn: Bool = false
    ) -> Finding? {
      evidence { traffic in
        for _ in 0..<times {
          traffic.perform(0x0c03)
          traffic.perform(0x1004, [1], returns: [0, 1, 2] + little(15, width: 8) + more)
          if goesOn {
            traffic.perform(0x1009, returns: [0] + little(Traffic.peer, width: 6))
          }
          traffic.clock += pause
        }
        traffic.perform(0x0c03)
      }.finding("hci_answer_length")
    }
    let finding = try #require(capture([0x5a]))
    #expect(finding.packets == "#3 #4 #5 #7 #8 #9")
    #expect(finding.what.text.contains("with 1 byte too many, 2 times"))
    #expect(finding.certainty == .likely)
    #expect(
      finding.why.text.contains(
        "the host sent nothing for 4.0 s, then it reset the controller (#5)"))
    #expect(capture([0x5a], times: 1)?.certainty == .possible)
    #expect(capture([]) == nil, "the right length")
    #expect(capture([0x5a], pause: 10) == nil, "the host did not wait")
    #expect(capture([0x5a], goesOn: true) == nil, "the host went on")
  }

  @Test("an advertising set ends that the host never configured") func wrongSet() throws {
    func capture(
      resets: Bool = true, handle: UInt8 = 0, drops: UInt64 = 0
    ) -> [String] {
      let evidence = evidence {
        if resets {
          $0.perform(0x0c03)
        }
        $0.command(0x2036, [1] + [UInt8](repeating: 1, count: 24))
        $0.add([4, 0x0e, 5, 1, 0x36, 0x20, 0, 0], .received, drops: drops)
        $0.perform(0x2039, hex("01 01 01 00 00 00"))
        $0.meta(0x12, [0, handle] + little(0x40) + [0])
      }
      return evidence.lines(of: "hci_wrong_advertising_set")
    }
    #expect(
      capture() == [
        "The controller reports the end of advertising set 0, which does not exist #5 #7"
      ])
    #expect(capture(handle: 1) == [])
    #expect(capture(resets: false) == [], "the set may have been configured before")
    #expect(capture(drops: 1) == [], "or where records are missing")
  }

  @Test("a private address is not resolved with an old entry of the resolving list")
  func resolvingList() throws {
    func capture(key: UInt8, removes: Bool = false) -> Finding? {
      let device = [0] + little(Traffic.peer, width: 6)
      return evidence {
        $0.perform(0x0c03)
        for (index, key) in [0x11, key].enumerated() {
          if index == 1, removes {
            $0.perform(0x2028, device)
          }
          $0.perform(
            0x2027,
            device + [UInt8](repeating: key, count: 16) + [UInt8](repeating: 0, count: 16),
            returns: [index == 0 ? 0 : 0x12])
        }
      }.finding("hci_command_refused")
    }
    let other = try #require(capture(key: 0x22))
    #expect(
      other.line
        == "The controller refused LE Add Device To Resolving List: Invalid HCI Command Parameters (0x12) #3 #5 #6"
    )
    #expect(other.severity == .warning)
    #expect(
      other.why.text.hasPrefix(
        "The identity is already on the list with another identity resolving key (#3)"))
    #expect(capture(key: 0x11)?.severity == .note)
    #expect(
      capture(key: 0x22, removes: true)?.why.text
        == "The command in #7 was answered with this status.", "the list has no such entry")
  }

  @Test("a group of streams is removed too early, and cannot be set up again") func groups() throws
  {
    func capture(closes: Bool) -> [Finding] {
      evidence {
        let parameters = hex(
          "01 10 27 00 10 27 00 00 00 00 0a 00 0a 00 01 00 28 00 28 00 02 02 02 02")
        $0.connect()
        $0.perform(0x2062, parameters, returns: hex("00 01 01") + little(0x60))
        $0.begin(0x2064, [1] + little(0x60) + little(0x40))
        $0.meta(0x19, [0] + little(0x60) + [UInt8](repeating: 0, count: 25))
        if closes {
          $0.askToDisconnect(0x60)
          $0.disconnect(0x60, reason: 0x16)
        }
        $0.perform(0x2065, [1], returns: [0x0c, 1])
        if !closes { $0.disconnect(0x60, reason: 0x08) }
        $0.perform(0x2062, parameters, returns: hex("0c 01 00"))
      }.findings(of: "hci_command_refused")
    }
    let early = capture(closes: false)
    #expect(
      early.map(\.line) == [
        "The controller refused LE Remove CIG: Command Disallowed (0x0c), while a stream of the group is open (since #6) #6 #7 #8",
        "The controller refused LE Set CIG Parameters: Command Disallowed (0x0c), while the group was never removed (#7 was refused) #7 #10 #11",
      ])
    #expect(early.allSatisfy { $0.certainty == .certain })
    #expect(capture(closes: true).allSatisfy { !$0.what.text.contains("while") })
  }

  @Test("commands without which nothing works are no missing options") func needed() {
    let evidence = evidence {
      $0.perform(0x2006, [UInt8](repeating: 0, count: 15), returns: [0x11])
    }
    #expect(rules(in: evidence) == ["hci_advertising_refused"])
    #expect(evidence.finding("hci_advertising_refused")?.severity == .error)
  }

  @Test(
    "routine refusals are notes",
    arguments: [
      (0x0c12, "55 44 33 22 11 c0 00"), (0x0c83, "00 01 00"),
      (0x2011, "00 00 00 00 00 00 00"), (0x0419, "55 44 33 22 11 c0 01 00 00 00"),
    ])
  func routine(_ opcode: Int, _ parameters: String) {
    let evidence = evidence {
      $0.command(opcode, hex(parameters))
      if opcode == 0x0419 { $0.status(opcode, 0x0c) } else { $0.complete(opcode, [0x0c]) }
    }
    #expect(evidence.finding("hci_command_refused")?.severity == .note)
  }

  @Test("a command that was only accepted later has not succeeded") func acceptedOnly() {
    func isResolved(_ again: (inout Traffic) -> Void) -> Bool? {
      evidence {
        $0.connect()
        $0.begin(0x2032, little(0x40) + hex("00 02 02 00 00"), status: 0x0c)
        again(&$0)
      }.finding("hci_command_refused")?.isResolved
    }
    #expect(
      isResolved {
        $0.begin(0x2032, little(0x40) + hex("00 02 02 00 00"))
      } == false)
  }

  // MARK: Buffers

  /// Appends the answer to LE Read Buffer Size: this many packets of 27 bytes; 0 shares those of
  /// BR/EDR, of which there are 3.
  private static func tellBuffers(_ traffic: inout Traffic, _ packets: UInt8) {
    traffic.perform(0x0c03)
    traffic.perform(0x1005, returns: [0] + little(1021) + [64] + little(3) + little(8))
    traffic.perform(0x2002, returns: [0] + little(packets == 0 ? 0 : 27) + [packets])
    traffic.connect()
  }

  @Test("more packets than the controller has buffers, after which it falls silent")
  func tooManyPackets() throws {
    let evidence = evidence { traffic in
      Self.tellBuffers(&traffic, 4)
      traffic.sent("52 03 00 01")
      traffic.completed(1)
      for _ in 0..<6 { traffic.sent("52 03 00 01") }
      traffic.clock += 2000
      traffic.command(0x0406, little(0x40) + [0x13])
      traffic.clock += 2100
      traffic.command(0x0c03)
    }
    #expect(rules(in: evidence) == ["hci_data_overflow"])
    let finding = try #require(evidence.finding("hci_data_overflow"))
    #expect(
      finding.line
        == "This host sent more data than the controller has buffers for #6 #10 #14 #16")
    #expect(finding.certainty == .likely)
    #expect(finding.why.text.contains("With #15 it had to hold 6, from #10 on"))
    #expect(finding.why.text.contains("completed no packet, and did not answer Disconnect (#16)"))
  }

  @Test("Data Buffer Overflow is certain, with or without the number of buffers")
  func overflow() throws {
    let counted = evidence { traffic in
      Self.tellBuffers(&traffic, 0)
      traffic.sent("52 03 00 01")
      traffic.completed(1)
      for _ in 0..<4 { traffic.sent("52 03 00 01") }
      traffic.event(0x1a, [1])
    }
    let finding = try #require(counted.finding("hci_data_overflow"))
    #expect(
      finding.line
        == "This host sent more data than the controller has buffers for: Data Buffer Overflow #4 #10 #13 #14"
    )
    #expect(finding.certainty == .certain)
    let unknown = evidence {
      $0.connect()
      $0.sent("52 03 00 01")
      $0.event(0x1a, [1])
    }
    #expect(
      unknown.lines(of: "hci_data_overflow") == [
        "The controller lost data of this host: Data Buffer Overflow #3"
      ])
  }

  @Test(
    "a host that waits, a controller that goes on, and captures that lack something: no overflow")
  func enoughBuffers() {
    func found(completes: Bool = true, _ build: (inout Traffic) -> Void) -> [String] {
      evidence { traffic in
        Self.tellBuffers(&traffic, 2)
        if completes {
          traffic.sent("52 03 00 01")
          traffic.completed(1)
        }
        build(&traffic)
        traffic.clock += 3000
        traffic.note(12)
      }.lines(of: "hci_data_overflow")
    }
    let send = { (traffic: inout Traffic, times: Int) in
      for _ in 0..<times { traffic.sent("52 03 00 01") }
    }
    #expect(found { send(&$0, 3) }.count == 1)
    #expect(found { send(&$0, 2) } == [])
    #expect(found(completes: false) { send(&$0, 3) } == [], "no event completes packets")
    #expect(
      found {
        for _ in 0..<9 {
          send(&$0, 1)
          $0.completed(1)
        }
      } == [])
    #expect(
      found {
        send(&$0, 3)
        $0.completed(1)
      } == [], "completed all the same")
    #expect(
      found {
        send(&$0, 2)
        $0.disconnect()
        $0.connect(0x41)
        $0.sent("52 03 00 01", handle: 0x41)
      } == [], "the packets of a link are discarded with it")
    #expect(
      found {
        send(&$0, 2)
        $0.add([4, 0xff, 1, 0], .received, drops: 1)
        send(&$0, 1)
      } == [], "records are missing")
    #expect(
      evidence {
        $0.connect()
        send(&$0, 30)
        $0.clock += 3000
        $0.note(12)
      }.lines(of: "hci_data_overflow") == [], "the number of buffers is unknown")
  }

  @Test("no event for more than two seconds after a command: the controller is dead")
  func dead() throws {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.command(0x1001)
      $0.clock += 2001
      $0.command(0x0c03)
    }
    let finding = try #require(evidence.finding("hci_command_unanswered"))
    #expect(
      finding.line
        == "The controller fell silent: no event after Read Local Version Information (#3) #3 #4")
    #expect(finding.severity == .error)
    #expect(
      finding.why.text
        == "It answered 1 command before, but not this one, nor 1 later command, and sent nothing else."
    )
  }

  @Test("a reset that revives a silent controller does not hide the unanswered commands")
  func revived() {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.command(0x1001)
      $0.clock += 2001
      $0.perform(0x0c03)
    }
    #expect(
      evidence.lines(of: "hci_command_unanswered") == [
        "The controller did not answer Read Local Version Information (#3) #3"
      ])
  }

  @Test("a command that is sent twice, and refused the second time") func twice() throws {
    func refusal(granted: Bool) -> Finding? {
      evidence {
        if granted {
          $0.perform(0x200a, [1])
        }
        $0.perform(0x200a, [1], returns: [0x0c])
      }.finding("hci_advertising_refused")
    }
    let second = try #require(refusal(granted: true))
    #expect(second.severity == .note)
    #expect(second.why.text.contains("it was sent twice"))
    #expect(refusal(granted: false)?.severity == .error)
  }

  /// The first answer may belong to either command, so it is not certain which one was refused.
  @Test("two equal commands, more than the controller allows, one of which is refused")
  func twiceAtOnce() throws {
    let finding = evidence {
      $0.complete(0x1001)
      $0.command(0x200a, [1])
      $0.perform(0x200a, [1])
      $0.complete(0x200a, [0x0c])
    }.finding("hci_advertising_refused")
    #expect(finding?.certainty == .possible)
    #expect(finding?.severity == .note)
  }

  @Test("opcodes of groups that HCI lacks belong to the host software, and get no response")
  func foreignGroup() {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.command(0xf401)
      $0.clock += 3000
      $0.perform(0x0c03)
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("a capture that ends within two seconds of the command gives no finding") func ends() {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.command(0x1001)
      $0.clock += 1000
      $0.note(12)
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("a capture without any response has no events: no finding about the controller")
  func oneSided() {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.clock += 5000
      $0.command(0x1001)
    }
    #expect(evidence.lines(of: "hci_command_unanswered") == [])
  }

  @Test("one command without a response although later ones have theirs") func passed() throws {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.command(0x1001)
      $0.perform(0x1009)
    }
    let finding = try #require(evidence.finding("hci_command_unanswered"))
    #expect(finding.packets == "#3")
    #expect(finding.severity == .warning)
    #expect(finding.certainty == .likely)
  }

  @Test("commands in a gap, before a reset, or without any response are not missed")
  func notMissed() {
    let evidence = evidence {
      $0.command(0x1001)
      $0.perform(0x0c03)
      $0.command(0x0c35, [1] + little(0x40) + little(1))
      $0.command(0x1002)
      $0.add([4, 0x0e, 4, 1, 9, 0x10, 0], .received, drops: 2)
      $0.perform(0x1009)
    }
    #expect(rules(in: evidence) == ["capture_dropped"])
  }

  @Test("extended advertising after legacy is refused: the two are mixed") func mixed() throws {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.perform(0x200b, hex("01 10 00 10 00 00 00"))
      $0.perform(0x2039, hex("01 01 00 00 00 00"), returns: [0x0c])
    }
    #expect(rules(in: evidence) == ["hci_advertising_mixed"])
    let finding = try #require(evidence.finding("hci_advertising_mixed"))
    #expect(
      finding.line
        == "LE Set Extended Advertising Enable is refused: legacy and extended commands are mixed #3 #5 #6"
    )
    #expect(finding.why.text.hasPrefix("Since LE Set Scan Parameters of #3"))
  }

  @Test("mixed but not refused, or with a reset in between, gives no such finding") func notMixed()
  {
    let accepted = evidence {
      $0.perform(0x2041, hex("00 00 01 01 10 00 10 00"))
      $0.perform(0x200a, [1])
    }
    #expect(rules(in: accepted) == [])
    let reset = evidence {
      $0.perform(0x2041, hex("00 00 01 01 10 00 10 00"))
      $0.perform(0x0c03)
      $0.perform(0x200a, [1], returns: [0x0c])
    }
    #expect(rules(in: reset) == ["hci_advertising_refused"])
  }

  @Test("refused advertising and scanning; a later success makes it a resolved note")
  func refused() {
    let advertising = evidence {
      $0.perform(0x200a, [1], returns: [0x0c])
    }
    #expect(
      advertising.lines(of: "hci_advertising_refused") == [
        "The controller refused LE Set Advertising Enable: Command Disallowed (0x0c) #1 #2"
      ])
    #expect(advertising.finding("hci_advertising_refused")?.severity == .error)
    let scanning = evidence {
      $0.perform(0x200c, [1, 0], returns: [0x0c])
      $0.perform(0x200c, [1, 0])
    }
    let finding = scanning.finding("hci_scanning_refused")
    #expect(finding?.severity == .note)
    #expect(finding?.isResolved == true)
  }

  @Test("disabling periodic advertising that never ran is harmless; enabling it is not")
  func periodicAdvertisingOff() {
    for status in [0x0c, 0x42] as [UInt8] {
      let evidence = evidence {
        // LE Set Periodic Advertising Enable: off, with bit 1, which is another option; advertising
        // handle 0.
        for enable in [0, 2] as [UInt8] {
          $0.perform(0x2040, [enable, 0], returns: [status])
        }
      }
      #expect(rules(in: evidence) == [], "status \(status)")
    }
    let on = evidence {
      $0.perform(0x2040, [1, 0], returns: [0x0c])
    }
    #expect(rules(in: on) == ["hci_advertising_refused"])
  }

  @Test(
    "a response with the opcode 0xffff answers the pending command: the chip does not know it")
  func unknownOpcode() {
    let evidence = evidence {
      $0.perform(0x0c03)
      $0.command(0x2060)
      $0.complete(0xffff, [1])
      $0.perform(0x1001)
      // One more, without a pending command, means nothing.
      $0.complete(0xffff, [1])
      $0.wait(3000)
      $0.complete(0)
    }
    #expect(rules(in: evidence) == ["hci_unknown_command"])
    #expect(evidence.packets(of: "hci_unknown_command") == ["#3 #4"])
  }

  @Test("disabling something disabled is harmless, and so is naming a link that has just ended")
  func harmless() {
    let evidence = evidence {
      $0.perform(0x200c, [0, 0], returns: [0x0c])
      $0.perform(0x200a, [0], returns: [0x0c])
      $0.perform(0x2042, hex("00 00 00 00 00 00"), returns: [0x0c])
      $0.perform(0x200e, returns: [0x0c])
      $0.askToDisconnect(status: 0x02)
      $0.perform(0xfc01, returns: [0x4d])
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("equal refusals are counted; a missing feature of the controller is a note") func others() {
    let evidence = evidence { traffic in
      for _ in 0..<3 {
        traffic.perform(0x2022, little(0x40) + hex("fb 00 48 08"), returns: [0x12] + little(0x40))
      }
      traffic.perform(0x1009, returns: [0x01])
    }
    #expect(evidence.packets(of: "hci_command_refused") == ["#1 #2 #3 #4 #5 #6"])
    #expect(evidence.finding("hci_command_refused").whatText.contains("LE Set Data Length 3 times"))
    #expect(evidence.packets(of: "hci_unknown_command") == ["#7 #8"])
    #expect(evidence.finding("hci_unknown_command")?.severity == .note)
  }
}
