// Connection events: sequence numbers, acknowledgements, encryption.

package import Bluetooth
import Bytes

/// A data PDU that waits or is sent.
struct AirQueued: Sendable {
  /// 1 continuation, 2 start, 3 control.
  var llid: UInt8
  var payload: [UInt8]
  /// The payload and MIC, and the packet counter, once it is encrypted.
  var encrypted: (bytes: [UInt8], counter: UInt64)?
  var wasSent = false
}

/// One side of a connection (Core, Vol 6, Part B, 4.5.9).
struct AirSide: Sendable {
  var sequence: UInt8 = 0
  var expected: UInt8 = 0
  var queue: [AirQueued] = []
  /// The PDU that is not acknowledged yet.
  var current: AirQueued?
  /// What encrypts its PDUs, and the counter of the next one.
  var cipher: ReferenceCCM?
  var counter: UInt64 = 0

  var isIdle: Bool { queue.isEmpty && (current.map { $0.payload.isEmpty } ?? true) }
}

/// The state of the open connection.
struct AirLinkState: Sendable {
  var isOpen = false
  var central = AirSide()
  var peripheral = AirSide()
  /// What changes at which event.
  var pending: [(instant: Int, change: AirChange)] = []
  /// How many events the peripheral has skipped.
  var skipped = 0
  /// When the last packet of the peripheral was received, in microseconds.
  var lastHeard: Int64 = 0
  /// The connection as a sniffer follows it that missed an update; nil while it follows well.
  var astray: AirConnection?

  init() {}

  init(_ connection: AirConnection, isOpen: Bool) {
    self.isOpen = isOpen
    lastHeard = connection.anchor
  }

  subscript(side: Direction) -> AirSide {
    get { side == .sent ? central : peripheral }
    set { if side == .sent { central = newValue } else { peripheral = newValue } }
  }
}

/// A change that takes effect at an instant.
enum AirChange: Sendable {
  case parameters(interval: Int, latency: Int, timeout: Int, windowOffset: Int)
  case channelMap(UInt64)
  case phys(central: UInt8, peripheral: UInt8)
}

extension AirTraffic {
  /// Queues an L2CAP PDU of a side (sent: the central), in as many packets as it needs.
  package mutating func queue(_ pdu: [UInt8], _ side: Direction) {
    pdus.append((side, pdu))
    for start in stride(from: 0, to: max(pdu.count, 1), by: settings.mostOctets) {
      let piece = Array(pdu[start..<min(pdu.count, start + settings.mostOctets)])
      link[side].queue.append(AirQueued(llid: start == 0 ? 2 : 1, payload: piece))
    }
  }

  /// Queues a Link Layer control PDU: the opcode and its parameters.
  package mutating func queueControl(
    _ opcode: UInt8, _ parameters: [UInt8] = [], by side: Direction
  ) {
    link[side].queue.append(AirQueued(llid: 3, payload: [opcode] + parameters))
  }

  /// Runs connection events until both sides have sent everything, but no more than `most`.
  package mutating func flush(most: Int = 1000) {
    var left = most
    while link.isOpen, left > 0, !link.central.isIdle || !link.peripheral.isIdle {
      runEvent()
      left -= 1
    }
    precondition(left > 0, "nothing arrives any more")
  }

  /// Sends an L2CAP PDU, and waits until the other side has it.
  package mutating func send(_ pdu: [UInt8], _ side: Direction) {
    queue(pdu, side)
    flush()
  }

  /// Sends an ATT PDU in hexadecimal.
  package mutating func att(_ text: String, _ side: Direction) { send(l2cap(hex(text)), side) }

  /// Sends an SMP PDU in hexadecimal.
  package mutating func smp(_ text: String, _ side: Direction) {
    send(l2cap(hex(text), cid: 6), side)
  }

  /// Sends a control PDU, and waits until the other side has it.
  package mutating func control(
    _ opcode: UInt8, _ parameters: [UInt8] = [], by side: Direction
  ) {
    queueControl(opcode, parameters, by: side)
    flush()
  }

  /// Runs connection events.
  package mutating func run(events: Int) {
    for _ in 0..<events where link.isOpen { runEvent() }
  }

  /// Runs connection events that the sniffer does not hear.
  package mutating func pause(events: Int) {
    let wasDeaf = isDeaf
    isDeaf = true
    run(events: events)
    isDeaf = wasDeaf
  }

  /// Runs the next connection event.
  mutating func runEvent() {
    applyChanges()
    let channel = connection.channel
    let start = connection.anchor
    // The longest packets of both sides must fit in before the next event.
    let longest = [connection.phys.central, connection.phys.peripheral].reduce(150) {
      $0 + AirBits.microseconds(length: settings.mostOctets + 4, phy: $1)
    }
    let last = start + Int64(connection.interval) * 1250 - Int64(longest) - 500
    clock = start
    var isGoingOn = true
    while isGoingOn, link.isOpen {
      let request = transmit(.sent, channel)
      guard !peripheralIsGone, !request.isLost, !sleeps() else { break }
      link.skipped = 0
      receive(request, by: .received)
      clock += 150
      let answer = transmit(.received, channel)
      if answer.isLost { break }
      link.lastHeard = clock
      receive(answer, by: .sent)
      isGoingOn = (request.pdu[0] | answer.pdu[0]) & 0x10 != 0 && clock < last
      clock += 150
    }
    connection.advance()
    if link.isOpen, clock - link.lastHeard > Int64(connection.timeout) * 10_000 { close() }
    clock = max(clock, link.isOpen ? connection.anchor : clock)
  }

  /// Whether the peripheral uses its latency in this event, in which it has nothing to send.
  private mutating func sleeps() -> Bool {
    guard link.skipped < connection.latency, link.peripheral.isIdle, connection.event > 6 else {
      return false
    }
    link.skipped += 1
    return true
  }

  /// Sends a side's packet: the one that is not acknowledged, the next one, or an empty one.
  private mutating func transmit(_ side: Direction, _ channel: UInt8) -> AirTransmission {
    if link[side].current == nil {
      link[side].current =
        link[side].queue.isEmpty
        ? AirQueued(llid: 1, payload: []) : link[side].queue.removeFirst()
      encrypt(side)
    }
    let state = link[side]
    guard let current = state.current else { preconditionFailure("a side without a packet") }
    link[side].current?.wasSent = true
    let flags =
      current.llid | state.expected << 2 | state.sequence << 3 | (state.queue.isEmpty ? 0 : 0x10)
    let payload = current.encrypted?.bytes ?? current.payload
    let phy = side == .sent ? connection.phys.central : connection.phys.peripheral
    let duration = AirBits.microseconds(length: payload.count, phy: phy)
    var packet = AirTransmission(
      time: clock, duration: duration, channel: channel, phy: phy,
      accessAddress: connection.accessAddress, crcInitial: connection.crcInitial,
      link: connections.count - 1, event: connection.event, snifferEvent: connection.event,
      side: side, pdu: [flags, UInt8(payload.count)] + payload,
      plain: [flags, UInt8(current.payload.count)] + current.payload,
      counter: current.encrypted?.counter, isResent: current.wasSent,
      rssi: side == .sent ? radio.rssi.central : radio.rssi.peripheral)
    // Chance is asked for every packet, so that one choice changes no other.
    packet.isLost = random.happens(perMille: radio.lost)
    let isRefused = random.happens(perMille: radio.refused)
    let isNew = state.sequence == link[side.reversed].expected
    let isHeard = !packet.isLost && !(side == .sent && peripheralIsGone)
    packet.isRefused = isNew && isHeard && (refuses?(packet) ?? isRefused)
    let wasDeaf = isDeaf
    follow(&packet)
    transmit(packet)
    isDeaf = wasDeaf
    clock += Int64(duration)
    return packet
  }

  /// Encrypts the current PDU of a side if it has content.
  private mutating func encrypt(_ side: Direction) {
    guard let cipher = link[side].cipher, let current = link[side].current,
      !current.payload.isEmpty
    else { return }
    let counter = link[side].counter
    link[side].current?.encrypted = (
      cipher.encrypt(
        current.payload, header: current.llid, fromCentral: side == .sent, counter: counter),
      counter
    )
    link[side].counter += 1
  }

  /// Has a side receive a packet: what it acknowledges, and what it brings.
  private mutating func receive(_ packet: AirTransmission, by side: Direction) {
    let (next, sequence) = (packet.pdu[0] >> 2 & 1, packet.pdu[0] >> 3 & 1)
    if link[side].current?.wasSent == true, next != link[side].sequence {
      link[side].current = nil
      link[side].sequence ^= 1
    }
    if sequence == link[side].expected, !packet.isRefused { link[side].expected ^= 1 }
  }

  /// Ends the connection, as a lost one or after its termination.
  mutating func close() {
    link.isOpen = false
    connection.isOpen = false
    clock = max(clock, connection.anchor)
  }

  // MARK: Changes

  /// Applies what changes at the next event.
  private mutating func applyChanges() {
    let event = connection.event
    let due = link.pending.filter { $0.instant == event }
    link.pending.removeAll { $0.instant == event }
    for (_, change) in due {
      switch change {
      case .parameters(let interval, let latency, let timeout, let windowOffset):
        connection.anchor += Int64(windowOffset) * 1250
        connection.interval = interval
        connection.latency = latency
        connection.timeout = timeout
      case .channelMap(let map): connection.channelMap = map
      case .phys(let central, let peripheral): connection.phys = (central, peripheral)
      }
    }
  }

  /// Decides whether a sniffer that missed an update meets the packet by chance.
  private mutating func follow(_ packet: inout AirTransmission) {
    guard var astray = link.astray else { return }
    let step = Int64(astray.interval) * 1250
    while astray.anchor + step <= packet.time + 500 { astray.advance() }
    link.astray = astray
    packet.snifferEvent = astray.event
    // It listens on one channel, from shortly before its anchor.
    let isMet =
      astray.channel == packet.channel
      && packet.time >= astray.anchor - 500 && packet.time < astray.anchor + 3000
    if !isMet { isDeaf = true }
  }
}
