import ArgumentParser
import Bluetooth
import Captures
import Explanations
import Glibc
import Reports

/// `explain`: explains why something failed.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why pairing, a write or a connection failed.",
    discussion: """
      The second line is the answer. Below it are what the capture lacks, the story of each connection, \
      and the findings: what failed, the cause that the packets support, how certain it is, which packets \
      show it (pass them to show --packets), and what usually helps. explain claims nothing that the \
      capture does not show.

      A passkey or key that was recovered from the capture is printed only with --show-keys.

      Examples:
        gattscope explain btsnoop_hci.log
        gattscope explain --device 'HRM*' btsnoop_hci.log.last btsnoop_hci.log
        gattscope explain --connection 3 --full btsnoop_hci.log
        gattscope explain --show-keys pairing.btsnoop
        gattscope explain --markdown capture.btsnoop    to paste into an issue
        gattscope explain --strict test.btsnoop         exit status 1 if there is an error
        gattscope explain --json capture | jq '.connections[].problems[] | select(.severity == "error")'
        gattscope explain --list-rules
      """)

  @Argument(help: Run.capturesHelp, completion: .file())
  var captures: [String] = []

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Selection")
  var parties: PartyOptions

  @OptionGroup(title: "Selection")
  var stretches: StretchOptions

  @Flag(name: .long, help: "Print every line of each connection's story.")
  var full = false

  @Flag(name: .shortAndLong, help: "List the rules that were skipped, and why.")
  var verbose = false

  @Flag(name: .long, help: "Print Markdown to paste into an issue.")
  var markdown = false

  @Flag(name: .long, help: "Exit with status 1 if there is an error among the findings.")
  var strict = false

  @Flag(name: .long, help: "List the rules: everything that explain looks for.")
  var listRules = false

  @OptionGroup
  var supplied: MapFileOptions

  @OptionGroup
  var known: KeysFileOptions

  @OptionGroup
  var supplying: ProfileFileOptions

  @OptionGroup
  var presentation: OutputOptions

  mutating func validate() throws {
    if markdown && presentation.json {
      throw ValidationError("--markdown and --json exclude each other.")
    }
    if listRules != captures.isEmpty {
      throw ValidationError(
        listRules ? "--list-rules takes no capture." : "Missing expected argument '<capture> ...'")
    }
  }

  private var face: ExplainOptions.Face {
    presentation.json ? .json : markdown ? .markdown : .text
  }

  mutating func run() throws {
    presentation.terminal.page(captures)
    if listRules {
      let catalogue = RuleCatalogue(face)
      let (glyphs, width) = (presentation.signs.glyphs, presentation.terminal.columns)
      let isEndless = presentation.terminal.width == 0
      return try Terminal.write {
        catalogue.write(glyphs, width: width, isEndless: isEndless, into: &$0)
      }
    }
    var options = ExplainOptions()
    parties.choose(in: &options.selection)
    options.selection.times = try stretches.times()
    presentation.apply(to: &options)
    options.face = face
    options.isFull = full
    options.isVerbose = verbose
    options.isEndless = presentation.terminal.width == 0
    options.name = captures.joined(separator: " ")
    let found = try archives.search(captures)
    let bonds = try known.bonds() + found.bonds
    options.profiles = try supplying.profiles()
    options.selection = Run.finding(options.selection, in: found.files, bonds: bonds)
    let chosen = options
    var hasErrors = false
    try Run.captures(
      found, maps: supplied.maps(), bonds: bonds, profiles: chosen.profiles
    ) { _ in
      ExplainReport(chosen)
    } inspect: { report in
      hasErrors = report.hasErrors
    }
    if strict, hasErrors { throw ExitCode(1) }
  }
}
