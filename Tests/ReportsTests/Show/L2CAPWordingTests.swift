// The wording of L2CAP, from bytes to text and JSON.

import Bluetooth
import Bytes
import Foundation
import Testing

@testable import Reports

/// Returns a record of ACL data: an L2CAP PDU on `cid`.
private func data(_ text: String, _ cid: Int, _ direction: Direction) -> TestRecord {
  let payload = hex(text)
  let little = { (value: Int) in [UInt8(value & 0xff), UInt8(value >> 8)] }
  let pdu = little(payload.count) + little(cid) + payload
  return TestRecord(
    bytes: [2, 0x40, direction == .sent ? 0 : 0x20] + little(pdu.count) + pdu,
    direction: direction)
}

private func sent(_ text: String, _ cid: Int) -> TestRecord { data(text, cid, .sent) }
private func received(_ text: String, _ cid: Int) -> TestRecord { data(text, cid, .received) }

/// Returns the last record's line from the arrow on, with single spaces.
private func line(_ records: [TestRecord]) -> String {
  let last = Rendering.text(records).split(separator: "\n").last ?? ""
  let words = last.split(separator: " ", omittingEmptySubsequences: true)
  guard let arrow = words.firstIndex(where: { $0 == "→" || $0 == "←" }) else { return "" }
  return words[(arrow + 1)...].joined(separator: " ")
}

/// Returns the last record's JSON object.
private func json(_ records: [TestRecord]) throws -> [String: Any] {
  let last = try #require(Rendering.json(records).split(separator: "\n").last)
  let object = try JSONSerialization.jsonObject(with: Data(last.utf8))
  return try #require(object as? [String: Any])
}

/// An LE Connection Complete, so that the link is known.
private let connected = TestRecord(
  bytes: hex("04 3e 13 01 00 40 00 00 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"),
  direction: .received)
private let bearers = [
  connected, sent("17 03 0c 00 27 00 40 00 40 00 08 00 40 00 41 00", 5),
  received("18 03 0c 00 50 00 50 00 08 00 00 00 51 00 50 00", 5),
]
private let serialPort = [
  sent("02 01 04 00 03 00 45 00", 1), received("03 01 08 00 46 00 45 00 00 00 00 00", 1),
]

@Suite struct L2CAPWordingTests {
  @Test(
    arguments: [
      ("02 01 04 00 19 00 45 00", "Connection Request AVDTP (0x0019), source CID 0x0045"),
      ("02 01 04 00 01 10 45 00", "Connection Request PSM 0x1001, source CID 0x0045"),
      (
        "14 02 0a 00 27 00 41 00 00 02 f7 00 0a 00",
        "LE Credit Based Connection Request EATT (0x0027), MTU 512, MPS 247, 10 credits, "
          + "source CID 0x0041"
      ),
      (
        "17 03 0c 00 27 00 40 00 40 00 01 00 40 00 41 00",
        "Credit Based Connection Request EATT (0x0027), MTU 64, MPS 64, 1 credit, "
          + "source CIDs 0x0040 0x0041"
      ),
      (
        "12 01 08 00 18 00 28 00 00 00 2a 00",
        "Connection Parameter Update Request interval 30–50 ms, latency 0, timeout 420 ms"
      ),
      (
        "04 02 13 00 40 00 00 00 01 02 a0 02 04 09 03 08 03 d0 07 e0 2e f2 03",
        "Configure Request destination CID 0x0040, MTU 672, Enhanced Retransmission mode"
      ),
      ("0a 05 02 00 02 00", "Information Request Extended features"),
      ("08 04 03 00 61 62 63", "Echo Request 61 62 63"),
      (
        "16 03 04 00 41 00 05 00",
        "Flow Control Credit 5 credits, CID 0x0041 ⚠ no channel with the CID 0x0041 is known"
      ),
      (
        "0a 05 02 00 02 00 02 06 04 00 01 00 40 00",
        "Information Request Extended features; Connection Request SDP (0x0001), source CID 0x0040"
      ),
      (
        "99 05 02 00 02 00",
        "L2CAP code 0x99 02 00 ⚠ no opcode of the specification: 0x99"
      ),
    ])
  func requests(_ bytes: String, _ expected: String) {
    #expect(line([sent(bytes, 1)]) == expected)
  }

  @Test func responses() {
    let update = sent("12 01 08 00 18 00 28 00 00 00 2a 00", 5)
    #expect(
      line([update, received("13 01 02 00 00 00", 5)])
        == "Connection Parameter Update Response to #1, accepted")
    #expect(
      line([update, received("13 01 02 00 01 00", 5)])
        == "Connection Parameter Update Response to #1, Parameters rejected (0x0001)")
    #expect(
      line([update, received("01 01 02 00 00 00", 5)])
        == "Command Reject to #1, Command not understood (0x0000)")
    #expect(
      line(serialPort)
        == "Connection Response to #1, RFCOMM (0x0003), destination CID 0x0046, source CID 0x0045")
    #expect(
      line([serialPort[0], received("03 01 08 00 00 00 45 00 03 00 00 00", 1)])
        == "Connection Response to #1, RFCOMM (0x0003), Connection refused, security block "
        + "(0x0003), source CID 0x0045")
    #expect(
      line(bearers)
        == "Credit Based Connection Response to #2, EATT (0x0027), MTU 80, MPS 80, 8 credits, "
        + "destination CIDs 0x0051 0x0050, ATT MTU 64")
    #expect(
      Rendering.json(bearers).contains(#""psm":{"code":"0x0027","name":"EATT"},"att_mtu":64,"#))
    #expect(
      line([bearers[1], received("18 03 08 00 00 00 00 00 00 00 08 00", 5)])
        == "Credit Based Connection Response to #1, EATT (0x0027), All connections refused, "
        + "insufficient encryption (0x0008)")
  }

  @Test func bearer() throws {
    let request = bearers + [sent("03 00 0a 03 00", 0x51)]
    #expect(line(request) == "Read Request 0x0003 EATT 0x0040")
    let response = request + [received("02 00 0b aa", 0x40)]
    #expect(line(response) == "Read Response 0x0003 aa, EATT 0x0040")
    let object = try json(response)
    let att = try #require(object["att"] as? [String: Any])
    #expect(att["bearer"] as? String == "0x0040")
    #expect(att["request"] as? Int == 4)
    let l2cap = try #require(object["l2cap"] as? [String: Any])
    #expect(l2cap["sdu_length"] as? Int == 2)
    #expect(l2cap["psm"] as? [String: String] == ["code": "0x0027", "name": "EATT"])
  }

  @Test func fragmentOfAnSDU() throws {
    let first = bearers + [received("08 00 1b 03 00 aa", 0x40)]
    #expect(line(first) == "fragment 4 of 8 bytes on EATT 0x0040")
    var object = try json(first)
    var l2cap = try #require(object["l2cap"] as? [String: Any])
    #expect(l2cap["fragment"] as? Bool == true && l2cap["received"] as? Int == 4)
    #expect(l2cap["expected"] as? Int == 8 && l2cap["data"] == nil)
    object = try json(first + [received("bb cc dd ee", 0x40)])
    l2cap = try #require(object["l2cap"] as? [String: Any])
    #expect(l2cap["reassembled_from"] as? [Int] == [4, 5])
    let att = try #require(object["att"] as? [String: Any])
    #expect(att["value"] as? String == "aabbccddee")
  }

  @Test func profiles() throws {
    let accessory = serialPort + [sent("0b ef 0d ff 55 02 00 ee 10 9a", 0x46)]
    #expect(
      line(accessory)
        == "RFCOMM UIH channel 1 ff 55 02 00 ee 10, MFi accessory traffic, not GATT (inferred)")
    let l2cap = try #require(try json(accessory)["l2cap"] as? [String: Any])
    #expect(l2cap["accessory_protocol"] as? String == "iAP2")
    #expect(l2cap["accessory_via"] as? String == "inferred")
    #expect(l2cap["data"] == nil)
  }

  /// The frames of an amplifier, whose meaning is what tshark reads.
  @Test(
    arguments: [
      ("03 3f 01 1c", "RFCOMM SABM control"), ("0b 73 01 92", "RFCOMM UA channel 1 of this host"),
      (
        "03 ef 15 83 11 02 f0 00 00 de 03 00 07 70",
        "RFCOMM UIH control DLC Parameter Negotiation, channel 1, priority 0, frame size 990, "
          + "7 credits"
      ),
      (
        "03 ef 09 e1 05 0b 8d 70",
        "RFCOMM UIH control Modem Status response, channel 1, Ready To Communicate, "
          + "Ready To Receive, Data Valid"
      ),
      ("0b ff 05 03 80 81 86", "RFCOMM UIH channel 1 80 81, 3 credits"),
      ("0b ff 01 07 86", "RFCOMM UIH channel 1 no data, 7 credits"),
      ("0b ef 0d 41 54 2b 4f 4b 0d 9a", #"RFCOMM UIH channel 1 "AT+OK\r""#),
      ("13 ef 05 61 62 65", "RFCOMM UIH channel 2 61 62"),
      ("0f ef 05 61 62 ef", "RFCOMM UIH channel 1 of this host 61 62"),
      (
        "0b ef 05 61 62 9b",
        "RFCOMM UIH channel 1 61 62 ⚠ the frame check sequence is 0x9b; the frame gives 0x9a"
      ),
      ("0b 17 01 99", "RFCOMM frame 0x07 channel 1 ⚠ no opcode of the specification: 0x07"),
    ])
  func serialPorts(_ frame: String, _ words: String) {
    #expect(line(serialPort + [sent(frame, 0x46)]) == words)
  }

  @Test func serialPortsInJSON() throws {
    let records = serialPort + [sent("0b ff 05 03 80 81 86", 0x46)]
    let object = try json(records)
    #expect(object["protocol"] as? String == "rfcomm")
    let frame = try #require(object["rfcomm"] as? [String: Any])
    #expect(frame["frame_type"] as? String == "0xef" && frame["name"] as? String == "UIH")
    #expect(frame["dlci"] as? Int == 2 && frame["channel"] as? Int == 1)
    #expect(frame["credits"] as? Int == 3 && frame["length"] as? Int == 2)
    #expect(frame["value"] as? String == "8081" && frame["fcs"] as? String == "0x86")
    let negotiation = try json(
      serialPort + [sent("03 ef 15 83 11 02 f0 00 00 de 03 00 07 70", 0x46)])
    let commands = try #require(
      (negotiation["rfcomm"] as? [String: Any])?["multiplexer_commands"] as? [[String: Any]])
    #expect(commands.count == 1 && commands[0]["command_type"] as? String == "0x20")
    let parameters = try #require(commands[0]["parameters"] as? [String: Any])
    #expect(parameters["maximum_frame_size"] as? Int == 990)
  }

  @Test func unknownChannel() throws {
    let records = [connected, sent("01 00 07", 0x51)]
    #expect(line(records) == "L2CAP channel 0x0051 opening not in the capture, 01 00 07")
    let l2cap = try #require(try json(records)["l2cap"] as? [String: Any])
    #expect(l2cap["opening_missing"] as? Bool == true)
  }

  @Test func retransmissionMode() throws {
    let option = "04 09 03 08 03 d0 07 e0 2e f2 03"
    let channel = [
      sent("02 01 04 00 17 00 45 00", 1), received("03 01 08 00 46 00 45 00 00 00 00 00", 1),
      sent("04 02 0f 00 46 00 00 00 \(option)", 1),
      received("05 02 11 00 45 00 00 00 00 00 \(option)", 1),
      received("04 03 0f 00 45 00 00 00 \(option)", 1),
      sent("05 03 11 00 46 00 00 00 00 00 \(option)", 1),
    ]
    #expect(
      line(channel + [sent("06 42 aa bb", 0x46)])
        == "AVCTP 0x0046 I-frame 3, start of an SDU, expects 2, 2 bytes")
    #expect(
      line(channel + [received("81 05", 0x45)])
        == "AVCTP 0x0045 Receiver Ready, expects 5, final, 0 bytes")
    let l2cap = try #require(
      try json(channel + [sent("06 42 aa bb", 0x46)])["l2cap"] as? [String: Any])
    let control = try #require(l2cap["control"] as? [String: Any])
    #expect(control["tx_seq"] as? Int == 3 && control["frame"] as? String == "information")
  }

  @Test func signallingInJSON() throws {
    let response = try json(bearers)
    let l2cap = try #require(response["l2cap"] as? [String: Any])
    let commands = try #require(l2cap["signalling"] as? [[String: Any]])
    #expect(commands.count == 1)
    #expect(commands[0]["code"] as? String == "0x18" && commands[0]["request"] as? Int == 2)
    #expect(commands[0]["identifier"] as? String == "0x03")
    let parameters = try #require(commands[0]["parameters"] as? [String: Any])
    #expect(parameters["destination_cids"] as? [String] == ["0x0051", "0x0050"])
    #expect(parameters["initial_credits"] as? Int == 8)
  }

  /// `--errors` selects refusals and rejects.
  @Test func failures() {
    var options = ShowOptions()
    options.selection.errorsOnly = true
    let records = [
      sent("12 01 08 00 18 00 28 00 00 00 2a 00", 5), received("13 01 02 00 01 00", 5),
      sent("12 02 08 00 18 00 28 00 00 00 2a 00", 5), received("13 02 02 00 00 00", 5),
      sent("0a 03 02 00 03 00", 1), received("0b 03 04 00 03 00 01 00", 1),
      sent("08 04 00 00", 1), received("01 04 02 00 00 00", 1),
    ]
    let lines = Rendering.text(records, options).split(separator: "\n").dropFirst()
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.contains("rejected") == true)
    #expect(lines.last?.contains("Command Reject") == true)
  }
}
