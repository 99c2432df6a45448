import ArgumentParser
import Reports

/// How a verb writes what it has found: for people or for programs, with or without secrets.
struct OutputOptions: ParsableArguments {
  @Flag(name: .long, help: "Print JSON: map and info one document, others one object a line.")
  var json = false

  @Flag(name: .long, help: "Print keys and other secrets instead of <hidden>.")
  var showKeys = false

  @OptionGroup(title: "Terminal")
  var terminal: TerminalOptions

  @OptionGroup(title: "Terminal")
  var signs: SignOptions

  /// Puts what was asked for into a report's options.
  func apply(to options: inout some PresentationOptions) {
    options.showsKeys = showKeys
    options.usesColor = terminal.usesColor
    options.width = terminal.columns
    options.glyphs = signs.glyphs
  }
}

/// What stands where times are printed.
struct TimeOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      How times are printed; if left out as elapsed seconds, by devices not at all. With local, --from \
      and --to are of this machine's zone, too.
      """)
  var time: ShowOptions.TimeStyle?
}

extension ShowOptions.TimeStyle: ExpressibleByArgument {}
