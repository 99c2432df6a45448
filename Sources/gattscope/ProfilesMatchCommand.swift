import ArgumentParser
import Reports

/// `profiles match`: lists which profiles apply to a capture.
struct ProfilesMatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract:
      "List which profiles describe which values of a capture, and which values no profile describes.",
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

  @OptionGroup
  var supplying: ProfileFileOptions

  @OptionGroup
  var supplied: MapFileOptions

  @Flag(name: .long, help: "Print a JSON document.")
  var json = false

  @OptionGroup(title: "Terminal")
  var signs: SignOptions

  mutating func run() throws {
    var options = ValuesOptions()
    options.profiles = try supplying.profiles()
    options.glyphs = signs.glyphs
    let chosen = options
    try Run.captures(archives.search(captures), maps: supplied.maps(), profiles: chosen.profiles) {
      [json] _ in
      ProfileMatches(chosen, isJSON: json)
    }
  }
}
