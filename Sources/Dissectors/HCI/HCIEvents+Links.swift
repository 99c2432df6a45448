// What events tell of links: that they change, and that something about them has ended. A struct each,
// beside the rows that describe them for people. All fields little-endian.

package import Bluetooth
package import Bytes

/// Events that begin with status (1 byte) and handle (2), and, those that have one, a byte that
/// says the rest: Disconnection Complete (reason), Encryption Change (enabled), CIS Established. Of others
/// only the status and the handle are looked at: Authentication Complete, LE Read Remote Features Complete
/// (its first version), LE Subrate Change (Core, Vol 4, Part E, 7.7.5, 7.7.6, 7.7.8, 7.7.65.4, .25, .35).
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
  /// LE Meta subevent: LE Read Remote Features Complete, version 1.
  package static let remoteFeaturesSubevent: UInt8 = 0x04
  /// LE Meta subevent: LE Subrate Change.
  package static let subrateChangeSubevent: UInt8 = 0x23
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

/// LE PHY Update Complete: status (1 byte), handle (2), TX PHY (1), RX PHY (1) (Core, Vol 4, Part E,
/// 7.7.65.12).
package struct LEPHYUpdateComplete: Sendable {
  /// Success, or why nothing changed.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// What this host's controller sends on: 1 LE 1M, 2 LE 2M, 3 LE Coded.
  package let sent: UInt8
  /// What the peer sends on.
  package let received: UInt8

  /// The subevent code.
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

/// LE Data Length Change: handle (2 bytes), most bytes (2) and longest time (2) of packets that are sent,
/// the same of those that are received (Core, Vol 4, Part E, 7.7.65.7).
package struct LEDataLengthChange: Sendable {
  /// The connection handle.
  package let handle: UInt16
  /// Bytes of a packet that this host's controller sends, at most.
  package let sent: UInt16
  /// How long such a packet may take, in microseconds.
  package let sentTime: UInt16
  /// Bytes of a packet that the peer sends, at most.
  package let received: UInt16
  /// How long such a packet may take, in microseconds.
  package let receivedTime: UInt16

  /// The subevent code.
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

/// Hardware Error: code (1 byte), whose meaning only the maker knows (Core, Vol 4, Part E, 7.7.16).
package struct HardwareErrorEvent: Sendable {
  /// What is wrong.
  package let hardwareCode: UInt8

  /// The event code.
  package static let code: UInt8 = 0x10

  /// Reads the parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    hardwareCode = try cursor.u8()
  }
}

/// LE Subrate Request: handle (2 bytes), smallest and largest subrate factor (2 each), largest peripheral
/// latency (2), continuation number (2), supervision timeout (2) (Core, Vol 4, Part E, 7.8.124).
package struct LESubrateRequest: Equatable, Sendable {
  /// The connection handle.
  package let handle: UInt16
  /// Of how many connection events one is to be used, at least.
  package let leastFactor: UInt16
  /// And at most.
  package let mostFactor: UInt16
  /// Subrated events that the peripheral may skip, at most.
  package let latency: UInt16
  /// Events in a row that are to be used once data came.
  package let continuation: UInt16
  /// Units of 10 ms.
  package let supervisionTimeout: UInt16

  /// Reads the parameters.
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

/// LE Subrate Change: status (1 byte), handle (2), subrate factor (2), peripheral latency (2), continuation
/// number (2), supervision timeout (2) (Core, Vol 4, Part E, 7.7.65.35).
package struct LESubrateChange: Sendable {
  /// Success, or why nothing changed.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// Of how many connection events one is used.
  package let factor: UInt16
  /// Subrated events that the peripheral may skip.
  package let latency: UInt16
  /// Events in a row that are used once data came.
  package let continuation: UInt16
  /// Units of 10 ms.
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

/// Authenticated Payload Timeout: handle (2 bytes), timeout (2): what Write Authenticated Payload Timeout
/// asks for, and what Read Authenticated Payload Timeout returns behind its status (Core, Vol 4, Part E,
/// 7.3.93 and 7.3.94).
package struct AuthenticatedPayloadTimeout: Sendable {
  /// The connection handle.
  package let handle: UInt16
  /// Units of 10 ms.
  package let timeout: UInt16

  /// Reads handle and timeout.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    handle = try cursor.u16() & 0x0fff
    timeout = try cursor.u16()
  }
}
