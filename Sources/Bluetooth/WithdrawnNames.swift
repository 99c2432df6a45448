/// The names of characteristics that the Bluetooth SIG has withdrawn but old firmware still uses.
///
/// Written by hand, since the SIG's files no longer list them. Source: the UUID table in BlueZ,
/// src/shared/util.c, which still has them.
enum WithdrawnNames {
  /// Returns the name of a withdrawn characteristic.
  static func name(of number: UInt16) -> AssignedName? {
    // All of them are in this range, unlike most UUIDs that are looked up.
    guard 0x2a0b...0x2a62 ~= number else { return nil }
    let name: StaticString
    switch number {
    case 0x2a0b: name = "Exact Time 100"
    case 0x2a10: name = "Secondary Time Zone"
    case 0x2a15: name = "Time Broadcast"
    case 0x2a1a: name = "Battery Power State"
    case 0x2a1b: name = "Battery Level State"
    case 0x2a1f: name = "Temperature Celsius"
    case 0x2a20: name = "Temperature Fahrenheit"
    case 0x2a2f: name = "Position 2D"
    case 0x2a30: name = "Position 3D"
    case 0x2a3a: name = "Removable"
    case 0x2a3b: name = "Service Required"
    case 0x2a3c: name = "Scientific Temperature Celsius"
    case 0x2a3d: name = "String"
    case 0x2a3e: name = "Network Availability"
    case 0x2a56: name = "Digital"
    case 0x2a57: name = "Digital Output"
    case 0x2a58: name = "Analog"
    case 0x2a59: name = "Analog Output"
    case 0x2a62: name = "Pulse Oximetry Control Point"
    default: return nil
    }
    return AssignedName(name)
  }
}
