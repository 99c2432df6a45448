// Codes of the commands that Android requires for advertising and scanning.
// Source: Android, "HCI requirements"; checked against the packet definitions of AOSP and Pigweed.

extension CodeSet {
  /// The version of Google's feature specification that a Controller supports.
  package static let androidVersion = CodeSet(
    """
    @37 0.55
    @5f 0.95
    0.96
    0.97
    0.98
    0.99
    @100 1.00
    1.01
    1.02
    1.03
    1.04
    1.05
    1.06
    """)

  /// Subcommands of Android's multi-advertising.
  package static let androidMultiAdvertising = CodeSet(
    """
    @1 Set Parameters
    Set Advertising Data
    Set Scan Response Data
    Set Random Address
    Enable
    """)

  /// Subcommands of Android's offloaded resolution of private addresses.
  package static let androidRPAOffload = CodeSet(
    "@1 Enable | Add IRK | Remove IRK | Clear IRK List | Read IRK List")

  /// Subcommands of Android's batch scan.
  package static let androidBatchScan = CodeSet(
    "@1 Enable | Set Storage Parameters | Set Scan Parameters | Read Results")

  /// The forms in which a batch scan stores results, by their bits.
  package static let androidBatchModes = CodeSet("Truncated | Full")

  /// The form of the results of a batch scan.
  package static let androidBatchFormat = CodeSet("@1 Truncated | Full")

  /// The result that a full batch scan discards.
  package static let androidDiscardRule = CodeSet("Oldest | Weakest RSSI")

  /// Subcommands of Android's Advertising Packet Content Filter.
  package static let androidAPCF = CodeSet(
    """
    Enable
    Set Filtering Parameters
    Broadcaster Address
    Service UUID
    Service Solicitation UUID
    Local Name
    Manufacturer Data
    Service Data
    Transport Discovery Service
    AD Type Filter
    @ff Read Extended Features
    """)

  /// The action on a filter or a report.
  package static let androidAction = CodeSet("Add | Delete | Clear | One-time query")

  /// The features that an Advertising Packet Content Filter checks, by their bits.
  package static let androidAPCFFeatures = CodeSet(
    """
    Broadcaster address
    Service data change
    Service UUID
    Service solicitation UUID
    Local name
    Manufacturer data
    Service data
    Transport discovery service
    AD type
    """)

  /// Optional filters, by their bits.
  package static let androidAPCFExtended = CodeSet("Transport discovery service | AD type")

  /// The combination of several conditions.
  package static let androidLogic = CodeSet("Or | And")

  /// When an advertisement that passes a filter is reported.
  package static let androidDelivery = CodeSet("Immediately | On found | Batched")

  /// The address type that a filter matches.
  package static let androidAddressType = CodeSet("Public | Random | Any type")
}
