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
      strength are told only where the scan did not filter duplicates.

      Examples:
        gattscope devices btsnoop_hci.log
        gattscope devices --device 'HRM*' capture.btsnoop
        gattscope devices --uuid 180d --from 12.5 --to 60 capture.btsnoop
        gattscope devices --json capture.btsnoop | jq -c '[.address, .name, .rssi_dbm.median]'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var selection: SelectionOptions

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Flag(name: .long, help: "Print keys and other secrets instead of <hidden>.")
  var showKeys = false

  @OptionGroup(title: "Terminal")
  var terminal: TerminalOptions

  @OptionGroup(title: "Terminal")
  var signs: SignOptions

  mutating func run() throws {
    var options = DevicesOptions()
    options.isJSON = json
    options.show.selection = Run.finding(try selection.selection(), in: captures)
    options.show.showsKeys = showKeys
    options.show.usesColor = terminal.usesColor
    options.show.width = terminal.columns
    options.show.glyphs = signs.glyphs
    options.show.zoneOffset = Terminal.zoneOffset(at:)
    try Run.captures(captures) { DevicesReport(options, $0) }
  }
}
