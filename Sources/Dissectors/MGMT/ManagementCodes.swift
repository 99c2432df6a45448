// The management interface codes that other code refers to (BlueZ, doc/mgmt-protocol.rst). All
// others are only table rows. Commands and events are numbered separately.

/// Opcodes of management commands.
package enum ManagementCommand {
  /// Load Link Keys
  package static let loadLinkKeys: UInt16 = 0x0012
  /// Load Long Term Keys
  package static let loadLongTermKeys: UInt16 = 0x0013
  /// Disconnect
  package static let disconnect: UInt16 = 0x0014
  /// PIN Code Reply
  package static let pinCodeReply: UInt16 = 0x0016
  /// PIN Code Negative Reply
  package static let pinCodeNegativeReply: UInt16 = 0x0017
  /// Pair Device
  package static let pairDevice: UInt16 = 0x0019
  /// Cancel Pair Device
  package static let cancelPairDevice: UInt16 = 0x001a
  /// Unpair Device
  package static let unpairDevice: UInt16 = 0x001b
  /// User Confirmation Reply
  package static let userConfirmationReply: UInt16 = 0x001c
  /// User Confirmation Negative Reply
  package static let userConfirmationNegativeReply: UInt16 = 0x001d
  /// User Passkey Reply
  package static let userPasskeyReply: UInt16 = 0x001e
  /// User Passkey Negative Reply
  package static let userPasskeyNegativeReply: UInt16 = 0x001f
  /// Start Discovery
  package static let startDiscovery: UInt16 = 0x0023
  /// Stop Discovery
  package static let stopDiscovery: UInt16 = 0x0024
  /// Set Static Address
  package static let setStaticAddress: UInt16 = 0x002b
  /// Set Privacy
  package static let setPrivacy: UInt16 = 0x002f
  /// Load Identity Resolving Keys
  package static let loadIdentityResolvingKeys: UInt16 = 0x0030
  /// Add Device
  package static let addDevice: UInt16 = 0x0033
  /// Remove Device
  package static let removeDevice: UInt16 = 0x0034
  /// Start Service Discovery
  package static let startServiceDiscovery: UInt16 = 0x003a
}

/// Codes of management events.
package enum ManagementEvent {
  /// Command Complete
  package static let commandComplete: UInt16 = 0x0001
  /// Command Status
  package static let commandStatus: UInt16 = 0x0002
  /// New Link Key
  package static let newLinkKey: UInt16 = 0x0009
  /// New Long Term Key
  package static let newLongTermKey: UInt16 = 0x000a
  /// Device Connected
  package static let deviceConnected: UInt16 = 0x000b
  /// Connect Failed
  package static let connectFailed: UInt16 = 0x000d
  /// User Confirmation Request
  package static let userConfirmationRequest: UInt16 = 0x000f
  /// User Passkey Request
  package static let userPasskeyRequest: UInt16 = 0x0010
  /// Authentication Failed
  package static let authenticationFailed: UInt16 = 0x0011
  /// Device Found
  package static let deviceFound: UInt16 = 0x0012
  /// Discovering
  package static let discovering: UInt16 = 0x0013
  /// Passkey Notify
  package static let passkeyNotify: UInt16 = 0x0017
  /// New Identity Resolving Key
  package static let newIdentityResolvingKey: UInt16 = 0x0018
  /// New Signature Resolving Key
  package static let newSignatureResolvingKey: UInt16 = 0x0019
  /// Advertising Removed
  package static let advertisingRemoved: UInt16 = 0x0024
  /// Advertisement Monitor Device Found
  package static let advertisementMonitorDeviceFound: UInt16 = 0x002f
  /// Connection Subrate
  package static let connectionSubrate: UInt16 = 0x0033
}
