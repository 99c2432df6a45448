// Codes of Microsoft's HCI extension.
// Source: Microsoft-defined Bluetooth HCI commands and events; checked against BlueZ's monitor.

extension CodeSet {
  /// Subcommands of Microsoft's extension.
  package static let microsoftCommand = CodeSet(
    """
    Read Supported Features
    Monitor RSSI
    Cancel Monitor RSSI
    LE Monitor Advertisement
    LE Cancel Monitor Advertisement
    LE Set Advertisement Filter Enable
    Read Absolute RSSI
    """)

  /// The features of a Microsoft extension, by their bits.
  package static let microsoftFeatures = CodeSet(
    """
    RSSI monitoring of BR/EDR
    RSSI monitoring of LE connections
    RSSI monitoring of LE advertisements
    Monitoring of LE advertisements
    Verification of P-192 and P-256 keys
    Continuous advertising monitoring

    AVDTP offload
    @a Continuous advertising monitoring, version 2
    """)

  /// The condition by which advertisements are monitored.
  package static let microsoftCondition = CodeSet("@1 Patterns | UUID | IRK | Address")

  /// The length of a monitored UUID.
  package static let microsoftUUID = CodeSet("@1 16 bits | 32 bits | 128 bits")

  /// The advertisements reported during monitoring.
  package static let microsoftFilter = CodeSet("Of the filter accept list | Of all monitors")

  /// Events of Microsoft's extension.
  package static let microsoftEvent = CodeSet("@1 RSSI | LE Monitor Device")

  /// Whether a device is monitored.
  package static let microsoftState = CodeSet("Stopped | Started")
}
