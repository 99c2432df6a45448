import Bluetooth
import Bytes
import Captures
import Dissectors

/// What data reveals: pairing, L2CAP signalling, ATT transactions and attributes.
extension Memory {
  mutating func observeData(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ bytes: RawSpan,
    _ answer: inout Answer
  ) {
    guard let link = answer.link, let direction = record.direction else { return }
    if direction == .received {
      links[link].isEstablished = true
      links[link].receivedPackets &+= 1
    } else {
      links[link].isUsed = true
      links[link].sentPackets &+= 1
    }
    if record.isTruncated { links[link].isDataCut = true }
    if links[link].transport == .unknown { inferTransport(link, dissection, answer) }
    if let pdu = dissection.smp {
      let sender = Side(sent: direction)
      let step = links[pairing: link].observe(
        pdu, from: sender, overBREDR: dissection.l2cap?.cid == .brEDRSecurityManager,
        packet: record.number, time: record.time)
      answer.pairing = step
      keys.observe(
        pdu, from: sender, connection: links[link].id, packet: record.number, bytes)
      if links[link].isEncrypted == nil, pdu.opcode.distributesKeys {
        links[link].isEncrypted = true
      }
      if direction == .received { learnIdentity(pdu, bytes, link) }
      if pdu.opcode == .pairingResponse {
        answer.answers(links[pairing: link].request, at: record.time)
      }
      return
    }
    if dissection.isSignalling {
      signals.observe(
        &dissection, bytes, links.id(link), direction, packet: record.number, time: record.time,
        &channels, &answer)
      return
    }
    guard let pdu = dissection.att else { return }
    if pdu.opcode.role == .response || pdu.opcode.role == .confirmation {
      if direction == .sent { heard.sent = true } else { heard.received = true }
    }
    if answer.channel == nil, let length = dissection.l2cap?.length,
      length > links[link].largestATT
    {
      links[link].largestATT = length
    }
    checkLength(pdu.opcode, link, answer, &dissection)
    let fields = dissection.attFields
    // Notifications and commands have no answer.
    if pdu.opcode.role != .unacknowledged {
      observeTransaction(pdu.opcode, fields, bytes, direction, record, &dissection, &answer)
    }
    observeAttributes(pdu.opcode, fields, bytes, direction, record, &dissection, &answer)
    observeLongValues(pdu.opcode, fields, bytes, direction, record, answer)
    learnDeviceName(
      pdu.opcode, fields, bytes, direction, answer,
      isTruncated: record.isTruncated || answer.fragment.isTruncated)
  }

  /// Reports a PDU that a server sends on its own and that exceeds the MTU, if that is known (Core,
  /// Vol 3, Part F, 3.4.7.1).
  private func checkLength(
    _ opcode: ATTOpcode, _ link: LinkSlot, _ answer: Answer, _ dissection: inout Dissection
  ) {
    guard opcode.isServers, opcode.role != .response, answer.channel == nil,
      let length = dissection.l2cap?.length, length > BearerMTU.byDefault
    else { return }
    guard let mtu = links.connection(link).knownMTU, length > mtu else { return }
    dissection.problems.add(Problem(.sduTooLong, Int(length), Int(mtu)))
  }

  /// Processes a request or what answers it, on the link's own bearer or an enhanced one.
  private mutating func observeTransaction(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, _ direction: Direction,
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ answer: inout Answer
  ) {
    guard let link = answer.link else { return }
    if let bearer = answer.channel {
      if opcode == .exchangeMTURequest {
        dissection.problems.add(Problem(.mtuExchangeNotAllowed))
      }
      var slot = bearer.slot
      if opcode.role == .response {
        slot = answeredBearer(
          slot, Transactions.Response(record.number, opcode, fields, bytes, impossible: 0), fields,
          direction, link, isWhole: !record.isTruncated && !answer.fragment.isTruncated)
      }
      let impossible =
        channels[transactions: slot].hasDoubts
        ? impossible(channels[transactions: slot], opcode, fields, direction, record, answer) : 0
      let request = channels[transactions: slot].observe(
        opcode, fields, bytes, direction, packet: record.number, time: record.time,
        impossible: impossible, isAnswerable: hasHeard(direction.reversed), &doubt,
        &dissection.problems)
      if slot != bearer.slot, let request {
        dissection.problems.add(Problem(.answersOtherChannel, request.packet))
      }
      answer.answers(request, at: record.time)
      return
    }
    let impossible =
      links[transactions: link].hasDoubts
      ? impossible(links[transactions: link], opcode, fields, direction, record, answer) : 0
    let request = links[transactions: link].observe(
      opcode, fields, bytes, direction, packet: record.number, time: record.time,
      impossible: impossible,
      isAnswerable: hasHeard(direction.reversed) && !isOneSided(link, direction), &doubt,
      &dissection.problems)
    answer.answers(request, at: record.time)
    // Both sides then use the smaller of the two, never less than 23 (Core, Vol 3, Part F,
    // 3.4.2.2).
    if let mtu = fields.mtu, let offered = request?.mtu {
      links[link].mtu = max(BearerMTU.byDefault, min(offered, mtu))
    }
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse: links[link].isMTUOpen = links[link].mtu == nil
    case .errorResponse where request?.opcode == .exchangeMTURequest: links[link].isMTUOpen = false
    default: break
    }
  }

  /// Returns whether the capture has only data, and on this link so far none from the side that
  /// would answer: an export of one direction.
  private func isOneSided(_ link: LinkSlot, _ direction: Direction) -> Bool {
    guard links[link].isOpeningMissing, coverage.isDataOnly else { return false }
    return direction == .sent ? links[link].receivedPackets == 0 : links[link].sentPackets == 0
  }

  /// Returns a bit for each open request that a value cannot answer, since its attribute's values
  /// have another length.
  @inline(never)
  private func impossible(
    _ transactions: Transactions, _ opcode: ATTOpcode, _ fields: ATTFields,
    _ direction: Direction, _ record: borrowing CaptureRecord, _ answer: Answer
  ) -> UInt8 {
    guard opcode == .readResponse, let count = fields.value.map({ Int($0.count) }),
      let link = answer.link, !record.isTruncated, !answer.fragment.isTruncated
    else { return 0 }
    var mask: UInt8 = 0
    for (position, request) in transactions.waiting(direction.reversed).enumerated() {
      guard let handle = request.handle,
        let place = attribute(handle, opcode, direction, on: link),
        let length = attributes[place].uuid.valueLength, length != count
      else { continue }
      mask |= 1 << UInt8(position)
    }
    return mask
  }

  /// Infers the transport of a link whose opening is missing, if a channel exists on only one of
  /// the transports (Core, Vol 3, Part A, 2.1, tables 2.1 and 2.2).
  private mutating func inferTransport(
    _ link: LinkSlot, _ dissection: Dissection, _ answer: Answer
  ) {
    guard let channel = dissection.l2cap?.cid ?? answer.fragment.channel,
      let transport = channel.transport
    else { return }
    links[link].transport = transport
    links[link].isTransportInferred = true
  }
}

extension ChannelID {
  /// The transport of a fixed channel that exists on only one.
  fileprivate var transport: Connection.Transport? {
    switch self {
    case .attribute, .leSignalling, .securityManager: .le
    case .signalling, .brEDRSecurityManager: .brEDR
    default: nil
    }
  }
}
