import ArgumentParser
import Bluetooth
import Captures
import Reports
import Sessions

/// `show`: shows what happened, packet by packet.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what happened, packet by packet.",
    discussion: """
      Prints one line per packet: number, time, gap since the packet before, connection, direction \
      (\u{2192} host to controller; in captures from the air, central to peripheral), and meaning. With \
      --json, prints one object per line.

      Values, beacons and vendor messages are decoded if a profile describes them: a built-in one, or one \
      of yours (--profile; see gattscope profiles --help).

      Selecting packets: repeat an option to match any of its values; packets must match all the options \
      you give. A ! before a value excludes it: --layer '!adv'. Numbers are hexadecimal after 0x, otherwise decimal; UUIDs, addresses and bytes are always \
      hexadecimal.

      Examples:
        gattscope show --connection 1 --layer att capture.btsnoop
        gattscope show --packets 97-164 -v capture.btsnoop
        gattscope show btsnoop_hci.log.last btsnoop_hci.log
        gattscope show --device 'HRM*' --brief capture.btsnoop
        gattscope show --profile band.yaml --uuid fff6,fff7 capture.btsnoop
        gattscope show --device C0:FF:EE:12:34:56 --from 12.5 --to 14 capture.btsnoop
        gattscope show --status '!0' capture.btsnoop
        gattscope show --follow --layer att /data/misc/bluetooth/logs/btsnoop_hci.log
        gattscope show --uuid 2a37,2a19 --value 'a5 06 * 03' capture.btsnoop
        gattscope show --keys pairing.pcap reconnection.pcap
        gattscope show --json capture.btsnoop | jq 'select(.att.error and (.att.ends_discovery | not))'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var selection: SelectionOptions

  @OptionGroup(title: "Selection")
  var kinds: PacketKindOptions

  @OptionGroup
  var supplied: SuppliedOptions

  @OptionGroup
  var lines: PacketLineOptions

  @Flag(
    name: .long,
    help:
      "Wait for more when the end is reached, and reopen the file if it is replaced; stop with Ctrl-C."
  )
  var follow = false

  @Option(name: .long, help: ShowOptions.TimeStyle.help)
  var time: ShowOptions.TimeStyle?

  @OptionGroup
  var presentation: OutputOptions

  func validate() throws {
    try lines.validate(isJSON: presentation.json)
    if follow, captures.count > 1 {
      throw ValidationError("--follow follows one capture.")
    }
  }

  mutating func run() throws {
    if !follow { presentation.terminal.page(captures) }
    var options = ShowOptions()
    let profiles = try supplied.profiles()
    options.profiles = profiles
    let found = try archives.search(captures, follows: follow)
    let bonds = try supplied.bonds() + found.bonds
    let chosen = try selection.selection(profiles, kinds)
    options.selection = follow ? chosen : Run.finding(chosen, in: found.files, bonds: bonds)
    options.time = time ?? .elapsed
    lines.apply(to: &options)
    presentation.apply(to: &options)
    let asksForAdvertising = options.selection.layers.contains(.advertising)
    options.suggestsBrief = Terminal.isTerminal && !lines.brief && !asksForAdvertising
    options.zoneOffset = Terminal.zoneOffset(at:)
    let maps = try supplied.maps()
    if presentation.json {
      try Run.captures(found, follows: follow, maps: maps, bonds: bonds, profiles: profiles) {
        [options] in ShowJSON(options, $0)
      }
    } else {
      try Run.captures(found, follows: follow, maps: maps, bonds: bonds, profiles: profiles) {
        [options] in ShowText(options, $0)
      }
    }
  }
}

/// `info`: summarises a capture.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Summarise a capture: format, time, records, adapters, connections, problems.",
    usage: "info [<options>] <capture> ...",
    discussion: """
      Run this first on a new capture. Several captures are described one after the other.

      Examples:
        gattscope info btsnoop_hci.log
        gattscope info *.log
        gattscope info --json btsnoop_hci.log | jq '.connections[].peer'
      """)

  @Argument(
    help: ArgumentHelp(
      "The captures, archives or bug reports, or - for standard input.", valueName: "capture"),
    completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @Option(name: .long, help: KeysArgument.help, completion: .file())
  var keys: [String] = []

  @Flag(name: .long, help: "Print a JSON document for each capture.")
  var json = false

  @OptionGroup(title: "Terminal")
  var terminal: TerminalOptions

  mutating func run() throws {
    terminal.page(captures)
    let bonds = try KeysArgument.bonds(keys)
    var failed: ExitCode?
    var isFirst = true
    for capture in captures {
      do {
        try describe(capture, bonds, isFirst: isFirst) { isFirst = false }
      } catch let status as ExitCode where status.rawValue != 74 {
        failed = failed ?? status
      }
    }
    if let failed { throw failed }
  }

  /// Prints one block or document.
  ///
  /// - Parameter done: called if it was printed.
  private func describe(
    _ capture: String, _ bonds: [Bond], isFirst: Bool, done: @escaping () -> Void
  ) throws {
    let found = try archives.search([capture])
    let (name, json, glyphs) = (found.files[0].name, json, terminal.glyphs)
    let (width, usesColor) = (terminal.columns, terminal.usesColor)
    try Run.captures(
      found, reportsRemarks: false, bonds: bonds, profiles: nil,
      {
        InfoReport(
          name, $0, archives: found.archives, json: json, isFirst: isFirst, glyphs: glyphs,
          width: width, usesColor: usesColor)
      }, inspect: { _ in done() })
  }
}
