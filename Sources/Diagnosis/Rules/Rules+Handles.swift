import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about values that are sent or written in another way than the declarations offer, and about
// writes that are prepared.

extension Rule {
  static let handles: [Rule] = [
    Symptom(
      "gatt_wrong_handle", .warning, .meaning, "A server sends values with the wrong handle",
      when:
        "a notification or indication has the handle of a characteristic's declaration that was discovered on this connection before, or one outside all primary services of a complete discovery",
      do:
        "Fix the server: send values with the handle of the characteristic's value, not of its declaration (in Zephyr pass the value's attribute to bt_gatt_notify(), or the declaration, but not an index that is one too low), and let the service end after its last attribute. Clients ignore values of handles that they do not know."
    ).needing([.bothDirections]).leaningOn(.opening).onConnection(
      about: AttributeUsage.self, merges: true,
      elsewise: [
        Alternative("the service before it ends too early in the server's table") { usage, _ in
          usage.identity.kind != nil
        }
      ]
    ) { connection, _ in
      connection.attributes.usages.compactMap { usage in
        connection.wrongHandle(usage).map { (usage, $0) }
      }
    },
    Symptom(
      "att_command_not_offered", .warning, .meaning,
      "Write Commands go to a characteristic that offers only Write Requests",
      when:
        "three or more Write Commands go to a characteristic whose declaration, discovered on this connection, offers Write but not Write Without Response; no value of the service is sent or read after the first. A note unless the client has subscribed to the service",
      do:
        "Write with response: on Android WRITE_TYPE_DEFAULT, on iOS .withResponse, with Bleak write_gatt_char(…, response=True). Then the server also reports errors."
    ).needing([.bothDirections, .events, .opening]).onConnection(
      merges: true,
      elsewise: [
        Alternative(always: "the server carries them out, and has nothing to send")
      ]
    ) { connection, evidence in
      connection.attributes.usages.compactMap { connection.notOffered($0, evidence) }
    },
    Symptom(
      "att_prepare_echo", .warning, .fact,
      "A server's response to a prepared write differs from the request",
      when:
        "the handle, offset, length or one of the first four bytes of the value in a Prepare Write Response differ from those in the request, unless that byte is zero, as after redaction",
      do:
        "Fix the server: a Prepare Write Response repeats the request (Core, Vol 3, Part F, 3.4.6.2). Clients that compare the two, as a reliable write does, cancel the write."
    ).needing([.bothDirections]).onConnection(merges: true) { connection, _ in
      connection.attributes.echoes.map(connection.wrongEcho)
    },
    Symptom(
      "att_prepared_not_executed", .warning, .meaning, "A prepared write is never executed",
      when:
        "the server has accepted parts of a prepared write, no Execute Write Request follows, and the link stays open for 2 s",
      do:
        "Send an Execute Write Request after the last part: until then the server only keeps the parts, and drops them when the link ends. On Android end a reliable write with executeReliableWrite()."
    ).needing([.bothDirections, .events, .opening]).onConnection { connection, evidence in
      connection.notExecuted(evidence)
    },
  ]
}

extension ConnectionHistory {
  fileprivate func wrongHandle(_ usage: AttributeUsage) -> Finding? {
    guard usage.sent > 0, let first = usage.notifications.first ?? usage.indications.first,
      let last = usage.notifications.last ?? usage.indications.last
    else { return nil }
    let verb: StaticString = usage.notifications.count > 0 ? "notifies" : "indicates"
    let mistake: Wording
    let why: Wording
    var evidence = PacketSet(of: first, last)
    switch usage.identity.kind {
    case .characteristic:
      guard usage.identity.via == .discovered, usage.declaredValue != 0 else { return nil }
      mistake =
        "the declaration of \(short: usage.named), instead of its value \(handle: usage.declaredValue)"
      why = "Discovery on this connection lists it as a declaration, which has no value to send."
    case nil:
      let search = attributes.search(of: usage.server)
      guard !isIncomplete, search.isOutside(usage.handle), search.services.count > 0,
        let complete = search.complete.last, complete.packet < first.packet,
        usage.written == 0, usage.reads.count == 0,
        // A secondary service may be used there.
        !attributes.usages.contains(where: {
          $0.server == usage.server && $0.written > 0 && search.isOutside($0.handle)
        }),
        attributes.configurations.allSatisfy({
          $0.server != usage.server || $0.accepted == nil
            || !($0.descriptor.handle.map { search.isOutside($0) } ?? true)
        })
      else { return nil }
      let before = search.services.filter { $0.last < usage.handle }.max { $0.last < $1.last }
      mistake = "which is in none of its primary services"
      why = Wording(
        sentences:
          "Discovery on this connection found all primary services (\(packet: complete.packet)), and none contains it.",
        before.map { "The service before it, \($0.uuid), ends at \(handle: $0.last)." } ?? "")
      evidence = [complete.packet, first.packet, last.packet]
    case .service, .include, .value, .descriptor: return nil
    }
    return Finding(
      "\(usage.server.words) \(verb) \(handle: usage.handle), \(mistake)", at: first.packet,
      why: "\(count: usage.sent, "value has", "values have") this handle. \(why)",
      evidence: evidence, of: usage.named)
  }

  private static let leastCommands = 3

  fileprivate func notOffered(_ usage: AttributeUsage, _ evidence: Evidence) -> Finding? {
    guard !isIncomplete, attributes.remembersConfigurations,
      usage.identity.via == .discovered, usage.identity.kind == .value,
      usage.properties?.isWrittenOnlyWithResponse == true,
      usage.commands.count >= Self.leastCommands, usage.writes.count == 0,
      let first = usage.commands.first, let last = usage.commands.last,
      let service = usage.identity.service,
      // A server that answers carries them out.
      !attributes.hasValues(of: service, usage.server, after: first.packet)
    else { return nil }
    // The last state of each CCCD, if it was written before, and values had time to come.
    let hasTime = openTime(after: last, evidence) ?? 0 >= Self.executionTime
    let subscription = attributes.lastConfigurations(of: service, usage.server).last {
      hasTime && $0.value & 3 != 0 && $0.isOffered && $0.accepted?.packet ?? .max < first.packet
    }
    let client = usage.server.other
    let silence: Wording =
      subscription.map {
        "\(client.capitalized) had subscribed to \($0.owner.map { "\($0)" } ?? "a value" as Wording) (\(packet: $0.request.packet)), and no value of the service came."
      } ?? "The capture does not show whether this one carries them out."
    return Finding(
      "\(client.words) wrote \(usage.commands.count) commands to \(usage.named), which offers only writes with response",
      at: first.packet,
      why:
        "The declaration offers \(usage.properties?.words ?? "Write"), but not Write Without Response. A server may ignore such a command, and reports no error. \(silence)",
      evidence: PacketSet(of: subscription?.request, first, last), of: usage.named,
      subscription == nil ? .note : nil, restsOnAbsence: true,
      group:
        "\(client.capitalized) wrote commands to \(usage.named), which offers only writes with response"
    )
  }

  fileprivate func wrongEcho(_ echo: WrongEcho) -> Finding {
    let difference: Wording =
      echo.echoed != echo.written
      ? "The response has \(count: echo.echoed, "byte", "bytes") of the \(echo.written) that were written."
      : "The response has another handle, offset or value than the request."
    return Finding(
      "\(echo.server.words) does not repeat the parts of a prepared write to \(attributes.name(echo.handle, of: echo.server))",
      at: echo.answer.packet,
      why:
        "\(difference)\(echo.count > 1 ? (" \(count: echo.count - 1, "more is", "more are") like it." as Wording) : "") A client that compares the two takes this for a transmission error.",
      evidence: PacketSet(of: echo.request, echo.answer),
      of: attributes.identity(echo.handle, of: echo.server))
  }

  /// A client that executes its prepared writes does so within this time.
  private static let executionTime: Int64 = 2_000_000_000

  fileprivate func notExecuted(_ evidence: Evidence) -> [Finding] {
    guard !isIncomplete, let latest = attributes.lastUse,
      let lasted = openTime(after: latest, evidence)
    else { return [] }
    return attributes.runs.compactMap { run in
      guard run.kind == .prepared, lasted >= Self.executionTime,
        // The client may wait for the answer to another part.
        !attributes.unanswered.contains(where: {
          $0.packet > run.first.packet && Side(sent: $0.direction) == run.server.other
        }),
        !attributes.refusals.contains(where: {
          $0.server == run.server && $0.answer.packet > run.first.packet
        })
      else { return nil }
      let handles = run.attributes(.written).handles
      let name: Wording =
        handles.count == 1
        ? attributes.name(handles[0], of: run.server) : "\(handles.count) attributes"
      return Finding(
        "\(run.server.other.words) did not execute its prepared write to \(name)",
        at: run.first.packet,
        why:
          "\(run.server.capitalized) accepted \(count: run.parts, "part", "parts") (to \(packet: run.last)), and no Execute Write Request followed: until then it only keeps them.",
        evidence: PacketSet([run.first.packet, run.last]),
        of: handles.count == 1 ? attributes.identity(handles[0], of: run.server) : nil,
        restsOnAbsence: true)
    }
  }
}
