import Bluetooth
import Sessions
package import Words

// Rules about L2CAP channels: requests that are refused (Core, Vol 3, Part A, 4.1 to 4.28).

extension Rule {
  /// The rules about channels.
  static let channels: [Rule] = [
    refused(
      .service, "l2cap-service-missing", .error,
      "A requested channel has no listener at the other side",
      when:
        "a connection request is refused since its PSM or SPSM is not supported (result 0x0002)",
      do:
        """
        Have the side that refused listen before it is asked, and ask for the number that its service \
        publishes.
        """
    ) { request in
      "Nothing at \(request.side.other.words) is registered for \(request.service), or not yet."
    } instead: { request in
      request.listeningRemedy
    },
    refused(
      .security, "l2cap-security", .error, "A channel needs a better protected link",
      when:
        """
        a connection request is refused for insufficient authentication (0x0005), a key that is too short \
        (0x0007), insufficient encryption (0x0008), or on BR/EDR for security (0x0003)
        """,
      do:
        """
        Pair, and encrypt the link, before the channel is asked for. Where the link is encrypted: pair \
        again with MITM protection (passkey or numeric comparison), or with a key of 16 bytes.
        """
    ) { request in request.securityWords },
    refused(
      .authorization, "l2cap-not-authorized", .error, "A channel needs the user's permission",
      when: "a connection request is refused for insufficient authorization (0x0006)",
      do: "Allow the device at the side that refused: in its settings, its app or its firmware."
    ) { request in
      "Keys do not matter here: \(request.side.other.words) wants its user or program to permit it."
    },
    refused(
      .resources, "l2cap-no-resources", .error, "There is no room for another channel",
      when: "a connection request is refused since no resources are available (0x0004)",
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
      "A channel is refused for the sizes that are asked for",
      when:
        """
        a credit-based connection request is refused for unacceptable (0x000b) or invalid parameters \
        (0x000c)
        """,
      do:
        """
        Ask for an MTU and an MPS of at least 23 bytes, on enhanced channels 64, an MPS of no more than \
        65533, and for one to five channels at a time.
        """
    ) { request in
      "It offered \(request.offer.words): the refusal does not tell which of them is wrong."
    },
    refused(
      .part, "l2cap-some-refused", .warning, "Of several channels only some are opened",
      when: "a Credit Based Connection Response opens fewer channels than were asked for",
      do: "Use those that were opened; ask for fewer at a time."
    ) { request in
      Wording(
        """
        \(request.side.words) asked for \(request.count), \(request.side.other.words) has opened \
        \(request.opened).
        """
      ).capitalized
    },
    refused(
      .other, "l2cap-refused", .error, "A channel is refused for another reason",
      when:
        """
        a connection request is refused with another result: an invalid Source CID (0x0009), one that is \
        in use (0x000a), or one that the specification does not have
        """,
      do:
        """
        Give each channel a Source CID of its own, from 0x0040 to 0x007f on LE, and use none again before \
        its channel is closed at both sides.
        """
    ) { request in
      "The result is all that \(request.side.other.words) says."
    },
    refused(
      .configuration, "l2cap-configuration-refused", .error, "A BR/EDR channel is not configured",
      when: "a Configure Request is refused without an alternative: rejected, or its flow spec is",
      do: "Compare the modes and options that both sides support (Information Response)."
    ) { request in
      "Without a configuration on which both agree nothing can be sent on the channel."
    },
    refused(
      .reconfiguration, "l2cap-reconfigure-refused", .warning,
      "The sizes of an open channel cannot be changed",
      when: "a Credit Based Reconfigure Response has a failing result",
      do:
        """
        Ask for no smaller MTU than before; make the MPS smaller on one channel at a time; name only \
        channels that are open.
        """
    ) { request in "The channels go on with what was agreed on before." },
    refused(
      .rejected, "l2cap-command-rejected", .warning, "A signalling command is rejected",
      when: "Command Reject answers anything but a Connection Parameter Update Request",
      do:
        "Compare the command with what the other side says that it supports (Information Response)."
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
            "The same was asked for later and opened (\(packet: later.answer?.packet ?? 0))."
        } else if request.psm == .eatt {
          finding.note = "ATT goes on over its own channel, where one request waits for another."
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
      let what: StaticString = isConnection ? "have channels of this kind" : "know the command"
      return Wording("\(side.other.words) does not \(what).").capitalized
    case 1:
      return "The command is longer than \(side.other.words) takes."
    case 2:
      return "The command names a channel that \(side.other.words) does not have."
    default: return "The reason is all that \(side.other.words) says."
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
        Have \(who) listen before it is asked (a socket on BlueZ, bt_l2cap_server_register on Zephyr), and \
        ask for the PSM that the SDP record of the service names.
        """
    }
    let isGivenOut = psm.map { (0x80...0xff).contains($0.rawValue) } ?? false
    let number: Wording =
      isGivenOut
      ? """
       SPSMs from 0x0080 to 0x00ff are given out then, and may be others the next time: take the number \
      from where the service publishes it.
      """ : ""
    return
      """
      Have \(who) listen before it is asked: a socket on BlueZ, listenUsingL2capChannel on Android, \
      publishL2CAPChannel on iOS, bt_l2cap_server_register on Zephyr.\(number)
      """
  }

  /// How to fix a command that is rejected for this reason (Core, Vol 3, Part A, 4.1).
  fileprivate var rejectionRemedy: Wording? {
    let (asker, who) = (side.words, side.other.words)
    switch result.code {
    case 0 where code.name == nil:
      return
        """
        Look why \(asker) sends a code that the specification does not give out; \(who) has to reject it.
        """
    case 0 where isConnection:
      return "Do without such a channel, or use a newer Bluetooth stack on \(who)."
    case 0: return "Nothing, where \(asker) does without: \(who) may be older than the command."
    case 1: return "Send fewer and shorter signalling commands in one packet."
    case 2:
      return
        """
        Look at \(asker): the channel was closed before, or never open, or the two sides count channels \
        differently.
        """
    default: return nil
    }
  }

  /// How the link was protected when a request was refused for lack of security.
  fileprivate var securityWords: Wording {
    let who = side.other.words
    return switch isEncrypted {
    case false?: "The link was not encrypted, and \(who) wants it to be for \(service)."
    case true?:
      result.code == 7
        ? "The link was encrypted, with a key that is shorter than \(who) wants for \(service)."
        : "The link was encrypted, and \(who) wants a better key for \(service)."
    case nil: Wording("\(who) wants a better protected link for \(service).").capitalized
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
