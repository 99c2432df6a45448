// The choice to pass a large type by reference.

/// A member that is never read and makes its type address-only. The compiler then passes the type
/// by reference even without `borrowing`; it would otherwise copy a large type, bit by bit, for
/// callees that only read it, with every packet.
package struct PassedByReference: Sendable {
  // The size of an existential's content is unknown, so its address is needed.
  @usableFromInline let content: (any Sendable)? = nil

  @inlinable
  package init() {}
}
