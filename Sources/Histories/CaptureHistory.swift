package import Bluetooth
import Bytes
package import Captures
import Cryptography
import Dissectors
package import Meanings
package import Sessions

/// What is remembered of a capture until its end, for rules, `diff` and redaction. It is fed packet
/// by packet, then asked for the evidence. Bounded by `Limits`, by the limits of its parts, and by
/// `mostBytes` for all connections together: memory grows with connections and their problems, not
/// with packets.
package struct CaptureHistory: ~Copyable, Sendable {
  private var evidence = Evidence()
  private var notes: [ConnectionNotes] = []
  /// Indices into `notes`, by connection number.
  private var positions: [Int: Int] = [:]
  /// The indices of the latest connections of addresses.
  private var peers: [UInt64: Int] = [:]
  /// Indices into the adapters of `evidence`.
  private var adapters: [AdapterIndex: Int] = [:]
  /// The adapter of the latest packet and its index; the index is nil if it has no history.
  private var latestAdapter: (index: AdapterIndex, position: Int?) = (.unknown, nil)
  /// The connection of the latest packet and its index; the index is nil if there was no room for
  /// it.
  private var latestLink: (id: Int, position: Int?) = (id: 0, position: nil)
  private var otherEndings = 0
  /// The bytes of the notes on all connections.
  private var noteBytes = 0
  /// Whether there is no room for further connections.
  private var isFull = false
  /// The last connection for which there was no room, and the number of such connections.
  private var unlisted = (id: 0, count: 0)
  private var requests: Conversations
  /// Whether requests are followed here, and not by the caller.
  private let followsRequests: Bool
  /// Whether the use of attributes and channels is recorded.
  private let observesAttributes: Bool
  private let limits: Limits
  private let knowledge: ProfileKnowledge
  private var searches: PasskeySearches

  /// The most bytes of the notes on all connections.
  package static let mostBytes = 40 << 20
  private let most: Int

  /// Creates an empty history.
  ///
  /// - Parameters:
  ///   - knowledge: what profiles define.
  ///   - passkeys: the passkeys to try in a passkey search.
  ///   - followsRequests: false if the caller follows them itself, or does not need them.
  ///   - most: the most bytes of the notes on all connections.
  ///   - observesAttributes: false if only links, pairing and encryption are needed.
  package init(
    _ limits: Limits = Limits(), knowledge: ProfileKnowledge = .builtIn,
    passkeys: ClosedRange<UInt32> = SixDigits.all, followsRequests: Bool = true,
    observesAttributes: Bool = true, bytes most: Int = Self.mostBytes
  ) {
    self.most = most
    self.observesAttributes = observesAttributes
    (self.limits, self.knowledge, self.followsRequests) = (limits, knowledge, followsRequests)
    searches = PasskeySearches(passkeys)
    requests = Conversations(limits, joinsValues: false)
  }

  /// The latest time in the capture so far.
  package var latest: Timestamp? { evidence.extent.latest }

  package mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    evidence.extent.observe(packet, memory)
    // A packet that another file contains, too, was recorded already.
    guard packet.record.original == nil else { return }
    if packet.record.adapter != latestAdapter.index {
      latestAdapter = (packet.record.adapter, adapters[packet.record.adapter])
    }
    if followsRequests { requests.observe(packet, memory) }
    if memory.links.otherEndings != otherEndings {
      memory.links.forEachEnding(after: otherEndings) { store($0) }
      otherEndings = memory.links.otherEndings
    }
    switch packet.dissection.content {
    case .command, .event, .control, .note: observeHost(packet, memory)
    case .advertising: observeAdvertising(packet.record, memory)
    case .acl, .sco, .iso, .controllerLog, .unknown, .linkData, .linkControl: break
    }
    guard let link = packet.answer.link else { return }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    if packet.answer.opened || packet.answer.closed || id != latestLink.id && positions[id] == nil {
      store(memory.links.connection(link))
    }
    if packet.answer.opened || packet.answer.closed || id != latestLink.id {
      latestLink = (id, positions[id])
    }
    guard let position = latestLink.position else { return }
    if packet.answer.opened {
      if let own = evidence.host.address(ofLinkOpenedBy: packet.dissection, packet.record.adapter) {
        notes[position].pairing.ownAddress = own
      } else if let central = memory.air.link(connection: id)?.central {
        notes[position].pairing.ownAddress = PairingAddress(
          central.address, isRandom: central.type == .random)
      }
      if let central = memory.air.isEmpty ? nil : memory.air.link(connection: id)?.central {
        notes[position].pairing.ownAddress = PairingAddress(central.address, central.type)
      }
      let seen = sighting(ofPeerAt: position)
      let age = seen.flatMap { Moment(packet.record).nanoseconds(since: $0.last) }
      if let age, age <= Self.longestSeen { notes[position].link.seen = seen }
      let connection = notes[position].connection
      peers[
        Attributes.key(connection.peer ?? DeviceAddress(value: 0), connection.peerType ?? .public)] =
        position
    }
    if case .acl(let header) = packet.dissection.content {
      if packet.record.direction == .sent {
        count(packet.record, link, at: position, memory)
      } else {
        receive(packet.record, header, id, isAnswer: packet.answer.request != nil)
      }
    }
    notes[position].observe(packet, memory, isComplete: observesAttributes)
    defer { measure(position, Moment(packet.record)) }
    if packet.answer.closed {
      if let adapter = latestAdapter.position {
        notes[position].link.controllerStall = evidence.adapters[adapter].commands.lastStall
        evidence.adapters[adapter].buffers.close(id, Moment(packet.record))
        evidence.adapters[adapter].hostBuffers.close(
          notes[position].connection.handle, Moment(packet.record))
      }
    }
  }

  /// Measures a connection, and drops the latest connections while all of them together exceed
  /// `most`.
  private mutating func measure(_ position: Int, _ moment: Moment) {
    noteBytes += notes[position].measure()
    while noteBytes > most, let last = notes.popLast() {
      isFull = true
      noteBytes -= last.measured
      // Its further packets are not counted, so those that the controller holds are not, either.
      if let adapter = adapters[last.connection.adapter] {
        evidence.adapters[adapter].buffers.close(last.connection.id, moment)
        evidence.adapters[adapter].hostBuffers.close(last.connection.handle, moment)
      }
      positions[last.connection.id] = nil
      unlisted = (max(unlisted.id, last.connection.id), unlisted.count + 1)
      if latestLink.id == last.connection.id { latestLink.position = nil }
    }
  }

  /// Records a data packet from the controller: an answer shows what the controller no longer
  /// holds, and the host holds the packet if the controller counts these.
  private mutating func receive(
    _ record: borrowing CaptureRecord, _ header: ACLHeader, _ connection: Int, isAnswer: Bool
  ) {
    guard let adapter = latestAdapter.position else { return }
    evidence.adapters[adapter].hear(from: connection, Moment(record))
    if isAnswer { evidence.adapters[adapter].buffers.answer(connection) }
    if evidence.adapters[adapter].hostBuffers.isCounting, !record.isDirectionInferred {
      evidence.adapters[adapter].hostBuffers.receive(header.handle, Moment(record))
    }
  }

  /// Counts a data packet of the host, which its controller holds until it is completed.
  private mutating func count(
    _ record: borrowing CaptureRecord, _ link: LinkSlot, at position: Int,
    _ memory: borrowing Memory
  ) {
    guard !record.isDirectionInferred, memory.links.isOpen(link),
      let adapter = latestAdapter.position
    else { return }
    evidence.adapters[adapter].observeData()
    let transport = notes[position].connection.transport
    guard transport == .le || transport == .brEDR else { return }
    evidence.adapters[adapter].buffers.send(
      Moment(record), connection: notes[position].connection.id, isLE: transport == .le,
      gap: memory.links.gap)
  }

  private func sighting(ofPeerAt position: Int) -> Sighting? {
    let connection = notes[position].connection
    guard let peer = connection.peer, let type = connection.peerType,
      let adapter = latestAdapter.position
    else { return nil }
    return evidence.adapters[adapter].sightings.find(peer, type)
  }

  /// Records a packet between the captured host and its controllers.
  private mutating func observeHost(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    let (index, position) = latestAdapter
    // These events are as frequent as data, and nothing else can be learned from them.
    if case .completedPackets(let completed) = packet.dissection.fact {
      if let position {
        evidence.adapters[position].observe(completed, packet, memory)
      }
      if packet.answer.link == nil { acknowledge(completed, packet.record, packet.bytes, memory) }
      return
    }
    if let position {
      evidence.adapters[position].observe(packet, memory)
    } else if evidence.adapters.count < limits.adapters {
      var adapter = AdapterHistory(index)
      adapter.observe(packet, memory)
      adapters[index] = evidence.adapters.count
      latestAdapter.position = evidence.adapters.count
      evidence.adapters.append(adapter)
    }
    observeAdvertising(packet.record, memory)
    guard case .control(let control) = packet.dissection.content else {
      evidence.host.observe(packet)
      return
    }
    evidence.management.observe(
      control, packet.bytes, packet.dissection.body, Moment(packet.record), index,
      packet.answer.request?.packet)
    observe(control, packet)
  }

  /// Records that devices advertise that are or were connected.
  private mutating func observeAdvertising(
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) {
    for report in memory.advertisements.reports.lazy.map(\.report) where report.isConnectable {
      guard let key = report.address.map({ Attributes.key($0, report.addressType) }),
        let peer = peers[key], peer < notes.count,
        notes[peer].connection.adapter == record.adapter
      else { continue }
      if notes[peer].connection.isOnAir {
        notes[peer].air.observeAdvertising(Moment(record))
      } else {
        notes[peer].link.observeAdvertising(Moment(record), report.rssi)
      }
    }
  }

  /// Records a packet of the management interface. It names the peer but no connection, so it is
  /// assigned to the latest connection with that peer.
  private mutating func observe(_ control: ControlRecord, _ packet: borrowing Packet) {
    guard let act = PairingAct(control, packet.bytes, packet.dissection.body, Moment(packet.record))
    else { return }
    let adapter = packet.record.adapter
    for position in notes.indices.suffix(Self.latestConnections).reversed() {
      let connection = notes[position].connection
      guard connection.adapter == adapter,
        connection.peer == act.peer || connection.identity?.address == act.peer
      else { continue }
      notes[position].pairing.observe(act)
      return
    }
  }

  /// A signal strength is irrelevant to a link that opens later than this.
  private static let longestSeen: Int64 = 60_000_000_000
  /// The number of latest connections that are searched for the one that a management record means.
  private static let latestConnections = 32

  /// Records an event that acknowledges packets of several links.
  private mutating func acknowledge(
    _ completed: CompletedPackets, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    let moment = Moment(record)
    for index in 0..<completed.count {
      let (handle, packets) = completed.link(index, bytes)
      guard packets > 0, let known = memory.links.known(LinkKey(record.adapter, handle)),
        let position = known.id == latestLink.id ? latestLink.position : positions[known.id]
      else { continue }
      notes[position].link.acknowledge(moment, packets: packets)
      notes[position].transfers.complete(packets, record, memory)
    }
  }

  private mutating func store(_ connection: Connection) {
    guard connection.id != 0, connection.transport != .synchronous else { return }
    if let position = positions[connection.id] {
      notes[position].connection = connection
    } else if !isFull, notes.count < limits.listedConnections {
      positions[connection.id] = notes.count
      notes.append(ConnectionNotes(connection, knowledge))
    } else if connection.id > unlisted.id {
      unlisted = (connection.id, unlisted.count + 1)
    }
  }

  /// Returns the evidence after the capture was read to its end. Called once.
  ///
  /// - Parameter unanswered: the unanswered requests, if the caller followed them.
  package consuming func finish(
    _ memory: borrowing Memory, _ summary: CaptureSummary?, _ failure: CaptureFailure?,
    unanswered: UnansweredRequests? = nil
  ) -> Evidence { conclude(memory, summary, failure, unanswered) }

  /// Returns the evidence as if the capture ended here. Requests that still wait for an answer
  /// appear unanswered, so not all findings from this evidence remain true.
  ///
  /// Costs as much as `finish`, except for the searches, which are done once. Not to be called for
  /// every packet.
  package mutating func evidence(_ memory: borrowing Memory) -> Evidence {
    var copy = Self(copying: self)
    let evidence = copy.conclude(memory, nil, nil, nil)
    searches = copy.searches
    return evidence
  }

  private init(copying other: borrowing Self) {
    (evidence, notes) = (other.evidence, other.notes)
    (positions, peers) = (other.positions, other.peers)
    (adapters, latestAdapter) = (other.adapters, other.latestAdapter)
    (latestLink, otherEndings, unlisted) = (other.latestLink, other.otherEndings, other.unlisted)
    (noteBytes, isFull) = (other.noteBytes, other.isFull)
    (observesAttributes, most) = (other.observesAttributes, other.most)
    (requests, followsRequests) = (other.requests, other.followsRequests)
    (limits, knowledge, searches) = (other.limits, other.knowledge, other.searches)
  }

  private mutating func conclude(
    _ memory: borrowing Memory, _ summary: CaptureSummary?, _ failure: CaptureFailure?,
    _ unanswered: UnansweredRequests?
  ) -> Evidence {
    memory.links.forEach { store($0) }
    (evidence.coverage, evidence.vantage) = (memory.coverage, memory.vantage)
    for index in evidence.adapters.indices {
      evidence.adapters[index].finish(memory, evidence.extent)
    }
    evidence.extent.finish(summary, failure, unlistedConnections: unlisted.count)
    requests.finish(memory, latest: evidence.extent.latest)
    let left = Dictionary(grouping: (unanswered ?? requests.unanswered).listed, by: \.connection)
    for index in notes.indices {
      notes[index].attributes.unanswered = Array(
        (left[notes[index].connection.id] ?? []).prefix(AttributeHistory.mostListed))
      notes[index].finish(memory, evidence.extent, lacksData: evidence.lacksData)
    }
    for index in notes.indices { notes[index].pairing.search(&searches) }
    evidence.connections = notes.map { ConnectionHistory($0) }
    evidence.keys = memory.keys
    for connection in evidence.connections { evidence.learnKeys(from: connection) }
    return evidence
  }
}
