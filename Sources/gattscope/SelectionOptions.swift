import ArgumentParser
import Bluetooth
import Reports

/// Which packets to show. Each option can be repeated: any of its values matches; different options
/// must all match.
struct SelectionOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets about a device: its address (C0:FF:* for all that begin so), or its name (J*).",
      valueName: "address|name"),
    transform: { try DevicePattern($0) })
  var device: [DevicePattern] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Connections by their number, several with commas; info lists them.", valueName: "n"))
  var connection: [NumberRanges] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Packets of a controller: 0 or hci0.", valueName: "n"),
    transform: { try AdapterArgument.index($0) })
  var adapter: [ClosedRange<Int>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "ATT PDUs and advertisements that carry a UUID or are about an attribute that has it.",
      valueName: "uuid"),
    transform: { try Selection.uuid($0) })
  var uuid: [BluetoothUUID] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "ATT PDUs with an attribute handle, and answers to those: 0x0010, or 0x10-0x20.",
      valueName: "handle"),
    transform: { try Selection.handles($0) })
  var handle: [ClosedRange<UInt16>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Layers, several with commas: \(Selection.Layer.keys.joined(separator: ", ")).",
      valueName: "layer,\u{2026}"),
    completion: .list(Selection.Layer.keys), transform: { try Selection.Layer.list($0) })
  var layer: [[Selection.Layer]] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Only packets sent by the host, or received.", valueName: "direction"))
  var direction: [DirectionArgument] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Opcodes of ATT, pairing and commands, with the answers that name them: 0x12, 'Write Request'.",
      valueName: "opcode"),
    transform: { try OpcodeFilter($0) })
  var opcode: [OpcodeFilter] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "HCI events: 0x05, 0x3e:0x01 with a subevent, or a name or a part of it.",
      valueName: "event"),
    transform: { try EventFilter($0) })
  var event: [EventFilter] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "What came of it: 0x05, a name or a part of it, or '!0' for any failure.",
      valueName: "status"),
    transform: { try StatusFilter($0) })
  var status: [StatusFilter] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Bytes in an attribute value or advertisement: 'a5 06 * 03', where * is any one byte.",
      valueName: "bytes"),
    transform: { try BytePattern($0) })
  var value: [BytePattern] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Packets with a word in their line, in any case.", valueName: "word"),
    transform: { try TextPattern($0) })
  var text: [TextPattern] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets by number: 97, 97-164, 97-, or several with commas.", valueName: "a-b"))
  var packets: [NumberRanges] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "From a time on: seconds (12.5), time of day (12:03:15) or date and time; Z for UTC.",
      valueName: "time"),
    transform: { try TimePoint($0) })
  var from: [TimePoint] = []

  @Option(
    name: .long, help: ArgumentHelp("Up to a time, written as for --from.", valueName: "time"),
    transform: { try TimePoint($0) })
  var to: [TimePoint] = []

  @Flag(name: .long, help: "Only packets that report a failure or have a problem.")
  var errors = false

  @Option(name: .long, help: "Stop after so many packets.")
  var limit: Int?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes a number from 0 on.") }
    do throws(SelectionError) {
      _ = try TimeRange.ranges(from: from, to: to)
    } catch {
      throw ValidationError("\(error.description).")
    }
  }

  /// What the options say.
  func selection() throws -> Selection {
    var selection = Selection()
    selection.packets = packets.flatMap(\.ranges)
    selection.connections = connection.flatMap(\.ranges)
    selection.adapters = adapter
    selection.devices = device
    selection.uuids = uuid
    selection.handles = handle
    selection.layers = layer.flatMap(\.self)
    selection.directions = direction.map(\.direction)
    selection.opcodes = opcode.reduce(into: nil) { all, one in
      if all?.formUnion(one) == nil { all = one }
    }
    selection.events = event.reduce(into: nil) { all, one in
      if all?.formUnion(one) == nil { all = one }
    }
    selection.statuses = status
    selection.values = value
    selection.words = text
    selection.times = try TimeRange.ranges(from: from, to: to)
    selection.errorsOnly = errors
    selection.limit = limit
    return selection
  }
}

/// `0` or `hci0`.
enum AdapterArgument {
  static func index(_ text: String) throws -> ClosedRange<Int> {
    let digits = text.hasPrefix("hci") ? text.dropFirst(3) : text[...]
    guard let index = UInt16(digits) else {
      throw ValidationError("expected a controller's number, as in 0 or hci0")
    }
    return Int(index)...Int(index)
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

/// `sent` or `received`.
struct DirectionArgument: ExpressibleByArgument, CaseIterable {
  static let allCases = [Self(direction: .sent), Self(direction: .received)]
  let direction: Direction

  init(direction: Direction) { self.direction = direction }

  init?(argument: String) {
    guard let found = Self.allCases.first(where: { $0.defaultValueDescription == argument }) else {
      return nil
    }
    self = found
  }

  var defaultValueDescription: String { direction == .sent ? "sent" : "received" }
  static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
