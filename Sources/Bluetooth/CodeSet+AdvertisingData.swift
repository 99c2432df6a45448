// Codes of advertising data. Sources: Core Specification Supplement, Part A, 1; Assigned Numbers,
// 2.3; checked against tshark 4.0, bumble and BlueZ's monitor as far as they have them.

extension CodeSet {
  /// Security Manager Out of Band Flags, by their bits.
  package static let outOfBandFlags = CodeSet(
    "OOB data present | LE supported | LE and BR/EDR at once | Random address")

  package static let leRole = CodeSet(
    "Peripheral only | Central only | Peripheral preferred | Central preferred")

  /// Vendor ID Source of a Device ID.
  package static let vendorIDSource = CodeSet("@1 Bluetooth SIG | USB Implementers Forum")

  /// The organization that defines the transport discovery data.
  package static let transportOrganization = CodeSet(
    """
    @1 Bluetooth SIG
    Wi-Fi Alliance Neighbor Awareness Networking
    Wi-Fi Alliance Service Advertisement
    """)

  /// Role and state of a transport, by their bits.
  package static let transportFlags = CodeSet(
    "Seeker | Provider | Data incomplete | On | Temporarily unavailable")

  /// The parts of an indoor position, by its bits.
  package static let indoorPosition = CodeSet(
    "Coordinates | Local coordinates | TX power | Altitude | Floor | Uncertainty | Name in GATT")

  /// 3D Information Data, by its bits.
  package static let threeDimensional = CodeSet(
    """
    Association notification
    Battery level reporting
    Battery level on start-up
    @7 Factory test mode
    """)

  /// The type of a mesh beacon.
  package static let meshBeacon = CodeSet("Unprovisioned Device | Secure Network | Mesh Private")

  /// The kinds of generic provisioning PDUs, the PDUs of the bearer, and the reasons for which it
  /// closes a link.
  package static let genericProvisioning = CodeSet(
    "Start | Acknowledgment | Continuation | Bearer Control")
  package static let meshBearer = CodeSet("Link Open | Link Ack | Link Close")
  package static let meshLinkClosed = CodeSet("Success | Timeout | Fail")

  /// The types of provisioning PDUs.
  package static let meshProvisioning = CodeSet(
    """
    Invite
    Capabilities
    Start
    Public Key
    Input Complete
    Confirmation
    Random
    Data
    Complete
    Failed
    Record Request
    Record Response
    Records Get
    Records List
    """)

  /// The PHY of a BIG, in BIGInfo's numbering.
  package static let bigPHY = CodeSet("LE 1M | LE 2M | LE Coded")
}
