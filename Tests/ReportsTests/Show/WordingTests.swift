// The wording of packets, from bytes to the line.

import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions
import Testing

@testable import Reports

/// Returns H4 records, 10 ms apart. Commands are sent, events received, data depends on its packet
/// boundary flag.
private func records(_ packets: [String]) -> [TestRecord] {
  packets.enumerated().map { index, text in
    let bytes = hex(text)
    let isSent = bytes[0] == 1 || bytes[0] == 2 && bytes[2] & 0x30 == 0
    return TestRecord(
      bytes: bytes, direction: isSent ? .sent : .received,
      time: Timestamp(microseconds: 1_700_000_000_000_000 + 10_000 * Int64(index)))
  }
}

/// Returns a report's lines for these packets.
private func lines<Report: PacketReport & ~Copyable>(
  _ packets: [String], failure: CaptureFailure? = nil, _ makeReport: (CaptureSummary) -> Report
) -> [String] {
  lines(records(packets), failure: failure, makeReport)
}

private func lines<Report: PacketReport & ~Copyable>(
  _ records: [TestRecord], failure: CaptureFailure? = nil,
  _ makeReport: (CaptureSummary) -> Report
) -> [String] {
  var source = RecordList(records, failure: failure)
  var report = makeReport(source.summary)
  return Rendering.run(&source, &report).split(separator: "\n").map { String($0) }
}

private func show(_ packets: [String], _ change: (inout ShowOptions) -> Void = { _ in })
  -> [String]
{
  var options = ShowOptions()
  options.time = .none
  change(&options)
  return Array(lines(packets) { ShowText(options, $0) }.dropFirst())
}

/// Returns the last packet's line without its columns.
private func words(_ packets: String...) -> String {
  let line = show(packets).last ?? ""
  let afterArrow = line.split(separator: " ", omittingEmptySubsequences: true).drop {
    $0 != "→" && $0 != "←"
  }
  return afterArrow.dropFirst().joined(separator: " ")
}

private func json(_ packets: [String]) -> String {
  var options = ShowOptions()
  options.showsBytes = true
  return lines(packets) { ShowJSON(options, $0) }.last ?? ""
}

/// Returns an advertisement in one legacy report.
private func advertisement(_ data: String) -> String {
  let count = hex(data).count
  func digits(_ number: Int) -> String { String(number, radix: 16) }
  return "04 3e \(digits(12 + count)) 02 01 00 01 55 44 33 22 11 c0 \(digits(count)) \(data) c4"
}

@Suite struct CommandWordingTests {
  @Test func aReasonIsGiven() {
    #expect(
      words("01 06 04 03 40 00 13")
        == "Disconnect reason given: Remote User Terminated Connection (0x13)")
  }

  @Test func whatIsOffIsOff() {
    #expect(words("01 0c 20 02 00 00") == "LE Set Scan Enable Off")
    #expect(words("01 42 20 06 00 00 00 00 00 00") == "LE Set Extended Scan Enable Off")
    // LE Transmitter Test [v4] with the transmitter's maximum power.
    let test = words("01 7b 20 09 00 25 00 01 00 00 01 01 7f")
    #expect(test.hasSuffix("maximum"), "\(test)")
    // As both devices show it.
    #expect(
      words("04 33 0a 55 44 33 22 11 00 9d 54 01 00")
        == "User Confirmation Request 00:11:22:33:44:55, number 087197")
    #expect(words("01 40 20 02 00 00") == "LE Set Periodic Advertising Enable Off")
    #expect(words("01 39 20 02 00 00") == "LE Set Extended Advertising Enable Off, all sets")
    #expect(
      words("01 39 20 06 00 01 03 00 00 00") == "LE Set Extended Advertising Enable Off, set 3")
  }

  @Test func rangesAreJoined() {
    let update = "01 13 20 0e 40 00 "
    #expect(
      words(update + "18 00 28 00 00 00 f4 01 00 00 00 00")
        == "LE Connection Update interval 30–50 ms, latency 0, timeout 5000 ms")
    #expect(
      words(update + "18 00 18 00 00 00 f4 01 00 00 00 00")
        == "LE Connection Update interval 30 ms, latency 0, timeout 5000 ms")
    #expect(
      words("01 4b 20 00", "04 0e 06 01 4b 20 00 ec 0a") == "Command Complete to #1, -20 to 10 dBm")
  }

  @Test func itemsSayWhichPHYTheyAreFor() {
    #expect(
      words("01 41 20 0d 01 00 05 01 60 00 60 00 00 60 00 30 00")
        == "LE Set Extended Scan Parameters own address random; LE 1M: Active, interval 60 ms, window 60 ms; "
        + "LE Coded: Passive, interval 60 ms, window 30 ms")
  }

  @Test func subcommandsBeginTheLine() {
    #expect(
      words("01 57 fd 07 03 00 06 f3 fe ff ff")
        == "Android LE APCF Service UUID, Add, filter 6, UUID fef3 (registered: Google LLC)")
    #expect(
      words("01 56 fd 04 02 64 00 5f")
        == "Android LE Batch Scan Set Storage Parameters, full 100 %, truncated 0 %, notify at 95 %"
    )
    // The parameters of an unknown subcommand.
    #expect(words("01 57 fd 03 77 01 02") == "Android LE APCF 0x77, 01 02")
    #expect(
      words("01 57 fd 03 01 01 03", "04 0e 07 01 57 fd 00 01 01 3a")
        == "Command Complete to #1, Set Filtering Parameters, free 58")
    #expect(
      words("04 ff 14 56 01 00 00 55 44 33 22 11 c0 01 7f c4 0a 00 03 02 0a 04 00")
        == "Android LE Advertisement Tracking filter 1, Found, C0:11:22:33:44:55 random, RSSI -60 dBm"
    )
    #expect(words("04 ff 02 54 00") == "Vendor Specific 54 00")
  }

  @Test func microsoftsExtensionIsNamedWhereItIsKnown() {
    let intel = "04 0e 0c 01 01 10 00 0b 00 00 0b 02 00 11 22"
    let prefix = "04 0e 10 01 1e fc 00 00 7f 00 00 00 00 00 00 00 02 87 80"
    let device = "04 ff 0c 87 80 02 01 55 44 33 22 11 c0 05 01"
    #expect(
      words(intel, "01 1e fc 09 03 10 11 12 13 02 01 0d 18")
        == "Microsoft Extension LE Monitor Advertisement, high 16 dBm, low 17 dBm, for 18 s, UUID, 180d Heart Rate"
    )
    #expect(words("01 1e fc 02 04 05").hasPrefix("Vendor Command 0xfc1e"))
    #expect(
      words(intel, prefix)
        == "Command Complete Microsoft Extension, Read Supported Features, 7 features, prefix 87 80"
    )
    #expect(
      words(intel, prefix, device)
        == "Microsoft Extension Event LE Monitor Device, C0:11:22:33:44:55 random, monitor 0x05, Started"
    )
    #expect(
      json([intel, prefix, device]).contains(
        #""event":"0xff","prefix":"8780","name":"Microsoft Extension Event""#))
    #expect(json(["04 ff 01 54"]).contains(#""event":"0xff","subevent":"0x54""#))
  }

  @Test func syncsAndStreamsAreNamed() {
    #expect(
      words("04 3e 14 24 00 01 00 02 01 55 44 33 22 11 c0 02 50 00 05 04 0a 08 10")
        == "LE Periodic Advertising Sync Established [v2] sync 0x0001, SID 2, "
        + "C0:11:22:33:44:55 random, LE 2M, interval 100 ms, subevents 4")
    #expect(
      words("04 23 0d 00 40 00 01 02 0f 00 00 00 00 00 00 00").hasSuffix(
        "Read Remote Extended Features Complete page 1, of 2, 4 features"))
  }

  @Test func keysAreNamed() {
    let line = words("01 19 20 1c 40 00" + String(repeating: " 00", count: 10 + 16))
    #expect(
      line == "LE Enable Encryption Rand 00 00 00 00 00 00 00 00, EDIV 0x0000, LTK <hidden>")
  }

  @Test func aSearchThatFoundSomethingEnds() {
    let notFound = "02 40 20 09 00 05 00 04 00 01 08 00 00 0a"
    let fromStart = "02 40 00 0b 00 07 00 04 00 08 01 00 ff ff 2a 2b"
    let further = "02 40 00 0b 00 07 00 04 00 08 0e 00 ff ff 2a 2b"
    let found = "02 40 20 09 00 05 00 04 00 09 03 0d 00 01"
    #expect(words(fromStart, notFound).hasSuffix("2b2a Database Hash none"))
    #expect(words(further, notFound).hasSuffix("2b2a Database Hash none"))
    #expect(words(fromStart, found, further, notFound).hasSuffix("2b2a Database Hash end"))
  }

  @Test func anItemOfWhichNothingIsThereDoesNotAppear() {
    let line = json(["04 13 01 01"])
    #expect(line.contains("\"handles\":[]"))
  }
}

@Suite struct AdvertisingWordingTests {
  @Test func flagsAreSaid() {
    #expect(words(advertisement("02 01 06")).hasSuffix("general discoverable, LE only"))
    #expect(
      words(advertisement("02 01 1a")).hasSuffix("general discoverable, LE and BR/EDR at once"))
    #expect(words(advertisement("02 01 86")).hasSuffix("flags 86"))
    #expect(
      json([advertisement("02 01 06")]).contains(
        #""value":{"code":"0x06","names":["LE General Discoverable Mode","BR/EDR Not Supported"]}"#
      ))
  }

  @Test func brokenDataIsAProblem() {
    let line = show([advertisement("02 01 06 09 09 41")])[0]
    #expect(line.contains("broken: 09 09 41  ⚠ an AD structure of 9 bytes stands where 2 are left"))
    #expect(json([advertisement("02 01 06 09 09 41")]).contains("advertising_structure_too_long"))
  }

  private func extended(_ status: Int, _ data: String) -> String {
    let count = hex(data).count
    let length = String(26 + count, radix: 16)
    return "04 3e \(length) 0d 01 \(status)1 00 01 55 44 33 22 11 c0 01 02 03 7f c4 00 00 00 00 "
      + "00 00 00 00 00 \(String(count, radix: 16)) \(data)"
  }

  @Test func partsAreParts() {
    let packets = [extended(2, "02 01 06 05 09 41"), extended(2, "42"), extended(0, "43 44")]
    let shown = show(packets)
    #expect(
      shown[0].hasSuffix("connectable, first part, 6 bytes; general discoverable, LE only; …"))
    #expect(shown[1].hasSuffix("connectable, part 2, 1 byte"))
    #expect(
      shown[2].hasSuffix("joined from #1 #2 #3, \"ABCD\"; general discoverable, LE only"))
  }

  @Test func aReportThatLacksItsEndIsKept() {
    let line = json(["04 3e 0e 02 01 00 01 55 44 33 22 11 c0 03 02 01 06"])
    #expect(line.contains(#""address":"C0:11:22:33:44:55""#))
    #expect(line.contains(#""data":"020106""#) && line.contains("too_short"))
  }
}

@Suite struct EventWordingTests {
  /// The bytes after the event are not an opcode.
  @Test func anAnswerWithoutAnOpcode() {
    #expect(words("04 0e 01 05").hasPrefix("Command Complete 05"))
    #expect(words("04 0f 02 00 01").hasPrefix("Command Status 00 01"))
  }

  @Test func onlyTheCountsThatAreAnnounced() {
    #expect(
      words("04 13 09 01 40 00 02 00 41 00 07 00").hasPrefix("Number Of Completed Packets 2 "))
  }

  @Test func aHandleThatIsNone() {
    // LE Periodic Advertising Sync Transfer Received, of no train.
    let line = json(["04 3e 0b 0f ff ff 7f c4 ff 00 03 02 01 06"])
    #expect(line.contains(#""sync_handle":"0xffff""#) && !line.contains("0x0fff"))
  }

  @Test func aVendorsAnswerIsNoFailure() {
    let vendors = lines(["04 0e 04 01 01 fc 05"]) {
      InfoReport("-", $0, json: true, glyphs: .utf8)
    }
    #expect(vendors[0].contains(#""failures":[]"#))
    let known = lines(["04 0e 04 01 03 0c 05"]) {
      InfoReport("-", $0, json: true, glyphs: .utf8)
    }
    #expect(known[0].contains(#""failures":[{"kind":"hci_status","count":1}]"#))
  }

  @Test func whatIsNotDecodedIsInTheJSON() {
    #expect(json(["99 01 02"]).contains(#""protocol":"unknown","data":"990102""#))
    let lost = json(["02 40 10 04 00 11 22 33 44"])
    #expect(lost.contains(#""boundary":"continuation","hidden":["data"]}"#))
    #expect(!lost.contains("1122"))
  }
}

@Suite struct ColumnTests {
  @Test(arguments: [
    (509_600_000, "510 ms"), (999_400_000, "999 ms"), (999_600_000, "1.0 s"),
    (9_940_000_000, "9.9 s"), (12_300_000_000, "12 s"), (7_199_400_000_000, "7199 s"),
    (12_600_000_000_000, "3.5 h"), (396_000_000_000_000, "110 h"),
    (8_640_000_000_000_000, "100 d"), (1_700_000_000_000_000_000, "54 y"),
  ])
  func gapsFit(_ nanoseconds: Int64, _ words: String) {
    var output = Output()
    output.gap(nanoseconds: nanoseconds)
    #expect(String(decoding: output.bytes.array, as: UTF8.self) == words)
    #expect(words.count <= 6)
  }

  @Test func asciiIsASCII() {
    let packets = [
      "04 3e 0b 07 40 00 fb 00 48 08 fb 00 48 08", advertisement("04 09 c3 bc 41"),
    ]
    let shown = show(packets) { options in
      options.glyphs = .ascii
      options.isVerbose = true
    }
    #expect(shown[0].contains("2120 us"))
    #expect(shown.contains { $0.hasSuffix(#""\u{fc}A""#) })
    #expect(shown.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
  }

  @Test func otherAdaptersAreNamed() {
    var packets = records(["01 03 0c 00", "01 03 0c 00"])
    packets[1].adapter = 1
    let shown = lines(packets) {
      ShowText(ShowOptions(), $0)
    }
    #expect(shown[1].hasSuffix("   → Reset") && shown[2].hasSuffix("   hci1 → Reset"))
  }
}

/// Output about values and failures that need few words.
@Suite struct EconomyWordingTests {
  /// Find By Type Value: the requested service, and where it was found.
  @Test func servicesAreLookedForByUUID() {
    let request = "02 40 00 0d 00 09 00 04 00 06 01 00 ff ff 00 28 0d 18"
    let response = "02 40 20 0d 00 09 00 04 00 07 0e 00 11 00 20 00 25 00"
    #expect(
      words(request)
        == "Find By Type Value Request 2800 Primary Service 0x0001–ffff: 180d Heart Rate")
    #expect(
      words(request, response)
        == "Find By Type Value Response 2800 Primary Service 0x000e–0011 180d Heart Rate, "
        + "0x0020–0025 180d Heart Rate"
    )
    // The request is not in the capture, so only the ranges are known.
    #expect(show([response]).last?.contains("0x000e–0011, 0x0020–0025") ?? false)
    #expect(!(show([response]).last?.hasSuffix(" ") ?? true))
    let reported = Rendering.json([
      TestRecord(bytes: hex(request)), TestRecord(bytes: hex(response), direction: .received),
    ])
    #expect(reported.contains(#""uuid":"2800","value_uuid":"180d","value":"0d18""#), "\(reported)")
    #expect(
      reported.contains(
        #"{"handle":"0x000e","end_handle":"0x0011","uuid":"180d","name":"Heart Rate"}"#),
      "\(reported)")
  }

  /// A failure has a status and an owner; the other parameters then have no meaning.
  @Test(
    arguments: [
      (
        "04 3e 10 0e 44 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
        "LE Periodic Advertising Sync Established Operation Cancelled by Host (0x44)"
      ),
      ("04 08 04 06 40 00 00", "Encryption Change PIN or Key Missing (0x06)"),
      ("04 59 05 06 40 00 00 00", "Encryption Change [v2] PIN or Key Missing (0x06)"),
      (
        "04 03 0b 04 00 00 31 53 00 5e 00 00 01 00",
        "Connection Complete Page Timeout (0x04), 00:00:5E:00:53:31"
      ),
    ])
  func failures(_ packet: String, _ expected: String) { #expect(words(packet) == expected) }

  /// A set that has reached its limit has done what it was reported to.
  @Test func limitOfASet() {
    #expect(words("04 3e 06 12 43 01 00 00 05").hasSuffix(", events 5"))
  }
}

@Suite struct InfoWordingTests {
  private func info(_ packets: String..., failure: CaptureFailure? = nil) -> [String] {
    lines(packets, failure: failure) {
      InfoReport("-", $0, json: false, glyphs: .utf8)
    }
  }

  @Test func damageIsTold() {
    let connected = "04 3e 13 01 00 40 00 00 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"
    let page = info(connected, failure: CaptureFailure(.damaged, "record 2 is cut"))
    #expect(page[0] == "capture      standard input: btsnoop, HCI UART (H4)")
    #expect(page[2] == "records      1: 1 event")
    #expect(page[3] == "damage       record 2 is cut")
    #expect(page[4] == "coverage     no host commands")
    #expect(page[5] == "connections  1")
  }

  /// Channels 4 to 6 belong to LE, 1 and 7 to BR/EDR; a fragment shows its channel once its header
  /// is there.
  @Test(
    arguments: [
      ("02 40 00 07 00 03 00 04 00 0a 03 00", ", LE (inferred), from #1 on"),
      ("02 40 20 06 00 02 00 05 00 01 01", ", LE (inferred), from #1 on"),
      ("02 40 20 05 00 07 00 06 00 01", ", LE (inferred), from #1 on"),
      ("02 40 20 06 00 02 00 07 00 05 08", ", BR/EDR (inferred), from #1 on"),
    ])
  func transportIsInferred(_ data: String, _ words: String) {
    let page = info(data)
    #expect(page.contains { $0.contains(words) }, "\(page)")
    #expect(!page.contains { $0.contains("unknown type") }, "\(page)")
  }

  /// The reason alone does not show which side ended a link: if a Disconnect command is pending,
  /// this host did. Authentication Failure; Connection Timeout without a command.
  @Test func whoEndedALinkWithAnError() {
    let connected = "04 3e 13 01 00 40 00 00 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"
    let ended = "04 05 04 00 40 00 05"
    let page = info(connected, "01 06 04 03 40 00 05", "04 0f 04 00 01 06 04", ended)
    #expect(
      page.contains {
        $0 == "failures     1 link that a host ended for an error; show --errors lists them"
      }, "\(page)")
    let lost = info(connected, "04 05 04 00 40 00 08")
    #expect(lost.contains { $0.hasPrefix("failures     1 lost link;") }, "\(lost)")
  }

  @Test func linksOfUnknownTypeAreTold() {
    let data = "02 40 00 05 00 01 00 40 00 0a"
    #expect(info(data).contains { $0.hasSuffix("; 1 data packet of links of unknown type") })
    let connected = "04 3e 13 01 00 40 00 02 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"
    let page = info(data, connected, data)
    #expect(
      page.contains {
        $0.hasPrefix("connections") && $0.hasSuffix("; 1 data packet of links of unknown type")
      })
    let classic = "04 03 0b 00 41 00 66 44 33 22 11 00 01 00"
    let mixed = info(data, connected, data, classic, "02 41 00 05 00 01 00 40 00 0a")
    #expect(
      mixed.contains {
        $0.contains("; 50 % of their data is LE, not counting 1 data packet of links of unknown")
      }, "\(mixed)")
    // A connection that replaces another one, with an invalid role.
    #expect(page.contains { $0.hasSuffix("; its end is not in the capture") }, "\(page)")
    #expect(!page.contains { $0.contains("this host is") })
  }

  @Test func aLinkWhoseOpeningIsMissingWasNotCreated() {
    let data = "02 40 00 07 00 03 00 04 00 0a 03 00"
    let page = info(data, "04 13 05 01 40 00 01 00")
    #expect(
      page.contains {
        $0.contains("from #1 on")
          && $0.hasSuffix("already open when the capture begins, still open at the end")
      }, "\(page)")
    // Without events, both are unknown.
    let alone = info(data)
    #expect(
      alone.contains {
        $0.contains("from #1 on")
          && $0.hasSuffix(
            "when it was opened and closed is not known: the capture has no HCI events")
      }, "\(alone)")
  }

  @Test func adapters() {
    let page = info(
      "01 01 10 00", "04 0e 0c 01 01 10 00 09 00 00 09 ff ff 00 00",
      "01 09 10 00", "04 0e 0a 01 09 10 00 00 00 00 00 00 00")
    #expect(page.contains("adapter      hci0, no address, Bluetooth 5.0"))
  }
}
