import Bluetooth
import Bytes
import Sessions
import Words

// Rules about outdated service maps: attribute caching (Core, Vol 3, Part G, 2.5.2).

extension Rule {
  /// The rules about outdated service maps.
  static let cache: [Rule] = [
    Rule(
      "gatt-stale-cache", .error, .meaning,
      "A client uses handles from an outdated attribute cache",
      when:
        """
        Invalid Handle, Read Not Permitted, Write Not Permitted or a length error answers a \
        request whose handle was not discovered on this connection, and an earlier connection, a \
        supplied map, the Database Hash or Service Changed shows that it was another attribute
        """, needs: [.bothDirections],
      do: staleRemedy
    ) { connection, evidence in
      Finding.together(connection.staleRefusals(evidence) + connection.mapConflicts)
    },
    Rule(
      "gatt-service-changed", .note, .meaning,
      "A server indicates that its attributes have changed",
      when: "Service Changed (2a05) is indicated",
      do: "Rediscover the range before using its handles; hosts do so on their own."
    ) { connection, _ in
      let changes = connection.attributes.serviceChanges
      guard let first = changes.first else { return [] }
      let after = connection.attributes.discoveries.first {
        $0.client == first.server.other && $0.first.packet > first.moment.packet
      }
      let then: Wording =
        after.map {
          " A discovery followed (\(packet: $0.first.packet) to \(packet: $0.last.packet))."
        }
        ?? " No discovery followed on this connection."
      var finding = Finding(
        Wording("\(first.server.words) indicated that its attributes have changed").capitalized,
        headline: "\(first.server.words) indicated that its attributes have changed",
        why:
          """
          Service Changed covers \(handle: first.first) to \(handle: first.last): what was known \
          about these handles is no longer valid.\(then)
          """,
        evidence: PacketSet(changes.map(\.moment.packet)))
      finding.severity = .note
      finding.restsOnAbsence = after == nil
      return [finding]
    },
    Rule(
      "att-database-out-of-sync", .warning, .meaning,
      "A server refuses a request of a change-unaware client",
      when: "Database Out Of Sync (0x12) answers a request", needs: [.bothDirections],
      do:
        """
        Read the Database Hash (2b2a) or discover again, then repeat the request: the server \
        takes the next request as a sign that the client is change-aware.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.refusals.compactMap { refusal in
          guard refusal.error.rawValue == 0x12 else { return nil }
          return refusal.finding(
            """
            The attributes have changed since the two last connected, and \
            \(refusal.client.words), which reported support for robust caching, is still \
            change-unaware: the server answers one request with 0x12.
            """
          )
        })
    },
    Rule(
      "gatt-change-unaware", .warning, .meaning,
      "Commands are dropped because the client's attribute cache is out of date",
      when:
        """
        Write Commands follow Database Out Of Sync (0x12) before the client reads the Database \
        Hash or discovers
        """, needs: [.bothDirections],
      do:
        """
        Read the Database Hash (2b2a) or discover again first: a server silently ignores commands \
        of a change-unaware client.
        """
    ) { connection, _ in
      let commands = connection.attributes.commandsOutOfSync
      guard commands.count > 0, let first = commands.first,
        let refusal = connection.attributes.refusals.first(where: { $0.error.rawValue == 0x12 })
      else { return [] }
      var evidence: PacketSet = [refusal.request.packet, refusal.answer.packet]
      evidence = evidence.union(commands.packets)
      return [
        Finding(
          "\(count: commands.count, "command", "commands") sent while the server ignores commands",
          headline:
            """
            \(refusal.client.words) sent \(count: commands.count, "command", "commands") that the \
            server ignores (from \(packet: first.packet) on)
            """,
          why:
            """
            After Database Out Of Sync (\(packet: refusal.answer.packet)) the server silently \
            ignores the client's commands until the client is change-aware.
            """,
          .likely, evidence: evidence)
      ]
    },
  ]

  fileprivate static let staleRemedy: Wording =
    """
    Clear the client's cache: on iOS switch Bluetooth off and on or remove the bond; on Android \
    remove the bond or call the hidden refresh(); with BlueZ delete the device's cache file. In \
    the firmware, indicate Service Changed after an update, and implement the Database Hash.
    """
}

extension Refusal {
  /// Whether the refusal fits a handle that is another attribute now.
  fileprivate var fitsStaleMap: Bool {
    switch error.rawValue {
    case 0x01, 0x02, 0x03, 0x0d: range == nil && handle != 0
    default: false
    }
  }

  /// Returns whether the client has the handle from another source than a discovery of the peer on
  /// this connection.
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

extension ConnectionHistory {
  /// Returns why a refused handle comes from an outdated map, and how certain that is, or nil if
  /// nothing indicates it.
  fileprivate func staleReason(
    _ refusal: Refusal, _ evidence: Evidence
  ) -> (why: Wording, certainty: Certainty, packets: PacketSet)? {
    // A map that was discovered since on this connection is not outdated.
    func discovered(from packet: Int) -> Bool {
      attributes.discoveries.contains {
        $0.client == refusal.client && packet < $0.first.packet
          && $0.first.packet < refusal.request.packet
      }
    }
    if let change = attributes.serviceChanges.last(where: {
      $0.server == refusal.server && $0.moment.packet < refusal.request.packet
        && $0.first <= refusal.handle && refusal.handle <= $0.last
    }), !discovered(from: change.moment.packet) {
      return (
        """
        Service Changed (\(packet: change.moment.packet)) covered \(handle: change.first) to \
        \(handle: change.last), but the client used \(handle: refusal.handle) without \
        rediscovering it.
        """,
        .certain, [change.moment.packet]
      )
    }
    guard !discovered(from: 0) else { return nil }
    // The captured host does not cache its own attributes.
    let earlier = evidence.earlier(than: self).suffix(refusal.server == .peer ? .max : 0)
    if let hash = attributes.hashes.first(where: { $0.server == refusal.server }),
      let before = earlier.last(where: { !$0.attributes.hashes.isEmpty }),
      let old = before.attributes.hashes.last, old.value != hash.value
    {
      return (
        """
        The Database Hash differs from the one on connection \(before.id) \
        (\(packet: old.moment.packet), \(packet: hash.moment.packet)): the server's attributes \
        have changed.
        """,
        .certain, [old.moment.packet, hash.moment.packet]
      )
    }
    let known = earlier.last {
      guard let usage = $0.attributes.usage(refusal.handle, of: refusal.server) else {
        return false
      }
      return usage.reads.count + usage.writes.count + usage.sent > 0
    }
    let worked = earlier.last {
      // If a hash was read and is the same, nothing has moved.
      guard !attributes.hashes.contains(where: { $0.server == refusal.server }),
        let usage = $0.attributes.usage(refusal.handle, of: refusal.server)
      else {
        return false
      }
      return refusal.error.rawValue == 0x02 ? usage.reads.count > 0 : usage.writes.count > 0
    }
    if let worked, refusal.error.rawValue == 0x02 || refusal.error.rawValue == 0x03 {
      let verb: StaticString = refusal.error.rawValue == 0x02 ? "read" : "written"
      return (
        """
        The handle was \(verb) on connection \(worked.id), and this connection used it without \
        discovery: it now seems to belong to another attribute, as after a firmware update.
        """,
        .likely, []
      )
    }
    if let known, refusal.error.rawValue == 0x01 {
      return (
        """
        The handle existed on connection \(known.id) but no longer does; this connection used it \
        without discovery.
        """,
        .likely, []
      )
    }
    if refusal.error.rawValue == 0x01, refusal.attribute.via == .carried {
      return (
        """
        The handle was discovered on an earlier connection; this one used it without discovery, \
        and the server no longer has it.
        """,
        .likely, []
      )
    }
    return nil
  }

  /// Returns findings about requests that were refused because the client's map is outdated.
  fileprivate func staleRefusals(_ evidence: Evidence) -> [Finding] {
    attributes.refusals.compactMap { refusal in
      guard refusal.fitsStaleMap, let stale = staleReason(refusal, evidence) else { return nil }
      var finding = refusal.finding(stale.why, stale.certainty)
      finding.what = "Outdated handles: \(finding.what)"
      finding.headline =
        """
        \(refusal.client.words) used an outdated handle (\(packet: refusal.request.packet)): \
        \(refusal.reason)
        """
      finding.evidence = finding.evidence.union(stale.packets)
      // The absence is that no discovery preceded the request.
      finding.restsOnAbsence = true
      // If a discovery follows, the client has noticed.
      if let after = attributes.discoveries.first(where: {
        $0.client == refusal.client && $0.first.packet > refusal.answer.packet
      }) {
        finding.note = "It rediscovered from \(packet: after.first.packet) on."
        finding.severity = .warning
      }
      return finding
    }
  }

  /// The attributes of a supplied map that the capture contradicts.
  fileprivate var mapConflicts: [Finding] {
    attributes.conflicts.prefix(1).map { conflict in
      var finding = Finding(
        "The supplied map does not match this device",
        headline: "the supplied map is contradicted (\(packet: conflict.packet))",
        why:
          """
          The map has \(conflict.attribute.uuid) at \(handle: conflict.attribute.handle), but \
          what the capture shows there cannot be that.
          """,
        evidence: PacketSet(attributes.conflicts.map(\.packet)))
      finding.severity = .warning
      finding.remedy = "Supply a map of this device and firmware, or none."
      return finding
    }
  }
}
