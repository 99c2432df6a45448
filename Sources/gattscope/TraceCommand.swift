import ArgumentParser
import Bytes
import Captures
import Glibc
import Platforms
import Reports
import Sessions

/// `trace`: shows the callbacks that an app could have received.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show the callbacks that a CoreBluetooth or Android app could have received.",
    discussion: """
      Shows the capture as an app sees it: the callbacks that it could have received, at the earliest, and \
      the calls that it must have made if nothing comes back, each with the packet that shows it. What the \
      system does on its own, or does not report to apps, is marked [system] or in parentheses. --app-log \
      merges in the app's own log by time, so that you see which callbacks are missing there.

      Examples:
        gattscope trace capture.btsnoop
        gattscope trace --as android btsnoop_hci.log
        gattscope trace --as android --app-only --connection 2 btsnoop_hci.log
        gattscope trace --app-log app.log --clock-offset -0.35 capture.btsnoop
        gattscope trace --json capture.btsnoop | jq 'select(.arguments.error)'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The API to use: corebluetooth or android. The default is what the capture shows: Android's vendor commands or bug report, PacketLogger; else the name of an Android log (btsnoop_hci.log); else corebluetooth.",
      valueName: "platform"))
  var platform: Platform?

  @OptionGroup(title: "Selection")
  var selection: SelectionOptions

  @OptionGroup(title: "Selection")
  var kinds: PacketKindOptions

  @Flag(name: .long, help: "Omit what the system does on its own or does not report to apps.")
  var appOnly = false

  @Flag(
    name: .long, help: "Show every advertisement, not only those with new data.")
  var duplicates = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The app's log, to be merged by time: a text file whose lines begin with a time.",
      valueName: "file"),
    completion: .file())
  var appLog: String?

  // A number that starts with - is not an option.
  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Seconds to add to the times in the app's log: -0.35.",
      valueName: "seconds"))
  var clockOffset: Double = 0

  @OptionGroup
  var supplied: SuppliedOptions

  @Option(name: .long, help: ShowOptions.TimeStyle.help)
  var time: ShowOptions.TimeStyle?

  @OptionGroup
  var presentation: OutputOptions

  func validate() throws {
    guard clockOffset.isFinite, abs(clockOffset) < 1e9 else {
      throw ValidationError("--clock-offset is a number of seconds, as in -0.35.")
    }
    if clockOffset != 0, appLog == nil {
      throw ValidationError("--clock-offset goes with --app-log.")
    }
  }

  mutating func run() throws {
    presentation.terminal.page(captures)
    var options = TraceOptions()
    options.hidesSystem = appOnly
    options.reportsDuplicates = duplicates
    options.isJSON = presentation.json
    options.time = time ?? .elapsed
    options.zoneOffset = Terminal.zoneOffset(at:)
    let profiles = try supplied.profiles()
    options.profiles = profiles
    presentation.apply(to: &options)
    let found = try archives.search(captures)
    let bonds = try supplied.bonds() + found.bonds
    options.selection = Run.finding(
      try selection.selection(profiles, kinds), in: found.files, bonds: bonds)
    if let appLog {
      options.log = AppLog(
        try Terminal.file(appLog), offset: Int64((clockOffset * 1e9).rounded()))
    }
    if let platform {
      options.platform = platform
    } else if let shown = Run.platform(of: found.files) {
      (options.platform, options.platformPacket) = (shown.platform, shown.packet)
    } else if found.archives.contains(where: { !$0.report.isEmpty })
      || found.files.contains(where: \.hasAndroidName)
    {
      options.platform = .android
    }
    let chosen = options
    try Run.captures(
      found, maps: supplied.maps(), bonds: bonds, profiles: chosen.profiles
    ) {
      TraceReport(chosen, $0)
    }
  }
}

extension Platform: ExpressibleByArgument {}

extension Run {
  /// Returns the platform that the first packets of a file show, if it can be read twice.
  fileprivate static func platform(
    of files: [CaptureFile]
  ) -> (platform: Platform, packet: Int?)? {
    // Failures are reported by the second reading.
    guard let file = files.first, files.allSatisfy({ $0.byteCount != nil }),
      var source = try? CaptureReader(file.open())
    else { return nil }
    var report = PlatformReport(source.summary)
    var pass = Pass()
    var output = Output()
    try? pass.run(&source, &report, into: &output)
    return report.shown
  }
}

extension CaptureFile {
  /// Whether the file is named like an Android log, or like the text that contains its summary,
  /// possibly with a prefix.
  fileprivate var hasAndroidName: Bool {
    let file = name.split(separator: "/").last?.lowercased() ?? ""
    let usual = ["btsnoop_hci", "btsnooz_hci", "hci_snoop", "bluetooth_manager"]
    return file.hasSuffix(".cfa")
      || usual.contains { part in file.indices.contains { file[$0...].hasPrefix(part) } }
  }
}
