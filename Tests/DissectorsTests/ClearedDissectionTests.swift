// A pass reuses one dissection for all packets; no packet's result may depend on the packet before.

import Bytes
import Testing

@testable import Dissectors

/// Describes all properties of a dissection, a line each.
private func described(_ dissection: Dissection) -> [String] {
  let fields = Mirror(reflecting: dissection).children
    .filter { $0.label != "problems" }
    .map { "\($0.label ?? ""): \($0.value)" }
  return fields + problems(dissection) + ["omitted: \(dissection.problems.omitted)"]
}

/// Dissects an H4 packet, and the PDU of ACL data as if it were complete.
private func read(_ bytes: [UInt8], into dissection: inout Dissection) {
  dissection.read(h4: bytes.bytes, isTruncated: false)
  if case .acl = dissection.content {
    dissection.parsePDU(bytes.bytes, from: Int(dissection.body.start), isTruncated: false)
  }
}

/// Returns ACL data with a PDU on a channel.
private func data(_ cid: Int, _ text: String) -> [UInt8] {
  let pdu = l2cap(hex(text), cid: cid)
  return [2, 0x40, 0x20] + little(pdu.count) + pdu
}

private let packets: [[UInt8]] =
  attFixtures.map { data(4, $0.bytes) }
  + [
    [], [9], [1, 3], hex("01 03 0c 00"), hex("01 03 0c 05 01"), hex("01 06 04 03 40 00 13"),
    hex("04 13 05 01 40 00 01 00"), hex("04 0e 04 01 03 0c 00"), hex("04 3e 02 0a 00"),
    hex("04 3e 13 01 00 40 00 00 00 11 22 33 44 55 66 18 00 00 00 48 00 00"),
    hex("03 40 00 02 aa bb"), hex("05 40 20 04 00 01 02 03 04"),
    data(6, "01 03 00 01 10 07 07"), data(6, "05 08"),
    data(5, "12 01 08 00 18 00 28 00 00 00 f4 01"),
    data(1, "02 01 04 00 01 00 40 00"), data(0x40, "05 00 01 02 03 04 05"), data(4, "08 01"),
    data(4, "ff 01 02"), data(4, ""),
  ]

@Suite struct ClearedDissectionTests {
  @Test func saysOfAPacketWhatANewOneSays() {
    var scratch = Dissection()
    for before in packets {
      for packet in packets {
        scratch.clear()
        read(before, into: &scratch)
        scratch.clear()
        #expect(described(scratch) == described(Dissection()), "after \(before)")
        read(packet, into: &scratch)
        var new = Dissection()
        read(packet, into: &new)
        guard described(scratch) == described(new) else {
          Issue.record("\(packet) after \(before): \(described(scratch)), not \(described(new))")
          return
        }
      }
    }
  }
}
