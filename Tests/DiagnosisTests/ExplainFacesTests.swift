// The output of findings, independent of the rules: with rules that find what the test defines.

import Bluetooth
import Bytes
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@testable import Explanations
@testable import Reports

/// Returns a rule that finds the same on the connections with these numbers, or, without numbers,
/// on the whole.
func rule(
  _ id: StaticString, _ severity: Severity, on connections: [Int], _ finding: Finding,
  traits: Rule.Traits = []
) -> Rule {
  let symptom = Symptom(id, severity, .meaning, "A test", when: "always", do: "Do this.")
  return connections.isEmpty
    ? symptom.with(traits).inCapture { _ in [finding] }
    : symptom.onConnection { history, _ in connections.contains(history.id) ? [finding] : [] }
}

/// A finding with a secret as a detail.
private var mismatch: Finding {
  var finding = Finding(
    "The passkeys differ", headline: "pairing failed at \(packet: 2)",
    why: "They are not the same.",
    evidence: [1, 2])
  finding.details = [
    Finding.Detail("passkey", hidden: "this host <hidden>", revealed: "this host 799309")
  ]
  return finding
}

/// Returns an explanation of two connections with these rules.
private func explanation(
  _ rules: [Rule], _ selection: Selection = Selection(), connections: Int = 2
) -> Explanation {
  let evidence = evidence { traffic in
    for number in 0..<connections {
      traffic.connect(0x40 + number)
      traffic.disconnect(0x40 + number)
    }
  }
  return Explanation(evidence, selection, rules: rules)
}

private func page(_ explanation: Explanation, _ options: ExplainOptions = ExplainOptions())
  -> String
{
  var page = ExplainPage(explanation, options)
  var output = Output()
  page.write(into: &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

private func json(_ explanation: Explanation, showsKeys: Bool = false) -> String {
  var document = ExplainDocument(explanation, showsKeys: showsKeys)
  var output = Output()
  document.write(into: &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

private func markdown(_ explanation: Explanation, showsKeys: Bool = false) -> String {
  var options = ExplainOptions()
  options.showsKeys = showsKeys
  var page = ExplainMarkdown(explanation, options)
  var output = Output()
  page.write(into: &output)
  return String(decoding: output.bytes.array, as: UTF8.self)
}

@Suite("The output formats of explain") struct ExplainFacesTests {
  @Test("the verdict names the most severe finding, and counts the rest") func verdict() {
    let error = rule("smp_test", .error, on: [2], mismatch)
    let warning = rule("att_test", .warning, on: [1], mismatch)
    let note = rule("att_note", .note, on: [1], mismatch)
    let words = { (rules: [Rule]) in explanation(rules).verdict.text }
    #expect(words([error, warning]) == "1 error: pairing failed at #2, and 1 warning")
    #expect(words([warning, note]) == "1 warning: pairing failed at #2")
    var guess = mismatch
    (guess.grounds, guess.repetitions) = (.sequence, 2)
    #expect(
      words([rule("smp_test", .error, on: [2], guess)])
        == "1 error: pairing failed at #2 (likely)")
    #expect(words([note]) == "No problem found")
    var resolved = mismatch
    resolved.isResolved = true
    // What was put right is no problem, whatever its rule is.
    #expect(
      words([rule("att_test", .error, on: [1], resolved)])
        == "No open problem: all were resolved later")
    #expect(words([]) == "No problem found")
    #expect(explanation([], connections: 0).verdict.text == "This capture is empty")
  }

  /// A capture of a peer with this name, and of a host whose stack may be Android's.
  private func named(
    _ name: String, android: Bool = false, role: UInt8 = 0, _ finding: Finding
  ) -> String {
    let evidence = evidence { traffic in
      if android { traffic.command(0xfd53) }
      let bytes = [UInt8(name.utf8.count + 1), 9] + name.utf8
      traffic.advertise(
        peer: 0xc011_2233_4455, data: bytes.map { String($0, radix: 16) }.joined(separator: " "))
      traffic.connect(role: role)
      traffic.disconnect()
    }
    return Explanation(evidence, Selection(), rules: [rule("att_test", .error, on: [1], finding)])
      .verdict.text
  }

  @Test("the verdict names both devices, has one colon, and states whose fault it is") func clause()
  {
    var finding = Finding(
      "It fails",
      headline:
        "the peer refused this host's write of \(quoted: [UInt8]("the peer: x".utf8)) (\(packet: 2)): Unlikely Error (0x0e)",
      why: "So it is.", evidence: [2])
    #expect(
      named("Lamp", finding)
        == #"1 error: "Lamp" refused the central's write of "the peer: x" (#2) – Unlikely Error (0x0e)"#
    )
    #expect(named("Lamp", android: true, finding).contains("refused this phone's write"))
    #expect(named("", finding).hasPrefix("1 error: the peripheral refused the central's write"))
    finding.headline = "it failed"
    finding.fault = .peer
    #expect(
      named("Lamp", finding)
        == #"1 error: it failed, which is the fault of "Lamp"'s firmware, not of the app"#)
    // This host is the peripheral.
    #expect(
      named("Phone", role: 1, finding)
        == #"1 error: it failed, which is the fault of "Phone", not of the peripheral"#)
    // Unless the cause is certain, nobody is at fault.
    (finding.grounds, finding.repetitions) = (.sequence, 2)
    #expect(named("Lamp", finding) == "1 error: it failed (likely)")
  }

  @Test("JSON lists all findings at the top, each with its connections and who is at fault")
  func findings() throws {
    var other = mismatch
    other.fault = .peer
    let text = json(
      explanation([
        rule("smp_test", .error, on: [2], mismatch), rule("hci_test", .warning, on: [], other),
      ]))
    let start = try #require(text.firstRange(of: #""findings":["#)?.upperBound)
    let end = try #require(text.firstRange(of: #""connections":[{"id""#)?.lowerBound, "\(text)")
    let list = text[start..<end]
    #expect(list.firstRange(of: #""rule":"hci_test""#) != nil, "\(list)")
    #expect(list.contains(#""fault":"peer","connections":[]"#), "\(list)")
    #expect(list.contains(#""rule":"smp_test""#) && list.contains(#""connections":[2]"#), "\(list)")
  }

  @Test("--strict, --fail-on and --allow: what fails, what passes, and nothing to judge")
  func strictness() {
    let all = explanation([
      rule("smp_test", .warning, on: [1], mismatch), rule("att_note", .note, on: [2], mismatch),
    ])
    func judge(_ level: Strictness.Level?, _ failing: [String] = [], _ allowed: [String] = [])
      -> Strictness.Judgement
    {
      Strictness(level, failing: failing, allowed: allowed).judge(all)
    }
    #expect(judge(nil) == .passed)
    #expect(judge(.error) == .passed)
    #expect(judge(.warning) == .failed)
    #expect(judge(.warning, [], ["smp_test"]) == .passed)
    // Names may be written with a dash, and a note fails if its rule may not find anything.
    #expect(judge(nil, ["att-note"]) == .failed && judge(nil, ["ATT_NOTE"]) == .failed)
    #expect(judge(nil, ["att_other"]) == .passed)
    var none = Selection()
    none.connections = [7...7]
    for (explanation, reason) in [
      (explanation([], connections: 0), "this capture is empty"),
      (explanation([], none), "no connection matches the selection"),
    ] {
      #expect(Strictness(.error).judge(explanation) == .nothing(reason))
      #expect(Strictness().judge(explanation) == .passed)
    }
    // An attempt to connect that failed is something to judge.
    let attempt = evidence { $0.advertise() }
    let failed = Explanation(
      attempt, Selection(), rules: [rule("connect_test", .error, on: [], mismatch)])
    #expect(Strictness(.error).judge(failed) == .failed)
    #expect(
      Strictness(.error).judge(Explanation(attempt, Selection(), rules: []))
        == .nothing("no connection in this capture; gattscope devices lists the advertisers"))
  }

  @Test("a capture of which nothing can be decoded is reported, one with a single packet is not")
  func undecoded() {
    func words(_ build: @escaping (inout Traffic) -> Void) -> String {
      Explanation(evidence(build), Selection()).verdict.text
    }
    let unknown: (inout Traffic) -> Void = { $0.add([0x77, 1, 2, 3], .sent) }
    #expect(words(unknown).hasPrefix("Nothing in this capture can be decoded"))
    #expect(
      words {
        unknown(&$0)
        $0.command(0x0c03)
      } == "No connection in this capture; 1 of its 2 records cannot be decoded")
    #expect(words { $0.command(0x0c03) } == "No connection and no advertisement in this capture")
    #expect(words { $0.note(12, [0x78, 0]) } == "No HCI packet in this capture")
  }

  @Test("a finding appears with its connection, one about the whole before them") func places() {
    let text = page(
      explanation([
        rule("smp_test", .error, on: [2], mismatch), rule("hci_test", .warning, on: [], mismatch),
        rule("capture_test", .note, on: [], mismatch, traits: .ofCapture),
      ]))
    let order = ["capture_test", "hci_test", "Connection 1:", "Connection 2:", "smp_test"]
    let places = order.compactMap { text.firstRange(of: $0)?.lowerBound }
    #expect(places.count == order.count, "\(text)")
    #expect(places == places.sorted(), "\(text)")
  }

  @Test("a finding of three connections is printed once, with their numbers") func grouped() {
    let all = explanation([rule("link_test", .error, on: [1, 2, 3], mismatch)], connections: 3)
    #expect(all.findings.map(\.connections) == [[1, 2, 3]])
    #expect(page(all).contains("On 3 connections, the passkeys differ"))
    #expect(all.verdict.text == "1 error: on 3 connections, the passkeys differ")
    #expect(json(all).contains("\"connections\":[1,2,3]"))
    // Two connections of one device are enough.
    let two = explanation([rule("link_test", .error, on: [1, 2], mismatch)], connections: 3)
    #expect(two.findings.map(\.connections) == [[1, 2]])
  }

  @Test("a secret is in no format unless keys are requested, and then in each") func secrets() {
    let explanation = explanation([rule("smp_test", .error, on: [1], mismatch)])
    for hidden in [page(explanation), json(explanation), markdown(explanation)] {
      #expect(!hidden.contains("799309"), "\(hidden)")
      #expect(hidden.contains("hidden"), "\(hidden)")
    }
    var options = ExplainOptions()
    options.showsKeys = true
    let shown = [
      page(explanation, options), json(explanation, showsKeys: true),
      markdown(explanation, showsKeys: true),
    ]
    for text in shown { #expect(text.contains("799309"), "\(text)") }
    #expect(json(explanation).contains("\"hidden\":[\"passkey\"]"))
  }

  @Test(
    "lines keep to any width",
    arguments: [20, 21, 25, 30, 35, 39, 40, 60, 80, 100],
    [Glyphs.utf8, .ascii])
  func width(_ columns: Int, _ glyphs: Glyphs) {
    var options = ExplainOptions()
    options.width = columns
    options.glyphs = glyphs
    var arrows = mismatch
    arrows.why = "One → two … three → four – five ⇒ six → seven … eight → nine ⇒ ten."
    let text = page(explanation([rule("smp_test", .error, on: [1], arrows)]), options)
    #expect(text.contains(glyphs.isUTF8 ? "⇒" : "=>"), "\(text)")
    for line in text.split(separator: "\n") {
      #expect(String(line).columns <= columns, "\(columns): \(line)")
    }
  }

  @Test("a selection omits other connections, and findings about none of them") func selection() {
    var selection = Selection()
    selection.connections = [2...2]
    let rules = [
      rule("smp_test", .error, on: [1], mismatch), rule("hci_test", .warning, on: [], mismatch),
    ]
    let chosen = explanation(rules, selection)
    #expect(chosen.connections.map(\.history.id) == [2])
    #expect(chosen.findings.isEmpty)
  }

  @Test("a selection prints only the selected one of three connections' equal findings")
  func selectedOfGroup() {
    var selection = Selection()
    selection.connections = [2...2]
    let chosen = explanation(
      [rule("link_test", .error, on: [1, 2, 3], mismatch)], selection, connections: 3)
    #expect(chosen.findings.map(\.connections) == [[2]])
  }

  @Test("the verdict's clauses are in packet order, the capture's own first")
  func clauses() {
    func finding(_ headline: Wording, _ packet: Int) -> Finding {
      Finding("It failed", headline: headline, why: "So it is.", evidence: [packet])
    }
    let all = explanation([
      rule("smp_test", .error, on: [1], finding("the second", 4)),
      rule("capture_test", .error, on: [], finding("the capture", 9), traits: .ofCapture),
      rule("att_test", .error, on: [1], finding("the first", 2)),
    ])
    #expect(all.verdict.text == "3 errors: the capture; the first; the second")
  }

  @Test("many connections without a finding are printed together, one line per peer")
  func quiet() {
    let evidence = evidence { traffic in
      for number in 0..<40 {
        traffic.connect(peer: number % 2 == 0 ? 0xc011_2233_4455 : 0xc0ff_eec0_ffee)
        traffic.disconnect()
      }
      for _ in 0..<3 {
        traffic.connect(peer: 0xc0ff_eec0_ffed)
        traffic.disconnect()
      }
    }
    let lines = page(Explanation(evidence, Selection(), rules: [])).split(separator: "\n")
    #expect(
      lines.suffix(4).map(String.init) == [
        "43 connections without a finding of their own; --full shows all, --connection N shows one:",
        "  C0:11:22:33:44:55 random static: 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 8 more",
        "  C0:FF:EE:C0:FF:EE random static: 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24 and 8 more",
        "  C0:FF:EE:C0:FF:ED random static: 41–43",
      ])
  }

  @Test("a finding about a device without a connection is printed if that device is selected")
  func peers() throws {
    var timeout = mismatch
    timeout.peers = [DeviceAddress(value: 0xf3f3_f3f3_f3f3)]
    let rules = [rule("connect_test", .error, on: [], timeout)]
    for (pattern, isTold) in [("F3:F3:*", true), ("C0:*", false)] {
      var selection = Selection()
      selection.devices = [try DevicePattern(pattern)]
      let explanation = explanation(rules, selection)
      #expect((explanation.count(.error) > 0) == isTold, "\(pattern)")
    }
    var selection = Selection()
    selection.connections = [1...1]
    #expect(explanation(rules, selection).findings.isEmpty)
  }

  @Test(
    "Markdown reads no character as markup, issue, mention or link"
  )
  func escaping() {
    #expect(
      ExplainMarkdown.escaped("*a* | <b> #48–50 #x @me [c](d) `e`")
        == "\\*a\\* \\| &lt;b\\> `#48–50` \\#x @\u{200b}me \\[c\\](d) \\`e\\`")
    // With accents, which are not characters of their own.
    #expect(
      ExplainMarkdown.escaped("|\u{301}`\u{338}#1\u{301}") == "\\|\u{301}\\`\u{338}`#1`\u{301}")
    #expect(
      ExplainMarkdown.escaped("http://a.b www.a.b 12:03")
        == "http:\u{200b}//a.b www\u{200b}.a.b 12:03")
  }

  @Test("paragraphs wrap between words and keep the right margin") func paragraphs() {
    #expect(Paragraph("one two three", columns: 8).lines == ["one two", "three"])
    #expect(Paragraph("one", columns: 12, right: "right").lines == ["one    right"])
    #expect(Paragraph("one two", columns: 12, right: "right").lines == ["one two", "       right"])
    #expect(
      Paragraph("a word indivisible", columns: 4).lines == ["a", "word", "indi", "visi", "ble"])
    #expect(
      Paragraph("one", columns: 4, right: "on the right").lines == [
        "one", "on", "the", "righ", "t",
      ])
    #expect(Paragraph("a-b-cdefgh", columns: 5).lines == ["a-b-", "cdefg", "h"])
    #expect(Paragraph("", columns: 4).lines == [""])
  }

  @Test("wordings: lists, capitals, and nothing from a device that could control a terminal")
  func wordings() {
    #expect(Wording(listing: ["a"]).text == "a")
    #expect(Wording(listing: ["a", "b", "c"]).text == "a, b and c")
    #expect(Wording("peer").capitalized.text == "Peer")
    let name: Wording = "\(quoted: [0x41, 0x1b, 0x5b, 0x6d, 0x22])"
    #expect(name.text == "\"A\\x1b[m\\\"\"", "\(name.text)")
  }
}
