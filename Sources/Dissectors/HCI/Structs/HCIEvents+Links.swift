// The events on changes of links and on the end of procedures: a struct for each, besides the rows
// that describe them for display. All fields are little-endian.

package import Bluetooth
package import Bytes

/// Events that begin with status (1 byte) and handle (2), some followed by a significant byte:
/// Disconnection Complete (reason), Encryption Change (enabled), CIS Established. For the others
/// only status and handle are used: Authentication Complete, LE Read Remote Features Complete
/// (version 1), LE Subrate Change (Core, Vol 4, Part E, 7.7.5, 7.7.6, 7.7.8, 7.7.65.4, .25, .35).
package struct LinkEvent: Sendable {
  /// Success, or why the procedure failed.
  package let status: StatusCode
  package let handle: UInt16
  /// The byte after the handle.
  package let detail: UInt8?

  /// Encryption Change, version 1.
  package static let encryptionChangeCode: UInt8 = 0x08
  /// Encryption Change, version 2.
  package static let encryptionChangeV2Code: UInt8 = 0x59
  /// Encryption Key Refresh Complete.
  package static let encryptionKeyRefreshCode: UInt8 = 0x30
  /// LE Meta subevent: LE Read Remote Features Complete, version 1.
  package static let remoteFeaturesSubevent: UInt8 = 0x04
  /// LE Meta subevent: LE Subrate Change.
  package static let subrateChangeSubevent: UInt8 = 0x23
  /// LE Meta subevents: LE CIS Established, versions 1 and 2.
  package static let isochronousSubevents: [UInt8] = [0x19, 0x2a]

  /// Reads the parameters; for LE Meta events, those after the subevent code.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    detail = cursor.isAtEnd ? nil : try cursor.u8()
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

/// Hardware Error: code (1 byte), defined by the manufacturer (Core, Vol 4, Part E, 7.7.16).
package struct HardwareErrorEvent: Sendable {
  /// The manufacturer's error code.
  package let hardwareCode: UInt8

  package static let code: UInt8 = 0x10

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    hardwareCode = try cursor.u8()
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
