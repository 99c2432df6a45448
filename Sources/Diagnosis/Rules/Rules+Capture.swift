import Histories
import Bluetooth
import Captures
import Meanings
import Sessions

// Rules about what the capture lacks. They are reported first, since they make other findings less
// certain.

extension Rule {
  /// The rules about what the capture lacks.
  static let capture: [Rule] = [
    Symptom(
      "capture_ends_damaged", .warning, .fact, "The capture is damaged and ends early",
      when: "reading stopped at a corrupt or incomplete record",
      do: "Stop the recording properly before copying the file, and copy it again."
    ).with(.ofCapture).inCapture { evidence in
      guard evidence.extent.endsDamaged else { return [] }
      let last = evidence.extent.lastPacket
      let place: Wording = last > 0 ? "after \(packet: last)" : "at its first record"
      return [
        Finding(
          "The capture is damaged \(place)",
          why:
            "The rest cannot be read, so what happened later on the open connections is unknown.",
          evidence: PacketSet([last]))
      ]
    },
    Symptom(
      "capture_damaged_between", .warning, .fact,
      "One of several files is damaged, and records are missing",
      when: "a file that others follow, or an archive, cannot be read to its end",
      do: "Copy the file again from where it was recorded, or take another bug report."
    ).with(.ofCapture).inCapture { evidence in
      evidence.extent.holes.map { hole in
        let file = hole.fileWords
        guard let last = hole.after else {
          return Finding(
            "Records may be missing: \(file) is damaged",
            why:
              "The records that cannot be read may come before, between or after those of the capture.",
            evidence: [])
        }
        let place: Wording = "between \(packet: last) and \(packet: last + 1)"
        return Finding(
          "Records are missing \(place): \(file) is damaged",
          headline: "records are missing \(place)",
          why:
            "The rest of \(file) cannot be read. What it recorded there is unknown: answers may be missing, and connections may have ended and begun.",
          evidence: PacketSet([last, last + 1]))
      }
    },
    Symptom(
      "capture_dropped", .warning, .fact, "Records are missing in the capture",
      when: "the capture's own counters report dropped records",
      do:
        "Record to a faster disk or on a less busy machine; on Linux give btmon a larger buffer, or write with -w and decode later."
    ).with(.ofCapture).inCapture { evidence in
      let extent = evidence.extent
      guard extent.dropped > 0 else { return [] }
      let records: Wording = "\(count: Int(clamping: extent.dropped), "record", "records")"
      return [
        Finding(
          "\(records) were dropped while recording",
          why:
            "They are missing just before the packets listed here. A request that seems unanswered near them may have been answered; such findings are reported as less certain.",
          evidence: PacketSet(extent.drops),
          do: evidence.vantage == .air ? "Record to a faster disk or on a less busy machine." : nil)
      ]
    },
    Symptom(
      "capture_records_missing", .warning, .fact,
      "Records are missing, and the capture does not report it",
      when:
        "a controller completed more packets than the capture shows as sent, or answered commands that are not in the capture",
      do:
        "The recorder was probably too slow and lost records silently: record to a file with btmon -w on a less busy machine, and decode later. Requests that seem unanswered may have been answered."
    ).with([.ofCapture, .ofHost]).inCapture { evidence in
      let links = evidence.connections.filter { $0.link.unseenSent > 0 }
      let data = evidence.unseenData
      let answers = evidence.adapters.reduce(0) { $0 &+ $1.commands.orphanCount }
      guard evidence.unseenRecords > 0 else { return [] }
      let numbers = Wording(
        listing: [
          data > 0
            ? "\(count: data, "data packet was", "data packets were") completed that the capture does not show as sent (connection \(Wording(listing: links.prefix(8).map { "\($0.id)" })))"
            : "",
          answers > 0
            ? "\(count: answers, "answer belongs", "answers belong") to \(answers == 1 ? ("a command" as Wording) : "commands") that the capture lacks"
            : "",
        ].filter { !$0.isEmpty })
      return [
        Finding(
          "At least \(count: data &+ answers, "record is", "records are") missing",
          headline: "records are missing in the capture", why: "\(numbers.capitalized).",
          evidence: evidence.adapters.reduce(
            PacketSet(links.prefix(8).compactMap(\.connection.lastPacket))
          ) { $0.union($1.commands.orphans) })
      ]
    },
    Symptom(
      "capture_truncated", .warning, .fact, "Packets were cut short by the recorder",
      when: "records keep fewer bytes than their packets had",
      do:
        "On Android set the developer option Bluetooth HCI snoop log to Enabled, not Enabled filtered, switch Bluetooth off and on, and record again; on Windows choose Full Packet Logging in btvs; with tcpdump use -s 0."
    ).with(.ofCapture).inCapture { evidence in
      let extent = evidence.extent
      guard extent.truncated > 0 else { return [] }
      let records: Wording = "\(count: extent.truncated, "packet was", "packets were") cut short"
      let isOnAir = evidence.vantage == .air
      let isFiltered = extent.truncatedData * 2 > extent.allData && !isOnAir
      let reason = isOnAir ? nil : evidence.coverage.cuts.reason
      let how: Wording =
        switch reason {
        case .summary:
          "Longer data is cut as in the summary that Android keeps while its Bluetooth log is off: three bytes of each value are left, and what was discovered is unknown."
        case .headers:
          "All of it was received, and cut as in Android's log with filtered headers: two bytes of each value are left."
        case .channels:
          "All of it is cut after the L2CAP header, as in Android's filtered log, which omits the data of most channels, including ATT and SMP."
        case .payloads:
          "Only payloads of phone books, messages or calls are removed, as Android's filtered log does for privacy, with PROHIBITED in their place or nothing. GATT and pairing are whole."
        case .snapshot(let length): "All are cut at \(length) bytes: a snapshot length was set."
        case nil: isFiltered ? "Most of the data is cut, as in Android's filtered log." : ""
        }
      var finding = Finding(
        "\(records) by the recorder", headline: records,
        why: Wording(
          sentences: extent.truncated == 1
            ? "The file has only its beginning; the rest is unknown."
            : "The file has only their beginnings; the rest is unknown.", how),
        evidence: PacketSet(extent.cuts))
      switch reason {
      case .payloads:
        finding.severity = .note
        finding.remedy =
          "If these payloads matter, set Developer options, Enable Bluetooth HCI snoop log, to Enabled (not Filtered), switch Bluetooth off and on, and record again."
      case .summary, .headers, .channels:
        finding.remedy =
          "On the phone set Developer options, Enable Bluetooth HCI snoop log, to Enabled (not Filtered), switch Bluetooth off and on, repeat what failed, and take another bug report. If the option has no effect: adb shell settings put global bluetooth_btsnoop_default_mode full, or on a Samsung dial *#9900#."
      case .snapshot:
        finding.remedy = wholePackets
      case nil: if isOnAir { finding.remedy = wholePackets }
      }
      return [finding]
    },
    Symptom(
      "capture_one_sided", .warning, .meaning, "The capture has one direction only",
      when:
        "all data went one way, and some of it needs an answer or is one: a response, or a request after another one",
      do:
        "If it was exported from another capture, with a filter for example, use the whole capture. Otherwise record on the host itself (HCI snoop log, btmon, PacketLogger), which gives both directions."
    ).with([.ofCapture, .ofHost]).inCapture(elsewise: [
      Alternative(always: "that side sends requests without waiting for answers")
    ]) { evidence in
      let extent = evidence.extent
      let isSent = extent.receivedData == 0
      guard extent.sentData + extent.receivedData >= Coverage.leastOneSided,
        isSent || extent.sentData == 0, let first = extent.unpaired
      else { return [] }
      return [
        Finding(
          isSent
            ? "The capture has only what this host sent"
            : "The capture has only what this host received",
          headline: "the capture has one direction only",
          why: isSent
            ? "All \(extent.sentData) data packets went from this host to the peer, although the peer should have sent some as well (before \(packet: first))."
            : "All \(extent.receivedData) data packets came from the peer, although this host should have sent some as well (before \(packet: first)).",
          evidence: [first])
      ]
    },
    Symptom(
      "capture_data_only", .note, .fact, "The capture has data, but no commands and events",
      when: "there are data packets, but no HCI commands or events",
      do:
        "Record with the phone's HCI snoop log or with btmon, and start before the devices connect."
    ).with([.ofCapture, .ofHost]).inCapture { evidence in
      guard evidence.hasDataAlone else { return [] }
      return [
        Finding(
          "The capture has data only, no HCI commands and events",
          headline: "the capture has no HCI commands and events",
          why:
            "It does not show who the peers are, when connections began and ended, or whether they were encrypted.",
          evidence: [])
      ]
    },
    Symptom(
      "capture_starts_late", .note, .fact, "The capture starts in the middle of connections",
      when: "data or events belong to a connection whose opening is not in the capture",
      do:
        "Start recording before the devices connect; on Android switch Bluetooth off and on after enabling the log."
    ).with(.ofCapture).inCapture { evidence in
      guard !evidence.hasDataAlone else { return [] }
      func finding(
        _ begun: [ConnectionHistory], _ what: (Wording) -> Wording, _ where: Wording
      ) -> Finding? {
        guard !begun.isEmpty else { return nil }
        let what = what("\(count: begun.count, "connection", "connections")")
        return Finding(
          what.capitalized,
          why: Wording(
            sentences: `where`,
            "What happened before is unknown: the MTU, whether the link is encrypted and with which key, and what was discovered and subscribed to."
          ), evidence: PacketSet(begun.prefix(8).map(\.connection.firstPacket)),
          do: evidence.vantage == .air
            ? "Start the sniffer before the devices connect: it has to catch the packet that opens the connection."
            : nil)
      }
      var unseen = finding(
        evidence.begunUnseen, { "the opening of \($0) is not in the capture" },
        "The connection began where records are missing or cut, or before the capture.")
      if evidence.unseenRecords > 0 || evidence.extent.hasGaps {
        unseen?.remedy =
          "Start recording before the devices connect, and avoid what made records go missing."
      }
      let earlier = finding(
        evidence.begunEarlier, { "the capture starts in the middle of \($0)" }, "")
      return [earlier, unseen].compactMap(\.self)
    },
    Symptom(
      "capture_direction_missing", .note, .fact,
      "The capture does not record packet directions", when: "the link type has no direction (187)",
      do: "Save with a link type that records directions (201), or as btsnoop."
    ).with([.ofCapture, .ofHost]).inCapture { evidence in
      guard evidence.extent.infersDirections else { return [] }
      return [
        Finding(
          "The capture does not record packet directions",
          why:
            "Directions are inferred from the packets themselves, and may be wrong if both sides are client and server.",
          evidence: [])
      ]
    },
    Symptom(
      "capture_clock_jumps", .note, .fact, "The capture's clock jumps",
      when:
        "a record's time is more than a second before that of the previous one, or more than an hour after it"
    ).with(.ofCapture).inCapture { evidence in
      let (back, pauses) = (evidence.extent.stepsBack, evidence.extent.pauses)
      return [
        back.count == 0
          ? nil
          : Finding(
            "The capture's clock goes back \(count: back.count, "time", "times"), by up to \(duration: back.largest)",
            headline: "the capture's clock goes back",
            why: "Durations across these packets, and conclusions from them, are unreliable.",
            evidence: back.packets),
        pauses.count == 0
          ? nil
          : Finding(
            "Nothing was captured for up to \(duration: pauses.largest)",
            why:
              "More than an hour passed before \(pauses.count == 1 ? "this packet" : "each of these \(pauses.count) packets"): \(evidence.vantage == .air && isWrap(pauses.largest) ? "probably the sniffer's clock of 32 bits, which begins again after 4295 s" : "a sleeping machine, a changed clock, or two recordings in one file" as StaticString).",
            evidence: pauses.packets),
      ].compactMap(\.self)
    },
    Symptom(
      "capture_management_only", .note, .fact,
      "The capture has the kernel's management interface, but no HCI packets",
      when:
        "there are records of the management interface, and no HCI command, event or data packet",
      do:
        "Record with btmon, or btmon -w FILE, as root, and start before the devices connect: it records both."
    ).with(.ofCapture).inCapture { evidence in
      guard evidence.hasManagementAlone else { return [] }
      return [
        Finding(
          "The capture has the kernel's management interface only, no HCI packets",
          headline: "the capture has no HCI packets",
          why:
            "It shows what programs and the kernel exchanged, but not what the devices sent each other.",
          evidence: [])
      ]
    }, endsUnanswered, cachedDiscovery,
  ]

  private static let wholePackets: Wording =
    "Record again without a snapshot length: with tcpdump use -s 0."

  /// Only in captures without a connection, which show nothing but commands: others end anywhere.
  private static let endsUnanswered = Symptom(
    "capture_ends_unanswered", .note, .fact, "The capture ends with a command without an answer",
    when:
      "the last record is a command that would have an answer, the controller answered others before, and the capture has no connection",
    do:
      "If the host hung here, let the recording go on for some seconds: a controller that does not answer within two has probably crashed at this command. Otherwise the recording was stopped too early."
  ).with([.ofCapture, .endsUnanswered]).needing([.commands, .events]).inCapture { evidence in
    guard evidence.connections.isEmpty, !evidence.extent.endsDamaged else { return [] }
    return evidence.adapters.compactMap { adapter in
      let commands = adapter.commands
      guard commands.answered > 0, let last = commands.waiting.last,
        last.moment.packet == evidence.extent.lastPacket,
        // A controller that left others unanswered before has its own finding.
        commands.waiting.count(where: { $0.moment.packet > commands.lastEvent?.packet ?? 0 }) == 1
      else { return nil }
      return Finding(
        "The capture ends with \(last.words), which has no answer in it",
        headline: "the capture ends with \(last.words) unanswered",
        why:
          "The controller had answered \(count: commands.answered, "command", "commands") before. Nothing follows this one, so the capture does not show whether the controller answers it.",
        evidence: [last.moment.packet])
    }
  }

  /// Returns whether a pause is as long as a clock of 32 bits in microseconds runs.
  private static func isWrap(_ pause: Int64) -> Bool {
    abs(pause - 4_294_967_296_000) < 1_000_000_000
  }

  /// With fewer uses of handles, a map would hardly help.
  private static let leastUses = 4

  /// The host skipped the discovery because it knew the answers.
  private static let cachedDiscovery = Symptom(
    "capture_cached_discovery", .note, .fact,
    "Attributes are used whose discovery is not in the capture",
    when:
      "handles of the peer that neither a discovery in the capture nor a supplied map identifies are used four times or more",
    do:
      "Make the host rediscover: on Android unpair and restart Bluetooth, on BlueZ remove the device, on iOS forget it and restart Bluetooth. Or supply a map of the device from another capture\(hint: "; gattscope map --json writes one, and --map reads it")."
  ).with(.ofCapture).needing([.bothDirections]).leaningOn([.opening]).onConnection {
    history, evidence in
    guard history.connection.transport != .brEDR else { return [] }
    let use = history.attributes.undiscovered
    guard use.count >= leastUses,
      // Reported once for each device.
      !evidence.earlier(than: history).contains(where: {
        $0.attributes.undiscovered.count >= leastUses
      })
    else { return [] }
    let isLate = history.connection.isOpeningMissing
    let isCut =
      history.connection.isDataCut || history.connection.hasLostPackets
      || evidence.unseenRecords > 0
    let isPart = history.attributes.discoveries.contains { $0.client == .local }
    let finding = Finding(
      isLate || isCut
        ? "The discovery is not \(isCut ? ("whole " as Wording) : "")in the capture"
        : isPart
          ? "This host did not discover all the peer's attributes that it uses"
          : "This host did not discover the peer's services",
      headline: "attributes are used whose discovery is not in the capture",
      why: isCut
        ? "\(use.words). Their discovery is missing or cut off, or was on an earlier connection."
        : isLate
          ? "\(use.words), but the characteristics were discovered before the capture began or on an earlier connection."
          : use.asked > 0
            ? "\(use.words). This host did not discover them: it has the handles from an earlier connection, or its program knows them. \(history.attributes.doubtOfMap)"
            : "\(use.words), of handles that this host did not discover: it knows them from an earlier connection or not at all, or the peer uses the wrong handle.",
      evidence: PacketSet([use.first, use.last]), restsOnAbsence: true)
    return [finding]
  }
}

extension AttributeHistory {
  /// How handles of the peer were used whose attributes are unknown.
  fileprivate var undiscovered: UndiscoveredUse {
    var use = UndiscoveredUse()
    for usage in usages where usage.server == .peer && !usage.identity.isShown {
      let (asked, sent) = (
        [usage.reads, usage.writes, usage.commands], [usage.notifications, usage.indications]
      )
      use.asked = asked.reduce(use.asked) { $0 &+ $1.count }
      use.sent = sent.reduce(use.sent) { $0 &+ $1.count }
      for tally in asked + sent { use.include(tally.first, tally.last) }
    }
    for refusal in refusals
    where refusal.server == .peer && refusal.handle != 0 && refusal.range == nil
      && !refusal.attribute.identity.isShown
    {
      use.asked &+= refusal.count
      use.include(refusal.request, refusal.last)
    }
    return use
  }

  /// A sentence on whether what the host knows from an earlier connection may be wrong.
  fileprivate var doubtOfMap: Wording {
    hashes.first { $0.server == .peer }.map {
      "It read the Database Hash (\(packet: $0.moment.packet)), which shows it whether they are still valid."
    } ?? "If the peer's firmware has changed since, they may be wrong."
  }
}

/// The use of peer attributes whose type is unknown.
private struct UndiscoveredUse {
  /// The number of reads and writes by this host.
  var asked = 0
  /// The number of values that the peer sent on its own.
  var sent = 0
  /// The first and the last packet; `last` is 0 if there are none.
  var first = Int.max
  var last = 0

  var count: Int { asked &+ sent }

  /// Such as `This host used handles of the peer 2 times and the peer sent 3 values`.
  var words: Wording {
    var pieces: [Wording] = []
    if asked > 0 {
      pieces.append("this host used handles of the peer \(count: asked, "time", "times")")
    }
    if sent > 0 { pieces.append("the peer sent \(count: sent, "value", "values") on its own") }
    return Wording(listing: pieces).capitalized
  }

  mutating func include(_ first: Moment?, _ last: Moment?) {
    guard let first, let last else { return }
    self.first = min(self.first, first.packet)
    self.last = max(self.last, last.packet)
  }
}

extension AttributeIdentity {
  /// Whether the type came from the peer or a supplied map, rather than being inferred from use.
  fileprivate var isShown: Bool { uuid != nil && via != .inferred }
}
