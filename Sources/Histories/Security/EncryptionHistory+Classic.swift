import Bluetooth
import Bytes
import Dissectors

// Pairing over BR/EDR, as the controller reports it to the host (Core, Vol 4, Part E, 7.7.40 to
// 7.7.48).

extension EncryptionHistory {
  /// Records a command that answers the controller in Secure Simple Pairing.
  @_lifetime(cursor: copy cursor)
  mutating func observe(simplePairing opcode: UInt16, _ cursor: inout Cursor, _ moment: Moment) {
    guard let last = authentications.indices.last, authentications[last].end == nil else { return }
    switch opcode {
    case HCICommand.ioCapabilityRequestReply:
      authentications[last].features.local = try? SimplePairingFeatures(parsing: &cursor)
    case HCICommand.userConfirmationRequestReply: authentications[last].confirmed = (moment, true)
    case HCICommand.userConfirmationRequestNegativeReply:
      authentications[last].confirmed = (moment, false)
      authentications[last].refused = (moment, "did not confirm the pairing")
    case HCICommand.pinCodeRequestNegativeReply:
      authentications[last].refused = (moment, "gave no PIN")
    case HCICommand.userPasskeyRequestNegativeReply:
      authentications[last].refused = (moment, "gave no passkey")
    case HCICommand.ioCapabilityRequestNegativeReply:
      authentications[last].refused = (moment, "declined to pair")
    default: return
    }
  }

  /// Records an event in which the controller asks for something, or describes the peer.
  @_lifetime(cursor: copy cursor)
  mutating func ask(_ code: UInt8, _ cursor: inout Cursor, _ moment: Moment) {
    guard let last = authentications.indices.last, authentications[last].end == nil else { return }
    switch code {
    case SimplePairingFeatures.code:
      authentications[last].features.peer = try? SimplePairingFeatures(parsing: &cursor)
    case HCIEvent.userConfirmationRequestCode:
      guard let request = try? SimplePairingNumber(parsing: &cursor) else { return }
      authentications[last].question = .confirmation(number: request.number, moment)
    case HCIEvent.userPasskeyRequestCode: authentications[last].question = .passkey(moment)
    case HCIEvent.userPasskeyNotificationCode: authentications[last].question = .shown(moment)
    case HCIEvent.pinCodeRequestCode: authentications[last].question = .pin(moment)
    default: return
    }
  }
}
