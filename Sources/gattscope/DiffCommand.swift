import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Comparisons
import Decoders
import Glibc
import Reports
import Sessions

/// `diff`: compares two captures, or two connections of one capture.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "Compare two captures, such as a working session and a failing one.",
    discussion: """
      The first difference that matters comes first: the earliest operation that succeeds on one side and \
      fails on the other. Below it are the differences in security, link, map, conversation and timing. \
      Operations are aligned by meaning, not by packet, handle or time; consecutive notifications count as \
      one step. Random values of a pairing, times, and checksums that depend on them are shown but do not \
      count as differences.

      Devices are paired by address, by name, or by the shape of their maps. Either side may also be a map \
      saved with map --json; then only maps are compared.

      If nothing differs, nothing is printed and the exit status is 0; otherwise it is 1.

      Examples:
        gattscope diff working.btsnoop failing.btsnoop
        gattscope diff --stat before.log after.log
        gattscope diff --left-connection 1 --right-connection 3 btsnoop_hci.log
        gattscope diff --ignore sequence --ignore 2a19 phone.log mine.btsnoop
        gattscope diff band-1.2.json band-1.3.json      maps of map --json
        gattscope diff --html -o page.html working.btsnoop failing.btsnoop
        gattscope diff --json a.btsnoop b.btsnoop | jq '.operations[] | select(.kind == "removed") | .name'
      """)

  @Argument(
    help: ArgumentHelp(
      "The left and the right capture; or one capture, of which two connections or devices are compared.",
      valueName: "capture"),
    completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Compare only these connections on the left, by number; info lists them.",
      valueName: "n,\u{2026}"),
    transform: { try NumberRanges.read($0, Self.numbers) })
  var leftConnection: [Choice<ClosedRange<Int>>] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Compare only these connections on the right.", valueName: "n,\u{2026}"),
    transform: { try NumberRanges.read($0, Self.numbers) })
  var rightConnection: [Choice<ClosedRange<Int>>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Compare only this device on the left: address (C0:FF:* for a prefix) or name (J*).",
      valueName: "address|name"),
    transform: { try Choice(text: $0) { try DevicePattern($0) } })
  var leftDevice: [Choice<DevicePattern>] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Compare only this device on the right.", valueName: "address|name"),
    transform: { try Choice(text: $0) { try DevicePattern($0) } })
  var rightDevice: [Choice<DevicePattern>] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A field that may differ: by name (day), with its attribute or profile (fff6.day), all of one (fff6), or "
        + "all that differ for a known reason (random, time). A byte without a decoder is 'byte 4'. Can be repeated.",
      valueName: "field"))
  var ignore: [String] = []

  @Flag(name: .long, help: "Print only how many differences there are.")
  var stat = false

  @Flag(
    name: .long,
    help: "Print an HTML page: both conversations side by side, from the first difference on.")
  var html = false

  @OptionGroup
  var file: PageFileOptions

  @Flag(name: .long, help: "Also print what is the same, and every value that differs.")
  var all = false

  @OptionGroup
  var supplied: SuppliedOptions

  @OptionGroup
  var presentation: OutputOptions

  private static let numbers = "connections by number, as in 1 or 1,3"

  private var sides: (left: Selection, right: Selection) {
    var sides = (left: Selection(), right: Selection())
    leftConnection.choose(in: &sides.left) { $0.connections = $1 }
    leftDevice.choose(in: &sides.left) { $0.devices = $1 }
    rightConnection.choose(in: &sides.right) { $0.connections = $1 }
    rightDevice.choose(in: &sides.right) { $0.devices = $1 }
    return sides
  }

  mutating func validate() throws {
    guard 1...2 ~= captures.count else {
      throw ValidationError("Two captures are compared, or two connections of one.")
    }
    if captures.count == 1, sides.left.isEverything || sides.right.isEverything {
      throw ValidationError(
        "With one capture --left-connection and --right-connection select what is compared, or --left-device "
          + "and --right-device.")
    }
    if captures == ["-", "-"] {
      throw ValidationError("Standard input is one capture; the other one must be a file.")
    }
    if [stat, presentation.json, html].count(where: { $0 }) > 1 {
      throw ValidationError("--stat, --html and --json exclude each other.")
    }
    if !html, !file.isUnused {
      throw ValidationError("--output and --force are for the page that --html writes.")
    }
  }

  mutating func run() throws {
    if html { try file.refuseToWrite(over: captures) }
    if !html { presentation.terminal.page(captures) }
    var options = DiffOptions()
    presentation.apply(to: &options)
    options.isJSON = presentation.json
    options.isHTML = html
    if html { (options.glyphs, options.width, options.usesColor) = (.utf8, nil, false) }
    options.isSummary = stat
    options.showsEqual = all
    options.ignored = ignore
    options.isOneCapture = captures.count == 1
    options.sides = sides
    let names = html ? PageFileOptions.fileNames(captures) : captures
    options.names = (names[0], names[names.count - 1])
    let reader = SideReader(
      archives: archives, maps: try supplied.maps(), bonds: try supplied.bonds(),
      profiles: try supplied.profiles(),
      showsKeys: presentation.showKeys)
    var damage: ExitCode?
    var left = try reader.read(captures[0], &damage)
    var right = captures.count == 1 ? left : try reader.read(captures[1], &damage)
    // Maps of the user's name what they name.
    if captures.count == 2, reader.maps.isEmpty {
      let maps = RememberedCapture.namingMaps(left, right, options)
      reader.readAgain(&left, captures[0], with: maps.left)
      reader.readAgain(&right, captures[1], with: maps.right)
    }
    let report = DifferenceReport(consume left, consume right, options)
    if let missing = report.missing {
      Terminal.complain(missing)
      throw damage ?? ExitCode(64)
    }
    for name in report.ignoredInVain {
      Terminal.complain("--ignore \(name): no difference has this name")
    }
    if report.isOfNothing {
      Terminal.complain("no connection on either side: there is nothing to compare")
    }
    if html {
      try file.write { try Terminal.write(to: $0) { report.write(into: &$0) } }
    } else {
      try Terminal.write { report.write(into: &$0) }
    }
    // Where something is printed, it says so itself.
    if report.isSame, report.hasUncompared, !all, !html, !presentation.json {
      Terminal.complain(DifferenceReport.uncomparedRemark)
    }
    if let damage { throw damage }
    if !report.isSame { throw ExitCode(1) }
  }
}

/// Reads one side of a comparison.
private struct SideReader {
  let archives: ArchiveOptions
  let maps: [SuppliedMap]
  let bonds: [Bond]
  let profiles: SuppliedProfiles
  let showsKeys: Bool

  /// Reads a file. A damaged capture is read up to the damage.
  ///
  /// - Parameter damage: set to the exit status if the capture is damaged.
  func read(_ name: String, _ damage: inout ExitCode?) throws -> RememberedCapture {
    if name != "-", let bytes = mapBytes(name) {
      let file = name.split(separator: "/").last.map(String.init) ?? name
      do throws(MapFileError) {
        return try RememberedCapture(savedMap: bytes, name: file, profiles, showsKeys: showsKeys)
      } catch {
        Terminal.complain("\(name) \(error.message)")
        throw ExitCode(65)
      }
    }
    var found: RememberedCapture?
    let search = try archives.search([name])
    let (profiles, bonds, showsKeys) = (profiles, bonds + search.bonds, showsKeys)
    do {
      try Run.captures(search, maps: maps, bonds: bonds, profiles: profiles) { _ in
        SessionReport(profiles, showsKeys: showsKeys)
      } inspect: { report in
        found = report.capture
      }
    } catch let status as ExitCode {
      guard found != nil else { throw status }
      damage = status
    }
    guard let found else { throw ExitCode(66) }
    return found
  }

  /// Reads a capture again to name attributes with maps from the other side; does nothing if it
  /// cannot be read twice or contradicts them.
  func readAgain(
    _ capture: inout RememberedCapture, _ name: String, with maps: [SuppliedMap]
  ) {
    guard !maps.isEmpty, let search = try? archives.search([name]),
      search.files.allSatisfy({ $0.byteCount != nil })
    else { return }
    var report = SessionReport(profiles, showsKeys: showsKeys)
    var pass = Pass(
      maps: maps, secretTypes: SecretTypes(profiles.secretTypes),
      bonds: bonds + search.bonds)
    var output = Output()
    // Damage was reported by the first reading.
    if !search.isJoined, var source = try? CaptureReader(search.files[0].open()) {
      try? pass.run(&source, &report, into: &output)
    } else if var source = try? search.joined() {
      try? pass.run(&source, &report, into: &output)
    }
    let use = pass.suppliedUse
    // With more than can be kept, the first reading may have kept more operations.
    guard var again = report.capture, report.leftOutRemark == nil, use?.conflict == nil,
      use?.disagreeingHash == nil
    else { return }
    again.markNames(since: capture)
    capture = again
  }

  /// Returns the contents of `name` if it is a map, or nil if it is a capture. No capture starts
  /// with a map's first bytes.
  private func mapBytes(_ name: String) -> [UInt8]? {
    guard Terminal.isFile(name), let start = try? Terminal.contents(of: name, most: 64),
      let first = start.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }),
      first == UInt8(ascii: "{") || start.starts(with: "[General]".utf8)
    else { return nil }
    return try? Terminal.contents(of: name)
  }
}
