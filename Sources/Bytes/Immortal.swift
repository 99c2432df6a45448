public import Synchronization

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

/// Places for elements that stay as long as the program, each made when it is first asked for.
@safe
@usableFromInline
package struct LazyImmortals<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let places: UnsafeMutableBufferPointer<Atomic<UnsafeMutablePointer<Element>?>>

  /// Places for `count` elements.
  package init(count: Int) {
    unsafe places = .allocate(capacity: count)
    for index in 0..<count {
      unsafe (places.baseAddress.unsafelyUnwrapped + index).initialize(to: Atomic(nil))
    }
  }

  /// Returns the element at `index`, which `make` makes if nobody has asked for it yet.
  ///
  /// If two threads ask for it at once, both make it, and both get the one that was there first.
  @inlinable
  package func element(at index: Int, _ make: () -> Element) -> Immortal<Element>.Reference {
    precondition(unsafe places.indices.contains(index))
    if let made = unsafe places[index].load(ordering: .acquiring) {
      return unsafe Immortal.Reference(UnsafePointer(made))
    }
    let new = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    unsafe new.initialize(to: make())
    let (isFirst, there) = unsafe places[index].compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let there = unsafe there else {
      return unsafe Immortal.Reference(UnsafePointer(new))
    }
    unsafe new.deinitialize(count: 1)
    unsafe new.deallocate()
    return unsafe Immortal.Reference(UnsafePointer(there))
  }
}
