import Histories
import Bluetooth
import Meanings
import Sessions

// A rule about servers with several clients.

extension Rule {
  static let clients: [Rule] = [
    Symptom(
      "gatt_client_left_out", .warning, .meaning,
      "A server sends values to one of its clients only",
      when:
        "two clients have subscribed to a characteristic of this host, and while both are connected it sends ten or more values to one and none to the other",
      do:
        "Send each value to all clients that have subscribed: keep a list of connections instead of the last or first one (in Zephyr bt_gatt_notify() with NULL as the connection, in ESP-IDF one esp_ble_gatts_send_indicate() for each conn_id)."
    ).with(.ofHost).needing([.bothDirections, .events, .opening]).inCapture(elsewise: [
      Alternative(always: "the program chooses one client on purpose")
    ]) { evidence in leftOut(evidence) }
  ]

  fileprivate static let leastValues = 10
  private static let mostListed = 8

  private static func leftOut(_ evidence: Evidence) -> [Finding] {
    let all = evidence.connections.filter { history in
      !history.isIncomplete
        && history.attributes.configurations.contains { $0.server == .local && $0.accepted != nil }
    }
    guard all.count > 1 else { return [] }
    var found: [Finding] = []
    for left in all {
      for (handle, subscription) in left.subscriptionsToThisHost
      where left.attributes.usage(handle, of: .local)?.sent ?? 0 == 0 {
        guard let accepted = subscription.accepted, let owner = subscription.owner,
          found.count < mostListed, left.attributes.remembersConfigurations,
          // A keyboard sends only to the host that its user has selected.
          owner.service?.isShort(0x1812) != true
        else { continue }
        let favoured = all.first { $0.isFavoured(over: left, owner, handle, since: accepted) }
        guard let favoured, let tally = favoured.attributes.usage(handle, of: .local)?.notifications
        else { continue }
        var finding = Finding(
          "This host sends \(owner) to one of two clients only",
          headline:
            "this host sends \(owner) to connection \(favoured.id), but not to connection \(left.id), which has subscribed, too (\(packet: accepted.packet))",
          why:
            "Both clients have subscribed. After connection \(left.id) had (\(packet: accepted.packet)), this host sent \(tally.count) values to connection \(favoured.id), and none to connection \(left.id).",
          evidence: PacketSet(of: accepted, tally.first, tally.last), on: [left.id],
          restsOnAbsence: true)
        finding.attribute = owner
        found.append(finding)
      }
    }
    return found
  }
}

extension ConnectionHistory {
  /// Returns whether this host sent values of a characteristic on this connection after `left` had
  /// subscribed to it.
  fileprivate func isFavoured(
    over left: ConnectionHistory, _ characteristic: NamedAttribute, _ handle: UInt16,
    since accepted: Moment
  ) -> Bool {
    guard id != left.id, connection.adapter == left.connection.adapter, device != left.device,
      subscriptionsToThisHost.contains(where: { $0.handle == handle }),
      let usage = attributes.usage(handle, of: .local),
      let first = usage.notifications.first, let last = usage.notifications.last,
      // Answers concern only the client that asked.
      !attributes.usages.contains(where: {
        $0.server == .local && $0.identity.service == characteristic.service
          && $0.identity.kind == .value && $0.written > 0
      })
    else { return false }
    return usage.notifications.count >= Rule.leastValues && first.packet > accepted.packet
      && last.packet < left.connection.lastPacket ?? .max
  }

  /// The characteristics of this host whose notifications the peer has enabled, and not disabled.
  fileprivate var subscriptionsToThisHost: [(handle: UInt16, configuration: Configuration)] {
    var all: [(handle: UInt16, configuration: Configuration)] = []
    for configuration in attributes.configurations
    where configuration.server == .local && configuration.accepted != nil {
      guard let handle = configuration.owner?.handle else { continue }
      all.removeAll { $0.handle == handle }
      if configuration.value & 1 != 0 { all.append((handle, configuration)) }
    }
    return all
  }
}
