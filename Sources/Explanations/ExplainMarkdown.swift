import Bluetooth
package import Bytes
import Diagnosis
import Histories
import Meanings
import Reports
import Sessions

/// `explain --markdown`: text to be pasted into an issue. Packet numbers are written as code, since
/// trackers interpret `#48` as one of their issues.
package struct ExplainMarkdown: ~Copyable {
  private let explanation: Explanation
  private let options: ExplainOptions
  /// Whether only the connections with a finding are described, because there are many.
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
    line("**\(Self.escaped(explanation.verdict.withoutHint.text))**")
    line("")
    line(Self.escaped(explanation.heading.text))
    if let words = explanation.skippedWords {
      line("")
      line(Self.escaped(words.text))
    }
    list(explanation.ofCapture + explanation.ofOthers)
    for connection in explanation.connections where !isBrief || !connection.findings.isEmpty {
      write(connection)
    }
    list(explanation.appendix)
    output.text(out.bytes, options.glyphs)
  }

  private mutating func write(_ connection: Explanation.ReportedConnection) {
    let history = connection.history
    line("")
    line("#### Connection \(history.id): \(Self.escaped(history.peerWords.text))")
    let host = history.hostWords(explanation.evidence)
    if !host.isEmpty {
      line("")
      line(Self.escaped(host.capitalized.text))
    }
    for words in [history.radioWords, history.channelWords].compactMap(\.self) {
      line("")
      line(Self.escaped(words.text))
    }
    let story = connection.story ?? history.namedStory(explanation.evidence)
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
    list(connection.findings)
  }

  private mutating func list(_ findings: [Finding]) {
    guard !findings.isEmpty else { return }
    line("")
    for finding in findings {
      let severity = (finding.severity ?? .note).key
      let names = ["`\(finding.rule)`", finding.certaintyWord].filter { !$0.isEmpty }
      line(
        "- **\(severity): \(Self.escaped(finding.what.text))** (\(names.joined(separator: ", ")))")
      line("  \(Self.escaped(finding.why.text)) `\(ExplainPage.packets(finding.evidence))`")
      for alternative in finding.alternatives {
        line("  - or: \(Self.escaped(alternative.asSentence.text))")
      }
      for detail in finding.details {
        let text = options.showsKeys ? detail.revealed ?? detail.text : detail.text
        line("  - \(detail.label): \(Self.escaped(text.withoutHint.text))")
      }
      if finding.connections.count > 1 {
        line("  - where: \(ExplainPage.connections(of: finding))")
      }
      if let remedy = finding.remedy {
        line("  - what to do: \(Self.escaped(remedy.withoutHint.text))")
      }
      if let note = finding.note { line("  - note: \(Self.escaped(note.text))") }
    }
  }

  private mutating func line(_ text: String) {
    out.string(text)
    out.byte(0x0a)
  }

  /// Escapes text so that nothing is interpreted as markup, since strings from devices may contain
  /// anything. Works on bytes, since markup is ASCII: a sign with a combining accent is another
  /// character, but still markup.
  static func escaped(_ text: String) -> String {
    let bytes = [UInt8](text.utf8)
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count + bytes.count / 8)
    var position = 0
    var rest: ArraySlice<UInt8> { bytes[position...] }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "#") where isDigit(rest.first):
        let end = rangeEnd(bytes, position)
        escaped += "`#".utf8
        escaped += bytes[position..<end]
        escaped.append(UInt8(ascii: "`"))
        position = end
      case UInt8(ascii: "<"): escaped += "&lt;".utf8
      case _ where markup.contains(byte): escaped += [UInt8(ascii: "\\"), byte]
      // A backslash prevents markup, but neither mentions of people nor links from addresses.
      case UInt8(ascii: "@"): escaped += "@\u{200b}".utf8
      case UInt8(ascii: ":") where rest.starts(with: "//".utf8): escaped += ":\u{200b}".utf8
      case UInt8(ascii: ".") where escaped.suffix(3).elementsEqual("www".utf8):
        escaped += "\u{200b}.".utf8
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static let markup = [UInt8]("\\`*_{}[]>|#&~".utf8)

  /// Returns the end of a packet's number, or of a range of two such as `12–15`.
  private static func rangeEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    let dash = "–".utf8
    var end = start
    while end < bytes.count {
      if isDigit(bytes[end]) {
        end += 1
      } else if bytes[end...].starts(with: dash) {
        end += dash.count
      } else {
        break
      }
    }
    return end
  }

  private static func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
  }
}
