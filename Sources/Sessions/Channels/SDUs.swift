import Bluetooth
import Bytes
import Captures
import Dissectors

/// Joins the K-frames of a credit-based channel's SDUs, per channel and direction (Core, Vol 3,
/// Part A, 3.4.3).
///
/// It owns the joined bytes and is kept beside `Memory`, as `Reassembly` is.
package struct SDUs: Sendable {
  private var open: JoiningPlaces

  init(_ limits: Limits) { open = JoiningPlaces(limits) }

  /// Forgets all incomplete SDUs.
  mutating func forget() { open.forget() }

  /// Adds the K-frame whose payload is the dissection's `body` and lends the bytes of the SDU that
  /// it completes: the PDU's own if the SDU is in one frame, else the joined ones. The dissection's
  /// `body` is then the SDU, and the packet's `fragments` are those of the SDU. Returns nil if it
  /// completes none.
  ///
  /// - Parameter way: what is known about the channel in this direction.
  @_lifetime(&self, copy packet)
  @_lifetime(packet: copy packet)
  mutating func accept(
    _ packet: inout Packet, _ fact: ChannelFact, _ way: inout Channel.Flow, _ direction: Direction
  ) -> RawSpan? {
    let pdu = packet.bytes
    let place = 2 * fact.slot + Int(direction.rawValue)
    open.grow(to: place)
    open.give(place, to: fact.serial)
    // Frames of an SDU that was given up must not be mistaken for another.
    if open[place].isLost {
      open[place].isLost = false
      way.isInStep = false
    }
    // What the capture did not keep did arrive.
    let present = Int(packet.dissection.body.count)
    let length =
      packet.answer.fragment.isTruncated
      ? max(present, Int(packet.dissection.l2cap?.length ?? 0)) : present
    let isCut = length > present
    if !way.isInStep { open[place].clear() }
    if let expected = open[place].expected {
      let arrived = open[place].arrived + length
      guard arrived > expected else {
        return extend(place, missing: length - present, &packet)
      }
      // The frame exceeds the SDU. If the frame is an SDU of its own, the earlier one's end was
      // lost. Otherwise it is unknown which parts form an SDU until the next recognizable SDU.
      open[place].clear()
      guard isWhole(pdu, packet.dissection.body, length) else {
        packet.dissection.problems.add(Problem(.sduOverrun, arrived, expected))
        way.isInStep = false
        return nil
      }
      packet.dissection.problems.add(Problem(.sduLost, arrived - length, expected))
    }
    guard way.isInStep || isWhole(pdu, packet.dissection.body, length) else {
      packet.dissection.problems.add(
        Problem(.frameOutOfStep, at: Int(packet.dissection.body.start)))
      return nil
    }
    way.isInStep = true
    packet.dissection.takeSDULength(pdu, isCut: isCut)
    guard let sduLength = packet.dissection.sduLength.map({ Int($0) }) else {
      way.isInStep = false
      return nil
    }
    if let mtu = way.mtu, sduLength > mtu {
      packet.dissection.problems.add(Problem(.sduTooLong, sduLength, Int(mtu)))
    }
    let brought = length - 2
    guard brought < sduLength else {
      if brought > sduLength {
        packet.dissection.problems.add(
          Problem(
            .sduOverrun, at: Int(packet.dissection.body.start) + sduLength, brought, sduLength))
        let body = packet.dissection.body
        packet.dissection.body = Slice(
          start: Int(body.start), count: min(Int(body.count), sduLength))
      }
      packet.answer.fragment.isTruncated = packet.dissection.body.count < sduLength
      return pdu
    }
    open[place].begin(expected: sduLength)
    return extend(
      place, missing: brought - Int(packet.dissection.body.count), &packet)
  }

  /// Returns whether a frame is an SDU of its own, judging by its length.
  private func isWhole(_ pdu: RawSpan, _ body: Slice, _ length: Int) -> Bool {
    body.count >= 2 && Int(pdu.littleEndianU16(at: Int(body.start))) == length - 2
  }

  /// - Parameter missing: how many bytes of the frame the capture did not keep.
  @_lifetime(&self)
  @_lifetime(packet: copy packet)
  private mutating func extend(
    _ place: Int, missing: Int, _ packet: inout Packet
  ) -> RawSpan? {
    let expected = open[place].expected ?? 0
    open.append(
      place, packet.bytes.part(packet.dissection.body), missing: missing, most: expected,
      packet: packet.record.number,
      packets: packet.answer.fragment.isJoined ? packet.fragments : [],
      &packet.dissection.problems)
    if packet.answer.fragment.isDoubtful { open[place].isDoubtful = true }
    // What is certain of an SDU lies in its first frame, unless that is doubtful.
    packet.answer.fragment.isDoubtful = open[place].isDoubtful
    packet.answer.fragment.firstPiece =
      packet.answer.fragment.isDoubtful ? 0 : open[place].pieces.first
    let arrived = open[place].arrived
    packet.answer.fragment.channel = packet.dissection.l2cap?.cid
    packet.answer.fragment.progress = (arrived, expected)
    packet.answer.fragment.isJoined = false
    guard arrived >= expected else {
      packet.answer.fragment.isFragment = true
      return nil
    }
    let sdu = open.complete(place, expected: expected, &packet.answer.fragment, &packet.fragments)
    packet.dissection.body = Slice(start: 0, count: sdu.byteCount)
    return sdu
  }
}
