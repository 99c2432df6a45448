// Encryption that fails, or for which the two sides have different keys.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Encryption that fails") struct EncryptionRuleTests {
  private static let differ = "enc_keys_differ"

  @Test(
    "a stored key, nothing received, a dead link: different keys, as certain as the reason allows",
    arguments: [
      (0x3d, Certainty.certain), (0x08, Certainty.likely), (0x13, Certainty.possible),
    ] as [(UInt8, Certainty)])
  func keysDiffer(_ reason: UInt8, _ certainty: Certainty) {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption(ediv: 0x1234, rand: 7)
      $0.clock += 700
      $0.disconnect(reason: reason)
    }
    let found = evidence.findings(of: Self.differ)
    #expect(found.map(\.packets) == ["#2 #4"])
    #expect(found.map(\.certainty) == [certainty])
  }

  @Test("on the peripheral: it detects it, after it has given its key") func keysDifferHere() {
    let evidence = evidence {
      $0.connect(role: 1)
      $0.requestKey(key: 0x11, ediv: 0x1234, rand: 7)
      $0.disconnect(reason: 0x3d)
    }
    #expect(evidence.packets(of: Self.differ) == ["#2 #3 #5"])
  }

  @Test("Encryption Change that fails with MIC Failure has the same finding") func failedChange() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.encrypted(status: 0x3d, enabled: 0)
      $0.disconnect(reason: 0x3d)
    }
    #expect(rules(in: evidence) == [Self.differ])
  }

  @Test(
    "no different keys if data arrived, this host disconnected, the timeout had long passed, the key is new, or the link worked",
    arguments: 0..<6)
  func keysDoNotDiffer(_ variant: Int) {
    let evidence = evidence {
      $0.connect()
      if variant == 3 { $0.pairSecurely() }
      $0.startEncryption()
      if variant == 0 {
        $0.encrypted()
        $0.received("0b 64")
      }
      if variant == 1 { $0.askToDisconnect() }
      if variant == 2 { $0.clock += 5_000 }
      // The peer ends an encrypted but unused link, which proves nothing.
      if variant == 4 { $0.encrypted() }
      // The peer acknowledged this host's data.
      if variant == 5 {
        $0.encrypted()
        $0.sent("0a 03 00")
        $0.completed(1)
      }
      $0.disconnect(reason: variant == 1 || variant == 4 ? 0x13 : 0x08)
    }
    #expect(evidence.lines(of: Self.differ) == [], "variant \(variant)")
  }

  @Test("a working link is lost to an integrity check: no mention of different keys")
  func micFailure() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.encrypted()
      $0.received("0b 64")
      $0.clock += 3_000
      $0.disconnect(reason: 0x3d)
    }
    #expect(rules(in: evidence) == ["enc_mic_failure"])
    #expect(
      evidence.lines(of: "enc_mic_failure") == [
        "The link was lost because a packet failed its integrity check #4 #5 #6"
      ])
  }

  @Test("the same end of a link whose encryption began before the capture") func micFailureLate() {
    let evidence = evidence {
      $0.received("0b 64")
      $0.disconnect(reason: 0x3d)
    }
    #expect(rules(in: evidence).contains("enc_mic_failure"))
    #expect(!rules(in: evidence).contains(Self.differ))
  }

  @Test("the status names the rejecting side", arguments: [(0x1a, 0), (0x0c, 0x0c)])
  func rejected(_ change: UInt8, _ atOnce: UInt8) {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption(status: atOnce)
      if atOnce == 0 { $0.encrypted(status: change, enabled: 0) }
    }
    #expect(rules(in: evidence) == ["enc_rejected"])
    let why = evidence.findings().first?.why.text ?? ""
    #expect(why.contains(atOnce == 0 ? "it was refused" : "controller refused to start"))
  }

  @Test("a refused command while another was pending, which succeeded, is a note")
  func rejectedOnce() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption(status: 0x0c)
      $0.startEncryption()
      $0.encrypted()
    }
    #expect(evidence.findings().map(\.severity) == [.note])
  }

  @Test("Authentication Failure has its own rule") func authenticationFailure() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.encrypted(status: 0x05, enabled: 0)
    }
    #expect(evidence.packets(of: "enc_authentication_failure") == ["#2 #4"])
    #expect(rules(in: evidence) == ["enc_authentication_failure"])
  }

  @Test("BR/EDR: a stored link key that the other side does not accept, and one that it does")
  func classic() {
    for status: UInt8 in [0x05, 0x00] {
      let evidence = evidence {
        $0.connectClassic()
        $0.begin(0x0411, little(0x40))
        $0.event(0x17, little(0xc011_2233_4455, width: 6))
        $0.perform(0x040b, little(0xc011_2233_4455, width: 6) + [UInt8](repeating: 0x33, count: 16))
        $0.event(0x06, [status] + little(0x40))
      }
      #expect(
        evidence.lines(of: "enc_authentication_failure")
          == (status == 0
            ? []
            : ["Authentication over BR/EDR failed: Authentication Failure (0x05) #2 #5 #7"]))
    }
  }

  @Test("encryption without any result, after ten seconds and not before")
  func neverCompletes() {
    for wait in [12_000, 2_000] {
      let evidence = evidence {
        $0.connect()
        $0.startEncryption()
        $0.clock += wait
        $0.event(0x13, [0])
      }
      #expect(rules(in: evidence) == (wait > 10_000 ? ["enc_timeout"] : []), "\(wait) ms")
    }
  }

  @Test("LL Response Timeout makes it certain") func linkLayerTimeout() {
    let evidence = evidence {
      $0.connect()
      $0.startEncryption()
      $0.clock += 40_000
      $0.disconnect(reason: 0x22)
    }
    #expect(evidence.findings().map(\.certainty) == [.certain])
    #expect(rules(in: evidence) == ["enc_timeout"])
  }

  @Test("a request for the key that this host leaves open, and one that it answers")
  func unanswered() {
    for isAnswered in [false, true] {
      let evidence = evidence {
        $0.connect(role: 1)
        if isAnswered {
          $0.requestKey(key: 0x11)
          $0.encrypted()
        } else {
          $0.askForKey()
        }
        $0.perform(0x1405, little(0x40), returns: [0] + little(0x40) + [0xc0])
        $0.clock += 5_000
        $0.disconnect()
      }
      #expect(rules(in: evidence) == (isAnswered ? [] : ["enc_timeout"]))
    }
  }

  @Test(
    "a short key is reported, from the controller or from the pairing; 16 bytes are not")
  func keySize() {
    for (reported, offered) in [(7, 16), (0, 7), (16, 16)] as [(UInt8, Int)] {
      let evidence = evidence {
        $0.connect()
        $0.pairLegacy(sizes: (16, offered))
        $0.startEncryption()
        if reported > 0 { $0.encrypted(keySize: reported) } else { $0.encrypted() }
      }
      #expect(
        evidence.lines(of: "enc_key_size").count == (reported == 16 ? 0 : 1),
        "\(reported), \(offered)")
    }
  }

  @Test(
    "truncated, reordered and repeated events never trap, and memory stays limited")
  func hostile() {
    let evidence = evidence {
      $0.connect()
      for round in 0..<200 {
        for length in 0..<12 {
          $0.command(
            0x2019, [UInt8](little(0x40) + hex("00 00 00 00 00 00 00")).prefix(length).map { $0 })
          $0.meta(0x05, Array((little(0x40) + [1, 2, 3, 4, 5, 6, 7]).prefix(length)))
          $0.event(0x08, Array([UInt8(round & 0xff), 0x40, 0, 1].prefix(length)))
          $0.event(0x59, Array([0, 0x40, 0, 1].prefix(length)))
          $0.event(0x30, Array([0, 0x40, 0].prefix(length)))
          $0.event(0x06, Array([5, 0x40, 0].prefix(length)))
        }
      }
      $0.disconnect(reason: 0x3d)
    }
    #expect(evidence.connections.allSatisfy { $0.encryption.attempts.count <= 16 })
    #expect(evidence.connections.allSatisfy { $0.encryption.authentications.count <= 8 })
    _ = evidence.findings()
  }
}

@Suite("Facts about keys and encryption") struct KeyFactTests {
  // MARK: Key sizes

  @Test("the packet with the key's size is cited; 0 is no size") func keySizePacket() {
    func found(_ size: UInt8) -> [String] {
      evidence {
        $0.connectClassic()
        $0.begin(0x0413, little(0x40) + [1])
        $0.encrypted()
        $0.perform(0x1408, little(0x40), returns: [0] + little(0x40) + [size])
      }.lines(of: "enc_key_size")
    }
    #expect(found(7) == ["The encryption key has only 7 bytes #2 #4 #6"])
    #expect(found(0) == [])
    #expect(found(16) == [])
    let negotiated = evidence {
      $0.connect()
      $0.pairLegacy(sizes: (16, 7))
      $0.startEncryption()
      $0.encrypted()
    }
    #expect(negotiated.packets(of: "enc_key_size") == ["#2 #3 #8 #10"])
    #expect(negotiated.finding("enc_key_size").remedyText.hasPrefix("Make the peer offer"))
  }

  @Test("a key that is shorter than on an earlier connection of the two") func keyShrinks() {
    func found(from size: UInt8) -> String? {
      evidence {
        for size in [size, 7] {
          $0.connect()
          $0.startEncryption()
          $0.encrypted(keySize: size)
          $0.received("0b 64")
          $0.disconnect()
        }
      }.finding("enc_key_size")?.what.text
    }
    #expect(found(from: 16) == "The encryption key has only 7 bytes, after one of 16")
    #expect(found(from: 7)?.contains("fell") == false)
  }

  // MARK: Pairing that is complete or confirmed

  @Test("a complete pairing after which the initiator starts no encryption, and one with it")
  func neverEncrypted() {
    func found(encrypts: Bool, waits: Int = 2_000) -> [String] {
      evidence {
        $0.connect()
        $0.command(0x1405, little(0x40))
        $0.exchangeFeatures()
        $0.legacyValues()
        if encrypts { $0.encrypt() }
        $0.wait(waits)
        $0.disconnect()
      }.lines(of: "smp_not_encrypted")
    }
    #expect(
      found(encrypts: false)
        == ["The pairing was complete, but this host did not encrypt the link #8 #9"])
    #expect(found(encrypts: true) == [])
  }

  @Test("a pairing over BR/EDR that this host confirmed, and that led to nothing or to a key")
  func confirmedInVain() {
    func found(hasKey: Bool, encrypts: Bool = false) -> Finding? {
      let peer = little(0xc011_2233_4455, width: 6)
      return evidence {
        $0.connectClassic()
        $0.ask("0a 03 00", "0b 64")
        $0.begin(0x0411, little(0x40))
        $0.event(0x33, peer + little(123456, width: 4))
        $0.perform(0x042c, peer, returns: [0] + peer)
        if hasKey { $0.event(0x18, peer + [UInt8](repeating: 0x33, count: 16) + [4]) }
        if encrypts {
          $0.command(0x0413, little(0x40) + [1])
          $0.encrypted()
        }
        $0.wait(10_000)
        $0.disconnect()
      }.finding("smp_not_encrypted")
    }
    #expect(found(hasKey: false)?.severity == .error)
    #expect(
      found(hasKey: false)?.what.text
        == "This host confirmed the pairing, but the link was never encrypted")
    #expect(found(hasKey: true)?.severity == .note)
    #expect(found(hasKey: true, encrypts: true) == nil)
  }

  // MARK: Bonds of the other transport

  @Test("a failed authentication over BR/EDR names the bond that the two made over LE")
  func bondOverLE() {
    func why(keys: String) -> String {
      evidence {
        $0.connect(peer: 0x0011_2233_4455, type: 0)
        $0.smp("01 03 00 09 10 \(keys)", .sent)
        $0.smp("02 03 00 09 10 \(keys)", .received)
        $0.pairingValue(13, 1, .sent)
        $0.pairingValue(13, 2, .received)
        $0.startEncryption()
        $0.encrypted()
        $0.received("0b 64")
        $0.disconnect()
        let peer = little(0x0011_2233_4455, width: 6)
        $0.event(0x03, [0] + little(0x41) + peer + [1, 0])
        $0.begin(0x0411, little(0x41))
        $0.event(0x17, peer)
        $0.perform(0x040b, peer + [UInt8](repeating: 0x33, count: 16))
        $0.event(0x06, [5] + little(0x41))
      }.finding("enc_authentication_failure")?.why.text ?? ""
    }
    #expect(
      why(keys: "0a 0a").hasSuffix(
        "The two had bonded over LE on connection 1 (#8); that pairing also derived a link key for BR/EDR."
      ), "\(why(keys: "0a 0a"))")
    #expect(
      why(keys: "02 02").hasSuffix("The two had bonded over LE on connection 1 (#8)."),
      "\(why(keys: "02 02"))")
  }

  // MARK: What was put right

  @Test("a pairing that succeeds on a later connection makes the failure a note")
  func laterPairing() {
    func severity(pairs: Bool) -> Severity? {
      evidence {
        $0.connect()
        $0.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
        $0.pairingFailed(8)
        $0.disconnect()
        $0.connect()
        if pairs { $0.pairAndBond() }
      }.finding("smp_unspecified")?.severity
    }
    #expect(severity(pairs: true) == .note)
    #expect(severity(pairs: false) == .error)
  }

  @Test("a bond that this host removed before the two paired again is named") func removedBond() {
    let evidence = evidence {
      $0.connect()
      $0.pairAndBond()
      $0.disconnect()
      $0.perform(0x2028, [1] + little(0xc011_2233_4455, width: 6))
      $0.connect()
      $0.exchangeFeatures()
      $0.pairingFailed(8)
    }
    let found = evidence.finding("smp_over_bond")
    #expect(found?.severity == .note)
    #expect(
      found.whyText.hasSuffix("This host had removed the device from its lists of bonds (#12)."))
  }

  // MARK: Procedures that are pending

  @Test("a pending procedure while encryption starts with a key that had worked, and a new key")
  func pendingProcedure() {
    func rules(key: UInt8) -> [String] {
      DiagnosisTests.rules(
        in: evidence {
          $0.bondAsPeripheral(key: 0x11)
          $0.connect(role: 1)
          $0.begin(0x2032, little(0x40) + hex("00 02 02 00 00"))
          $0.requestKey(key: key)
          $0.disconnect(reason: 0x3d)
        })
    }
    #expect(rules(key: 0x11) == ["enc_mic_failure"])
    #expect(rules(key: 0x22) == ["enc_keys_differ"])
  }
}
