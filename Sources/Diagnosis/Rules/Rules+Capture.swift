import Bluetooth
import Sessions
import Words

// Rules about what the capture lacks. They are reported first, since they make other findings less
// certain.

extension Rule {
  /// The rules about what the capture lacks.
  static let capture: [Rule] = [
    Rule(
      whole: "capture-ends-damaged", .warning, "The capture is damaged and ends early",
      when: "reading stopped at a record that is broken or not all there",
      do: "Stop the recording properly before copying the file, and copy it again."
    ) { evidence in
      guard evidence.extent.failure != nil else { return [] }
      let last = evidence.extent.lastPacket
      let place: Wording = last > 0 ? "after \(packet: last)" : "at its first record"
      return [
        Finding(
          "The capture is damaged \(place)",
          headline: "the capture is damaged \(place)",
          why:
            "What follows cannot be read: how connections that were open then went on is not known.",
          evidence: PacketSet([last]))
      ]
    },
    Rule(
      whole: "capture-dropped", .warning, "Records are missing in the capture",
      when: "the capture's own counters say that records were dropped",
      do:
        "Record to a faster disk or with less else going on; on Linux give btmon a larger buffer or write with -w and decode later."
    ) { evidence in
      let extent = evidence.extent
      guard extent.dropped > 0 else { return [] }
      let records: Wording = "\(count: Int(clamping: extent.dropped), "record", "records")"
      return [
        Finding(
          "\(records) were dropped while recording",
          headline: "\(records) were dropped while recording",
          why:
            "They are missing in front of the packets named here. A request without an answer around there may have had one; such findings are given as less certain.",
          evidence: PacketSet(extent.drops))
      ]
    },
    Rule(
      whole: "capture-records-missing", .warning,
      "Records are missing, and the capture does not say so",
      when:
        "a controller completed more packets than the capture shows to be sent, or answered commands that it does not have",
      do:
        "The recorder was too slow and lost records silently: record to a file with btmon -w and decode later, on a machine that is less busy. What was not answered may have been."
    ) { evidence in
      let links = evidence.connections.filter { $0.link.unseenSent > 0 }
      let data = evidence.unseenData
      let answers = evidence.adapters.reduce(0) { $0 &+ $1.commands.orphanCount }
      guard evidence.unseenRecords > 0 else { return [] }
      let numbers = Wording(
        listing: [
          data > 0
            ? "\(count: data, "data packet was", "data packets were") completed that the capture does not show to be sent (connection \(Wording(listing: links.prefix(8).map { "\($0.id)" })))"
            : "",
          answers > 0
            ? "\(count: answers, "answer belongs", "answers belong") to \(answers == 1 ? ("a command" as Wording) : "commands") that the capture does not have"
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
    Rule(
      whole: "capture-truncated", .warning, "Packets were cut short by the recorder",
      when: "records keep fewer bytes than their packets had",
      do:
        "On Android set the developer option Bluetooth HCI snoop log to Enabled, not Enabled filtered, switch Bluetooth off and on, and record again; on Windows choose Full Packet Logging in btvs; with tcpdump use -s 0."
    ) { evidence in
      let extent = evidence.extent
      guard extent.truncated > 0 else { return [] }
      let records: Wording = "\(count: extent.truncated, "packet was", "packets were") cut short"
      let isFiltered = extent.truncatedData * 2 > extent.sentData + extent.receivedData
      let reason = evidence.coverage.cuts.reason
      let how: Wording =
        switch reason {
        case .summary:
          "All data is cut as in the summary that Android keeps while its Bluetooth log is off: three bytes of a value are left, and what was discovered is not known."
        case .headers:
          "All of it was received, and cut as in Android's log with filtered headers: two bytes of a value are left."
        case .channels:
          "All of it is cut after the L2CAP header, as in Android's filtered log, which leaves out the data of most channels, ATT and SMP among them."
        case .payloads:
          "Only payloads of phone books, messages or calls are removed, as Android's filtered log does for privacy, with PROHIBITED in their place or nothing. GATT and pairing are whole."
        case .snapshot(let length): "All are cut at \(length) bytes: a snapshot length was set."
        case nil: isFiltered ? "Most of the data is cut: so does Android's filtered log." : ""
        }
      var finding = Finding(
        "\(records) by the recorder",
        headline: records,
        why: Wording(
          sentences: extent.truncated == 1
            ? "The file keeps only its beginning: what follows the cut is not known."
            : "The file keeps only their beginnings: what follows the cuts is not known.",
          how),
        evidence: PacketSet(extent.cuts))
      switch reason {
      case .payloads:
        finding.severity = .note
        finding.remedy =
          "If these payloads matter, set Developer options, Enable Bluetooth HCI snoop log, to Enabled (not Filtered), switch Bluetooth off and on, and record again."
      case .summary, .headers, .channels:
        finding.remedy =
          "On the phone set Developer options, Enable Bluetooth HCI snoop log, to Enabled (not Filtered), switch Bluetooth off and on, repeat what failed, and make another bug report. Where the option has no effect: adb shell settings put global bluetooth_btsnoop_default_mode full, or on a Samsung dial *#9900#."
      case .snapshot:
        finding.remedy = "Record again without a snapshot length: with tcpdump use -s 0."
      case nil: break
      }
      return [finding]
    },
    Rule(
      whole: "capture-one-sided", .warning, "The capture has one direction only",
      when: "ten or more data packets went one way and none the other",
      do:
        "If it was exported from another capture, with a filter for instance, take the whole one. Else capture on the host itself (HCI snoop log, btmon, PacketLogger), which records both directions."
    ) { evidence in
      let extent = evidence.extent
      let isSent = extent.receivedData == 0
      guard extent.sentData + extent.receivedData >= 10,
        isSent || extent.sentData == 0
      else { return [] }
      return [
        Finding(
          isSent
            ? "The capture has only what this host sent"
            : "The capture has only what this host received",
          headline: "the capture has one direction only",
          why:
            isSent
            ? "All \(extent.sentData) data packets went from this host to the peer: no answer can be seen."
            : "All \(extent.receivedData) data packets came from the peer: no request of this host can be seen.",
          evidence: [])
      ]
    },
    Rule(
      whole: "capture-data-only", .note, "The capture has data, but no commands and events",
      when: "there are data packets and not one HCI command or event",
      do:
        "Record with the HCI snoop log of the phone or with btmon, and begin before the devices connect."
    ) { evidence in
      guard evidence.hasDataAlone else { return [] }
      return [
        Finding(
          "The capture has data only, no HCI commands and events",
          headline: "the capture has no HCI commands and events",
          why:
            "Who the peers are, when connections began and ended, and whether they were encrypted is not in it.",
          evidence: [])
      ]
    },
    Rule(
      whole: "capture-starts-late", .note, "The capture starts in the middle of connections",
      when: "data or events belong to a connection whose opening is not in the capture",
      do:
        "Begin recording before the devices connect; on Android switch Bluetooth off and on after enabling the log."
    ) { evidence in
      let begun = evidence.begunEarlier
      guard !begun.isEmpty, !evidence.hasDataAlone else { return [] }
      let connections: Wording = "\(count: begun.count, "connection", "connections")"
      return [
        Finding(
          "The capture starts in the middle of \(connections)",
          headline: "the capture starts in the middle of \(connections)",
          why:
            "What was agreed on before is not known: the MTU, whether the link is encrypted and with which key, what was discovered and subscribed to.",
          evidence: PacketSet(begun.prefix(8).map(\.connection.firstPacket)))
      ]
    },
    Rule(
      whole: "capture-direction-missing", .note, "The capture does not say which way packets went",
      when: "the link type has no direction (187)",
      do: "Save with a link type that has the direction (201), or as btsnoop."
    ) { evidence in
      guard evidence.extent.infersDirections else { return [] }
      return [
        Finding(
          "The capture does not say which way packets went",
          headline: "the capture does not say which way packets went",
          why:
            "Directions are inferred from what the packets are. Where both sides are client and server, they may be wrong.",
          evidence: [])
      ]
    },
    Rule(
      whole: "capture-clock-jumps", .note, "The capture's clock jumps",
      when: "a record is more than a second older than the one before, or more than an hour younger"
    ) { evidence in
      let (back, pauses) = (evidence.extent.stepsBack, evidence.extent.pauses)
      var findings: [Finding] = []
      if back.count > 0 {
        findings.append(
          Finding(
            "The capture's clock goes back \(count: back.count, "time", "times"), by up to \(duration: back.largest)",
            headline: "the capture's clock goes back",
            why: "Times across these packets, and what follows from them, are not to be trusted.",
            evidence: back.packets))
      }
      if pauses.count > 0 {
        findings.append(
          Finding(
            "Nothing was captured for up to \(duration: pauses.largest)",
            headline: "nothing was captured for up to \(duration: pauses.largest)",
            why:
              "In front of \(count: pauses.count, "this packet", "these packets") lies more than an hour: a machine asleep, a clock that was set, or two recordings in one.",
            .possible, evidence: pauses.packets))
      }
      return findings
    },
    Rule(
      whole: "capture-management-only", .note,
      "The capture has the kernel's management interface, but no HCI packets",
      when:
        "there are records of the management interface, and no HCI command, event or data packet",
      do:
        "Record with btmon, or btmon -w FILE, as root and from before the devices connect: it has both."
    ) { evidence in
      guard evidence.hasManagementAlone else { return [] }
      return [
        Finding(
          "The capture has the kernel's management interface only, no HCI packets",
          headline: "the capture has no HCI packets",
          why:
            "What programs asked the kernel for, and what it told them, is in it; what the devices said to each other is not.",
          evidence: [])
      ]
    },
    cachedDiscovery,
  ]

  /// With fewer uses of handles, a map would hardly help.
  private static let leastUses = 4

  /// The host skipped the discovery because it knew the answers.
  private static let cachedDiscovery = Rule(
    "capture-cached-discovery", .note, "Attributes are used that the capture does not discover",
    when:
      "handles of the peer are used four times or more that neither a discovery in the capture nor a supplied map tells",
    needs: [.bothDirections], leansOn: [.opening],
    do:
      "Give a map of the device from another capture (gattscope map --json, then --map FILE), or make the host discover again: on Android unpair and restart Bluetooth, on BlueZ remove the device, on iOS forget it and restart Bluetooth."
  ) { history, evidence in
    guard history.connection.transport != .brEDR else { return [] }
    let use = history.attributes.undiscovered
    guard use.count >= leastUses,
      // Reported once for each device.
      !evidence.earlier(than: history).contains(where: {
        $0.attributes.undiscovered.count >= leastUses
      })
    else { return [] }
    let isLate = history.connection.isOpeningMissing
    let isPart = history.attributes.discoveries.contains { $0.client == .local }
    var finding = Finding(
      isLate
        ? "The discovery is not in the capture"
        : isPart
          ? "This host did not discover all that it uses of the peer"
          : "This host did not discover the peer's services",
      headline: "attributes are used that the capture does not discover",
      why:
        isLate
        ? "\(use.words), but which characteristics they are was discovered before the capture begins, or in an earlier connection."
        : use.asked > 0
          ? "\(use.words). This host did not ask what they are: it has the handles from an earlier connection, or its program knows them. \(history.attributes.doubtOfMap)"
          : "\(use.words). This host did not ask what they are: it knows that from an earlier connection, or not at all.",
      isLate ? .likely : .certain,
      evidence: PacketSet([use.first, use.last]))
    finding.restsOnAbsence = true
    return [finding]
  }
}

extension AttributeHistory {
  /// How handles of the peer were used whose attributes are unknown.
  fileprivate var undiscovered: UndiscoveredUse {
    var use = UndiscoveredUse()
    for usage in usages where usage.server == .peer && !usage.identity.isTold {
      for tally in [usage.reads, usage.writes, usage.commands] {
        use.asked &+= tally.count
        use.take(tally.first, tally.last)
      }
      for tally in [usage.notifications, usage.indications] {
        use.sent &+= tally.count
        use.take(tally.first, tally.last)
      }
    }
    for refusal in refusals
    where refusal.server == .peer && refusal.handle != 0 && refusal.range == nil
      && !refusal.attribute.isTold
    {
      use.asked &+= refusal.count
      use.take(refusal.request, refusal.last)
    }
    return use
  }

  /// A sentence on whether what the host knows from an earlier connection may be wrong.
  fileprivate var doubtOfMap: Wording {
    hashes.first { $0.server == .peer }.map {
      "It read the Database Hash (\(packet: $0.moment.packet)), which tells it whether they still hold."
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

  mutating func take(_ first: Moment?, _ last: Moment?) {
    guard let first, let last else { return }
    self.first = min(self.first, first.packet)
    self.last = max(self.last, last.packet)
  }
}

extension AttributeIdentity {
  /// Whether the type came from the peer or a supplied map, rather than being inferred from use.
  fileprivate var isTold: Bool { uuid != nil && via != .inferred }
}
