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
        gattscope show --layer att --errors capture  ATT requests that were refused
        gattscope show --json capture | jq .summary  for programs
        ssh pi tail -c +1 -f trace | gattscope -     while btmon -w trace runs there

      Exit status: 0 done, 64 bad usage, 65 damaged or not a capture that is read, 66 cannot be \
      opened or read, 74 output could not be written.
      """,
    version: "gattscope 0.1.0, JSON schema \(JSONSchema.number)",
    subcommands: [ShowCommand.self, InfoCommand.self, SchemaCommand.self],
    defaultSubcommand: ShowCommand.self)

  static func main() {
    // A reader that closes the pipe is a reason to stop, not to die.
    Terminal.ignoreBrokenPipes()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      exit(withError: error)
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
