// The services that L2CAP channels are opened for. Source: Assigned Numbers, 2.5 (PSM) and 2.6
// (SPSM); 0x0001 to 0x0025 checked against tshark 4.0, 0x0027 against BlueZ's monitor.

/// A protocol/service multiplexer, on BR/EDR (PSM) and of credit-based channels (SPSM): what a
/// channel is for.
package struct PSM: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number.
  package var rawValue: UInt16
  /// A PSM from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// RFCOMM: serial ports.
  package static let rfcomm = Self(rawValue: 0x0003)
  /// ATT over BR/EDR.
  package static let att = Self(rawValue: 0x001f)
  /// Enhanced ATT bearers.
  package static let eatt = Self(rawValue: 0x0027)

  /// Whether the number can only be that of a credit-based channel: the dynamic ones of LE.
  package var isSimplified: Bool { (0x0080...0x00ff).contains(rawValue) }

  /// The protocol's name; nil for a number that is assigned to none, such as a dynamic one.
  package var name: StaticString? {
    switch rawValue {
    case 0x0001: "SDP"
    case 0x0003: "RFCOMM"
    case 0x0005: "TCS-BIN"
    case 0x0007: "TCS-BIN-CORDLESS"
    case 0x000f: "BNEP"
    case 0x0011: "HID Control"
    case 0x0013: "HID Interrupt"
    case 0x0015: "UPnP"
    case 0x0017: "AVCTP"
    case 0x0019: "AVDTP"
    case 0x001b: "AVCTP Browsing"
    case 0x001d: "UDI C-Plane"
    case 0x001f: "ATT"
    case 0x0021: "3DSP"
    case 0x0023: "IPSP"
    case 0x0025: "OTS"
    case 0x0027: "EATT"
    default: nil
    }
  }
}
