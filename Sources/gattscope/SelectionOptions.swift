import ArgumentParser
import Bluetooth
import Decoders
import Reports

/// The options for devices, connections and controllers. Each option can be repeated.
struct PartyOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets about a device: address (C0:FF:* for a prefix) or name (J*); '!J*' excludes, as ! does in the other selectors.",
      valueName: "address|name"),
    transform: { try Choice(text: $0) { try DevicePattern($0) } })
  var device: [Choice<DevicePattern>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Connections by number, separated by commas; info lists them.", valueName: "n,\u{2026}"),
    transform: { try NumberRanges.read($0, "connections by number, as in 1 or 1,3") })
  var connection: [Choice<ClosedRange<Int>>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets of an adapter: 0 or hci0; several with commas.", valueName: "n,\u{2026}"),
    transform: { try Choice($0, AdapterArgument.index) })
  var adapter: [Choice<ClosedRange<Int>>] = []

  /// Copies these options into a selection.
  func choose(in selection: inout Selection) {
    device.choose(in: &selection) { $0.devices = $1 }
    connection.choose(in: &selection) { $0.connections = $1 }
    adapter.choose(in: &selection) { $0.adapters = $1 }
  }
}

/// The options for packets, attributes and values that nearly all reports accept.
struct SubjectOptions: ParsableArguments {
  @OptionGroup
  var parties: PartyOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets that carry a UUID, or are about an attribute with it or inside a service with it; several "
        + "with commas; 00020002-\u{2026} as printed.",
      valueName: "uuid,\u{2026}"),
    transform: { try Choice($0, Selection.uuid) })
  var uuid: [Choice<UUIDPattern>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets about an attribute handle, with the answers: 0x0010 or 16, 0x10-0x20, several with commas.",
      valueName: "handle,\u{2026}"),
    transform: { try Choice($0, Selection.handles) })
  var handle: [Choice<ClosedRange<UInt16>>] = []

  /// Copies these options into a selection.
  func choose(in selection: inout Selection) {
    parties.choose(in: &selection)
    uuid.choose(in: &selection) { $0.uuids = $1 }
    handle.choose(in: &selection) { $0.handles = $1 }
  }
}

/// The option that selects packets by their layer.
struct LayerOption: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Layers, several with commas: \(Selection.Layer.keys.joined(separator: ", ")).",
      valueName: "layer,\u{2026}"),
    completion: .custom { SeveralValues.completions($2, among: Selection.Layer.keys) },
    transform: { try Choice($0) { try Selection.Layer($0) } })
  var layer: [Choice<Selection.Layer>] = []
}

/// The options that select packets by their kind or their words.
struct PacketKindOptions: ParsableArguments {
  @OptionGroup
  var layers: LayerOption

  @OptionGroup
  var others: OtherKindOptions

  /// Copies these options into a selection.
  func choose(in selection: inout Selection) {
    layers.layer.choose(in: &selection) { $0.layers = $1 }
    others.choose(in: &selection)
  }
}

/// The options for kinds and words of packets, which values do not have.
struct OtherKindOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Opcodes of ATT, SMP, HCI commands and LL control PDUs, with the answers that name them: 0x12,0x52 or 18, or (part of) a "
        + "name, 'Write Request'.",
      valueName: "opcode"),
    transform: { try Choice($0) { try OpcodeFilter($0) } })
  var opcode: [Choice<OpcodeFilter>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "HCI events: 0x05,0x08 or 5, 0x3e:0x01 with a subevent, or all whose names contain these words, "
        + "'connection complete'.",
      valueName: "event"),
    transform: { try Choice($0) { try EventFilter($0) } })
  var event: [Choice<EventFilter>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets whose line contains a word, in upper or lower case.", valueName: "word"),
    transform: { try Choice(text: $0) { try TextPattern($0) } })
  var text: [Choice<TextPattern>] = []

  /// Copies these options into a selection.
  func choose(in selection: inout Selection) {
    opcode.choose(in: &selection) { $0.opcodes = OpcodeFilter($1) }
    event.choose(in: &selection) { $0.events = EventFilter($1) }
    selection.words = text.flatMap { choice in
      choice.wanted
        + choice.excluded.map { word in
          var word = word
          word.isExcluded = true
          return word
        }
    }
  }
}

/// The options that select packets, except for the end of a time range. Each option can be
/// repeated: any of its values matches; different options must all match.
struct PacketOptions: ParsableArguments {
  @OptionGroup
  var subject: SubjectOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only packets sent by the host, or received; on the air: of the central or peripheral.",
      valueName: "sent|received"),
    completion: .list(["sent", "received", "central", "peripheral"]),
    transform: { try Choice($0) { try DirectionPattern($0) } })
  var direction: [Choice<DirectionPattern>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The outcome: 0x05 or 5, (part of) its name, or '!0' for any failure.",
      valueName: "status"))
  var status: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Bytes in an attribute value or advertisement, hexadecimal: 'a5 06 * 03', where * stands for any byte.",
      valueName: "bytes"),
    transform: { try Choice(text: $0) { try BytePattern($0) } })
  var value: [Choice<BytePattern>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Packets by number: 97, 97-164, 97-, or several with commas.", valueName: "a-b,\u{2026}"),
    transform: { try NumberRanges.read($0, "packets by number, as in 97, 97-164, 97- or 3,97") })
  var packets: [Choice<ClosedRange<Int>>] = []

  @Flag(name: .long, help: "Packets that report a failure or are malformed.")
  var errors = false

  /// The last one: help shows the end of the time range after it.
  @Option(
    name: .long,
    help: ArgumentHelp(StretchOptions.fromHelp, valueName: "time"),
    transform: { try TimePoint($0) })
  var from: [TimePoint] = []

  /// Returns the selection that the options describe.
  ///
  /// - Parameters:
  ///   - profiles: the user's profiles, which may name errors.
  ///   - kinds: the options for kinds of packets.
  ///   - ends: the ends of the time ranges.
  func selection(
    _ profiles: SuppliedProfiles, _ kinds: PacketKindOptions, to ends: [TimePoint]
  ) throws -> Selection {
    var selection = Selection()
    kinds.choose(in: &selection)
    subject.choose(in: &selection)
    packets.choose(in: &selection) { $0.packets = $1 }
    direction.choose(in: &selection) { $0.directions = $1 }
    selection.statuses = try status.map { text in
      do throws(SelectionError) {
        return try StatusFilter(text, profiles)
      } catch {
        throw ValidationError("--status \(text): \(error.description).")
      }
    }
    value.choose(in: &selection) { $0.values = $1 }
    selection.times = try StretchOptions.times(from, ends)
    selection.errorsOnly = errors
    return selection
  }
}

/// Stretches of time, for reports that are not narrowed down to packets.
struct StretchOptions: ParsableArguments {
  static let fromHelp =
    "Start time: seconds (12.5), time of day (12:03:15) or date and time, in UTC."
  static let toHelp = "End time, written as for --from."

  @Option(
    name: .long, help: ArgumentHelp(Self.fromHelp, valueName: "time"),
    transform: { try TimePoint($0) })
  var from: [TimePoint] = []

  @Option(
    name: .long, help: ArgumentHelp(Self.toHelp, valueName: "time"),
    transform: { try TimePoint($0) })
  var to: [TimePoint] = []

  func validate() throws { _ = try times() }

  /// The stretches between these times.
  func times() throws -> [TimeRange] { try Self.times(from, to) }

  /// Returns the stretches from each time of `from` to the one at the same place in `to`.
  static func times(_ from: [TimePoint], _ to: [TimePoint]) throws -> [TimeRange] {
    do throws(SelectionError) {
      return try TimeRange.ranges(from: from, to: to)
    } catch {
      throw ValidationError("\(error.description).")
    }
  }
}

/// The end of a time range that begins with the `--from` of `PacketOptions`.
struct EndOption: ParsableArguments {
  @Option(
    name: .long, help: ArgumentHelp(StretchOptions.toHelp, valueName: "time"),
    transform: { try TimePoint($0) })
  var to: [TimePoint] = []
}

/// The options that select the packets to show.
struct SelectionOptions: ParsableArguments {
  @OptionGroup
  var packets: PacketOptions

  // Not option groups: each more would lengthen the start by two per cent.
  @Option(
    name: .long, help: ArgumentHelp(StretchOptions.toHelp, valueName: "time"),
    transform: { try TimePoint($0) })
  var to: [TimePoint] = []

  @Option(name: .long, help: CountArgument.help, transform: CountArgument.limit)
  var limit: Int?

  /// Whether a time range is selected.
  var choosesTimes: Bool { !packets.from.isEmpty || !to.isEmpty }

  func validate() throws { _ = try StretchOptions.times(packets.from, to) }

  /// Returns the selection that the options describe.
  ///
  /// - Parameters:
  ///   - profiles: the user's profiles, which may name errors.
  ///   - kinds: the options for kinds of packets.
  func selection(
    _ profiles: SuppliedProfiles, _ kinds: PacketKindOptions
  ) throws -> Selection {
    var selection = try packets.selection(profiles, kinds, to: to)
    selection.limit = limit
    return selection
  }
}

/// Parses the number of packets at most.
enum CountArgument {
  static let help = ArgumentHelp(
    "Stop after this many packets (values: this many values; trace: lines).", valueName: "n")

  static func limit(_ text: String) throws -> Int {
    guard let limit = Int(text), limit >= 0 else {
      throw ValidationError("expected a number from 0 on, as in 20")
    }
    return limit
  }
}

/// Parses a controller's number: `0` or `hci0`.
enum AdapterArgument {
  static func index(_ text: String) throws -> ClosedRange<Int> {
    let digits = text.hasPrefix("hci") ? text.dropFirst(3) : text[...]
    guard let index = UInt16(digits) else {
      throw ValidationError("expected a controller's number, as in 0 or hci0")
    }
    return Int(index)...Int(index)
  }
}

/// Parses numbers and ranges: `97`, `97-164`, `97-`, separated by commas; each number may start
/// with `#`.
enum NumberRanges {
  /// - Parameter expected: what an error reports as expected.
  static func read(_ text: String, _ expected: String) throws -> Choice<ClosedRange<Int>> {
    try Choice(text) { part in
      // Both dashes are accepted, since reports print ranges with the long one.
      let ends = part.filter { $0 != "#" }
        .split(omittingEmptySubsequences: false) { "-–".contains($0) }
      let from = ends.first.flatMap { $0.isEmpty ? 1 : Int($0) }
      let to = ends.last.flatMap { $0.isEmpty ? Int.max : Int($0) }
      guard ends.count <= 2, ends.contains(where: { !$0.isEmpty }), let from, let to, from >= 1,
        from <= to
      else { throw ValidationError("expected \(expected)") }
      return from...to
    }
  }
}

/// Parses values separated by commas.
enum SeveralValues {
  static func read<Value>(_ text: String, _ one: (String) throws -> Value) throws -> [Value] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      try one(String(part.drop { $0 == " " }))
    }
  }

  /// Returns completions of the last value in `prefix` that are not among the values before it.
  static func completions(_ prefix: String, among words: [String]) -> [String] {
    var start = prefix.lastIndex(of: ",").map { prefix[...$0] } ?? ""
    let given = start.split(separator: ",").map { $0.drop { $0 == Exclusion.mark } }
    if prefix.dropFirst(start.count).first == Exclusion.mark { start.append(Exclusion.mark) }
    return words.filter { word in !given.contains { $0 == word } }.map { start + $0 }
  }
}

/// The mark that excludes the values after it.
enum Exclusion {
  static let mark: Character = "!"
}

/// The values of one argument: those that are wanted, and those after a `!`, which are excluded.
struct Choice<Value> {
  private(set) var wanted: [Value] = []
  private(set) var excluded: [Value] = []

  /// Reads values separated by commas. A `!` applies to all values after it.
  init(_ text: String, _ one: (String) throws -> Value) throws {
    var isExcluded = false
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      var part = part.drop { $0 == " " }
      if part.first == Exclusion.mark {
        isExcluded = true
        part = part.dropFirst().drop { $0 == " " }
      }
      try add(one(String(part)), isExcluded: isExcluded)
    }
  }

  /// Reads one value, which may contain commas. `\!` begins one that begins with `!` itself.
  init(text: String, _ one: (String) throws -> Value) throws {
    if text.first == Exclusion.mark {
      try add(one(String(text.dropFirst())), isExcluded: true)
    } else {
      try add(one(text.hasPrefix("\\!") ? String(text.dropFirst()) : text), isExcluded: false)
    }
  }

  private mutating func add(_ value: Value, isExcluded: Bool) {
    if isExcluded { excluded.append(value) } else { wanted.append(value) }
  }
}

extension Array {
  /// Copies the values of an option into a selection, and those that are excluded.
  func choose<Value>(
    in selection: inout Selection, _ copy: (inout Selection, [Value]) -> Void
  ) where Element == Choice<Value> {
    if isEmpty { return }
    copy(&selection, flatMap(\.wanted))
    let excluded = flatMap(\.excluded)
    if !excluded.isEmpty { selection.exclude { copy(&$0, excluded) } }
  }
}
