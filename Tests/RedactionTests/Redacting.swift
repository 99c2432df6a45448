import Bluetooth
import Bytes
import Captures
import Diagnosis
import Foundation
import Reports
import Sessions

@testable import Redaction

/// The project's folder.
private let project = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// All captures: the project's, and where they are there those beside it.
let allCaptures: [URL] = {
  var found: [URL] = []
  let beside = project.deletingLastPathComponent().appending(path: "shared/captures")
  for folder in [project.appending(path: "captures"), beside] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      if (try? CaptureReader(path: file.path)) != nil { found.append(file) }
    }
  }
  return found.sorted { $0.path < $1.path }
}()

/// What was learnt of a capture, and how it is redacted.
struct Plan {
  let books: Books
  let redaction: Redaction
}

/// The redaction of a source that can be read twice.
func plan<Source: CaptureSource & ~Copyable>(
  _ options: RedactionOptions, _ open: () throws -> Source
) throws -> Plan {
  var output = Output()
  var learner = RedactionLearner(options)
  try run(open, &learner, &output)
  var planner = learner.planner()
  let books = planner.books
  try run(open, &planner, &output)
  return Plan(books: books, redaction: planner.redaction())
}

/// Runs a report over a source to its end, or to where it is damaged.
func run<Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable>(
  _ open: () throws -> Source, _ report: inout Report, _ output: inout Output
) throws {
  var source = try open()
  var pass = Pass()
  try? pass.run(&source, &report, into: &output)
}

/// What `map` prints.
func map<Source: CaptureSource & ~Copyable>(_ open: () throws -> Source) throws -> String {
  var output = Output()
  var report = MapReport(MapOptions())
  try run(open, &report, &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

/// What `explain --full` prints.
func explain<Source: CaptureSource & ~Copyable>(_ open: () throws -> Source) throws -> String {
  var output = Output()
  var options = ExplainOptions()
  options.isFull = true
  var report = ExplainReport(options)
  try run(open, &report, &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

/// All records' bytes.
func records<Source: CaptureSource & ~Copyable>(_ open: () throws -> Source) throws -> [[UInt8]] {
  var source = try open()
  var records: [[UInt8]] = []
  do {
    while let record = try source.next() { records.append(record.bytes.array) }
  } catch {}
  return records
}
