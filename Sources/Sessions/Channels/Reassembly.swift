import Bluetooth
import Bytes
import Captures
package import Dissectors

/// The result of adding an ACL fragment.
package struct FragmentFate: Sendable {
  /// Whether the fragment begins or continues a PDU without completing it.
  package var isFragment = false
  /// The offset of the PDU in the bytes that `accept` lent.
  package var start = 0
  /// Whether the capture kept only the beginning of the PDU.
  package var isTruncated = false
  /// Whether the PDU came in more than one packet.
  package var isJoined = false
  /// Whether the lent bytes are joined ones, so that slices count from their start instead of the
  /// record's. This includes a frame that came in several packets but completes no SDU, for which
  /// `isJoined` is false.
  package var hasJoinedBytes = false
  /// The channel of an incomplete PDU, once its header is complete.
  package var channel: ChannelID?
  /// Whether the packet's bytes were joined with pieces that may be another PDU's.
  package var isDoubtful = false
  /// The number of bytes that came in the first of several pieces.
  package var firstPiece = 0
  /// The number of bytes of the PDU that are present, and its length including the header; 0: not
  /// known yet.
  package var progress: (have: Int, of: Int) = (0, 0)

  init() {}
}

/// Joins the fragments of L2CAP PDUs, per link and direction (Core, Vol 3, Part A, 7.2.1).
///
/// It owns the joined bytes and is kept beside `Links`, so that a span of it can be held while what
/// is remembered changes.
package struct Reassembly: Sendable {
  private var open: JoiningPlaces
  private let limits: Limits

  init(_ limits: Limits) {
    self.limits = limits
    open = JoiningPlaces(limits, count: 3 * max(1, limits.links))
  }

  /// Forgets all incomplete PDUs.
  mutating func forget() { open.forget() }

  /// Adds the fragment that an ACL packet carries and lends the bytes of the PDU that it completes:
  /// the record's own if the PDU is in one record, else the joined ones. Returns nil if it
  /// completes none. If the PDU came in several packets, they are then the packet's `fragments`, in
  /// order.
  ///
  /// A start while a PDU is incomplete, a continuation of nothing and a fragment that is too long
  /// are problems; none of them stops the reassembly.
  @_lifetime(&self, copy packet)
  @_lifetime(packet: copy packet)
  mutating func accept(
    _ packet: inout Packet, _ header: ACLHeader, _ slot: LinkSlot, connection: Int
  ) -> RawSpan? {
    // Packets of unknown direction are joined with each other.
    let place = 3 * slot.index + Int(packet.record.direction?.rawValue ?? 2)
    // The record's own bytes, unless it was decrypted.
    let (record, body) = (packet.bytes, packet.dissection.body)
    let isTruncated = packet.record.isTruncated
    let fragment = record.part(body)
    // What the capture did not keep did arrive. A false length claims more than that, and is only
    // used as far as it allows the present bytes to be read.
    let claimed = max(fragment.byteCount, Int(header.length))
    let brought = isTruncated ? claimed : fragment.byteCount
    open.give(place, to: connection)
    let largest = open[place].largest
    if brought > largest { open[place].largest = brought }
    if header.boundary != .continuation {
      if open[place].isActive {
        let (arrived, expected) = (open[place].arrived, open[place].expected ?? 0)
        packet.dissection.problems.add(Problem(.fragmentLost, arrived, expected))
        open[place].isTorn = true
        open[place].clear()
      }
      if fragment.byteCount >= L2CAPHeader.size {
        let expected = Int(fragment.littleEndianU16(at: 0)) + L2CAPHeader.size
        if expected <= claimed {
          // The PDU is in one record: lend that, without a copy.
          if brought > expected {
            packet.dissection.problems.add(
              Problem(.fragmentTooLong, at: Int(body.start), brought, expected))
          }
          packet.answer.fragment.start = Int(body.start)
          packet.answer.fragment.isTruncated = fragment.byteCount < expected
          return record.part(Slice(start: 0, count: min(body.end, Int(body.start) + expected)))
        }
      }
      // Without a length, it is unknown what belongs to the PDU.
      if isTruncated, fragment.byteCount < L2CAPHeader.size {
        packet.answer.fragment.isTruncated = true
        return nil
      }
      open[place].begin()
    } else if !open[place].isActive {
      packet.dissection.problems.add(Problem(.continuationWithoutStart, at: Int(body.start)))
      open[place].isTorn = true
      return nil
    }
    return extend(
      place, fragment, missing: brought - fragment.byteCount, largest: largest, &packet)
  }

  @_lifetime(&self)
  @_lifetime(packet: copy packet)
  private mutating func extend(
    _ place: Int, _ fragment: RawSpan, missing: Int, largest: Int, _ packet: inout Packet
  ) -> RawSpan? {
    open.append(
      place, fragment, missing: missing, most: limits.pduBytes, packet: packet.record.number,
      &packet.dissection.problems)
    if open[place].expected == nil, open[place].bytes.count >= L2CAPHeader.size {
      open[place].expected =
        Int(open[place].bytes.bytes.littleEndianU16(at: 0)) + L2CAPHeader.size
    }
    let expected = open[place].expected
    packet.answer.fragment.channel = expected.map { _ in
      ChannelID(rawValue: open[place].bytes.bytes.littleEndianU16(at: 2))
    }
    packet.answer.fragment.progress = (open[place].arrived, expected ?? 0)
    let extra = expected.map { open[place].arrived - $0 } ?? -1
    if extra > 0 { open[place].isTorn = true }
    packet.answer.fragment.firstPiece = open[place].pieces.first
    // A whole PDU is believed as long as nothing is known to be missing.
    packet.answer.fragment.isDoubtful =
      (extra < 0 || open[place].isTorn)
      && open[place].pieces.mayBeMixed(
        expected: expected, largest: largest, isTorn: open[place].isTorn)
    // If a gap hides the header, the PDU's end is unknown: the next start ends it.
    guard let expected, extra >= 0 else {
      packet.answer.fragment.isFragment = true
      return nil
    }
    if extra > 0 {
      let brought = fragment.byteCount + missing
      packet.dissection.problems.add(Problem(.fragmentTooLong, brought, brought - extra))
    }
    return open.complete(place, expected: expected, &packet.answer.fragment, &packet.fragments)
  }
}
