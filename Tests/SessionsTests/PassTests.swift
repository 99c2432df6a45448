import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct PassTests {
  @Test func everyPacketInOrderAndThenTheEnd() {
    let results = run { traffic in
      for _ in 0..<10 { traffic.command(0x0c03) }
    }
    #expect(results.packets.map(\.number) == Array(1...10))
    #expect(results.finishes == 1 && results.failure == nil)
    let nothing = run { _ in }
    #expect(nothing.packets.isEmpty && nothing.finishes == 1)
  }

  @Test func aReportThatHasEnough() {
    let results = run(enough: 3) { traffic in
      for _ in 0..<10 { traffic.command(0x0c03) }
    }
    #expect(results.packets.count == 3 && results.finishes == 1)
  }

  /// The records before the damage and the end are reported.
  @Test func damage() {
    let failure = CaptureFailure(.damaged, "is cut")
    let results = run(failure: failure) { $0.command(0x0c03) }
    #expect(results.packets.count == 1 && results.finishes == 1 && results.failure == failure)
  }

  @Test func whatTheRecordItselfSays() {
    let results = run { traffic in
      traffic.add(hex("01 03 0c 00"), .sent, drops: 7)
      traffic.add(hex("01 06 04 03 40 00 13"), .sent, kept: 5)
      traffic.add(hex("01 03 0c 00"), .sent, kept: 0)
      traffic.add([], .sent)
      traffic.clock = 400_000_000_000_000
      traffic.command(0x0c03)
    }
    #expect(results[1].problems == ["recordsDropped(7,0)"])
    #expect(results[2].problems == ["truncated(5,7)"])
    #expect(results[3].problems == ["truncated(0,4)"])
    #expect(results[4].problems == ["emptyRecord(0,0)"])
    #expect(results[5].problems == ["timeOutOfRange(0,0)"])
  }

  /// Every framing yields the same packet.
  @Test func framings() {
    let results = run { traffic in
      let data = hex("40 00 07 00") + l2cap(hex("0a 03 00"))
      traffic.add([2] + data, .sent)
      traffic.add(data, .sent, framing: .h1(.acl))
      traffic.add(data, .sent, framing: .monitor(opcode: 4))
      traffic.add(hex("03 0c 00"), .sent, framing: .h1(.command))
      traffic.add(hex("0e 04 01 03 0c 00"), .received, framing: .h1(.event))
    }
    #expect(
      results.packets.map(\.attBytes)[..<3] == [hex("0a 03 00"), hex("0a 03 00"), hex("0a 03 00")])
    #expect(results[5].answers == "answers 4 after 1 ms")
    #expect(results[1].answer.fragment.start == 5 && results[2].answer.fragment.start == 4)
  }

  /// Packets whose direction cannot be inferred (boundary flag 11) are joined and dissected, but
  /// not matched to requests.
  @Test func dataWithoutDirection() {
    let results = run { traffic in
      traffic.add([2] + hex("40 30 07 00") + l2cap(hex("0a 03 00")), nil)
      traffic.add([2] + hex("40 30 06 00") + l2cap(hex("0b 07")), nil)
    }
    #expect(results.packets.map(\.attBytes) == [hex("0a 03 00"), hex("0b 07")])
    #expect(results[2].answer.link != nil && results[2].answer.request == nil)
    #expect(results.memory.links.count == 1 && results.problems == [])
  }

  /// Records that are not packets, and records with a truncated header.
  @Test func framingsWithoutPackets() {
    let results = run { traffic in
      traffic.add(hex("68 69"), nil, framing: .packetLogger(type: 0xfc))
      traffic.add(hex("00 00"), nil, framing: .packetLogger(type: 0x55))
      traffic.add(hex("00 00"), nil, framing: .incomplete(needed: 4))
      traffic.add(hex("40 00 00"), .sent, framing: .h1(.sco))
      traffic.add(hex("40 00 00 00"), .received, framing: .h1(.iso))
    }
    #expect(
      results.packets.map(\.problems) == [
        [], ["unknownRecordType(85,0)"], ["tooShort(4,2)"], [], [],
      ])
  }

  @Test func dataThatIsNoATT() {
    let results = run { traffic in
      traffic.acl(l2cap([1, 2, 3], cid: 6), .received)
      traffic.acl([1, 2], .received, claimed: 2)
      traffic.add([3, 0x40, 0, 0], .received)
      traffic.add([5, 0x40, 0, 0, 0], .received)
      traffic.add([2, 0x40], .received)
    }
    #expect(results.packets.allSatisfy { $0.att == nil })
    #expect(results[1].pdu == l2cap([1, 2, 3], cid: 6) && results[5].problems == ["tooShort(2,1)"])
  }

  /// Random traffic on a few handles with tiny limits, seed 7: nothing traps, and every packet is
  /// reported.
  @Test func randomTraffic() {
    var limits = Limits()
    (limits.links, limits.commands, limits.names, limits.advertisingChains) = (2, 2, 2, 2)
    (limits.pduBytes, limits.fragmentNumbers, limits.advertisingBytes) = (50, 3, 60)
    var state: UInt64 = 7
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(below))
    }
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random(256)) } }
    let results = run(limits: limits) { traffic in
      for _ in 0..<20_000 {
        traffic.adapter = AdapterIndex(UInt16(random(2)))
        traffic.clock += random(2000) - 900
        let direction: Direction = random(2) == 0 ? .sent : .received
        let handle = random(4)
        switch random(12) {
        case 0: traffic.connect(handle, role: UInt8(random(2)), status: random(5) == 0 ? 2 : 0)
        case 1: traffic.disconnect(handle, reason: UInt8(random(0x40)))
        case 2: traffic.split(notification(random(80)), [random(30), random(30)], handle: handle)
        case 3: traffic.acl(bytes(random(30)), direction, .more, handle: handle)
        case 4: traffic.acl(bytes(random(30)), direction, handle: handle, kept: random(12))
        case 5: traffic.meta([0x02, 0x0b, 0x0d, 0x0f, 0x25][random(5)], bytes(random(60)))
        case 6: traffic.command([0x0c03, 0x0406, 0x1009][random(3)], bytes(random(5)))
        case 7: traffic.complete([0x0c03, 0x1009, 0x1001][random(3)], [0] + bytes(random(9)))
        case 8: traffic.event(UInt8(random(0x40)), bytes(random(20)))
        case 9: traffic.note(UInt16(random(20)), bytes(random(30)))
        default:
          traffic.acl(l2cap([UInt8(random(0x24))] + bytes(random(12))), direction, handle: handle)
        }
      }
    }
    #expect(results.packets.count >= 20_000 && results.finishes == 1)
    #expect(results.connections.count <= 2)
    #expect(results.problems.count { $0 == "limitReached(2,0)" } <= 2)
  }
}
