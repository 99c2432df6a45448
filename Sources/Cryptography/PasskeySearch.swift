import Bluetooth

/// A search for the temporary key of one side in LE legacy pairing, by recomputing a revealed
/// confirm value with each passkey (Core, Vol 3, Part H, 2.3.5.5).
///
/// A confirm value is e(k, e(k, r ⊕ p1) ⊕ p2). The search meets in the middle: it decrypts the
/// confirm value and encrypts r ⊕ p1, and the two must differ by p2. That costs as much as
/// computing the value, and shows what a device used as p2 instead of the link's addresses. So an
/// address that the capture lacks is found together with the passkey.
///
/// A passkey is the key for both blocks, so each passkey needs its own key schedule. With the
/// library's AES, a million take a quarter of a second, and if none fits, the deviations take
/// another second.
package struct PasskeySearch: Sendable {
  /// The values that one side sent in Pairing Confirm and then in Pairing Random.
  package struct Opening: Hashable, Sendable {
    package let confirm: PairingValue
    package let random: PairingValue

    package init(confirm: PairingValue, random: PairingValue) {
      self.confirm = confirm
      self.random = random
    }
  }

  /// A result, with which c1 yields the confirm value.
  package struct Finding: Hashable, Sendable {
    /// The passkey; 0 is also the temporary key of Just Works.
    package let passkey: SixDigits
    /// The inputs of p1 and p2. For an address type that is neither public nor random, only its
    /// lowest bit is kept.
    package let inputs: LegacyPairing
    /// The deviations from the specification; empty if there are none.
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

  /// Creates a search. One address may be missing and is then found. Returns nil if both are
  /// missing, since a result could then not be distinguished from chance.
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

  /// Returns the passkey that yields this confirm value, with c1 as specified or with a known
  /// deviation (`ConfirmDeviation`). Returns nil if none fits: the temporary key was not a passkey,
  /// or the deviation is unknown.
  package func search(
    _ opening: Opening, in passkeys: ClosedRange<UInt32> = SixDigits.all
  ) -> Finding? {
    asSpecified(opening, in: passkeys) ?? deviating(opening, in: passkeys)
  }

  /// Searches with c1 as specified.
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
        // Forwards: a key that decrypts, too, has to be expanded twice, which takes most of the
        // time.
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

  /// The possible address types: the known one, or both for an unknown address.
  var types: [Types] {
    Types.all.filter { types in
      types.initiator == initiator?.typeByte ?? types.initiator
        && types.responder == responder?.typeByte ?? types.responder
    }
  }

  /// Returns p1 with these address types.
  func p1(_ types: Types) -> UInt128 {
    LegacyPairing.p1(
      request: request, response: response, initiatorType: types.initiator,
      responderType: types.responder)
  }

  /// The expected p2, with a mask of the bits that are known.
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

  /// Returns the inputs that a result reveals.
  func inputs(_ types: Types, _ p2: UInt128) -> LegacyPairing {
    let addresses = Addresses(p2)
    return LegacyPairing(
      request: request, response: response,
      initiator: PairingAddress(addresses.initiator, isRandom: types.initiator & 1 == 1),
      responder: PairingAddress(addresses.responder, isRandom: types.responder & 1 == 1))
  }
}
