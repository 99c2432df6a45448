import Bytes
import Dissectors

/// Places in which parts are joined, one for each path on which parts can come.
///
/// They share a memory limit. When it is reached, those that were silent longest give up what they
/// hold.
struct JoiningPlaces: Sendable {
  struct Place: Sendable {
    /// The owner of the parts; another owner starts from scratch.
    fileprivate(set) var owner = 0
    /// Whether something is being joined.
    fileprivate(set) var isActive = false
    /// The length of the whole, once it is known.
    var expected: Int?
    /// The bytes that arrived, including those that the capture did not keep.
    fileprivate(set) var arrived = 0
    /// Whether the capture lacks bytes: what follows the gap is not kept.
    fileprivate var hasGap = false
    /// Whether something incomplete had to make room; the owner resets this.
    var isLost = false
    /// The bytes that are present.
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate var packets: [Int] = []
    /// The packet with the last part.
    fileprivate var lastPacket = 0
    fileprivate(set) var pieces = Pieces()
    /// Whether a part may consist of pieces that do not belong together.
    var isDoubtful = false
    /// The longest part that came from the owner before, and whether some are missing or
    /// duplicated.
    var largest = 0
    var isTorn = false

    /// The bytes of memory that it holds.
    fileprivate var held: Int { bytes.capacity + 8 * packets.capacity }

    /// Forgets what is incomplete.
    mutating func clear() {
      isActive = false
      expected = nil
      arrived = 0
      hasGap = false
      isDoubtful = false
      pieces = Pieces()
      bytes.removeAll(keepingCapacity: true)
      packets.removeAll(keepingCapacity: true)
    }

    /// Begins a new whole.
    mutating func begin(expected: Int? = nil) {
      isActive = true
      self.expected = expected
    }
  }

  private var places: [Place]
  private let limits: Limits
  private var hasReportedNumbers = false
  /// The bytes of memory that all places hold, and whether exceeding the limit was reported.
  private var held = 0
  private var hasReportedRoom = false
  /// The bytes that were completed last, lent until the next completion.
  private var joined: [UInt8] = []
  /// The memory that a place may always keep, in bytes.
  private static let small = 4096
  /// The most memory that an inactive place keeps, in bytes.
  private static let large = 16_384

  init(_ limits: Limits, count: Int = 0) {
    self.limits = limits
    places = [Place](repeating: Place(), count: count)
  }

  subscript(place: Int) -> Place {
    _read { yield places[place] }
    _modify { yield &places[place] }
  }

  /// Adds places up to and including this index.
  mutating func grow(to place: Int) {
    while places.count <= place { places.append(Place()) }
  }

  /// Assigns a place to an owner, and empties it if it had another one.
  mutating func give(_ place: Int, to owner: Int) {
    if places[place].owner != owner { replace(place, owner) }
  }

  /// Kept apart from `give`, which is called for every packet.
  @inline(never)
  private mutating func replace(_ place: Int, _ owner: Int) {
    release(place)
    places[place].isLost = false
    places[place].isTorn = false
    places[place].largest = 0
    places[place].owner = owner
  }

  /// Forgets everything that is incomplete.
  mutating func forget() {
    for place in places.indices where places[place].isActive {
      places[place].clear()
      if places[place].held > Self.large { release(place) }
    }
  }

  /// Empties a place and frees a large buffer.
  private mutating func release(_ place: Int) {
    places[place].clear()
    guard places[place].held > Self.small else { return }
    held -= places[place].held
    places[place].bytes = []
    places[place].packets = []
    held += places[place].held
  }

  /// Frees the memory of other places until there is room: inactive places first, then those that
  /// were silent longest.
  private mutating func makeRoom(for kept: Int, _ problems: inout Problems) {
    while held > limits.joinedBytes {
      var chosen: Int?
      for place in places.indices where place != kept && places[place].held > Self.small {
        guard let best = chosen else {
          chosen = place
          continue
        }
        let isSooner =
          places[place].isActive == places[best].isActive
          ? places[place].lastPacket < places[best].lastPacket : !places[place].isActive
        if isSooner { chosen = place }
      }
      guard let chosen else { return }
      if places[chosen].isActive {
        places[chosen].isLost = true
        if !hasReportedRoom {
          hasReportedRoom = true
          problems.add(Problem(.joined, limit: limits.joinedBytes))
        }
      }
      release(chosen)
    }
  }

  /// Appends a part of which the capture lacks `missing` bytes.
  ///
  /// - Parameters:
  ///   - most: the maximum length of the whole.
  ///   - packet: the packet that completed the part.
  ///   - packets: the packets that carried the part, if there are several.
  mutating func append(
    _ place: Int, _ part: RawSpan, missing: Int, most: Int, packet: Int, packets: [Int] = [],
    _ problems: inout Problems
  ) {
    let before = places[place].held
    places[place].arrived += part.byteCount + missing
    places[place].pieces.append(part.byteCount + missing)
    if !places[place].hasGap {
      let kept = min(part.byteCount, max(0, most - places[place].bytes.count))
      places[place].bytes.append(part.part(Slice(start: 0, count: kept)))
      if kept < part.byteCount { places[place].hasGap = true }
    }
    if missing > 0 { places[place].hasGap = true }
    number(place, packet, packets, &problems)
    places[place].lastPacket = packet
    held += places[place].held - before
    if held > limits.joinedBytes { makeRoom(for: place, &problems) }
  }

  /// Keeps the numbers of the packets with a part.
  private mutating func number(
    _ place: Int, _ packet: Int, _ packets: [Int], _ problems: inout Problems
  ) {
    let room = limits.fragmentNumbers - places[place].packets.count
    if packets.isEmpty {
      if room > 0 { places[place].packets.append(packet) }
    } else {
      places[place].packets.append(contentsOf: packets.prefix(max(0, room)))
    }
    guard room < max(1, packets.count), !hasReportedNumbers else { return }
    hasReportedNumbers = true
    problems.add(Problem(.fragments, limit: limits.fragmentNumbers))
  }

  /// Lends the completed bytes of a place, and empties it.
  ///
  /// - Parameter fragments: set to the packets that carried the bytes, in order.
  @_lifetime(&self)
  mutating func complete(
    _ place: Int, expected: Int, _ fate: inout FragmentFate, _ fragments: inout [Int]
  ) -> RawSpan {
    held -= places[place].held
    swap(&joined, &places[place].bytes)
    swap(&fragments, &places[place].packets)
    places[place].clear()
    held += places[place].held
    // The place now has the buffers of what was completed before.
    if places[place].held > Self.large { release(place) }
    fate.isTruncated = joined.count < expected
    fate.isJoined = fragments.count > 1
    fate.hasJoinedBytes = true
    return joined.bytes.part(Slice(start: 0, count: expected))
  }
}
