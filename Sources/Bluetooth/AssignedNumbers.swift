// Numbers assigned by the Bluetooth SIG, with their names (Bluetooth SIG, Assigned Numbers).

/// A company identifier, as in a controller's manufacturer or in manufacturer data.
@usableFromInline
package struct CompanyID: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The company's name; nil if the number is not assigned.
  package var name: AssignedName? { NameTable.companies.name(of: rawValue) }
}

/// The appearance of a device: a category (upper 10 bits) and a subcategory (lower 6).
@usableFromInline
package struct Appearance: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Category and subcategory: "Heart Rate Sensor: Heart Rate Belt". Only the category if the
  /// subcategory has no name; nil if neither has.
  package var name: AssignedName? {
    NameTable.appearances.name(of: rawValue) ?? NameTable.appearances.name(of: rawValue & 0xffc0)
  }
}

/// The unit of a characteristic's value, as in the Characteristic Presentation Format.
@usableFromInline
package struct UnitUUID: RawRepresentable, Hashable, Sendable {
  /// The number, a 16-bit UUID from 0x2700 on.
  @usableFromInline package var rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The unit's name: "thermodynamic temperature (degree Celsius)".
  package var name: AssignedName? {
    rawValue >> 8 == 0x27 ? NameTable.uuids.name(of: rawValue) : nil
  }
}

/// The scheme at the beginning of a URI in advertising data, encoded as one character (Core
/// Specification Supplement, Part A, 1.18).
@usableFromInline
package struct URIScheme: RawRepresentable, Hashable, Sendable {
  /// The character's code point.
  @usableFromInline package var rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The URI contains its scheme.
  package static let none = Self(rawValue: 1)

  /// The scheme with its colon, such as "https:"; nil if the number is not assigned.
  package var name: AssignedName? {
    UInt16(exactly: rawValue).flatMap { NameTable.uriSchemes.name(of: $0) }
  }
}

/// The Class of Device, 24 bits: services (bits 13 to 23), major class (8 to 12), minor class (2 to
/// 7), format (0 and 1, zero).
@usableFromInline
package struct DeviceClass: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The range of service bits.
  package static let serviceBits = 13..<24

  /// The name of the major class.
  package var major: AssignedName? {
    NameTable.deviceClasses.name(of: 0xf000 | UInt16(rawValue >> 8 & 0x1f))
  }

  /// The name of the minor class, which depends on the major one; also nil for "uncategorized".
  package var minor: AssignedName? {
    NameTable.deviceClasses.name(of: UInt16(truncatingIfNeeded: rawValue & 0x1ffc))
  }

  /// Returns the name of a service by its bit if that is set, otherwise nil.
  package func service(bit: Int) -> AssignedName? {
    guard Self.serviceBits.contains(bit), rawValue >> UInt32(bit) & 1 == 1 else { return nil }
    return NameTable.deviceClasses.name(of: 0xe000 | UInt16(bit))
  }
}

extension BluetoothUUID {
  /// The 16-bit form of a UUID that has one: all other bits are those of the Bluetooth Base UUID
  /// (Core, Vol 3, Part B, 2.5.1).
  package var shortForm: UInt16? {
    switch width {
    case 16:
      guard high & 0xffff_0000_ffff_ffff == 0x0000_0000_0000_1000, low == 0x8000_0080_5f9b_34fb
      else { return nil }
      return UInt16(truncatingIfNeeded: high >> 32)
    default: return UInt16(exactly: low)
    }
  }

  /// The first of the UUIDs that organizations register for their own use.
  private static let firstRegistered: UInt16 = 0xfc00

  /// The specification's name of the service, characteristic, descriptor, unit or class with this
  /// UUID.
  package var name: AssignedName? {
    shortForm.flatMap { short in
      short < Self.firstRegistered
        ? NameTable.uuids.name(of: short) ?? WithdrawnNames.name(of: short) : nil
    }
  }

  /// The kind of attribute that a UUID identifies.
  package enum AttributeUse: Sendable {
    case service, characteristic, descriptor
  }

  /// Returns the name if the UUID is in the range for this kind of attribute. Devices use wrong
  /// numbers, and a characteristic's name does not apply to a service. Each kind has its own range
  /// (Assigned Numbers, 3).
  package func name(as use: AttributeUse?) -> AssignedName? {
    guard let use else { return name }
    return isNumbered(as: use) ? name : nil
  }

  /// Returns whether the UUID is in the range for this kind of attribute.
  package func isNumbered(as use: AttributeUse) -> Bool {
    guard let short = shortForm else { return false }
    return switch use {
    case .service: short < 0x2700
    case .descriptor: 0x2900..<0x2a00 ~= short
    case .characteristic: short >= 0x2a00
    }
  }

  /// The organization that registered the UUID, or the purpose, if it is one of those that
  /// organizations register. It is not a name, since other devices use such UUIDs too.
  package var registrant: AssignedName? {
    shortForm.flatMap { $0 >= Self.firstRegistered ? NameTable.uuids.name(of: $0) : nil }
  }

  /// Whether many gadgets use it although another organization registered it: numbers of modules'
  /// examples (fff0 to fff5, ffef), and fee7. Service data suggests the owner; the UUID alone does
  /// not.
  package var isSquatted: Bool {
    switch shortForm ?? 0 {
    case 0xfff0...0xfff5, 0xffef, 0xfee7: true
    default: false
    }
  }
}

/// Numbers of 16 to 24 bits with names in the tables, for parameters that contain one.
package enum AssignedNumber: UInt8, Sendable {
  case company, appearance, deviceClass

  package func name(of number: UInt64) -> AssignedName? {
    switch self {
    case .company: UInt16(exactly: number).flatMap { CompanyID(rawValue: $0).name }
    case .appearance: UInt16(exactly: number).flatMap { Appearance(rawValue: $0).name }
    case .deviceClass:
      UInt32(exactly: number).flatMap {
        let device = DeviceClass(rawValue: $0)
        return device.minor ?? device.major
      }
    }
  }
}
