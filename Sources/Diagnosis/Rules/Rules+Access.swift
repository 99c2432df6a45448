import Bluetooth
import Bytes
import Sessions
import Words

// Rules about requests that are refused for lack of security. Core, Vol 3, Part F, 3.2.5, and Part
// C, 10.3.1: 0x05 without a key; 0x0f with a key on a link that is not encrypted; 0x05 again on an
// encrypted link whose key is not authenticated but has to be.

extension Rule {
  /// Rules about requests that are refused.
  static let access: [Rule] = security + refusals

  private static let howToPair: Wording =
    """
    Pair, then repeat the request. iOS pairs on its own when the peer answers 0x05; on Android \
    call createBond() and repeat the request once bonded; with BlueZ pair first. A peripheral may \
    send a Security Request (Zephyr: bt_conn_set_security, Nordic: pm_conn_secure).
    """

  private static let security: [Rule] = [
    Rule(
      "att-mitm-demanded", .error, .meaning,
      "A request is refused on an encrypted link because its key is not authenticated",
      when:
        """
        Insufficient Authentication (0x05) answers a request on a link that is encrypted with a \
        Just Works key or the key of an earlier pairing
        """, needs: [.bothDirections],
      do:
        """
        Pairing again with Just Works will not help, and a side without input and output always \
        pairs with Just Works. Give it a display or a keyboard, so that both sides can use \
        passkey entry or numeric comparison, or do not require MITM protection on the server. \
        Delete the bond on both sides before pairing again.
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
              \(why): the attribute requires an authenticated key (MITM protection), and Just \
              Works gives none.
              """
          case .authenticated:
            why =
              "\(why): the attribute requires more than that, perhaps LE Secure Connections."
          default:
            why =
              """
              \(why): the attribute requires an authenticated key. \
              \(refusal.security == .encrypted ? "The stored" : "This" as StaticString) key is not \
              authenticated, or the attribute requires more than that, perhaps LE Secure \
              Connections.
              """
          }
          var finding = refusal.finding(
            why.capitalized, refusal.security == .unauthenticated ? .certain : .likely)
          connection.explainByState(refusal, &finding)
          return finding
        })
    },
    Rule(
      "att-insufficient-authentication", .error, .meaning,
      "A request is refused because the devices have no key",
      when:
        """
        Insufficient Authentication (0x05) answers a request on a link that is not encrypted; a \
        note if the same request is allowed later
        """, needs: [.bothDirections],
      do: howToPair
    ) { connection, _ in
      Finding.together(
        connection.lackOfSecurity(
          connection.attributes.refusals.filter { refusal in
            refusal.error.rawValue == 0x05 && !refusal.security.isEncrypted
          }))
    },
    Rule(
      "att-insufficient-encryption", .error, .meaning,
      "A request is refused because the link is not encrypted",
      when:
        """
        Insufficient Encryption (0x0f) answers a request; a note if the same request is allowed \
        later
        """, needs: [.bothDirections],
      do:
        """
        Encrypt the link before the request: with the stored key if the devices are bonded, \
        otherwise by pairing. A server should answer 0x05 to a peer for which it has no key.
        """
    ) { connection, _ in
      Finding.together(
        connection.lackOfSecurity(
          connection.attributes.refusals.filter { refusal in
            refusal.error.rawValue == 0x0f && !refusal.security.isEncrypted
          }))
    },
    Rule(
      "att-encryption-too-weak", .error, .meaning,
      "A request is refused for lack of encryption although the link is encrypted",
      when: "Insufficient Encryption (0x0f) answers a request on an encrypted link",
      needs: [.bothDirections],
      do:
        """
        Delete the bond on both sides and pair again, with 16-byte keys and, if both sides \
        support it, LE Secure Connections; or fix the server if its error code asks for more than \
        it requires.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.refusals.compactMap { refusal in
          guard refusal.error.rawValue == 0x0f, refusal.security.isEncrypted else { return nil }
          let cause: Wording =
            "\(refusal.server.words) answered Insufficient Encryption (0x0f) although \(refusal.protection): the attribute requires a longer key or another type of key."
          var finding = refusal.finding(cause.capitalized, .likely)
          connection.explainByState(refusal, &finding)
          return finding
        })
    },
    Rule(
      "att-0f-without-key", .note, .meaning,
      "A server answers Insufficient Encryption although there is no key to encrypt with",
      when:
        """
        Insufficient Encryption (0x0f) answers a request on an unencrypted link, the devices pair \
        only afterwards, and neither the capture nor a --keys file has a bond between them
        """, needs: [.bothDirections],
      do:
        """
        In the server's firmware, answer 0x05 while there is no key for the peer: some clients \
        pair on only one of the two errors.
        """
    ) { connection, evidence in
      let attributes = connection.attributes
      guard !connection.security.isStoredKey else { return [] }
      let found = attributes.refusals.first {
        $0.error.rawValue == 0x0f && $0.security == .unencrypted
      }
      guard let refusal = found,
        !evidence.earlier(than: connection).contains(where: {
          $0.connection.isEncrypted == true || !$0.security.pairingRequests.isEmpty
        }),
        connection.bondKeeper(before: refusal.answer.packet, evidence) == nil,
        let pairing = connection.security.pairingRequests.first(where: {
          $0.packet > refusal.answer.packet
        })
      else { return [] }
      var finding = Finding(
        Wording(
          "\(refusal.server.words) answered \(refusal.error) on a link for which no key existed"
        ).capitalized,
        headline:
          """
          \(refusal.server.words) answered \(refusal.error) without a key \
          (\(packet: refusal.answer.packet))
          """,
        why:
          """
          The devices paired only afterwards (\(packet: pairing.packet)). Without a key \
          \(ATTErrorCode(rawValue: 0x05)) is expected.
          """,
        .likely, evidence: [refusal.request.packet, refusal.answer.packet])
      finding.severity = .note
      finding.attribute = refusal.attribute
      // The absence is that they had not paired before.
      finding.restsOnAbsence = true
      return [finding]
    },
    refused(
      "att-authorization", .error, 0x08...0x08, "A request is refused for lack of authorization",
      when: "Insufficient Authorization (0x08) answers a request",
      do:
        """
        Find out what the server's application waits for: an unlock, a button, its own login, or \
        an authorization callback that its firmware lacks. Authorization does not depend on keys: \
        pairing alone seldom grants it.
        """, .likely
    ) { refusal, _ in
      """
      \(refusal.refuser) did not authorize the request, which is its application's decision \
      (\(refusal.protection)).
      """
    },
    refused(
      "att-key-size", .error, 0x0c...0x0c,
      "A request is refused because the key is too short",
      when: "Encryption Key Size Too Short (0x0c) answers a request",
      do:
        """
        Delete the bond, then pair again with a maximum encryption key size of 16 on both sides.
        """
    ) { refusal, _ in
      "The key of this link is shorter than the attribute requires: \(refusal.protection)."
    },
  ]
}

extension ConnectionHistory {
  /// Returns what happened between a refusal and the request that was allowed: `after pairing`, and
  /// the same with the packet, `after pairing (encrypted at #86)`.
  private func way(
    from refusal: Refusal, to accepted: Int
  ) -> (general: Wording, exact: Wording) {
    guard let encrypted = security.encrypted, encrypted.packet < accepted,
      encrypted.packet > refusal.answer.packet
    else { return ("later", "later") }
    let isPaired = security.pairingRequests.contains {
      refusal.answer.packet < $0.packet && $0.packet < encrypted.packet
    }
    return isPaired
      ? ("after pairing", "after pairing (encrypted at \(packet: encrypted.packet))")
      : ("on the encrypted link", "on the encrypted link (\(packet: encrypted.packet))")
  }

  /// Returns findings about requests that were refused because the link was not protected. Those
  /// that were allowed later are merged.
  fileprivate func lackOfSecurity(_ all: [Refusal]) -> [Finding] {
    let resolved = all.filter { $0.accepted != nil && !isRepeatOnly($0) }
    let others = all.filter { $0.accepted == nil || isRepeatOnly($0) }.compactMap(lackOfSecurity)
    guard resolved.count > 1, let first = resolved.first else {
      return resolved.compactMap { lackOfSecurity($0) } + others
    }
    let ways = resolved.map { way(from: $0, to: $0.accepted?.request.packet ?? 0) }
    let isAlike = ways.allSatisfy { $0.exact == ways[0].exact }
    let (general, means) = isAlike ? ways[0] : ("later", "later")
    let number: Wording = resolved.count == 2 ? "two" : "\(resolved.count)"
    let delays = resolved.count > 4 ? [] : resolved.compactMap(\.lateness)
    let late: Wording = delays.isEmpty ? "" : ", \(Wording(listing: delays)) later"
    let actions = resolved.prefix(4).map {
      Wording("\($0.action) (\(packet: $0.request.packet))")
    }
    let more: Wording = resolved.count > 4 ? " and more" : ""
    var finding = first.finding(
      """
      \(Wording(listing: Array(actions)).capitalized)\(more) require a higher security level, and \
      \(first.protection).
      """)
    finding.what =
      """
      \(number.capitalized) requests refused, allowed \(means)\(late): \(first.reason)
      """
    finding.group = "\(number) requests refused, allowed \(general): \(first.reason)"
    finding.headline =
      "\(number) requests were refused; \(means) \(resolved.count == 2 ? ("both" as Wording) : "all") succeeded\(late)"
    finding.evidence = resolved.prefix(16).reduce(PacketSet()) { $0.union($1.evidence) }
    finding.remedy =
      "Nothing: after such a refusal the client is meant to pair or encrypt, and then repeat the request."
    finding.note = nil
    finding.attribute = nil
    return [finding] + others
  }

  /// Returns a finding about a request that was refused because the link was not protected. If the
  /// protection of the link is unknown, the key may just as well have been a weak one.
  private func lackOfSecurity(_ refusal: Refusal) -> Finding? {
    var finding = causeOfRefusal(refusal)
    if refusal.security == .unknown { finding?.certainty = .possible }
    return finding
  }

  private func causeOfRefusal(_ refusal: Refusal) -> Finding? {
    let answered = refusal.answer.packet
    let cause: Wording =
      "\(refusal.attribute) requires a higher security level, and \(refusal.protection)"
    let pairing = security.pairingRequests.first { $0.packet > answered }
    let failure = security.pairingFailures.first { $0.packet > answered }
    if let accepted = refusal.accepted {
      var finding = refusal.finding("\(cause).")
      let means = way(from: refusal, to: accepted.request.packet)
      finding.what =
        """
        \(refusal.action.capitalized) refused, allowed \(means.exact), \(refusal.delay): \
        \(refusal.reason)
        """
      finding.group =
        "\(refusal.action) refused, allowed \(means.general): \(refusal.reason)"
      finding.headline =
        """
        \(refusal.client.possessive) \(refusal.action) was refused (\(packet: answered)) and \
        allowed \(means.exact), \(refusal.delay)
        """
      finding.remedy =
        "Nothing: after such a refusal the client is meant to pair or encrypt, and then repeat the request."
      finding.note = nil
      explainByState(refusal, &finding)
      return finding
    }
    // Refused again on the encrypted link, which has a finding of its own.
    let isRefusedAgain = attributes.refusals.contains {
      $0.opcode == refusal.opcode && $0.handle == refusal.handle && $0.server == refusal.server
        && $0.security.isEncrypted && $0.answer.packet > answered
    }
    if isRefusedAgain { return nil }
    if let encrypted = security.encrypted, encrypted.packet > answered {
      var finding = refusal.finding(
        """
        \(cause). The link was encrypted at \(packet: encrypted.packet), but the request was not \
        repeated.
        """
      )
      finding.severity = .warning
      finding.evidence.insert(encrypted.packet)
      finding.remedy =
        "Repeat the request once the link is encrypted: hosts do not repeat it on their own."
      finding.restsOnAbsence = true
      return finding
    }
    if let failed = encryption.attempts.last(where: {
      $0.moment.packet < refusal.last.packet && $0.lacksKey
    }) {
      let end = failed.end?.packet ?? failed.reply?.packet ?? failed.moment.packet
      var finding = refusal.finding(
        "\(cause). Encryption was tried at \(packet: failed.moment.packet) but failed (\(packet: end)) because one side has no key for the other. The missing key is the cause of this refusal."
      )
      finding.severity = .warning
      finding.evidence = finding.evidence.union([failed.moment.packet, end])
      finding.remedy =
        "Repair the bond first: once the link is encrypted with a new key, the same request is allowed."
      return finding
    }
    if let pairing {
      var finding = refusal.finding(
        failure.map {
          """
          \(cause). Pairing was attempted (\(packet: pairing.packet)) and failed \
          (\(packet: $0.packet)).
          """
        } ?? "\(cause). Pairing started (\(packet: pairing.packet)) but did not finish.")
      // The cause is why that failed, which has a finding of its own.
      if failure != nil { finding.severity = .warning }
      finding.evidence.insert(pairing.packet)
      finding.evidence.insert(failure?.packet)
      return finding
    }
    var finding = refusal.finding(
      "\(cause). The link was not encrypted afterwards, and neither device asked to pair.",
      .certain)
    finding.headline =
      """
      \(refusal.client.possessive) \(refusal.action) was refused for lack of security \
      (\(packet: answered)), and the devices neither encrypted the link nor paired
      """
    finding.restsOnAbsence = true
    return finding
  }
}
