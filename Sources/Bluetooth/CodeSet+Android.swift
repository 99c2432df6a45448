// Codes of the commands that Android requires for advertising and scanning.
// Source: Android, "HCI requirements"; checked against the packet definitions of AOSP and Pigweed.

extension CodeSet {
  /// The version of Google's feature specification that a Controller supports.
  static func androidVersionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0x0037: "0.55"
    case 0x005f: "0.95"
    case 0x0060: "0.96"
    case 0x0061: "0.97"
    case 0x0062: "0.98"
    case 0x0063: "0.99"
    case 0x0100: "1.00"
    case 0x0101: "1.01"
    case 0x0102: "1.02"
    case 0x0103: "1.03"
    case 0x0104: "1.04"
    case 0x0105: "1.05"
    case 0x0106: "1.06"
    default: nil
    }
  }

  /// Subcommands of Android's multi-advertising.
  static func androidMultiAdvertisingName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Set Parameters"
    case 2: "Set Advertising Data"
    case 3: "Set Scan Response Data"
    case 4: "Set Random Address"
    case 5: "Enable"
    default: nil
    }
  }

  /// Subcommands of Android's offloaded resolution of private addresses.
  static func androidRPAOffloadName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Enable"
    case 2: "Add IRK"
    case 3: "Remove IRK"
    case 4: "Clear IRK List"
    case 5: "Read IRK List"
    default: nil
    }
  }

  /// Subcommands of Android's batch scan.
  static func androidBatchScanName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Enable"
    case 2: "Set Storage Parameters"
    case 3: "Set Scan Parameters"
    case 4: "Read Results"
    default: nil
    }
  }

  /// The forms in which a batch scan stores results, by their bits.
  static func androidBatchModesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Truncated"
    case 1: "Full"
    default: nil
    }
  }

  /// The form of the results of a batch scan.
  static func androidBatchFormatName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Truncated"
    case 2: "Full"
    default: nil
    }
  }

  /// The result that a full batch scan discards.
  static func androidDiscardRuleName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Oldest"
    case 1: "Weakest RSSI"
    default: nil
    }
  }

  /// Subcommands of Android's Advertising Packet Content Filter.
  static func androidAPCFName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Enable"
    case 1: "Set Filtering Parameters"
    case 2: "Broadcaster Address"
    case 3: "Service UUID"
    case 4: "Service Solicitation UUID"
    case 5: "Local Name"
    case 6: "Manufacturer Data"
    case 7: "Service Data"
    case 8: "Transport Discovery Service"
    case 9: "AD Type Filter"
    case 0xff: "Read Extended Features"
    default: nil
    }
  }

  /// The action on a filter or a report.
  static func androidActionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Add"
    case 1: "Delete"
    case 2: "Clear"
    case 3: "One-time query"
    default: nil
    }
  }

  /// The features that an Advertising Packet Content Filter checks, by their bits.
  static func androidAPCFFeaturesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Broadcaster address"
    case 1: "Service data change"
    case 2: "Service UUID"
    case 3: "Service solicitation UUID"
    case 4: "Local name"
    case 5: "Manufacturer data"
    case 6: "Service data"
    case 7: "Transport discovery service"
    case 8: "AD type"
    default: nil
    }
  }

  /// Optional filters, by their bits.
  static func androidAPCFExtendedName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Transport discovery service"
    case 1: "AD type"
    default: nil
    }
  }

  /// The combination of several conditions.
  static func androidLogicName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Or"
    case 1: "And"
    default: nil
    }
  }

  /// When an advertisement that passes a filter is reported.
  static func androidDeliveryName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Immediately"
    case 1: "On found"
    case 2: "Batched"
    default: nil
    }
  }

  /// The address type that a filter matches.
  static func androidAddressTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Public"
    case 1: "Random"
    case 2: "Any type"
    default: nil
    }
  }
}
