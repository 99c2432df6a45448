/// A pairing of LE Secure Connections whose shared secret is known, because one side used the debug key
/// pair or HCI carried the secret: its keys and check values (Core, Vol 3, Part H, 2.3.5.6.5).
package struct DHKeyExchange: Sendable {
  /// What f5 makes of the secret.
  package let keys: SecureConnections.Keys
  private let initiator: (random: PairingValue, address: PairingAddress)
  private let responder: (random: PairingValue, address: PairingAddress)

  /// A pairing: the secret, the random values (of the last round, where there are several), and the
  /// addresses by which the link was made.
  package init(
    dhKey: P256Coordinate, initiatorRandom: PairingValue, responderRandom: PairingValue,
    initiator: PairingAddress, responder: PairingAddress
  ) {
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

  /// The responder's check value Eb: of the initiator's r, and of what the responder said that it can do.
  package func responderCheck(initiatorR r: PairingValue, response: PairingCommand) -> PairingValue
  {
    SecureConnections.f6(
      macKey: keys.macKey, own: responder, other: initiator, r: r, command: response)
  }
}
