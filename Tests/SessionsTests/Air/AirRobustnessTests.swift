// Captures from the air that no sniffer would write: nothing traps, no damaged packet changes what
// is known, and limits hold.

import Bluetooth
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Returns a short connection, encrypted from its middle on.
private func short(seed: UInt64 = 1) -> AirTraffic {
  var air = AirTraffic(seed: seed)
  air.advertise()
  air.connect(heard: true)
  air.exchangeFeatures()
  air.changeMap(0x1f_ff00_ffff, after: 7)
  air.encrypt(madeKey)
  for index in 0..<4 { air.send(notification(index * 9), index % 2 == 0 ? .sent : .received) }
  air.disconnect()
  return air
}

/// Returns records with other bytes in one of them.
private func replacing(
  _ records: [StoredRecord], _ index: Int, _ change: (inout StoredRecord) -> Void
) -> [StoredRecord] {
  var records = records
  change(&records[index])
  return records
}

extension AirForm.Layout {
  /// Has a record say that its CRC is wrong, if its format has room for that.
  fileprivate func callWrong(_ bytes: inout [UInt8]) {
    switch self {
    case .pseudoHeader: bytes[9] &= ~0x08
    case .nordic0, .nordic1, .nordic2, .nordic3: bytes[8] &= ~1
    case .linkLayer, .ppi: break
    }
  }

  /// Corrects the length in a header of link type 272.
  fileprivate func fitLength(_ bytes: inout [UInt8]) {
    switch self {
    case .nordic0: bytes[7] = UInt8(bytes.count - 9)
    case .nordic1: bytes[2] = UInt8(bytes.count - 7)
    case .nordic2, .nordic3: bytes.replaceSubrange(1..<3, with: little(bytes.count - 7))
    case .linkLayer, .pseudoHeader, .ppi: break
    }
  }
}

@Suite("Hostile captures from the air") struct AirRobustnessTests {
  private static let keys = [bond(madeKey)]

  /// A shorter record is either cut, so that its original length is known, or whole.
  @Test("a packet may end anywhere", arguments: AirForm.Layout.allCases)
  func truncation(layout: AirForm.Layout) {
    let air = short()
    let records = air.records(AirForm(layout))
    // One packet of each kind: advertisement, CONNECT_IND, control, data, encrypted.
    let kinds = Dictionary(grouping: records.indices) { index -> String in
      let packet = air.heard[index]
      if packet.isAdvertising { return "advertising \(packet.pdu[0] & 15)" }
      return packet.isEmpty ? "empty" : packet.counter != nil ? "encrypted" : "data \(packet.llid)"
    }
    for indices in kinds.values {
      let index = indices[0]
      for count in 0..<records[index].bytes.count {
        for isCut in [false, true] {
          let changed = replacing(records, index) {
            $0.bytes = Array($0.bytes.prefix(count))
            if !isCut { $0.originalLength = count }
          }
          let found = follow(changed, bonds: Self.keys)
          #expect(found.packets.count == records.count)
        }
      }
    }
  }

  @Test(
    "every bit of CONNECT_IND may be wrong",
    arguments: [AirForm.Layout.linkLayer, .nordic3, .pseudoHeader])
  func connectIndication(layout: AirForm.Layout) {
    let air = short()
    let records = air.records(AirForm(layout))
    let index = (air.sent[air.connection.request].record ?? 1) - 1
    let pdu = air.sent[air.connection.request].pdu
    let head = records[index].bytes.count - pdu.count - 3
    for bit in 0..<(pdu.count * 8) {
      var wrong = pdu
      wrong[bit / 8] ^= 1 << (bit % 8)
      // With its old CRC it is damaged, and as if it had been missed.
      let damaged = replacing(records, index) { record in
        record.bytes.replaceSubrange(head..<head + pdu.count, with: wrong)
        layout.callWrong(&record.bytes)
      }
      let first = follow(damaged, bonds: Self.keys)
      #expect(first.link.opening == 0, "\(bit)")
      // With a CRC that fits, it is another request.
      let fitting = replacing(records, index) {
        $0.bytes.replaceSubrange(
          head..., with: wrong + AirBits.crc(wrong, initial: AirBits.advertisingCRC))
      }
      let second = follow(fitting, bonds: Self.keys)
      #expect(second.packets.count == records.count)
    }
  }

  @Test("clocks may jump anywhere", arguments: [AirForm.Layout.nordic3, .ppi, .pseudoHeader])
  func clocks(layout: AirForm.Layout) {
    let air = short()
    let records = air.records(AirForm(layout))
    let head = layout == .nordic3 ? 13 : 16
    for jump: Int64 in [1 << 31, 1 << 32, -(1 << 32), 1 << 50, -(1 << 50)] {
      for index in [0, records.count / 3, records.count / 2] {
        var changed = records
        for later in index..<records.count {
          changed[later].time = records[later].time.map { time in
            Timestamp(seconds: time.seconds &+ jump, nanoseconds: time.nanoseconds)
          }
          if layout != .pseudoHeader {
            // The clock of the header: all of its bits turn over.
            for offset in head..<head + 4 { changed[later].bytes[offset] ^= 0xff }
          }
        }
        let found = follow(changed, bonds: Self.keys)
        // Bytes and sequence numbers still say everything else.
        let plain = found.packets.count { $0.fact.encryption == .decrypted }
        #expect(plain > 0 && found.link.opening > 0)
      }
    }
  }

  @Test("an access address may be used again") func reuse() {
    var air = AirTraffic(seed: 4)
    for round in 0..<3 {
      air.settings.peripheral += round
      air.advertise()
      air.connect(heard: true)
      air.exchangeFeatures()
      air.encrypt(madeKey)
      air.send(notification(8), .received)
      // The second end is not captured.
      air.isDeaf = round == 1
      air.disconnect()
      air.isDeaf = false
    }
    for layout in AirForm.Layout.allCases {
      let found = follow(air, AirForm(layout), keys: [madeKey])
      #expect(found.air.all.count == 3 && found.air.all.allSatisfy(\.isEnded))
      #expect(found.connections.count == 3)
      for (record, packet) in air.right where packet.counter != nil {
        #expect(found[record].fact.encryption == .decrypted || found[record].fact.isResent)
      }
    }
  }

  /// Each access address takes a fixed place, and finding it takes a fixed time.
  @Test("70,000 access addresses stay within the limits") func manyAddresses() {
    var records: [StoredRecord] = []
    var random = SeededRandom(seed: 2)
    for index in 0..<70_000 {
      let address = UInt32(truncatingIfNeeded: random.next()) | 1
      let pdu: [UInt8] = [1, 0]
      let bytes =
        [5, 0xc0, 0, 0] + little(0, width: 4) + little(0x0c13) + little(Int(address), width: 4)
        + pdu
        + AirBits.crc(pdu, initial: UInt32(index))
      records.append(
        StoredRecord(
          bytes: bytes, direction: nil, adapter: 0, framing: .air(.pseudoHeader),
          time: Timestamp(microseconds: Int64(index) * 1000), originalLength: bytes.count))
    }
    var limits = Limits()
    limits.airLinks = 10
    let clock = ContinuousClock()
    let start = clock.now
    let few = follow(Array(records.prefix(7000)), limits: limits)
    let middle = clock.now
    let many = follow(records, limits: limits)
    let end = clock.now
    #expect(few.air.all.count == 10 && many.air.all.count == 10)
    #expect(many.air.claims.data == 70_000)
    // Ten times as many take about ten times as long; other tests run meanwhile.
    #expect(end - middle < (middle - start) * 40 + .seconds(1))
  }

  @Test("random bytes are packets, too", arguments: AirForm.Layout.allCases)
  func randomBytes(layout: AirForm.Layout) {
    let air = short(seed: 3)
    var random = SeededRandom(seed: 7)
    for round in 0..<60 {
      var records = air.records(AirForm(layout))
      for index in records.indices where round % 3 == 0 || random.next() % 4 == 0 {
        switch round % 3 {
        case 0: records[index].bytes = random.bytes(Int(random.next() % 80))
        case 1:
          // A random PDU of the connection.
          let count = records[index].bytes.count - air.heard[index].pdu.count - 3
          records[index].bytes = Array(records[index].bytes.prefix(count))
          let payload = random.bytes(Int(random.next() % 40))
          let pdu = random.bytes(1) + [UInt8(payload.count)] + payload
          let crc = air.heard[index].crcInitial
          records[index].bytes += pdu + AirBits.crc(pdu, initial: crc)
        default:
          let place = Int(random.next() % UInt64(records[index].bytes.count))
          records[index].bytes[place] = random.bytes(1)[0]
        }
        records[index].originalLength = records[index].bytes.count
      }
      #expect(follow(records, bonds: Self.keys).packets.count == records.count)
    }
  }

  /// Random PDUs with a wrong CRC, between the others, change counts of damaged packets and nothing
  /// else.
  @Test("a damaged packet changes nothing", arguments: forms.indices, 1...4 as ClosedRange<UInt64>)
  func damage(form: Int, seed: UInt64) {
    let air = short(seed: seed)
    let form = forms[form].form
    guard form.hasCRC, !form.isWhitened else { return }
    var random = SeededRandom(seed: seed)
    let records = air.records(form)
    var numbered: [StoredRecord] = []
    var mixed: [StoredRecord] = []
    for (index, record) in records.enumerated() {
      var record = record
      record.number = 2 * index + 2
      if random.next() % 2 == 0 {
        // The same kind of packet at the same time, with other bytes after the access address.
        var noise = record
        noise.number = 2 * index + 1
        let head = record.bytes.count - air.heard[index].pdu.count - 3
        let payload = random.bytes(Int(random.next() % 30))
        let pdu = random.bytes(1) + [UInt8(payload.count)] + payload
        let crc = AirBits.crc(pdu, initial: air.heard[index].crcInitial)
        noise.bytes = Array(record.bytes.prefix(head)) + pdu + [crc[0] ^ 1, crc[1], crc[2]]
        noise.originalLength = noise.bytes.count
        form.layout.callWrong(&noise.bytes)
        form.layout.fitLength(&noise.bytes)
        mixed.append(noise)
      }
      numbered.append(record)
      mixed.append(record)
    }
    let clean = follow(numbered, bonds: Self.keys)
    let noisy = follow(mixed, bonds: Self.keys)
    #expect(noisy.air.claims.crcErrors == mixed.count - numbered.count)
    let others = noisy.packets.filter { $0.number % 2 == 0 }
    #expect(others.count == clean.packets.count)
    for (one, other) in zip(clean.packets, others) {
      // Nothing was missed where a damaged packet is.
      #expect("\(one)" == "\(other)")
    }
    #expect(state(clean.air) == state(noisy.air))
  }

  /// Returns everything that is known, without the counts of damaged packets.
  private func state(_ air: AirLinks) -> String {
    var text = ""
    for var link in air.all {
      for side in link.counts.indices { link.counts[side].crcErrors = 0 }
      for place in link.cells.indices where place % 2 == 1 { link.cells[place] = 0 }
      link.eventsWithout += link.eventsDamaged
      (link.eventsDamaged, link.damagedEvents) = (0, [])
      // A damaged packet is a gap, and where it was counted, the longest hole is shorter.
      (link.longestHole, link.longestHolePacket, link.latestPacket, link.gap) = (0, 0, 0, 0)
      text += "\(link)\n"
    }
    return text
  }
}
