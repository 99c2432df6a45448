/// A name in the JSON contract, as the raw value of an enum's case.
@usableFromInline
package struct JSONKey: Equatable, ExpressibleByStringLiteral, Sendable {
  fileprivate let text: StaticString

  @usableFromInline
  package init(stringLiteral text: StaticString) { self.text = text }

  @usableFromInline
  package static func == (left: Self, right: Self) -> Bool {
    left.text.bytes.isEqual(to: right.text.bytes)
  }
}

extension RawRepresentable<JSONKey> {
  /// The name in the JSON contract.
  package var key: StaticString { rawValue.text }
}

extension RawRepresentable<JSONKey> where Self: Equatable {
  /// Compares the cases; the standard library's operator would compare their names.
  @inlinable
  package static func != (left: Self, right: Self) -> Bool { !(left == right) }
}
