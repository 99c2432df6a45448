// The events on changes of links and on the end of procedures: a struct for each, besides the rows
// that describe them for display. All fields are little-endian.

package import Bluetooth
package import Bytes

/// Events of which only status (1 byte) and handle (2) are used: Authentication Complete, LE CIS
/// Established (Core, Vol 4, Part E, 7.7.6, 7.7.65.25).
package struct LinkEvent: Sendable {
  /// Success, or why the procedure failed.
  package let status: StatusCode
  package let handle: UInt16

  /// LE Meta subevent: LE CIS Established.
  static let streamEstablished: UInt8 = 0x19
  /// LE Meta subevent: LE CIS Established, version 2.
  static let streamEstablishedV2: UInt8 = 0x2a

  /// Reads the parameters; for LE Meta events, those after the subevent code.
  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
  }
}

/// Disconnection Complete: status (1 byte), handle (2), reason (1) (7.7.5).
package struct DisconnectionComplete: Sendable {
  /// Success, or why the link was not ended.
  package let status: StatusCode
  package let handle: UInt16
  /// Why the link ended; nil if the capture does not have it.
  package let reason: StatusCode?

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    reason = (try? cursor.u8()).map { StatusCode(rawValue: $0) }
  }
}

/// Encryption Change: status (1 byte), handle (2), enabled (1), and in version 2 key size (1);
/// Encryption Key Refresh Complete: status (1), handle (2) (7.7.8, 7.7.39).
package struct EncryptionChange: Sendable {
  /// Success, or why the link was not encrypted.
  package let status: StatusCode
  package let handle: UInt16
  /// Whether the event is Encryption Key Refresh Complete.
  package let isRefresh: Bool
  /// 0 off, 1 on, on BR/EDR with E0, 2 on with AES-CCM; nil in a refresh, or if the capture does
  /// not have it.
  package let enabled: UInt8?
  /// The size of the key in bytes; nil if the event does not report it.
  package let keySize: UInt8?

  /// Whether the link is encrypted after a success; nil if the capture does not have that.
  package var isOn: Bool? { isRefresh ? true : enabled.map { $0 != 0 } }

  static let code: UInt8 = 0x08
  static let version2: UInt8 = 0x59
  /// The event code of Encryption Key Refresh Complete.
  static let refreshCode: UInt8 = 0x30

  @_lifetime(cursor: copy cursor)
  init(_ code: UInt8, parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    isRefresh = code == Self.refreshCode
    enabled = isRefresh ? nil : try? cursor.u8()
    keySize = code == Self.version2 ? try? cursor.u8() : nil
  }
}

/// Role Change (BR/EDR): status (1 byte), address (6), new role (1) (7.7.18).
package struct RoleChange: Sendable {
  /// Success, or why the roles stay as they are.
  package let status: StatusCode
  /// The peer's public address.
  package let peer: DeviceAddress
  /// The local host's new role: 0 central, 1 peripheral.
  package let role: UInt8

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    peer = try DeviceAddress(parsing: &cursor)
    role = try cursor.u8()
  }
}

/// Read Remote Version Information Complete: status (1 byte), handle (2), version (1), company
/// identifier (2); the subversion is ignored (7.7.12).
package struct RemoteVersion: Sendable {
  /// Success, or why the peer did not report it.
  package let status: StatusCode
  package let handle: UInt16
  /// The manufacturer of the peer's controller; nil if the capture does not have it.
  package let company: UInt16?

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    company = (try? cursor.u8()) == nil ? nil : try? cursor.u16()
  }
}

/// LE Read Remote Features Complete, version 1: status (1 byte), handle (2), features (8)
/// (7.7.65.4).
package struct LERemoteFeatures: Sendable {
  /// Success, or why the peer did not report them.
  package let status: StatusCode
  package let handle: UInt16
  /// The peer's features; nil if the capture does not have them.
  package let features: UInt64?

  package static let subevent: UInt8 = 0x04

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    features = try? cursor.unsigned(width: 8)
  }
}

/// LE CIS Request: ACL handle (2 bytes), CIS handle (2); the group is ignored (7.7.65.26).
package struct LECISRequest: Sendable {
  /// The handle of the ACL connection.
  package let connection: UInt16
  /// The handle of the stream.
  package let stream: UInt16

  static let subevent: UInt8 = 0x1a

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    connection = try cursor.u16() & 0x0fff
    stream = try cursor.u16() & 0x0fff
  }
}

/// LE Connection Update Complete: status (1 byte), handle (2), interval (2), latency (2),
/// supervision timeout (2) (7.7.65.3).
package struct LEConnectionUpdateComplete: Sendable {
  /// Success, or why the update failed.
  package let status: StatusCode
  package let handle: UInt16
  /// In units of 1.25 ms.
  package let interval: UInt16
  /// The number of connection events that the peripheral may skip.
  package let latency: UInt16
  /// In units of 10 ms.
  package let supervisionTimeout: UInt16

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

/// LE PHY Update Complete: status (1 byte), handle (2), TX PHY (1), RX PHY (1) (Core, Vol 4, Part
/// E, 7.7.65.12).
package struct LEPHYUpdateComplete: Sendable {
  /// Success, or why the update failed.
  package let status: StatusCode
  package let handle: UInt16
  /// The transmitter PHY of the local controller: 1 LE 1M, 2 LE 2M, 3 LE Coded.
  package let sent: UInt8
  /// The receiver PHY of the local controller, on which the peer transmits.
  package let received: UInt8

  package static let subevent: UInt8 = 0x0c

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    sent = try cursor.u8()
    received = try cursor.u8()
  }
}

/// LE Data Length Change: maximum bytes (2) and time (2) of transmitted packets after the handle (2
/// bytes), then the same for received packets (Core, Vol 4, Part E, 7.7.65.7).
package struct LEDataLengthChange: Sendable {
  package let handle: UInt16
  /// The maximum number of payload bytes that the local controller transmits in a packet.
  package let sent: UInt16
  /// The maximum duration of such a packet, in microseconds.
  package let sentTime: UInt16
  /// The maximum number of payload bytes that the peer transmits in a packet.
  package let received: UInt16
  /// The maximum duration of such a packet, in microseconds.
  package let receivedTime: UInt16

  package static let subevent: UInt8 = 0x07

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    sent = try cursor.u16()
    sentTime = try cursor.u16()
    received = try cursor.u16()
    receivedTime = try cursor.u16()
  }
}

/// LE Subrate Request: handle (2 bytes), minimum and maximum subrate factor (2 each), maximum
/// peripheral latency (2), continuation number (2), supervision timeout (2) (Core, Vol 4, Part E,
/// 7.8.124).
package struct LESubrateRequest: Equatable, Sendable {
  package let handle: UInt16
  /// The minimum subrate factor: one of this many connection events is used.
  package let leastFactor: UInt16
  /// The maximum subrate factor.
  package let mostFactor: UInt16
  /// The maximum number of subrated events that the peripheral may skip.
  package let latency: UInt16
  /// The number of consecutive events that are used after data was transferred.
  package let continuation: UInt16
  /// In units of 10 ms.
  package let supervisionTimeout: UInt16

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    leastFactor = try cursor.u16()
    mostFactor = try cursor.u16()
    latency = try cursor.u16()
    continuation = try cursor.u16()
    supervisionTimeout = try cursor.u16()
  }
}

/// LE Subrate Change: status (1 byte), handle (2), subrate factor (2), peripheral latency (2),
/// continuation number (2), supervision timeout (2) (Core, Vol 4, Part E, 7.7.65.35).
package struct LESubrateChange: Sendable {
  /// Success, or why the change failed.
  package let status: StatusCode
  package let handle: UInt16
  /// The subrate factor: one of this many connection events is used.
  package let factor: UInt16
  /// The number of subrated events that the peripheral may skip.
  package let latency: UInt16
  /// The number of consecutive events that are used after data was transferred.
  package let continuation: UInt16
  /// In units of 10 ms.
  package let supervisionTimeout: UInt16

  package static let subevent: UInt8 = 0x23

  /// Reads the parameters after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    factor = try cursor.u16()
    latency = try cursor.u16()
    continuation = try cursor.u16()
    supervisionTimeout = try cursor.u16()
  }
}

/// The parameters of Write Authenticated Payload Timeout, and those that Read Authenticated Payload
/// Timeout returns after its status: handle (2 bytes), timeout (2) (Core, Vol 4, Part E, 7.3.93 and
/// 7.3.94).
package struct AuthenticatedPayloadTimeout: Sendable {
  package let handle: UInt16
  /// In units of 10 ms.
  package let timeout: UInt16

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    timeout = try cursor.u16()
  }
}
