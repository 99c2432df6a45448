// Requests that are refused for other reasons, and requests that are allowed although they are not
// offered.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Refused for other reasons") struct RefusalRuleTests {
  /// Returns the findings about one request on a connection whose server was discovered, and why.
  private func finds(
    _ request: String, _ answer: String, discovers: Bool = true
  ) -> [String] {
    let evidence = evidence {
      $0.connect()
      if discovers { $0.discoverHeartRate() }
      $0.ask(request, answer)
      // The refusal did not end a session that continues for a while.
      $0.wait(20_000)
      $0.disconnect()
    }
    return attributeFindings(in: evidence).map { "\($0.rule): \($0.why.text)" }
  }

  /// Records a refused write, what follows, and the disconnection.
  private func refused(_ build: (inout Traffic) -> Void) -> Finding? {
    evidence {
      $0.connectToHeartRate()
      $0.ask("12 13 00 01", "01 12 13 00 03")
      build(&$0)
      $0.disconnect()
    }.finding("att_not_permitted")
  }

  @Test("a refused descriptor is named with its characteristic") func descriptor() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("04 11 00 11 00", "05 01 11 00 02 29")
      $0.ask("12 11 00 01 00", "01 12 11 00 03")
      $0.wait(20_000)
      $0.disconnect()
    }
    let words = attributeFindings(in: evidence).map(\.what.text)
    #expect(
      words == ["Write to 2902 CCCD (0x0011) of 2a37 refused: Write Not Permitted (0x03)"])
  }

  @Test("a refusal after which one side disconnects is an error; in a useful session it is not")
  func endsSession() {
    let ended = refused { $0.wait(2000) }
    #expect(ended?.severity == .error)
    // Almost: the link stays connected, or something else works.
    #expect(refused { $0.wait(20_000) }?.severity == .warning)
    #expect(refused { $0.ask("0a 13 00", "0b 01") }?.severity == .warning)
  }

  @Test("a CCCD that a server does not let its client write is the server's defect")
  func badServer() {
    let reported = evidence {
      $0.connectToHeartRate()
      $0.ask("12 11 00 01 00", "01 12 11 00 03")
    }.finding("att_not_permitted")
    #expect(reported.whyText.contains("This is a defect of the peer"))
  }

  @Test("failing to disable notifications has no consequences") func switchesOff() throws {
    let off = try #require(
      evidence {
        $0.connectToHeartRate()
        $0.ask("12 11 00 00 00", "01 12 11 00 03")
      }.finding("att_not_permitted"))
    #expect(off.severity == .warning)
    #expect(off.why.text.hasSuffix("was to switch notifications and indications off."))
  }

  @Test("a write that is refused, and accepted on the next connection") func allowedLater() throws {
    let reported = try #require(
      evidence {
        $0.connectToHeartRate()
        $0.ask("12 13 00 01", "01 12 13 00 03")
        $0.disconnect()
        $0.connectToHeartRate()
        $0.ask("12 13 00 01", "13")
      }.finding("att_not_permitted"))
    #expect(
      reported.note?.text.contains("The attribute could be written on connection 2") == true,
      "\(reported.note?.text ?? "no note")")
  }

  /// Records a long write of two parts whose execution is refused with Invalid Offset.
  private func execution(secondAt offset: UInt8) -> Evidence {
    evidence {
      $0.connect()
      $0.ask("16 15 00 00 00 01 02 03", "17 15 00 00 00 01 02 03")
      $0.ask(
        "16 15 00 0\(offset) 00 04 05", "17 15 00 0\(offset) 00 04 05")
      $0.ask("18 01", "01 18 15 00 07")
    }
  }

  @Test("Invalid Offset on Execute Write names the part that leaves a gap") func lateParts() throws
  {
    let finding = try #require(execution(secondAt: 5).finding("att_invalid_offset"))
    #expect(
      finding.why.text.contains("begins at byte 5 of 0x0015, and those before it end at byte 3"))
    #expect(finding.certainty == .likely)
  }

  @Test("without a gap the wrong part is unknown") func unknownPart() throws {
    let finding = try #require(execution(secondAt: 3).finding("att_invalid_offset"))
    #expect(finding.why.text.hasSuffix("the capture does not show which one."))
    // The code has no other meaning.
    #expect(finding.certainty == .certain)
  }

  @Test("a write to 2a38, which offers read: its declaration does not permit it")
  func writeToBodySensorLocation() {
    #expect(
      finds("12 13 00 01", "01 12 13 00 03") == [
        "att_not_permitted: The declaration offers read, but not write."
      ])
  }

  @Test("a subscription to 2a39 after its value, which has no CCCD: a declaration is not a CCCD")
  func subscriptionWithoutConfiguration() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.discoverThermometer()
      // 0x0016 is the next service's declaration.
      $0.ask("12 16 00 01 00", "01 12 16 00 03")
    }
    #expect(attributeFindings(in: evidence).count == 1)
    #expect(attributeFindings(in: evidence).first.whyText.hasPrefix("0x0016 is a declaration"))
  }

  @Test("an offered write is refused: permissions and properties differ")
  func permissionsDiffer() {
    #expect(
      finds("12 15 00 01", "01 12 15 00 03") == [
        "att_not_permitted: The declaration offers write, but the peer does not allow it: its permissions and properties do not match."
      ])
  }

  @Test(
    "how to fix a refused read or write follows from the declaration",
    arguments: [
      // 2a38 offers read; 2a39 write; 2a37 notify.
      (
        "12 13 00 01", "01 12 13 00 03",
        "Use what it offers: read it. If it should be written, the firmware has to declare write and allow it (Zephyr: BT_GATT_PERM_WRITE)."
      ),
      (
        "0a 15 00", "01 0a 15 00 02",
        "Use what it offers: write it with a response. If it should be read, the firmware has to declare read and allow it (Zephyr: BT_GATT_PERM_READ)."
      ),
      (
        "0a 10 00", "01 0a 10 00 02",
        "Use what it offers: enable its notifications in its CCCD. If it should be read, the firmware has to declare read and allow it (Zephyr: BT_GATT_PERM_READ)."
      ),
      (
        "12 15 00 01", "01 12 15 00 03",
        "In the firmware of the peer allow what the declaration offers (Zephyr: BT_GATT_PERM_WRITE with the property), or do not offer it."
      ),
      (
        "12 14 00 01", "01 12 14 00 03",
        "Get the handle of the characteristic's value, or of its descriptor, by discovery of this server."
      ),
      (
        "0a ff 00", "01 0a ff 00 02",
        "Discover the characteristic: its declaration shows what can be done with its value."
      ),
    ])
  func permittedInstead(_ request: String, _ answer: String, _ remedy: String) {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask(request, answer)
      $0.disconnect()
    }
    #expect(evidence.finding("att_not_permitted")?.remedy?.text == remedy)
  }

  @Test("a handle that was not discovered, and an empty range") func invalidHandle() {
    #expect(
      finds("0a ff 0f", "01 0a ff 0f 01") == [
        "att_invalid_handle: The discovery of the peer from #2 to #7 found no attribute with the handle 0x0fff."
      ])
    #expect(
      finds("04 05 00 02 00", "01 04 05 00 01") == [
        "att_invalid_handle: The requested range is empty: its first handle, 0x0005, is above its last one, 0x0002."
      ])
  }

  @Test("an empty range has its own remedy; a missing handle the rule's")
  func remedyOfEmptyRange() {
    let evidence = evidence {
      $0.connect()
      $0.ask("04 05 00 02 00", "01 04 05 00 01")
      $0.ask("0a ff 0f", "01 0a ff 0f 01")
    }
    let remedies = attributeFindings(in: evidence).map { $0.remedy?.text }
    #expect(remedies.count == 2)
    #expect(remedies.first??.hasPrefix("Request ranges from the lower handle") == true)
    #expect(remedies.last??.hasPrefix("Use handles discovered on this connection") == true)
  }

  @Test("the end of a discovery is not a refusal", arguments: ["10 16 00 ff ff 00 28"])
  func endOfDiscovery(_ request: String) {
    #expect(finds(request, "01 10 16 00 0a") == [])
  }

  @Test("the profile's name for an application error, and none without a profile that has one")
  func applicationError() {
    let evidence = evidence {
      $0.connectToHeartRate()
      $0.ask("12 15 00 02", "01 12 15 00 80")
      $0.ask("12 15 00 03", "01 12 15 00 9f")
    }
    #expect(
      evidence.lines(of: "att_application_error") == [
        "Write to 2a39 Heart Rate Control Point refused: Control Point Not Supported (0x80) #8 #9",
        "Write to 2a39 Heart Rate Control Point refused: Application Error (0x9f) #10 #11",
      ])
  }

  @Test("the meaning of the written value appears with it, in the wording of show")
  func meaningOfWritten() {
    #expect(
      finds("12 15 00 02", "01 12 15 00 80") == [
        "att_application_error: The profile's rules do not allow 02 (2, which is reserved)."
      ])
    // Value Not Allowed, Write Request Rejected and Out of Range show it, too.
    #expect(
      finds("12 15 00 01", "01 12 15 00 13") == [
        "att_value_not_allowed: The length was right, but the peer does not accept 01 (reset energy expended)."
      ])
    // The attribute is unknown, or the value is a part of one.
    #expect(
      finds("12 15 00 02", "01 12 15 00 ff", discovers: false) == [
        "att_out_of_range: The profile defines a range, and 02 is not in it."
      ])
    #expect(
      finds("16 15 00 00 00 02", "01 16 15 00 ff") == [
        "att_out_of_range: The profile defines a range, and 02 is not in it."
      ])
  }

  @Test("an error with a name only in a profile gets it; others have no name")
  func profileNames() {
    // 6e400002-b5a3-f393-e0a9-e50e24dcca9e, and one that differs in its first byte.
    func reported(_ first: String) -> String? {
      let evidence = evidence {
        $0.connect()
        $0.ask(
          "08 0e 00 15 00 03 28",
          "09 15 0f 00 08 10 00 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 02 00 40 \(first)")
        $0.ask("12 10 00 02", "01 12 10 00 05")
      }
      return attributeFindings(in: evidence).first?.what.text
    }
    #expect(
      reported("6e")
        == "Write to 6e400002-… Nordic UART RX refused: Insufficient Authentication (0x05)")
    #expect(reported("7e") == "Write to 7e400002-… refused: Insufficient Authentication (0x05)")
  }

  @Test("a reserved code that the profile names is the profile's: Alert Notification's 0xa0")
  func namedByProfile() {
    let evidence = evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 15 00 11 18")
      $0.ask("08 0e 00 15 00 03 28", "09 07 0f 00 08 10 00 44 2a")
      $0.ask("12 10 00 ff 00", "01 12 10 00 a0")
    }
    #expect(
      attributeFindings(in: evidence).map { "\($0.rule): \($0.what.text)" } == [
        "att_application_error: Write to 2a44 Alert Notification Control Point refused: Command Not Supported (0xa0)"
      ])
  }

  @Test(
    "each error has its rule",
    arguments: [
      (0x04, "att_invalid_pdu"), (0x06, "att_request_not_supported"), (0x07, "att_invalid_offset"),
      (0x09, "att_prepare_queue"), (0x0b, "att_not_long"), (0x0d, "att_invalid_length"),
      (0x0e, "att_unlikely"), (0x10, "att_unsupported_group"), (0x11, "att_insufficient_resources"),
      (0x12, "att_database_out_of_sync"), (0x13, "att_value_not_allowed"),
      (0x00, "att_reserved_error"), (0x14, "att_reserved_error"), (0x9f, "att_application_error"),
      (0xa0, "att_reserved_error"), (0xdf, "att_reserved_error"), (0xe0, "att_reserved_error"),
      (0xfc, "att_write_rejected"), (0xfd, "att_cccd_improper"),
      (0xfe, "att_procedure_in_progress"), (0xff, "att_out_of_range"),
    ])
  func codes(_ code: Int, _ rule: String) {
    let evidence = evidence {
      $0.connect()
      $0.ask("12 15 00 02", "01 12 15 00 \(String(code, radix: 16))")
    }
    #expect(attributeRules(in: evidence) == [rule])
    #expect(attributeFindings(in: evidence).first?.evidence == [2, 3])
  }

  @Test(
    "a refused request that is allowed later is a note; with another value it is a different request"
  )
  func resolved() {
    func capture(_ value: String) -> [Severity?] {
      let evidence = evidence {
        $0.connect()
        $0.ask("12 15 00 02", "01 12 15 00 fe")
        $0.ask("12 15 00 \(value)", "13")
      }
      return attributeFindings(in: evidence).map(\.severity)
    }
    #expect(capture("02") == [.note])
    #expect(capture("03") == [.warning])
  }

  @Test("many equal refusals are one finding, with the evidence of each") func many() {
    let evidence = evidence {
      $0.connectToHeartRate()
      for handle in 0x20...0x25 {
        $0.ask("0a \(String(handle, radix: 16)) 00", "01 0a \(String(handle, radix: 16)) 00 01")
      }
    }
    #expect(
      evidence.packets(of: "att_invalid_handle") == [
        "#8 #9 #10 #11 #12 #13 #14 #15 #16 #17 #18 #19"
      ])
    #expect(evidence.finding("att_invalid_handle").whatText.hasSuffix(", and 5 more like it"))
  }

  @Test("a read that is not offered but succeeds: a note; an offered one is nothing")
  func notOffered() {
    #expect(
      finds("0a 10 00", "0b") == [
        "att_not_in_properties: The peer answered with an empty value instead of Read Not Permitted (0x02)."
      ])
    #expect(finds("0a 13 00", "0b 01") == [])
  }

  @Test("without the declaration in the capture it is not mentioned") func noDeclaration() {
    #expect(finds("0a 10 00", "0b", discovers: false) == [])
  }

  // MARK: Apple's services

  @Test("iOS that does not share notifications: its settings, not its firmware")
  func notificationSharing() {
    let silent = notificationCenter(sends: false)
    let found = silent.finding("att_not_permitted")
    #expect(found?.certainty == .likely)
    #expect(found.whyText.contains("does not share notifications"))
    #expect(found.remedyText.contains("Share System Notifications"))
    #expect(found?.remedy?.text.contains("Zephyr") == false)
    let sharing = notificationCenter(sends: true).finding("att_not_permitted")
    #expect(sharing?.why.text.contains("does not share notifications") == false)
  }

  private func notificationCenter(sends: Bool) -> Evidence {
    evidence { $0.refuseNotificationCenter(sends: sends) }
  }

  // MARK: Prepared writes

  @Test("a full queue although nothing is prepared: the server did not empty it")
  func queueNotEmptied() {
    func capture(_ build: (inout Traffic) -> Void) -> Finding? {
      evidence {
        $0.connectToHeartRate()
        build(&$0)
        $0.wait(20_000)
        $0.disconnect()
      }.finding("att_prepare_queue")
    }
    let first = capture {
      $0.ask("16 15 00 00 00 01 02", "17 15 00 00 00 01 02")
      $0.ask("18 01", "01 18 15 00 08")
      $0.ask("16 15 00 00 00 01 02", "01 16 15 00 09")
    }
    #expect(first?.certainty == .likely)
    #expect(
      first.whyText.contains(
        "After the Execute Write Request before it was refused (#11), the server has to discard"))
    let second = capture {
      $0.ask("16 15 00 00 00 01 02", "17 15 00 00 00 01 02")
      $0.ask("16 15 00 02 00 01 02", "01 16 15 00 09")
    }
    #expect(second?.certainty == .certain)
    #expect(second?.why.text == "The peer cannot queue more parts than those already prepared.")
    let late = evidence { $0.ask("16 15 00 00 00 01 02", "01 16 15 00 09") }.finding(
      "att_prepare_queue")
    #expect(late?.why.text.contains("first part") == false, "the capture begins in the middle")
    #expect(late?.certainty == .likely)
  }

  // MARK: Control points

  /// Discovers the service 1826 with the Fitness Machine Control Point at 0x0012, and asks for
  /// control; the control point answers with a result.
  private func fitnessMachine(_ results: UInt8...) -> Evidence {
    evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 10 00 13 00 26 18")
      $0.ask("08 10 00 13 00 03 28", "09 07 11 00 28 12 00 d9 2a")
      for result in results {
        $0.ask("12 12 00 00", "13")
        $0.att("1d 12 00 80 00 0\(result)", .received)
        $0.sent("1e")
      }
      $0.wait(20_000)
      $0.disconnect()
    }
  }

  @Test("an empty store is no failure, and a later success of another request resolves nothing")
  func recordAccess() {
    func finds(_ answers: String...) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 06 10 00 13 00 08 18")
        $0.ask("08 10 00 13 00 03 28", "09 07 11 00 28 12 00 52 2a")
        for answer in answers { $0.att("1d 12 00 \(answer)", .received) }
        $0.wait(20_000)
        $0.disconnect()
      }
      return evidence.findings(of: "gatt_procedure_failed")
        .map { "\($0.isResolved)" }
    }
    // Response Code (06), null operator, request, result: 1 success, 6 no records, 8 not completed.
    #expect(finds("06 00 01 06") == [])
    #expect(finds("06 00 03 08") == ["false"])
    #expect(finds("06 00 03 08", "06 00 01 01") == ["false"], "another request")
    #expect(finds("06 00 03 08", "06 00 03 01") == ["true"])
  }

  @Test("a control point that answers with a failure, although the write was accepted")
  func controlPoint() {
    let rule = "gatt_procedure_failed"
    #expect(
      fitnessMachine(5).lines(of: rule) == [
        "2ad9 Fitness Machine Control Point reported that a procedure failed: response, to request control, control not permitted #7 #8"
      ])
    #expect(fitnessMachine(1).lines(of: rule) == [])
    let resolved = fitnessMachine(5, 1).finding(rule)
    #expect(resolved?.severity == .note)
    #expect(resolved?.isResolved == true)
  }
}
