import ArgumentParser
import Bluetooth
import Captures
import Reports
import Sessions

/// `devices`: lists the devices that advertise, and what they advertise.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the devices that advertise, and what they advertise.",
    discussion: """
      Lists the scans of this host and their settings, then each device that was heard or connected: \
      addresses, name, services, how often and how strongly it was heard, and its distinct data. Connected \
      devices come first, then connectable ones; what this host advertises comes last. With --json, prints one object per line.

      Only selected packets count: with --from and --to, the reports of that time. Intervals and signal \
      strength are given only if the scan did not filter duplicates. Beacons and other data are decoded if \
      a profile describes them: a built-in one, or one of yours (--profile).

      Examples:
        gattscope devices btsnoop_hci.log
        gattscope devices --device 'HRM*' capture.btsnoop
        gattscope devices --uuid 180d --from 12.5 --to 60 capture.btsnoop
        gattscope devices --json capture.btsnoop | jq -c '[.address, .name, .rssi_dbm.median]'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var selection: SelectionOptions

  @OptionGroup(title: "Selection")
  var kinds: PacketKindOptions

  @Option(name: .long, help: ShowOptions.TimeStyle.help)
  var time: ShowOptions.TimeStyle?

  @Flag(name: .long, help: "Explain what an iOS app could not advertise in the same way.")
  var ios = false

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  @Option(name: .long, help: KeysArgument.help, completion: .file())
  var keys: [String] = []

  @OptionGroup
  var presentation: OutputOptions

  func validate() throws {
    if time == .delta {
      throw ValidationError("--time delta applies to lines, and devices prints none.")
    }
  }

  mutating func run() throws {
    presentation.terminal.page(captures)
    var options = DevicesOptions()
    options.isJSON = presentation.json
    options.showsAppleLimits = ios
    presentation.apply(to: &options.show)
    let profiles = try ProfileArgument.profiles(profile)
    options.show.profiles = profiles
    let found = try archives.search(captures)
    let bonds = try KeysArgument.bonds(keys) + found.bonds
    options.show.selection = Run.finding(
      try selection.selection(profiles, kinds), in: found.files, bonds: bonds)
    options.times = time
    options.show.time = time ?? .elapsed
    options.show.zoneOffset = Terminal.zoneOffset(at:)
    try Run.captures(found, bonds: bonds, profiles: nil) { DevicesReport(options, $0) }
  }
}
