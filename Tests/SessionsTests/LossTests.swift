// Captures that lack a record: the analysis of the other records must not change.

import MadeTraffic
import Testing

@testable import Sessions

@Suite struct LossTests {
  /// If any single record is missing, no later packet answers a different request than before, with
  /// or without a problem, and at most one more connection appears.
  @Test(arguments: [
    "enhanced-connection", "heart-rate", "heart-rate.peripheral", "monitor", "pairing-fails",
    "wristband", "write-refused",
  ])
  func oneRecordIsLost(_ name: String) throws {
    let all = try storedRecords(name)
    let whole = run(all)
    let known = Dictionary(uniqueKeysWithValues: whole.packets.map { ($0.number, $0) })
    for lost in all.indices {
      var rest = all
      let number = rest.remove(at: lost).number ?? 0
      let results = run(rest)
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
