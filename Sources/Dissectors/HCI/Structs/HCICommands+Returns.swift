// The return parameters of some commands, after the header of Command Complete: a struct for each.
// All fields are little-endian.

package import Bluetooth
package import Bytes

/// The return parameters of Read BD_ADDR: status (1 byte), address (6) (Core, Vol 4, Part E,
/// 7.4.6).
package struct ReadBDADDRReturn: Sendable {
  /// Success, or why the command failed.
  package let status: StatusCode
  /// The controller's public address.
  package let address: DeviceAddress

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    address = try DeviceAddress(parsing: &cursor)
  }
}

/// The return parameters of Read Local Version Information: status (1 byte), HCI version (1), HCI
/// revision (2), LMP version (1), company identifier (2), LMP subversion (2), which is ignored
/// (Core, Vol 4, Part E, 7.4.1).
package struct ReadLocalVersionInformationReturn: Sendable {
  /// Success, or why the command failed.
  package let status: StatusCode
  package let hciVersion: UInt8
  /// HCI_Subversion, assigned by the manufacturer.
  package let hciRevision: UInt16
  package let lmpVersion: UInt8
  /// The controller's manufacturer.
  package let company: UInt16

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    hciVersion = try cursor.u8()
    hciRevision = try cursor.u16()
    lmpVersion = try cursor.u8()
    company = try cursor.u16()
  }
}

/// The return parameters of Read Encryption Key Size: status (1 byte), handle (2), size (1) (Core,
/// Vol 4, Part E, 7.5.6).
package struct ReadEncryptionKeySizeReturn: Sendable {
  /// Success, or why the command failed.
  package let status: StatusCode
  package let handle: UInt16
  /// The encryption key size in bytes.
  package let size: UInt8

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    size = try cursor.u8()
  }
}
