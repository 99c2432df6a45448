import Bluetooth
import Bytes
import Dissectors

/// What a user or a program did about a pairing, or was asked to do, as the Linux kernel's management
/// interface tells it (BlueZ, doc/mgmt-protocol.rst).
package struct PairingAct: Sendable {
  /// What it was.
  package enum Kind: Equatable, Sendable {
    /// Pair Device: a program on the captured host wants to pair.
    case pair
    /// Cancel Pair Device.
    case cancel
    /// Unpair Device: the keys are deleted, and a pairing under way is given up.
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
    /// Authentication Failed.
    case authenticationFailed
  }

  /// When.
  package let moment: Moment
  /// What it was.
  package let kind: Kind
  /// The peer.
  let peer: DeviceAddress

  /// Reads a record of the management interface: address (6 bytes), address type (1), and of User
  /// Confirmation Request a hint (1) and the number (4). Nil for what is no act of this kind.
  init?(_ control: ControlRecord, _ bytes: RawSpan, _ body: Slice, _ moment: Moment) {
    let parameters = bytes.part(body)
    var cursor = Cursor(parameters)
    guard let peer = try? DeviceAddress(parsing: &cursor), !control.isAnswer else { return nil }
    switch (control.isEvent, control.code) {
    case (false, 0x0019): kind = .pair
    case (false, 0x001a): kind = .cancel
    case (false, 0x001b): kind = .unpair
    case (false, 0x001c): kind = .confirmed(true)
    case (false, 0x001d): kind = .confirmed(false)
    case (false, 0x001e): kind = .typed(true)
    case (false, 0x001f): kind = .typed(false)
    // Hint 0: digits are compared; 1: the user just agrees.
    case (true, 0x000f): kind = .confirmationAsked(comparesDigits: parameters.byte(at: 7) == 0)
    case (true, 0x0010): kind = .passkeyAsked
    case (true, 0x0011): kind = .authenticationFailed
    case (true, 0x0017): kind = .passkeyShown
    default: return nil
    }
    self.moment = moment
    self.peer = peer
  }

  /// Whether a record may be such an act, by its code alone.
  static func isPossible(_ control: ControlRecord) -> Bool {
    control.isEvent
      ? [0x0f, 0x10, 0x11, 0x17].contains(control.code) : (0x19...0x1f).contains(control.code)
  }
}
