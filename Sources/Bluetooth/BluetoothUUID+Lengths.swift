// The lengths of attribute values with a fixed format.

extension BluetoothUUID {
  /// The fixed length of a value of this type in bytes; nil if it varies or is not known here. Only
  /// for 16-bit UUIDs: those of descriptors (Core, Vol 3, Part G, 3.3.3), of GAP and GATT
  /// characteristics (Core, Vol 3, Part C, 12, and Part G, 7), and of a few others (GATT
  /// Specification Supplement, 3 [mem]).
  package var valueLength: Int? {
    guard width == 2 else { return nil }
    switch low {
    // Extended Properties, Client and Server Characteristic Configuration.
    case 0x2900, 0x2902, 0x2903: return 2
    // Presentation Format.
    case 0x2904: return 7
    // Appearance, Central Address Resolution, Resolvable Private Address Only, Peripheral Preferred
    // Connection Parameters.
    case 0x2a01: return 2
    case 0x2aa6, 0x2ac9: return 1
    case 0x2a04: return 8
    // Database Hash.
    case 0x2b2a: return 16
    // Alert Level, Tx Power Level, Battery Level, Body Sensor Location.
    case 0x2a06, 0x2a07, 0x2a19, 0x2a38: return 1
    // System ID, Current Time, Local Time Information, PnP ID.
    case 0x2a23: return 8
    case 0x2a2b: return 10
    case 0x2a0f: return 2
    case 0x2a50: return 7
    // Volume State, Volume Flags.
    case 0x2b7d: return 3
    case 0x2b7f: return 1
    default: return nil
    }
  }
}
