// Traffic that triggers each rule, recorded from the tests of the rules.

import Bluetooth
import Captures
import Diagnosis
import Histories
import Foundation
import MadeTraffic
import Sessions
import Synchronization

/// Records in a text file, one per line: number, direction, adapter, milliseconds, framing, records
/// lost before it, original length, bytes.
enum Triggers {
  /// The file. With `RECORD_TRIGGERS=1` in the environment, `DiagnosisTests` adds the rules that
  /// have no entry yet: traffic of tests that run at the same time varies.
  static let file = project.appending(path: "Tests/DiagnosisTests/Fixtures/triggers.txt")

  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_TRIGGERS"] != nil
  /// Longer traffic is for tests of limits.
  private static let mostRecords = 400
  private static let stored = (try? read()) ?? [:]
  private static let shortest = Mutex<[String: Stored]>([:])

  /// Traffic, and whether it needs the trial's profile.
  struct Stored {
    var records: [StoredRecord] = []
    var isTrial = false
  }

  /// What a trigger needs besides its records: nothing, or the trial's profile.
  static let supply = "trial"

  /// Keeps the shortest traffic that triggers each new rule with needs and satisfies them, and
  /// writes the file.
  ///
  /// - Parameter isTrial: whether the profile of `Trial` was supplied.
  static func record(
    _ records: [StoredRecord], isTrial: Bool = false, _ evidence: @autoclosure () -> Evidence
  ) {
    guard isRecording, records.count <= mostRecords else { return }
    let evidence = evidence()
    let found = evidence.findings(isGrouped: false)
    let wanted = Rule.all.filter { rule in
      let parts = rule.needs.union(rule.leansOn)
      return !parts.isEmpty && stored[rule.id.description] == nil
        && found.contains {
          $0.rule.description == rule.id.description
            && evidence.covers(parts, of: $0)
        }
    }.map(\.id.description)
    shortest.withLock { kept in
      var hasChanged = false
      for rule in wanted {
        if let known = kept[rule], known.records.count <= records.count { continue }
        kept[rule] = Stored(records: records, isTrial: isTrial)
        hasChanged = true
      }
      guard hasChanged else { return }
      let all = stored.merging(kept) { _, new in new }
      let text = all.sorted { $0.key < $1.key }.map { rule, stored in
        "= \(rule)\(stored.isTrial ? " \(supply)" : "")\n"
          + stored.records.map(line).joined(separator: "\n") + "\n"
      }.joined()
      try? text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  /// Returns the traffic of each rule.
  static func read() throws -> [String: Stored] {
    var all: [String: Stored] = [:]
    var rule = ""
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("= ") {
        let words = line.dropFirst(2).split(separator: " ")
        rule = String(words[0])
        all[rule] = Stored(isTrial: words.count > 1)
      } else if let record = record(line) {
        all[rule]?.records.append(record)
      }
    }
    return all
  }

  private static func line(_ record: StoredRecord) -> String {
    let framing =
      switch record.framing {
      case .h4: "h4"
      case .h1(let kind): "h1:\(kind.rawValue)"
      case .monitor(let opcode): "monitor:\(opcode)"
      case .packetLogger(let type): "packetlogger:\(type)"
      case .incomplete(let needed): "incomplete:\(needed)"
      case .air(let format): "air:\(format.rawValue)"
      }
    let direction =
      switch record.direction {
      case .sent: ">"
      case .received: "<"
      case nil: "-"
      }
    let bytes = record.bytes.map { String(format: "%02x", $0) }.joined()
    return
      "\(record.number ?? 0) \(direction) \(record.adapter.number.map { "\($0)" } ?? "-") \(record.time.map { "\($0.seconds * 1_000 + Int64($0.nanoseconds) / 1_000_000)" } ?? "-") \(framing) \(record.drops) \(record.originalLength) \(bytes)"
  }

  private static func record(_ line: Substring) -> StoredRecord? {
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 8, let number = Int(fields[0]), let length = Int(fields[6]) else {
      return nil
    }
    let kind = fields[4].split(separator: ":")
    let value = kind.count > 1 ? Int(kind[1]) ?? 0 : 0
    let framing: CaptureRecord.Framing =
      switch kind[0] {
      case "h1": .h1(CaptureRecord.PacketKind(rawValue: UInt8(value)) ?? .acl)
      case "monitor": .monitor(opcode: UInt16(value))
      case "packetlogger": .packetLogger(type: UInt8(value))
      case "incomplete": .incomplete(needed: value)
      case "air": .air(SnifferFormat(rawValue: UInt8(value)) ?? .linkLayer)
      default: .h4
      }
    let digits = Array(fields[7].utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    return StoredRecord(
      bytes: bytes, direction: fields[1] == ">" ? .sent : fields[1] == "<" ? .received : nil,
      adapter: UInt16(fields[2]).map { AdapterIndex($0) } ?? .unknown, framing: framing,
      time: Int64(fields[3]).map { Timestamp(microseconds: $0 * 1000) }, originalLength: length,
      drops: UInt64(fields[5]) ?? 0, number: number)
  }
}

extension Evidence {
  /// Returns whether the capture has these parts of the finding's subject.
  func covers(_ parts: Coverage.Parts, of finding: Finding) -> Bool {
    if finding.connections.isEmpty {
      return coverage.parts.isSuperset(of: parts.intersection([.commands, .events]))
    }
    return finding.connections.allSatisfy { number in
      guard let history = connections.first(where: { $0.id == number }) else { return false }
      // An end, or data, can only be removed if there is some.
      return coverage.parts.isSuperset(of: parts.intersection(.bothDirections))
        && coverage.parts(of: history.connection).isSuperset(of: parts)
        && (!parts.contains(.end) || history.connection.lastPacket != nil)
    }
  }
}
