import Bluetooth

/// The data to which both sides of LE legacy pairing commit themselves: their addresses and pairing
/// commands (Core, Vol 3, Part H, 2.2.3).
package struct LegacyPairing: Hashable, Sendable {
  package var request: PairingCommand
  package var response: PairingCommand
  package var initiator: PairingAddress
  package var responder: PairingAddress

  package init(
    request: PairingCommand, response: PairingCommand, initiator: PairingAddress,
    responder: PairingAddress
  ) {
    self.request = request
    self.response = response
    self.initiator = initiator
    self.responder = responder
  }

  /// Computes the confirm value generation function c1, whose result a side sends before it reveals
  /// `random`. The temporary key is a passkey, zero, or OOB data.
  package func c1(temporaryKey: PairingValue, random: PairingValue) -> PairingValue {
    let cipher = AES128(temporaryKey)
    return PairingValue(number: cipher.encrypt(cipher.encrypt(random.number ^ p1) ^ p2))
  }

  /// Computes the key generation function s1: the short-term key, computed from the temporary key
  /// and one half of each random value (Core, Vol 3, Part H, 2.2.4).
  package static func s1(
    temporaryKey: PairingValue, responderRandom: PairingValue, initiatorRandom: PairingValue
  ) -> PairingValue {
    let half: UInt128 = 1 << 64 - 1
    let block = (responderRandom.number & half) << 64 | initiatorRandom.number & half
    return PairingValue(number: AES128(temporaryKey).encrypt(block))
  }

  /// Response (7 bytes), request (7), responder's address type (1), initiator's address type (1);
  /// most significant first.
  var p1: UInt128 {
    Self.p1(
      request: request, response: response, initiatorType: initiator.typeByte,
      responderType: responder.typeByte)
  }

  /// Returns p1 with the given parts.
  static func p1(
    request: PairingCommand, response: PairingCommand, initiatorType: UInt8, responderType: UInt8
  ) -> UInt128 {
    let commands = UInt128(response.number) << 72 | UInt128(request.number) << 16
    return commands | UInt128(responderType) << 8 | UInt128(initiatorType)
  }

  /// Zeros (4 bytes), initiator's address (6), responder's address (6); most significant first.
  var p2: UInt128 { Self.p2(initiator: initiator.address, responder: responder.address) }

  /// Returns p2 with the given parts.
  static func p2(initiator: DeviceAddress, responder: DeviceAddress) -> UInt128 {
    UInt128(initiator.value) << 48 | UInt128(responder.value)
  }
}
