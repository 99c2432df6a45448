import ArgumentParser
import Reports

/// How a packet's line looks.
struct PacketLineOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print every field of every layer, one a line.")
  var verbose = false

  @Flag(name: .long, help: "Fold what carries no news: flow control, success, discovery, rounds.")
  var brief = false

  @Flag(
    name: .customShort("x"), help: "Print each record's bytes; with -v each field's, beside it.")
  var hex = false

  @Flag(name: .long, help: "Add each record's bytes: to JSON as hexadecimal, to text as -x does.")
  var raw = false

  /// Whether one was asked for.
  var isAnySet: Bool { verbose || brief || hex || raw }

  /// Refuses what excludes each other.
  func validate(isJSON: Bool) throws {
    if brief, isJSON {
      throw ValidationError("--brief is for text: with --json each packet has its object.")
    }
  }

  /// Puts what was asked for into a report's options.
  func apply(to options: inout ShowOptions) {
    options.isVerbose = verbose
    options.isBrief = brief
    options.showsBytes = hex || raw
  }
}
