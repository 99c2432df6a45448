import Bluetooth
import Bytes

// Optional and large numbers in few bytes: `diff` keeps hundreds of thousands of operations.

/// A number that is not negative, in four bytes. Larger numbers become the largest that
/// fits.
@propertyWrapper
struct Small: Sendable {
  private var number: UInt32

  init(wrappedValue: Int) { number = UInt32(clamping: wrappedValue) }

  var wrappedValue: Int {
    get { number == .max ? .max : Int(number) }
    set { number = UInt32(clamping: newValue) }
  }
}

/// An index, if any, in four bytes.
@propertyWrapper
struct SmallIfAny: Sendable {
  private var number: UInt32

  init(wrappedValue: Int?) { number = wrappedValue.map { UInt32(clamping: $0) } ?? .max }

  var wrappedValue: Int? {
    get { number == .max ? nil : Int(number) }
    set { self = Self(wrappedValue: newValue) }
  }
}

/// A range of indexes, if any, in eight bytes.
@propertyWrapper
struct RangeIfAny: Sendable {
  @SmallIfAny private var start: Int?
  @Small private var count: Int

  init(wrappedValue: Range<Int>?) {
    (start, count) = (wrappedValue?.lowerBound, wrappedValue?.count ?? 0)
  }

  var wrappedValue: Range<Int>? { start.map { $0..<$0 + count } }
}

/// The place of bytes, if any, in eight bytes.
@propertyWrapper
struct SliceIfAny: Sendable {
  private var slice: Slice

  init(wrappedValue: Slice?) { slice = wrappedValue ?? Self.none }

  var wrappedValue: Slice? {
    get { slice == Self.none ? nil : slice }
    set { slice = newValue ?? Self.none }
  }

  private static let none = Slice(start: 0, count: -1)
}

/// Kinds of requests whose opcodes are below 32, as those of discovery are.
struct RequestKinds: Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt32 = 0

  init(arrayLiteral kinds: ATTOpcode...) {
    for kind in kinds { insert(kind) }
  }

  func contains(_ kind: ATTOpcode) -> Bool {
    kind.rawValue < 32 && bits >> kind.rawValue & 1 == 1
  }

  mutating func insert(_ kind: ATTOpcode) {
    if kind.rawValue < 32 { bits |= 1 << kind.rawValue }
  }

  mutating func formUnion(_ other: Self) { bits |= other.bits }
}
