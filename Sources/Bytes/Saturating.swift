// Sums and products of numbers that a capture states: at the end of the type they stay there, so that no
// input traps and no counter begins anew.

extension FixedWidthInteger {
  /// The sum, or the nearest number that the type has.
  @inlinable
  package func adding(clamped other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The product, or the nearest number that the type has.
  @inlinable
  package func multiplied(clamped other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// Adds a number; what is too much for the type is left out.
  @inlinable
  package mutating func add(clamped other: Self) { self = adding(clamped: other) }
}
