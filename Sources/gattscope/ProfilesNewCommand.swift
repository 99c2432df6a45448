import ArgumentParser
import Bytes
import Captures
import Reports

/// `profiles new`: a profile to fill in.
struct ProfilesNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write a profile to fill in, with the values of a capture as its examples.",
    usage: "gattscope profiles new [<options>] <capture> ...",
    discussion: """
      For characteristics that hold one value each. If values are frames with a checksum, \
      gattscope profiles learn finds more.

      Examples:
        gattscope profiles new --uuid fff3 capture.btsnoop
        gattscope profiles new --uuid fff3 -o gadget.yaml capture.btsnoop; gattscope profiles check gadget.yaml
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup
  var file: ProfileFileOptions

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var subject: SubjectOptions

  @OptionGroup
  var supplied: SuppliedOptions

  /// Why there is no profile.
  private static let nothing = "there is no value of a characteristic with a known UUID"

  mutating func run() throws {
    try file.refuseToWrite(over: captures)
    var options = ValuesOptions()
    subject.choose(in: &options.selection)
    options.profiles = try supplied.profiles()
    let found = try archives.search(captures)
    let chosen = options
    let name = file.profileName
    let source = PageFileOptions.fileNames(captures).joined(separator: ", ")
    var profile: [UInt8] = []
    try Run.captures(
      found, maps: supplied.maps(), bonds: supplied.bonds() + found.bonds,
      profiles: chosen.profiles
    ) { _ in
      NewProfileReport(chosen, name: name, source: source)
    } inspect: { report in
      profile = report.profile
    }
    try file.write(profile, or: Self.nothing)
    if file.output == nil {
      guard !profile.isEmpty else {
        Terminal.complain(Self.nothing)
        throw ExitCode(1)
      }
      try Terminal.write { output in output.raw(profile.bytes) }
    }
  }
}
