// The Security Manager and the kernel's management interface as text and JSON.

import Bluetooth
import Bytes
import Captures
import Testing

@testable import Reports

/// Returns a Security Manager PDU in one ACL packet.
private func pdu(_ text: String, received: Bool = false) -> TestRecord {
  let payload = hex(text)
  let head: [UInt8] = [2, 0x40, 0, UInt8(payload.count + 4), 0, UInt8(payload.count), 0, 6, 0]
  return TestRecord(bytes: head + payload, direction: received ? .received : .sent)
}

/// Returns a management record: cookie 1, code, parameters.
private func control(_ code: UInt8, _ text: String, isEvent: Bool = false) -> TestRecord {
  TestRecord(
    bytes: [1, 0, 0, 0, code, 0] + hex(text), framing: .monitor(opcode: isEvent ? 17 : 16))
}

/// Returns a Security Manager PDU over BR/EDR.
private func classic(_ text: String, received: Bool = false) -> TestRecord {
  var record = pdu(text, received: received)
  record.bytes[7] = 7
  return record
}

/// Returns the text of the last record.
private func line(_ records: TestRecord...) -> String {
  let lines = Rendering.text(records).split(separator: "\n")
  let words = (lines.last ?? "").split(separator: " ", omittingEmptySubsequences: true)
  // Number, time, connection if any, arrow.
  let arrow = words.firstIndex { $0 == "→" || $0 == "←" } ?? 0
  return words.dropFirst(arrow + 1).joined(separator: " ")
}

private func json(_ records: TestRecord..., showsKeys: Bool = false) -> String {
  var options = ShowOptions()
  options.showsBytes = true
  options.showsKeys = showsKeys
  return Rendering.json(records, options).split(separator: "\n").last.map(String.init) ?? ""
}

private let key = "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f"

@Suite struct PairingWordingTests {
  /// No method, because it would be one of LE.
  @Test func overBREDR() {
    let pair = [classic("01 03 00 01 10 0e 0e"), classic("02 03 00 01 10 0e 0e", received: true)]
    #expect(
      line(pair[0], pair[1])
        == """
        Pairing Response NoInputNoOutput, bonding, key size 16, keys IRK CSRK link key; \
        keys over BR/EDR
        """)
    let reported = json(pair[0], pair[1])
    #expect(reported.contains("\"request\":1") && !reported.contains("\"method\""), "\(reported)")
  }

  @Test(
    arguments: [
      (
        "01 01 00 0d 10 03 03",
        "Pairing Request DisplayYesNo, bonding MITM SC, key size 16, keys LTK IRK"
      ),
      (
        "01 04 01 20 07 0c 00",
        """
        Pairing Request KeyboardDisplay, has OOB data, no bonding CT2, key size 7, \
        initiator's keys CSRK link key, responder's keys none
        """
      ),
      (
        "01 09 02 00 10 00 00",
        "Pairing Request IO capability 0x09, OOB data flag 0x02, no bonding, key size 16, keys none"
      ),
      ("03 \(key)", "Pairing Confirm <hidden>, 16 bytes"),
      ("04 \(key)", "Pairing Random <hidden>, 16 bytes"),
      ("05 04", "Pairing Failed Confirm Value Failed (0x04)"),
      ("05 7f", "Pairing Failed 0x7f"),
      ("06 \(key)", "Encryption Information long-term key <hidden>, 16 bytes"),
      (
        "07 34 12 01 02 03 04 05 06 07 08",
        "Central Identification EDIV 0x1234, Rand 01 02 03 04 05 06 07 08"
      ),
      ("08 \(key)", "Identity Information identity resolving key <hidden>, 16 bytes"),
      (
        "09 01 56 34 12 ee ff c0",
        "Identity Address Information C0:FF:EE:12:34:56 (random static)"
      ),
      ("09 00 56 34 12 ee ff c0", "Identity Address Information C0:FF:EE:12:34:56 (public)"),
      ("0a \(key)", "Signing Information signature key <hidden>, 16 bytes"),
      ("0b 0d", "Security Request bonding MITM SC"),
      ("0c \(key) \(key) \(key) \(key)", "Pairing Public Key 10111213…1d1e1f"),
      ("0d \(key)", "Pairing DHKey Check 10111213…1d1e1f"),
      ("0e 01", "Pairing Keypress Notification Digit entered"),
      (
        "0f 11",
        "SMP opcode 0x0f <hidden>, 1 byte ⚠ no opcode of the specification: 0x0f"
      ),
      (
        "06 10 11",
        """
        Encryption Information incomplete: <hidden>, 2 bytes ⚠ too short: the next field has \
        16 bytes, 2 are left
        """
      ),
      (
        "01 01 00",
        "Pairing Request incomplete: 01 00 ⚠ too short: the next field has 1 byte, 0 are left"
      ),
      (
        "05 04 aa",
        "Pairing Failed Confirm Value Failed (0x04), and <hidden>, 1 byte ⚠ 1 byte is left over"
      ),
    ])
  func lines(_ bytes: String, _ words: String) {
    #expect(line(pdu(bytes)) == words)
  }

  @Test(
    arguments: [
      ("03 00 09", "03 00 09", "Secure Connections, Just Works"),
      ("01 00 0d", "01 00 0d", "Secure Connections, numeric comparison"),
      ("02 00 0d", "00 00 0d", "Secure Connections, passkey entry: peer shows, host types"),
      ("00 00 05", "02 00 05", "legacy, passkey entry: host shows, peer types"),
      ("02 00 05", "02 00 05", "legacy, passkey entry: both type"),
      ("02 01 05", "02 01 05", "legacy, out of band"),
    ])
  func methods(_ request: String, _ response: String, _ words: String) {
    let asked = pdu("01 \(request) 10 01 01")
    let answered = pdu("02 \(response) 10 01 01", received: true)
    #expect(line(asked, answered).hasSuffix("; \(words)"))
    // The same with the peer as initiator: the host types what the peer shows.
    let other = line(
      pdu("01 \(response) 10 01 01", received: true), pdu("02 \(request) 10 01 01"))
    #expect(other.hasSuffix("; \(words)"), "\(other)")
  }

  @Test func aResponseInJSON() {
    var answered = pdu("02 00 00 0d 10 01 01", received: true)
    answered.time = .init(seconds: 1_700_000_000, nanoseconds: 4_500_000)
    let reported = json(pdu("01 02 00 0d 10 03 07"), answered)
    #expect(
      reported.contains(
        #"""
        "smp":{"opcode":"0x02","name":"Pairing Response","request":1,"latency_ms":4.5,\#
        "method":"sc_passkey","passkey_shown_by":"responder",\#
        "parameters":{"io_capability":{"code":"0x00","name":"DisplayOnly"},\#
        "oob_data_flag":{"code":"0x00","name":"OOB data not present"},\#
        "authreq":{"code":"0x0d","names":["Bonding","MITM","SC"]},\#
        "maximum_encryption_key_size":16,"initiator_key_distribution":{"code":"0x01",\#
        "names":["EncKey"]},"responder_key_distribution":{"code":"0x01",\#
        "names":["EncKey"]}}}
        """#), "\(reported)")
    #expect(reported.contains(#""l2cap":{"cid":"0x0006","length":7}"#))
  }

  @Test func keysInJSON() {
    let hidden = json(pdu("06 \(key)"))
    #expect(
      hidden.contains(
        #""name":"Encryption Information","parameters":{"hidden":["long_term_key"]}}"#))
    #expect(
      hidden.contains(#""raw":"0240001500110006"# + "0006" + String(repeating: "..", count: 16)))
    var shown = ShowOptions()
    shown.showsKeys = true
    #expect(
      Rendering.text([pdu("06 \(key)")], shown).contains(
        "long-term key \(key.filter { $0 != " " })"))
    #expect(
      json(pdu("06 \(key)"), showsKeys: true).contains(
        #""long_term_key":"101112131415161718191a1b1c1d1e1f""#))
    #expect(
      json(pdu("07 34 12 01 02 03 04 05 06 07 08")).contains(
        #""parameters":{"ediv":"0x1234","rand":"0102030405060708"}"#))
    #expect(
      json(pdu("09 01 56 34 12 ee ff c0")).contains(
        #""address_type":{"code":"0x01","name":"Random"},"bd_addr":"C0:FF:EE:12:34:56""#))
    #expect(json(pdu("05 0b")).contains(#""reason":{"code":"0x0b","name":"DHKey Check Failed"}"#))
    #expect(json(pdu("0f 11 22")).contains(#""smp":{"opcode":"0x0f","hidden":["data"]}"#))
    #expect(json(pdu("01 01 00")).contains(#""data":"0100""#))
  }

  @Test func theDebugKeyIsSaid() {
    let x =
      """
      e6 9d 35 0e 48 01 03 cc db fd f4 ac 11 91 f4 ef \
      b9 a5 f9 e9 a7 83 2c 5e 2c be 97 f2 d2 03 b0 20
      """
    let y =
      """
      8b d2 89 15 d0 8e 1c 74 24 30 ed 8f c2 45 63 76 \
      5c 15 52 5a bf 9a 32 63 6d eb 2a 65 49 9c 80 dc
      """
    #expect(line(pdu("0c \(x) \(y)")) == "Pairing Public Key debug key e69d350e…9c80dc")
    #expect(json(pdu("0c \(x) \(y)")).contains(#""debug_key":true"#))
    #expect(!json(pdu("0c \(y) \(x)")).contains("debug_key"))
  }

  /// Without a passkey they reveal none.
  @Test(arguments: [("03 00 01", false), ("03 00 09", true), ("01 00 0d", true)])
  func valuesWithoutAPasskey(_ features: String, _ isSC: Bool) {
    var records = [pdu("01 \(features) 10 01 01"), pdu("02 \(features) 10 01 01", received: true)]
    if isSC {
      records.append(pdu("0c \(key) \(key) \(key) \(key)"))
      records.append(pdu("0c \(key) \(key) \(key) \(key)", received: true))
    }
    records.append(pdu("04 \(key)"))
    var options = ShowOptions()
    options.showsBytes = true
    options.isVerbose = true
    let text = Rendering.text(records, options)
    #expect(text.contains("10111213…1d1e1f\n") && text.contains("Random_Value: 10 11 12"))
    #expect(!text.contains("<hidden>") && !text.contains(".. .."))
    let reported = Rendering.json(records, options)
    #expect(reported.contains(#""random_value":"101112131415161718191a1b1c1d1e1f""#))
    #expect(!reported.contains("hidden"))
  }

  /// Only the last fragment of a PDU identifies it: the earlier ones stay hidden.
  @Test func aValueInFragments() {
    var first = pdu("04 \(key)")
    let rest = Array(first.bytes.dropFirst(16))
    first.bytes.removeLast(rest.count)
    first.bytes[3] = UInt8(first.bytes.count - 5)
    let last = TestRecord(bytes: [2, 0x40, 0x10, UInt8(rest.count), 0] + rest)
    let records = [
      pdu("01 03 00 01 10 01 01"), pdu("02 03 00 01 10 01 01", received: true), first, last,
    ]
    var options = ShowOptions()
    options.showsBytes = true
    let lines = Rendering.json(records, options).split(separator: "\n")
    #expect(
      lines.count == 4
        && lines[2].hasSuffix(
          #""raw":"0240000b00"#
            + String(repeating: "..", count: 11) + #""}"#)
    )
    #expect(lines[3].contains(#""random_value":"101112131415161718191a1b1c1d1e1f""#))
    #expect(lines[3].contains("161718191a1b1c1d1e1f\"}"))
  }

  @Test func aPasskeysRounds() {
    let records = [
      pdu("01 02 00 0d 10 01 01"), pdu("02 00 00 0d 10 01 01", received: true),
      pdu("0c \(key) \(key) \(key) \(key)"),
      pdu("0c \(key) \(key) \(key) \(key)", received: true), pdu("03 \(key)"),
    ]
    #expect(
      Rendering.text(records).hasSuffix(
        "Pairing Confirm                             passkey round 1 of 20, <hidden>, 16 bytes\n"))
    #expect(Rendering.json(records).contains(#""passkey_round":1"#))
  }
}

@Suite struct ManagementWordingTests {
  private let address = "56 34 12 ee ff c0"

  @Test func commands() {
    #expect(line(control(0x05, "01")) == "MGMT Set Powered On")
    #expect(line(control(0x23, "06")) == "MGMT Start Discovery LE public, LE random")
    #expect(
      line(control(0x19, "\(address) 02 03"))
        == "MGMT Pair Device C0:FF:EE:12:34:56, NoInputNoOutput")
    #expect(line(control(0x06, "02 1e 00")) == "MGMT Set Discoverable Limited, for 30 s")
    #expect(
      line(control(0x5b, "19 20 0e 02 02 00 11 22")) == "MGMT HCI Command Sync LE Enable Encryption"
    )
    #expect(line(control(0xf0, "11 22")) == "MGMT Command 0x00f0 11 22")
  }

  @Test func events() {
    #expect(
      line(control(0x12, "\(address) 02 c2 00 00 00 00 07 00 02 01 06 03 09 41 42", isEvent: true))
        == #"MGMT Device Found C0:FF:EE:12:34:56, -62 dBm, "AB"; general discoverable, LE only"#)
    #expect(
      line(control(0x0b, "\(address) 02 00 00 00 00 00 00", isEvent: true))
        == "MGMT Device Connected C0:FF:EE:12:34:56")
    #expect(
      line(control(0x0c, "\(address) 02 03", isEvent: true))
        == "MGMT Device Disconnected C0:FF:EE:12:34:56, By the peer")
    #expect(
      line(
        control(
          0x0a, "01 \(address) 02 03 00 10 00 00 00 00 00 00 00 00 00 00 \(key)", isEvent: true))
        == "MGMT New Long Term Key C0:FF:EE:12:34:56, Authenticated, P-256, key size 16, LTK <hidden>"
    )
    #expect(
      line(control(0x17, "\(address) 02 40 e2 01 00 00", isEvent: true))
        == "MGMT Passkey Notify C0:FF:EE:12:34:56, passkey <hidden>, digits entered 0")
    #expect(line(control(0xf0, "11", isEvent: true)) == "MGMT Event 0x00f0 11")
  }

  @Test func answers() {
    let command = control(0x05, "01")
    #expect(
      line(command, control(1, "05 00 00 01 02 00 00", isEvent: true))
        == "MGMT Command Complete to #1, Powered, LE")
    #expect(
      line(command, control(2, "05 00 0a", isEvent: true))
        == "MGMT Command Status to #1, Set Powered: Busy (0x0a)")
    #expect(
      line(control(2, "05 00 0a", isEvent: true)) == "MGMT Command Status Set Powered: Busy (0x0a)")
    #expect(line(control(1, "f0 00 00 11", isEvent: true)) == "MGMT Command Complete 0x00f0, 11")
    #expect(line(control(1, "05", isEvent: true)).hasPrefix("MGMT Command Complete 05"))
  }

  /// Two controllers get the same command on one socket, and respond in the other order.
  @Test func twoAdapters() {
    var records = [
      control(0x05, "01"), control(0x05, "01"),
      control(1, "05 00 00 01 02 00 00", isEvent: true),
      control(1, "05 00 00 01 00 00 00", isEvent: true),
    ]
    (records[1].adapter, records[2].adapter) = (1, 1)
    var options = ShowOptions()
    options.time = .none
    #expect(
      Rendering.text(records, options).split(separator: "\n").dropFirst().map {
        $0.split(separator: " ").joined(separator: " ")
      } == [
        "1 → MGMT Set Powered On", "2 hci1 → MGMT Set Powered On",
        "3 hci1 → MGMT Command Complete to #2, Powered, LE",
        "4 hci0 → MGMT Command Complete to #1, Powered",
      ])
    let adapters = Rendering.json(records).split(separator: "\n").map { line in
      line.firstMatch(of: /"adapter":(\d)/).map { String($0.1) }
    }
    #expect(adapters == ["0", "1", "1", "0"])
  }

  @Test func failures() {
    func isFailure(_ record: TestRecord) -> Bool {
      var options = ShowOptions()
      options.selection.errorsOnly = true
      return !Rendering.text([record], options).isEmpty
    }
    #expect(isFailure(control(2, "05 00 0a", isEvent: true)))
    #expect(isFailure(control(0x0d, "\(address) 02 04", isEvent: true)))
    #expect(!isFailure(control(2, "05 00 00", isEvent: true)))
    #expect(!isFailure(control(0x05, "01")))
  }

  @Test func inJSON() {
    let reported = json(control(0x05, "01"), control(1, "05 00 00 01 02 00 00", isEvent: true))
    #expect(
      reported.contains(
        #"""
        "mgmt":{"event":"0x0001","cookie":"0x00000001","status":{"code":"0x00",\#
        "name":"Success"},"request":1,"latency_ms":0,"name":"Command Complete",\#
        "parameters":{"command_opcode":{"code":"0x0005","name":"Set Powered"},\#
        "status":{"code":"0x00","name":"Success"},\#
        "current_settings":{"code":"0x00000201","names":["Powered","LE"]}}}
        """#), "\(reported)")
    #expect(
      json(control(0x10, "0d 18 00 00 00 00 00 10 80 00 00 80 5f 9b 34 fb 00")).contains(
        #""uuid":"fb349b5f-8000-0080-1000-00000000180d","svc_hint":"0x00""#))
    let misfit = json(control(0x0a, "01 \(address) 02 \(key)", isEvent: true))
    #expect(misfit.contains(#""name":"New Long Term Key","hidden":["data"]}"#))
    #expect(misfit.contains(#""code":"too_short""#))
  }
}
