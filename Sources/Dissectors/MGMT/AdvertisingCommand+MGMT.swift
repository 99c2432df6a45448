// Advertising requested from the Linux kernel (BlueZ, doc/mgmt-protocol.rst). All fields are
// little-endian.

package import Bytes

extension AdvertisingCommand {
  /// Returns whether a management command concerns advertising.
  package static func concerns(control code: UInt16) -> Bool {
    switch code {
    case 0x003e, 0x003f, 0x0054, 0x0055: true
    default: false
    }
  }

  /// Reads the parameters of a management command; returns nil for commands that do not concern
  /// advertising.
  ///
  /// - Add Advertising (0x003e): instance (1 byte), flags (4), duration (2), timeout (2), length of
  ///   the data (1), length of the scan response (1), both.
  /// - Remove Advertising (0x003f): instance (1), 0 for all.
  /// - Add Extended Advertising Parameters (0x0054): instance (1), flags (4), duration (2), timeout
  ///   (2), minimum and maximum interval (4 each, in units of 0.625 ms), TX power (1).
  /// - Add Extended Advertising Data (0x0055): instance (1), both lengths (1 each), both.
  package init?(control code: UInt16, _ parameters: RawSpan) throws(ParseError) {
    guard Self.concerns(control: code) else { return nil }
    var cursor = Cursor(parameters)
    let instance = try cursor.u8()
    let set = AdvertisingSet(.management, instance)
    switch code {
    case 0x003e:
      let properties = Self.properties(try cursor.u32())
      _ = try cursor.take(4)
      let data = try Self.both(&cursor)
      self = .instance(
        set, AdvertisingParameters(interval: nil, properties: properties, ownAddressType: nil),
        advertising: data.advertising, scanResponse: data.scanResponse)
    case 0x0054:
      let flags = try cursor.u32()
      _ = try cursor.take(4)
      let least = try cursor.u32()
      let most = try cursor.u32()
      // Bit 14: the intervals are valid.
      self = .parameters(
        set,
        AdvertisingParameters(
          interval: flags >> 14 & 1 == 1 ? least...max(least, most) : nil,
          properties: Self.properties(flags), ownAddressType: nil))
    case 0x0055:
      let data = try Self.both(&cursor)
      self = .instance(
        set, nil, advertising: data.advertising, scanResponse: data.scanResponse)
    default: self = .remove(.management, handle: instance == 0 ? nil : instance)
    }
  }

  /// Converts flags: bit 0 is connectable; if one of bits 7 to 9 is set, the secondary channel is
  /// LE 1M, LE 2M or LE Coded, and extended PDUs are used.
  private static func properties(_ flags: UInt32) -> UInt16 {
    // Connectable legacy advertising is also scannable.
    flags >> 7 & 7 == 0 ? (flags & 1 == 1 ? 0x13 : 0x10) : UInt16(flags & 1)
  }

  @_lifetime(cursor: copy cursor)
  private static func both(
    _ cursor: inout Cursor
  ) throws(ParseError) -> (advertising: Slice, scanResponse: Slice) {
    let (first, second) = (Int(try cursor.u8()), Int(try cursor.u8()))
    let advertising = cursor.takeUpTo(first)
    return (advertising, cursor.takeUpTo(second))
  }
}
