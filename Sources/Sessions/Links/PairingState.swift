package import Bluetooth
import Dissectors

/// What is known about the pairing that a Security Manager PDU belongs to.
package struct PairingStep: Sendable {
  /// The sender of the Pairing Request.
  package let initiator: Side
  /// The pairing method, once both sides have sent their features; nil over BR/EDR.
  package let method: PairingMethod?
  /// Whether LE keys are distributed over an encrypted BR/EDR link. There is no new authentication,
  /// so no method, and no Confirm or Random (Core, Vol 3, Part H, 2.4.2.4 and 3.6.1).
  package let isOverBREDR: Bool
  /// For Confirm and Random of a passkey with Secure Connections: which of the 20 rounds (Core, Vol
  /// 3, Part H, 2.3.5.6.3), from 1.
  package let round: UInt8?
  /// Whether the values of Confirm and Random may be shown: the method is known, and involves no
  /// secret that they would reveal.
  package let showsValues: Bool
}

/// The progress of pairing on a link, as far as needed to know its method. One pairing is open at a
/// time, and it is kept in the slot of its link.
struct PairingState: Sendable {
  /// The Pairing Request.
  private(set) var request: Request?
  private var initiator = Side.local
  private var features: SMP.PairingFeatures?
  private var method: PairingMethod?
  /// Whether the link was encrypted since then: later Confirm and Random belong to another pairing
  /// whose beginning is missing.
  private var isOver = false
  private var isOverBREDR = false
  /// The Confirm, Random and Public Key PDUs so far, of each side.
  private var counts = InlineArray<2, Counts>(repeating: Counts())

  private struct Counts {
    var confirms: UInt8 = 0
    var randoms: UInt8 = 0
    var publicKeys: UInt8 = 0
  }

  /// The rounds of a passkey with Secure Connections, one per bit.
  private static let rounds: UInt8 = 20

  /// Processes a PDU and returns the pairing it belongs to; nil if the beginning is missing from
  /// the capture.
  mutating func observe(
    _ pdu: SMPPDU, from sender: Side, overBREDR: Bool, packet: Int, time: Timestamp?
  ) -> PairingStep? {
    switch pdu {
    case .pairing(let pairing) where pairing.opcode == .pairingRequest:
      self = PairingState()
      request = Request(packet: packet, time: time)
      initiator = sender
      features = pairing
      isOverBREDR = overBREDR
    case .pairing(let pairing):
      guard let features, method == nil, sender != initiator, isOverBREDR == overBREDR else {
        self = PairingState()
        return nil
      }
      if overBREDR { break }
      method = PairingMethod(initiator: features, responder: pairing)
    case .confirm: counts[Int(sender.rawValue)].confirms &+= 1
    case .random: counts[Int(sender.rawValue)].randoms &+= 1
    case .publicKey: counts[Int(sender.rawValue)].publicKeys &+= 1
    case .failed:
      defer { self = PairingState() }
      return step(pdu, sender)
    // The PDU is unknown, so what the next ones belong to is unknown, too.
    case .incomplete, .unknown: self = PairingState()
    default: break
    }
    return step(pdu, sender)
  }

  /// Whether legacy pairing proceeds, which creates a short-term key.
  var createsShortTermKey: Bool { !isOver && method?.isSecureConnections == false }

  /// Records that the link is encrypted, with the key of this pairing or another one.
  mutating func encrypt() { isOver = true }

  private func step(_ pdu: SMPPDU, _ sender: Side) -> PairingStep? {
    guard request != nil else { return nil }
    return PairingStep(
      initiator: initiator, method: method, isOverBREDR: isOverBREDR,
      round: round(pdu, sender), showsValues: isAsExpected)
  }

  private func round(_ pdu: SMPPDU, _ sender: Side) -> UInt8? {
    guard let method, method.isSecureConnections, method.hasPasskey else { return nil }
    let own = counts[Int(sender.rawValue)]
    let round =
      switch pdu {
      case .confirm: own.confirms
      case .random: own.randoms
      default: UInt8(0)
      }
    return 1...Self.rounds ~= round ? round : nil
  }

  /// Whether everything so far belongs to a pairing by a method without secret values. What does
  /// not fit may belong to another pairing whose beginning is missing.
  private var isAsExpected: Bool {
    guard let method, !method.hidesValues, !isOver else { return false }
    for side in 0..<2 {
      let own = counts[side]
      let keys: UInt8 = method.isSecureConnections ? 1 : 0
      if own.confirms > 1 || own.randoms > 1 || own.publicKeys != keys { return false }
    }
    return true
  }
}
