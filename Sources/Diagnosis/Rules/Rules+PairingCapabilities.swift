import Bluetooth
import Cryptography
import Dissectors
import Sessions
import Words

// Rules about what the two sides declared that they can do, and want.

extension Rule {
  /// The rules about features that do not match.
  static let pairingCapabilities: [Rule] = [
    failing(
      "smp-authentication-requirements", "One side demands more than this pairing can give",
      when: "Authentication Requirements (0x03)",
      do:
        "Give one side a display and the other a keyboard, or digits to compare: on Zephyr bt_conn_auth_cb_register with passkey_display or passkey_confirm, on BlueZ an agent with KeyboardDisplay, on Nordic's SoftDevice io_caps. Or ask for no MITM protection where the device has neither; where Secure Connections is demanded, enable it on both sides."
    ) { failed in
      guard failed.reason == .authenticationRequirements else { return nil }
      return failed.unmetRequirements()
    },
    failing(
      "smp-key-size", "The key that the two sides agree on is too short for one of them",
      when: "Encryption Key Size (0x06)",
      do:
        "Allow keys of 16 bytes on the side that has shorter ones only. What a side demands is set with CONFIG_BT_SMP_MIN_ENC_KEY_SIZE on Zephyr, with min_key_size and max_key_size on Nordic's SoftDevice."
    ) { failed in
      guard failed.reason == .encryptionKeySize else { return nil }
      return failed.shortKey()
    },
    Rule(
      "smp-mitm-impossible", .note,
      "MITM protection was asked for, and the IO capabilities allow Just Works only",
      when:
        "a side asks for MITM protection, the method is Just Works, and the pairing did not fail for that",
      needs: [.bothDirections],
      do:
        "Nothing, where no attribute demands an authenticated key. Else give one side a display or a keyboard."
    ) { connection, _ in
      connection.pairing.attempts.compactMap { attempt -> Finding? in
        guard let shortfall = attempt.shortfall, let demanding = attempt.demandingMITM,
          let request = attempt.initiating.features, let response = attempt.responding.features,
          attempt.isPaired
        else { return nil }
        var finding = Finding(
          "The new key is unauthenticated although MITM protection was asked for",
          headline: "the key of \(packet: response.moment.packet) is unauthenticated",
          why:
            "\(Wording("\(demanding)").capitalized) asked for MITM protection, but \(shortfall), so the method is Just Works. Attributes that demand an authenticated key stay refused with it, and pairing once more does not help.",
          evidence: [request.moment.packet, response.moment.packet])
        finding.remedy = attempt.wayToAuthenticate.map { way -> Wording in
          "Nothing, where no attribute demands an authenticated key. Else \(way)."
        }
        return finding
      }.first.map { [$0] } ?? []
    },
  ]
}

extension PairingAttempt {
  /// What makes an authenticated key possible if the IO capabilities allow only Just Works, or nil
  /// if they do not show it.
  fileprivate var wayToAuthenticate: Wording? {
    guard let request = initiating.features?.pdu, let response = responding.features?.pdu else {
      return nil
    }
    let silent = [PairingSide.initiator, .responder].filter {
      self[$0].features?.pdu.ioCapability == .noInputNoOutput
    }
    if silent.count == 2 { return "give one side a display and the other a keyboard" }
    guard let role = silent.first else { return "give one side a keyboard" }
    let allowsComparing = request.authReq.supportsSC && response.authReq.supportsSC
    let means: Wording =
      switch (role == .initiator ? response : request).ioCapability {
      case .keyboardOnly, .keyboardDisplay: "a display or a keyboard"
      case .displayYesNo where allowsComparing: "a keyboard, or a display and a way to say yes"
      default: "a keyboard"
      }
    return "give \(side(role).words) \(means), and an IO capability that says so"
  }
}

extension FailedPairing {
  fileprivate func unmetRequirements() -> Finding {
    var pieces: [Wording] = []
    var certainty = Certainty.likely
    var clause: Wording = "\(side.words) demands more than this pairing gives"
    if let shortfall = attempt.shortfall, let demanding = attempt.demandingMITM {
      pieces.append(
        "\(Wording("\(demanding)").capitalized) asked for MITM protection, which these IO capabilities do not allow: \(shortfall) (\(attempt.capabilityWords))."
      )
      clause = "MITM protection is impossible with these IO capabilities"
    } else if attempt.method != nil {
      pieces.append(
        "What \(side.words) demands besides is not in the features: \(attempt.capabilityWords).")
    } else if let request = attempt.initiating.features?.pdu {
      // The responder has seen only the request, and does not report what it wants.
      var lacks: [Wording] = []
      if !request.authReq.wantsMITM { lacks.append("asks for no MITM protection") }
      if request.ioCapability == .noInputNoOutput { lacks.append("has no input and no output") }
      if !request.authReq.supportsSC { lacks.append("offers no Secure Connections") }
      if !request.authReq.bonds { lacks.append("does not bond") }
      pieces.append(
        lacks.isEmpty
          ? "The request offers MITM protection, Secure Connections and bonding; what \(side.words) misses is not in the capture."
          : "The request \(Wording(listing: lacks)); \(side.words) demands one of these things, and does not say which."
      )
      certainty = .possible
    }
    pieces.insert("\(side.capitalized) answered \(refused) with \(reason).", at: 0)
    return finding(
      "\(side.capitalized) demands more than this pairing can give", because: clause,
      why: Wording(pieces, joinedBy: " "), certainty)
  }

  fileprivate func shortKey() -> Finding {
    let sizes = [PairingSide.initiator, .responder].compactMap { role in
      attempt[role].features.map {
        (side: attempt.side(role).words, size: $0.pdu.maximumEncryptionKeySize)
      }
    }
    var pieces: [Wording] = ["\(side.capitalized) answered \(refused) with \(reason)."]
    if !sizes.isEmpty {
      let words = Wording(
        listing: sizes.map { "\($0.side) allows keys of at most \($0.size) bytes" })
      pieces.append(
        "\(words.capitalized)\(sizes.count == 2 ? ": the smaller size counts" : "" as StaticString)."
      )
    }
    var finding = finding(
      "The key is too short for \(side.words)", because: "the key is too short for \(side.words)",
      why: Wording(pieces, joinedBy: " "))
    let lacking = sizes.filter { $0.size < 16 }
    if !lacking.isEmpty {
      finding.remedy =
        "Allow keys of 16 bytes on \(Wording(listing: lacking.map { "\($0.side)" })). What \(side.words) demands is set with CONFIG_BT_SMP_MIN_ENC_KEY_SIZE on Zephyr, with min_key_size and max_key_size on Nordic's SoftDevice."
    }
    return finding
  }
}
