// The names of the two ends of a link in findings and stories.

import Bluetooth
import Diagnosis
import Explanations
import Histories
import MadeTraffic
import Meanings
import Reports
import Testing

@Suite("Names of the ends of a link") struct EndNamesTests {
  private let names = EndNames(local: "this phone", peer: #""HRM""#)

  @Test(
    "Whole words are replaced, at the beginning of a sentence, too, and not in quotation marks",
    arguments: [
      ("the peer refused this host's write", #""HRM" refused this phone's write"#),
      ("The peer's key. This host has it", #""HRM"'s key. This phone has it"#),
      ("the peers of this hostess bathe peer", "the peers of this hostess bathe peer"),
      (#"named "the peer", the peer"#, #"named "the peer", "HRM""#),
      (#"named "\"the peer" by this host"#, #"named "\"the peer" by this phone"#),
      ("this host", "this phone"), ("", ""), ("é the peer é", #"é "HRM" é"#),
    ])
  func words(text: String, named: String) {
    #expect(Wording(stringLiteral: text).naming(names).text == named)
  }

  @Test("An end without a name keeps its word, and the code of a text stays") func unnamed() {
    let text: Wording = "the peer gave this host \(ATTErrorCode(rawValue: 0x0e))"
    let named = text.naming(EndNames(local: nil, peer: "the peripheral"))
    #expect(named.text == "the peripheral gave this host Unlikely Error (0x0e)")
    #expect(named.code?.value == 0x0e)
    #expect(text.naming(EndNames(local: nil, peer: nil)) == text)
  }

  @Test(
    "A hint about this program is left out, wherever it is, but nothing that only looks like one",
    arguments: [
      ("<hidden>\(hint: "; --show-keys prints it")", "<hidden>"),
      ("the peer has it\(hint: "; --keys reads the peer").", "the peer has it."),
      ("a; --b is no hint", "a; --b is no hint"), ("", ""),
    ] as [(Wording, String)])
  func hints(text: Wording, rest: String) {
    #expect(text.withoutHint.text == rest)
    #expect(text.capitalized.withoutHint.text == Wording(stringLiteral: rest).capitalized.text)
    let longer: Wording = "before, \(text), after \(2)"
    #expect(longer.withoutHint.text == "before, \(rest), after 2")
    let renamed = text.naming(EndNames(local: nil, peer: "the thermometer"))
    let other = rest.replacing("the peer", with: "the thermometer")
    #expect(renamed.withoutHint.text == other)
    #expect(renamed.text.hasPrefix(other.prefix(5)))
  }

  @Test("A colon in a clause becomes a dash, except in quotation marks") func colons() {
    let text: Wording = #"it is "a: b": so"#
    #expect(text.withoutColons.text == #"it is "a: b" – so"#)
  }

  /// Returns the texts of a connection's story and finding, after Android's command or without it.
  private func texts(android: Bool, name: String?) -> [String] {
    let evidence = evidence { traffic in
      if android { traffic.command(0xfd53) }
      if let name {
        let bytes = [UInt8(name.utf8.count + 1), 9] + name.utf8
        traffic.advertise(
          peer: 0xc011_2233_4455, data: bytes.map { String($0, radix: 16) }.joined(separator: " "))
      }
      traffic.connect()
      traffic.disconnect()
    }
    let finding = Finding(
      "The peer failed", why: "This host asked.", evidence: [2], do: "Ask the peer.")
    var explanation = Explanation(
      evidence, .init(), rules: [rule("att_test", .error, on: [1], finding)])
    let story = explanation.story(0)
    let found = explanation.findings[0]
    return [
      found.what.text, found.why.text, found.remedy?.text ?? "", story.last?.text.text ?? "",
      explanation.connections[0].history.hostWords(evidence).text,
    ]
  }

  @Test("A phone, a device's name, and otherwise the roles are in findings and stories")
  func sources() {
    #expect(
      texts(android: true, name: "Lamp").prefix(3) == [
        #""Lamp" failed"#, "This phone asked.", #"Ask "Lamp"."#,
      ])
    let roles = texts(android: false, name: nil)
    #expect(
      roles.prefix(3) == ["The peripheral failed", "The central asked.", "Ask the peripheral."])
    #expect(roles[3].hasPrefix("the "))
    #expect(!roles[3].contains("this host") && !roles[3].contains("the peer"), "\(roles[3])")
    #expect(roles[4].hasPrefix("this host") && roles[4].hasSuffix("is the central"))
    #expect(texts(android: true, name: nil)[4].hasPrefix("this phone"))
    // A long name would hide the sentence.
    let long = String(repeating: "x", count: 41)
    #expect(texts(android: false, name: long)[0] == "The peripheral failed")
  }
}
