import Bluetooth
package import Bytes
import Diagnosis
import Reports
import Sessions
import Words

/// `explain --markdown`: text to be pasted into an issue. Packet numbers are written as code, since
/// trackers interpret `#48` as one of their issues.
package struct ExplainMarkdown: ~Copyable {
  private let explanation: Explanation
  private let options: ExplainOptions
  /// Whether of many connections only those with a finding are told.
  private let isBrief: Bool
  private var out = Output()

  package init(_ explanation: Explanation, _ options: ExplainOptions, isBrief: Bool = false) {
    self.explanation = explanation
    self.options = options
    self.isBrief = isBrief && explanation.connections.count > ExplainPage.mostStories
  }

  package mutating func write(into output: inout Output) {
    let name = Wording(printable: [UInt8](options.name.utf8).bytes)
    line("### gattscope explain \(Self.escaped(name.text))")
    line("")
    line("**\(Self.escaped(explanation.verdict.text))**")
    line("")
    line(Self.escaped(explanation.heading.text))
    if let words = explanation.skippedWords {
      line("")
      line(Self.escaped(words.text))
    }
    list(explanation.ofCapture + explanation.ofOthers)
    for told in explanation.connections where !isBrief || !told.findings.isEmpty { write(told) }
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
      if let place = ExplainPage.connections(of: finding) { line("  - where: \(place)") }
      if let remedy = finding.remedy { line("  - what to do: \(Self.escaped(remedy.text))") }
      if let note = finding.note { line("  - note: \(Self.escaped(note.text))") }
    }
  }

  private mutating func line(_ text: String) {
    out.string(text)
    out.byte(0x0a)
  }

  /// Escapes text so that nothing is interpreted as markup, since strings from devices may contain
  /// anything. Works on scalars, as Markdown does: a sign with a combining accent is another
  /// character, but still markup.
  static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "#", let digit = rest.first, isDigit(digit) {
        let number = rest.prefix { isDigit($0) || $0 == "–" }
        escaped += "`#".unicodeScalars + number + "`".unicodeScalars
        rest = rest.dropFirst(number.count)
      } else if scalar == "<" {
        escaped += "&lt;".unicodeScalars
      } else if "\\`*_{}[]>|#&~".unicodeScalars.contains(scalar) {
        escaped += ["\\", scalar]
      } else if scalar == "@" || (scalar == ":" && rest.starts(with: "//".unicodeScalars)) {
        // A backslash prevents markup, but neither mentions of people nor links from addresses.
        escaped += [scalar, "\u{200b}"]
      } else if scalar == ".", escaped.suffix(3).elementsEqual("www".unicodeScalars) {
        escaped += ["\u{200b}", scalar]
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }
}
