/// The rounds of passkey entry over LE Secure Connections, each of which is about one bit of the passkey,
/// the least significant first (Core, Vol 3, Part H, 2.3.5.6.3).
///
/// In a round both sides commit themselves to their bit, the initiator first. Then the initiator reveals
/// its random value, and the responder checks the bit before it reveals its own. So a responder that
/// refuses never shows its bit: it is concluded, because it must be the other one.
package struct SecureConnectionsRounds: Sendable {
  /// The rounds that a passkey has.
  package static let count = 20

  /// What was sent in a round, as far as it is in the capture.
  package struct Values: Hashable, Sendable {
    /// The initiator's confirm value Cai.
    package var initiatorConfirm: PairingValue?
    /// The responder's confirm value Cbi.
    package var responderConfirm: PairingValue?
    /// The initiator's random value Nai.
    package var initiatorRandom: PairingValue?
    /// The responder's random value Nbi.
    package var responderRandom: PairingValue?

    /// A round of which nothing was seen yet.
    package init() {}
  }

  /// What the values of a round come to.
  package struct Round: Hashable, Sendable {
    /// The initiator's commitment.
    package let initiator: SecureConnectionsCommitment
    /// The responder's commitment.
    package let responder: SecureConnectionsCommitment
  }

  /// The first round in which the sides had different bits.
  package struct Parting: Hashable, Sendable {
    /// The round, from 1.
    package let round: Int
    /// The initiator's bit.
    package let initiatorBit: UInt8
    /// The responder's bit is the other one; whether that is concluded from its refusal, and not
    /// computed.
    package let isDeduced: Bool

    /// The responder's bit.
    package var responderBit: UInt8 { 1 - initiatorBit }
  }

  /// The rounds, at most 20.
  package let rounds: [Round]
  /// Where the sides parted; nil where no round shows that they did.
  package let parting: Parting?
  /// The bits that both sides had alike, from the first round on without a gap.
  package let agreed: PasskeyBits

  /// Computes the rounds: X of both public keys, what was sent, and who ended it with Pairing Failed,
  /// Confirm Value Failed, if somebody did.
  ///
  /// - Parameter hasSucceeded: whether the pairing did. Then both sides had the same bits, and what opens
  ///   the initiator's is enough: the responder's commitments stay hidden.
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
        // It has checked the bit that it was shown. A value computed wrongly fails whatever the bit.
        if case .opens = round.initiator {
          parting = Parting(round: index + 1, initiatorBit: initiator, isDeduced: true)
        }
      case (let bit?, let other):
        // Only who agrees goes on.
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

  /// The bits that are known of a side's passkey, from the least significant one on without a gap.
  package func bits(of side: PairingSide) -> PasskeyBits {
    var bits = agreed
    if let parting, parting.round == bits.count + 1 {
      bits.append(side == .initiator ? parting.initiatorBit : parting.responderBit)
    }
    return bits
  }
}

/// The least significant bits of a passkey, as far as they are known.
package struct PasskeyBits: Hashable, Sendable {
  /// How many are known, 0 to 20.
  package private(set) var count = 0
  /// The bits as a number.
  package private(set) var number: UInt32 = 0

  /// No bit.
  package init() {}

  /// Adds the next bit.
  mutating func append(_ bit: UInt8) {
    guard count < SecureConnectionsRounds.count else { return }
    number |= UInt32(bit & 1) << UInt32(count)
    count += 1
  }

  /// The passkey, once all bits are known; nil too where they make more than six digits.
  package var passkey: SixDigits? {
    count == SecureConnectionsRounds.count ? SixDigits(number) : nil
  }

  /// How many passkeys have these bits.
  package var candidates: Int {
    let last = SixDigits.all.upperBound
    return number > last ? 0 : Int((last - number) >> UInt32(count)) + 1
  }

  /// Whether a passkey has these bits.
  package func fit(_ passkey: SixDigits) -> Bool {
    (passkey.number ^ number) & (1 << UInt32(count) - 1) == 0
  }
}
