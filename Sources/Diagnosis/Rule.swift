package import Histories
package import Bluetooth
package import Meanings
package import Sessions

/// How much a finding matters.
package enum Severity: UInt8, Sendable, CaseIterable, Comparable {
  /// Worth knowing; nothing failed.
  case note
  /// Something failed, but the rest of the session worked without it.
  case warning
  /// The devices failed to do what they were meant to.
  case error

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The name in text and JSON.
  package var key: StaticString { self == .note ? "note" : self == .warning ? "warning" : "error" }
}

/// How certain the cause of a finding is.
package enum Certainty: UInt8, Sendable, CaseIterable {
  /// One of several explanations.
  case possible
  /// The explanation that the evidence supports best.
  case likely
  /// The packets exclude every other explanation that the rule knows.
  case certain

  /// The name in text and JSON.
  package var key: StaticString {
    self == .possible ? "possible" : self == .likely ? "likely" : "certain"
  }

  /// Creates the certainty of a cause about which this many doubts remain.
  init(doubts: Int) { self = doubts == 0 ? .certain : doubts == 1 ? .likely : .possible }
}

/// What a cause follows from, which limits its certainty.
package enum Grounds: Sendable, CaseIterable {
  /// The finding states only what the packets show, so there is no cause to be certain of.
  case fact
  /// The specification gives the code or the sequence of packets one meaning. Certain if no other
  /// explanation is left.
  case meaning
  /// One event came after another. Possible, and likely if that happened independently two or more
  /// times.
  case sequence

  /// The name in JSON.
  package var key: StaticString {
    self == .fact ? "fact" : self == .meaning ? "meaning" : "sequence"
  }
}

/// Another explanation of what a rule finds, about a subject such as a refused request. If the
/// packets do not exclude it, the rule's own cause is less certain, and the finding names it.
package struct Alternative<Subject>: Sendable {
  /// The explanation as a clause: `a program on the other side refused`.
  let words: StaticString
  /// Returns whether the packets exclude it; nil: no packet can.
  let isExcluded: (@Sendable (Subject, Evidence) -> Bool)?

  /// Creates an explanation that packets can exclude.
  package init(
    _ words: StaticString, excludedIf isExcluded: @escaping @Sendable (Subject, Evidence) -> Bool
  ) { (self.words, self.isExcluded) = (words, isExcluded) }

  /// Creates an explanation that no packet can exclude.
  package init(always words: StaticString) { (self.words, isExcluded) = (words, nil) }
}

/// Something that a rule found.
package struct Finding: Sendable {
  /// A separate line below the explanation: `passkey  this host <hidden>, peer unknown`.
  package struct Detail: Sendable {
    /// The label: one lower-case word, which is also the JSON key.
    package var label: StaticString
    /// The text to print.
    package var text: Wording
    /// The text to print instead if keys are requested; nil if nothing is hidden.
    package var revealed: Wording?

    /// Creates a line without secrets.
    package init(_ label: StaticString, _ text: Wording) { (self.label, self.text) = (label, text) }

    /// Creates a line with a secret, which only `revealed` contains.
    package init(_ label: StaticString, hidden text: Wording, revealed: Wording) {
      (self.label, self.text, self.revealed) = (label, text, revealed)
    }
  }

  /// The rule's ID and traits, set when the rule is run.
  package internal(set) var rule: StaticString = ""
  package internal(set) var traits: Rule.Traits = []
  /// The severity. If the rule does not set it, it becomes the rule's own severity.
  package var severity: Severity?
  /// What failed, in a line that starts with a capital letter and has no full stop: "The passkeys
  /// on the two sides differ".
  package var what: Wording
  /// The same as a lower-case clause, for the verdict on the whole capture: "pairing failed at #48
  /// because the passkeys on the two sides differ". Symptom first, then its cause, for readers who
  /// do not know HCI.
  package var headline: Wording
  /// The cause that the evidence supports, in full sentences.
  package var why: Wording
  /// What the cause follows from; nil: what the rule declares.
  package var grounds: Grounds?
  /// How often what it rests on happened, independently of each other.
  package var repetitions = 1
  /// The other explanations that the packets do not exclude, as clauses.
  package internal(set) var alternatives: [Wording] = []
  /// How certain the cause is. Facts are certain.
  package var certainty: Certainty {
    let doubts: Int
    switch grounds ?? .meaning {
    case .fact: return .certain
    case .meaning: doubts = 0
    case .sequence: doubts = repetitions > 1 ? 1 : 2
    }
    return Certainty(doubts: doubts + alternatives.count)
  }
  /// The packets that show it.
  package var evidence: PacketSet
  /// Separate lines below the explanation.
  package var details: [Detail] = []
  /// How to fix it, if that differs from the rule's general remedy; empty: there is nothing to fix.
  package var remedy: Wording?
  /// Additional information.
  package var note: Wording?
  /// Whether the finding depends on something that the capture does *not* contain, which makes it
  /// less certain if records are missing.
  package var restsOnAbsence = false
  /// Whether later packets show that the problem was resolved.
  package var isResolved = false
  /// The side that has to change for the problem to go away, if the specification leaves no doubt
  /// about that: the verdict names it if the cause is certain.
  package var fault: Side?
  /// The attribute that it is about, if any.
  package var attribute: NamedAttribute?
  /// The error or reason code that it is about, if any: the first one that its words name, unless
  /// the rule sets it.
  package var code: NamedCode? {
    get { ownCode ?? what.code ?? headline.code ?? why.code }
    set { ownCode = newValue }
  }
  private var ownCode: NamedCode?
  /// The devices that it is about if no connection with them was established.
  package var peers: [DeviceAddress] = []
  /// The connections that it is about; empty if it is about the capture or a controller.
  package var connections: [Int] = []
  /// The connections at the other ends of these links that show the same problem, and the packets
  /// that show it.
  var otherEnds: (connections: [Int], evidence: PacketSet) = ([], [])
  /// The words that decide whether findings are equal; those with the same words are reported as
  /// one if several connections have them. Set by a rule whose text varies by a number.
  package var group: Wording?
  /// The verdict on several such connections, as a clause; nil: the shared words.
  package var groupHeadline: Wording?
  /// Whether it is a list for reference, which is printed after all other findings.
  package var isAppendix = false

  /// Creates a finding.
  ///
  /// - Parameter headline: nil: the same words as `what`.
  package init(
    _ what: Wording, headline: Wording? = nil, why: Wording, evidence: PacketSet,
    on connections: [Int] = [], _ severity: Severity? = nil, restsOnAbsence: Bool = false,
    grounds: Grounds? = nil, do remedy: Wording? = nil, group: Wording? = nil, fault: Side? = nil
  ) {
    (self.what, self.headline, self.why) = (what, headline ?? what.asClause, why)
    (self.evidence, self.connections, self.severity) = (evidence, connections, severity)
    (self.restsOnAbsence, self.grounds) = (restsOnAbsence, grounds)
    (self.remedy, self.group, self.fault) = (remedy, group, fault)
  }
}

/// What a rule finds, on what condition, and how to fix it.
package struct Symptom: Sendable {
  /// The rule's stable name: `smp_passkey_mismatch`.
  package let id: StaticString
  /// The default severity of its findings.
  package let severity: Severity
  /// What the causes of its findings follow from.
  package let grounds: Grounds
  /// What it finds, for the catalogue: a sentence without a full stop.
  package let finds: StaticString
  /// The condition in words, for the catalogue.
  package let condition: StaticString
  /// How to fix the problem.
  package let remedy: Wording
  package private(set) var traits: Rule.Traits = []
  /// What a capture must contain for the rule to conclude anything; if it is missing, the rule is
  /// skipped.
  package private(set) var needs: Coverage.Parts = []
  /// What the rule takes into account if the capture contains it; if it is missing, the finding is
  /// less certain.
  package private(set) var leansOn: Coverage.Parts = []

  package init(
    _ id: StaticString, _ severity: Severity, _ grounds: Grounds, _ finds: StaticString,
    when condition: StaticString, do remedy: Wording = ""
  ) {
    (self.id, self.severity, self.grounds) = (id, severity, grounds)
    (self.finds, self.condition, self.remedy) = (finds, condition, remedy)
  }

  package consuming func with(_ traits: Rule.Traits) -> Self {
    self.traits = traits
    return self
  }

  consuming func needing(_ parts: Coverage.Parts) -> Self {
    needs = parts
    return self
  }

  consuming func leaningOn(_ parts: Coverage.Parts) -> Self {
    leansOn = parts
    return self
  }
}

/// How the rules of a symptom examine the evidence.
///
/// - `merges`: whether many findings on a connection are reported as one.
/// - `elsewise`: the other explanations of what it finds. Each is about the subject that the rule
///   returns with a finding: by default the connection or, in a capture, nothing.
extension Symptom {
  /// Returns a rule about one connection at a time.
  package func onConnection(
    merges: Bool = false, elsewise: [Alternative<ConnectionHistory>] = [],
    _ examine: @escaping @Sendable (ConnectionHistory, Evidence) -> [Finding]
  ) -> Rule {
    onConnection(about: ConnectionHistory.self, merges: merges, elsewise: elsewise) {
      history, evidence in examine(history, evidence).map { (history, $0) }
    }
  }

  package func onConnection<Subject>(
    about subject: Subject.Type, merges: Bool = false, elsewise: [Alternative<Subject>],
    _ examine: @escaping @Sendable (ConnectionHistory, Evidence) -> [(Subject, Finding)]
  ) -> Rule {
    Rule(
      self, elsewise,
      .connection { history, evidence in
        let found = examine(history, evidence).map { $1.weighed(elsewise, $0, evidence) }
        return merges ? Finding.merged(found) : found
      })
  }

  /// Returns a rule about the whole capture: controllers, several connections of one device, or the
  /// capture itself.
  package func inCapture(
    elsewise: [Alternative<Void>] = [], _ examine: @escaping @Sendable (Evidence) -> [Finding]
  ) -> Rule {
    inCapture(about: Void.self, elsewise: elsewise) { examine($0).map { ((), $0) } }
  }

  package func inCapture<Subject>(
    about subject: Subject.Type, elsewise: [Alternative<Subject>],
    _ examine: @escaping @Sendable (Evidence) -> [(Subject, Finding)]
  ) -> Rule {
    Rule(
      self, elsewise,
      .whole { evidence in examine(evidence).map { $1.weighed(elsewise, $0, evidence) } })
  }
}

/// One problem of Bluetooth LE devices, and how it is recognised.
@dynamicMemberLookup
package struct Rule: Sendable {
  /// What verdicts and live output need to know of a rule.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It is about the capture itself.
    package static let ofCapture = Self(rawValue: 1 << 0)
    /// It is about a capture that ends while a command has no answer.
    package static let endsUnanswered = Self(rawValue: 1 << 1)
    /// A finding is final as soon as it is made, although the capture continues: it follows from
    /// packets that are present, and no later packet can refute it. Findings of other rules may be
    /// refuted while the connection lasts, or depend on something that has not arrived.
    ///
    /// A later attempt that succeeds does not refute a finding; it may only reduce its severity.
    package static let settled = Self(rawValue: 1 << 2)
    /// It concludes from what only a captured host shows: what its controller reports, and when
    /// data reached it. It is not applied to connections that were recorded on the air.
    package static let ofHost = Self(rawValue: 1 << 3)
  }

  /// What a rule examines.
  package enum Examination: Sendable {
    /// One connection at a time.
    case connection(@Sendable (ConnectionHistory, Evidence) -> [Finding])
    /// Everything at once: controllers, several connections of one device, the capture itself.
    case whole(@Sendable (Evidence) -> [Finding])
  }

  package let symptom: Symptom
  /// The other explanations that it knows, as clauses, and whether packets can exclude them.
  package let alternatives: [(words: StaticString, isExcludable: Bool)]
  /// The function that examines the evidence.
  package let examination: Examination

  fileprivate init<Subject>(
    _ symptom: Symptom, _ alternatives: [Alternative<Subject>], _ examination: Examination
  ) {
    (self.symptom, self.examination) = (symptom, examination)
    self.alternatives = alternatives.map { ($0.words, $0.isExcluded != nil) }
  }

  package subscript<Value>(dynamicMember member: KeyPath<Symptom, Value>) -> Value {
    symptom[keyPath: member]
  }
}

extension Symptom {
  /// Returns whether the rule is applied to what was recorded from there. Nothing on the air is a
  /// command, or tells which packets a controller has completed; a host shows nothing of the air.
  package func applies(to vantage: Vantage) -> Bool {
    switch vantage {
    case .host: !needs.contains(.air)
    case .air: !traits.contains(.ofHost) && needs.isDisjoint(with: [.commands, .accounting])
    }
  }
}

extension Finding {
  /// The rule's name as JSON, tables and options have it.
  package var key: String { rule.description }

  /// Returns the finding with the explanations that the packets do not exclude.
  fileprivate func weighed<Subject>(
    _ elsewise: [Alternative<Subject>], _ subject: Subject, _ evidence: Evidence
  ) -> Finding {
    var finding = self
    finding.alternatives += elsewise.filter { !($0.isExcluded?(subject, evidence) ?? false) }.map {
      "\($0.words)"
    }
    return finding
  }

  /// Adds explanations that similar findings have.
  mutating func add(alternatives more: [Wording]) {
    for other in more where !alternatives.contains(other) { alternatives.append(other) }
  }
}

extension Rule {
  /// The name as JSON, tables and options have it.
  package var key: String { symptom.id.description }

  /// Returns the same for a name that a user wrote, with `-` or `_`.
  package static func key(_ name: String) -> String {
    String(name.lowercased().map { $0 == "-" ? "_" : $0 })
  }

  /// Every rule, in the order in which findings of one severity are reported: causes before their
  /// consequences.
  package static let all: [Rule] = [
    capture, airCapture, controller, ownAdvertising, connecting, air, delivery, pairing, encryption,
    bonds, unbonded,
    access, requests, handles, servers, discovery, subscriptions, unansweredWrites, clients, cache,
    mtu, cutValues, transfers, rates, traffic, channels, link, [mtuUnused], management, classic,
  ].flatMap(\.self)
}
