package import Bluetooth
import Bytes
package import Captures
import Dissectors

/// How fast values cross one link: for each attribute, direction and way, the bytes over time and
/// the longest transfer. Bounded.
package struct LinkTransfers: Sendable {
  /// The values of one attribute in one direction and one way.
  package struct Flow: Sendable {
    /// The attribute; nil: several, or unknown.
    package let handle: UInt16?
    package let server: Side
    package let operation: ValueOperation
    package let direction: Direction
    package fileprivate(set) var values = 0
    package fileprivate(set) var bytes = 0
    package fileprivate(set) var firstPacket = 0
    package fileprivate(set) var firstTime: Timestamp?
    package fileprivate(set) var lastTime: Timestamp?
    package fileprivate(set) var lastPacket = 0
    package fileprivate(set) var course = RateCourse()
    /// The run that goes on; not optional, since it is large and every value changes it.
    fileprivate var run = TransferRun.none
    private var best: TransferRun?

    /// The longest run.
    package var longest: TransferRun? {
      isLongest ? run : best
    }

    private var isLongest: Bool { run.isOpen && run.bytes > best?.bytes ?? -1 }

    fileprivate var key: Int {
      Self.key(handle, operation, direction)
    }

    fileprivate static func key(
      _ handle: UInt16?, _ operation: ValueOperation, _ direction: Direction
    ) -> Int {
      (handle.map { Int($0) } ?? 0x10000) << 16 | Int(operation.rawValue) << 8
        | Int(direction.rawValue)
    }

    fileprivate init(
      _ handle: UInt16?, _ server: Side, _ operation: ValueOperation, _ direction: Direction
    ) {
      (self.handle, self.server, self.operation) = (handle, server, operation)
      self.direction = direction
    }

    /// Records a value of this length, of which the capture may lack the end, in a frame of L2CAP
    /// of this size.
    fileprivate mutating func note(
      _ value: RawSpan, length: Int, frame: Int, packet: Int, _ time: Timestamp,
      _ carrier: LinkCarrier
    ) {
      values &+= 1
      bytes &+= length
      if firstPacket == 0 { (firstPacket, firstTime) = (packet, time) }
      (lastPacket, lastTime) = (packet, time)
      course.add(length, time)
      if run.isOpen {
        let pause = time.nanoseconds(since: run.lastTime)
        if pause < 0 || pause > TransferRun.longestPause || !run.carrier.isAlike(carrier) {
          endRun()
        }
      }
      if !run.isOpen {
        run = TransferRun(carrier, operation, packet: packet, time: time)
      }
      (run.carrier.mtu, run.carrier.isMTUKnown) = (carrier.mtu, carrier.isMTUKnown)
      // Both ends of a long value, since many have the same header.
      let count = value.byteCount
      let start = value.part(Slice(start: 0, count: min(16, count))).hash
      let rest = count > 16 ? value.dropping(max(16, count - 16)).hash : UInt64(length)
      run.note(
        length: length, hash: start &* 31 ^ rest, frame: frame, packet: packet, time,
        isSent: direction == .sent)
    }

    fileprivate mutating func endRun() {
      if isLongest { best = run }
      run = .none
    }
  }

  /// An ACL packet that the controller has not completed.
  private struct Held: Sendable {
    var time: Timestamp?
    var length = 0
    /// The flow of the PDU that it ends; -1: another.
    var flow = -1
  }

  /// The first ones.
  package private(set) var flows: [Flow] = []
  /// The number of values of others.
  package private(set) var omitted = 0
  private static let mostFlows = 64
  private static let mostHeld = 64
  private var index: [Int: Int] = [:]
  /// The flow of the last value in each direction.
  private var latest = (sent: -1, received: -1)
  /// The packets that the controller holds, in a ring: from the `completed`-th to the `sent`-th.
  private var held: [Held] = []
  private var sent = 0
  private var completed = 0
  /// Whether it is known which packets the controller holds: not on a link that was open before the
  /// capture, nor after something was missing.
  private var isTracked: Bool?
  private var lastActivity: Timestamp?
  /// The flow that was sent before the latest one, while the controller may hold packets of it.
  private var earlier = -1
  /// The last packets that were sent, of a PDU that has not ended.
  private var unclaimed = 0
  private var gap = 0

  package init() {}

  /// About how many bytes it takes.
  package var size: Int {
    flows.capacity * MemoryLayout<Flow>.stride + held.capacity * MemoryLayout<Held>.stride
      + flows.count * 32
  }

  // MARK: Observing

  /// Records a packet of the link: data, or Number Of Completed Packets for this link alone.
  package mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if case .completedPackets(let completed) = packet.dissection.fact, completed.count > 0 {
      return complete(completed.link(0, packet.bytes).packets, packet.record, memory)
    }
    guard case .acl(let header) = packet.dissection.content,
      let direction = packet.record.direction,
      let link = packet.answer.link, packet.record.original == nil
    else { return }
    noteGap(packet.record.adapter, memory)
    if isTracked == nil {
      isTracked = memory.links.isKnownFromItsOpening(link, held: direction == .sent ? 1 : 0)
    }
    if direction == .sent { hold(Int(header.length), packet.record.time) }
    guard let pdu = packet.dissection.att, let time = packet.record.time else {
      if direction == .sent, !packet.answer.fragment.isFragment { unclaimed = 0 }
      return
    }
    let flow = observe(pdu.opcode, packet, time, direction, link, memory)
    if direction == .sent { claim(for: flow) }
  }

  /// Records an ATT PDU.
  ///
  /// - Returns: the flow of which it carries a value.
  private mutating func observe(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ time: Timestamp, _ direction: Direction,
    _ link: LinkSlot, _ memory: borrowing Memory
  ) -> Int? {
    let fields = packet.dissection.attFields
    switch opcode.role {
    case .request, .indication:
      // A value that is written or indicated counts when it is sent.
      guard let operation = opcode.operation, operation != .read else {
        noteAnswer(to: direction.reversed, opcode.role, time)
        return nil
      }
      return note(
        fields.value ?? .empty, fields.handle, operation, opcode, packet, time, direction, link,
        memory)
    case .response, .confirmation:
      let asked = packet.answer.request
      if opcode != .errorResponse, let value = fields.value, asked?.opcode.operation == .read {
        return note(
          value, asked?.handle, .read, opcode, packet, time, direction,
          link, memory)
      }
      noteAnswer(to: direction.reversed, opcode.role, time)
      return nil
    case .unacknowledged:
      guard let operation = opcode.operation else { return nil }
      return note(
        fields.value ?? .empty, fields.handle, operation, opcode, packet, time, direction, link,
        memory)
    }
  }

  private mutating func noteAnswer(
    to direction: Direction, _ role: ATTOpcode.Role, _ time: Timestamp
  ) {
    let place = direction == .sent ? latest.sent : latest.received
    if place >= 0 { flows[place].run.noteAnswer(role, time) }
  }

  private mutating func note(
    _ value: Slice, _ handle: UInt16?, _ operation: ValueOperation, _ opcode: ATTOpcode,
    _ packet: borrowing Packet, _ time: Timestamp, _ direction: Direction, _ link: LinkSlot,
    _ memory: borrowing Memory
  ) -> Int? {
    // It is what the last value in the other direction waited for.
    noteAnswer(to: direction.reversed, opcode.role, time)
    guard let place = place(handle, opcode.server(direction), operation, direction) else {
      omitted &+= 1
      return nil
    }
    if direction == .sent {
      if latest.sent != place { earlier = latest.sent }
      latest.sent = place
    } else {
      latest.received = place
    }
    let carrier = memory.links.carrier(link, direction)
    let head = packet.dissection.attFields.headSize
    var length = Int(value.count)
    let frame = packet.dissection.l2cap?.length
    // The recorder may have cut the value, but not the length of its PDU.
    if packet.isCut,
      let size = packet.dissection.sduLength ?? frame
    {
      let behind = opcode == .signedWriteCommand ? ATTFields.signatureSize : 0
      length = max(length, Int(size) - head - behind)
    }
    flows[place].note(
      packet.bytes.part(value), length: length,
      frame: frame.map { Int($0) + 4 } ?? length + head + 4,
      packet: packet.record.number, time, carrier)
    return place
  }

  private mutating func place(
    _ handle: UInt16?, _ server: Side, _ operation: ValueOperation, _ direction: Direction
  ) -> Int? {
    let key = Flow.key(handle, operation, direction)
    let last = direction == .sent ? latest.sent : latest.received
    if last >= 0, flows[last].key == key { return last }
    if let known = index[key] { return known }
    guard flows.count < Self.mostFlows else { return nil }
    index[key] = flows.count
    flows.append(Flow(handle, server, operation, direction))
    return flows.count - 1
  }

  // MARK: The controller

  /// Assigns the packets of the PDU that ended to its flow.
  private mutating func claim(for flow: Int?) {
    if let flow {
      for back in 1...max(unclaimed, 1) where back <= sent - completed {
        held[(sent - back) % Self.mostHeld].flow = flow
      }
    }
    unclaimed = 0
  }

  private mutating func hold(_ length: Int, _ time: Timestamp?) {
    if let time, let last = lastActivity,
      time.nanoseconds(since: last) > TransferRun.longestPause
    {
      // Nothing waits that long: the capture lacks that it was completed, or the clock was set.
      if sent > completed { loseTrack() }
    }
    // More than it can hold: the capture lacks what it completed.
    if sent - completed >= Self.mostHeld { loseTrack() }
    lastActivity = time ?? lastActivity
    guard isTracked == true else { return }
    let packet = Held(time: time, length: length)
    if held.count < Self.mostHeld {
      held.append(packet)
    } else {
      held[sent % Self.mostHeld] = packet
    }
    sent &+= 1
    unclaimed = min(unclaimed &+ 1, Self.mostHeld)
  }

  /// Records Number Of Completed Packets for this link.
  package mutating func complete(
    _ packets: Int, _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) {
    guard packets > 0 else { return }
    noteGap(record.adapter, memory)
    let time = record.time
    lastActivity = time ?? lastActivity
    guard isTracked == true else { return }
    // More than was sent: the capture lacks some of it.
    guard packets <= sent - completed else { return loseTrack() }
    for _ in 0..<packets {
      let packet = held[completed % Self.mostHeld]
      completed &+= 1
      if let since = packet.time, let time, packet.flow >= 0 {
        flows[packet.flow].run.complete(
          length: packet.length, since: since, left: sent - completed, time)
      }
    }
    if completed == sent {
      if latest.sent >= 0 { flows[latest.sent].run.drain() }
      if earlier >= 0 { flows[earlier].run.drain() }
      earlier = -1
    }
  }

  /// Ends what was going on if records are missing since the last packet.
  private mutating func noteGap(_ adapter: AdapterIndex, _ memory: borrowing Memory) {
    guard gap != memory.links.gap else { return }
    gap = memory.links.gap
    guard isTracked != nil, memory.links.gapAdapter.mayBe(adapter) else { return }
    loseTrack()
    for place in flows.indices { flows[place].endRun() }
  }

  /// Records that it is no longer known which packets the controller holds.
  private mutating func loseTrack() {
    isTracked = false
    completed = sent
    for place in flows.indices { flows[place].run.loseTrack() }
  }
}

/// Bytes over time, in as many parts of equal length as there is room for. It has only plain
/// values.
package struct RateCourse: Sendable {
  private static let most = 32
  /// In nanoseconds.
  package private(set) var width: Int64 = 125_000_000
  package private(set) var start: Timestamp?
  private var sums = InlineArray<32, Int>(repeating: 0)
  private var used = 0

  package init() {}

  /// The bytes in each part.
  package var bytes: [Int] { (0..<used).map { sums[$0] } }

  mutating func add(_ bytes: Int, _ time: Timestamp) {
    let first = start ?? time
    start = first
    add(bytes, passed: time.nanoseconds(since: first))
  }

  /// Adds the bytes of a course that begins no earlier.
  package mutating func add(_ other: RateCourse) {
    guard let begin = other.start else { return }
    let first = start ?? begin
    start = first
    let passed = begin.nanoseconds(since: first)
    for index in 0..<other.used where other.sums[index] > 0 {
      var place = passed
      place.add(clamped: Int64(index).multiplied(clamped: other.width))
      add(other.sums[index], passed: place)
    }
  }

  private mutating func add(_ bytes: Int, passed: Int64) {
    // A clock that goes back adds to the beginning.
    guard passed > 0 else {
      sums[0].add(clamped: bytes)
      used = max(used, 1)
      return
    }
    while passed / width >= Self.most {
      for index in 0..<Self.most / 2 {
        sums[index] = sums[2 * index]
        sums[index].add(clamped: sums[2 * index + 1])
      }
      for index in Self.most / 2..<Self.most { sums[index] = 0 }
      used = (used + 1) / 2
      width *= 2
    }
    let place = Int(passed / width)
    sums[place].add(clamped: bytes)
    used = max(used, place + 1)
  }
}
