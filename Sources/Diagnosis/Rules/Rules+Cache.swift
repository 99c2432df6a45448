import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about outdated service maps: attribute caching (Core, Vol 3, Part G, 2.5.2).

extension Rule {
  static let cache: [Rule] = [
    Symptom(
      "gatt_stale_cache", .error, .meaning,
      "A client uses handles from an outdated attribute cache",
      when:
        "Invalid Handle, Read Not Permitted, Write Not Permitted or a length error answers a request whose handle was not discovered on this connection, and an earlier connection, the Database Hash or Service Changed shows that it was another attribute",
      do: staleRemedy
    ).needing([.bothDirections]).onConnection(
      about: StaleHandle.self, merges: true,
      elsewise: [
        Alternative("the attributes have not changed, and the server refuses for another reason") {
          stale, _ in stale.isChangeShown
        },
        Alternative("the server never allowed this") { stale, _ in stale.hasWorked },
      ]
    ) { connection, evidence in connection.staleRefusals(evidence) },
    Symptom(
      "gatt_map_conflict", .warning, .fact, "A supplied map does not match the device",
      when: "what the capture shows at a handle cannot be what the map of --map has there",
      do: "Supply a map of this device and firmware, or none."
    ).onConnection { connection, _ in
      let conflicts = connection.attributes.conflicts
      return conflicts.prefix(1).map { conflict in
        Finding(
          "the supplied map does not match this device", at: conflict.packet,
          why:
            "The map has \(conflict.attribute.uuid) at \(handle: conflict.attribute.handle), but what the capture shows there cannot be that.",
          evidence: PacketSet(conflicts.map(\.packet)))
      }
    },
    Symptom(
      "gatt_service_changed", .note, .fact, "A server indicates that its attributes have changed",
      when: "Service Changed (2a05) is indicated",
      do: "Rediscover the range before using its handles; hosts do so on their own."
    ).onConnection { connection, _ in
      let changes = connection.attributes.serviceChanges
      guard let first = changes.first else { return [] }
      let after = connection.attributes.discoveries.first {
        $0.client == first.server.other && $0.first.packet > first.moment.packet
      }
      let then: Wording =
        after.map {
          " A discovery followed (\(packet: $0.first.packet) to \(packet: $0.last.packet))."
        } ?? " No discovery followed on this connection."
      return [
        Finding(
          "\(first.server.words) indicated that its attributes have changed",
          at: first.moment.packet,
          why:
            "Service Changed covers \(handle: first.first) to \(handle: first.last): what was known about these handles is no longer valid.\(then)",
          evidence: PacketSet(changes.map(\.moment.packet)), restsOnAbsence: after == nil)
      ]
    },
    Symptom(
      "att_database_out_of_sync", .warning, .meaning,
      "A server refuses a request because the client does not yet know that attributes have changed",
      when: "Database Out Of Sync (0x12) answers a request",
      do:
        "Read the Database Hash (2b2a) or discover again, then repeat the request: the server takes the next request as a sign that the client is change-aware."
    ).needing([.bothDirections]).onConnection(merges: true) { connection, _ in
      connection.attributes.refusals.compactMap { refusal in
        guard refusal.error.rawValue == 0x12 else { return nil }
        return refusal.finding(
          "The attributes have changed, and \(refusal.client.words), which reported support for robust caching, is still change-unaware: the server answers one request with 0x12."
        )
      }
    },
    Symptom(
      "gatt_change_unaware", .warning, .meaning,
      "Commands are dropped because the client's attribute cache is out of date",
      when:
        "Write Commands follow Database Out Of Sync (0x12) before the client reads the Database Hash or discovers",
      do:
        "Read the Database Hash (2b2a) or discover again first: a server silently ignores commands of a change-unaware client."
    ).needing([.bothDirections]).onConnection(elsewise: [
      Alternative(always: "the server carries them out")
    ]) { connection, _ in
      let commands = connection.attributes.commandsOutOfSync
      guard commands.count > 0, let first = commands.first,
        let refusal = connection.attributes.refusals.first(where: { $0.error.rawValue == 0x12 })
      else { return [] }
      return [
        Finding(
          "\(refusal.client.words) sent \(count: commands.count, "command", "commands") that the server ignores",
          at: first.packet,
          why:
            "After Database Out Of Sync (\(packet: refusal.answer.packet)) the server silently ignores the client's commands until the client is change-aware.",
          evidence: PacketSet(of: refusal.request, refusal.answer).union(commands.packets))
      ]
    },
  ]

  fileprivate static let staleRemedy: Wording =
    "Clear the client's cache: on iOS switch Bluetooth off and on or remove the bond; on Android remove the bond or call the hidden refresh(); with BlueZ delete the device's cache file. In the firmware, indicate Service Changed after an update, and implement the Database Hash."
}

extension Refusal {
  /// Whether the refusal fits a handle that is another attribute now.
  fileprivate var fitsStaleMap: Bool {
    switch error.rawValue {
    case 0x01, 0x02, 0x03, 0x0d: range == nil && handle != 0
    default: false
    }
  }

  /// Returns whether the client did not discover the handle on this connection.
  func isOfUnseenMap(_ connection: ConnectionHistory) -> Bool {
    server == .peer && range == nil && handle != 0
      && !connection.attributes.discoveries.contains {
        $0.client == client && $0.first.packet < request.packet
      }
  }

  /// Returns whether the rule about outdated maps reports this refusal, so that others do not.
  func isOfStaleMap(_ connection: ConnectionHistory, _ evidence: Evidence) -> Bool {
    fitsStaleMap && connection.staleReason(self, evidence) != nil
  }
}

/// A refused handle that seems to be from an outdated map.
private struct StaleHandle: Sendable {
  let why: Wording
  var packets: PacketSet = []
  /// Whether packets show that the server's attributes have changed.
  var isChangeShown = false
  /// Whether the same could be done with the handle before, or there is no such handle any more.
  let hasWorked: Bool
}

extension ConnectionHistory {
  /// Returns why a refused handle comes from an outdated map, or nil if nothing indicates it.
  fileprivate func staleReason(_ refusal: Refusal, _ evidence: Evidence) -> StaleHandle? {
    // The captured host does not cache its own attributes.
    let earlier = evidence.earlier(than: self).suffix(refusal.server == .peer ? .max : 0)
    let isGone = refusal.error.rawValue == 0x01
    let worked = earlier.last { $0.attributes.hasUsed(refusal) }
    if let changed = changed(before: refusal, hasWorked: isGone || worked != nil) { return changed }
    guard !hasDiscovered(for: refusal, from: 0) else { return nil }
    let hash = attributes.hashes.first { $0.server == refusal.server }
    if let hash, let before = earlier.last(where: { !$0.attributes.hashes.isEmpty }),
      let old = before.attributes.hashes.last, old.value != hash.value
    {
      return StaleHandle(
        why:
          "The Database Hash differs from the one on connection \(before.id) (\(packet: old.moment.packet), \(packet: hash.moment.packet)): the server's attributes have changed.",
        packets: PacketSet(of: old.moment, hash.moment), isChangeShown: true,
        hasWorked: isGone || worked != nil)
    }
    // A length depends on the value. If a hash was read and is the same, nothing has moved.
    if let worked, refusal.error.rawValue != 0x0d, isGone || hash == nil {
      let before: Wording =
        switch refusal.error.rawValue {
        case 0x01: "existed on connection \(worked.id) but no longer does"
        case 0x02: "could be read on connection \(worked.id)"
        default: "could be written on connection \(worked.id)"
        }
      return StaleHandle(
        why:
          "The handle \(before). This connection used it without discovery: its attribute has moved, as after a firmware update.",
        hasWorked: true)
    }
    guard isGone, refusal.attribute.via == .carried else { return nil }
    return StaleHandle(
      why:
        "The handle was discovered on an earlier connection; this one used it without discovery, and the server no longer has it.",
      hasWorked: true)
  }

  /// Returns the stale handle if Service Changed covered it and the client did not rediscover it.
  private func changed(before refusal: Refusal, hasWorked: Bool) -> StaleHandle? {
    guard
      let change = attributes.serviceChanges.last(where: {
        $0.server == refusal.server && $0.moment.packet < refusal.request.packet
          && $0.first <= refusal.handle && refusal.handle <= $0.last
      }), !hasDiscovered(for: refusal, from: change.moment.packet)
    else { return nil }
    return StaleHandle(
      why:
        "Service Changed (\(packet: change.moment.packet)) covered \(handle: change.first) to \(handle: change.last), but the client used \(handle: refusal.handle) without rediscovering it.",
      packets: [change.moment.packet], isChangeShown: true, hasWorked: hasWorked)
  }

  /// Returns whether the client discovered attributes after a packet, and before a refused request:
  /// such a map is not outdated.
  private func hasDiscovered(for refusal: Refusal, from packet: Int) -> Bool {
    attributes.discoveries.contains {
      $0.client == refusal.client && packet < $0.first.packet
        && $0.first.packet < refusal.request.packet
    }
  }

  fileprivate func staleRefusals(_ evidence: Evidence) -> [(StaleHandle, Finding)] {
    attributes.refusals.compactMap { refusal in
      guard refusal.fitsStaleMap, let stale = staleReason(refusal, evidence) else { return nil }
      var finding = refusal.finding(stale.why)
      finding.what = "Outdated handles: \(finding.what)"
      finding.headline =
        "\(refusal.client.words) used an outdated handle (\(packet: refusal.request.packet)): \(refusal.reason)"
      finding.evidence = finding.evidence.union(stale.packets)
      // The absence is that no discovery preceded the request.
      finding.restsOnAbsence = true
      // If a discovery follows, the client has noticed.
      if let after = attributes.discoveries.first(where: {
        $0.client == refusal.client && $0.first.packet > refusal.answer.packet
      }) {
        finding.note = "It rediscovered from \(packet: after.first.packet) on."
        finding.severity = finding.severity ?? .warning
      }
      return (stale, finding)
    }
  }
}

extension AttributeHistory {
  /// Returns whether this connection shows the kind of use of the handle that a server refuses.
  fileprivate func hasUsed(_ refusal: Refusal) -> Bool {
    guard let usage = usage(refusal.handle, of: refusal.server) else { return false }
    return switch refusal.error.rawValue {
    case 0x01: usage.reads.count + usage.writes.count + usage.sent > 0
    case 0x02: usage.reads.count > 0
    default: usage.writes.count > 0
    }
  }
}
