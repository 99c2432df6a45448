// From an H4 packet to its header, its row and its body, and every length field that may be wrong.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

@Suite struct HCIEnvelopeTests {
  /// Returns the names of a packet's row and of the command that it completes.
  private func rows(_ dissection: Dissection) -> [String] {
    [dissection.parameters?.row, dissection.parameters?.completed].compactMap { row in
      row.map { $0.name.description }
    }
  }

  // MARK: The five types

  @Test func command() throws {
    // Disconnect, Connection Handle: 0x0040, Reason: Remote User Terminated Connection (tshark)
    let bytes = hex("01 06 04 03 40 00 13")
    let dissection = h4(bytes)
    guard case .command(let command) = dissection.content else {
      Issue.record("not a command: \(dissection.content)")
      return
    }
    #expect(command.opcode == HCICommand.disconnect && command.length == 3)
    #expect(dissection.body == Slice(start: 4, count: 3))
    #expect(rows(dissection) == ["Disconnect"])
    #expect(dissection.parameters?.connectionHandle(bytes.bytes) == 0x40)
    #expect(dissection.parameters?.status(bytes.bytes) == nil)
    #expect(dissection.problems.isEmpty)
  }

  @Test func event() {
    // Disconnect Complete, Status: Success, Handle: 0x0040, Reason: Connection Terminated by Local
    // Host (tshark)
    let bytes = hex("04 05 04 00 40 00 16")
    let dissection = h4(bytes)
    guard case .event(let event) = dissection.content else {
      Issue.record("not an event: \(dissection.content)")
      return
    }
    #expect(event.code == HCIEvent.disconnectionCompleteCode && !event.isLEMeta)
    #expect(rows(dissection) == ["Disconnection Complete"])
    #expect(dissection.parameters?.connectionHandle(bytes.bytes) == 0x40)
    #expect(dissection.parameters?.status(bytes.bytes) == 0)
    #expect(dissection.problems.isEmpty)
  }

  @Test(arguments: [
    (0x0040, 0, 0), (0x1040, 1, 0), (0x2040, 2, 0), (0x3040, 3, 0), (0x6040, 2, 1), (0x8040, 0, 2),
  ])
  func acl(_ word: Int, _ boundary: UInt8, _ broadcast: UInt8) {
    let dissection = h4([2] + little(word) + hex("03 00 01 02 03"))
    guard case .acl(let header) = dissection.content else {
      Issue.record("not ACL data: \(dissection.content)")
      return
    }
    #expect(header.handle == 0x40 && header.length == 3)
    #expect(header.boundary.rawValue == boundary && header.broadcast == broadcast)
    #expect(dissection.body == Slice(start: 5, count: 3))
    #expect(dissection.problems.isEmpty)
  }

  @Test func sco() {
    let dissection = h4(hex("03 01 30 02 aa bb"))
    guard case .sco(let header) = dissection.content else {
      Issue.record("not SCO data: \(dissection.content)")
      return
    }
    #expect(header.handle == 1 && header.packetStatus == 3 && header.length == 2)
    #expect(dissection.body == Slice(start: 4, count: 2))
    #expect(dissection.problems.isEmpty)
  }

  @Test func iso() {
    // The two upper bits of the length are reserved.
    let dissection = h4(hex("05 60 60 04 c0 01 02 03 04"))
    guard case .iso(let header) = dissection.content else {
      Issue.record("not ISO data: \(dissection.content)")
      return
    }
    #expect(header.handle == 0x60 && header.boundary == .complete && header.hasTimestamp)
    #expect(header.length == 4)
    #expect(dissection.problems.isEmpty)
    // Too short for the fields that its flags indicate.
    let bytes = hex("05 60 60 04 c0 01 02 03 04")
    #expect(ISOLoad(header, bytes.bytes, dissection.body) == nil)
  }

  /// By hand, after Core, Vol 4, Part E, 5.4.5: time stamp 123456 µs, sequence number 7, an SDU of
  /// 4 bytes, packet status 1.
  @Test func isoLoad() {
    let bytes = hex("05 60 60 0c 00 40 e2 01 00 07 00 04 40 01 02 03 04")
    let dissection = h4(bytes)
    guard case .iso(let header) = dissection.content,
      let load = ISOLoad(header, bytes.bytes, dissection.body)
    else {
      Issue.record("not an ISO load: \(dissection.content)")
      return
    }
    #expect(load.timestamp == 123_456 && load.sequenceNumber == 7 && load.sduLength == 4)
    #expect(load.status == 1 && load.offset == 5)
  }

  @Test(arguments: [0x00, 0x06, 0x07, 0xff])
  func unknownType(_ type: Int) {
    let dissection = h4([UInt8(type), 1, 2])
    guard case .unknown = dissection.content else {
      Issue.record("not unknown: \(dissection.content)")
      return
    }
    #expect(problems(dissection) == ["unknownPacketType@0(\(type),0)"])
    #expect(dissection.body == Slice(start: 0, count: 3))
  }

  /// If the capture kept nothing of a record, there is no other problem.
  @Test func nothing() {
    #expect(problems(h4([])) == ["emptyRecord(0,0)"])
    #expect(problems(h4([], isTruncated: true)) == [])
  }

  // MARK: Lengths

  @Test(arguments: [
    ("01 06 04 05 40 00 13", "lengthTooLarge@4(5,3)"),
    ("02 40 00 05 00 01", "lengthTooLarge@5(5,1)"),
    ("03 40 00 05", "lengthTooLarge@4(5,0)"),
    ("04 05 ff 00 40 00 16", "lengthTooLarge@3(255,4)"),
    ("05 40 00 ff 3f 01", "lengthTooLarge@5(16383,1)"),
  ])
  func claimsTooMuch(_ text: String, _ problem: String) {
    #expect(problems(h4(hex(text))) == [problem])
    #expect(problems(h4(hex(text), isTruncated: true)) == [])
  }

  @Test(arguments: [
    ("01 06 04 03 40 00 13 00", "leftOver@7(1,0)"),
    ("02 40 00 01 00 01 02 03", "leftOver@6(2,0)"),
    ("03 40 00 00 01", "leftOver@4(1,0)"),
    ("04 05 04 00 40 00 16 01 02", "leftOver@7(2,0)"),
    ("05 40 00 00 00 01", "leftOver@5(1,0)"),
  ])
  func claimsTooLittle(_ text: String, _ problem: String) {
    #expect(problems(h4(hex(text))) == [problem])
  }

  @Test(arguments: [
    ("01", "tooShort@1(2,0)"), ("01 06", "tooShort@1(2,1)"), ("01 06 04", "tooShort@3(1,0)"),
    ("02 40", "tooShort@1(2,1)"), ("02 40 00 01", "tooShort@3(2,1)"),
    ("03 40 00", "tooShort@3(1,0)"), ("04 05", "tooShort@2(1,0)"), ("05 40 00", "tooShort@3(2,0)"),
  ])
  func headerIsCut(_ text: String, _ problem: String) {
    #expect(problems(h4(hex(text))) == [problem])
    #expect(problems(h4(hex(text), isTruncated: true)) == [])
  }

  // MARK: Parameters that do not match their row

  @Test(arguments: [
    // Disconnect without its reason, and with an extra byte.
    ("01 06 04 02 40 00", "tooShort@6(1,0)"), ("01 06 04 04 40 00 13 00", "leftOver@7(1,0)"),
    // Reset has no parameters.
    ("01 03 0c 01 00", "leftOver@4(1,0)"),
    // Disconnection Complete without its reason.
    ("04 05 03 00 40 00", "tooShort@6(1,0)"),
    // Number Of Completed Packets: two handles claimed but one present, and the reverse.
    ("04 13 05 02 40 00 01 00", "tooShort@8(2,0)"),
    ("04 13 09 01 40 00 01 00 41 00 02 00", "leftOver@8(4,0)"),
    // LE Set Extended Scan Parameters: two PHYs claimed, one present.
    ("01 41 20 08 00 00 05 01 60 00 30 00", "tooShort@12(1,0)"),
    // LE Set Extended Advertising Data: 5 bytes claimed, 2 present.
    ("01 37 20 06 01 03 01 05 02 01", "tooShort@8(5,2)"),
    // LE Advertising Report: the data's length exceeds the event.
    ("04 3e 0c 02 01 00 01 55 44 33 22 11 c0 09 02", "tooShort@14(9,1)"),
  ])
  func rowsThatLie(_ text: String, _ problem: String) {
    #expect(problems(h4(hex(text))) == [problem])
    #expect(problems(h4(hex(text), isTruncated: true)) == [])
  }

  /// LE Set Advertising Data has a field of 31 bytes, and a length that gives the bytes in use.
  @Test func aCountThatIsLargerThanItsField() {
    let field = [UInt8](repeating: 0, count: 31)
    #expect(problems(h4([1, 0x08, 0x20, 32, 31] + field)) == [])
    #expect(problems(h4([1, 0x08, 0x20, 32, 32] + field)) == ["tooShort@5(32,31)"])
  }

  // MARK: LE Meta

  @Test func leMetaWithoutSubevent() {
    let dissection = h4(hex("04 3e 00"))
    guard case .event(let event) = dissection.content else {
      Issue.record("not an event")
      return
    }
    #expect(!event.isLEMeta)
    #expect(event.subevent(hex("04 3e 00").bytes, dissection.body) == nil)
    #expect(rows(dissection) == ["LE Meta"])
    #expect(problems(dissection) == ["tooShort@3(1,0)"])
  }

  @Test func leMetaWithoutARow() {
    let bytes = hex("04 3e 03 fe 01 02")
    let dissection = h4(bytes)
    #expect(rows(dissection) == [])
    #expect(dissection.parameters?.outer == Slice(start: 4, count: 2))
    #expect(dissection.problems.isEmpty)
    #expect(rows(h4(hex("04 3e 01 11"))) == ["LE Scan Timeout"])
  }

  // MARK: Command Complete

  @Test(arguments: [
    ("04 0e 00", "tooShort@3(1,0)"), ("04 0e 01 01", "tooShort@4(2,0)"),
    ("04 0e 02 01 03", "tooShort@4(2,1)"),
    // Reset without its Status.
    ("04 0e 03 01 03 0c", "tooShort@6(1,0)"),
    // Read BD_ADDR, cut in its address.
    ("04 0e 07 01 09 10 00 66 55 44", "tooShort@7(6,3)"),
    ("04 0e 05 01 03 0c 00 00", "leftOver@7(1,0)"),
  ])
  func commandCompleteOfAnyLength(_ text: String, _ problem: String) {
    #expect(problems(h4(hex(text))) == [problem])
  }

  @Test func commandCompleteOfNothing() {
    // NOP: a controller gives its host a command credit.
    let dissection = h4(hex("04 0e 03 01 00 00"))
    #expect(rows(dissection) == ["Command Complete", "NOP"])
    #expect(dissection.problems.isEmpty)
  }

  /// Command Complete, Read BD ADDR, Status: Success, BD_ADDR: 11:22:33:44:55:66 (tshark)
  @Test func commandCompleteWithReturns() {
    let bytes = hex("04 0e 0a 01 09 10 00 66 55 44 33 22 11")
    let dissection = h4(bytes)
    #expect(rows(dissection) == ["Command Complete", "Read BD ADDR"])
    #expect(dissection.parameters?.status(bytes.bytes) == 0)
    #expect(dissection.parameters?.inner == Slice(start: 6, count: 7))
    #expect(dissection.problems.isEmpty)
  }

  /// A handle that is only in the return parameters: Read RSSI.
  @Test func commandCompleteAboutALink() {
    let bytes = hex("04 0e 07 01 05 14 00 40 00 c4")
    #expect(h4(bytes).parameters?.connectionHandle(bytes.bytes) == 0x40)
    let short = hex("04 0e 05 01 05 14 00 40")
    #expect(h4(short).parameters?.connectionHandle(short.bytes) == nil)
  }

  /// A controller that refuses a command may return only the Status.
  @Test func commandCompleteOfAFailure() {
    let refused = hex("04 0e 04 01 09 10 0c")
    #expect(h4(refused).parameters?.status(refused.bytes) == 0x0c)
    #expect(h4(refused).problems.isEmpty)
    #expect(problems(h4(hex("04 0e 04 01 09 10 00"))) == ["tooShort@7(6,0)"])
  }

  @Test func commandCompleteOfAVendor() {
    let bytes = hex("04 0e 06 01 20 fc 00 01 02")
    #expect(rows(h4(bytes)) == ["Command Complete"])
    #expect(h4(bytes).parameters?.status(bytes.bytes) == 0)
    #expect(h4(bytes).problems.isEmpty)
  }

  /// LE Set Scan Enable (0x200c) with a byte that its row does not have: reported only on request.
  @Test func problemsThatNobodyWants() {
    let bytes = hex("01 0c 20 03 01 00 00")
    #expect(h4(bytes).problems.count == 1 && h4(bytes).problems[0].code == .leftOver)
    var dissection = Dissection()
    dissection.problems.areLookedFor = false
    dissection.read(h4: bytes.bytes, isTruncated: false)
    #expect(dissection.problems.isEmpty)
    #expect(rows(dissection) == ["LE Set Scan Enable"])
    dissection.clear()
    #expect(!dissection.problems.areLookedFor)
  }

  @Test func codesWithoutRows() {
    for text in [
      "01 20 fc 01 00", "01 ff ff 00", "01 00 fd 00", "01 00 07 00", "04 fe 01 00", "04 3f 00",
    ] {
      let dissection = h4(hex(text))
      #expect(dissection.parameters?.row == nil)
      #expect(dissection.problems.isEmpty)
    }
  }
}

/// Every packet clears the dissection, so it must stay small. Its anchor, which prevents copies,
/// takes 32 bytes.
@Test func aDissectionStaysSmall() {
  #expect(MemoryLayout<Dissection>.size - MemoryLayout<(any Sendable)?>.size <= 464)
}
