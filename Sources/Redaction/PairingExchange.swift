import Bluetooth
import Bytes
import Captures
import Cryptography
import Histories
import Dissectors
import Sessions

/// The values that two devices have sent each other in one pairing attempt, in order.
struct PairingExchange: Sendable {
  /// The values of one side.
  struct Party: Sendable {
    var confirms: [PairingValue] = []
    var randoms: [PairingValue] = []
    var check: PairingValue?
    var publicKey: P256PublicKey?
  }

  let connection: Int
  /// The packet that began it.
  let first: Int
  private var sent = Party()
  private var received = Party()

  init(connection: Int, first: Int) {
    self.connection = connection
    self.first = first
  }

  /// Returns the values of one side of the attempt.
  func party(_ role: PairingSide, of attempt: PairingAttempt) -> Party {
    attempt.side(role) == .local ? sent : received
  }

  mutating func record(_ opcode: SMPOpcode, _ payload: RawSpan, isSent: Bool) {
    if isSent {
      Self.record(opcode, payload, &sent)
    } else {
      Self.record(opcode, payload, &received)
    }
  }

  /// Keeps as many values of a side as there are rounds for a passkey with Secure Connections.
  private static func record(_ opcode: SMPOpcode, _ payload: RawSpan, _ party: inout Party) {
    let most = SecureConnectionsRounds.count
    switch opcode {
    case .pairingConfirm:
      if party.confirms.count < most, let value = PairingValue(payload) {
        party.confirms.append(value)
      }
    case .pairingRandom:
      if party.randoms.count < most, let value = PairingValue(payload) {
        party.randoms.append(value)
      }
    case .pairingDHKeyCheck: party.check = party.check ?? PairingValue(payload)
    case .pairingPublicKey: party.publicKey = party.publicKey ?? P256PublicKey(payload)
    default: break
    }
  }
}

/// The exchanges of a capture. Bounded: beyond the bound, later ones are not kept, and their values
/// get pseudonyms that do not match each other.
struct PairingExchanges: Sendable {
  private var all: [PairingExchange] = []
  /// The index of the latest exchange of each connection.
  private var latest: [Int: Int] = [:]

  private static let most = 1024

  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard let smp = packet.dissection.smp, let link = packet.answer.link,
      let direction = packet.record.direction
    else {
      return
    }
    let connection = memory.links.connection(link).id
    if smp.opcode == .pairingRequest || latest[connection] == nil {
      guard smp.opcode != .securityRequest, all.count < Self.most else { return }
      latest[connection] = all.count
      all.append(PairingExchange(connection: connection, first: packet.record.number))
    }
    guard let position = latest[connection] else { return }
    all[position].record(
      smp.opcode, packet.bytes.part(packet.dissection.body).dropping(1), isSent: direction == .sent)
  }

  /// Returns the exchanges with what the diagnosis found out about them.
  ///
  /// - Parameter passkeys: the passkeys that are tried when searching for one.
  func matched(
    to evidence: Evidence, _ passkeys: ClosedRange<UInt32>
  ) -> [PseudonymousPairing] {
    var result: [PseudonymousPairing] = []
    var searches = PasskeySearchLimit(passkeys)
    for connection in evidence.connections {
      for attempt in connection.pairing.attempts {
        guard
          let exchange = all.first(where: {
            $0.connection == connection.id && $0.first == attempt.first.packet
          })
        else { continue }
        result.append(PseudonymousPairing(exchange, attempt, &searches))
      }
    }
    return result
  }
}
