import ArgumentParser
import Reports

/// `profiles match`: lists which profiles apply to a capture.
struct ProfilesMatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract:
      "List which profiles describe which values of a capture, and which values no profile describes.",
    usage: "gattscope profiles match [<options>] <capture> ...",
    discussion: """
      Examples:
        gattscope profiles match capture.btsnoop
        gattscope profiles match --profile band.yaml capture.btsnoop
        gattscope profiles match --json capture.btsnoop | jq -r '.subjects[] | select(.unexplained) | .uuid'
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String]

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  @Option(name: .long, help: MapArgument.help, completion: .file())
  var map: [String] = []

  @Flag(name: .long, help: "Print a JSON document.")
  var json = false

  @Flag(name: .long, help: TerminalOptions.asciiHelp)
  var ascii = false

  mutating func run() throws {
    var options = ValuesOptions()
    options.profiles = try ProfileArgument.profiles(profile)
    options.glyphs = Terminal.glyphs(ascii: ascii)
    let chosen = options
    try Run.captures(
      archives.search(captures), maps: MapArgument.maps(map), profiles: chosen.profiles
    ) {
      [json] _ in
      ProfileMatches(chosen, isJSON: json)
    }
  }
}
