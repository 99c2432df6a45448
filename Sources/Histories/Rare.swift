/// A value that most of its owners never change from its default: until it is changed, it takes no
/// more room than a reference.
@propertyWrapper
package struct Rare<Value: Defaulted>: Sendable {
  /// The value, or nothing: an array is copied only when a copy of its owner changes it.
  private var stored: [Value] = []

  package init() {}

  package var wrappedValue: Value {
    _read { if stored.isEmpty { yield Value() } else { yield stored[0] } }
    _modify {
      if stored.isEmpty { stored = [Value()] }
      yield &stored[0]
    }
  }

  package var projectedValue: Self { self }

  /// The bytes that the value takes beside the reference.
  var bytes: Int { stored.isEmpty ? 0 : ListBytes.header + MemoryLayout<Value>.stride }
}

/// What a `Rare` value can be.
package protocol Defaulted: Sendable {
  init()
}

/// The memory of lists.
enum ListBytes {
  /// The bytes of a list beside its elements.
  static let header = 32

  /// Returns the bytes of a list.
  static func of<Element>(_ list: [Element]) -> Int {
    list.isEmpty ? 0 : header + list.count * MemoryLayout<Element>.stride
  }
}
