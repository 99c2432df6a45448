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

  /// Copies these options into a report's options.
  func apply(to options: inout some PresentationOptions) {
    options.showsKeys = showKeys
    options.usesColor = terminal.usesColor
    options.width = terminal.columns
    options.glyphs = terminal.glyphs
  }
}

extension ShowOptions.TimeStyle: ExpressibleByArgument {
  static let help: ArgumentHelp = """
    How to print times: elapsed seconds by default, and none in devices. With local, --from and --to \
    are local times too.
    """
}
