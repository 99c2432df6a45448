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

extension Run {
  /// A selection that knows the devices with the names that it asks for: where the capture can be read
  /// twice they are looked for beforehand, else each shows from the packet that tells its name.
  static func finding(_ selection: Selection, in name: String) -> Selection {
    guard selection.needsNames, Terminal.isFile(name), var source = try? BtsnoopReader(path: name)
    else { return selection }
    var report = NamesReport(selection)
    var pass = Pass()
    var output = Output()
    // What is wrong with the capture the second time will say.
    try? pass.run(&source, &report, into: &output)
    var selection = selection
    selection.namedDevices = report.addresses
    return selection
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
