// The commands by which a host scans: a struct each for the memory of scans, beside the rows that
// describe them for people. All fields little-endian.

package import Bytes

/// What a scan on one PHY is asked to be.
package struct ScanSetting: Equatable, Sendable {
  /// Whether scan requests are sent.
  package let isActive: Bool
  /// How often a scan window begins, in units of 0.625 ms.
  package let interval: UInt32
  /// How long the window is, in units of 0.625 ms.
  package let window: UInt32

  /// Whether the scanner is at it all the time.
  package var isContinuous: Bool { window >= interval }
}

/// What a scan is asked to be: LE Set Scan Parameters, LE Set Extended Scan Parameters, and Android's.
package struct ScanParameters: Equatable, Sendable {
  /// On the LE 1M PHY.
  package var le1M: ScanSetting?
  /// On the LE Coded PHY.
  package var leCoded: ScanSetting?
  /// Scanning_Filter_Policy.
  package var filterPolicy: UInt8 = 0

  /// The opcodes.
  package static let opcodes: [UInt16] = [0x200b, 0x2041, 0xfd5a]

  /// Reads the parameters of a command.
  ///
  /// LE Set Scan Parameters: scan type (1 byte), interval (2), window (2), own address type (1), filter
  /// policy (1) (Core, Vol 4, Part E, 7.8.10); Android's has 4 bytes for interval and window. Extended:
  /// own address type (1), filter policy (1), PHYs (1), then type (1), interval (2) and window (2) of
  /// each (7.8.64).
  package init(_ opcode: UInt16, _ parameters: RawSpan) throws(ParseError) {
    var cursor = Cursor(parameters)
    if opcode == 0x2041 {
      _ = try cursor.u8()
      filterPolicy = try cursor.u8()
      let phys = try cursor.u8()
      for bit in 0..<8 where phys >> UInt8(bit) & 1 == 1 {
        let setting = ScanSetting(
          isActive: try cursor.u8() & 1 == 1, interval: UInt32(try cursor.u16()),
          window: UInt32(try cursor.u16()))
        if bit == 0 { le1M = setting }
        if bit == 2 { leCoded = setting }
      }
    } else {
      let isActive = try cursor.u8() & 1 == 1
      let isWide = opcode == 0xfd5a
      let interval = isWide ? try cursor.u32() : UInt32(try cursor.u16())
      let window = isWide ? try cursor.u32() : UInt32(try cursor.u16())
      le1M = ScanSetting(isActive: isActive, interval: interval, window: window)
      _ = try cursor.u8()
      filterPolicy = try cursor.u8()
    }
  }
}

/// A scan is begun or ended: LE Set Scan Enable, LE Set Extended Scan Enable.
package struct ScanSwitch: Equatable, Sendable {
  /// Whether it begins.
  package let isOn: Bool
  /// Filter_Duplicates: 0 no, 1 yes, 2 anew in each period.
  package let filterDuplicates: UInt8
  /// After how long the controller ends it, or its part of a period, in units of 10 ms; 0: not.
  package let duration: UInt16
  /// How often it is begun anew, in units of 1.28 s; 0: not.
  package let period: UInt16

  /// The opcodes.
  package static let opcodes: [UInt16] = [0x200c, 0x2042]

  /// Reads the parameters of a command: enable (1 byte), filter duplicates (1) (Core, Vol 4, Part E,
  /// 7.8.11); extended: duration (2), period (2) (7.8.65).
  package init(_ opcode: UInt16, _ parameters: RawSpan) throws(ParseError) {
    var cursor = Cursor(parameters)
    isOn = try cursor.u8() != 0
    filterDuplicates = try cursor.u8()
    duration = opcode == 0x2042 ? try cursor.u16() : 0
    period = opcode == 0x2042 ? try cursor.u16() : 0
  }
}

/// What a command of Android's Advertising Packet Content Filter changes (Android, "Bluetooth HCI
/// requirements", LE_APCF_Command [mem]): the filters that there are, not what they look for.
package enum ContentFilterChange: Equatable, Sendable {
  /// Filtering is switched.
  case enable(Bool)
  /// A filter is set; one that selects no feature lets everything pass.
  case add(UInt8, passesAll: Bool)
  /// A filter is taken away.
  case remove(UInt8)
  /// All are.
  case clear

  /// The opcode.
  package static let opcode: UInt16 = 0xfd57

  /// Reads the parameters: sub-opcode (1 byte), then enable (1), or action (1), filter index (1), feature
  /// selection (2, little-endian); nil where the command sets up something else, or ends too early.
  package init?(_ parameters: RawSpan) {
    var cursor = Cursor(parameters)
    guard let kind = try? cursor.u8(), let value = try? cursor.u8() else { return nil }
    switch (kind, value) {
    case (0x00, _): self = .enable(value != 0)
    case (0x01, 0x02): self = .clear
    case (0x01, 0x00):
      guard let index = try? cursor.u8(), let features = try? cursor.u16() else { return nil }
      self = .add(index, passesAll: features == 0)
    case (0x01, 0x01):
      guard let index = try? cursor.u8() else { return nil }
      self = .remove(index)
    default: return nil
    }
  }
}
