// The commands with which a host advertises, in a common form: legacy, extended, Android's and
// those of the Linux kernel's management interface. All fields are little-endian.

package import Bluetooth
package import Bytes

/// An advertising set of the captured host.
package struct AdvertisingSet: Equatable, Sendable {
  /// The family of commands that configure the set.
  package enum Family: UInt8, Sendable {
    /// LE Set Advertising Parameters and related commands. There is only one such set.
    case legacy
    /// LE Set Extended Advertising Parameters and related commands.
    case extended
    /// Android LE Multi Advertising.
    case android
    /// Advertising instances of the Linux kernel's management interface.
    case management
  }

  package let family: Family
  /// The advertising handle or instance; 0 for the legacy set.
  package let handle: UInt8

  package init(_ family: Family, _ handle: UInt8) {
    self.family = family
    self.handle = handle
  }
}

/// The parameters of an advertising set.
package struct AdvertisingParameters: Equatable, Sendable {
  /// The minimum and maximum interval, in units of 0.625 ms; nil if the kernel chooses.
  package var interval: ClosedRange<UInt32>?
  /// The bits of Advertising_Event_Properties (Core, Vol 4, Part E, 7.8.53): 0 connectable, 1
  /// scannable, 2 directed, 3 high duty cycle, 4 legacy, 5 anonymous. For legacy commands, the bits
  /// equivalent to Advertising_Type.
  package var properties: UInt16
  /// Own_Address_Type: 0 public, 1 random, 2 and 3 resolvable if the controller can generate one,
  /// otherwise public or random; nil if the kernel chooses.
  package var ownAddressType: UInt8?
  /// The target of directed advertising.
  package var peer: DeviceAddress?
  /// The PHYs of the primary and the secondary channel, in HCI's numbering; 0 for none.
  package var primaryPHY: UInt8 = 1
  package var secondaryPHY: UInt8 = 0
  /// Android: the address given in the command.
  package var address: DeviceAddress?

  /// Converts Advertising_Type (7.8.5) to the bits of the extended command.
  static func properties(legacy type: UInt8) -> UInt16 {
    switch type {
    case 0: 0x13
    case 1: 0x1d
    case 2: 0x12
    case 4: 0x15
    default: 0x10
    }
  }
}

/// A command that concerns advertising.
package enum AdvertisingCommand: Sendable {
  /// The kind of data that a command sets.
  package enum DataKind: UInt8, Sendable {
    case advertising, scanResponse, periodic
  }

  case parameters(AdvertisingSet, AdvertisingParameters)
  /// Sets a random address. That of the legacy set serves all sets without their own.
  case address(AdvertisingSet, DeviceAddress)
  /// Sets a piece of data; operation 0 intermediate, 1 first, 2 last, 3 complete, 4 unchanged.
  case data(AdvertisingSet, DataKind, operation: UInt8, Slice)
  /// Enables or disables sets; an empty list means all sets.
  case enable(Bool, sets: [AdvertisingSet])
  /// Enables or disables a set's periodic advertising.
  case periodic(Bool, AdvertisingSet)
  /// Adds an instance of the kernel's, with this data.
  case instance(AdvertisingSet, AdvertisingParameters?, advertising: Slice, scanResponse: Slice)
  /// Removes a set, or all sets of a family.
  case remove(AdvertisingSet.Family, handle: UInt8?)

  /// Returns whether a command concerns advertising.
  package static func concerns(_ opcode: UInt16) -> Bool {
    switch opcode {
    case 0x2005, 0x2006, 0x2008...0x200a, 0x2035...0x2039, 0x203c, 0x203d, 0x203f, 0x2040, 0x207f,
      0xfd54:
      true
    default: false
    }
  }

  /// Reads the parameters of a command (Core, Vol 4, Part E, 7.8.4 to 7.8.9, 7.8.52 to 7.8.63;
  /// Android, "HCI requirements"); returns nil for commands that do not concern advertising.
  package init?(_ opcode: UInt16, _ parameters: RawSpan) throws(ParseError) {
    var cursor = Cursor(parameters)
    let legacy = AdvertisingSet(.legacy, 0)
    switch opcode {
    case 0x2005: self = .address(legacy, try DeviceAddress(parsing: &cursor))
    case 0x2006: self = .parameters(legacy, try Self.legacyParameters(&cursor))
    case 0x2008: self = try Self.data(legacy, .advertising, &cursor)
    case 0x2009: self = try Self.data(legacy, .scanResponse, &cursor)
    case 0x200a: self = .enable(try cursor.u8() != 0, sets: [legacy])
    case 0x2035:
      let set = AdvertisingSet(.extended, try cursor.u8())
      self = .address(set, try DeviceAddress(parsing: &cursor))
    case 0x2036, 0x207f:
      let set = AdvertisingSet(.extended, try cursor.u8())
      self = .parameters(set, try Self.extendedParameters(&cursor))
    case 0x2037: self = try Self.extendedData(.advertising, &cursor)
    case 0x2038: self = try Self.extendedData(.scanResponse, &cursor)
    case 0x203f: self = try Self.extendedData(.periodic, &cursor)
    case 0x2039:
      // Enable (1 byte), number of sets (1), each: handle (1), duration (2), events (1).
      let isOn = try cursor.u8() != 0
      var sets: [AdvertisingSet] = []
      for _ in 0..<(try cursor.u8()) {
        sets.append(AdvertisingSet(.extended, try cursor.u8()))
        _ = try cursor.take(3)
      }
      self = .enable(isOn, sets: sets)
    case 0x203c: self = .remove(.extended, handle: try cursor.u8())
    case 0x203d: self = .remove(.extended, handle: nil)
    case 0x2040:
      let isOn = try cursor.u8() & 1 == 1
      self = .periodic(isOn, AdvertisingSet(.extended, try cursor.u8()))
    case 0xfd54:
      guard let command = try Self.android(&cursor) else { return nil }
      self = command
    default: return nil
    }
  }

  /// Reads interval (2 bytes each), type (1), own address type (1), peer address type (1), peer
  /// address (6), channels (1), filter policy (1). Android's command has its own address (6) after
  /// its type.
  @_lifetime(cursor: copy cursor)
  private static func legacyParameters(
    _ cursor: inout Cursor, hasAddress: Bool = false
  ) throws(ParseError) -> AdvertisingParameters {
    let least = UInt32(try cursor.u16())
    let most = UInt32(try cursor.u16())
    let properties = AdvertisingParameters.properties(legacy: try cursor.u8())
    let ownAddressType = try cursor.u8()
    let address = hasAddress ? try DeviceAddress(parsing: &cursor) : nil
    _ = try cursor.u8()
    let peer = try DeviceAddress(parsing: &cursor)
    _ = try cursor.take(2)
    return AdvertisingParameters(
      interval: least...max(least, most), properties: properties, ownAddressType: ownAddressType,
      peer: properties & 4 == 0 ? nil : peer, address: address)
  }

  /// Reads properties (2 bytes), interval (3 each), channels (1), own address type (1), peer
  /// address type (1), peer address (6), filter policy (1), TX power (1), primary PHY (1), skip
  /// (1), secondary PHY (1). The rest is ignored.
  @_lifetime(cursor: copy cursor)
  private static func extendedParameters(
    _ cursor: inout Cursor
  ) throws(ParseError) -> AdvertisingParameters {
    let properties = try cursor.u16()
    let least = UInt32(try cursor.unsigned(width: 3))
    let most = UInt32(try cursor.unsigned(width: 3))
    _ = try cursor.u8()
    let ownAddressType = try cursor.u8()
    _ = try cursor.u8()
    let peer = try DeviceAddress(parsing: &cursor)
    _ = try cursor.take(2)
    let primary = try cursor.u8()
    _ = try cursor.u8()
    let secondary = try cursor.u8()
    return AdvertisingParameters(
      interval: least...max(least, most), properties: properties, ownAddressType: ownAddressType,
      peer: properties & 4 == 0 ? nil : peer, primaryPHY: primary,
      // Legacy PDUs have no secondary channel, whatever the field contains.
      secondaryPHY: properties & 0x10 == 0 ? secondary : 0)
  }

  /// Reads length (1 byte) and data (31).
  @_lifetime(cursor: copy cursor)
  private static func data(
    _ set: AdvertisingSet, _ kind: DataKind, _ cursor: inout Cursor
  ) throws(ParseError) -> Self {
    let length = Int(try cursor.u8())
    return .data(set, kind, operation: 3, cursor.takeUpTo(length))
  }

  /// Reads handle (1 byte), operation (1), except for periodic data fragment preference (1), length
  /// (1), data.
  @_lifetime(cursor: copy cursor)
  private static func extendedData(
    _ kind: DataKind, _ cursor: inout Cursor
  ) throws(ParseError) -> Self {
    let set = AdvertisingSet(.extended, try cursor.u8())
    let operation = try cursor.u8()
    if kind != .periodic { _ = try cursor.u8() }
    let length = Int(try cursor.u8())
    return .data(set, kind, operation: operation, cursor.takeUpTo(length))
  }

  /// Reads subcommand (1 byte): 1 parameters, then instance (1), TX power (1); 2 and 3 data: length
  /// (1), data (31), instance (1); 4 random address (6), instance (1); 5 enable (1), instance (1).
  @_lifetime(cursor: copy cursor)
  private static func android(_ cursor: inout Cursor) throws(ParseError) -> Self? {
    switch try cursor.u8() {
    case 0x01:
      let parameters = try legacyParameters(&cursor, hasAddress: true)
      return .parameters(AdvertisingSet(.android, try cursor.u8()), parameters)
    case let sub where sub == 0x02 || sub == 0x03:
      let length = min(31, Int(try cursor.u8()))
      let field = try cursor.take(31)
      let data = Slice(start: Int(field.start), count: length)
      let set = AdvertisingSet(.android, try cursor.u8())
      return .data(set, sub == 0x02 ? .advertising : .scanResponse, operation: 3, data)
    case 0x04:
      let address = try DeviceAddress(parsing: &cursor)
      return .address(AdvertisingSet(.android, try cursor.u8()), address)
    case 0x05:
      let isOn = try cursor.u8() != 0
      return .enable(isOn, sets: [AdvertisingSet(.android, try cursor.u8())])
    default: return nil
    }
  }
}

/// LE Advertising Set Terminated: status (1 byte), advertising handle (1), connection handle (2),
/// number of events (1) (Core, Vol 4, Part E, 7.7.65.18).
package struct AdvertisingSetTerminated: Sendable {
  /// Success if a connection was created; otherwise why advertising ended.
  package let status: StatusCode
  package let set: AdvertisingSet

  package static let subevent: UInt8 = 0x12

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    set = AdvertisingSet(.extended, try cursor.u8())
  }
}
