import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import Redaction
import Reports
import Sessions

/// One run of `convert`. Reads the captures, more than once if they are merged, selected from or
/// redacted, and writes the result.
struct Conversion {
  /// The names of the inputs.
  private let inputs: [String]
  /// The captures that the inputs name.
  private let found: CaptureSearch
  private var names: [String] { found.files.map(\.name) }
  /// The file to write, and its format.
  let path: String
  let target: WriterTarget
  private let merges: Bool
  /// The options for writing the file.
  private let file: CaptureFileOptions
  /// Which packets to write; by default all of them.
  var selection = Selection()
  /// Whether each packet's line becomes its comment.
  var comments = false
  var profiles = SuppliedProfiles()
  var bonds: [Bond] = []
  var maps: [SuppliedMap] = []
  /// What packets from sniffers become; nil: they stay as they are.
  var air: AirSource.Form?
  /// What is removed from the capture; nil if nothing is.
  var redaction: RedactionOptions?
  /// The file for what the pseudonyms stand for; nil: none.
  var pseudonyms: String?

  /// - Parameters:
  ///   - inputs: the names of the inputs.
  ///   - found: the captures that they name.
  init(
    _ inputs: [String], _ found: CaptureSearch, to path: String, as target: WriterTarget,
    _ file: CaptureFileOptions, merges: Bool
  ) {
    self.inputs = inputs
    self.found = found
    self.path = path
    self.target = target
    self.file = file
    // The files in an archive form one capture.
    self.merges = merges || found.files.count > 1
  }

  /// - Throws: the exit status, if something went wrong.
  func run() throws {
    try refuseOwnInput()
    try file.refuseToWrite(to: path)
    let list = try openPseudonyms()
    var writing = Writing(self)
    var result = Result()
    var remarks: [String] = []
    var failures: [CaptureFailure] = []
    var isNothing = false
    do throws(CaptureFailure) {
      // What can be read only once is kept where it has to be read again.
      let files =
        isReadTwice
        ? try Spool.readable(found.files, in: Terminal.temporaryFolder) : found.files
      let plan = merges ? try MergePlan(files) : nil
      writing.hasSeveralControllers = plan?.hasSeveralControllers ?? false
      if !isEverything {
        let choice = choose(files, plan)
        writing.kept = choice.kept
        remarks.append(choice.remark)
        isNothing = choice.kept.count == 0
        if isNothing { failures = choice.failures }
      }
      if !isNothing { failures += try write(files, plan, &writing, &result) }
    } catch {
      failures.append(error)
    }
    if isNothing {
      // An empty capture is of no use, least of all as a replacement for another file.
      try Run.end(
        names, failures, remarks.map { "\($0); \(outputWords) was not written" },
        outputFailure: nil)
      throw ExitCode(64)
    }
    for loss in result.losses + writing.losses { Terminal.complain("\(outputWords): \(loss)") }
    var reported: [String] = []
    do {
      // If the reader left before the end, there is no capture to make remarks about.
      if try writing.finish() {
        reported = remarks + result.remarks + writing.remarks
        if let list { try list.keep(result.pseudonyms) }
      }
    } catch {
      for failure in failures { Terminal.complain(failure.sentence(about: names[0])) }
      throw error
    }
    found.remarks.forEach(Terminal.complain)
    try Run.end(names, failures + found.failures, reported, outputFailure: nil)
  }

  /// The name of the output in messages.
  var outputWords: String { WriteFailure.subject(path) }

  /// Whether all packets are written.
  private var isEverything: Bool {
    var options = ShowOptions()
    options.selection = selection
    return options.showsEverything
  }

  /// Whether the captures are read more than once.
  private var isReadTwice: Bool { merges || !isEverything || redaction != nil }

  /// Reads the files.
  ///
  /// - Returns: the failures of individual files when several are read, and what was done with
  ///   packets from sniffers.
  private func read<User: CaptureUser & ~Copyable>(
    _ files: [CaptureFile], _ plan: MergePlan?, _ user: inout User
  ) throws(CaptureFailure) -> (failures: [CaptureFailure], air: AirReport?) {
    guard let plan else {
      var source = try CaptureReader(files[0].open())
      guard let form = airForm(source.summary) else {
        try source.lend(to: &user)
        return ([], nil)
      }
      var air = AirSource(source, form, bonds: bonds)
      try user.use(&air)
      return ([], air.report)
    }
    var source = try MergedSource(files, plan)
    if let form = airForm(source.summary) {
      var air = AirSource(source, form, bonds: bonds)
      let failures = use(&air, &user)
      return (failures, air.report)
    }
    return (use(&source, &user), nil)
  }

  /// Passes several files to `user`.
  ///
  /// - Returns: the failures of individual files.
  private func use<Source: CaptureSource & ~Copyable, User: CaptureUser & ~Copyable>(
    _ source: inout Source, _ user: inout User
  ) -> [CaptureFailure] {
    do throws(CaptureFailure) {
      try user.use(&source)
    } catch {
      return source.failures
    }
    return []
  }

  /// What was done with the capture beside writing it.
  private struct Result {
    /// What was removed, and what happened to packets from sniffers.
    var remarks: [String] = []
    /// What these packets lost.
    var losses: [String] = []
    /// The pseudonyms, if they are wanted.
    var pseudonyms: [Pseudonym] = []

    mutating func note(_ report: AirReport, isRedacted: Bool = false) {
      remarks += report.remarks(isRedacted: isRedacted)
      losses += report.losses
    }
  }

  /// Returns what packets from sniffers become in a capture that may have some. To be redacted,
  /// they must be decrypted.
  private func airForm(_ summary: CaptureSummary) -> AirSource.Form? {
    if let air { return air }
    guard redaction != nil else { return nil }
    // An interface of pcapng may come after the first packets.
    return summary.sniffers.isEmpty && summary.format != .pcapng
      ? nil : .pseudoHeader(decrypts: true)
  }

  /// Reads the files and writes their packets, redacted if that was requested.
  ///
  /// - Returns: the failures of individual files when several are read.
  private func write(
    _ files: [CaptureFile], _ plan: MergePlan?, _ writing: inout Writing, _ result: inout Result
  ) throws(CaptureFailure) -> [CaptureFailure] {
    guard let redaction else {
      let (failures, air) = try read(files, plan, &writing)
      if let air { result.note(air) }
      writing.recordsLeftOutBefore = air?.leftOut ?? 0
      return failures
    }
    var redacting = Redacting(
      redaction, maps: maps, secretTypes: SecretTypes(profiles.secretTypes))
    for _ in 0..<Redacting.mostReadings where redacting.plan == nil {
      _ = try read(files, plan, &redacting)
    }
    guard let found = redacting.plan else { return [] }
    if pseudonyms != nil { result.pseudonyms = found.pseudonyms }
    let form = air ?? .pseudoHeader(decrypts: true)
    var source =
      if let plan {
        RedactedSource(AirSource(try MergedSource(files, plan), form, bonds: bonds), found)
      } else {
        RedactedSource(
          AirSource(try CaptureReader(files[0].open()), form, bonds: bonds), found)
      }
    defer {
      result.remarks += source.report.lines(plan == nil ? [] : files.map(\.name))
      if air != nil || source.base.report.hasPackets {
        result.note(source.base.report, isRedacted: true)
      }
      writing.recordsLeftOutBefore = source.base.report.leftOut
    }
    if plan != nil { return use(&source, &writing) }
    try writing.use(&source)
    return []
  }

  /// Refuses to write to a file that is being read, and two things to one file.
  private func refuseOwnInput() throws {
    for input in inputs {
      for output in [path, pseudonyms].compactMap(\.self) where Terminal.isSameFile(input, output) {
        let subject = CaptureFailure.subject(input)
        Terminal.complain("\(subject) is the capture itself; name another file to write")
        throw ExitCode(64)
      }
    }
    if let pseudonyms, pseudonyms == path || Terminal.isSameFile(pseudonyms, path) {
      Terminal.complain("\(path) would be the capture and its pseudonyms; name another file")
      throw ExitCode(64)
    }
  }

  /// Begins the file of pseudonyms, if there is to be one: better no capture than one without them.
  private func openPseudonyms() throws -> PseudonymFile? {
    guard let pseudonyms else { return nil }
    try CaptureFileOptions.refuseToWrite(to: pseudonyms, unless: file.force)
    return try PseudonymFile(pseudonyms)
  }

  /// Returns the selected packets with the packets they depend on, a sentence that counts them, and
  /// the capture's failures, which the second reading reports.
  private func choose(
    _ files: [CaptureFile], _ plan: MergePlan?
  ) -> (kept: ChosenPackets, remark: String, failures: [CaptureFailure]) {
    var options = ShowOptions()
    options.profiles = profiles
    options.selection = Run.finding(selection, in: files, bonds: bonds)
    options.zoneOffset = Terminal.zoneOffset(at:)
    var choosing = Choosing(options, maps: maps, bonds: bonds)
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      failures = try read(files, plan, &choosing).failures
    } catch {
      failures = [error]
    }
    return (choosing.kept, choosing.remark, failures)
  }
}
