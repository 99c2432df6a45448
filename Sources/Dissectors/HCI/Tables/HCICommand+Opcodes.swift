// The opcodes that other code refers to (Core, Vol 4, Part E, 7). All others are only table rows.

extension HCICommand {
  // MARK: Link control (7.1)

  package static let inquiry: UInt16 = 0x0401
  package static let inquiryCancel: UInt16 = 0x0402
  package static let exitPeriodicInquiryMode: UInt16 = 0x0404
  package static let createConnection: UInt16 = 0x0405
  package static let disconnect: UInt16 = 0x0406
  package static let createConnectionCancel: UInt16 = 0x0408
  package static let acceptConnectionRequest: UInt16 = 0x0409
  package static let linkKeyRequestReply: UInt16 = 0x040b
  package static let linkKeyRequestNegativeReply: UInt16 = 0x040c
  package static let remoteNameRequest: UInt16 = 0x0419
  package static let remoteNameRequestCancel: UInt16 = 0x041a
  package static let readRemoteVersionInformation: UInt16 = 0x041d
  package static let ioCapabilityRequestReply: UInt16 = 0x042b
  package static let userConfirmationRequestReply: UInt16 = 0x042c
  package static let userConfirmationRequestNegativeReply: UInt16 = 0x042d
  package static let pinCodeRequestNegativeReply: UInt16 = 0x040e
  package static let userPasskeyRequestNegativeReply: UInt16 = 0x042f
  package static let ioCapabilityRequestNegativeReply: UInt16 = 0x0434
  package static let authenticationRequested: UInt16 = 0x0411
  package static let setConnectionEncryption: UInt16 = 0x0413

  // MARK: Controller and baseband, information, status (7.3 to 7.5)

  package static let reset: UInt16 = 0x0c03
  package static let deleteStoredLinkKey: UInt16 = 0x0c12
  package static let setControllerToHostFlowControl: UInt16 = 0x0c31
  package static let hostBufferSize: UInt16 = 0x0c33
  /// Host Number Of Completed Packets: the command that has no response and may be sent without a
  /// command credit (7.3.40).
  package static let hostNumberOfCompletedPackets: UInt16 = 0x0c35
  package static let readLocalVersionInformation: UInt16 = 0x1001
  package static let readBufferSize: UInt16 = 0x1005
  package static let readBDADDR: UInt16 = 0x1009
  package static let readRSSI: UInt16 = 0x1405
  package static let readEncryptionKeySize: UInt16 = 0x1408

  package static let writeLinkSupervisionTimeout: UInt16 = 0x0c37
  package static let roleDiscovery: UInt16 = 0x0809

  // MARK: LE Controller (7.8)

  package static let leSetEventMask: UInt16 = 0x2001
  package static let leReadBufferSize: UInt16 = 0x2002
  package static let leSetRandomAddress: UInt16 = 0x2005
  package static let leSetAdvertisingParameters: UInt16 = 0x2006
  package static let leSetAdvertisingData: UInt16 = 0x2008
  package static let leSetScanResponseData: UInt16 = 0x2009
  package static let leSetAdvertisingEnable: UInt16 = 0x200a
  package static let leSetScanParameters: UInt16 = 0x200b
  package static let leSetScanEnable: UInt16 = 0x200c
  package static let leCreateConnection: UInt16 = 0x200d
  package static let leCreateConnectionCancel: UInt16 = 0x200e
  package static let leClearFilterAcceptList: UInt16 = 0x2010
  package static let leAddDeviceToFilterAcceptList: UInt16 = 0x2011
  package static let leRemoveDeviceFromFilterAcceptList: UInt16 = 0x2012
  package static let leConnectionUpdate: UInt16 = 0x2013
  package static let leReadRemoteFeatures: UInt16 = 0x2016
  package static let leEncrypt: UInt16 = 0x2017
  package static let leEnableEncryption: UInt16 = 0x2019
  package static let leLongTermKeyRequestReply: UInt16 = 0x201a
  package static let leLongTermKeyRequestNegativeReply: UInt16 = 0x201b
  package static let leRemoteConnectionParameterRequestReply: UInt16 = 0x2020
  package static let leRemoteConnectionParameterRequestNegativeReply: UInt16 = 0x2021
  package static let leSetDataLength: UInt16 = 0x2022
  package static let leWriteSuggestedDefaultDataLength: UInt16 = 0x2024
  package static let leAddDeviceToResolvingList: UInt16 = 0x2027
  package static let leRemoveDeviceFromResolvingList: UInt16 = 0x2028
  package static let leClearResolvingList: UInt16 = 0x2029
  package static let leReadPHY: UInt16 = 0x2030
  package static let leSetPHY: UInt16 = 0x2032
  package static let leSetAdvertisingSetRandomAddress: UInt16 = 0x2035
  package static let leSetExtendedAdvertisingParameters: UInt16 = 0x2036
  package static let leSetExtendedAdvertisingEnable: UInt16 = 0x2039
  package static let leReadMaximumAdvertisingDataLength: UInt16 = 0x203a
  package static let leRemoveAdvertisingSet: UInt16 = 0x203c
  package static let leClearAdvertisingSets: UInt16 = 0x203d
  package static let leSetPeriodicAdvertisingParameters: UInt16 = 0x203e
  package static let leSetPeriodicAdvertisingEnable: UInt16 = 0x2040
  package static let leSetExtendedScanParameters: UInt16 = 0x2041
  package static let leSetExtendedScanEnable: UInt16 = 0x2042
  package static let leExtendedCreateConnection: UInt16 = 0x2043
  package static let lePeriodicAdvertisingCreateSyncCancel: UInt16 = 0x2045
  /// LE Read Buffer Size, version 2
  package static let leReadBufferSizeV2: UInt16 = 0x2060
  package static let leSetCIGParameters: UInt16 = 0x2062
  package static let leRemoveCIG: UInt16 = 0x2065
  package static let leRequestPeerSCA: UInt16 = 0x206d
  package static let leReadRemoteTransmitPowerLevel: UInt16 = 0x2077
  package static let leSubrateRequest: UInt16 = 0x207e
  package static let readAuthenticatedPayloadTimeout: UInt16 = 0x0c7b
  package static let writeAuthenticatedPayloadTimeout: UInt16 = 0x0c7c
  package static let configureDataPath: UInt16 = 0x0c83
  /// LE Set Extended Advertising Parameters, version 2
  package static let leSetExtendedAdvertisingParametersV2: UInt16 = 0x207f
  /// LE Extended Create Connection, version 2
  package static let leExtendedCreateConnectionV2: UInt16 = 0x2085
  /// LE Set Periodic Advertising Parameters, version 2
  package static let leSetPeriodicAdvertisingParametersV2: UInt16 = 0x2086

  /// The vendor-specific commands of Android's Bluetooth stack (Android, "HCI requirements").
  /// Linux's kernel sends the first one and the one for quality reports to some controllers.
  package static let androidVendorCommands: ClosedRange<UInt16> = 0xfd53...0xfd5f
  /// Android's Dynamic Audio Buffer; controllers of MediaTek have another command with this number.
  static let androidDynamicAudioBuffer: UInt16 = 0xfd5f

  /// The LE Controller commands: OGF 0x08. Those that are assigned end before this range does.
  package static let leControllerCommands: ClosedRange<UInt16> = 0x2000...0x20ff
}
