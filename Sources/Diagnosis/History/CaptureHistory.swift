package import Bluetooth
import Bytes
package import Captures
import Cryptography
package import Dissectors
package import Sessions

/// What is remembered of a capture for the rules: fed packet by packet, then asked for the evidence.
/// Bounded by `Limits` and by the limits of its parts: what is kept grows with connections and with what
/// goes wrong on them, not with packets.
package struct CaptureHistory: ~Copyable, Sendable {
  private var evidence = Evidence()
  /// What is remembered of the connections.
  private var notes: [ConnectionNotes] = []
  /// Where they stand, by their numbers.
  private var positions: [Int: Int] = [:]
  /// The connection of the latest packet, and where it stands; nil where there was no room for it.
  private var latest: (id: Int, position: Int?) = (id: 0, position: nil)
  private var otherEndings = 0
  /// The last connection that there was no room for, and how many there were.
  private var unlisted = (id: 0, count: 0)
  private let limits: Limits
  private let knowledge: ProfileKnowledge
  private var searches: PasskeySearches

  /// Nothing seen.
  ///
  /// - Parameters:
  ///   - bonds: the keys that are known from elsewhere.
  ///   - knowledge: what profiles say.
  ///   - passkeys: which ones are tried where a passkey is searched for.
  package init(
    _ limits: Limits = Limits(), bonds: [Bond] = [], knowledge: ProfileKnowledge = .builtIn,
    passkeys: ClosedRange<UInt32> = SixDigits.all
  ) {
    searches = PasskeySearches(passkeys)
    self.limits = limits
    self.knowledge = knowledge
    evidence.keys = KnownKeys(bonds)
  }

  /// Takes one packet.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    evidence.extent.observe(record, dissection, bytes, answer, memory)
    // What another file has, too, was told.
    guard record.original == nil else { return }
    if memory.links.otherEndings != otherEndings {
      otherEndings = memory.links.otherEndings
      if let departed = memory.links.departed { store(departed) }
      memory.links.forEach { store($0) }
    }
    switch dissection.content {
    case .command, .event, .control, .note:
      observeHost(record, dissection, bytes, answer, memory)
    case .acl:
      if dissection.smp != nil {
        evidence.keys.observe(record, dissection, bytes, answer, memory)
      }
    case .sco, .iso, .controllerLog, .unknown: break
    }
    guard let link = answer.link else { return }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    if answer.opened || answer.closed {
      store(memory.links.connection(link))
      latest = (id, positions[id])
    } else if id != latest.id {
      latest = (id, positions[id])
      if latest.position == nil {
        store(memory.links.connection(link))
        latest.position = positions[id]
      }
    }
    guard let position = latest.position else { return }
    if answer.opened,
      let own = evidence.host.address(
        ofLinkOpenedBy: dissection, bytes, record.adapter ?? 0xffff)
    {
      notes[position].pairing.ownAddress = own
    }
    if answer.opened, let seen = sighting(ofPeerAt: position, record) {
      let age = Moment(record).nanoseconds(since: seen.last)
      if let age, age <= Self.longestSeen { notes[position].link.seen = seen }
    }
    notes[position].observe(record, dissection, bytes, answer, memory)
    if answer.closed { notes[position].link.end(sighting(ofPeerAt: position, record)) }
  }

  /// How a connection's peer was seen advertising so far.
  private func sighting(
    ofPeerAt position: Int, _ record: borrowing CaptureRecord
  ) -> Sighting? {
    let index = record.adapter ?? 0xffff
    guard let peer = notes[position].connection.peer,
      let type = notes[position].connection.peerType,
      let adapter = evidence.adapters.first(where: { $0.index == index })
    else { return nil }
    return adapter.sighting(of: peer, type)
  }

  /// Takes what went between the captured host and its controllers.
  private mutating func observeHost(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    let index = record.adapter ?? 0xffff
    let position = evidence.adapters.firstIndex { $0.index == index }
    // They are as frequent as data: nothing else is to be learnt from them.
    if case .event(let event) = dissection.content,
      event.code == HCIEvent.numberOfCompletedPacketsCode
    {
      if let position { evidence.adapters[position].observe(completedPackets: record) }
      if answer.link == nil { acknowledge(record, dissection, bytes, memory) }
      return
    }
    if let position {
      evidence.adapters[position].observe(record, dissection, bytes, answer, memory)
    } else if evidence.adapters.count < limits.adapters {
      var adapter = AdapterHistory(index)
      adapter.observe(record, dissection, bytes, answer, memory)
      evidence.adapters.append(adapter)
    }
    evidence.keys.observe(record, dissection, bytes, answer, memory)
    switch dissection.content {
    case .command, .event, .note: evidence.host.observe(record, dissection, bytes)
    case .control(let control):
      evidence.management.observe(
        control, bytes, dissection.body, Moment(record), index, answer.request?.packet)
      observe(control, record, dissection, bytes)
    case .acl, .sco, .iso, .controllerLog, .unknown: break
    }
  }

  /// Takes a record of the management interface, which names the peer, and no connection: the latest one
  /// with that peer is meant.
  private mutating func observe(
    _ control: ControlRecord, _ record: borrowing CaptureRecord, _ dissection: Dissection,
    _ bytes: RawSpan
  ) {
    guard PairingAct.isPossible(control),
      let act = PairingAct(control, bytes, dissection.body, Moment(record))
    else { return }
    let adapter = record.adapter ?? 0xffff
    for position in notes.indices.suffix(Self.latestConnections).reversed() {
      let connection = notes[position].connection
      guard connection.adapter == adapter,
        connection.peer == act.peer || connection.identity?.address == act.peer
      else { continue }
      notes[position].pairing.observe(act)
      return
    }
  }

  /// A signal says nothing of a link that opens later than this.
  private static let longestSeen: Int64 = 60_000_000_000
  /// Among so many connections the one that a record of the management interface means is looked for.
  private static let latestConnections = 32

  /// Takes an event that tells of the packets of several links.
  private mutating func acknowledge(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    let moment = Moment(record)
    var cursor = Cursor(bytes, dissection.body)
    guard let event = try? NumberOfCompletedPackets(parsing: &cursor) else { return }
    for _ in 0..<event.count {
      guard let link = try? NumberOfCompletedPackets.Link(parsing: &cursor) else { return }
      guard link.packets > 0,
        let known = memory.links.known(record.adapter ?? 0xffff, link.handle),
        let position = known.id == latest.id ? latest.position : positions[known.id]
      else { continue }
      notes[position].link.acknowledge(moment)
    }
  }

  private mutating func store(_ connection: Connection) {
    guard connection.id != 0, connection.transport != .synchronous else { return }
    if let position = positions[connection.id] {
      notes[position].connection = connection
    } else if notes.count < limits.listedConnections {
      positions[connection.id] = notes.count
      notes.append(ConnectionNotes(connection, knowledge))
    } else if connection.id > unlisted.id {
      unlisted = (connection.id, unlisted.count + 1)
    }
  }

  /// The evidence, now that the capture was read to its end. To be asked once.
  package consuming func finish(
    _ memory: borrowing Memory, _ summary: CaptureSummary?, _ failure: CaptureFailure?
  ) -> Evidence {
    conclude(memory, summary, failure)
  }

  /// The evidence as if the capture ended here; it goes on. What waits for an answer seems to have none, so
  /// that not everything that rules find in it stays true.
  ///
  /// It costs what `finish` does but for the searches, which are done once: not to be asked for every packet.
  package mutating func evidence(_ memory: borrowing Memory) -> Evidence {
    var copy = Self(copying: self)
    let evidence = copy.conclude(memory, nil, nil)
    searches = copy.searches
    return evidence
  }

  private init(copying other: borrowing Self) {
    evidence = other.evidence
    notes = other.notes
    positions = other.positions
    latest = other.latest
    otherEndings = other.otherEndings
    unlisted = other.unlisted
    limits = other.limits
    knowledge = other.knowledge
    searches = other.searches
  }

  private mutating func conclude(
    _ memory: borrowing Memory, _ summary: CaptureSummary?, _ failure: CaptureFailure?
  ) -> Evidence {
    memory.links.forEach { store($0) }
    evidence.coverage = memory.coverage
    for index in evidence.adapters.indices { evidence.adapters[index].finish(memory) }
    evidence.extent.finish(summary, failure, unlistedConnections: unlisted.count)
    for index in notes.indices { notes[index].finish(memory, evidence.extent) }
    for index in notes.indices { notes[index].pairing.search(&searches) }
    evidence.connections = notes.map { ConnectionHistory($0) }
    for connection in evidence.connections { evidence.keys.learn(from: connection) }
    evidence.keys.learn(
      Dictionary(evidence.connections.map { ($0.id, $0.device) }, uniquingKeysWith: { $1 }))
    return evidence
  }
}
