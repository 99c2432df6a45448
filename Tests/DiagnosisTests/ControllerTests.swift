import Bluetooth
import Diagnosis
import MadeTraffic
import Testing
import Words

@Suite("Rules about controllers") struct ControllerTests {
  @Test("Hardware Error is reported once, with its code and number") func hardware() {
    let evidence = evidence {
      $0.event(0x10, [0x42])
      $0.event(0x10, [0x42])
    }
    #expect(
      findings(of: "hci-hardware-error", in: evidence) == [
        "The controller reports Hardware Error 2 times, code 0x42 #1 #2"
      ])
    #expect(first("hci-hardware-error", in: evidence)?.severity == .error)
  }

  @Test("no event for more than two seconds after a command: the controller is dead")
  func dead() throws {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x1001)
      $0.clock += 2001
      $0.command(0x0c03)
    }
    let finding = try #require(first("hci-command-unanswered", in: evidence))
    #expect(
      finding.line
        == "The controller is dead: no event after Read Local Version Information (#3) #3 #4")
    #expect(finding.severity == .error)
    #expect(
      finding.why.text
        == "It answered 1 command before, but not this one, nor 1 later command, and sent nothing else."
    )
  }

  @Test("a reset that revives a silent controller does not hide the unanswered commands")
  func revived() {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x1001)
      $0.clock += 2001
      $0.command(0x0c03)
      $0.complete(0x0c03)
    }
    #expect(
      findings(of: "hci-command-unanswered", in: evidence) == [
        "The controller did not answer Read Local Version Information (#3) #3"
      ])
  }

  @Test("a command that is sent twice, and refused the second time") func twice() throws {
    func refusal(granted: Bool) -> Finding? {
      first(
        "hci-advertising-refused",
        in: evidence {
          if granted {
            $0.command(0x200a, [1])
            $0.complete(0x200a)
          }
          $0.command(0x200a, [1])
          $0.complete(0x200a, [0x0c])
        })
    }
    let second = try #require(refusal(granted: true))
    #expect(second.severity == .note)
    #expect(second.why.text.contains("it was sent twice"), "\(second.why.text)")
    #expect(refusal(granted: false)?.severity == .error)
  }

  /// The first answer may belong to either command, so it is not certain which one was refused.
  @Test("two equal commands, more than the controller allows, one of which is refused")
  func twiceAtOnce() throws {
    let finding = first(
      "hci-advertising-refused",
      in: evidence {
        $0.complete(0x1001)
        $0.command(0x200a, [1])
        $0.command(0x200a, [1])
        $0.complete(0x200a)
        $0.complete(0x200a, [0x0c])
      })
    #expect(finding?.certainty == .likely)
    #expect(finding?.severity == .note)
  }

  @Test("opcodes of groups that HCI lacks belong to the host software, and get no response")
  func foreignGroup() {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0xf401)
      $0.clock += 3000
      $0.command(0x0c03)
      $0.complete(0x0c03)
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("a capture that ends within two seconds of the command gives no finding") func ends() {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
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
    #expect(findings(of: "hci-command-unanswered", in: evidence) == [])
  }

  @Test("one command without a response although later ones have theirs") func passed() throws {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x1001)
      $0.command(0x1009)
      $0.complete(0x1009)
    }
    let finding = try #require(first("hci-command-unanswered", in: evidence))
    #expect(
      finding.line == "The controller did not answer Read Local Version Information (#3) #3")
    #expect(finding.severity == .warning)
    #expect(finding.certainty == .likely)
  }

  @Test("commands in a gap, before a reset, or without any response are not missed")
  func notMissed() {
    let evidence = evidence {
      $0.command(0x1001)
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x0c35, [1] + little(0x40) + little(1))
      $0.command(0x1002)
      $0.add([4, 0x0e, 4, 1, 9, 0x10, 0], .received, drops: 2)
      $0.command(0x1009)
      $0.complete(0x1009)
    }
    #expect(rules(in: evidence) == ["capture-dropped"])
  }

  @Test("extended advertising after legacy is refused: the two are mixed") func mixed() throws {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x200b, hex("01 10 00 10 00 00 00"))
      $0.complete(0x200b)
      $0.command(0x2039, hex("01 01 00 00 00 00"))
      $0.complete(0x2039, [0x0c])
    }
    #expect(rules(in: evidence) == ["hci-advertising-mixed"])
    let finding = try #require(first("hci-advertising-mixed", in: evidence))
    #expect(
      finding.line
        == "LE Set Extended Advertising Enable is refused: legacy and extended commands are mixed #3 #5 #6"
    )
    #expect(
      finding.why.text
        == "Since LE Set Scan Parameters of #3 the controller has been in the other mode, and it answers Command Disallowed (0x0c)."
    )
  }

  @Test("mixed but not refused, or with a reset in between, gives no such finding") func notMixed()
  {
    let accepted = evidence {
      $0.command(0x2041, hex("00 00 01 01 10 00 10 00"))
      $0.complete(0x2041)
      $0.command(0x200a, [1])
      $0.complete(0x200a)
    }
    #expect(rules(in: accepted) == [])
    let reset = evidence {
      $0.command(0x2041, hex("00 00 01 01 10 00 10 00"))
      $0.complete(0x2041)
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x200a, [1])
      $0.complete(0x200a, [0x0c])
    }
    #expect(rules(in: reset) == ["hci-advertising-refused"])
  }

  @Test("refused advertising and scanning; a later success makes it a resolved note")
  func refused() {
    let advertising = evidence {
      $0.command(0x200a, [1])
      $0.complete(0x200a, [0x0c])
    }
    #expect(
      findings(of: "hci-advertising-refused", in: advertising) == [
        "The controller refused LE Set Advertising Enable: Command Disallowed (0x0c) #1 #2"
      ])
    #expect(first("hci-advertising-refused", in: advertising)?.severity == .error)
    let scanning = evidence {
      $0.command(0x200c, [1, 0])
      $0.complete(0x200c, [0x0c])
      $0.command(0x200c, [1, 0])
      $0.complete(0x200c)
    }
    let finding = first("hci-scanning-refused", in: scanning)
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
          $0.command(0x2040, [enable, 0])
          $0.complete(0x2040, [status])
        }
      }
      #expect(rules(in: evidence) == [], "status \(status)")
    }
    let on = evidence {
      $0.command(0x2040, [1, 0])
      $0.complete(0x2040, [0x0c])
    }
    #expect(rules(in: on) == ["hci-advertising-refused"])
  }

  @Test(
    "a response with the opcode 0xffff answers the pending command: the chip does not know it")
  func unknownOpcode() {
    let evidence = evidence {
      $0.command(0x0c03)
      $0.complete(0x0c03)
      $0.command(0x2060)
      $0.complete(0xffff, [1])
      $0.command(0x1001)
      $0.complete(0x1001)
      // One more, without a pending command, means nothing.
      $0.complete(0xffff, [1])
      $0.wait(3000)
      $0.complete(0)
    }
    #expect(rules(in: evidence) == ["hci-unknown-command"])
    #expect(
      findings(of: "hci-unknown-command", in: evidence) == [
        "The controller lacks 1 command that the host tried #3 #4"
      ])
  }

  @Test("disabling something disabled is harmless, and so is naming a link that has just ended")
  func harmless() {
    let evidence = evidence {
      $0.command(0x200c, [0, 0])
      $0.complete(0x200c, [0x0c])
      $0.command(0x200a, [0])
      $0.complete(0x200a, [0x0c])
      $0.command(0x2042, hex("00 00 00 00 00 00"))
      $0.complete(0x2042, [0x0c])
      $0.command(0x200e)
      $0.complete(0x200e, [0x0c])
      $0.askToDisconnect(status: 0x02)
      $0.command(0xfc01)
      $0.complete(0xfc01, [0x4d])
    }
    #expect(rules(in: evidence) == [])
  }

  @Test("equal refusals are counted; a missing feature of the controller is a note") func others() {
    let evidence = evidence { traffic in
      for _ in 0..<3 {
        traffic.command(0x2022, little(0x40) + hex("fb 00 48 08"))
        traffic.complete(0x2022, [0x12] + little(0x40))
      }
      traffic.command(0x1009)
      traffic.complete(0x1009, [0x01])
    }
    #expect(
      findings(of: "hci-command-refused", in: evidence) == [
        "The controller refused LE Set Data Length 3 times: Invalid HCI Command Parameters (0x12) #1 #2 #3 #4 #5 #6"
      ])
    #expect(
      findings(of: "hci-unknown-command", in: evidence) == [
        "The controller lacks 1 command that the host tried #7 #8"
      ])
    #expect(first("hci-unknown-command", in: evidence)?.severity == .note)
  }
}
