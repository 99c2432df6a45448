import Bytes
package import Captures
package import Dissectors
package import Sessions

/// What is remembered of a capture for the rules: fed packet by packet, then asked for the evidence.
/// Bounded by `Limits` and by the limits of its parts: what is kept grows with connections and with what
/// goes wrong on them, not with packets.
package struct CaptureHistory: ~Copyable, Sendable {
  private var evidence = Evidence()
  /// Where connections stand in the evidence, by their numbers.
  private var positions: [Int: Int] = [:]
  private var latest = (id: 0, position: 0)
  private var otherEndings = 0
  /// Connections beyond the limit.
  private var unlisted = 0
  private let limits: Limits

  /// Nothing seen.
  package init(_ limits: Limits = Limits()) { self.limits = limits }

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
    observeAdapter(record, dissection, bytes, answer, memory)
    evidence.keys.observe(record, dissection, bytes, answer, memory)
    guard let link = answer.link else { return }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    if id != latest.id {
      store(memory.links.connection(link))
      guard let position = positions[id] else { return }
      latest = (id, position)
    } else if answer.opened || answer.closed {
      store(memory.links.connection(link))
    }
    evidence.connections[latest.position].observe(record, dissection, bytes, answer, memory)
  }

  private mutating func observeAdapter(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    switch dissection.content {
    case .command, .event, .control, .note: break
    case .acl, .sco, .iso, .unknown: return
    }
    let index = record.adapter ?? 0xffff
    if let position = evidence.adapters.firstIndex(where: { $0.index == index }) {
      evidence.adapters[position].observe(record, dissection, bytes, answer, memory)
    } else if evidence.adapters.count < limits.adapters {
      var adapter = AdapterHistory(index)
      adapter.observe(record, dissection, bytes, answer, memory)
      evidence.adapters.append(adapter)
    }
  }

  private mutating func store(_ connection: Connection) {
    guard connection.id != 0, connection.transport != .synchronous else { return }
    if let position = positions[connection.id] {
      evidence.connections[position].connection = connection
    } else if evidence.connections.count < limits.listedConnections {
      positions[connection.id] = evidence.connections.count
      evidence.connections.append(ConnectionHistory(connection))
    } else {
      unlisted += 1
    }
  }

  /// The evidence, now that the capture was read to its end. To be asked once.
  package consuming func finish(
    _ memory: borrowing Memory, _ summary: CaptureSummary?, _ failure: CaptureFailure?
  ) -> Evidence {
    memory.links.forEach { store($0) }
    evidence.extent.finish(summary, failure, unlistedConnections: unlisted)
    for index in evidence.adapters.indices { evidence.adapters[index].finish(evidence.extent) }
    for index in evidence.connections.indices {
      let connection = evidence.connections[index].connection
      let known = connection.peer.flatMap { memory.identities.search($0) }
      if let known {
        evidence.connections[index].device = Attributes.key(known.address, known.type)
      } else {
        evidence.connections[index].device = memory.attributes.currentKey(
          Attributes.key(isLocal: false, connection))
      }
      if let entry = connection.name, let name = memory.names[entry] {
        evidence.connections[index].name = name.bytes.array
      }
      evidence.connections[index].link.finish(connection, evidence.extent)
      evidence.connections[index].pairing.finish(connection, memory, evidence.extent)
      evidence.connections[index].encryption.finish(connection, memory, evidence.extent)
      evidence.connections[index].attributes.finish(connection, memory, evidence.extent)
    }
    return evidence
  }
}
