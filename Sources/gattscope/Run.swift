import ArgumentParser
import Bytes
import Captures
import Glibc
import Reports
import Sessions

/// Runs a report over a capture and turns what goes wrong into sentences and exit statuses.
enum Run {
  /// Reads the capture `name` and prints the report that `makeReport` gives for it.
  static func capture<Report: PacketReport & ~Copyable>(
    _ name: String, _ makeReport: (CaptureSummary) -> Report
  ) throws {
    var output = Output(descriptor: STDOUT_FILENO)
    var remark: String?
    do throws(CaptureFailure) {
      var source = try BtsnoopReader(path: name)
      var report = makeReport(source.summary)
      var pass = Pass()
      try pass.run(&source, &report, into: &output)
      remark = report.remark
    } catch {
      Terminal.complain(error.sentence(about: name))
      // What could not be written weighs more than what could not be read.
      try Terminal.check(output)
      throw ExitCode(error.kind.status)
    }
    try Terminal.check(output)
    if let remark { Terminal.complain("\(name == "-" ? "standard input" : name): \(remark)") }
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
