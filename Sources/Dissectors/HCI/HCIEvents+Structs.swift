// The events that the memory of connections reads: a struct each, beside the rows that describe them for
// people. Those about keys and links' parameters are in HCIEvents+Security.swift and HCIEvents+Links.swift.
// All fields little-endian.

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
  /// Enhanced: the resolvable private address that this host's controller used; nil for none (all zeros).
  package let localResolvable: DeviceAddress?
  /// Enhanced: the resolvable private address that the peer used, where the controller has resolved it
  /// to `peer`; nil for none (all zeros).
  package let peerResolvable: DeviceAddress?
  /// Units of 1.25 ms.
  package let interval: UInt16
  /// Events that may be skipped.
  package let latency: UInt16
  /// Units of 10 ms.
  package let supervisionTimeout: UInt16

  /// The subevent code of LE Connection Complete.
  package static let version1: UInt8 = 0x01
  /// That of LE Enhanced Connection Complete.
  package static let enhanced: UInt8 = 0x0a
  /// That of its version 2.
  package static let enhancedVersion2: UInt8 = 0x29
  /// All of them.
  package static let subevents: [UInt8] = [version1, enhanced, enhancedVersion2]

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(subevent: UInt8, parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    role = try cursor.u8()
    peerType = AddressType(rawValue: try cursor.u8())
    peer = try DeviceAddress(parsing: &cursor)
    if subevent == Self.version1 {
      localResolvable = nil
      peerResolvable = nil
    } else {
      let local = try DeviceAddress(parsing: &cursor)
      localResolvable = local == .zero ? nil : local
      let peers = try DeviceAddress(parsing: &cursor)
      peerResolvable = peers == .zero ? nil : peers
    }
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
  package var isVendors: Bool { HCICommand.isVendors(opcode) }
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
