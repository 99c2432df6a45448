// The opcodes that other code refers to (Core, Vol 4, Part E, 7). All others are only table rows.

extension HCICommand {
  // MARK: Link control (7.1)

  /// Inquiry Cancel
  package static let inquiryCancel: UInt16 = 0x0402
  /// Exit Periodic Inquiry Mode
  package static let exitPeriodicInquiryMode: UInt16 = 0x0404
  /// Create Connection
  package static let createConnection: UInt16 = 0x0405
  /// Disconnect
  package static let disconnect: UInt16 = 0x0406
  /// Accept Connection Request
  package static let acceptConnectionRequest: UInt16 = 0x0409
  /// Link Key Request Reply
  package static let linkKeyRequestReply: UInt16 = 0x040b
  /// Link Key Request Negative Reply
  package static let linkKeyRequestNegativeReply: UInt16 = 0x040c
  /// IO Capability Request Reply
  package static let ioCapabilityRequestReply: UInt16 = 0x042b
  /// User Confirmation Request Reply
  package static let userConfirmationRequestReply: UInt16 = 0x042c
  /// User Confirmation Request Negative Reply
  package static let userConfirmationRequestNegativeReply: UInt16 = 0x042d
  /// PIN Code Request Negative Reply
  package static let pinCodeRequestNegativeReply: UInt16 = 0x040e
  /// User Passkey Request Negative Reply
  package static let userPasskeyRequestNegativeReply: UInt16 = 0x042f
  /// IO Capability Request Negative Reply
  package static let ioCapabilityRequestNegativeReply: UInt16 = 0x0434
  /// Authentication Requested
  package static let authenticationRequested: UInt16 = 0x0411
  /// Set Connection Encryption
  package static let setConnectionEncryption: UInt16 = 0x0413

  // MARK: Controller and baseband, information, status (7.3 to 7.5)

  /// Reset
  package static let reset: UInt16 = 0x0c03
  /// Host Number Of Completed Packets: the command that has no response and may be sent without a
  /// command credit (7.3.40).
  package static let hostNumberOfCompletedPackets: UInt16 = 0x0c35
  /// Read Local Version Information
  package static let readLocalVersionInformation: UInt16 = 0x1001
  /// Read BD_ADDR
  package static let readBDADDR: UInt16 = 0x1009
  /// Read Encryption Key Size
  package static let readEncryptionKeySize: UInt16 = 0x1408

  /// Write Link Supervision Timeout
  package static let writeLinkSupervisionTimeout: UInt16 = 0x0c37
  /// Role Discovery
  package static let roleDiscovery: UInt16 = 0x0809

  // MARK: LE Controller (7.8)

  /// LE Set Event Mask
  package static let leSetEventMask: UInt16 = 0x2001
  /// LE Set Random Address
  package static let leSetRandomAddress: UInt16 = 0x2005
  /// LE Set Advertising Parameters
  package static let leSetAdvertisingParameters: UInt16 = 0x2006
  /// LE Set Advertising Data
  package static let leSetAdvertisingData: UInt16 = 0x2008
  /// LE Set Advertising Enable
  package static let leSetAdvertisingEnable: UInt16 = 0x200a
  /// LE Set Scan Parameters
  package static let leSetScanParameters: UInt16 = 0x200b
  /// LE Set Scan Enable
  package static let leSetScanEnable: UInt16 = 0x200c
  /// LE Create Connection
  package static let leCreateConnection: UInt16 = 0x200d
  /// LE Create Connection Cancel
  package static let leCreateConnectionCancel: UInt16 = 0x200e
  /// LE Clear Filter Accept List
  package static let leClearFilterAcceptList: UInt16 = 0x2010
  /// LE Add Device To Filter Accept List
  package static let leAddDeviceToFilterAcceptList: UInt16 = 0x2011
  /// LE Remove Device From Filter Accept List
  package static let leRemoveDeviceFromFilterAcceptList: UInt16 = 0x2012
  /// LE Connection Update
  package static let leConnectionUpdate: UInt16 = 0x2013
  /// LE Encrypt
  package static let leEncrypt: UInt16 = 0x2017
  /// LE Enable Encryption
  package static let leEnableEncryption: UInt16 = 0x2019
  /// LE Long Term Key Request Reply
  package static let leLongTermKeyRequestReply: UInt16 = 0x201a
  /// LE Long Term Key Request Negative Reply
  package static let leLongTermKeyRequestNegativeReply: UInt16 = 0x201b
  /// LE Remote Connection Parameter Request Reply
  package static let leRemoteConnectionParameterRequestReply: UInt16 = 0x2020
  /// LE Remote Connection Parameter Request Negative Reply
  package static let leRemoteConnectionParameterRequestNegativeReply: UInt16 = 0x2021
  /// LE Add Device To Resolving List
  package static let leAddDeviceToResolvingList: UInt16 = 0x2027
  /// LE Set Advertising Set Random Address
  package static let leSetAdvertisingSetRandomAddress: UInt16 = 0x2035
  /// LE Set Extended Advertising Parameters
  package static let leSetExtendedAdvertisingParameters: UInt16 = 0x2036
  /// LE Set Extended Advertising Enable
  package static let leSetExtendedAdvertisingEnable: UInt16 = 0x2039
  /// LE Read Maximum Advertising Data Length
  package static let leReadMaximumAdvertisingDataLength: UInt16 = 0x203a
  /// LE Remove Advertising Set
  package static let leRemoveAdvertisingSet: UInt16 = 0x203c
  /// LE Set Periodic Advertising Parameters
  package static let leSetPeriodicAdvertisingParameters: UInt16 = 0x203e
  /// LE Set Periodic Advertising Enable
  package static let leSetPeriodicAdvertisingEnable: UInt16 = 0x2040
  /// LE Set Extended Scan Parameters
  package static let leSetExtendedScanParameters: UInt16 = 0x2041
  /// LE Set Extended Scan Enable
  package static let leSetExtendedScanEnable: UInt16 = 0x2042
  /// LE Extended Create Connection
  package static let leExtendedCreateConnection: UInt16 = 0x2043
  /// LE Periodic Advertising Create Sync Cancel
  package static let lePeriodicAdvertisingCreateSyncCancel: UInt16 = 0x2045
  /// LE Subrate Request
  package static let leSubrateRequest: UInt16 = 0x207e
  /// Read Authenticated Payload Timeout.
  package static let readAuthenticatedPayloadTimeout: UInt16 = 0x0c7b
  /// Write Authenticated Payload Timeout.
  package static let writeAuthenticatedPayloadTimeout: UInt16 = 0x0c7c
  /// LE Set Extended Advertising Parameters, version 2
  package static let leSetExtendedAdvertisingParametersV2: UInt16 = 0x207f
  /// LE Extended Create Connection, version 2
  package static let leExtendedCreateConnectionV2: UInt16 = 0x2085
  /// LE Set Periodic Advertising Parameters, version 2
  package static let leSetPeriodicAdvertisingParametersV2: UInt16 = 0x2086

  /// The LE Controller commands: OGF 0x08. Those that are assigned end before this range does.
  package static let leControllerCommands: ClosedRange<UInt16> = 0x2000...0x20ff
}
