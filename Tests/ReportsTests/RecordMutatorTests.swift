import Foundation
import FuzzInputs
import Testing

@Suite("Captures that are changed packet by packet")
struct RecordMutatorTests {
  private static func capture(_ name: String) throws -> [UInt8] {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: package.appending(path: "captures/\(name).btsnoop")))
  }

  /// The packets of a btsnoop file that has no damage.
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

  @Test("What comes out has whole records", arguments: ["heart-rate", "monitor", "management"])
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
    // Hardly a change leaves everything as it was.
    #expect(changed > 250)
  }

  @Test("Changed PDUs have right lengths around them most of the time")
  func lengths() throws {
    let bytes = try Self.capture("heart-rate")
    let original = Set(Self.packets(bytes))
    var counts = (right: 0, wrong: 0)
    for seed in UInt32(0)..<300 {
      let made = RecordMutator.change(bytes, seed: seed, most: 9000) { bytes, _ in bytes + [7] }
      // H4: ACL data, 2, begins with handle and length; its first piece of a frame with the frame's.
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

  @Test("Of two captures one is made that has all packets of the first and some of the second")
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

  @Test("No capture at all becomes one")
  func empty() {
    let made = RecordMutator.change([], seed: 1, most: 100) { bytes, _ in bytes }
    #expect(Fuzzing.wholeRecords(made) >= 1)
    #expect(RecordMutator.change([], seed: 1, most: 20) { bytes, _ in bytes }.count <= 20)
  }
}

@Suite("Files of pcapng that are changed block by block")
struct PcapngMutatorTests {
  private static func capture() throws -> [UInt8] {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: package.appending(path: "captures/wristband.pcapng")))
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The blocks of a file whose least significant bytes stand first, as far as their lengths are right at both
  /// ends.
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

  @Test("Blocks are whole most of the time, and nothing is kept that has no room")
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

  /// What a fuzzer of single bytes never made: two counts of lost records that add up to more than 64 bits have.
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

  @Test("Of two files one is made, and no file at all becomes one")
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
