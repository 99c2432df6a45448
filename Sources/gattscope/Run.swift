import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import Redaction
import Reports
import Sessions
import Synchronization

/// Runs a report over a capture and turns what goes wrong into sentences and exit statuses.
enum Run {
  /// Of the argument that names captures.
  static let capturesHelp = ArgumentHelp(
    "The capture, an archive or a bug report that holds one, or - for standard input; several are read as one, by time.",
    valueName: "capture")

  /// Reads captures, several as one, and prints the report that `makeReport` gives for them.
  ///
  /// - Parameter saysRemarks: whether what is to be said about the captures as a whole, beside their
  ///   packets, goes to standard error: not where the report says it itself.
  /// - Parameter descriptor: where the report goes.
  /// - Parameter follows: whether to wait for more where the one capture ends, until Ctrl-C.
  /// - Parameter tellsNotes: whether notes on the file that is followed go to standard error, as soon as they
  ///   stand between the packets: where the report does not print them.
  /// - Parameter maps: what is known of servers from elsewhere.
  /// - Parameter bonds: which devices are known from elsewhere.
  /// - Parameter profiles: people's own: which values they call secret.
  /// - Parameter inspect: looks at the report when it is done.
  static func captures<Report: PacketReport & ~Copyable>(
    _ found: CaptureSearch, saysRemarks: Bool = true, to descriptor: Int32 = STDOUT_FILENO,
    follows: Bool = false, tellsNotes: Bool = false, maps: [SuppliedMap] = [], bonds: [Bond] = [],
    profiles: SuppliedProfiles?,
    _ makeReport: @escaping (CaptureSummary) -> Report,
    inspect: @escaping (borrowing Report) -> Void = { _ in }
  ) throws {
    var reading = Reading(
      Output(descriptor: descriptor, follows ? .process : nil), maps, bonds, profiles, makeReport,
      inspect)
    let files = found.files
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      if follows {
        try follow(files[0].name, &reading, tellsNotes: tellsNotes)
      } else if files.count == 1 {
        try reading.read(files[0].open(), saysRemarks: saysRemarks)
      } else {
        var source = try JoinedSource(files)
        defer {
          if saysRemarks { reading.remarks += source.summary.allRemarks }
          // The first one is thrown; the others are known only here.
          failures = Array(source.failures.dropFirst())
        }
        try reading.use(&source)
      }
    } catch {
      failures.insert(error, at: 0)
    }
    // A stream may be ended in the middle of a record.
    if follows, Interruption.process.hasCome {
      reading.remarks += failures.map(\.unfinishedWords)
      failures = []
    }
    if let remark = reading.output.remark { Terminal.complain(remark) }
    if saysRemarks { found.remarks.forEach(Terminal.complain) }
    try end(
      files.map(\.name), failures + found.failures, reading.remarks,
      outputFailure: reading.output.failure)
  }

  /// Reads a capture that grows: a file, across its rotation, or a stream.
  private static func follow<Report: PacketReport & ~Copyable>(
    _ name: String, _ reading: inout Reading<Report>, tellsNotes: Bool
  ) throws(CaptureFailure) {
    Terminal.interruptOnSignals(after: nil)
    guard Terminal.isFile(name) else {
      return try reading.read(InputBuffer(stream: name, .process))
    }
    var source = try FollowSource(path: name, .process) { words in
      if tellsNotes { Terminal.complain("\(name): \(words)") }
    }
    defer { reading.remarks += source.summary.allRemarks }
    try reading.use(&source)
  }

  /// Says what went wrong, and what is to be said of the captures as a whole.
  ///
  /// - Throws: the exit status, where something went wrong.
  static func end(
    _ names: [String], _ failures: [CaptureFailure], _ remarks: [String], outputFailure: Int32?
  ) throws {
    for failure in failures {
      Terminal.complain(failure.sentence(about: names[0]) + verbs(insteadOf: names[0], failure))
    }
    // What could not be written weighs more than what could not be read.
    try Terminal.check(outputFailure)
    let subject = names.count == 1 ? "\(CaptureFailure.subject(names[0])): " : ""
    for remark in remarks { Terminal.complain(subject + remark) }
    if let failure = failures.first { throw ExitCode(failure.kind.status) }
  }

  /// Returns which verbs there are, if what could not be opened may have been meant as one.
  static func verbs(insteadOf name: String, _ failure: CaptureFailure) -> String {
    guard failure.kind == .inaccessible, name.allSatisfy({ $0.isASCII && $0.isLetter }),
      !Terminal.exists(name)
    else { return "" }
    let verbs = GattscopeCommand.configuration.subcommands.compactMap {
      $0.configuration.commandName
    }
    // After a verb comes no other one.
    guard !verbs.contains(CommandLine.arguments.dropFirst().first ?? "") else { return "" }
    if let verb = Guesses.verb(meant: name, of: verbs) {
      return "; did you mean gattscope \(verb)?"
    }
    return "; the verbs are \(verbs.dropLast().joined(separator: ", ")) and \(verbs.last ?? "")"
  }
}

/// Prints the report on one source, whichever it is.
struct Reading<Report: PacketReport & ~Copyable>: CaptureUser, ~Copyable {
  private let makeReport: (CaptureSummary) -> Report
  private let inspect: (borrowing Report) -> Void
  /// What is known of servers from elsewhere.
  private let maps: [SuppliedMap]
  /// Which devices are known from elsewhere.
  private let bonds: [Bond]
  /// Which attributes have values that are secret.
  private let secretTypes: SecretTypes
  /// Where the report is printed.
  private(set) var output: Output
  /// What is to be said beside it.
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
    _ input: consuming InputBuffer, saysRemarks: Bool = true
  ) throws(CaptureFailure) {
    var source = try CaptureReader(input)
    defer { if saysRemarks { remarks += source.summary.allRemarks } }
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
  /// Reads captures as they are after redaction, several as one, and prints the report that `makeReport` gives. They are
  /// read three times; what can be read only once is kept meanwhile.
  static func redacted<Report: PacketReport & ~Copyable>(
    _ found: CaptureSearch, _ redaction: RedactionOptions, to descriptor: Int32,
    maps: [SuppliedMap], profiles: SuppliedProfiles,
    _ makeReport: @escaping (CaptureSummary) -> Report
  ) throws {
    var reading = Reading(Output(descriptor: descriptor), maps, [], profiles, makeReport) { _ in }
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      let files = try Spool.readable(found.files, in: Terminal.temporaryFolder)
      var redacting = Redacting(
        redaction, maps: maps, secretTypes: SecretTypes(profiles.secretTypes))
      for _ in 0..<2 {
        if files.count == 1 {
          var source = try CaptureReader(files[0].open())
          try source.lend(to: &redacting)
        } else {
          var source = try JoinedSource(files)
          try redacting.use(&source)
        }
      }
      if let plan = redacting.plan, files.count == 1 {
        var source = RedactedSource(try CaptureReader(files[0].open()), plan)
        defer { reading.remarks += source.summary.allRemarks + source.report.lines() }
        try reading.use(&source)
      } else if let plan = redacting.plan {
        var source = RedactedSource(try JoinedSource(files), plan)
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
  /// Shorter captures are printed before it would pay to share the work.
  private static let leastSharedBytes: Int64 = 1 << 18
  /// How many may share the work: as many as there are processors, or as GATTSCOPE_THREADS says.
  private static var members: Int {
    // More would hardly be faster: each of them reads everything.
    let most = 4
    let wanted = Terminal.environment("GATTSCOPE_THREADS").flatMap { Int($0) }
    return max(1, min(most, wanted ?? Terminal.processors))
  }

  /// Reads a capture and prints the report on it, with as many processors as there are where it is a
  /// file that is long enough. The output is the same with any number of them.
  static func shared<Report: SharedReport & SendableMetatype & ~Copyable>(
    _ found: CaptureSearch, maps: [SuppliedMap] = [], bonds: [Bond] = [],
    profiles: SuppliedProfiles?,
    _ makeReport: @escaping @Sendable (CaptureSummary) -> Report
  ) throws {
    let members = members
    let file = found.files[0]
    guard members > 1, let size = file.byteCount, size >= leastSharedBytes else {
      return try captures(found, maps: maps, bonds: bonds, profiles: profiles, makeReport)
    }
    let ring = Ring(of: members, to: STDOUT_FILENO)
    // The others read what the first one reads, so that all see the same bytes even if the file
    // changes meanwhile.
    let feeds = (1..<members).map { _ in Handoff<[UInt8]>() }
    let result = Mutex<(failure: CaptureFailure?, remarks: [String])>((nil, []))
    let wasShared = ring.run { member in
      var reading = Reading(Output(), maps, bonds, profiles) { summary in
        TurnTaking(makeReport(summary), member: member, of: members) {
          ring.write(&$0, member: member)
        }
      }
      guard member == 0 else {
        let feed = feeds[member - 1]
        // The first member meets the same failure, and says it.
        try? reading.read(InputBuffer { feed.take() })
        feed.end()
        return
      }
      do throws(CaptureFailure) {
        try reading.read(file.open { piece in feeds.forEach { $0.give(piece) } })
      } catch {
        result.withLock { $0.failure = error }
      }
      feeds.forEach { $0.end() }
      result.withLock { $0.remarks = reading.remarks }
    }
    guard wasShared else {
      return try captures(found, maps: maps, bonds: bonds, profiles: profiles, makeReport)
    }
    let (failure, remarks) = result.withLock { $0 }
    found.remarks.forEach(Terminal.complain)
    try end(
      [file.name], (failure.map { [$0] } ?? []) + found.failures, remarks,
      outputFailure: ring.failure)
  }

  /// A selection that knows the devices with the names that it asks for: where the capture can be read
  /// twice they are looked for beforehand, else each shows from the packet that tells its name.
  static func finding(
    _ selection: Selection, in files: [CaptureFile], bonds: [Bond]
  ) -> Selection {
    guard selection.needsNames, files.allSatisfy({ $0.byteCount != nil }) else { return selection }
    var selection = selection
    // What is wrong with the capture the second time will say.
    if files.count == 1, var source = try? CaptureReader(files[0].open()) {
      selection.namedDevices = addresses(of: selection, in: &source, bonds)
    } else if files.count > 1, var source = try? JoinedSource(files) {
      selection.namedDevices = addresses(of: selection, in: &source, bonds)
    }
    return selection
  }

  private static func addresses<Source: CaptureSource & ~Copyable>(
    of selection: Selection, in source: inout Source, _ bonds: [Bond]
  ) -> Set<DeviceAddress> {
    var report = NamesReport(selection)
    var pass = Pass(bonds: bonds)
    var output = Output()
    try? pass.run(&source, &report, into: &output)
    return report.addresses
  }
}

extension CaptureFailure.Kind {
  /// The exit status, as sysexits.h numbers them.
  var status: Int32 {
    switch self {
    case .notReadable, .damaged: 65
    case .inaccessible: 66
    case .unavailable: 69
    case .forbidden: 77
    }
  }
}
