/// The rounds of passkey entry in LE Secure Connections, one for each bit of the passkey, least
/// significant first (Core, Vol 3, Part H, 2.3.5.6.3).
///
/// In each round both sides commit to their bit, the initiator first. Then the initiator reveals
/// its random value, and the responder checks the bit before it reveals its own. So a responder
/// that refuses never reveals its bit, which is deduced to be the other one.
package struct SecureConnectionsRounds: Sendable {
  /// The number of rounds of a passkey.
  package static let count = 20

  /// The values of a round that are in the capture.
  package struct Values: Hashable, Sendable {
    /// The initiator's confirm value Cai.
    package var initiatorConfirm: PairingValue?
    /// The responder's confirm value Cbi.
    package var responderConfirm: PairingValue?
    /// The initiator's random value Nai.
    package var initiatorRandom: PairingValue?
    /// The responder's random value Nbi.
    package var responderRandom: PairingValue?

    package init() {}
  }

  /// The commitments of a round.
  package struct Round: Hashable, Sendable {
    package let initiator: SecureConnectionsCommitment
    package let responder: SecureConnectionsCommitment
  }

  /// The first round in which the two sides had different bits.
  package struct Parting: Hashable, Sendable {
    /// The number of the round, from 1.
    package let round: Int
    /// The initiator's bit.
    package let initiatorBit: UInt8
    /// Whether the responder's bit was deduced from its refusal rather than computed.
    package let isDeduced: Bool

    /// The responder's bit.
    package var responderBit: UInt8 { 1 - initiatorBit }
  }

  /// The rounds, at most 20.
  package let rounds: [Round]
  /// The round in which the bits differ; nil if no round shows a difference.
  package let parting: Parting?
  /// The bits on which both sides agree, from the first round on without a gap.
  package let agreed: PasskeyBits

  /// Checks the rounds. The caller passes X of both public keys, the values sent, and the side that
  /// ended pairing with Pairing Failed, Confirm Value Failed, if any.
  ///
  /// - Parameter hasSucceeded: Whether pairing succeeded. Then both sides had the same bits, so
  ///   opening the initiator's commitments is enough; the responder's stay hidden.
  package init(
    initiatorKey: P256Coordinate, responderKey: P256Coordinate, _ values: [Values],
    refusedBy side: PairingSide?, hasSucceeded: Bool = false
  ) {
    let values = values.prefix(Self.count)
    let rounds = values.map { round in
      let initiator = SecureConnectionsCommitment.passkeyBit(
        initiatorKey, responderKey, confirm: round.initiatorConfirm, random: round.initiatorRandom)
      if hasSucceeded, initiator.bit != nil {
        return Round(initiator: initiator, responder: .hidden)
      }
      let responder = SecureConnectionsCommitment.passkeyBit(
        responderKey, initiatorKey, confirm: round.responderConfirm, random: round.responderRandom,
        likely: initiator.bit ?? 0)
      return Round(initiator: initiator, responder: responder)
    }
    var agreed = PasskeyBits()
    var parting: Parting?
    for (index, round) in rounds.enumerated() where parting == nil {
      let isLast = index == rounds.count - 1
      switch (round.initiator.bit, round.responder.bit) {
      case (let initiator?, let responder?) where initiator != responder:
        parting = Parting(round: index + 1, initiatorBit: initiator, isDeduced: false)
      case (let initiator?, nil)
      where isLast && side == .responder && values[index].responderRandom == nil:
        // It has checked the revealed bit. A wrongly computed value fails with either bit.
        if case .opens = round.initiator {
          parting = Parting(round: index + 1, initiatorBit: initiator, isDeduced: true)
        }
      case (let bit?, let other):
        // A side only continues if it agrees.
        if agreed.count == index, other != nil || !isLast || hasSucceeded { agreed.append(bit) }
      case (nil, let bit?):
        if agreed.count == index, !isLast || hasSucceeded { agreed.append(bit) }
      case (nil, nil): break
      }
    }
    self.rounds = rounds
    self.parting = parting
    self.agreed = agreed
  }

  /// Returns the known bits of a side's passkey, from the least significant one on without a gap.
  package func bits(of side: PairingSide) -> PasskeyBits {
    var bits = agreed
    if let parting, parting.round == bits.count + 1 {
      bits.append(side == .initiator ? parting.initiatorBit : parting.responderBit)
    }
    return bits
  }
}

/// The known least significant bits of a passkey.
package struct PasskeyBits: Hashable, Sendable {
  /// The number of known bits, 0 to 20.
  package private(set) var count = 0
  /// The bits as a number.
  package private(set) var number: UInt32 = 0

  package init() {}

  /// Adds the next bit.
  mutating func append(_ bit: UInt8) {
    guard count < SecureConnectionsRounds.count else { return }
    number |= UInt32(bit & 1) << UInt32(count)
    count += 1
  }

  /// The passkey once all bits are known; nil also if they make more than six digits.
  package var passkey: SixDigits? {
    count == SecureConnectionsRounds.count ? SixDigits(number) : nil
  }

  /// The number of passkeys with these bits.
  package var candidates: Int {
    let last = SixDigits.all.upperBound
    return number > last ? 0 : Int((last - number) >> UInt32(count)) + 1
  }

  /// Returns whether a passkey has these bits.
  package func fit(_ passkey: SixDigits) -> Bool {
    (passkey.number ^ number) & (1 << UInt32(count) - 1) == 0
  }
}
