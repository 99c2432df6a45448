package import Bytes
import Diagnosis
package import Reports
import Sessions
import Words

/// `explain --list-rules`: every rule, what it finds and when.
package struct RuleCatalogue: Sendable {
  private let face: ExplainOptions.Face

  /// Creates the catalogue as text, as JSON or as a page of the guide.
  package init(_ face: ExplainOptions.Face) { self.face = face }

  /// Writes the catalogue.
  ///
  /// - Parameters:
  ///   - width: the width of the terminal in columns; nil: the default width.
  ///   - isEndless: whether lines are not wrapped at all.
  package func write(
    _ glyphs: Glyphs, width: Int?, isEndless: Bool = false, into output: inout Output
  ) {
    switch face {
    case .text: text(glyphs, isEndless ? Paragraph.endless : width, into: &output)
    case .json: json(into: &output)
    case .markdown: markdown(into: &output)
    }
  }

  private func text(_ glyphs: Glyphs, _ width: Int?, into output: inout Output) {
    var out = Output()
    for (index, rule) in Rule.all.enumerated() {
      if index > 0 { out.byte(0x0a) }
      let columns = width ?? 100
      let head = "\(rule.id)  \(rule.severity.key)"
      let isOneLine = head.count <= columns
      for line in isOneLine ? [head] : Paragraph(head, columns: columns).lines {
        out.string(line + "\n")
      }
      for (label, text) in lines(of: rule) {
        let paragraph = Paragraph(text, columns: columns - 9)
        for (index, line) in paragraph.lines.enumerated() {
          out.string(index == 0 ? "  " + label.padding(to: 7) : "         ")
          out.string(line)
          out.byte(0x0a)
        }
      }
    }
    output.text(out.bytes, glyphs)
  }

  private func lines(of rule: Rule) -> [(String, String)] {
    var lines = [("finds", "\(rule.finds)."), ("when", "\(rule.condition).")]
    if let needs = rule.needsWords { lines.append(("needs", needs.text)) }
    if !rule.remedy.isEmpty { lines.append(("do", rule.remedy.text)) }
    return lines
  }

  private func json(into output: inout Output) {
    var sink = JSONSink(showsKeys: false)
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.beginList("rules")
    for rule in Rule.all {
      sink.beginItem()
      sink.string("rule", rule.id.description.replacing("-", with: "_"))
      sink.word("severity", rule.severity.key)
      sink.string("finds", rule.finds.description)
      sink.string("when", rule.condition.description)
      sink.parts("needs", rule.needs)
      sink.parts("leans_on", rule.leansOn)
      if !rule.remedy.isEmpty { sink.string("remedy", rule.remedy.text) }
      sink.endItem()
    }
    sink.endList()
    sink.endDocument(in: &output)
  }

  private func markdown(into output: inout Output) {
    output.string(
      """
      # What explain looks for

      Every rule of `gattscope explain`, in the order in which findings of one severity are told. This page is written by
      `gattscope explain --list-rules --markdown`. In JSON a rule's name has `_` for `-`. The severity is what it is in
      general; what came right later in the same connection is a note.

      """)
    for rule in Rule.all {
      output.string("\n## \(rule.id)\n\n")
      output.string("\(rule.severity.key): \(ExplainMarkdown.escaped(rule.finds.description)).\n\n")
      output.string("- when: \(ExplainMarkdown.escaped(rule.condition.description)).\n")
      if let needs = rule.needsWords { output.string("- needs: \(needs.text)\n") }
      if !rule.remedy.isEmpty {
        output.string("- what to do: \(ExplainMarkdown.escaped(rule.remedy.text))\n")
      }
    }
  }
}

extension Rule {
  /// What a capture must contain for the rule, as a sentence; nil: nothing in particular.
  fileprivate var needsWords: Wording? {
    guard !needs.isEmpty || !leansOn.isEmpty else { return nil }
    let must = needs.listed(joinedBy: "and")
    let may = leansOn.listed(joinedBy: "or")
    if leansOn.isEmpty { return "\(must)." }
    return needs.isEmpty
      ? "less certain without \(may)." : "\(must); less certain without \(may)."
  }
}

extension Coverage.Parts {
  /// Returns a list such as `host commands and controller events`.
  func listed(joinedBy conjunction: StaticString) -> Wording {
    let isBoth = isSuperset(of: .bothDirections)
    var pieces: [Wording] = []
    for part in each {
      if isBoth, part == .receivedData { continue }
      pieces.append(isBoth && part == .sentData ? "data of both directions" : "\(part.words)")
    }
    guard let last = pieces.last, pieces.count > 1 else { return pieces.first ?? "" }
    return "\(Wording(pieces.dropLast(), joinedBy: ", ")) \(conjunction) \(last)"
  }
}

extension String {
  /// Returns the string padded with blanks to `count` characters.
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
