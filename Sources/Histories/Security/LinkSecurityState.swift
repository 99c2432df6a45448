import Bluetooth
import Dissectors
package import Sessions

/// The protection of a link.
package enum LinkSecurity: UInt8, Sendable {
  /// The capture does not show it.
  case unknown
  case unencrypted
  /// Encrypted with a key from a pairing without protection against a man in the middle.
  case unauthenticated
  /// Encrypted with a key from a pairing with such protection.
  case authenticated
  /// Encrypted with the key of an earlier pairing, whose protection is unknown.
  case encrypted
  /// Encrypted with the key of a pairing on this connection, whose beginning is missing, and with
  /// it the method.
  case ofUnknownMethod

  package var isEncrypted: Bool { rawValue >= Self.unauthenticated.rawValue }
}

/// How a link is protected, and why. It is fed each packet once, before the histories that depend
/// on it. Pairings are recorded in `PairingHistory`, and the key of each encryption in
/// `EncryptionHistory`.
package struct LinkSecurityState: Sendable {
  /// Whether the link is encrypted; nil: unknown.
  package private(set) var isEncrypted: Bool?
  /// When it first became encrypted.
  package private(set) var encrypted: Moment?
  /// Whether that was with a key that no pairing on this connection created.
  package private(set) var isStoredKey = false
  /// How the devices authenticated each other, if they have paired.
  package private(set) var method: PairingMethod?
  package private(set) var protection = LinkSecurity.unknown
  /// The first PDU of a pairing.
  package private(set) var pairing: Moment?
  /// The first Pairing Requests and Pairing Failed PDUs.
  package private(set) var pairingRequests: [Moment] = []
  package private(set) var pairingFailures: [Moment] = []
  /// Whether a pairing has begun and has not failed.
  private var isPairing = false

  private static let most = 16

  /// Records a packet of the link that is not an ATT PDU, since ATT changes nothing here.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if let pdu = packet.dissection.smp {
      observe(pdu.opcode, Moment(packet.record), packet.answer.pairing?.method)
      protection = currentProtection
    } else if packet.answer.air == nil, let link = packet.answer.link {
      note(isEncrypted: memory.links.isEncrypted(link), Moment(packet.record))
    }
  }

  /// Records whether the link is encrypted now; nil: unknown.
  mutating func note(isEncrypted now: Bool?, _ moment: Moment) {
    guard now != isEncrypted else { return }
    isEncrypted = now
    if now == true, encrypted == nil {
      encrypted = moment
      isStoredKey = !isPairing
    }
    protection = currentProtection
  }

  private mutating func observe(_ opcode: SMPOpcode, _ moment: Moment, _ reported: PairingMethod?) {
    if let reported { method = reported }
    if pairing == nil, opcode != .securityRequest {
      pairing = moment
      // If its beginning is missing, it may have created the key.
      if opcode != .pairingRequest { (isPairing, isStoredKey) = (true, false) }
    }
    if opcode == .pairingRequest {
      isPairing = true
      if pairingRequests.count < Self.most { pairingRequests.append(moment) }
    } else if opcode == .pairingFailed {
      // Later encryption uses another key.
      (isPairing, method) = (false, nil)
      if pairingFailures.count < Self.most { pairingFailures.append(moment) }
    }
  }

  private var currentProtection: LinkSecurity {
    switch isEncrypted {
    case nil: .unknown
    case false: .unencrypted
    case true:
      if isStoredKey {
        .encrypted
      } else if let method {
        method.association == .justWorks ? .unauthenticated : .authenticated
      } else {
        .ofUnknownMethod
      }
    }
  }
}
