import Bluetooth
import Cryptography
import MadeTraffic

extension Twin {
  /// The twins of the rules about pairing, keys and bonds.
  static let pairingTwins: [Twin] =
    [
      Twin("smp_not_supported", or: "it keeps a bond with the other side, and does not replace it")
      {
        $0.connect()
        $0.smp("0b 05", .received)
        $0.pairingFailed(5, .sent)
      } openIn: {
        $0.connect()
        $0.smp("01 03 00 01 10 01 01", .sent)
        $0.pairingFailed(5)
      },
      Twin(
        "smp_authentication_requirements",
        or: "it accepts only Secure Connections, which the other side does not offer"
      ) {
        refuse(&$0, auth: 5)
      } openIn: {
        refuse(&$0, auth: 13)
      },
      Twin(
        "smp_authentication_requirements",
        or: "it requires something that its features do not show, or keeps a better key"
      ) {
        refuse(&$0, auth: 5)
      } openIn: {
        refuse(&$0, auth: 5, by: .received)
      },
      Twin("smp_passkey_mismatch", or: "a side computes its confirm values wrongly") {
        LegacyValues().play(&$0, 123, 124, refusedBy: .sent)
      } openIn: {
        LegacyValues().play(&$0, 123, 124, refusedBy: .received)
      },
      Twin(
        "smp_confirm_deviates", or: "this host used an address whose change the capture lacks"
      ) {
        var legacy = LegacyValues()
        legacy.peer = PairingAddress(legacy.peer.address, isRandom: false)
        legacy.play(&$0, 123, 123, refusedBy: .received)
      } openIn: {
        $0.command(0x2005, little(0xc0aa_aaaa_aaaa, width: 6))
        $0.command(0x200d, [UInt8](repeating: 0, count: 12) + [1])
        LegacyValues().play(&$0, 123, 124, refusedBy: .received)
      },
      Twin("smp_confirm_deviates", or: "its temporary key is not a passkey of six digits") {
        $0.connect()
        $0.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
        $0.legacyValues()
        $0.pairingFailed(4, .sent)
      } openIn: {
        $0.connect()
        $0.exchangeFeatures()
        $0.legacyValues()
        $0.pairingFailed(4, .sent)
      },
      Twin("smp_confirm_failed", or: "a side computes its confirm values wrongly") {
        $0.connect()
        $0.exchangeFeatures()
        $0.pairingValue(3, 1, .sent)
        $0.pairingFailed(4)
      } openIn: {
        $0.connect()
        $0.smp(Traffic.pairingFeatures(response: false, io: 3, auth: 1, outOfBand: 1), .sent)
        $0.smp(Traffic.pairingFeatures(response: true, io: 3, auth: 1, outOfBand: 1), .received)
        $0.legacyValues()
        $0.pairingFailed(4)
      },
      Twin(
        "smp_numeric_rejected", or: "the refusing user had cancelled before the digits were shown"
      ) {
        refuseDigits(&$0, after: 2_000)
      } openIn: {
        refuseDigits(&$0, after: 0)
      },
      Twin("smp_unexpected", or: "one Security Manager answers twice") {
        answerTwice(&$0, io: 4)
      } openIn: {
        answerTwice(&$0, io: 3)
      },
      Twin(
        "smp_user_silent",
        or: "no user is asked at this step, and that side stopped for another reason"
      ) {
        fallSilent(&$0, io: 2, peerIO: 0)
      } openIn: {
        fallSilent(&$0, io: 3, peerIO: 3)
      },
      Twin("smp_passkey_exposed", or: "the link was already encrypted when the capture began") {
        $0.connect()
        pairLegacy(&$0, io: 2)
      } openIn: {
        pairLegacy(&$0, io: 2)
      },
      Twin("smp_key_exposed", or: "the link was already encrypted when the capture began") {
        $0.connect()
        pairLegacy(&$0, io: 3)
      } openIn: {
        pairLegacy(&$0, io: 3)
      },
      Twin("bond_address_unresolved", or: "the key is new, from a pairing that the capture lacks") {
        encryptPrivately(&$0, ediv: 0x1234)
      } openIn: {
        encryptPrivately(&$0, ediv: 0)
      },
    ] + encryptionTwins

  /// The twins of the rules about lost links and lost bonds.
  private static let encryptionTwins: [Twin] = [
    Twin("enc_keys_differ", or: "another Link Layer procedure ran meanwhile, and the key is right")
    {
      failToEncrypt(&$0)
    } openIn: {
      failToEncrypt(&$0) { $0.setPHY() }
    },
    Twin(
      "enc_keys_differ",
      or: "data crossed the link unencrypted meanwhile, and the key is right"
    ) {
      failToEncrypt(&$0)
    } openIn: {
      failToEncrypt(&$0) { $0.sent("52 03 00 01") }
    },
    Twin(
      "enc_keys_differ", or: "the key is right, as on an earlier connection; a controller fails"
    ) {
      $0.bond(key: 0x22)
      failToEncrypt(&$0)
    } openIn: {
      $0.bond(key: 0x11)
      failToEncrypt(&$0)
    },
    Twin(
      "enc_keys_differ", or: "the link was lost for another reason, such as the distance"
    ) {
      failToEncrypt(&$0)
    } openIn: {
      failToEncrypt(&$0, reason: 0x08)
    },
    Twin("enc_keys_differ", or: "encryption worked, as the controller reported") {
      failToEncrypt(&$0)
    } openIn: {
      failToEncrypt(&$0, reason: 0x08) {
        $0.encrypted()
        $0.sent("0a 03 00")
      }
    },
    Twin("enc_keys_differ", or: "the peer ended the link by itself, for another reason") {
      failToEncrypt(&$0)
    } openIn: {
      failToEncrypt(&$0, reason: 0x13)
    },
    Twin("enc_keys_differ", or: "the peer has lost its key, and ends the link instead") {
      failToEncrypt(&$0)
    } openIn: {
      failToEncrypt(&$0, reason: 0x13)
    },
    Twin("enc_mic_failure", or: "the two sides have different keys") {
      $0.bond()
      encryptTooEarly(&$0, succeedsLater: true)
    } openIn: {
      encryptTooEarly(&$0)
    },
    Twin("enc_mic_failure", or: "a controller fails for another reason") {
      disturb(&$0, times: 2)
    } openIn: {
      disturb(&$0)
    },
    Twin(
      "enc_key_missing_peripheral",
      or: "it has the key, but did not recognise the other side behind its private address"
    ) {
      lackKey(&$0, own: 0xc0ff_eec0_ffee)
    } openIn: {
      lackKey(&$0, own: 0x40ff_eec0_ffee)
    },
    Twin("enc_key_missing_peripheral", or: "it has lost the key") {
      lackKey(&$0, own: 0xc0ff_eec0_ffee)
    } openIn: {
      $0.connect(peer: 0x4011_2233_4455, role: 1)
      $0.pairLegacy(by: .received)
      $0.requestKey(key: 0x22, ediv: 0x1234, rand: 7)
      $0.encrypted()
      $0.disconnect()
      $0.connect(peer: 0x4022_2233_4455, role: 1)
      $0.requestKey(key: nil, ediv: 0x1234, rand: 7)
      $0.disconnect()
    },
    Twin(
      "enc_key_missing_central",
      or: "the peripheral keeps no bond, and does not pair at the moment, or at all"
    ) {
      $0.addControl(
        0x0013,
        [1, 0] + little(0xc011_2233_4455, width: 6) + [2, 0, 0, 16] + little(0x1234)
          + little(7, width: 8) + [UInt8](repeating: 0x11, count: 16))
      refuseAnew(&$0, reason: 5, role: 1)
    } openIn: {
      $0.bond()
      refuseAnew(&$0, reason: 5)
    },
    Twin("enc_key_missing_central", or: "the pairing does not meet its requirements") {
      $0.bond()
      refuseAnew(&$0, reason: 5)
    } openIn: {
      $0.bond()
      refuseAnew(&$0, reason: 3)
    },
    Twin("enc_key_missing_central", or: "it ended the pairing for a reason that it does not give") {
      $0.bond()
      refuseAnew(&$0, reason: 5)
    } openIn: {
      $0.bond()
      refuseAnew(&$0, reason: 8)
    },
  ]

  // MARK: Traffic

  /// MITM protection that the peer, without input and output, makes impossible; `side` refuses.
  private static func refuse(
    _ traffic: inout Traffic, auth: UInt8, by side: Direction = .sent
  ) {
    traffic.connect()
    traffic.exchangeFeatures(io: 4, auth: auth, peerIO: 3, peerAuth: 1)
    traffic.pairingFailed(3, side)
  }

  private static func refuseDigits(_ traffic: inout Traffic, after pause: Int) {
    traffic.connect()
    traffic.exchangeFeatures(io: 1, auth: 13, peerIO: 1, peerAuth: 13)
    traffic.pairingValue(3, 2, .received)
    traffic.pairingValue(4, 3, .sent)
    traffic.pairingValue(4, 4, .received)
    traffic.wait(pause)
    traffic.pairingFailed(12)
  }

  /// A second Pairing Response; the first one has the IO capability 3.
  private static func answerTwice(_ traffic: inout Traffic, io: UInt8) {
    traffic.connect()
    traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
    traffic.smp(Traffic.pairingFeatures(response: true, io: io, auth: 1), .received)
    traffic.pairingFailed(8)
  }

  private static func fallSilent(_ traffic: inout Traffic, io: UInt8, peerIO: UInt8) {
    traffic.connect()
    traffic.exchangeFeatures(io: io, peerIO: peerIO)
    traffic.wait(30_000)
    traffic.disconnect(reason: 0x13)
  }

  private static func pairLegacy(_ traffic: inout Traffic, io: UInt8) {
    traffic.exchangeFeatures(io: io)
    traffic.legacyValues()
    traffic.encrypt()
  }

  private static func encryptPrivately(_ traffic: inout Traffic, ediv: Int) {
    traffic.connect(peer: 0x4011_2233_4455)
    traffic.startEncryption(ediv: ediv, rand: ediv)
    traffic.encrypted()
    traffic.received("0b 64")
  }

  /// A stored key, after which the link is lost; `meanwhile` is what comes in between.
  private static func failToEncrypt(
    _ traffic: inout Traffic, reason: UInt8 = 0x3d, _ meanwhile: (inout Traffic) -> Void = { _ in }
  ) {
    traffic.connect()
    traffic.startEncryption(ediv: 0x1234, rand: 7)
    meanwhile(&traffic)
    traffic.wait(600)
    traffic.disconnect(reason: reason)
  }

  /// Encryption with the key of `bond`, before whose end data is sent.
  private static func encryptTooEarly(_ traffic: inout Traffic, succeedsLater: Bool = false) {
    traffic.connect()
    if !succeedsLater { traffic.pairSecurely() }
    traffic.startEncryption()
    traffic.sent("52 03 00 01")
    traffic.disconnect(reason: 0x3d)
    guard succeedsLater else { return }
    traffic.connect()
    traffic.startEncryption()
    traffic.encrypted()
    traffic.received("0b 64")
  }

  /// A bond, and links that are lost while encryption is started and the PHY changes.
  private static func disturb(_ traffic: inout Traffic, times: Int = 1) {
    traffic.bond()
    for _ in 0..<times {
      traffic.connect()
      traffic.setPHY()
      traffic.startEncryption()
      traffic.disconnect(reason: 0x3d)
    }
  }

  /// A bond that the peer has lost, from this host's own random address.
  private static func lackKey(_ traffic: inout Traffic, own: Int) {
    traffic.command(0x2005, little(own, width: 6))
    traffic.command(0x200d, [UInt8](repeating: 0, count: 12) + [1])
    traffic.connect()
    traffic.startEncryption(ediv: 0x1234, rand: 7)
    traffic.encrypted(status: 0x06, enabled: 0)
    traffic.disconnect()
  }

  /// A Pairing Request that is refused at once, without an attempt to encrypt.
  private static func refuseAnew(_ traffic: inout Traffic, reason: UInt8, role: UInt8 = 0) {
    traffic.connect(role: role)
    traffic.smp("01 03 00 01 10 01 01", role == 0 ? .sent : .received)
    traffic.pairingFailed(reason, role == 0 ? .received : .sent)
    traffic.command(0x0c03)
    traffic.disconnect()
  }
}

extension Traffic {
  /// Appends LE Set PHY and its Command Status.
  fileprivate mutating func setPHY() {
    command(0x2032, little(0x40) + hex("00 02 02 00 00"))
    status(0x2032)
  }
}
