import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Testing

@Suite("Links, controllers and captures accept anything") struct HostileLinkTests {
  /// One of each command, event and PDU that the histories read.
  private static let packets: [([UInt8], Direction)] = {
    var traffic = Traffic()
    traffic.advertise()
    traffic.advertise(phy: 3)
    traffic.askToConnect()
    traffic.askToConnect(phys: 5)
    traffic.giveUpConnecting()
    traffic.command(0x2011, [1] + little(Traffic.peer, width: 6))
    traffic.command(0x2012, [1] + little(Traffic.peer, width: 6))
    traffic.command(0x0405, little(Traffic.peer, width: 6) + hex("18 cc 01 00 00 00 01"))
    traffic.event(0x03, [4, 0, 0] + little(Traffic.peer, width: 6) + [1, 0])
    traffic.event(0x10, [0x42])
    traffic.connect()
    traffic.changeParameters()
    traffic.parametersChanged()
    traffic.askForParameters(.received)
    traffic.answerParameters(.sent, accepts: false)
    traffic.meta(0x06, little(0x40) + hex("50 00 64 00 00 00 90 01"))
    traffic.command(0x2020, little(0x40) + hex("50 00 64 00 00 00 90 01 00 00 00 00"))
    traffic.command(0x2021, little(0x40) + [0x3b])
    traffic.meta(0x07, little(0x40) + little(251) + little(2120) + little(251) + little(2120))
    traffic.meta(0x0c, [0] + little(0x40) + [2, 2])
    traffic.meta(0x23, [0x1f] + little(0x40) + little(0, width: 8))
    traffic.begin(0x207e, little(0x40) + little(0, width: 10), status: 0x1a)
    traffic.command(0x0c7c, little(0x40) + little(1000))
    traffic.complete(0x0c7b, [0] + little(0x40) + little(1000))
    traffic.event(0x57, little(0x40))
    traffic.openChannel()
    traffic.openChannel(result: 5)
    traffic.openBearers()
    traffic.sdu("01 02 03", .sent)
    traffic.signal("19 04 06 00 80 00 40 00 40 00", .sent)
    traffic.signal("1a 04 02 00 01 00", .received)
    traffic.signal("06 05 04 00 40 00 51 00", .received)
    traffic.signal("07 05 04 00 40 00 51 00", .sent)
    traffic.openClassic(psm: "19 00")
    traffic.signal("04 02 08 00 46 00 00 00 01 02 a0 02", .sent, cid: 1)
    traffic.signal("05 02 06 00 45 00 00 00 02 00", .received, cid: 1)
    traffic.signal("01 02 06 00 02 00 77 00 00 00", .received, cid: 1)
    traffic.sent("0a 03 00")
    traffic.completed(3)
    traffic.acl(l2cap(hex("0b 05"), cid: 6), .received)
    traffic.askToDisconnect()
    traffic.disconnect()
    return traffic.records.compactMap { record in record.direction.map { (record.bytes, $0) } }
  }()

  @Test("each of them cut at each length, on an open link") func cut() {
    for (bytes, direction) in Self.packets {
      for count in 0..<bytes.count {
        let evidence = evidence {
          $0.connect()
          $0.add(Array(bytes.prefix(count)), direction)
          $0.add(bytes, direction, kept: count)
          $0.disconnect(reason: 0x08)
        }
        #expect(evidence.connections.count <= 3, "\(bytes.prefix(count))")
        _ = evidence.findings()
      }
    }
  }

  @Test("all of them, forwards and backwards, repeatedly, with every value of a byte")
  func shuffled() {
    let evidence = evidence { traffic in
      for value in UInt8.min...UInt8.max {
        let packets = value & 1 == 0 ? Self.packets : Self.packets.reversed()
        for (index, packet) in packets.enumerated() {
          var bytes = packet.0
          if bytes.count > 4 { bytes[4 + Int(value) % (bytes.count - 4)] = value }
          traffic.add(bytes, packet.1)
          if index == Int(value) % packets.count { traffic.clock -= 100_000 }
        }
      }
    }
    for adapter in evidence.adapters {
      #expect(adapter.attempts.kept.count <= 256)
      #expect(adapter.commands.waiting.count <= 64)
      #expect(adapter.commands.refusals.count <= 64)
    }
    for history in evidence.connections {
      #expect(history.link.updates.count <= 32)
      #expect(history.link.subrates.count <= 16)
      #expect(history.channels.openings.count <= 32)
      #expect(history.channels.refusals.count <= 32)
      #expect(history.channels.closings.count <= 32)
      #expect(history.channels.changes.count <= 32)
      #expect(history.channels.uses.count <= 32)
      #expect(history.channels.open.count <= 16)
    }
    _ = evidence.findings()
  }
}
