import ArgumentParser
import Reports

/// The options for how a packet is printed.
struct PacketLineOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print every field of every layer, one per line.")
  var verbose = false

  @Flag(
    name: .long, help: "Fold routine packets: flow control, success, discovery, passkey rounds.")
  var brief = false

  @Flag(name: .long, help: "Print each empty packet of a capture from the air, too.")
  var all = false

  @Flag(
    name: .customShort("x"), help: "Print the bytes of each record; with -v, of each field.")
  var hex = false

  @Flag(
    name: .long, help: "Add the bytes of each record: in hexadecimal to JSON, as -x does to text.")
  var raw = false

  /// Whether any of these options was given.
  var isAnySet: Bool { verbose || brief || all || hex || raw }

  /// Refuses options that exclude each other.
  func validate(isJSON: Bool) throws {
    if brief, isJSON {
      throw ValidationError("--brief is for text: with --json each packet has its object.")
    }
  }

  /// Copies these options into a report's options.
  func apply(to options: inout ShowOptions) {
    options.isVerbose = verbose
    options.isBrief = brief
    options.showsBytes = hex || raw
    options.foldsEmpty = !all && !verbose && !options.selection.layers.contains(.air)
  }
}
