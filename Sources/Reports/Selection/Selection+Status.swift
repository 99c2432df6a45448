// Selects packets by the results of requests and procedures.

import Bluetooth
import Bytes
package import Decoders
import Dissectors
import Meanings
import Sessions

/// The result that a packet reports.
struct Outcome: Sendable {
  /// What defines the code.
  enum Family: Sendable {
    case hci, att, smp, management
    /// Results and reasons of L2CAP signalling, named by this set.
    case l2cap(CodeSet)
  }

  let family: Family
  let code: UInt16
  /// For Disconnection Complete and LL_TERMINATE_IND: why the link ended.
  private(set) var reason: UInt8?
  /// Whether the packet reports a failure.
  let isFailure: Bool
  /// The attribute of a request that was refused, if known.
  private(set) var subject: ErrorSubject?

  /// Creates the outcome that a packet other than L2CAP signalling reports, or returns nil if it
  /// reports no outcome.
  init?(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    isFailure = packet.dissection.failure(packet.bytes, packet.answer) != nil
    switch packet.dissection.content {
    case .event:
      guard let status = packet.dissection.parameters?.status(packet.bytes),
        !packet.dissection.isVendorsAnswer
      else { return nil }
      (family, code) = (.hci, UInt16(status))
      if case .disconnection(let ended) = packet.dissection.fact { reason = ended.reason?.rawValue }
    case .acl:
      if let error = packet.dissection.attFields.error {
        (family, code) = (.att, UInt16(error.rawValue))
        if error.isOfProfile { subject = ErrorSubject(packet.answer, memory) }
      } else if case .failed(let reason)? = packet.dissection.smp {
        (family, code) = (.smp, UInt16(reason.rawValue))
      } else {
        return nil
      }
    case .control(let control):
      guard let status = control.status(packet.bytes, packet.dissection.body) else { return nil }
      (family, code) = (.management, UInt16(status))
    case .linkControl:
      switch LinkControl(packet.bytes, packet.dissection.body) {
      case .reject(_, let status): (family, code) = (.hci, UInt16(status.rawValue))
      case .terminate(let ended), .cisTerminate(_, _, let ended):
        (family, code, reason) = (.hci, 0, ended.rawValue)
      default: return nil
      }
    default: return nil
    }
  }

  /// Creates the outcome of a refused ATT request.
  init(_ error: ATTErrorCode, of subject: ErrorSubject) {
    (family, code, isFailure) = (.att, UInt16(error.rawValue), true)
    self.subject = subject
  }

  /// Creates the outcome that an L2CAP response reports, or returns nil if it reports no outcome.
  init?(_ pdu: SignallingPDU) {
    guard let result = pdu.result else { return nil }
    family = .l2cap(result.set)
    code = result.code
    isFailure = pdu.isRefusal || result.set == .l2capReject
  }

}

extension Selection {
  /// Returns whether one of a packet's outcomes is selected: a frame may contain several L2CAP
  /// responses.
  func reportsStatus(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    guard packet.dissection.isSignalling else {
      return Outcome(packet, memory).map { admits($0) } ?? false
    }
    var commands = SignallingCommands(packet.dissection.body)
    while let command = commands.next(packet.bytes) {
      var rest = Slice.empty
      guard let pdu = try? SignallingPDU(command, packet.bytes, rest: &rest),
        let outcome = Outcome(pdu)
      else { continue }
      if admits(outcome) { return true }
    }
    return false
  }

  /// Returns whether an outcome is selected: one of those that are wanted, if any are, and all that
  /// exclude others.
  func admits(_ outcome: Outcome) -> Bool {
    let isWanted =
      statuses.allSatisfy(\.isNegated)
      || statuses.contains { !$0.isNegated && $0.matches(outcome) }
    return isWanted && statuses.allSatisfy { !$0.isNegated || $0.matches(outcome) }
  }
}

/// A selected status: a number of any family, a name in the families that have it, or all others.
package struct StatusFilter: Sendable {
  private enum Code {
    case hci(UInt8), att(UInt8), smp(UInt8), management(UInt8), l2cap(CodeSet, UInt8)
    /// An error by its name in a profile.
    case profile([UInt8])
  }

  private(set) var isNegated = false
  private var hci = ByteSet()
  private var att = ByteSet()
  private var smp = ByteSet()
  private var management = ByteSet()
  /// L2CAP codes of every set, if a number was given.
  private var l2cap = ByteSet()
  private var l2capNamed: [(set: CodeSet, code: UInt8)] = []
  /// The error names of profiles, and the selected ones among them, if a name was given.
  private var profiles: ProfileErrors?
  private var named: Set<[UInt8]> = []

  /// The sets of L2CAP results and reasons.
  private static let l2capSets: [CodeSet] = [
    .l2capReject, .l2capConnectionResult, .l2capConfigureResult, .l2capInformationResult,
    .l2capMoveResult, .l2capMoveConfirmation, .l2capUpdateResult, .l2capCreditResult,
    .l2capEnhancedResult, .l2capReconfigureResult,
  ]

  /// Reads `0x05`, `5`, `!0`, a name or a part of one.
  ///
  /// - Parameter own: the user's profiles, which may name errors.
  package init(
    _ text: String, _ own: SuppliedProfiles = SuppliedProfiles()
  ) throws(SelectionError) {
    isNegated = text.hasPrefix("!")
    switch CodeWord(String(text.dropFirst(isNegated ? 1 : 0))) {
    case .number(let number):
      guard let code = UInt8(exactly: number) else {
        throw SelectionError("a status is a number up to 0xff, as in 0x05 or '!0'")
      }
      hci.insert(code)
      att.insert(code)
      smp.insert(code)
      management.insert(code)
      l2cap.insert(code)
    case .name(let name):
      let profiles = ProfileErrors(own)
      self.profiles = profiles
      let all =
        Self.names
        + profiles.names.map { (Code.profile($0), String(decoding: $0, as: UTF8.self)) }
      let found = CodeWord.codes(name, among: all, wholeNameStandsAlone: true)
      guard !found.isEmpty else {
        throw SelectionError(
          "no status has that name; expected one as in 0x05, '!0' or \"Insufficient Authentication\""
        )
      }
      for code in found {
        switch code {
        case .hci(let code): hci.insert(code)
        case .att(let code): att.insert(code)
        case .smp(let code): smp.insert(code)
        case .management(let code): management.insert(code)
        case .l2cap(let set, let code): l2capNamed.append((set, code))
        case .profile(let name): named.insert(name)
        }
      }
    }
  }

  private static var names: [(Code, String)] {
    var names: [(Code, String)] = []
    func add(_ code: Code, _ name: AssignedName?) {
      if let name { names.append((code, name.description)) }
    }
    for byte in UInt8.min...UInt8.max {
      add(.hci(byte), StatusCode(rawValue: byte).name)
      add(.att(byte), ATTErrorCode(rawValue: byte).name)
      add(.smp(byte), PairingFailure(rawValue: byte).name)
      add(.management(byte), CodeSet.managementStatus.name(of: UInt64(byte)))
      for set in l2capSets { add(.l2cap(set, byte), set.name(of: UInt64(byte))) }
    }
    return names
  }

  func matches(_ outcome: Outcome) -> Bool {
    guard isNegated else {
      return contains(outcome) || outcome.reason.map { hci.contains($0) } ?? false
    }
    switch outcome.family {
    case .hci:
      if !contains(outcome) { return true }
      // A lost link is a failure; a link that a host ended is not.
      return outcome.isFailure && outcome.reason.map { !hci.contains($0) } ?? false
    // The end of a discovery is an Error Response, but not a failure. Nor is it a failure if a
    // device does not know an option, or needs more time.
    case .att, .l2cap: return outcome.isFailure && !contains(outcome)
    case .smp, .management: return !contains(outcome)
    }
  }

  private func contains(_ outcome: Outcome) -> Bool {
    guard let code = UInt8(exactly: outcome.code) else { return false }
    switch outcome.family {
    case .hci: return hci.contains(code)
    case .att:
      if let subject = outcome.subject,
        let name = profiles?.name(ATTErrorCode(rawValue: code), of: subject)
      {
        return named.contains(name)
      }
      return att.contains(code)
    case .smp: return smp.contains(code)
    case .management: return management.contains(code)
    case .l2cap(let set):
      if l2capNamed.contains(where: { $0.set == set && $0.code == code }) { return true }
      // Command Not Understood has the number that means success everywhere else.
      return l2cap.contains(code) && !(set == .l2capReject && code == 0)
    }
  }
}
