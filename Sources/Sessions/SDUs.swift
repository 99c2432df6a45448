import Bluetooth
import Bytes
import Dissectors

/// Joins the K-frames of a credit-based channel's SDUs, per channel and direction (Core, Vol 3, Part A,
/// 3.4.3).
///
/// Owns the joined bytes and stands beside `Memory`, as `Reassembly` does.
package struct SDUs: Sendable {
  private struct Open: Sendable {
    /// The channel that the frames belong to; another one under the same slot starts anew.
    var serial = 0
    /// The SDU's length; nil while none is open.
    var expected: Int?
    var arrived = 0
    /// Whether bytes are missing in the capture: what follows the gap is not kept.
    var hasGap = false
    /// Whether an incomplete SDU had to be given up.
    var isLost = false
    var bytes: [UInt8] = []
    var packets: [Int] = []
    /// The packet that brought the last frame.
    var lastPacket = 0

    /// Bytes of memory that it holds.
    var held: Int { bytes.capacity + 8 * packets.capacity }

    mutating func clear() {
      expected = nil
      arrived = 0
      hasGap = false
      bytes.removeAll(keepingCapacity: true)
      packets.removeAll(keepingCapacity: true)
    }
  }

  private var open: [Open] = []
  /// The SDU that was completed last: lent until the next `accept`.
  private var joined: [UInt8] = []
  private let limits: Limits
  private var hasSaidNumbers = false
  /// Bytes of memory that all places hold, and whether it was said that they are too many.
  private var held = 0
  private var hasSaidRoom = false
  /// What a place may always keep for the next SDU.
  private static let small = 4096
  /// What a place that nothing is joined in keeps at most.
  private static let large = 16_384

  init(_ limits: Limits) { self.limits = limits }

  /// Forgets all SDUs that are incomplete.
  mutating func forget() {
    for place in open.indices where open[place].expected != nil {
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
        let isOpen = open[place].expected != nil
        let isSooner =
          isOpen == (open[best].expected != nil)
          ? open[place].lastPacket < open[best].lastPacket : !isOpen
        if isSooner { chosen = place }
      }
      guard let chosen else { return }
      if open[chosen].expected != nil {
        // Frames of the SDU that is given up must not be taken for another.
        open[chosen].isLost = true
        if !hasSaidRoom {
          hasSaidRoom = true
          problems.add(Problem(.joined, limit: limits.joinedBytes))
        }
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

  /// Takes the K-frame whose payload is the dissection's `body` and lends the bytes of the SDU that it
  /// completes: the PDU's own where the SDU lies in one frame, else the joined ones. The dissection's
  /// `body` is then the SDU. Nil where it completes none.
  ///
  /// - Parameters:
  ///   - pdu: the bytes of the L2CAP PDU, which the dissection counts from.
  ///   - way: what is known of the channel in this direction.
  ///   - fragments: the packets of the PDU where it came in several; set to those of the SDU.
  @_lifetime(&self, copy pdu)
  mutating func accept(
    _ pdu: RawSpan, _ fact: ChannelFact, _ way: inout Channel.Way, _ direction: Direction,
    packet: Int, _ dissection: inout Dissection, _ fate: inout FragmentFate,
    _ fragments: inout [Int]
  ) -> RawSpan? {
    let place = 2 * fact.slot + Int(direction.rawValue)
    while open.count <= place { open.append(Open()) }
    if open[place].serial != fact.serial {
      release(place)
      open[place].isLost = false
      open[place].serial = fact.serial
    }
    if open[place].isLost {
      open[place].isLost = false
      way.isInStep = false
    }
    // What the capture did not keep had arrived.
    let present = Int(dissection.body.count)
    let length =
      fate.isTruncated ? max(present, Int(dissection.l2cap?.length ?? 0)) : present
    let isCut = length > present
    if !way.isInStep { open[place].clear() }
    if let expected = open[place].expected {
      let arrived = open[place].arrived + length
      guard arrived > expected else {
        return extend(
          place, pdu, dissection.l2cap?.cid, missing: length - present, packet: packet,
          &dissection, &fate, &fragments)
      }
      // More than the SDU has: its end was lost, if the frame is an SDU of its own. Otherwise nobody
      // knows what belongs together until an SDU shows itself.
      open[place].clear()
      guard isWhole(pdu, dissection.body, length) else {
        dissection.problems.add(Problem(.sduOverrun, arrived, expected))
        way.isInStep = false
        return nil
      }
      dissection.problems.add(Problem(.sduLost, arrived - length, expected))
    }
    guard way.isInStep || isWhole(pdu, dissection.body, length) else {
      dissection.problems.add(Problem(.frameOutOfStep, at: Int(dissection.body.start)))
      return nil
    }
    way.isInStep = true
    dissection.takeSDULength(pdu, isCut: isCut)
    guard let sduLength = dissection.sduLength.map({ Int($0) }) else {
      way.isInStep = false
      return nil
    }
    if let mtu = way.mtu, sduLength > mtu {
      dissection.problems.add(Problem(.sduTooLong, sduLength, Int(mtu)))
    }
    let brought = length - 2
    guard brought < sduLength else {
      if brought > sduLength {
        dissection.problems.add(
          Problem(.sduOverrun, at: Int(dissection.body.start) + sduLength, brought, sduLength))
        dissection.body.count = min(dissection.body.count, Int32(sduLength))
      }
      fate.isTruncated = dissection.body.count < sduLength
      return pdu
    }
    open[place].expected = sduLength
    return extend(
      place, pdu, dissection.l2cap?.cid, missing: brought - Int(dissection.body.count),
      packet: packet, &dissection, &fate, &fragments)
  }

  /// Whether a frame is an SDU of its own by its length.
  private func isWhole(_ pdu: RawSpan, _ body: Slice, _ length: Int) -> Bool {
    body.count >= 2 && Int(pdu.littleEndianU16(at: Int(body.start))) == length - 2
  }

  @_lifetime(&self)
  private mutating func extend(
    _ place: Int, _ pdu: RawSpan, _ cid: ChannelID?, missing: Int, packet: Int,
    _ dissection: inout Dissection, _ fate: inout FragmentFate, _ fragments: inout [Int]
  ) -> RawSpan? {
    let before = open[place].held
    append(place, pdu.part(dissection.body), missing: missing)
    number(place, packet, fate.isJoined ? fragments : [], &dissection.problems)
    open[place].lastPacket = packet
    held += open[place].held - before
    if held > limits.joinedBytes { makeRoom(for: place, &dissection.problems) }
    let expected = open[place].expected ?? 0
    let arrived = open[place].arrived
    fate.channel = cid
    fate.progress = (arrived, expected)
    fate.isJoined = false
    guard arrived >= expected else {
      fate.isFragment = true
      return nil
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
    dissection.body = Slice(start: 0, count: min(joined.count, expected))
    return joined.bytes.part(Slice(start: 0, count: expected))
  }

  private mutating func append(_ place: Int, _ part: RawSpan, missing: Int) {
    open[place].arrived += part.byteCount + missing
    if !open[place].hasGap {
      let room = max(0, (open[place].expected ?? 0) - open[place].bytes.count)
      open[place].bytes.append(part.part(Slice(start: 0, count: min(part.byteCount, room))))
    }
    if missing > 0 { open[place].hasGap = true }
  }

  /// Keeps the numbers of the packets that carried a frame.
  private mutating func number(
    _ place: Int, _ packet: Int, _ packets: [Int], _ problems: inout Problems
  ) {
    let room = limits.fragmentNumbers - open[place].packets.count
    if packets.isEmpty {
      if room > 0 { open[place].packets.append(packet) }
    } else {
      open[place].packets.append(contentsOf: packets.prefix(max(0, room)))
    }
    guard room < max(1, packets.count), !hasSaidNumbers else { return }
    hasSaidNumbers = true
    problems.add(Problem(.fragments, limit: limits.fragmentNumbers))
  }
}
