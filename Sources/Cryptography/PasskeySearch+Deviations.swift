import Bluetooth

/// A way in which a device computes its confirm value otherwise than the specification wants, so that no
/// peer accepts it. Several may come together.
package enum ConfirmDeviation: UInt8, CaseIterable, Sendable {
  /// The type of the initiator's address is wrong.
  case initiatorAddressType
  /// The type of the responder's address is wrong.
  case responderAddressType
  /// Another address stands in the place of the initiator's, such as its identity address.
  case initiatorAddress
  /// Another address stands in the place of the responder's, such as its identity address.
  case responderAddress
  /// The initiator's address has its bytes in the wrong order.
  case initiatorAddressReversed
  /// The responder's address has its bytes in the wrong order.
  case responderAddressReversed
  /// The addresses have changed places.
  case addressesExchanged
  /// The Pairing Request is not the one that was sent.
  case request
  /// The Pairing Response is not the one that was sent.
  case response
  /// The Pairing Request and the Pairing Response have changed places.
  case commandsExchanged
  /// p1 has its bytes in the wrong order.
  case p1Reversed
  /// p2 has its bytes in the wrong order.
  case p2Reversed
  /// The random value has its bytes in the wrong order.
  case randomReversed
  /// The temporary key has its bytes in the wrong order.
  case temporaryKeyReversed
  /// All but the temporary key has its bytes in the wrong order, the result among them.
  case blocksReversed

  /// As a program names it.
  package var key: StaticString {
    switch self {
    case .initiatorAddressType: "initiator_address_type"
    case .responderAddressType: "responder_address_type"
    case .initiatorAddress: "initiator_address"
    case .responderAddress: "responder_address"
    case .initiatorAddressReversed: "initiator_address_reversed"
    case .responderAddressReversed: "responder_address_reversed"
    case .addressesExchanged: "addresses_exchanged"
    case .request: "pairing_request"
    case .response: "pairing_response"
    case .commandsExchanged: "commands_exchanged"
    case .p1Reversed: "p1_reversed"
    case .p2Reversed: "p2_reversed"
    case .randomReversed: "random_reversed"
    case .temporaryKeyReversed: "temporary_key_reversed"
    case .blocksReversed: "blocks_reversed"
    }
  }

  /// As a person reads it, after "c1 was computed with".
  package var words: StaticString {
    switch self {
    case .initiatorAddressType: "the wrong type of the initiator's address"
    case .responderAddressType: "the wrong type of the responder's address"
    case .initiatorAddress: "another address than the initiator's"
    case .responderAddress: "another address than the responder's"
    case .initiatorAddressReversed: "the initiator's address in the wrong byte order"
    case .responderAddressReversed: "the responder's address in the wrong byte order"
    case .addressesExchanged: "the two addresses exchanged"
    case .request: "another Pairing Request than the one sent"
    case .response: "another Pairing Response than the one sent"
    case .commandsExchanged: "Pairing Request and Pairing Response exchanged"
    case .p1Reversed: "p1 in the wrong byte order"
    case .p2Reversed: "p2 in the wrong byte order"
    case .randomReversed: "the random value in the wrong byte order"
    case .temporaryKeyReversed: "the temporary key in the wrong byte order"
    case .blocksReversed: "the blocks of AES in the wrong byte order"
    }
  }
}

extension PasskeySearch {
  /// The two addresses in a p2.
  struct Addresses {
    let initiator: DeviceAddress
    let responder: DeviceAddress

    init(_ p2: UInt128) {
      initiator = DeviceAddress(value: UInt64(truncatingIfNeeded: p2 >> 48))
      responder = DeviceAddress(value: UInt64(truncatingIfNeeded: p2))
    }
  }

  /// With a confirm value that a device has computed in another way.
  ///
  /// From both ends the middle is reached with two values known; what the third must have been follows,
  /// and is recognised or is not. What is recognised has at least 72 bits of its place right, which among
  /// a million passkeys does not happen by chance.
  package func deviating(
    _ opening: Opening, in passkeys: ClosedRange<UInt32> = SixDigits.all
  ) -> Finding? {
    let (confirm, random) = (opening.confirm.number, opening.random.number)
    let blocks = Types.all.map { (types: $0, block: random ^ p1($0)) }
    let pairing = complete
    for number in passkeys {
      guard let passkey = SixDigits(number) else { return nil }
      let cipher = AES128(PairingValue(number: UInt128(number)))
      let outer = cipher.decrypt(confirm)
      for inner in blocks {
        // What p2 must have been, with each type of the addresses in p1.
        let p2 = outer ^ cipher.encrypt(inner.block)
        if let found = deviations(ofP2: p2) {
          let forward = p2 >> 96 == 0 ? p2 : p2.byteSwapped
          return Finding(passkey, inputs(inner.types, forward), deviations(of: inner.types) + found)
        }
      }
      guard let pairing else { continue }
      // What p1 must have been.
      let p1 = cipher.decrypt(outer ^ pairing.p2) ^ random
      if let found = deviations(ofP1: p1, pairing, random) {
        return Finding(passkey, found.inputs, found.deviations)
      }
      if Self.fitsReversed(opening, pairing, cipher) {
        return Finding(passkey, pairing, [.blocksReversed])
      }
      guard number != 0 else { continue }
      let reversed = AES128(PairingValue(number: UInt128(number).byteSwapped))
      let middle = reversed.encrypt(random ^ pairing.p1)
      if reversed.decrypt(confirm) ^ middle == pairing.p2 {
        return Finding(passkey, pairing, [.temporaryKeyReversed])
      }
      if Self.fitsReversed(opening, pairing, reversed) {
        return Finding(passkey, pairing, [.temporaryKeyReversed, .blocksReversed])
      }
    }
    return nil
  }

  /// The pairing, where both addresses are known.
  private var complete: LegacyPairing? {
    guard let initiator, let responder else { return nil }
    return LegacyPairing(
      request: request, response: response, initiator: initiator, responder: responder)
  }

  /// Whether the types are other than those known.
  private func deviations(of types: Types) -> [ConfirmDeviation] {
    var deviations: [ConfirmDeviation] = []
    if types.initiator != initiator?.typeByte ?? types.initiator {
      deviations.append(.initiatorAddressType)
    }
    if types.responder != responder?.typeByte ?? types.responder {
      deviations.append(.responderAddressType)
    }
    return deviations
  }

  /// What is wrong with a p2; nil where it is none.
  private func deviations(ofP2 p2: UInt128) -> [ConfirmDeviation]? {
    guard p2 >> 96 == 0 else {
      return complete?.p2.byteSwapped == p2 ? [.p2Reversed] : nil
    }
    let found = Addresses(p2)
    let (initiator, responder) = (initiator?.address, responder?.address)
    let isInitiator = found.initiator == initiator
    let isResponder = found.responder == responder
    switch (isInitiator, isResponder) {
    case (true, true): return []
    case (true, false):
      guard let responder else { return [] }
      return [
        found.responder == responder.reversed ? .responderAddressReversed : .responderAddress
      ]
    case (false, true):
      guard let initiator else { return [] }
      return [
        found.initiator == initiator.reversed ? .initiatorAddressReversed : .initiatorAddress
      ]
    case (false, false):
      // Of a missing address each will do; one of them is known.
      if found.initiator == responder ?? found.initiator,
        found.responder == initiator ?? found.responder
      {
        return [.addressesExchanged]
      }
      if found.initiator == initiator?.reversed ?? found.initiator,
        found.responder == responder?.reversed ?? found.responder
      {
        return (initiator == nil ? [] : [.initiatorAddressReversed])
          + (responder == nil ? [] : [.responderAddressReversed])
      }
      return nil
    }
  }

  /// What is wrong with a p1; nil where it is none.
  private func deviations(
    ofP1 p1: UInt128, _ pairing: LegacyPairing, _ random: UInt128
  ) -> (inputs: LegacyPairing, deviations: [ConfirmDeviation])? {
    let expected = pairing.p1
    let difference = p1 ^ expected
    var inputs = pairing
    if difference >> 16 == 0 {
      let types = Types(
        initiator: UInt8(truncatingIfNeeded: p1), responder: UInt8(truncatingIfNeeded: p1 >> 8))
      return (self.inputs(types, pairing.p2), deviations(of: types))
    }
    if difference & 0xffff == 0 {
      let found = (
        request: PairingCommand(number: UInt64(truncatingIfNeeded: p1 >> 16)),
        response: PairingCommand(number: UInt64(truncatingIfNeeded: p1 >> 72))
      )
      let isRequest = found.request == request
      let isResponse = found.response == response
      if isRequest || isResponse || found == (request: response, response: request) {
        inputs.request = found.request
        inputs.response = found.response
        return (inputs, [isRequest ? .response : isResponse ? .request : .commandsExchanged])
      }
    }
    if p1 == expected.byteSwapped { return (inputs, [.p1Reversed]) }
    if difference == random ^ random.byteSwapped { return (inputs, [.randomReversed]) }
    return nil
  }

  /// Whether the confirm value fits where all blocks were in the other order.
  private static func fitsReversed(
    _ opening: Opening, _ pairing: LegacyPairing, _ cipher: AES128
  ) -> Bool {
    let inner = (opening.random.number ^ pairing.p1).byteSwapped
    let middle = cipher.encrypt(inner)
    let outer = cipher.decrypt(opening.confirm.number.byteSwapped)
    return outer ^ middle == pairing.p2.byteSwapped
  }
}

extension DeviceAddress {
  /// The address with its bytes in the other order.
  var reversed: DeviceAddress { DeviceAddress(value: value.byteSwapped >> 16) }
}
