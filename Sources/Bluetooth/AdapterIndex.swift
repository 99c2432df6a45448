/// The index of a controller among those of its host: 0 for hci0, or if a format has none.
@usableFromInline
package struct AdapterIndex: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The index as Linux's monitor writes it: 0xffff if it is unknown (HCI_DEV_NONE).
  @usableFromInline package let value: UInt16

  package init(_ value: UInt16) { self.value = value }
  @inlinable package init(integerLiteral value: UInt16) { self.value = value }

  /// The capture does not contain the index, or the record belongs to no controller. Computed,
  /// since other modules would have to call a function to read a stored one.
  package static var unknown: Self { Self(0xffff) }

  /// The index, or nil if it is unknown.
  package var number: UInt16? { self == .unknown ? nil : value }

  /// Returns whether this may be `other`: an unknown index may be any.
  package func mayBe(_ other: Self?) -> Bool { self == .unknown || value == other?.value }

  @inlinable
  package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
