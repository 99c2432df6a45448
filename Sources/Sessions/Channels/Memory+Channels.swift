import Bluetooth
import Bytes
import Captures
import Dissectors

/// What the frames on channels opened by signalling reveal.
extension Memory {
  /// Processes the frame on a channel that signalling opens: counts it, reads what its mode puts
  /// before the payload, and returns what is known about the channel.
  mutating func channel(
    _ link: LinkSlot, _ header: L2CAPHeader, _ direction: Direction,
    _ record: borrowing CaptureRecord, _ pdu: RawSpan, isTruncated: Bool,
    _ dissection: inout Dissection
  ) -> ChannelFact {
    let connection = links.id(link)
    let slot =
      channels.find(connection, direction, header.cid)
      ?? channels.openUnknown(connection, direction, header.cid, packet: record.number)
    channels[slot].lastUse = record.number
    if let closedBy = channels[slot].closedBy, closedBy > 0 {
      dissection.problems.add(Problem(.channelClosed, closedBy))
    }
    var fact = ChannelFact(channels[slot], slot: slot)
    switch channels[slot].mode {
    case .unknown:
      // Only on LE do dynamic channel IDs end there. On BR/EDR a B-frame may look like anything,
      // except for the accessory protocol, which is unmistakable.
      if header.cid.rawValue < 0x80, !isTruncated, links[link].transport != .brEDR {
        channels.weigh(slot, direction, dissection.looksLikeATTFrame(pdu))
      }
      if links[link].transport != .le, let found = recognise(slot, pdu, dissection.body) {
        channels[slot].psm = .rfcomm
        channels[slot].mode = .basic
        channels[slot].isInferred = true
        fact = ChannelFact(channels[slot], slot: slot)
        fact.accessory = found
      }
    case .basic:
      if fact.bearer != nil {
        let missing = isTruncated ? Int(header.length) - Int(dissection.body.count) : 0
        dissection.parseChannelATT(pdu, missing: max(0, missing))
      } else if fact.psm == .rfcomm {
        fact.accessory = recognise(slot, pdu, dissection.body)
      }
    case .creditBased:
      fact.isOutOfCredits = channels.send(
        slot, direction, length: Int(header.length), &dissection.problems)
    case .standardControl, .enhancedControl, .extendedControl:
      if let layout = channels[slot].mode.control {
        dissection.takeControl(layout, pdu, isCut: isTruncated)
      }
    }
    return fact
  }

  /// Recognizes Apple's accessory protocol on a serial port, from the first bytes that can only
  /// belong to it.
  private mutating func recognise(
    _ slot: Int, _ pdu: RawSpan, _ body: Slice
  ) -> AccessoryProtocol? {
    guard let frame = RFCOMMFrame(pdu, body) else { return nil }
    if let known = channels[slot].accessory, known.dlci == frame.dlci { return known.is }
    guard let found = AccessoryProtocol(pdu, frame.payload) else { return nil }
    channels[slot].accessory = (frame.dlci, found)
    return found
  }
}
