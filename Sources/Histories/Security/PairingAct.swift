import Bluetooth
import Bytes
import Dissectors

/// An action of a user or a program concerning a pairing, or a request for one, as reported by the
/// Linux kernel's management interface (BlueZ, doc/mgmt-protocol.rst).
package struct PairingAct: Sendable {
  package enum Kind: Equatable, Sendable {
    /// Pair Device: a program on the captured host wants to pair.
    case pair
    /// Cancel Pair Device.
    case cancel
    /// Unpair Device: the keys are deleted, and a pairing under way is cancelled.
    case unpair
    /// User Confirmation Request: the user is asked to compare digits, or just to agree.
    case confirmationAsked(comparesDigits: Bool)
    /// User Confirmation Reply, or Negative Reply.
    case confirmed(Bool)
    /// User Passkey Request: the user is asked to type the passkey.
    case passkeyAsked
    /// User Passkey Reply, or Negative Reply.
    case typed(Bool)
    /// Passkey Notify: the passkey is shown.
    case passkeyShown
    case authenticationFailed
  }

  package let moment: Moment
  package let kind: Kind
  let peer: DeviceAddress

  /// Creates an action from a record of the management interface, or returns nil if it is not one
  /// of this kind.
  init?(_ control: ControlRecord, _ bytes: RawSpan, _ body: Slice, _ moment: Moment) {
    guard !control.isAnswer else { return nil }
    switch (control.isEvent, control.code) {
    case (false, ManagementCommand.pairDevice): kind = .pair
    case (false, ManagementCommand.cancelPairDevice): kind = .cancel
    case (false, ManagementCommand.unpairDevice): kind = .unpair
    case (false, ManagementCommand.userConfirmationReply): kind = .confirmed(true)
    case (false, ManagementCommand.userConfirmationNegativeReply): kind = .confirmed(false)
    case (false, ManagementCommand.userPasskeyReply): kind = .typed(true)
    case (false, ManagementCommand.userPasskeyNegativeReply): kind = .typed(false)
    case (true, ManagementEvent.userConfirmationRequest):
      var whole = Cursor(bytes, body)
      guard let request = try? UserConfirmationRequest(parsing: &whole) else { return nil }
      kind = .confirmationAsked(comparesDigits: request.comparesDigits)
    case (true, ManagementEvent.userPasskeyRequest): kind = .passkeyAsked
    case (true, ManagementEvent.authenticationFailed): kind = .authenticationFailed
    case (true, ManagementEvent.passkeyNotify): kind = .passkeyShown
    default: return nil
    }
    var cursor = Cursor(bytes, body)
    guard let device = try? ManagementDevice(parsing: &cursor) else { return nil }
    self.moment = moment
    peer = device.address
  }
}
