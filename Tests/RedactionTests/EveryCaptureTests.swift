import Bluetooth
import Bytes
import Captures
import Cryptography
import Foundation
import Histories
import Reports
import Testing

@testable import Redaction

@Suite("Captures of all kinds, redacted") struct EveryCaptureTests {
  /// Names stay here, because in printed text they cannot be distinguished from other words.
  @Test("the same map, findings, pairings and number of records, but no previous key or address")
  func everyCapture() throws {
    #expect(sweptCaptures.count >= 30)
    var (looked, passkeys) = (0, 0)
    for capture in sweptCaptures {
      try look(at: capture, &looked, &passkeys)
    }
    #expect(looked > 300)
    #expect(passkeys > 0)
  }

  private func look(at capture: URL, _ looked: inout Int, _ passkeys: inout Int) throws {
    var options = RedactionOptions()
    options.keepsNames = true
    let plan = try plan(options) { try source(of: capture) }
    looked += try expectNothingRemains(capture, plan)
    passkeys += try expectSamePairings(capture, plan.redaction)
    guard let reason = Self.changed[capture.lastPathComponent] else {
      return try expectSameReports(capture, plan)
    }
    withKnownIssue("\(reason)") { try expectSameReports(capture, plan) }
  }

  /// Captures about which less is known after redaction, and why.
  private static let changed = [
    "enhanced-connection.btsnoop": "its PDUs are cut irregularly, so their pieces may be others'",
    "enhanced-connection.pklg": "its PDUs are cut irregularly, so their pieces may be others'",
    "secrets-everywhere.btsnoop": "a place where the device was is personal",
  ]

  private func expectSameReports(_ capture: URL, _ plan: Plan) throws {
    for (what, report) in [("map", map), ("explain", explain)]
      as [(String, (() throws -> AnySource) throws -> String)]
    {
      let before = try report { try AnySource(path: capture.path, nil) }
      let after = try report { try AnySource(path: capture.path, plan.redaction) }
      let expected = withoutSystemIDs(plan.books.inText(before))
      let found = withoutSystemIDs(after)
      if expected != found {
        let lines = Array(zip(lines(expected), lines(found)))
        let differing = lines.filter { $0 != $1 }.prefix(6)
        Issue.record(
          "\(capture.lastPathComponent), \(what): \(differing.map { "\n- \($0)\n+ \($1)" }.joined())"
        )
      }
    }
  }

  /// Returns the number of secrets that were searched for.
  private func expectNothingRemains(_ capture: URL, _ plan: Plan) throws -> Int {
    let before = try records { try source(of: capture) }
    let after = try records { RedactedSource(try source(of: capture), plan.redaction) }
    #expect(after.map(\.count) == before.map(\.count), "\(capture.lastPathComponent)")
    var byBeginning: [[UInt8]: [[UInt8]]] = [:]
    // An address such as 00:00:00:00:00:07 occurs in many fields that are not addresses.
    for secret in plan.books.allSecrets where Set(secret.prefix(6)).count > 2 {
      byBeginning[Array(secret.prefix(6)), default: []].append(secret)
    }
    for (number, record) in after.enumerated() where record.count >= 6 {
      for start in 0...record.count - 6 {
        for secret in byBeginning[Array(record[start..<start + 6])] ?? []
        where record[start...].starts(with: secret) {
          Issue.record("\(capture.lastPathComponent), record \(number + 1): \(secret) remains")
        }
      }
    }
    return byBeginning.count
  }

  /// Removes system IDs and serial numbers, which other tests check. Text is not searched for short
  /// serial numbers.
  private func withoutSystemIDs(_ text: String) -> String {
    text.replacing(/OUI [0-9a-f]{6}, identifier [0-9a-f]{10}/, with: "a System ID")
      .replacing(/EDIV 0x[0-9a-f]{4}/, with: "EDIV")
      .replacing(/2a25 Serial Number String .*/, with: "a serial number")
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Returns a capture with packets from sniffers as they are redacted.
private func source(of capture: URL) throws -> AirSource {
  AirSource(
    try CaptureReader(path: capture.path), .pseudoHeader(decrypts: true), bonds: [])
}

/// A capture, unchanged or redacted.
struct AnySource: CaptureSource, ~Copyable {
  private var plain: AirSource?
  private var redacted: RedactedSource<AirSource>?

  init(path: String, _ redaction: Redaction?) throws {
    if let redaction {
      redacted = RedactedSource(try source(of: URL(filePath: path)), redaction)
    } else {
      plain = try source(of: URL(filePath: path))
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
  /// Everything that must not remain, in both byte orders.
  var allSecrets: [[UInt8]] {
    let secrets = addresses.addresses.map(\.bytes) + keys.known.filter { $0.count >= 6 }
    return secrets + secrets.map { $0.reversed() }
  }

  /// Returns a text with all addresses and compared digits replaced.
  func inText(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for offset in bytes.indices {
      guard let written = WrittenAddress(bytes, at: offset), written.count == 17 else { continue }
      written.write(addresses[written.address], into: &bytes, at: offset)
    }
    var text = String(decoding: bytes, as: UTF8.self)
    for serial in serials.searched {
      let quoted = { (bytes: [UInt8]) in "\"\(String(decoding: bytes, as: UTF8.self))\"" }
      text = text.replacing(quoted(serial), with: quoted(serials[serial]))
    }
    for (digits, other) in passkeys.derived {
      text = text.replacing(written(digits), with: written(other))
    }
    // Over BR/EDR nothing in the capture determines the digits.
    return text.replacing(/numeric comparison of (\d{6})/) { match in
      guard let digits = UInt32(match.1), !passkeys.derived.values.contains(digits) else {
        return String(match.0)
      }
      return "numeric comparison of \(written(passkeys.digits(digits)))"
    }
  }

  private func written(_ digits: UInt32) -> String {
    SixDigits(digits)?.description ?? ""
  }
}
