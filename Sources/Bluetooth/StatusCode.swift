// Core, Vol 1, Part F, 1.3 (list) and 2 (meanings). 0x00 to 0x45 checked against tshark 4.0 and
// BlueZ's monitor; 0x3f is withdrawn but old controllers send it; 0x46 to 0x48 are [mem].

/// An error code of the Controller, used as the Status of events and the Reason of disconnections.
@usableFromInline
package struct StatusCode: RawRepresentable, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

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
  package static let operationCancelledByHost = Self(rawValue: 0x44)

  /// The specification's name; nil for an undefined code.
  package var name: AssignedName? { CodeSet.status.name(of: UInt64(rawValue)) }
}

extension CodeSet {
  /// An error code of the Controller.
  package static let status = CodeSet(
    """
    Success
    Unknown HCI Command
    Unknown Connection Identifier
    Hardware Failure
    Page Timeout
    Authentication Failure
    PIN or Key Missing
    Memory Capacity Exceeded
    Connection Timeout
    Connection Limit Exceeded
    Synchronous Connection Limit To A Device Exceeded
    Connection Already Exists
    Command Disallowed
    Connection Rejected due to Limited Resources
    Connection Rejected Due To Security Reasons
    Connection Rejected due to Unacceptable BD_ADDR
    Connection Accept Timeout Exceeded
    Unsupported Feature or Parameter Value
    Invalid HCI Command Parameters
    Remote User Terminated Connection
    Remote Device Terminated Connection due to Low Resources
    Remote Device Terminated Connection due to Power Off
    Connection Terminated By Local Host
    Repeated Attempts
    Pairing Not Allowed
    Unknown LMP PDU
    Unsupported Remote Feature
    SCO Offset Rejected
    SCO Interval Rejected
    SCO Air Mode Rejected
    Invalid LMP Parameters / Invalid LL Parameters
    Unspecified Error
    Unsupported LMP Parameter Value / Unsupported LL Parameter Value
    Role Change Not Allowed
    LMP Response Timeout / LL Response Timeout
    LMP Error Transaction Collision / LL Procedure Collision
    LMP PDU Not Allowed
    Encryption Mode Not Acceptable
    Link Key cannot be Changed
    Requested QoS Not Supported
    Instant Passed
    Pairing With Unit Key Not Supported
    Different Transaction Collision

    QoS Unacceptable Parameter
    QoS Rejected
    Channel Classification Not Supported
    Insufficient Security
    Parameter Out Of Mandatory Range

    Role Switch Pending

    Reserved Slot Violation
    Role Switch Failed
    Extended Inquiry Response Too Large
    Secure Simple Pairing Not Supported By Host
    Host Busy - Pairing
    Connection Rejected due to No Suitable Channel Found
    Controller Busy
    Unacceptable Connection Parameters
    Advertising Timeout
    Connection Terminated due to MIC Failure
    Connection Failed to be Established / Synchronization Timeout
    MAC Connection Failed
    Coarse Clock Adjustment Rejected but Will Try to Adjust Using Clock Dragging
    Type0 Submap Not Defined
    Unknown Advertising Identifier
    Limit Reached
    Operation Cancelled by Host
    Packet Too Long
    Too Late
    Too Early
    Insufficient Channels
    """)
}
