// RFCOMM's frames, multiplexer commands and the services that SDP names. The frames are those of an
// amplifier and of earbuds (shared captures); their meaning is what tshark reads.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Whole frames, and what tshark reads in them.
let rfcommFixtures: [(bytes: String, words: String)] = [
  ("03 3f 01 1c", "SABM dlci=0 c/r p/f length=0"),
  ("03 73 01 d7", "UA dlci=0 c/r p/f length=0"),
  ("0b 3f 01 59", "SABM dlci=2 c/r p/f length=0"),
  ("0b 73 01 92", "UA dlci=2 c/r p/f length=0"),
  ("8b 53 01 6e", "DISC dlci=34 c/r p/f length=0"),
  (
    "03 ef 15 83 11 02 f0 00 00 de 03 00 07 70",
    "UIH dlci=0 c/r length=10 | command DLC Parameter Negotiation: Direction=0 "
      + "Server_Channel=1 Frame_Type=0 Convergence_Layer=15 Priority=0 Acknowledgement_Timer=0 "
      + "Maximum_Frame_Size=990 Maximum_Retransmissions=0 Initial_Credits=7"
  ),
  (
    "01 ef 15 81 11 02 e0 00 00 ff 00 00 01 aa",
    "UIH dlci=0 length=10 | response DLC Parameter Negotiation: Direction=0 "
      + "Server_Channel=1 Frame_Type=0 Convergence_Layer=14 Priority=0 Acknowledgement_Timer=0 "
      + "Maximum_Frame_Size=255 Maximum_Retransmissions=0 Initial_Credits=1"
  ),
  // RTC, RTR, DV
  (
    "03 ef 09 e1 05 0b 8d 70",
    "UIH dlci=0 c/r length=4 | response Modem Status: Direction=0 Server_Channel=1 Signals=70"
  ),
  (
    "0b ff 29 03 80 80 80 ee a2 01 00 09 04 00 04 00 00 00 aa aa 00 00 00 00 86",
    "UIH dlci=2 c/r p/f length=20 credits=3 808080eea2010009040004000000aaaa00000000"
  ),
  ("09 ff 01 07 5c", "UIH dlci=2 p/f length=0 credits=7"),
  ("19 ff 01 c8 49", "UIH dlci=6 p/f length=0 credits=200"),
]

/// Describes the frame in some bytes, and what is wrong with it.
func rfcommWords(_ bytes: [UInt8], missing: Int = 0) -> (words: String, problems: [Problem.Code]) {
  var dissection = Dissection()
  dissection.body = Slice(start: 0, count: bytes.count)
  dissection.parseRFCOMM(bytes.bytes, missing: missing)
  let codes = (0..<dissection.problems.count).map { dissection.problems[$0].code }
  guard let frame = dissection.rfcomm else { return ("none", codes) }
  var words = "\(frame.kind.name?.description ?? "?") dlci=\(frame.dlci.rawValue)"
  if frame.isCommandOrResponse { words += " c/r" }
  if frame.isPollOrFinal { words += " p/f" }
  words += " length=\(frame.length)"
  if let credits = frame.credits { words += " credits=\(credits)" }
  if frame.carriesData {
    let text = bytes.bytes.part(frame.payload).array.map { digits($0, 2) }.joined()
    return (text.isEmpty ? words : words + " " + text, codes)
  }
  var commands = MultiplexerCommands(frame.payload)
  while let command = commands.next(bytes.bytes) {
    words += " | \(command.isCommand ? "command" : "response") "
    words += command.row.map { "\($0.name)" } ?? "type \(command.code)"
    var visitor = NumberVisitor()
    if let row = command.row {
      var walk = FieldWalk(bytes.bytes, command.values)
      try? walk.walk(row.parameters, &visitor)
    }
    if !visitor.words.isEmpty { words += ": " + visitor.words.joined(separator: " ") }
  }
  return (words, codes)
}

/// Collects the parameters of a command.
private struct NumberVisitor: FieldVisitor {
  var words: [String] = []

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    if case .number(let number, _, _) = value {
      words.append("\(name)=\(number)")
    } else {
      words.append("\(name)=\(bytes.array.map { digits($0, 2) }.joined())")
    }
  }
}

@Suite struct RFCOMMTests {
  @Test(arguments: rfcommFixtures)
  func frames(_ fixture: (bytes: String, words: String)) {
    let found = rfcommWords(hex(fixture.bytes))
    #expect(found.words == fixture.words)
    #expect(found.problems.isEmpty)
  }

  /// Commands that the captures do not have (TS 07.10, 5.4.6.3).
  @Test(
    arguments: [
      // All parameters of a port: 9600 bit/s, 8 data bits, even parity.
      (
        "93 11 0b 03 1b 00 11 13 7f 3f",
        "command Remote Port Negotiation: Direction=0 Server_Channel=1 Baud_Rate=3 Data_Bits=3 "
          + "Stop_Bits=0 Parity=1 Parity_Type=1 Flow_Control=0 XON_Character=17 XOFF_Character=19 "
          + "Parameter_Mask=16255"
      ),
      // The question for them.
      ("93 03 0b", "command Remote Port Negotiation: Direction=0 Server_Channel=1"),
      (
        "53 05 0b 03",
        "command Remote Line Status: Direction=0 Server_Channel=1 Line_Status=3"
      ),
      ("23 05 61 62", "command Test: Data=6162"),
      ("a3 01", "command Flow Control On"), ("61 01", "response Flow Control Off"),
      (
        "11 03 3f",
        "response Non-Supported Command: Rejected_Command_Response=1 "
          + "Rejected_Command_Type=15"
      ),
      // With a break.
      (
        "e3 07 0b 8d 23",
        "command Modem Status: Direction=0 Server_Channel=1 Signals=70 Break=1 Break_Length=2"
      ),
      ("c3 01 a3 01", "command Multiplexer Close Down | command Flow Control On"),
    ])
  func commands(_ bytes: String, _ words: String) {
    let payload = hex(bytes)
    let found = rfcommWords([0x03, 0xef, UInt8(payload.count) << 1 | 1] + payload + [0x70])
    #expect(found.words == "UIH dlci=0 c/r length=\(payload.count) | " + words)
    #expect(found.problems.isEmpty)
  }

  @Test func longFrames() {
    let payload = [UInt8](repeating: 0x61, count: 132)
    let found = rfcommWords([0x1b, 0xff, 0x08, 0x01, 0x01] + payload + [0x93])
    #expect(found.words.hasPrefix("UIH dlci=6 c/r p/f length=132 credits=1 6161"))
    #expect(found.problems.isEmpty)
  }

  @Test func faults() {
    // Another frame check sequence, no such frame, bytes left, and a length beyond the end.
    #expect(rfcommWords(hex("0b ef 05 61 62 9b")).problems == [.wrongFrameCheck])
    #expect(rfcommWords(hex("0b 17 01 00")).problems == [.wrongFrameCheck, .unknownOpcode])
    #expect(rfcommWords(hex("0b ef 05 61 62 9a 00")).problems == [.leftOver])
    #expect(rfcommWords(hex("0b ef 07 61 62 9a")).problems == [.lengthTooLarge])
    #expect(rfcommWords(hex("0b ef 02")).problems == [.tooShort])
    // A command's length, type and fields.
    #expect(rfcommWords(hex("03 ef 05 e3 07 70")).problems == [.lengthTooLarge])
    #expect(rfcommWords(hex("03 ef 05 ff 01 70")).problems == [.unknownOpcode])
    #expect(rfcommWords(hex("03 ef 07 e3 03 0b 70")).problems == [.tooShort])
    #expect(rfcommWords(hex("03 ef 07 a3 03 00 70")).problems == [.leftOver])
    #expect(rfcommWords(hex("03 ef 03 e3 70")).problems == [.tooShort])
  }

  /// What the capture did not keep is not the sender's fault.
  @Test(arguments: rfcommFixtures)
  func truncated(_ fixture: (bytes: String, words: String)) {
    let bytes = hex(fixture.bytes)
    for kept in 0..<bytes.count {
      let found = rfcommWords(Array(bytes[..<kept]), missing: bytes.count - kept)
      #expect(found.problems.allSatisfy { $0 == .tooShort }, "\(kept): \(found)")
      #expect(!rfcommWords(Array(bytes[..<kept])).problems.isEmpty, "\(kept)")
    }
  }

  @Test func damaged() {
    for fixture in rfcommFixtures {
      let bytes = hex(fixture.bytes)
      for place in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << bit
          _ = rfcommWords(damaged)
        }
      }
    }
  }

  @Test func initiator() {
    func isInitiator(_ text: String) -> Bool? {
      let bytes = hex(text)
      var dissection = Dissection()
      dissection.body = Slice(start: 0, count: bytes.count)
      dissection.parseRFCOMM(bytes.bytes, missing: 0)
      return dissection.rfcomm?.isFromInitiator
    }
    // The amplifier answers SABM and UIH of the host, which opened the session.
    #expect(isInitiator("03 3f 01 1c") == true)
    #expect(isInitiator("03 73 01 d7") == false)
    #expect(isInitiator("0b ff 01 03 86") == true)
    #expect(isInitiator("09 ff 01 07 5c") == false)
  }
}

@Suite struct ServiceRecordTests {
  /// One record: handle, Serial Port, L2CAP and RFCOMM channel 5, "SPP".
  static let record =
    "35 21 09 00 00 0a 00 01 00 01 09 00 01 35 03 19 11 01 09 00 04 35 0c 35 03 19 01 00 "
    + "35 05 19 00 03 08 05"
  static let named = "35 29" + record.dropFirst(5) + " 09 01 00 25 03 53 50 50"

  /// Describes the services in attribute lists.
  private func words(_ text: String) -> [String] {
    let bytes = hex(text)
    var services = SerialServices(bytes.bytes, Slice(start: 0, count: bytes.count))
    var found: [String] = []
    while let service = services.next(bytes.bytes) {
      let name = String(decoding: bytes.bytes.part(service.name).array, as: UTF8.self)
      let uuid = service.uuid.map { digits(Int($0.low), 4) } ?? "-"
      found.append("\(service.channel) \(uuid) \(name)")
    }
    return found
  }

  @Test func records() {
    let length = hex(Self.named).count
    // One record, as in a Service Attribute Response, and a list of two.
    #expect(words(Self.named) == ["5 1101 SPP"])
    #expect(
      words("36 00 \(digits(2 * length, 2)) " + Self.named + " " + Self.named)
        == ["5 1101 SPP", "5 1101 SPP"])
    // A list of which the end is missing.
    #expect(words("36 00 \(digits(2 * length, 2)) " + Self.named) == [])
  }

  @Test func pdus() {
    let lists = hex(Self.named)
    let pdu = [0x07, 0, 1, 0, UInt8(lists.count + 3), 0, UInt8(lists.count)] + lists + [0]
    let found = ServiceAttributeResponse(pdu.bytes, Slice(start: 0, count: pdu.count))
    #expect(found?.lists == Slice(start: 7, count: lists.count) && found?.continues == false)
    for kept in 0..<pdu.count {
      #expect(ServiceAttributeResponse(pdu.bytes, Slice(start: 0, count: kept)) == nil, "\(kept)")
    }
    // The request is no response.
    #expect(ServiceAttributeResponse([6, 0, 1, 0, 0].bytes, Slice(start: 0, count: 5)) == nil)
  }

  @Test func hostile() {
    let bytes = hex(Self.named)
    for place in bytes.indices {
      for value in UInt8.min...UInt8.max {
        var damaged = bytes
        damaged[place] = value
        var services = SerialServices(damaged.bytes, Slice(start: 0, count: damaged.count))
        var count = 0
        while services.next(damaged.bytes) != nil { count += 1 }
        #expect(count <= 1)
      }
    }
  }
}
