// Enumerations: separators between their elements, and how many are omitted.

extension Output {
  /// Appends a separator, except the first time with one `isFirst`.
  @inlinable
  package mutating func separate(_ isFirst: inout Bool, by separator: StaticString = ", ") {
    if !isFirst { text(separator) }
    isFirst = false
  }

  /// Appends what `write` appends for each element, with separators in between.
  @inlinable
  package mutating func listed<Element>(
    _ elements: some Sequence<Element>, separatedBy separator: StaticString = ", ",
    _ write: (inout Output, Element) -> Void
  ) {
    var isFirst = true
    for element in elements {
      separate(&isFirst, by: separator)
      write(&self, element)
    }
  }

  /// Appends what `write` appends for each of the first `most` elements, with commas in between,
  /// and how many there are beyond them.
  @inlinable
  package mutating func listed<Elements: Collection>(
    _ elements: Elements, most: Int, _ write: (inout Output, Elements.Element) -> Void
  ) {
    listed(elements.prefix(most), write)
    andMore(elements.count - most)
  }

  /// Appends ` and 3 more`, or nothing if `number` is not positive.
  @usableFromInline
  package mutating func andMore(_ number: Int) {
    guard number > 0 else { return }
    text(" and ")
    decimal(number)
    text(" more")
  }
}
