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
        gattscope explain --strict warning --allow connect_timeout test.btsnoop
        gattscope explain --json capture | jq '.findings[] | select(.severity == "error")'
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

  @Option(
    name: .long, defaultAsFlag: .error, parsing: .next,
    help: ArgumentHelp(
      "Exit with status 1 if a finding is an error, or, with 'warning', a warning; with 2 if there was nothing to judge.",
      valueName: "error|warning"))
  var strict: Strictness.Level?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Exit with status 1 if this rule found anything, even a note; with 2 if there was nothing to judge.",
      valueName: "rule"))
  var failOn: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Ignore what this rule found for the exit status.", valueName: "rule"))
  var allow: [String] = []

  @Flag(name: .long, help: "List the rules: everything that explain looks for.")
  var listRules = false

  @OptionGroup
  var supplied: SuppliedOptions

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
    // The parser takes an option whose value it cannot read for one without a value.
    if let level = CommandLine.arguments.first(where: { $0.hasPrefix(Self.levelPrefix) })?
      .dropFirst(Self.levelPrefix.count), Strictness.Level(rawValue: String(level)) == nil
    {
      throw ValidationError("--strict is error or warning, not \(level).")
    }
    if let unknown = (failOn + allow).first(where: { !Strictness.hasRule($0) }) {
      throw ValidationError(
        "There is no rule \(unknown)\(Guesses.names(near: Strictness.key(unknown), of: Strictness.rules))"
      )
    }
    let allowed = Set(allow.map(Strictness.key))
    if let both = failOn.first(where: { allowed.contains(Strictness.key($0)) }) {
      throw ValidationError("--fail-on and --allow exclude each other: \(both).")
    }
  }

  private static let levelPrefix = "--strict="

  private var face: ExplainOptions.Face {
    presentation.json ? .json : markdown ? .markdown : .text
  }

  mutating func run() throws {
    presentation.terminal.page(captures)
    if listRules {
      let catalogue = RuleCatalogue(face)
      let (glyphs, width) = (presentation.terminal.glyphs, presentation.terminal.columns)
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
    options.strictness = Strictness(strict, failing: failOn, allowed: allow)
    let found = try archives.search(captures)
    let bonds = try supplied.bonds() + found.bonds
    options.profiles = try supplied.profiles()
    options.selection = Run.finding(options.selection, in: found.files, bonds: bonds)
    let chosen = options
    var judgement = Strictness.Judgement.passed
    try Run.captures(
      found, maps: supplied.maps(), bonds: bonds, profiles: chosen.profiles
    ) { _ in
      ExplainReport(chosen)
    } inspect: { report in
      judgement = report.judgement
    }
    switch judgement {
    case .passed: return
    case .failed: throw ExitCode(1)
    case .nothing(let reason):
      Terminal.complain("nothing was judged: \(reason)")
      throw ExitCode(2)
    }
  }
}

extension Strictness.Level: ExpressibleByArgument {}
