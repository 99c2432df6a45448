import Bluetooth
import Diagnosis
import Histories
import Meanings
import Sessions

// Requests on attributes, in order; consecutive equal ones are folded into a line.

extension ConnectionHistory {
  /// The maximum number of refusals, configurations and discoveries.
  private static let mostLines = 8

  /// Returns the lines about attributes.
  func attributeStory(_ evidence: Evidence) -> [StoryLine] {
    let lines =
      mtuLines + discoveryLines + refusalLines + openLines + configurationLines + runLines
      + changeLines
    return lines
  }

  private var mtuLines: [StoryLine] {
    if attributes.mtuExchanges.isEmpty { return [] }
    return attributes.mtuExchanges.prefix(2).map { exchange in
      StoryLine(
        exchange.request, to: exchange.answer.packet,
        """
        MTU \(exchange.mtu) (\(exchange.client.words) offers \(exchange.offered), \
        \(exchange.client.other.words) \(exchange.answered))
        """
      )
    }
  }

  private var discoveryLines: [StoryLine] {
    let runs = attributes.discoveries
    return runs.prefix(Self.mostLines).enumerated().map { index, run in
      var found: [Wording] = []
      if run.services > 0 { found.append("\(count: run.services, "service", "services")") }
      if run.characteristics > 0 {
        found.append("\(count: run.characteristics, "characteristic", "characteristics")")
      }
      if run.descriptors > 0 {
        found.append("\(count: run.descriptors, "descriptor", "descriptors")")
      }
      var what = found.isEmpty ? "nothing" : Wording(found, joinedBy: ", ")
      // The capture may cut off the rest of a list.
      if connection.isDataCut { what = found.isEmpty ? "what is cut off" : "at least \(what)" }
      let who: Wording = run.client == .peer ? "the peer " : ""
      let isDefault =
        index == 0 && attributes.mtuExchanges.isEmpty && connection.mtu == nil
        && connection.knownMTU != nil && connection.largestATT <= BearerMTU.byDefault
        && !attributes.unanswered.contains { $0.opcode == .exchangeMTURequest }
      let mtu: Wording = isDefault ? "; MTU stays 23" : ""
      let left = runs.count - Self.mostLines
      let more: Wording =
        index == Self.mostLines - 1 && left > 0
        ? "; \(count: left, "more run", "more runs") of discovery" : ""
      return StoryLine(run.first, to: run.last.packet, "\(who)discovered \(what)\(mtu)\(more)")
    }
  }

  // MARK: Refusals

  private var refusalLines: [StoryLine] {
    var lines: [StoryLine] = []
    let refusals = attributes.refusals
    for refusal in refusals.prefix(Self.mostLines) {
      let who: Wording = refusal.client == .peer ? "the peer's " : ""
      let times = Wording.timesAside(refusal.count)
      lines.append(
        StoryLine(
          refusal.prepared?.first ?? refusal.request, to: refusal.answer.packet,
          "\(who)\(refusal.action) refused: \(refusal.reason)\(times)"))
      guard let accepted = refusal.accepted else { continue }
      let verb: Wording =
        switch refusal.opcode {
        case .writeRequest: "write"
        case .readRequest, .readBlobRequest: "read"
        default: "request"
        }
      lines.append(
        StoryLine(
          accepted.request, to: accepted.answer.packet,
          "the \(verb) in \(packet: refusal.request.packet) is repeated and allowed"))
    }
    let left = attributes.refusalCount - refusals.prefix(Self.mostLines).map(\.count).reduce(0, +)
    if left > 0, refusals.count > Self.mostLines,
      let next = refusals.dropFirst(Self.mostLines).first
    {
      lines.append(
        StoryLine(next.request, "\(count: left, "more request", "more requests") refused"))
    }
    return lines
  }

  /// Requests and indications that stayed open, except those that the lines about subscriptions
  /// include.
  private var openLines: [StoryLine] {
    let described = Set(attributes.configurations.map(\.request.packet))
    return attributes.unanswered.lazy.filter { !described.contains($0.packet) }.prefix(
      Self.mostLines
    )
    .map {
      request in
      let asking = Side(sent: request.direction)
      let isIndication = request.opcode.role == .indication
      let server = isIndication ? asking : asking.other
      let name: Wording = request.opcode.name.map { "\($0)" } ?? "request"
      let who: Wording = asking == .peer ? "the peer's " : ""
      let about: Wording =
        request.handle.flatMap { attributes.identity($0, of: server) }.map {
          isIndication ? " of \($0)" : " for \($0)"
        } ?? ""
      let open = open(isIndication: isIndication, by: asking.other)
      return StoryLine(
        Moment(packet: request.packet, time: request.time), "\(who)\(name)\(about): \(open)")
    }
  }

  /// Returns `not answered`, unless the capture lacks what the side that answers sent.
  func open(isIndication: Bool, by side: Side) -> Wording {
    guard attributes.lacks(side) else { return isIndication ? "not confirmed" : "not answered" }
    return "no \(isIndication ? "confirmation" : "answer" as StaticString) that the capture has"
  }

  // MARK: Subscriptions

  private var configurationLines: [StoryLine] {
    var lines: [StoryLine] = []
    var sizes: [Int] = []
    var group: [Configuration] = []
    let breaks = attributes.runs.map(\.first.packet)
    func flush() {
      guard let first = group.first else { return }
      let last = group.map { $0.accepted?.packet ?? $0.request.packet }.max() ?? 0
      lines.append(StoryLine(first.request, to: last, words(of: group)))
      sizes.append(group.count)
      group.removeAll()
    }
    for configuration in attributes.configurations where configuration.error == nil {
      if let before = group.last,
        before.server != configuration.server
          || breaks.contains(where: {
            before.request.packet < $0 && $0 < configuration.request.packet
          })
      {
        flush()
      }
      group.append(configuration)
    }
    flush()
    let shown = sizes.prefix(Self.mostLines).reduce(0, +)
    let left = sizes.reduce(attributes.omittedConfigurations, +) - shown
    guard left > 0, var next = lines.dropFirst(Self.mostLines).first ?? lines.last else {
      return lines
    }
    next.text = "\(count: left, "more change", "more changes") of subscriptions"
    return lines.prefix(Self.mostLines) + [next]
  }

  /// Returns a list such as `notifications of 2a37 and 2a19 on, indications of 2a1c on`.
  private func words(of group: [Configuration]) -> Wording {
    var clauses: [(value: UInt16, names: [Wording])] = []
    var last: [UInt16: UInt16] = [:]
    // The order matters only if one attribute is turned on and off.
    let isChanged = group.contains { one in
      defer { last[one.descriptor.handle ?? 0] = one.value & 3 }
      return last[one.descriptor.handle ?? 0].map { $0 != one.value & 3 } ?? false
    }
    for one in group {
      let value = one.value & 3
      let name: Wording =
        one.owner.map { "\(short: $0)" } ?? "\(NamedAttribute(one.descriptor))"
      let place =
        isChanged
        ? clauses.indices.last.flatMap { clauses[$0].value == value ? $0 : nil }
        : clauses.firstIndex { $0.value == value }
      if let place {
        if !clauses[place].names.contains(name) { clauses[place].names.append(name) }
      } else {
        clauses.append((value, [name]))
      }
    }
    if !isChanged {
      clauses.sort { ($0.value == 0 ? 4 : $0.value) < ($1.value == 0 ? 4 : $1.value) }
    }
    let left = clauses.count - Self.mostLines
    var texts = clauses.map(Self.words)
    // The last change shows the end state.
    if left > 0 {
      texts.replaceSubrange(
        (Self.mostLines - 1)..<(texts.count - 1), with: ["\(left) more changes" as Wording])
    }
    let who: Wording = group.first?.server == .local ? "the peer turns " : ""
    let isUnanswered = group.allSatisfy { $0.accepted == nil }
    let open: Wording =
      isUnanswered ? ", \(open(isIndication: false, by: group.first?.server ?? .peer))" : ""
    return "\(who)\(Wording(texts, joinedBy: ", "))\(open)"
  }

  private static func words(_ clause: (value: UInt16, names: [Wording])) -> Wording {
    let kind: Wording =
      switch clause.value {
      case 1: "notifications"
      case 2: "indications"
      default: "notifications and indications"
      }
    let names = clause.names
    let shown =
      names.count > 4
      ? Wording("\(Wording(Array(names.prefix(3)), joinedBy: ", ")) and \(names.count - 3) more")
      : Wording(listing: names)
    return "\(kind) of \(shown) \(clause.value == 0 ? ("off" as Wording) : "on")"
  }

  private var changeLines: [StoryLine] {
    attributes.serviceChanges.prefix(4).map {
      StoryLine(
        $0.moment,
        """
        \($0.server.words) indicates that its attributes \(handle: $0.first) to \
        \(handle: $0.last) have changed
        """
      )
    }
  }
}
