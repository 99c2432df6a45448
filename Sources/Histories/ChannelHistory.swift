package import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the devices did with the channels that L2CAP signalling opens (Core, Vol 3, Part A, 4).
///
/// The first items of each kind are kept; the rest are only counted.
package struct ChannelHistory: Sendable {
  /// A channel that was closed.
  package struct Closing: Sendable {
    /// The side that requested it.
    package let side: Side
    /// The service of the channel, if known.
    package let psm: PSM?
    /// Whether other channels for the same service were open.
    package let hasOthers: Bool
    package let asked: Moment
    package internal(set) var answer: Moment?
  }

  /// The data on a channel, other than ATT.
  package struct Use: Sendable {
    /// Distinguishes the channel from others that had the same identifier.
    let serial: Int
    /// The service of the channel; nil if its opening is not in the capture.
    package let psm: PSM?
    /// The SDUs to the peer, and from it.
    package internal(set) var sent = Tally()
    package internal(set) var received = Tally()
    /// On a channel with credits: how it was used in each direction.
    package internal(set) var credited: (sent: Credited, received: Credited)?
  }

  /// The use of one direction of a channel with credits.
  package struct Credited: Sendable {
    /// The receiver's end of the channel.
    fileprivate var cid: UInt16?
    /// The bytes of whole SDUs.
    package internal(set) var bytes = 0
    /// The credits that the receiver gave after the opening.
    package internal(set) var credits = 0
    /// How often the sender had no credit left, and for how long in total, in nanoseconds.
    package internal(set) var waits = 0
    package internal(set) var waited: Int64 = 0
  }

  /// The last credit of a channel that its sender used.
  package struct Starvation: Sendable {
    let serial: Int
    /// The receiver's end of the channel.
    fileprivate let cid: UInt16
    package let psm: PSM?
    /// The side that has no credit left.
    package let sender: Side
    /// The frame that used the last one.
    package let since: Moment
    /// Whether that frame leaves an SDU incomplete.
    package let isInSDU: Bool
    /// The last credits that the receiver gave, and their number; nil: those of the opening.
    package let granted: (moment: Moment, credits: Int)?
    /// The request to close the channel.
    package internal(set) var closed: Moment?
  }

  /// Connected isochronous streams (CIS) that were established, with their handles; the first ones
  /// are kept.
  package private(set) var streams: [(moment: Moment, handle: UInt16)] = []
  /// Channels whose sender has no credit left, at the end.
  package private(set) var starved: [Starvation] = []
  /// The last credits that were given on each channel.
  private var grants: [(cid: UInt16, receiver: Side, moment: Moment, credits: Int)] = []
  /// The last commands that need no answer, in case one is rejected.
  private var unasked: [ChannelRequest] = []
  /// Requests that opened channels.
  package private(set) var openings: [ChannelRequest] = []
  package private(set) var omittedOpenings = 0
  /// Requests that were refused, or partly refused; equal ones once.
  package private(set) var refusals: [ChannelRequest] = []
  package private(set) var omittedRefusals = 0
  /// Changes of a side's limits on open channels.
  package private(set) var changes: [ChannelRequest] = []
  package private(set) var omittedChanges = 0
  package private(set) var closings: [Closing] = []
  package private(set) var omittedClosings = 0
  /// The data on channels.
  package private(set) var uses: [Use] = []
  /// The SDUs on channels beyond those.
  package private(set) var omittedUse = Tally()
  /// Requests that wait for their response; at the end, those that received none.
  package private(set) var open: [ChannelRequest] = []
  private var gap = 0
  /// On the air, the last packet before which others may be missing.
  private var lastMissing = 0

  private static let most = 32
  private static let mostOpen = 16
  private static let mostUnasked = 8

  /// The approximate size of the lists, in bytes.
  var bytes: Int {
    ListBytes.of(openings) + ListBytes.of(refusals) + ListBytes.of(changes) + ListBytes.of(closings)
      + ListBytes.of(uses) + ListBytes.of(open) + ListBytes.of(unasked)
  }

  /// Whether a channel was requested, or data was sent on one.
  package var isUsed: Bool {
    !openings.isEmpty || !uses.isEmpty || refusals.contains(where: \.isConnection)
      || open.contains(where: \.isConnection)
  }

  /// Forgets the requests before a packet: their responses may be missing.
  mutating func forgetOpen(before packet: Int) { open.removeAll { $0.asked.packet < packet } }

  /// Records data that is not an ATT PDU.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if case .stream(let event) = packet.dissection.fact, event.status == .success,
      streams.count < Self.most
    {
      streams.append((Moment(packet.record), event.handle))
    }
    guard case .acl = packet.dissection.content, let direction = packet.record.direction else {
      return
    }
    if memory.links.gap != gap {
      gap = memory.links.gap
      // Responses may be among the missing records.
      open.removeAll()
      unasked.removeAll()
      forgetCredits()
    } else if packet.record.isTruncated {
      forgetCredits()
    }
    if let link = packet.answer.link, memory.links.gap(of: link) != lastMissing {
      lastMissing = memory.links.gap(of: link)
      forgetCredits()
    }
    if let channel = packet.answer.channel, channel.isOutOfCredits,
      let header = packet.dissection.l2cap
    {
      starve(
        channel, header.cid.rawValue, Side(sent: direction), Moment(packet.record),
        isInSDU: packet.answer.fragment.isFragment)
    }
    if packet.dissection.isSignalling, !packet.answer.fragment.isFragment {
      observe(
        Moment(packet.record), Side(sent: direction), packet.dissection, packet.bytes,
        packet.answer.link.flatMap { memory.links.isEncrypted($0) }, memory.signals.notes)
    } else if let channel = packet.answer.channel, !packet.answer.fragment.isFragment,
      packet.dissection.control?.isWhole ?? true
    {
      count(
        Moment(packet.record), direction, channel, bytes: Int(packet.dissection.body.count),
        cid: packet.dissection.l2cap?.cid.rawValue)
    }
  }

  private mutating func count(
    _ moment: Moment, _ direction: Direction, _ channel: ChannelFact, bytes: Int, cid: UInt16?
  ) {
    guard let position = use(channel.serial, channel.psm) else { return omittedUse.note(moment) }
    if direction == .sent {
      uses[position].sent.note(moment)
    } else {
      uses[position].received.note(moment)
    }
    guard channel.isCreditBased else { return }
    credited(position, Side(sent: direction)) {
      $0.bytes &+= bytes
      $0.cid = cid
    }
  }

  /// Returns the index of the use of a channel; nil: there is no room for it.
  private mutating func use(_ serial: Int, _ psm: PSM?) -> Int? {
    // Traffic comes in bursts, so the last channel is checked first.
    if let known = uses.lastIndex(where: { $0.serial == serial }) { return known }
    guard uses.count < Self.most else { return nil }
    uses.append(Use(serial: serial, psm: psm))
    return uses.count - 1
  }

  private mutating func credited(
    _ position: Int, _ sender: Side, _ change: (inout Credited) -> Void
  ) {
    var both = uses[position].credited ?? (Credited(), Credited())
    if sender == .local { change(&both.sent) } else { change(&both.received) }
    uses[position].credited = both
  }

  // MARK: Credits

  /// Forgets who waits for credits, which may be among what is missing.
  private mutating func forgetCredits() {
    starved.removeAll()
    grants.removeAll()
  }

  private mutating func starve(
    _ channel: ChannelFact, _ cid: UInt16, _ sender: Side, _ moment: Moment, isInSDU: Bool
  ) {
    starved.removeAll { $0.cid == cid && $0.sender == sender && $0.closed == nil }
    guard starved.count < Self.most else { return }
    let granted = grants.last { $0.cid == cid && $0.receiver == sender.other }
    starved.append(
      Starvation(
        serial: channel.serial, cid: cid, psm: channel.psm, sender: sender, since: moment,
        isInSDU: isInSDU, granted: granted.map { ($0.moment, $0.credits) }))
  }

  private mutating func grant(
    _ credit: SignallingPDU, _ side: Side, _ moment: Moment
  ) {
    let cid = credit.source.rawValue
    if let position = uses.lastIndex(where: {
      (side == .peer ? $0.credited?.sent.cid : $0.credited?.received.cid) == cid
    }) {
      credited(position, side.other) { $0.credits &+= Int(credit.credits) }
    }
    if credit.credits > 0 {
      let waiting = starved.last { $0.cid == cid && $0.sender == side.other && $0.closed == nil }
      if let waiting, let waited = moment.nanoseconds(since: waiting.since),
        let position = use(waiting.serial, waiting.psm)
      {
        credited(position, side.other) {
          $0.waits &+= 1
          $0.waited.add(clamped: waited)
        }
      }
      starved.removeAll { $0.cid == cid && $0.sender == side.other && $0.closed == nil }
    }
    grants.removeAll { $0.cid == cid && $0.receiver == side }
    if grants.count >= Self.most { grants.removeFirst() }
    grants.append((cid, side, moment, Int(credit.credits)))
  }

  /// Records that a channel is being closed: its sender does not wait for credits any more.
  private mutating func closeStarved(_ ends: ChannelRequest.Ends, _ moment: Moment) {
    for index in starved.indices where starved[index].closed == nil {
      let end = starved[index].sender == .local ? ends.remote : ends.local
      if starved[index].cid == end { starved[index].closed = moment }
    }
    grants.removeAll { $0.cid == ($0.receiver == .local ? ends.local : ends.remote) }
  }

  // MARK: Signalling

  private mutating func observe(
    _ moment: Moment, _ side: Side, _ dissection: Dissection, _ bytes: RawSpan,
    _ isEncrypted: Bool?, _ notes: [SignalNote]
  ) {
    var commands = SignallingCommands(dissection.body)
    var index = 0
    let isOnLE = dissection.l2cap?.cid == .leSignalling
    // LE has one command in a packet.
    while !isOnLE || index == 0, let command = commands.next(bytes) {
      let note = index < notes.count ? notes[index] : SignalNote()
      index += 1
      var rest = Slice.empty
      guard command.data.count == command.length,
        let pdu = try? SignallingPDU(command, bytes, rest: &rest)
      else { continue }
      let isRequest = command.code.isRequest || command.code.name == nil
      if isRequest {
        ask(command, pdu, note.psm, moment, side, isOnLE: isOnLE, bytes)
      } else if let request = note.request {
        reply(command, pdu, to: request.packet, moment, side, isEncrypted, bytes)
      } else if command.code == .commandReject {
        reject(command, pdu, moment, side)
      }
      if command.code == .flowControlCredit { grant(pdu, side, moment) }
      if !isRequest, command.code != .commandReject {
        var request = ChannelRequest(command.code, command.identifier, by: side, moment)
        request.psm = note.psm
        request.isOnLE = isOnLE
        if unasked.count >= Self.mostUnasked { unasked.removeFirst() }
        unasked.append(request)
      }
    }
  }

  /// Records that a command is rejected that needs no answer: credits, or an answer.
  private mutating func reject(
    _ command: SignallingCommand, _ pdu: SignallingPDU, _ moment: Moment, _ side: Side
  ) {
    let position = unasked.lastIndex {
      $0.side == side.other && $0.identifier == command.identifier
    }
    guard let position else { return }
    var request = unasked.remove(at: position)
    request.answer = moment
    if let result = pdu.result { request.result = result }
    refuse(request)
  }

  private mutating func ask(
    _ command: SignallingCommand, _ pdu: SignallingPDU, _ psm: PSM?, _ moment: Moment,
    _ side: Side, isOnLE: Bool, _ bytes: RawSpan
  ) {
    // Parameter updates are recorded with the link's parameters.
    guard command.code != .parameterUpdateRequest || !isOnLE else { return }
    var request = ChannelRequest(command.code, command.identifier, by: side, moment)
    request.isOnLE = isOnLE
    request.psm = psm
    request.record(pdu, bytes)
    switch pdu.code {
    case .reconfigureRequest:
      // The identifiers are those of the requesting device.
      request.psm =
        openings.last {
          $0.ends.contains {
            !$0.isClosing && request.sources[0] == (side == .local ? $0.local : $0.remote)
          }
        }?.psm
    case .disconnectionRequest:
      let ends = ChannelRequest.Ends(side, pdu.source.rawValue, pdu.destination.rawValue)
      close(ends)
      closeStarved(ends, moment)
      if closings.count < Self.most {
        let hasOthers = openings.contains { $0.psm == psm && $0.ends.contains { !$0.isClosing } }
        closings.append(Closing(side: side, psm: psm, hasOthers: hasOthers, asked: moment))
      } else {
        omittedClosings += 1
      }
    default: break
    }
    if open.count >= Self.mostOpen { open.removeFirst() }
    open.append(request)
  }

  private mutating func close(_ ends: ChannelRequest.Ends) {
    for position in openings.indices.reversed() {
      guard let end = openings[position].ends.firstIndex(of: ends) else { continue }
      openings[position].ends[end].isClosing = true
      return
    }
  }

  private mutating func reply(
    _ command: SignallingCommand, _ pdu: SignallingPDU, to packet: Int, _ moment: Moment,
    _ side: Side, _ isEncrypted: Bool?, _ bytes: RawSpan
  ) {
    let position = open.firstIndex {
      $0.asked.packet == packet && $0.identifier == command.identifier && $0.side == side.other
    }
    guard let position else { return }
    if pdu.isPending {
      open[position].pending = moment
      if pdu.code == .connectionResponse { open[position].pendingStatus = pdu.status }
      return
    }
    var request = open.remove(at: position)
    request.answer = moment
    request.isEncrypted = isEncrypted
    if let result = pdu.result { request.result = result }
    request.record(answer: pdu, bytes)
    let isRejected = command.code == .commandReject
    if isRejected || pdu.isRefusal { refuse(request) }
    if isRejected { return }
    if request.opened > 0 {
      if openings.count < Self.most { openings.append(request) } else { omittedOpenings += 1 }
    }
    switch request.code {
    case .configureRequest: settle(request)
    case .reconfigureRequest:
      guard request.result.code == 0 else { return }
      if changes.count < Self.most { changes.append(request) } else { omittedChanges += 1 }
    case .disconnectionRequest:
      if let closing = closings.lastIndex(where: { $0.asked.packet == packet }) {
        closings[closing].answer = moment
      }
    default: break
    }
  }

  private mutating func refuse(_ request: ChannelRequest) {
    var request = request
    request.last = request.answer
    if let known = refusals.firstIndex(where: { $0.isLike(request) }) {
      refusals[known].times &+= 1
      refusals[known].last = request.answer
    } else if refusals.count < Self.most {
      refusals.append(request)
    } else {
      omittedRefusals += 1
    }
  }

  /// Records the configuration of a BR/EDR channel.
  private mutating func settle(_ request: ChannelRequest) {
    guard request.result.code == 0, let mtu = request.offer.mtu else { return }
    let other = request.sources[0]
    let position = openings.lastIndex {
      $0.ends.contains { !$0.isClosing && other == (request.side == .local ? $0.remote : $0.local) }
    }
    guard let position else { return }
    if openings[position].side == request.side {
      openings[position].offer.mtu = mtu
    } else {
      openings[position].answered.mtu = mtu
    }
  }
}

extension ControlField {
  /// Whether the frame ends an SDU: it is unsegmented, or the last of its segments (Core, Vol 3,
  /// Part A, 3.3.2).
  fileprivate var isWhole: Bool { !isSupervisory && (segmentation == 0 || segmentation == 2) }
}
