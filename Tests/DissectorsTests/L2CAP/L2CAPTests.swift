import Bluetooth
import Bytes
import Testing

@testable import Dissectors

@Suite struct L2CAPTests {
  @Test func headerAndPayload() {
    let bytes = l2cap(hex("0a 03 00"))
    let dissection = pdu(bytes)
    #expect(dissection.l2cap?.length == 3)
    #expect(dissection.l2cap?.cid == .attribute)
    #expect(dissection.body == Slice(start: 4, count: 3))
    #expect(attWords(dissection, of: bytes) == "Read Request handle=0003")
    #expect(dissection.problems.isEmpty)
  }

  /// Offsets are relative to the packet's first byte, not the PDU's.
  @Test func behindOtherHeaders() {
    let bytes = hex("02 40 00 07 00") + l2cap(hex("0a 03"))
    let dissection = pdu(bytes, from: 5)
    #expect(dissection.body == Slice(start: 9, count: 2))
    #expect(problems(dissection) == ["tooShort@10(2,1)"])
  }

  @Test func lengthThatClaimsMoreThanThereIs() {
    let bytes = l2cap(hex("12 11 00 01"), length: 200)
    let dissection = pdu(bytes)
    #expect(problems(dissection) == ["lengthTooLarge@4(200,4)"])
    #expect(attWords(dissection, of: bytes) == "Write Request handle=0011 value=01")
    #expect(problems(pdu(bytes, isTruncated: true)) == [])
  }

  @Test func lengthThatClaimsLessThanThereIs() {
    let bytes = l2cap(hex("12 11 00 01 00"), length: 3)
    let dissection = pdu(bytes)
    #expect(problems(dissection) == ["leftOver@7(2,0)"])
    #expect(attWords(dissection, of: bytes) == "Write Request handle=0011 value=")
  }

  @Test func noRoomForTheHeader() {
    for count in 0..<4 {
      let dissection = pdu([UInt8](repeating: 1, count: count))
      #expect(dissection.l2cap == nil && dissection.att == nil)
      #expect(problems(dissection) == ["tooShort@\(count & ~1)(2,\(count & 1))"])
    }
    #expect(pdu([], from: 10).l2cap == nil)
  }

  @Test(
    arguments: [
      (1, "L2CAP signalling"), (2, "L2CAP connectionless"), (4, "ATT"), (5, "L2CAP signalling"),
      (6, "SMP"), (7, "SMP"), (0, nil), (3, nil), (0x40, nil),
      (0xffff, nil),
    ] as [(Int, String?)])
  func channels(_ cid: Int, _ name: String?) {
    // A Read Request, a Pairing Failed, and raw bytes on other channels.
    let isSMP = cid == 6 || cid == 7
    let dissection = pdu(l2cap(hex(isSMP ? "05 03" : "0a 03 00"), cid: cid))
    #expect(dissection.l2cap?.cid.name?.description == name)
    #expect(dissection.l2cap?.cid.carriesSecurityManager == (cid == 6 || cid == 7))
    // Only the ATT channel's payload is decoded as ATT, and only the Security Manager's as SMP.
    #expect((dissection.att != nil) == (cid == 4) && (dissection.smp != nil) == isSMP)
    // It is too short for a signalling command.
    #expect(dissection.problems.isEmpty == (cid != 1 && cid != 5))
    #expect(dissection.isSignalling == (cid == 1 || cid == 5))
  }
}
