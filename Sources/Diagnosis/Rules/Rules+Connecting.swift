import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about attempts to connect, and links that were created but never established.

extension Rule {
  static let connecting: [Rule] = [
    wrongAddress, connectTimeout, notEstablished, connectLimit, connectRefused, bredrToLE, wrongPHY,
    cancelled, notAdvertisingAgain,
  ]

  /// The rules about BR/EDR. They come last, since this program is for LE.
  static let classic: [Rule] = [unpaged]

  private static let connectTimeout = Symptom(
    "connect_timeout", .error, .fact, "An attempt to connect was given up",
    when:
      "a connection attempt was cancelled a second or more after it began, without a connection; with the filter accept list, only if the device was then removed from it, or no attempt followed within two seconds; a note if the host only scanned now and then for a device of that list, still waits for it after it cancelled ten times or more, or lost its link to the device before",
    do:
      "Check that the device is powered, in range and sends connectable advertisements at that moment: many stop while they are connected, and some change their address. Scan first, and connect to the address just seen; on Android close() the old BluetoothGatt and connect again, with TRANSPORT_LE."
  ).with(.settled).needing([.commands, .events]).inCapture { evidence in
    evidence.attempts { $0.isGivenUp && $0.isLong && $0.elsewhere == nil }.compactMap { attempts in
      let first = attempts[0]
      let link = evidence.lastLink(before: first)
      if first.isBackground || first.repetitions > 0 {
        return waitedInBackground(attempts, evidence)
      }
      let isAfterLoss = link?.wasLost == true
      var finding = Finding(
        "Could not connect to \(first.target)\(isAfterLoss ? " again after the link was lost" : "" as StaticString)\(evidence.tries(attempts))",
        headline:
          "this host could not connect to \(first.target)\(first.fullScan.map { ", while it scanned without a pause (\(packet: $0.packet))" } ?? "")",
        why: Wording(
          sentences: first.fullScan.map {
            "Meanwhile this host scanned without a pause (since \(packet: $0.packet)), so its controller had to divide its time."
          } ?? "", first.givingUp, "Until then the controller reported no connection.",
          link?.words ?? first.sightingWords, first.strangers),
        evidence: attempts.evidence.union(
          PacketSet(of: first.fullScan, link?.ended ?? first.seen?.last)
        ).sorted)
      if first.fullScan != nil { finding.remedy = stopScanning }
      finding.note =
        "Android reports this to apps as its own status 133 (GATT_ERROR), which no packet carries."
      if let link, isAfterLoss {
        // The loss is the problem, which has its own finding.
        (finding.severity, finding.connections) = (.note, [link.link.id])
        finding.remedy = "Find out first why the link was lost (\(packet: link.ended.packet))."
      }
      if let link { mentionTimeout(of: link.link, link.ended, to: &finding, first) }
      if let other = first.namesake, first.seen == nil, link == nil, first.peerType == .random,
        other.address != first.peer, other.last.packet > first.asked.packet
      {
        finding.alternatives.append(
          "the device is present under another address: \(other.address) advertised with the name \(quoted: other.name) (\(packet: other.last.packet)), which the device of connection \(other.connection), over BR/EDR, has too"
        )
      }
      return evidence.resolved(finding, attempts)
    }
  }

  /// Adds that the device may not have noticed the loss of its link when an attempt was given up.
  private static func mentionTimeout(
    of history: ConnectionHistory, _ ended: Moment, to finding: inout Finding,
    _ attempt: ConnectAttempt
  ) {
    guard let span = history.link.supervisionTimeout,
      [.timeout, .controller, .reset, .micFailure].contains(history.connection.ending),
      (attempt.cancelled ?? attempt.asked).nanoseconds(since: ended) ?? .max < span + atOnce
    else { return }
    finding.add(
      "It may still have been in that connection: it notices the loss only after its supervision timeout of \(duration: span), and many devices do not advertise before that."
    )
    finding.remedy =
      "Try again after the supervision timeout, or request a shorter one: 4 to 6 s is enough for short gaps."
  }

  /// Returns a finding about a device that did not appear while no app waited for it; nil if it was
  /// connected.
  private static func waitedInBackground(
    _ attempts: [ConnectAttempt], _ evidence: Evidence
  ) -> Finding? {
    let first = attempts[0]
    if first.repetitions > 0,
      evidence.latest(before: first)?.packets.contains(first.asked.packet) == true
    {
      return nil
    }
    let action: Wording =
      "\(first.sightingsMeanwhile > 0 ? "was not reached" : "did not appear" as StaticString) while this host scanned for it"
    let times = evidence.tries(attempts)
    var finding = Finding(
      "\(first.target.capitalized) \(action)\(first.isBackground ? " in the background" : "" as StaticString)\(times)",
      why: Wording(
        sentences:
          "From \(packet: first.asked.packet) on the controller scanned for the devices of the filter accept list for \(duration: Int64(first.scanWindow) * 625_000) in each \(duration: Int64(first.scanInterval) * 625_000), as hosts do for bonded devices that may appear, and for apps that can wait (Android's autoConnect).",
        first.repetitions == 0
          ? ""
          : "This host cancelled \(first.repetitions) times, last at \(packet: first.cancelled?.packet ?? 0), and started again each time.",
        evidence.lastLink(before: first)?.words ?? first.sightingWords),
      evidence: attempts.evidence, .note)
    finding.remedy =
      "Nothing to do. If an app needs the device now, connect directly, on Android with autoConnect false."
    finding.peers = first.peer.map { [$0] } ?? []
    return finding
  }

  private static let wrongAddress = Symptom(
    "connect_wrong_address", .error, .meaning,
    "This host tried to connect to an address that the device does not advertise with",
    when:
      "an attempt to connect was cancelled a second or more later, and the device was seen with the other address type, or meanwhile with a private address that a known identity resolving key resolves",
    do:
      "Connect to the address and address type just seen. To connect to an identity address, add the device's identity resolving key to the controller's resolving list and enable address resolution (LE Add Device To Resolving List, LE Set Address Resolution Enable)."
  ).needing([.commands, .events]).inCapture(elsewise: [
    Alternative(always: "the device did not answer for another reason")
  ]) { evidence in
    evidence.attempts { $0.isGivenUp && $0.isLong && $0.elsewhere != nil }.compactMap { attempts in
      let (first, tries) = (attempts[0], evidence.tries(attempts))
      guard let seen = first.elsewhere else { return nil }
      let reports: Wording =
        "\(count: seen.sighting.count, "advertisement", "advertisements") of it \(seen.sighting.count == 1 ? "was" : "were" as StaticString) seen (last \(packet: seen.sighting.last.packet))"
      return evidence.resolved(
        Finding(
          seen.isResolved
            ? "\(first.target) was addressed by its identity address, but advertises with a private address\(tries)"
            : "\(first.target) was addressed with the wrong address type\(tries)",
          headline: seen.isResolved
            ? "this host addressed \(first.target) by its identity address, but the device advertises with a private address"
            : "this host addressed \(first.target) with the wrong address type",
          why: seen.isResolved
            ? "This host tried to connect to the identity address at \(packet: first.asked.packet). The device advertises with \(seen.address), a resolvable private address that its identity resolving key resolves: \(reports). The controller did not resolve this address, so it did not recognise the device."
            : "This host tried to connect to a \(seen.type == .public ? "random" : "public" as StaticString) address at \(packet: first.asked.packet). The device advertises with the same address as a \(seen.type == .public ? "public" : "random" as StaticString) one: \(reports).",
          evidence: attempts.evidence.union([seen.sighting.last.packet])), attempts)
    }
  }

  private static let connectLimit = Symptom(
    "connect_limit", .error, .fact, "The controller or the host cannot open another connection",
    when:
      "an attempt to connect ended with Connection Limit Exceeded (0x09) or Connection Rejected due to Limited Resources (0x0d)",
    do:
      "Close connections that are not needed, or raise the limit: CONFIG_BT_MAX_CONN on Zephyr, the SoftDevice's connection count on Nordic's nRF5, CONFIG_BTDM_CTRL_BLE_MAX_CONN on ESP32. Phones allow about seven."
  ).with(.settled).needing([.commands, .events]).inCapture { evidence in
    evidence.attempts { $0.status?.isLimit == true }.map { attempts in
      let first = attempts[0]
      return evidence.resolved(
        Finding(
          "No resources for a connection to \(first.target): \(first.statusWords)",
          headline: "there were no resources for a connection to \(first.target)",
          why:
            "\(count: first.openLinks, "connection", "connections") of this controller \(first.openLinks == 1 ? "was" : "were" as StaticString) open when it refused another one.",
          evidence: attempts.evidence), attempts)
    }
  }

  private static let waitForPending: Wording =
    "Wait for the pending attempt, or cancel it (LE Create Connection Cancel) before another one begins."

  private static let stopScanning: Wording =
    "Stop scanning before connecting, and start it again afterwards if needed."

  private static let connectRefused = Symptom(
    "connect_refused", .error, .meaning, "The controller refused or failed to connect",
    when: "an attempt to connect ended with another failing status",
    do:
      "Command Disallowed: another attempt is pending; cancel it or wait for it. Connection Already Exists: a connection with the device exists or is being made; use it or wait for it. Invalid or Unsupported Parameters: compare the command's fields with what the controller supports."
  ).with(.settled).needing([.commands, .events]).inCapture(
    about: Bool.self,
    elsewise: [
      Alternative("the controller refuses this command for another reason") { scansMeanwhile, _ in
        !scansMeanwhile
      }
    ]
  ) { evidence -> [(Bool, Finding)] in
    evidence.attempts {
      guard let status = $0.status, $0.hasFailed, !status.isLimit else { return false }
      if $0.wasRefused { return true }
      // So ends a cancelled attempt, even if the capture lacks the command that cancelled it.
      return $0.cancelled == nil && status != .unknownConnectionIdentifier
        && status != .operationCancelledByHost && status != .connectionFailedToBeEstablished
    }.map { attempts in
      if attempts.allSatisfy(\.isRepeated), let blocked = attempts[0].blocked {
        return (false, repeated(attempts, blocked))
      }
      let scanning = attempts.allSatisfy { $0.scanning != nil } ? attempts[0].scanning : nil
      return (scanning != nil, refused(attempts, scanning, evidence))
    }
  }

  /// Returns a finding about attempts that the controller refused because one was pending.
  private static func repeated(_ attempts: [ConnectAttempt], _ blocked: Moment) -> Finding {
    let first = attempts[0]
    var finding = Finding(
      "The attempt to connect to \(first.target) was repeated while it was pending\(Wording.times(attempts.count)): \(first.statusWords)",
      why:
        "The command in \(packet: first.asked.packet) requested a connection that was already pending since \(packet: blocked.packet). The controller refused it and continued the first attempt.",
      evidence: attempts.evidence.union([blocked.packet]), .note)
    finding.remedy = waitForPending
    finding.peers = first.peer.map { [$0] } ?? []
    return finding
  }

  /// - Parameter scanning: the command that started a scan, if one was running each time.
  private static func refused(
    _ attempts: [ConnectAttempt], _ scanning: Moment?, _ evidence: Evidence
  ) -> Finding {
    let first = attempts[0]
    var finding = Finding(
      "The controller did not connect to \(first.target): \(first.statusWords)",
      headline: "the controller did not connect to \(first.target)",
      why: Wording(
        sentences: first.wasRefused
          ? first.blocked.map {
            "It refused the command in \(packet: first.asked.packet) at once, because another connection attempt is pending (\(packet: $0.packet)): a controller makes one at a time."
          } ?? "It refused the command in \(packet: first.asked.packet) at once."
          : "The attempt began at \(packet: first.asked.packet) and ended with this status; the host had not cancelled it.",
        scanning.map {
          "A scan was running (since \(packet: $0.packet)): some controllers cannot connect while they scan."
        } ?? "", first.wanted?.faultWords ?? ""),
      evidence: attempts.evidence.union(PacketSet(of: scanning)).sorted)
    if first.blocked != nil { finding.remedy = waitForPending }
    if scanning != nil { finding.remedy = stopScanning }
    return evidence.resolved(finding, attempts)
  }

  private static let bredrToLE = Symptom(
    "connect_bredr_to_le", .error, .meaning, "A BR/EDR connection was attempted to an LE device",
    when:
      "Create Connection to a random address, or to a device that advertises on LE, had no answer; not if the device was ever heard on BR/EDR",
    do:
      "Connect over LE: on Android connectGatt(context, false, callback, TRANSPORT_LE), on BlueZ remove the device's cached entry and scan with the LE transport, in btmgmt use type 1 or 2."
  ).with(.ofHost).needing([.events]).inCapture(
    about: AdapterHistory.PageFailures.self,
    elsewise: [
      "the device has BR/EDR, and was busy or not connectable there",
      "the device has BR/EDR, but was switched off or out of range",
    ].map { words in
      Alternative(words) { it, _ in it.random != nil || it.sighting?.isLEOnly == true }
    }
  ) { evidence -> [(AdapterHistory.PageFailures, Finding)] in
    evidence.adapters.flatMap { adapter in
      adapter.pageFailures.filter { isOfLEDevice($0, adapter) }.map {
        ($0, $0.random == nil ? toLEDevice($0, evidence) : toRandomAddress($0, evidence))
      }
    }
  }

  /// Returns whether a page failed because its device only has LE. A device whose flags do not
  /// exclude BR/EDR may have both: then nothing else may show that the device has BR/EDR.
  private static func isOfLEDevice(
    _ failures: AdapterHistory.PageFailures, _ adapter: AdapterHistory
  ) -> Bool {
    guard !adapter.wasHeardOnBREDR(failures.peer) else { return false }
    guard let sighting = failures.sighting else { return failures.random != nil }
    guard failures.status.rawValue == pageTimeout, let isLEOnly = sighting.isLEOnly
    else { return false }
    return isLEOnly || sighting.lastConnectable != nil && !sighting.isDualMode
  }

  private static let pageTimeout: UInt8 = 0x04
  private static let connectionExists: UInt8 = 0x0b

  private static func toLEDevice(
    _ failures: AdapterHistory.PageFailures, _ evidence: Evidence
  ) -> Finding {
    let flags = failures.sighting?.flagsPacket ?? 0
    let isLEOnly = failures.sighting?.isLEOnly == true
    var finding = Finding(
      "A BR/EDR connection was attempted to \(failures.peer), \(isLEOnly ? "an LE device" : "heard only on LE" as StaticString)\(failures.tries): \(failures.status)",
      headline: isLEOnly
        ? "a BR/EDR connection was attempted to an LE device"
        : "a BR/EDR connection was attempted to a device that was heard only on LE",
      why: isLEOnly
        ? "It advertises on LE with the flag BR/EDR Not Supported (\(packet: flags)): it cannot answer a page."
        : "It advertises on LE without the flag BR/EDR Not Supported (\(packet: flags)), so the host took it for a device with both and paged it on BR/EDR. The capture has no answer from it there.",
      evidence: failures.evidence.union([flags]))
    finding.peers = [failures.peer]
    guard !isLEOnly else { return finding }
    finding.restsOnAbsence = true
    finding.severity = .warning
    finding.remedy =
      "If the device has no BR/EDR, set its flags to 0x06 in its firmware (LE General Discoverable Mode, BR/EDR Not Supported). Until then connect over LE: on Android connectGatt(context, false, callback, TRANSPORT_LE), on BlueZ remove the device's cached entry and scan with the LE transport. If it has BR/EDR, it was busy or not connectable there."
    if evidence.connections.contains(where: {
      $0.connection.peer == failures.peer && $0.connection.transport == .le
        && $0.connection.isEstablished
    }) {
      finding.severity = .note
      finding.add("Over LE it was reached.")
    }
    return finding
  }

  /// The time within which a host reacts to a failed page.
  private static let reaction: Int64 = 1_000_000_000

  /// Returns a finding about pages to a random address, and the LE link that this host then ended.
  private static func toRandomAddress(
    _ failures: AdapterHistory.PageFailures, _ evidence: Evidence
  ) -> Finding {
    let random = failures.random ?? 0
    var finding = Finding(
      "A BR/EDR connection was attempted to \(failures.peer), a random address\(failures.tries): \(failures.status)",
      headline:
        "this host paged \(failures.peer) on BR/EDR, although it is a random address, which exists only on LE",
      why:
        "\(failures.peer) is a random address (\(packet: random)). BR/EDR has only public ones, so nothing can answer such a page.",
      evidence: PacketSet([random]).union(failures.evidence))
    finding.peers = [failures.peer]
    let ended = evidence.connections.lazy.compactMap { history -> (Int, Moment)? in
      guard history.connection.peer == failures.peer, history.connection.transport == .le,
        let disconnect = history.link.disconnect,
        failures.attempts.contains(where: {
          $0.ended.packet < disconnect.packet
            && disconnect.nanoseconds(since: $0.ended) ?? .max <= reaction
        })
      else { return nil }
      return (history.id, disconnect)
    }.first
    if let (id, disconnect) = ended {
      finding.headline = "\(finding.headline); then it ended the LE link to that device"
      finding.add(
        "At once after the failure this host ended connection \(id), its LE link to the same address (\(packet: disconnect.packet)).",
        disconnect.packet)
    }
    finding.evidence = finding.evidence.sorted
    return finding
  }

  private static let unpaged = Symptom(
    "connect_page_timeout", .note, .fact, "A BR/EDR connection attempt failed",
    when: "Create Connection failed for a device that is not reported as one of LE",
    do:
      "Check that the device is switched on, in range and not connected elsewhere. Many answer only for a few minutes after power-on, or while they wait for a known device."
  ).needing([.commands, .events]).inCapture { evidence in
    evidence.adapters.flatMap { adapter in
      adapter.pageFailures.filter {
        // If the host cancels, the status is Unknown Connection Identifier.
        $0.attempts.contains { $0.asked != nil } && !isOfLEDevice($0, adapter)
          && $0.status != .unknownConnectionIdentifier
      }.map { ($0, adapter.omittedPageFailures) }
    }.map { failures, omitted in
      let first = failures.attempts.first { $0.asked != nil }
      let waited = first?.asked.flatMap { first?.ended.nanoseconds(since: $0) }
      let later = waited.map { Wording(" \(duration: $0) later") } ?? ""
      let meaning: StaticString =
        switch failures.status.rawValue {
        case pageTimeout: " The device did not answer."
        case connectionExists: " A connection with the device exists or is being made."
        default: ""
        }
      var finding = Finding(
        "Could not connect to \(failures.peer) over BR/EDR\(failures.tries): \(failures.status)",
        why:
          "This host asked for the connection at \(packet: first?.asked?.packet ?? 0), and the controller reported the failure\(later) (\(packet: first?.ended.packet ?? 0)).\(meaning)",
        evidence: failures.evidence)
      finding.peers = [failures.peer]
      let reached = evidence.connections.first {
        $0.connection.peer == failures.peer && $0.connection.transport == .brEDR
      }
      if let reached {
        finding.note = "Connection \(reached.id) is with this device."
      } else if omitted > 0 {
        finding.note = "\(omitted) failed attempts to other devices are not listed."
      }
      if failures.status.rawValue == connectionExists { finding.remedy = "" }
      // Hosts call known headsets and cars on their own, whatever the purpose of the capture.
      finding.isAppendix = true
      return finding
    }
  }

  private static let notAdvertisingAgain = Symptom(
    "adv_not_restarted", .note, .fact, "A peripheral does not advertise after a connection",
    when:
      "this host enabled legacy advertising and was connected as the peripheral, the link ended, and no command that may concern advertising follows in the 10 s or more that the capture continues",
    do:
      "A connection ends connectable advertising. To accept another one, enable advertising again after the disconnection (on ESP32 in onDisconnect, on Zephyr in the recycled callback)."
  ).needing([.commands, .events]).inCapture { evidence in
    guard evidence.extent.dropped == 0, evidence.extent.stepsBack.count == 0 else { return [] }
    return evidence.adapters.compactMap { adapter in
      guard let advertised = adapter.lastAdvertising,
        let last = evidence.connections.last(where: {
          $0.connection.adapter == adapter.index && $0.connection.transport == .le
        }), last.connection.central == .peer, let ended = last.link.ended,
        advertised.packet < last.connection.firstPacket, let latest = evidence.extent.latest,
        let quiet = Moment(packet: evidence.extent.lastPacket, time: latest)
          .nanoseconds(since: ended), quiet >= silence
      else { return nil }
      return Finding(
        "This host did not advertise again after connection \(last.id)",
        why:
          "This host enabled advertising at \(packet: advertised.packet). The connection (\(packet: last.connection.firstPacket)) ended it, and after the link had ended (\(packet: ended.packet)) no command enabled it in the \(duration: quiet) until the end of the capture: no device could connect.",
        evidence: [
          advertised.packet, last.connection.firstPacket, ended.packet, evidence.extent.lastPacket,
        ], restsOnAbsence: true)
    }
  }

  /// The time after a connection in which a peripheral advertises again.
  private static let silence: Int64 = 10_000_000_000

  private static let wrongPHY = Symptom(
    "connect_scan_wrong_phy", .note, .fact,
    "A connection attempt did not scan on the PHY that the device advertises on",
    when: "an attempt failed that did not scan on the primary PHY on which the device was seen",
    do:
      "Include the PHY in Initiating_PHYs of LE Extended Create Connection (Coded: bit 2); on Android connectGatt with PHY_LE_CODED_MASK, on Zephyr BT_CONN_LE_OPT_CODED."
  ).needing([.commands, .events]).inCapture { evidence in
    evidence.attempts {
      guard $0.hasFailed, let phy = $0.seen?.primaryPHY else { return false }
      // LE 1M is 1 and its bit 0, LE Coded 3 and its bit 2; no other PHY is a primary one.
      return (phy == 1 || phy == 3) && $0.phys & (1 << (phy - 1)) == 0
    }.map { attempts in
      let first = attempts[0]
      let isCoded = first.seen?.primaryPHY == 3
      return Finding(
        "The attempt did not scan on the PHY that \(first.target) advertises on",
        why:
          "It advertises on \(isCoded ? "LE Coded" : "LE 1M" as StaticString), but \(packet: first.asked.packet) does not request that PHY.",
        evidence: attempts.evidence.union(PacketSet(of: first.seen?.last)))
    }
  }

  private static let cancelled = Symptom(
    "connect_cancelled", .note, .fact, "This host cancelled a connection at once",
    when:
      "an attempt was cancelled within a second, or a new link was ended by this host within a second without any data",
    do:
      "Look for an app that calls connect and disconnect in quick succession, a second app that competes for the device, or a timeout that is too short for the device's advertising interval."
  ).needing([.commands, .events]).inCapture { evidence in
    let early = evidence.attempts {
      // A stopped clock does not show how long it waited.
      $0.isGivenUp && !$0.isAbandoned && !$0.isLong && !$0.isWaitUnknown && $0.waited != 0
    }.map { attempts in
      let first = attempts[0]
      let waited: Wording = first.waited.map { "\(duration: $0)" } ?? "a moment"
      return Finding(
        "This host cancelled a connection to \(first.target) after \(waited)",
        why:
          "It started at \(packet: first.asked.packet) and gave up within a second. Many devices advertise less often. \(first.sightingWords)",
        evidence: attempts.evidence)
    }
    return early + evidence.connections.compactMap { endedAtOnce($0, evidence) }
  }

  private static let atOnce: Int64 = 1_000_000_000

  /// Returns a finding about a link that this host ended before anything was sent on it.
  private static func endedAtOnce(_ history: ConnectionHistory, _ evidence: Evidence) -> Finding? {
    let link = history.link
    guard history.connection.ending == .localHost, history.connection.role(of: .local) == .central,
      history.connection.transport == .le, let opened = link.opened, link.sent == 0,
      link.heard == 0, !history.connection.hasLostPackets, history.encryption.attempts.isEmpty,
      let ended = link.disconnect ?? link.ended, let open = ended.nanoseconds(since: opened),
      open < atOnce
    else { return nil }
    let race = evidence.adapters.lazy.flatMap(\.attempts.kept).first {
      $0.ended?.packet == opened.packet && $0.cancelled != nil
    }
    let cancel = race?.cancelled?.packet
    return Finding(
      "This host ended the connection \(duration: open) after it was created",
      why: cancel.map {
        "It cancelled the attempt at \(packet: $0), too late: the link was created anyway, and ended without any data."
      } ?? "No data was sent on it.", evidence: PacketSet(of: cancel, opened.packet, ended.packet),
      on: [history.id])
  }
}

extension StatusCode {
  /// Whether there is no room for a connection.
  fileprivate var isLimit: Bool { rawValue == 0x09 || rawValue == 0x0d }
}

extension [ConnectAttempt] {
  /// The packets of the first ones.
  fileprivate var evidence: PacketSet { prefix(8).packets(\.evidence) }
}

extension ConnectAttempt {
  /// Most devices advertise at least every second. They need not: legacy advertising is sent at
  /// least every 10.24 s, and extended advertising may be sent hours apart (Core, Vol 6, Part B,
  /// 4.4.2.2; Vol 4, Part E, 7.8.53).
  fileprivate var isLong: Bool { waited.map { $0 >= 1_000_000_000 } ?? true }

  /// Whether the host cancelled it, and not just to change the filter accept list.
  fileprivate var isGivenUp: Bool {
    repetitions > 0
      || cancelled != nil && hasFailed && !wasRefused
        && (!isAcceptListUsed || removed != nil || isAbandoned)
  }

  /// The device that it is for.
  fileprivate var target: Wording {
    if let peer { return "\(peer)" }
    return devices.map { "\(count: $0.count, "device", "devices") of the filter accept list" }
      ?? "the devices of the filter accept list"
  }

  /// How the device was seen last.
  fileprivate var seen: Sighting? { after ?? before }

  fileprivate var statusWords: Wording { status.map { "\($0)" } ?? "no status" }

  /// A sentence on how the attempt began and ended.
  fileprivate var givingUp: Wording {
    let waited: Wording = waited.map { " after \(duration: $0)" } ?? ""
    return isAcceptListUsed
      ? "This host started to connect to any device of the filter accept list at \(packet: asked.packet) and cancelled\(waited), \(removed == nil ? "after which no attempt followed" : "after which it removed the device from the list" as StaticString)."
      : "This host started to connect at \(packet: asked.packet) and gave up\(waited)."
  }

  /// A sentence on the private addresses that advertised meanwhile; empty if none did.
  fileprivate var strangers: Wording {
    unresolved == 0
      ? ""
      : "\(count: unresolved, "private address", "private addresses") that no known key resolves advertised at that time: if one of them is the device's, this host used the wrong address."
  }

  /// How the device was seen advertising, as a sentence.
  fileprivate var sightingWords: Wording {
    guard peer != nil else { return "Which of them were in range is unknown." }
    guard let seen else {
      guard let hasHeardAny else { return "" }
      return hasHeardAny
        ? "The capture has no advertisement from this address\(repetitions > 0 ? "" : " until then" as StaticString)."
        : "The capture has no advertisement of any device at that time."
    }
    let connectable: Wording =
      seen.lastConnectable == nil && !seen.hasReservedTypes ? ", but never connectable" : ""
    let signal: Wording =
      seen.weakSignal.map {
        ", with a weak signal (\(Int($0)) dBm), near the sensitivity limit of receivers"
      } ?? seen.signal.flatMap {
        Sighting.strong ~= $0 ? ", with a strong signal (\(Int($0)) dBm)" : nil
      } ?? ""
    if sightingsMeanwhile > 0 {
      return
        "It was heard advertising \(count: sightingsMeanwhile, "time", "times") during the attempt, last in \(packet: seen.last.packet)\(connectable)\(signal)."
    }
    let ago: Wording =
      asked.nanoseconds(since: seen.last).map { ", \(duration: $0) before the attempt" } ?? ""
    return
      "It was last heard advertising in \(packet: seen.last.packet)\(ago)\(connectable)\(signal)."
  }
}

extension AdapterHistory.PageFailures {
  /// How many there were, in parentheses; empty for one.
  fileprivate var tries: Wording { count > 1 ? " (\(count) attempts)" : "" }
}

extension Sighting {
  /// Receivers are required to hear -70 dBm (Core, Vol 6, Part A, 4.1 [mem]); current ones hear
  /// some 25 dB less. From this level on packets are lost.
  static let weakest: Int8 = -85

  var weakSignal: Int8? { signal.flatMap { $0 <= Self.weakest ? $0 : nil } }

  /// At least ten times what receivers need, so that no packet is lost because of distance.
  static let strong: ClosedRange<Int8> = -65...20
}

extension Evidence {
  /// Returns the attempts that satisfy a condition, grouped by device.
  fileprivate func attempts(_ isMeant: (ConnectAttempt) -> Bool) -> [[ConnectAttempt]] {
    adapters.flatMap { adapter in
      adapter.attempts.kept.filter {
        // If the capture contains no event that reports a link, the attempt may have succeeded.
        isMeant($0)
          && ($0.cancelled == nil || !lacksOpenings(adapter.index, since: $0.asked.packet))
      }.grouped {
        let kind =
          ($0.isBackground ? 1 : 0) + (lastLink(before: $0)?.wasLost == true ? 2 : 0)
        return Wording("\($0.target) \($0.status?.rawValue ?? 0) \(kind)").text
      }
    }
  }

  /// Returns whether links of a controller were used that began after a packet, while the capture
  /// contains no opening at all.
  private func lacksOpenings(_ adapter: AdapterIndex, since packet: Int) -> Bool {
    let own = connections.lazy.map(\.connection).filter { $0.adapter == adapter }
    return own.contains { $0.firstPacket > packet } && own.allSatisfy(\.isOpeningMissing)
  }

  /// Returns the last connection with the device of an attempt that began before it.
  fileprivate func latest(before attempt: ConnectAttempt) -> ConnectionHistory? {
    let key = attempt.peer.map { Attributes.key($0, attempt.peerType ?? .public) }
    return connections.last {
      ($0.device == key || $0.connection.peer == attempt.peer) && $0.connection.isEstablished
        && $0.connection.firstPacket < attempt.asked.packet
    }
  }

  /// Returns that connection, its end and a sentence about it, if that is the last sign of the
  /// device.
  fileprivate func lastLink(
    before attempt: ConnectAttempt
  ) -> (link: ConnectionHistory, ended: Moment, wasLost: Bool, words: Wording)? {
    guard let last = latest(before: attempt), let ended = last.link.ended,
      ended.packet < attempt.asked.packet, ended.packet > attempt.seen?.last.packet ?? 0
    else { return nil }
    let ago = attempt.asked.nanoseconds(since: ended)
    let before = ago.map { Wording(", \(duration: $0) before the attempt") } ?? ""
    let wasLost = last.connection.ending == .timeout
    let end: StaticString = wasLost ? ", when the link was lost" : ""
    let words: Wording =
      "It was in connection \(last.id) until \(packet: ended.packet)\(before)\(end)."
    let unheard = attempt.seen == nil ? attempt.sightingWords : ""
    return (last, ended, wasLost, Wording(sentences: words, unheard))
  }

  /// Returns the number of attempts in parentheses (the least, if some are not kept), or nothing.
  fileprivate func tries(_ attempts: [ConnectAttempt]) -> Wording {
    guard attempts.count > 1 else { return "" }
    let omits = adapters.contains { $0.attempts.omitted > 0 }
    return " (\(attempts.count, isLeast: omits) attempts)"
  }

  /// Returns a finding with the connection that reached its device later, if any.
  fileprivate func resolved(_ finding: Finding, _ attempts: [ConnectAttempt]) -> Finding {
    guard let last = attempts.last, let peer = last.peer else { return finding }
    var finding = finding
    finding.peers = [peer]
    let other = last.elsewhere.flatMap { $0.isResolved ? nil : Attributes.key($0.address, $0.type) }
    let adapter = adapters.first { $0.attempts.kept.contains { $0.asked == last.asked } }?.index
    let later = connections.first {
      $0.connection.peer == peer && $0.connection.transport == .le && $0.connection.isEstablished
        && $0.connection.adapter == adapter
        && $0.connection.role(of: .local) == .central
        && $0.connection.firstPacket > last.asked.packet
        && (other == nil || Attributes.key(peer, $0.connection.peerType ?? .public) == other)
    }
    guard let later else { return finding }
    finding.resolve()
    finding.add(
      "A later attempt\(other == nil ? "" : " with that type" as StaticString) succeeded (\(packet: later.connection.firstPacket))."
    )
    return finding
  }
}

// MARK: - Created, not established

extension Rule {
  /// A link that was only created ends after six intervals without a packet (Core, Vol 6, Part B,
  /// 4.5.2).
  private static let notEstablished = Symptom(
    "connect_not_established", .error, .fact, "A link was created, but the peer never answered",
    when: "a connection ended with Connection Failed to be Established (0x3e)",
    do:
      "The peripheral missed the connection request or did not follow it, or did not receive the central's packets. Check distance and antennas, a peer that is busy or resets on connection, competing centrals, and clock accuracy. The central should try again at once; hosts retry two or three times."
  ).with([.settled, .ofHost]).needing([.events]).inCapture { evidence in
    let reported = evidence.adapters.flatMap(\.attempts.kept).filter {
      $0.status == .connectionFailedToBeEstablished
    }
    return evidence.connections.filter { $0.connection.ending == .neverEstablished }
      .grouped { "\($0.device) \($0.connection.central.map { "\($0.words)" } ?? "")" }
      .map { neverEstablished($0, evidence) }
      + reported.map { attempt in
        Finding(
          "\(attempt.target.capitalized) did not answer: \(StatusCode.connectionFailedToBeEstablished.linkWords)",
          headline: "the peer never answered on a new link",
          why: "The controller sent the connection request and heard nothing after it.",
          evidence: attempt.evidence)
      }
  }

  private static let mostEvidence = 8

  /// From this RSSI in dBm on, distance is no reason to miss packets.
  private static let clear: ClosedRange<Int8> = -70...20

  /// Returns the weakest report of a peer just before or after the links, if even that was strong,
  /// and its RSSI in dBm.
  private static func strongReport(
    around links: [ConnectionHistory], _ evidence: Evidence
  ) -> (packet: Int, signal: Int8)? {
    let reports = links.compactMap { history in
      evidence.adapters.lazy.compactMap {
        $0.sightings.failures[history.link.ended?.packet ?? 0]
      }.first.flatMap { seen in seen.weakestSignal.map { (seen.last.packet, $0) } }
    }
    return reports.min { $0.1 < $1.1 }.flatMap { clear ~= $0.1 ? $0 : nil }
  }

  private static func neverEstablished(
    _ group: [ConnectionHistory], _ evidence: Evidence
  ) -> Finding {
    let first = group[0]
    let spans = group.compactMap(\.length)
    let (shortest, longest) = (spans.min() ?? 0, spans.max() ?? 0)
    let isConstant = longest - shortest <= max(longest / 20, 1_000_000)
    let least: Wording = isConstant ? "" : "\(duration: shortest) to "
    let after: Wording = spans.isEmpty ? "" : " after \(least)\(duration: longest)"
    let packets = group.prefix(mostEvidence).flatMap {
      [$0.connection.firstPacket, $0.connection.lastPacket].compactMap(\.self)
    }
    let isPeripheral = first.connection.role(of: .local) == .peripheral
    let six: Wording =
      first.link.parameters.map {
        " Six intervals of \(interval: $0.interval) are \(duration: Int64($0.interval) * 7_500_000)."
      } ?? ""
    let isOne = group.count == 1
    let strong = isPeripheral ? nil : Self.strongReport(around: group, evidence)
    let heardWell: Wording =
      strong.map { ", although its signal was strong (\(Int($0.signal)) dBm)" } ?? ""
    let links: Wording =
      "\(group.count, isLeast: evidence.omitsConnections) links to one device were"
    let words = StatusCode.connectionFailedToBeEstablished.linkWords
    var finding = Finding(
      "\(isOne ? "The link was" : links) not established and ended\(after): \(words)",
      headline:
        "connecting failed\(isOne ? "" : " \(group.count, isLeast: evidence.omitsConnections) times" as Wording): the peer never answered\(heardWell)",
      why:
        "\(isPeripheral ? "The central's connection request arrived, but nothing more came from it" : "The controller sent its connection request, which creates the link, and heard nothing from the peer" as StaticString) for six connection intervals.\(six)",
      evidence: PacketSet(packets), on: group.map(\.id))
    if let strong { blameInterference(&finding, strong) }
    let last = group[group.count - 1].connection
    if let later = evidence.later(than: group[group.count - 1]).first(where: {
      $0.connection.isEstablished && $0.connection.transport == .le
        && $0.connection.adapter == last.adapter
        && $0.connection.role(of: .local) == last.role(of: .local)
    }) {
      finding.resolve()
      finding.note =
        "Connection \(later.id), opened in \(packet: later.connection.firstPacket), was established."
    }
    return finding
  }

  /// Explains a link that was not established although the peer's advertisements were strong.
  private static func blameInterference(
    _ finding: inout Finding, _ strong: (packet: Int, signal: Int8)
  ) {
    finding.add(
      "Its advertisements just before or after had a strong signal: \(Int(strong.signal)) dBm (\(packet: strong.packet)) or more.",
      strong.packet)
    finding.remedy =
      "Look for interference at this host: on a combined chip its own 2.4 GHz Wi-Fi takes the antenna away just as the link begins, and USB 3 ports disturb a dongle next to them. Try with Wi-Fi off or in the 5 GHz band, or with another adapter on a cable. Otherwise the peer is busy, or resets on connection."
  }
}
