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
      [json, captures] _ in
      ProfileMatches(
        chosen, isJSON: json, source: captures.map(Shell.quoted).joined(separator: " "))
    }
  }
}

/// Words of a command line.
enum Shell {
  /// Returns a word as a shell reads it: in quotes, if it has other characters than file names
  /// usually have.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a
        || [0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x3a, 0x3d, 0x40, 0x5f].contains(byte)
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
