import ArgumentParser
import Bluetooth
import Captures
import Reports

/// `map`: lists the services and characteristics of devices.
struct MapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "List the services, characteristics and descriptors of each device.",
    discussion: """
      Prints a tree for each GATT server: handles, UUIDs, properties and last values, from every discovery \
      in the capture; what was refused; and handles that were used but never discovered, with what their \
      use reveals. If the capture contains the server's Database Hash, the map is checked against it. \
      Values are decoded if a profile describes them: a built-in one, or one of yours (--profile).

      Examples:
        gattscope map btsnoop_hci.log
        gattscope map --device 'HRM*' btsnoop_hci.log.last btsnoop_hci.log
        gattscope map --connection 3 --uuid 180d,2a19 btsnoop_hci.log
        gattscope map --json first.log > band.json; gattscope map --map band.json second.log
        gattscope map --json capture.btsnoop | jq '.devices[].services[].uuid'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var subject: SubjectOptions

  @OptionGroup
  var supplied: SuppliedOptions

  @OptionGroup
  var presentation: OutputOptions

  mutating func run() throws {
    presentation.terminal.page(captures)
    var options = MapOptions()
    subject.choose(in: &options.selection)
    options.isJSON = presentation.json
    presentation.apply(to: &options)
    options.profiles = try supplied.profiles()
    let chosen = options
    let found = try archives.search(captures)
    try Run.captures(
      found, maps: supplied.maps(), bonds: supplied.bonds() + found.bonds,
      profiles: chosen.profiles
    ) { _ in
      MapReport(chosen)
    }
  }
}
