package import Bluetooth
import Cryptography
import Sessions
import Words

extension PairingAttempt {
  /// A user cannot type six digits, or read a dialog, faster than this.
  package static let fastestPerson: Int64 = 300_000_000
  /// A pairing times out after this long without an SMP command (Core, Vol 3, Part H, 3.4: 30 s);
  /// the clocks of captures are not exact.
  static let timeout: Int64 = 29_500_000_000
  /// A silence of this length is a user's, not a program's.
  static let longSilence: Int64 = 25_000_000_000

  /// How quickly after the features were known the side that types the passkey committed itself to
  /// it, if that is too fast for a user.
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

  /// The side whose turn it was when nothing more was sent, if that depends on a user.
  var awaitedPerson: (role: PairingSide, task: Wording, isSure: Bool)? {
    guard let method, responding.features != nil, !isPaired else { return nil }
    let isReady =
      !method.isSecureConnections || initiating.publicKey != nil && responding.publicKey != nil
    if method.hasPasskey {
      guard isReady else { return nil }
      let next: PairingSide? =
        initiating.confirms == nil ? .initiator : responding.confirms == nil ? .responder : nil
      guard let next, types(next) else { return nil }
      return (next, typingTask(next), true)
    }
    guard method.association != .outOfBand else { return nil }
    let digits: Wording = "compare the six digits and confirm them"
    let agree: Wording = "accept the pairing"
    let isNumeric = method.association == .numericComparison
    if method.isSecureConnections {
      guard initiating.randoms != nil, responding.randoms != nil else { return nil }
      let next: PairingSide? =
        initiating.check == nil ? .initiator : responding.check == nil ? .responder : nil
      return next.map { ($0, isNumeric ? digits : agree, isNumeric) }
    }
    return initiating.confirms == nil ? (.initiator, agree, false) : nil
  }

  private func typingTask(_ role: PairingSide) -> Wording {
    shows(role.other)
      ? "type the six digits that \(side(role.other).words) shows" : "type the six digits"
  }
}

/// A user who had to act for a pairing to continue, and did not.
struct SilentUser {
  /// The side whose user it is.
  let side: Side
  /// What the user had to do.
  let task: Wording
  /// The length of the silence, in nanoseconds.
  let silence: Int64
  /// Whether the method requires the user to act; otherwise a dialog may have asked for consent.
  let isSure: Bool

  /// Returns nil if no user was waited for, or not for long.
  init?(_ attempt: PairingAttempt, _ end: Moment?) {
    guard let awaited = attempt.awaitedPerson, let before = attempt.lastStep,
      let silence = end?.nanoseconds(since: before), silence >= PairingAttempt.longSilence
    else { return nil }
    side = attempt.side(awaited.role)
    task = awaited.task
    self.silence = silence
    isSure = awaited.isSure
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
