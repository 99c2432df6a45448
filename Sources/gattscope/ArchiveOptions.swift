import ArgumentParser
import Captures

/// The options that choose which logs of an archive are read.
struct ArchiveOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Read only the logs of an archive whose paths match this pattern, as in '*.log.last'.",
      valueName: "pattern"))
  var entry: String?

  /// Finds the captures named by `names`, including the logs inside archives.
  ///
  /// - Parameter follows: whether to follow a growing capture, which cannot be an archive.
  /// - Throws: the exit status, if an archive cannot be read or contains no log.
  func search(_ names: [String], follows: Bool = false) throws -> CaptureSearch {
    if follows { return CaptureSearch(unopened: names) }
    do throws(CaptureFailure) {
      return try CaptureSearch(names, entries: entry, folder: Terminal.temporaryFolder)
    } catch {
      Terminal.complain(error.sentence(about: names[0]) + Run.verbs(insteadOf: names[0], error))
      throw ExitCode(error.kind.status)
    }
  }
}
