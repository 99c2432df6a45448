package import Bluetooth
import Bytes
import Captures
import Cryptography
package import Diagnosis
package import Histories
package import Meanings
package import Reports
import Sessions

/// The result of `explain` for any output format: the facts at the top, the verdict, the story of
/// each connection, and the findings.
package struct Explanation: Sendable {
  /// A connection that is reported.
  package struct ReportedConnection: Sendable {
    package var history: ConnectionHistory
    /// The findings on this connection alone.
    package var findings: [Finding] = []
    /// The story, if `Explanation.story` was called.
    fileprivate(set) var story: [StoryLine]?
  }

  /// Everything that was remembered.
  package let evidence: Evidence
  /// What the capture lacks. Reported first, since it makes other findings less certain.
  private(set) var ofCapture: [Finding] = []
  /// The connections that are selected.
  package private(set) var connections: [ReportedConnection] = []
  /// Findings about several connections, a controller, or neither.
  private(set) var ofOthers: [Finding] = []
  /// Lists for reference, which are printed at the end.
  private(set) var appendix: [Finding] = []
  /// The rules that were not applied because the capture lacks what they need.
  private(set) var skipped: [SkippedRule] = []
  /// The number of rules.
  private let ruleCount: Int
  /// Whether connections or controllers were left out because they are not selected.
  let isSelective: Bool
  /// The packets of the selected times; nil if all are covered.
  let covered: [ClosedRange<Int>]?

  /// Returns the story of one of `connections`, and keeps it, for pages that write it twice.
  package mutating func story(_ connection: Int) -> [StoryLine] {
    let story = connections[connection].history.namedStory(evidence)
    connections[connection].story = story
    return story
  }

  /// - Parameters:
  ///   - rules: the rules to apply.
  ///   - isGrouped: whether equal findings of several connections are reported as one.
  ///   - isNamed: whether findings call the ends of links by their names; on the air they always
  ///     name the central and the peripheral.
  package init(
    _ evidence: Evidence, _ selection: Selection, among stretches: [ClosedRange<Int>]? = nil,
    rules: [Rule] = Rule.all, isGrouped: Bool = true, isNamed: Bool = true
  ) {
    var evidence = evidence
    ruleCount = rules.count { $0.symptom.applies(to: evidence.vantage) }
    isSelective = !selection.isEverything
    covered = stretches?.sorted { $0.lowerBound < $1.lowerBound }
    func isSelected(_ packets: ClosedRange<Int>) -> Bool {
      stretches?.contains { $0.overlaps(packets) } ?? true
    }
    for history in evidence.connections
    where selection.admits(history) && isSelected(history.packets) {
      connections.append(ReportedConnection(history: history))
    }
    if isSelective { evidence.keepKeys(of: connections.map(\.history)) }
    self.evidence = evidence
    let positions = Dictionary(
      uniqueKeysWithValues: connections.enumerated().map { ($1.history.id, $0) })
    let reported = Set(positions.keys)
    skipped = evidence.skipped(rules, among: reported)
    let places = Dictionary(
      evidence.connections.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first }
    )
    for finding in evidence.findings(by: rules, isGrouped: isGrouped, among: reported)
    where finding.evidence.isEmpty || finding.evidence.ranges.contains(where: isSelected) {
      let about = finding.connections.compactMap { places[$0] }.map { evidence.connections[$0] }
      place(finding.naming(evidence.names(of: about, isNamed: isNamed)), positions, selection)
    }
  }

  /// Adds a finding to the list that it belongs to: that of its connection, of the capture, of
  /// others, or the appendix. Leaves out findings about connections that are not reported.
  ///
  /// - Parameter positions: the indexes of the reported connections, by number.
  private mutating func place(
    _ finding: Finding, _ positions: [Int: Int], _ selection: Selection
  ) {
    if finding.isAppendix {
      appendix.append(finding)
    } else if finding.connections.count == 1 {
      if let position = positions[finding.connections[0]] {
        connections[position].findings.append(finding)
      }
    } else if finding.connections.isEmpty {
      if finding.traits.contains(.ofCapture) {
        ofCapture.append(finding)
      } else if !isSelective || selection.admits(finding.peers) {
        ofOthers.append(finding)
      }
    } else if finding.connections.contains(where: { positions[$0] != nil }) {
      ofOthers.append(finding)
    }
  }

  /// All findings that are reported.
  package var findings: [Finding] {
    ofCapture + ofOthers + connections.flatMap(\.findings) + appendix
  }

  /// How many rules were not applied, and why: `38 of 145 rules were skipped: they need host
  /// commands, which this capture lacks`; nil if all were applied.
  package var skippedWords: Wording? {
    guard !skipped.isEmpty else { return nil }
    var lacks = skipped.reduce(into: Coverage.Parts()) { $0.formUnion($1.lacks) }
    // Events report both.
    if lacks.contains(.events) { lacks.subtract([.opening, .end]) }
    let isOne = skipped.count == 1
    let number: Wording =
      "\(skipped.count) of \(ruleCount) rules \(isOne ? "was" : "were" as StaticString) skipped: \(isOne ? "it needs" : "they need" as StaticString)"
    // One side may just have been silent, if the other sent little.
    if lacks == .receivedData || lacks == .sentData, evidence.coverage.parts.contains(.events),
      evidence.extent.sentData + evidence.extent.receivedData < Coverage.leastOneSided
    {
      let who: StaticString = lacks == .receivedData ? "the peer" : "this host"
      let words: Wording =
        "\(number) \(lacks.listed(joinedBy: "or")); \(who) sent none, or this capture lacks it"
      return words.naming(evidence.hostName)
    }
    let isLate =
      lacks.isSubset(of: evidence.coverage.parts) && !lacks.isDisjoint(with: [.commands, .events])
    let words: Wording =
      "\(number) \(lacks.listed(joinedBy: "or", evidence.vantage)), which this capture \(isLate ? "begins too late to show" : "lacks" as StaticString)"
    return words.naming(evidence.hostName)
  }

  /// Returns parts of a capture as a list such as `host commands and controller events`.
  func words(_ parts: Coverage.Parts, joinedBy conjunction: StaticString) -> Wording {
    let words = parts.listed(joinedBy: conjunction, evidence.vantage)
    return evidence.vantage == .air ? words.naming(.onAir) : words
  }

  /// The rules that were not applied, grouped by what they need, in the order of `Coverage.Parts`.
  var skippedByReason: [(lacks: Coverage.Parts, rules: [SkippedRule])] {
    Dictionary(grouping: skipped, by: \.lacks).map { ($0.key, $0.value) }.sorted {
      $0.lacks.rawValue < $1.lacks.rawValue
    }
  }

  /// Returns the number of findings of a severity.
  package func count(_ severity: Severity) -> Int { findings.count { $0.severity == severity } }

  /// Returns the seconds since the capture's earliest record with three decimals, or an empty
  /// string if the time is unknown.
  package func seconds(_ time: Timestamp?) -> String {
    guard let time, let earliest = evidence.extent.earliest else { return "" }
    var text = Output()
    // Computed in whole seconds and the rest: the difference may be too large for nanoseconds.
    var (seconds, rest): (Int64, Int64) = (0, 0)
    if !time.isEarlier(than: earliest) {
      seconds = time.seconds - earliest.seconds
      rest = Int64(time.nanoseconds) - Int64(earliest.nanoseconds) + 500_000
      if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000_000) }
      if rest >= 1_000_000_000 { (seconds, rest) = (seconds + 1, rest - 1_000_000_000) }
    }
    text.decimal(UInt(seconds.magnitude))
    text.byte(0x2e)
    text.decimal(UInt(rest / 1_000_000), digits: 3)
    return String(decoding: text.bytes.array, as: UTF8.self)
  }

  /// The line at the top: how much was read, and what it lacks.
  package var heading: Wording {
    let extent = evidence.extent
    var pieces: [Wording] = []
    if let earliest = extent.earliest, let latest = extent.latest {
      let span = latest.nanoseconds(since: earliest)
      let begin: Wording =
        extent.summary?.isDated == false
        ? ", without a date"
        : earliest.isOfUnsetClock ? ", by a clock that was not set" : " from \(utc: earliest)"
      pieces.append("\(count: extent.records, "record", "records") in \(duration: span)\(begin)")
    } else {
      pieces.append("\(count: extent.records, "record", "records")")
    }
    pieces += evidence.lacks
    return Wording(pieces, joinedBy: ", ")
  }
}

extension ConnectionHistory {
  /// The peer of the connection: `F1:F1:F1:F1:F1:F1 random static "HRM"`.
  package var peerWords: Wording {
    name.map { "\(addressWords) \(quoted: $0)" } ?? addressWords
  }

  /// The same without its name.
  package var addressWords: Wording {
    var output = Output()
    return output.peer(connection)
      ? Wording(stringLiteral: String(decoding: output.bytes.array, as: UTF8.self))
      : connection.isOnAir
        ? "peripheral unknown\(air?.link.map { ", access address \($0.accessAddressWords)" } ?? "" as Wording)"
        : "peer unknown, handle \(handle: connection.handle)"
  }

  /// Returns the role of this host: `this phone, C0:FF:EE:C0:FF:EE, is the central`; on the air the
  /// central, if its address is known: `opened by 5F:5B:75:CE:09:DA random resolvable`.
  package func hostWords(_ evidence: Evidence) -> Wording {
    roleWords.naming(evidence.hostName)
  }

  private var roleWords: Wording {
    if connection.isOnAir {
      return pairing.ownAddress.map {
        "opened by \($0.address) \(AddressKind($0.address, $0.isRandom ? .random : .public))\(connection.localIdentity.map { " (\($0))" } ?? "" as Wording)"
      } ?? ""
    }
    guard let role = connection.role(of: .local) else {
      // Connection Complete of BR/EDR does not contain the role, and for LE the event that does may
      // be missing.
      let unknown: Wording = "this host's role is unknown"
      return connection.transport == .brEDR ? "BR/EDR; \(unknown)" : unknown
    }
    let transport: Wording = connection.transport == .brEDR ? "BR/EDR; " : ""
    guard let address = pairing.ownAddress?.address, address != .zero else {
      return "\(transport)this host is the \(role.key)"
    }
    return "\(transport)this host, \(address), is the \(role.key)"
  }
}

extension Selection {
  /// Returns whether a connection is selected.
  func admits(_ history: ConnectionHistory) -> Bool {
    let connection = history.connection
    return admits(excluding: \.isOfParties) { selection in
      selection.admits(connection: connection.id) && selection.admits(adapter: connection.adapter)
        && (selection.devices.isEmpty || selection.devices.contains { $0.matches(history) })
    }
  }
}

extension Selection {
  /// Returns whether devices without a connection are selected, by their addresses.
  fileprivate func admits(_ peers: [DeviceAddress]) -> Bool {
    guard connections.isEmpty, adapters.isEmpty else { return false }
    for exclusion in excluded where exclusion.names(peers) { return false }
    return devices.isEmpty ? !excluded.isEmpty : names(peers)
  }

  /// Uses loops because the compiler generates code for nested closures here that it then rejects.
  private func names(_ peers: [DeviceAddress]) -> Bool {
    for peer in peers {
      if namedDevices.contains(peer) { return true }
      for pattern in devices {
        if let bits = pattern.address, peer.value & bits.mask == bits.value { return true }
      }
    }
    return false
  }
}

extension DevicePattern {
  /// Returns whether the peer of a connection is selected.
  fileprivate func matches(_ history: ConnectionHistory) -> Bool {
    if let bits = address {
      let connection = history.connection
      let addresses = [
        connection.peer, connection.otherIdentity, connection.peerResolvable,
      ].compactMap(\.self)
      return addresses.contains { $0.value & bits.mask == bits.value }
    }
    return history.name.map { matches(name: $0) } ?? false
  }
}
