// Runs the rules on a test's traffic, and on captures.

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

/// Processes a capture, and keeps the evidence.
struct EvidenceReport: PacketReport, ~Copyable {
  private var history: CaptureHistory?
  private(set) var evidence = Evidence()

  init(
    _ limits: Limits = Limits(), knowledge: ProfileKnowledge = .builtIn,
    bytes most: Int = CaptureHistory.mostBytes
  ) {
    history = CaptureHistory(limits, knowledge: knowledge, bytes: most)
  }

  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(packet, memory)
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    if let history = history.take() { evidence = history.finish(memory, nil, failure) }
  }
}

/// Returns the evidence of traffic.
func evidence(
  limits: Limits = Limits(), failure: CaptureFailure? = nil, bonds: [Bond] = [],
  _ build: (inout Traffic) -> Void
) -> Evidence {
  var traffic = Traffic()
  build(&traffic)
  var source = MemorySource(traffic, failure: failure)
  let evidence = evidence(of: &source, limits, bonds: bonds)
  if bonds.isEmpty, failure == nil { Triggers.record(traffic.records, evidence) }
  return evidence
}

/// Returns the evidence of a source.
func evidence<Source: CaptureSource & ~Copyable>(
  of source: inout Source, _ limits: Limits = Limits(), bonds: [Bond] = [],
  knowledge: ProfileKnowledge = .builtIn
) -> Evidence {
  var report = EvidenceReport(limits, knowledge: knowledge)
  var output = Output()
  var pass = Pass(limits, bonds: bonds)
  try? pass.run(&source, &report, into: &output)
  return report.evidence
}

extension Evidence {
  /// Returns the findings of one rule.
  func findings(of rule: String) -> [Finding] {
    findings().filter { $0.rule.description == rule }
  }

  /// Returns the first finding of a rule.
  func finding(_ rule: String) -> Finding? { findings(of: rule).first }

  /// Returns what a rule found and the packets: `The passkeys on the two sides differ #43 #46 #48`.
  func lines(of rule: String) -> [String] { findings(of: rule).map(\.line) }

  /// Returns the packets of each finding of a rule: `#43 #46 #48`.
  func packets(of rule: String) -> [String] { findings(of: rule).map(\.packets) }
}

/// Returns the rules that found something, each once, in order.
func rules(in evidence: Evidence) -> [String] {
  var rules: [String] = []
  for finding in evidence.findings() where !rules.contains(finding.rule.description) {
    rules.append(finding.rule.description)
  }
  return rules
}

extension Finding {
  /// What was found, and its packets.
  var line: String { packets.isEmpty ? what.text : "\(what.text) \(packets)" }

  /// The packets that show it: `#43 #46-48`.
  var packets: String {
    evidence.ranges.map {
      $0.count == 1 ? "#\($0.lowerBound)" : "#\($0.lowerBound)-\($0.upperBound)"
    }.joined(separator: " ")
  }
}

extension Finding? {
  /// What was found, or that nothing was.
  var whatText: String { self?.what.text ?? "no finding" }

  /// The cause, or that nothing was found.
  var whyText: String { self?.why.text ?? "no finding" }

  /// How to fix it, or that there is no remedy.
  var remedyText: String { self?.remedy?.text ?? "no remedy" }
}

/// Returns the evidence of a capture of the project, or of those beside it; if it does not exist,
/// prints that and returns nil.
func evidence(ofCapture name: String, beside isBeside: Bool = false) throws -> Evidence? {
  let file = (isBeside ? otherCaptures : project.appending(path: "captures")).appending(path: name)
  guard FileManager.default.fileExists(atPath: file.path) else {
    print("skipped: \(name) is not there")
    return nil
  }
  var source = try CaptureReader(path: file.path)
  return evidence(of: &source)
}
