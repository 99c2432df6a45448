import Bluetooth
import Bytes
import Captures
import Dissectors

/// What data tells: ATT transactions, L2CAP channels.
extension Memory {
  mutating func observeData(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ bytes: RawSpan,
    _ answer: inout Answer
  ) {
    guard let link = answer.link, let direction = record.direction else { return }
    if direction == .received {
      links[link].isEstablished = true
    } else {
      links[link].isUsed = true
    }
    if dissection.isSignalling {
      signals.observe(
        &dissection, bytes, links.id(link), direction, packet: record.number, time: record.time,
        &channels, &answer)
      return
    }
    // Notifications and commands are answered by nothing.
    guard let pdu = dissection.att, pdu.opcode.role != .unacknowledged else { return }
    let fields = pdu.fields
    if let bearer = answer.channel {
      if pdu.opcode == .exchangeMTURequest {
        dissection.problems.add(Problem(.mtuExchangeNotAllowed))
      }
      let request = channels[transactions: bearer.slot].observe(
        pdu.opcode, fields, bytes, direction, packet: record.number, time: record.time,
        &dissection.problems)
      answer.answers(request, at: record.time)
      return
    }
    let request = links[transactions: link].observe(
      pdu.opcode, fields, bytes, direction, packet: record.number, time: record.time,
      &dissection.problems)
    answer.answers(request, at: record.time)
    // Both sides then use the smaller of the two, never less than 23 (Core, Vol 3, Part F, 3.4.2.2).
    if let mtu = fields.mtu, let offered = request?.mtu {
      links[link].mtu = max(23, min(offered, mtu))
    }
  }

  /// Takes the frame on a channel that signalling opens: counts it, reads what its mode puts before
  /// the payload, and says what is known of the channel.
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
      // Only on LE do dynamic channels end there; on BR/EDR a B-frame may look like anything, but
      // for the accessory protocol, which nothing else looks like.
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

  /// Apple's accessory protocol on a serial port, from the first bytes on that can only be that.
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
