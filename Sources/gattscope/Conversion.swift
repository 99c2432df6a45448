import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import Redaction
import Reports
import Sessions

/// One run of `convert`: reads captures, once to learn what is chosen where something is, and writes.
struct Conversion {
  private let inputs: [String]
  /// The file to write, and its format.
  let path: String
  let target: WriterTarget
  private let merges: Bool
  /// Which packets; the selection of everything where none is asked for.
  var selection = Selection()
  /// Whether each packet's line becomes its comment.
  var comments = false
  var profiles = SuppliedProfiles()
  var bonds: [Bond] = []
  var maps: [SuppliedMap] = []
  /// What is removed from it; nil: nothing.
  var redaction: RedactionOptions?

  init(_ inputs: [String], to path: String, as target: WriterTarget, merges: Bool) {
    self.inputs = inputs
    self.path = path
    self.target = target
    self.merges = merges
  }

  /// - Throws: the exit status, where something went wrong.
  func run() throws {
    try refuseOwnInput()
    if path == "-", Terminal.isTerminal {
      Terminal.complain("standard output is a terminal; name a file, or pipe it into a program")
      throw ExitCode(64)
    }
    var writing = Writing(self)
    var remarks: [String] = []
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      if isEverything, redaction == nil {
        try read(inputs[0], &writing)
      } else {
        // What can be read only once is kept, to be read again.
        let spool = Terminal.isFile(inputs[0]) ? nil : try Spool(of: inputs[0], in: folder)
        let path = spool?.path ?? inputs[0]
        if !isEverything {
          let (kept, remark) = choose(path)
          writing.kept = kept
          if !remark.isEmpty { remarks.append(remark) }
        }
        try read(path, &writing, redacting: &remarks)
        withExtendedLifetime(spool) {}
      }
    } catch {
      failures.append(error)
    }
    do {
      try writing.finish()
    } catch {
      for failure in failures { Terminal.complain(failure.sentence(about: inputs[0])) }
      throw error
    }
    try Run.end(inputs, failures, remarks + writing.remarks, outputFailure: nil)
  }

  /// Whether no packet is left out.
  private var isEverything: Bool {
    var options = ShowOptions()
    options.selection = selection
    return options.showsEverything
  }

  /// Where files are kept for a while.
  private var folder: String {
    Terminal.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  func read<User: CaptureUser & ~Copyable>(
    _ name: String, _ user: inout User
  ) throws(CaptureFailure) {
    var source = try CaptureReader(path: name)
    try source.lend(to: &user)
  }

  /// The same without what is to be removed; `remarks` takes in what that was.
  private func read(
    _ name: String, _ writing: inout Writing, redacting remarks: inout [String]
  ) throws(CaptureFailure) {
    guard let redaction else { return try read(name, &writing) }
    var redacting = Redacting(redaction, maps: maps)
    try read(name, &redacting)
    try read(name, &redacting)
    guard let plan = redacting.plan else { return }
    var source = RedactedSource(try CaptureReader(path: name), plan)
    defer { remarks += source.report.lines }
    try writing.use(&source)
  }

  /// A file must not be written while it is read.
  private func refuseOwnInput() throws {
    for input in inputs where Terminal.isSameFile(input, path) {
      Terminal.complain("\(CaptureFailure.subject(input)) is read and cannot be written at once")
      throw ExitCode(64)
    }
  }

  /// The packets that are asked for and what they need, and a sentence about how many there are. What is
  /// wrong with the capture the second reading will say.
  private func choose(_ name: String) -> (ChosenPackets, String) {
    var options = ShowOptions()
    options.profiles = profiles
    options.selection = Run.finding(selection, in: [name], bonds: bonds)
    options.zoneOffset = Terminal.zoneOffset(at:)
    var choosing = Choosing(options, maps: maps, bonds: bonds)
    try? read(name, &choosing)
    return (choosing.kept, choosing.remark)
  }
}
