import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about values that do not arrive: Client Characteristic Configurations (Core, Vol 3, Part G,
// 3.3.3.3).

extension Rule {
  static let subscriptions: [Rule] = [
    Symptom(
      "gatt_wrong_cccd_bits", .warning, .meaning,
      "Notifications are enabled on a characteristic that only indicates, or the reverse",
      when:
        "a CCCD write sets a bit that the characteristic's declaration in the capture does not offer, while it offers the other one",
      do:
        "Write 0x0001 for notifications and 0x0002 for indications, as the declaration offers (CoreBluetooth and BlueZ choose on their own; on Android write ENABLE_NOTIFICATION_VALUE or ENABLE_INDICATION_VALUE)."
    ).needing([.bothDirections]).leaningOn(.opening).onConnection(merges: true) { connection, _ in
      connection.attributes.configurations.compactMap(connection.wrongBits)
    },
    Symptom(
      "gatt_cccd_write_command", .warning, .meaning,
      "A CCCD is written with Write Command, which servers may ignore",
      when:
        "a CCCD is written with Write Command, and no Write Request to it was accepted; a note if values arrive anyway",
      do:
        "Write the CCCD with a Write Request (on Android writeDescriptor(), with BlueZ StartNotify, in JavaScript startNotifications()): a command is not answered, and servers may ignore one to a descriptor (Core, Vol 3, Part G, 4.12.3)."
    ).needing(.bothDirections).onConnection(
      about: Subscription.self, merges: true,
      elsewise: [
        Alternative("the server accepted it, and has nothing to send") { it, _ in it.sent > 0 }
      ]
    ) { connection, _ in
      connection.attributes.commandedConfigurations.compactMap {
        connection.commanded(Subscription($0, connection))
      }
    },
    Symptom(
      "gatt_cccd_swapped", .warning, .meaning, "The bytes of a CCCD's value are in the wrong order",
      when: "0x0100, 0x0200 or 0x0300 is written to a CCCD, and no value that subscribes",
      do:
        "Write the low byte first: 01 00 enables notifications, 02 00 indications. On Android use ENABLE_NOTIFICATION_VALUE, in firmware send the 16-bit number as little-endian."
    ).needing(.bothDirections).leaningOn(.opening).onConnection(merges: true) { connection, _ in
      connection.attributes.configurations.compactMap(connection.swapped)
    },
    Symptom(
      "gatt_subscription_misplaced", .warning, .meaning,
      "A subscription is written to an attribute that is not a CCCD",
      when:
        "a value that subscribes (0x0001 to 0x0003) is written to an attribute that is not a CCCD and cannot be written, in a service that can send values; no CCCD of that service is written, and none of its values arrives or is read",
      do:
        "Find the CCCD's handle by discovery (Find Information) instead of assuming that it follows the value, and write the value there; with a library enable notifications by its own call (on Android writeDescriptor(), with Bleak start_notify())."
    ).needing([.bothDirections, .events, .opening]).onConnection(elsewise: [
      Alternative(always: "the value is a setting of the server's own")
    ]) { connection, evidence in
      connection.missedSubscriptions(evidence).compactMap { missed in
        missed.mistaken.map { connection.mistaken(missed, $0) }
      }
    },
    Symptom(
      "gatt_not_subscribed", .note, .meaning,
      "A client writes to a service and does not subscribe to its values",
      when:
        "a client writes to a service whose declarations offer notifications or indications, writes no CCCD of it and reads none of its values, none arrives, and the link stays open for 2 s",
      do:
        "If answers are expected, subscribe before writing: on Android setCharacteristicNotification() and writeDescriptor() on the CCCD, on iOS setNotifyValue(), with Bleak start_notify(). A device that is only controlled may need no subscription."
    ).needing([.bothDirections, .events, .opening]).onConnection(
      merges: true,
      elsewise: [
        Alternative(always: "the client expects no answer"), .subscribedBefore,
      ]
    ) { connection, evidence in
      connection.missedSubscriptions(evidence).compactMap { missed in
        missed.mistaken == nil && !missed.isPartial
          ? connection.notSubscribed(missed, evidence) : nil
      }
    },
    Symptom(
      "gatt_notifications_silent", .warning, .meaning, "A subscription brings no values",
      when:
        "a CCCD was written on a link whose opening is in the capture and no value arrives, while the client writes to another service that can send values and whose CCCDs it has not written",
      do:
        "Write the CCCD of the characteristic that sends the answers: the one in the service that is written to."
    ).needing([.bothDirections, .events, .opening]).onConnection(
      elsewise: [
        Alternative(always: "there was nothing to send"),
        Alternative(always: "the client expects no answer"),
      ]
    ) { connection, evidence in connection.otherSubscription(evidence).map { [$0] } ?? [] },
    Symptom(
      "gatt_cccd_lost", .warning, .meaning, "A bonded server has lost its client's subscriptions",
      when:
        "an earlier connection of the device wrote a CCCD and got values; this one is encrypted with the stored key, lasts longer than any earlier pause between values, writes no CCCD and gets no value",
      do:
        "CCCDs of bonded clients persist: store them in the firmware with the bond (Zephyr: CONFIG_BT_SETTINGS and settings_load(), Nordic: peer manager). As a client, write the CCCD on each connection: it does no harm."
    ).needing([.bothDirections, .events, .opening]).onConnection(
      about: EarlierValues.self,
      elsewise: [
        .nothingToSend,
        Alternative(always: "another client or the device's user has stopped the values"),
      ]
    ) { connection, evidence in connection.lostSubscriptions(evidence) },
    Symptom(
      "gatt_not_encrypted", .warning, .meaning,
      "A bonded client gets no values on a link that is never encrypted",
      when:
        "an earlier link with the device was encrypted and carried values of a characteristic; this one is not encrypted, lasts longer than any earlier pause between values, and carries none",
      do:
        "Encrypt the link with the stored key right after connecting: only the central can. A peripheral can ask for it with a Security Request (Zephyr: bt_conn_set_security, Nordic: pm_conn_secure)."
    ).needing([.bothDirections, .commands, .events, .opening, .end]).onConnection(
      about: EarlierValues.self,
      elsewise: [
        .nothingToSend,
        Alternative(always: "another client or the device's user has stopped the values"),
      ]
    ) { connection, evidence in connection.valuesWithoutEncryption(evidence) },
  ]
}

/// A value written to a CCCD, and what came of it.
private struct Subscription: Sendable {
  let configuration: Configuration
  let sent: Int

  init(_ configuration: Configuration, _ connection: ConnectionHistory) {
    self.configuration = configuration
    sent = connection.attributes.usage(of: configuration)?.sent ?? 0
  }

  var client: Side { configuration.server.other }
  /// The characteristic that the CCCD belongs to: ` of 2a37 …`.
  var owner: Wording { configuration.owner.map { " of \($0)" } ?? "" }

  /// What came of it, as a sentence.
  var outcome: Wording {
    if sent > 0 { return "Values arrive anyway." }
    if let error = configuration.error { return "The server refused it: \(error)." }
    return configuration.accepted == nil ? "" : "The server accepted it, and no value arrived."
  }
}

extension Alternative where Subject == ConnectionHistory {
  /// Subscriptions of bonded clients persist; they are in force on encrypted links.
  fileprivate static var subscribedBefore: Self {
    Self("the client is bonded, and subscribed before this capture began") { it, _ in
      it.security.encrypted == nil
    }
  }
}

/// Values that arrived on an earlier connection.
private struct EarlierValues: Sendable {
  let owner: NamedAttribute
  let usage: AttributeUsage
  /// The first of them, and their period if they are regular.
  let first: Moment
  let period: Int64?
  /// How long the connection without them lasted.
  let lasted: Int64
}

extension Alternative where Subject == EarlierValues {
  /// Values that are sent regularly do not depend on events.
  fileprivate static var nothingToSend: Self {
    Self("there was nothing to send") { it, _ in it.period.map { it.lasted / 5 >= $0 } ?? false }
  }
}

extension ConnectionHistory {
  /// The time within which a device answers a write, if it does.
  static let answerTime: Int64 = 2_000_000_000

  /// Returns the services that were written to without a subscription, as far as can be known.
  func missedSubscriptions(_ evidence: Evidence) -> [MissedSubscription] {
    guard isWhole, !security.isStoredKey,
      // The end of an attempt with a stored key may be missing.
      encryption.attempts.allSatisfy({ $0.followsPairing || $0.failure != nil })
    else { return [] }
    return attributes.missedSubscriptions.compactMap { missed in
      var missed = missed
      missed.senders.removeAll { sender in
        evidence.earlier(than: self).contains {
          $0.showsSubscription(to: sender, of: missed.server)
        }
      }
      return missed.senders.isEmpty ? nil : missed
    }
  }

  /// Returns whether a server sends a characteristic's values although the capture has no
  /// subscription, or a bonded client subscribed to it: that subscription persists.
  private func showsSubscription(to sender: NamedAttribute, of server: Side) -> Bool {
    let configured = attributes.configurations.filter {
      $0.server == server && $0.owner?.handle == sender.handle
    }
    if configured.isEmpty {
      return sender.handle.flatMap { attributes.usage($0, of: server) }?.sent ?? 0 > 0
    }
    return (security.isStoredKey || pairing.attempts.contains(where: \.isBonded))
      && configured.contains(where: \.isInForce)
  }

  /// Returns a finding about a value for a CCCD that was written to another attribute.
  fileprivate func mistaken(_ missed: MissedSubscription, _ write: Configuration) -> Finding {
    let client = missed.server.other
    let sender = missed.senders[0]
    let target = NamedAttribute(write.descriptor)
    let what: Wording =
      missed.senders.contains { $0.handle == target.handle }
      ? "the value of \(target) itself" : "\(target), which is not a CCCD"
    return Finding(
      "\(client.words) wrote a subscription to \(what)", at: write.request.packet,
      why:
        "\(client.capitalized) wrote \(code: write.value, digits: 4), the value that \(write.value & 1 != 0 ? "enables notifications" : "enables indications" as StaticString). It wrote no CCCD of this service, and \(missed.server.words) sent none of its values.",
      evidence: [write.request.packet], of: sender, restsOnAbsence: true)
  }

  fileprivate func notSubscribed(
    _ missed: MissedSubscription, _ evidence: Evidence
  ) -> Finding? {
    // A clock that is set does not answer.
    guard missed.written.uuid != .currentTime, connection.lastPacket != nil,
      end(evidence).nanoseconds(since: missed.first) ?? 0 >= Self.answerTime
    else { return nil }
    let client = missed.server.other
    let senders = Wording(first: 3, of: missed.senders) { "\($0)" }
    let isSame = missed.written.handle == missed.senders[0].handle
    return Finding(
      "\(client.words) wrote to \(missed.written) but did not subscribe to \(isSame ? "its values" : "\(missed.senders[0])" as Wording)",
      at: missed.first.packet,
      why:
        "\(client.capitalized) wrote \(count: missed.count, "value", "values") to \(missed.written) (from \(packet: missed.first.packet) on). The service sends values with \(senders), but only to clients that have written the CCCD, which \(client.words) did not do on this connection.",
      evidence: [missed.first.packet], of: missed.senders[0], restsOnAbsence: true)
  }

  /// Returns whether a refused write to a CCCD has a finding that explains it better.
  func explainsValue(of refusal: Refusal) -> Bool {
    guard refusal.attribute.uuid == .clientConfiguration else { return false }
    return attributes.configurations.contains {
      $0.server == refusal.server && $0.request.packet == refusal.request.packet
        && (swapped($0) != nil || wrongBits($0) != nil)
    }
  }

  fileprivate func swapped(_ configuration: Configuration) -> Finding? {
    let meant = configuration.value.byteSwapped
    guard 1...3 ~= meant,
      !attributes.configurations.contains(where: {
        $0.isSame(as: configuration) && $0.value & 3 != 0
      })
    else { return nil }
    let it = Subscription(configuration, self)
    return Finding(
      "\(it.client.words) wrote the CCCD\(it.owner) with its bytes in the wrong order",
      at: configuration.request.packet,
      why: Wording(
        sentences:
          "\(code: configuration.value, digits: 4) has only reserved bits. With its bytes swapped it would be \(code: meant, digits: 4), which enables \(meant & 1 != 0 ? "notifications" : "indications" as StaticString).",
        it.outcome), evidence: [configuration.request.packet], of: configuration.owner,
      it.sent > 0 ? .note : configuration.error != nil ? .error : nil, fault: it.client)
  }

  fileprivate func commanded(_ it: Subscription) -> (Subscription, Finding)? {
    let configuration = it.configuration
    guard configuration.value & 3 != 0,
      !attributes.configurations.contains(where: {
        $0.isSame(as: configuration) && $0.accepted != nil
      })
    else { return nil }
    let finding = Finding(
      "\(it.client.words) wrote the CCCD\(it.owner) with a Write Command",
      at: configuration.request.packet,
      why:
        "It wrote the subscription without response. The specification lets a client write a descriptor only with a Write Request; \(it.sent == 0 ? "this one sent no value" : "this one sends values anyway" as StaticString).",
      evidence: [configuration.request.packet], of: configuration.owner,
      it.sent > 0 ? .note : nil, restsOnAbsence: it.sent == 0, fault: it.client)
    return (it, finding)
  }

  fileprivate func wrongBits(_ configuration: Configuration) -> Finding? {
    guard let properties = configuration.properties, let owner = configuration.owner
    else { return nil }
    let (notify, indicate) = (properties.has(bit: 4), properties.has(bit: 5))
    guard notify != indicate, configuration.value & (notify ? 2 : 1) != 0 else { return nil }
    let (wrong, offered): (StaticString, StaticString) =
      notify ? ("indications", "notifications") : ("notifications", "indications")
    let it = Subscription(configuration, self)
    let right = attributes.configurations.first {
      $0.isSame(as: configuration) && $0.request.packet > configuration.request.packet
        && $0.value & (notify ? 1 : 2) != 0 && $0.accepted != nil
    }
    var finding = Finding(
      "\(it.client.words) enabled \(wrong) of \(owner), which offers only \(offered)",
      at: configuration.request.packet,
      why: Wording(
        sentences:
          "\(it.client.capitalized) wrote \(code: configuration.value, digits: 4) to the CCCD, but the declaration offers \(properties.words).",
        right.map { "The right value followed at \(packet: $0.request.packet)." } ?? it.outcome),
      evidence: PacketSet(of: configuration.request, configuration.accepted), of: owner,
      do:
        "Write \(code: notify ? 1 : 2, digits: 4): the declaration offers \(offered) (on Android \(notify ? "ENABLE_NOTIFICATION_VALUE" : "ENABLE_INDICATION_VALUE" as StaticString); CoreBluetooth and BlueZ choose on their own)."
    )
    if right != nil || it.sent > 0 { finding.resolve() }
    return finding
  }

  /// A finding if the client subscribed to one service and writes to another.
  fileprivate func otherSubscription(_ evidence: Evidence) -> Finding? {
    guard !connection.isOpeningMissing, connection.isEncrypted != true else { return nil }
    let missed = missedSubscriptions(evidence)
    for server in [Side.peer, .local] {
      let subscribed = attributes.configurations.filter {
        $0.server == server && $0.isInForce
          // Hosts subscribe to these on their own, and they seldom send.
          && $0.owner?.uuid != .serviceChanged && $0.owner?.uuid != .batteryLevel
      }
      let usages = attributes.usages.filter { $0.server == server }
      guard let first = subscribed.first, let owner = first.owner,
        usages.allSatisfy({ $0.sent == 0 })
      else { continue }
      let target = usages.first { usage in
        usage.written >= 3 && usage.identity.kind == .value
          && !subscribed.contains { $0.owner?.service == usage.identity.service }
          && missed.contains {
            $0.server == server && !$0.isPartial && $0.written.service == usage.identity.service
          }
      }
      guard let target, let service = target.identity.service else { continue }
      let client = server.other
      return Finding(
        "no value arrived: the subscription is for \(owner), but the writes go to another service",
        at: first.request.packet,
        why:
          "\(client.capitalized) wrote \(target.written) times to \(target.named) of the service \(service), but to no CCCD of that service; answers may come from a characteristic there.",
        evidence: PacketSet(of: first.request, target.writes.first, target.commands.first),
        of: owner, restsOnAbsence: true)
    }
    return nil
  }

  /// Returns whether the client wrote to values of the service that contains an attribute.
  private func writes(toServiceOf owner: NamedAttribute, _ server: Side) -> Bool {
    attributes.usages.contains {
      $0.server == server && $0.written > 0 && $0.identity.kind != .descriptor
        && $0.identity.service == owner.service
    }
  }

  /// Returns when values began, and how long another connection has to last to miss one.
  static func regularity(
    of usage: AttributeUsage
  ) -> (first: Moment, patience: Int64, period: Int64?)? {
    guard usage.sent >= 2, let first = usage.notifications.first ?? usage.indications.first,
      let last = usage.notifications.last ?? usage.indications.last,
      let span = last.nanoseconds(since: first)
    else { return nil }
    // The average pause between values was this long, so one should have arrived by now.
    let pause = span / Int64(max(1, usage.sent - 1))
    let tally = usage.notifications.count > 0 ? usage.notifications : usage.indications
    return (first, max(5_000_000_000, 3 * min(pause, .max / 4)), tally.period)
  }

  /// Returns values that came on this connection, and not on a later one that was long enough.
  private func values(
    of configuration: Configuration, missedOn later: ConnectionHistory, for lasted: Int64
  ) -> EarlierValues? {
    guard configuration.isInForce, let owner = configuration.owner, let handle = owner.handle,
      let usage = attributes.usage(handle, of: configuration.server),
      let regular = Self.regularity(of: usage), lasted >= regular.patience,
      (later.attributes.usage(handle, of: configuration.server)?.sent ?? 0) == 0,
      // Values that answered writes before do not arrive without them.
      !writes(toServiceOf: owner, configuration.server)
    else { return nil }
    return EarlierValues(
      owner: owner, usage: usage, first: regular.first, period: regular.period, lasted: lasted)
  }

  /// Returns a finding about values of an encrypted connection that do not come here, without it.
  fileprivate func valuesWithoutEncryption(_ evidence: Evidence) -> [(EarlierValues, Finding)] {
    guard connection.isEncrypted == false, !encryption.wasEncrypted, encryption.attempts.isEmpty,
      pairing.attempts.isEmpty, let opened = link.opened,
      let end = connection.lastMoment, let lasted = end.nanoseconds(since: opened),
      let bond = bond(evidence)
    else { return [] }
    let encrypted = bond.attempt.endPacket
    let all = bond.history.attributes.configurations + attributes.configurations
    for configuration in bond.history.attributes.configurations {
      let server = configuration.server
      guard let values = bond.history.values(of: configuration, missedOn: self, for: lasted),
        // What came before encryption does not need it.
        values.first.packet > encrypted,
        !all.contains(where: { $0.isSame(as: configuration) && $0.value & 3 == 0 })
      else { continue }
      let finding = Finding(
        "\(server.words) sent no \(values.owner) on a link that was never encrypted",
        at: opened.packet,
        why:
          "On connection \(bond.history.id), which was encrypted (\(packet: encrypted)), \(server.words) sent \(values.usage.sent) values. Here neither side encrypted the link in \(duration: lasted), and no value came. A server sends values that need security only on an encrypted link, and reports nothing.",
        evidence: [encrypted, opened.packet, end.packet], of: values.owner, restsOnAbsence: true)
      return [(values, finding)]
    }
    return []
  }

  /// Returns a finding about values that no longer come because the server lost the CCCD.
  fileprivate func lostSubscriptions(_ evidence: Evidence) -> [(EarlierValues, Finding)] {
    guard connection.isEncrypted == true, security.isStoredKey, !connection.isOpeningMissing,
      let encrypted = security.encrypted, let lasted = end(evidence).nanoseconds(since: encrypted)
    else { return [] }
    func isWritten(_ other: Configuration) -> Bool {
      attributes.configurations.contains { $0.isSame(as: other) }
    }
    for before in evidence.earlier(than: self).reversed() {
      let wanted = before.attributes.configurations.filter(\.isInForce)
      for configuration in wanted {
        let server = configuration.server
        guard let values = before.values(of: configuration, missedOn: self, for: lasted),
          values.owner.uuid != .batteryLevel, !isWritten(configuration),
          // The values of another remembered subscription show that the server kept them.
          !wanted.contains(where: { other in
            other.server == server && !isWritten(other) && Subscription(other, self).sent > 0
          })
        else { continue }
        let finding = Finding(
          "\(server.words) seems to have lost the subscription to \(values.owner)",
          at: encrypted.packet,
          why:
            "On connection \(before.id) \(server.other.words) wrote its CCCD (\(packet: configuration.request.packet)) and got \(count: values.usage.sent, "value", "values"). This connection was encrypted with the stored key and lasted \(duration: lasted) more: \(server.other.words) wrote no CCCD, as bonded clients may, and got no value.",
          evidence: PacketSet(of: configuration.request, values.first, encrypted),
          of: values.owner, restsOnAbsence: true)
        return [(values, finding)]
      }
    }
    return []
  }
}
