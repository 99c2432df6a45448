// The output of show, values, info and map about values in parts, attributes known from use, and
// unanswered requests.

import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

private func shown(_ options: ShowOptions = ShowOptions(), of write: (inout Link) -> Void)
  -> [Substring]
{
  var link = Link()
  write(&link)
  return Rendering.text(link.records, options).split(separator: "\n").dropFirst(2).map { line in
    line.drop { $0 != "\u{2190}" && $0 != "\u{2192}" }
  }
}

private func info(json: Bool = false, of write: (inout Link) -> Void) -> String {
  let summary = RecordList([]).summary
  return Rendering.report(InfoReport("x", summary, json: json, glyphs: .utf8), of: write).text
}

@Suite("Output about attributes")
struct AttributeWordingTests {
  // MARK: Values in parts

  private func longRead(_ link: inout Link) {
    link.discover(0x10, "29 2a")
    link.ask("0a 11 00", "0b" + String(repeating: " 41", count: 22))
    link.ask("0c 11 00 16 00", "0d 42 43")
  }

  private func longWrite(_ link: inout Link) {
    link.ask("16 11 00 00 00 41 42", "17 11 00 00 00 41 42")
    link.ask("16 11 00 02 00 43", "17 11 00 02 00 43")
    link.ask("18 01", "19")
  }

  @Test("The packet that completes a value prints all of it")
  func joined() {
    let value = String(repeating: "A", count: 22) + "BC"
    #expect(
      shown(of: longRead).last?.contains("\"BC\", joined from #5\u{2013}#7: \"\(value)\", after")
        == true,
      "\(shown(of: longRead))")
    let write = shown(of: longWrite)
    #expect(
      write.last?.contains("to #6, 0x0011 joined from #2\u{2013}#4: 41 42 43, after") == true,
      "\(write)")
    var link = Link()
    longWrite(&link)
    let json = Rendering.json(link.records)
    #expect(
      json.contains(#""joined":[{"handle":"0x0011","value":"414243","packets":[2,4]}]"#), "\(json)")
  }

  @Test("A cancelled, refused or single-part value is not a value in parts")
  func notJoined() {
    for end in [["18 00", "19"], ["18 01", "01 18 11 00 0d"]] {
      let lines = shown { link in
        link.ask("16 11 00 00 00 41 42", "17 11 00 00 00 41 42")
        link.att(end[0], .sent)
        link.att(end[1], .received)
      }
      #expect(!lines.joined().contains("joined"), "\(lines)")
      #expect(!lines.joined().contains("from #"), "\(lines)")
    }
    // The first part had all of it; the second line says so.
    let lines = shown { link in
      link.ask("0a 11 00", "0b" + String(repeating: " 41", count: 22))
      link.ask("0c 11 00 16 00", "01 0c 11 00 07")
    }
    #expect(!lines.joined().contains("joined"), "\(lines)")
  }

  @Test("A key in parts is hidden like one in a single part")
  func hidden() {
    func write(_ link: inout Link) {
      link.discover(0x10, "88 2b")
      link.ask("0a 11 00", "0b" + String(repeating: " 41", count: 22))
      link.ask("0c 11 00 16 00", "0d 42 43")
    }
    var link = Link()
    write(&link)
    let text = Rendering.text(link.records)
    #expect(text.contains("joined from #5") && !text.contains("41 41"), "\(text)")
    let json = Rendering.json(link.records)
    #expect(json.contains("\"joined\"") && !json.contains("4141"), "\(json)")
  }

  @Test("A value that may be a key is hidden, whichever request it answers")
  func mayBeKey() {
    func write(_ link: inout Link) {
      link.discover(0x10, "88 2b")
      link.att("0a 11 00", .sent)
      link.ask("0a 20 00", "0b 41 42 43 44")
      link.att("0a 20 00", .sent)
    }
    let text = shown(of: write).joined(separator: "\n")
    #expect(text.contains("Read Response   0x0020") && !text.contains("41 42"), "\(text)")
    let values = Rendering.report(ValuesReport(ValuesOptions()), of: write).text
    #expect(!values.contains("41 42") && !values.contains("ABCD"), "\(values)")
    let map = Rendering.map(of: write)
    #expect(!map.contains("41 42") && !map.contains("ABCD"), "\(map)")
  }

  @Test("map uses the joined value of a prepared write")
  func mapOfPrepared() {
    let text = Rendering.map(of: longWrite)
    #expect(text.contains("41 42 43"), "\(text)")
    #expect(text.contains("prepared-write; 3 bytes"), "\(text)")
  }

  // MARK: Captures that lack data

  @Test("map does not claim what only the host's data would show") func mapWithoutRequests() {
    let text = Rendering.map { link in
      link.att("05 01 11 00 02 29", .received)
      link.att("1b 10 00 05", .received)
      link.att("13", .received)
    }
    #expect(!text.contains("not written"), "\(text)")
    #expect(text.contains("descriptors not all discovered"), "\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.last != " " }, "\(text)")
  }

  @Test("map says nothing of attributes if the capture has no data") func mapWithoutData() {
    func map(completes: Bool) -> String {
      Rendering.map { if completes { $0.add(hex("04 13 05 01 40 00 03 00"), .received) } }
    }
    #expect(map(completes: false).contains("no attribute was discovered or used"))
    let text = map(completes: true)
    #expect(text.contains("no attribute is in the capture"), "\(text)")
    #expect(text.contains("MTU at least 23 (inferred)"), "\(text)")
  }

  // MARK: Attributes known from use

  /// Discovers a CCCD below a value that was not discovered.
  private func configured(_ link: inout Link) {
    link.ask("04 11 00 11 00", "05 01 11 00 02 29")
    link.ask("12 11 00 01 00", "13")
    link.att("1b 10 00 05", .received)
    link.att("12 11 00 00 00", .sent)
  }

  @Test("A discovered CCCD belongs to the value that notifies, even if that is unknown")
  func owner() {
    #expect(shown(of: configured).last?.contains("2902 CCCD of 0x0010 (0x0011)") == true)
    let text = Rendering.map(of: configured)
    #expect(
      text.contains(
        """
          0x0010       a value, inferred                   notify             05
                         notification; 1 byte, #6
            0x0011       2902 CCCD                                            notifications on
        """), "\(text)")
    #expect(!text.contains("in no service"), "\(text)")
    let json = Rendering.map(json: true, of: configured)
    #expect(json.contains(#""handle":"0x0011","of":"0x0010","via":"discovered""#), "\(json)")
  }

  @Test("An earlier subscription counts although its attribute is identified later")
  func subscribed() {
    let discovered = Rendering.report(ValuesReport(ValuesOptions())) { link in
      link.ask("04 11 00 11 00", "05 01 11 00 02 29")
      link.ask("12 11 00 01 00", "13")
      link.att("1b 10 00 05", .received)
    }
    #expect(
      discovered.text.hasSuffix("subscribed to 0x0010 (#4); values arrived from it\n"),
      "\(discovered.text)")
    let inferred = Rendering.report(ValuesReport(ValuesOptions())) { link in
      link.ask("12 11 00 01 00", "13")
      link.att("1b 10 00 05", .received)
    }
    #expect(
      inferred.text.hasSuffix("subscribed to 0x0010 (#2); values arrived from it\n"),
      "\(inferred.text)")
    let off = Rendering.report(ValuesReport(ValuesOptions())) { link in
      link.ask("12 11 00 01 00", "13")
      link.ask("12 11 00 00 00", "13")
      link.att("1b 10 00 05", .received)
      link.ask("12 15 00 01 00", "13")
      link.att("1b 14 00 05", .received)
    }
    #expect(
      off.text.hasSuffix(
        "subscribed to 0x0014 (#7); values arrived from it; not subscribed at the end to 0x0010 (#2, off #4)\n"
      ), "\(off.text)")
    let only = Rendering.report(ValuesReport(ValuesOptions())) { link in
      link.ask("04 11 00 11 00", "05 01 11 00 02 29")
      link.ask("12 11 00 00 00", "13")
      link.att("1b 10 00 05", .received)
    }
    #expect(
      only.text.hasSuffix("\nnot subscribed at the end to 0x0010 (off #4)\n"), "\(only.text)")
    let other = Rendering.report(ValuesReport(ValuesOptions())) { link in
      link.ask("12 11 00 01 00", "13")
    }
    #expect(!other.text.contains("subscribed"), "\(other.text)")
  }

  @Test("A packet whose handle was cut off is counted")
  func withoutHandle() {
    func write(_ link: inout Link) {
      link.att("1b 10", .received)
      link.att("1b 10 00 01", .received)
    }
    let expected = "the value of 1 packet is in no row: the handle is cut off"
    #expect(Rendering.report(ValuesReport(ValuesOptions()), of: write).remark == expected)
    let summary = RecordList([]).summary
    #expect(
      Rendering.report(ValueLines(ValuesOptions(), .text, summary), of: write).remark == expected)
  }

  // MARK: Selection

  @Test("map shows the selection, and counts everything")
  func chosen() {
    func write(_ link: inout Link) {
      link.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 0d 18 06 00 09 00 0f 18")
      link.ask("08 01 00 ff ff 03 28", "09 07 02 00 10 03 00 37 2a 07 00 12 08 00 19 2a")
      link.att("1b 20 00 05", .received)
    }
    func lines(_ change: (inout Selection) -> Void) -> [Substring] {
      var options = MapOptions()
      change(&options.selection)
      return Rendering.map(options, of: write).split(separator: "\n")
    }
    let battery = lines { $0.uuids = [UUIDPattern(BluetoothUUID(0x2a19))] }
    #expect(battery.contains { $0.contains("180f Battery") }, "\(battery)")
    #expect(!battery.contains { $0.contains("180d") || $0.contains("0x0020") }, "\(battery)")
    #expect(battery.contains { $0.hasPrefix("2 services, 2 characteristics") }, "\(battery)")
    let unknown = lines { $0.handles = [0x20...0x20] }
    #expect(unknown.contains { $0.contains("0x0020") } && !unknown.contains { $0.contains("180d") })
    #expect(
      lines { $0.uuids = [UUIDPattern(BluetoothUUID(0x1234))] } == ["no such attribute is known"])
    #expect(lines { $0.connections = [2...3] } == ["there was no such connection"])
    #expect(lines { $0.adapters = [1...1] } == ["there was no such connection"])
    #expect(lines { $0.connections = [1...1] }.count > 6)
  }

  // MARK: Failures

  @Test("info lists requests without a response")
  func unanswered() {
    let text = info { link in
      link.att("0a 03 00", .sent)
      link.ask("08 01 00 ff ff 03 28", "01 08 01 00 0a")
      link.att("04 01 00 ff ff", .sent)
      link.add([4, 5, 4, 0, 0x40, 0, 0x13], .received)
    }
    #expect(
      text.contains("unanswered   2 requests: Read Request #2, Find Information Request #5\n"),
      "\(text)")
    let json = info(json: true) { link in
      link.att("0a 03 00", .sent)
      link.add([4, 5, 4, 0, 0x40, 0, 0x13], .received)
    }
    #expect(
      json.contains(
        #""unanswered":{"count":1,"requests":[{"packet":2,"opcode":"0x0a","name":"Read Request","connection":1}]}"#
      ), "\(json)")
  }

  @Test("A request with a response, or one that may still get it, is not unanswered")
  func answered() {
    let waiting = info { $0.att("0a 03 00", .sent) }
    #expect(!waiting.contains("unanswered"), "\(waiting)")
    // A client that does not wait, and a server that responds in order.
    let open = info { link in
      link.att("0a 03 00", .sent)
      link.ask("0a 05 00", "0b 64")
      link.att("0b 65", .received)
      link.ask("0a 06 00", "0b 66")
      link.add([4, 5, 4, 0, 0x40, 0, 0x13], .received)
    }
    #expect(!open.contains("unanswered"), "\(open)")
  }

  /// Two enhanced bearers, 0x0040 and 0x0041 on this host for 0x0051 and 0x0050 on the peer; each
  /// has the responses to the other's requests.
  private func crossed(_ link: inout Link) {
    func add(_ text: String, cid: UInt8, _ direction: Direction) {
      let frame = hex(text)
      let l2cap = [UInt8(frame.count), 0, cid, 0] + frame
      link.add([2, 0x40, 0, UInt8(l2cap.count), 0] + l2cap, direction)
    }
    add("17 01 0c 00 27 00 40 00 40 00 05 00 40 00 41 00", cid: 5, .sent)
    add("18 01 0c 00 40 00 40 00 05 00 00 00 51 00 50 00", cid: 5, .received)
    add("05 00 12 10 00 01 00", cid: 0x51, .sent)
    add("03 00 0a 20 00", cid: 0x50, .sent)
    add("01 00 13", cid: 0x41, .received)
    add("02 00 0b aa", cid: 0x40, .received)
    link.add([4, 5, 4, 0, 0x40, 0, 0x13], .received)
  }

  @Test("A request with its response on another channel is answered")
  func answeredElsewhere() {
    let text = info(of: crossed)
    #expect(!text.contains("unanswered"), "\(text)")
    #expect(
      text.contains("2 errors: 2 responses on other channels than their requests"), "\(text)")
    let lines = shown(of: crossed)
    #expect(
      lines.contains {
        $0.contains("to #4") && $0.hasSuffix("answers #4, which came on another channel")
      }, "\(lines)")
  }

  @Test("After 30 s a response is no longer expected")
  func timedOut() {
    let text = info { link in
      link.att("0a 03 00", .sent)
      for _ in 0..<31 { link.att("1b 10 00 01", .received) }
    }
    #expect(text.contains("unanswered   1 request: Read Request #2\n"), "\(text)")
  }

  /// LE Long Term Key Request Negative Reply; Encryption Change, and its second version, with PIN
  /// or Key Missing.
  @Test(
    "A missing key is a failure",
    arguments: [
      ("01 1b 20 02 40 00", Direction.sent), ("04 08 04 06 40 00 00", .received),
      ("04 59 05 06 40 00 00 00", .received),
    ])
  func keyMissing(_ bytes: String, _ direction: Direction) {
    let write = { (link: inout Link) in link.add(hex(bytes), direction) }
    #expect(info(of: write).contains("1 missing key of a bond; show --errors lists them"))
    #expect(
      info(json: true, of: write).contains(
        #""failures":[{"kind":"bond_keys_missing","count":1}]"#))
    var options = ShowOptions()
    options.selection.errorsOnly = true
    var link = Link()
    write(&link)
    #expect(Rendering.numbers(link.records, options) == [2])
  }

  @Test("Without HCI events the times of opening and closing are unknown")
  func dataAlone() {
    var link = Link()
    link.att("1b 10 00 01", .received)
    link.records.removeFirst()
    var source = RecordList(link.records)
    var report = InfoReport("x", source.summary, json: false, glyphs: .utf8)
    let text = Rendering.run(&source, &report)
    #expect(
      text.contains(
        ", when it was opened and closed is not known: the capture has no HCI events\n"), "\(text)")
  }
}
