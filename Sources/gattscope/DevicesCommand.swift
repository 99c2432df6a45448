import ArgumentParser
import Bluetooth
import Captures
import Reports
import Sessions

/// `devices`: who is advertising, and what.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Say who is advertising, and what.",
    discussion: """
      First the scans of the captured host and how they were set up, then what this host itself \
      advertises, then each device that was heard or connected: addresses, name, services, how often \
      and how strong, and its distinct data. With --json one object a line.

      What is selected counts: with --from and --to only the reports of that time. Interval and signal \
      strength are told only where the scan did not filter duplicates. Beacons and other data are decoded \
      where a profile explains them: one of the program's own, or of yours (--profile).

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

  @OptionGroup
  var times: TimeOptions

  @OptionGroup
  var supplying: ProfileFileOptions

  @OptionGroup
  var known: KeysFileOptions

  @OptionGroup
  var presentation: OutputOptions

  func validate() throws {
    if times.time == .delta {
      throw ValidationError("--time delta is for lines, which devices has none of.")
    }
  }

  mutating func run() throws {
    var options = DevicesOptions()
    options.isJSON = presentation.json
    presentation.apply(to: &options.show)
    let profiles = try supplying.profiles()
    options.show.profiles = profiles
    let found = try archives.search(captures)
    let bonds = try known.bonds() + found.bonds
    options.show.selection = Run.finding(
      try selection.selection(profiles), in: found.files, bonds: bonds)
    options.times = times.time
    options.show.time = times.time ?? .elapsed
    options.show.zoneOffset = Terminal.zoneOffset(at:)
    try Run.captures(found, bonds: bonds, profiles: nil) { DevicesReport(options, $0) }
  }
}
