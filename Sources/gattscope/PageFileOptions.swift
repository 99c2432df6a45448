import ArgumentParser
import Captures
import Glibc

/// The options for writing a page or a script: its file, and whether it may replace another one.
struct PageFileOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; - means standard output.", valueName: "file"),
    completion: .file())
  var output = "-"

  @Flag(name: .long, help: "Replace the file if it exists.")
  var force = false

  /// Whether neither option is given.
  var isUnused: Bool { output == "-" && !force }

  /// Returns the ends of paths: one part of each, or as many as distinguish them. The page may be
  /// sent to others, who should not see the folders.
  static func fileNames(_ paths: [String]) -> [String] {
    // Mostly there is one, and then its last part is enough.
    if paths.count == 1, let path = paths.first, path != "-" {
      return [path.split(separator: "/").last.map { String($0) } ?? ""]
    }
    let parts = paths.map { $0.split(separator: "/") }
    func ends(_ count: Int) -> [String] {
      zip(paths, parts).map { path, parts in
        path == "-" ? CaptureFailure.subject(path) : parts.suffix(count).joined(separator: "/")
      }
    }
    let most = max(1, parts.map(\.count).max() ?? 1)
    let distinct = Set(paths).count
    return ends((1...most).first { Set(ends($0)).count == distinct } ?? most)
  }

  /// Refuses to replace a file that is not empty, unless `--force` is given, to replace a capture
  /// that is read, and to write to a terminal.
  ///
  /// - Throws: the exit status.
  func refuseToWrite(over captures: [String]) throws {
    try CaptureFileOptions.refuseToWrite(to: output, unless: force)
    for capture in captures where Terminal.isSameFile(capture, output) {
      Terminal.complain(
        "\(CaptureFailure.subject(capture)) is the capture itself; name another file to write")
      throw ExitCode(64)
    }
  }

  /// Opens the file, has `write` write the page, and gives the file its name.
  ///
  /// - Throws: the exit status, or what `write` throws.
  func write(_ write: (Int32) throws -> Void) throws {
    let isReplaced = output != "-" && CaptureFile(output).byteCount ?? 0 > 0
    let file: NewFile
    do throws(WriteFailure) { file = try NewFile(path: output) } catch { throw Self.failed(error) }
    var failure: (any Error)?
    do { try write(file.descriptor) } catch { failure = error }
    // What is written about a damaged capture shows what is before the damage; an incomplete file
    // is useless.
    if (failure as? ExitCode)?.rawValue != 74, lseek(file.descriptor, 0, SEEK_CUR) != 0 {
      do throws(WriteFailure) { try file.keep() } catch { throw Self.failed(error) }
      if isReplaced { Terminal.complain("\(output) was replaced") }
    }
    if let failure { throw failure }
  }

  /// Reports why the file was not written, and returns the exit status.
  private static func failed(_ failure: WriteFailure) -> ExitCode {
    Terminal.complain(failure.sentence)
    return ExitCode(74)
  }
}
