import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Glibc
import Reports
import Sessions

/// Runs a report over a capture and turns what goes wrong into sentences and exit statuses.
enum Run {
  /// Of the argument that names captures.
  static let capturesHelp = ArgumentHelp(
    "The capture, or - for standard input; several are read as one, by time.",
    valueName: "capture")

  /// Reads captures, several as one, and prints the report that `makeReport` gives for them.
  ///
  /// - Parameter saysRemarks: whether what is to be said about the captures as a whole, beside their
  ///   packets, goes to standard error: not where the report says it itself.
  /// - Parameter descriptor: where the report goes.
  /// - Parameter maps: what is known of servers from elsewhere.
  /// - Parameter inspect: looks at the report when it is done.
  static func captures<Report: PacketReport & ~Copyable>(
    _ names: [String], saysRemarks: Bool = true, to descriptor: Int32 = STDOUT_FILENO,
    maps: [SuppliedMap] = [], _ makeReport: @escaping (CaptureSummary) -> Report,
    inspect: @escaping (borrowing Report) -> Void = { _ in }
  ) throws {
    var reading = Reading(to: descriptor, maps, makeReport, inspect)
    var failures: [CaptureFailure] = []
    do throws(CaptureFailure) {
      if names.count == 1 {
        var source = try CaptureReader(path: names[0])
        defer { if saysRemarks { reading.remarks += source.summary.allRemarks } }
        try source.lend(to: &reading)
      } else {
        var source = try JoinedSource(paths: names)
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
    for failure in failures {
      Terminal.complain(failure.sentence(about: names[0]) + verbs(insteadOf: names[0], failure))
    }
    // What could not be written weighs more than what could not be read.
    try Terminal.check(reading.output)
    let subject = names.count == 1 ? "\(CaptureFailure.subject(names[0])): " : ""
    for remark in reading.remarks { Terminal.complain(subject + remark) }
    if let failure = failures.first { throw ExitCode(failure.kind.status) }
  }

  /// Which verbs there are, where what could not be opened may have been meant as one.
  private static func verbs(insteadOf name: String, _ failure: CaptureFailure) -> String {
    guard failure.kind == .inaccessible, name.allSatisfy({ $0.isASCII && $0.isLetter }),
      !Terminal.exists(name)
    else { return "" }
    let verbs = GattscopeCommand.configuration.subcommands.compactMap {
      $0.configuration.commandName
    }
    return "; the verbs are \(verbs.dropLast().joined(separator: ", ")) and \(verbs.last ?? "")"
  }
}

/// Prints the report on one source, whichever it is.
private struct Reading<Report: PacketReport & ~Copyable>: CaptureUser, ~Copyable {
  private let makeReport: (CaptureSummary) -> Report
  private let inspect: (borrowing Report) -> Void
  /// What is known of servers from elsewhere.
  private let maps: [SuppliedMap]
  /// Where the report is printed.
  private(set) var output: Output
  /// What is to be said beside it.
  var remarks: [String] = []

  init(
    to descriptor: Int32, _ maps: [SuppliedMap], _ makeReport: @escaping (CaptureSummary) -> Report,
    _ inspect: @escaping (borrowing Report) -> Void
  ) {
    output = Output(descriptor: descriptor)
    self.maps = maps
    self.makeReport = makeReport
    self.inspect = inspect
  }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    var report = makeReport(source.summary)
    var pass = Pass(maps: maps)
    defer {
      if let remark = report.remark { remarks.append(remark) }
      if let remark = pass.suppliedUse?.remark { remarks.append(remark) }
      inspect(report)
    }
    try pass.run(&source, &report, into: &output)
  }
}

extension Run {
  /// A selection that knows the devices with the names that it asks for: where the capture can be read
  /// twice they are looked for beforehand, else each shows from the packet that tells its name.
  static func finding(_ selection: Selection, in names: [String]) -> Selection {
    guard selection.needsNames, names.allSatisfy(Terminal.isFile) else { return selection }
    var selection = selection
    // What is wrong with the capture the second time will say.
    if names.count == 1, var source = try? CaptureReader(path: names[0]) {
      selection.namedDevices = addresses(of: selection, in: &source)
    } else if names.count > 1, var source = try? JoinedSource(paths: names) {
      selection.namedDevices = addresses(of: selection, in: &source)
    }
    return selection
  }

  private static func addresses<Source: CaptureSource & ~Copyable>(
    of selection: Selection, in source: inout Source
  ) -> Set<DeviceAddress> {
    var report = NamesReport(selection)
    var pass = Pass()
    var output = Output()
    try? pass.run(&source, &report, into: &output)
    return report.addresses
  }
}

extension CaptureFailure.Kind {
  /// The exit status, as sysexits.h numbers them.
  fileprivate var status: Int32 {
    switch self {
    case .notReadable, .damaged: 65
    case .inaccessible: 66
    }
  }
}
