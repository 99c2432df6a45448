import Bluetooth
import Bytes
import Sessions

// Rules about requests that are refused for lack of security. Core, Vol 3, Part F, 3.2.5, and Part C,
// 10.3.1: without a key 0x05; with a key on a link that is not encrypted 0x0f; on an encrypted link whose key
// is not authenticated where it has to be, 0x05 again.

extension Rule {
  /// Rules about requests that are refused.
  static let access: [Rule] = security + refusals

  private static let howToPair: Wording =
    """
    Pair, then ask again: iOS pairs on its own where the peer answers 0x05; on Android call \
    createBond() and repeat the request when the bond is there, with BlueZ pair first; a peripheral may \
    ask by a Security Request (Zephyr: bt_conn_set_security, Nordic: pm_conn_secure).
    """

  private static let security: [Rule] = [
    Rule(
      "att-mitm-demanded", .error,
      "A request is refused on an encrypted link, since its key is not authenticated",
      when:
        """
        Insufficient Authentication (0x05) answers a request on a link that is encrypted with a \
        key of Just Works or of an earlier pairing
        """,
      do:
        """
        Pairing again with Just Works will not help: the IO capabilities must allow a passkey or a \
        comparison (at least one side with a display or a keyboard), or the server must not demand \
        protection against a man in the middle. Delete the bond on both sides before pairing anew.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.refusals.compactMap { refusal in
          guard refusal.error.rawValue == 0x05, refusal.security.isEncrypted else { return nil }
          var why: Wording =
            """
            \(refusal.server.words) answered Insufficient Authentication (0x05) although \
            \(refusal.protection)
            """
          switch refusal.security {
          case .unauthenticated:
            why =
              """
              \(why): the attribute demands a key that protects against a man in the middle, and \
              Just Works gives none.
              """
          case .authenticated:
            why =
              "\(why): the attribute demands more than that, perhaps LE Secure Connections."
          default:
            why =
              """
              \(why): the attribute demands an authenticated key, and the stored one is none, or \
              an older one than the server's.
              """
          }
          return refusal.finding(
            why.capitalized, refusal.security == .unauthenticated ? .certain : .likely)
        })
    },
    Rule(
      "att-insufficient-authentication", .error,
      "A request is refused because the devices have no key",
      when:
        """
        Insufficient Authentication (0x05) answers a request on a link that is not encrypted; a \
        note where the same request is allowed later
        """,
      do: howToPair
    ) { connection, _ in
      Finding.together(
        connection.attributes.refusals.compactMap { refusal in
          guard refusal.error.rawValue == 0x05, !refusal.security.isEncrypted else { return nil }
          return connection.lackOfSecurity(refusal)
        })
    },
    Rule(
      "att-insufficient-encryption", .error,
      "A request is refused because the link is not encrypted",
      when:
        """
        Insufficient Encryption (0x0f) answers a request; a note where the same request is \
        allowed later
        """,
      do:
        """
        Encrypt the link before the request: with a stored key where the devices are bonded, else pair. \
        Some clients pair on 0x05 only: a server without a key for the peer should answer that.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.refusals.compactMap { refusal in
          guard refusal.error.rawValue == 0x0f else { return nil }
          return connection.lackOfSecurity(refusal)
        })
    },
    Rule(
      "att-0f-without-key", .note,
      "A server answers Insufficient Encryption where there is no key to encrypt with",
      when:
        """
        Insufficient Encryption (0x0f) answers a request on an unencrypted link of two devices \
        that pair only afterwards
        """,
      do:
        """
        Answer 0x05 as long as there is no key for the peer: some clients pair on only one of the two.
        """
    ) { connection, evidence in
      let attributes = connection.attributes
      guard !attributes.isStoredKey else { return [] }
      let isKnown = evidence.earlier(than: connection).contains {
        $0.connection.isEncrypted == true || !$0.attributes.pairingRequests.isEmpty
      }
      guard !isKnown else { return [] }
      let found = attributes.refusals.first {
        $0.error.rawValue == 0x0f && $0.security == .unencrypted
      }
      guard let refusal = found,
        let pairing = attributes.pairingRequests.first(where: {
          $0.packet > refusal.answer.packet
        })
      else { return [] }
      var finding = Finding(
        Wording("\(refusal.server.words) answered 0x0f on a link for which no key existed")
          .capitalized,
        headline:
          """
          \(refusal.server.words) answered Insufficient Encryption without a key \
          (\(packet: refusal.answer.packet))
          """,
        why:
          """
          The devices paired only afterwards (\(packet: pairing.packet)). Without a key 0x05 is \
          expected, and some clients pair on only one of the two.
          """,
        .likely, evidence: [refusal.request.packet, refusal.answer.packet])
      finding.severity = .note
      return [finding]
    },
    refused(
      "att-authorization", .error, 0x08...0x08, "A request is refused for lack of authorization",
      when: "Insufficient Authorization (0x08) answers a request",
      do:
        """
        Pairing does not help: the application of the server decides. Look for what it waits for: an \
        unlock, a button, a login of its own, or the authorization callback that its firmware leaves out.
        """
    ) { refusal, _ in
      "The server's application did not allow it (\(refusal.protection)); no key changes that."
    },
    refused(
      "att-key-size", .error, 0x0c...0x0c,
      "A request is refused because the key is too short",
      when: "Encryption Key Size Too Short (0x0c) answers a request",
      do:
        """
        Pair anew with a maximum encryption key size of 16 on both sides, and delete the bond before that.
        """
    ) { refusal, _ in
      "The key of this link has fewer bytes than the attribute demands: \(refusal.protection)."
    },
  ]
}

extension ConnectionHistory {
  /// What is to be said of a request that was refused since the link was not protected.
  fileprivate func lackOfSecurity(_ refusal: Refusal) -> Finding? {
    let answered = refusal.answer.packet
    let cause: Wording =
      "\(refusal.attribute) asks for a better protected link, and \(refusal.protection)"
    let pairing = attributes.pairingRequests.first { $0.packet > answered }
    let failure = attributes.pairingFailures.first { $0.packet > answered }
    if let accepted = refusal.accepted {
      var finding = refusal.finding("\(cause).")
      let means: Wording =
        if let pairing, pairing.packet < accepted.request.packet {
          "after pairing (\(packet: pairing.packet))"
        } else if let encrypted = attributes.encrypted, encrypted.packet < accepted.request.packet,
          encrypted.packet > answered
        {
          "on the encrypted link (\(packet: encrypted.packet))"
        } else {
          "later"
        }
      finding.what =
        """
        \(refusal.action.capitalized) refused, allowed \(means), \(refusal.delay): \
        \(refusal.reason)
        """
      finding.headline =
        """
        \(refusal.client.possessive) \(refusal.action) was refused (\(packet: answered)) and \
        allowed \(means), \(refusal.delay)
        """
      finding.remedy =
        "Nothing: refused, paired or encrypted, asked again is how it is meant to go."
      finding.note = nil
      return finding
    }
    // Refused again on the encrypted link: that is the finding.
    let isRefusedAgain = attributes.refusals.contains {
      $0.opcode == refusal.opcode && $0.handle == refusal.handle && $0.server == refusal.server
        && $0.security.isEncrypted && $0.answer.packet > answered
    }
    if isRefusedAgain { return nil }
    if let encrypted = attributes.encrypted, encrypted.packet > answered {
      var finding = refusal.finding(
        """
        \(cause). The link was encrypted at \(packet: encrypted.packet), but the request was not \
        made again.
        """
      )
      finding.severity = .warning
      finding.evidence.insert(encrypted.packet)
      finding.remedy =
        "Repeat the request once the link is encrypted: hosts do not do it on their own."
      finding.restsOnAbsence = true
      return finding
    }
    if let pairing {
      var finding = refusal.finding(
        failure.map {
          """
          \(cause). Pairing was tried (\(packet: pairing.packet)) and failed \
          (\(packet: $0.packet)).
          """
        } ?? "\(cause). Pairing was begun (\(packet: pairing.packet)) and did not come to an end.")
      finding.evidence.insert(pairing.packet)
      finding.evidence.insert(failure?.packet)
      return finding
    }
    var finding = refusal.finding(
      "\(cause). Neither device asked to pair afterwards.",
      refusal.security == .unknown ? .likely : .certain)
    finding.headline =
      """
      \(refusal.client.possessive) \(refusal.action) was refused for lack of security \
      (\(packet: answered)), and nobody paired
      """
    finding.restsOnAbsence = true
    return finding
  }
}
