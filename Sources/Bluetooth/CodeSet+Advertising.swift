// Codes of advertising, scanning and initiating.
// Sources: Core, Vol 4, Part E, 7.7.65 and 7.8; checked against BlueZ's monitor and bumble.

extension CodeSet {
  /// Whether a scanner sends scan requests.
  package static let scanType = CodeSet("Passive | Active")

  /// Scanning_Filter_Policy.
  package static let scanFilterPolicy = CodeSet(
    """
    All devices
    Filter Accept List only
    All devices, unresolved directed too
    Filter Accept List only, unresolved directed too
    """)

  /// Initiator_Filter_Policy: the devices to connect to.
  package static let initiatorFilterPolicy = CodeSet("Peer address | Filter Accept List")

  /// Advertising_Filter_Policy: the devices whose requests are processed.
  package static let advertisingFilterPolicy = CodeSet(
    """
    All devices
    Scan requests from Filter Accept List only
    Connections from Filter Accept List only
    Filter Accept List only
    """)

  /// Filter_Duplicates of a scan.
  package static let filterDuplicates = CodeSet(
    "All reports | Duplicates filtered | Duplicates filtered in each period")

  /// The Flags of advertising data, by their bits.
  package static let advertisingFlags = CodeSet(
    """
    LE Limited Discoverable Mode
    LE General Discoverable Mode
    BR/EDR Not Supported
    Simultaneous LE and BR/EDR to Same Device Capable (Controller)
    Simultaneous LE and BR/EDR to Same Device Capable (Host)
    """)

  /// Advertising_Type of LE Set Advertising Parameters.
  package static let advertisingType = CodeSet(
    """
    ADV_IND
    ADV_DIRECT_IND, high duty cycle
    ADV_SCAN_IND
    ADV_NONCONN_IND
    ADV_DIRECT_IND, low duty cycle
    """)

  /// Event_Type of an LE Advertising Report.
  package static let advertisingReportType = CodeSet(
    "ADV_IND | ADV_DIRECT_IND | ADV_SCAN_IND | ADV_NONCONN_IND | SCAN_RSP")

  /// Advertising_Event_Properties of an advertising set.
  package static let advertisingProperties = CodeSet(
    """
    Connectable
    Scannable
    Directed
    High duty cycle
    Legacy
    Anonymous
    TX power included
    Decision PDUs
    AdvA in decision PDUs
    ADI in decision PDUs
    """)

  /// Event_Type of an LE Extended Advertising Report: bits 5 and 6 are the data status.
  package static let extendedReportType = CodeSet(
    "Connectable | Scannable | Directed | Scan response | Legacy | Incomplete | Truncated")

  /// The primary advertising channels, by their bits.
  package static let advertisingChannels = CodeSet("37 | 38 | 39")

  /// The part of the data in an advertising data command.
  package static let dataOperation = CodeSet(
    "Intermediate fragment | First fragment | Last fragment | Complete | Unchanged")

  /// Whether the Controller may fragment advertising data.
  package static let fragmentPreference = CodeSet("May fragment | Should not fragment")

  /// Data_Status of a periodic advertising report.
  package static let dataStatus = CodeSet(
    "Complete | Incomplete, more to come | Incomplete, truncated | @ff Not received")

  /// Periodic_Advertising_Properties.
  package static let periodicProperties = CodeSet("@6 TX power included")

  /// Enable of LE Set Periodic Advertising Enable.
  package static let periodicEnable = CodeSet("On | ADI included")

  /// Enable of LE Set Periodic Advertising Receive Enable.
  package static let periodicReceiveEnable = CodeSet("Reports | Duplicates filtered")

  /// Options of LE Periodic Advertising Create Sync.
  package static let syncOptions = CodeSet(
    "Periodic Advertiser List | Reports off at first | Duplicates filtered")

  /// Sync_CTE_Type: the constant tone extensions with which not to synchronize.
  package static let syncCTEType = CodeSet(
    "Not AoA | Not AoD 1 µs | Not AoD 2 µs | Not type 3 | Not without CTE")

  /// The type of a constant tone extension.
  package static let cteType = CodeSet("AoA | AoD 1 µs | AoD 2 µs | @ff None")

  /// Types of constant tone extensions, by their bits.
  package static let cteTypes = CodeSet("AoA | AoD 1 µs | AoD 2 µs")

  /// Mode of the periodic advertising sync transfer parameters.
  package static let syncTransferMode = CodeSet(
    "Ignored | Reports off | Reports on | Reports on, duplicates filtered")

  /// The condition reported for a monitored advertiser.
  package static let monitorCondition = CodeSet("RSSI low | RSSI high")
}
