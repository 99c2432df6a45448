// Attribute values that describe other attributes, as read by discovery (Core, Vol 3, Part G, 3).

package import Bluetooth
import Bytes

/// The value of a «Characteristic» declaration: properties (1 byte), value handle (2), UUID (2 or
/// 16) (Core, Vol 3, Part G, 3.3.1).
package struct CharacteristicDeclaration: Sendable {
  /// The operations permitted on the value.
  package let properties: CharacteristicProperties
  package let valueHandle: UInt16
  package let uuid: BluetoothUUID

  /// Reads a declaration; returns nil if the value is malformed.
  package init?(_ value: RawSpan) {
    var cursor = Cursor(value)
    guard let properties = try? cursor.u8(), let handle = try? cursor.u16(),
      let uuid = try? BluetoothUUID(parsing: &cursor, width: cursor.remaining)
    else { return nil }
    self.properties = CharacteristicProperties(rawValue: properties)
    valueHandle = handle
    self.uuid = uuid
  }
}

/// The value of an «Include» declaration: included service's handle (2 bytes), end group handle
/// (2), UUID (2, absent if it is a 128-bit one) (Core, Vol 3, Part G, 3.2).
package struct IncludeDeclaration: Sendable {
  /// The first handle of the included service.
  package let startHandle: UInt16
  /// The last handle of the included service.
  package let endHandle: UInt16
  /// The service's UUID; nil if it has 128 bits and must be read from the service declaration.
  package let uuid: BluetoothUUID?

  /// Reads a declaration; returns nil if the value is malformed.
  package init?(_ value: RawSpan) {
    guard value.byteCount == 4 || value.byteCount == 6 else { return nil }
    var cursor = Cursor(value)
    guard let start = try? cursor.u16(), let end = try? cursor.u16() else { return nil }
    startHandle = start
    endHandle = end
    uuid = (try? cursor.u16()).map { BluetoothUUID($0) }
  }
}

/// The declaration in a discovered attribute's value, determined by the requested type.
package enum DeclaredAttribute: Sendable {
  /// A primary or secondary service with this UUID.
  case service(BluetoothUUID)
  case characteristic(CharacteristicDeclaration)
  /// An included service.
  case include(IncludeDeclaration)
  /// No declaration, or a malformed one.
  case other

  /// Reads `value` of an attribute with the type `type`.
  package init(_ value: RawSpan, _ type: BluetoothUUID?) {
    self = .other
    switch type {
    case .some(.primaryService), .some(.secondaryService):
      var cursor = Cursor(value)
      if let uuid = try? BluetoothUUID(parsing: &cursor, width: value.byteCount) {
        self = .service(uuid)
      }
    case .some(.characteristic):
      if let declaration = CharacteristicDeclaration(value) { self = .characteristic(declaration) }
    case .some(.include):
      if let declaration = IncludeDeclaration(value) { self = .include(declaration) }
    default: break
    }
  }
}
