import ArgumentParser
import Bluetooth
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

      --as bleak writes a Python script that does with bleak what the client did: it connects, subscribes, \
      reads and writes, with the pauses of the capture. It contains no keys and no hidden values. Its \
      first lines list what it leaves out; if that is everything, the exit status is 2.

      Examples:
        gattscope trace capture.btsnoop
        gattscope trace --as android btsnoop_hci.log
        gattscope trace --as android --app-only --connection 2 btsnoop_hci.log
        gattscope trace --as bleak -o replay.py --connection 2 btsnoop_hci.log
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
      "The API to use: corebluetooth, android, or bleak for a script. The default is what the capture shows: Android's vendor commands or bug report, PacketLogger; else the name of an Android log (btsnoop_hci.log); else corebluetooth.",
      valueName: "platform"),
    completion: .list(TraceForm.names),
    transform: { text in
      guard let form = TraceForm(text) else {
        throw ValidationError(
          "expected \(TraceForm.names.dropLast().joined(separator: ", ")) or \(TraceForm.names.last ?? "")"
        )
      }
      return form
    })
  var form: TraceForm?

  @OptionGroup
  var file: PageFileOptions

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
    guard case .bleak = form else {
      if !file.isUnused {
        throw ValidationError("--output and --force are for the script of --as bleak.")
      }
      return
    }
    if presentation.json || appLog != nil || appOnly || duplicates {
      throw ValidationError(
        "--as bleak writes a script; --json, --app-log, --app-only and --duplicates are for lines.")
    }
    if presentation.showKeys {
      throw ValidationError("--show-keys: a script never contains keys or hidden values.")
    }
    let others = kinds.others
    if !others.opcode.isEmpty || !others.event.isEmpty || !others.text.isEmpty {
      throw ValidationError(
        "--opcode, --event and --text choose packets and lines; a script has operations, which --uuid, --handle and others choose."
      )
    }
  }

  mutating func run() throws {
    var isScript = false
    if case .bleak = form { isScript = true }
    if isScript {
      try file.refuseToWrite(over: captures)
    } else {
      presentation.terminal.page(captures)
    }
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
    if isScript { return try write(found, options, try supplied.maps(), bonds) }
    if case .platform(let platform) = form {
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

extension TraceCommand {
  /// Writes the script.
  private func write(
    _ found: CaptureSearch, _ options: TraceOptions, _ maps: [SuppliedMap], _ bonds: [Bond]
  ) throws {
    let name = PageFileOptions.fileNames(captures).joined(separator: " ")
    var replaysNothing = false
    try file.write { descriptor in
      try Run.captures(
        found, to: descriptor, maps: maps, bonds: bonds, profiles: options.profiles
      ) { _ in
        BleakScript(options, name: name)
      } inspect: {
        replaysNothing = $0.replaysNothing
      }
    }
    if replaysNothing { throw ExitCode(2) }
  }
}

/// What a trace is written as.
enum TraceForm {
  case platform(Platform)
  /// A script for bleak.
  case bleak

  static let names = Platform.allCases.map(\.rawValue) + ["bleak"]

  init?(_ text: String) {
    if text == "bleak" {
      self = .bleak
    } else if let platform = Platform(rawValue: text) {
      self = .platform(platform)
    } else {
      return nil
    }
  }
}

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
