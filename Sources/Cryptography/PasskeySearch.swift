import Bluetooth

/// Finds the temporary key that a side of LE legacy pairing had: the confirm value that it has opened is
/// computed anew with each passkey (Core, Vol 3, Part H, 2.3.5.5).
///
/// A confirm value is e(k, e(k, r ⊕ p1) ⊕ p2). The search meets in the middle: it decrypts the confirm
/// value and encrypts r ⊕ p1, and the two must differ by p2. That costs as much as computing the value,
/// and shows what a device put in the place of p2 if not the addresses of the link: so an address that
/// the capture lacks is found together with the passkey.
///
/// A passkey is the key of its two blocks, so each needs a key schedule of its own. With the library's AES
/// a million take a quarter of a second, and the deviations, if none fits, one second more.
package struct PasskeySearch: Sendable {
  /// What one side has sent in Pairing Confirm and then in Pairing Random.
  package struct Opening: Hashable, Sendable {
    /// The confirm value.
    package let confirm: PairingValue
    /// The random value.
    package let random: PairingValue

    /// A confirm value and what it was made of.
    package init(confirm: PairingValue, random: PairingValue) {
      self.confirm = confirm
      self.random = random
    }
  }

  /// What was found: with these values c1 gives the confirm value.
  package struct Finding: Hashable, Sendable {
    /// The passkey; 0 is the temporary key of Just Works, too.
    package let passkey: SixDigits
    /// What entered p1 and p2. Of a type that is neither public nor random the lowest bit stands here.
    package let inputs: LegacyPairing
    /// How that differs from what the specification wants: nothing where the side did right.
    package let deviations: [ConfirmDeviation]

    init(_ passkey: SixDigits, _ inputs: LegacyPairing, _ deviations: [ConfirmDeviation] = []) {
      self.passkey = passkey
      self.inputs = inputs
      self.deviations = deviations
    }
  }

  let request: PairingCommand
  let response: PairingCommand
  let initiator: PairingAddress?
  let responder: PairingAddress?

  /// A pairing. One address may be missing: the search finds it. Nil where both are, because too little
  /// is left then to tell a find from chance.
  package init?(
    request: PairingCommand, response: PairingCommand, initiator: PairingAddress?,
    responder: PairingAddress?
  ) {
    guard initiator != nil || responder != nil else { return nil }
    self.request = request
    self.response = response
    self.initiator = initiator
    self.responder = responder
  }

  /// The passkey with which this confirm value was made, by c1 as it is specified, or in one of the ways
  /// in which devices get it wrong (`ConfirmDeviation`). Nil where none fits: the temporary key was no
  /// passkey, or c1 is wrong in another way.
  package func search(
    _ opening: Opening, in passkeys: ClosedRange<UInt32> = SixDigits.all
  ) -> Finding? {
    asSpecified(opening, in: passkeys) ?? deviating(opening, in: passkeys)
  }

  /// By c1 as it is specified.
  package func asSpecified(
    _ opening: Opening, in passkeys: ClosedRange<UInt32> = SixDigits.all
  ) -> Finding? {
    let random = opening.random.number
    let blocks = types.map { (types: $0, block: random ^ p1($0)) }
    let (expected, mask) = expectedP2
    for number in passkeys {
      guard let passkey = SixDigits(number) else { return nil }
      let cipher = AES128(PairingValue(number: UInt128(number)))
      if mask == .max {
        // Forwards: a key that decrypts, too, has to be expanded twice, which takes most of the time.
        for inner in blocks
        where cipher.encrypt(cipher.encrypt(inner.block) ^ expected) == opening.confirm.number {
          return Finding(passkey, inputs(inner.types, expected))
        }
        continue
      }
      let outer = cipher.decrypt(opening.confirm.number)
      for inner in blocks {
        let p2 = outer ^ cipher.encrypt(inner.block)
        if (p2 ^ expected) & mask == 0 { return Finding(passkey, inputs(inner.types, p2)) }
      }
    }
    return nil
  }

  /// The types of both addresses, one byte each.
  struct Types: Hashable {
    var initiator: UInt8
    var responder: UInt8

    static let all = [(0, 0), (0, 1), (1, 0), (1, 1)].map {
      Types(initiator: $0.0, responder: $0.1)
    }
  }

  /// The types as far as they are known: of an address that is not known, both.
  var types: [Types] {
    Types.all.filter { types in
      types.initiator == initiator?.typeByte ?? types.initiator
        && types.responder == responder?.typeByte ?? types.responder
    }
  }

  /// p1 with these types.
  func p1(_ types: Types) -> UInt128 {
    LegacyPairing.p1(
      request: request, response: response, initiatorType: types.initiator,
      responderType: types.responder)
  }

  /// p2, and which of its bits are known.
  private var expectedP2: (p2: UInt128, mask: UInt128) {
    let lower: UInt128 = 1 << 48 - 1
    var mask = ~(lower << 48 | lower)
    if initiator != nil { mask |= lower << 48 }
    if responder != nil { mask |= lower }
    return (
      LegacyPairing.p2(
        initiator: initiator?.address ?? .zero, responder: responder?.address ?? .zero), mask
    )
  }

  /// The inputs that a find shows.
  func inputs(_ types: Types, _ p2: UInt128) -> LegacyPairing {
    let addresses = Addresses(p2)
    return LegacyPairing(
      request: request, response: response,
      initiator: PairingAddress(addresses.initiator, isRandom: types.initiator & 1 == 1),
      responder: PairingAddress(addresses.responder, isRandom: types.responder & 1 == 1))
  }
}
