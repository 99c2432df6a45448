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
      "smp-authentication-requirements", "One side requires more than this pairing can provide",
      when: "Authentication Requirements (0x03)",
      do:
        "Give one side a display and the other a keyboard, or use numeric comparison: on Zephyr bt_conn_auth_cb_register with passkey_display or passkey_confirm, on BlueZ an agent with KeyboardDisplay, on Nordic's SoftDevice io_caps. Or do not request MITM protection if the device has neither; if Secure Connections is required, enable it on both sides."
    ) { failed in
      guard failed.reason == .authenticationRequirements else { return nil }
      return failed.unmetRequirements()
    },
    failing(
      "smp-key-size", "The negotiated key is too short for one side",
      when: "Encryption Key Size (0x06)",
      do:
        "Allow 16-byte keys on the side that offers only shorter ones. The size that a side requires is set with CONFIG_BT_SMP_MIN_ENC_KEY_SIZE on Zephyr, with min_key_size and max_key_size on Nordic's SoftDevice."
    ) { failed in
      guard failed.reason == .encryptionKeySize else { return nil }
      return failed.shortKey()
    },
    Rule(
      "smp-mitm-impossible", .note, .meaning,
      "MITM protection was requested, but the IO capabilities allow only Just Works",
      when:
        "a side requests MITM protection, the method is Just Works, and the pairing did not fail because of that",
      needs: [.bothDirections],
      do:
        "Nothing, if no attribute requires an authenticated key. Otherwise give one side a display or a keyboard."
    ) { connection, _ in
      connection.pairing.attempts.compactMap { attempt -> Finding? in
        guard let shortfall = attempt.shortfall, let demanding = attempt.demandingMITM,
          let request = attempt.initiating.features, let response = attempt.responding.features,
          attempt.isPaired
        else { return nil }
        var finding = Finding(
          "The new key is unauthenticated although MITM protection was requested",
          headline: "the key of \(packet: response.moment.packet) is unauthenticated",
          why:
            "\(Wording("\(demanding)").capitalized) requested MITM protection, but \(shortfall), so the method is Just Works. Attributes that require an authenticated key still refuse access, and pairing again does not help.",
          evidence: [request.moment.packet, response.moment.packet])
        finding.remedy = attempt.wayToAuthenticate.map { way -> Wording in
          "Nothing, if no attribute requires an authenticated key. Otherwise \(way)."
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
      case .displayYesNo where allowsComparing: "a keyboard, or a display and a way to confirm"
      default: "a keyboard"
      }
    return "give \(side(role).words) \(means), and the matching IO capability"
  }
}

extension FailedPairing {
  fileprivate func unmetRequirements() -> Finding {
    var pieces: [Wording] = []
    var certainty = Certainty.likely
    var remedy: Wording?
    var clause: Wording = "\(side.words) requires more than this pairing provides"
    if let shortfall = attempt.shortfall, let demanding = attempt.demandingMITM {
      pieces.append(
        "\(Wording("\(demanding)").capitalized) requested MITM protection, which these IO capabilities do not allow: \(shortfall) (\(attempt.capabilityWords))."
      )
      clause = "MITM protection is impossible with these IO capabilities"
    } else if attempt[role].features?.pdu.authReq.supportsSC == true,
      let others = attempt[otherRole].features, !others.pdu.authReq.supportsSC
    {
      let other = attempt.side(otherRole)
      pieces.append(
        "\(side.capitalized) supports Secure Connections and \(other.words) does not (\(packet: others.moment.packet)), so this would be legacy pairing: a side that accepts only Secure Connections refuses it like this."
      )
      clause = "\(side.words) seems to accept only Secure Connections, which \(other.words) lacks"
      remedy =
        "Enable LE Secure Connections on \(other.words) (Zephyr: CONFIG_BT_SMP_SC_PAIR_ONLY needs it on both sides; BlueZ: a controller of Bluetooth 4.2 or later), or let \(side.words) accept legacy pairing."
    } else if attempt.method != nil {
      pieces.append(
        "The pairing features do not show what else \(side.words) requires: \(attempt.capabilityWords)."
      )
    } else if let request = attempt.initiating.features?.pdu {
      // The responder has seen only the request, and does not report what it wants.
      var lacks: [Wording] = []
      if !request.authReq.wantsMITM { lacks.append("does not request MITM protection") }
      if request.ioCapability == .noInputNoOutput { lacks.append("has no input and no output") }
      if !request.authReq.supportsSC { lacks.append("does not offer Secure Connections") }
      if !request.authReq.bonds { lacks.append("does not request bonding") }
      pieces.append(
        lacks.isEmpty
          ? "The request offers MITM protection, Secure Connections and bonding; the capture does not show what else \(side.words) requires."
          : "The request \(Wording(listing: lacks)); \(side.words) requires one of these, but does not state which."
      )
      certainty = .possible
    }
    pieces.insert("\(side.capitalized) answered \(refused) with \(reason).", at: 0)
    var finding = finding(
      "\(side.capitalized) requires more than this pairing can provide", because: clause,
      why: Wording(pieces, joinedBy: " "), certainty)
    finding.remedy = remedy
    return finding
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
        "Allow 16-byte keys on \(Wording(listing: lacking.map { "\($0.side)" })). The size that \(side.words) requires is set with CONFIG_BT_SMP_MIN_ENC_KEY_SIZE on Zephyr, with min_key_size and max_key_size on Nordic's SoftDevice."
    }
    return finding
  }
}
