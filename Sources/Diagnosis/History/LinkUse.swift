import Bluetooth
import Dissectors

/// What was said of security on a link, as far as it explains how the link ended.
package struct LinkUse: Sendable {
  /// The first PDU of a pairing.
  package private(set) var pairing: Moment?
  /// A Security Request of the peer that nothing has followed.
  package private(set) var securityRequest: Moment?

  init() {}

  /// Takes a PDU of the Security Manager.
  mutating func observe(_ moment: Moment, _ side: Side, _ opcode: SMPOpcode) {
    if opcode == .securityRequest {
      if side == .peer { securityRequest = moment }
      return
    }
    if pairing == nil { pairing = moment }
    if side == .local { securityRequest = nil }
  }

  /// Takes a command or event that is about the encryption of the link, which answers a Security Request.
  mutating func encrypt() {
    securityRequest = nil
  }
}
