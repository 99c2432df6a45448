/// What may be done with a characteristic's value, one bit each (Core, Vol 3, Part G, 3.3.1.1).
package struct CharacteristicProperties: RawRepresentable, Equatable, Sendable {
  /// The byte.
  package var rawValue: UInt8
  /// Properties from their byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// Whether the bit with this number is set.
  package func has(bit: Int) -> Bool { rawValue >> UInt8(bit) & 1 == 1 }

  /// The name of a bit, as the JSON contract has it.
  package static func key(bit: Int) -> StaticString {
    switch bit {
    case 0: "broadcast"
    case 1: "read"
    case 2: "write_without_response"
    case 3: "write"
    case 4: "notify"
    case 5: "indicate"
    case 6: "authenticated_signed_writes"
    default: "extended_properties"
    }
  }

  /// The name of a bit, as a line of text has room for it.
  package static func word(bit: Int) -> StaticString {
    switch bit {
    case 2: "write-nr"
    case 6: "signed-write"
    case 7: "extended"
    default: key(bit: bit)
    }
  }
}
