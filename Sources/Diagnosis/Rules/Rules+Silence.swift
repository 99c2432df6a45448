import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about servers that accept what is written, and send no answer.

extension Rule {
  static let unansweredWrites: [Rule] = [
    Symptom(
      "gatt_result_missing", .warning, .meaning,
      "A control point does not report the result of a procedure",
      when:
        "a write to the control point of a fitness machine, a cycling sensor or power meter, records, user data or objects is accepted while its indications are enabled, and it indicates nothing for 5 s; for 30 s if the procedure takes its time or sends records",
      do:
        "Fix the server: indicate a response code for every procedure, also for one that it does not support or that fails, after it has answered the write. As a client, give up after 30 s, and connect again."
    ).needing([.bothDirections, .events, .opening]).onConnection(
      about: Int64.self,
      elsewise: [
        Alternative("the procedure was still under way") { waited, _ in
          waited >= ConnectionHistory.longResultTime
        },
        Alternative(always: "the device's firmware reports its results in another way"),
      ]
    ) { connection, evidence in connection.missingResults(evidence) },
    Symptom(
      "gatt_unsubscribed", .warning, .sequence,
      "A client ends its subscription and continues to write",
      when:
        "a client that got values of a characteristic disables its CCCD, then writes to the same service three times or more and gets no value; the link stays open for 2 s",
      do:
        "Keep the subscription as long as answers are expected: look for code that disables it after the first answer (setNotifyValue(false), stop_notify(), setCharacteristicNotification(…, false)), or for a part of the app that ends a subscription that another part uses."
    ).needing([.bothDirections, .events, .opening]).onConnection(merges: true) {
      connection, evidence in connection.silences(evidence).compactMap(connection.unsubscribed)
    },
    Symptom(
      "gatt_writes_unanswered", .note, .sequence, "Writes are accepted, but no answer comes",
      when:
        "a client subscribes to values of a vendor's service, then writes to that service three times or more; the server accepts the writes and sends no value, none is read, and the link stays open for 2 s",
      do:
        "Compare the bytes with those that the maker's app sends: line end, length, checksum and byte order, and whether a login must come first. A device that is only controlled may send no answers."
    ).needing([.bothDirections, .events, .opening]).onConnection(merges: true) {
      connection, evidence in connection.silences(evidence).compactMap(connection.unanswered)
    },
  ]
}

/// Writes to a service whose server sent nothing after them.
private struct Silence {
  /// The attribute with most of them.
  let written: AttributeUsage
  let series: WriteSeries
  let first: Moment
  /// The last state of the service's subscriptions, one for each characteristic.
  let configurations: [Configuration]
  let lasted: Int64
}

extension BluetoothUUID {
  /// Whether a vendor defines it: it is not in the range of services of the Bluetooth SIG.
  fileprivate var isVendorsService: Bool {
    let uuid = shortest
    return uuid.width == 16 || !(0x1800...0x18ff ~= uuid.low)
  }
}

extension ConnectionHistory {
  /// With a longer time between connection events, answers take longer, too.
  private static let longestPause: Int64 = 400_000_000
  private static let leastWrites = 3

  /// Returns how long a link stayed open after a packet; nil if it is unknown, or if the peer may
  /// have been gone before its end.
  func openTime(after moment: Moment, _ evidence: Evidence) -> Int64? {
    switch connection.ending {
    case nil, .localHost, .peer: end(evidence).nanoseconds(since: moment)
    default: nil
    }
  }

  /// Whether records of the connection are missing or cut.
  var isIncomplete: Bool {
    connection.isOpeningMissing || connection.hasLostPackets || connection.isDataCut
  }

  /// Returns the services of vendors that are silent after the last writes to them.
  fileprivate func silences(_ evidence: Evidence) -> [Silence] {
    guard !isIncomplete, attributes.remembersConfigurations,
      let slowest = [link.parameters, link.current].compactMap({ $0?.longestPause }).max(),
      slowest < Self.longestPause
    else { return [] }
    var found: [Silence] = []
    for usage in attributes.usages {
      guard let service = usage.identity.service, service.isVendorsService,
        usage.identity.kind == .value, usage.vendor == nil, !usage.cannotBeWritten,
        usage.writes.count > 0 || usage.properties?.isWrittenOnlyWithResponse != true,
        let series = attributes.unanswered(usage), series.count >= Self.leastWrites,
        let first = series.first, let last = series.last,
        let lasted = openTime(after: last, evidence), lasted >= Self.answerTime,
        !attributes.hasValues(of: service, usage.server, after: first.packet)
      else { continue }
      let configurations = attributes.lastConfigurations(of: service, usage.server)
      guard !configurations.isEmpty,
        configurations.allSatisfy({ $0.accepted?.packet ?? .max < first.packet })
      else { continue }
      let silence = Silence(
        written: usage, series: series, first: first, configurations: configurations,
        lasted: lasted)
      let known = found.firstIndex {
        $0.written.server == usage.server && $0.written.identity.service == service
      }
      if let known {
        if found[known].series.count < series.count { found[known] = silence }
      } else {
        found.append(silence)
      }
    }
    return found
  }

  /// Returns the number of values that a server sent, without those of Generic Attribute.
  private func sent(by server: Side, where isIncluded: (AttributeUsage) -> Bool) -> Int {
    attributes.usages.reduce(0) { sum, usage in
      usage.server == server && usage.identity.service?.isShort(0x1801) != true
        && isIncluded(usage) ? sum + usage.sent : sum
    }
  }

  fileprivate func unsubscribed(_ silence: Silence) -> Finding? {
    let usage = silence.written
    guard silence.configurations.allSatisfy({ $0.value & 3 == 0 }),
      let off = silence.configurations.last(where: { ended in
        attributes.configurations.contains {
          $0.isSame(as: ended) && $0.isInForce && $0.request.packet < ended.request.packet
        }
      }), let owner = off.owner, let got = attributes.usage(of: off), got.sent > 0,
      // Answers are expected only if there were some.
      silence.series.answered.count > 0
    else { return nil }
    let client = usage.server.other
    let count = silence.series.count
    var finding = Finding(
      "\(client.words) ended its subscription to \(owner), then wrote \(count) values to \(usage.named)",
      at: off.request.packet,
      why:
        "\(client.capitalized) got \(count: got.sent, "value", "values") and disabled the CCCD at \(packet: off.request.packet). It then wrote \(count) values (from \(packet: silence.first.packet) on) and got none: without the subscription no answer could arrive.",
      evidence: PacketSet(of: off.request, silence.first, silence.series.last), of: owner,
      silence.series.answered.count == 1 ? .note : nil, restsOnAbsence: true,
      group: "\(client.capitalized) ended its subscription to \(owner), and continued to write")
    finding.repetitions = silence.series.answered.count
    return finding
  }

  fileprivate func unanswered(_ silence: Silence) -> Finding? {
    let (usage, series) = (silence.written, silence.series)
    let enabled = silence.configurations.filter { $0.value & 3 != 0 && $0.isOffered }
    guard let subscription = enabled.first else { return nil }
    let service = usage.identity.service
    guard sent(by: usage.server, where: { $0.identity.service != service }) == 0 else { return nil }
    // If the service did send values, only another form of what is written explains its silence.
    let answeredEnd = series.answered.count > 0 ? series.answered.lineEnd : nil
    let end = series.forms.lineEnd
    let isOtherForm = answeredEnd != nil && end != nil && answeredEnd != end
    if sent(by: usage.server, where: { $0.identity.service == service }) > 0, !isOtherForm {
      return nil
    }
    let client = usage.server.other
    let answers = Wording(listing: enabled.prefix(3).compactMap { $0.owner.map { "\($0)" } })
    let isAccepted = series.commands == 0
    let writes: Wording =
      series.commands == series.count
      ? "\(series.count) commands to \(usage.named) were sent"
      : "\(series.count) writes to \(usage.named) were \(isAccepted ? "accepted" : "sent" as StaticString)"
    let form: Wording =
      if isOtherForm, let end, let answeredEnd {
        "Their line end differs: \(end.name), but \(answeredEnd.name) in \(count: series.answered.count, "earlier write", "earlier writes") after which it sent a value."
      } else {
        end.map { "All of them are text with \($0.name)." } ?? ""
      }
    var finding = Finding(
      "\(writes), but no answer came on \(answers)", at: silence.first.packet,
      why: Wording(
        sentences:
          "\(client.capitalized) had subscribed to \(answers) (\(packet: subscription.request.packet)). \(usage.server.capitalized) sent no value after \(packet: silence.first.packet), although the link stayed open for \(duration: silence.lasted) after the last write.",
        form),
      evidence: PacketSet(of: subscription.request, silence.first, series.last), of: usage.named,
      restsOnAbsence: true, group: "writes to \(usage.named) got no answer on \(answers)")
    if isOtherForm, let answeredEnd {
      finding.remedy =
        "If these texts are commands, too, end them as those that were answered: with \(answeredEnd.name)."
    }
    return finding
  }

  // MARK: Control points

  /// A control point reports a result within this time, unless the procedure takes its time.
  private static let resultTime: Int64 = 5_000_000_000
  fileprivate static let longResultTime: Int64 = 30_000_000_000

  /// Returns findings about missing results, and for how long each is missing.
  fileprivate func missingResults(_ evidence: Evidence) -> [(Int64, Finding)] {
    guard !isIncomplete, attributes.remembersConfigurations else { return [] }
    return attributes.usages.compactMap { usage in
      // A server may not indicate again before the client has confirmed.
      let isBlocked = attributes.unanswered.contains {
        $0.opcode == .handleValueIndication && Side(sent: $0.direction) == usage.server
      }
      guard !isBlocked, usage.indicatesResults, let control = usage.control,
        let subscription = attributes.configurations.last(where: {
          $0.server == usage.server && $0.owner?.handle == usage.handle && $0.accepted != nil
        }), subscription.value & 2 != 0, subscription.isOffered,
        subscription.accepted?.packet ?? .max < control.first.packet
      else { return nil }
      // Records are sent before the result.
      let isRecords = usage.identity.uuid?.isShort(0x2a52) == true
      let values = attributes.usages.filter {
        $0.server == usage.server && $0.identity.service == usage.identity.service
          && $0.handle != usage.handle
      }
      let latest = values.flatMap { [$0.notifications.last, $0.indications.last] }
        .compactMap(\.self).filter { $0.packet > control.last.packet }.max { $0.packet < $1.packet }
      let since = isRecords ? latest ?? control.last : control.last
      let isLong = isRecords && latest != nil || control.isSlow(usage)
      guard let waited = openTime(after: since, evidence),
        waited >= (isLong ? Self.longResultTime : Self.resultTime)
      else { return nil }
      let count = control.count
      let packets: Wording =
        count == 1
        ? "the write (\(packet: control.last.packet))"
        : "\(count) writes (from \(packet: control.first.packet) to \(packet: control.last.packet))"
      let finding = Finding(
        "\(usage.server.words) did not report the \(count == 1 ? "result of a write" : "results of \(count) writes" as Wording) to \(usage.named)",
        at: control.first.packet,
        why:
          "\(usage.server.other.capitalized) enabled its indications at \(packet: subscription.request.packet), and \(usage.server.words) accepted \(packets). It indicated nothing in the \(duration: waited) after \(packet: since.packet).",
        evidence: PacketSet(of: subscription.request, control.first, control.last, since),
        of: usage.named, restsOnAbsence: true)
      return (waited, finding)
    }
  }
}

extension ControlWrite {
  /// Whether it begins a calibration, which takes its time: of a power meter or a speed sensor.
  fileprivate func isSlow(_ usage: AttributeUsage) -> Bool {
    switch usage.identity.uuid?.low {
    case 0x2a66: opcode == 0x0c || opcode == 0x10
    case 0x2a55: opcode == 0x02
    // A user has to consent at the device.
    case 0x2a9f, 0x2ac5: true
    default: false
    }
  }
}

extension Configuration {
  /// Whether the characteristic offers what the value enables, as far as is known.
  var isOffered: Bool {
    guard let properties else { return true }
    return value & 1 != 0 && properties.has(bit: 4) || value & 2 != 0 && properties.has(bit: 5)
  }
}

extension CharacteristicProperties {
  var isWrittenOnlyWithResponse: Bool { has(bit: 3) && !has(bit: 2) && !has(bit: 6) }
}

extension AttributeHistory {
  func lastConfigurations(
    of service: BluetoothUUID, _ server: Side
  ) -> [Configuration] {
    var last: [Configuration] = []
    for configuration in configurations
    where configuration.server == server && configuration.accepted != nil
      && configuration.owner?.service == service
    {
      last.removeAll { $0.isSame(as: configuration) }
      last.append(configuration)
    }
    return last
  }
}
