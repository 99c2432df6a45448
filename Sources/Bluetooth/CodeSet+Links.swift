// Codes of links: addresses, roles, PHYs, encryption and versions.
// Sources: Core, Vol 4, Part E, 7.1 to 7.8 and the assigned numbers of the Core versions; checked
// against BlueZ's monitor and bumble.

extension CodeSet {
  /// The role on a link.
  static func roleName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Central"
    case 1: "Peripheral"
    default: nil
    }
  }

  /// The type of a device address, in commands, events and advertising reports.
  static func addressTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Public"
    case 1: "Random"
    case 2: "Public identity"
    case 3: "Random identity"
    case 0xfe: "Random, unresolved"
    case 0xff: "Anonymous"
    default: nil
    }
  }

  /// Own_Address_Type: the kind of address that a Controller uses.
  static func ownAddressTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Public"
    case 1: "Random"
    case 2: "Resolvable or public"
    case 3: "Resolvable or random"
    default: nil
    }
  }

  /// A PHY by its code; 4 is only distinguished from 3 if the Advertising Coding Selection feature
  /// is in use.
  static func phyName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "None"
    case 1: "LE 1M"
    case 2: "LE 2M"
    case 3: "LE Coded"
    case 4: "LE Coded S=2"
    default: nil
    }
  }

  /// The PHY of a transmitter test or a power level, including the coding.
  static func phyCodingName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "LE 1M"
    case 2: "LE 2M"
    case 3: "LE Coded S=8"
    case 4: "LE Coded S=2"
    default: nil
    }
  }

  /// PHYs by their bits.
  static func physName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "LE 1M"
    case 1: "LE 2M"
    case 2: "LE Coded"
    default: nil
    }
  }

  /// ALL_PHYS: the directions in which the Host has no preference.
  static func allPHYsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No preference to transmit"
    case 1: "No preference to receive"
    default: nil
    }
  }

  /// PHY_Options: the coding requested on the LE Coded PHY.
  static func phyOptionsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Any coding"
    case 1: "S=2 preferred"
    case 2: "S=8 preferred"
    case 3: "S=2 required"
    case 4: "S=8 required"
    default: nil
    }
  }

  /// The worst-case accuracy of a sleep clock.
  static func clockAccuracyName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "500 ppm"
    case 1: "250 ppm"
    case 2: "150 ppm"
    case 3: "100 ppm"
    case 4: "75 ppm"
    case 5: "50 ppm"
    case 6: "30 ppm"
    case 7: "20 ppm"
    default: nil
    }
  }

  /// The action requested by LE Modify Sleep Clock Accuracy.
  static func sleepClockActionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "More accurate"
    case 1: "Less accurate"
    default: nil
    }
  }

  /// Whether a link is encrypted; on LE, "On" is AES-CCM.
  static func encryptionEnabledName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Off"
    case 1: "On"
    case 2: "On, AES-CCM"
    default: nil
    }
  }

  /// The type of a BR/EDR link.
  static func linkTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "SCO"
    case 1: "ACL"
    case 2: "eSCO"
    default: nil
    }
  }

  /// HCI_Version, LMP_Version and the version of LL_VERSION_IND.
  static func coreVersionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "1.0b"
    case 1: "1.1"
    case 2: "1.2"
    case 3: "2.0"
    case 4: "2.1"
    case 5: "3.0"
    case 6: "4.0"
    case 7: "4.1"
    case 8: "4.2"
    case 9: "5.0"
    case 10: "5.1"
    case 11: "5.2"
    case 12: "5.3"
    case 13: "5.4"
    case 14: "6.0"
    case 15: "6.1"
    case 16: "6.2"
    default: nil
    }
  }

  /// The channel selection algorithm of an LE link.
  static func channelSelectionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Algorithm #1"
    case 1: "Algorithm #2"
    default: nil
    }
  }

  /// The treatment of a device with a known identity when it uses its identity address.
  static func privacyModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Network privacy"
    case 1: "Device privacy"
    default: nil
    }
  }

  /// Off or on.
  static func onOffName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Off"
    case 1: "On"
    default: nil
    }
  }

  /// No or yes.
  static func yesNoName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No"
    case 1: "Yes"
    default: nil
    }
  }

  /// The kind of power level requested.
  static func txPowerLevelTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Current"
    case 1: "Maximum"
    default: nil
    }
  }

  /// The zone entered by the path loss.
  static func pathLossZoneName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Low"
    case 1: "Middle"
    case 2: "High"
    default: nil
    }
  }

  /// The reason for an LE Transmit Power Reporting event.
  static func powerReportReasonName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Local power changed"
    case 1: "Remote power changed"
    case 2: "Read by the Host"
    default: nil
    }
  }

  /// The spacings that a frame space update concerns.
  static func spacingTypesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "T_IFS_ACL_CP"
    case 1: "T_IFS_ACL_PC"
    case 2: "T_MCES"
    case 3: "T_IFS_CIS"
    case 4: "T_MSS_CIS"
    default: nil
    }
  }

  /// The initiator of a frame space update.
  static func frameSpaceInitiatorName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Local Host"
    case 1: "Local Controller"
    case 2: "Peer"
    default: nil
    }
  }

  /// The private key used by LE Generate DHKey [v2].
  static func dhKeyTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Generated key"
    case 1: "Debug key"
    default: nil
    }
  }
}
