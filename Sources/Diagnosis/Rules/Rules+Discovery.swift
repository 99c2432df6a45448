import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about discoveries that do not end, and about services that are advertised incorrectly.

extension Rule {
  static let discovery: [Rule] = [
    Symptom(
      "gatt_discovery_backward", .error, .meaning,
      "A server answers a search with services before its start, so the search gets no further",
      when:
        "five or more responses to Read By Group Type Requests list only services below the first handle that was asked for",
      do:
        "Fix the server: list only services from the first handle of the request on, and answer Attribute Not Found (0x0a) after the last one (Core, Vol 3, Part F, 3.4.4.9). As a client, end the discovery if an answer does not get further."
    ).needing([.bothDirections]).leaningOn(.opening).onConnection { connection, _ in
      [Side.peer, .local].compactMap {
        connection.backward(connection.attributes.search(of: $0), $0)
      }
    },
    Symptom(
      "gatt_discovery_repeated", .warning, .meaning,
      "A client discovers the same server again and again",
      when: "five or more complete searches for a server's primary services on one connection",
      do:
        "Discover once on a connection and keep the result: do not call discoverServices() before each read or write. As a server, indicate Service Changed only when attributes have changed."
    ).needing([.bothDirections, .events]).leaningOn(.opening).onConnection { connection, _ in
      [Side.peer, .local].compactMap {
        connection.repeated(connection.attributes.search(of: $0), $0)
      }
    },
    Symptom(
      "adv_uuid_reversed", .warning, .meaning,
      "A device advertises a UUID with its bytes in reverse order",
      when:
        "a 128-bit UUID that a device advertised is the byte reversal of one of its services, and none of its services has it; all its primary services were discovered",
      do:
        "Put the UUID into the advertising data with its last byte first, as in the service's declaration (with Zephyr BT_UUID_128_ENCODE()): apps that scan for the service do not find the device."
    ).needing([.bothDirections, .events]).onConnection { connection, _ in connection.reversedUUID()
    },
  ]
}

extension BluetoothUUID {
  fileprivate var reversed: BluetoothUUID {
    BluetoothUUID(high: low.byteSwapped, low: high.byteSwapped)
  }
}

extension ConnectionHistory {
  /// Fewer may be due to several programs.
  private static let leastSearches = 5

  fileprivate func backward(_ search: ServiceSearch, _ server: Side) -> Finding? {
    guard search.backward.count >= Self.leastSearches, let first = search.backward.first,
      let last = search.backward.last
    else { return nil }
    return Finding(
      "\(server.words) answers a search for services with earlier ones, \(search.backward.count) times",
      at: first.packet,
      why:
        "\(server.other.capitalized) asked for services from \(handle: search.asked) on, and got \(handle: search.got.lowerBound) to \(handle: search.got.upperBound): the search gets no further.",
      evidence: PacketSet(of: first, last))
  }

  fileprivate func repeated(_ search: ServiceSearch, _ server: Side) -> Finding? {
    guard search.complete.count >= Self.leastSearches, let first = search.complete.first,
      let last = search.complete.last
    else { return nil }
    let client = server.other
    let changes = attributes.usages.first {
      $0.server == server && $0.identity.uuid == .serviceChanged
    }?.indications
    let changed = changes.flatMap { $0.count >= Self.leastSearches - 1 ? $0.first : nil }
    let cause: Wording =
      changed.map {
        "\(server.capitalized) indicated Service Changed \(changes?.count ?? 0) times (first at \(packet: $0.packet)), which asks the client to discover again."
      } ?? "Each took requests and time, and found the same services."
    return Finding(
      "\(client.words) discovered \(server.possessive) services \(search.complete.count) times on one connection",
      at: first.packet,
      why:
        "The searches for all primary services ended at \(packet: first.packet) for the first time, and at \(packet: last.packet) for the last. \(cause)",
      evidence: PacketSet(of: first, changed, last),
      group: "\(client.capitalized) discovered \(server.possessive) services again and again")
  }

  fileprivate func reversedUUID() -> [Finding] {
    let search = attributes.search(of: .peer)
    guard let seen = link.seen, let complete = search.complete.last else { return [] }
    return seen.longServices.compactMap { advertised in
      guard !search.services.contains(where: { $0.uuid == advertised }),
        let service = search.services.first(where: { $0.uuid == advertised.reversed })
      else { return nil }
      return Finding(
        "the peer advertises the UUID of a service with its bytes in reverse order",
        at: seen.longServicesPacket,
        why:
          "It advertises \(advertised), which none of its services has. With the bytes in reverse order it is \(service.uuid), the service at \(handle: service.first).",
        evidence: [seen.longServicesPacket, complete.packet])
    }
  }
}
