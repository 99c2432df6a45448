// Bonds that one side has lost.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("A bond is missing on one side") struct MissingKeyRuleTests {
  private static let peripheral = "enc_key_missing_peripheral"
  private static let central = "enc_key_missing_central"

  @Test("the peer answers PIN or Key Missing to a stored key: its bond is lost")
  func lostByPeer() {
    let evidence = evidence {
      $0.bond()
      $0.connect()
      $0.startEncryption()
      $0.encrypted(status: 0x06, enabled: 0)
      $0.endLink()
    }
    let found = evidence.findings()
    #expect(found.map(\.rule.description) == [Self.peripheral])
    #expect(found.first?.line == "The peer has lost the key of the bond #8 #14 #16")
    #expect(found.first?.severity == .error)
    #expect(
      found.first.whyText.hasSuffix(
        "On connection 1 both still had the bond (#8), so the peer has lost it since."))
  }

  @Test("the same on the peripheral: this host's Negative Reply") func lostHere() {
    let evidence = evidence {
      $0.bondAsPeripheral()
      $0.connect(role: 1)
      $0.requestKey(key: nil)
      $0.disconnect()
    }
    #expect(rules(in: evidence) == [Self.peripheral])
    #expect(
      evidence.lines(of: Self.peripheral) == [
        "This host has lost the key of the bond that the peer uses #9 #13 #14"
      ])
  }

  @Test("resolved by pairing on the same connection: a note")
  func putRight() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.encrypted(status: 0x06, enabled: 0)
      $0.pairLegacy()
      $0.startEncryption(key: 0x22)
      $0.encrypted()
    }
    let found = evidence.findings().filter { $0.rule.description != "smp_key_exposed" }
    #expect(found.map(\.rule.description) == [Self.peripheral])
    #expect(found.allSatisfy { $0.severity == .note && $0.isResolved })
  }

  @Test("a program deleted the bond and the two have paired again: nothing is left to fix")
  func deletedAndPairedAnew() {
    func remedy(unpairs: Bool, pairs: Bool, reconnects: Bool) -> String {
      let evidence = evidence {
        $0.bondAsPeripheral()
        if unpairs { $0.management(event: false, 0x1b, [1]) }
        $0.connect(role: 1)
        $0.requestKey(key: nil)
        if reconnects {
          $0.disconnect()
          $0.connect(role: 1)
        }
        if pairs {
          $0.pairLegacy(by: .received)
          $0.requestKey(key: 0x22)
          $0.encrypted()
        }
      }
      let finding = evidence.finding(Self.peripheral)
      return finding?.remedy?.text ?? ""
    }
    for reconnects in [false, true] {
      #expect(
        remedy(unpairs: true, pairs: true, reconnects: reconnects)
          == "Nothing more: a program on this host had deleted the bond (#12), and the devices have paired again since."
      )
    }
    for (unpairs, pairs) in [(true, false), (false, true)] {
      let remedy = remedy(unpairs: unpairs, pairs: pairs, reconnects: false)
      #expect(!remedy.hasPrefix("Nothing more"), "\(unpairs) \(pairs): \(remedy)")
    }
  }

  @Test("a second attempt with the same key succeeds: neither side has lost a bond")
  func secondAttempt() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.encrypted(status: 0x06, enabled: 0)
      $0.startEncryption()
      $0.encrypted()
    }
    #expect(evidence.packets(of: Self.peripheral) == ["#2 #4 #7"])
    #expect(evidence.findings().allSatisfy { $0.severity == .note })
  }

  @Test("resolved on a later connection with the device: a warning") func laterConnection() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.encrypted(status: 0x06, enabled: 0)
      $0.disconnect()
      $0.connect()
      $0.pairLegacy()
      $0.startEncryption(key: 0x22)
      $0.encrypted()
    }
    let found = evidence.findings(of: Self.peripheral)
    #expect(found.map(\.severity) == [.warning])
  }

  @Test("encryption with the peer's key gives no finding") func sound() {
    let evidence = evidence {
      $0.bond()
      $0.connect()
      $0.startEncryption()
      $0.encrypted()
      $0.received("0b 64")
      $0.disconnect()
    }
    #expect(rules(in: evidence) == [])
  }

  // MARK: Lost by the central

  @Test("this host pairs again without trying its key, and the peer that keeps the bond refuses")
  func lostByCentral() {
    let evidence = evidence {
      $0.bond()
      $0.connect()
      $0.smp("01 03 00 01 10 01 01", .sent)
      $0.smp("05 05", .received)
      $0.disconnect()
    }
    #expect(
      evidence.lines(of: Self.central) == [
        "This host has lost the key of the bond, and the peer refuses to pair again #8 #14 #15"
      ])
  }

  @Test("the same on the peripheral") func lostByCentralThere() {
    let evidence = evidence {
      $0.bondAsPeripheral()
      $0.connect(role: 1)
      $0.smp("01 03 00 01 10 01 01", .received)
      $0.smp("05 03", .sent)
      $0.disconnect()
    }
    #expect(
      evidence.lines(of: Self.central) == [
        "The peer has lost the key of the bond, and this host refuses to pair again #9 #13 #14"
      ])
  }

  @Test(
    "no lost bond if there was none before, the key was tried, or the reason is another",
    arguments: [0, 1, 2])
  func notLostByCentral(_ variant: Int) {
    let evidence = evidence {
      if variant != 0 { $0.bond() }
      $0.connect()
      if variant == 1 {
        $0.startEncryption()
        $0.encrypted(status: 0x06, enabled: 0)
      }
      $0.smp("01 03 00 01 10 01 01", .sent)
      // Repeated Attempts already names the reason.
      $0.smp(variant == 2 ? "05 09" : "05 05", .received)
      $0.disconnect()
    }
    #expect(evidence.lines(of: Self.central) == [])
  }

  // MARK: Captures

  @Test(
    "the generated lost bond, from both sides",
    arguments: [
      ("bond_key_missing", "#59 #88 #90"),
      ("bond_key_missing.peripheral", "#62 #84 #85"),
    ])
  func generated(_ name: String, _ expected: String) throws {
    guard let evidence = try evidence(ofCapture: "generated/\(name).btsnoop", beside: true) else {
      return
    }
    #expect(evidence.packets(of: Self.peripheral) == [expected])
    #expect(evidence.findings().filter { $0.severity == .error }.count == 1)
  }

  @Test("the kernel's lost bond: a legacy key that Unpair Device had deleted on one side")
  func kernel() throws {
    guard let evidence = try evidence(ofCapture: "kernel/btmon-lost-59.btsnoop", beside: true)
    else { return }
    #expect(evidence.packets(of: Self.peripheral) == ["#2501 #2584 #2732 #2733"])
  }

  @Test("a reconnection with the bond's key, from both sides: no error")
  func reconnection() throws {
    for side in ["", ".peripheral"] {
      guard
        let evidence = try evidence(
          ofCapture: "generated/bond_privacy_reconnect\(side).btsnoop", beside: true)
      else { return }
      let encryption = evidence.connections.last?.encryption
      #expect(encryption?.attempts.map(\.origin) == [.stored], "\(side)")
      #expect(evidence.findings().allSatisfy { $0.severity == .note }, "\(side)")
    }
  }
}
