// What attributes say of other attributes: the values that discovery reads (Core, Vol 3, Part G, 3).

package import Bluetooth
import Bytes

/// The value of a «Characteristic» declaration: properties (1 byte), value handle (2), UUID (2 or
/// 16) (Core, Vol 3, Part G, 3.3.1).
package struct CharacteristicDeclaration: Sendable {
  /// What may be done with the value.
  package let properties: CharacteristicProperties
  /// The handle of the value.
  package let valueHandle: UInt16
  /// What the characteristic is.
  package let uuid: BluetoothUUID

  /// Reads a declaration, or gives nil where the value is none.
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
/// (2), UUID (2, or none where it is long) (Core, Vol 3, Part G, 3.2).
package struct IncludeDeclaration: Sendable {
  /// The included service's first handle.
  package let startHandle: UInt16
  /// And its last.
  package let endHandle: UInt16
  /// What service; nil where the UUID is long and must be read from the service's declaration.
  package let uuid: BluetoothUUID?

  /// Reads a declaration, or gives nil where the value is none.
  package init?(_ value: RawSpan) {
    guard value.byteCount == 4 || value.byteCount == 6 else { return nil }
    var cursor = Cursor(value)
    guard let start = try? cursor.u16(), let end = try? cursor.u16() else { return nil }
    startHandle = start
    endHandle = end
    uuid = (try? cursor.u16()).map { BluetoothUUID($0) }
  }
}

/// What the value of a discovered attribute declares, by the type that was asked for.
package enum DeclaredAttribute: Sendable {
  /// A primary or secondary service of this UUID.
  case service(BluetoothUUID)
  /// A characteristic.
  case characteristic(CharacteristicDeclaration)
  /// An included service.
  case include(IncludeDeclaration)
  /// Nothing, or nothing that can be read.
  case other

  /// Reads `value`, which an attribute of the type `type` has.
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
