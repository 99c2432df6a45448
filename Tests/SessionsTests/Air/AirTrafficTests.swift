import Bluetooth
import Captures
import MadeTraffic
import Testing

/// The traffic on the air that other tests use is what two devices send.
struct AirTrafficTests {
  /// Sample data of the specification (Core, Vol 6, Part B, 4.5.8.3, and Part C, 3).
  @Test func bits() {
    #expect(AirBits.crc([0, 3, 0x42, 0x4c, 0x45], initial: 0x55_5555) == [0x29, 0x0a, 0xce])
    let zeros = [UInt8](repeating: 0, count: 4)
    #expect(AirBits.whiten(zeros, channel: 37) == [0x8d, 0xd2, 0x57, 0xa1])
    #expect(AirBits.whiten(zeros, channel: 0) == [0x40, 0xb2, 0xbc, 0xc3])
    #expect(AirBits.whiten(zeros, channel: 23) == [0xaf, 0x42, 0x7b, 0x4e])
    let all: UInt64 = 0x1f_ffff_ffff
    #expect(AirBits.channel1(event: 99, hop: 10, map: all) == 1)
    #expect(AirBits.channel1(event: 100, hop: 10, map: all) == 11)
    #expect(AirBits.channel1(event: 100, hop: 10, map: 0x1f_ffff_f7ff) == 12)
    let second = (0..<4).map {
      AirBits.channel2(event: $0, accessAddress: AirBits.advertisingAddress, map: all)
    }
    #expect(second == [25, 20, 6, 21])
    // With 9 channels, as in the example of the same section.
    let few: UInt64 = 0x1e_00e0_0600
    let remapped = (6...8).map {
      AirBits.channel2(event: $0, accessAddress: AirBits.advertisingAddress, map: few)
    }
    #expect(remapped == [23, 9, 34])
  }

  /// Returns a connection with everything that can happen.
  private func everything(seed: UInt64, selection2: Bool = false) -> AirTraffic {
    var air = AirTraffic(seed: seed)
    (air.radio.missed, air.radio.damaged) = (30, 20)
    (air.radio.refused, air.radio.lost) = (60, 20)
    (air.settings.advertisesSelection2, air.settings.requestsSelection2) = (true, selection2)
    air.advertise(2)
    air.connect(heard: true)
    air.exchangeFeatures()
    for index in 0..<10 { air.send(notification(index * 9), index % 3 == 0 ? .sent : .received) }
    air.changeMap(0x1f_ff00_ffff)
    air.updateConnection(interval: 12, latency: 2)
    air.changePHY(central: 2, peripheral: 3)
    air.extendLengths(to: 100)
    air.encrypt([UInt8](repeating: 0x11, count: 16), ediv: 5, rand: 9, queued: true)
    for index in 0..<10 { air.send(notification(index * 19), index % 4 == 0 ? .sent : .received) }
    air.pause(events: 30)
    air.encryptAgain([UInt8](repeating: 0x22, count: 16))
    for _ in 0..<5 {
      air.queue(notification(60), .sent)
      air.queue(notification(200), .received)
      air.flush()
    }
    air.disconnect()
    return air
  }

  /// Each side's PDUs arrive once and in order; the numbers of packets show what was resent.
  @Test(arguments: 1...20 as ClosedRange<UInt64>, [false, true])
  func everythingArrivesOnce(seed: UInt64, selection2: Bool) {
    let air = everything(seed: seed, selection2: selection2)
    #expect(!air.connection.isOpen && air.connection.usesSelection2 == selection2)
    for side in [Direction.sent, .received] {
      let packets = air.sent.filter { $0.side == side }
      var arrived: [UInt8] = []
      var expected: UInt8 = 0
      var last: AirTransmission?
      for packet in packets {
        let sequence = packet.pdu[0] >> 3 & 1
        // A PDU that is sent again is the same, also encrypted.
        #expect(packet.isResent == (last.map { $0.pdu[0] >> 3 & 1 == sequence } ?? false))
        if packet.isResent {
          #expect(packet.pdu.dropFirst() == last?.pdu.dropFirst())
          #expect(packet.counter == last?.counter)
        }
        last = packet
        guard !packet.isLost, !packet.isRefused, sequence == expected else { continue }
        expected ^= 1
        if packet.llid != 3 { arrived += packet.plain.dropFirst(2) }
      }
      #expect(arrived == air.pdus.filter { $0.side == side }.flatMap(\.bytes))
      // Counters begin anew with each encryption.
      let counters = packets.filter { !$0.isResent }.compactMap(\.counter)
      let starts = counters.indices.filter { counters[$0] == 0 }
      #expect(starts.count == 2)
      for index in counters.indices.dropFirst() where counters[index] != 0 {
        #expect(counters[index] == counters[index - 1] + 1)
      }
    }
  }

  /// Packets do not overlap, and events are an interval apart.
  @Test func times() {
    let air = everything(seed: 3)
    for (packet, next) in zip(air.sent, air.sent.dropFirst()) {
      #expect(next.time >= packet.end + 150)
      if packet.side != nil, next.side == packet.side?.reversed, next.event == packet.event {
        #expect(next.time == packet.end + 150 && next.channel == packet.channel)
      }
    }
    let anchors = air.sent.filter { $0.side == .sent && $0.event > 100 }
    #expect(Set(anchors.map(\.phy)) == [2])
    #expect(anchors.allSatisfy { !(16..<24).contains($0.channel) })
  }

  @Test func theSameSeedGivesTheSame() {
    for layout in AirForm.Layout.allCases {
      let form = AirForm(layout)
      #expect(everything(seed: 5).pcap(form) == everything(seed: 5).pcap(form))
    }
    #expect(everything(seed: 5).sent.count != everything(seed: 6).sent.count)
  }

  /// What the sniffer misses has no record, and only that.
  @Test(arguments: AirForm.Layout.allCases) func records(layout: AirForm.Layout) {
    let air = everything(seed: 9)
    let records = air.records(AirForm(layout))
    #expect(records.count == air.heard.count)
    #expect(air.heard.map(\.record) == Array(1...records.count))
    #expect(air.missed.count > 40)
    #expect(air.heard.contains { $0.hearing == .damaged })
    for (record, packet) in zip(records, air.heard) where packet.hearing == .heard {
      #expect(record.framing == .air(layout.format))
      #expect(Array(record.bytes.suffix(3)) == packet.crc)
      #expect(Array(record.bytes.dropLast(3).suffix(packet.pdu.count)) == packet.pdu)
    }
  }

  /// A sniffer that could not read an update meets the connection only now and then.
  @Test func aSnifferAstray() {
    var air = AirTraffic(seed: 4)
    air.snifferDecrypts = false
    air.settings.interval = 12
    air.connect()
    air.encrypt([UInt8](repeating: 0x11, count: 16))
    let instant = air.updateConnection(interval: 9, windowOffset: 0)
    air.run(events: 1000)
    let later = air.heard.filter { $0.event > instant + 8 }
    // Both grids meet every 45 ms, and both channels after 37 times that.
    #expect((2...60).contains(later.count))
    #expect(later.allSatisfy { $0.snifferEvent < $0.event })
  }

  /// What a host exchanged arrives on the air.
  @Test(arguments: [
    "heart-rate", "heart-rate.peripheral", "wristband", "write-refused", "lost-subscription",
    "enhanced-bearers", "channels",
  ])
  func hostsTraffic(name: String) throws {
    let records = try storedRecords(name)
    var air = AirTraffic(seed: 2)
    air.radio.refused = 20
    air.carry(records)
    let bytes = records.filter { $0.bytes[0] == 2 }.reduce(0) { $0 + $1.bytes.count - 5 }
    #expect(air.pdus.reduce(0) { $0 + $1.bytes.count } == bytes)
    #expect(air.connections.count >= 1)
    #expect(air.connections.allSatisfy { !$0.isOpen } || air.connection.isOpen)
  }
}
