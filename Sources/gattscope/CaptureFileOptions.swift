import ArgumentParser
import Captures

/// How a capture is written: its format, and whether it may replace a file.
struct CaptureFileOptions: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The format to write, whatever the file name ends with; convert --list-formats lists them.",
      valueName: "format"),
    completion: .list(WriterTarget.rows.map(\.name)),
    transform: { text in
      guard let target = WriterTarget(name: text) else {
        throw ValidationError("expected a format: \(CaptureFileOptions.formatNames)")
      }
      return target
    })
  var formats: [WriterTarget] = []

  @Flag(name: .long, help: "Replace the file if it exists.")
  var force = false

  /// All formats, as a sentence lists them.
  static var formatNames: String { WriterTarget.rows.map(\.name).joined(separator: ", ") }

  /// The format of the file `path`: the one that was asked for, or that the name ends with. A stream, whose
  /// name need not tell it, gets the one that holds most; nil for other names.
  func target(of path: String) -> WriterTarget? {
    if let format = formats.first ?? WriterTarget(path: path) { return format }
    return path == "-" || Terminal.isOtherThanFile(path) ? .stream : nil
  }

  /// Refuses to replace a file that has something in it, unless `--force` allows that, and to write to a
  /// terminal.
  ///
  /// - Throws: the exit status.
  func refuseToWrite(to path: String) throws { try Self.refuseToWrite(to: path, unless: force) }

  /// Refuses to replace a file that has something in it, unless that is forced, and to write to a terminal.
  ///
  /// - Throws: the exit status.
  static func refuseToWrite(to path: String, unless force: Bool) throws {
    if path == "-", Terminal.isTerminal {
      Terminal.complain("standard output is a terminal; name a file, or pipe it into a program")
      throw ExitCode(64)
    }
    // An empty file holds nothing that could be lost: mktemp and the like make such.
    if !force, CaptureFile(path).byteCount ?? 0 > 0 {
      Terminal.complain("\(path) already exists; name another file, or replace it with --force")
      throw ExitCode(73)
    }
  }
}
