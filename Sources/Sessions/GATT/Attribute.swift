package import Bluetooth

/// An attribute of a GATT server, as far as the capture tells what it is.
package struct Attribute: Equatable, Sendable {
  /// What an attribute is.
  package enum Kind: UInt8, Sendable {
    /// The declaration of a service.
    case service
    /// The declaration of an included service.
    case include
    /// The declaration of a characteristic.
    case characteristic
    /// The value of a characteristic.
    case value
    /// Anything else: a descriptor.
    case descriptor

    /// Whether it only says what other attributes are.
    var isDeclaration: Bool { rawValue <= Self.characteristic.rawValue }

    /// As the JSON contract names it.
    package var key: StaticString {
      switch self {
      case .service: "service"
      case .include: "include"
      case .characteristic: "characteristic"
      case .value: "value"
      case .descriptor: "descriptor"
      }
    }
  }

  /// How it is known what an attribute is.
  package enum Via: UInt8, Sendable {
    /// The server has said so on this connection, or it is certain that what it said before still holds.
    case discovered
    /// The server has said so on an earlier connection.
    case carried
    /// A map from elsewhere says so.
    case supplied
    /// It is concluded from how it was used.
    case inferred

    /// As the JSON contract names it.
    package var key: StaticString {
      switch self {
      case .discovered: "discovered"
      case .carried: "carried"
      case .supplied: "supplied"
      case .inferred: "inferred"
      }
    }
  }

  /// Its handle.
  package let handle: UInt16
  /// What it is.
  package var kind: Kind
  /// How that is known.
  package var via = Via.discovered
  /// Of a service: whether it was declared as a secondary one.
  package var isSecondary = false
  /// The UUID of the service or characteristic that it declares, of the characteristic whose value it
  /// is, or of the descriptor: the UUID that it stands for. Of an include whose service has a long
  /// UUID, «Include».
  package var uuid: BluetoothUUID
  /// Of a characteristic's declaration, the handle of its value; of an include, the first handle of the
  /// service; of a descriptor, the handle of the value that it belongs to, where that is concluded. 0: not
  /// known.
  package var target: UInt16 = 0
  /// Of a service or include, the last handle of the service; 0: not known.
  package var end: UInt16 = 0
  /// Of a characteristic's declaration.
  package var properties = CharacteristicProperties(rawValue: 0)
  /// Of a descriptor «Characteristic Extended Properties»: its value, which never changes.
  package var extendedProperties: UInt16?
  /// The number of the connection on which this was learnt last.
  package var connection: Int
  /// The packet that told it last.
  package var packet: Int
  /// How many of its groups of digits tell a long UUID from all others of the server: 1 to 5.
  package internal(set) var groups: UInt8 = 1
  /// Whether another attribute of the server has the same UUID: then the handle tells them apart. The
  /// declarations of services and characteristics do not count.
  package internal(set) var hasTwin = false

  /// Whether both say the same of what an attribute is, as far as they say it.
  func agrees(with other: Self) -> Bool {
    // One UUID may be written in two forms.
    guard kind == other.kind, uuid == other.uuid || uuid.shortest == other.uuid.shortest else {
      return false
    }
    switch kind {
    // The last service of a server may be said to reach to the end of all handles.
    case .service:
      return end == other.end || end == 0 || other.end == 0 || max(end, other.end) == .max
    case .include: return target == other.target && end == other.end
    case .characteristic: return target == other.target && properties == other.properties
    case .value, .descriptor: return true
    }
  }
}

extension BluetoothUUID {
  /// «Service Changed», whose indications name a range of handles.
  static let serviceChanged = Self(0x2a05)
  /// «Characteristic Extended Properties».
  package static let extendedProperties = Self(0x2900)
  /// «Client Characteristic Configuration».
  package static let clientConfiguration = Self(0x2902)

  /// Whether attributes of this type declare services, includes or characteristics.
  var isDeclaration: Bool { width == 2 && 0x2800...0x2803 ~= low }

  /// Whether the Assigned Numbers give this type to descriptors.
  package var isDescriptor: Bool { width == 2 && low >> 8 == 0x29 }
}

extension Attribute.Kind {
  /// What an attribute of this kind is named as: a declaration by what it declares.
  package var use: BluetoothUUID.AttributeUse {
    switch self {
    case .service, .include: .service
    case .characteristic, .value: .characteristic
    case .descriptor: .descriptor
    }
  }
}
