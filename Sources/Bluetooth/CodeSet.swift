// The named codes and bits of HCI's parameters: one case per set, its names in a function of its own
// in the extensions beside this file. Names are worded for one line of text.

/// A set of codes or of flag bits whose members have names, for parameters that hold one of them.
package enum CodeSet: UInt8, Sendable, CaseIterable {
  /// An error code of the Controller.
  case status

  // Codes of links: addresses, roles, PHYs, encryption and versions.

  /// The role on a link.
  case role
  /// The type of a device address, in commands, events and advertising reports.
  case addressType
  /// Own_Address_Type: which of its addresses a Controller uses.
  case ownAddressType
  /// A PHY by its code; 4 is told apart from 3 only where the Advertising Coding Selection
  /// feature is in use.
  case phy
  /// The PHY of a transmitter test or a power level, which names the coding.
  case phyCoding
  /// PHYs by their bits.
  case phys
  /// ALL_PHYS: the directions in which the Host has no preference.
  case allPHYs
  /// PHY_Options: the coding wanted on the LE Coded PHY.
  case phyOptions
  /// The accuracy of a sleep clock, at its worst.
  case clockAccuracy
  /// What LE Modify Sleep Clock Accuracy asks for.
  case sleepClockAction
  /// Whether a link is encrypted; on LE, "On" is AES-CCM.
  case encryptionEnabled
  /// The type of a BR/EDR link.
  case linkType
  /// HCI_Version, LMP_Version and the version of LL_VERSION_IND.
  case coreVersion
  /// The channel selection algorithm of an LE link.
  case channelSelection
  /// How a device with a known identity is treated when it shows that identity.
  case privacyMode
  /// Something is switched on or off.
  case onOff
  /// Something is so or is not so.
  case yesNo
  /// Which power level is asked for.
  case txPowerLevelType
  /// The zone that the path loss has entered.
  case pathLossZone
  /// Why an LE Transmit Power Reporting event came.
  case powerReportReason
  /// Which spacings a frame space update is about.
  case spacingTypes
  /// Who asked for a frame space update.
  case frameSpaceInitiator
  /// Which private key LE Generate DHKey [v2] uses.
  case dhKeyType

  // Codes of advertising, scanning and initiating.

  /// Whether a scanner asks for scan responses.
  case scanType
  /// Scanning_Filter_Policy.
  case scanFilterPolicy
  /// Initiator_Filter_Policy: whom to connect to.
  case initiatorFilterPolicy
  /// Advertising_Filter_Policy: whose requests are answered.
  case advertisingFilterPolicy
  /// The Flags of advertising data, by their bits.
  case advertisingFlags
  /// Filter_Duplicates of a scan.
  case filterDuplicates
  /// Advertising_Type of LE Set Advertising Parameters.
  case advertisingType
  /// Event_Type of an LE Advertising Report.
  case advertisingReportType
  /// Advertising_Event_Properties of an advertising set.
  case advertisingProperties
  /// Event_Type of an LE Extended Advertising Report: bits 5 and 6 are the data status.
  case extendedReportType
  /// The primary advertising channels, by their bits.
  case advertisingChannels
  /// Which part of the data an advertising data command carries.
  case dataOperation
  /// Whether the Controller may fragment advertising data.
  case fragmentPreference
  /// Data_Status of a periodic advertising report.
  case dataStatus
  /// Periodic_Advertising_Properties.
  case periodicProperties
  /// Enable of LE Set Periodic Advertising Enable.
  case periodicEnable
  /// Enable of LE Set Periodic Advertising Receive Enable.
  case periodicReceiveEnable
  /// Options of LE Periodic Advertising Create Sync.
  case syncOptions
  /// Sync_CTE_Type: the constant tone extensions that are not synchronised to.
  case syncCTEType
  /// The type of a constant tone extension.
  case cteType
  /// Types of constant tone extensions, by their bits.
  case cteTypes
  /// Mode of the periodic advertising sync transfer parameters.
  case syncTransferMode
  /// What a monitored advertiser has done.
  case monitorCondition
  /// Security Manager Out of Band Flags, by their bits.
  case outOfBandFlags
  /// LE Role.
  case leRole
  /// Vendor ID Source of a Device ID.
  case vendorIDSource
  /// Who defined what transport discovery data says.
  case transportOrganization
  /// Role and state of a transport, by their bits.
  case transportFlags
  /// What an indoor position consists of, by its bits.
  case indoorPosition
  /// 3D Information Data, by its bits.
  case threeDimensional
  /// What a mesh beacon announces.
  case meshBeacon
  /// The PHY of a BIG, as BIGInfo numbers it.
  case bigPHY

  // Codes of BR/EDR links, pairing and the Controller's baseband.

  /// Allow_Role_Switch of Create Connection.
  case allowRoleSwitch
  /// Page_Scan_Repetition_Mode.
  case pageScanRepetition
  /// Packet_Type of an ACL link; bits of EDR packets exclude them.
  case aclPacketTypes
  /// Packet_Type of a synchronous link; bits of EDR packets exclude them.
  case synchronousPacketTypes
  /// Retransmission_Effort of a synchronous link.
  case retransmissionEffort
  /// Air_Mode of a synchronous link.
  case airMode
  /// A coding format, by its assigned number.
  case codingFormat
  /// Current_Mode of a BR/EDR link.
  case powerMode
  /// Link_Policy_Settings.
  case linkPolicy
  /// Service_Type of a quality of service.
  case serviceType
  /// Flow_Direction of a flow specification.
  case flowDirection
  /// IO_Capability.
  case ioCapability
  /// OOB_Data_Present.
  case oobDataPresent
  /// Authentication_Requirements.
  case authenticationRequirements
  /// Notification_Type of a keypress.
  case keypress
  /// Key_Type of a link key.
  case linkKeyType
  /// Key_Flag: which kind of link key is in use.
  case keyFlag
  /// PIN_Type.
  case pinType
  /// Scan_Enable: the scans that a BR/EDR device answers.
  case scanEnable
  /// Inquiry_Scan_Type and Page_Scan_Type.
  case interlacedScan
  /// Inquiry_Mode: the form of inquiry results.
  case inquiryMode
  /// Filter_Type of Set Event Filter.
  case eventFilterType
  /// Flow_Control_Enable towards the Host.
  case flowControl
  /// Flow_Control_Mode.
  case flowControlMode
  /// Hold_Mode_Activity.
  case holdModeActivity
  /// Encryption_Mode of an old Host.
  case encryptionMode
  /// Packet_Type of Enhanced Flush.
  case flushPacketType
  /// Link_Type of a Data Buffer Overflow.
  case overflowLinkType
  /// Which_Clock.
  case whichClock
  /// Loopback_Mode.
  case loopbackMode
  /// Logical_Transport_Type of a codec.
  case codecTransport
  /// Transports of a codec, by their bits.
  case codecTransports

  // Codes of isochronous channels, direct tests and Channel Sounding.

  /// Packing of isochronous streams.
  case packing
  /// Framing of isochronous data.
  case framing
  /// The direction of an ISO data path.
  case dataPathDirection
  /// Directions of an ISO data path, by their bits.
  case dataPathDirections
  /// Where isochronous or synchronous data goes.
  case dataPath
  /// Payload_Type of an ISO test.
  case isoPayloadType
  /// Packet_Payload of a transmitter test.
  case testPayload
  /// Modulation_Index of a receiver test.
  case modulationIndex
  /// A role in Channel Sounding.
  case csRole
  /// Roles in Channel Sounding, by their bits.
  case csRoles
  /// Optional modes of Channel Sounding.
  case csModes
  /// The PHY of CS_SYNC packets.
  case csSyncPHY
  /// Optional PHYs of CS_SYNC packets.
  case csSyncPHYs
  /// A mode of Channel Sounding steps.
  case csMode
  /// The kind of round trip time measurement.
  case csRTTType
  /// The output signal-to-noise ratio of CS_SYNC packets.
  case csSNR
  /// The channel selection algorithm of Channel Sounding.
  case csChannelSelection
  /// The shape of Channel Selection Algorithm #3c.
  case csShape
  /// What has become of a Channel Sounding configuration.
  case csConfigAction
  /// Where a Channel Sounding configuration is written.
  case csCreateContext
  /// How far a Channel Sounding procedure or subevent is.
  case csDoneStatus

  // The features of LMP and of the Link Layer, by their bits.

  /// LMP features, page 0.
  case lmpFeatures
  /// LMP features, page 1: what the Host supports.
  case lmpFeatures1
  /// LMP features, page 2.
  case lmpFeatures2
  /// LE features by their bits; those from 64 on are only in commands that name one by its
  /// number.
  case leFeatures
  /// LE features from bit 64 on, counted from there.
  case leFeatures1

  // The events that the event masks let through, by their bits.

  /// Event_Mask.
  case eventMask
  /// Event_Mask_Page_2.
  case eventMask2
  /// LE_Event_Mask.
  case leEventMask
  /// LE_States: states and combinations of states that a Controller supports.
  case leStates

  /// The name of a code, or of a bit by its number; nil where the specification gives none.
  package func name(of code: UInt64) -> StaticString? {
    switch self {
    case .status: UInt8(exactly: code).flatMap { StatusCode(rawValue: $0).name }
    case .role: Self.roleName(code)
    case .addressType: Self.addressTypeName(code)
    case .ownAddressType: Self.ownAddressTypeName(code)
    case .phy: Self.phyName(code)
    case .phyCoding: Self.phyCodingName(code)
    case .phys: Self.physName(code)
    case .allPHYs: Self.allPHYsName(code)
    case .phyOptions: Self.phyOptionsName(code)
    case .clockAccuracy: Self.clockAccuracyName(code)
    case .sleepClockAction: Self.sleepClockActionName(code)
    case .encryptionEnabled: Self.encryptionEnabledName(code)
    case .linkType: Self.linkTypeName(code)
    case .coreVersion: Self.coreVersionName(code)
    case .channelSelection: Self.channelSelectionName(code)
    case .privacyMode: Self.privacyModeName(code)
    case .onOff: Self.onOffName(code)
    case .yesNo: Self.yesNoName(code)
    case .txPowerLevelType: Self.txPowerLevelTypeName(code)
    case .pathLossZone: Self.pathLossZoneName(code)
    case .powerReportReason: Self.powerReportReasonName(code)
    case .spacingTypes: Self.spacingTypesName(code)
    case .frameSpaceInitiator: Self.frameSpaceInitiatorName(code)
    case .dhKeyType: Self.dhKeyTypeName(code)
    case .scanType: Self.scanTypeName(code)
    case .scanFilterPolicy: Self.scanFilterPolicyName(code)
    case .initiatorFilterPolicy: Self.initiatorFilterPolicyName(code)
    case .advertisingFilterPolicy: Self.advertisingFilterPolicyName(code)
    case .advertisingFlags: Self.advertisingFlagsName(code)
    case .filterDuplicates: Self.filterDuplicatesName(code)
    case .advertisingType: Self.advertisingTypeName(code)
    case .advertisingReportType: Self.advertisingReportTypeName(code)
    case .advertisingProperties: Self.advertisingPropertiesName(code)
    case .extendedReportType: Self.extendedReportTypeName(code)
    case .advertisingChannels: Self.advertisingChannelsName(code)
    case .dataOperation: Self.dataOperationName(code)
    case .fragmentPreference: Self.fragmentPreferenceName(code)
    case .dataStatus: Self.dataStatusName(code)
    case .periodicProperties: Self.periodicPropertiesName(code)
    case .periodicEnable: Self.periodicEnableName(code)
    case .periodicReceiveEnable: Self.periodicReceiveEnableName(code)
    case .syncOptions: Self.syncOptionsName(code)
    case .syncCTEType: Self.syncCTETypeName(code)
    case .cteType: Self.cteTypeName(code)
    case .cteTypes: Self.cteTypesName(code)
    case .syncTransferMode: Self.syncTransferModeName(code)
    case .monitorCondition: Self.monitorConditionName(code)
    case .outOfBandFlags: Self.outOfBandFlagsName(code)
    case .leRole: Self.leRoleName(code)
    case .vendorIDSource: Self.vendorIDSourceName(code)
    case .transportOrganization: Self.transportOrganizationName(code)
    case .transportFlags: Self.transportFlagsName(code)
    case .indoorPosition: Self.indoorPositionName(code)
    case .threeDimensional: Self.threeDimensionalName(code)
    case .meshBeacon: Self.meshBeaconName(code)
    case .bigPHY: Self.bigPHYName(code)
    case .allowRoleSwitch: Self.allowRoleSwitchName(code)
    case .pageScanRepetition: Self.pageScanRepetitionName(code)
    case .aclPacketTypes: Self.aclPacketTypesName(code)
    case .synchronousPacketTypes: Self.synchronousPacketTypesName(code)
    case .retransmissionEffort: Self.retransmissionEffortName(code)
    case .airMode: Self.airModeName(code)
    case .codingFormat: Self.codingFormatName(code)
    case .powerMode: Self.powerModeName(code)
    case .linkPolicy: Self.linkPolicyName(code)
    case .serviceType: Self.serviceTypeName(code)
    case .flowDirection: Self.flowDirectionName(code)
    case .ioCapability: Self.ioCapabilityName(code)
    case .oobDataPresent: Self.oobDataPresentName(code)
    case .authenticationRequirements: Self.authenticationRequirementsName(code)
    case .keypress: Self.keypressName(code)
    case .linkKeyType: Self.linkKeyTypeName(code)
    case .keyFlag: Self.keyFlagName(code)
    case .pinType: Self.pinTypeName(code)
    case .scanEnable: Self.scanEnableName(code)
    case .interlacedScan: Self.interlacedScanName(code)
    case .inquiryMode: Self.inquiryModeName(code)
    case .eventFilterType: Self.eventFilterTypeName(code)
    case .flowControl: Self.flowControlName(code)
    case .flowControlMode: Self.flowControlModeName(code)
    case .holdModeActivity: Self.holdModeActivityName(code)
    case .encryptionMode: Self.encryptionModeName(code)
    case .flushPacketType: Self.flushPacketTypeName(code)
    case .overflowLinkType: Self.overflowLinkTypeName(code)
    case .whichClock: Self.whichClockName(code)
    case .loopbackMode: Self.loopbackModeName(code)
    case .codecTransport: Self.codecTransportName(code)
    case .codecTransports: Self.codecTransportsName(code)
    case .packing: Self.packingName(code)
    case .framing: Self.framingName(code)
    case .dataPathDirection: Self.dataPathDirectionName(code)
    case .dataPathDirections: Self.dataPathDirectionsName(code)
    case .dataPath: Self.dataPathName(code)
    case .isoPayloadType: Self.isoPayloadTypeName(code)
    case .testPayload: Self.testPayloadName(code)
    case .modulationIndex: Self.modulationIndexName(code)
    case .csRole: Self.csRoleName(code)
    case .csRoles: Self.csRolesName(code)
    case .csModes: Self.csModesName(code)
    case .csSyncPHY: Self.csSyncPHYName(code)
    case .csSyncPHYs: Self.csSyncPHYsName(code)
    case .csMode: Self.csModeName(code)
    case .csRTTType: Self.csRTTTypeName(code)
    case .csSNR: Self.csSNRName(code)
    case .csChannelSelection: Self.csChannelSelectionName(code)
    case .csShape: Self.csShapeName(code)
    case .csConfigAction: Self.csConfigActionName(code)
    case .csCreateContext: Self.csCreateContextName(code)
    case .csDoneStatus: Self.csDoneStatusName(code)
    case .lmpFeatures: Self.lmpFeaturesName(code)
    case .lmpFeatures1: Self.lmpFeatures1Name(code)
    case .lmpFeatures2: Self.lmpFeatures2Name(code)
    case .leFeatures: Self.leFeaturesName(code)
    case .leFeatures1: Self.leFeatures1Name(code)
    case .eventMask: Self.eventMaskName(code)
    case .eventMask2: Self.eventMask2Name(code)
    case .leEventMask: Self.leEventMaskName(code)
    case .leStates: Self.leStatesName(code)
    }
  }
}
