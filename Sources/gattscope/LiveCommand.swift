import ArgumentParser
import Captures
import Explanations
import Reports
import Sessions

/// `live`: shows packets as they happen.
struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Show packets as they happen.",
    discussion: """
      Does everything that show does, as packets arrive. --view values and --view devices keep a table on \
      the terminal instead; --view explain prints each problem as soon as it is certain. Ctrl-C stops: \
      what has arrived is still read, files are completed, and a summary goes to standard error.

      Sources (-i):
        monitor, hci0       the Linux kernel's monitor channel: all adapters, or one
        pcap:NAME           a Bluetooth device of libpcap; --list lists them
        unix:PATH           a socket created there, for clients of btmon --server
        tcp:HOST[:PORT]     btsnoop, as on Android: adb forward tcp:8872 tcp:8872
        tty:DEVICE[@SPEED]  the monitor of Zephyr or BlueZ on a serial line
        -, PATH             a capture as a stream: standard input or a named pipe

      -w writes everything that arrives, selected or not, in the format of the file's ending or of --as. -w - \
      writes to standard output, for Wireshark; packets are then printed only if an option such as --view or \
      --json requests it, to standard error. A file that is not empty is replaced only with --force. Press \
      Enter to set a marker between packets, after typing its text; it is shown, and written as a note.

      Examples:
        sudo gattscope live
        sudo gattscope live -i hci0 --layer att -w air.btsnoop
        sudo gattscope live --device 'HRM*' --view values
        gattscope live -i tty:/dev/ttyACM0@1000000
        ssh pi btmon -w /dev/stdout | gattscope live -i - --view explain
        gattscope live -i tcp:localhost -w phone.pcapng --rotate 100M:5 --json
        gattscope live -w - --as pcapng | wireshark -k -i -
      """)

  /// What the terminal shows.
  enum View: String, ExpressibleByArgument, CaseIterable {
    case packets, values, devices, explain
  }

  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp("The source of records.", valueName: "source"))
  var input = "monitor"

  @Flag(name: .long, help: "List the sources on this machine, and what each one needs.")
  var list = false

  @Option(name: .long, help: "What to print; packets by default.")
  var view: View?

  @OptionGroup(title: "Recording")
  var recording: RecordingOptions

  @OptionGroup(title: "End")
  var end: LiveEndOptions

  @Flag(name: .long, help: "Wait for a source that closes, and continue.")
  var reconnect = false

  @Flag(name: .long, help: "Stay root after opening the source if started with sudo.")
  var keepRoot = false

  @OptionGroup(title: "Selection")
  var selection: SelectionOptions

  @OptionGroup(title: "Selection")
  var kinds: PacketKindOptions

  @OptionGroup
  var supplied: SuppliedOptions

  @OptionGroup(title: "Packets")
  var lines: PacketLineOptions

  @Option(name: .long, help: ShowOptions.TimeStyle.help)
  var time: ShowOptions.TimeStyle?

  @OptionGroup
  var presentation: OutputOptions

  @Argument(help: .hidden)
  var others: [String] = []

  func validate() throws {
    if let other = others.first {
      throw ValidationError("\(other): a source is named after -i: gattscope live -i \(other).")
    }
    do throws(LiveAddress.Refusal) {
      _ = try LiveAddress(input)
    } catch {
      throw ValidationError("-i \(input.isEmpty ? "''" : input): \(error.words).")
    }
    try lines.validate(isJSON: presentation.json)
    if let view, view != .packets, lines.isAnySet {
      throw ValidationError("-v, --brief, -x and --raw are for --view packets.")
    }
  }

  mutating func run() throws {
    if list {
      let sources = SourceList(LiveSourceInfo.all, glyphs: presentation.terminal.glyphs)
      let isJSON = presentation.json
      return try Terminal.write {
        isJSON ? sources.writeJSON(into: &$0) : sources.writeText(into: &$0)
      }
    }
    var options = ShowOptions()
    let profiles = try supplied.profiles()
    options.profiles = profiles
    options.selection = try selection.selection(profiles, kinds)
    lines.apply(to: &options)
    presentation.apply(to: &options)
    options.time = time ?? .elapsed
    options.zoneOffset = Terminal.zoneOffset(at:)
    let session = LiveSession(
      address: try LiveAddress(input), reopens: reconnect, keepsRoot: keepRoot,
      recording: recording, end: end, printsToError: recording.takesOutput,
      selection: options.selection, maps: try supplied.maps(),
      bonds: try supplied.bonds(),
      profiles: profiles)
    if recording.takesOutput, view == nil, !presentation.json, !lines.isAnySet {
      return try session.run { _ in SilentReport() }
    }
    switch view ?? .packets {
    case .packets: try showPackets(session, options)
    case .values: try showValues(session, options)
    case .devices: try showDevices(session, options)
    case .explain: try explain(session, options)
    }
  }

  private func showPackets(_ session: LiveSession, _ options: ShowOptions) throws {
    if presentation.json {
      try session.run { ShowJSON(options, $0) }
    } else {
      try session.run { ShowText(options, $0) }
    }
  }

  private func showValues(_ session: LiveSession, _ shown: ShowOptions) throws {
    var options = ValuesOptions()
    presentation.apply(to: &options)
    options.profiles = shown.profiles
    options.selection = shown.selection
    options.time = shown.time
    options.zoneOffset = shown.zoneOffset
    let chosen = options
    if presentation.json {
      try session.run { ValueLines(chosen, .json, $0) }
    } else if Terminal.isTerminal {
      try session.draw { _ in ValuesReport(chosen) }
    } else {
      try session.run { ValueLines(chosen, .text, $0) }
    }
  }

  private func showDevices(_ session: LiveSession, _ shown: ShowOptions) throws {
    var options = DevicesOptions()
    options.show = shown
    options.times = time
    options.isJSON = presentation.json
    let chosen = options
    if Terminal.isTerminal, !presentation.json {
      try session.draw { DevicesReport(chosen, $0) }
    } else {
      try session.run { DeviceLines(chosen, $0) }
    }
  }

  private func explain(_ session: LiveSession, _ shown: ShowOptions) throws {
    var options = ExplainOptions()
    presentation.apply(to: &options)
    options.face = presentation.json ? .json : .text
    options.selection = shown.selection
    options.profiles = session.profiles
    let chosen = options
    try session.run(
      greeting: "watching; each problem is printed as soon as it is certain; Ctrl-C ends it"
    ) { _ in ExplainWatch(chosen) }
  }
}
