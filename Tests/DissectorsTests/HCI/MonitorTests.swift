// The records of the Linux monitor. Layouts: BlueZ, doc/btsnoop-protocol.rst.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Valid records that are not packets: opcode, bytes, and the minimum size.
let monitorFixtures: [(opcode: UInt16, bytes: String, least: Int)] = [
  // Primary controller, USB, 11:22:33:44:55:66, "hci0"
  (0, "00 01 66 55 44 33 22 11 68 63 69 30 00 00 00 00", 16),
  (1, "", 0),
  (8, "", 0),
  (9, "", 0),
  // 11:22:33:44:55:66, Intel (2)
  (10, "66 55 44 33 22 11 02 00", 8),
  (11, "01 02 03", 0),
  // "Linux"
  (12, "4c 69 6e 75 78 00", 0),
  // Priority 6, "btd", "up"
  (13, "06 04 62 74 64 00 75 70 00", 6),
  // Cookie 1, control, version 1.22, privileged, "btd"
  (14, "01 00 00 00 02 00 01 16 00 01 00 00 00 04 62 74 64 00", 18),
  (15, "01 00 00 00", 4),
  // Cookie 1, Set Powered
  (16, "01 00 00 00 05 00 01", 7),
  // Cookie 1, Command Complete of Set Powered: success, settings: powered
  (17, "01 00 00 00 01 00 05 00 00 01 00 00 00", 13),
]

@Suite struct MonitorTests {
  private func monitor(_ opcode: UInt16, _ bytes: [UInt8], isTruncated: Bool = false) -> Dissection
  {
    Dissection(monitor: opcode, bytes.bytes, isTruncated: isTruncated)
  }

  private func note(_ opcode: UInt16, _ text: String) -> MonitorNote? {
    let dissection = monitor(opcode, hex(text))
    guard case .note(let note) = dissection.content, dissection.problems.isEmpty else { return nil }
    return note
  }

  private func text(_ slice: Slice?, of hexes: String) -> String? {
    let bytes = hex(hexes)
    return slice.map { String(decoding: bytes.bytes.part($0).array, as: UTF8.self) }
  }

  @Test(arguments: monitorFixtures)
  func nothingIsWrong(_ fixture: (opcode: UInt16, bytes: String, least: Int)) {
    #expect(problems(monitor(fixture.opcode, hex(fixture.bytes))) == [])
  }

  /// All 20 opcodes: packets without a type byte, notes and control traffic.
  @Test func everyOpcode() {
    #expect(MonitorOpcode.allCases.map(\.rawValue) == Array(0...19))
    let types: [MonitorOpcode: PacketType] = [
      .command: .command, .event: .event, .aclSent: .acl, .aclReceived: .acl, .scoSent: .sco,
      .scoReceived: .sco, .isoSent: .iso, .isoReceived: .iso,
    ]
    let sent: [MonitorOpcode] = [.command, .aclSent, .scoSent, .isoSent]
    let received: [MonitorOpcode] = [.event, .aclReceived, .scoReceived, .isoReceived]
    for opcode in MonitorOpcode.allCases {
      #expect(
        opcode.direction
          == (sent.contains(opcode) ? .sent : received.contains(opcode) ? .received : nil))
      #expect(opcode.packetType == types[opcode])
      let content = monitor(opcode.rawValue, [0x40, 0, 0, 0, 0, 0, 0, 0]).content
      let kind =
        switch content {
        case .unknown: "unknown"
        case .note(let note): "note \(note.kind)"
        case .control(let record): record.isEvent ? "control event" : "control command"
        case .command: "command"
        case .event: "event"
        case .acl: "acl"
        case .sco: "sco"
        case .iso: "iso"
        case .controllerLog: "controller log"
        case .advertising, .linkData, .linkControl: "from the air"
        }
      let expected =
        switch opcode {
        case .controlCommand: "control command"
        case .controlEvent: "control event"
        default: types[opcode].map { "\($0)" } ?? "note \(opcode)"
        }
      #expect(kind == expected)
    }
  }

  @Test func packetsHaveNoTypeByte() {
    let dissection = monitor(2, hex("03 0c 00"))
    guard case .command(let command) = dissection.content else {
      Issue.record("not a command")
      return
    }
    #expect(command.opcode == HCICommand.reset && dissection.problems.isEmpty)
    #expect(problems(monitor(5, hex("40 20 05 00 01"))) == ["lengthTooLarge@4(5,1)"])
  }

  @Test(arguments: [20, 0x100, 0xffff])
  func unknownOpcodes(_ opcode: UInt16) {
    let dissection = monitor(opcode, [1, 2, 3])
    guard case .note(let note) = dissection.content else {
      Issue.record("not a note")
      return
    }
    #expect(note.kind == .unknown)
    #expect(dissection.body == Slice(start: 0, count: 3))
    #expect(problems(dissection) == ["unknownMonitorOpcode(\(opcode),0)"])
  }

  // MARK: Notes

  @Test func newIndex() {
    let bytes = "00 01 66 55 44 33 22 11 68 63 69 30 00 00 00 00"
    let note = note(0, bytes)
    #expect(note?.controllerType == 0 && note?.bus == 1)
    #expect(note?.address == DeviceAddress(value: 0x1122_3344_5566))
    #expect(text(note?.text, of: bytes) == "hci0\0\0\0\0")
    #expect((0...11).allSatisfy { MonitorNote.busName($0) != nil })
    #expect(MonitorNote.busName(12) == nil)
  }

  @Test func indexInfo() {
    let note = note(10, "66 55 44 33 22 11 02 00")
    #expect(note?.address == DeviceAddress(value: 0x1122_3344_5566) && note?.manufacturer == 2)
  }

  @Test func userLog() {
    let bytes = "06 04 62 74 64 00 75 70 00"
    #expect(note(13, bytes)?.priority == 6)
    #expect(text(note(13, bytes)?.identifier, of: bytes) == "btd\0")
    #expect(text(note(13, bytes)?.text, of: bytes) == "up\0")
  }

  /// Some programs write no identifier (bluez issue 92).
  @Test(
    "The digits of a passkey in a log",
    arguments: [
      ("a.c:user_passkey_notify_callback() passkey 562297 entered 0", "562297"),
      ("Passkey: 000123", "000123"), ("passkey is 123456", nil), ("passkey", nil),
      ("passkeys, then passkey = 7", "7"), ("no such word 123456", nil),
    ] as [(String, String?)])
  func passkeyInLog(_ text: String, _ digits: String?) {
    let bytes = [UInt8]([6, 2, 0x62, 0]) + Array(text.utf8) + [0]
    let dissection = Dissection(monitor: 13, bytes.bytes, isTruncated: false)
    guard case .note(let note) = dissection.content else {
      Issue.record("expected a note, got \(dissection.content)")
      return
    }
    let found = note.passkey(bytes.bytes).map {
      String(decoding: bytes.bytes.part($0).array, as: UTF8.self)
    }
    #expect(found == digits, "expected \(digits ?? "nothing"), got \(found ?? "nothing")")
  }

  @Test func userLogWithoutIdentifier() {
    let bytes = "06 00 75 70"
    #expect(note(13, bytes)?.identifier == Slice(start: 2, count: 0))
    #expect(text(note(13, bytes)?.text, of: bytes) == "up")
    #expect(note(13, "06 00")?.text?.isEmpty == true)
  }

  @Test func identifierThatClaimsTooMuch() {
    #expect(problems(monitor(13, hex("06 05 62 74 64"))) == ["tooShort@2(5,3)"])
    let dissection = monitor(14, hex("01 00 00 00 02 00 01 16 00 01 00 00 00 ff 62"))
    #expect(problems(dissection) == ["tooShort@14(255,1)"])
    guard case .note(let note) = dissection.content else {
      Issue.record("not a note")
      return
    }
    // The fields before it are kept.
    #expect(note.cookie == 1 && note.version == 1 && note.flags == 1)
  }

  @Test func controlOpenAndClose() {
    let bytes = "01 00 00 00 02 00 01 16 00 01 00 00 00 04 62 74 64 00"
    let note = note(14, bytes)
    #expect(note?.cookie == 1 && note?.format == 2 && note?.version == 1)
    #expect(note?.revision == 22 && note?.flags == 1)
    #expect(text(note?.identifier, of: bytes) == "btd\0")
    #expect(self.note(15, "07 00 00 00")?.cookie == 7)
  }

  @Test func bytesThatNoFieldClaims() {
    #expect(problems(monitor(1, [1])) == ["leftOver@0(1,0)"])
    #expect(problems(monitor(15, hex("07 00 00 00 01 02"))) == ["leftOver@4(2,0)"])
    // Only the vendor can decode a controller's diagnostics.
    #expect(problems(monitor(11, [1, 2, 3])) == [])
    #expect(monitor(11, [1, 2, 3]).body == Slice(start: 0, count: 3))
  }

  // MARK: Truncation

  @Test(arguments: monitorFixtures)
  func everyPrefix(_ fixture: (opcode: UInt16, bytes: String, least: Int)) {
    let bytes = hex(fixture.bytes)
    for count in 0...bytes.count {
      let prefix = Array(bytes.prefix(count))
      let found = problems(monitor(fixture.opcode, prefix))
      if count < fixture.least {
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("tooShort") }, "at \(count)")
      } else {
        #expect(found == [], "at \(count)")
      }
      #expect(problems(monitor(fixture.opcode, prefix, isTruncated: true)) == [])
    }
  }
}
