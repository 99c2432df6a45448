import Bluetooth
import Histories
import Meanings
import Sessions

// Values that were transferred; consecutive equal ones are folded into a line.

extension ConnectionHistory {
  /// The maximum number of runs of values that are listed individually; of more, adjacent ones are
  /// merged.
  private static let mostRuns = 12

  /// The lines about reads, writes, notifications and messages of vendor protocols.
  var runLines: [StoryLine] {
    var runs = attributes.runs
    runs.fold(to: Self.mostRuns)
    return runs.map { StoryLine($0.first, to: $0.last, words(of: $0)) }
  }

  /// Returns what a run has. Of a server on this host, and if both sides sent something, each side
  /// is named before what it sent.
  private func words(of run: ValueRun) -> Wording {
    let (client, server) = (askings(of: run), sendings(of: run))
    let isNamed = run.server == .local || !client.isEmpty && !server.isEmpty
    let sides = [(run.server.other, client), (run.server, server)].filter { !$0.1.isEmpty }
    return Wording(
      sides.map { side, pieces in
        let who: Wording = isNamed ? "\(side.words): " : ""
        return "\(who)\(Wording(pieces, joinedBy: ", "))"
      }, joinedBy: "; ")
  }

  /// Returns what the client did.
  private func askings(of run: ValueRun) -> [Wording] {
    var pieces: [Wording] = []
    if run.reads > 0 {
      let parts: Wording =
        run.parts > 0 && run.kind == .reads ? " in \(run.reads + run.parts) parts" : ""
      pieces.append(
        "\(count: run.reads, "read", "reads")\(names(run, .read, " of ")) answered\(parts)")
      if parts.isEmpty { pieces += latency(of: run) }
    }
    return pieces + writings(of: run) + messages(of: run)
  }

  /// Returns what the server sent on its own.
  private func sendings(of run: ValueRun) -> [Wording] {
    var pieces: [Wording] = []
    if run.notifications > 0 {
      pieces.append(
        """
        \(count: run.notifications, "notification", "notifications")\
        \(names(run, .notified, " of "))
        """)
    }
    if run.indications > 0 {
      pieces.append(
        """
        \(count: run.indications, "indication", "indications")\(names(run, .indicated, " of "))
        """)
      if run.confirmed >= run.indications {
        pieces.append(run.indications == 1 ? "confirmed" : "all confirmed")
      } else if run.confirmed == 0 {
        pieces.append(open(isIndication: true, by: run.server.other))
      } else {
        pieces.append("\(run.confirmed) of them confirmed")
      }
    }
    return pieces
  }

  private func writings(of run: ValueRun) -> [Wording] {
    let parts: Wording =
      run.parts > 0 ? " in \(count: run.parts, "part", "parts")" : ""
    let target = names(run, .written, " to ")
    switch run.kind {
    case .cancelled:
      return [
        run.cancelled == 1
          ? "the prepared write\(target)\(parts) was cancelled"
          : "\(run.cancelled) prepared writes\(target)\(parts) were cancelled"
      ]
    case .prepared:
      return ["prepared write\(target)\(parts), neither executed nor cancelled"]
    default: break
    }
    var pieces: [Wording] = []
    if run.writes > 0 {
      pieces.append(
        "\(count: run.writes, "write", "writes")\(target)\(run.kind == .writes ? parts : "")")
    }
    if run.commands > 0 {
      pieces.append(
        """
        \(count: run.commands, "write", "writes") without response\
        \(names(run, .commanded, " to "))
        """)
    }
    if run.kind == .mixed, run.cancelled > 0 {
      pieces.append(
        "\(count: run.cancelled, "prepared write", "prepared writes") cancelled")
    }
    return pieces
  }

  private func messages(of run: ValueRun) -> [Wording] {
    guard case .vendor(let vendor) = run.kind else {
      return run.requests > 0
        ? ["\(count: run.requests, "request", "requests"), \(run.answered) answered"] : []
    }
    let name = Wording(stringLiteral: attributes.vendors.name(vendor))
    if run.requests == 0 { return ["frames of \(name)\(names(run, nil, " of "))"] }
    // Without a subscription no answer can arrive.
    let isSubscribed =
      connection.isOpeningMissing || security.isStoredKey
      || attributes.configurations.contains { $0.server == run.server && $0.value & 3 != 0 }
      || attributes.usages.contains { $0.server == run.server && $0.sent > 0 }
    if run.answered == 0, !isSubscribed {
      return ["\(name): \(count: run.requests, "command", "commands") written"]
    }
    let requests: Wording = "\(name): \(count: run.requests, "request", "requests")"
    if run.answered == 0, attributes.lacks(run.server) { return [requests] }
    return ["\(requests), \(run.answered) answered"]
  }

  /// Returns how long answers took; a single duration if all are the same when printed.
  private func latency(of run: ValueRun) -> [Wording] {
    guard run.kind == .reads, run.reads > 1, let latency = run.latency, latency.least >= 0 else {
      return []
    }
    let (least, most): (Wording, Wording) =
      ("\(duration: latency.least)", "\(duration: latency.most)")
    return least == most ? ["\(least) each"] : ["\(duration: latency.least, to: latency.most)"]
  }

  /// Returns the attributes of a run on which something was done, or all: ` of 2a37 and 2a19`.
  /// Returns nothing if there are too many, or if several operations were done. The name is
  /// included only for a single attribute.
  private func names(_ run: ValueRun, _ act: ValueRun.Act?, _ link: Wording) -> Wording {
    let list = act.map { run.attributes($0) } ?? run.attributes
    if run.kind == .mixed || list.hasMore || list.handles.count > 3 { return "" }
    let isAlone = run.attributes.handles.count == 1
    var names: [Wording] = []
    var declarations: [Wording] = []
    for handle in list.handles {
      let identity = attributes.identity(handle, of: run.server)
      switch identity?.kind {
      // The handle would add nothing: a declaration is named by what it declares.
      case .service, .include, .characteristic:
        declarations.append(identity.map { "\(short: $0)" } ?? "")
      default:
        names.append(
          identity.map { isAlone ? "\($0)" : "\(short: $0)" } ?? "\(handle: handle)")
      }
    }
    if !declarations.isEmpty {
      let noun: Wording = declarations.count == 1 ? "the declaration" : "the declarations"
      names.append("\(noun) of \(Wording(listing: declarations))")
    }
    return names.isEmpty ? "" : "\(link)\(Wording(listing: names))"
  }
}
