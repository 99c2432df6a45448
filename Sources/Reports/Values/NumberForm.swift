import Bluetooth
import Bytes

/// How the values of an attribute are interpreted as one number.
struct NumberForm: Equatable, Sendable {
  /// The bytes of each number; 0: unknown, in which case 1, 2 or 4 are accepted.
  let width: Int
  let isSigned: Bool

  /// The form for attributes whose format the Bluetooth SIG does not define: an unsigned number,
  /// least significant byte first, if there are 1, 2 or 4 bytes. It may be something else.
  static let assumed = NumberForm(width: 0, isSigned: false)

  /// Whether it is only an assumption that the values are numbers.
  var isAssumed: Bool { width == 0 }

  private init(width: Int, isSigned: Bool) {
    self.width = width
    self.isSigned = isSigned
  }

  /// Creates the form of an attribute's values, or returns nil if the Bluetooth SIG's format is not
  /// a single integer (GATT Specification Supplement [mem]).
  init?(_ uuid: BluetoothUUID?) {
    guard let uuid, uuid.width == 2, 0x1800...0x2fff ~= uuid.low else {
      self = .assumed
      return
    }
    switch uuid.low {
    // Alert Level, Battery Level, Temperature Type, Body Sensor Location, Heart Rate Control Point,
    // Alert Status, Ringer Control Point, Ringer Setting, Protocol Mode, Sensor Location, UV Index,
    // Age.
    case 0x2a06, 0x2a19, 0x2a1d, 0x2a38, 0x2a39, 0x2a3f, 0x2a40, 0x2a41, 0x2a4e, 0x2a5d, 0x2a76,
      0x2a80:
      self.init(width: 1, isSigned: false)
    // Tx Power Level, Wind Chill, Heat Index, Dew Point.
    case 0x2a07, 0x2a79...0x2a7b: self.init(width: 1, isSigned: true)
    // Appearance, Measurement Interval, Humidity, True and Apparent Wind Speed and Direction,
    // Irradiance, Rainfall, Height, Weight.
    case 0x2a01, 0x2a21, 0x2a6f, 0x2a70...0x2a73, 0x2a77, 0x2a78, 0x2a8e, 0x2a98:
      self.init(width: 2, isSigned: false)
    // Temperature.
    case 0x2a6e: self.init(width: 2, isSigned: true)
    // Pressure.
    case 0x2a6d: self.init(width: 4, isSigned: false)
    default: return nil
    }
  }
}

extension RawSpan {
  /// Returns the bytes as a number, least significant first, or nil if they do not have this form.
  func number(_ form: NumberForm) -> Int? {
    guard byteCount == 1 || byteCount == 2 || byteCount == 4,
      form.isAssumed || form.width == byteCount
    else { return nil }
    let bits = UInt32(littleEndianU16(at: 0)) | UInt32(littleEndianU16(at: 2)) << 16
    guard form.isSigned else { return Int(bits) }
    let unused = UInt32(32 - 8 * byteCount)
    return Int(Int32(truncatingIfNeeded: bits << unused) >> Int32(unused))
  }
}
