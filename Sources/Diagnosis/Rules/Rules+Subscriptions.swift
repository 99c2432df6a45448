import Bluetooth
import Bytes
import Sessions
import Words

// Rules about values that do not arrive: Client Characteristic Configurations (Core, Vol 3, Part G,
// 3.3.3.3).

extension Rule {
  /// The rules about values that do not arrive.
  static let subscriptions: [Rule] = [
    Rule(
      "gatt-wrong-cccd-bits", .warning,
      "Notifications are enabled on a characteristic that only indicates, or the reverse",
      when:
        """
        a CCCD write sets a bit that the characteristic's declaration in the capture does not \
        offer, while it offers the other one
        """, needs: [.bothDirections],
      do:
        """
        Write 0x0001 for notifications and 0x0002 for indications, as the declaration offers \
        (CoreBluetooth and BlueZ choose on their own; on Android write ENABLE_NOTIFICATION_VALUE or \
        ENABLE_INDICATION_VALUE).
        """
    ) { connection, _ in
      Finding.together(connection.attributes.configurations.compactMap(connection.wrongBits))
    },
    Rule(
      "gatt-cccd-write-command", .warning,
      "A CCCD is written with Write Command, which servers may ignore",
      when:
        "a CCCD is written with Write Command, and no Write Request to it was accepted; a note if values arrive anyway",
      needs: .bothDirections,
      do:
        "Write the CCCD with a Write Request (on Android writeDescriptor(), with BlueZ StartNotify, in JavaScript startNotifications()): a command is not answered, and descriptors do not accept one (Core, Vol 3, Part G, 4.12.3)."
    ) { connection, _ in
      Finding.together(
        connection.attributes.commandedConfigurations.compactMap(connection.commanded))
    },
    Rule(
      "gatt-notifications-silent", .warning, "A subscription brings no values",
      when:
        """
        a CCCD was written on a link whose opening is in the capture and no value arrives, while \
        the client writes to another service with a characteristic whose CCCD it has not written
        """, needs: [.bothDirections, .events, .opening],
      do:
        """
        Write the CCCD of the characteristic that sends the answers: the one in the service that \
        is written to.
        """
    ) { connection, _ in connection.otherSubscription.map { [$0] } ?? [] },
    Rule(
      "gatt-cccd-lost", .warning,
      "A bonded server has lost its client's subscriptions",
      when:
        """
        an earlier connection of the device wrote a CCCD and got values; this one is encrypted \
        with the stored key, lasts longer than any earlier pause between values, writes no CCCD \
        and gets no value
        """, needs: [.bothDirections, .events, .opening],
      do:
        """
        CCCDs of bonded clients persist: store them in the firmware with the bond (Zephyr: \
        CONFIG_BT_SETTINGS and settings_load(), Nordic: peer manager). As a client, write the \
        CCCD on each connection: it does no harm.
        """
    ) { connection, evidence in connection.lostSubscriptions(evidence) },
    Rule(
      "gatt-not-encrypted", .warning,
      "A bonded device gets no values on a link that is never encrypted",
      when:
        """
        an earlier connection of the device was encrypted and got values of a characteristic; this \
        one is not encrypted, lasts longer than any earlier pause between values, and gets none
        """, needs: [.bothDirections, .commands, .events, .opening, .end],
      do:
        """
        Encrypt the link with the stored key right after connecting: only the central can. A \
        peripheral can ask for it with a Security Request (Zephyr: bt_conn_set_security, Nordic: \
        pm_conn_secure).
        """
    ) { connection, evidence in connection.valuesWithoutEncryption(evidence) },
  ]
}

extension ConnectionHistory {
  /// Returns a finding about a CCCD that was written with a command.
  fileprivate func commanded(_ configuration: Configuration) -> Finding? {
    guard configuration.value & 3 != 0,
      !attributes.configurations.contains(where: {
        $0.descriptor.handle == configuration.descriptor.handle
          && $0.server == configuration.server && $0.accepted != nil
      })
    else { return nil }
    let usage = configuration.owner?.handle.flatMap {
      attributes.usage($0, of: configuration.server)
    }
    let came = usage?.sent ?? 0
    let client = configuration.server.other
    let owner: Wording = configuration.owner.map { " of \($0)" } ?? ""
    var finding = Finding(
      "The CCCD\(owner) was written with a Write Command",
      headline:
        "\(client.words) subscribed with a write command instead of a write request (\(packet: configuration.request.packet))",
      why:
        "\(client.capitalized) wrote the subscription without response, as a Write Command. Servers accept a descriptor's value only with a Write Request; \(came == 0 ? "this one sent no value" : "this one sends values anyway" as StaticString).",
      came == 0 ? .likely : .certain, evidence: [configuration.request.packet])
    finding.attribute = configuration.owner
    finding.restsOnAbsence = came == 0
    if came > 0 { finding.severity = .note }
    return finding
  }

  /// Returns a finding about a CCCD that was written with a bit that is not offered.
  fileprivate func wrongBits(_ configuration: Configuration) -> Finding? {
    guard let properties = configuration.properties, let owner = configuration.owner else {
      return nil
    }
    let (notify, indicate) = (properties.has(bit: 4), properties.has(bit: 5))
    let (asks, asked): (UInt16, Wording)
    let offered: Wording
    if configuration.value & 1 != 0, !notify, indicate {
      (asks, asked, offered) = (1, "Notifications", "indications")
    } else if configuration.value & 2 != 0, !indicate, notify {
      (asks, asked, offered) = (2, "Indications", "notifications")
    } else {
      return nil
    }
    let client = configuration.server.other
    let came = owner.handle.flatMap { attributes.usage($0, of: configuration.server) }?.sent ?? 0
    var why: Wording =
      """
      \(client.words) wrote \(code: configuration.value, digits: 4) to the CCCD, but the \
      declaration offers \(properties.words)
      """
    var evidence: PacketSet = [configuration.request.packet]
    evidence.insert(configuration.accepted?.packet)
    let right = attributes.configurations.first {
      $0.descriptor.handle == configuration.descriptor.handle
        && $0.request.packet > configuration.request.packet && $0.value & (asks ^ 3) != 0
    }
    if let right {
      why = "\(why). The right value followed at \(packet: right.request.packet)."
    } else if let error = configuration.error {
      why = "\(why). The server refused it: \(error)."
    } else if came == 0 {
      why = "\(why). The server accepted the value but sent nothing."
    } else {
      why = "\(why). The server sends values anyway."
    }
    var finding = Finding(
      "\(asked) enabled on \(owner), which offers only \(offered)",
      headline:
        """
        \(client.words) enabled on \(owner) what it does not offer \
        (\(packet: configuration.request.packet))
        """,
      why: why.capitalized, evidence: evidence)
    finding.attribute = owner
    finding.remedy =
      notify
      ? """
      Write 0x0001: the declaration offers notifications (on Android ENABLE_NOTIFICATION_VALUE; \
      CoreBluetooth and BlueZ choose on their own).
      """
      : """
      Write 0x0002: the declaration offers indications (on Android ENABLE_INDICATION_VALUE; \
      CoreBluetooth and BlueZ choose on their own).
      """
    if right != nil || came > 0 {
      finding.severity = .note
      finding.isResolved = true
    }
    return finding
  }

  /// A finding if the client subscribed to one characteristic and writes to another service, to
  /// whose values it has not subscribed.
  fileprivate var otherSubscription: Finding? {
    guard !connection.isOpeningMissing, connection.isEncrypted != true else { return nil }
    for server in [Side.peer, .local] {
      let subscribed = attributes.configurations.filter {
        $0.server == server && $0.accepted != nil && $0.value & 3 != 0
      }
      let usages = attributes.usages.filter { $0.server == server }
      guard let first = subscribed.first, let owner = first.owner,
        usages.allSatisfy({ $0.sent == 0 })
      else { continue }
      let written = usages.filter {
        $0.written >= 3 && $0.identity.service != nil && $0.identity.service != owner.service
          && $0.identity.kind == .value
      }
      guard
        let target = written.first(where: { usage in
          !subscribed.contains { $0.owner?.service == usage.identity.service }
        }), let service = target.identity.service
      else { continue }
      let client = server.other
      var finding = Finding(
        "No value arrived: the subscription is for \(owner), but the writes go to another service",
        headline:
          """
          no value arrived after \(client.words) subscribed to \(owner) \
          (\(packet: first.request.packet)) and wrote to another service
          """,
        why:
          """
          \(client.capitalized) wrote \(target.written) times to \
          \(target.identity) of the service \(service), but to no CCCD of that service; answers \
          may come from a characteristic there.
          """,
        .possible,
        evidence: PacketSet([
          first.request.packet, target.writes.first?.packet ?? 0,
          target.commands.first?.packet ?? 0,
        ]))
      finding.restsOnAbsence = true
      finding.attribute = owner
      return finding
    }
    return nil
  }

  /// Returns whether the client wrote to values of the service that contains an attribute.
  private func writes(toServiceOf owner: AttributeIdentity, _ server: Side) -> Bool {
    attributes.usages.contains {
      $0.server == server && $0.written > 0 && $0.identity.kind != .descriptor
        && $0.identity.service == owner.service
    }
  }

  /// Returns the first value of a characteristic, and how long another connection has to last for
  /// such a value to be missed there; nil if it did not come twice.
  private static func regularity(of usage: AttributeUsage) -> (first: Moment, patience: Int64)? {
    guard usage.sent >= 2, let first = usage.notifications.first ?? usage.indications.first,
      let last = usage.notifications.last ?? usage.indications.last,
      let span = last.nanoseconds(since: first)
    else { return nil }
    // The average pause between values was this long, so one should have arrived by now.
    let pause = span / Int64(max(1, usage.sent - 1))
    return (first, max(5_000_000_000, 3 * min(pause, .max / 4)))
  }

  /// Returns a finding about values that came on an earlier, encrypted connection, but not here,
  /// where the link is not encrypted.
  fileprivate func valuesWithoutEncryption(_ evidence: Evidence) -> [Finding] {
    guard connection.isEncrypted == false, !encryption.wasEncrypted, encryption.attempts.isEmpty,
      pairing.attempts.isEmpty, let opened = link.opened
    else { return [] }
    guard let end = connection.lastPacket.map({ Moment(packet: $0, time: connection.lastTime) }),
      let lasted = end.nanoseconds(since: opened), let bond = bond(evidence)
    else { return [] }
    let encrypted = bond.attempt.end?.packet ?? bond.attempt.moment.packet
    let all = bond.history.attributes.configurations + attributes.configurations
    for configuration in bond.history.attributes.configurations
    where configuration.accepted != nil && configuration.value & 3 != 0 {
      let isOff = all.contains {
        $0.descriptor.handle == configuration.descriptor.handle
          && $0.server == configuration.server && $0.value & 3 == 0
      }
      guard !isOff, let owner = configuration.owner, let handle = owner.handle,
        let usage = bond.history.attributes.usage(handle, of: configuration.server),
        let regular = Self.regularity(of: usage), lasted >= regular.patience,
        // What came before encryption does not need it.
        regular.first.packet > encrypted,
        (attributes.usage(handle, of: configuration.server)?.sent ?? 0) == 0,
        !bond.history.writes(toServiceOf: owner, configuration.server)
      else { continue }
      let server = configuration.server
      var finding = Finding(
        "\(server.capitalized) sent no \(owner) on a link that was never encrypted",
        headline:
          "connection \(id) was never encrypted, although the two are bonded, and \(server.words) sent no \(owner)",
        why:
          "On connection \(bond.history.id), which was encrypted (\(packet: encrypted)), \(server.words) sent \(usage.sent) values of \(owner). Here neither side encrypted the link in \(duration: lasted), and no value came. A server sends values that need security only on an encrypted link, and reports nothing; or there was nothing to send.",
        .possible, evidence: [encrypted, opened.packet, end.packet])
      finding.attribute = owner
      finding.restsOnAbsence = true
      return [finding]
    }
    return []
  }

  /// Returns findings about values that arrived on an earlier connection but no longer do, because
  /// the server lost the CCCD.
  fileprivate func lostSubscriptions(_ evidence: Evidence) -> [Finding] {
    guard connection.isEncrypted == true, security.isStoredKey, !connection.isOpeningMissing,
      let encrypted = security.encrypted
    else { return [] }
    let end = Moment(
      packet: connection.lastPacket ?? .max, time: connection.lastTime ?? evidence.extent.latest)
    guard let lasted = end.nanoseconds(since: encrypted) else { return [] }
    for before in evidence.earlier(than: self).reversed() {
      let wanted = before.attributes.configurations.filter {
        $0.accepted != nil && $0.value & 3 != 0
      }
      for configuration in wanted {
        guard let handle = configuration.owner?.handle, let owner = configuration.owner,
          let usage = before.attributes.usage(handle, of: configuration.server),
          let regular = Self.regularity(of: usage)
        else { continue }
        guard lasted >= regular.patience,
          (attributes.usage(handle, of: configuration.server)?.sent ?? 0) == 0,
          // Values that answered writes before do not arrive without them.
          !before.writes(toServiceOf: owner, configuration.server),
          !attributes.configurations.contains(where: {
            $0.descriptor.handle == configuration.descriptor.handle
              && $0.server == configuration.server
          })
        else { continue }
        var finding = Finding(
          """
          \(configuration.server.capitalized) seems to have lost the subscription to \
          \(owner)
          """,
          headline:
            """
            \(configuration.server.words) sends no \(owner) on connection \(id), and the \
            subscription predates the connection
            """,
          why:
            """
            On connection \(before.id) \(configuration.server.other.words) wrote its CCCD \
            (\(packet: configuration.request.packet)) and got \(count: usage.sent, "value", "values"). \
            This connection was encrypted with the stored key at \(packet: encrypted.packet) and \
            lasted \(duration: lasted) more: \(configuration.server.other.words) wrote no CCCD, as \
            bonded clients may, and got no value.
            """,
          .likely,
          evidence: [configuration.request.packet, regular.first.packet, encrypted.packet],
          on: [id])
        finding.restsOnAbsence = true
        finding.attribute = owner
        return [finding]
      }
    }
    return []
  }
}
