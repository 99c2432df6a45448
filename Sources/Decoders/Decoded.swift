package import Bytes

/// The meaning of a value's bytes: the fields that are present, from first to last, and the
/// problems.
///
/// It is reused for the next value, so that decoding allocates nothing once its lists have grown.
/// Fields refer to words and bytes by their position in the definition and in the value.
package struct Decoded: Sendable {
  /// The definition that was used; nil if nothing was decoded yet.
  package internal(set) var definition: Definition?
  /// The fields; those inside a group follow it.
  package internal(set) var fields: [DecodedField] = []
  package internal(set) var problems: [DecodingProblem] = []
  /// For each slot, the index of its first field; −1: none. Templates refer to fields by slot.
  var firsts: [Int32] = []

  /// Creates an empty result.
  package init() {}

  /// Records the index of the first field of each slot.
  mutating func noteFirsts(_ definition: Definition) {
    firsts.removeAll(keepingCapacity: true)
    guard definition.tables.templates.count > 1 else { return }
    for _ in 0..<definition.tables.slotCount { firsts.append(-1) }
    for place in fields.indices.reversed() where fields[place].field >= 0 {
      let slot = definition.tables.fields[fields[place].field].slot
      if slot >= 0 { firsts[slot] = Int32(truncatingIfNeeded: place) }
    }
  }

  /// Whether the value does not have the expected layout, so that its numbers are unreliable.
  package var isDoubtful: Bool { problems.contains { $0.code.castsDoubt } }

  /// Discards the decoded values.
  package mutating func clear() {
    definition = nil
    fields.removeAll(keepingCapacity: true)
    problems.removeAll(keepingCapacity: true)
  }
}

/// A field with its value.
package struct DecodedField: Sendable, Equatable {
  /// The form of the value.
  package enum Form: UInt8, Sendable {
    /// An integer, whose raw number is in `raw`; with a scale a quantity.
    case integer
    /// A binary floating-point number, whose bits are in `raw`.
    case double
    /// A decimal: `raw` · 10^`exponent` (IEEE 11073).
    case decimal
    /// A special value of a decimal or binary number: not a number, not at this resolution,
    /// infinite, reserved. `raw` is a `NumberWord`.
    case noNumber
    /// Date and time: seven bytes.
    case dateTime
    /// Text, bytes, a UUID, an address: the bytes are the value.
    case utf8, utf16, bytes, uuid, address
    /// A correct checksum; a wrong one, with the correct one in `raw`.
    case checksumOK, checksumBad
    /// A group; its fields follow, up to `end`.
    case group
    /// Bytes that no field explains.
    case tail
    /// JSON or CBOR, as the field's kind shows; the bytes are the value.
    case structure
  }

  /// The index of the field in the definition; −1 for a tail, `frameChecksum` for a frame's
  /// checksum.
  package var field: Int
  /// The value of `field` for the checksum of the frame around the value.
  package static let frameChecksum = -2
  /// The form of the value.
  package var form: Form
  /// Whether an unknown condition decides whether the field is present.
  package var isAssumed = false
  /// The power of ten of a decimal.
  package var exponent: Int16 = 0
  /// The index of the number's word; −1: none.
  package var word: Int32 = -1
  /// The raw number, or its bits.
  package var raw: Int = 0
  /// The range of the value's bytes; for bits, of the number that contains them.
  package var bytes: Slice
  /// The index after the last field inside this one.
  package var end: Int = 0
}

/// The special values of a floating-point number.
package enum NumberWord: Int, Sendable {
  case nan, nres, infinity, negativeInfinity, reserved

  /// The word in text and JSON.
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

/// A problem with a value.
package struct DecodingProblem: Sendable, Equatable {
  /// The kind of problem.
  package enum Code: UInt8, Sendable, CaseIterable {
    /// A field should be present but its bytes are missing.
    case missingBytes
    /// Bytes that no field explains.
    case trailingBytes
    /// A code without a word.
    case reservedValue
    /// A bit without a name is set.
    case reservedBits
    /// A number outside the allowed range.
    case outOfRange
    /// A number or bytes that differ from the only correct ones.
    case unexpectedValue
    /// A wrong checksum.
    case badChecksum
    /// Text that is not UTF-8.
    case badText
    /// Bytes that are not of the format of their type.
    case badFormat
    /// A nibble above nine in a decimal number.
    case badDigit
    /// Fewer turns than required.
    case tooFew
    /// More fields than are decoded.
    case limit

    /// Whether the problem casts doubt on the other fields, too. Missing or extra bytes indicate
    /// another layout, while unknown codes and bits indicate a newer version.
    var castsDoubt: Bool {
      switch self {
      case .missingBytes, .trailingBytes, .outOfRange, .unexpectedValue, .badChecksum, .badDigit,
        .badFormat:
        true
      case .reservedValue, .reservedBits, .badText, .tooFew, .limit: false
      }
    }

    /// The name in JSON.
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
      case .badFormat: "bad_format"
      case .badDigit: "bad_digit"
      case .tooFew: "too_few"
      case .limit: "limit"
      }
    }
  }

  package var code: Code
  /// The index of the field in the definition; −1: none.
  package var field: Int
  /// The bytes in question; for missing bytes, those that are present.
  package var bytes: Slice
  /// The number found, or the count.
  package var found: Int
  /// The number expected, or the count.
  package var expected: Int
}
