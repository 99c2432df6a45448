import Bluetooth
import Bytes
import Dissectors
package import Sessions

/// The kinds of failures that a packet reports: something did not work, as opposed to a malformed
/// packet.
package enum Failure: Int, CaseIterable, Sendable {
  /// An ATT request was refused. The end of a discovery does not count.
  case attError
  case pairingFailed
  /// An HCI command or procedure ended with a status other than success.
  case hciStatus
  /// A link ended, but not because one of the hosts requested it.
  case linkLost
  /// A stream of a connection (CIS, SCO, eSCO) ended, but not because one of the hosts requested
  /// it.
  case streamLost
  /// A host ended a link or a stream on purpose, and gave an error as the reason.
  case linkEndedWithError
  /// An L2CAP command was rejected.
  case l2capReject
  /// The kernel refused a management command, or reports that something failed.
  case managementStatus
  /// An L2CAP request was refused: a connection, a configuration, connection parameters.
  case l2capRefused
  /// A host no longer has the key of a bond for which its peer still has one: it refused the
  /// controller a key (LE Long Term Key Request Negative Reply), or encryption failed with PIN or
  /// Key Missing.
  case keyMissing
  /// A Link Layer procedure was rejected, as captures from the air show.
  case linkReject

  /// The JSON key.
  var key: StaticString {
    switch self {
    case .attError: "att_errors"
    case .pairingFailed: "pairing_failed"
    case .hciStatus: "hci_status"
    case .linkLost: "links_lost"
    case .streamLost: "streams_lost"
    case .linkEndedWithError: "links_ended_with_error"
    case .l2capReject: "l2cap_rejects"
    case .managementStatus: "mgmt_status"
    case .l2capRefused: "l2cap_refusals"
    case .keyMissing: "bond_keys_missing"
    case .linkReject: "ll_rejects"
    }
  }

  /// The words after a number: singular and plural.
  var words: (one: StaticString, several: StaticString) {
    switch self {
    case .attError: ("ATT error", "ATT errors")
    case .pairingFailed: ("failed pairing", "failed pairings")
    case .hciStatus: ("HCI failure", "HCI failures")
    case .linkLost: ("lost link", "lost links")
    case .streamLost: ("lost stream", "lost streams")
    case .linkEndedWithError:
      ("link that a host ended for an error", "links that a host ended for an error")
    case .l2capReject: ("L2CAP reject", "L2CAP rejects")
    case .managementStatus: ("management failure", "management failures")
    case .l2capRefused: ("L2CAP refusal", "L2CAP refusals")
    case .keyMissing: ("missing key of a bond", "missing keys of bonds")
    case .linkReject: ("Link Layer reject", "Link Layer rejects")
    }
  }
}

/// The number of failures of each kind.
struct FailureCounts: Sendable, Equatable {
  private var counts = [Int](repeating: 0, count: Failure.allCases.count)
  /// The total number.
  private(set) var count = 0

  init() {}

  /// Counts a failure.
  mutating func add(_ failure: Failure) {
    counts[failure.rawValue] += 1
    count += 1
  }

  /// The number of failures of a kind.
  subscript(_ failure: Failure) -> Int { counts[failure.rawValue] }
}

extension Output {
  /// Appends the failures: `1 failed pairing, 2 lost links`; `none`.
  mutating func failures(_ counts: FailureCounts) {
    var isFirst = true
    for failure in Failure.allCases where counts[failure] > 0 {
      if !isFirst { text(", ") }
      isFirst = false
      count(counts[failure], failure.words.one, failure.words.several)
    }
    if isFirst { text("none") }
  }
}

extension Dissection {
  /// LE Long Term Key Request Negative Reply (Core, Vol 4, Part E, 7.8.26).
  private static let keyRefused: UInt16 = 0x201b

  /// Returns the failure that the packet reports, if any.
  package func failure(_ bytes: RawSpan, _ answer: Answer) -> Failure? {
    switch content {
    case .command(let command): return command.opcode == Self.keyRefused ? .keyMissing : nil
    case .event:
      guard let status = parameters?.status(bytes) else { return nil }
      if case .encryption(let change) = fact, change.status == .pinOrKeyMissing, !change.isRefresh {
        return .keyMissing
      }
      // What the host cancelled ends as intended.
      if status == StatusCode.operationCancelledByHost.rawValue { return nil }
      if status != 0 { return isVendorsAnswer ? nil : .hciStatus }
      guard case .disconnection(let ended) = fact, let reason = ended.reason else { return nil }
      // Some controllers report an end twice, the second time with 0.
      if reason.isOrderly || reason == .success { return nil }
      // The reason alone does not show who ended the link: a Disconnect command may have given it,
      // unless only a controller gives this reason.
      let isOnPurpose = answer.ending == .localHost || answer.ending == .peer
      if isOnPurpose, !reason.isOfControllers { return .linkEndedWithError }
      // The end of a stream does not close a connection.
      return answer.ending != nil && !answer.closed ? .streamLost : .linkLost
    case .acl:
      if att != nil {
        guard attFields.error != nil else { return nil }
        return answer.meaning(of: attFields) == nil ? .attError : nil
      }
      if smp?.opcode == .pairingFailed { return .pairingFailed }
      return isSignalling ? signallingFailure(bytes) : nil
    case .control(let control):
      return control.status(bytes, body).map { $0 != 0 } ?? false ? .managementStatus : nil
    case .linkControl: return LinkControl(bytes, body)?.failure
    default: return nil
    }
  }
}

extension Dissection {
  /// Returns the first failure that a signalling frame reports.
  private func signallingFailure(_ bytes: RawSpan) -> Failure? {
    var commands = SignallingCommands(body)
    while let command = commands.next(bytes) {
      if command.code == .commandReject { return .l2capReject }
      var rest = Slice.empty
      guard let pdu = try? SignallingPDU(command, bytes, rest: &rest) else { continue }
      if pdu.isRefusal { return .l2capRefused }
    }
    return nil
  }

  /// Whether the packet completes a vendor command that no table contains: its first return
  /// parameter is probably a status, but not certainly.
  var isVendorsAnswer: Bool {
    fact.completesVendorsCommand && parameters?.completed == nil
  }
}

extension LinkControl {
  /// The failure that a control PDU reports, if any.
  fileprivate var failure: Failure? {
    switch self {
    case .reject(_, .pinOrKeyMissing): .keyMissing
    case .reject: .linkReject
    case .terminate(let reason), .cisTerminate(_, _, let reason):
      reason.isOrderly ? nil : .linkEndedWithError
    default: nil
    }
  }
}

extension StatusCode {
  /// Whether only a controller gives this reason: a Disconnect command cannot (Core, Vol 4, Part E,
  /// 7.1.6).
  fileprivate var isOfControllers: Bool {
    switch self {
    case .connectionTimeout, .responseTimeout, .micFailure, .connectionFailedToBeEstablished: true
    default: false
    }
  }

  /// Whether a link that ends for this reason was ended normally by one of the hosts.
  fileprivate var isOrderly: Bool {
    switch self {
    case .remoteUserTerminated, .remoteLowResources, .remotePowerOff,
      .connectionTerminatedByLocalHost:
      true
    default: false
    }
  }
}
