import Bluetooth
import Bytes
import Cryptography
import Dissectors

/// What a sniffer heard of a pairing that the keys of the link follow from. The central sends the
/// Pairing Request.
struct AirPairing: Sendable {
  /// What one side sent.
  private struct Values: Sendable {
    var command: PairingCommand?
    var features: SMP.PairingFeatures?
    var confirm: PairingValue?
    var random: PairingValue?
    var publicKey: P256PublicKey?
    var check: PairingValue?
  }

  private var initiator = Values()
  private var responder = Values()
  /// The packet of the Pairing Request, or of the first other PDU; 0: no pairing.
  private(set) var packet = 0
  private(set) var lastPacket = 0
  /// Whether the temporary key was searched for, which is done once.
  var hasSearched = false
  /// What a search found.
  var found: PairingValue?

  /// Whether any PDU of a pairing was heard.
  var isEmpty: Bool { packet == 0 }

  /// How the two authenticate each other; nil: unknown.
  var method: PairingMethod? {
    guard let asked = initiator.features, let answered = responder.features else { return nil }
    return PairingMethod(initiator: asked, responder: answered)
  }

  /// Whether a public key was heard, or both sides support Secure Connections.
  var isSecureConnections: Bool {
    initiator.publicKey != nil || responder.publicKey != nil
      || method?.isSecureConnections ?? false
  }

  /// The agreed size of the key in bytes.
  private var keySize: Int {
    let sizes = [initiator.features, responder.features].compactMap { $0?.maximumEncryptionKeySize }
    return Int(sizes.min() ?? 16)
  }

  mutating func observe(
    _ pdu: SMPPDU, _ bytes: RawSpan, body: Slice, from direction: Direction, packet: Int
  ) {
    if case .pairing(let features) = pdu, features.opcode == .pairingRequest {
      self = AirPairing()
    }
    if self.packet == 0 { self.packet = packet }
    lastPacket = packet
    if direction == .sent {
      Self.add(pdu, bytes, body, to: &initiator)
    } else {
      Self.add(pdu, bytes, body, to: &responder)
    }
  }

  private static func add(
    _ pdu: SMPPDU, _ bytes: RawSpan, _ body: Slice, to values: inout Values
  ) {
    switch pdu {
    case .pairing(let features):
      values.features = features
      values.command = PairingCommand(bytes.part(body))
    case .confirm(let value): values.confirm = PairingValue(bytes.part(value))
    case .random(let value): values.random = PairingValue(bytes.part(value))
    case .publicKey(let key):
      if let x = P256Coordinate(bytes.part(key.x)), let y = P256Coordinate(bytes.part(key.y)) {
        values.publicKey = P256PublicKey(x: x, y: y)
      }
    case .dhKeyCheck(let value): values.check = PairingValue(bytes.part(value))
    default: break
    }
  }

  // MARK: Legacy pairing

  /// Both random values of legacy pairing, from which the short-term key follows; nil if one was
  /// not heard.
  private var randoms: (initiator: PairingValue, responder: PairingValue)? {
    guard !isSecureConnections, let first = initiator.random, let second = responder.random else {
      return nil
    }
    return (first, second)
  }

  /// Whether the values were heard from which the short-term key follows.
  var hasRandoms: Bool { randoms != nil }
  /// Whether a confirm value was heard, so that a temporary key can be checked.
  var hasConfirm: Bool { initiator.confirm != nil || responder.confirm != nil }

  /// Returns the short-term key for a temporary key.
  func shortTermKey(_ temporaryKey: PairingValue) -> PairingValue? {
    guard let randoms else { return nil }
    return LegacyPairing.s1(
      temporaryKey: temporaryKey, responderRandom: randoms.responder,
      initiatorRandom: randoms.initiator
    ).shortened(to: keySize)
  }

  /// Searches for the passkey by a confirm value; nil if none was heard, or no passkey fits.
  func searchPasskey(_ central: AirParty?, _ peripheral: AirParty?) -> PairingValue? {
    guard let request = initiator.command, let response = responder.command, let randoms else {
      return nil
    }
    let opening: PasskeySearch.Opening
    if let confirm = responder.confirm {
      opening = PasskeySearch.Opening(confirm: confirm, random: randoms.responder)
    } else if let confirm = initiator.confirm {
      opening = PasskeySearch.Opening(confirm: confirm, random: randoms.initiator)
    } else {
      return nil
    }
    let search = PasskeySearch(
      request: request, response: response, initiator: central.flatMap { $0.pairingAddress },
      responder: peripheral.flatMap { $0.pairingAddress })
    return search?.asSpecified(opening).map { PairingValue($0.passkey) }
  }

  /// Searches for the passkey by the first encrypted PDU; nil if no passkey fits.
  func searchPasskey(_ start: EncryptionStart, _ pdu: TemporaryKeySearch.PDU) -> PairingValue? {
    guard let randoms else { return nil }
    var search = TemporaryKeySearch(
      initiatorRandom: randoms.initiator, responderRandom: randoms.responder, keySize: keySize,
      start, first: pdu, second: nil)
    return search.search().map { PairingValue($0.passkey) }
  }

  // MARK: Secure Connections

  /// Returns the long-term key of Secure Connections if one private key is known: that of the debug
  /// key pair, or a given one. It is checked by the DHKey Checks where they depend on no passkey.
  func longTermKey(
    privateKeys: [P256Coordinate], _ central: AirParty?, _ peripheral: AirParty?
  ) -> (key: PairingValue, isDebug: Bool)? {
    guard let first = initiator.publicKey, let second = responder.publicKey,
      let firstRandom = initiator.random, let secondRandom = responder.random,
      let request = initiator.command, let response = responder.command,
      let central = central?.pairingAddress, let peripheral = peripheral?.pairingAddress
    else { return nil }
    var pairing = SecureConnectionsPairing(
      initiatorKey: first, responderKey: second, initiatorRandom: firstRandom,
      responderRandom: secondRandom, initiator: central, responder: peripheral, request: request,
      response: response)
    switch method?.association {
    case .justWorks, .numericComparison:
      (pairing.initiatorCheck, pairing.responderCheck) = (initiator.check, responder.check)
    default: break
    }
    if let found = pairing.longTermKey() { return (found.longTermKey, found.isDebugKey) }
    for key in privateKeys {
      if let found = pairing.longTermKey(privateKey: key) { return (found.longTermKey, false) }
    }
    return nil
  }
}

extension AirParty {
  var pairingAddress: PairingAddress? { PairingAddress(address, type) }
}
