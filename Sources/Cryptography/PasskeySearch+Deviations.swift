import Bluetooth

/// A deviation in a device's computation of its confirm value, so that no peer accepts the value.
/// Several can occur together.
package enum ConfirmDeviation: UInt8, CaseIterable, Sendable {
  /// The initiator's address type is wrong.
  case initiatorAddressType
  /// The responder's address type is wrong.
  case responderAddressType
  /// Another address is used instead of the initiator's, such as its identity address.
  case initiatorAddress
  /// Another address is used instead of the responder's, such as its identity address.
  case responderAddress
  /// The bytes of the initiator's address are in the wrong order.
  case initiatorAddressReversed
  /// The bytes of the responder's address are in the wrong order.
  case responderAddressReversed
  /// The addresses are exchanged.
  case addressesExchanged
  /// The Pairing Request is not the one that was sent.
  case request
  /// The Pairing Response is not the one that was sent.
  case response
  /// Pairing Request and Pairing Response are exchanged.
  case commandsExchanged
  /// The bytes of p1 are in the wrong order.
  case p1Reversed
  /// The bytes of p2 are in the wrong order.
  case p2Reversed
  /// The bytes of the random value are in the wrong order.
  case randomReversed
  /// The bytes of the temporary key are in the wrong order.
  case temporaryKeyReversed
  /// The bytes of everything but the temporary key, including the result, are in the wrong order.
  case blocksReversed

  /// The name for programs.
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

  /// The words for people, after "c1 was computed with".
  package var words: StaticString {
    switch self {
    case .initiatorAddressType: "the wrong type of the initiator's address"
    case .responderAddressType: "the wrong type of the responder's address"
    case .initiatorAddress: "an address other than the initiator's"
    case .responderAddress: "an address other than the responder's"
    case .initiatorAddressReversed: "the initiator's address in the wrong byte order"
    case .responderAddressReversed: "the responder's address in the wrong byte order"
    case .addressesExchanged: "the two addresses exchanged"
    case .request: "a Pairing Request other than the one sent"
    case .response: "a Pairing Response other than the one sent"
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

  /// Finds a passkey for a confirm value whose computation deviates from the specification.
  ///
  /// Working from both ends, two of the inputs are assumed to be known. This determines the third,
  /// which is then recognised or not. A recognised input has at least 72 correct bits, which does
  /// not happen by chance among a million passkeys.
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
        // The value that p2 must have had, for each combination of address types in p1.
        let p2 = outer ^ cipher.encrypt(inner.block)
        if let found = deviations(ofP2: p2) {
          let forward = p2 >> 96 == 0 ? p2 : p2.byteSwapped
          return Finding(passkey, inputs(inner.types, forward), deviations(of: inner.types) + found)
        }
      }
      guard let pairing else { continue }
      // The value that p1 must have had.
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

  /// The pairing if both addresses are known, otherwise nil.
  private var complete: LegacyPairing? {
    guard let initiator, let responder else { return nil }
    return LegacyPairing(
      request: request, response: response, initiator: initiator, responder: responder)
  }

  /// Returns the deviations of the address types from the known ones.
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

  /// Returns the deviations of a p2, or nil if the value is not recognised as one.
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
      // A missing address matches any value; one of the two is known.
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

  /// Returns the deviations of a p1, or nil if the value is not recognised as one.
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

  /// Returns whether the confirm value is correct with the bytes of all blocks reversed.
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
  /// The address with its bytes reversed.
  var reversed: DeviceAddress { DeviceAddress(value: value.byteSwapped >> 16) }
}
