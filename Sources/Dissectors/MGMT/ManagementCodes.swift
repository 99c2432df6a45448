// The management interface codes that other code refers to (BlueZ, doc/mgmt-protocol.rst). All
// others are only table rows. Commands and events are numbered separately.

/// Opcodes of management commands.
package enum ManagementCommand {
  package static let loadLinkKeys: UInt16 = 0x0012
  package static let loadLongTermKeys: UInt16 = 0x0013
  package static let disconnect: UInt16 = 0x0014
  package static let pinCodeReply: UInt16 = 0x0016
  package static let pinCodeNegativeReply: UInt16 = 0x0017
  package static let pairDevice: UInt16 = 0x0019
  package static let cancelPairDevice: UInt16 = 0x001a
  package static let unpairDevice: UInt16 = 0x001b
  package static let userConfirmationReply: UInt16 = 0x001c
  package static let userConfirmationNegativeReply: UInt16 = 0x001d
  package static let userPasskeyReply: UInt16 = 0x001e
  package static let userPasskeyNegativeReply: UInt16 = 0x001f
  package static let startDiscovery: UInt16 = 0x0023
  package static let stopDiscovery: UInt16 = 0x0024
  package static let setStaticAddress: UInt16 = 0x002b
  package static let setPrivacy: UInt16 = 0x002f
  package static let loadIdentityResolvingKeys: UInt16 = 0x0030
  package static let addDevice: UInt16 = 0x0033
  package static let removeDevice: UInt16 = 0x0034
  package static let startServiceDiscovery: UInt16 = 0x003a
}

/// Codes of management events.
package enum ManagementEvent {
  package static let commandComplete: UInt16 = 0x0001
  package static let commandStatus: UInt16 = 0x0002
  package static let newLinkKey: UInt16 = 0x0009
  package static let newLongTermKey: UInt16 = 0x000a
  package static let deviceConnected: UInt16 = 0x000b
  package static let connectFailed: UInt16 = 0x000d
  package static let userConfirmationRequest: UInt16 = 0x000f
  package static let userPasskeyRequest: UInt16 = 0x0010
  package static let authenticationFailed: UInt16 = 0x0011
  package static let deviceFound: UInt16 = 0x0012
  package static let discovering: UInt16 = 0x0013
  package static let passkeyNotify: UInt16 = 0x0017
  package static let newIdentityResolvingKey: UInt16 = 0x0018
  package static let newSignatureResolvingKey: UInt16 = 0x0019
  package static let advertisingRemoved: UInt16 = 0x0024
  package static let advertisementMonitorDeviceFound: UInt16 = 0x002f
  package static let connectionSubrate: UInt16 = 0x0033
}
