import ArgumentParser
import Captures

/// The options for recording everything that arrives.
struct RecordingOptions: ParsableArguments {
  @Option(
    name: [.customShort("w"), .customLong("write")],
    help: ArgumentHelp(
      """
      Write everything that arrives to a file, in the format of its ending: \(WriterFormat.endings). - means \
      standard output, as pcapng.
      """, valueName: "file"), completion: .file())
  var write: String?

  @OptionGroup
  var file: CaptureFileOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      Start a new file at this size: bytes, or with the suffix k, M or G; after a colon, how many files to \
      keep.
      """, valueName: "size[:count]"),
    transform: { text in
      guard let rotation = Rotation(text) else {
        throw ValidationError(
          "expected at least \(Rotation.leastBytes) bytes, as in 100M, and after a colon a number of files "
            + "above 0, as in 100M:5")
      }
      return rotation
    })
  var rotate: Rotation?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Read a marker from each line of a named pipe.", valueName: "file"),
    completion: .file())
  var markFrom: String?

  func validate() throws {
    if markFrom?.isEmpty == true {
      throw ValidationError("--mark-from: the name of the pipe is missing.")
    }
    guard let write else {
      for (name, isSet) in [
        ("--rotate", rotate != nil), ("--as", !file.formats.isEmpty), ("--force", file.force),
      ] where isSet {
        throw ValidationError("\(name) is about the file of -w.")
      }
      return
    }
    if file.formats.count > 1 {
      throw ValidationError("--as: one format, not \(file.formats.count).")
    }
    if file.target(of: write)?.sniffer != nil {
      throw ValidationError(
        "--as: packets from a sniffer are recorded as they are; convert writes them with another header."
      )
    }
    if file.target(of: write) == nil {
      throw ValidationError(
        "-w \(write): cannot tell the format from the file name; expected \(WriterFormat.endings), or --as with a format."
      )
    }
    if rotate != nil, write == "-" || Terminal.isOtherThanFile(write) {
      throw ValidationError(
        "--rotate: \(WriteFailure.subject(write)) cannot be continued in another file.")
    }
  }

  /// Whether the recording goes to standard output, so that nothing else may be printed there.
  var takesOutput: Bool { write == "-" }
}

/// The options for when `live` stops by itself.
struct LiveEndOptions: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"),
    transform: { text in
      guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
        throw ValidationError(
          "expected seconds, more than 0 and at most 1000000000, as in 0.5 or 30")
      }
      return seconds
    })
  var duration: Double?

  @Option(
    name: .long, help: ArgumentHelp("Stop after this many records.", valueName: "number"),
    transform: { text in
      guard let count = Int(text), count > 0 else {
        throw ValidationError("expected a whole number, 1 or more; without --count there is no end")
      }
      return count
    })
  var count: Int?

  @Flag(name: .long, help: "Stop when a connection has ended: one of the selected ones, if any.")
  var untilDisconnect = false
}
