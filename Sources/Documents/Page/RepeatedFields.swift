import Bytes
import Reports

/// With which lines the fields of recent packets begin, to be used again for packets with the same
/// bytes: half of a capture's packets are reports of free buffers, polls and acknowledgements.
struct RepeatedFields: Sendable {
  private static let most = 256
  /// The longest record that is kept; longer ones are seldom repeated.
  static let mostBytes = 512

  // The latest packets, by a hash of their bytes.
  private var contexts = [FieldContext?](repeating: nil, count: most)
  private var keys = [[UInt8]](repeating: [], count: most)
  private var beginnings = [PageDetails.Beginning?](repeating: nil, count: most)

  /// Returns the fields up to the value, or nil if they are not known.
  ///
  /// - Parameter bytes: the packet's bytes before the value.
  func find(_ context: FieldContext, _ bytes: RawSpan) -> PageDetails.Beginning? {
    let slot = Self.slot(bytes)
    let key = keys[slot]
    return key.bytes.isEqual(to: bytes) && contexts.span[slot] == context ? beginnings[slot] : nil
  }

  mutating func learn(
    _ context: FieldContext, _ bytes: RawSpan, _ beginning: PageDetails.Beginning
  ) {
    let slot = Self.slot(bytes)
    contexts[slot] = context
    keys[slot] = bytes.array
    beginnings[slot] = beginning
  }

  /// Returns the slot, which is the same in each run so that a page is: equal hashes cost no more
  /// than fields that are composed again.
  private static func slot(_ bytes: RawSpan) -> Int {
    Int(TextTable.hash(bytes, seed: 0)) & (most - 1)
  }
}
