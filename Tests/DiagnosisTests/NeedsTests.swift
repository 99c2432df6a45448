// Removes a rule's needs from captures that trigger it: then it must find nothing, or be less
// certain.

import Bluetooth
import Bytes
import Captures
import Diagnosis
import Histories
import Dissectors
import Foundation
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("Rules conclude nothing from what a capture lacks") struct NeedsTests {
  /// A capture with its evidence, and the part to which each record belongs.
  private struct Sample {
    let name: String
    let records: [StoredRecord]
    /// The parts that are missing without the record at this position.
    let parts: [Coverage.Parts]
    let evidence: Evidence
    /// Profiles and bonds that are supplied with it.
    let knowledge: ProfileKnowledge

    init(
      _ name: String, _ records: [StoredRecord], _ knowledge: ProfileKnowledge = .builtIn
    ) {
      self.name = name
      self.records = records
      self.knowledge = knowledge
      var report = PartsReport(knowledge)
      var source = MemorySource(records)
      var output = Output()
      var pass = Pass()
      try? pass.run(&source, &report, into: &output)
      parts = report.parts
      evidence = report.evidence
    }

    /// Returns the records without these parts.
    func without(_ part: Coverage.Parts) -> [StoredRecord] {
      zip(records, parts).filter { $1.isDisjoint(with: part) }.map(\.0)
    }
  }

  /// Notes the evidence, and the parts of a capture to which each record belongs.
  private struct PartsReport: PacketReport, ~Copyable {
    var parts: [Coverage.Parts] = []
    var evidence = Evidence()
    private var history: CaptureHistory?

    init(_ knowledge: ProfileKnowledge) { history = CaptureHistory(knowledge: knowledge) }

    var isSatisfied: Bool { false }

    mutating func packet(
      _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
    ) {
      history?.observe(packet, memory)
      var part: Coverage.Parts = []
      switch packet.dissection.content {
      case .command: part = .commands
      case .event(let event):
        part = .events
        if packet.answer.opened { part.insert(.opening) }
        // The response to Reset ends all connections, but counts as a response.
        if packet.answer.closed, event.code != HCIEvent.commandCompleteCode { part.insert(.end) }
        if event.code == HCIEvent.numberOfCompletedPacketsCode { part.insert(.accounting) }
      case .acl: part = packet.record.direction == .sent ? .sentData : .receivedData
      // On the air, control PDUs show what a controller reports.
      case .linkControl: part = packet.answer.closed ? [.events, .end] : .events
      // Without the first copy, it is the second one that shows it.
      case .linkData(let pdu) where pdu.isControl: part = .events
      case .advertising: part = packet.answer.opened ? .opening : []
      case .sco, .iso, .controllerLog, .note, .control, .unknown, .linkData: break
      }
      if packet.answer.air != nil { part.insert(.air) }
      parts.append(part)
    }

    mutating func finish(
      _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
    ) {
      if let history = history.take() { evidence = history.finish(memory, nil, failure) }
    }
  }

  private static func evidence(_ records: [StoredRecord], of sample: Sample) -> Evidence {
    var source = MemorySource(records)
    return DiagnosisTests.evidence(of: &source, knowledge: sample.knowledge)
  }

  /// Returns the records of a file, or nil if it is not a capture.
  private static func records(_ path: String) -> [StoredRecord]? {
    guard var reader = try? CaptureReader(path: path) else { return nil }
    var records: [StoredRecord] = []
    while true {
      // Not as a condition of the loop, because the record is borrowed.
      guard let record = try? reader.next() else { break }
      records.append(
        StoredRecord(
          bytes: record.bytes.array, direction: record.direction, adapter: record.adapter,
          framing: record.framing, time: record.time, originalLength: record.originalLength,
          drops: record.drops, number: record.number))
    }
    return records.isEmpty ? nil : records
  }

  /// All available captures, and the traffic of the rules' own tests.
  private static let samples: [Sample] = {
    var samples: [Sample] = []
    let folders = [
      project.appending(path: "captures"),
      otherCaptures.appending(path: "generated"), otherCaptures.appending(path: "kernel"),
      otherCaptures.appending(path: "failures"), otherCaptures.appending(path: "real"),
    ]
    for folder in folders {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      if files.isEmpty { print("skipped: \(folder.lastPathComponent) is not there") }
      for file in files.sorted() {
        guard let records = records(folder.appending(path: file).path) else { continue }
        samples.append(Sample(folder.lastPathComponent + "/" + file, records))
      }
    }
    for (rule, stored) in ((try? Triggers.read()) ?? [:]).sorted(by: { $0.key < $1.key }) {
      let knowledge = stored.isTrial ? (try? Trial.knowledge()) ?? .builtIn : .builtIn
      samples.append(Sample("traffic of \(rule)", stored.records, knowledge))
    }
    return samples
  }()

  @Test("without a rule's needs its finding disappears or is less certain")
  func needs() {
    var tried: Set<String> = []
    for sample in Self.samples {
      let found = sample.evidence.findings(isGrouped: false)
      var reduced: [UInt8: [Finding]] = [:]
      for rule in Rule.all {
        let own = found.filter { $0.rule.description == rule.id.description }
        guard !own.isEmpty else { continue }
        for part in rule.needs.union(rule.leansOn).each {
          // Parts that the capture lacks cannot be removed.
          let own = own.filter { sample.evidence.covers(part, of: $0) }
          guard !own.isEmpty else { continue }
          tried.insert("\(rule.id), \(part.words)")
          let left =
            reduced[part.rawValue]
            ?? Self.evidence(sample.without(part), of: sample).findings(isGrouped: false)
          reduced[part.rawValue] = left
          for finding in own {
            let same = left.first {
              $0.rule.description == rule.id.description && $0.what == finding.what
                && $0.certainty.rawValue >= finding.certainty.rawValue
            }
            let isPossible = finding.certainty == .possible && rule.leansOn.contains(part)
            #expect(
              same == nil || isPossible,
              "\(sample.name): \(rule.id) is as certain without \(part.words): \(finding.line)")
          }
        }
      }
    }
    // Without the captures beside the project, some rules have no sample.
    guard FileManager.default.fileExists(atPath: otherCaptures.path) else {
      print("skipped: \(otherCaptures.lastPathComponent) is not there")
      return
    }
    let missing = Rule.all.flatMap { rule in
      rule.needs.union(rule.leansOn).each.map { "\(rule.id), \($0.words)" }
    }.filter { !tried.contains($0) }
    #expect(
      missing.isEmpty,
      "no sample tries \(missing.joined(separator: "; ")); RECORD_TRIGGERS=1 records the traffic of the rules' tests"
    )
  }

  /// Larger captures would take too long.
  private static let mostRecords = 4000

  @Test("a capture that lacks something gives no finding that the whole one does not")
  func nothingNew() {
    for sample in Self.samples where sample.records.count <= Self.mostRecords {
      let known = Set(sample.evidence.findings(isGrouped: false).map(\.rule.description))
      let half = sample.records.count / 2
      var reductions: [(String, [StoredRecord])] = Coverage.Parts.all.each.filter { part in
        sample.parts.contains { !$0.isDisjoint(with: part) }
      }.map { ("without \($0.words)", sample.without($0)) }
      reductions.append(("without commands and events", sample.without([.commands, .events])))
      reductions.append(("without the first half", Array(sample.records.dropFirst(half))))
      reductions.append(("without the second half", Array(sample.records.prefix(half))))
      for (name, records) in reductions {
        for finding in Self.evidence(records, of: sample).findings(isGrouped: false)
        where finding.severity ?? .note > .note && finding.certainty == .certain
          && !finding.rule.description.hasPrefix("capture_")
        {
          #expect(
            known.contains(finding.rule.description)
              // It stays true that nothing answers; only the reason is no longer in the capture.
              || finding.rule.description == "att_request_unanswered"
                && (known.contains("link_not_delivered") || known.contains("hci_host_buffers"))
              // The server refuses; only why the handle is wrong is no longer in the capture.
              || ["att_not_permitted", "att_invalid_handle"].contains(finding.rule.description)
                && known.contains("gatt_stale_cache")
              || finding.rule.description == "smp_not_supported"
                && known.contains("enc_key_missing_central")
              || finding.rule.description == "enc_mic_failure"
                && known.contains("enc_keys_differ")
              // It stays a fact that pairing failed; only the reason is no longer in the capture.
              || ["smp_confirm_failed", "smp_passkey_entry_failed"].contains(
                finding.rule.description) && known.contains { $0.hasPrefix("smp_") }
              || finding.rule.description == "air_supervision_timeout"
                && (known.contains("air_instant_passed")
                  || known.contains("air_procedure_unanswered"))
              || finding.rule.description == "connect_timeout"
                && known.contains("connect_wrong_address")
              || finding.rule.description == "link_supervision_timeout"
                && known.contains("link_dead_at_disconnect"),
            "\(sample.name), \(name): \(finding.rule), \(finding.line)")
        }
      }
    }
  }
}
