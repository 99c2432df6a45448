import Bluetooth
import Bytes
import Diagnosis
import Sessions

/// `explain --markdown`: to be pasted into an issue. Packet numbers stand in code, since trackers take `#48`
/// for an issue of their own.
struct ExplainMarkdown: ~Copyable {
  private let explanation: Explanation
  private let options: ExplainOptions
  private var out = Output()

  init(_ explanation: Explanation, _ options: ExplainOptions) {
    self.explanation = explanation
    self.options = options
  }

  mutating func write(into output: inout Output) {
    line("### gattscope explain \(Self.escaped(options.name))")
    line("")
    line("**\(Self.escaped(explanation.verdict.text))**")
    line("")
    line(Self.escaped(explanation.heading.text))
    list(explanation.ofCapture + explanation.ofOthers)
    for told in explanation.connections { write(told) }
    list(explanation.appendix)
    output.text(out.bytes, options.glyphs)
  }

  private mutating func write(_ told: Explanation.Told) {
    let history = told.history
    line("")
    line("#### Connection \(history.id): \(Self.escaped(history.peerWords.text))")
    if !history.hostWords.isEmpty {
      line("")
      line(Self.escaped(history.hostWords.capitalized.text))
    }
    let story = history.story(explanation.evidence)
    if !story.isEmpty {
      line("")
      line("| packets | s | what happened |")
      line("| --- | ---: | --- |")
      for entry in story {
        let text = ([entry.text.text] + entry.consequences.map { "⇒ " + $0.text })
          .map(Self.escaped).joined(separator: "<br>")
        let time = explanation.seconds(entry.time)
        line("| `\(ExplainPage.packets(entry.packets))` | \(time) | \(text) |")
      }
    }
    list(told.findings)
  }

  private mutating func list(_ findings: [Finding]) {
    guard !findings.isEmpty else { return }
    line("")
    for finding in findings {
      let severity = (finding.severity ?? .note).key
      line(
        "- **\(severity): \(Self.escaped(finding.what.text))** (`\(finding.rule)`, \(finding.certainty.key))"
      )
      line("  \(Self.escaped(finding.why.text)) `\(ExplainPage.packets(finding.evidence))`")
      for detail in finding.details {
        let text = options.showsKeys ? detail.revealed ?? detail.text : detail.text
        line("  - \(detail.label): \(Self.escaped(text.text))")
      }
      if let remedy = finding.remedy { line("  - what to do: \(Self.escaped(remedy.text))") }
      if let note = finding.note { line("  - note: \(Self.escaped(note.text))") }
    }
  }

  private mutating func line(_ text: String) {
    out.string(text)
    out.byte(0x0a)
  }

  /// Text in which nothing is taken for markup: what a device sent may hold anything.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    var rest = text[...]
    while let character = rest.first {
      rest = rest.dropFirst()
      if character == "#", let digit = rest.first, digit.isASCII, digit.isNumber {
        let number = rest.prefix { ($0.isASCII && $0.isNumber) || $0 == "–" }
        escaped += "`#\(number)`"
        rest = rest.dropFirst(number.count)
      } else if "\\`*_{}[]<>|#&~@".contains(character) {
        // A backslash keeps a sign from being markup, but not a person from being called.
        escaped += character == "@" ? "@\u{200b}" : character == "<" ? "&lt;" : "\\\(character)"
      } else {
        escaped.append(character)
      }
    }
    return escaped
  }
}
