import ArgumentParser
import Bytes
import Glibc
import Reports

/// The program: its verbs and what they share.
@main
struct GattscopeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gattscope",
    abstract: "Say what a Bluetooth LE capture holds.",
    discussion: """
      gattscope CAPTURE is gattscope show CAPTURE; - is standard input.

      Examples:
        gattscope btsnoop_hci.log                    what happened, packet by packet
        gattscope info btsnoop_hci.log               what is in the file
        gattscope explain btsnoop_hci.log            why something failed
        gattscope map btsnoop_hci.log                what services devices have
        gattscope values btsnoop_hci.log             what each characteristic's value was
        gattscope devices btsnoop_hci.log            who is advertising, and what
        gattscope diff working.log failing.log       what differs between two sessions
        gattscope report -o page.html btsnoop_hci.log    a page to look at, and to send
        sudo gattscope live                          what happens, while it happens
        gattscope convert IN OUT                     as another file, or a part of it
        gattscope profiles list                      which values are decoded; your own: profiles --help
        gattscope show --layer att --errors capture  ATT requests that were refused
        gattscope show --json capture | jq .summary  for programs
        ssh pi tail -c +1 -f trace | gattscope -     while btmon -w trace runs there

      Exit status: 0 done, 1 diff found a difference or explain --strict an error, 64 bad usage, 65 damaged or not a capture that is read, 66 cannot be \
      opened or read, 69 a live source is not there, 73 the file to write exists already, 74 output could not be written, 77 a permission is missing.
      """,
    version: Version.built,
    subcommands: [
      ShowCommand.self, InfoCommand.self, ExplainCommand.self, MapCommand.self, ValuesCommand.self,
      DevicesCommand.self, TraceCommand.self, DiffCommand.self, LiveCommand.self,
      ReportCommand.self, ConvertCommand.self,
      ProfilesCommand.self,
      SchemaCommand.self,
      CompletionCommand.self,
    ],
    defaultSubcommand: ShowCommand.self)

  static func main() {
    Terminal.holdClosedDescriptors()
    // A reader that closes the pipe is a reason to stop, not to die.
    Terminal.haveWritesFail()
    if let argument = Terminal.argumentThatIsNoText {
      Terminal.complain(
        argument
          + " is not UTF-8, and gattscope knows no other names; rename the file, or give it as standard input: -"
          .utf8)
      exit(withError: ExitCode(64))
    }
    if let columns = Terminal.size?.columns, columns < leastHelpColumns {
      unsafe setenv("COLUMNS", "\(leastHelpColumns)", 1)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments == ["--version"] { return try Version.print() }
      var command = try parsedDirectly(arguments) ?? parseAsRoot(arguments)
      try command.run()
    } catch {
      if Version.isAskedFor(by: error) {
        do { try Version.print() } catch { end(error) }
      } else {
        end(error)
      }
    }
  }

  /// Returns the command that `arguments` name, or nil if only the whole tree of commands can parse or refuse them.
  ///
  /// The tree first collects every option of its default verb, twice, which is a quarter of a start.
  private static func parsedDirectly(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let first = arguments.first, !first.hasPrefix("-"), first != "help" else { return nil }
    let verb = configuration.subcommands.first { $0.configuration.commandName == first }
    guard let verb else { return try? ShowCommand.parseAsRoot(arguments) }
    guard verb.configuration.subcommands.isEmpty else { return nil }
    return try? verb.parseAsRoot(Array(arguments.dropFirst()))
  }

  /// On narrower terminals the parser leaves out what options are for, and stops at an assertion.
  private static let leastHelpColumns = 60

  /// Ends as the parser would, but for what it prints: that a help could not be written has its status, and
  /// what an argument holds does not reach the terminal as it is.
  private static func end(_ error: any Error) -> Never {
    let text = fullMessage(for: error)
    let status = exitCode(for: error)
    if status != .success {
      if !text.isEmpty { Terminal.refuse(text) }
    } else if !text.isEmpty {
      do {
        try Terminal.write { output in output.string("\(text)\n") }
      } catch {
        exit(withError: error)
      }
    }
    exit(withError: ExitCode(status.rawValue))
  }
}

/// `completion`: what a shell needs to complete verbs, options and their values.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print what a shell needs to complete verbs, options and their values.",
    discussion: """
      Examples:
        source <(gattscope completion bash)        for this bash
        gattscope completion fish > ~/.config/fish/completions/gattscope.fish
      """)

  @Argument(help: "Which shell.")
  var shell: Shell

  /// The shells.
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  mutating func run() throws {
    let script =
      switch shell {
      // A capture may follow without a verb: where there is nothing else to offer, bash offers files.
      case .bash:
        GattscopeCommand.completionScript(for: .bash).replacing(
          "complete -o filenames -F", with: "complete -o filenames -o default -F")
      case .zsh: GattscopeCommand.completionScript(for: .zsh)
      case .fish: GattscopeCommand.completionScript(for: .fish)
      }
    try Terminal.write { output in
      output.string(script)
      if !script.hasSuffix("\n") { output.byte(0x0a) }
    }
  }
}

/// `schema`: the JSON Schema of everything that `--json` prints.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema (2020-12) of what --json prints.")

  mutating func run() throws {
    try Terminal.write { output in output.text(JSONSchema.text) }
  }
}
