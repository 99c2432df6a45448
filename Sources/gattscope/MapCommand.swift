import ArgumentParser
import Bluetooth
import Reports

/// `map`: what services and characteristics devices have.
struct MapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "Say what services, characteristics and descriptors devices have.",
    discussion: """
      A tree for each GATT server: handles, UUIDs, properties and the last values, from every discovery \
      in the capture; what was refused; and handles that were used but never discovered, with what \
      their use says of them. Where the capture has the server's Database Hash the map is held \
      against it.

      Examples:
        gattscope map btsnoop_hci.log
        gattscope map --device 'HRM*' btsnoop_hci.log.last btsnoop_hci.log
        gattscope map --connection 3 --uuid 180d,2a19 btsnoop_hci.log
        gattscope map --json first.log > band.json; gattscope map --map band.json second.log
        gattscope map --json capture.btsnoop | jq '.devices[].services[].uuid'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only a device: its address (C0:FF:* for all that begin so), or its name (J*).",
      valueName: "address|name"),
    transform: { try DevicePattern($0) })
  var device: [DevicePattern] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only devices of connections by their number, several with commas; info lists them.",
      valueName: "n,\u{2026}"),
    transform: { try NumberRanges.read($0, "connections by number, as in 1 or 1,3") })
  var connection: [[ClosedRange<Int>]] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only devices of a controller: 0 or hci0; several with commas.", valueName: "n,\u{2026}"),
    transform: { try SeveralValues.read($0, AdapterArgument.index) })
  var adapter: [[ClosedRange<Int>]] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only services, characteristics and descriptors with a UUID; several with commas. A service is "
        + "shown with all that is in it.",
      valueName: "uuid,\u{2026}"),
    transform: { try SeveralValues.read($0, Selection.uuid) })
  var uuid: [[BluetoothUUID]] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only attributes with a handle: 0x0010 or 16, 0x10-0x20, several with commas.",
      valueName: "handle,\u{2026}"),
    transform: { try SeveralValues.read($0, Selection.handles) })
  var handle: [[ClosedRange<UInt16>]] = []

  @OptionGroup
  var supplied: MapFileOptions

  @OptionGroup
  var supplying: ProfileFileOptions

  @OptionGroup
  var presentation: OutputOptions

  mutating func run() throws {
    var options = MapOptions()
    options.selection.devices = device
    options.selection.connections = connection.flatMap(\.self)
    options.selection.adapters = adapter.flatMap(\.self)
    options.selection.uuids = uuid.flatMap(\.self)
    options.selection.handles = handle.flatMap(\.self)
    options.isJSON = presentation.json
    presentation.apply(to: &options)
    options.profiles = try supplying.profiles()
    let chosen = options
    try Run.captures(captures, maps: supplied.maps(), profiles: chosen.profiles) { _ in
      MapReport(chosen)
    }
  }
}
