import Bluetooth
import Sessions
package import Words

// Rules about L2CAP channels: requests that are refused (Core, Vol 3, Part A, 4.1 to 4.28).

extension Rule {
  /// The rules about channels.
  static let channels: [Rule] = [
    refused(
      .service, "l2cap-service-missing", .error,
      "No service listens for a requested channel",
      when:
        "a connection request is refused because its PSM or SPSM is not supported (result 0x0002)",
      do:
        """
        Make the side that refused listen before the request, and request the number that its \
        service publishes.
        """
    ) { request in
      "Nothing on \(request.side.other.words) listens for \(request.service), or not yet."
    } instead: { request in
      request.listeningRemedy
    },
    refused(
      .security, "l2cap-security", .error, "A channel requires a higher security level",
      when:
        """
        a connection request is refused for insufficient authentication (0x0005), a key that is too short \
        (0x0007), insufficient encryption (0x0008), or on BR/EDR for security (0x0003)
        """,
      do:
        """
        Pair and encrypt the link before requesting the channel. If the link is already \
        encrypted, pair again with MITM protection (passkey entry or numeric comparison) or with \
        a 16-byte key.
        """
    ) { request in request.securityWords },
    refused(
      .authorization, "l2cap-not-authorized", .error, "A channel requires authorization",
      when: "a connection request is refused for insufficient authorization (0x0006)",
      do: "Authorize the device on the side that refused: in its settings, its app or its firmware."
    ) { request in
      "This does not depend on keys: on \(request.side.other.words) the user or a program has to permit it."
    },
    refused(
      .resources, "l2cap-no-resources", .error, "There are no resources for another channel",
      when: "a connection request is refused because no resources are available (0x0004)",
      do:
        """
        Close channels that are not needed, or raise the limit (Zephyr: CONFIG_BT_L2CAP_TX_BUF_COUNT and \
        the server's own limit); try again later.
        """
    ) { request in
      Wording("\(request.side.other.words) ran out of channels or memory.").capitalized
    },
    refused(
      .parameters, "l2cap-unacceptable-parameters", .error,
      "A channel is refused because of the requested sizes",
      when:
        """
        a credit-based connection request is refused for unacceptable (0x000b) or invalid parameters \
        (0x000c)
        """,
      do:
        """
        Request an MTU and an MPS of at least 23 bytes (64 on enhanced channels), an MPS of at \
        most 65533, and one to five channels at a time.
        """
    ) { request in
      "It offered \(request.offer.words); the refusal does not show which of them is wrong."
    },
    refused(
      .part, "l2cap-some-refused", .warning, "Only some of the requested channels are opened",
      when: "a Credit Based Connection Response opens fewer channels than were requested",
      do: "Use those that were opened; request fewer at a time."
    ) { request in
      Wording(
        """
        \(request.side.words) requested \(request.count), and \(request.side.other.words) opened \
        \(request.opened).
        """
      ).capitalized
    },
    refused(
      .other, "l2cap-refused", .error, "A channel is refused for another reason",
      when:
        """
        a connection request is refused with another result: an invalid Source CID (0x0009), one \
        that is in use (0x000a), or one that the specification does not define
        """,
      do:
        """
        Give each channel a Source CID of its own, from 0x0040 to 0x007f on LE, and reuse it only \
        after the channel is closed on both sides.
        """
    ) { request in
      "The result is the only reason that \(request.side.other.words) gives."
    },
    refused(
      .configuration, "l2cap-configuration-refused", .error,
      "The configuration of a BR/EDR channel is refused",
      when: "a Configure Request is refused without an alternative: rejected, or its flow spec is",
      do: "Compare the modes and options that both sides support (Information Response)."
    ) { request in
      "Nothing can be sent on the channel until both sides agree on a configuration."
    },
    refused(
      .reconfiguration, "l2cap-reconfigure-refused", .warning,
      "The sizes of an open channel cannot be changed",
      when: "a Credit Based Reconfigure Response has a failing result",
      do:
        """
        Do not request a smaller MTU than before; reduce the MPS on one channel at a time; list \
        only open channels.
        """
    ) { request in "The channels keep their previous sizes." },
    refused(
      .rejected, "l2cap-command-rejected", .warning, "A signalling command is rejected",
      when: "Command Reject answers anything but a Connection Parameter Update Request",
      do:
        "Compare the command with what the other side reports as supported (Information Response)."
    ) { request in
      request.rejectionWords
    } instead: { request in
      request.rejectionRemedy
    },
    openChannels,
  ]

  private static func refused(
    _ kind: ChannelRequest.Refusal, _ id: StaticString, _ severity: Severity,
    _ finds: StaticString, when condition: StaticString, do remedy: Wording,
    _ why: @escaping @Sendable (ChannelRequest) -> Wording,
    instead: (@Sendable (ChannelRequest) -> Wording?)? = nil
  ) -> Rule {
    Rule(id, severity, finds, when: condition, needs: .bothDirections, do: remedy) { history, _ in
      history.channels.refusals.compactMap { request in
        guard request.refusal == kind else { return nil }
        let times: Wording = request.times > 1 ? ", \(request.times) times" : ""
        let clause: Wording = "\(request.refusalClause)\(times)"
        var finding = Finding(
          "\(clause.capitalized): \(request.resultWords)",
          headline: "\(clause) (\(packet: request.answer?.packet ?? request.asked.packet))",
          why: why(request), evidence: request.evidence)
        finding.severity = request.severity
        finding.remedy = instead?(request)
        if let later = history.channels.opening(after: request) {
          finding.severity = .note
          finding.isResolved = true
          finding.headline =
            "\(clause) at first, and opened it at \(packet: later.answer?.packet ?? 0)"
          finding.note =
            "The same channel was requested later and opened (\(packet: later.answer?.packet ?? 0))."
        } else if request.psm == .eatt {
          finding.note = "ATT continues on its fixed channel, one request at a time."
        }
        return finding
      }
    }
  }
}

extension ChannelHistory {
  /// Returns a later request like a refused one that opened channels.
  fileprivate func opening(after refused: ChannelRequest) -> ChannelRequest? {
    guard refused.isConnection, let last = refused.last else { return nil }
    return openings.first {
      $0.psm == refused.psm && $0.side == refused.side && $0.asked.packet > last.packet
        && $0.opened > 0
    }
  }
}

extension ChannelRequest {
  /// The reasons for refusals that rules distinguish.
  fileprivate enum Refusal {
    case service, security, authorization, resources, parameters, part, other
    case configuration, reconfiguration, rejected
  }

  fileprivate var refusal: Refusal {
    if result.set == .l2capReject { return .rejected }
    if opened > 0 { return .part }
    switch (code, result.code) {
    case (.configureRequest, _): return .configuration
    case (.reconfigureRequest, _): return .reconfiguration
    case (_, 2): return .service
    case (_, 4): return .resources
    // The results of BR/EDR.
    case (.connectionRequest, 3), (.createChannelRequest, 3): return .security
    case (.connectionRequest, _), (.createChannelRequest, _): return .other
    case (.leConnectionRequest, _), (.enhancedConnectionRequest, _): break
    default: return .other
    }
    switch result.code {
    case 5, 7, 8: return .security
    case 6: return .authorization
    case 11, 12: return .parameters
    default: return .other
    }
  }

  /// The severity, if it differs from the rule's.
  fileprivate var severity: Severity? {
    // ATT has another channel.
    if psm == .eatt { return .warning }
    guard refusal == .rejected else { return nil }
    if isConnection { return .error }
    switch code {
    case .informationRequest, .echoRequest: return .note
    default: return code.name == nil ? .note : nil
    }
  }

  /// What happened: `the peer refused a channel for SPSM 0x0081`.
  package var refusalClause: Wording {
    let who = side.other.words
    switch refusal {
    case .part: return "\(who) opened \(opened) of \(count) channels for \(service)"
    case .configuration: return "\(who) refused the configuration of \(channels)"
    case .reconfiguration: return "\(who) refused new sizes for \(channels)"
    case .rejected: return "\(who) rejected \(name)"
    case .service, .security, .authorization, .resources, .parameters, .other:
      return isConnection ? "\(who) refused \(channels)" : "\(who) refused \(name)"
    }
  }

  /// The command's name.
  private var name: Wording {
    code.name.map { "\($0)" } ?? "a command with the code \(code: code.rawValue, digits: 2)"
  }

  /// The meaning of a Command Reject.
  fileprivate var rejectionWords: Wording {
    switch result.code {
    case 0:
      let what: StaticString = isConnection ? "support channels of this type" : "know the command"
      return Wording("\(side.other.words) does not \(what).").capitalized
    case 1:
      return "The command is longer than \(side.other.words) accepts."
    case 2:
      return "The command names a channel that \(side.other.words) does not have."
    default: return "The reason is the only explanation that \(side.other.words) gives."
    }
  }

  /// Whether the request is a BR/EDR request.
  private var isOfBREDR: Bool { code == .connectionRequest || code == .createChannelRequest }

  /// How to fix a channel that the other side does not listen for. On LE, SPSMs up to 0x007f are
  /// assigned numbers; those from 0x0080 to 0x00ff are assigned by the device (Core, Vol 3, Part A,
  /// 4.22).
  fileprivate var listeningRemedy: Wording {
    let who = side.other.words
    if isOfBREDR {
      return
        """
        Make \(who) listen before the request (a socket on BlueZ, bt_l2cap_server_register on \
        Zephyr), and request the PSM in the service's SDP record.
        """
    }
    let isGivenOut = psm.map { (0x80...0xff).contains($0.rawValue) } ?? false
    let number: Wording =
      isGivenOut
      ? """
       SPSMs from 0x0080 to 0x00ff are assigned dynamically and may change: use the number that \
      the service publishes.
      """ : ""
    return
      """
      Make \(who) listen before the request: a socket on BlueZ, listenUsingL2capChannel on \
      Android, publishL2CAPChannel on iOS, bt_l2cap_server_register on Zephyr.\(number)
      """
  }

  /// How to fix a command that is rejected for this reason (Core, Vol 3, Part A, 4.1).
  fileprivate var rejectionRemedy: Wording? {
    let (asker, who) = (side.words, side.other.words)
    switch result.code {
    case 0 where code.name == nil:
      return
        """
        Find out why \(asker) sends a code that the specification does not define; \(who) has to \
        reject it.
        """
    case 0 where isConnection:
      return "Do not use such a channel, or use a newer Bluetooth stack on \(who)."
    case 0: return "Nothing, if \(asker) works without it: \(who) may be older than the command."
    case 1: return "Send fewer and shorter signalling commands in one packet."
    case 2:
      return
        """
        Check \(asker): the channel was already closed or never open, or the two sides disagree \
        about channels.
        """
    default: return nil
    }
  }

  /// How the link was protected when a request was refused for lack of security.
  fileprivate var securityWords: Wording {
    let who = side.other.words
    return switch isEncrypted {
    case false?: "The link was not encrypted, and \(who) requires encryption for \(service)."
    case true?:
      result.code == 7
        ? "The link was encrypted, but with a shorter key than \(who) requires for \(service)."
        : "The link was encrypted, but \(who) requires a stronger key for \(service)."
    case nil: Wording("\(who) requires a higher security level for \(service).").capitalized
    }
  }
}

extension ChannelRequest {
  /// The service of the channels: `SPSM 0x0081`, `EATT (0x0027)`.
  package var service: Wording { psm.map { "\($0)" } ?? "an unknown service" }

  /// The channels: `a channel for SPSM 0x0081`.
  package var channels: Wording {
    count == 1 ? "a channel for \(service)" : "\(count) channels for \(service)"
  }

  /// The result in the response: `Connection refused, SPSM not supported (0x0002)`.
  package var resultWords: Wording { "\(error: result.code, of: result.set)" }
}

extension ChannelRequest.Capacity {
  /// In words: `MTU 120, MPS 60, 3 credits`; empty if nothing is known.
  package var words: Wording {
    Wording(
      [
        mtu.map { "MTU \($0)" }, mps.map { "MPS \($0)" },
        credits.map { "\(count: Int($0), "credit", "credits")" },
      ].compactMap(\.self), joinedBy: ", ")
  }
}
