// What is said of connections that were recorded on the air, where there is no host.

import Bluetooth
import Bytes
import Captures
import Diagnosis
import Foundation
import MadeTraffic
import Meanings
import Sessions
import Testing

@testable import Explanations
@testable import Histories
@testable import Reports

extension Evidence {
  /// The same evidence, as if a sniffer had recorded it.
  fileprivate var onAir: Evidence {
    var evidence = self
    evidence.vantage = .air
    evidence.connections = connections.map { history in
      var connection = history.connection
      connection.isOnAir = true
      var notes = ConnectionNotes(connection, .builtIn)
      (notes.device, notes.name, notes.lacksData) = (history.device, history.name, false)
      (notes.link, notes.security, notes.pairing) = (
        history.link, history.security, history.pairing
      )
      (notes.encryption, notes.attributes) = (history.encryption, history.attributes)
      (notes.channels, notes.transfers) = (history.channels, history.transfers)
      return ConnectionHistory(notes)
    }
    return evidence
  }
}

@Suite("Captures from the air have no host") struct VantageTests {
  /// Returns everything that `explain` prints, without what is in quotation marks.
  private func printed(_ evidence: Evidence, _ rules: [Rule] = Rule.all) -> String {
    let explanation = Explanation(evidence, Selection(), rules: rules)
    var options = ExplainOptions()
    options.isVerbose = true
    options.isFull = true
    var output = Output()
    var page = ExplainPage(explanation, options)
    page.write(into: &output)
    var markdown = ExplainMarkdown(explanation, options)
    markdown.write(into: &output)
    let text = String(decoding: output.bytes.array, as: UTF8.self)
    // Names of devices may be anything. Lines are broken between words.
    return text.split(separator: "\n").joined(separator: " ").split(separator: " ").joined(
      separator: " "
    ).split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter {
      $0.offset % 2 == 0
    }
    .map { String($0.element) }.joined(separator: "…")
  }

  private func json(_ evidence: Evidence, _ rules: [Rule] = Rule.all) -> String {
    var document = ExplainDocument(
      Explanation(evidence, Selection(), rules: rules), showsKeys: false)
    var output = Output()
    document.write(into: &output)
    return String(decoding: output.bytes.array, as: UTF8.self)
  }

  /// Words that only captures of a host have.
  private static let ofHosts = [
    "this host", "This host", "the host ", "The host ", "the host's", "the peer", "The peer",
    "peer unknown",
  ]
  private static let keys = [
    "\"this_host\"", "\"local_host\"", "\"local_role\"", "\"fault\":\"peer\"", "\"sent\":",
    "\"received\":",
  ]

  /// The rules that may find something on the air.
  private static let applied = Rule.all.filter { $0.symptom.applies(to: .air) }

  @Test("no finding and no story names a host or a peer, whatever traffic there was") func words()
    throws
  {
    var found: Set<String> = []
    for (name, stored) in try Triggers.read() {
      let knowledge = stored.isTrial ? try Trial.knowledge() : .builtIn
      var source = MemorySource(stored.records)
      let evidence = evidence(of: &source, knowledge: knowledge).onAir
      found.formUnion(evidence.findings(isGrouped: false).map { $0.rule.description })
      let (text, document) = (printed(evidence), json(evidence))
      for words in Self.ofHosts where text.contains(words) {
        let place = text.range(of: words).map { text[$0.lowerBound...].prefix(60) } ?? ""
        Issue.record("traffic of \(name): \(place)")
      }
      for key in Self.keys {
        #expect(!document.contains(key), "traffic of \(name) has \(key)")
      }
    }
    #expect(found.count > 60, "only \(found.count) rules found something")
  }

  @Test("the advice of each rule that is applied on the air names no host") func advice() {
    for rule in Self.applied {
      let text = rule.remedy.naming(.onAir).text
      for words in Self.ofHosts { #expect(!text.contains(words), "\(rule.id): \(text)") }
    }
  }

  @Test("rules about hosts and controllers are not applied on the air, those about data are")
  func applied() {
    let ofHosts = ["hci_", "mgmt_", "connect_", "host_", "adv_not", "adv_random", "adv_data"]
    let ofData = ["att_", "gatt_", "smp_", "l2cap_", "frame_"]
    for rule in Rule.all {
      let id = rule.id.description
      let isApplied = rule.symptom.applies(to: .air)
      if ofHosts.contains(where: id.hasPrefix), id != "mgmt_pairing_failed",
        id != "mgmt_connect_failed", id != "mgmt_command_refused"
      {
        #expect(!isApplied, "\(id)")
      }
      if ofData.contains(where: id.hasPrefix), rule.needs.isDisjoint(with: .commands),
        id != "gatt_client_left_out"
      {
        #expect(isApplied, "\(id)")
      }
    }
  }

  @Test("a rule of hosts finds nothing on a connection from the air, and is not counted as skipped")
  func hosts() {
    let symptom = Symptom("link_test", .error, .fact, "A test", when: "always").with(.ofHost)
    let finding = Finding("It fails", why: "So it is.", evidence: [1])
    let one = symptom.onConnection { _, _ in [finding] }
    let whole = symptom.inCapture { evidence in
      var finding = finding
      finding.connections = evidence.connections.map(\.id)
      return [finding]
    }
    let host = evidence {
      $0.connect()
      $0.disconnect()
    }
    #expect(host.findings(by: [one, whole]).count == 2)
    #expect(host.onAir.findings(by: [one, whole]).isEmpty)
    #expect(host.onAir.skipped([one, whole]).isEmpty)
    // In a capture with both, the connection decides.
    var both = host.onAir
    both.vantage = .host
    #expect(both.findings(by: [one, whole]).isEmpty)
  }

  @Test("one finding, seen from a host and from the air") func finding() {
    var finding = Finding(
      "The peer refused this host's write", headline: "the peer refused this host's write",
      why: "This host wrote, and the peer's firmware refused.", evidence: [2],
      do: "Make the host ask the peer.", fault: .local)
    finding.details = [Finding.Detail("passkey", "this host 1, the peer 2")]
    let rules = [rule("att_test", .error, on: [1], finding)]
    let host = evidence {
      $0.connect(role: 1)
      $0.disconnect()
    }
    func found(_ evidence: Evidence) -> [String] {
      let explanation = Explanation(evidence, Selection(), rules: rules)
      let one = explanation.findings[0]
      return [
        one.what.text, one.why.text, one.remedy?.text ?? "", one.details[0].text.text,
        explanation.verdict.text,
      ]
    }
    // The captured host is the peripheral.
    #expect(
      found(host) == [
        "The central refused the peripheral's write",
        "The peripheral wrote, and the central's firmware refused.",
        "Make the host ask the central.", "the peripheral 1, the central 2",
        "1 error: the central refused the peripheral's write, which is the fault of the peripheral, not of the central",
      ])
    #expect(json(host, rules).contains(#""fault":"this_host""#))
    #expect(
      found(host.onAir) == [
        "The peripheral refused the central's write",
        "The central wrote, and the peripheral's firmware refused.",
        "Make the central ask the peripheral.", "the central 1, the peripheral 2",
        "1 error: the peripheral refused the central's write, which is the fault of the central, not of the peripheral",
      ])
    #expect(json(host.onAir, rules).contains(#""fault":"central""#))
    // Rows of a table are compared, so they never have names, but there is no host, either.
    let row = Explanation(host.onAir, Selection(), rules: rules, isNamed: false).findings[0]
    #expect(row.what.text == "The peripheral refused the central's write")
  }

  @Test("connections from both vantages have no names in common") func mixed() {
    var evidence = evidence {
      $0.connect()
      $0.disconnect()
      $0.connect()
      $0.disconnect()
    }
    evidence.connections[0] = evidence.onAir.connections[0]
    let text: Wording = "this host and the peer"
    #expect(
      text.naming(evidence.names(of: evidence.connections)).text == "one side and the other side")
    #expect(
      text.naming(evidence.names(of: [evidence.connections[0]])).text
        == "the central and the peripheral")
  }

  @Test("a host is one server on all its connections, and each central on the air is another")
  func servers() {
    let host = evidence {
      $0.connect()
      $0.disconnect()
      $0.connect()
      $0.disconnect()
    }
    let keys = { (evidence: Evidence) in
      evidence.connections.map { Attributes.key(of: .local, $0.connection) }
    }
    #expect(Set(keys(host)).count == 1 && Set(keys(host.onAir)).count == 2)
    for (key, vantage) in keys(host).map({ ($0, Vantage.host) })
      + keys(host.onAir).map({ ($0, .air) })
    {
      #expect(Attributes.isLocal(key) && Attributes.vantage(ofLocal: key) == vantage)
    }
    #expect(
      host.connections.map { Attributes.key(of: .peer, $0.connection) }
        == host.onAir.connections.map { Attributes.key(of: .peer, $0.connection) })
  }

  @Test("what the ends of a link, directions and endings are called") func vocabulary() {
    #expect(Side.local.words(.host).description == "this host")
    #expect(Side.local.words(.air).description == "the central")
    #expect(Side.peer.words(.air).description == "the peripheral")
    #expect([Side.local, .peer].map { $0.key(.host).description } == ["this_host", "peer"])
    #expect([Side.local, .peer].map { $0.key(.air).description } == ["central", "peripheral"])
    let directions = [Direction.sent, .received]
    #expect(directions.map { $0.key(.host).description } == ["sent", "received"])
    #expect(
      directions.map { $0.key(.air).description }
        == ["central_to_peripheral", "peripheral_to_central"])
    #expect(directions.map { $0.words(.host).description } == ["sent", "received"])
    #expect(
      directions.map { $0.words(.air).description } == ["from the central", "from the peripheral"])
    let endings = [Connection.Ending.localHost, .peer, .timeout]
    #expect(endings.map { $0.key(.host).description } == ["local_host", "peer", "timeout"])
    #expect(endings.map { $0.key(.air).description } == ["central", "peripheral", "timeout"])
    let text: Wording = #"The host's log, "the host", the host of hostesses: this host"#
    #expect(
      text.naming(.onAir).text
        == #"The central's log, "the host", the central of hostesses: the central"#)
  }
}
