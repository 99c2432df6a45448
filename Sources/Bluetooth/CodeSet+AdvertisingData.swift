// Codes of advertising data. Sources: Core Specification Supplement, Part A, 1; Assigned Numbers,
// 2.3; checked against tshark 4.0, bumble and BlueZ's monitor as far as they have them.

extension CodeSet {
  /// Security Manager Out of Band Flags (Core Specification Supplement, Part A, 1.7).
  static func outOfBandFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "OOB data present"
    case 1: "LE supported"
    case 2: "LE and BR/EDR at once"
    case 3: "Random address"
    default: nil
    }
  }

  /// LE Role (Core Specification Supplement, Part A, 1.17).
  static func leRoleName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Peripheral only"
    case 1: "Central only"
    case 2: "Peripheral preferred"
    case 3: "Central preferred"
    default: nil
    }
  }

  /// Vendor ID Source (Device Identification Profile).
  static func vendorIDSourceName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Bluetooth SIG"
    case 2: "USB Implementers Forum"
    default: nil
    }
  }

  /// Organization ID of Transport Discovery Data (Assigned Numbers).
  static func transportOrganizationName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Bluetooth SIG"
    case 2: "Wi-Fi Alliance Neighbor Awareness Networking"
    case 3: "Wi-Fi Alliance Service Advertisement"
    default: nil
    }
  }

  /// TDS Flags (Core Specification Supplement, Part A, 1.10): role 0–1, state 3–4, both named as
  /// bits.
  static func transportFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Seeker"
    case 1: "Provider"
    case 2: "Data incomplete"
    case 3: "On"
    case 4: "Temporarily unavailable"
    default: nil
    }
  }

  /// The configuration of Indoor Positioning (Core Specification Supplement, Part A, 1.14).
  static func indoorPositionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Coordinates"
    case 1: "Local coordinates"
    case 2: "TX power"
    case 3: "Altitude"
    case 4: "Floor"
    case 5: "Uncertainty"
    case 6: "Name in GATT"
    default: nil
    }
  }

  /// 3D Information Data (3D Synchronization Profile).
  static func threeDimensionalName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Association notification"
    case 1: "Battery level reporting"
    case 2: "Battery level on start-up"
    case 7: "Factory test mode"
    default: nil
    }
  }

  /// Beacon Type (Mesh Protocol, 3.10).
  static func meshBeaconName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Unprovisioned Device"
    case 1: "Secure Network"
    case 2: "Mesh Private"
    default: nil
    }
  }

  /// PHY of BIGInfo (Core, Vol 6, Part B, 4.4.6.11).
  static func bigPHYName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "LE 1M"
    case 1: "LE 2M"
    case 2: "LE Coded"
    default: nil
    }
  }
}
