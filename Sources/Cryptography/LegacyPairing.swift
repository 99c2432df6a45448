import Bluetooth

/// What both sides of LE legacy pairing know, and commit themselves to: who they are and what they said
/// that they can do (Core, Vol 3, Part H, 2.2.3).
package struct LegacyPairing: Hashable, Sendable {
  /// The Pairing Request.
  package var request: PairingCommand
  /// The Pairing Response.
  package var response: PairingCommand
  /// The initiator's address.
  package var initiator: PairingAddress
  /// The responder's address.
  package var responder: PairingAddress

  /// What both sides have said.
  package init(
    request: PairingCommand, response: PairingCommand, initiator: PairingAddress,
    responder: PairingAddress
  ) {
    self.request = request
    self.response = response
    self.initiator = initiator
    self.responder = responder
  }

  /// The confirm value generation function c1: what a side sends before it reveals `random`. The
  /// temporary key is a passkey, zero, or data that came out of band.
  package func c1(temporaryKey: PairingValue, random: PairingValue) -> PairingValue {
    let cipher = AES128(temporaryKey)
    return PairingValue(number: cipher.encrypt(cipher.encrypt(random.number ^ p1) ^ p2))
  }

  /// The key generation function s1: the short-term key, of the temporary key and the halves of both
  /// random values (Core, Vol 3, Part H, 2.2.4).
  package static func s1(
    temporaryKey: PairingValue, responderRandom: PairingValue, initiatorRandom: PairingValue
  ) -> PairingValue {
    let half: UInt128 = 1 << 64 - 1
    let block = (responderRandom.number & half) << 64 | initiatorRandom.number & half
    return PairingValue(number: AES128(temporaryKey).encrypt(block))
  }

  /// Response (7 bytes), request (7), type of the responder's address (1), of the initiator's (1); most
  /// significant first.
  var p1: UInt128 {
    Self.p1(
      request: request, response: response, initiatorType: initiator.typeByte,
      responderType: responder.typeByte)
  }

  /// The same of its parts.
  static func p1(
    request: PairingCommand, response: PairingCommand, initiatorType: UInt8, responderType: UInt8
  ) -> UInt128 {
    let commands = UInt128(response.number) << 72 | UInt128(request.number) << 16
    return commands | UInt128(responderType) << 8 | UInt128(initiatorType)
  }

  /// Zeros (4 bytes), the initiator's address (6), the responder's (6); most significant first.
  var p2: UInt128 { Self.p2(initiator: initiator.address, responder: responder.address) }

  /// The same of its parts.
  static func p2(initiator: DeviceAddress, responder: DeviceAddress) -> UInt128 {
    UInt128(initiator.value) << 48 | UInt128(responder.value)
  }
}
