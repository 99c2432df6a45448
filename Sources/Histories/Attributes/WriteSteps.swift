import Bytes
import Sessions

/// Writes of different values to one attribute, each of them sent as soon as the server had
/// answered the one before it: a transfer that takes a round trip for each.
package struct WriteSteps: Sendable {
  package struct Run: Sendable {
    /// The index of the attribute's usage.
    package let place: Int
    package private(set) var count = 0
    package private(set) var bytes = 0
    /// The length of the longest, and how many have it.
    package private(set) var length = 0
    package private(set) var alike = 0
    /// The bytes of a file in them; nil: unknown.
    package private(set) var payload: Int? = 0
    package fileprivate(set) var answered = 0
    package let first: Moment
    package fileprivate(set) var last: Moment
    /// The time until the answers came, in nanoseconds.
    package fileprivate(set) var waited: Int64 = 0
    /// How often a value was one of the last few again, as in a loop that polls.
    package fileprivate(set) var repeats = 0

    init(_ place: Int, _ moment: Moment) {
      self.place = place
      (first, last) = (moment, moment)
    }

    fileprivate mutating func note(_ value: RawSpan) {
      let length = value.byteCount
      count &+= 1
      bytes &+= length
      if length > self.length { (self.length, alike) = (length, 0) }
      alike &+= length == self.length ? 1 : 0
      payload = payload.flatMap { sum in
        WriteSteps.payload(value).map { sum &+ min($0, Int(UInt16.max)) }
      }
    }
  }

  package var longest: Run? { current?.count ?? 0 > ended?.count ?? 0 ? current : ended }
  private var current: Run?
  /// The longest one before it.
  private var ended: Run?
  /// When the last write was sent, if it has no answer yet.
  private var sent: Moment?
  /// The hashes of the first bytes of the last values, in a ring.
  private var recent = InlineArray<8, UInt64>(repeating: 0)

  private static let head = 32
  /// A client that waits only for the answer continues within this time.
  private static let atOnce: Int64 = 100_000_000

  mutating func note(_ value: RawSpan, _ place: Int, _ moment: Moment) {
    var run = current
    if run?.place != place || sent != nil
      || run.map({ moment.nanoseconds(since: $0.last) ?? .max > Self.atOnce }) ?? true
    {
      if let run, run.count > ended?.count ?? 0 { ended = run }
      run = Run(place, moment)
    }
    let hash = value.part(Slice(start: 0, count: min(Self.head, value.byteCount))).hash
    for index in recent.indices where recent[index] == hash {
      run?.repeats &+= 1
      break
    }
    recent[(run?.count ?? 0) % recent.count] = hash
    run?.note(value)
    current = run
    sent = moment
  }

  /// Records what the server sent.
  mutating func note(answer length: Int, _ moment: Moment) {
    guard current != nil, let since = sent ?? current?.last else { return }
    current?.answered &+= length
    current?.waited.add(clamped: moment.nanoseconds(since: since) ?? 0)
    current?.last = moment
    sent = nil
  }

  /// Returns how many bytes of a file or an image a request of the Simple Management Protocol
  /// carries: a header (8 bytes, with the operation and the group), then a CBOR map with a byte
  /// string named `data` (MCUmgr).
  static func payload(_ value: RawSpan) -> Int? {
    guard value.byteCount > 9, value.byte(at: 0) & 7 == 2, value.byte(at: 4) == 0,
      value.byte(at: 5) == 1 || value.byte(at: 5) == 8
    else { return nil }
    let text: UInt8 = 3
    var map = CBORHeads(value, at: 8)
    guard map.next()?.type == 5 else { return nil }
    while let key = map.next(), key.type == text {
      let isData = map.isNext("data", key.length)
      map.skip(key.length)
      guard let item = map.next() else { return nil }
      if isData { return item.type == 2 ? item.length : nil }
      switch item.type {
      case 0, 1, 7: break
      case 2, text: map.skip(item.length)
      default: return nil
      }
    }
    return nil
  }
}

/// Reads the heads of CBOR's data items (RFC 8949, 3).
private struct CBORHeads: ~Escapable {
  private let bytes: RawSpan
  private var place: Int

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, at place: Int) {
    self.bytes = bytes
    self.place = place
  }

  /// Returns the next item's major type, and its value or length; an indefinite length is 0.
  mutating func next() -> (type: UInt8, length: Int)? {
    guard place < bytes.byteCount else { return nil }
    let head = bytes.byte(at: place)
    place += 1
    let low = Int(head & 31)
    if low < 24 { return (head >> 5, low) }
    if low == 31 { return (head >> 5, 0) }
    guard low < 27, place + 1 << (low - 24) <= bytes.byteCount else { return nil }
    var length = 0
    for _ in 0..<1 << (low - 24) {
      length = length << 8 | Int(bytes.byte(at: place))
      place += 1
    }
    return (head >> 5, length)
  }

  mutating func skip(_ length: Int) { place += min(length, bytes.byteCount - place) }

  /// Returns whether the next bytes are a word.
  func isNext(_ word: StaticString, _ length: Int) -> Bool {
    guard length == word.utf8CodeUnitCount, place + length <= bytes.byteCount else { return false }
    let expected = word.bytes
    return (0..<length).allSatisfy { bytes.byte(at: place + $0) == expected.byte(at: $0) }
  }
}
