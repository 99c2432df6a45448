// Codes of BR/EDR links, pairing and the Controller's baseband.
// Sources: Core, Vol 4, Part E, 7.1 to 7.7; checked against BlueZ's monitor and tshark 4.0.

extension CodeSet {
  /// Allow_Role_Switch of Create Connection.
  package static let allowRoleSwitch = CodeSet("Stay central | Role switch allowed")

  /// Page_Scan_Repetition_Mode.
  package static let pageScanRepetition = CodeSet("R0 | R1 | R2")

  /// Packet_Type of an ACL link; set bits of EDR packets exclude them.
  package static let aclPacketTypes = CodeSet(
    """
    @1 Not 2-DH1
    Not 3-DH1
    DM1
    DH1
    @8 Not 2-DH3
    Not 3-DH3
    DM3
    DH3
    Not 2-DH5
    Not 3-DH5
    DM5
    DH5
    """)

  /// Packet_Type of a synchronous link; set bits of EDR packets exclude them.
  package static let synchronousPacketTypes = CodeSet(
    "HV1 | HV2 | HV3 | EV3 | EV4 | EV5 | Not 2-EV3 | Not 3-EV3 | Not 2-EV5 | Not 3-EV5")

  /// Retransmission_Effort of a synchronous link.
  package static let retransmissionEffort = CodeSet("None | For power | For quality | @ff Any")

  /// Air_Mode of a synchronous link.
  package static let airMode = CodeSet("µ-law | A-law | CVSD | Transparent")

  /// A coding format by its assigned number.
  package static let codingFormat = CodeSet(
    "µ-law | A-law | CVSD | Transparent | Linear PCM | mSBC | LC3 | G.729A | @ff Vendor")

  /// Current_Mode of a BR/EDR link.
  package static let powerMode = CodeSet("Active | Hold | Sniff")

  /// Link_Policy_Settings.
  package static let linkPolicy = CodeSet("Role switch | Hold | Sniff | Park")

  /// Service_Type of a quality of service.
  package static let serviceType = CodeSet("No traffic | Best effort | Guaranteed")

  /// Flow_Direction of a flow specification.
  package static let flowDirection = CodeSet("Outgoing | Incoming")

  package static let ioCapability = CodeSet(
    "DisplayOnly | DisplayYesNo | KeyboardOnly | NoInputNoOutput")

  package static let oobDataPresent = CodeSet(
    "No OOB data | OOB data, P-192 | OOB data, P-256 | OOB data, P-192 and P-256")

  package static let authenticationRequirements = CodeSet(
    """
    No bonding
    No bonding, MITM
    Dedicated bonding
    Dedicated bonding, MITM
    General bonding
    General bonding, MITM
    """)

  /// Notification_Type of a keypress.
  package static let keypress = CodeSet(
    "Entry started | Digit entered | Digit erased | Cleared | Entry completed")

  /// Key_Type of a link key.
  package static let linkKeyType = CodeSet(
    """
    Combination
    Local unit
    Remote unit
    Debug combination
    Unauthenticated, P-192
    Authenticated, P-192
    Changed combination
    Unauthenticated, P-256
    Authenticated, P-256
    """)

  /// Key_Flag: the kind of link key in use.
  package static let keyFlag = CodeSet("Semi-permanent | Temporary")

  package static let pinType = CodeSet("Variable | Fixed")

  /// Scan_Enable: the scans to which a BR/EDR device responds.
  package static let scanEnable = CodeSet("None | Inquiry | Page | Inquiry and page")

  /// Inquiry_Scan_Type and Page_Scan_Type.
  package static let interlacedScan = CodeSet("Standard | Interlaced")

  /// Inquiry_Mode: the form of inquiry results.
  package static let inquiryMode = CodeSet("Standard | With RSSI | With RSSI or extended")

  /// Filter_Type of Set Event Filter.
  package static let eventFilterType = CodeSet("Clear all | Inquiry results | Connection set-up")

  /// Flow_Control_Enable for data to the Host.
  package static let flowControl = CodeSet("Off | ACL | Synchronous | ACL and synchronous")

  package static let flowControlMode = CodeSet("Packets | Data blocks")

  package static let holdModeActivity = CodeSet(
    "Page scan suspended | Inquiry scan suspended | Periodic inquiry suspended")

  /// Encryption_Mode of old Hosts.
  package static let encryptionMode = CodeSet("Not required | Required")

  /// Packet_Type of Enhanced Flush.
  package static let flushPacketType = CodeSet("Automatically flushable only")

  /// Link_Type of a Data Buffer Overflow.
  package static let overflowLinkType = CodeSet("Synchronous | ACL | ISO")

  package static let whichClock = CodeSet("Local | Piconet")

  package static let loopbackMode = CodeSet("Off | Local | Remote")

  /// Logical_Transport_Type of a codec.
  package static let codecTransport = CodeSet("BR/EDR ACL | BR/EDR SCO or eSCO | LE CIS | LE BIS")

  /// Transports of a codec, by their bits.
  package static let codecTransports = codecTransport

  /// Filter_Condition_Type of Set Event Filter.
  package static let eventFilterCondition = CodeSet("All devices | Class of device | Address")

  /// Auto_Accept_Flag of Set Event Filter.
  package static let autoAccept = CodeSet("@1 Off | On, no role switch | On, role switch")
}
