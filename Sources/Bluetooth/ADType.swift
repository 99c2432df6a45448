/// The type of an AD structure, one byte (Assigned Numbers, 2.3).
@usableFromInline
package struct ADType: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let flags = Self(rawValue: 0x01)
  package static let incompleteServiceUUIDs16 = Self(rawValue: 0x02)
  package static let completeServiceUUIDs16 = Self(rawValue: 0x03)
  package static let shortenedLocalName = Self(rawValue: 0x08)
  package static let completeLocalName = Self(rawValue: 0x09)
  package static let txPowerLevel = Self(rawValue: 0x0a)
  package static let classOfDevice = Self(rawValue: 0x0d)
  package static let connectionIntervalRange = Self(rawValue: 0x12)
  package static let serviceData16 = Self(rawValue: 0x16)
  package static let appearance = Self(rawValue: 0x19)
  package static let serviceData32 = Self(rawValue: 0x20)
  package static let serviceData128 = Self(rawValue: 0x21)
  package static let indoorPositioning = Self(rawValue: 0x25)
  package static let transportDiscoveryData = Self(rawValue: 0x26)
  package static let leSupportedFeatures = Self(rawValue: 0x27)
  package static let meshProvisioning = Self(rawValue: 0x29)
  package static let meshBeacon = Self(rawValue: 0x2b)
  package static let bigInfo = Self(rawValue: 0x2c)
  package static let advertisingIntervalLong = Self(rawValue: 0x2f)
  package static let broadcastName = Self(rawValue: 0x30)
  /// Periodic Advertising Response Timing Information.
  package static let responseTiming = Self(rawValue: 0x32)
  package static let manufacturerSpecificData = Self(rawValue: 0xff)

  /// The name in the Assigned Numbers; nil for a type that is not listed.
  package var name: AssignedName? {
    switch rawValue {
    case 0x01: "Flags"
    case 0x02: "Incomplete List of 16-bit Service Class UUIDs"
    case 0x03: "Complete List of 16-bit Service Class UUIDs"
    case 0x04: "Incomplete List of 32-bit Service Class UUIDs"
    case 0x05: "Complete List of 32-bit Service Class UUIDs"
    case 0x06: "Incomplete List of 128-bit Service Class UUIDs"
    case 0x07: "Complete List of 128-bit Service Class UUIDs"
    case 0x08: "Shortened Local Name"
    case 0x09: "Complete Local Name"
    case 0x0a: "Tx Power Level"
    case 0x0d: "Class of Device"
    case 0x0e: "Simple Pairing Hash C-192"
    case 0x0f: "Simple Pairing Randomizer R-192"
    case 0x10: "Device ID"
    case 0x11: "Security Manager Out of Band Flags"
    case 0x12: "Peripheral Connection Interval Range"
    case 0x14: "List of 16-bit Service Solicitation UUIDs"
    case 0x15: "List of 128-bit Service Solicitation UUIDs"
    case 0x16: "Service Data - 16-bit UUID"
    case 0x17: "Public Target Address"
    case 0x18: "Random Target Address"
    case 0x19: "Appearance"
    case 0x1a: "Advertising Interval"
    case 0x1b: "LE Bluetooth Device Address"
    case 0x1c: "LE Role"
    case 0x1d: "Simple Pairing Hash C-256"
    case 0x1e: "Simple Pairing Randomizer R-256"
    case 0x1f: "List of 32-bit Service Solicitation UUIDs"
    case 0x20: "Service Data - 32-bit UUID"
    case 0x21: "Service Data - 128-bit UUID"
    case 0x22: "LE Secure Connections Confirmation Value"
    case 0x23: "LE Secure Connections Random Value"
    case 0x24: "URI"
    case 0x25: "Indoor Positioning"
    case 0x26: "Transport Discovery Data"
    case 0x27: "LE Supported Features"
    case 0x28: "Channel Map Update Indication"
    case 0x29: "PB-ADV"
    case 0x2a: "Mesh Message"
    case 0x2b: "Mesh Beacon"
    case 0x2c: "BIGInfo"
    case 0x2d: "Broadcast_Code"
    case 0x2e: "Resolvable Set Identifier"
    case 0x2f: "Advertising Interval - long"
    case 0x30: "Broadcast_Name"
    case 0x31: "Encrypted Advertising Data"
    case 0x32: "Periodic Advertising Response Timing Information"
    case 0x34: "Electronic Shelf Label"
    case 0x3d: "3D Information Data"
    case 0xff: "Manufacturer Specific Data"
    default: nil
    }
  }

  /// Returns the name of a structure with `count` bytes of data: 0x10 was assigned twice, to the
  /// Device ID of 8 bytes and to the Security Manager TK Value of 16.
  package func name(count: Int) -> AssignedName? {
    isTemporaryKey(count: count) ? "Security Manager TK Value" : name
  }

  /// Returns whether data longer than a Device ID makes this a key, or most of one.
  private func isTemporaryKey(count: Int) -> Bool { rawValue == 0x10 && count > 8 }

  /// The layout of a structure's data.
  package enum Layout: Sendable {
    case flags, name, uuids(width: Int), solicitedUUIDs(width: Int), appearance
    case serviceData(width: Int), manufacturerData, deviceClass, uri, secret
    /// Fields described by a row (`ADFields`).
    case fields
    /// An unspecified layout.
    case bytes
  }

  /// Returns the layout of `count` bytes of this type.
  package func layout(count: Int) -> Layout {
    switch rawValue {
    case 0x10 where isTemporaryKey(count: count): .secret
    case 0x01: .flags
    case 0x02, 0x03: .uuids(width: 2)
    case 0x04, 0x05: .uuids(width: 4)
    case 0x06, 0x07: .uuids(width: 16)
    case 0x08, 0x09, 0x30: .name
    case 0x0d: .deviceClass
    case 0x14: .solicitedUUIDs(width: 2)
    case 0x15: .solicitedUUIDs(width: 16)
    case 0x1f: .solicitedUUIDs(width: 4)
    case 0x16: .serviceData(width: 2)
    case 0x20: .serviceData(width: 4)
    case 0x21: .serviceData(width: 16)
    case 0x19: .appearance
    case 0x24: .uri
    case 0xff: .manufacturerData
    // Out-of-band hashes and randomizers, SC confirmation and random, a broadcast code.
    case 0x0e, 0x0f, 0x1d, 0x1e, 0x22, 0x23, 0x2d: .secret
    case 0x0a, 0x10...0x12, 0x17, 0x18, 0x1a...0x1c, 0x25...0x2c, 0x2e, 0x2f, 0x31, 0x32, 0x3d:
      .fields
    default: .bytes
    }
  }

  /// The permitted number of data bytes.
  package enum Size: Equatable, Sendable {
    case any
    case exactly(Int)
    case either(Int, Int)
    case atLeast(Int)
    case multiple(of: Int)
  }

  /// The permitted number of data bytes of this type (Core Specification Supplement, Part A, 1;
  /// Flags and features may have any length). `ADFields` checks lengths that depend on the content.
  package var size: Size {
    switch rawValue {
    case 0x0a, 0x11, 0x1c: .exactly(1)
    case 0x19, 0x1a, 0x3d: .exactly(2)
    case 0x0d: .exactly(3)
    case 0x12: .exactly(4)
    case 0x2e: .exactly(6)
    case 0x1b, 0x28: .exactly(7)
    case 0x32: .exactly(8)
    case 0x0e, 0x0f, 0x1d, 0x1e, 0x22, 0x23, 0x2d: .exactly(16)
    case 0x2f: .either(3, 4)
    // A Device ID or a TK value.
    case 0x10: .either(8, 16)
    // Without and with encryption.
    case 0x2c: .either(33, 57)
    case 0x02, 0x03, 0x14: .multiple(of: 2)
    case 0x04, 0x05, 0x1f: .multiple(of: 4)
    case 0x17, 0x18: .multiple(of: 6)
    case 0x06, 0x07, 0x15: .multiple(of: 16)
    case 0x24, 0x25, 0x26, 0x2b: .atLeast(1)
    case 0x16, 0xff: .atLeast(2)
    case 0x20: .atLeast(4)
    // Link identifier, transaction number, and the first byte of a generic provisioning PDU.
    case 0x29: .atLeast(6)
    // Randomizer and MIC.
    case 0x31: .atLeast(9)
    // Two bytes in the clear, the rest of the header, the minimum payload and the MIC.
    case 0x2a: .atLeast(14)
    case 0x21: .atLeast(16)
    default: .any
    }
  }

  /// Returns how many bytes are missing or left over; nil if `count` is permitted.
  package func misfit(count: Int) -> Misfit? {
    switch size {
    case .any: nil
    case .exactly(let expected): Self.misfit(count, expected)
    case .either(let fewer, let more):
      count == fewer ? nil : Self.misfit(count, count > fewer ? more : fewer)
    case .atLeast(let least): count < least ? .missing(expected: least) : nil
    case .multiple(let width): count % width == 0 ? nil : .leftOver(count % width)
    }
  }

  /// The deviation from a permitted number of bytes.
  package enum Misfit: Equatable, Sendable {
    case missing(expected: Int)
    case leftOver(Int)
  }

  private static func misfit(_ count: Int, _ expected: Int) -> Misfit? {
    if count == expected { return nil }
    return count < expected ? .missing(expected: expected) : .leftOver(count - expected)
  }

  /// Returns a short description of a bit of the Flags, bits 0 to 4.
  package static func flagWord(bit: Int) -> StaticString {
    switch bit {
    case 0: "limited discoverable"
    case 1: "general discoverable"
    case 2: "LE only"
    default: "LE and BR/EDR at once"
    }
  }
}
