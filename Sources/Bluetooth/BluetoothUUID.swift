package import Bytes

/// A UUID of 16, 32 or 128 bits in its form on the link (Core, Vol 3, Part B, 2.5.1).
///
/// Short forms are kept, so that a device's choice remains visible; `==` compares the form too.
@usableFromInline
package struct BluetoothUUID: Hashable, Sendable {
  /// The width of the UUID in bytes: 2, 4 or 16.
  @usableFromInline package let width: UInt8
  /// The upper 64 bits of a 128-bit UUID; 0 in a short one.
  @usableFromInline package let high: UInt64
  /// The lower 64 bits, or the whole of a short UUID.
  @usableFromInline package let low: UInt64

  /// The lower bits differ most often, so they are compared first.
  @inlinable
  package static func == (left: Self, right: Self) -> Bool {
    left.low == right.low && left.high == right.high && left.width == right.width
  }

  /// Creates a 16-bit UUID.
  package init(_ short: UInt16) {
    width = 2
    high = 0
    low = UInt64(short)
  }

  /// Reads a UUID of `width` bytes, least significant first; returns nil if no UUID has this width.
  @_lifetime(cursor: copy cursor)
  package init?(parsing cursor: inout Cursor, width: Int) throws(ParseError) {
    switch width {
    case 2, 4:
      high = 0
      low = try cursor.unsigned(width: width)
    case 16:
      guard cursor.remaining >= 16 else {
        throw ParseError(offset: cursor.offset, needed: 16, available: cursor.remaining)
      }
      low = try cursor.unsigned(width: 8)
      high = try cursor.unsigned(width: 8)
    default: return nil
    }
    self.width = UInt8(width)
  }

  /// Returns whether this is the 16-bit UUID `short`.
  package func isShort(_ short: UInt16) -> Bool { width == 2 && low == UInt64(short) }

  // The attribute types used by discovery (Core, Vol 3, Part G, 3).

  package static let primaryService = Self(0x2800)
  package static let secondaryService = Self(0x2801)
  package static let include = Self(0x2802)
  package static let characteristic = Self(0x2803)
  /// Encrypted Data Key Material: the session key and IV of encrypted advertising data.
  package static let encryptedDataKeyMaterial = Self(0x2b88)
}
