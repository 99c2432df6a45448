// The commands that create connections and change their parameters: a struct for each, besides the
// rows that describe them for display. All fields are little-endian.

package import Bluetooth
package import Bytes

/// Requested connection parameters, with a range of intervals.
///
/// Minimum and maximum interval (2 bytes each), latency (2), supervision timeout (2), in this order
/// in LE Create Connection, LE Connection Update, LE Remote Connection Parameter Request and its
/// reply, and L2CAP's Connection Parameter Update Request (Core, Vol 4, Part E, 7.8.12; Vol 3, Part
/// A, 4.20).
package struct WantedParameters: Equatable, Sendable {
  /// In units of 1.25 ms.
  package var intervalMin: UInt16
  /// In units of 1.25 ms.
  package var intervalMax: UInt16
  /// The number of connection events that the peripheral may skip.
  package var latency: UInt16
  /// The supervision timeout, in units of 10 ms.
  package var timeout: UInt16

  package init(intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16) {
    self.intervalMin = intervalMin
    self.intervalMax = intervalMax
    self.latency = latency
    self.timeout = timeout
  }

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    intervalMin = try cursor.u16()
    intervalMax = try cursor.u16()
    latency = try cursor.u16()
    timeout = try cursor.u16()
  }
}

/// LE Create Connection, LE Extended Create Connection and its version 2, in a common form.
///
/// LE Create Connection: scan interval (2 bytes), window (2), filter policy (1), peer address type
/// (1), peer address (6), own address type (1), parameters (8), event lengths (2 each) (Core, Vol
/// 4, Part E, 7.8.12). Extended: filter policy (1), own address type (1), peer address type (1),
/// peer address (6), PHYs (1), then for each PHY scan interval (2), window (2), parameters (8),
/// event lengths (2 each); version 2 begins with advertising handle (1) and subevent (1) (7.8.66).
package struct LECreateConnection: Sendable {
  /// Initiator_Filter_Policy.
  package let filterPolicy: UInt8
  /// Own_Address_Type: 0 public, 1 random, 2 and 3 resolvable if the controller can generate one,
  /// otherwise public or random.
  package let ownAddressType: UInt8
  /// The peer's address type; meaningless if the filter accept list is used.
  package let peerType: AddressType
  /// The peer's address; meaningless if the filter accept list is used.
  package let peer: DeviceAddress
  /// The PHYs on which to scan: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  package let phys: UInt8
  /// The scan interval on the first PHY, in units of 0.625 ms.
  package let scanInterval: UInt16
  /// The scan window on the first PHY, in units of 0.625 ms.
  package let scanWindow: UInt16
  /// The parameters requested for the first PHY; nil if the capture does not have them.
  package let wanted: WantedParameters?

  /// Whether any device in the filter accept list may be connected to.
  package var usesAcceptList: Bool { filterPolicy & 1 != 0 }

  /// Whether the controller listens for less than a tenth of the time, as hosts choose for devices
  /// that may appear at some time; for an app that waits it listens half the time or all of it.
  package var listensRarely: Bool { Self.listensRarely(scanWindow, of: scanInterval) }

  /// The same for a scan window and a scan interval, in units of 0.625 ms.
  package static func listensRarely(_ window: UInt16, of interval: UInt16) -> Bool {
    window > 0 && Int(window) * 10 < Int(interval)
  }

  package static let opcodes: [UInt16] = [
    HCICommand.leCreateConnection, HCICommand.leExtendedCreateConnection,
    HCICommand.leExtendedCreateConnectionV2,
  ]

  @_lifetime(cursor: copy cursor)
  package init(_ opcode: UInt16, parsing cursor: inout Cursor) throws(ParseError) {
    if opcode == HCICommand.leCreateConnection {
      scanInterval = try cursor.u16()
      scanWindow = try cursor.u16()
      filterPolicy = try cursor.u8()
      peerType = AddressType(rawValue: try cursor.u8())
      peer = try DeviceAddress(parsing: &cursor)
      ownAddressType = try cursor.u8()
      phys = 1
    } else {
      if opcode == HCICommand.leExtendedCreateConnectionV2 { _ = try cursor.take(2) }
      filterPolicy = try cursor.u8()
      ownAddressType = try cursor.u8()
      peerType = AddressType(rawValue: try cursor.u8())
      peer = try DeviceAddress(parsing: &cursor)
      phys = try cursor.u8()
      scanInterval = try cursor.u16()
      scanWindow = try cursor.u16()
    }
    wanted = try? WantedParameters(parsing: &cursor)
  }
}

/// LE Add Device To Filter Accept List and LE Remove Device From Filter Accept List: address type
/// (1 byte), address (6) (Core, Vol 4, Part E, 7.8.16, 7.8.17).
package struct LEFilterAcceptListDevice: Sendable {
  package let type: AddressType
  package let address: DeviceAddress

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    type = AddressType(rawValue: try cursor.u8())
    address = try DeviceAddress(parsing: &cursor)
  }
}

/// A connection handle (2 bytes) followed by requested parameters (8): LE Connection Update, the
/// event LE Remote Connection Parameter Request, and its reply (Core, Vol 4, Part E, 7.8.18,
/// 7.7.65.6, 7.8.31).
package struct LEConnectionParameterRequest: Sendable {
  package let handle: UInt16
  /// Nil if the capture does not have them.
  package let wanted: WantedParameters?

  /// The subevent code of LE Remote Connection Parameter Request.
  package static let subevent: UInt8 = 0x06

  /// Reads the parameters; for the event, those after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    wanted = try? WantedParameters(parsing: &cursor)
  }
}

/// LE Remote Connection Parameter Request Negative Reply: handle (2 bytes), reason (1) (Core, Vol
/// 4, Part E, 7.8.32).
package struct LEConnectionParameterNegativeReply: Sendable {
  package let handle: UInt16
  /// The reason for the refusal.
  package let reason: StatusCode

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    reason = StatusCode(rawValue: try cursor.u8())
  }
}

/// Create Connection (BR/EDR): address (6 bytes); the rest is ignored (Core, Vol 4, Part E, 7.1.5).
package struct CreateConnection: Sendable {
  /// The peer's public address.
  package let peer: DeviceAddress

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    peer = try DeviceAddress(parsing: &cursor)
  }
}
