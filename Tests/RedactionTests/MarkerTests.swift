import Bluetooth
import Bytes
import Captures
import Foundation
import MadeTraffic
import Testing

@testable import Redaction

/// Traffic with a key, an address and a name in random places.
private struct Planted {
  var traffic = Traffic()
  let key: [UInt8]
  let address: [UInt8]
  let name: [UInt8]
  /// Groups of records that belong together: no marker may remain in them.
  var together: [[(record: Int, offset: Int, count: Int)]] = []
  /// Records in which not even a part of a marker may remain.
  var cut: [Int] = []
  private var random: FixedNumbers

  init(seed: UInt64) {
    var numbers = FixedNumbers(state: seed &* 0x9e37_79b9_7f4a_7c15)
    func bytes(_ count: Int, _ range: ClosedRange<UInt8>) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: range, using: &numbers) }
    }
    key = bytes(16, 1...254)
    address = bytes(5, 1...254) + [0xc0 | UInt8.random(in: 1...60, using: &numbers)]
    name = bytes(Int.random(in: 8...20, using: &numbers), 0x61...0x7a)
    random = numbers
    traffic.connect(0x40, peer: Int(address.littleEndianNumber))
    traffic.discoverHeartRate()
    tell()
    for _ in 0..<8 { plant(number(0...7)) }
    // The end also defines what is known from the first packet on.
    tell()
  }

  /// The existing markers, in both byte orders.
  var markers: [[UInt8]] {
    [key, address, name].flatMap { [$0, $0.reversed()] }
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// Returns one of the markers, in one of the byte orders, among other bytes.
  private mutating func hidden() -> [UInt8] {
    let marker = [key, address, name][number(0...2)]
    let before = (0..<number(0...9)).map { _ in UInt8(0xe0) }
    let after = (0..<number(0...9)).map { _ in UInt8(0xe1) }
    return before + (number(0...1) == 0 ? marker : marker.reversed()) + after
  }

  /// Returns sizes that cut `count` bytes into pieces.
  private mutating func sizes(_ count: Int) -> [Int] {
    var sizes: [Int] = []
    var left = count
    while left > 1, sizes.count < 6 {
      let size = number(1...max(1, left / 2))
      sizes.append(size)
      left -= size
    }
    return sizes
  }

  /// Records packets that define the key and the name.
  private mutating func tell() {
    traffic.split(l2cap([0x06] + key, cid: 6), sizes(20))
    let data = [UInt8(name.count + 1), 9] + name
    traffic.advertise(data: data.map { String($0, radix: 16) }.joined(separator: " "))
  }

  private mutating func plant(_ kind: Int) {
    let first = traffic.records.count
    let value = hidden()
    switch kind {
    case 0:  // A notification, in fragments.
      let pdu = l2cap([0x1b, 0x10, 0] + value)
      traffic.split(pdu, sizes(pdu.count))
      together.append((first..<traffic.records.count).map { ($0, 5, .max) })
    case 1:  // One that lost a fragment.
      var other = Traffic()
      let pdu = l2cap([0x1b, 0x10, 0] + value)
      other.split(pdu, [7, 4, 4])
      let lost = number(1...2)
      for (index, record) in other.records.enumerated() where index != lost {
        traffic.add(record.bytes, record.direction)
        cut.append(traffic.records.count - 1)
      }
    case 2, 3:  // A value that is written or read in parts; its type does not make it a key.
      var offset = 0
      var places: [(record: Int, offset: Int, count: Int)] = []
      for size in sizes(value.count) + [value.count] where offset < value.count {
        let part = Array(value[offset..<min(value.count, offset + size)])
        if kind == 2 {
          traffic.acl(l2cap([0x16, 0x15, 0] + little(offset) + part), .sent)
          traffic.acl(l2cap([0x17, 0x15, 0] + little(offset) + part), .received)
        } else {
          traffic.acl(
            l2cap(offset == 0 ? [0x0a, 0x13, 0] : [0x0c, 0x13, 0] + little(offset)), .sent)
          traffic.acl(l2cap([offset == 0 ? 0x0b : 0x0d] + part), .received)
        }
        places.append((traffic.records.count - 1, kind == 2 ? 14 : 10, .max))
        offset += size
      }
      together.append(places)
    case 4:  // A record of which the capture kept a part, after a whole marker or within it.
      let record = [2] + little(0x40) + little(value.count + 7) + l2cap([0x1b, 0x10, 0] + value)
      traffic.add(record, .received, kept: number(12...record.count))
    case 5:  // Advertising data in several commands, the last of which may be missing.
      let data = [UInt8(value.count + 1), 0xff] + value
      var places: [(record: Int, offset: Int, count: Int)] = []
      var offset = 0
      let all = sizes(data.count) + [data.count]
      for (index, size) in all.enumerated() where offset < data.count {
        let part = Array(data[offset..<min(data.count, offset + size)])
        traffic.command(0x2037, [1, index == 0 ? 1 : 0, 1, UInt8(part.count)] + part)
        places.append((traffic.records.count - 1, 8, part.count))
        offset += size
      }
      together.append(places)
    case 6:  // A vendor's event, a vendor's command, a note.
      traffic.event(0xff, [0xee] + value)
      traffic.command(0xfc7f, value)
      traffic.note(12, value)
    default:  // Two frames of an SDU.
      traffic.openChannel()
      let middle = number(1...value.count - 1)
      traffic.first(value.count, Array(value[..<middle]), .received, cid: 0x40)
      traffic.acl(l2cap(Array(value[middle...]), cid: 0x40), .received)
      let count = traffic.records.count
      together.append([(count - 2, 11, .max), (count - 1, 9, .max)])
    }
  }
}

@Suite("Planted secrets") struct MarkerTests {
  @Test(
    "no key, address or name remains in any place, and the attributes stay"
  )
  func nothingRemains() throws {
    for seed in 1...200 as ClosedRange<UInt64> {
      let planted = Planted(seed: seed)
      let result = try redacted(planted.traffic)
      for marker in planted.markers {
        #expect(contain(result.before, marker) || marker != planted.address, "seed \(seed)")
        #expect(!contain(result.after, marker), "seed \(seed)")
        for places in planted.together {
          let joined = places.flatMap { place in
            result.after[place.record].dropFirst(place.offset).prefix(place.count)
          }
          #expect(joined.firstRange(of: marker) == nil, "seed \(seed), \(places.map(\.record))")
        }
        for start in 0...marker.count - 4 {
          let part = Array(marker[start..<start + 4])
          for record in planted.cut {
            #expect(!contain([result.after[record]], part), "seed \(seed), \(record)")
          }
        }
      }
      #expect(
        try attributes(result.before, planted) == attributes(result.after, planted), "seed \(seed)")
    }
  }

  /// Returns the attributes that `map` prints, without their values.
  private func attributes(_ bytes: [[UInt8]], _ planted: Planted) throws -> [String] {
    var records = planted.traffic.records
    for index in records.indices { records[index].bytes = bytes[index] }
    let made = records
    let printed = try map { MemorySource(made) }
    let lines = printed.split(separator: "\n").filter { $0.contains("0x") }.map {
      String($0.prefix(52))
    }
    #expect(lines.count >= 4)
    return lines
  }
}
