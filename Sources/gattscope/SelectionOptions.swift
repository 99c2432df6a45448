import ArgumentParser
import Bluetooth
import Reports

/// Which packets to show. Each option can be repeated: any of its values matches; different options
/// must all match.
struct SelectionOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets by number: 97, 97-164, 97-, or several with commas.", valueName: "a-b"))
  var packets: [NumberRanges] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Connections by their number, several with commas; info lists them.", valueName: "n"))
  var connection: [NumberRanges] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Layers: hci_cmd, hci_evt, acl, sco, iso, l2cap, att, smp, mgmt, adv, note, unknown.",
      valueName: "layer,…"))
  var layer: [Layers] = []

  @Option(name: .long, help: "Only packets sent by the host, or received: sent or received.")
  var direction: [DirectionArgument] = []

  @Flag(name: .long, help: "Only packets that report a failure or have a problem.")
  var errors = false

  @Option(name: .long, help: "Stop after so many packets.")
  var limit: Int?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes a number from 0 on.") }
  }

  /// What the options say.
  func selection() throws -> Selection {
    var selection = Selection()
    selection.packets = packets.flatMap(\.ranges)
    selection.connections = connection.flatMap(\.ranges)
    selection.layers = layer.flatMap(\.layers)
    selection.directions = direction.map(\.direction)
    selection.errorsOnly = errors
    selection.limit = limit
    return selection
  }
}

/// `97`, `97-164`, `97-`, with commas between several; a `#` may stand before numbers.
struct NumberRanges: ExpressibleByArgument {
  let ranges: [ClosedRange<Int>]

  init?(argument: String) {
    var ranges: [ClosedRange<Int>] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      // Both dashes are read, since reports print ranges with the long one.
      let ends = part.replacing("–", with: "-").replacing("#", with: "")
        .split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count <= 2, let first = ends.first, let last = ends.last,
        !(first.isEmpty && last.isEmpty)
      else { return nil }
      let from = first.isEmpty ? 1 : Int(first)
      let to = last.isEmpty ? Int.max : Int(last)
      guard let from, let to, from >= 1, from <= to else { return nil }
      ranges.append(from...to)
    }
    self.ranges = ranges
  }
}

/// Layers with commas between them.
struct Layers: ExpressibleByArgument {
  let layers: [Selection.Layer]

  init?(argument: String) {
    var layers: [Selection.Layer] = []
    for part in argument.split(separator: ",") {
      guard let layer = Selection.Layer(key: String(part)) else { return nil }
      layers.append(layer)
    }
    guard !layers.isEmpty else { return nil }
    self.layers = layers
  }
}

/// `sent` or `received`.
struct DirectionArgument: ExpressibleByArgument {
  let direction: Direction

  init?(argument: String) {
    switch argument {
    case "sent": direction = .sent
    case "received": direction = .received
    default: return nil
    }
  }
}
