import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Glibc
import Reports
import Sessions

/// `values`: lists the values of each characteristic.
struct ValuesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "values",
    abstract: "List the value of each characteristic, and how it changed.",
    discussion: """
      Prints a table: for each characteristic, how often it was read, written, notified or indicated, its \
      first and last value, how many different values it had, and what was refused. Values that took \
      several packets are joined (long reads, prepared writes). Service data and manufacturer data in \
      advertisements count as values too. Numbers get a chart. Values are decoded if a profile describes \
      them: a built-in one, or one of yours (--profile).

      --rate prints how fast values crossed each connection: bytes per second over time, values and packets \
      in a connection interval, how long packets waited in the controller, round trips, what the link would \
      allow, and what limits a transfer.

      --all prints one line per value, as soon as its outcome is known; --csv and --json do the same for \
      programs. --distinct, --changes and --messages print fewer lines, and go with both. --raw writes the bytes of one characteristic or L2CAP channel to a file.

      Examples:
        gattscope values capture.btsnoop
        gattscope values --uuid 2a37 --all capture.btsnoop
        gattscope values --rate capture.btsnoop
        gattscope values --csv --uuid 2a19 capture.btsnoop > battery.csv
        gattscope values --csv --wide --columns elapsed_s,heart_rate --uuid 2a37 capture.btsnoop
        gattscope values --distinct --uuid 2a19 capture.btsnoop
        gattscope values --changes --operation notification capture.btsnoop
        gattscope values --messages --csv --wide --profile band.yaml capture.btsnoop > band.csv
        gattscope values --json capture.btsnoop | jq 'select(.error)'
        gattscope values --uuid 6e400003-b5a3-f393-e0a9-e50e24dcca9e --raw log.bin capture.btsnoop
        gattscope values --channel 0x0041 --direction sent --raw image.bin capture.btsnoop
        ssh pi tail -c +1 -f trace | gattscope values --follow -
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var selection: SelectionOptions

  @OptionGroup(title: "Selection")
  var layers: LayerOption

  /// Accepted, so that a message reports what to use instead.
  @OptionGroup(visibility: .hidden)
  var kinds: OtherKindOptions

  @OptionGroup
  var supplied: SuppliedOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Operations, several with commas: \(OperationArgument.keys.joined(separator: ", ")).",
      valueName: "operation,\u{2026}"),
    completion: .custom { SeveralValues.completions($2, among: OperationArgument.keys) },
    transform: { try Choice($0, OperationArgument.operation) })
  var operation: [Choice<ValueOperation>] = []

  @Flag(name: .long, help: "Print every value on its own line instead of the table.")
  var all = false

  @Flag(
    name: .long,
    help:
      "Print values as they arrive, until the stream ends or you press Ctrl-C; both exit with status 0."
  )
  var follow = false

  @Flag(
    name: .long,
    help: "Print each distinct value of each attribute, with its count and first packet.")
  var distinct = false

  @Flag(
    name: .long,
    help: "Print only values that differ from the one before, with the last write before each.")
  var changes = false

  @Flag(
    name: .long,
    help:
      "Print one line per message of a vendor's protocol: the whole message, its packets and its answer."
  )
  var messages = false

  @Flag(name: .long, help: "Print CSV, one row per value.")
  var csv = false

  @Flag(name: .long, help: "With --csv: add a column for each decoded field.")
  var wide = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "With --csv: only these columns, in this order; several with commas, as in "
        + "time,name,value. With --wide also names of fields.",
      valueName: "column,\u{2026}"),
    completion: .custom {
      SeveralValues.completions($2, among: ValueColumn.allCases.map(\.title))
    },
    transform: { try SeveralValues.read($0, { $0 }) })
  var columns: [[String]] = []

  @Flag(
    name: .long,
    help: "List the values of advertisers, too, although devices were connected.")
  var advertised = false

  @Flag(
    name: .long,
    help:
      "Print how fast the values crossed each connection, what the link would allow, and what limits a transfer."
  )
  var rate = false

  @Flag(
    name: .long,
    help:
      "Print what each byte of a characteristic's values does: constant, counter, text or range, and a suspected checksum."
  )
  var positions = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write the bytes of the selected characteristic or channel, in order, to a file; - "
        + "means standard output.",
      valueName: "file"),
    completion: .file())
  var raw: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "With --raw: an L2CAP channel by its number, as show prints it, or by its CID on this host: 0x0041.",
      valueName: "cid"),
    transform: { text in
      guard let handles = try? Selection.handles(text), handles.count == 1 else {
        throw ValidationError("expected a channel identifier, as in 0x0041")
      }
      return handles.lowerBound
    })
  var channel: UInt16?

  @Option(name: .long, help: ShowOptions.TimeStyle.help)
  var time: ShowOptions.TimeStyle?

  @OptionGroup
  var presentation: OutputOptions

  func validate() throws {
    if [distinct, changes, messages, rate, positions, raw != nil].count(where: { $0 }) > 1 {
      throw ValidationError(
        "--distinct, --changes, --messages, --rate, --positions and --raw exclude each other.")
    }
    if distinct, follow {
      throw ValidationError("--distinct counts to the end; with --follow there is none.")
    }
    if rate || positions, all || csv || follow {
      throw ValidationError(
        "--rate and --positions exclude --all, --csv and --follow; --json goes with them.")
    }
    let packets = selection.packets
    if rate, packets.errors || !packets.value.isEmpty || !packets.status.isEmpty {
      throw ValidationError(
        "--rate counts all values of an attribute; --value, --status and --errors choose some.")
    }
    let forms = [all, csv, presentation.json, raw != nil].count { $0 }
    if forms > 1 {
      throw ValidationError("--all, --csv, --json and --raw exclude each other.")
    }
    if follow, raw != nil {
      throw ValidationError("--raw writes a file that is whole; with --follow there is no end.")
    }
    if wide || !columns.isEmpty, !csv {
      throw ValidationError("--wide and --columns go with --csv.")
    }
    if wide, follow, columns.isEmpty {
      throw ValidationError(
        "--wide needs all values to know the columns; with --follow, choose them with --columns.")
    }
    let titles = usualColumns.map(\.title)
    for column in columns.joined() where !wide && !titles.contains(column) {
      throw ValidationError(
        "'\(column)' is not a column; there are \(titles.joined(separator: ", ")); "
          + "names of decoded fields go with --wide.")
    }
    if csv, time == .delta {
      throw ValidationError("--time delta is for lines; rows count from the first record.")
    }
    let hasLines =
      rows != .all || all || csv || follow || presentation.json && !rate && !positions
    if let time = time, !hasLines, time == .delta || !selection.choosesTimes {
      throw ValidationError(
        "--time is for --all, --follow and --csv, and for how --from and --to are read; the table and "
          + "--raw have no times.")
    }
    if channel != nil, raw == nil {
      throw ValidationError("--channel goes with --raw: what crosses a channel has no values.")
    }
    if !kinds.opcode.isEmpty || !kinds.event.isEmpty || !kinds.text.isEmpty {
      throw ValidationError(
        "--opcode, --event and --text choose packets, not values; --operation chooses values.")
    }
    let ofValues: [Selection.Layer] = [.att, .rfcomm, .l2cap, .advertising]
    for layer in layers.layer.flatMap(\.wanted) where !ofValues.contains(layer) {
      throw ValidationError("values are of --layer att, rfcomm, l2cap or adv; others have none.")
    }
  }

  /// The columns that rows may have.
  private var usualColumns: [ValueColumn] { ValueColumn.all(of: rows) }

  /// What has a line or a row.
  private var rows: ValuesOptions.Rows {
    distinct ? .distinct : changes ? .changes : messages ? .messages : .all
  }

  mutating func run() throws {
    if !follow, raw == nil { presentation.terminal.page(captures) }
    var options = ValuesOptions()
    let profiles = try supplied.profiles()
    options.profiles = profiles
    let found = try archives.search(captures, follows: follow)
    let bonds = try supplied.bonds() + found.bonds
    var packets = PacketKindOptions()
    (packets.layers, packets.others) = (layers, kinds)
    options.selection = Run.finding(
      try selection.selection(profiles, packets), in: found.files, bonds: bonds)
    let operations = operation.flatMap(\.wanted)
    if !operations.isEmpty { options.operations = Set(operations) }
    options.operations.subtract(operation.flatMap(\.excluded))
    options.time = time ?? .elapsed
    options.rows = rows
    options.listsAdvertised =
      advertised || !layers.layer.isEmpty || !options.selection.devices.isEmpty
      || !options.selection.uuids.isEmpty || !options.selection.values.isEmpty
    (options.isWide, options.isStreamed) = (wide, follow)
    options.columns = columns.flatMap(\.self)
    options.zoneOffset = Terminal.zoneOffset(at:)
    presentation.apply(to: &options)
    let maps = try supplied.maps()
    if let raw {
      try write(raw, of: found, options, maps, bonds)
    } else if rate {
      let isJSON = presentation.json
      try Run.captures(found, maps: maps, bonds: bonds, profiles: options.profiles) { _ in
        RateReport(options, json: isJSON)
      }
    } else if positions {
      let isJSON = presentation.json
      try Run.captures(found, maps: maps, bonds: bonds, profiles: options.profiles) { _ in
        PositionsReport(options, isJSON: isJSON)
      }
    } else if presentation.json {
      try Run.captures(
        found, follows: follow, reportsNotes: true, maps: maps, bonds: bonds,
        profiles: options.profiles
      ) {
        ValueLines(options, .json, $0)
      }
    } else if csv {
      try Run.captures(
        found, follows: follow, reportsNotes: true, maps: maps, bonds: bonds,
        profiles: options.profiles
      ) {
        ValueLines(options, .csv, $0)
      }
    } else if all || follow || rows != .all {
      try Run.captures(
        found, follows: follow, reportsNotes: true, maps: maps, bonds: bonds,
        profiles: options.profiles
      ) {
        ValueLines(options, .text, $0)
      }
    } else {
      try Run.captures(found, maps: maps, bonds: bonds, profiles: options.profiles) { _ in
        ValuesReport(options)
      }
    }
  }

  /// Writes the selected bytes to a file, which is created only if all goes well.
  private func write(
    _ name: String, of found: CaptureSearch, _ options: ValuesOptions, _ maps: [SuppliedMap],
    _ bonds: [Bond]
  ) throws {
    let file: NewFile
    do throws(WriteFailure) { file = try NewFile(path: name) } catch { throw Self.failed(error) }
    var refusal: String?
    var failure: (any Error)?
    do {
      try Run.captures(
        found, to: file.descriptor, maps: maps, bonds: bonds, profiles: options.profiles
      ) { _ in
        RawValues(options, channel: channel)
      } inspect: { report in
        refusal = report.refusal
      }
    } catch {
      failure = error
    }
    // The file is kept for a damaged capture, with the bytes up to the damage, but not if some
    // bytes could not be written. If there was nothing to write, an existing file with this name
    // stays unchanged.
    let isWhole = refusal == nil && (failure as? ExitCode)?.rawValue != 74
    if isWhole, lseek(file.descriptor, 0, SEEK_CUR) > 0 {
      do throws(WriteFailure) { try file.keep() } catch { throw Self.failed(error) }
    }
    if let failure { throw failure }
    if let refusal {
      Terminal.complain(refusal)
      throw ExitCode(64)
    }
  }

  /// Reports why the file was not created, and returns the exit status.
  private static func failed(_ failure: WriteFailure) -> ExitCode {
    Terminal.complain(failure.sentence)
    return ExitCode(74)
  }
}

/// Parses an operation by its name in text or JSON, or in other programs.
enum OperationArgument {
  static let keys = ValueOperation.allCases.map { $0.words.description }

  static func operation(_ text: String) throws -> ValueOperation {
    guard let found = ValueOperation(named: text) else {
      throw ValidationError(
        "'\(text)' is not an operation; there are \(keys.dropLast().joined(separator: ", ")) and "
          + (keys.last ?? ""))
    }
    return found
  }
}
