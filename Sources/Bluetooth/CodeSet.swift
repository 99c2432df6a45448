// The named codes and bits of HCI parameters: one case per set, with a function for its names in
// the extensions beside this file, which CodeSet+Names.swift combines. Names are worded for one
// line of text. They share one enum, so that a field of the tables only needs one byte.

/// A set of named codes or flag bits, for parameters that contain one of them.
package enum CodeSet: UInt8, Sendable, CaseIterable {
  /// An error code of the Controller.
  case status

  // Codes of links: addresses, roles, PHYs, encryption and versions.

  /// The role on a link.
  case role
  /// The type of a device address, in commands, events and advertising reports.
  case addressType
  /// Own_Address_Type: the kind of address that a Controller uses.
  case ownAddressType
  /// A PHY by its code; 4 is only distinguished from 3 if the Advertising Coding Selection feature
  /// is in use.
  case phy
  /// The PHY of a transmitter test or a power level, including the coding.
  case phyCoding
  /// PHYs by their bits.
  case phys
  /// ALL_PHYS: the directions in which the Host has no preference.
  case allPHYs
  /// PHY_Options: the coding requested on the LE Coded PHY.
  case phyOptions
  /// The worst-case accuracy of a sleep clock.
  case clockAccuracy
  /// The action requested by LE Modify Sleep Clock Accuracy.
  case sleepClockAction
  /// Whether a link is encrypted; on LE, "On" is AES-CCM.
  case encryptionEnabled
  /// The type of a BR/EDR link.
  case linkType
  /// HCI_Version, LMP_Version and the version of LL_VERSION_IND.
  case coreVersion
  /// The channel selection algorithm of an LE link.
  case channelSelection
  /// The treatment of a device with a known identity when it uses its identity address.
  case privacyMode
  /// Off or on.
  case onOff
  /// No or yes.
  case yesNo
  /// The kind of power level requested.
  case txPowerLevelType
  /// The zone entered by the path loss.
  case pathLossZone
  /// The reason for an LE Transmit Power Reporting event.
  case powerReportReason
  /// The spacings that a frame space update concerns.
  case spacingTypes
  /// The initiator of a frame space update.
  case frameSpaceInitiator
  /// The private key used by LE Generate DHKey [v2].
  case dhKeyType

  // Codes of advertising, scanning and initiating.

  /// Whether a scanner sends scan requests.
  case scanType
  /// Scanning_Filter_Policy.
  case scanFilterPolicy
  /// Initiator_Filter_Policy: the devices to connect to.
  case initiatorFilterPolicy
  /// Advertising_Filter_Policy: the devices whose requests are processed.
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
  /// The part of the data in an advertising data command.
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
  /// Sync_CTE_Type: the constant tone extensions with which not to synchronize.
  case syncCTEType
  /// The type of a constant tone extension.
  case cteType
  /// Types of constant tone extensions, by their bits.
  case cteTypes
  /// Mode of the periodic advertising sync transfer parameters.
  case syncTransferMode
  /// The condition reported for a monitored advertiser.
  case monitorCondition
  /// Security Manager Out of Band Flags, by their bits.
  case outOfBandFlags
  /// LE Role.
  case leRole
  /// Vendor ID Source of a Device ID.
  case vendorIDSource
  /// The organization that defines the transport discovery data.
  case transportOrganization
  /// Role and state of a transport, by their bits.
  case transportFlags
  /// The parts of an indoor position, by its bits.
  case indoorPosition
  /// 3D Information Data, by its bits.
  case threeDimensional
  /// The type of a mesh beacon.
  case meshBeacon
  /// The PHY of a BIG, in BIGInfo's numbering.
  case bigPHY

  // Codes of BR/EDR links, pairing and the Controller's baseband.

  /// Allow_Role_Switch of Create Connection.
  case allowRoleSwitch
  /// Page_Scan_Repetition_Mode.
  case pageScanRepetition
  /// Packet_Type of an ACL link; set bits of EDR packets exclude them.
  case aclPacketTypes
  /// Packet_Type of a synchronous link; set bits of EDR packets exclude them.
  case synchronousPacketTypes
  /// Retransmission_Effort of a synchronous link.
  case retransmissionEffort
  /// Air_Mode of a synchronous link.
  case airMode
  /// A coding format by its assigned number.
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
  /// Key_Flag: the kind of link key in use.
  case keyFlag
  /// PIN_Type.
  case pinType
  /// Scan_Enable: the scans to which a BR/EDR device responds.
  case scanEnable
  /// Inquiry_Scan_Type and Page_Scan_Type.
  case interlacedScan
  /// Inquiry_Mode: the form of inquiry results.
  case inquiryMode
  /// Filter_Type of Set Event Filter.
  case eventFilterType
  /// Filter_Condition_Type of Set Event Filter.
  case eventFilterCondition
  /// Auto_Accept_Flag of Set Event Filter.
  case autoAccept
  /// Flow_Control_Enable for data to the Host.
  case flowControl
  /// Flow_Control_Mode.
  case flowControlMode
  /// Hold_Mode_Activity.
  case holdModeActivity
  /// Encryption_Mode of old Hosts.
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
  /// The destination of isochronous or synchronous data.
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
  /// The change to a Channel Sounding configuration.
  case csConfigAction
  /// The devices to which a Channel Sounding configuration is written.
  case csCreateContext
  /// The progress of a Channel Sounding procedure or subevent.
  case csDoneStatus

  // The features of LMP and of the Link Layer, by their bits.

  /// LMP features by page; those of page 1 are supported by the Host.
  case lmpFeatures, lmpFeatures1, lmpFeatures2
  /// LE features by their bits; those from 64 on only occur in commands that name a single feature
  /// by its number.
  case leFeatures
  /// LE features from bit 64 on, numbered from there.
  case leFeatures1

  // The events enabled by the event masks, by their bits.

  /// Event_Mask, Event_Mask_Page_2 and LE_Event_Mask.
  case eventMask, eventMask2, leEventMask
  /// LE_States: the states and combinations of states that a Controller supports.
  case leStates

  // Codes of Android's and Microsoft's commands and events.

  /// The version of Google's feature specification that a Controller supports.
  case androidVersion
  /// Subcommands of Android's commands.
  case androidMultiAdvertising, androidRPAOffload, androidBatchScan, androidAPCF,
    androidAudioOffload, androidAudioBuffer
  /// The forms in which a batch scan stores results, by their bits.
  case androidBatchModes
  /// The form of the results of a batch scan.
  case androidBatchFormat
  /// The result that a full batch scan discards.
  case androidDiscardRule
  /// The action on a filter or a report.
  case androidAction
  /// The features that an Advertising Packet Content Filter checks, by their bits.
  case androidAPCFFeatures
  /// Optional filters, by their bits.
  case androidAPCFExtended
  /// The combination of several conditions.
  case androidLogic
  /// When an advertisement that passes a filter is reported.
  case androidDelivery
  /// The address type that a filter matches.
  case androidAddressType
  /// The capabilities of Android's audio offload, by their bits: A2DP codecs, sampling rates,
  /// sample sizes, numbers of channels.
  case androidCodecs, androidSamplingRates, androidSampleBits, androidChannelModes
  /// The direction of offloaded audio.
  case androidDataPath
  /// Quality events that a Controller should report, by their bits.
  case androidQualityEvents
  /// The subject of a Bluetooth quality report.
  case androidQualityReport
  /// The type of the baseband packets that a quality report counts.
  case androidPacketType
  /// Why an advertising instance stopped.
  case androidStateChange
  /// The state of a tracked advertiser.
  case androidAdvertiserState
  /// Whether an event contains an advertisement.
  case androidAdvertiserInfo
  /// Subcommands and events of Microsoft's extension.
  case microsoftCommand, microsoftEvent
  /// The features of a Microsoft extension, by their bits.
  case microsoftFeatures
  /// The condition by which advertisements are monitored.
  case microsoftCondition
  /// The length of a monitored UUID.
  case microsoftUUID
  /// The advertisements reported during monitoring.
  case microsoftFilter
  /// Whether a device is monitored.
  case microsoftState

  // Codes of the Security Manager.

  /// IO Capability in pairing, which has one more value than that of BR/EDR.
  case pairingIOCapability
  /// The OOB data flag of a pairing.
  case oobDataFlag
  /// AuthReq of a pairing, by its bits.
  case authReq
  /// The keys that one side of a pairing distributes, by their bits.
  case keyDistribution

  // Codes of the Linux kernel's management interface.

  /// Status of a management command.
  case managementStatus
  /// The type of a device's address.
  case managementAddressType
  /// The address types in a discovery, by their bits.
  case managementAddressTypes
  /// Settings of a controller, by their bits.
  case managementSettings
  /// The parameter of the Set command with this name.
  case discoverable, managementAdvertising, secureConnections, debugKeys, managementPrivacy
  /// Key_Type of a long term key.
  case longTermKeyType
  /// Type of a signature resolving key.
  case signatureKeyType
  /// Key_Type of a blocked key.
  case blockedKeyType
  /// Store_Hint of a new key.
  case storeHint
  /// Reason of Device Disconnected.
  case managementReason
  /// Flags of Device Found and Device Connected.
  case deviceFoundFlags
  /// Action of Add Device.
  case deviceAction
  /// Flags of a device.
  case deviceFlags
  /// Configuration options of a controller.
  case configurationOptions
  /// Source of a device ID.
  case deviceIDSource
  /// Controller_Type.
  case controllerType
  /// The bus of a controller.
  case controllerBus
  /// Flags of an advertising instance.
  case advertisingInstanceFlags
  /// PHYs of a controller, by their bits.
  case managementPHYs
  /// Flags of an experimental feature.
  case experimentalFlags
  /// Features of advertisement monitoring.
  case monitorFeatures
  /// Suspend_State.
  case suspendState
  /// Wake_Reason.
  case wakeReason

  // Codes and bits of L2CAP's signalling commands.

  /// Reason of a Command Reject.
  case l2capReject
  /// Results of L2CAP responses, by the kind of request.
  case l2capConnectionResult, l2capConfigureResult, l2capInformationResult, l2capMoveResult,
    l2capUpdateResult, l2capCreditResult, l2capEnhancedResult, l2capReconfigureResult
  /// Status of a Connection Response with the result pending.
  case l2capConnectionStatus
  /// The type of a configuration option.
  case l2capOption
  /// Mode of a channel.
  case l2capMode
  /// FCS Type.
  case l2capFCS
  /// The type of information requested.
  case l2capInformation
  /// Extended features, by their bits.
  case l2capFeatures
  /// Fixed channels, by their identifiers.
  case l2capFixedChannels
  /// Result of a Move Channel Confirmation.
  case l2capMoveConfirmation
  /// The protocol of an L2CAP channel: PSM and SPSM.
  case psm
}
