import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// A command of each kind: its bytes, its name, and its fields, as decoded by tshark 4.0 (0x01 to
/// 0x0b and 0x12 to 0x16), bumble (0x17 to 0x1a) or BlueZ's monitor (0x0c to 0x11).
let signallingFixtures: [(bytes: String, name: String, entries: String)] = [
  ("01 05 02 00 00 00", "Command Reject", "Reason 0"),
  ("01 05 04 00 01 00 30 00", "Command Reject", "Reason 1, Actual_MTU 48"),
  (
    "01 05 06 00 02 00 40 00 41 00", "Command Reject",
    "Reason 2, Local_CID 0x0040, Remote_CID 0x0041"
  ),
  ("02 01 04 00 19 00 45 00", "Connection Request", "PSM 25, Source_CID 0x0045"),
  (
    "03 01 08 00 40 00 45 00 01 00 02 00", "Connection Response",
    "Destination_CID 0x0040, Source_CID 0x0045, Result 1, Status 2"
  ),
  (
    "04 02 08 00 40 00 00 00 01 02 a0 02", "Configure Request",
    "Destination_CID 0x0040, Flags 0x0000, {, MTU 672, }"
  ),
  (
    "04 02 13 00 40 00 01 00 04 09 03 08 03 d0 07 e0 2e f2 03 05 01 00 07", "Configure Request",
    "Destination_CID 0x0040, Flags 0x0001, {, Mode 3, TxWindow_Size 8, MaxTransmit 3, "
      + "Retransmission_Timeout 2000, Monitor_Timeout 12000, MPS 1010, }, {, FCS_Type 0, }, "
      + "rest 07"
  ),
  (
    "04 02 20 00 40 00 00 00 82 02 ff ff 03 16 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 "
      + "05 00 00 00", "Configure Request",
    "Destination_CID 0x0040, Flags 0x0000, {, Flush_Timeout 65535, }, {, Flags 0x00, "
      + "Service_Type 1, Token_Rate 1, Token_Bucket_Size 2, Peak_Bandwidth 3, Latency 4, "
      + "Delay_Variation 5, }"
  ),
  (
    "04 02 1a 00 40 00 00 00 06 10 01 02 00 04 10 00 00 00 20 00 00 00 30 00 00 00 07 02 40 00",
    "Configure Request",
    "Destination_CID 0x0040, Flags 0x0000, {, Identifier 0x01, Service_Type 2, "
      + "Maximum_SDU_Size 1024, SDU_Inter_Arrival_Time 16, Access_Latency 32, Flush_Timeout 48, }, "
      + "{, Max_Window_Size 64, }"
  ),
  (
    "05 02 0a 00 45 00 00 00 00 00 7f 02 01 02", "Configure Response",
    "Source_CID 0x0045, Flags 0x0000, Result 0, {, Value bytes 0102, }"
  ),
  (
    "06 03 04 00 40 00 45 00", "Disconnection Request",
    "Destination_CID 0x0040, Source_CID 0x0045"
  ),
  (
    "07 03 04 00 40 00 45 00", "Disconnection Response",
    "Destination_CID 0x0040, Source_CID 0x0045"
  ),
  ("08 04 03 00 61 62 63", "Echo Request", "Echo_Data bytes 616263"),
  ("09 04 00 00", "Echo Response", ""),
  ("0a 05 02 00 02 00", "Information Request", "Info_Type 2"),
  (
    "0b 05 06 00 01 00 00 00 a0 02", "Information Response",
    "Info_Type 1, Result 0, Connectionless_MTU 672"
  ),
  (
    "0b 05 08 00 02 00 00 00 b8 02 00 00", "Information Response",
    "Info_Type 2, Result 0, Extended_Features 0x000002b8"
  ),
  (
    "0b 05 0c 00 03 00 00 00 86 00 00 00 00 00 00 00", "Information Response",
    "Info_Type 3, Result 0, Fixed_Channels 0x0000000000000086"
  ),
  ("0b 05 04 00 03 00 01 00", "Information Response", "Info_Type 3, Result 1"),
  (
    "0c 06 05 00 19 00 45 00 01", "Create Channel Request",
    "PSM 25, Source_CID 0x0045, Controller_ID 1"
  ),
  (
    "0d 06 08 00 40 00 45 00 00 00 00 00", "Create Channel Response",
    "Destination_CID 0x0040, Source_CID 0x0045, Result 0, Status 0"
  ),
  (
    "0e 07 03 00 45 00 01", "Move Channel Request",
    "Initiator_CID 0x0045, Destination_Controller_ID 1"
  ),
  ("0f 07 04 00 45 00 02 00", "Move Channel Response", "Initiator_CID 0x0045, Result 2"),
  ("10 08 04 00 45 00 01 00", "Move Channel Confirmation", "Initiator_CID 0x0045, Result 1"),
  ("11 08 02 00 45 00", "Move Channel Confirmation Response", "Initiator_CID 0x0045"),
  (
    "12 01 08 00 18 00 28 00 00 00 2a 00", "Connection Parameter Update Request",
    "Interval_Min 24, Interval_Max 40, Latency 0, Timeout 42"
  ),
  ("13 01 02 00 01 00", "Connection Parameter Update Response", "Result 1"),
  (
    "14 02 0a 00 80 00 40 00 00 02 f7 00 0a 00", "LE Credit Based Connection Request",
    "SPSM 128, MTU 512, MPS 247, Initial_Credits 10, Source_CID 0x0040"
  ),
  (
    "15 02 0a 00 41 00 00 02 f7 00 0a 00 00 00", "LE Credit Based Connection Response",
    "MTU 512, MPS 247, Initial_Credits 10, Destination_CID 0x0041, Result 0"
  ),
  ("16 03 04 00 41 00 05 00", "Flow Control Credit", "Credits 5, CID 0x0041"),
  (
    "17 04 0c 00 27 00 05 02 bc 00 03 00 41 00 40 00", "Credit Based Connection Request",
    "SPSM 39, MTU 517, MPS 188, Initial_Credits 3, Source_CIDs 0041 0040"
  ),
  (
    "18 04 0c 00 05 02 bc 00 03 00 04 00 40 00 00 00", "Credit Based Connection Response",
    "MTU 517, MPS 188, Initial_Credits 3, Result 4, Destination_CIDs 0040 0000"
  ),
  (
    "19 05 06 00 00 04 f7 00 41 00", "Credit Based Reconfigure Request",
    "MTU 1024, MPS 247, Destination_CIDs 0041"
  ),
  ("1a 05 02 00 03 00", "Credit Based Reconfigure Response", "Result 3"),
]

/// Describes all commands of a C-frame: "Echo Request 4: Echo_Data bytes 61".
private func commands(_ bytes: [UInt8]) -> [String] {
  let dissection = pdu(bytes)
  var all: [String] = []
  var commands = SignallingCommands(dissection.body)
  while let command = commands.next(bytes.bytes) {
    let name = command.code.name?.description ?? "0x\(digits(command.code.rawValue, 2))"
    all.append("\(name) \(command.identifier): \(entries(command, bytes))")
  }
  return all
}

private func entries(_ command: SignallingCommand, _ bytes: [UInt8]) -> String {
  var rest = Slice.empty
  guard let pdu = try? SignallingPDU(command, bytes.bytes, rest: &rest) else { return "broken" }
  var recorder = Recorder()
  pdu.walk(bytes.bytes, &recorder)
  var left = rest
  if let options = pdu.options {
    var list = ConfigurationOptions(options)
    while let option = list.next(bytes.bytes) {
      recorder.beginItem()
      option.walk(bytes.bytes, &recorder)
      recorder.endItem()
    }
    left = list.rest
  }
  #expect(recorder.isConsistent, "\(bytes)")
  for slice in recorder.slices {
    #expect(
      slice.start >= command.data.start && slice.end <= command.data.end,
      "\(slice) of \(command.data)")
  }
  var entries = recorder.entries
  if let channels = pdu.channels {
    let list = (0..<channels.count).map { digits(channels.channel($0, bytes.bytes).rawValue, 4) }
    entries.append("\(channels.name) \(list.joined(separator: " "))")
  }
  if !left.isEmpty { entries.append("rest \(words(left, of: bytes))") }
  return entries.joined(separator: ", ")
}

@Suite struct SignallingTests {
  @Test(arguments: signallingFixtures.indices)
  func command(_ index: Int) {
    let fixture = signallingFixtures[index]
    let bytes = hex(fixture.bytes)
    for cid in [1, 5] {
      let frame = l2cap(bytes, cid: cid)
      #expect(commands(frame) == ["\(fixture.name) \(bytes[1]): \(fixture.entries)"])
      let expected = fixture.entries.contains("rest") ? ["tooShort@27(1,0)"] : []
      #expect(problems(pdu(frame)) == expected, "\(fixture.bytes)")
    }
  }

  /// Numbers are read from the right bytes: changing a single byte changes what is shown, or is
  /// reported.
  @Test func fieldsCoverTheirBytes() {
    // An unknown option's type is not shown as a field.
    for fixture in signallingFixtures
    where !fixture.entries.contains("rest") && !fixture.entries.contains("Value") {
      let bytes = l2cap(hex(fixture.bytes), cid: 1)
      for index in 8..<bytes.count {
        var changed = bytes
        changed[index] ^= 0x40
        #expect(
          commands(changed) != commands(bytes) || !problems(pdu(changed)).isEmpty,
          "byte \(index) of \(fixture.bytes) is not shown")
      }
    }
  }

  @Test func severalCommandsInOneFrame() {
    let two = hex("0a 05 02 00 02 00 02 06 04 00 01 00 40 00")
    #expect(
      commands(l2cap(two, cid: 1)) == [
        "Information Request 5: Info_Type 2", "Connection Request 6: PSM 1, Source_CID 0x0040",
      ])
    #expect(problems(pdu(l2cap(two, cid: 1))) == [])
    // LE allows only one.
    #expect(problems(pdu(l2cap(two, cid: 5))) == ["leftOver@10(8,0)"])
  }

  @Test(
    arguments: [
      ("13 00 02 00 00 00", "invalidIdentifier@5(0,0)"),
      ("7f 01 02 00 01 02", "unknownOpcode@4(127,0)"),
      ("13 01 02 00 00", "lengthTooLarge@8(2,1)"),
      ("13 01 01 00 00", "tooShort@8(2,1)"),
      ("13 01 03 00 00 00 07", "leftOver@10(1,0)"),
      ("13 01 02", "tooShort@4(4,3)"),
      ("", "tooShort@4(4,0)"),
      ("17 04 08 00 27 00 05 02 bc 00 03 00", "tooShort@16(2,0)"),
      ("17 04 09 00 27 00 05 02 bc 00 03 00 41", "tooShort@16(2,1)"),
      // Six channels are one too many.
      (
        "17 04 14 00 27 00 05 02 bc 00 03 00 41 00 42 00 43 00 44 00 45 00 46 00",
        "leftOver@26(2,0)"
      ),
      ("04 02 08 00 40 00 00 00 01 03 a0 02", "lengthTooLarge@14(3,2)"),
      ("04 02 08 00 40 00 00 00 04 02 a0 02", "invalidElementLength@13(2,0)"),
      ("0b 05 04 00 02 00 00 00", "tooShort@12(4,0)"),
      ("14 02 0a 00 80 00 40 00 16 00 17 00 0a 00", "parameterTooSmall@12(22,23)"),
      ("18 04 0a 00 40 00 3f 00 03 00 00 00 40 00", "parameterTooSmall@10(63,64)"),
      ("01 05 02 00 01 00", "tooShort@10(2,0)"),
    ])
  func broken(_ bytes: String, _ problem: String) {
    #expect(problems(pdu(l2cap(hex(bytes), cid: 5))) == [problem])
    #expect(problems(pdu(l2cap(hex(bytes), cid: 1))) == [problem])
  }

  /// Truncated at every length: one problem, unless the capture truncated it.
  @Test func everyPrefixOfEveryCommand() {
    for fixture in signallingFixtures {
      let whole = l2cap(hex(fixture.bytes), cid: 5)
      for count in 4..<whole.count {
        let cut = Array(whole.prefix(count))
        #expect(
          problems(pdu(cut)).count == 1, "\(fixture.bytes) at \(count): \(problems(pdu(cut)))")
        #expect(problems(pdu(cut, isTruncated: true)) == [], "\(fixture.bytes) at \(count)")
        _ = commands(cut)
        // The same with lengths that match the truncated command.
        guard count >= 8 else { continue }
        var short = Array(cut[4...])
        short[2] = UInt8(count - 8)
        short[3] = 0
        let found = problems(pdu(l2cap(short, cid: 5)))
        #expect(found.count <= 1, "\(short): \(found)")
        _ = commands(l2cap(short, cid: 5))
      }
    }
  }

  /// A refused channel has no MTU.
  @Test func limitsOfARefusal() {
    let refused = hex("15 02 0a 00 00 00 00 00 00 00 00 00 02 00")
    #expect(problems(pdu(l2cap(refused, cid: 5))) == [])
  }

  @Test func namesAndRoles() {
    for code in UInt8.min...UInt8.max {
      let code = SignallingCode(rawValue: code)
      #expect((code.name != nil) == (1...0x1a).contains(code.rawValue))
      if let request = code.request { #expect(request.isRequest, "\(code)") }
      #expect(!(code.isRequest && code.request != nil))
    }
    #expect(SignallingCode.enhancedConnectionResponse.request == .enhancedConnectionRequest)
    #expect(!SignallingCode.flowControlCredit.isRequest)
  }

  /// Whether a response is a refusal, by its code and data.
  @Test(
    arguments: [
      ("03 01 08 00 40 00 45 00 00 00 00 00", false),
      ("03 01 08 00 40 00 45 00 01 00 00 00", false),
      ("03 01 08 00 40 00 45 00 02 00 00 00", true), ("05 02 06 00 45 00 00 00 01 00", false),
      ("05 02 06 00 45 00 00 00 02 00", true), ("05 02 06 00 45 00 00 00 04 00", false),
      ("0b 05 04 00 03 00 01 00", false), ("13 01 02 00 01 00", true), ("13 01 02 00 00 00", false),
      ("15 02 0a 00 00 00 00 00 00 00 00 00 02 00", true),
      ("18 04 0a 00 05 02 bc 00 03 00 04 00 00 00", true),
      ("18 04 08 00 00 00 00 00 00 00 0d 00", false), ("1a 05 02 00 01 00", true),
    ])
  func refusals(_ bytes: String, _ isRefusal: Bool) throws {
    let bytes = hex(bytes)
    var commands = SignallingCommands(Slice(start: 0, count: bytes.count))
    let next = commands.next(bytes.bytes)
    let command = try #require(next)
    var rest = Slice.empty
    let pdu = try SignallingPDU(command, bytes.bytes, rest: &rest)
    #expect(pdu.isRefusal == isRefusal)
  }
}

@Suite struct ChannelFrameTests {
  /// Control fields, as decoded by tshark 4.0.
  @Test func controlFields() {
    func control(_ layout: ControlField.Layout, _ bytes: String) -> ControlField? {
      var dissection = pdu(l2cap(hex(bytes), cid: 0x40))
      dissection.takeControl(layout, l2cap(hex(bytes), cid: 0x40).bytes, isCut: false)
      return dissection.control
    }
    // I-frame, TxSeq 3, ReqSeq 2, start of an SDU.
    let information = control(.enhanced, "06 42 00")
    #expect(information?.isSupervisory == false && information?.txSeq == 3)
    #expect(information?.reqSeq == 2 && information?.segmentation == 1)
    // S-frame, Receiver Ready, ReqSeq 5, final.
    let ready = control(.enhanced, "81 05")
    #expect(ready?.isSupervisory == true && ready?.function == 0 && ready?.reqSeq == 5)
    #expect(ready?.isFinal == true && ready?.isPoll == false)
    // S-frame, Selective Reject, poll.
    #expect(
      control(.enhanced, "1d 00")?.function == 3 && control(.enhanced, "1d 00")?.isPoll == true)
    #expect(control(.extended, "08 00 04 00")?.txSeq == 1)
    #expect(control(.extended, "08 00 04 00")?.reqSeq == 2)
    #expect(control(.standard, "06 42")?.isFinal == false)
    #expect(control(.extended, "08 00 04") == nil)
  }

  /// An iAP2 link packet (SYN), an iAP2 and an iAP1 handshake, and similar bytes that are neither.
  @Test func accessories() {
    func found(_ bytes: String) -> AccessoryProtocol? {
      let bytes = hex(bytes)
      return AccessoryProtocol(bytes.bytes, Slice(start: 0, count: bytes.count))
    }
    #expect(found("ff 55 02 00 ee 10") == .iAP2)
    #expect(found("ff 5a 00 09 40 00 00 00 5e") == .iAP2)
    #expect(found("ff 5a 00 09 40 00 00 00 5f") == nil)
    #expect(found("ff 55 03 00 01 05 f7") == .iAP1)
    #expect(found("ff 55 03 00 01 05 f8") == nil)
    #expect(found("ff 55 02 00 ee") == nil)
    #expect(found("fe 55 02 00 ee 10") == nil)
    #expect(found("") == nil)
  }
}
