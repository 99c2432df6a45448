// Core, Vol 1, Part F, 1.3 (list) and 2 (meanings). 0x00 to 0x45 checked against tshark 4.0 and
// BlueZ's monitor; 0x3f is withdrawn but old controllers send it; 0x46 to 0x48 are [mem].

/// An error code of the Controller, used as the Status of events and the Reason of disconnections.
package struct StatusCode: RawRepresentable, Equatable, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Declared here because the general operator for raw values is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The comparison that `switch` uses.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// The command or procedure succeeded.
  package static let success = Self(rawValue: 0x00)
  /// No connection has this handle.
  package static let unknownConnectionIdentifier = Self(rawValue: 0x02)
  /// Pairing or authentication failed, for example because of a wrong key.
  package static let authenticationFailure = Self(rawValue: 0x05)
  /// One side has lost the key.
  package static let pinOrKeyMissing = Self(rawValue: 0x06)
  /// The supervision timeout passed without a packet.
  package static let connectionTimeout = Self(rawValue: 0x08)
  /// The Controller cannot execute the command in its present state.
  package static let commandDisallowed = Self(rawValue: 0x0c)
  /// The peer's Host ended the link.
  package static let remoteUserTerminated = Self(rawValue: 0x13)
  /// The peer ended the link because of low resources.
  package static let remoteLowResources = Self(rawValue: 0x14)
  /// The peer ended the link because it is being switched off.
  package static let remotePowerOff = Self(rawValue: 0x15)
  /// The local Host ended the link.
  package static let connectionTerminatedByLocalHost = Self(rawValue: 0x16)
  /// The peer lacks the feature.
  package static let unsupportedRemoteFeature = Self(rawValue: 0x1a)
  /// A Link Layer or LMP procedure went unanswered.
  package static let responseTimeout = Self(rawValue: 0x22)
  /// The instant of an update had already passed when it arrived.
  package static let instantPassed = Self(rawValue: 0x28)
  /// Pairing with a unit key is not supported.
  package static let unitKeyNotSupported = Self(rawValue: 0x29)
  /// Connection parameters were refused.
  package static let unacceptableConnectionParameters = Self(rawValue: 0x3b)
  /// Advertising ended without a connection.
  package static let advertisingTimeout = Self(rawValue: 0x3c)
  /// A packet failed its integrity check: the keys differ.
  package static let micFailure = Self(rawValue: 0x3d)
  /// The peer never answered after the connection was created, or a synchronization failed.
  package static let connectionFailedToBeEstablished = Self(rawValue: 0x3e)
  /// No advertising set has this identifier.
  package static let unknownAdvertisingIdentifier = Self(rawValue: 0x42)
  /// The Host cancelled the operation.
  package static let operationCancelledByHost = Self(rawValue: 0x44)

  /// The specification's name; nil for an undefined code.
  package var name: StaticString? {
    switch rawValue {
    case 0x00: "Success"
    case 0x01: "Unknown HCI Command"
    case 0x02: "Unknown Connection Identifier"
    case 0x03: "Hardware Failure"
    case 0x04: "Page Timeout"
    case 0x05: "Authentication Failure"
    case 0x06: "PIN or Key Missing"
    case 0x07: "Memory Capacity Exceeded"
    case 0x08: "Connection Timeout"
    case 0x09: "Connection Limit Exceeded"
    case 0x0a: "Synchronous Connection Limit To A Device Exceeded"
    case 0x0b: "Connection Already Exists"
    case 0x0c: "Command Disallowed"
    case 0x0d: "Connection Rejected due to Limited Resources"
    case 0x0e: "Connection Rejected Due To Security Reasons"
    case 0x0f: "Connection Rejected due to Unacceptable BD_ADDR"
    case 0x10: "Connection Accept Timeout Exceeded"
    case 0x11: "Unsupported Feature or Parameter Value"
    case 0x12: "Invalid HCI Command Parameters"
    case 0x13: "Remote User Terminated Connection"
    case 0x14: "Remote Device Terminated Connection due to Low Resources"
    case 0x15: "Remote Device Terminated Connection due to Power Off"
    case 0x16: "Connection Terminated By Local Host"
    case 0x17: "Repeated Attempts"
    case 0x18: "Pairing Not Allowed"
    case 0x19: "Unknown LMP PDU"
    case 0x1a: "Unsupported Remote Feature"
    case 0x1b: "SCO Offset Rejected"
    case 0x1c: "SCO Interval Rejected"
    case 0x1d: "SCO Air Mode Rejected"
    case 0x1e: "Invalid LMP Parameters / Invalid LL Parameters"
    case 0x1f: "Unspecified Error"
    case 0x20: "Unsupported LMP Parameter Value / Unsupported LL Parameter Value"
    case 0x21: "Role Change Not Allowed"
    case 0x22: "LMP Response Timeout / LL Response Timeout"
    case 0x23: "LMP Error Transaction Collision / LL Procedure Collision"
    case 0x24: "LMP PDU Not Allowed"
    case 0x25: "Encryption Mode Not Acceptable"
    case 0x26: "Link Key cannot be Changed"
    case 0x27: "Requested QoS Not Supported"
    case 0x28: "Instant Passed"
    case 0x29: "Pairing With Unit Key Not Supported"
    case 0x2a: "Different Transaction Collision"
    case 0x2c: "QoS Unacceptable Parameter"
    case 0x2d: "QoS Rejected"
    case 0x2e: "Channel Classification Not Supported"
    case 0x2f: "Insufficient Security"
    case 0x30: "Parameter Out Of Mandatory Range"
    case 0x32: "Role Switch Pending"
    case 0x34: "Reserved Slot Violation"
    case 0x35: "Role Switch Failed"
    case 0x36: "Extended Inquiry Response Too Large"
    case 0x37: "Secure Simple Pairing Not Supported By Host"
    case 0x38: "Host Busy - Pairing"
    case 0x39: "Connection Rejected due to No Suitable Channel Found"
    case 0x3a: "Controller Busy"
    case 0x3b: "Unacceptable Connection Parameters"
    case 0x3c: "Advertising Timeout"
    case 0x3d: "Connection Terminated due to MIC Failure"
    case 0x3e: "Connection Failed to be Established / Synchronization Timeout"
    case 0x3f: "MAC Connection Failed"
    case 0x40: "Coarse Clock Adjustment Rejected but Will Try to Adjust Using Clock Dragging"
    case 0x41: "Type0 Submap Not Defined"
    case 0x42: "Unknown Advertising Identifier"
    case 0x43: "Limit Reached"
    case 0x44: "Operation Cancelled by Host"
    case 0x45: "Packet Too Long"
    case 0x46: "Too Late"
    case 0x47: "Too Early"
    case 0x48: "Insufficient Channels"
    default: nil
    }
  }
}
