// Names and identities from sources other than LE advertisements; the MTU of enhanced bearers.

import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Sessions

private let address = little(0xc011_2233_4455, width: 6)
private let zeros = [UInt8](repeating: 0, count: 248)

extension Traffic {
  /// Appends a Remote Name Request Complete.
  fileprivate mutating func remoteName(_ name: String, status: UInt8 = 0) {
    event(0x07, [status] + address + (Array(name.utf8) + zeros).prefix(248))
  }

  /// Appends the management event Device Connected (0x0b) or Device Found (0x12) with a complete
  /// name.
  fileprivate mutating func device(
    _ event: UInt8, _ name: String, type: UInt8, length: Int? = nil
  ) {
    let data = [UInt8(name.utf8.count + 1), 9] + Array(name.utf8)
    let between = [UInt8](repeating: 0, count: event == 0x12 ? 5 : 4)
    note(
      17,
      [1, 0, 0, 0, event, 0] + address + [type] + between + little(length ?? data.count) + data)
  }
}

/// Returns the name of the only connection, at the end.
private func name(_ build: (inout Traffic) -> Void) -> String? {
  let results = run(build)
  let entry = results.connections.first?.name
  return entry.flatMap { results.memory.names[$0] }.map { String(decoding: $0, as: UTF8.self) }
}

@Suite struct NamesTests {
  @Test("The Device Name that was read is the name, unless the device advertises another")
  func deviceName() {
    func read(_ traffic: inout Traffic) {
      traffic.ask("08 01 00 ff ff 00 2a", "09 05 03 00 4a 61 79")
    }
    #expect(
      name { traffic in
        traffic.connect()
        read(&traffic)
      } == "Jay")
    #expect(
      name { traffic in
        traffic.advertise(data: "04 09 4b 61 79")
        traffic.connect()
        read(&traffic)
      } == "Kay")
    // Not the name that the peer reads from this host.
    #expect(
      name { traffic in
        traffic.connect()
        traffic.ask("08 01 00 ff ff 00 2a", "09 05 03 00 4a 61 79", by: .received)
      } == nil)
  }

  @Test func remoteNames() {
    #expect(
      name { traffic in
        traffic.connectClassic()
        traffic.remoteName("Jay")
      } == "Jay")
    #expect(
      name { traffic in
        traffic.remoteName("Jay")
        traffic.connectClassic()
      } == "Jay")
    // A name may fill its field, and a failure may contain stale bytes.
    let long = String(repeating: "a", count: 248)
    #expect(
      name { traffic in
        traffic.remoteName(long)
        traffic.remoteName("old", status: 4)
        traffic.remoteName("")
        traffic.connectClassic()
      } == long)
    // An LE random address belongs to another device.
    #expect(
      name { traffic in
        traffic.connect()
        traffic.remoteName("Jay")
      } == nil)
  }

  @Test func inquiries() {
    let head = address + [1, 0, 0, 0, 0, 0, 0, 0xc4]
    #expect(
      name { traffic in
        traffic.event(0x2f, [1] + head + ([4, 9, 0x4a, 0x61, 0x79] + zeros).prefix(240))
        traffic.connectClassic()
      } == "Jay")
    // Truncated by the capture: nothing traps, and no name is learnt.
    #expect(
      name { traffic in
        for kept in 0..<21 {
          traffic.event(
            0x2f, [1] + head + ([4, 9, 0x4a, 0x61, 0x79] + zeros).prefix(240), kept: kept)
        }
        traffic.connectClassic()
      } == nil)
  }

  @Test(arguments: [UInt8(0x0b), 0x12])
  func management(_ event: UInt8) {
    for (type, expected) in [(UInt8(2), "Jay"), (1, nil), (0, nil)] as [(UInt8, String?)] {
      #expect(
        name { traffic in
          traffic.connect()
          traffic.device(event, "Jay", type: type)
        } == expected)
    }
    // A length that exceeds the event, or ends inside the structure.
    for (length, expected) in [(500, "Jay"), (3, nil), (0, nil)] as [(Int, String?)] {
      #expect(
        name { traffic in
          traffic.device(event, "Jay", type: 2, length: length)
          traffic.connect()
        } == expected)
    }
  }

  @Test func identities() {
    let results = run { traffic in
      traffic.connect(peer: 0x5c11_2233_4455)
      traffic.device(0x12, "Jay", type: 2)
      traffic.acl(l2cap([9, 1] + little(0xc0ff_ee12_3456, width: 6), cid: 6), .sent)
      traffic.acl(l2cap([9, 1] + address, cid: 6), .received)
    }
    #expect(results[3].connection?.identity == nil)
    #expect(results[4].connection?.identity?.address == DeviceAddress(value: 0xc011_2233_4455))
    #expect(results[4].connection?.identity?.type == .random)
    let name = results[4].connection?.name.flatMap { results.memory.names[$0] }
    #expect(name == Array("Jay".utf8))
    #expect(results[4].connection?.peer == DeviceAddress(value: 0x5c11_2233_4455))
  }

  @Test func bearers() {
    let results = run { traffic in
      traffic.connect()
      // This host accepts 247 bytes, the peer 512; 0x40 here, 0x51 at the peer.
      traffic.signal("17 03 0a 00 27 00 f7 00 40 00 08 00 40 00", .sent)
      traffic.signal("18 03 0a 00 00 02 40 00 08 00 00 00 51 00", .received)
      traffic.sdu("0a 03 00", .sent, cid: 0x51)
      // From now on this host accepts 600 bytes, so the peer's limit is the smaller one.
      traffic.signal("19 04 06 00 58 02 40 00 40 00", .sent)
      traffic.signal("1a 04 02 00 00 00", .received)
      traffic.sdu("0b aa", .received, cid: 0x40)
      traffic.openChannel()
      traffic.sdu("01", .sent, cid: 0x41)
    }
    #expect(results[3].attMTUs == [247])
    #expect(results[4].answer.channel?.attMTU == 247)
    #expect(results[5].attMTUs == [nil])
    #expect(results[6].attMTUs == [512])
    #expect(results[7].answer.channel?.attMTU == 512)
    // The connection's own MTU is that of the unenhanced bearer.
    #expect(results[7].connection?.mtu == nil)
    // Other channels have no ATT MTU.
    #expect(results[9].attMTUs == [nil])
    #expect(results[10].answer.channel != nil && results[10].answer.channel?.attMTU == nil)
  }
}
