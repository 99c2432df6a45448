import Bytes

// The ways to a long term key other than receiving it.

extension PairingValue {
  /// Reads a key of 1 to 16 bytes in either byte order, and pads it with zeros at the most
  /// significant end (Core, Vol 3, Part H, 2.3.4). Returns nil for any other length.
  package init?(key: RawSpan, isMostSignificantFirst: Bool = false) {
    guard 1...Self.size ~= key.byteCount else { return nil }
    let number =
      key.bigEndianU128(at: 0, count: key.byteCount) >> UInt128(8 * (Self.size - key.byteCount))
    let swapped = key.bigEndianU128(at: 0, count: key.byteCount).byteSwapped
    self.init(number: isMostSignificantFirst ? number : swapped)
  }

  /// Derives the LTK that cross-transport key derivation makes of a BR/EDR link key (Core, Vol 3,
  /// Part H, 2.4.2.5).
  ///
  /// - Parameter usesH7: whether both sides have set CT2 in their AuthReq.
  package static func longTermKey(ofLinkKey linkKey: PairingValue, usesH7: Bool) -> PairingValue {
    let tmp2: UInt128 = 0x746d_7032
    let intermediate =
      usesH7
      ? SecureConnections.h7(salt: PairingValue(number: tmp2), linkKey)
      : SecureConnections.h6(linkKey, keyID: UInt32(tmp2))
    return SecureConnections.h6(intermediate, keyID: 0x6272_6c65)
  }
}

extension SecureConnections {
  /// Computes the link key conversion function h6 of a key and an identifier of four letters (Core,
  /// Vol 3, Part H, 2.2.10).
  static func h6(_ key: PairingValue, keyID: UInt32) -> PairingValue {
    var message: [UInt8] = []
    message.append(mostSignificantFirst: UInt128(keyID), count: 4)
    return AES128.authenticationCode(key, of: message)
  }

  /// Computes the link key conversion function h7 (2.2.11).
  static func h7(salt: PairingValue, _ key: PairingValue) -> PairingValue {
    var message: [UInt8] = []
    message.append(key)
    return AES128.authenticationCode(salt, of: message)
  }
}

extension PairingCommand {
  /// The largest encryption key size that the sender accepts, in bytes: 7 to 16 if it is valid
  /// (Core, Vol 3, Part H, 3.5.1).
  package var largestKeySize: Int { Int(number >> 32 & 0xff) }

  /// Whether the sender received the other side's OOB data (3.5.1).
  var hasOOBData: Bool { number >> 16 & 0xff == 1 }

  /// Returns the key size that two sides agree on: the smaller of their largest ones (2.3.4).
  package static func keySize(_ request: PairingCommand, _ response: PairingCommand) -> Int {
    min(request.largestKeySize, response.largestKeySize, PairingValue.size)
  }
}

/// What both sides of a pairing with LE Secure Connections send. The LTK follows from it and one
/// side's private key.
package struct SecureConnectionsPairing: Sendable {
  package var initiatorKey: P256PublicKey
  package var responderKey: P256PublicKey
  /// The random values; those of the last round, if there are several.
  package var initiatorRandom: PairingValue
  package var responderRandom: PairingValue
  /// The addresses used to create the connection.
  package var initiator: PairingAddress
  package var responder: PairingAddress
  package var request: PairingCommand
  package var response: PairingCommand
  /// The DHKey Checks; nil if the capture lacks them.
  package var initiatorCheck: PairingValue?
  package var responderCheck: PairingValue?
  /// r of each side: the passkey, the random value of its OOB data if the other side received them,
  /// or zero; nil if unknown. At first zero, but nil for OOB data.
  package var initiatorR: PairingValue?
  package var responderR: PairingValue?

  package init(
    initiatorKey: P256PublicKey, responderKey: P256PublicKey, initiatorRandom: PairingValue,
    responderRandom: PairingValue, initiator: PairingAddress, responder: PairingAddress,
    request: PairingCommand, response: PairingCommand
  ) {
    self.initiatorKey = initiatorKey
    self.responderKey = responderKey
    self.initiatorRandom = initiatorRandom
    self.responderRandom = responderRandom
    self.initiator = initiator
    self.responder = responder
    self.request = request
    self.response = response
    initiatorR = response.hasOOBData ? nil : .zero
    responderR = request.hasOOBData ? nil : .zero
  }

  /// An LTK, and whether a DHKey Check confirmed it.
  package struct Finding: Hashable, Sendable {
    /// The LTK, shortened to the agreed key size.
    package let longTermKey: PairingValue
    /// False if the capture lacks both DHKey Checks, or the values that they depend on.
    package let isConfirmed: Bool
    /// Whether the private key is that of the debug key pair rather than the given one.
    package let isDebugKey: Bool
  }

  /// Returns the LTK if one side used the debug key pair, or has this private key in either byte
  /// order. Returns nil if neither is so, or if a DHKey Check does not fit.
  package func longTermKey(privateKey: P256Coordinate? = nil) -> Finding? {
    guard let dhKey = dhKey(privateKey) else { return nil }
    let exchange = DHKeyExchange(
      dhKey: dhKey, initiatorRandom: initiatorRandom, responderRandom: responderRandom,
      initiator: initiator, responder: responder)
    var isConfirmed = false
    if let initiatorCheck, let responderR {
      let check = exchange.initiatorCheck(responderR: responderR, request: request)
      guard check == initiatorCheck else { return nil }
      isConfirmed = true
    }
    if let responderCheck, let initiatorR {
      let check = exchange.responderCheck(initiatorR: initiatorR, response: response)
      guard check == responderCheck else { return nil }
      isConfirmed = true
    }
    let size = PairingCommand.keySize(request, response)
    return Finding(
      longTermKey: exchange.keys.longTermKey.shortened(to: size), isConfirmed: isConfirmed,
      isDebugKey: initiatorKey.x == P256PublicKey.debug.x
        || responderKey.x == P256PublicKey.debug.x)
  }

  /// Returns the DHKey. A private key belongs to the side whose public key it yields.
  private func dhKey(_ privateKey: P256Coordinate?) -> P256Coordinate? {
    if let debug = P256PublicKey.debugDHKey(initiatorKey, responderKey) { return debug }
    guard let privateKey else { return nil }
    for number in [privateKey, privateKey.reversed] {
      guard let pair = P256KeyPair(privateKey: number) else { continue }
      // The X coordinate is enough, as for the debug key.
      if pair.publicKey.x == initiatorKey.x { return pair.dhKey(with: responderKey) }
      if pair.publicKey.x == responderKey.x { return pair.dhKey(with: initiatorKey) }
    }
    return nil
  }
}
