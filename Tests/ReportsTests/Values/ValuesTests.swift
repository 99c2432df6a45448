// The output of `values`: the table, lines, CSV, JSON, bytes.

import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

private func values(
  _ options: ValuesOptions = ValuesOptions(), _ form: ValueLines.Form? = nil,
  limits: Limits = Limits(), of write: (inout Link) -> Void
) -> String {
  var link = Link()
  write(&link)
  var source = RecordList(link.records)
  if let form {
    var report = ValueLines(options, form, source.summary, limits: limits)
    return Rendering.run(&source, &report)
  }
  var report = ValuesReport(options, limits: limits)
  return Rendering.run(&source, &report)
}

@Suite("The output of values")
struct ValuesTests {
  private func series(_ link: inout Link) {
    link.discover(0x10, "19 2a")
    for value in ["05", "0a", "0a", "14"] { link.att("1b 11 00 \(value)", .received) }
    link.ask("12 11 00 01", "01 12 11 00 03")
    link.att("0a 11 00", .sent)
  }

  @Test("The table: count, rate, first and last, chart, refused, unanswered")
  func table() {
    #expect(
      values(of: series) == """
          attribute           operation        count   rate  packets  first → last
        C0:11:22:33:44:55  connection 1, MTU 23 (not exchanged)
          2a19 Battery Level  notification         4  1.0/s  #4–#7    5 % → 20 %, 3 different
                                                                      ▁▃▃█  5…20 %, median 10 %
                              write refused        1         #8       1 %: Write Not Permitted (0x03)
                              read unanswered      1         #10      the capture ends

        """)
  }

  @Test("Of very many packets the first and the last are listed")
  func manyPackets() {
    // Records a notification of 97 bytes, each byte in its own fragment after the L2CAP header.
    func write(_ link: inout Link) {
      let pdu = hex("1b 11 00") + [UInt8](repeating: 0x61, count: 97)
      link.add([2, 0x40, 0x20, 4, 0, 100, 0, 4, 0], .received)
      for byte in pdu { link.add([2, 0x40, 0x10, 1, 0, byte], .received) }
    }
    let json = values(ValuesOptions(), .json, of: write)
    #expect(json.contains("\"packets\":[2,3,"), "\(json)")
    #expect(json.contains(",32,33,71,72,"), "\(json)")
    #expect(json.contains(",102],\"packets_total\":101"), "\(json)")
    let csv = values(ValuesOptions(), .csv, of: write)
    #expect(csv.contains(" 32 33 ... 71 72 ") && csv.hasSuffix(" 102\n"), "\(csv)")
  }

  @Test("Results beyond the limit of kinds are counted together")
  func manyKinds() {
    let table = values { link in
      // Application errors 0x80 to 0x9f, and four more (Core, Vol 3, Part F, 3.4.1.1: 0x80 to
      // 0x9f).
      for error in 0x80..<0xa4 {
        link.ask("0a 03 00", "01 0a 03 00 " + String(error, radix: 16))
      }
    }
    #expect(table.contains("4 values with results of more kinds than are counted"), "\(table)")
    #expect(!table.contains("(0xa0)"), "\(table)")
  }

  @Test("Advertisers do not displace attributes")
  func crowd() {
    var limits = Limits()
    limits.valueSeries = 4
    let table = values(limits: limits) { link in
      for device: UInt8 in 0..<9 {
        // ADV_IND with service data of 180f: 64.
        link.add(
          [4, 0x3e, 17, 2, 1, 0, 1, device, 0, 0, 0, 0, 0x40, 5] + hex("04 16 0f 18 64 c0"),
          .received)
      }
      link.att("1b 10 00 07", .received)
    }
    #expect(table.contains("notification"), "\(table)")
    #expect(table.contains("5 values of more attributes than are counted"), "\(table)")
  }

  @Test("--distinct: a value that completes a message counts with the whole message")
  func distinctMessages() {
    func lines(_ bytes: Int) -> [Substring] {
      var options = ValuesOptions()
      options.rows = .distinct
      var limits = Limits()
      limits.distinctBytes = bytes
      let text = values(options, .text, limits: limits) { link in
        link.discover(0x10, "f7 ff")
        for part in [
          "a5 06 83 00 03 23", "a5 33 84 01 00 3c 01 00 3d 65 00 3e c9 00 3f 2d 01 40 91 01",
          "41 f5 01 42 59 02 43 bd 02 44 21 03 45 85 03 46 e9 03 47 4d",
          "04 48 b1 04 49 15 05 4a 79 05 87",
        ] { link.att("1b 11 00 \(part)", .received) }
      }
      return text.split(separator: "\n")
    }
    let all = lines(1000)
    #expect(all.last?.contains("payload 01 00 3c") == true, "\(all)")
    // The bytes of the values alone are 57.
    #expect(lines(57).count < all.count, "\(lines(57))")
    #expect(lines(400) == all)
  }

  @Test("The column of connection numbers grows")
  func manyConnections() {
    let lines = values(ValuesOptions(), .text) { link in
      for _ in 1..<1234 { link.connect() }
      link.att("1b 11 00 07", .received)
    }
    #expect(lines.contains(".0000 1234 ← notification"), "\(lines)")
  }

  @Test("Connections are counted once, however many values each has")
  func connections() {
    let table = values { link in
      for _ in 0..<20 {
        for _ in 0..<3 { link.att("1b 11 00 07", .received) }
        link.connect()
      }
    }
    #expect(table.contains("connections 1, 2, 3, 4, 5, 6, 7, 8 and 12 more"), "\(table)")
  }

  @Test("Lines, JSON and CSV print each value when its outcome is known")
  func lines() {
    #expect(
      values(ValuesOptions(), .text, of: series) == """
            #      time id   operation         attribute                     value
            4    3.0000  1 ← notification      2a19 Battery Level            5 %
            5    4.0000  1 ← notification      2a19 Battery Level            10 %
            6    5.0000  1 ← notification      2a19 Battery Level            10 %
            7    6.0000  1 ← notification      2a19 Battery Level            20 %
            8    7.0000  1 → write refused     2a19 Battery Level            1 %, Write Not Permitted (0x03)
           10    9.0000  1 → read unanswered   2a19 Battery Level            the capture ends

        """)
    let json = values(ValuesOptions(), .json, of: series).split(separator: "\n")
    #expect(
      json.dropFirst(4) == [
        """
        {"type":"value","packet":8,"time":"2023-11-14T22:13:27.000000Z","elapsed_s":7,\
        "connection":1,"device":"C0:11:22:33:44:55","uuid":"2a19","handle":"0x0011",\
        "attribute":"value","via":"discovered","operation":"write","direction":"sent",\
        "value":"01","response":9,"latency_ms":1000,\
        "failed":"refused","error":{"code":"0x03","name":"Write Not Permitted"},\
        "decoded":{"profile":"battery","name":"Battery Level",\
        "fields":{"battery_level":{"number":1,"unit":"%"}},"text":"1 %"}}
        """,
        """
        {"type":"value","packet":10,"time":"2023-11-14T22:13:29.000000Z","elapsed_s":9,\
        "connection":1,"device":"C0:11:22:33:44:55","uuid":"2a19","handle":"0x0011",\
        "attribute":"value","via":"discovered","operation":"read","direction":"sent",\
        "failed":"no_response","because":"capture_ended"}
        """,
      ])
    let csv = values(ValuesOptions(), .csv, of: series).split(separator: "\n")
    #expect(
      csv[0]
        == "packet,time,elapsed_s,connection,device,uuid,name,handle,operation,direction,"
        + "value,number,error,response,decoded,quantity,unit")
    #expect(
      csv[1] == "4,2023-11-14T22:13:23.000000Z,3,1,C0:11:22:33:44:55,2a19,Battery Level,0x0011,"
        + "notification,received,0x05,5,,,5 %,5,%")
    #expect(csv.allSatisfy { $0.count { $0 == "," } == 16 })
  }

  @Test("A write in a capture of one direction is not called accepted") func oneDirection() {
    let written = { (link: inout Link) in
      link.records = []
      link.att("12 11 00 01", .sent)
    }
    let json = values(ValuesOptions(), .json, of: written)
    #expect(json.contains(#""value":"01","answer":"not_captured"}"#), "\(json)")
    let answered = values(ValuesOptions(), .json) { link in
      written(&link)
      link.att("13", .received)
    }
    #expect(!answered.contains("not_captured") && answered.contains(#""response":2"#))
  }

  @Test("A name with a comma is quoted in CSV (RFC 4180)")
  func quotes() {
    func cell(_ text: String) -> String { written { $0.cell([UInt8](text.utf8).bytes) } }
    #expect(cell("Apple, Inc.") == "\"Apple, Inc.\"")
    #expect(cell("a \"b\"") == "\"a \"\"b\"\"\"")
    #expect(cell("plain") == "plain")
    #expect(cell("two\nlines") == "\"two\nlines\"")
  }

  @Test("A selection chooses values by themselves, not by the packet of their outcome")
  func selection() throws {
    func numbers(_ change: (inout ValuesOptions) throws -> Void) rethrows -> [Int] {
      var options = ValuesOptions()
      try change(&options)
      return values(options, .json, of: series).split(separator: "\n").compactMap { line in
        line.firstMatch(of: /"packet":(\d+)/).flatMap { Int($0.1) }
      }
    }
    #expect(numbers { $0.operations = [.write, .read] } == [8, 10])
    #expect(numbers { $0.selection.errorsOnly = true } == [8, 10])
    #expect(try numbers { $0.selection.statuses = [try StatusFilter("0x03")] } == [8])
    #expect(try numbers { $0.selection.values = [try BytePattern("0a")] } == [5, 6])
    #expect(numbers { $0.selection.packets = [5...8] } == [5, 6, 7, 8])
    #expect(numbers { $0.selection.limit = 2 } == [4, 5])
    #expect(numbers { $0.selection.directions = [.sent] } == [8, 10])
    #expect(try numbers { $0.selection.handles = [try Selection.handles("0x12")] } == [])
    #expect(
      try numbers { $0.selection.uuids = [try Selection.uuid("2A19")] } == [4, 5, 6, 7, 8, 10])
    #expect(try numbers { $0.selection.devices = [try DevicePattern("C0:11:*")] }.count == 6)
    #expect(try numbers { $0.selection.devices = [try DevicePattern("C1:11:*")] } == [])
    #expect(
      try numbers {
        $0.selection.times = try TimeRange.ranges(from: [TimePoint("4")], to: [TimePoint("5")])
      } == [5, 6])
  }

  @Test("Key material is hidden in every form")
  func secrets() {
    func keys(_ link: inout Link) {
      link.discover(0x10, "88 2b")
      link.ask("0a 11 00", "0b c0 c1 c2 c3")
      link.ask("12 11 00 c0 c1 c2 c4", "13")
      link.ask("08 01 00 ff ff 88 2b", "09 06 11 00 c0 c1 c2 c5")
      link.ask("0e 11 00 12 00", "0f c0 c1 c2 c6 01")
    }
    var open = ValuesOptions()
    open.showsKeys = true
    for form in [nil, ValueLines.Form.json, .csv, .text] {
      let text = values(ValuesOptions(), form, of: keys).filter { $0 != " " }
      #expect(!text.contains("c0c1"), "\(text)")
      #expect(values(open, form, of: keys).filter { $0 != " " }.contains("c0c1c2c"))
    }
    #expect(values(ValuesOptions(), .json, of: keys).contains("\"hidden\":[\"value\"]"))
    #expect(values(ValuesOptions(), .text, of: keys).contains("<hidden>, 4 bytes"))
  }

  @Test("Bytes of one stream; more than one are refused with their names")
  func raw() throws {
    func raw(_ change: (inout ValuesOptions) throws -> Void) rethrows -> ([UInt8], String?) {
      var options = ValuesOptions()
      try change(&options)
      var link = Link()
      series(&link)
      link.att("52 11 00 ee", .sent)
      var source = RecordList(link.records)
      var report = RawValues(options, channel: nil)
      var output = Output()
      var pass = Pass()
      try? pass.run(&source, &report, into: &output)
      return (output.bytes.array, report.refusal)
    }
    let chosen = raw { $0.operations = [.notification] }
    #expect(chosen.0 == [0x05, 0x0a, 0x0a, 0x14] && chosen.1 == nil)
    #expect(
      raw { _ in }.1 == "--raw writes the bytes of one attribute or channel, one way, and 2 are "
        + "selected: 2a19 Battery Level notified (4 values); 2a19 Battery Level written (1 value); "
        + "choose with --operation")
  }

  /// Records a Read Blob Response that fills the PDU of 23 bytes, for bytes 22 on of the value.
  private static func part(_ link: inout Link) {
    link.ask("0c 11 00 16 00", "0d" + String(repeating: " 07", count: 22))
  }

  @Test("CSV's columns and --raw report incomplete values")
  func incomplete() {
    let csv = values(ValuesOptions(), .csv) { Self.part(&$0) }
    #expect(csv.hasSuffix(",22,true\n"), "\(csv)")
    func remark(_ write: (inout Link) -> Void) -> String? {
      var link = Link()
      write(&link)
      var source = RecordList(link.records)
      var report = RawValues(ValuesOptions(), channel: nil)
      _ = Rendering.run(&source, &report)
      return report.remark
    }
    #expect(
      remark { Self.part(&$0) }
        == "1 value is not whole: begins in the middle, fills the PDU: there may be more")
    #expect(remark { $0.att("1b 11 00 01", .received) } == nil)
  }

  @Test("A label that is too long for its column has its own line")
  func longLabels() {
    let text = values { link in
      link.att("1b 11 00 01", .received)
      link.add(
        [4, 0x3e, 0x1f, 2, 1, 0, 0, 0x55, 0x44, 0x33, 0x22, 0x11, 0xc0, 19]
          + hex("12 21 00 00 6b 63 6f 6c 00 9f 0d 4b 01 00 1e ab a1 5c 01 c4"), .received)
    }
    let lines = text.split(separator: "\n")
    let columns = lines.compactMap { line in
      line.firstIndex(of: "#").map { line.distance(from: line.startIndex, to: $0) }
    }
    #expect(lines.contains("  service 5ca1ab1e-0001-4b0d-9f00-6c6f636b0000"), "\(text)")
    #expect(columns.count == 2 && Set(columns).count == 1, "\(text)")
  }

  @Test("Many attributes and many values are counted up to a limit, which is reported")
  func limits() {
    var limits = Limits()
    limits.valueSeries = 3
    limits.distinctValues = 4
    let text = values(limits: limits) { link in
      for index in 0..<10 { link.att("1b \(index)0 00 0\(index)", .received) }
      for index in 0..<10 { link.att("1b 00 00 0\(index)", .received) }
    }
    #expect(text.contains("7 values of more attributes than are counted"))
    #expect(text.contains("more than 4 different"))
  }

  @Test("A device's advertised data is a series, too")
  func advertised() {
    let data = hex("02 01 06 05 ff 4c 00 aa bb 04 16 0f 18 61")
    let report = [
      4, 0x3e, UInt8(12 + data.count), 2, 1, 0, 1, 1, 2, 3, 4, 5, 0xc6, UInt8(data.count),
    ]
    let text = values { link in
      for _ in 0..<3 { link.add(report + data + [0xc0], .received) }
    }
    #expect(text.contains("C6:05:04:03:02:01  advertising"))
    #expect(
      text.contains(
        "company 0x004c Apple, Inc.  advertised      3  1.0/s  #2–#4    0xaa, length 187"),
      "\(text)")
    #expect(
      text.contains(
        "service 180f Battery        advertised      3  1.0/s  #2–#4    97 %, each time"))
  }

  @Test("Each reason for a missing response is reported with its number")
  func reasons() {
    let text = values { link in
      link.discover(0x10, "f7 ff")
      for _ in 0..<2 {
        link.att("12 11 00 01", .sent)
        link.add(hex("04 05 04 00 40 00 13"), .received)
        link.connect()
      }
      link.att("12 11 00 01", .sent)
    }
    #expect(
      text.contains("01, each time: 2 of 3: the connection ended, 1 of 3: the capture ends\n"),
      "\(text)")
  }

  /// The formats are those of the GATT Specification Supplement.
  @Test(
    "Only values with a single-integer format have a chart and a number; unknown ones are marked")
  func numbers() {
    // As if no profile had a definition.
    var options = ValuesOptions()
    options.profiles = nil
    func chart(_ uuid: String, _ all: [String]) -> String? {
      let text = values(options) { link in
        link.discover(0x10, uuid)
        for value in all { link.att("1b 11 00 \(value)", .received) }
      }
      return text.firstMatch(of: /-?\d+…-?\d+ .*/).map { String($0.0) }
    }
    func csv(_ uuid: String, _ value: String) -> Substring {
      var options = ValuesOptions()
      options.columns = ["packet", "number"]
      let text = values(options, .csv) { link in
        link.discover(0x10, uuid)
        link.att("1b 11 00 \(value)", .received)
      }
      return text.split(separator: "\n")[1].split(separator: ",", omittingEmptySubsequences: false)[
        1]
    }
    // Heart Rate Measurement begins with flags.
    #expect(chart("37 2a", ["10 4d 00 04", "10 4e 00 04", "10 4f 00 04"]) == nil)
    #expect(chart("19 2a", ["61", "60", "60"]) == "96…97 as uint8")
    #expect(chart("6e 2a", ["ff ff", "00 01", "00 02"]) == "-1…512 as sint16")
    #expect(chart("19 2a", ["61 00", "60 00", "5f 00"]) == nil)
    #expect(chart("f7 ff", ["01 00", "02 00", "02 00"]) == nil)
    #expect(chart("f7 ff", ["01 00", "02 00", "03 00"]) == "1…3 if little-endian uint16")
    #expect(chart("f7 ff", ["01", "02", "03"]) == "1…3 if uint8")
    #expect(csv("37 2a", "10 4d 00 04") == "" && csv("02 29", "01 00") == "")
    #expect(
      csv("07 2a", "fc") == "-4" && csv("19 2a", "61") == "97" && csv("f7 ff", "00 01") == "256")
  }

  @Test("Decoded numbers have a chart for each unit, with the median")
  func quantities() {
    // Temperature Measurement: bit 0 of the flags is the unit, 0 °C, 1 °F; tenths.
    let text = values { link in
      link.discover(0x10, "1c 2a")
      for tenths in [360, 370, 380, 365] as [UInt16] {
        for flags in ["00", "01"] {
          let low = String(tenths & 0xff, radix: 16)
          link.att("1b 11 00 \(flags) \(low.count == 1 ? "0" : "")\(low) 01 00 ff", .received)
        }
      }
    }
    #expect(text.contains("36.0…38.0 °C, median 36.8 °C"), "\(text)")
    #expect(text.contains("36.0…38.0 °F, median 36.8 °F"), "\(text)")
  }

  @Test("A chart of many numbers is drawn in few columns")
  func course() {
    var course = Course()
    for value in 0..<1000 { course.add([UInt8(value & 0xff), UInt8(value >> 8)].bytes, .assumed) }
    #expect(course.trend.points.count <= Trend.columns)
    #expect(course.trend.points == course.trend.points.sorted())
    #expect(course.trend.smallest == 0 && course.trend.largest == 999)
    course.add([1, 2, 3].bytes, .assumed)
    #expect(course.isBroken)
  }
}
