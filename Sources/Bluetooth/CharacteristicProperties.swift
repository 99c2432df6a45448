/// The operations permitted on a characteristic's value, one bit each (Core, Vol 3, Part G,
/// 3.3.1.1).
@usableFromInline
package struct CharacteristicProperties: RawRepresentable, Equatable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Returns whether a bit is set.
  package func has(bit: Int) -> Bool { rawValue >> UInt8(bit) & 1 == 1 }

  /// Whether the server sends values, as notifications or indications, to clients that subscribe.
  package var canSend: Bool { has(bit: 4) || has(bit: 5) }

  /// Whether clients may write values: with or without a response, or signed.
  package var canBeWritten: Bool { has(bit: 2) || has(bit: 3) || has(bit: 6) }

  /// Returns the name of a bit in the JSON contract.
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

  /// Returns the name of a bit in a line of text.
  package static func word(bit: Int) -> StaticString {
    switch bit {
    case 2: "write-no-response"
    case 6: "signed-write"
    case 7: "extended"
    default: key(bit: bit)
    }
  }

  /// The columns of the names of all bits in a line of text.
  package var columns: Int {
    (0..<8).reduce(-1) { $0 + (has(bit: $1) ? 1 + Self.word(bit: $1).utf8CodeUnitCount : 0) }
  }
}
