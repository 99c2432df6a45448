import ArgumentParser
import Captures

/// The options for writing a capture: its format, and whether an existing file may be replaced.
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

  /// The names of all formats, separated by commas.
  static var formatNames: String { WriterTarget.rows.map(\.name).joined(separator: ", ") }

  /// Returns the format for the file at `path`: the one given with `--as`, or the one its name ends
  /// with. A stream, whose name need not reveal a format, gets the most capable one; other names
  /// get nil.
  func target(of path: String) -> WriterTarget? {
    if let format = formats.first ?? WriterTarget(path: path) { return format }
    return path == "-" || Terminal.isOtherThanFile(path) ? .stream : nil
  }

  /// Refuses to replace a file that is not empty, unless `--force` is given, and to write to a
  /// terminal.
  ///
  /// - Throws: the exit status.
  func refuseToWrite(to path: String) throws { try Self.refuseToWrite(to: path, unless: force) }

  /// Refuses to replace a file that has something in it, unless that is forced, and to write to a
  /// terminal.
  ///
  /// - Throws: the exit status.
  static func refuseToWrite(to path: String, unless force: Bool) throws {
    if path == "-", Terminal.isTerminal {
      Terminal.complain("standard output is a terminal; name a file, or pipe it into a program")
      throw ExitCode(64)
    }
    // An empty file has nothing to lose; mktemp and similar programs create one.
    if !force, CaptureFile(path).byteCount ?? 0 > 0 {
      Terminal.complain("\(path) already exists; name another file, or replace it with --force")
      throw ExitCode(73)
    }
  }
}
