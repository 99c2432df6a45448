package import Bluetooth

extension LegacyPairing {
  /// A confirm value as a device computes it that deviates from the specification in these ways: what
  /// `PasskeySearch` has found, forwards.
  ///
  /// That other addresses, types or commands stand in the place of those of the link, the receiver says:
  /// it has what entered p1 and p2. What is left are the orders of bytes.
  package func c1(
    temporaryKey: PairingValue, random: PairingValue, _ deviations: [ConfirmDeviation]
  ) -> PairingValue {
    let key = deviations.contains(.temporaryKeyReversed) ? temporaryKey.reversed : temporaryKey
    let random = deviations.contains(.randomReversed) ? random.reversed.number : random.number
    let p1 = deviations.contains(.p1Reversed) ? p1.byteSwapped : p1
    let p2 = deviations.contains(.p2Reversed) ? p2.byteSwapped : p2
    let cipher = AES128(key)
    guard deviations.contains(.blocksReversed) else {
      return PairingValue(number: cipher.encrypt(cipher.encrypt(random ^ p1) ^ p2))
    }
    let middle = cipher.encrypt((random ^ p1).byteSwapped)
    return PairingValue(number: cipher.encrypt(middle ^ p2.byteSwapped).byteSwapped)
  }

  /// The same with other addresses: those that stand here, each in its place, as `change` gives them.
  ///
  /// An address that stands here with its bytes in the wrong order is changed in the right one.
  package func changingAddresses(
    _ deviations: [ConfirmDeviation], _ change: (DeviceAddress) -> DeviceAddress
  ) -> LegacyPairing {
    func changed(_ address: PairingAddress, _ deviation: ConfirmDeviation) -> PairingAddress {
      let isReversed = deviations.contains(deviation)
      let found = isReversed ? address.address.reversed : address.address
      let other = change(found)
      return PairingAddress(isReversed ? other.reversed : other, isRandom: address.isRandom)
    }
    var pairing = self
    pairing.initiator = changed(initiator, .initiatorAddressReversed)
    pairing.responder = changed(responder, .responderAddressReversed)
    return pairing
  }
}
