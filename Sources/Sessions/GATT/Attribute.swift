package import Bluetooth
package import Bytes

/// An attribute of a GATT server, with what the capture reveals of it.
package struct Attribute: Equatable, Sendable {
  /// The kind of an attribute.
  @usableFromInline
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

    /// Whether it only declares other attributes.
    var isDeclaration: Bool { rawValue <= Self.characteristic.rawValue }

    /// The name in the JSON contract.
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

  /// How an attribute is known.
  @usableFromInline
  package enum Via: JSONKey, Sendable {
    /// The server reported it on this connection, or what it reported before certainly still holds.
    case discovered = "discovered"
    /// The server reported it on an earlier connection.
    case carried = "carried"
    /// It comes from a supplied map.
    case supplied = "supplied"
    /// It is inferred from how it was used, or from a response whose request is missing.
    case inferred = "inferred"
  }

  package let handle: UInt16
  package var kind: Kind
  /// How it is known.
  package var via = Via.discovered
  /// For a service: whether it was declared as a secondary one.
  package var isSecondary = false
  /// The UUID of the service or characteristic that it declares, of the characteristic whose value
  /// it is, or of the descriptor. For an include whose service has a 128-bit UUID, «Include».
  package var uuid: BluetoothUUID
  /// For a characteristic declaration, the handle of its value; for an include, the first handle of
  /// the service; for a descriptor, the handle of the value that it was inferred to belong to. 0:
  /// unknown.
  package var target: UInt16 = 0
  /// For a service or include, the last handle of the service; 0: unknown.
  package var end: UInt16 = 0
  /// For a characteristic declaration: its properties.
  package var properties = CharacteristicProperties(rawValue: 0)
  /// For a Characteristic Extended Properties descriptor: its value, which never changes.
  package var extendedProperties: UInt16?
  /// The number of the connection on which this was last reported.
  package var connection: Int
  /// The packet that last reported it.
  package var packet: Int
  /// How many groups of digits of a 128-bit UUID distinguish it from all others of the server: 1 to
  /// 5.
  package internal(set) var part: UUIDPart = .oneGroup
  /// Whether another attribute of the server has the same UUID, so that only the handle
  /// distinguishes them. Declarations of services and characteristics do not count.
  package internal(set) var hasTwin = false

  /// Returns whether both describe the attribute in the same way, if they describe it.
  func agrees(with other: Self) -> Bool {
    // One UUID may be written in two forms.
    guard kind == other.kind, uuid == other.uuid || uuid.shortest == other.uuid.shortest else {
      return false
    }
    switch kind {
    // The last service of a server may be reported to extend to the last handle.
    case .service:
      return end == other.end || end == 0 || other.end == 0 || max(end, other.end) == .max
    case .include: return target == other.target && end == other.end
    case .characteristic: return target == other.target && properties == other.properties
    case .value, .descriptor: return true
    }
  }
}

extension BluetoothUUID {
  /// «Service Changed», whose indications contain a range of handles.
  package static let serviceChanged = Self(0x2a05)
  package static let batteryLevel = Self(0x2a19)
  package static let currentTime = Self(0x2a2b)
  package static let extendedProperties = Self(0x2900)
  package static let clientConfiguration = Self(0x2902)

  /// Whether attributes of this type declare services, includes or characteristics.
  var isDeclaration: Bool { width == 2 && 0x2800...0x2803 ~= low }

  /// Whether the Assigned Numbers assign this type to descriptors.
  package var isDescriptor: Bool { width == 2 && low >> 8 == 0x29 }
}

extension Attribute.Kind {
  /// The use by which attributes of this kind are named: for a declaration, that of what it
  /// declares.
  package var use: BluetoothUUID.AttributeUse {
    switch self {
    case .service, .include: .service
    case .characteristic, .value: .characteristic
    case .descriptor: .descriptor
    }
  }
}
