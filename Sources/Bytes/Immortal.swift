/// Elements that stay as long as the program, for tables that every packet looks into: nobody counts who uses
/// them.
@safe
@usableFromInline
package struct Immortal<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let elements: UnsafeBufferPointer<Element>

  /// Those of `array`, which are never freed.
  @inlinable
  package init(_ array: [Element]) {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = unsafe copy.initialize(from: array)
    unsafe elements = UnsafeBufferPointer(copy)
  }

  /// All of them.
  @inlinable
  package var span: Span<Element> {
    @_lifetime(immortal) get {
      let span = unsafe Span(_unsafeElements: elements)
      return unsafe _overrideLifetime(span, copying: ())
    }
  }

  /// The one at `index`, which is one of theirs.
  @inlinable
  package subscript(index: Int) -> Reference {
    precondition(unsafe elements.indices.contains(index))
    return unsafe Reference(elements.baseAddress.unsafelyUnwrapped + index)
  }

  /// One of them, found without looking for it again.
  @safe
  @usableFromInline
  package struct Reference: Equatable, @unchecked Sendable {
    @usableFromInline let place: UnsafePointer<Element>

    @inlinable
    init(_ place: UnsafePointer<Element>) { unsafe self.place = place }

    /// The element.
    @inlinable
    package var element: Element { _read { yield unsafe place.pointee } }

    /// Whether both are the same one, not only equal.
    @inlinable
    package static func == (left: Self, right: Self) -> Bool { unsafe left.place == right.place }
  }
}
