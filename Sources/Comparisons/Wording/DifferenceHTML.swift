import Bluetooth
import Bytes
import Histories
import Meanings
import Reports
import Sessions

/// `diff --html`: a page with the differences, and with the two conversations side by side from the
/// first difference on. It needs no script.
struct DifferenceHTML: ~Copyable {
  private let report: DifferenceReport
  /// The page of the text output, which words changed values and directions.
  private var page: DifferencePage
  /// The names of the two files.
  private let names: (left: String, right: String)
  private let sides: SideNames

  /// The most steps of a conversation on the page.
  private static let mostSteps = 5000
  /// The longest run of equal steps that is not folded.
  private static let mostEqual = 4

  init(_ report: DifferenceReport) {
    self.report = report
    page = DifferencePage(report, namesOptions: false)
    let files = report.options.names
    let (left, right) = (Self.printable(files.left), Self.printable(files.right))
    let names = left == right ? ("left: \(left)", "right: \(right)") : (left, right)
    self.names = names
    sides = SideNames(files: names)
  }

  private static func printable(_ name: String) -> String {
    Wording(printable: [UInt8](name.utf8).bytes).text
  }

  mutating func write(into out: inout Output) {
    let rows = page.sideRows
    out.text(
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'">
      <title>
      """)
    title(into: &out)
    out.text("</title>\n<style>\n")
    out.text(PageTexts.style)
    out.text("</style>\n</head>\n<body>\n<header>\n<h1>")
    title(into: &out)
    out.text("</h1>\n<table>")
    for row in rows {
      out.text("<tr>")
      // The side's own word says less than the name of its file.
      for (place, cell) in row.dropFirst().enumerated() {
        out.text(place == 0 ? "<th scope=\"row\">" : "<td>")
        out.html(cell)
        out.text(place == 0 ? "</th>" : "</td>")
      }
      out.text("</tr>")
    }
    out.text("</table>\n")
    if report.isSame {
      let isUncertain = report.compared.contains {
        $0.difference.facts.contains(where: \.isUncertain)
      }
      paragraph("verdict", isUncertain ? "No known difference." : "Nothing differs.", into: &out)
    }
    out.text("</header>\n<main>\n")
    for (pair, compared) in report.compared.enumerated() {
      if report.compared.count > 1 {
        out.text("<section><h2>")
        out.html(compared.pair.left.heading.text)
        out.text("</h2></section>\n")
      }
      write(compared, ofPair: pair, into: &out)
    }
    for line in report.unpairedWords(sides) { paragraph("own", line.text, into: &out) }
    out.text(
      "</main>\n<footer><p>Made by gattscope. Everything is in this file; it loads nothing.</p></footer>\n"
    )
    out.text("</body>\n</html>\n")
  }

  private func title(into out: inout Output) {
    for (place, name) in [report.options.names.left, report.options.names.right].enumerated() {
      if place > 0 { out.text(" ↔ ") }
      out.html(Self.printable(name))
    }
  }

  private func paragraph(_ style: StaticString, _ text: String, into out: inout Output) {
    out.text("<p class=\"")
    out.text(style)
    out.text("\">")
    out.html(text)
    out.text("</p>\n")
  }

  private mutating func write(
    _ compared: DifferenceReport.Compared, ofPair pair: Int, into out: inout Output
  ) {
    let difference = compared.difference
    if let words = compared.pair.basis.words { paragraph("facts", words.description, into: &out) }
    for hint in compared.hints(sides) { paragraph("own", hint.withoutHint.text, into: &out) }
    first(difference, ofPair: pair, into: &out)
    facts(difference, into: &out)
    if !report.isOfMap { conversation(difference, into: &out) }
    var same: [String] = []
    if !compared.hasOneMap { lines("Map", into: &out) { $0.map(difference, &same) } }
    if !report.isOfMap { lines("Timing", into: &out) { $0.timing(difference, &same) } }
    for connection in report.lone where connection.pair == pair {
      paragraph("own", connection.words(sides).text, into: &out)
    }
    for left in compared.notCompared {
      let parts = left.parts.map(\.description).joined(separator: ", ")
      paragraph("facts", "\(parts): not compared, since \(left.why.text)", into: &out)
    }
  }

  /// Writes a section with the lines that `diff` prints, if it prints any.
  private mutating func lines(
    _ title: StaticString, into out: inout Output, _ write: (inout DifferencePage) -> Void
  ) {
    page.out.clear()
    write(&page)
    if page.out.count > 1 {
      out.text("<section><h2>")
      out.text(title)
      out.text("</h2><pre class=\"lines\">")
      // The first line is empty, and the second begins with the title.
      var rest = page.out.bytes.dropping(1)
      if rest.starts(with: title) {
        let others = rest.dropping(title.utf8CodeUnitCount)
        if others.starts(with: "\n") { rest = others.dropping(1) }
        if others.starts(with: "  ") { rest = others.dropping(2) }
      }
      out.html(rest)
      out.text("</pre></section>\n")
    }
    page.out.clear()
  }

  private func write(
    _ side: DescribedSide, of name: String, hasFailed: Bool, into out: inout Output
  ) {
    out.text("<dt>")
    out.html(name)
    out.text("</dt><dd>")
    out.text(hasFailed ? "<span class=\"failed\"><b>" : "<span><b>")
    out.string(side.packetWords)
    out.text("</b> ")
    out.html(side.words.text)
    out.text("</span></dd>")
  }

  /// Writes the first difference: the side that fails first.
  private func first(_ difference: Difference, ofPair pair: Int, into out: inout Output) {
    guard let words = report.firstWords(ofPair: pair, self.sides) else { return }
    let first = difference.first
    var sides = [(names.left, first?.left, true), (names.right, first?.right, false)]
    let fails = sides.map { _, place, isLeft in
      let operations = isLeft ? difference.operations.left : difference.operations.right
      return place.map { operations[$0].hasFailed } ?? false
    }
    var sentence = words.text
    if fails[0] != fails[1], first.map({ difference.words(of: $0).fails }) ?? false {
      if fails[1] { sides.reverse() }
      let other = first?.kind == .outcome ? "succeeds" : "does nothing of the kind"
      sentence = "\(sides[0].0) fails where \(sides[1].0) \(other)"
    }
    let failing = report.failingAlone(ofPair: pair)
    let isError = fails[0] || fails[1] || !failing.isEmpty
    out.text("<section><h2>First difference</h2>\n<p class=\"verdict ")
    out.text(isError ? "error\">" : "warning\">")
    out.html(sentence)
    out.text("</p>\n<dl>")
    if failing.isEmpty {
      for (name, place, isLeft) in sides {
        guard let place, let side = difference.side(of: place, isLeft: isLeft) else { continue }
        write(side, of: name, hasFailed: fails[isLeft ? 0 : 1], into: &out)
      }
    }
    for isLeft in [true, false] {
      guard let one = failing.first(where: { $0.isLeft == isLeft }), var side = one.failed
      else { continue }
      side.words = "\(side.words), connection \(one.number)"
      write(side, of: isLeft ? names.left : names.right, hasFailed: true, into: &out)
    }
    out.text("</dl></section>\n")
  }

  private func facts(_ difference: Difference, into out: inout Output) {
    let sections: [(title: StaticString, section: Difference.Fact.Section)] = [
      ("Security", .security), ("Link", .link),
    ]
    for (title, section) in sections {
      let facts = difference.facts.filter {
        $0.section == section && !$0.isSame && !($0.left.isEmpty && $0.right.isEmpty)
      }
      guard !facts.isEmpty else { continue }
      out.text("<section><h2>")
      out.text(title)
      out.text(
        "</h2><table class=\"facts\"><thead><tr><th></th>")
      for name in [names.left, names.right] {
        out.text("<th scope=\"col\">")
        out.html(name)
        out.text("</th>")
      }
      out.text("</tr></thead><tbody>")
      for fact in facts {
        out.text("<tr><th scope=\"row\">")
        out.html(fact.name.description)
        out.text("</th>")
        for (words, packet) in [(fact.left, fact.packets.left), (fact.right, fact.packets.right)] {
          out.text("<td>")
          out.html(words.isEmpty ? "unknown" : words.text)
          if let packet { out.html(", #\(packet)") }
          out.text("</td>")
        }
        out.text("</tr>")
      }
      out.text("</tbody></table></section>\n")
    }
  }

  // MARK: The conversation

  private mutating func conversation(_ difference: Difference, into out: inout Output) {
    let steps = difference.steps
    guard !steps.isEmpty else { return }
    let start =
      steps.firstIndex { $0.kind != .same && !$0.isExpected }
      ?? steps.firstIndex { $0.kind != .same } ?? steps.count
    out.text("<section><h2>Conversation</h2>\n")
    let words = difference.conversationWords
    paragraph("facts", words.isEmpty ? "the same" : words.text, into: &out)
    out.text("<div class=\"pair sides\"><span></span><b>")
    out.html(names.left)
    out.text("</b><b>")
    out.html(names.right)
    out.text("</b></div>\n")
    if start > 0 { folded(steps[..<start], Self.same(start), difference, into: &out) }
    let end = min(steps.count, start + Self.mostSteps)
    var place = start
    while place < end {
      var next = place
      while next < end, steps[next].kind == .same { next += 1 }
      if next - place > Self.mostEqual {
        folded(steps[place..<next], Self.same(next - place), difference, into: &out)
      } else if next > place {
        ladder(steps[place..<next], difference, into: &out)
      } else {
        next = min(end, page.group(difference, from: place))
        let group = steps[place..<next]
        if group.count > 1 {
          folded(group, page.words(ofPairing: group), difference, into: &out)
        } else {
          ladder(group, difference, into: &out)
        }
      }
      place = next
    }
    if steps.count > end {
      paragraph("facts", "\(steps.count - end) more", into: &out)
    }
    out.text("</section>\n")
  }

  private static func same(_ count: Int) -> String {
    let words: Wording = "\(count: count, "step that is the same", "steps that are the same")"
    return words.text
  }

  /// Writes steps that are no news, folded under a line of words.
  private mutating func folded(
    _ steps: ArraySlice<Difference.Step>, _ words: String, _ difference: Difference,
    into out: inout Output
  ) {
    out.text("<details class=\"fold\"><summary>")
    out.html(words)
    out.text("</summary>")
    ladder(steps.prefix(Self.mostSteps), difference, into: &out)
    if steps.count > Self.mostSteps {
      out.text("<p>")
      out.decimal(steps.count - Self.mostSteps)
      out.text(" more</p>")
    }
    out.text("</details>\n")
  }

  private mutating func ladder(
    _ steps: ArraySlice<Difference.Step>, _ difference: Difference, into out: inout Output
  ) {
    for step in steps {
      out.text("<div class=\"pair ")
      out.text(step.kind.style)
      out.text("\"><span class=\"sign\">")
      out.string(page.sign(step.kind))
      out.text("</span>")
      let arrow = page.arrow(step, difference)
      for isLeft in [true, false] {
        guard let side = difference.side(of: step, isLeft: isLeft) else {
          out.text("<div class=\"lane quiet\"></div>")
          continue
        }
        let fails = difference.operations(of: step, isLeft: isLeft).contains(where: \.hasFailed)
        out.text("<div class=\"lane")
        out.text(arrow == "→ " ? " sent" : arrow == "← " ? " received" : "")
        out.text(fails ? " failed\">" : "\">")
        out.text("<div class=\"")
        out.text(arrow.isEmpty ? "aside\"><span><b>" : "arrow\"><span><b>")
        out.string(side.packetWords)
        out.text("</b> ")
        out.html(difference.title(of: step).text)
        if !side.words.isEmpty {
          out.text(" <span class=\"rest\">")
          out.html(side.words.text)
          out.text("</span>")
        }
        if let moved = difference.movedWords(step) {
          out.byte(0x20)
          out.html(moved)
        }
        out.text("</span></div></div>")
      }
      out.text("</div>\n")
      guard step.kind == .changed || step.kind == .added, !step.changes.isEmpty, !step.isOnlyRandom
      else { continue }
      page.out.clear()
      for change in step.changes.prefix(DifferencePage.mostValues) {
        page.write(change, step, difference)
      }
      if page.out.count > 0 {
        out.text("<pre class=\"lines\">")
        out.html(page.out.bytes)
        out.text("</pre>\n")
      }
      page.out.clear()
    }
  }
}

extension Difference.Step.Kind {
  /// The CSS class of the step.
  fileprivate var style: StaticString {
    switch self {
    case .same: "same"
    case .changed: "changed"
    case .removed: "removed"
    case .added: "added"
    }
  }
}
