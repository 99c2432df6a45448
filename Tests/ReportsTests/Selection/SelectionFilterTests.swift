import Bluetooth
import Testing

@testable import Reports

/// The session's device, C0:FF:EE:12:34:56, in the byte order of packets.
private let band: [UInt8] = [0x56, 0x34, 0x12, 0xee, 0xff, 0xc0]

/// Returns an LE Advertising Report (ADV_IND, RSSI -60) of a device with this data.
private func report(_ address: [UInt8], type: UInt8, _ data: [UInt8]) -> [UInt8] {
  let parameters = [2, 1, 0, type] + address + [UInt8(data.count)] + data + [0xc4]
  return [4, 0x3e, UInt8(parameters.count)] + parameters
}

/// Returns an ATT PDU on the link 0x0001 of the session.
private func att(_ pdu: [UInt8], sent: Bool) -> [UInt8] {
  acl(pdu, sent: sent).bytes
}

/// A session with everything that options select: record n comes n - 1 seconds after the first,
/// which comes at 2023-11-14T22:13:20Z.
private let session: [TestRecord] = {
  let sent: [Int: [UInt8]] = [
    // LE Create Connection (0x200d) to the band.
    3: [1, 0x0d, 0x20, 25, 0x60, 0, 0x30, 0, 0, 1] + band
      + [0, 24, 0, 40, 0, 0, 0, 0xf4, 1, 0, 0, 0, 0],
    // Read By Group Type Request: 0x0001–ffff, 2800.
    6: att([0x10, 1, 0, 0xff, 0xff, 0, 0x28], sent: true),
    // Read By Type Request: 0x0001–0005, 2803.
    8: att([0x08, 1, 0, 5, 0, 3, 0x28], sent: true),
    // Find Information Request: 0x0004–0005.
    10: att([0x04, 4, 0, 5, 0], sent: true),
    // Write Request: 0x0004, notifications on.
    12: att([0x12, 4, 0, 1, 0], sent: true),
    // Read Request: 0x0020.
    15: att([0x0a, 0x20, 0], sent: true),
    // LE Enable Encryption (0x2019).
    17: [1, 0x19, 0x20, 28, 1, 0] + [UInt8](repeating: 0, count: 26),
    // Reset, of another controller.
    22: [1, 3, 0x0c, 0],
  ]
  let received: [Int: [UInt8]] = [
    // Service class 180d, name "Jay-1", data of the service 180f: 64.
    1: report(
      band, type: 1,
      [3, 3, 0x0d, 0x18, 6, 9, 0x4a, 0x61, 0x79, 0x2d, 0x31, 4, 0x16, 0x0f, 0x18, 0x64]),
    2: report([6, 5, 4, 3, 2, 1], type: 0, [6, 9, 0x4f, 0x74, 0x68, 0x65, 0x72]),
    // Command Status: success, 0x200d.
    4: [4, 0x0f, 4, 0, 1, 0x0d, 0x20],
    // LE Connection Complete: handle 0x0001, central, with the band.
    5: [4, 0x3e, 19, 1, 0, 1, 0, 0, 1] + band + [24, 0, 0, 0, 0xf4, 1, 0],
    // The service 180d at 0x0001–0005.
    7: att([0x11, 6, 1, 0, 5, 0, 0x0d, 0x18], sent: false),
    // The characteristic 2a37: declared at 0x0002, notify, value at 0x0003.
    9: att([0x09, 7, 2, 0, 0x10, 3, 0, 0x37, 0x2a], sent: false),
    // The descriptor 2902 at 0x0004.
    11: att([0x05, 1, 4, 0, 2, 0x29], sent: false),
    13: att([0x13], sent: false),
    // Notification of 0x0003.
    14: att([0x1b, 3, 0, 0xa5, 6, 7, 3], sent: false),
    // Error Response: Read Request, 0x0020, Insufficient Authentication.
    16: att([0x01, 0x0a, 0x20, 0, 5], sent: false),
    // Command Status: PIN or Key Missing (0x06), 0x2019.
    18: [4, 0x0f, 4, 6, 1, 0x19, 0x20],
    // Encryption Change: success, on.
    19: [4, 8, 4, 0, 1, 0, 1],
    // Pairing Failed: Confirm Value Failed (0x04).
    20: [2, 1, 0x20, 6, 0, 2, 0, 6, 0, 5, 4],
    // Disconnection Complete: Remote User Terminated Connection (0x13).
    21: [4, 5, 4, 0, 1, 0, 0x13],
  ]
  return (1...22).map { number in
    TestRecord(
      bytes: sent[number] ?? received[number] ?? [],
      direction: sent[number] == nil ? .received : .sent,
      time: Timestamp(seconds: 1_700_000_000 + Int64(number) - 1, nanoseconds: 0),
      adapter: number == 22 ? 1 : 0)
  }
}()

/// Returns the numbers of the selected packets, on which text and JSON must agree.
private func numbers(
  _ records: [TestRecord] = session, zone: Int64 = 0, _ change: (inout Selection) throws -> Void
) throws -> [Int] {
  var options = ShowOptions()
  if zone != 0 { options.time = .local }
  options.zoneOffset = { _ in zone }
  try change(&options.selection)
  return Rendering.numbers(records, options)
}

/// Two names per packet, enough to push the first ones out, and one again: each is found when it is
/// learnt, also in other scripts.
@Test func namesThatAreLearntTogether() throws {
  func two(_ number: Int, _ first: String, _ second: String) -> TestRecord {
    var parameters: [UInt8] = [2, 2]
    for (index, name) in [first, second].enumerated() {
      let address = [UInt8(index), UInt8(number & 0xff), UInt8(number >> 8), 0, 0, 0xc0]
      let data = [UInt8(name.utf8.count + 1), 9] + Array(name.utf8)
      parameters += [0, 1] + address + [UInt8(data.count)] + data + [0xc4]
    }
    return TestRecord(
      bytes: [4, 0x3e, UInt8(parameters.count)] + parameters, direction: .received,
      time: Timestamp(seconds: 1_700_000_000, nanoseconds: 0), adapter: 0)
  }
  var records: [TestRecord] = []
  for number in 0..<700 { records.append(two(number, "N\(number)", "M\(number)")) }
  records.append(two(3, "Küche", "JAY-2"))
  let pattern = try DevicePattern("j*-2")
  #expect(try numbers(records) { $0.devices = [pattern] } == [701])
  let kitchen = try DevicePattern("KÜ*e")
  #expect(try numbers(records) { $0.devices = [kitchen] } == [701])
  let some = try DevicePattern("*69*")
  // 69 to 669 in hundreds, 690 to 699.
  #expect(try numbers(records) { $0.devices = [some] }.count == 17)
}

/// Returns the message about an option's invalid value.
private func refusal(_ parse: () throws -> Void) -> String {
  do {
    try parse()
    return "accepted"
  } catch {
    return "\(error)"
  }
}

@Suite("Selection of packets by their subject")
struct SelectionFilterTests {
  /// All packets about the band: its advertisements, the command that names it, its connection.
  private let bands = [1, 3] + Array(5...21)

  @Test(
    "--device by address, complete or in part",
    arguments: [
      "C0:FF:EE:12:34:56", "c0:ff:ee:12:34:56", "C0-FF-EE-12-34-56", "C0:FF:*", "C0:*:EE:12:34:56",
    ])
  func address(_ text: String) throws {
    // #4 answers a command about it; #17 and #18 have the link's handle or answer a packet with it.
    #expect(try numbers { $0.devices = [try DevicePattern(text)] } == bands)
  }

  @Test(
    "--device by name, from the first packet with the name on",
    arguments: ["Jay-1", "JAY-1", "j*", "*y-*", "*1", "**j*y*-**1*"])
  func name(_ text: String) throws {
    #expect(try numbers { $0.devices = [try DevicePattern(text)] } == bands)
    let later = Array(session[2...]) + [session[0], session[13]]
    let found = try numbers(later) { $0.devices = [try DevicePattern(text)] }
    // Its connection is closed by then; late packets still belong to it.
    #expect(found.first == 21, "\(found)")
  }

  @Test("--device by a name from an earlier pass")
  func knownName() throws {
    let late = [session[2], session[4], session[0]]
    let found = try numbers(late) {
      $0.devices = [try DevicePattern("jay-1")]
      $0.namedDevices = [DeviceAddress(value: 0xc0ff_ee12_3456)]
    }
    #expect(found == [1, 2, 3])
  }

  @Test("--device: others", arguments: [("Other", [2]), ("01:02:*", [2]), ("Jay", []), ("J", [])])
  func others(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.devices = [try DevicePattern(text)] } == expected)
  }

  @Test("Several devices")
  func devices() throws {
    let all = try numbers {
      $0.devices = [try DevicePattern("Other"), try DevicePattern("C0:FF:*")]
    }
    #expect(all == [1, 2, 3] + Array(5...21))
  }

  @Test("--adapter")
  func adapter() throws {
    #expect(try numbers { $0.adapters = [1...1] } == [22])
    #expect(try numbers { $0.adapters = [0...0] } == Array(1...21))
  }

  @Test(
    "--uuid: packets that contain it, request it, or concern an attribute with it",
    arguments: [
      ("180d", [1, 7]), ("180f", [1]), ("2800", [6, 7]), ("2803", [8, 9]), ("2a37", [9, 14]),
      ("2902", [11, 12, 13]), ("0x2A37", [9, 14]), ("00002a37", [9, 14]),
      ("00002a37-0000-1000-8000-00805F9B34FB", [9, 14]), ("2a38", []),
    ])
  func uuid(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.uuids = [try Selection.uuid(text)] } == expected)
  }

  @Test(
    "--handle: a PDU with it, and the response to such a PDU",
    arguments: [
      ("0x0004", [10, 11, 12, 13]), ("4", [10, 11, 12, 13]), ("0x3", [9, 14]),
      ("0x0020", [15, 16]),
      ("0x10-0x20", [15, 16]), ("0x10–0x20", [15, 16]), ("2", [9]), ("0x21-0xfffe", []),
    ])
  func handle(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.handles = [try Selection.handles(text)] } == expected)
  }

  @Test(
    "--opcode by number and by name",
    arguments: [
      ("0x12", [12]), ("Write Request", [12]), ("write", [12, 13]), ("Notification", [14]),
      ("handle value notification", [14]), ("0x200d", [3, 4]), ("LE Create Connection", [3, 4]),
      ("enable encryption", [17, 18]), ("Read Request", [15, 16]), ("Pairing Failed", [20]),
      ("0x05", [11, 20]), ("reset", [22]),
    ])
  func opcode(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.opcodes = try OpcodeFilter(text) } == expected)
  }

  @Test(
    "--event by code, subevent and name",
    arguments: [
      ("0x3e", [1, 2, 5]), ("0x3e:0x01", [5]), ("62:2", [1, 2]), ("0x05", [21]),
      ("Disconnection Complete", [21]), ("encryption change", [19]),
      ("advertising report", [1, 2]), ("LE Connection Complete", [5]),
    ])
  func event(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.events = try EventFilter(text) } == expected)
  }

  @Test(
    "--status by number, name, and exclusions",
    arguments: [
      ("!0", [16, 18, 20]), ("0x05", [16]), ("5", [16]), ("Insufficient Authentication", [16]),
      ("missing", [18]), ("0x04", [20]), ("Confirm Value", [20]), ("0", [4, 5, 19, 21]),
      ("success", [4, 5, 19, 21]), ("0x13", [21]), ("Remote User", [21]),
      ("!0x06", [4, 5, 16, 19, 20, 21]),
    ])
  func status(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.statuses = [try StatusFilter(text)] } == expected)
  }

  @Test("The end of a discovery is not a failure, but still has its code")
  func endOfDiscovery() throws {
    // Error Response: Read By Type Request, 0x0006, Attribute Not Found.
    let end = TestRecord(bytes: att([1, 8, 1, 0, 0x0a], sent: false), direction: .received)
    let records = Array(session[..<8]) + [end]
    #expect(try numbers(records) { $0.statuses = [try StatusFilter("!0")] } == [])
    #expect(try numbers(records) { $0.statuses = [try StatusFilter("0x0a")] } == [9])
    #expect(try numbers(records) { $0.errorsOnly = true } == [])
  }

  @Test("A lost link is a failure; its reason is a status, too")
  func lostLink() throws {
    var records = session
    records[20].bytes[6] = 8
    #expect(try numbers(records) { $0.statuses = [try StatusFilter("!0")] } == [16, 18, 20, 21])
    #expect(try numbers(records) { $0.statuses = [try StatusFilter("Connection Timeout")] } == [21])
  }

  @Test(
    "--value: bytes with wildcards, anywhere in a value or an advertisement",
    arguments: [
      ("a5 06 * 03", [14]), ("a506*03", [14]), ("A5:06:??:03", [14]), ("06 07", [14]),
      ("0xa5", [14]), ("01 00", [12]), ("4a 61 79", [1]), ("a5 06 03", []),
      ("* * * * *", [1, 2, 9]),
      ("10 03 00 37 2a", [9]),
    ])
  func value(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.values = [try BytePattern(text)] } == expected)
  }

  @Test(
    "--text: in the line, in any case",
    arguments: [
      ("JAY", [1]), ("insufficient", [16]), ("to #12", [13]), ("write re", [12, 13]),
      ("nowhere", []),
    ])
  func text(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers { $0.words = [try TextPattern(text)] } == expected)
  }

  @Test("--text: lines with an excluded word are left out, alone and among other words")
  func excludedText() throws {
    func words(_ wanted: [String], without unwanted: [String]) throws -> [Int] {
      try numbers {
        $0.words = try wanted.map { try TextPattern($0) }
        for text in unwanted {
          var word = try TextPattern(text)
          word.isExcluded = true
          $0.words.append(word)
        }
      }
    }
    #expect(try words(["write re"], without: ["insufficient"]) == [12, 13])
    #expect(try words(["write re", "insufficient"], without: ["to #12"]) == [12, 16])
    let all = try numbers { _ in }
    #expect(try words([], without: ["JAY"]) == all.filter { $0 != 1 })
    #expect(try words([], without: ["nowhere"]) == all)
    #expect(try words(["jay"], without: ["Jay"]) == [])
  }

  @Test("--text in other scripts")
  func otherScripts() throws {
    let name = Array("Übung".utf8)
    let data = [UInt8(name.count + 1), 9] + name
    let records = [TestRecord(bytes: report(band, type: 1, data), direction: .received)]
    #expect(try numbers(records) { $0.words = [try TextPattern("üBUNG")] } == [1])
    #expect(try numbers(records) { $0.words = [try TextPattern("übungen")] } == [])
    #expect(try numbers(records) { $0.devices = [try DevicePattern("ü*")] } == [1])
  }

  @Test("--layer security: pairing, and HCI packets about keys and encryption")
  func security() throws {
    #expect(try numbers { $0.layers = [try Selection.Layer("security")] } == [17, 18, 19, 20])
    #expect(
      try numbers { $0.layers = [try Selection.Layer("smp"), try Selection.Layer("adv")] }
        == [1, 2, 20])
  }

  @Test("The beginning of a UUID is accepted as lines print it")
  func beginnings() throws {
    let uuid = try #require(BluetoothUUID(text: "00020002-574f-4f20-5370-6865726f2121"))
    let other = try #require(BluetoothUUID(text: "00020003-574f-4f20-5370-6865726f2121"))
    let texts = [
      "00020002-…", "00020002…", "00020002-...", "00020002-574F-…", "00020002-574f-4f20-5370-…",
      "00020002-574f-4f20-5370-6865726f…", "00020002-574f-4f20-5370-6865726f2121",
    ]
    for text in texts {
      let pattern = try Selection.uuid(text)
      #expect(pattern.matches(uuid) && !pattern.matches(other), "\(text)")
    }
    #expect(try !Selection.uuid("0000180d-…").matches(BluetoothUUID(0x180d)))
    for text in ["180d…", "…", "0002000x-…", "+0020002-…", "00020002-574f-4f20-5370-6865726f212…"] {
      #expect(throws: SelectionError.self, "\(text)") { try Selection.uuid(text) }
    }
  }

  @Test("The two ends of a UUID are accepted as lines print them")
  func ends() throws {
    let uuid = try #require(BluetoothUUID(text: "fd47416a-95fb-4206-88b5-b4a8045f75cf"))
    let other = try #require(BluetoothUUID(text: "fd47416a-95fb-4206-88b5-b4a8045f75c2"))
    for text in ["fd47…75cf", "FD47...75cf", "fd47416a-95fb…75cf", "f…045f75cf"] {
      let pattern = try Selection.uuid(text)
      #expect(pattern.matches(uuid) && !pattern.matches(other), "\(text)")
    }
    for text in ["fd47…75c", "fd47416a…75c…", "…fd47416a", "fd47x16a…75cf"] {
      #expect(throws: SelectionError.self, "\(text)") { try Selection.uuid(text) }
    }
  }

  @Test("Different options must all match, repeated ones at least once")
  func combined() throws {
    let found = try numbers {
      $0.devices = [try DevicePattern("Jay*")]
      $0.uuids = [try Selection.uuid("2a37"), try Selection.uuid("2902")]
      $0.directions = [.received]
    }
    #expect(found == [9, 11, 13, 14])
    let none = try numbers {
      $0.devices = [try DevicePattern("Other")]
      $0.errorsOnly = true
    }
    #expect(none == [])
    let opcodes = OpcodeFilter([try OpcodeFilter("0x12"), try OpcodeFilter("0x200d")])
    let events = EventFilter([try EventFilter("0x05"), try EventFilter("0x3e:1")])
    #expect(try numbers { $0.opcodes = opcodes } == [3, 4, 12])
    #expect(try numbers { $0.events = events } == [5, 21])
  }

  @Test(
    "Meaningless values are refused with the expected form",
    arguments: [
      ("device", "", "address"), ("uuid", "18", "180d"),
      ("uuid", "6e400001-b5a3f393-e0a9-e50e24dcca9e", "6e400001-b5a3-"),
      ("handle", "0x10000", "0x0010"), ("handle", "5-4", "0x10-0x20"), ("handle", "x", "0x10-0x20"),
      ("layer", "nonsense", "hci_cmd, hci_evt, acl"), ("layer", "", "note"),
      ("opcode", "0x10000", "0x200d"), ("opcode", "nonsense", "Write Request"),
      ("opcode", "", "0x12"), ("event", "0x3e:x", "0x3e:0x01"), ("event", "0x3d:1", "0x3e:0x01"),
      ("event", "nonsense", "0x05"), ("status", "256", "0xff"), ("status", "!nonsense", "'!0'"),
      ("value", "", "a5 06 * 03"), ("value", "a", "a5 06 * 03"), ("value", "a5 x", "a5 06 * 03"),
      ("text", "", "word"), ("time", "yesterday", "12.5"), ("time", "25:00", "12:03:15"),
      ("time", "2023-02-29", "2023-11-14T22:13:20Z"), ("time", "1.2.3", "12.5"),
      ("time", "", "12.5"),
    ])
  func refused(_ option: String, _ text: String, _ expected: String) {
    let words = refusal {
      switch option {
      case "device": _ = try DevicePattern(text)
      case "uuid": _ = try Selection.uuid(text)
      case "handle": _ = try Selection.handles(text)
      case "layer": _ = try Selection.Layer(text)
      case "opcode": _ = try OpcodeFilter(text)
      case "event": _ = try EventFilter(text)
      case "status": _ = try StatusFilter(text)
      case "value": _ = try BytePattern(text)
      case "text": _ = try TextPattern(text)
      default: _ = try TimePoint(text)
      }
    }
    #expect(words.contains(expected), "\(words)")
  }
}

@Suite("Selection of packets by time")
struct SelectionTimeTests {
  private func numbers(from: String?, to: String?, zone: Int64 = 0) throws -> [Int] {
    try ReportsTests.numbers(zone: zone) {
      $0.times = try TimeRange.ranges(
        from: from.map { [try TimePoint($0)] } ?? [], to: to.map { [try TimePoint($0)] } ?? [])
    }
  }

  @Test(
    "Seconds since the first record; dates; times of day; in UTC if given so",
    arguments: [
      ("20", nil, [21, 22]), ("20s", "20", [21]), (nil, "1", [1, 2]), ("0.5", "1.5", [2]),
      ("2023-11-14T22:13:40Z", nil, [21, 22]), ("2023-11-14 22:13:40.5Z", nil, [22]),
      ("2023-11-14T23:13:40+01:00", nil, [21, 22]), ("2023-11-14T20:43:40-01:30", nil, [21, 22]),
      // The machine's zone is an hour east of UTC here.
      ("2023-11-14T23:13:40", nil, [21, 22]), ("23:13:40", nil, [21, 22]),
      ("22:13:40Z", nil, [21, 22]),
      ("23:13:40", "23:13:40", [21]), (nil, "23:13:21", [1, 2]), ("2023-11-15", nil, []),
      (nil, "2023-11-15", Array(1...22)), ("23:13", "23:14", Array(1...22)),
      ("22:00", nil, Array(1...22)), ("00:30", nil, []), ("00:00", nil, []),
    ] as [(String?, String?, [Int])])
  func ranges(_ from: String?, _ to: String?, _ expected: [Int]) throws {
    #expect(try numbers(from: from, to: to, zone: 3600) == expected)
  }

  @Test("Times are not read in this machine's zone if they are not shown in it")
  func utc() throws {
    #expect(try numbers(from: "22:13:40", to: nil) == [21, 22])
    #expect(throws: SelectionError.self) { try numbers(from: "30", to: "10") }
  }

  @Test("Several ranges: the first beginning belongs to the first end")
  func several() throws {
    let found = try ReportsTests.numbers {
      $0.times = try TimeRange.ranges(
        from: [TimePoint("1"), TimePoint("20")], to: [TimePoint("2"), TimePoint("20")])
    }
    #expect(found == [2, 3, 21])
    #expect(throws: SelectionError.self) {
      try TimeRange.ranges(from: [TimePoint("1"), TimePoint("20")], to: [TimePoint("2")])
    }
    #expect(throws: SelectionError.self) {
      try TimeRange.ranges(from: [TimePoint("1"), TimePoint("20")], to: [])
    }
  }

  @Test("A time as shown in the column includes its packet")
  func column() throws {
    var records = session
    records[1].time.nanoseconds = 34_567_890
    let found = try ReportsTests.numbers(records) {
      $0.times = try TimeRange.ranges(from: [TimePoint("1.0345")], to: [TimePoint("1.0345")])
    }
    #expect(found == [2])
  }

  @Test("Times of day over midnight: the nearest beginning, the next end")
  func midnight() throws {
    // From 2023-11-14T23:59:50Z.
    let records = session.map { record in
      var record = record
      record.time.seconds += 6390
      return record
    }
    func found(_ from: String?, _ to: String?) throws -> [Int] {
      try ReportsTests.numbers(records) {
        $0.times = try TimeRange.ranges(
          from: from.map { [try TimePoint($0)] } ?? [], to: to.map { [try TimePoint($0)] } ?? [])
      }
    }
    #expect(try found("00:00:00", nil) == Array(11...22))
    #expect(try found("23:59:58", "00:00:01") == [9, 10, 11, 12])
    #expect(try found(nil, "00:00:00") == Array(1...11))
  }

  @Test("Absurd clocks select nothing or everything, and stop nothing")
  func absurd() throws {
    for seconds in [Int64.min, -1, 0, Int64.max] {
      var records = session
      for index in records.indices {
        records[index].time = Timestamp(seconds: seconds, nanoseconds: 0)
      }
      for time in ["0", "12:00", "2023-11-14", "999999999"] {
        let found = try ReportsTests.numbers(records, zone: -3600) {
          $0.times = try TimeRange.ranges(from: [TimePoint(time)], to: [TimePoint(time)])
        }
        #expect(found.isEmpty || found.count == records.count, "\(seconds) \(time)")
      }
    }
  }
}
