import Bytes
import Dissectors

/// Places in which what came in parts is put together, one for each way that parts can come on.
///
/// They share a limit of memory: where it is reached, those that were silent longest give up what they
/// hold.
struct JoiningPlaces: Sendable {
  /// One place.
  struct Place: Sendable {
    /// Whose the parts are; another owner starts anew.
    fileprivate(set) var owner = 0
    /// Whether something is being joined.
    fileprivate(set) var isActive = false
    /// The length of the whole, once that is known.
    var expected: Int?
    /// Bytes that arrived, including those that the capture did not keep.
    fileprivate(set) var arrived = 0
    /// Whether bytes are missing in the capture: what follows the gap is not kept.
    fileprivate var hasGap = false
    /// Whether something incomplete had to make room; the owner takes that back.
    var isLost = false
    /// The bytes that are there.
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate var packets: [Int] = []
    /// The packet that brought the last part.
    fileprivate var lastPacket = 0

    /// Bytes of memory that it holds.
    fileprivate var held: Int { bytes.capacity + 8 * packets.capacity }

    /// Forgets what is incomplete.
    mutating func clear() {
      isActive = false
      expected = nil
      arrived = 0
      hasGap = false
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
  private var hasSaidNumbers = false
  /// Bytes of memory that all places hold, and whether it was said that they are too many.
  private var held = 0
  private var hasSaidRoom = false
  /// What was completed last: lent until the next is.
  private var joined: [UInt8] = []
  /// What a place may always keep for what comes next.
  private static let small = 4096
  /// What a place that nothing is joined in keeps at most.
  private static let large = 16_384

  init(_ limits: Limits, count: Int = 0) {
    self.limits = limits
    places = [Place](repeating: Place(), count: count)
  }

  subscript(place: Int) -> Place {
    _read { yield places[place] }
    _modify { yield &places[place] }
  }

  /// Makes room for a place.
  mutating func grow(to place: Int) {
    while places.count <= place { places.append(Place()) }
  }

  /// Gives a place to an owner, empty where it was another's.
  mutating func give(_ place: Int, to owner: Int) {
    if places[place].owner != owner { replace(place, owner) }
  }

  /// Apart from `give`, which every packet passes.
  @inline(never)
  private mutating func replace(_ place: Int, _ owner: Int) {
    release(place)
    places[place].isLost = false
    places[place].owner = owner
  }

  /// Forgets all that is incomplete.
  mutating func forget() {
    for place in places.indices where places[place].isActive {
      places[place].clear()
      if places[place].held > Self.large { release(place) }
    }
  }

  /// Empties a place and gives back a large buffer.
  private mutating func release(_ place: Int) {
    places[place].clear()
    guard places[place].held > Self.small else { return }
    held -= places[place].held
    places[place].bytes = []
    places[place].packets = []
    held += places[place].held
  }

  /// Gives back what other places hold, those first that nothing is being joined in and then those
  /// that were silent longest, until there is room.
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
        if !hasSaidRoom {
          hasSaidRoom = true
          problems.add(Problem(.joined, limit: limits.joinedBytes))
        }
      }
      release(chosen)
    }
  }

  /// Appends a part, of which the capture does not have `missing` bytes.
  ///
  /// - Parameters:
  ///   - most: how many bytes the whole can have.
  ///   - packet: the packet that brought it.
  ///   - packets: the packets that brought it, where there are several.
  mutating func append(
    _ place: Int, _ part: RawSpan, missing: Int, most: Int, packet: Int, packets: [Int] = [],
    _ problems: inout Problems
  ) {
    let before = places[place].held
    places[place].arrived += part.byteCount + missing
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

  /// Keeps the numbers of the packets that brought a part.
  private mutating func number(
    _ place: Int, _ packet: Int, _ packets: [Int], _ problems: inout Problems
  ) {
    let room = limits.fragmentNumbers - places[place].packets.count
    if packets.isEmpty {
      if room > 0 { places[place].packets.append(packet) }
    } else {
      places[place].packets.append(contentsOf: packets.prefix(max(0, room)))
    }
    guard room < max(1, packets.count), !hasSaidNumbers else { return }
    hasSaidNumbers = true
    problems.add(Problem(.fragments, limit: limits.fragmentNumbers))
  }

  /// Lends the bytes of what is complete in a place, which is empty then.
  ///
  /// - Parameter fragments: set to the packets that brought it, in order.
  @_lifetime(&self)
  mutating func complete(
    _ place: Int, expected: Int, _ fate: inout FragmentFate, _ fragments: inout [Int]
  ) -> RawSpan {
    held -= places[place].held
    swap(&joined, &places[place].bytes)
    swap(&fragments, &places[place].packets)
    places[place].clear()
    held += places[place].held
    // The place has now the buffers of what was completed before.
    if places[place].held > Self.large { release(place) }
    fate.isTruncated = joined.count < expected
    fate.isJoined = fragments.count > 1
    fate.hasJoinedBytes = true
    return joined.bytes.part(Slice(start: 0, count: expected))
  }
}
