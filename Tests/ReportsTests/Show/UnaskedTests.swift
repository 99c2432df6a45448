// Output about data that was not requested, as far as the capture shows it: descriptors that a hash
// proves, and lists without their request.

import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

private func printed<Report: PacketReport & ~Copyable>(
  _ report: consuming Report, of write: (inout Link) -> Void
) -> String {
  Rendering.report(report, of: write).text
}

@Suite("Data that was not requested")
struct UnaskedTests {
  // MARK: The Database Hash

  /// The specification's sample database (Core, Vol 3, Part G, Appendix B), without its
  /// descriptors: 2902 at 0x0009 and 0x0012, 2900 with the value 0 at 0x0013. The appendix has its
  /// hash, most significant byte first.
  private func sample(_ link: inout Link) {
    link.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18 06 00 0d 00 01 18 0e 00 13 00 08 18")
    link.ask("10 14 00 ff ff 00 28", "01 10 14 00 0a")
    link.ask("08 01 00 ff ff 02 28", "09 08 0f 00 14 00 16 00 0f 18")
    link.ask("08 10 00 ff ff 02 28", "01 08 10 00 0a")
    link.att("08 01 00 ff ff 03 28", .sent)
    link.att("09 07 02 00 0a 03 00 00 2a 04 00 02 05 00 01 2a 07 00 20 08 00 05 2a", .received)
    link.att("08 08 00 ff ff 03 28", .sent)
    link.att("09 07 0a 00 0a 0b 00 29 2b 0c 00 02 0d 00 2a 2b 10 00 a2 11 00 18 2a", .received)
    link.ask("08 11 00 ff ff 03 28", "09 07 15 00 02 16 00 19 2a")
    link.ask("08 16 00 ff ff 03 28", "01 08 16 00 0a")
    link.ask("08 01 00 ff ff 2a 2b", "09 12 0d 00 90 a9 fb b9 bb 30 88 8a ac 8b f5 ec 48 2d ca f1")
  }

  @Test(
    "A hash that cannot match, because descriptors were not requested, is not reported as different"
  )
  func notCheckable() {
    let page = Rendering.map(of: sample)
    #expect(
      page.contains("\nthe Database Hash cannot be checked: descriptors not requested (#19)\n"),
      "\(page)")
    let document = Rendering.map(json: true, of: sample)
    #expect(
      document.contains("\"proof\":{\"packet\":19,\"outcome\":\"not_checkable\"}"), "\(document)")
  }

  /// 2900 was found, the CCCD of 2a18 written; 2a05 is only known to indicate.
  private func proven(_ link: inout Link) {
    sample(&link)
    link.ask("04 13 00 13 00", "05 01 13 00 00 29")
    link.ask("12 12 00 02 00", "13")
  }

  @Test("A matching hash proves the configurations that must exist")
  func inferred() {
    let page = Rendering.map(of: proven)
    #expect(
      page.contains(
        "\n4 services, 7 characteristics, 1 descriptor, discovered (#2–#21); descriptors not all "
          + "requested; 2 descriptors inferred\ncomplete and proven: the Database Hash agrees, with "
          + "inferred CCCDs at 0x0009, 0x0012 (#19)\n"), "\(page)")
    #expect(page.contains("    0x0009       2902 CCCD"), "\(page)")
    #expect(page.contains("not written  inferred, #19\n"), "\(page)")
    #expect(page.contains("indications on  inferred, #22\n"), "\(page)")
    #expect(!page.contains("used, but not discovered"), "\(page)")
    let document = Rendering.map(json: true, of: proven)
    #expect(
      document.contains(
        "\"proof\":{\"packet\":19,\"outcome\":\"proven\",\"inferred\":[\"0x0009\",\"0x0012\"]}"),
      "\(document)")
  }

  // MARK: Lists without their request

  /// 2a19 was found at 0x0020. Three lists have no request: its value, one of an unknown handle,
  /// and one that looks like the declaration of a characteristic.
  private func lists(_ link: inout Link) {
    link.ask("04 20 00 21 00", "05 01 20 00 19 2a")
    link.att("09 03 20 00 64", .received)
    link.att("09 05 30 00 aa bb cc", .received)
    link.att("09 07 40 00 02 41 00 00 2a", .received)
  }

  @Test("Values of a list without its request are printed, declarations are not")
  func listsOfValues() {
    let lines = printed(
      ValueLines(ValuesOptions(), .json, RecordList([]).summary), of: lists
    ).split(separator: "\n")
    #expect(lines.count == 2, "\(lines)")
    #expect(
      lines.first?.contains("\"uuid\":\"2a19\"") == true
        && lines.first?.contains("\"value\":\"64\"") == true, "\(lines)")
    #expect(
      lines.last?.contains("\"handle\":\"0x0030\"") == true
        && lines.last?.contains("\"value\":\"aabbcc\"") == true, "\(lines)")
    let page = Rendering.map(of: lists)
    #expect(page.contains("2a19 Battery Level                                   100 %"), "\(page)")
    #expect(page.contains("0x0030"), "\(page)")
    #expect(
      page.contains("0x0041       2a00 Device Name") && page.contains("inferred, #6\n"), "\(page)")
  }

  /// All responses of a discovery, without its requests; then a list of values of five bytes each,
  /// one of which does not contain the next handle.
  @Test("Services and characteristics are inferred from lists without requests")
  func inferredLists() {
    func write(_ link: inout Link) {
      link.att("11 06 01 00 0f 00 0d 18 10 00 1f 00 0f 18", .received)
      link.att("09 07 02 00 10 03 00 37 2a 05 00 02 06 00 38 2a", .received)
      link.att("05 01 04 00 02 29", .received)
      link.att("09 07 11 00 02 12 00 19 2a 13 00 02 15 00 19 2a", .received)
      link.att("1b 03 00 00 3c", .received)
    }
    let page = Rendering.map(of: write)
    #expect(page.contains("2 services, 2 characteristics inferred"), "\(page)")
    #expect(page.contains("180d Heart Rate") && page.contains("inferred, #2\n"), "\(page)")
    #expect(page.contains("2a37 Heart Rate Measurement"), "\(page)")
    #expect(!page.contains("2a19"), "\(page)")
    let shown = printed(ShowText(ShowOptions(), RecordList([]).summary), of: write)
    #expect(shown.contains("2a37 Heart Rate Measurement (inferred)"), "\(shown)")
    // What is discovered counts more.
    let discovered = Rendering.map { link in
      write(&link)
      link.ask("08 01 00 ff ff 03 28", "09 07 02 00 10 03 00 19 2a")
    }
    #expect(discovered.contains("2a19 Battery Level"), "\(discovered)")
    #expect(!discovered.contains("2a37"), "\(discovered)")
  }

  /// 2a05 is at 0x0003, and indicates that everything has changed.
  @Test("Service Changed takes effect after the packet that reports it") func serviceChanged() {
    func write(_ last: String) -> (inout Link) -> Void {
      { link in
        link.discover(0x02, "05 2a")
        link.discover(0x10, "19 2a")
        link.att("1d 03 00 \(last) 00 ff ff", .received)
        link.att("1e", .sent)
        link.att("0a 11 00", .sent)
      }
    }
    for first in ["01", "08"] {
      let shown = printed(ShowText(ShowOptions(), RecordList([]).summary), of: write(first))
        .split(separator: "\n")
      #expect(shown[6].contains("Indication") && shown[6].contains("2a05 Service"), "\(shown)")
      #expect(shown[7].contains("2a05 Service Changed"), "\(shown)")
      #expect(shown[8].contains("0x0011") && !shown[8].contains("2a19"), "\(shown)")
    }
    // It is the last packet of the capture.
    let map = Rendering.map { link in
      link.discover(0x02, "05 2a")
      link.att("1d 03 00 01 00 ff ff", .received)
    }
    #expect(!map.contains("2a05 Service Changed"), "\(map)")
  }

  /// 2b88 Encrypted Data Key Material is at 0x0020: whatever the request, it may be a key.
  @Test("A possible key in such a list is hidden, without a comma before it")
  func keys() {
    func write(_ link: inout Link) {
      link.ask("04 20 00 21 00", "05 01 20 00 88 2b")
      link.att("09 06 20 00 c0 c1 c2 c3", .received)
    }
    let text = printed(ShowText(ShowOptions(), RecordList([]).summary), of: write)
    #expect(text.contains("  0x0020 <hidden>, 4 bytes  "), "\(text)")
    for reported in [
      text, printed(ValuesReport(ValuesOptions()), of: write), Rendering.map(of: write),
    ] {
      #expect(reported.contains("<hidden>") && !reported.contains("c0 c1"), "\(reported)")
    }
  }

  // MARK: Undiscovered handles

  @Test("An unknown handle is in the service whose range contains it")
  func inItsService() {
    let table = printed(ValuesReport(ValuesOptions())) { link in
      link.ask("10 01 00 ff ff 00 28", "11 06 10 00 20 00 0f 18")
      link.att("1b 15 00 05", .received)
      link.att("1b 25 00 06", .received)
    }
    #expect(table.contains("\n180f Battery\n  0x0015 "), "\(table)")
    #expect(table.contains("\nservice not known\n  0x0025 "), "\(table)")
  }

  /// 2902 is at 0x0011, and its characteristic is known once that notifies.
  @Test("A CCCD is named after its value once that is known")
  func configuration() {
    let table = printed(ValuesReport(ValuesOptions())) { link in
      link.ask("04 11 00 11 00", "05 01 11 00 02 29")
      link.ask("12 11 00 01 00", "13")
      link.att("1b 10 00 05", .received)
    }
    #expect(table.contains("  2902 CCCD of 0x0010 (0x0011)  write "), "\(table)")
  }

  /// 0x0011 was never discovered; 0x0020 is discovered after it was read.
  @Test("Values are decoded again once their attribute is known")
  func readAgain() {
    let table = printed(ValuesReport(ValuesOptions())) { link in
      link.ask("0a 21 00", "0b 64")
      link.ask("12 11 00 01 00", "13")
      link.att("1b 10 00 05", .received)
      link.discover(0x20, "19 2a")
    }
    #expect(
      table.contains("  2a19 Battery Level ") && table.contains("  #3       100 %\n"), "\(table)")
    #expect(
      table.contains("  2902 CCCD of 0x0010 (0x0011, inferred)  write "), "\(table)")
    #expect(table.contains("  #4       notifications on\n"), "\(table)")
  }

  @Test("A handle that does not exist, according to the server")
  func denied() {
    let page = Rendering.map { link in
      link.ask("0a 30 00", "01 0a 30 00 01")
      link.ask("0a 31 00", "01 0a 31 00 05")
    }
    #expect(page.contains("  0x0030       no such attribute\n"), "\(page)")
    #expect(page.contains("  0x0031       unknown\n"), "\(page)")
  }

  // MARK: Wording

  @Test("Quotes within a quoted string are escaped, and zeros at its end omitted")
  func quoted() {
    let bytes = Array("a \"b\" \\\0\0".utf8)
    #expect(written { $0.quoted(bytes.bytes) } == #""a \"b\" \\""#)
    #expect(written { $0.quoted([0, 0x61, 0].bytes) } == #""\x00a""#)
  }

  /// Two reads are open, then two responses come: the first one belongs to the older read.
  @Test("JSON has the packets of a response to another request")
  func reassigned() {
    let text = Rendering.json(
      {
        var link = Link()
        for pdu in ["0a 10 00", "0a 20 00"] { link.att(pdu, .sent) }
        for pdu in ["0b aa", "0b bb"] { link.att(pdu, .received) }
        return link.records
      }())
    #expect(
      text.contains(
        "\"code\":\"request_before_response\",\"message\":\"a request before the answer to #2\",\"request\":2"
      ), "\(text)")
    #expect(
      text.contains(
        "\"code\":\"earlier_response_reassigned\",\"message\":\"shows that #4 was the answer to #2\",\"response\":4,\"request\":2"
      ), "\(text)")
  }
}
