import Bytes

/// Options and verbs known from other programs, and their names in this one.
enum Guesses {
  /// Options that have the same meaning here under another name.
  private static let options = [
    "--addr": "--device", "--address": "--device", "--attribute": "--uuid", "--bytes": "-x",
    "--char": "--uuid", "--characteristic": "--uuid", "--colour": "--color",
    "--conn": "--connection",
    "--count": "--limit", "--dedup": "--distinct", "--find": "--text", "--frame": "--packets",
    "--frames": "--packets",
    "--grep": "--text", "--head": "--limit", "--hex": "-x", "--mac": "--device",
    "--number": "--packets", "--op": "--opcode", "--packet": "--packets",
    "--received": "--direction=received", "--rx": "--direction=received", "--search": "--text",
    "--sent": "--direction=sent", "--service": "--uuid", "--since": "--from",
    "--tx": "--direction=sent", "--uniq": "--distinct", "--unique": "--distinct",
    "--until": "--to", "-c": "--limit", "-n": "--limit", "-V": "-v",
  ]

  /// Options whose value is an option here: `--format csv`.
  private static let formats = ["--format", "--output-format", "--output"]
  private static let formatNames = ["csv", "json", "markdown", "raw"]

  /// Options that have no equivalent here, and what to use instead.
  private static let advice = [
    "--at": "--from and --to choose a time, as in --from 15:03 --to 15:04",
    "--display-filter": filters, "--filter": filters, "-Y": filters, "-f": filters,
    "--read": "the capture is named without an option: gattscope CAPTURE",
    "-r": "the capture is named without an option: gattscope CAPTURE",
    "-i": "to watch live, use gattscope live -i SOURCE",
    "-o": "redirect standard output, or use convert or report -o FILE",
    "-w": "to write a file, use gattscope convert IN OUT, or live -w FILE",
    "--format": "for programs there are --json, and values --csv",
    "--output-format": "for programs there are --json, and values --csv",
    "--statistics": statistics, "--stats": statistics,
    "-T": "for programs there is --json",
  ]

  private static let filters =
    "packets are chosen with --layer, --uuid, --device, --opcode, --text and others: see SELECTION in gattscope show --help"

  private static let statistics =
    "info has the numbers of a capture, devices those of advertisers, values those of each characteristic"

  /// The same for a verb without these options.
  private static let filtersElsewhere =
    "show and convert select packets, with --layer, --uuid, --device, --opcode, --text and others: see SELECTION in gattscope show --help"

  /// Verbs that users often try first.
  private static let verbs = [
    "analyse": "explain", "analyze": "explain", "anonymise": "convert --redact",
    "anonymize": "convert --redact", "attributes": "map", "bandwidth": "values --rate",
    "capture": "live", "channels": "info", "characteristics": "map", "compare": "diff",
    "connections": "info", "csv": "values --csv", "decode": "show",
    "diagnose": "explain", "dump": "show", "errors": "explain", "export": "convert",
    "gatt": "map", "html": "report", "json": "show --json", "keys": "explain --show-keys",
    "list": "devices", "merge": "convert", "messages": "values --messages", "monitor": "live",
    "notifications": "values --operation notification", "packets": "show", "pairing": "explain",
    "print": "show", "read": "show", "record": "live", "redact": "convert --redact",
    "replay": "trace --as bleak", "sanitize": "convert --redact", "scan": "devices",
    "services": "map", "sniff": "live", "speed": "values --rate", "statistics": "info",
    "stats": "info",
    "subscriptions": "explain", "summary": "info", "throughput": "values --rate", "why": "explain",
    "writes": "values --operation write,write-no-response",
  ]

  /// Returns `arguments` with options of other programs replaced by the ones that exist here.
  /// Arguments after `--` are left alone.
  static func corrected(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var corrected: [String] = []
    var isFormat = false
    for argument in arguments[..<end] {
      if isFormat, formatNames.contains(argument) {
        corrected[corrected.count - 1] = "--\(argument)"
        isFormat = false
        continue
      }
      isFormat = formats.contains(argument)
      corrected.append(argument.hasPrefix("-") ? self.corrected(argument) : argument)
    }
    return corrected + arguments[end...]
  }

  /// Returns one option as it is called here.
  private static func corrected(_ argument: String) -> String {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, formats.contains(String(parts[0])),
      formatNames.contains(String(parts[1]))
    {
      return "--\(parts[1])"
    }
    guard let option = options[String(parts[0])] else { return argument }
    return parts.count == 1 ? option : "\(option)=\(parts[1])"
  }

  /// The beginning of the parser's message about an option that a verb does not have.
  private static let unknownOption = "Error: Unknown option '"

  /// Returns the option that a verb does not have, if the parser's `message` is about one.
  static func unknownOption(in message: String) -> String? {
    guard message.hasPrefix(unknownOption) else { return nil }
    return String(message.dropFirst(unknownOption.count).prefix { $0 != "'" && $0 != "=" })
  }

  /// Returns whether an option is in `arguments`.
  static func contains(_ option: String, in arguments: [String]) -> Bool {
    arguments.contains { $0 == option || $0.hasPrefix("\(option)=") }
  }

  /// Returns `message`, or one about the first option of `arguments` that `help` does not list: the
  /// parser takes the value of such an option for a capture, and complains about that first.
  static func preferringUnknownOption(
    of arguments: [String], to message: String, _ help: String
  ) -> String {
    guard unknownOption(in: message) == nil, let end = message.firstIndex(where: \.isNewline) else {
      return message
    }
    let known = options(in: help)
    let unknown = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }.first {
      $0.hasPrefix("--") && !known.contains($0)
    }
    return unknown.map { "\(unknownOption)\($0)'.\(message[end...])" } ?? message
  }

  /// Returns the long options that a verb's help mentions.
  private static func options(in help: String) -> [Substring] {
    help.split { !$0.isLetter && $0 != "-" }.filter { $0.hasPrefix("--") && $0.count > 2 }
  }

  /// Returns a sentence on what to use instead of the option that the parser's `message` calls
  /// unknown.
  static func advice(insteadOf message: String, _ help: String) -> String? {
    guard let option = unknownOption(in: message), var words = advice[option] else { return nil }
    if words == filters, !options(in: help).contains("--layer") { words = filtersElsewhere }
    return "there is no \(option); \(words)"
  }

  /// Returns the parser's `message` about an unknown option with the option of `help` that was
  /// probably meant, or with none. The parser itself takes the first of several that are equally
  /// near.
  static func suggesting(in message: String, of help: String) -> String {
    guard let wrong = unknownOption(in: message), let end = message.firstIndex(where: \.isNewline),
      wrong.hasPrefix("--"), wrong.allSatisfy(\.isASCII)
    else { return message }
    let names = options(in: help)
    // Of equally near ones, the one that begins alike.
    func rank(_ name: Substring) -> (Int, Int, String) {
      let common = zip(name, wrong).prefix { $0 == $1 }.count
      return (distance(wrong, String(name)), -common, String(name))
    }
    let nearest = names.min { rank($0) < rank($1) }
    let isNear = nearest.map { rank($0).0 <= (wrong.count < 6 ? 1 : 2) } ?? false
    let sentence = "\(unknownOption)\(wrong)'."
    return (isNear ? "\(sentence) Did you mean '\(nearest ?? "")'?" : sentence) + message[end...]
  }

  /// Returns the verb of `all` that `word` probably means: a synonym used by other programs, or a
  /// verb that differs by at most two typing mistakes (one for a short verb).
  static func verb(meant word: String, of all: [String]) -> String? {
    let word = word.lowercased()
    if let verb = verbs[word] ?? all.first(where: { $0 == word }) { return verb }
    let nearest = all.map { (verb: $0, distance: distance(word, $0)) }.min {
      $0.distance < $1.distance
    }
    guard let nearest, nearest.distance <= (nearest.verb.count < 6 ? 1 : 2) else { return nil }
    return nearest.verb
  }

  /// Returns a question after the names of `all` that `word` probably means: those that differ by
  /// few typing mistakes or contain it, or none.
  static func names(near word: String, of all: [String]) -> String {
    let near = all.map { (name: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= word.count / 3 || word.count > 2 && $0.name.contains(text: word) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(mostNames).map(\.name)
    guard let last = near.last else { return "; explain --list-rules lists them" }
    let others = near.dropLast().joined(separator: ", ")
    return "; did you mean \(others.isEmpty ? last : "\(others) or \(last)")?"
  }

  private static let mostNames = 3

  /// Returns the number of letters that are missing, added, wrong, or swapped with the next one.
  private static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    // Words this long are neither verbs nor rules, and the table grows with both lengths.
    guard max(left.count, right.count) <= 64 else { return .max }
    var rows = [Array(0...right.count)]
    for row in 1..<left.count + 1 {
      var current = [row]
      for column in 1..<right.count + 1 {
        let isSame = left[row - 1] == right[column - 1]
        var best = min(
          rows[row - 1][column] + 1, current[column - 1] + 1,
          rows[row - 1][column - 1] + (isSame ? 0 : 1))
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          best = min(best, rows[row - 2][column - 2] + 1)
        }
        current.append(best)
      }
      rows.append(current)
    }
    return rows[left.count][right.count]
  }
}
