public import Synchronization

/// Elements that live as long as the program, for tables consulted for every packet. Access needs
/// no reference counting.
@safe
@usableFromInline
package struct Immortal<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let elements: UnsafeBufferPointer<Element>

  /// Copies the elements of `array` into memory that is never freed.
  @inlinable
  package init(_ array: [Element]) {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = unsafe copy.initialize(from: array)
    unsafe elements = UnsafeBufferPointer(copy)
  }

  /// All elements.
  @inlinable
  package var span: Span<Element> {
    @_lifetime(immortal) get {
      let span = unsafe Span(_unsafeElements: elements)
      return unsafe _overrideLifetime(span, copying: ())
    }
  }

  /// Returns a reference to the element at `index`, which must be valid.
  @inlinable
  package subscript(index: Int) -> Reference {
    precondition(unsafe elements.indices.contains(index))
    return unsafe Reference(elements.baseAddress.unsafelyUnwrapped + index)
  }

  /// A reference to one element, usable without another lookup.
  @safe
  @usableFromInline
  package struct Reference: Equatable, @unchecked Sendable {
    @usableFromInline let place: UnsafePointer<Element>

    @inlinable
    init(_ place: UnsafePointer<Element>) { unsafe self.place = place }

    @inlinable
    package var element: Element { _read { yield unsafe place.pointee } }

    /// Returns whether both refer to the same element; equal elements are not enough.
    @inlinable
    package static func == (left: Self, right: Self) -> Bool { unsafe left.place == right.place }
  }
}

/// Slots for elements that live as long as the program, each created on first use.
@safe
@usableFromInline
package struct LazyImmortals<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let places: UnsafeMutableBufferPointer<Atomic<UnsafeMutablePointer<Element>?>>

  /// Creates `count` empty slots.
  package init(count: Int) {
    unsafe places = .allocate(capacity: count)
    for index in 0..<count {
      unsafe (places.baseAddress.unsafelyUnwrapped + index).initialize(to: Atomic(nil))
    }
  }

  /// Returns the element at `index`, creating it with `make` if it does not exist yet.
  ///
  /// If two threads ask for it at once, both create it, and both get the one stored first.
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
