// The commands of L2CAP's signalling channels. Source: Core, Vol 3, Part A, 4, Table 4.2; 0x01 to
// 0x16 checked against tshark 4.0, 0x17 to 0x1a against bumble and BlueZ's monitor.

/// The code of an L2CAP signalling command, its first byte.
@usableFromInline
package struct SignallingCode: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let commandReject = Self(rawValue: 0x01)
  package static let connectionRequest = Self(rawValue: 0x02)
  package static let connectionResponse = Self(rawValue: 0x03)
  package static let configureRequest = Self(rawValue: 0x04)
  package static let configureResponse = Self(rawValue: 0x05)
  package static let disconnectionRequest = Self(rawValue: 0x06)
  package static let disconnectionResponse = Self(rawValue: 0x07)
  package static let echoRequest = Self(rawValue: 0x08)
  package static let echoResponse = Self(rawValue: 0x09)
  package static let informationRequest = Self(rawValue: 0x0a)
  package static let informationResponse = Self(rawValue: 0x0b)
  package static let createChannelRequest = Self(rawValue: 0x0c)
  package static let createChannelResponse = Self(rawValue: 0x0d)
  package static let moveChannelRequest = Self(rawValue: 0x0e)
  package static let moveChannelResponse = Self(rawValue: 0x0f)
  package static let moveChannelConfirmation = Self(rawValue: 0x10)
  package static let moveChannelConfirmationResponse = Self(rawValue: 0x11)
  package static let parameterUpdateRequest = Self(rawValue: 0x12)
  package static let parameterUpdateResponse = Self(rawValue: 0x13)
  package static let leConnectionRequest = Self(rawValue: 0x14)
  package static let leConnectionResponse = Self(rawValue: 0x15)
  package static let flowControlCredit = Self(rawValue: 0x16)
  package static let enhancedConnectionRequest = Self(rawValue: 0x17)
  package static let enhancedConnectionResponse = Self(rawValue: 0x18)
  package static let reconfigureRequest = Self(rawValue: 0x19)
  package static let reconfigureResponse = Self(rawValue: 0x1a)

  /// The specification's name without the prefix L2CAP_; nil for an undefined code.
  package var name: AssignedName? {
    switch self {
    case .commandReject: "Command Reject"
    case .connectionRequest: "Connection Request"
    case .connectionResponse: "Connection Response"
    case .configureRequest: "Configure Request"
    case .configureResponse: "Configure Response"
    case .disconnectionRequest: "Disconnection Request"
    case .disconnectionResponse: "Disconnection Response"
    case .echoRequest: "Echo Request"
    case .echoResponse: "Echo Response"
    case .informationRequest: "Information Request"
    case .informationResponse: "Information Response"
    case .createChannelRequest: "Create Channel Request"
    case .createChannelResponse: "Create Channel Response"
    case .moveChannelRequest: "Move Channel Request"
    case .moveChannelResponse: "Move Channel Response"
    case .moveChannelConfirmation: "Move Channel Confirmation"
    case .moveChannelConfirmationResponse: "Move Channel Confirmation Response"
    case .parameterUpdateRequest: "Connection Parameter Update Request"
    case .parameterUpdateResponse: "Connection Parameter Update Response"
    case .leConnectionRequest: "LE Credit Based Connection Request"
    case .leConnectionResponse: "LE Credit Based Connection Response"
    case .flowControlCredit: "Flow Control Credit"
    case .enhancedConnectionRequest: "Credit Based Connection Request"
    case .enhancedConnectionResponse: "Credit Based Connection Response"
    case .reconfigureRequest: "Credit Based Reconfigure Request"
    case .reconfigureResponse: "Credit Based Reconfigure Response"
    default: nil
    }
  }

  /// The request to which a response belongs; nil for other commands. Command Reject can respond to
  /// any request.
  package var request: Self? {
    switch self {
    case .connectionResponse, .configureResponse, .disconnectionResponse, .echoResponse,
      .informationResponse, .createChannelResponse, .moveChannelResponse,
      .moveChannelConfirmationResponse, .parameterUpdateResponse, .leConnectionResponse,
      .enhancedConnectionResponse, .reconfigureResponse:
      Self(rawValue: rawValue - 1)
    default: nil
    }
  }

  /// Whether the command requires a response.
  package var isRequest: Bool {
    switch self {
    case .flowControlCredit, .commandReject: false
    default: name != nil && request == nil
    }
  }
}
