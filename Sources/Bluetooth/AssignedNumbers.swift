// Numbers that the Bluetooth SIG gives out, with their names (Bluetooth SIG, Assigned Numbers).

/// A company identifier: who made a controller, whose manufacturer data follows.
package struct CompanyID: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number.
  package var rawValue: UInt16
  /// A company from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// The company's name; nil where the number is nobody's.
  package var name: AssignedName? { NameTable.companies.name(of: rawValue) }
}

/// What a device looks like: a category (upper 10 bits) and a subcategory (lower 6).
package struct Appearance: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number.
  package var rawValue: UInt16
  /// An appearance from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// Category and subcategory: "Heart Rate Sensor: Heart Rate Belt". The category alone where the
  /// subcategory has no name; nil where neither has.
  package var name: AssignedName? {
    NameTable.appearances.name(of: rawValue) ?? NameTable.appearances.name(of: rawValue & 0xffc0)
  }
}

/// The unit of a characteristic's value, as the Characteristic Presentation Format has it.
package struct UnitUUID: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number, a 16-bit UUID from 0x2700 on.
  package var rawValue: UInt16
  /// A unit from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// The unit's name: "thermodynamic temperature (degree Celsius)".
  package var name: AssignedName? {
    rawValue >> 8 == 0x27 ? NameTable.uuids.name(of: rawValue) : nil
  }
}

/// The scheme that a URI in advertising data begins with, as one character (Core Specification
/// Supplement, Part A, 1.18).
package struct URIScheme: RawRepresentable, Equatable, Hashable, Sendable {
  /// The character's number.
  package var rawValue: UInt32
  /// A scheme from its number.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// The URI brings its scheme with it.
  package static let none = Self(rawValue: 1)

  /// The scheme with its colon: "https:". Nil where the number stands for none.
  package var name: AssignedName? {
    UInt16(exactly: rawValue).flatMap { NameTable.uriSchemes.name(of: $0) }
  }
}

/// The class of a device, 24 bits: services (bits 13 to 23), major class (8 to 12), minor class (2 to
/// 7), format (0 and 1, zero).
package struct DeviceClass: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number.
  package var rawValue: UInt32
  /// A class from its number.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// The bits that services have.
  package static let serviceBits = 13..<24

  /// The name of the major class.
  package var major: AssignedName? {
    NameTable.deviceClasses.name(of: 0xf000 | UInt16(rawValue >> 8 & 0x1f))
  }

  /// The name of the minor class, which depends on the major one; nil also for "uncategorized".
  package var minor: AssignedName? {
    NameTable.deviceClasses.name(of: UInt16(truncatingIfNeeded: rawValue & 0x1ffc))
  }

  /// The name of a service by its bit, where that is set.
  package func service(bit: Int) -> AssignedName? {
    guard Self.serviceBits.contains(bit), rawValue >> UInt32(bit) & 1 == 1 else { return nil }
    return NameTable.deviceClasses.name(of: 0xe000 | UInt16(bit))
  }
}

extension BluetoothUUID {
  /// The short form of a UUID that has one: all but 16 bits as in the Bluetooth Base UUID (Core, Vol
  /// 3, Part B, 2.5.1).
  package var shortForm: UInt16? {
    switch width {
    case 16:
      guard high & 0xffff_0000_ffff_ffff == 0x0000_0000_0000_1000, low == 0x8000_0080_5f9b_34fb
      else { return nil }
      return UInt16(truncatingIfNeeded: high >> 32)
    default: return UInt16(exactly: low)
    }
  }

  /// The first of the UUIDs that companies and other organizations register for their own use.
  private static let firstRegistered: UInt16 = 0xfc00

  /// What the specification calls the service, characteristic, descriptor, unit or class that the
  /// UUID stands for.
  package var name: AssignedName? {
    shortForm.flatMap { short in
      short < Self.firstRegistered
        ? NameTable.uuids.name(of: short) ?? WithdrawnNames.name(of: short) : nil
    }
  }

  /// What an attribute is that has a UUID.
  package enum AttributeUse: Sendable {
    case service, characteristic, descriptor
  }

  /// The same where the attribute is known: devices use numbers that are not theirs, and the name of a
  /// characteristic is no service's. The numbers of each kind lie together (Assigned Numbers, 3).
  package func name(as use: AttributeUse?) -> AssignedName? {
    guard let use else { return name }
    return isNumbered(as: use) ? name : nil
  }

  /// Whether a UUID is one of the numbers that attributes of a kind have.
  package func isNumbered(as use: AttributeUse) -> Bool {
    guard let short = shortForm else { return false }
    return switch use {
    case .service: short < 0x2700
    case .descriptor: 0x2900..<0x2a00 ~= short
    case .characteristic: short >= 0x2a00
    }
  }

  /// Who registered the UUID, or for what, where it is one of those that companies and other
  /// organizations register. Devices of others use them too: it is no name.
  package var registrant: AssignedName? {
    shortForm.flatMap { $0 >= Self.firstRegistered ? NameTable.uuids.name(of: $0) : nil }
  }
}

/// Numbers of 16 to 24 bits whose names stand in the tables, for parameters that hold one.
package enum AssignedNumber: UInt8, Sendable {
  case company, appearance, deviceClass

  /// The name of a number.
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
