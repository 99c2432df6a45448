package import Bluetooth

extension LegacyPairing {
  /// Returns the confirm value of a device that deviates from the specification in these ways, as
  /// found by `PasskeySearch`.
  ///
  /// Deviations in addresses, types and commands are already part of the receiver, which has the
  /// actual inputs of p1 and p2. Only those in byte order remain.
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

  /// Returns the same pairing with its addresses replaced by `change`.
  ///
  /// `change` receives an address in the right byte order even if it is reversed here.
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
