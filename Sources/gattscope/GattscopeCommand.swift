import ArgumentParser
import Bytes
import CMalloc
import Documents
import Glibc
import Reports

/// The program: its verbs and the options that they share.
@main
struct GattscopeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gattscope",
    abstract: "Show, explain and compare Bluetooth LE captures.",
    discussion: """
      gattscope CAPTURE means gattscope show CAPTURE; - means standard input.

      Examples:
        gattscope btsnoop_hci.log                    what happened, packet by packet
        gattscope info btsnoop_hci.log               what is in the file
        gattscope explain btsnoop_hci.log            why something failed
        gattscope map btsnoop_hci.log                what services devices have
        gattscope values btsnoop_hci.log             the values of characteristics
        gattscope devices btsnoop_hci.log            who advertises, and what
        gattscope diff working.log failing.log       how two sessions differ
        gattscope report -o page.html btsnoop.log     a page to look at and to send
        sudo gattscope live                          what happens right now
        gattscope convert IN OUT                     another format, or a part
        gattscope table --out rows uploads/          many files as database rows
        gattscope profiles list                      what is decoded
        gattscope show --layer att --errors capture  ATT requests that were refused
        gattscope show --json capture | jq .summary  for programs
        ssh pi tail -c +1 -f trace | gattscope -     while btmon -w trace runs there

      Exit status: 0 done; 1 diff found a difference, or explain --strict an error; 2 explain --strict found nothing to judge; 64 wrong usage; 65 damaged, or not a capture; \
      66 cannot be opened or read; 69 no such live source; 73 the output file exists; 74 cannot write the output; 77 permission missing.
      """,
    version: Version.built,
    subcommands: [
      ShowCommand.self, InfoCommand.self, ExplainCommand.self, MapCommand.self, ValuesCommand.self,
      DevicesCommand.self, TraceCommand.self, DiffCommand.self, LiveCommand.self,
      ReportCommand.self, ConvertCommand.self,
      TableCommand.self,
      ProfilesCommand.self,
      SchemaCommand.self,
      CompletionCommand.self,
    ],
    defaultSubcommand: ShowCommand.self)

  static func main() {
    cmalloc_keep_large_blocks_apart()
    Terminal.holdClosedDescriptors()
    // If the reader closes the pipe, the program stops; a signal must not kill it.
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
      var command = try parsed(arguments)
      try command.run()
    } catch {
      if Version.isAskedFor(by: error) {
        do { try Version.print() } catch { end(error) }
      } else {
        end(error)
      }
    }
  }

  /// Returns the command that `arguments` name, even if they use another program's name for an
  /// option.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    if arguments.first == "help", let word = arguments.dropFirst().first, !word.hasPrefix("-"),
      word != "help",
      !configuration.subcommands.contains(where: { $0.configuration.commandName == word })
    {
      // The parser would show the help of the whole program.
      throw ValidationError("\(word) is not a verb\(Run.verbs(insteadOf: word))")
    }
    if let word = arguments.first, arguments.contains(where: { $0 == "--help" || $0 == "-h" }),
      !configuration.subcommands.contains(where: { $0.configuration.commandName == word })
    {
      // The parser would show the help of the default verb.
      let verbs = Run.verbs(insteadOf: word)
      if !verbs.isEmpty { throw ValidationError("\(word) is not a verb\(verbs)") }
    }
    if let command = parsedDirectly(arguments) { return command }
    do {
      return try parseAsRoot(arguments)
    } catch {
      let corrected = Guesses.corrected(arguments)
      guard corrected != arguments,
        Guesses.unknownOption(in: message(for: error, arguments)) != nil
      else { throw error }
      if let command = parsedDirectly(corrected) { return command }
      let first = error
      do {
        return try parseAsRoot(corrected)
      } catch {
        // A message must name the option that the user typed.
        let option = Guesses.unknownOption(in: fullMessage(for: error))
        throw option.map { Guesses.contains($0, in: arguments) } ?? true ? error : first
      }
    }
  }

  /// Returns the command that `arguments` name, or nil if only the whole command tree can parse or
  /// refuse them.
  ///
  /// Parsing with the tree first collects every option of the default verb, twice, which takes a
  /// quarter of the start-up time.
  private static func parsedDirectly(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let first = arguments.first, !first.hasPrefix("-"), first != "help" else { return nil }
    let verb = configuration.subcommands.first { $0.configuration.commandName == first }
    guard let verb else { return try? ShowCommand.parseAsRoot(arguments) }
    guard verb.configuration.subcommands.isEmpty else { return nil }
    return try? verb.parseAsRoot(Array(arguments.dropFirst()))
  }

  /// On narrower terminals the parser omits what options are for, and fails an assertion.
  private static let leastHelpColumns = 60

  /// Returns the parser's message about `error`, or one about an option that the verb does not
  /// have.
  private static func message(for error: any Error, _ arguments: [String]) -> String {
    let text = fullMessage(for: error)
    let verb = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    guard exitCode(for: error) == .validationFailure, let verb,
      verb.configuration.subcommands.isEmpty
    else { return text }
    return Guesses.preferringUnknownOption(
      of: arguments, to: text, verb.helpMessage(includeHidden: true))
  }

  /// Ends the program as the parser would, with two differences: the exit status reports that the
  /// help could not be written, and arguments are made printable before they reach the terminal.
  private static func end(_ error: any Error) -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    var text = message(for: error, arguments)
    let status = exitCode(for: error)
    if status == .validationFailure, let first = arguments.first {
      let verb = configuration.subcommands.first { $0.configuration.commandName == first }
      let isLeaf = verb?.configuration.subcommands.isEmpty ?? true
      let help = isLeaf ? (verb ?? ShowCommand.self).helpMessage() : ""
      if let advice = Guesses.advice(insteadOf: text, help) {
        text = "Error: \(advice)\n\(text.drop { $0 != "\n" }.dropFirst())"
      } else if Guesses.unknownOption(in: text) != nil {
        // A word that is neither a verb nor a capture is parsed as show, which may lack the option.
        let verbs = Run.verbs(insteadOf: first)
        if !verbs.isEmpty {
          text = "Error: \(first) is neither a verb nor a capture\(verbs)"
        } else if isLeaf {
          text = Guesses.suggesting(in: text, of: help)
        }
      }
    }
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

/// `completion`: prints what a shell needs to complete verbs, options and their values.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print a completion script for your shell.",
    discussion: """
      Examples:
        source <(gattscope completion bash)        for this bash
        gattscope completion fish > ~/.config/fish/completions/gattscope.fish
      """)

  @Argument(help: "The shell.")
  var shell: Shell

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  mutating func run() throws {
    let script =
      switch shell {
      // A capture may follow without a verb: if there is nothing else to offer, bash offers files.
      case .bash:
        GattscopeCommand.completionScript(for: .bash).replacing(
          text: "complete -o filenames -F", with: "complete -o filenames -o default -F")
      case .zsh: GattscopeCommand.completionScript(for: .zsh)
      case .fish: GattscopeCommand.completionScript(for: .fish)
      }
    try Terminal.write { output in
      output.string(script)
      if !script.hasSuffix("\n") { output.byte(0x0a) }
    }
  }
}

/// `schema`: prints the JSON Schema of everything that `--json` prints.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema (2020-12) of what --json prints, or table's columns.")

  @Option(
    name: .long,
    help:
      "Print the types of table's columns instead: as a JSON Schema, as DuckDB's CREATE TABLE, or as Spark's StructType."
  )
  var table: TableSchema?

  mutating func run() throws {
    try Terminal.write { output in
      if let table { table.write(into: &output) } else { output.text(JSONSchema.text) }
    }
  }
}

extension TableSchema: ExpressibleByArgument {}
