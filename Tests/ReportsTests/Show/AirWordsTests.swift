// Packets on the air in text and JSON: what two devices send is made, so every line is known.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Sessions
import Testing

@testable import Reports

/// `show` over what a sniffer recorded.
private enum Air {
  static let key = (1...16).map { UInt8($0) }

  /// Two devices that connect and do nothing else.
  static func connected(_ write: (inout AirTraffic) -> Void) -> AirTraffic {
    var air = AirTraffic()
    air.connect()
    write(&air)
    return air
  }

  static func records(_ air: AirTraffic, _ form: AirForm) -> [TestRecord] {
    air.records(form).map { record in
      TestRecord(
        bytes: record.bytes, direction: nil, framing: record.framing,
        time: record.time ?? Timestamp(seconds: 0, nanoseconds: 0), adapter: record.adapter)
    }
  }

  static func text(
    _ air: AirTraffic, _ options: ShowOptions = ShowOptions(), form: AirForm = AirForm(.nordic3),
    bonds: [Bond] = []
  ) -> String {
    var source = RecordList(records(air, form))
    var report = ShowText(options, source.summary)
    return Rendering.run(&source, &report, bonds)
  }

  /// Returns the lines without number, time and gap.
  static func lines(
    _ air: AirTraffic, _ options: ShowOptions = ShowOptions(), form: AirForm = AirForm(.nordic3),
    bonds: [Bond] = []
  ) -> [String] {
    var options = options
    options.time = .none
    let number = /^ *\d+ +(\d+ ms|\d+\.\d s)? */
    return text(air, options, form: form, bonds: bonds).split(separator: "\n").dropFirst().map {
      String($0.replacing(number, with: "", maxReplacements: 1).replacing(/\s{2,}/, with: "  "))
    }
  }

  static func json(
    _ air: AirTraffic, _ options: ShowOptions = ShowOptions(), form: AirForm = AirForm(.nordic3),
    bonds: [Bond] = []
  ) -> [Substring] {
    var source = RecordList(records(air, form))
    var report = ShowJSON(options, source.summary)
    return Rendering.run(&source, &report, bonds).split(separator: "\n")
  }

  static func bond() -> Bond {
    var bond = Bond(.zero, .random, file: "keys")
    bond.longTermKeys = [Bond.LongTermKey(key)]
    return bond
  }

  static func selecting(_ change: (inout ShowOptions) -> Void) -> ShowOptions {
    var options = ShowOptions()
    change(&options)
    return options
  }
}

@Suite("Packets on the air") struct AirWordsTests {
  /// Requests and values, then encryption, a value and a key.
  private static let encrypted = Air.connected { air in
    air.exchangeFeatures()
    air.updateConnection(interval: 12)
    air.att("12 25 00 01", .sent)
    air.att("13", .received)
    air.encrypt(Air.key, ediv: 0x7343, rand: 0xc693_1a0a_d1dc_a738)
    air.att("0a 25 00", .sent)
    air.att("0b 48 65 6c 6c 6f", .received)
    air.smp("06 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af b0", .received)
    air.disconnect(reason: 0x05)
  }

  @Test("advertising has the PDU's name, its signal and its channel; a request names both devices")
  func advertising() {
    var air = AirTraffic()
    air.scan([3, 9, 0x48, 0x69])
    air.connect()
    #expect(
      Air.lines(air) == [
        "ADV_IND  C0:11:22:33:44:55  -61 dBm, channel 37, random static, general discoverable, LE only",
        "SCAN_REQ  5F:11:22:33:44:55  random resolvable, to C0:11:22:33:44:55, -48 dBm, channel 37",
        "SCAN_RSP  C0:11:22:33:44:55  -61 dBm, channel 37, random static, \"Hi\"",
        "ADV_IND  C0:11:22:33:44:55  -61 dBm, channel 37, random static, general discoverable, LE only",
        "1 → CONNECT_IND  5F:11:22:33:44:55  random resolvable, to C0:11:22:33:44:55, interval 30 ms, "
          + "latency 0, timeout 720 ms, -48 dBm, channel 37",
      ])
  }

  @Test("control PDUs have names in words; changes name their event; empty packets share a line")
  func control() {
    #expect(
      Air.lines(Self.encrypted)[2..<15] == [
        "1 → LL Version Indication  version 5.3, company 0x000f Broadcom Corporation",
        "1  … 2 empty packets (#4–#5)",
        "1 ← LL Version Indication  version 5.2, company 0x0059 Nordic Semiconductor ASA",
        "1  … 2 empty packets (#7–#8)", "1 → LL Feature Request  9 features",
        "1  … 2 empty packets (#10–#11)", "1 ← LL Feature Response  6 features",
        "1  … 2 empty packets (#13–#14)",
        "1 → LL Connection Update Indication  interval 15 ms, latency 0, timeout 720 ms, at event 14",
        "1  … 17 empty packets (#16–#32)", "1 → Write Request  0x0025  01",
        "1  … 2 empty packets (#34–#35)", "1 ← Write Response  0x0025  to #33",
      ])
  }

  @Test("what is not decrypted has a length, and the end explains why") func unread() {
    let lines = Air.lines(Self.encrypted)
    #expect(lines.contains("1 → LL Control  encrypted, 5 bytes"))
    #expect(lines.contains("1 → LL Data  encrypted, 11 bytes"))
    #expect(
      lines.last?.contains("are encrypted with the key of an earlier bond (EDIV 0x7343)") ?? false)
    let selected = Air.lines(Self.encrypted, Air.selecting { $0.selection.layers = [.att] })
    #expect(selected == ["1 → Write Request  0x0025  01", "1 ← Write Response  0x0025  to #33"])
  }

  @Test("an encrypted control PDU of which only one kind has this length is named") func lengths() {
    let air = Air.connected { air in
      air.encrypt(Air.key)
      air.updateConnection(interval: 12)
      _ = air.changeMap(0xff)
    }
    let lines = Air.lines(air)
    #expect(
      lines.contains(
        "1 → LL Control  encrypted, 16 bytes, by its length LL Connection Update Indication"))
    #expect(
      lines.contains {
        $0.hasPrefix(
          "1 → LL Control  encrypted, 12 bytes, by its length LL Channel Map Indication or ")
      })
  }

  @Test("what is decrypted reads like any other packet; the first one names the key")
  func decrypted() {
    let lines = Air.lines(Self.encrypted, bonds: [Air.bond()]).filter { !$0.contains("empty") }
    #expect(
      lines.suffix(6) == [
        "1 → LL Start Encryption Response  encrypted, key supplied",
        "1 ← LL Start Encryption Response", "1 → Read Request  0x0025",
        "1 ← Read Response  0x0025  \"Hello\"",
        "1 ← Encryption Information  long-term key <hidden>, 16 bytes",
        "1 → LL Terminate Indication  Authentication Failure (0x05)",
      ])
  }

  @Test("bytes are the decrypted ones, without their secrets") func bytes() {
    let options = Air.selecting { $0.showsBytes = true }
    let text = Air.text(Self.encrypted, options, bonds: [Air.bond()])
    #expect(text.contains("0x0000 06 00 04 00 0b 48 65 6c  6c 6f"))
    #expect(text.contains("0x0000 11 00 06 00 06 .. .. ..  .. .. .. .. .. .. .. .."))
    let verbose = Air.selecting { ($0.isVerbose, $0.showsBytes) = (true, true) }
    let detailed = Air.text(Self.encrypted, verbose, bonds: [Air.bond()])
    #expect(detailed.contains("offsets count from the first byte of the decrypted PDU"))
    for text in [text, detailed, Air.json(Self.encrypted, options, bonds: [Air.bond()]).joined()] {
      #expect(!text.contains(/a3 ?a4 ?a5 ?a6/))
    }
    let open = Air.selecting { ($0.showsBytes, $0.showsKeys) = (true, true) }
    #expect(Air.text(Self.encrypted, open, bonds: [Air.bond()]).contains("a3  a4 a5 a6"))
  }

  @Test("the halves of a session key are hidden") func sessionKey() {
    let lines = Air.json(Self.encrypted, Air.selecting { $0.showsBytes = true })
    #expect(lines.count { $0.contains("\"name\":\"LL_ENC_REQ\"") } == 1)
    #expect(lines.contains { $0.contains("\"hidden\":[\"skd_c\",\"iv_c\"]") })
    #expect(lines.contains { $0.contains("\"hidden\":[\"skd_p\",\"iv_p\"]") })
    #expect(
      lines.contains {
        $0.contains("\"raw\":\"") && $0.contains("4373..............................\"")
      })
  }

  @Test("resent and damaged packets are counted among the empty ones") func folding() {
    let air = Air.connected { air in
      air.hears = { $0.isEmpty && $0.event == 2 ? .damaged : nil }
      air.run(events: 6)
    }
    let text = Air.lines(air).dropFirst(2).joined(separator: "\n")
    #expect(text.contains(" empty packets"))
    #expect(text.contains("CRC wrong"))
    let refused = Air.connected { air in
      air.refuses = { $0.isEmpty && $0.event == 2 ? true : nil }
      air.run(events: 6)
    }
    #expect(Air.lines(refused).last?.contains(/empty packets, \d resent \(#3–#\d+\)$/) ?? false)
  }

  @Test("an empty packet alone keeps its line; options print each") func alone() {
    let air = Air.connected { $0.run(events: 1) }
    let one = Air.selecting { $0.selection.packets = [3...3] }
    #expect(Air.lines(air, one) == ["1 → LL Data  empty"])
    #expect(Air.lines(air).last == "1  … 2 empty packets (#3–#4)")
    let each = Air.selecting { $0.foldsEmpty = false }
    #expect(Air.lines(air, each).suffix(2) == ["1 → LL Data  empty", "1 ← LL Data  empty"])
    #expect(Air.json(air).count == air.heard.count)
  }

  @Test("--brief leaves out empty packets and counts them, and folds advertising") func brief() {
    var air = AirTraffic()
    air.hears = { $0.isAdvertising && $0.channel == 38 ? .damaged : nil }
    air.advertise(2)
    air.connect()
    air.run(events: 3)
    let lines = Air.lines(air, Air.selecting { $0.isBrief = true })
    #expect(
      lines.first?.hasSuffix(
        "7 advertising packets from C0:11:22:33:44:55, 2 with a wrong CRC (#1–#7)") ?? false)
    #expect(lines.last == "hidden: 6 empty packets")
    #expect(lines.count == 3)
  }

  @Test("nothing of a damaged packet is believed") func damaged() {
    var air = AirTraffic()
    air.hears = { _ in .damaged }
    air.advertise()
    #expect(Air.lines(air).allSatisfy { $0.contains(/^Advertising  \d+ bytes.* CRC wrong$/) })
    #expect(
      Air.json(air).allSatisfy {
        $0.contains("\"crc\":\"wrong\"") && $0.contains("\"pdu\":\"advertising\"")
          && !$0.contains("\"advertisements\"")
      })
  }

  @Test("layers and directions of the air") func selection() {
    func numbers(_ change: @escaping (inout Selection) -> Void) -> [String] {
      Air.lines(Self.encrypted, Air.selecting { change(&$0.selection) }, bonds: [Air.bond()])
        .filter { !$0.contains("empty") }
    }
    #expect(numbers { $0.layers = [.advertising] }.count == 2)
    #expect(numbers { $0.layers = [.linkAdvertising] }.count == 2)
    #expect(
      numbers { $0.layers = [.security] } == [
        "1 → LL Encryption Request  Rand 38 a7 dc d1 0a 1a 93 c6, EDIV 0x7343",
        "1 ← LL Encryption Response", "1 ← LL Start Encryption Request",
        "1 → LL Start Encryption Response  encrypted, key supplied",
        "1 ← LL Start Encryption Response",
        "1 ← Encryption Information  long-term key <hidden>, 16 bytes",
      ])
    #expect(numbers { $0.layers = [.linkControl] }.allSatisfy { $0.contains(" LL ") })
    #expect(numbers { $0.layers = [.linkData] }.isEmpty)
    #expect(numbers { $0.layers = [.air] } == numbers { _ in })
    #expect(numbers { $0.directions = [.central] }.allSatisfy { $0.contains("→") })
    #expect(numbers { $0.directions = [.peripheral] }.allSatisfy { $0.contains("←") })
    #expect(numbers { $0.directions = [.received] } == numbers { $0.directions = [.peripheral] })
    #expect(throws: SelectionError.self) { try DirectionPattern("host") }
  }

  @Test("opcodes, results and devices of the air") func contents() throws {
    func lines(_ change: @escaping (inout Selection) -> Void) -> [String] {
      Air.lines(Self.encrypted, Air.selecting { change(&$0.selection) }, bonds: [Air.bond()])
    }
    for text in ["LL_ENC_REQ", "LL Encryption Request", "ll encryption req"] {
      let filter = try OpcodeFilter(text)
      #expect(lines { $0.opcodes = filter }.count == 1, "\(text)")
    }
    let connects = try OpcodeFilter("CONNECT_IND")
    #expect(lines { $0.opcodes = connects }.count == 1)
    #expect(
      lines { $0.errorsOnly = true } == [
        "1 → LL Terminate Indication  Authentication Failure (0x05)"
      ])
    let failures = try StatusFilter("!0")
    #expect(lines { $0.statuses = [failures] }.count == 1)
    let central = try DevicePattern("5F:11:22:33:44:55")
    #expect(lines { $0.devices = [central] }.count == lines { _ in }.count - 1)
    let another = try DevicePattern("5F:11:22:33:44:56")
    #expect(lines { $0.devices = [another] }.isEmpty)
  }

  @Test("a reject is a failure; one of a missing key is that of the bond") func rejects() {
    let air = Air.connected { air in
      air.encrypt(Air.key, ediv: 0x1f99, has: false)
      air.control(0x11, [0x16, 0x2a], by: .received)
    }
    #expect(
      Air.lines(air, Air.selecting { $0.selection.errorsOnly = true }) == [
        "1 ← LL Reject Indication  PIN or Key Missing (0x06)",
        "1 ← LL Reject Extended Indication  LL_PHY_REQ (0x16), Different Transaction Collision (0x2a)",
      ])
  }

  @Test("JSON has the sniffer's header and the PDU, and no host") func json() throws {
    let lines = Air.json(Self.encrypted, bonds: [Air.bond()])
    let value = try #require(lines.first { $0.contains("\"name\":\"Read Response\"") })
    #expect(value.contains("\"direction\":\"peripheral_to_central\",\"direction_via\":\"capture\""))
    #expect(
      value.contains(
        "\"connection\":{\"id\":1,\"access_address\":\"0x50655c67\",\"central\":\"5F:11:22:33:44:55\""
      ))
    #expect(value.contains("\"air\":{\"format\":\"nordic_ble\",\"channel\":"))
    #expect(value.contains("\"rssi_dbm\":-61,\"phy\":\"LE 1M\",\"clock_us\":"))
    #expect(value.contains("\"encrypted\":true,\"decrypted\":\"here\",\"counter\":1}"))
    #expect(!lines.contains { $0.contains("\"hci\"") || $0.contains("local_role") })
    #expect(!lines.contains { $0.contains("\"handle\":\"0x0001\"") })
  }

  @Test("every form has a line and an object for each record", arguments: AirForm.Layout.allCases)
  func forms(_ layout: AirForm.Layout) {
    let form = AirForm(layout)
    #expect(Air.json(Self.encrypted, form: form).count == Self.encrypted.heard.count)
    let each = Air.selecting { $0.foldsEmpty = false }
    #expect(
      Air.lines(Self.encrypted, each, form: form).filter { !$0.hasPrefix("#") }.count
        == Self.encrypted.heard.count)
  }

  @Test("records that are cut or changed stop nothing") func hostile() {
    var random = SeededRandom(seed: 5)
    let records = Air.records(Self.encrypted, AirForm(.pseudoHeader)).prefix(60)
    var broken: [TestRecord] = []
    for var record in records {
      for count in 0..<record.bytes.count {
        var cut = record
        cut.bytes = Array(record.bytes.prefix(count))
        broken.append(cut)
      }
      let bit = Int(random.next() % UInt64(8 * record.bytes.count))
      record.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      broken.append(record)
    }
    #expect(Rendering.json(broken).split(separator: "\n").count == broken.count)
    let verbose = Air.selecting { ($0.isVerbose, $0.showsBytes) = (true, true) }
    #expect(!Rendering.text(broken, verbose).isEmpty)
    #expect(!Rendering.text(broken, Air.selecting { $0.isBrief = true }).isEmpty)
  }

  @Test(
    "names of control PDUs in words",
    arguments: [
      ("LL_FEATURE_REQ", "LL Feature Request"), ("LL_ENC_RSP", "LL Encryption Response"),
      ("LL_PHY_UPDATE_IND", "LL PHY Update Indication"),
      ("LL_CONNECTION_PARAM_REQ", "LL Connection Parameters Request"),
      ("LL_REJECT_EXT_IND", "LL Reject Extended Indication"),
      ("LL_MIN_USED_CHANNELS_IND", "LL Minimum Used Channels Indication"),
      ("LL_CIS_TERMINATE_IND", "LL CIS Terminate Indication"),
      ("BIG_CHANNEL_MAP_IND", "BIG Channel Map Indication"),
    ] as [(StaticString, String)])
  func names(_ name: StaticString, _ words: String) {
    var output = Output()
    output.controlName(AssignedName(name))
    #expect(output.string == words)
  }
}
