package import Bluetooth
package import Bytes

/// A periodic advertising train that the controller found, or that a peer passed on: LE Periodic
/// Advertising Sync Established and Sync Transfer Received, in both versions (Core, Vol 4, Part E,
/// 7.7.65.14, 7.7.65.24).
package struct PeriodicSync: Sendable {
  /// Whether it was found.
  package let status: StatusCode
  /// The handle that its reports carry.
  package let handle: UInt16
  /// The advertising set's identifier.
  package let sid: UInt8
  /// The type of the advertiser's address.
  package let addressType: AddressType
  /// The advertiser's address; nil where it is anonymous.
  package let address: DeviceAddress?

  /// LE Meta subevents by which a train is found.
  package static let established: [UInt8] = [0x0e, 0x24]
  /// Those by which it is passed on.
  package static let received: [UInt8] = [0x18, 0x26]
  /// The one by which it is lost, which begins with its handle.
  package static let lost: UInt8 = 0x10

  /// Reads the parameters after the subevent code: status (1 byte), passed on: connection handle (2)
  /// and service data (2), sync handle (2), SID (1), address type (1), address (6). What follows, in
  /// version 2 more than in version 1, is told by the event's row.
  @_lifetime(cursor: copy cursor)
  package init(subevent: UInt8, parsing cursor: inout Cursor) throws(ParseError) {
    status = StatusCode(rawValue: try cursor.u8())
    if Self.received.contains(subevent) { _ = try cursor.take(4) }
    handle = try cursor.u16()
    sid = try cursor.u8()
    addressType = AddressType(rawValue: try cursor.u8())
    let address = try DeviceAddress(parsing: &cursor)
    self.address = addressType == .anonymous ? nil : address
  }
}
