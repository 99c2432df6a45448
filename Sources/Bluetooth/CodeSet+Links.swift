// Codes of links: addresses, roles, PHYs, encryption and versions.
// Sources: Core, Vol 4, Part E, 7.1 to 7.8 and the assigned numbers of the Core versions; checked
// against BlueZ's monitor and bumble.

extension CodeSet {
  /// The role on a link.
  package static let role = CodeSet("Central | Peripheral")

  /// The type of a device address, in commands, events and advertising reports.
  package static let addressType = CodeSet(
    "Public | Random | Public identity | Random identity | @fe Random, unresolved | Anonymous")

  /// Own_Address_Type: the kind of address that a Controller uses.
  package static let ownAddressType = CodeSet(
    "Public | Random | Resolvable or public | Resolvable or random")

  /// A PHY by its code; 4 is only distinguished from 3 if the Advertising Coding Selection feature
  /// is in use.
  package static let phy = CodeSet("None | LE 1M | LE 2M | LE Coded | LE Coded S=2")

  /// The PHY of a transmitter test or a power level, including the coding.
  package static let phyCoding = CodeSet("@1 LE 1M | LE 2M | LE Coded S=8 | LE Coded S=2")

  /// PHYs by their bits.
  package static let phys = CodeSet("LE 1M | LE 2M | LE Coded")

  /// ALL_PHYS: the directions in which the Host has no preference.
  package static let allPHYs = CodeSet("No preference to transmit | No preference to receive")

  /// PHY_Options: the coding requested on the LE Coded PHY.
  package static let phyOptions = CodeSet(
    "Any coding | S=2 preferred | S=8 preferred | S=2 required | S=8 required")

  /// The worst-case accuracy of a sleep clock.
  package static let clockAccuracy = CodeSet(
    "500 ppm | 250 ppm | 150 ppm | 100 ppm | 75 ppm | 50 ppm | 30 ppm | 20 ppm")

  /// The action requested by LE Modify Sleep Clock Accuracy.
  package static let sleepClockAction = CodeSet("More accurate | Less accurate")

  /// Whether a link is encrypted; on LE, "On" is AES-CCM.
  package static let encryptionEnabled = CodeSet("Off | On | On, AES-CCM")

  /// The type of a BR/EDR link.
  package static let linkType = CodeSet("SCO | ACL | eSCO")

  /// HCI_Version, LMP_Version and the version of LL_VERSION_IND.
  package static let coreVersion = CodeSet(
    """
    1.0b
    1.1
    1.2
    2.0
    2.1
    3.0
    4.0
    4.1
    4.2
    5.0
    5.1
    5.2
    5.3
    5.4
    6.0
    6.1
    6.2
    """)

  /// The channel selection algorithm of an LE link.
  package static let channelSelection = CodeSet("Algorithm #1 | Algorithm #2")

  /// The treatment of a device with a known identity when it uses its identity address.
  package static let privacyMode = CodeSet("Network privacy | Device privacy")

  /// Off or on.
  package static let onOff = CodeSet("Off | On")

  /// No or yes.
  package static let yesNo = CodeSet("No | Yes")

  /// The kind of power level requested.
  package static let txPowerLevelType = CodeSet("Current | Maximum")

  /// The zone entered by the path loss.
  package static let pathLossZone = CodeSet("Low | Middle | High")

  /// The reason for an LE Transmit Power Reporting event.
  package static let powerReportReason = CodeSet(
    "Local power changed | Remote power changed | Read by the Host")

  /// The spacings that a frame space update concerns.
  package static let spacingTypes = CodeSet(
    "T_IFS_ACL_CP | T_IFS_ACL_PC | T_MCES | T_IFS_CIS | T_MSS_CIS")

  /// The initiator of a frame space update.
  package static let frameSpaceInitiator = CodeSet("Local Host | Local Controller | Peer")

  /// The private key used by LE Generate DHKey [v2].
  package static let dhKeyType = CodeSet("Generated key | Debug key")
}
