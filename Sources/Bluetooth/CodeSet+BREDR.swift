// Codes of BR/EDR links, pairing and the Controller's baseband.
// Sources: Core, Vol 4, Part E, 7.1 to 7.7; checked against BlueZ's monitor and tshark 4.0.

extension CodeSet {
  /// Allow_Role_Switch of Create Connection.
  static func allowRoleSwitchName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Stay central"
    case 1: "Role switch allowed"
    default: nil
    }
  }

  /// Page_Scan_Repetition_Mode.
  static func pageScanRepetitionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "R0"
    case 1: "R1"
    case 2: "R2"
    default: nil
    }
  }

  /// Packet_Type of an ACL link; set bits of EDR packets exclude them.
  static func aclPacketTypesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Not 2-DH1"
    case 2: "Not 3-DH1"
    case 3: "DM1"
    case 4: "DH1"
    case 8: "Not 2-DH3"
    case 9: "Not 3-DH3"
    case 10: "DM3"
    case 11: "DH3"
    case 12: "Not 2-DH5"
    case 13: "Not 3-DH5"
    case 14: "DM5"
    case 15: "DH5"
    default: nil
    }
  }

  /// Packet_Type of a synchronous link; set bits of EDR packets exclude them.
  static func synchronousPacketTypesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "HV1"
    case 1: "HV2"
    case 2: "HV3"
    case 3: "EV3"
    case 4: "EV4"
    case 5: "EV5"
    case 6: "Not 2-EV3"
    case 7: "Not 3-EV3"
    case 8: "Not 2-EV5"
    case 9: "Not 3-EV5"
    default: nil
    }
  }

  /// Retransmission_Effort of a synchronous link.
  static func retransmissionEffortName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "None"
    case 1: "For power"
    case 2: "For quality"
    case 0xff: "Any"
    default: nil
    }
  }

  /// Air_Mode of a synchronous link.
  static func airModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "µ-law"
    case 1: "A-law"
    case 2: "CVSD"
    case 3: "Transparent"
    default: nil
    }
  }

  /// A coding format by its assigned number.
  static func codingFormatName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "µ-law"
    case 1: "A-law"
    case 2: "CVSD"
    case 3: "Transparent"
    case 4: "Linear PCM"
    case 5: "mSBC"
    case 6: "LC3"
    case 7: "G.729A"
    case 0xff: "Vendor"
    default: nil
    }
  }

  /// Current_Mode of a BR/EDR link.
  static func powerModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Active"
    case 1: "Hold"
    case 2: "Sniff"
    default: nil
    }
  }

  /// Link_Policy_Settings.
  static func linkPolicyName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Role switch"
    case 1: "Hold"
    case 2: "Sniff"
    case 3: "Park"
    default: nil
    }
  }

  /// Service_Type of a quality of service.
  static func serviceTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No traffic"
    case 1: "Best effort"
    case 2: "Guaranteed"
    default: nil
    }
  }

  /// Flow_Direction of a flow specification.
  static func flowDirectionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Outgoing"
    case 1: "Incoming"
    default: nil
    }
  }

  /// IO_Capability.
  static func ioCapabilityName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "DisplayOnly"
    case 1: "DisplayYesNo"
    case 2: "KeyboardOnly"
    case 3: "NoInputNoOutput"
    default: nil
    }
  }

  /// OOB_Data_Present.
  static func oobDataPresentName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No OOB data"
    case 1: "OOB data, P-192"
    case 2: "OOB data, P-256"
    case 3: "OOB data, P-192 and P-256"
    default: nil
    }
  }

  /// Authentication_Requirements.
  static func authenticationRequirementsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No bonding"
    case 1: "No bonding, MITM"
    case 2: "Dedicated bonding"
    case 3: "Dedicated bonding, MITM"
    case 4: "General bonding"
    case 5: "General bonding, MITM"
    default: nil
    }
  }

  /// Notification_Type of a keypress.
  static func keypressName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Entry started"
    case 1: "Digit entered"
    case 2: "Digit erased"
    case 3: "Cleared"
    case 4: "Entry completed"
    default: nil
    }
  }

  /// Key_Type of a link key.
  static func linkKeyTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Combination"
    case 1: "Local unit"
    case 2: "Remote unit"
    case 3: "Debug combination"
    case 4: "Unauthenticated, P-192"
    case 5: "Authenticated, P-192"
    case 6: "Changed combination"
    case 7: "Unauthenticated, P-256"
    case 8: "Authenticated, P-256"
    default: nil
    }
  }

  /// Key_Flag: the kind of link key in use.
  static func keyFlagName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Semi-permanent"
    case 1: "Temporary"
    default: nil
    }
  }

  /// PIN_Type.
  static func pinTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Variable"
    case 1: "Fixed"
    default: nil
    }
  }

  /// Scan_Enable: the scans to which a BR/EDR device responds.
  static func scanEnableName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "None"
    case 1: "Inquiry"
    case 2: "Page"
    case 3: "Inquiry and page"
    default: nil
    }
  }

  /// Inquiry_Scan_Type and Page_Scan_Type.
  static func interlacedScanName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Standard"
    case 1: "Interlaced"
    default: nil
    }
  }

  /// Inquiry_Mode: the form of inquiry results.
  static func inquiryModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Standard"
    case 1: "With RSSI"
    case 2: "With RSSI or extended"
    default: nil
    }
  }

  /// Filter_Type of Set Event Filter.
  static func eventFilterTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Clear all"
    case 1: "Inquiry results"
    case 2: "Connection set-up"
    default: nil
    }
  }

  /// Flow_Control_Enable for data to the Host.
  static func flowControlName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Off"
    case 1: "ACL"
    case 2: "Synchronous"
    case 3: "ACL and synchronous"
    default: nil
    }
  }

  /// Flow_Control_Mode.
  static func flowControlModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Packets"
    case 1: "Data blocks"
    default: nil
    }
  }

  /// Hold_Mode_Activity.
  static func holdModeActivityName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Page scan suspended"
    case 1: "Inquiry scan suspended"
    case 2: "Periodic inquiry suspended"
    default: nil
    }
  }

  /// Encryption_Mode of old Hosts.
  static func encryptionModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Not required"
    case 1: "Required"
    default: nil
    }
  }

  /// Packet_Type of Enhanced Flush.
  static func flushPacketTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Automatically flushable only"
    default: nil
    }
  }

  /// Link_Type of a Data Buffer Overflow.
  static func overflowLinkTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Synchronous"
    case 1: "ACL"
    case 2: "ISO"
    default: nil
    }
  }

  /// Which_Clock.
  static func whichClockName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Local"
    case 1: "Piconet"
    default: nil
    }
  }

  /// Loopback_Mode.
  static func loopbackModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Off"
    case 1: "Local"
    case 2: "Remote"
    default: nil
    }
  }

  /// Logical_Transport_Type of a codec.
  static func codecTransportName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "BR/EDR ACL"
    case 1: "BR/EDR SCO or eSCO"
    case 2: "LE CIS"
    case 3: "LE BIS"
    default: nil
    }
  }

  /// Transports of a codec, by their bits.
  static func codecTransportsName(_ code: UInt64) -> StaticString? { codecTransportName(code) }

  /// Filter_Condition_Type of Set Event Filter.
  static func eventFilterConditionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "All devices"
    case 1: "Class of device"
    case 2: "Address"
    default: nil
    }
  }

  /// Auto_Accept_Flag of Set Event Filter.
  static func autoAcceptName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Off"
    case 2: "On, no role switch"
    case 3: "On, role switch"
    default: nil
    }
  }
}
