// The commands that control scanning: a struct for each, from which scans are tracked, besides the
// rows that describe them for display. All fields are little-endian.

package import Bluetooth
package import Bytes

/// The settings for scanning on one PHY.
package struct ScanSetting: Equatable, Sendable {
  /// Whether scan requests are sent.
  package let isActive: Bool
  /// The scan interval, in units of 0.625 ms.
  package let interval: UInt32
  /// The scan window, in units of 0.625 ms.
  package let window: UInt32

  /// Whether scanning is continuous.
  package var isContinuous: Bool { window >= interval }
}

/// The parameters of a scan: LE Set Scan Parameters, LE Set Extended Scan Parameters, and Android's
/// command.
package struct ScanParameters: Equatable, Sendable {
  /// The settings for the LE 1M PHY.
  package var le1M: ScanSetting?
  /// The settings for the LE Coded PHY.
  package var leCoded: ScanSetting?
  /// Scanning_Filter_Policy.
  package var filterPolicy: UInt8 = 0

  package static let opcodes: [UInt16] = [0x200b, 0x2041, 0xfd5a]

  /// Reads the parameters of a command.
  ///
  /// LE Set Scan Parameters: scan type (1 byte), interval (2), window (2), own address type (1),
  /// filter policy (1) (Core, Vol 4, Part E, 7.8.10); Android's has 4 bytes each for interval and
  /// window. Extended: own address type (1), filter policy (1), PHYs (1), then type (1), interval
  /// (2) and window (2) for each PHY (7.8.64).
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

/// The command that enables or disables scanning: LE Set Scan Enable, LE Set Extended Scan Enable.
package struct ScanSwitch: Equatable, Sendable {
  /// Whether scanning is enabled.
  package let isOn: Bool
  /// Filter_Duplicates: 0 no, 1 yes, 2 reset in each period.
  package let filterDuplicates: UInt8
  /// The duration of the scan, or of scanning in each period, in units of 10 ms; 0 for no limit.
  package let duration: UInt16
  /// The period after which the scan restarts, in units of 1.28 s; 0 for none.
  package let period: UInt16

  package static let opcodes: [UInt16] = [0x200c, 0x2042]

  /// Reads the parameters of a command: enable (1 byte), filter duplicates (1) (Core, Vol 4, Part
  /// E, 7.8.11); extended: duration (2), period (2) (7.8.65).
  package init(_ opcode: UInt16, _ parameters: RawSpan) throws(ParseError) {
    var cursor = Cursor(parameters)
    isOn = try cursor.u8() != 0
    filterDuplicates = try cursor.u8()
    duration = opcode == 0x2042 ? try cursor.u16() : 0
    period = opcode == 0x2042 ? try cursor.u16() : 0
  }
}

/// The effect of a command for Android's Advertising Packet Content Filter (Android, "Bluetooth HCI
/// requirements", LE_APCF_Command [mem]) on the set of filters and the services they look for, but
/// not their other conditions.
package enum ContentFilterChange: Equatable, Sendable {
  /// Filtering is enabled or disabled.
  case enable(Bool)
  /// A filter is added; one that selects no feature passes everything.
  case add(UInt8, passesAll: Bool)
  /// A filter is removed.
  case remove(UInt8)
  /// All filters are removed.
  case clear
  /// A filter looks for a service.
  case addService(UInt8, BluetoothUUID)
  /// A filter looks for a service no more, or for none.
  case removeServices(UInt8)

  package static let opcode: UInt16 = 0xfd57

  /// Reads the parameters: sub-opcode (1 byte), then enable (1), or action (1; 0 add, 1 delete, 2
  /// clear), filter index (1), and the feature selection (2, little-endian), or the UUID of a
  /// service and its mask (2, 4 or 16 each). Returns nil if the command configures something else
  /// or ends too early.
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
    case (0x03, 0x00):
      guard let index = try? cursor.u8() else { return nil }
      let width = cursor.remaining / 2
      guard [2, 4, 16].contains(width),
        let uuid = try? BluetoothUUID(parsing: &cursor, width: width)
      else { return nil }
      self = .addService(index, uuid)
    case (0x03, 0x01), (0x03, 0x02):
      guard let index = try? cursor.u8() else { return nil }
      self = .removeServices(index)
    default: return nil
    }
  }
}
