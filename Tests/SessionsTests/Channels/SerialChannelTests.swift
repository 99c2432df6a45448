// RFCOMM channels and credit-based channels as places of values.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Collects the values of a capture.
private struct Collected: PacketReport {
  var conversations = Conversations()
  private(set) var values: [String] = []
  private(set) var services: [String] = []
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    for news in memory.services.news {
      services.append("\(news.channel) \(String(decoding: news.name, as: UTF8.self))")
    }
    conversations.observe(packet, memory)
    for value in conversations.values where value.operation == .data {
      let bytes = conversations.bytes.bytes.part(value.value ?? .empty).array
      let place =
        switch value.attribute.channel {
        case .rfcomm(let server): "rfcomm \(server)"
        case .creditBased(let psm): "psm \(psm.rawValue)"
        case nil: "nowhere"
        }
      let service = value.attribute.service.map { " \(String($0.low, radix: 16))" } ?? ""
      values.append(
        "\(value.packet) \(place)\(service) of \(value.attribute.side) "
          + "\(value.isWritten ? "written" : "sent") "
          + String(decoding: bytes, as: UTF8.self) + (value.isCut ? " cut" : ""))
    }
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}

private func collect(
  _ limits: Limits = Limits(), _ make: (inout Traffic) -> Void
) -> Collected {
  var traffic = Traffic()
  make(&traffic)
  var report = Collected()
  traffic.report(to: &report, limits)
  return report
}

@Suite struct SerialChannelTests {
  @Test func bothDirections() {
    let found = collect { traffic in
      traffic.openSerial()
      traffic.uih(Array("AT".utf8), .sent, credits: 3)
      traffic.uih(Array("OK".utf8), .received)
      // Credits alone are no value.
      traffic.uih([], .received, credits: 7)
      // A channel of this host, in the same session.
      traffic.uih(Array("HI".utf8), .received, dlci: 5)
    }
    #expect(
      found.values == [
        "10 rfcomm 1 of peer written AT", "11 rfcomm 1 of peer sent OK",
        "13 rfcomm 2 of local written HI",
      ])
  }

  /// If the session's opening is missing, the C/R bit shows who opened it.
  @Test func sessionOpenedByThePeer() {
    let found = collect { traffic in
      traffic.connectClassic()
      traffic.openClassic(psm: 3, local: 0x45, by: .received)
      traffic.uih(Array("AT".utf8), .received, isInitiators: true)
      traffic.uih(Array("OK".utf8), .sent, isInitiators: false)
    }
    #expect(found.values == ["4 rfcomm 1 of local written AT", "5 rfcomm 1 of local sent OK"])
  }

  @Test func fragmentsOfAFrame() {
    let found = collect { traffic in
      traffic.openSerial()
      traffic.split(l2cap(hex("09 ef 09 61 62 63 64 40"), cid: 0x45), [6, 6])
    }
    #expect(found.values == ["11 rfcomm 1 of peer sent abcd"])
  }

  @Test func unitsOfCreditBasedChannels() {
    let found = collect { traffic in
      traffic.connect()
      traffic.openChannel()
      traffic.sdu("61 62", .sent)
      traffic.first(4, Array("cd".utf8), .received, cid: 0x40)
      traffic.acl(l2cap(Array("ef".utf8), cid: 0x40), .received)
      traffic.first(4, Array("gh".utf8), .received, cid: 0x40)
    }
    // The last one is incomplete.
    #expect(
      found.values == ["4 psm 128 of peer written ab", "6 psm 128 of peer sent cdef"])
  }

  private static let record = hex(
    "35 29 09 00 00 0a 00 01 00 01 09 00 01 35 03 19 11 01 09 00 04 35 0c 35 03 19 01 00 "
      + "35 05 19 00 03 08 01 09 01 00 25 03 53 50 50")

  /// Returns a Service Attribute Response with these attribute lists, or a part of them.
  private func response(_ lists: some Sequence<UInt8>, continuation: [UInt8] = []) -> [UInt8] {
    let lists = Array(lists)
    let end = [UInt8(continuation.count)] + continuation
    return [5, 0, 1, 0, UInt8(2 + lists.count + end.count), 0, UInt8(lists.count)] + lists + end
  }

  @Test func services() {
    let whole = collect { traffic in
      traffic.openSerial()
      traffic.openClassic(psm: 1, local: 0x46, identifier: 2)
      traffic.acl(l2cap(response(Self.record), cid: 0x46), .received)
      traffic.uih(Array("AT".utf8), .sent)
    }
    #expect(whole.services == ["1 SPP"])
    #expect(whole.values == ["13 rfcomm 1 1101 of peer written AT"])
    let parts = collect { traffic in
      traffic.openSerial()
      traffic.openClassic(psm: 1, local: 0x46, identifier: 2)
      traffic.acl(
        l2cap(response(Self.record[..<20], continuation: [1, 2]), cid: 0x46), .received)
      traffic.acl(l2cap(response(Self.record[20...]), cid: 0x46), .received)
    }
    #expect(parts.services == ["1 SPP"])
    // The first part is missing, or more than is kept.
    let lacking = collect { traffic in
      traffic.openSerial()
      traffic.openClassic(psm: 1, local: 0x46, identifier: 2)
      traffic.acl(l2cap(response(Self.record[20...]), cid: 0x46), .received)
    }
    #expect(lacking.services.isEmpty)
    var limits = Limits()
    limits.serviceBytes = 30
    let long = collect(limits) { traffic in
      traffic.openSerial()
      traffic.openClassic(psm: 1, local: 0x46, identifier: 2)
      traffic.acl(
        l2cap(response(Self.record[..<20], continuation: [1, 2]), cid: 0x46), .received)
      traffic.acl(l2cap(response(Self.record[20...]), cid: 0x46), .received)
    }
    #expect(long.services.isEmpty)
  }

  /// A session with another frame check sequence, or damaged anywhere, is read without a trap.
  @Test func hostile() {
    let frame = hex("0b ff 0b 03 61 62 63 64 65 86")
    for place in frame.indices {
      for value in stride(from: UInt8(0), through: 255, by: 5) {
        var damaged = frame
        damaged[place] = value
        _ = collect { traffic in
          traffic.openSerial()
          traffic.acl(l2cap(damaged, cid: 0x55), .sent)
        }
      }
    }
  }
}
