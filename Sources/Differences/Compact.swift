package import Bluetooth
package import Bytes

// Optional and large numbers in few bytes: `diff` keeps hundreds of thousands of operations.

/// A number that is not negative, in four bytes. Larger numbers become the largest that
/// fits.
@propertyWrapper
package struct Small: Sendable {
  private var number: UInt32

  package init(wrappedValue: Int) { number = UInt32(clamping: wrappedValue) }

  package var wrappedValue: Int {
    get { number == .max ? .max : Int(number) }
    set { number = UInt32(clamping: newValue) }
  }
}

/// An index, if any, in four bytes.
@propertyWrapper
package struct SmallIfAny: Sendable {
  private var number: UInt32

  package init(wrappedValue: Int?) { number = wrappedValue.map { UInt32(clamping: $0) } ?? .max }

  package var wrappedValue: Int? {
    get { number == .max ? nil : Int(number) }
    set { self = Self(wrappedValue: newValue) }
  }
}

/// A range of indexes, if any, in eight bytes.
@propertyWrapper
package struct RangeIfAny: Sendable {
  @SmallIfAny private var start: Int?
  @Small private var count: Int

  package init(wrappedValue: Range<Int>?) {
    (start, count) = (wrappedValue?.lowerBound, wrappedValue?.count ?? 0)
  }

  package var wrappedValue: Range<Int>? { start.map { $0..<$0 + count } }
}

/// The place of bytes, if any, in eight bytes.
@propertyWrapper
package struct SliceIfAny: Sendable {
  private var slice: Slice

  package init(wrappedValue: Slice?) { slice = wrappedValue ?? Self.none }

  package var wrappedValue: Slice? {
    get { slice == Self.none ? nil : slice }
    set { slice = newValue ?? Self.none }
  }

  private static let none = Slice(start: 0, count: -1)
}

/// Kinds of requests whose opcodes are below 32, as those of discovery are.
package struct RequestKinds: Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt32 = 0

  package init(arrayLiteral kinds: ATTOpcode...) {
    for kind in kinds { insert(kind) }
  }

  package func contains(_ kind: ATTOpcode) -> Bool {
    kind.rawValue < 32 && bits >> kind.rawValue & 1 == 1
  }

  package mutating func insert(_ kind: ATTOpcode) {
    if kind.rawValue < 32 { bits |= 1 << kind.rawValue }
  }

  package mutating func formUnion(_ other: Self) { bits |= other.bits }
}
