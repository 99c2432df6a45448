package import Bytes

/// What a value's bytes mean: the fields that are there, first to last, and what is wrong.
///
/// Kept and used again for the next value, so that decoding allocates nothing once its lists have
/// grown. Fields name words and bytes by their place in the definition and in the value.
package struct Decoded: Sendable {
  /// By which definition; nil where nothing was decoded yet.
  package internal(set) var definition: Definition?
  /// The fields, those inside a group behind it.
  package internal(set) var fields: [DecodedField] = []
  /// What is wrong.
  package internal(set) var problems: [DecodingProblem] = []
  /// For each slot where the first field stands that it is of; −1: nowhere. Texts name fields by slot.
  var firsts: [Int32] = []

  /// Nothing decoded.
  package init() {}

  /// Notes where the first field of each slot stands.
  mutating func noteFirsts(_ definition: Definition) {
    firsts.removeAll(keepingCapacity: true)
    guard definition.tables.templates.count > 1 else { return }
    for _ in 0..<definition.tables.slotCount { firsts.append(-1) }
    for place in fields.indices.reversed() where fields[place].field >= 0 {
      let slot = definition.tables.fields[fields[place].field].slot
      if slot >= 0 { firsts[slot] = Int32(truncatingIfNeeded: place) }
    }
  }

  /// Forgets what was decoded.
  package mutating func clear() {
    definition = nil
    fields.removeAll(keepingCapacity: true)
    problems.removeAll(keepingCapacity: true)
  }
}

/// A field with its value.
package struct DecodedField: Sendable, Equatable {
  /// What the value is.
  package enum Form: UInt8, Sendable {
    /// An integer, of which the raw number is in `raw`; with a scale a quantity.
    case integer
    /// A binary floating-point number, whose bits are in `raw`.
    case double
    /// A decimal: `raw` · 10^`exponent` (IEEE 11073).
    case decimal
    /// A decimal or binary number that is none: not a number, not at this resolution, infinite,
    /// reserved. `raw` tells which, as `NumberWord`.
    case noNumber
    /// Date and time: seven bytes.
    case dateTime
    /// Text, bytes, a UUID, an address: the bytes are the value.
    case utf8, utf16, bytes, uuid, address
    /// A checksum that is right; one that is wrong, with the right one in `raw`.
    case checksumOK, checksumBad
    /// A group; its fields follow, up to `end`.
    case group
    /// Bytes that no field explains.
    case tail
  }

  /// The field's place in the definition; −1 for a tail, `frameChecksum` for a frame's checksum.
  package var field: Int
  /// Stands in `field` for the checksum of the frame around the value.
  package static let frameChecksum = -2
  /// What the value is.
  package var form: Form
  /// Whether a condition that is not known decides about the field.
  package var isAssumed = false
  /// The power of ten of a decimal.
  package var exponent: Int16 = 0
  /// The place of the number's word; −1: none.
  package var word: Int32 = -1
  /// The raw number, its bits.
  package var raw: Int = 0
  /// Where the value's bytes stand; of bits, where those of their number do.
  package var bytes: Slice
  /// Behind the last field that is inside this one.
  package var end: Int = 0
}

/// What a floating-point number is that is no number.
package enum NumberWord: Int, Sendable {
  case nan, nres, infinity, negativeInfinity, reserved

  /// As text and JSON say it.
  package var word: StaticString {
    switch self {
    case .nan: "nan"
    case .nres: "nres"
    case .infinity: "+inf"
    case .negativeInfinity: "-inf"
    case .reserved: "reserved"
    }
  }
}

/// What is wrong with a value.
package struct DecodingProblem: Sendable, Equatable {
  /// What can be wrong.
  package enum Code: UInt8, Sendable, CaseIterable {
    /// A field should be there and its bytes are not.
    case missingBytes
    /// Bytes that no field explains.
    case trailingBytes
    /// A code without a word.
    case reservedValue
    /// A bit without a name is set.
    case reservedBits
    /// A number outside the allowed range.
    case outOfRange
    /// A number or bytes where there is one right one, and this is not it.
    case unexpectedValue
    /// A checksum that is wrong.
    case badChecksum
    /// Text that is not UTF-8.
    case badText
    /// A nibble above nine in a decimal number.
    case badDigit
    /// Fewer turns than there should be.
    case tooFew
    /// More fields than are decoded.
    case limit

    /// As JSON names it.
    package var name: StaticString {
      switch self {
      case .missingBytes: "missing_bytes"
      case .trailingBytes: "trailing_bytes"
      case .reservedValue: "reserved_value"
      case .reservedBits: "reserved_bits"
      case .outOfRange: "out_of_range"
      case .unexpectedValue: "unexpected_value"
      case .badChecksum: "bad_checksum"
      case .badText: "bad_text"
      case .badDigit: "bad_digit"
      case .tooFew: "too_few"
      case .limit: "limit"
      }
    }
  }

  /// What is wrong.
  package var code: Code
  /// Of which field of the definition; −1: of none.
  package var field: Int
  /// The bytes in question; of those that are missing, what is there of them.
  package var bytes: Slice
  /// The number that is there, or how many there are.
  package var found: Int
  /// The number that should be there, or how many.
  package var expected: Int
}
