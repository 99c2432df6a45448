// Codes of advertising, scanning and initiating.
// Sources: Core, Vol 4, Part E, 7.7.65 and 7.8; checked against BlueZ's monitor and bumble.

extension CodeSet {
  /// Whether a scanner sends scan requests.
  static func scanTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Passive"
    case 1: "Active"
    default: nil
    }
  }

  /// Scanning_Filter_Policy.
  static func scanFilterPolicyName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "All devices"
    case 1: "Filter Accept List only"
    case 2: "All devices, unresolved directed too"
    case 3: "Filter Accept List only, unresolved directed too"
    default: nil
    }
  }

  /// Initiator_Filter_Policy: the devices to connect to.
  static func initiatorFilterPolicyName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Peer address"
    case 1: "Filter Accept List"
    default: nil
    }
  }

  /// Advertising_Filter_Policy: the devices whose requests are processed.
  static func advertisingFilterPolicyName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "All devices"
    case 1: "Scan requests from Filter Accept List only"
    case 2: "Connections from Filter Accept List only"
    case 3: "Filter Accept List only"
    default: nil
    }
  }

  /// Filter_Duplicates of a scan.
  static func filterDuplicatesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "All reports"
    case 1: "Duplicates filtered"
    case 2: "Duplicates filtered in each period"
    default: nil
    }
  }

  /// The Flags of advertising data (Core Specification Supplement, Part A, 1.3).
  static func advertisingFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "LE Limited Discoverable Mode"
    case 1: "LE General Discoverable Mode"
    case 2: "BR/EDR Not Supported"
    case 3: "Simultaneous LE and BR/EDR to Same Device Capable (Controller)"
    case 4: "Simultaneous LE and BR/EDR to Same Device Capable (Host)"
    default: nil
    }
  }

  /// Advertising_Type of LE Set Advertising Parameters.
  static func advertisingTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "ADV_IND"
    case 1: "ADV_DIRECT_IND, high duty cycle"
    case 2: "ADV_SCAN_IND"
    case 3: "ADV_NONCONN_IND"
    case 4: "ADV_DIRECT_IND, low duty cycle"
    default: nil
    }
  }

  /// Event_Type of an LE Advertising Report.
  static func advertisingReportTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "ADV_IND"
    case 1: "ADV_DIRECT_IND"
    case 2: "ADV_SCAN_IND"
    case 3: "ADV_NONCONN_IND"
    case 4: "SCAN_RSP"
    default: nil
    }
  }

  /// Advertising_Event_Properties of an advertising set.
  static func advertisingPropertiesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connectable"
    case 1: "Scannable"
    case 2: "Directed"
    case 3: "High duty cycle"
    case 4: "Legacy"
    case 5: "Anonymous"
    case 6: "TX power included"
    case 7: "Decision PDUs"
    case 8: "AdvA in decision PDUs"
    case 9: "ADI in decision PDUs"
    default: nil
    }
  }

  /// Event_Type of an LE Extended Advertising Report: bits 5 and 6 are the data status.
  static func extendedReportTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connectable"
    case 1: "Scannable"
    case 2: "Directed"
    case 3: "Scan response"
    case 4: "Legacy"
    case 5: "Incomplete"
    case 6: "Truncated"
    default: nil
    }
  }

  /// The primary advertising channels, by their bits.
  static func advertisingChannelsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "37"
    case 1: "38"
    case 2: "39"
    default: nil
    }
  }

  /// The part of the data in an advertising data command.
  static func dataOperationName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Intermediate fragment"
    case 1: "First fragment"
    case 2: "Last fragment"
    case 3: "Complete"
    case 4: "Unchanged"
    default: nil
    }
  }

  /// Whether the Controller may fragment advertising data.
  static func fragmentPreferenceName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "May fragment"
    case 1: "Should not fragment"
    default: nil
    }
  }

  /// Data_Status of a periodic advertising report.
  static func dataStatusName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Complete"
    case 1: "Incomplete, more to come"
    case 2: "Incomplete, truncated"
    case 0xff: "Not received"
    default: nil
    }
  }

  /// Periodic_Advertising_Properties.
  static func periodicPropertiesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 6: "TX power included"
    default: nil
    }
  }

  /// Enable of LE Set Periodic Advertising Enable.
  static func periodicEnableName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "On"
    case 1: "ADI included"
    default: nil
    }
  }

  /// Enable of LE Set Periodic Advertising Receive Enable.
  static func periodicReceiveEnableName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Reports"
    case 1: "Duplicates filtered"
    default: nil
    }
  }

  /// Options of LE Periodic Advertising Create Sync.
  static func syncOptionsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Periodic Advertiser List"
    case 1: "Reports off at first"
    case 2: "Duplicates filtered"
    default: nil
    }
  }

  /// Sync_CTE_Type: the constant tone extensions with which not to synchronize.
  static func syncCTETypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Not AoA"
    case 1: "Not AoD 1 µs"
    case 2: "Not AoD 2 µs"
    case 3: "Not type 3"
    case 4: "Not without CTE"
    default: nil
    }
  }

  /// The type of a constant tone extension.
  static func cteTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "AoA"
    case 1: "AoD 1 µs"
    case 2: "AoD 2 µs"
    case 0xff: "None"
    default: nil
    }
  }

  /// Types of constant tone extensions, by their bits.
  static func cteTypesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "AoA"
    case 1: "AoD 1 µs"
    case 2: "AoD 2 µs"
    default: nil
    }
  }

  /// Mode of the periodic advertising sync transfer parameters.
  static func syncTransferModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Ignored"
    case 1: "Reports off"
    case 2: "Reports on"
    case 3: "Reports on, duplicates filtered"
    default: nil
    }
  }

  /// The condition reported for a monitored advertiser.
  static func monitorConditionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "RSSI low"
    case 1: "RSSI high"
    default: nil
    }
  }
}
