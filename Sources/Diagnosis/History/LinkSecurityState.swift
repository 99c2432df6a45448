import Bluetooth
import Captures
import Dissectors
package import Sessions

/// What protected a link.
package enum LinkSecurity: UInt8, Sendable {
  /// The capture does not tell.
  case unknown
  case unencrypted
  /// With a key that came of a pairing without protection against a man in the middle.
  case unauthenticated
  /// With a key that came of a pairing with that.
  case authenticated
  /// With a key of which it is not known how it came about.
  case encrypted

  /// Whether it is encrypted.
  package var isEncrypted: Bool { rawValue >= Self.unauthenticated.rawValue }
}

/// How a link is protected, and what led to it: fed once with each packet, before the histories that depend
/// on it, which are told what they need of it. How each pairing went is in `PairingHistory`, with which key each encryption began in
/// `EncryptionHistory`.
package struct LinkSecurityState: Sendable {
  /// Whether the link is encrypted; nil: not known.
  package private(set) var isEncrypted: Bool?
  /// When it became encrypted first.
  package private(set) var encrypted: Moment?
  /// Whether that was with a key that no pairing on this connection gave.
  package private(set) var isStoredKey = false
  /// How the devices authenticated each other, where they have paired.
  package private(set) var method: PairingMethod?
  /// What all this comes to.
  package private(set) var protection = LinkSecurity.unknown
  /// The first PDU of a pairing.
  package private(set) var pairing: Moment?
  /// The Pairing Requests, the first of them.
  package private(set) var pairingRequests: [Moment] = []
  /// The Pairing Faileds, the first of them.
  package private(set) var pairingFailures: [Moment] = []
  /// Whether a pairing has begun, and has not failed.
  private var isPairing = false

  private static let most = 16

  /// Nothing seen.
  init() {}

  /// Takes a packet of the link that holds no ATT PDU: those change nothing.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ answer: Answer,
    _ memory: borrowing Memory
  ) {
    if let pdu = dissection.smp {
      observe(pdu.opcode, Moment(record), answer.pairing?.method)
    } else if let link = answer.link {
      let now = memory.links.isEncrypted(link)
      guard now != isEncrypted else { return }
      isEncrypted = now
      if now == true, encrypted == nil {
        encrypted = Moment(record)
        isStoredKey = !isPairing
      }
    }
    protection = currentProtection
  }

  private mutating func observe(_ opcode: SMPOpcode, _ moment: Moment, _ told: PairingMethod?) {
    if let told { method = told }
    if pairing == nil, opcode != .securityRequest { pairing = moment }
    if opcode == .pairingRequest {
      isPairing = true
      if pairingRequests.count < Self.most { pairingRequests.append(moment) }
    } else if opcode == .pairingFailed {
      // What is encrypted afterwards is encrypted with another key.
      (isPairing, method) = (false, nil)
      if pairingFailures.count < Self.most { pairingFailures.append(moment) }
    }
  }

  private var currentProtection: LinkSecurity {
    switch isEncrypted {
    case nil: .unknown
    case false: .unencrypted
    case true:
      if let method, !isStoredKey {
        method.association == .justWorks ? .unauthenticated : .authenticated
      } else {
        .encrypted
      }
    }
  }
}
