// The protocols of L2CAP channels. Source: Assigned Numbers, 2.5 (PSM) and 2.6 (SPSM); 0x0001 to
// 0x0025 checked against tshark 4.0, 0x0027 against BlueZ's monitor.

/// A protocol/service multiplexer, for BR/EDR (PSM) or credit-based channels (SPSM), which
/// identifies a channel's protocol.
package struct PSM: RawRepresentable, Equatable, Hashable, Sendable {
  package var rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Declared here because the general operator for raw values is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The comparison that `switch` uses.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// RFCOMM, which provides serial ports.
  package static let rfcomm = Self(rawValue: 0x0003)
  /// ATT over BR/EDR.
  package static let att = Self(rawValue: 0x001f)
  /// Enhanced ATT bearers.
  package static let eatt = Self(rawValue: 0x0027)

  /// Whether the number can only belong to a credit-based channel (a dynamic SPSM of LE).
  package var isSimplified: Bool { (0x0080...0x00ff).contains(rawValue) }

  /// The protocol's name; nil if the number is not assigned, as dynamic ones are not.
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
