import Foundation
import FuzzInputs
import MadeTraffic
import Testing

@Suite("Captures mutated packet by packet")
struct RecordMutatorTests {
  private static func capture(_ name: String) throws -> [UInt8] {
    return [UInt8](try Data(contentsOf: project.appending(path: "captures/\(name).btsnoop")))
  }

  /// Returns the packets of an undamaged btsnoop file.
  private static func packets(_ bytes: [UInt8]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var offset = 16
    while offset < bytes.count {
      let count = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
      packets.append(Array(bytes[offset + 24..<offset + 24 + count]))
      offset += 24 + count
    }
    return packets
  }

  @Test("The result has whole records", arguments: ["heart-rate", "monitor", "management"])
  func wholeRecords(_ name: String) throws {
    let bytes = try Self.capture(name)
    var changed = 0
    for seed in UInt32(0)..<300 {
      let made = RecordMutator.change(bytes, seed: seed, most: 9000) {
        $0.reversed() + [$1 > 0 ? 1 : 0]
      }
      #expect(made.count <= 9000)
      let count = Fuzzing.wholeRecords(made)
      #expect(count == Self.packets(made).count, "seed \(seed)")
      if made != bytes { changed += 1 }
      let again = RecordMutator.change(bytes, seed: seed, most: 9000) {
        $0.reversed() + [$1 > 0 ? 1 : 0]
      }
      #expect(made == again, "seed \(seed)")
    }
    // Almost every mutation changes something.
    #expect(changed > 250)
  }

  @Test("Mutated PDUs mostly have correct lengths around them")
  func lengths() throws {
    let bytes = try Self.capture("heart-rate")
    let original = Set(Self.packets(bytes))
    var counts = (right: 0, wrong: 0)
    for seed in UInt32(0)..<300 {
      let made = RecordMutator.change(bytes, seed: seed, most: 9000) { bytes, _ in bytes + [7] }
      // H4: ACL data, 2, begins with handle and length; the first fragment of a frame has the
      // frame's.
      for packet in Self.packets(made) where !original.contains(packet) {
        guard packet.count > 9, packet[0] == 2, packet[2] & 0x10 == 0 else { continue }
        let isRight =
          Int(packet[3]) + 256 * Int(packet[4]) == packet.count - 5
          && Int(packet[5]) + 256 * Int(packet[6]) == packet.count - 9
        if isRight { counts.right += 1 } else { counts.wrong += 1 }
      }
    }
    #expect(counts.right > 3 * counts.wrong)
    #expect(counts.wrong > 0)
  }

  @Test("Two captures are combined into one with all packets of the first and some of the second")
  func crossing() throws {
    let one = try Self.capture("heart-rate")
    let other = try Self.capture("wristband")
    let (own, others) = (Self.packets(one), Set(Self.packets(other)))
    for seed in UInt32(0)..<100 {
      let made = Self.packets(RecordMutator.cross(one, other, seed: seed, most: 1 << 20))
      #expect(made.count > own.count, "seed \(seed)")
      let start = made.indices.first { $0 >= own.count || made[$0] != own[$0] } ?? 0
      let added = made[start..<start + made.count - own.count]
      #expect(Array(made[..<start] + made[added.endIndex...]) == own, "seed \(seed)")
      #expect(added.allSatisfy(others.contains), "seed \(seed)")
    }
  }

  @Test("Bytes that are not a capture become one")
  func empty() {
    let made = RecordMutator.change([], seed: 1, most: 100) { bytes, _ in bytes }
    #expect(Fuzzing.wholeRecords(made) >= 1)
    #expect(RecordMutator.change([], seed: 1, most: 20) { bytes, _ in bytes }.count <= 20)
  }
}

@Suite("pcapng files mutated block by block")
struct PcapngMutatorTests {
  private static func capture() throws -> [UInt8] {
    return [UInt8](try Data(contentsOf: project.appending(path: "captures/wristband.pcapng")))
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the blocks of a little-endian file, as long as their lengths are correct at both ends.
  private static func blocks(_ bytes: [UInt8]) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var offset = 0
    while offset + 12 <= bytes.count {
      let total = Int(number(bytes, offset + 4, 4))
      guard total >= 12, offset + total <= bytes.count,
        number(bytes, offset + total - 4, 4) == UInt64(total)
      else { break }
      blocks.append(Array(bytes[offset..<offset + total]))
      offset += total
    }
    return blocks
  }

  @Test("Blocks are mostly whole, and nothing without room is kept")
  func wholeBlocks() throws {
    let bytes = try Self.capture()
    let all = Self.blocks(bytes).count
    #expect(all > 10)
    var (whole, changed) = (0, 0)
    for seed in UInt32(0)..<300 {
      let make = {
        PcapngMutator.change(bytes, seed: seed, most: 1 << 20) { bytes, _ in bytes + [7] }
      }
      let made = make()
      #expect(made == make(), "seed \(seed)")
      if made != bytes { changed += 1 }
      if Self.blocks(made).reduce(0, { $0 + $1.count }) == made.count { whole += 1 }
      let short = PcapngMutator.change(bytes, seed: seed, most: 500) { bytes, _ in bytes }
      #expect(short.count <= 500)
    }
    #expect(changed > 250, "\(changed) of 300 are changed")
    #expect(whole > 200 && whole < 300, "\(whole) of 300 are whole")
  }

  /// The fuzzer of single bytes never created this: two counts of lost records whose sum exceeds 64
  /// bits.
  @Test("Counts of lost records get their largest values")
  func largeCounts() throws {
    var bytes = try Self.capture()
    var largest = 0
    for seed in UInt32(0)..<500 {
      bytes = PcapngMutator.change(bytes, seed: seed, most: 1 << 16) { bytes, _ in bytes }
      // An Enhanced Packet Block with epb_dropcount, 4, of eight bytes.
      let counts = Self.blocks(bytes).filter { block in
        Self.number(block, 0, 4) == 6
          && stride(from: 28, to: block.count - 12, by: 4).contains { place in
            Self.number(block, place, 4) == 8 << 16 | 4
              && Self.number(block, place + 4, 8) > UInt64.max / 2
          }
      }
      largest = max(largest, counts.count)
      if let broken = seed % 50 == 0 ? Fuzzing.pcapng(bytes, .one(Int(seed))) : nil {
        Issue.record("seed \(seed): \(broken)")
      }
    }
    #expect(largest >= 2)
  }

  @Test("Two files are combined into one, and bytes that are not a file become one")
  func crossing() throws {
    let bytes = try Self.capture()
    let count = Self.blocks(bytes).count
    for seed in UInt32(0)..<50 {
      let made = PcapngMutator.cross(bytes, bytes, seed: seed, most: 1 << 20)
      #expect(Self.blocks(made).count > count, "seed \(seed)")
    }
    let made = PcapngMutator.change([], seed: 1, most: 1000) { bytes, _ in bytes }
    #expect(Self.blocks(made).count >= 2)
  }
}
