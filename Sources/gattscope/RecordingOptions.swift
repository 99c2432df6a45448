import ArgumentParser
import Captures

/// What becomes of everything that arrives.
struct RecordingOptions: ParsableArguments {
  @Option(
    name: [.customShort("w"), .customLong("write")],
    help: ArgumentHelp(
      """
      Write everything that arrives to a file, as its ending says: \(WriterFormat.endings). - is standard \
      output, and then pcapng.
      """, valueName: "file"), completion: .file())
  var write: String?

  @OptionGroup
  var file: CaptureFileOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      Begin another file where one would be longer: bytes, or with k, M or G behind the number; behind a \
      colon, how many are kept.
      """, valueName: "size[:count]"),
    transform: { text in
      guard let rotation = Rotation(text) else {
        throw ValidationError(
          "expected at least \(Rotation.leastBytes) bytes, as in 100M, and behind a colon a number of files "
            + "above 0, as in 100M:5")
      }
      return rotation
    })
  var rotate: Rotation?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Take each line of a named pipe as a marker's text.", valueName: "file"),
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
    if file.target(of: write) == nil {
      throw ValidationError(
        "-w \(write): the name tells no format; expected \(WriterFormat.endings), or --as with a format."
      )
    }
    if rotate != nil, write == "-" || Terminal.isOtherThanFile(write) {
      throw ValidationError(
        "--rotate: \(WriteFailure.subject(write)) is no file that another could follow.")
    }
  }

  /// Whether standard output is what is recorded, and free for nothing else.
  var takesOutput: Bool { write == "-" }
}

/// When watching ends by itself.
struct LiveEndOptions: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp("End after so many seconds.", valueName: "seconds"),
    transform: { text in
      guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
        throw ValidationError(
          "expected seconds, more than 0 and at most 1000000000, as in 0.5 or 30")
      }
      return seconds
    })
  var duration: Double?

  @Option(
    name: .long, help: ArgumentHelp("End after so many records.", valueName: "number"),
    transform: { text in
      guard let count = Int(text), count > 0 else {
        throw ValidationError("expected a whole number, 1 or more; without --count there is no end")
      }
      return count
    })
  var count: Int?

  @Flag(name: .long, help: "End when a connection has ended: one of those selected, if any are.")
  var untilDisconnect = false
}
