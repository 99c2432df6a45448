import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import Redaction
import Reports
import Sessions

/// Runs a report over a capture and turns failures into sentences and exit statuses.
enum Run {
  /// The help of the argument that names captures.
  static let capturesHelp = ArgumentHelp(
    "The capture, an archive or a bug report that holds one, or - for standard input; several are read as one.",
    valueName: "capture")

  /// Reads captures, several as one, and prints the report that `makeReport` creates for them.
  ///
  /// - Parameter reportsRemarks: whether remarks on the captures as a whole go to standard error;
  ///   false if the report prints them itself.
  /// - Parameter descriptor: where the report goes.
  /// - Parameter follows: whether to wait for more at the end of the capture, until Ctrl-C.
  /// - Parameter reportsNotes: whether notes on the followed file go to standard error as soon as
  ///   they occur; true if the report does not print them.
  /// - Parameter maps: service maps that are not in the captures.
  /// - Parameter bonds: bonds that are not in the captures.
  /// - Parameter profiles: the user's profiles, which define what values are secret.
  /// - Parameter inspect: called with the report when it is finished.
  static func captures<Report: PacketReport & ~Copyable>(
    _ found: CaptureSearch, reportsRemarks: Bool = true, to descriptor: Int32 = STDOUT_FILENO,
    follows: Bool = false, reportsNotes: Bool = false, maps: [SuppliedMap] = [], bonds: [Bond] = [],
    profiles: SuppliedProfiles?,
    _ makeReport: @escaping (CaptureSummary) -> Report,
    inspect: @escaping (borrowing Report) -> Void = { _ in }
  ) throws {
    var reading = ReportRun(
      Output(descriptor: descriptor, follows ? .process : nil), maps, bonds, profiles, makeReport,
      inspect)
    let files = found.files
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      if follows {
        try follow(files[0].name, &reading, reportsNotes: reportsNotes)
      } else if !found.isJoined {
        try reading.read(files[0].open(), reportsRemarks: reportsRemarks)
      } else {
        var source = try found.joined()
        defer {
          if reportsRemarks { reading.remarks += source.summary.allRemarks }
          // The first failure is thrown; only the source knows the others.
          failures = Array(source.failures.dropFirst())
        }
        try reading.use(&source)
      }
    } catch {
      failures.insert(error, at: 0)
    }
    // A stream may be stopped in the middle of a record.
    if follows, Interruption.process.hasCome {
      reading.remarks += failures.map(\.unfinishedWords)
      failures = []
    }
    if let remark = reading.output.remark { Terminal.complain(remark) }
    if reportsRemarks { found.remarks.forEach(Terminal.complain) }
    try end(
      files.map(\.name), failures + found.failures, reading.remarks,
      outputFailure: reading.output.failure)
  }

  /// Reads a capture that grows: a file, across its rotation, or a stream.
  private static func follow<Report: PacketReport & ~Copyable>(
    _ name: String, _ reading: inout ReportRun<Report>, reportsNotes: Bool
  ) throws(CaptureFailure) {
    Terminal.interruptOnSignals(after: nil)
    guard Terminal.isFile(name) else {
      return try reading.read(InputBuffer(stream: name, .process))
    }
    var source = try FollowSource(path: name, .process) { words in
      if reportsNotes { Terminal.complain("\(name): \(words)") }
    }
    defer { reading.remarks += source.summary.allRemarks }
    try reading.use(&source)
  }

  /// Reports the failures, and the remarks on the captures as a whole.
  ///
  /// - Throws: the exit status, if something went wrong.
  static func end(
    _ names: [String], _ failures: [CaptureFailure], _ remarks: [String], outputFailure: Int32?
  ) throws {
    // The damage of an archive may also be that of a log in it.
    for (index, failure) in failures.enumerated() where !failures[..<index].contains(failure) {
      Terminal.complain(
        failure.sentence(about: names[0]) + verbs(insteadOf: names[0], failure)
          + files(inFolder: names[0], failure))
    }
    // A failure to write matters more than a failure to read.
    try Terminal.check(outputFailure)
    let subject = names.count == 1 ? "\(CaptureFailure.subject(names[0])): " : ""
    for remark in remarks { Terminal.complain(subject + remark) }
    if let failure = failures.first { throw ExitCode(failure.kind.status) }
  }

  /// Returns a list of the verbs, or the nearest one, if `name` could not be opened and may have
  /// been meant as a verb.
  static func verbs(insteadOf name: String, _ failure: CaptureFailure) -> String {
    failure.kind == .inaccessible ? verbs(insteadOf: name) : ""
  }

  /// Returns how to read the files of a folder that was named as a capture.
  private static func files(inFolder name: String, _ failure: CaptureFailure) -> String {
    guard failure.kind == .inaccessible, name != "-",
      Terminal.facts(of: name.utf8)?.isFolder == true
    else { return "" }
    return
      "; name captures in it, as in \(name.hasSuffix("/") ? name : name + "/")*, or use gattscope table, which reads folders"
  }

  /// Returns a list of the verbs, or the nearest one, if `name` may have been meant as a verb.
  static func verbs(insteadOf name: String) -> String {
    guard name.allSatisfy({ $0.isASCII && $0.isLetter }), !Terminal.exists(name) else { return "" }
    let verbs = GattscopeCommand.configuration.subcommands.compactMap {
      $0.configuration.commandName
    }
    // The argument after a verb is not another verb.
    guard !verbs.contains(CommandLine.arguments.dropFirst().first ?? "") else { return "" }
    if let verb = Guesses.verb(meant: name, of: verbs) {
      return "; did you mean gattscope \(verb)?"
    }
    return "; the verbs are \(verbs.dropLast().joined(separator: ", ")) and \(verbs.last ?? "")"
  }
}

/// Prints the report on one source of any kind.
struct ReportRun<Report: PacketReport & ~Copyable>: CaptureUser, ~Copyable {
  private let makeReport: (CaptureSummary) -> Report
  private let inspect: (borrowing Report) -> Void
  /// Service maps that are not in the capture.
  private let maps: [SuppliedMap]
  /// Bonds that are not in the capture.
  private let bonds: [Bond]
  /// The attributes whose values are secret.
  private let secretTypes: SecretTypes
  private(set) var output: Output
  /// Remarks to print beside the report.
  var remarks: [String] = []

  init(
    _ output: consuming Output, _ maps: [SuppliedMap], _ bonds: [Bond],
    _ profiles: SuppliedProfiles?,
    _ makeReport: @escaping (CaptureSummary) -> Report,
    _ inspect: @escaping (borrowing Report) -> Void = { _ in }
  ) {
    self.output = output
    self.maps = maps
    self.bonds = bonds
    secretTypes = SecretTypes(profiles?.secretTypes ?? [])
    self.makeReport = makeReport
    self.inspect = inspect
  }

  /// Reads one capture.
  mutating func read(
    _ input: consuming InputBuffer, reportsRemarks: Bool = true
  ) throws(CaptureFailure) {
    var source = try CaptureReader(input)
    defer { if reportsRemarks { remarks += source.summary.allRemarks } }
    try source.lend(to: &self)
  }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    var report = makeReport(source.summary)
    var pass = Pass(maps: maps, secretTypes: secretTypes, bonds: bonds)
    defer {
      if let remark = report.remark { remarks.append(remark) }
      remarks += pass.suppliedUse?.remarks ?? []
      remarks += pass.reachedLimits.remarks
      inspect(report)
    }
    try pass.run(&source, &report, into: &output)
  }
}

extension Run {
  /// Redacts captures, several as one, and prints the report that `makeReport` returns. They are
  /// read three or four times; a copy is kept of what can be read only once.
  static func redacted<Report: PacketReport & ~Copyable>(
    _ found: CaptureSearch, _ redaction: RedactionOptions, to descriptor: Int32,
    maps: [SuppliedMap], profiles: SuppliedProfiles,
    _ makeReport: @escaping (CaptureSummary) -> Report
  ) throws {
    var reading = ReportRun(Output(descriptor: descriptor), maps, [], profiles, makeReport) { _ in }
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      let files = try Spool.readable(found.files, in: Terminal.temporaryFolder)
      var redacting = Redacting(
        redaction, maps: maps, secretTypes: SecretTypes(profiles.secretTypes))
      for _ in 0..<Redacting.mostReadings where redacting.plan == nil {
        if !found.isJoined {
          var source = try CaptureReader(files[0].open())
          try source.lend(to: &redacting)
        } else {
          var source = try found.joined(files)
          try redacting.use(&source)
        }
      }
      if let plan = redacting.plan, !found.isJoined {
        var source = RedactedSource(try CaptureReader(files[0].open()), plan)
        defer { reading.remarks += source.summary.allRemarks + source.report.lines() }
        try reading.use(&source)
      } else if let plan = redacting.plan {
        var source = RedactedSource(try found.joined(files), plan)
        defer {
          reading.remarks += source.summary.allRemarks
          reading.remarks += source.report.lines(files.map(\.name))
          failures = Array(source.base.failures.dropFirst())
        }
        try reading.use(&source)
      }
    } catch {
      failures.insert(error, at: 0)
    }
    found.remarks.forEach(Terminal.complain)
    try end(
      found.files.map(\.name), failures + found.failures, reading.remarks,
      outputFailure: reading.output.failure)
  }
}

extension Run {
  /// Returns a selection with the addresses of the devices that it names. If the captures can be
  /// read twice, the devices are looked up beforehand; otherwise a device is selected from the
  /// packet that reveals its name.
  static func finding(
    _ selection: Selection, in files: [CaptureFile], bonds: [Bond]
  ) -> Selection {
    guard selection.needsNames, files.allSatisfy({ $0.byteCount != nil }) else { return selection }
    // Failures are reported by the second reading.
    if files.count == 1, var source = try? CaptureReader(files[0].open()) {
      return named(selection, in: &source, bonds)
    } else if files.count > 1, var source = try? JoinedSource(files) {
      return named(selection, in: &source, bonds)
    }
    return selection
  }

  private static func named<Source: CaptureSource & ~Copyable>(
    _ selection: Selection, in source: inout Source, _ bonds: [Bond]
  ) -> Selection {
    var report = NamesReport(selection)
    var pass = Pass(bonds: bonds)
    var output = Output()
    try? pass.run(&source, &report, into: &output)
    return report.selection
  }
}

extension CaptureFailure.Kind {
  /// The exit status, as numbered in sysexits.h.
  var status: Int32 {
    switch self {
    case .notReadable, .damaged: 65
    case .inaccessible: 66
    case .unavailable: 69
    case .forbidden: 77
    }
  }
}
