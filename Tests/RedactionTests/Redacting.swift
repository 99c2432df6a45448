import Bluetooth
import Bytes
import Captures
import Histories
import Explanations
import Foundation
import MadeTraffic
import ProgramRunner
import Reports
import Sessions
import Testing

@testable import Redaction

/// The captures that the sweeps read.
let sweptCaptures = CaptureFiles.sampled { (try? CaptureReader(path: $0.path)) != nil }

/// The knowledge about a capture, and how it is redacted.
struct Plan {
  let books: Books
  let redaction: Redaction
}

/// Returns the redaction of a source that can be read twice.
func plan<Source: CaptureSource & ~Copyable>(
  _ options: RedactionOptions, _ open: () throws -> Source
) throws -> Plan {
  var output = Output()
  var learner = RedactionLearner(options)
  try run(open, &learner, &output)
  if learner.mustRepeat {
    learner = learner.repeated()
    try run(open, &learner, &output)
  }
  var planner = learner.planner()
  let books = planner.books
  try run(open, &planner, &output)
  return Plan(books: books, redaction: planner.redaction())
}

/// Runs a report over a source to its end, or to the damage.
func run<Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable>(
  _ open: () throws -> Source, _ report: inout Report, _ output: inout Output
) throws {
  var source = try open()
  var pass = Pass()
  try? pass.run(&source, &report, into: &output)
}

/// Returns the output of `map`.
func map<Source: CaptureSource & ~Copyable>(_ open: () throws -> Source) throws -> String {
  var output = Output()
  var report = MapReport(MapOptions())
  try run(open, &report, &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

/// Returns the output of `explain --full`.
func explain<Source: CaptureSource & ~Copyable>(_ open: () throws -> Source) throws -> String {
  var output = Output()
  var options = ExplainOptions()
  options.isFull = true
  var report = ExplainReport(options)
  try run(open, &report, &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

/// Returns the bytes of all records.
func records<Source: CaptureSource & ~Copyable>(_ open: () throws -> Source) throws -> [[UInt8]] {
  var source = try open()
  var records: [[UInt8]] = []
  do {
    while let record = try source.next() { records.append(record.bytes.array) }
  } catch {}
  return records
}

/// Traffic before and after.
struct Redacted {
  let before: [[UInt8]]
  let after: [[UInt8]]
  let report: RedactionReport
  let books: Books

  /// The report about it.
  var lines: [String] { report.lines() }

  /// Returns whether one of the records contains the bytes.
  func contains(_ bytes: [UInt8]) -> Bool { contain(after, bytes) }
}

/// Returns the redacted traffic and the report.
func redacted(
  _ options: RedactionOptions = RedactionOptions(), _ build: (inout Traffic) -> Void
) throws -> Redacted {
  var traffic = Traffic()
  build(&traffic)
  return try redacted(traffic, options)
}

/// Returns existing traffic redacted.
func redacted(
  _ traffic: Traffic, _ options: RedactionOptions = RedactionOptions()
) throws -> Redacted {
  let plan = try plan(options) { MemorySource(traffic) }
  var source = RedactedSource(MemorySource(traffic), plan.redaction)
  var after: [[UInt8]] = []
  while let record = try source.next() { after.append(record.bytes.array) }
  let before = traffic.records.map(\.bytes)
  #expect(after.map(\.count) == before.map(\.count))
  return Redacted(before: before, after: after, report: source.report, books: plan.books)
}

/// Returns whether one of the records contains the bytes.
func contain(_ records: [[UInt8]], _ bytes: [UInt8]) -> Bool {
  records.contains { $0.firstRange(of: bytes) != nil }
}
