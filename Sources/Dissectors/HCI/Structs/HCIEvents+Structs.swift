// The events from which connections are tracked: a struct for each, besides the rows that describe
// them for display. Those that concern keys and link parameters are in HCIEvents+Security.swift and
// HCIEvents+Links.swift. All fields are little-endian.

package import Bluetooth
package import Bytes

/// LE Connection Complete and its enhanced versions: the link that was created.
///
/// Status (1 byte), handle (2), role (1), peer address type (1), peer address (6); enhanced: local
/// and peer resolvable private address (6 each); interval (2), latency (2), supervision timeout
/// (2), clock accuracy (1); version 2: two more handles (Core, Vol 4, Part E, 7.7.65.1 and .10).
package struct LEConnectionComplete: Sendable {
  /// Success, or why no connection was created.
  package let status: StatusCode
  package let handle: UInt16
  /// The local host's role: 0 central, 1 peripheral.
  package let role: UInt8
  package let peerType: AddressType
  package let peer: DeviceAddress
  // All zeros for none.
  private let local: DeviceAddress
  private let resolved: DeviceAddress
  /// In units of 1.25 ms.
  package let interval: UInt16
  /// The number of connection events that the peripheral may skip.
  package let latency: UInt16
  /// In units of 10 ms.
  package let supervisionTimeout: UInt16

  /// Enhanced: the resolvable private address used by the local controller.
  package var localResolvable: DeviceAddress? { local == .zero ? nil : local }
  /// Enhanced: the resolvable private address used by the peer, if the controller resolved it to
  /// `peer`.
  package var peerResolvable: DeviceAddress? { resolved == .zero ? nil : resolved }

  /// The subevent code of LE Connection Complete.
  package static let version1: UInt8 = 0x01
  /// The subevent code of LE Enhanced Connection Complete.
  package static let enhanced: UInt8 = 0x0a
  /// The subevent code of LE Enhanced Connection Complete, version 2.
  package static let enhancedVersion2: UInt8 = 0x29

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(subevent: UInt8, parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    role = try cursor.u8()
    peerType = AddressType(rawValue: try cursor.u8())
    peer = try DeviceAddress(parsing: &cursor)
    let isEnhanced = subevent != Self.version1
    local = isEnhanced ? try DeviceAddress(parsing: &cursor) : .zero
    resolved = isEnhanced ? try DeviceAddress(parsing: &cursor) : .zero
    interval = try cursor.u16()
    latency = try cursor.u16()
    supervisionTimeout = try cursor.u16()
  }
}

/// Connection Complete (BR/EDR) and Synchronous Connection Complete: status (1 byte), handle (2),
/// address (6), link type (1) (7.7.3, 7.7.35).
package struct ConnectionComplete: Sendable {
  /// Success, or why no connection was created.
  package let status: StatusCode
  package let handle: UInt16
  /// The peer's public address.
  package let peer: DeviceAddress
  /// 0 SCO, 1 ACL, 2 eSCO.
  package let linkType: UInt8
  /// Whether it reports a connection, which carries L2CAP.
  package var isConnection: Bool { linkType == 1 }

  /// The event code of Connection Complete.
  package static let code: UInt8 = 0x03
  /// The event code of Synchronous Connection Complete.
  package static let synchronousCode: UInt8 = 0x2c

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    peer = try DeviceAddress(parsing: &cursor)
    linkType = try cursor.u8()
  }
}

/// Number Of Completed Packets: count (1 byte), then handle (2) and number (2) of each link
/// (7.7.19).
package struct CompletedPackets: Sendable {
  /// The number of links that the capture has.
  package let count: Int
  /// Whether the event is about one link.
  package let isOfOne: Bool
  /// The handles and numbers.
  private let list: Slice

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) {
    let claimed = (try? cursor.u8()) ?? 0
    isOfOne = claimed == 1
    list = cursor.rest()
    count = min(Int(claimed), Int(list.count) / 4)
  }

  /// Returns the handle of one of the links, and how many of its packets were completed.
  package func link(_ index: Int, _ bytes: RawSpan) -> (handle: UInt16, packets: Int) {
    let start = Int(list.start) + 4 * index
    return (
      bytes.littleEndianU16(at: start) & 0x0fff, Int(bytes.littleEndianU16(at: start + 2))
    )
  }
}

/// Command Complete: number of commands that the host may send (1 byte), opcode (2), return
/// parameters (7.7.14).
package struct CommandComplete: Sendable {
  /// The number of commands that the host may send.
  package let credits: UInt8
  /// The completed command; 0 if the event only reports the number of commands allowed.
  package let opcode: UInt16
  /// The return parameters' first byte, which is the status of every command in the specification.
  package let status: StatusCode?
  /// The return parameters.
  package let returns: Slice

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    credits = try cursor.u8()
    opcode = try cursor.u16()
    var first = cursor
    status = (try? first.u8()).map { StatusCode(rawValue: $0) }
    returns = cursor.rest()
  }

  /// Whether the command is vendor-specific, so that its return parameters are too.
  package var isVendors: Bool { HCICommand.isVendors(opcode) }
}

/// Command Status: status (1 byte), number of commands that the host may send (1), opcode (2)
/// (7.7.15).
package struct CommandStatus: Sendable {
  /// Success if the command is being processed; otherwise why it is not.
  package let status: StatusCode
  /// The number of commands that the host may send.
  package let credits: UInt8
  /// The command; 0 if the event only reports the number of commands allowed.
  package let opcode: UInt16

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    credits = try cursor.u8()
    opcode = try cursor.u16()
  }
}
