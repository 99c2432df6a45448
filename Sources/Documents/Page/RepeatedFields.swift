import Bytes
import Reports

/// The fields of recent packets, to be used again for packets with the same bytes: half of a
/// capture's packets are reports of free buffers, polls and acknowledgements, and devices send the
/// same values again and again.
struct RepeatedFields: Sendable {
  /// The longest record that is kept; longer ones are seldom repeated.
  static let mostBytes = 512

  /// The lines up to the value, by what they depend on and the bytes before the value.
  private var beginnings = RepeatedLines<FieldContext>(most: 256)
  /// The lines of values, by what they depend on and the value.
  private var values = RepeatedLines<ValueContext>(most: 1024)

  /// Returns the lines up to the value, or nil if they are not known.
  ///
  /// - Parameter bytes: the packet's bytes before the value.
  func beginning(_ context: FieldContext, _ bytes: RawSpan) -> PageDetails.Lines? {
    beginnings.find(context, bytes)
  }

  mutating func learn(
    beginning lines: PageDetails.Lines, _ context: FieldContext, _ bytes: RawSpan
  ) {
    beginnings.learn(lines, context, bytes)
  }

  /// Returns the lines of a value, or nil if they are not known.
  func value(_ context: ValueContext, _ bytes: RawSpan) -> PageDetails.Lines? {
    values.find(context, bytes)
  }

  mutating func learn(value lines: PageDetails.Lines, _ context: ValueContext, _ bytes: RawSpan) {
    values.learn(lines, context, bytes)
  }
}

/// Lines by their context and bytes.
private struct RepeatedLines<Context: Equatable & Sendable>: Sendable {
  private var contexts: [Context] = []
  private var keys: [[UInt8]] = []
  private var lines: [PageDetails.Lines] = []
  /// For each hash of bytes, the index of the latest ones plus 1; 0: none.
  private var slots: [UInt16]

  /// - Parameter most: the maximum number, a power of two.
  init(most: Int) { slots = [UInt16](repeating: 0, count: most) }

  func find(_ context: Context, _ bytes: RawSpan) -> PageDetails.Lines? {
    let place = Int(slots[slot(bytes)]) - 1
    guard place >= 0 else { return nil }
    let key = keys[place]
    return key.bytes.isEqual(to: bytes) && contexts[place] == context ? lines[place] : nil
  }

  mutating func learn(_ new: PageDetails.Lines, _ context: Context, _ bytes: RawSpan) {
    let slot = slot(bytes)
    let place = Int(slots[slot]) - 1
    guard place >= 0 else {
      contexts.append(context)
      keys.append(bytes.array)
      lines.append(new)
      slots[slot] = UInt16(lines.count)
      return
    }
    (contexts[place], lines[place]) = (context, new)
    keys[place].removeAll(keepingCapacity: true)
    keys[place].append(bytes)
  }

  /// Returns the slot, which is the same in each run so that a page is: equal hashes cost no more
  /// than fields that are composed again.
  private func slot(_ bytes: RawSpan) -> Int {
    Int(TextTable.hash(bytes, seed: 0)) & (slots.count - 1)
  }
}
