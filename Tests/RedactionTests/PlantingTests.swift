import Bluetooth
import Bytes
import Captures
import Foundation
import FuzzInputs
import Testing

@testable import Redaction

@Suite("No planted secret remains") struct PlantingTests {
  /// Other runs use other seeds: `PLANTING_SEED=n` sets the first one.
  private static let seed =
    ProcessInfo.processInfo.environment["PLANTING_SEED"].flatMap { UInt64($0) } ?? 1

  @Test("in packets of all kinds, cut, lost, repeated and in other fragments") func generated() {
    var failed: [String] = []
    for seed in Self.seed..<Self.seed + 1000 {
      if let left = Fuzzing.plant(seed: seed) { failed.append(left) }
    }
    #expect(
      failed.isEmpty,
      "\(failed.count) of 1000 captures, seeds from \(Self.seed): \(failed.prefix(20).joined(separator: "; "))"
    )
  }

  @Test("in packets of all layouts, cut to each length, and shorter or longer than their layouts")
  func lengths() {
    let failed = Fuzzing.plantEachLength(seed: Self.seed)
    #expect(failed.isEmpty, "\(failed.count): \(failed.prefix(10).joined(separator: "; "))")
  }

  @Test("in fragments of each size of PDUs with keys, of which one is lost; nor does show print it")
  func fragments() {
    let failed = Fuzzing.plantEachFragment(seed: Self.seed)
    #expect(failed.isEmpty, "\(failed.count): \(failed.prefix(10).joined(separator: "; "))")
  }

  @Test("in the fields of captures of all kinds") func captures() throws {
    var (looked, failed) = (0, [String]())
    for capture in sweptCaptures {
      guard let file = try btsnoop(capture) else { continue }
      looked += 1
      for seed in Self.seed..<Self.seed + 2 {
        if let left = Fuzzing.plant(file, seed: seed) {
          failed.append("\(capture.lastPathComponent), \(left)")
        }
      }
      if Self.resized.contains(capture.lastPathComponent) {
        failed += Fuzzing.plantEachLength(file, seed: Self.seed).map {
          "\(capture.lastPathComponent), \($0)"
        }
      }
    }
    #expect(looked >= 30)
    #expect(
      failed.isEmpty, "\(failed.count) of \(looked): \(failed.prefix(20).joined(separator: "; "))")
  }

  /// Captures whose records are cut to each length, and made shorter and longer.
  private static let resized = [
    "secrets-everywhere.btsnoop", "secrets-everywhere-monitor.btsnoop", "android-phone.btsnoop",
    "advertising-types.btsnoop", "management.btsnoop", "classic.btsnoop",
  ]

  /// This many records of a capture are enough: long ones repeat themselves.
  private static let most = 3000

  /// Returns the packets of a capture as a btsnoop file; nil if it is not a capture.
  private func btsnoop(_ capture: URL) throws -> [UInt8]? {
    var source = try CaptureReader(path: capture.path)
    var (records, isMonitor) = ([UInt8](), false)
    var count = 0
    while count < Self.most, let record = try? source.next() {
      var bytes = record.bytes.array
      let isReceived: UInt8 = record.direction == .sent ? 0 : 1
      var flags: [UInt8] = [0, 0, 0, isReceived]
      switch record.framing {
      case .h4: break
      case .h1(let kind):
        let types: [CaptureRecord.PacketKind: UInt8] = [
          .command: 1, .acl: 2, .sco: 3, .event: 4, .iso: 5,
        ]
        bytes.insert(types[kind] ?? 0, at: 0)
      case .monitor(let opcode):
        isMonitor = true
        flags = [0, 0, UInt8(opcode >> 8), UInt8(opcode & 0xff)]
      case .packetLogger, .incomplete, .air: continue
      }
      let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) }
      records += length + length + flags + [UInt8](repeating: 0, count: 12) + bytes
      count += 1
    }
    if records.isEmpty { return nil }
    return Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0]
      + (isMonitor ? [0x07, 0xd1] : [0x03, 0xea])
      + records
  }
}
