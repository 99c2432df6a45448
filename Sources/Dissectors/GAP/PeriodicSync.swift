package import Bluetooth
import Bytes

/// A periodic advertising train to which the controller has synchronized, by itself or with a
/// transfer from a peer: LE Periodic Advertising Sync Established and Sync Transfer Received, in
/// both versions (Core, Vol 4, Part E, 7.7.65.14, 7.7.65.24).
package struct PeriodicSync: Sendable {
  /// Whether the controller synchronized with the help of a peer.
  package let isTransferred: Bool
  /// Whether synchronization succeeded.
  package let status: StatusCode
  /// The sync handle used in its reports.
  package let handle: UInt16
  /// The Advertising SID.
  package let sid: UInt8
  package let addressType: AddressType
  /// The advertiser's address; nil if it is anonymous.
  package let address: DeviceAddress?

  // The LE Meta subevents for synchronization by the controller, and with a transfer from a peer.
  static let established: UInt8 = 0x0e
  static let establishedV2: UInt8 = 0x24
  static let received: UInt8 = 0x18
  static let receivedV2: UInt8 = 0x26
  /// The LE Meta subevent for lost synchronization, which begins with the sync handle.
  static let lost: UInt8 = 0x10

  /// Reads the parameters after the subevent code: status (1 byte), in a transfer connection handle
  /// (2) and service data (2), sync handle (2), SID (1), address type (1), address (6). The event's
  /// row describes the rest, which is longer in version 2.
  @_lifetime(cursor: copy cursor)
  init(subevent: UInt8, parsing cursor: inout Cursor) throws(ParseError) {
    isTransferred = subevent == Self.received || subevent == Self.receivedV2
    status = StatusCode(rawValue: try cursor.u8())
    if isTransferred { _ = try cursor.take(4) }
    handle = try cursor.u16()
    sid = try cursor.u8()
    addressType = AddressType(rawValue: try cursor.u8())
    let address = try DeviceAddress(parsing: &cursor)
    self.address = addressType == .anonymous ? nil : address
  }
}
