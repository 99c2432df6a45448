/// A value that most of its owners never change from its default: until it is changed, it takes no
/// more room than a reference.
@propertyWrapper
package struct Rare<Value: Defaulted>: Sendable {
  /// The value, or nothing: an array is copied only when a copy of its owner changes it.
  private var stored: [Value] = []

  package init() {}

  package var wrappedValue: Value {
    // Not `_read`, whose frame would be allocated for each use.
    @inline(__always) get { stored.isEmpty ? Value() : stored[0] }
    _modify {
      if stored.isEmpty { stored = [Value()] }
      yield &stored[0]
    }
  }

  package var projectedValue: Self { self }

  /// Returns a part of the value. `wrappedValue` copies all of it.
  @inline(__always)
  func part<Part>(_ part: (borrowing Value) -> Part) -> Part {
    stored.isEmpty ? part(Value()) : part(stored[0])
  }

  /// The bytes that the value takes beside the reference.
  var bytes: Int { stored.isEmpty ? 0 : ListBytes.header + MemoryLayout<Value>.stride }
}

/// A type with a default value, as `Rare` needs.
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
