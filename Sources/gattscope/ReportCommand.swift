import ArgumentParser
import Bluetooth
import Captures
import Documents
import Redaction
import Reports
import Sessions

/// `report`: one HTML page about a capture.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write one HTML page to read and to share.",
    discussion: """
      The page opens in a browser without a network. It shows the findings of explain, a timeline of the \
      connections, the packets as a list and as a ladder between host and peer, charts of values, and the map. \
      You can search all of it; packets, lanes and findings link to each other. Without JavaScript, it \
      still shows the findings, the values and the map.

      If a capture is too large for the page, flow control and advertising are omitted first, and the \
      page reports it.

      Examples:
        gattscope report -o page.html btsnoop_hci.log
        gattscope report --connection 3 -o page.html btsnoop_hci.log.last btsnoop_hci.log
        gattscope report --redact --title 'Lamp goes out' --note 'See #80.' -o page.html capture.btsnoop
        gattscope report --limit 5M --force -o page.html btsnoop_hci.log
        gattscope report capture.btsnoop > page.html
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup
  var file: PageFileOptions

  @Option(
    name: .long, help: ArgumentHelp("A title instead of the capture's name.", valueName: "text"))
  var title = ""

  @Option(
    name: .long, help: ArgumentHelp("A note to show above everything else.", valueName: "text"))
  var note = ""

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The largest size of the page, as in 800k or 5M. The default is 20M.", valueName: "size"),
    transform: { try PageSize.read($0) })
  var limit: Int?

  @OptionGroup(title: "Redaction")
  var redacting: RedactionArguments

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var selection: PacketOptions

  @OptionGroup(title: "Selection")
  var end: EndOption

  @OptionGroup(title: "Selection")
  var kinds: PacketKindOptions

  @OptionGroup
  var supplied: SuppliedOptions

  @Flag(name: .long, help: "Show keys and other secrets instead of <hidden>.")
  var showKeys = false

  func validate() throws {
    _ = try StretchOptions.times(selection.from, end.to)
    if redacting.redact, !selection.subject.parties.device.isEmpty {
      throw ValidationError(
        "--redact replaces the addresses and names that --device selects by; use --connection.")
    }
  }

  mutating func run() throws {
    try file.refuseToWrite(over: captures)
    let profiles = try supplied.profiles()
    let found = try archives.search(captures)
    let bonds = try supplied.bonds() + found.bonds
    var options = PageOptions()
    options.profiles = profiles
    options.selection = Run.finding(
      try selection.selection(profiles, kinds, to: end.to), in: found.files, bonds: bonds)
    options.name = PageFileOptions.fileNames(captures).joined(separator: " ")
    options.isRedacted = redacting.redact
    options.keepsVendors = redacting.keepVendor
    options.phones = found.archives.compactMap(\.report.words)
    options.remarks = found.failures.map { [options] in options.sentence(about: $0) }
    (options.title, options.note, options.showsKeys) = (title, note, showKeys)
    options.limit = limit ?? PageOptions.usualLimit
    try file.write { try write(found, options, maps: supplied.maps(), bonds, to: $0) }
  }

  private func write(
    _ found: CaptureSearch, _ options: PageOptions, maps: [SuppliedMap], _ bonds: [Bond],
    to descriptor: Int32
  ) throws {
    guard let redaction = redacting.options(bonds: bonds) else {
      return try Run.captures(
        found, to: descriptor, maps: maps, bonds: bonds, profiles: options.profiles
      ) {
        PageReport(options, $0)
      }
    }
    // Its pass gets no keys from other sources: they name devices by their real addresses.
    try Run.redacted(
      found, redaction, to: descriptor, maps: maps, profiles: options.profiles
    ) {
      PageReport(options, $0)
    }
  }
}

/// The size of a page, as in `500k` or `20M`.
enum PageSize {
  /// The least size, in bytes: everything but the packets may need nearly as much.
  private static let least = 500_000

  static func read(_ text: String) throws -> Int {
    let units: [Character: Int] = ["k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000]
    let unit = text.last.flatMap { units[$0] }
    let number = Int(unit == nil ? text[...] : text.dropLast())
    guard let (size, isTooLarge) = number?.multipliedReportingOverflow(by: unit ?? 1),
      !isTooLarge, size >= least, size <= 1_000_000_000
    else { throw ValidationError("expected a size from 500k to 1G, as in 800k or 5M") }
    return size
  }
}
