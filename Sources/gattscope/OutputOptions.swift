import ArgumentParser
import Reports

/// The options for printing results: as text or JSON, with or without secrets.
struct OutputOptions: ParsableArguments {
  @Flag(
    name: .long, help: "Print JSON: one document (info, map, explain, diff) or one object per line."
  )
  var json = false

  @Flag(name: .long, help: "Print keys and other secrets instead of <hidden>.")
  var showKeys = false

  @OptionGroup(title: "Terminal")
  var terminal: TerminalOptions

  @OptionGroup(title: "Terminal")
  var signs: SignOptions

  /// Copies these options into a report's options.
  func apply(to options: inout some PresentationOptions) {
    options.showsKeys = showKeys
    options.usesColor = terminal.usesColor
    options.width = terminal.columns
    options.glyphs = signs.glyphs
  }
}

/// The option for how times are printed.
struct TimeOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      How to print times: elapsed seconds by default, and none in devices. With local, --from and --to \
      are local times too.
      """)
  var time: ShowOptions.TimeStyle?
}

extension ShowOptions.TimeStyle: ExpressibleByArgument {}
