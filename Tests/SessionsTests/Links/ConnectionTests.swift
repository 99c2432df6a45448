import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct ConnectionTests {
  @Test("A stream's events and data belong to the ACL connection that requested it")
  func isochronousStreams() {
    let established = [0] + little(0x60) + [UInt8](repeating: 0, count: 25)
    // Time stamp, sequence number 7, an SDU of 4 bytes.
    let data = hex("05 60 60 0c 00 40 e2 01 00 07 00 04 00 01 02 03 04")
    let central = run { traffic in
      traffic.connect(0x40)
      traffic.command(0x2064, [1] + little(0x60) + little(0x40))
      traffic.meta(0x19, established)
      traffic.add(data, .received)
    }
    #expect(central[3].connection?.id == 1 && central[4].connection?.id == 1)
    #expect(central.connections.filter { $0.id > 0 }.count == 1)
    let peripheral = run { traffic in
      traffic.connect(0x40, role: 1)
      traffic.meta(0x1a, little(0x40) + little(0x60) + [1, 2])
      traffic.meta(0x19, established)
      traffic.add(data, .received)
    }
    #expect(peripheral[3].connection?.id == 1 && peripheral[4].connection?.id == 1)
    // Another stream has an unknown owner.
    #expect(run { $0.add(data, .received) }[1].connection == nil)
  }

  private let peer = DeviceAddress(value: 0xc011_2233_4455)

  // MARK: Peers instead of handles

  /// BR/EDR: many events, and the commands that answer them, have the peer's address instead of a
  /// handle. They belong to the open connection with that peer on the same adapter.
  @Test func addressInsteadOfAHandle() {
    let peer = little(0x0011_2233_4455, width: 6)
    let results = run { traffic in
      // Create Connection, its Command Status, a Role Change before there is a connection.
      traffic.begin(0x0405, peer + hex("18 cc 01 00 00 00 01"))
      traffic.event(0x12, [0] + peer + [0])
      // An LE link with the same address; Connection Complete; Synchronous Connection Complete.
      traffic.connect(0x40, peer: 0x0011_2233_4455, type: 0)
      traffic.event(0x03, [0] + little(0x0b) + peer + [1, 0])
      traffic.event(0x2c, [0] + little(0x0c) + peer + [2, 0, 0, 0, 0, 0, 0, 2])
      // Link Key Request, its Negative Reply, IO Capability Request, Simple Pairing Complete, Role
      // Change.
      traffic.event(0x17, peer)
      traffic.perform(0x040c, peer, returns: [0] + peer)
      traffic.event(0x31, peer)
      traffic.event(0x36, [0] + peer)
      traffic.event(0x12, [0] + peer + [1])
      // Another device, another adapter, a truncated address, an Extended Inquiry Result.
      traffic.event(0x17, hex("01 02 03 04 05 06"))
      traffic.adapter = 1
      traffic.event(0x17, peer)
      traffic.adapter = 0
      traffic.event(0x17, Array(peer[..<5]))
      traffic.event(0x2f, [1] + peer + [UInt8](repeating: 0, count: 247))
      traffic.disconnect(0x0b)
      traffic.event(0x17, peer)
    }
    #expect(results[5].connection?.id == 2 && results[5].connection?.transport == .brEDR)
    #expect((7...12).map { results[$0].connection?.id } == Array(repeating: 2, count: 6))
    #expect(results[9].answers == "answers 8 after 1 ms")
    #expect([1, 2, 3, 13, 14, 15, 16].allSatisfy { results[$0].answer.link == nil })
    #expect(results[17].connection?.id == 2 && results[18].answer.link == nil)
  }

  // MARK: Opening

  @Test func version1() {
    let results = run { $0.connect() }
    let link = results[1].connection
    #expect(link?.id == 1 && link?.handle == 0x40 && link?.transport == .le)
    #expect(link?.peer == peer && link?.peerType == .random && link?.central == .local)
    #expect(link?.interval == 24 && link?.latency == 0 && link?.supervisionTimeout == 72)
    #expect(link?.isOpeningMissing == false && link?.isEncrypted == false)
    #expect(link?.peerKind == .randomStatic && link?.firstPacket == 1)
    #expect(results[1].answer.opened && results.problems == [])
  }

  /// Interval 40, latency 2, timeout 500, after two more addresses.
  @Test(arguments: [(0x0a, ""), (0x29, " ff ff ff")])
  func enhanced(_ subevent: UInt8, _ more: String) {
    let results = run { traffic in
      traffic.meta(
        subevent,
        hex(
          "00 40 00 01 03 55 44 33 22 11 c0 01 02 03 04 05 46 06 05 04 03 02 41 28 00 02 00 f4 01 "
            + "01" + more))
    }
    let link = results[1].connection
    #expect(link?.peer == peer && link?.peerType == .randomIdentity)
    #expect(link?.central == .peer && link?.isEstablished == true)
    #expect(link?.interval == 40 && link?.latency == 2 && link?.supervisionTimeout == 500)
    #expect(results.problems == [])
  }

  @Test func failure() {
    let results = run { traffic in
      traffic.connect(status: 0x3e)
      traffic.meta(0x0a, [0x02] + [UInt8](repeating: 0, count: 29))
      traffic.event(0x03, hex("04 01 00 66 55 44 33 22 11 01 00"))
    }
    #expect(results.memory.links.count == 0 && results.connections.isEmpty)
    #expect(results.packets.allSatisfy { $0.answer.link == nil && !$0.answer.opened })
  }

  /// A failure may name a handle in use: the event does not belong to that link.
  @Test func failureBesideALink() {
    let results = run { traffic in
      traffic.connect(0x00)
      traffic.connect(0x00, status: 0x02)
    }
    #expect(results[2].answer.link == nil && results.connections.map(\.isOpen) == [true])
  }

  @Test func brEDRAndSynchronous() {
    let results = run { traffic in
      traffic.event(0x03, hex("00 01 00 66 55 44 33 22 11 01 00"))
      traffic.event(0x2c, hex("00 02 00 66 55 44 33 22 11 02 06 02 00 00 00 00 02"))
      traffic.meta(0x19, [0] + little(0x60) + [UInt8](repeating: 0, count: 25))
      traffic.event(0x03, hex("00 03 00 66 55 44 33 22 11 00 00"))
      traffic.disconnect(0x60)
      traffic.disconnect(0x01)
    }
    #expect(results[1].connection?.transport == .brEDR && results[1].connection?.id == 1)
    #expect(results[1].connection?.isEstablished == true && results[1].answer.opened)
    for number in 2...4 {
      #expect(results[number].connection?.transport == .synchronous)
      #expect(results[number].connection?.id == 0 && !results[number].answer.opened)
    }
    #expect(results.memory.links.count == 1 && results.memory.links.mostOpen == 1)
    // The end of a stream is not the end of a connection.
    #expect(results[5].connection?.isOpen == false && !results[5].answer.closed)
    #expect(results[6].connection?.isOpen == false && results[6].answer.closed)
  }

  // MARK: Created and established

  @Test func createdByTheCentral() {
    let results = run { traffic in
      traffic.connect()
      traffic.ask("02 f7 00", "03 f7 00")
    }
    #expect(results.packets.map { $0.connection?.isEstablished } == [false, false, true])
  }

  @Test func thePeripheralHasHeardItsPeer() {
    #expect(run { $0.connect(role: 1) }[1].connection?.isEstablished == true)
  }

  /// Num_Completed_Packets: an acknowledged packet was received.
  @Test func completedPackets() {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.connect(0x42)
      traffic.event(0x13, hex("02 40 00 01 00 41 00 02 00"))
      traffic.event(0x13, hex("01 42 00 00 00"))
      traffic.event(0x13, hex("01 42 00 01 00"))
      traffic.event(0x13, hex("00"))
      traffic.event(0x13, hex("01 77 00 01 00"))
    }
    #expect(results.connections.map(\.isEstablished) == [true, true, true])
    // The event is about two links, so it belongs to neither.
    #expect(results[4].answer.link == nil)
    // No packet was completed.
    #expect(results[5].connection?.isEstablished == false)
    #expect(results[6].connection?.isEstablished == true && results[6].connection?.handle == 0x42)
    #expect(results[7].answer.link == nil && results[8].answer.link == nil)
    #expect(results.memory.links.count == 3)
  }

  /// The peer's features and version show that it responded. If the link was never established,
  /// these procedures end with an error.
  @Test(arguments: [(0x00, true), (0x1a, true), (0x3e, false), (0x08, false), (0x22, false)])
  func remoteFeatures(_ status: UInt8, _ isEstablished: Bool) {
    let results = run { traffic in
      traffic.connect()
      traffic.meta(0x04, [status] + little(0x40) + [UInt8](repeating: 0, count: 8))
      traffic.connect()
      traffic.event(0x0b, [status] + little(0x40) + [UInt8](repeating: 0, count: 8))
      traffic.connect()
      traffic.event(0x0c, [status] + little(0x40) + [UInt8](repeating: 0, count: 5))
    }
    for number in [2, 4, 6] {
      #expect(results[number].connection?.isEstablished == isEstablished, "packet \(number)")
    }
    #expect(results.problems == [])
  }

  @Test func update() {
    let results = run { traffic in
      traffic.connect()
      traffic.meta(0x03, hex("00 40 00 06 00 01 00 f4 01"))
      traffic.meta(0x03, hex("3b 40 00 99 00 99 00 99 00"))
      traffic.meta(0x03, hex("00 41 00 06 00 01 00 f4 01"))
    }
    for number in 2...3 {
      let link = results[number].connection
      #expect(link?.interval == 6 && link?.latency == 1 && link?.supervisionTimeout == 500)
    }
    #expect(results.memory.links.count == 1)
  }

  // MARK: In the middle

  @Test func firstSeenInItsMiddle() {
    let results = run { traffic in
      traffic.received("1b 0e 00 01")
      traffic.sent("0a 03 00")
    }
    let link = results[1].connection
    #expect(
      link?.id == 1 && link?.transport == .le && link?.isTransportInferred == true
        && link?.isOpeningMissing == true)
    #expect(link?.peer == nil && link?.central == nil && link?.isEncrypted == nil)
    #expect(results[1].answer.opened && !results[2].answer.opened && link?.peerKind == nil)
  }

  @Test func firstSeenAtItsEnd() {
    let results = run { traffic in
      traffic.disconnect(reason: 0x08)
      traffic.event(0x08, hex("00 41 00 01"))
    }
    // It may be a stream: a connection is a handle that carries data or that an event identifies as
    // one.
    #expect(results[1].answer.link == nil && !results[1].answer.opened && !results[1].answer.closed)
    #expect(results[2].connection?.isEncrypted == true && results[2].answer.opened)
    #expect(results[2].connection?.id == 1)
  }

  @Test func eventsThatFailedOpenNothing() {
    let results = run { traffic in
      traffic.disconnect(status: 0x02)
      traffic.event(0x08, hex("06 40 00 00"))
      traffic.event(0x05, hex("00 40"))
      traffic.command(0x0406, little(0x40) + [0x13])
    }
    #expect(results.memory.links.count == 0)
    #expect(results.packets.allSatisfy { $0.answer.link == nil && !$0.answer.closed })
  }

  /// Packets that the host sends after the end belong to the ended link, as do packets received
  /// shortly after; later ones can only belong to another link.
  @Test func dataAfterTheEnd() {
    let results = run { traffic in
      traffic.connect()
      traffic.disconnect()
      traffic.sent("52 03 00 01")
      traffic.received("1b 03 00 01")
      for _ in 0..<29 { traffic.command(0x0c03) }
      traffic.received("1b 03 00 01")
      traffic.received("1b 03 00 01")
    }
    #expect(results[3].problems == ["sentAfterEnd(0,0)"] && results[3].connection?.id == 1)
    #expect(results[4].problems == ["receivedAfterEnd(0,0)"] && results[4].connection?.id == 1)
    #expect(results[34].problems == ["receivedAfterEnd(0,0)"] && results[34].connection?.id == 1)
    #expect(results[35].problems == [] && results[35].connection?.id == 2)
    #expect(results[35].connection?.isOpeningMissing == true)
  }

  /// Lost records may have contained the opening of another link.
  @Test(arguments: [Direction.sent, .received])
  func dataAfterTheEndAndAGap(_ direction: Direction) {
    let results = run { traffic in
      traffic.connect()
      traffic.disconnect()
      traffic.add([1] + hex("03 0c 00"), .sent, drops: 1)
      traffic.att("1b 03 00 01", direction)
    }
    #expect(results[4].problems == [] && results[4].connection?.id == 2)
  }

  /// An ended stream's handle was never the data's.
  @Test func dataAfterTheEndOfAStream() {
    let results = run { traffic in
      traffic.meta(0x19, [0] + little(0x60) + [UInt8](repeating: 0, count: 25))
      traffic.disconnect(0x60)
      traffic.received("1b 03 00 01", handle: 0x60)
    }
    #expect(results[3].problems == [] && results[3].connection?.id == 1)
  }

  /// Data and events take separate paths: data that arrives before its Connection Complete belongs
  /// to the new connection.
  @Test func dataBeforeTheBeginning() {
    let results = run { traffic in
      traffic.received("02 f7 00")
      traffic.connect()
      traffic.sent("03 b9 00")
      traffic.received("1b 03 00 01", handle: 0x01)
      traffic.event(0x03, hex("00 01 00 66 55 44 33 22 11 01 00"))
    }
    let link = results[2].connection
    #expect(link?.id == 1 && link?.transport == .le && link?.peer == peer)
    #expect(link?.isOpeningMissing == false && link?.isEncrypted == false)
    #expect(link?.isEstablished == true && results[2].answer.opened)
    #expect(results[3].answers == "answers 1 after 2 ms" && results[3].connection?.mtu == 185)
    #expect(results[5].connection?.id == 2 && results[5].connection?.transport == .brEDR)
    #expect(results.memory.links.count == 2 && results.memory.links.mostOpen == 2)
    #expect(results.connections.map(\.ending) == [nil, nil] && results.problems == [])
  }

  /// A link that the host has used, an older one, or one before a gap is another link.
  @Test(arguments: 0..<3)
  func linksThatAreNotAdopted(_ how: Int) {
    let results = run { traffic in
      traffic.received("1b 03 00 01")
      switch how {
      case 0: traffic.sent("52 03 00 01")
      case 1: for _ in 0..<32 { traffic.command(0x0c03) }
      default: traffic.add([1] + hex("03 0c 00"), .sent, drops: 1)
      }
      traffic.connect()
    }
    #expect(results.connections.map(\.ending) == [.replaced, nil])
    #expect(results.memory.links.otherEndings == 1 && results.memory.links.departed?.id == 1)
  }

  // MARK: Encryption

  @Test func encryption() {
    let results = run { traffic in
      traffic.connect()
      traffic.event(0x08, hex("00 40 00 01"))
      traffic.event(0x08, hex("00 40 00 00"))
      traffic.event(0x59, hex("00 40 00 02 10"))
      traffic.event(0x08, hex("3d 40 00 00"))
    }
    #expect(results.packets.map { $0.connection?.isEncrypted } == [false, true, false, true, true])
  }

  @Test func encryptionThatIsCut() {
    let results = run { traffic in
      traffic.connect()
      traffic.event(0x08, hex("00 40 00 01"))
      traffic.event(0x08, hex("00 40 00 01"), kept: 6)
    }
    #expect(results[3].connection?.isEncrypted == true)
  }

  @Test func encryptionThatIsNotKnown() {
    let results = run { traffic in
      traffic.received("1b 0e 00 01")
      traffic.event(0x30, hex("05 40 00"))
      traffic.event(0x30, hex("00 40 00"))
    }
    #expect(results.packets.map { $0.connection?.isEncrypted } == [nil, nil, true])
    #expect(results.problems == [])
  }
}
