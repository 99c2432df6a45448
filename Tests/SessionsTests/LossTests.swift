// Captures that lack a record: the analysis of the other records must not change.

import Bluetooth
import Bytes
import Captures
import Foundation
import MadeTraffic
import Testing

@testable import Sessions

/// The project's captures.
private let captures = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appending(path: "captures")

/// Returns all records of a capture of the project.
private func records(_ name: String) throws -> [StoredRecord] {
  var source = try BtsnoopReader(
    path: captures.appending(path: "\(name).btsnoop").path(percentEncoded: false))
  var records: [StoredRecord] = []
  while let record = try source.next() {
    records.append(
      StoredRecord(
        bytes: record.bytes.array, direction: record.direction, adapter: record.adapter,
        framing: record.framing, time: record.time, originalLength: record.originalLength,
        drops: record.drops, number: record.number))
  }
  return records
}

private func run(_ records: [StoredRecord]) throws -> Recording {
  var source = MemorySource(records)
  var recording = Recording()
  var output = Output()
  var pass = Pass()
  try pass.run(&source, &recording, into: &output)
  return recording
}

@Suite struct LossTests {
  /// If any single record is missing, no later packet answers a different request than before, with
  /// or without a problem, and at most one more connection appears.
  @Test(arguments: [
    "enhanced-connection", "heart-rate", "heart-rate.peripheral", "monitor", "pairing-fails",
    "wristband", "write-refused",
  ])
  func oneRecordIsLost(_ name: String) throws {
    let all = try records(name)
    let whole = try run(all)
    let known = Dictionary(uniqueKeysWithValues: whole.packets.map { ($0.number, $0) })
    for lost in all.indices {
      var rest = all
      let number = rest.remove(at: lost).number ?? 0
      let results = try run(rest)
      #expect(results.memory.links.count <= whole.memory.links.count + 1, "without \(number)")
      for seen in results.packets where seen.number > number {
        guard let before = known[seen.number] else { continue }
        let request = seen.answer.request?.packet
        #expect(
          request == nil || request == before.answer.request?.packet,
          "\(seen.number) without \(number)")
      }
    }
  }
}
