import Bluetooth
import Bytes
import Captures
import Diagnosis
import Foundation
import Testing

@testable import Redaction

@Suite("Every capture, redacted") struct EveryCaptureTests {
  @Test("as many records, as long, and nothing of what was there")
  func nothingRemains() throws {
    #expect(allCaptures.count >= 30)
    var looked = 0
    for capture in allCaptures {
      let plan = try plan(RedactionOptions()) { try CaptureReader(path: capture.path) }
      let before = try records { try CaptureReader(path: capture.path) }
      let after = try records {
        RedactedSource(try CaptureReader(path: capture.path), plan.redaction)
      }
      #expect(after.map(\.count) == before.map(\.count), "\(capture.lastPathComponent)")
      for (secret, what) in plan.books.allSecrets {
        looked += 1
        for (number, record) in after.enumerated() where contains(record, secret) {
          Issue.record(
            "\(capture.lastPathComponent), record \(number + 1): \(what) \(secret) is there")
          break
        }
      }
    }
    #expect(looked > 1000)
  }

  @Test("map and explain print the same, but for the addresses")
  func sameFindings() throws {
    for capture in allCaptures {
      var options = RedactionOptions()
      options.keepsNames = true
      let plan = try plan(options) { try CaptureReader(path: capture.path) }
      for (what, report) in [("map", map), ("explain", explain)]
        as [(String, (() throws -> AnySource) throws -> String)]
      {
        let before = try report { try AnySource(path: capture.path, nil) }
        let after = try report { try AnySource(path: capture.path, plan.redaction) }
        let expected = plan.books.inText(before)
        if expected != after {
          let lines = Array(zip(lines(expected), lines(after)))
          let differing = lines.filter { $0 != $1 }.prefix(6)
          Issue.record(
            "\(capture.lastPathComponent), \(what): \(differing.map { "\n- \($0)\n+ \($1)" }.joined())"
          )
        }
      }
    }
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private func contains(_ record: [UInt8], _ secret: [UInt8]) -> Bool {
    guard record.count >= secret.count, let first = secret.first else { return false }
    for start in 0...record.count - secret.count where record[start] == first {
      if record[start..<start + secret.count].elementsEqual(secret) { return true }
    }
    return false
  }
}

/// A capture as it is, or redacted.
struct AnySource: CaptureSource, ~Copyable {
  private var plain: CaptureReader?
  private var redacted: RedactedSource<CaptureReader>?

  init(path: String, _ redaction: Redaction?) throws {
    if let redaction {
      redacted = RedactedSource(try CaptureReader(path: path), redaction)
    } else {
      plain = try CaptureReader(path: path)
    }
  }

  var summary: CaptureSummary {
    switch plain {
    case .some(let reader): return reader.summary
    case nil: break
    }
    switch redacted {
    case .some(let source): return source.summary
    case nil: preconditionFailure("one of them is there")
    }
  }

  var isReady: Bool { true }

  @_lifetime(&self)
  mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    if plain != nil { return try plain?.next() }
    return try redacted?.next()
  }
}

extension Books {
  /// All that must not remain, in both byte orders.
  var allSecrets: [([UInt8], String)] {
    var secrets: [([UInt8], String)] = addresses.addresses.map { ($0.bytes, "address") }
    secrets += keys.allKnown.filter { $0.count >= 6 }.map { ($0, "secret") }
    return secrets + secrets.map { ($0.0.reversed(), "reversed \($0.1)") }
  }

  /// A text with all addresses replaced.
  func inText(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for offset in bytes.indices {
      guard let written = WrittenAddress(bytes, at: offset), written.count == 17 else { continue }
      written.write(addresses[written.address], into: &bytes, at: offset)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
