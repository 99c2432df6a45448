import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about requests that are refused for lack of security. Core, Vol 3, Part F, 3.2.5, and Part
// C, 10.3.1: 0x05 without a key; 0x0f with a key on a link that is not encrypted; 0x05 again on an
// encrypted link whose key is not authenticated but has to be.

extension Rule {
  static let access: [Rule] = security + refusals

  private static let howToPair: Wording =
    "Encrypt the link with the stored key if the devices are bonded, otherwise pair; then repeat the request. iOS pairs on its own when the peer answers 0x05; on Android call createBond() and repeat the request once bonded; with BlueZ pair first. A peripheral may send a Security Request (Zephyr: bt_conn_set_security, Nordic: pm_conn_secure)."

  private static let security: [Rule] = [
    Symptom(
      "att_mitm_demanded", .error, .meaning,
      "A request is refused on an encrypted link because its key is not authenticated",
      when:
        "Insufficient Authentication (0x05) answers a request on a link that is encrypted with a Just Works key or the key of an earlier pairing",
      do:
        "Pairing again with Just Works will not help, and a side without input and output always pairs with Just Works unless both use out-of-band data. Give it a display or a keyboard, so that both sides can use passkey entry or numeric comparison, or do not require MITM protection on the server. Delete the bond on both sides before pairing again."
    ).refused(
      with: 0x05...0x05, isSettled: false,
      elsewise: [
        Alternative(
          "the key is authenticated, and the attribute requires LE Secure Connections or another bond"
        ) { it, _ in it.refusal.security == .unauthenticated }
      ]
    ) { refusal, _ in
      guard refusal.security.isEncrypted else { return nil }
      let demand: Wording =
        switch refusal.security {
        case .unauthenticated: "an authenticated key (MITM protection), and Just Works gives none"
        case .authenticated: "more than that"
        default: "an authenticated key (MITM protection)"
        }
      return
        "\(refusal.refuser) answered Insufficient Authentication (0x05) although \(refusal.protection): the attribute requires \(demand)."
    },
    Symptom(
      "att_insufficient_authentication", .error, .meaning,
      "A request is refused because the link is not protected by a key",
      when:
        "Insufficient Authentication (0x05) answers a request on a link that is not encrypted; a note if the same request is allowed later",
      do: howToPair
    ).unprotected(with: 0x05),
    Symptom(
      "att_insufficient_encryption", .error, .meaning,
      "A request is refused because the link is not encrypted",
      when:
        "Insufficient Encryption (0x0f) answers a request on a link that is not encrypted; a note if the same request is allowed later",
      do:
        "Encrypt the link before the request: with the stored key if the devices are bonded, otherwise by pairing. A server should answer 0x05 to a peer for which it has no key."
    ).unprotected(with: 0x0f),
    Symptom(
      "att_encryption_too_weak", .error, .meaning,
      "A request is refused for lack of encryption although the link is encrypted",
      when: "Insufficient Encryption (0x0f) answers a request on an encrypted link",
      do:
        "Delete the bond on both sides and pair again, with 16-byte keys and, if both sides support it, LE Secure Connections; or fix the server if its error code asks for more than it requires."
    ).refused(
      with: 0x0f...0x0f, isSettled: false,
      elsewise: [Alternative(always: "the server uses this error code for something else")]
    ) { refusal, _ in
      guard refusal.security.isEncrypted else { return nil }
      return
        "\(refusal.refuser) answered Insufficient Encryption (0x0f) although \(refusal.protection): the attribute requires a longer key or another type of key."
    },
    Symptom(
      "att_0f_without_key", .note, .meaning,
      "A server answers Insufficient Encryption although there is no key to encrypt with",
      when:
        "Insufficient Encryption (0x0f) answers a request on an unencrypted link, the devices pair only afterwards, and neither the capture nor a --keys file has a bond between them",
      do:
        "In the server's firmware, answer 0x05 while it has no key for the client: some clients pair on only one of the two errors."
    ).needing([.bothDirections]).onConnection(elsewise: [
      Alternative(always: "they had a bond that this capture does not show")
    ]) { connection, evidence in
      guard !connection.security.isStoredKey,
        let refusal = connection.attributes.refusals.first(where: {
          $0.error.rawValue == 0x0f && $0.security == .unencrypted
        }),
        !evidence.earlier(than: connection).contains(where: {
          $0.connection.isEncrypted == true || !$0.security.pairingRequests.isEmpty
        }), connection.bondKeeper(before: refusal.answer.packet, evidence) == nil,
        let pairing = connection.security.pairingRequests.first(where: {
          $0.packet > refusal.answer.packet
        })
      else { return [] }
      return [
        Finding(
          "\(refusal.server.words) answered \(refusal.error) on a link for which no key existed",
          at: refusal.answer.packet,
          why:
            "The devices paired only afterwards (\(packet: pairing.packet)). Without a key \(ATTErrorCode(rawValue: 0x05)) is expected.",
          evidence: [refusal.request.packet, refusal.answer.packet], of: refusal.attribute,
          // The absence is that they had not paired before.
          restsOnAbsence: true)
      ]
    },
    Symptom(
      "att_authorization", .error, .fact, "A request is refused for lack of authorization",
      when: "Insufficient Authorization (0x08) answers a request",
      do:
        "Find out what the server's application waits for: an unlock, a button, its own login, or an authorization callback that its firmware lacks. Authorization does not depend on keys: pairing alone seldom grants it."
    ).refused(with: 0x08...0x08, isSettled: false) { refusal, _ in
      "\(refusal.refuser) did not authorize the request, which is its application's decision (\(refusal.protection))."
    },
    Symptom(
      "att_key_size", .error, .meaning, "A request is refused because the key is too short",
      when: "Encryption Key Size Too Short (0x0c) answers a request",
      do: "Delete the bond, then pair again with a maximum encryption key size of 16 on both sides."
    ).refused(with: 0x0c...0x0c, isSettled: false) { refusal, _ in
      "The key of this link is shorter than the attribute requires: \(refusal.protection)."
    },
  ]
}

extension Alternative where Subject == RefusedRequest {
  /// The beginning of the connection is not in the capture.
  fileprivate static var encryptedBefore: Self {
    Self("the link was encrypted already, with a key that does not suffice") { it, _ in
      it.refusal.security != .unknown
    }
  }
}

extension Symptom {
  /// Returns a rule about requests that are refused because the link is not encrypted.
  fileprivate func unprotected(with code: UInt8) -> Rule {
    needing(.bothDirections).leaningOn([.opening, .events])
      .onConnection(about: RefusedRequest.self, merges: true, elsewise: [.encryptedBefore]) {
        connection, _ in
        let found = connection.attributes.refusals.compactMap { refusal in
          refusal.error.rawValue == code && !refusal.security.isEncrypted
            ? connection.causeOfRefusal(refusal).map {
              (RefusedRequest(refusal: refusal, connection: connection), $0)
            } : nil
        }
        return found.filter { !$0.1.isResolved } + found.filter(\.1.isResolved)
      }
  }
}

extension ConnectionHistory {
  /// Returns what happened between a refusal and the request that was allowed: `after pairing`, and
  /// the same with the packet, `after pairing (encrypted at #86)`.
  private func way(
    from refusal: Refusal, to accepted: Moment
  ) -> (general: Wording, exact: Wording) {
    guard let encrypted = security.encrypted, encrypted.packet < accepted.packet,
      encrypted.packet > refusal.answer.packet
    else { return ("later", "later") }
    let isPaired = security.pairingRequests.contains {
      refusal.answer.packet < $0.packet && $0.packet < encrypted.packet
    }
    return isPaired
      ? ("after pairing", "after pairing (encrypted at \(packet: encrypted.packet))")
      : ("on the encrypted link", "on the encrypted link (\(packet: encrypted.packet))")
  }

  private static let nothingToDo: Wording =
    "Nothing to do: after such a refusal the client is meant to pair or encrypt, and then repeat the request."

  /// Returns a finding about a request that was refused because the link was not protected.
  fileprivate func causeOfRefusal(_ refusal: Refusal) -> Finding? {
    let cause: Wording =
      "\(refusal.attribute) requires a higher security level, and \(refusal.protection)"
    if let accepted = refusal.accepted {
      var finding = refusal.finding("\(cause).")
      mention(accepted.request, that: refusal, wasAllowedIn: &finding)
      explainByState(refusal, &finding)
      return finding
    }
    // Refused again on the encrypted link, which has a finding of its own.
    let isRefusedAgain = attributes.refusals.contains {
      $0.opcode == refusal.opcode && $0.handle == refusal.handle && $0.server == refusal.server
        && $0.security.isEncrypted && $0.answer.packet > refusal.answer.packet
    }
    if isRefusedAgain { return nil }
    var finding = refusal.finding(cause)
    let sequel = sequel(of: refusal)
    finding.why = "\(cause). \(sequel.words)"
    for packet in sequel.packets { finding.evidence.insert(packet) }
    finding.remedy = sequel.remedy
    finding.restsOnAbsence = sequel.isAbsence
    if sequel.packets.isEmpty {
      finding.headline =
        "\(refusal.client.possessive) \(refusal.action) was refused for lack of security (\(packet: refusal.answer.packet)), and the devices neither encrypted the link nor paired"
    }
    if sequel.hasOtherCause { finding.severity = .warning }
    if sequel.isUnread { finding.severity = .note }
    return finding
  }

  private func mention(
    _ accepted: Moment, that refusal: Refusal, wasAllowedIn finding: inout Finding
  ) {
    let means = way(from: refusal, to: accepted)
    let reason: Wording = ", \(refusal.delay): \(refusal.reason)"
    finding.what = "\(refusal.action.capitalized) refused, allowed \(means.exact)\(reason)"
    finding.group = "\(refusal.action) refused, allowed \(means.general): \(refusal.reason)"
    finding.headline =
      "\(refusal.client.possessive) \(refusal.action) was refused (\(packet: refusal.answer.packet)) and allowed \(means.exact), \(refusal.delay)"
    finding.remedy = Self.nothingToDo
    finding.note = nil
  }

  /// What happened after a refusal that stayed, as a sentence.
  private struct Sequel {
    let words: Wording
    /// The packets that show it; empty: nothing happened.
    let packets: [Int?]
    /// How to fix it.
    var remedy: Wording?
    /// Whether the sequel is that something did not happen.
    var isAbsence = false
    /// Whether the refusal is not the main problem, but what happened after it.
    var hasOtherCause = true
    /// Whether what followed was encrypted, or is missing, so that the request may have been
    /// allowed.
    var isUnread = false
  }

  private func sequel(of refusal: Refusal) -> Sequel {
    let answered = refusal.answer.packet
    if let encrypted = security.encrypted, encrypted.packet > answered {
      if let air, !air.isComplete(after: encrypted.packet) {
        return Sequel(
          words:
            "The link was encrypted at \(packet: encrypted.packet). Not all that followed could be read, so whether the request was repeated is unknown.",
          packets: [encrypted.packet], remedy: Self.nothingToDo, isUnread: true)
      }
      return Sequel(
        words:
          "The link was encrypted at \(packet: encrypted.packet), but the request was not repeated.",
        packets: [encrypted.packet],
        remedy:
          "Repeat the request once the link is encrypted: hosts do not repeat it on their own.",
        isAbsence: true)
    }
    if let failed = encryption.attempts.last(where: {
      $0.moment.packet < refusal.last.packet && $0.lacksKey
    }) {
      let end = failed.end?.packet ?? failed.reply?.packet ?? failed.moment.packet
      return Sequel(
        words:
          "Encryption was tried at \(packet: failed.moment.packet) but failed (\(packet: end)) because one side has no key for the other. The missing key is the cause of this refusal.",
        packets: [failed.moment.packet, end],
        remedy:
          "Repair the bond first: once the link is encrypted with a new key, the same request is allowed."
      )
    }
    if let pairing = security.pairingRequests.first(where: { $0.packet > answered }) {
      let failure = security.pairingFailures.first { $0.packet > answered }
      return Sequel(
        words: failure.map {
          "Pairing was attempted (\(packet: pairing.packet)) and failed (\(packet: $0.packet))."
        } ?? "Pairing started (\(packet: pairing.packet)) but did not finish.",
        packets: [pairing.packet, failure?.packet],
        // The cause is why that failed, which has a finding of its own.
        hasOtherCause: failure != nil)
    }
    return Sequel(
      words: "The link was not encrypted afterwards, and neither device asked to pair.",
      packets: [], isAbsence: true, hasOtherCause: false)
  }
}
