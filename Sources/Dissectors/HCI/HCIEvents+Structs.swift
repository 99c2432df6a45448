// The few events and commands that the memory of connections reads: a struct each, beside the rows
// that describe them for people. All fields little-endian.

package import Bluetooth
package import Bytes

/// LE Connection Complete and its enhanced versions: the link that was created.
///
/// Status (1 byte), handle (2), role (1), peer address type (1), peer address (6); enhanced: local
/// and peer resolvable private address (6 each); interval (2), latency (2), supervision timeout (2),
/// clock accuracy (1); version 2: two more handles (Core, Vol 4, Part E, 7.7.65.1 and .10).
package struct LEConnectionComplete: Sendable {
  /// Success, or why no link came about.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// 0 central, 1 peripheral: the captured host's role.
  package let role: UInt8
  /// The peer's address type.
  package let peerType: AddressType
  /// The peer's address.
  package let peer: DeviceAddress
  /// Enhanced: the resolvable private address that the peer used, where the controller has resolved it
  /// to `peer`; nil for none (all zeros).
  package let peerResolvable: DeviceAddress?
  /// Units of 1.25 ms.
  package let interval: UInt16
  /// Events that may be skipped.
  package let latency: UInt16
  /// Units of 10 ms.
  package let supervisionTimeout: UInt16

  /// The subevent codes: LE Connection Complete, enhanced version 1, enhanced version 2.
  package static let subevents: [UInt8] = [0x01, 0x0a, 0x29]

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(subevent: UInt8, parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    role = try cursor.u8()
    peerType = AddressType(rawValue: try cursor.u8())
    peer = try DeviceAddress(parsing: &cursor)
    if subevent == 0x01 {
      peerResolvable = nil
    } else {
      _ = try cursor.take(6)
      let address = try DeviceAddress(parsing: &cursor)
      peerResolvable = address == .zero ? nil : address
    }
    interval = try cursor.u16()
    latency = try cursor.u16()
    supervisionTimeout = try cursor.u16()
  }
}

/// LE Connection Update Complete: status (1 byte), handle (2), interval (2), latency (2),
/// supervision timeout (2) (7.7.65.3).
package struct LEConnectionUpdateComplete: Sendable {
  /// Success, or why nothing changed.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// Units of 1.25 ms.
  package let interval: UInt16
  /// Events that may be skipped.
  package let latency: UInt16
  /// Units of 10 ms.
  package let supervisionTimeout: UInt16

  /// The subevent code.
  package static let subevent: UInt8 = 0x03

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    interval = try cursor.u16()
    latency = try cursor.u16()
    supervisionTimeout = try cursor.u16()
  }
}

/// Connection Complete (BR/EDR) and Synchronous Connection Complete: status (1 byte), handle (2),
/// address (6), link type (1) (7.7.3, 7.7.35).
package struct ConnectionComplete: Sendable {
  /// Success, or why no link came about.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// The peer's address, which is public.
  package let peer: DeviceAddress
  /// 0 SCO, 1 ACL, 2 eSCO.
  package let linkType: UInt8

  /// The event codes.
  package static let code: UInt8 = 0x03
  /// The event code for synchronous links.
  package static let synchronousCode: UInt8 = 0x2c

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    peer = try DeviceAddress(parsing: &cursor)
    linkType = try cursor.u8()
  }
}

/// Events that begin with status (1 byte) and handle (2), and, those that have one, a byte that
/// says the rest: Disconnection Complete (reason), Encryption Change (enabled), CIS Established.
package struct LinkEvent: Sendable {
  /// Success, or why nothing happened.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// The byte after the handle.
  package let detail: UInt8?

  /// Encryption Change, version 1.
  package static let encryptionChangeCode: UInt8 = 0x08
  /// Encryption Change, version 2.
  package static let encryptionChangeV2Code: UInt8 = 0x59
  /// Encryption Key Refresh Complete.
  package static let encryptionKeyRefreshCode: UInt8 = 0x30
  /// LE Meta subevents: LE CIS Established, versions 1 and 2.
  package static let isochronousSubevents: [UInt8] = [0x19, 0x2a]

  /// Reads the parameters, those of LE Meta events after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    detail = cursor.isAtEnd ? nil : try cursor.u8()
  }
}

/// Number Of Completed Packets: count (1 byte), then handle (2) and number (2) of each link (7.7.19).
package struct NumberOfCompletedPackets: Sendable {
  /// How many links the event speaks of.
  package let count: Int

  /// Reads the count.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    count = Int(try cursor.u8())
  }

  /// One link.
  package struct Link: Sendable {
    /// Its handle.
    package let handle: UInt16
    /// How many of its packets left the controller since the event before.
    package let packets: UInt16

    /// Reads the next link.
    @_lifetime(cursor: copy cursor)
    package init(parsing cursor: inout Cursor) throws(ParseError) {
      handle = try cursor.u16() & 0x0fff
      packets = try cursor.u16()
    }
  }
}

/// Command Complete: number of commands that the host may send (1 byte), opcode (2), return
/// parameters (7.7.14).
package struct CommandComplete: Sendable {
  /// How many commands the host may send.
  package let credits: UInt8
  /// The command that is complete; 0: none, the event only tells the number.
  package let opcode: UInt16

  /// Reads the parameters before the command's own.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    credits = try cursor.u8()
    opcode = try cursor.u16()
  }

  /// Whether the command is a vendor's: its return parameters are the vendor's, too.
  package var isVendors: Bool { opcode >> 10 == 0x3f }
}

/// Command Status: status (1 byte), number of commands that the host may send (1), opcode (2)
/// (7.7.15).
package struct CommandStatus: Sendable {
  /// Success, or why the command was not begun.
  package let status: StatusCode
  /// How many commands the host may send.
  package let credits: UInt8
  /// The command; 0: none, the event only tells the number.
  package let opcode: UInt16

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    credits = try cursor.u8()
    opcode = try cursor.u16()
  }
}
