// Discoveries that are repeated or never end, reversed UUIDs, and pairings without a bond.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Testing

@Suite("Discovery, and pairing on each connection") struct DiscoveryRuleTests {
  /// Searches for all primary services, of which there is one. Four packets.
  private func search(_ traffic: inout Traffic) {
    traffic.ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 f0 ff")
    traffic.ask("10 14 00 ff ff 00 28", "01 10 14 00 0a")
  }

  @Test("five complete searches on one connection") func repeated() {
    func capture(_ count: Int) -> Evidence {
      evidence {
        $0.connect()
        for _ in 0..<count { search(&$0) }
      }
    }
    #expect(
      capture(5).lines(of: "gatt_discovery_repeated") == [
        "This host discovered the peer's services 5 times on one connection #5 #21"
      ])
    #expect(capture(4).lines(of: "gatt_discovery_repeated") == [])
    // Services that change have to be discovered again.
    let changes = evidence {
      $0.connect()
      for count in 0..<6 {
        $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 f\(count) ff")
        $0.ask("10 14 00 ff ff 00 28", "01 10 14 00 0a")
      }
    }
    #expect(changes.lines(of: "gatt_discovery_repeated") == [])
    // One on each of five connections.
    let connections = evidence {
      for _ in 0..<5 {
        $0.connect()
        search(&$0)
        $0.disconnect()
      }
    }
    #expect(connections.lines(of: "gatt_discovery_repeated") == [])
    // Searches that do not come to their end.
    let parts = evidence {
      $0.connect()
      for _ in 0..<6 { $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 f0 ff") }
    }
    #expect(parts.lines(of: "gatt_discovery_repeated") == [])
  }

  @Test("a server that answers with services below the requested handles") func backward() {
    func capture(_ count: Int) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18 06 00 09 00 01 18")
        for _ in 0..<count {
          $0.ask("10 0a 00 ff ff 00 28", "11 06 01 00 05 00 00 18 06 00 09 00 01 18")
        }
      }
      return evidence.lines(of: "gatt_discovery_backward")
    }
    #expect(
      capture(5) == [
        "The peer answers a search for services with earlier ones, 5 times #5 #13"
      ])
    #expect(capture(4) == [])
  }

  @Test("an advertised UUID whose bytes are reversed") func reversed() {
    let bytes = (0..<16).map { "0\(String($0, radix: 16))" }
    func capture(_ advertised: [String], isComplete: Bool = true) -> [String] {
      let evidence = evidence {
        $0.advertise(data: "02 01 06 11 07 \(advertised.joined(separator: " "))")
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 14 0e 00 13 00 \(bytes.joined(separator: " "))")
        if isComplete { $0.ask("10 14 00 ff ff 00 28", "01 10 14 00 0a") }
      }
      return evidence.lines(of: "adv_uuid_reversed")
    }
    #expect(
      capture(bytes.reversed()) == [
        "The peer advertises the UUID of a service with its bytes in reverse order #1 #6"
      ])
    #expect(capture(bytes) == [])
    #expect(capture(bytes.reversed(), isComplete: false) == [])
  }

  @Test("pairing on each connection because the peer does not bond") func notBonded() {
    func capture(_ count: Int = 2, peerAuth: UInt8 = 0, key: Bool = false) -> [Finding] {
      let evidence = evidence {
        for _ in 0..<count {
          $0.connect()
          $0.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: peerAuth)
          $0.legacyValues()
          $0.encrypt()
          $0.disconnect()
        }
        if key {
          $0.connect()
          $0.encrypted()
          $0.disconnect()
        }
      }
      return evidence.findings(of: "smp_not_bonded")
    }
    #expect(
      capture().map(\.line) == [
        "The devices paired on 2 connections, because the peer does not bond #3 #13"
      ])
    #expect(capture().first?.connections == [1, 2])
    #expect(capture().first?.severity == .note, "nothing was refused, so no bond may be meant")
    #expect(capture(1).isEmpty)
    #expect(capture(peerAuth: 1).isEmpty)
    #expect(capture(key: true).isEmpty)
  }
}
