/// A pairing of LE Secure Connections with a known DHKey, because one side used the debug key pair
/// or HCI carried the DHKey: its keys and check values (Core, Vol 3, Part H, 2.3.5.6.5).
package struct DHKeyExchange: Sendable {
  /// The result of f5.
  package let keys: SecureConnections.Keys
  private let dhKey: P256Coordinate
  private let initiator: (random: PairingValue, address: PairingAddress)
  private let responder: (random: PairingValue, address: PairingAddress)

  /// Creates a pairing from the DHKey, the random values (of the last round, if there are several),
  /// and the addresses used to create the connection.
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

  /// Returns the initiator's check value Ea, computed from the responder's r and the initiator's
  /// Pairing Request.
  package func initiatorCheck(responderR r: PairingValue, request: PairingCommand) -> PairingValue {
    SecureConnections.f6(
      macKey: keys.macKey, own: initiator, other: responder, r: r, command: request)
  }

  /// Returns the responder's check value Eb, computed from the initiator's r and the responder's
  /// Pairing Response.
  package func responderCheck(initiatorR r: PairingValue, response: PairingCommand) -> PairingValue
  {
    SecureConnections.f6(
      macKey: keys.macKey, own: responder, other: initiator, r: r, command: response)
  }

  /// Returns how the computation of a side's check value deviates from the specification: an empty
  /// list if it does not, nil if no known deviation explains the value.
  ///
  /// `r` is the other side's, `command` the pairing command of this side, and `other` that of the
  /// other side.
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

  /// Returns the check value of a side with these deviations: the inverse of `deviations(of:…)`.
  package func check(
    from side: PairingSide, r: PairingValue, command: PairingCommand, other: PairingCommand,
    _ deviations: [CheckDeviation]
  ) -> PairingValue {
    let types = deviations.filter { CheckDeviation.types.contains($0) }
    return (types.isEmpty ? self : with(types)).value(
      from: side, r: r, command: command, other: other, deviations)
  }

  /// Returns the check value of a side, with correct address types.
  private func value(
    from side: PairingSide, r: PairingValue, command: PairingCommand, other: PairingCommand,
    _ deviations: [CheckDeviation]
  ) -> PairingValue {
    let r = deviations.contains(.r) ? .zero : r
    var sent = deviations.contains(.capabilitiesOfOther) ? other : command
    if deviations.contains(.capabilitiesReversed) { sent = sent.withReversedCapabilities }
    return side == .initiator
      ? initiatorCheck(responderR: r, request: sent)
      : responderCheck(initiatorR: r, response: sent)
  }

  /// Returns the same pairing with one or both address types inverted.
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
  /// The sender of the Pairing Request, which is the central.
  case initiator
  /// The sender of the Pairing Response, which is the peripheral.
  case responder
}

/// A deviation in a device's computation of its check value, so that no peer accepts the value.
/// Several can occur together.
package enum CheckDeviation: UInt8, CaseIterable, Sendable {
  /// The initiator's address type is wrong, in f5 and f6.
  case initiatorAddressType
  /// The responder's address type is wrong, in f5 and f6.
  case responderAddressType
  /// AuthReq, OOB data flag and IO capability are in the wrong order.
  case capabilitiesReversed
  /// AuthReq, OOB data flag and IO capability are those of the other side.
  case capabilitiesOfOther
  /// r is zero, although there is a passkey or OOB data.
  case r

  static let types: [CheckDeviation] = [.initiatorAddressType, .responderAddressType]

  /// The name for programs.
  package var key: StaticString {
    switch self {
    case .initiatorAddressType: ConfirmDeviation.initiatorAddressType.key
    case .responderAddressType: ConfirmDeviation.responderAddressType.key
    case .capabilitiesReversed: "capabilities_reversed"
    case .capabilitiesOfOther: "capabilities_of_other"
    case .r: "r_zero"
    }
  }

  /// The words for people, after "the check value was computed with".
  package var words: StaticString {
    switch self {
    case .initiatorAddressType: ConfirmDeviation.initiatorAddressType.words
    case .responderAddressType: ConfirmDeviation.responderAddressType.words
    case .capabilitiesReversed: "AuthReq, OOB data flag and IO capability in the wrong order"
    case .capabilitiesOfOther: "the other side's AuthReq, OOB data flag and IO capability"
    case .r: "zero instead of the passkey or OOB data"
    }
  }
}
