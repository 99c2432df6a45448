import Bluetooth
package import Dissectors

/// How two devices authenticate each other when they pair: a function of both sides' features.
package struct PairingMethod: Equatable, Sendable {
  /// What the users or devices do (Core, Vol 3, Part H, 2.3.5.1).
  package enum Association: UInt8, Sendable {
    case justWorks, numericComparison
    /// Six digits are shown on one side and typed on the other.
    case initiatorShowsPasskey, responderShowsPasskey
    /// The same six digits are typed on both sides.
    case passkeyTypedTwice
    case outOfBand
  }

  /// Whether it is LE Secure Connections; else LE legacy pairing.
  package var isSecureConnections: Bool
  /// What the users or devices do.
  package var association: Association

  package init(isSecureConnections: Bool, _ association: Association) {
    self.isSecureConnections = isSecureConnections
    self.association = association
  }

  /// Creates the method that follows from both sides' features (Core, Vol 3, Part H, 2.3.5.1,
  /// tables 2.6 to 2.8); nil if one of them has an IO capability that the specification reserves.
  package init?(initiator: SMP.PairingFeatures, responder: SMP.PairingFeatures) {
    let isSC = initiator.authReq.supportsSC && responder.authReq.supportsSC
    isSecureConnections = isSC
    let outOfBand = (initiator.oobDataFlag == 1, responder.oobDataFlag == 1)
    // With Secure Connections, out-of-band data of one side is enough.
    if isSC ? outOfBand.0 || outOfBand.1 : outOfBand.0 && outOfBand.1 {
      association = .outOfBand
    } else if !initiator.authReq.wantsMITM && !responder.authReq.wantsMITM {
      association = .justWorks
    } else if let found = Self.association(
      initiator.ioCapability, responder.ioCapability, isSecureConnections: isSC)
    {
      association = found
    } else {
      return nil
    }
  }

  /// Returns the association that the IO capabilities allow (table 2.8).
  private static func association(
    _ initiator: IOCapability, _ responder: IOCapability, isSecureConnections: Bool
  ) -> Association? {
    let known = IOCapability.displayOnly.rawValue...IOCapability.keyboardDisplay.rawValue
    guard known.contains(initiator.rawValue), known.contains(responder.rawValue) else { return nil }
    switch (initiator, responder) {
    case (.noInputNoOutput, _), (_, .noInputNoOutput): return .justWorks
    case (.keyboardOnly, .keyboardOnly): return .passkeyTypedTwice
    case (.keyboardOnly, _): return .responderShowsPasskey
    case (_, .keyboardOnly): return .initiatorShowsPasskey
    case (.displayOnly, .keyboardDisplay): return .initiatorShowsPasskey
    case (.keyboardDisplay, .displayOnly): return .responderShowsPasskey
    case (.displayOnly, _), (_, .displayOnly): return .justWorks
    // Both have a display and can at least answer yes or no.
    case _ where isSecureConnections: return .numericComparison
    case (.displayYesNo, .displayYesNo): return .justWorks
    case (.keyboardDisplay, .displayYesNo): return .responderShowsPasskey
    default: return .initiatorShowsPasskey
    }
  }

  /// Whether a passkey is typed.
  package var hasPasskey: Bool {
    switch association {
    case .initiatorShowsPasskey, .responderShowsPasskey, .passkeyTypedTwice: true
    case .justWorks, .numericComparison, .outOfBand: false
    }
  }

  /// Whether confirm and random values reveal a passkey, or depend on data that must stay secret.
  package var hidesValues: Bool { hasPasskey || association == .outOfBand }

  /// The name in the JSON contract.
  package var key: StaticString {
    switch association {
    case .justWorks: isSecureConnections ? "sc_just_works" : "legacy_just_works"
    case .numericComparison: "sc_numeric_comparison"
    case .outOfBand: isSecureConnections ? "sc_oob" : "legacy_oob"
    case .initiatorShowsPasskey, .responderShowsPasskey, .passkeyTypedTwice:
      isSecureConnections ? "sc_passkey" : "legacy_passkey"
    }
  }
}
