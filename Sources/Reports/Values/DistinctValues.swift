import Bluetooth
import Bytes
import Decoders
import Meanings
import Sessions

/// The distinct values of each attribute, in the order in which they first came.
struct DistinctValues: ~Copyable {
  /// A value, the first time that it came.
  struct Entry: Sendable {
    let key: ValueEntry.Key
    var value: ConveyedValue
    let bytes: [UInt8]
    /// The message or part of one that it is.
    let message: RecentMessages.Content?
    var count = 1
    var lastPacket: Int
    /// The next entry whose value has the same hash.
    fileprivate var next = -1
  }

  private(set) var entries: [Entry] = []
  private var first: [Int: Int] = [:]
  private var byteCount = 0
  /// The number of values that are not listed for lack of room.
  private(set) var omitted = 0
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// Counts a value, which `reading` has read.
  mutating func add(_ value: ConveyedValue, _ bytes: RawSpan, _ reading: borrowing ValueReading) {
    let content = bytes.part(value.value ?? .empty)
    let key = ValueEntry.Key(value)
    let hash = Self.hash(key, content)
    var place = first[hash] ?? -1
    while place >= 0 {
      if isSame(place, key, value, content) {
        entries[place].count += 1
        entries[place].lastPacket = value.packet
        return
      }
      place = entries[place].next
    }
    let message = reading.meaning.messageAlone
    let size = content.byteCount + (message?.keptBytes ?? 0)
    guard entries.count < limits.listedDistinct, byteCount + size <= limits.distinctBytes else {
      omitted += 1
      return
    }
    byteCount += size
    var kept = value
    kept.value = value.value.map { Slice(start: 0, count: Int($0.count)) }
    kept.handles = nil
    kept.packets = nil
    var entry = Entry(
      key: key, value: kept, bytes: content.array, message: message, lastPacket: value.packet)
    entry.next = first[hash] ?? -1
    first[hash] = entries.count
    entries.append(entry)
  }

  private func isSame(
    _ place: Int, _ key: ValueEntry.Key, _ value: ConveyedValue, _ content: RawSpan
  ) -> Bool {
    let known = entries[place].value
    let held = entries[place].bytes
    return entries[place].key == key && known.operation == value.operation
      && known.direction == value.direction && known.outcome == value.outcome
      && (known.value == nil) == (value.value == nil) && known.offset == value.offset
      && known.isCut == value.isCut && held.bytes.isEqual(to: content)
  }

  /// Forgets all values.
  mutating func removeAll() { (entries, first, byteCount, omitted) = ([], [:], 0, 0) }

  private static func hash(_ key: ValueEntry.Key, _ content: RawSpan) -> Int {
    var hasher = Hasher()
    hasher.combine(key)
    for index in 0..<content.byteCount { hasher.combine(content.byte(at: index)) }
    return hasher.finalize()
  }

  /// The entries by attribute: attributes in the order of their first values, those of advertisers
  /// last.
  func sorted() -> [Entry] {
    var order: [ValueEntry.Key: Int] = [:]
    for entry in entries where order[entry.key] == nil {
      let isAdvertised = entry.value.operation == .advertisement
      order[entry.key] = order.count + (isAdvertised ? entries.count : 0)
    }
    let ranks = entries.map { order[$0.key] ?? 0 }
    return entries.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { entries[$0] }
  }

  /// How many values are not listed, in words; nil if all are.
  var remark: String? {
    omitted > 0
      ? "more distinct values than are listed: \(omitted) values are not counted" : nil
  }
}
