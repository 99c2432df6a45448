package import Bluetooth
import Bytes
import Captures
import Dissectors

/// What is known about one signalling command of the current packet.
package struct SignalNote: Sendable {
  /// The request that it answers.
  package var request: Request?
  /// The time since `request`, in nanoseconds; nil if unknown.
  package var latency: Int64?
  /// The PSM of the channel that the command refers to, if the command does not contain it.
  package var psm: PSM?
  /// The ATT_MTU from now on, if the command opens enhanced ATT bearers or changes their MTU.
  package var attMTU: UInt16?

  package init() {}
}

/// The signalling requests that wait for their response. Bounded: the oldest is dropped.
package struct Signals: Sendable {
  /// A request, with what its response will need.
  struct Waiting: Sendable {
    let connection: Int
    let direction: Direction
    let identifier: UInt8
    let code: SignallingCode
    let request: Request
    /// The channels that it requests, or the one that it refers to; unused entries are 0.
    var channels = InlineArray<5, ChannelID>(repeating: ChannelID(rawValue: 0))
    /// The number of channels that it requests.
    var channelCount = 0
    var psm: PSM?
    /// BR/EDR: the mode that it proposes, and whether it proposes an extended window size.
    var mode: UInt8?
    var hasExtendedWindow = false
    var mtu: UInt16 = 0
    var mps: UInt16 = 0
    var credits: UInt16 = 0
  }

  private var waiting: [Waiting] = []
  /// The key and the turn of each of `waiting`. Kept apart, since a frame may hold thousands of
  /// commands.
  private var keys: [UInt64] = []
  private var turns: [Int] = []
  private var turn = 0
  private let limit: Int
  /// The commands of the current packet, in order.
  package private(set) var notes: [SignalNote] = []
  /// Whether a request had to be forgotten.
  private(set) var hasForgotten = false

  init(_ limits: Limits) { limit = max(1, limits.signallingRequests) }

  /// Whether no request is waiting.
  var isEmpty: Bool { waiting.isEmpty }

  /// Forgets the commands of the previous packet.
  mutating func clear() { notes.removeAll(keepingCapacity: true) }

  /// Records a request. It replaces one with the same identifier.
  mutating func send(_ request: Waiting) {
    let key = Self.key(request.connection, request.direction, request.identifier)
    turn += 1
    var position = keys.firstIndex(of: key)
    if position == nil, waiting.count >= limit {
      var oldest = 0
      for other in turns.indices where turns[other] < turns[oldest] { oldest = other }
      position = oldest
      hasForgotten = true
    }
    guard let position else {
      waiting.append(request)
      keys.append(key)
      turns.append(turn)
      return
    }
    waiting[position] = request
    keys[position] = key
    turns[position] = turn
  }

  /// Returns connection, direction and identifier as one number.
  private static func key(
    _ connection: Int, _ direction: Direction, _ identifier: UInt8
  ) -> UInt64 {
    UInt64(truncatingIfNeeded: connection) << 9 | UInt64(direction.rawValue) << 8
      | UInt64(identifier)
  }

  /// Removes a request; the last one moves to its place.
  private mutating func remove(_ position: Int) {
    waiting.swapAt(position, waiting.count - 1)
    keys.swapAt(position, keys.count - 1)
    turns.swapAt(position, turns.count - 1)
    waiting.removeLast()
    keys.removeLast()
    turns.removeLast()
  }

  /// Returns the request that a response belongs to.
  ///
  /// - Parameters:
  ///   - direction: the response's direction.
  ///   - code: the request's code; nil: any, for a Command Reject.
  ///   - keeps: whether another response will follow.
  mutating func answer(
    _ connection: Int, _ direction: Direction, _ identifier: UInt8, _ code: SignallingCode?,
    keeps: Bool, _ problems: inout Problems
  ) -> Waiting? {
    let key = Self.key(connection, direction.reversed, identifier)
    guard let position = keys.firstIndex(of: key) else {
      problems.add(Problem(.responseWithoutRequest))
      return nil
    }
    let found = waiting[position]
    guard code == nil || found.code == code else {
      problems.add(Problem(.responseMismatch, found.request.packet))
      return nil
    }
    if !keeps { remove(position) }
    return found
  }

  // MARK: Commands

  /// Processes the commands of a C-frame: what they answer, and how they change channels.
  mutating func observe(
    _ packet: inout Packet, _ connection: Int, _ direction: Direction, _ channels: inout Channels
  ) {
    let (number, time, bytes) = (packet.record.number, packet.record.time, packet.bytes)
    var commands = SignallingCommands(packet.dissection.body)
    while let command = commands.next(bytes) {
      var rest = Slice.empty
      let isWhole = command.data.count == command.length
      let pdu = isWhole ? try? SignallingPDU(command, bytes, rest: &rest) : nil
      var note = SignalNote()
      // Even an unknown command is answered, with a reject.
      if command.code.isRequest || command.code.name == nil {
        let request = Request(packet: number, time: time)
        var waiting = Waiting(
          connection: connection, direction: direction, identifier: command.identifier,
          code: command.code, request: request)
        if let pdu { note.psm = waiting.record(pdu, bytes, &channels) }
        // A command without an identifier gets no answer.
        if command.identifier != 0 { send(waiting) }
      } else if command.code.request != nil || command.code == .commandReject {
        let waiting = self.answer(
          connection, direction, command.identifier, command.code.request,
          keeps: pdu?.isPending ?? false, &packet.dissection.problems)
        var answered = Answer()
        answered.answers(waiting?.request, at: time)
        note.request = answered.request
        note.latency = answered.latency
        note.psm = waiting?.psm
        if packet.answer.request == nil { packet.answer.answers(waiting?.request, at: time) }
        if let pdu {
          note.attMTU = apply(
            pdu, waiting, bytes, connection, direction, packet: number, &channels,
            &packet.dissection.problems)
        }
      } else if let credit = pdu, credit.code == .flowControlCredit {
        // The credits are for frames to the sender's end.
        if let slot = channels.find(connection, direction.reversed, credit.source) {
          channels.give(slot, direction.reversed, Int(credit.credits), &packet.dissection.problems)
          note.psm = channels[slot].psm
        } else {
          packet.dissection.problems.add(Problem(.unknownChannel, Int(credit.source.rawValue)))
        }
      }
      notes.append(note)
      if packet.dissection.l2cap?.cid == .leSignalling { break }
    }
    // What the capture did not keep may have given credits.
    if packet.answer.fragment.isTruncated { channels.forgetCredits(of: connection) }
  }

  /// Applies a response to its request.
  ///
  /// - Parameters:
  ///   - waiting: the request, if it was seen.
  ///   - direction: the response's direction: what was sent answers what was received.
  /// - Returns: the ATT_MTU of enhanced bearers that it opens or changes.
  private func apply(
    _ pdu: SignallingPDU, _ waiting: Waiting?, _ bytes: RawSpan, _ connection: Int,
    _ direction: Direction, packet: Int, _ channels: inout Channels, _ problems: inout Problems
  ) -> UInt16? {
    var attMTU: UInt16?
    /// Opens a channel between the ends of the requesting and the answering device.
    func open(_ asking: ChannelID, _ answering: ChannelID, _ mode: Channel.Mode) -> Int {
      channels.open(
        connection, local: direction == .sent ? answering : asking,
        remote: direction == .sent ? asking : answering, waiting?.psm, mode,
        server: Side(sent: direction), packet: packet, &problems)
    }
    /// Sets what each side accepts, and the credits that it gives.
    func settle(_ slot: Int) {
      guard let waiting else { return }
      // Frames to the answering device go in the direction of the request; frames to the other one
      // go in that of the response.
      let (there, back) = (Int(direction.reversed.rawValue), Int(direction.rawValue))
      channels[slot].ways[there] = Channel.Flow(
        mtu: pdu.mtu, mps: pdu.mps, credits: Int(pdu.credits), given: Int(pdu.credits))
      channels[slot].ways[back] = Channel.Flow(
        mtu: waiting.mtu, mps: waiting.mps, credits: Int(waiting.credits),
        given: Int(waiting.credits))
      attMTU = channels[slot].attMTU
    }
    guard pdu.succeeds else { return nil }
    switch pdu.code {
    case .connectionResponse, .createChannelResponse:
      guard pdu.source.isDynamic, pdu.destination.isDynamic else { return nil }
      _ = open(pdu.source, pdu.destination, .basic)
    case .leConnectionResponse:
      // Only the request contains the channel's other end.
      guard pdu.destination.isDynamic, let source = waiting?.channels[0], source.isDynamic else {
        return nil
      }
      settle(open(source, pdu.destination, .creditBased))
    case .enhancedConnectionResponse:
      guard let waiting, let answered = pdu.channels else { return nil }
      if answered.count != waiting.channelCount {
        problems.add(Problem(.channelCountMismatch, answered.count, waiting.channelCount))
      }
      for index in 0..<min(5, answered.count) {
        let destination = answered.channel(index, bytes)
        // 0 means that the channel was not opened.
        guard destination.isDynamic, waiting.channels[index].isDynamic else { continue }
        settle(open(waiting.channels[index], destination, .creditBased))
      }
    case .configureResponse:
      // The agreed values are for frames to the requesting device; the mode must be the same both
      // ways.
      guard let waiting, let slot = channels.find(connection, direction, pdu.source) else {
        return nil
      }
      channels[slot].settle(Int(direction.rawValue), waiting)
    case .disconnectionResponse:
      // If both ends are present and disagree, the request shows which channel is meant.
      let (asked, asking) =
        waiting.map { ($0.channels[0], $0.channels[1]) } ?? (pdu.destination, pdu.source)
      let slot =
        channels.find(connection, direction.reversed, asked)
        ?? channels.find(connection, direction, asking)
      if let slot { channels.close(slot, packet: packet) }
    case .reconfigureResponse:
      guard let waiting else { return nil }
      for index in 0..<5 where waiting.channels[index].isDynamic {
        guard let slot = channels.find(connection, direction, waiting.channels[index]) else {
          continue
        }
        channels[slot].ways[Int(direction.rawValue)].mtu = waiting.mtu
        channels[slot].ways[Int(direction.rawValue)].mps = waiting.mps
        attMTU = channels[slot].attMTU
      }
    default: break
    }
    return attMTU
  }

  /// Forgets the requests of connections whose responses will not be seen or may have been lost.
  mutating func forget(_ isLost: (_ connection: Int) -> Bool) {
    for position in waiting.indices.reversed() where isLost(waiting[position].connection) {
      remove(position)
    }
  }
}

extension Signals.Waiting {
  /// Keeps what the response will need.
  ///
  /// - Returns: the PSM of the channel that the request refers to, if the request does not contain
  ///   it.
  mutating func record(
    _ pdu: SignallingPDU, _ bytes: RawSpan, _ channels: inout Channels
  ) -> PSM? {
    if pdu.namesService { psm = pdu.psm }
    switch pdu.code {
    case .connectionRequest, .createChannelRequest: self.channels[0] = pdu.source
    case .leConnectionRequest:
      self.channels[0] = pdu.source
      (mtu, mps, credits) = (pdu.mtu, pdu.mps, pdu.credits)
    case .enhancedConnectionRequest, .reconfigureRequest:
      guard let list = pdu.channels else { return nil }
      channelCount = list.count
      for index in 0..<min(5, list.count) { self.channels[index] = list.channel(index, bytes) }
      (mtu, mps, credits) = (pdu.mtu, pdu.mps, pdu.credits)
    case .configureRequest:
      self.channels[0] = pdu.destination
      guard let slot = channels.find(connection, direction, pdu.destination) else { return nil }
      psm = channels[slot].psm
      var options = ConfigurationOptions(pdu.options ?? .empty)
      while let option = options.next(bytes) {
        let start = Int(option.value.start)
        switch option.type {
        case ConfigurationOption.mtu where option.value.count == 2:
          mtu = bytes.littleEndianU16(at: start)
        case ConfigurationOption.retransmission where option.value.count == 9:
          mode = bytes.byte(at: start)
        case ConfigurationOption.extendedWindow: hasExtendedWindow = true
        default: break
        }
      }
      return psm
    case .disconnectionRequest:
      self.channels[0] = pdu.destination
      self.channels[1] = pdu.source
      let slot =
        channels.find(connection, direction, pdu.destination)
        ?? channels.find(connection, direction.reversed, pdu.source)
      psm = slot.flatMap { channels[$0].psm }
      return psm
    default: break
    }
    return nil
  }
}

extension Channel {
  /// Applies what was proposed for one direction. What the request did not mention stays as it was,
  /// initially basic mode (Core, Vol 3, Part A, 4.4 and 5.4) [mem].
  fileprivate mutating func settle(_ way: Int, _ waiting: Signals.Waiting) {
    if waiting.mtu > 0 { ways[way].mtu = waiting.mtu }
    ways[way].mode = waiting.mode ?? ways[way].mode ?? 0
    if waiting.hasExtendedWindow { ways[way].hasExtendedWindow = true }
    guard mode != .creditBased, let agreed = ways[0].mode, let other = ways[1].mode else { return }
    switch agreed == other ? agreed : 0 {
    case 1, 2: mode = .standardControl
    case 3, 4:
      let isExtended = ways[0].hasExtendedWindow || ways[1].hasExtendedWindow
      mode = isExtended ? .extendedControl : .enhancedControl
    default: mode = .basic
    }
  }
}
