// What a few commands return, behind the header of Command Complete: a struct each. All fields
// little-endian.

package import Bluetooth
package import Bytes

/// What Read BD_ADDR returns: status (1 byte), address (6) (Core, Vol 4, Part E, 7.4.6).
package struct ReadBDADDRReturn: Sendable {
  /// Success, or why nothing was read.
  package let status: StatusCode
  /// The controller's public address.
  package let address: DeviceAddress

  /// Reads the return parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    address = try DeviceAddress(parsing: &cursor)
  }
}

/// What Read Local Version Information returns: status (1 byte), HCI version (1), HCI revision (2), LMP
/// version (1), company identifier (2), LMP subversion (2), which is not looked at (Core, Vol 4, Part E,
/// 7.4.1).
package struct ReadLocalVersionInformationReturn: Sendable {
  /// Success, or why nothing was read.
  package let status: StatusCode
  /// HCI_Version.
  package let hciVersion: UInt8
  /// HCI_Subversion, the maker's.
  package let hciRevision: UInt16
  /// LMP_Version.
  package let lmpVersion: UInt8
  /// Who made the controller.
  package let company: UInt16

  /// Reads the return parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    hciVersion = try cursor.u8()
    hciRevision = try cursor.u16()
    lmpVersion = try cursor.u8()
    company = try cursor.u16()
  }
}

/// What Read Encryption Key Size returns: status (1 byte), handle (2), size (1) (Core, Vol 4, Part E,
/// 7.5.6).
package struct ReadEncryptionKeySizeReturn: Sendable {
  /// Success, or why nothing was read.
  package let status: StatusCode
  /// The connection handle.
  package let handle: UInt16
  /// How many bytes of the key count.
  package let size: UInt8

  /// Reads the return parameters.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    handle = try cursor.u16() & 0x0fff
    size = try cursor.u8()
  }
}
