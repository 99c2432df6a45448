import ArgumentParser
import Bytes
import Captures
import Learning
import Reports

/// `profiles learn`: frames, checksums and exchanges of an unknown protocol, from a capture alone.
struct ProfilesLearnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn",
    abstract: "Learn the frames of an unknown protocol from a capture, and write a profile.",
    usage: "gattscope profiles learn [<options>] <capture> ...",
    discussion: """
      Looks for start bytes, lengths, checksums, commands, and which answer follows which request. \
      What is printed is certain or likely; everything else stays bytes. Numbers that the app showed \
      find the fields: --shown '#1234=3.312 cell 1'.

      Examples:
        gattscope profiles learn lamp.btsnoop
        gattscope profiles learn --uuid ff01,ff02 -o gadget.yaml lamp.btsnoop
        gattscope profiles learn --shown '#812=13.32 volts' --shown '#830=13.30 volts' -o gadget.yaml lamp.btsnoop
        gattscope profiles check gadget.yaml; gattscope show --profile gadget.yaml lamp.btsnoop
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A number that the app showed, with the packet that it came from, and its name if it has one; repeat it for more.",
      valueName: "#packet=number name"),
    transform: { try ShownArgument.read($0) })
  var shown: [ShownNumber] = []

  @OptionGroup
  var file: ProfileFileOptions

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var subject: SubjectOptions

  @OptionGroup
  var supplied: SuppliedOptions

  @OptionGroup
  var presentation: OutputOptions

  mutating func run() throws {
    try file.refuseToWrite(over: captures)
    var options = ValuesOptions()
    subject.choose(in: &options.selection)
    presentation.apply(to: &options)
    options.profiles = try supplied.profiles()
    let found = try archives.search(captures)
    let (chosen, shown, isJSON) = (options, shown, presentation.json)
    let name = file.profileName
    let source = PageFileOptions.fileNames(captures).joined(separator: ", ")
    var profile: [UInt8] = []
    try Run.captures(
      found, maps: supplied.maps(), bonds: supplied.bonds() + found.bonds,
      profiles: chosen.profiles
    ) { _ in
      LearnReport(chosen, shown: shown, isJSON: isJSON, name: name, source: source)
    } inspect: { report in
      profile = report.profile
    }
    try file.write(
      profile,
      or: "nothing was learnt, so there is no profile; "
        + "gattscope profiles new writes one for characteristics"
    )
  }
}

/// Where a profile is written.
struct ProfileFileOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: ArgumentHelp("The profile to write.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var output: String?

  @Flag(name: .long, help: "Replace the file if it exists.")
  var force = false

  /// The name of the profile: that of the file, in the characters of the language.
  var profileName: String {
    let last = (output ?? "").split(separator: "/").last ?? ""
    let name = ProfileName.of(last.split(separator: ".").first ?? "")
    return name.isEmpty ? "gadget" : name
  }

  func refuseToWrite(over captures: [String]) throws {
    guard let output else { return }
    var page = PageFileOptions()
    (page.output, page.force) = (output, force)
    try page.refuseToWrite(over: captures)
  }

  /// Writes a profile.
  ///
  /// - Parameter reason: why there is no profile, for the case that it is empty.
  func write(_ profile: [UInt8], or reason: String) throws {
    guard let output else { return }
    guard !profile.isEmpty else {
      Terminal.complain(reason)
      throw ExitCode(1)
    }
    var page = PageFileOptions()
    (page.output, page.force) = (output, force)
    try page.write { descriptor in
      var text = Output(descriptor: descriptor)
      text.raw(profile.bytes)
      text.flush()
      try Terminal.check(text.failure)
    }
  }
}

/// Reads `#1234=3.312 cell 1`.
enum ShownArgument {
  static func read(_ text: String) throws -> ShownNumber {
    let expected = ValidationError(
      "expected a packet, a number and a name, as in '#1234=3.312 cell 1'")
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2 else { throw expected }
    let digits = parts[0].drop { $0 == " " }.drop { $0 == "#" }
    guard let packet = Int(String(digits.prefix { $0 != " " })), packet > 0 else { throw expected }
    let rest = parts[1].drop { $0 == " " }
    let number = String(rest.prefix { $0 != " " })
    let name = rest.dropFirst(number.count).drop { $0 == " " }
    let decimals = number.split(separator: ".", maxSplits: 1)
    let isNumber = number.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." || $0 == "-" }
    guard isNumber, number.utf8.count <= 18, let value = Double(number) else { throw expected }
    return ShownNumber(
      packet: packet, number: value, decimals: decimals.count == 2 ? decimals[1].count : 0,
      name: String(name.prefix(60)))
  }
}
