package import Histories
package import Bluetooth
import Cryptography
import Meanings
import Sessions

extension PairingAttempt {
  /// A user cannot type six digits, or read a dialog, faster than this.
  package static let fastestPerson: Int64 = 300_000_000
  /// Without an SMP command a pairing ends (Core, Vol 3, Part H, 3.4: 30 s; clocks are not exact).
  static let timeout: Int64 = 29_500_000_000
  /// A silence of this length is a user's, not a program's.
  static let longSilence: Int64 = 25_000_000_000

  /// How quickly the side that types the passkey committed itself, if too fast for a user.
  package var programTyped: (side: Side, delay: Int64, confirm: Moment)? {
    guard let response = responding.features?.moment else { return nil }
    for role in [PairingSide.initiator, .responder] where types(role) {
      guard let confirm = self[role].confirms?.first,
        let delay = confirm.nanoseconds(since: response), delay < Self.fastestPerson
      else { continue }
      return (side(role), delay, confirm)
    }
    return nil
  }

  /// How quickly the digits of numeric comparison were refused after the refusing side had received
  /// the other's random value, from which they follow, if that is too fast for a user (Core, Vol 3,
  /// Part H, 2.3.5.6.2).
  var programRefused: (delay: Int64, known: Moment)? {
    guard let failure, let end, let known = self[role(of: failure.side).other].randoms?.last,
      let delay = end.nanoseconds(since: known), delay >= 0, delay < Self.fastestPerson
    else { return nil }
    return (delay, known)
  }

  /// The side that has to send the next PDU before encryption; nil if none is due, or unknown.
  var awaited: PairingSide? {
    guard responding.features != nil else { return initiating.features == nil ? nil : .responder }
    guard let method else { return nil }
    func next(_ first: Bool, _ second: Bool) -> PairingSide? {
      first ? second ? nil : .responder : .initiator
    }
    if method.isSecureConnections,
      let next = next(initiating.publicKey != nil, responding.publicKey != nil)
    {
      return next
    }
    let hasRounds = method.isSecureConnections && method.hasPasskey
    if hasRounds || !method.isSecureConnections {
      // Each side commits itself, then each opens its commitment.
      let own = (initiating.confirms?.count ?? 0, initiating.randoms?.count ?? 0)
      let others = (responding.confirms?.count ?? 0, responding.randoms?.count ?? 0)
      if others.0 < own.0 { return .responder }
      if own.1 < others.0 { return .initiator }
      if others.1 < own.1 { return .responder }
      if own.0 < (hasRounds ? SecureConnectionsRounds.count : 1) { return .initiator }
    } else {
      // Only the responder commits itself; with out-of-band data neither does.
      if method.association != .outOfBand, responding.confirms == nil { return .responder }
      if let next = next(initiating.randoms != nil, responding.randoms != nil) { return next }
    }
    guard method.isSecureConnections else { return nil }
    return next(initiating.check != nil, responding.check != nil)
  }

  /// The side whose turn it was when nothing more was sent, if that depends on a user.
  var awaitedPerson: (role: PairingSide, task: Wording, isSure: Bool)? {
    guard let method, !isPaired, let next = awaited, responding.features != nil else { return nil }
    let hasKeys = initiating.publicKey != nil && responding.publicKey != nil
    guard !method.isSecureConnections || hasKeys else { return nil }
    if method.hasPasskey {
      guard self[next].confirms == nil, types(next) else { return nil }
      return (
        next,
        shows(next.other)
          ? "type the six digits that \(side(next.other).words) shows" : "type the six digits", true
      )
    }
    let isNumeric = method.association == .numericComparison
    // The user is asked once the digits are known; in legacy pairing before the first value.
    let isAsked =
      method.isSecureConnections
      ? initiating.randoms != nil && responding.randoms != nil : initiating.confirms == nil
    guard isAsked, method.association != .outOfBand else { return nil }
    return (
      next, isNumeric ? "compare the six digits and confirm them" : "accept the pairing", isNumeric
    )
  }

}

/// A user who had to act for a pairing to continue, and did not.
struct SilentUser {
  let side: Side
  let task: Wording
  let silence: Int64
  /// Whether the method requires the user to act; otherwise a dialog may have asked for consent.
  let isSure: Bool

  /// Returns nil if no user was waited for, or not for long.
  init?(_ attempt: PairingAttempt, _ end: Moment?) {
    guard let awaited = attempt.awaitedPerson, let before = attempt.lastStep,
      let silence = end?.nanoseconds(since: before), silence >= PairingAttempt.longSilence
    else { return nil }
    (side, task, isSure) = (attempt.side(awaited.role), awaited.task, awaited.isSure)
    self.silence = silence
  }
}

extension PairingAttempt {
  /// The last packet before its end, not counting Pairing Failed.
  var lastStep: Moment? {
    guard failure != nil else { return last }
    let runs = [initiating, responding].flatMap { party in
      [
        party.features?.moment, party.publicKey?.moment, party.confirms?.last, party.randoms?.last,
        party.check, party.keypresses?.last, party.keys?.last,
      ]
    }
    return runs.compactMap(\.self).max { $0.packet < $1.packet }
  }
}
