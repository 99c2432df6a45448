import Bluetooth
import Bytes
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
  /// `body` is then the SDU. Returns nil if it completes none.
  ///
  /// - Parameters:
  ///   - pdu: the bytes of the L2CAP PDU, which the dissection counts from.
  ///   - way: what is known about the channel in this direction.
  ///   - fragments: the packets of the PDU if it came in several; set to those of the SDU.
  @_lifetime(&self, copy pdu)
  mutating func accept(
    _ pdu: RawSpan, _ fact: ChannelFact, _ way: inout Channel.Flow, _ direction: Direction,
    packet: Int, _ dissection: inout Dissection, _ fate: inout FragmentFate,
    _ fragments: inout [Int]
  ) -> RawSpan? {
    let place = 2 * fact.slot + Int(direction.rawValue)
    open.grow(to: place)
    open.give(place, to: fact.serial)
    // Frames of an SDU that was given up must not be mistaken for another.
    if open[place].isLost {
      open[place].isLost = false
      way.isInStep = false
    }
    // What the capture did not keep did arrive.
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
      // The frame exceeds the SDU. If the frame is an SDU of its own, the earlier one's end was
      // lost. Otherwise it is unknown which parts form an SDU until the next recognizable SDU.
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
        let body = dissection.body
        dissection.body = Slice(start: Int(body.start), count: min(Int(body.count), sduLength))
      }
      fate.isTruncated = dissection.body.count < sduLength
      return pdu
    }
    open[place].begin(expected: sduLength)
    return extend(
      place, pdu, dissection.l2cap?.cid, missing: brought - Int(dissection.body.count),
      packet: packet, &dissection, &fate, &fragments)
  }

  /// Returns whether a frame is an SDU of its own, judging by its length.
  private func isWhole(_ pdu: RawSpan, _ body: Slice, _ length: Int) -> Bool {
    body.count >= 2 && Int(pdu.littleEndianU16(at: Int(body.start))) == length - 2
  }

  @_lifetime(&self)
  private mutating func extend(
    _ place: Int, _ pdu: RawSpan, _ cid: ChannelID?, missing: Int, packet: Int,
    _ dissection: inout Dissection, _ fate: inout FragmentFate, _ fragments: inout [Int]
  ) -> RawSpan? {
    let expected = open[place].expected ?? 0
    open.append(
      place, pdu.part(dissection.body), missing: missing, most: expected, packet: packet,
      packets: fate.isJoined ? fragments : [], &dissection.problems)
    if fate.isDoubtful { open[place].isDoubtful = true }
    // What is certain of an SDU lies in its first frame, unless that is doubtful.
    fate.isDoubtful = open[place].isDoubtful
    fate.firstPiece = fate.isDoubtful ? 0 : open[place].pieces.first
    let arrived = open[place].arrived
    fate.channel = cid
    fate.progress = (arrived, expected)
    fate.isJoined = false
    guard arrived >= expected else {
      fate.isFragment = true
      return nil
    }
    let sdu = open.complete(place, expected: expected, &fate, &fragments)
    dissection.body = Slice(start: 0, count: sdu.byteCount)
    return sdu
  }
}
