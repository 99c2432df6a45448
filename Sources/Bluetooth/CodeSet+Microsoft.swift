// Codes of Microsoft's HCI extension.
// Source: Microsoft-defined Bluetooth HCI commands and events; checked against BlueZ's monitor.

extension CodeSet {
  /// Subcommands of Microsoft's extension.
  static func microsoftCommandName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Read Supported Features"
    case 1: "Monitor RSSI"
    case 2: "Cancel Monitor RSSI"
    case 3: "LE Monitor Advertisement"
    case 4: "LE Cancel Monitor Advertisement"
    case 5: "LE Set Advertisement Filter Enable"
    case 6: "Read Absolute RSSI"
    default: nil
    }
  }

  /// The features of a Microsoft extension, by their bits.
  static func microsoftFeaturesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "RSSI monitoring of BR/EDR"
    case 1: "RSSI monitoring of LE connections"
    case 2: "RSSI monitoring of LE advertisements"
    case 3: "Monitoring of LE advertisements"
    case 4: "Verification of P-192 and P-256 keys"
    case 5: "Continuous advertising monitoring"
    case 7: "AVDTP offload"
    case 10: "Continuous advertising monitoring, version 2"
    default: nil
    }
  }

  /// The condition by which advertisements are monitored.
  static func microsoftConditionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Patterns"
    case 2: "UUID"
    case 3: "IRK"
    case 4: "Address"
    default: nil
    }
  }

  /// The length of a monitored UUID.
  static func microsoftUUIDName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "16 bits"
    case 2: "32 bits"
    case 3: "128 bits"
    default: nil
    }
  }

  /// The advertisements reported during monitoring.
  static func microsoftFilterName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Of the filter accept list"
    case 1: "Of all monitors"
    default: nil
    }
  }

  /// Events of Microsoft's extension.
  static func microsoftEventName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "RSSI"
    case 2: "LE Monitor Device"
    default: nil
    }
  }

  /// Whether a device is monitored.
  static func microsoftStateName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Stopped"
    case 1: "Started"
    default: nil
    }
  }
}
