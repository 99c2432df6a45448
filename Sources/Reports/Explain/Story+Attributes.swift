import Bluetooth
import Diagnosis
import Sessions

// What was asked of attributes, in the order in which it was, folded: a run of equal things is a line.

extension ConnectionHistory {
  /// So many runs of values are told one by one; of more, those that follow each other are one.
  private static let mostRuns = 12
  /// So many refusals, configurations and discoveries.
  private static let mostLines = 8

  /// What the story says.
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
        MTU \(exchange.mtu) (\(exchange.client.words) takes \(exchange.offered), \
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
      let what = found.isEmpty ? "nothing" : Wording(found, joinedBy: ", ")
      let who: Wording = run.client == .peer ? "peer " : ""
      let isDefault =
        index == 0 && attributes.mtuExchanges.isEmpty && !connection.isOpeningMissing
        && connection.mtu == nil
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
      let who: Wording = refusal.client == .peer ? "peer's " : ""
      let times: Wording = refusal.count > 1 ? " (\(refusal.count) times)" : ""
      lines.append(
        StoryLine(
          refusal.request, to: refusal.answer.packet,
          "\(who)\(refusal.action) refused: \(refusal.reason)\(times)"))
      guard let accepted = refusal.accepted else { continue }
      let verb: Wording = refusal.opcode == .writeRequest ? "write" : "request"
      lines.append(
        StoryLine(
          accepted.request, to: accepted.answer.packet,
          "the \(verb) of \(packet: refusal.request.packet) again: allowed"))
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

  /// Requests and indications that stayed open.
  private var openLines: [StoryLine] {
    attributes.unanswered.prefix(Self.mostLines).map { request in
      let asking = Side(sent: request.direction)
      let isIndication = request.opcode.role == .indication
      let server = isIndication ? asking : asking.other
      let name: Wording = request.opcode.name.map { "\($0)" } ?? "request"
      let who: Wording = asking == .peer ? "peer's " : ""
      let about: Wording =
        request.handle.flatMap { attributes.identity($0, of: server) }.map {
          isIndication ? " of \($0)" : " for \($0)"
        } ?? ""
      let open: Wording = isIndication ? "not confirmed" : "not answered"
      return StoryLine(
        Moment(packet: request.packet, time: request.time), "\(who)\(name)\(about): \(open)")
    }
  }

  // MARK: Subscriptions

  private var configurationLines: [StoryLine] {
    var lines: [StoryLine] = []
    var group: [Configuration] = []
    let breaks = attributes.runs.map(\.first.packet)
    func flush() {
      guard let first = group.first else { return }
      let last = group.map { $0.accepted?.packet ?? $0.request.packet }.max() ?? 0
      lines.append(StoryLine(first.request, to: last, words(of: group)))
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
    let left = lines.count - Self.mostLines
    guard left > 0, let next = lines.dropFirst(Self.mostLines).first else { return lines }
    var shown = Array(lines.prefix(Self.mostLines))
    shown.append(next)
    shown[Self.mostLines].text =
      "\(count: left, "more change", "more changes") of what is subscribed to"
    return shown
  }

  /// `notifications of 2a37 and 2a19 on, indications of 2a1c on`.
  private func words(of group: [Configuration]) -> Wording {
    var clauses: [Wording] = []
    for value in [UInt16(1), 2, 3, 0] {
      let same = group.filter { $0.value & 3 == value }
      guard let first = same.first else { continue }
      let kind: Wording =
        switch value {
        case 1: "notifications"
        case 2: "indications"
        case 3: "notifications and indications"
        default: "notifications and indications"
        }
      var names: [Wording] = []
      for one in same {
        let name: Wording =
          if let owner = one.owner { "\(short: owner)" } else {
            "\(one.descriptor)"
          }
        if !names.contains(name) { names.append(name) }
      }
      let shown =
        names.count > 4
        ? Wording("\(Wording(Array(names.prefix(3)), joinedBy: ", ")) and \(names.count - 3) more")
        : Wording(listing: names)
      clauses.append("\(kind) of \(shown) \(value == 0 ? ("off" as Wording) : "on")")
      _ = first
    }
    let who: Wording = group.first?.server == .local ? "peer turns " : ""
    let isUnanswered = group.allSatisfy { $0.accepted == nil }
    let open: Wording = isUnanswered ? ", not answered" : ""
    return "\(who)\(Wording(clauses, joinedBy: ", "))\(open)"
  }

  // MARK: Values

  private var runLines: [StoryLine] {
    var runs = attributes.runs
    // Two and two are told as one until there are few enough.
    while runs.count > Self.mostRuns {
      var folded: [ValueRun] = []
      for (index, run) in runs.enumerated() {
        if index % 2 == 1 { folded[folded.count - 1].join(run) } else { folded.append(run) }
      }
      runs = folded
    }
    return runs.map { StoryLine($0.first, to: $0.last, words(of: $0)) }
  }

  private func words(of run: ValueRun) -> Wording {
    let who: Wording = run.server == .local && run.kind != .sent ? "peer: " : ""
    var pieces: [Wording] = []
    if run.reads > 0 { pieces.append("\(count: run.reads, "read", "reads")") }
    if run.writes > 0 { pieces.append("\(count: run.writes, "write", "writes")") }
    if run.writes == 1, run.parts > 0 {
      pieces.append("in \(count: run.parts, "part", "parts")")
    } else if run.parts > 0 {
      pieces.append("\(count: run.parts, "prepared part", "prepared parts")")
    }
    if run.commands > 0 {
      pieces.append("\(count: run.commands, "command", "commands") written")
    }
    if run.notifications > 0 {
      pieces.append("\(count: run.notifications, "notification", "notifications")")
    }
    if run.indications > 0 {
      pieces.append("\(count: run.indications, "indication", "indications")")
      if run.confirmed >= run.indications {
        pieces.append(run.indications == 1 ? "confirmed" : "all confirmed")
      } else {
        pieces.append("\(run.confirmed) of them confirmed")
      }
    }
    if run.requests > 0 {
      var name: Wording = ""
      if case .vendor(let vendor) = run.kind {
        name = "\(Wording(stringLiteral: attributes.vendors.name(vendor))): "
      }
      pieces.append(
        "\(name)\(count: run.requests, "request", "requests"), \(run.answered) answered")
    } else if case .vendor(let vendor) = run.kind {
      pieces.append("frames of \(Wording(stringLiteral: attributes.vendors.name(vendor)))")
    }
    if let median = run.median, run.kind == .reads, run.reads > 1 {
      pieces.append("\(duration: median) each")
    }
    let names = run.handles.compactMap { handle -> Wording? in
      guard let identity = attributes.identity(handle, of: run.server) else { return nil }
      if run.handles.count == 1 { return "\(identity)" }
      return "\(short: identity)"
    }
    var of: Wording = ""
    if !names.isEmpty, !run.hasMore, run.requests == 0, names.count <= 3, run.kind != .mixed {
      of = run.kind == .sent || run.kind == .reads ? " of " : " to "
      if case .vendor = run.kind { of = " of " }
      of = "\(of)\(Wording(listing: names))"
    }
    if pieces.isEmpty { return who }
    // The attributes stand behind what was done, before how it went.
    let head = pieces.removeFirst()
    if run.kind == .reads { pieces.insert("answered", at: 0) }
    let isOneInParts = run.writes == 1 && run.parts > 0
    let comma: Wording = run.kind == .reads || isOneInParts ? " " : ", "
    let tail: Wording = pieces.isEmpty ? "" : "\(comma)\(Wording(pieces, joinedBy: ", "))"
    return "\(who)\(head)\(of)\(tail)"
  }

  private var changeLines: [StoryLine] {
    attributes.serviceChanges.prefix(4).map {
      StoryLine(
        $0.moment,
        """
        \($0.server.words) says that its attributes \(handle: $0.first) to \(handle: $0.last) \
        have changed
        """
      )
    }
  }
}
