// Saturating sums and products for numbers stated by a capture. They stop at the type's limit, so
// that no input traps and no counter wraps around.

extension FixedWidthInteger {
  /// Returns the sum, clamped to the type's range.
  @inlinable
  package func adding(clamped other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the product, clamped to the type's range.
  @inlinable
  package func multiplied(clamped other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// Adds a number, clamping the result to the type's range.
  @inlinable
  package mutating func add(clamped other: Self) { self = adding(clamped: other) }
}
