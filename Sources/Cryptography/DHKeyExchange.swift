/// A pairing of LE Secure Connections whose shared secret is known, because one side used the debug key
/// pair or HCI carried the secret: its keys and check values (Core, Vol 3, Part H, 2.3.5.6.5).
package struct DHKeyExchange: Sendable {
  /// What f5 makes of the secret.
  package let keys: SecureConnections.Keys
  private let dhKey: P256Coordinate
  private let initiator: (random: PairingValue, address: PairingAddress)
  private let responder: (random: PairingValue, address: PairingAddress)

  /// A pairing: the secret, the random values (of the last round, where there are several), and the
  /// addresses by which the link was made.
  package init(
    dhKey: P256Coordinate, initiatorRandom: PairingValue, responderRandom: PairingValue,
    initiator: PairingAddress, responder: PairingAddress
  ) {
    self.dhKey = dhKey
    self.initiator = (initiatorRandom, initiator)
    self.responder = (responderRandom, responder)
    keys = SecureConnections.f5(
      dhKey: dhKey, initiatorRandom: initiatorRandom, responderRandom: responderRandom,
      initiator: initiator, responder: responder)
  }

  /// The initiator's check value Ea: of the responder's r, and of what the initiator said that it can do.
  package func initiatorCheck(responderR r: PairingValue, request: PairingCommand) -> PairingValue {
    SecureConnections.f6(
      macKey: keys.macKey, own: initiator, other: responder, r: r, command: request)
  }

  /// The responder's check value Eb: of the initiator's r, and of what the responder said that it can
  /// do.
  package func responderCheck(initiatorR r: PairingValue, response: PairingCommand) -> PairingValue
  {
    SecureConnections.f6(
      macKey: keys.macKey, own: responder, other: initiator, r: r, command: response)
  }

  /// In what way a side's check value was computed: nothing in the list where it was as the
  /// specification wants, nil where none of the ways fits.
  ///
  /// `r` is the other side's, `command` what this side said that it can do, and `other` what the other
  /// side said.
  package func deviations(
    of check: PairingValue, from side: PairingSide, r: PairingValue, command: PairingCommand,
    other: PairingCommand
  ) -> [CheckDeviation]? {
    for types in [[], [.initiatorAddressType], [.responderAddressType], CheckDeviation.types] {
      let exchange = types.isEmpty ? self : with(types)
      for wrongCommand in [[], [CheckDeviation.capabilitiesReversed], [.capabilitiesOfOther]] {
        for wrongR in [[], [CheckDeviation.r]] {
          let deviations = wrongCommand + wrongR
          let value = exchange.value(
            from: side, r: r, command: command, other: other, deviations)
          if value == check { return types + deviations }
        }
      }
    }
    return nil
  }

  /// The check value of a side that deviates from the specification in these ways: what `deviations(of:…)`
  /// has found, forwards.
  package func check(
    from side: PairingSide, r: PairingValue, command: PairingCommand, other: PairingCommand,
    _ deviations: [CheckDeviation]
  ) -> PairingValue {
    let types = deviations.filter { CheckDeviation.types.contains($0) }
    return (types.isEmpty ? self : with(types)).value(
      from: side, r: r, command: command, other: other, deviations)
  }

  /// The check value of a side; the types of the addresses are right.
  private func value(
    from side: PairingSide, r: PairingValue, command: PairingCommand, other: PairingCommand,
    _ deviations: [CheckDeviation]
  ) -> PairingValue {
    let r = deviations.contains(.r) ? .zero : r
    var said = deviations.contains(.capabilitiesOfOther) ? other : command
    if deviations.contains(.capabilitiesReversed) { said = said.withReversedCapabilities }
    return side == .initiator
      ? initiatorCheck(responderR: r, request: said)
      : responderCheck(initiatorR: r, response: said)
  }

  /// The same pairing with the type of one address wrong, or of both.
  private func with(_ types: [CheckDeviation]) -> DHKeyExchange {
    func address(_ address: PairingAddress, _ deviation: CheckDeviation) -> PairingAddress {
      PairingAddress(
        address.address, isRandom: address.isRandom != types.contains(deviation))
    }
    return DHKeyExchange(
      dhKey: dhKey, initiatorRandom: initiator.random, responderRandom: responder.random,
      initiator: address(initiator.address, .initiatorAddressType),
      responder: address(responder.address, .responderAddressType))
  }
}

/// One of the two sides of a pairing.
package enum PairingSide: UInt8, Sendable {
  /// Who sent the Pairing Request: the central.
  case initiator
  /// Who answered it.
  case responder
}

/// A way in which a device computes its check value otherwise than the specification wants, so that no
/// peer accepts it. Several may come together.
package enum CheckDeviation: UInt8, CaseIterable, Sendable {
  /// The type of the initiator's address is wrong, in f5 and f6.
  case initiatorAddressType
  /// The type of the responder's address is wrong, in f5 and f6.
  case responderAddressType
  /// AuthReq, OOB data flag and IO capability stand in the wrong order.
  case capabilitiesReversed
  /// AuthReq, OOB data flag and IO capability are those of the other side.
  case capabilitiesOfOther
  /// r is zero, although there is a passkey or OOB data.
  case r

  static let types: [CheckDeviation] = [.initiatorAddressType, .responderAddressType]

  /// As a program names it.
  package var key: StaticString {
    switch self {
    case .initiatorAddressType: ConfirmDeviation.initiatorAddressType.key
    case .responderAddressType: ConfirmDeviation.responderAddressType.key
    case .capabilitiesReversed: "capabilities_reversed"
    case .capabilitiesOfOther: "capabilities_of_other"
    case .r: "r_zero"
    }
  }

  /// As a person reads it, after "the check value was computed with".
  package var words: StaticString {
    switch self {
    case .initiatorAddressType: ConfirmDeviation.initiatorAddressType.words
    case .responderAddressType: ConfirmDeviation.responderAddressType.words
    case .capabilitiesReversed: "AuthReq, OOB data flag and IO capability in the wrong order"
    case .capabilitiesOfOther: "the other side's AuthReq, OOB data flag and IO capability"
    case .r: "zero in the place of the passkey or OOB data"
    }
  }
}
