import Bluetooth
import Bytes
package import Dissectors

/// What became of an ACL fragment.
package struct FragmentFate: Sendable {
  /// Whether the fragment completed no PDU and begins or continues one.
  package var isFragment = false
  /// Where the PDU begins in the bytes that `accept` lent.
  package var start = 0
  /// Whether the capture kept only the beginning of the PDU.
  package var isTruncated = false
  /// Whether the PDU came in more than one packet.
  package var isJoined = false
  /// Whether the bytes that were lent are joined ones: slices count from their beginning, not from the
  /// record's. So it is with a frame that came in several packets, even where it completes no SDU and
  /// `isJoined` is false.
  package var hasJoinedBytes = false
  /// The channel of an incomplete PDU, once its header is there.
  package var channel: ChannelID?
  /// How many bytes of the PDU are there, and how many it has, header included; 0: not known yet.
  package var progress: (have: Int, of: Int) = (0, 0)

  init() {}
}

/// Joins the fragments of L2CAP PDUs, per link and direction (Core, Vol 3, Part A, 7.2.1).
///
/// Owns the joined bytes and stands beside `Links`, so that a span of it can be held while what is
/// remembered changes.
package struct Reassembly: Sendable {
  private struct Open: Sendable {
    /// The connection that the fragments belong to; another one under the same slot starts anew.
    var connection = 0
    var isActive = false
    /// Bytes that arrived, including those that the capture did not keep.
    var arrived = 0
    /// Whether bytes are missing in the capture: what follows the gap is not kept.
    var hasGap = false
    var bytes: [UInt8] = []
    var packets: [Int] = []
    /// The packet that brought the last fragment.
    var lastPacket = 0
    /// Whether there were more packets than there are numbers kept of.
    var hasMorePackets = false

    /// The PDU's length with its header, once that is there.
    var expected: Int? {
      guard bytes.count >= L2CAPHeader.size else { return nil }
      return (Int(bytes[0]) | Int(bytes[1]) << 8) + L2CAPHeader.size
    }

    /// The channel, once the header is there.
    var channel: ChannelID? {
      guard bytes.count >= L2CAPHeader.size else { return nil }
      return ChannelID(rawValue: UInt16(bytes[2]) | UInt16(bytes[3]) << 8)
    }

    mutating func clear() {
      isActive = false
      arrived = 0
      hasGap = false
      hasMorePackets = false
      bytes.removeAll(keepingCapacity: true)
      packets.removeAll(keepingCapacity: true)
    }

    /// Bytes of memory that it holds.
    var held: Int { bytes.capacity + 8 * packets.capacity }

    mutating func append(_ fragment: RawSpan, missing: Int, packet: Int, _ limits: Limits) {
      arrived += fragment.byteCount + missing
      if !hasGap {
        let kept = min(fragment.byteCount, max(0, limits.pduBytes - bytes.count))
        bytes.append(fragment.part(Slice(start: 0, count: kept)))
        if kept < fragment.byteCount { hasGap = true }
      }
      if missing > 0 { hasGap = true }
      if packets.count < limits.fragmentNumbers {
        packets.append(packet)
      } else {
        hasMorePackets = true
      }
    }
  }

  private var open: [Open]
  private let limits: Limits
  private var hasSaidNumbers = false
  /// Bytes of memory that all places hold, and whether it was said that they are too many.
  private var held = 0
  private var hasSaidRoom = false
  /// What a place may always keep for the next PDU.
  private static let small = 4096
  /// What a place that nothing is joined in keeps at most.
  private static let large = 16_384
  /// The PDU that was completed last: lent until the next `accept`.
  private var joined: [UInt8] = []

  init(_ limits: Limits) {
    self.limits = limits
    open = [Open](repeating: Open(), count: 3 * max(1, limits.links))
  }

  /// Forgets all PDUs that are incomplete.
  mutating func forget() {
    for place in open.indices where open[place].isActive {
      open[place].clear()
      if open[place].held > Self.large { release(place) }
    }
  }

  /// Gives back what other places hold, those first that nothing is being joined in and then those
  /// that were silent longest, until there is room.
  private mutating func makeRoom(for kept: Int, _ problems: inout Problems) {
    while held > limits.joinedBytes {
      var chosen: Int?
      for place in open.indices where place != kept && open[place].held > Self.small {
        guard let best = chosen else {
          chosen = place
          continue
        }
        let isSooner =
          open[place].isActive == open[best].isActive
          ? open[place].lastPacket < open[best].lastPacket : !open[place].isActive
        if isSooner { chosen = place }
      }
      guard let chosen else { return }
      if open[chosen].isActive, !hasSaidRoom {
        hasSaidRoom = true
        problems.add(Problem(.joined, limit: limits.joinedBytes))
      }
      release(chosen)
    }
  }

  /// Empties a place and gives back a large buffer.
  private mutating func release(_ place: Int) {
    open[place].clear()
    guard open[place].held > Self.small else { return }
    held -= open[place].held
    open[place].bytes = []
    open[place].packets = []
    held += open[place].held
  }

  /// Takes the fragment in the part `body` of `record` and lends the bytes of the PDU that it
  /// completes: the record's own where the PDU lies in one, else the joined ones; nil where it
  /// completes none.
  ///
  /// A start while a PDU is incomplete, a continuation of nothing and a fragment that is too long
  /// are problems; none of them stops anything.
  ///
  /// - Parameters:
  ///   - isTruncated: the capture kept only the beginning of the record.
  ///   - fragments: set to the packets of the PDU, in order, where it came in several.
  @_lifetime(&self, copy record)
  mutating func accept(
    _ record: RawSpan, body: Slice, _ header: ACLHeader, isTruncated: Bool, _ slot: LinkSlot,
    connection: Int, _ direction: Direction?, packet: Int, _ fate: inout FragmentFate,
    _ fragments: inout [Int], _ problems: inout Problems
  ) -> RawSpan? {
    // Packets whose direction nobody knows are joined with one another.
    let place = 3 * slot.index + Int(direction?.rawValue ?? 2)
    let fragment = record.part(body)
    // What the capture did not keep had arrived. A length that lies claims more than that, and is
    // believed only as far as it lets what there is be read.
    let claimed = max(fragment.byteCount, Int(header.length))
    let brought = isTruncated ? claimed : fragment.byteCount
    if open[place].connection != connection {
      release(place)
      open[place].connection = connection
    }
    if header.boundary != .continuation {
      if open[place].isActive {
        let (arrived, expected) = (open[place].arrived, open[place].expected ?? 0)
        problems.add(Problem(.fragmentLost, arrived, expected))
        open[place].clear()
      }
      if fragment.byteCount >= L2CAPHeader.size {
        let expected = Int(fragment.littleEndianU16(at: 0)) + L2CAPHeader.size
        if expected <= claimed {
          // Whole in one record: lend that, uncopied.
          if brought > expected {
            problems.add(Problem(.fragmentTooLong, at: Int(body.start), brought, expected))
          }
          fate.start = Int(body.start)
          fate.isTruncated = fragment.byteCount < expected
          return record.part(Slice(start: 0, count: min(body.end, Int(body.start) + expected)))
        }
      }
      // Without a length there is no telling what belongs to the PDU.
      if isTruncated, fragment.byteCount < L2CAPHeader.size {
        fate.isTruncated = true
        return nil
      }
      open[place].isActive = true
    } else if !open[place].isActive {
      problems.add(Problem(.continuationWithoutStart, at: Int(body.start)))
      return nil
    }
    return extend(
      place, fragment, missing: brought - fragment.byteCount, packet: packet, &fate, &fragments,
      &problems)
  }

  @_lifetime(&self)
  private mutating func extend(
    _ place: Int, _ fragment: RawSpan, missing: Int, packet: Int, _ fate: inout FragmentFate,
    _ fragments: inout [Int], _ problems: inout Problems
  ) -> RawSpan? {
    let before = open[place].held
    open[place].append(fragment, missing: missing, packet: packet, limits)
    open[place].lastPacket = packet
    held += open[place].held - before
    if held > limits.joinedBytes { makeRoom(for: place, &problems) }
    if open[place].hasMorePackets, !hasSaidNumbers {
      hasSaidNumbers = true
      problems.add(Problem(.fragments, limit: limits.fragmentNumbers))
    }
    let expected = open[place].expected
    fate.channel = open[place].channel
    fate.progress = (open[place].arrived, expected ?? 0)
    // Without a header because of a gap, the PDU's end cannot be known: the next start ends it.
    guard let expected, open[place].arrived >= expected else {
      fate.isFragment = true
      return nil
    }
    let extra = open[place].arrived - expected
    if extra > 0 {
      let brought = fragment.byteCount + missing
      problems.add(Problem(.fragmentTooLong, brought, brought - extra))
    }
    held -= open[place].held
    swap(&joined, &open[place].bytes)
    swap(&fragments, &open[place].packets)
    open[place].clear()
    held += open[place].held
    // The place has now the buffers of what was completed before.
    if open[place].held > Self.large { release(place) }
    fate.isTruncated = joined.count < expected
    fate.isJoined = fragments.count > 1
    fate.hasJoinedBytes = true
    return joined.bytes.part(Slice(start: 0, count: expected))
  }
}
