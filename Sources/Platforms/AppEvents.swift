import Bluetooth
import Bytes
package import Captures
package import Dissectors
package import Sessions

/// What apps can have been notified of, packet by packet:
///
///     events.observe(record, dissection, bytes, answer, fragments, memory)
///     for event in events.told { … }
///
/// What becomes known late is reported late: a long read ends with what follows it. Sorting within
/// a second restores the order of packets, since that is the longest wait for a search for
/// attributes.
package struct AppEvents: ~Copyable {
  /// The events of the current packet.
  package private(set) var told: [AppEvent] = []
  private var adapters: [AdapterEvents] = []
  private var heard: HeardDevices
  private var links = LinkEvents()
  private var discoveries = DiscoveryEvents()
  private var client: ClientEvents
  private var server = ServerEvents()
  private var buffers = BufferEvents()
  /// The addresses with which the peers of connections were first reported.
  private var peers: [Int: DeviceAddress] = [:]
  private static let mostPeers = 1024
  private var last: (packet: Int, time: Timestamp?) = (0, nil)
  private let limits: Limits
  /// The last record before which others were lost.
  private var gap = 0

  /// Creates the state before the first packet.
  ///
  /// - Parameters:
  ///   - tellsDuplicates: whether every advertisement is reported, not only those with new content.
  ///   - platform: the platform of the apps.
  package init(tellsDuplicates: Bool, for platform: Platform, _ limits: Limits = Limits()) {
    // Android's stack waits: `if (is_active_scan && is_scannable && !is_scan_resp) return`, and
    // leaves out a scan response whose advertisement it has not heard (AOSP,
    // stack/btm/btm_ble_gap.cc).
    heard = HeardDevices(
      tellsDuplicates: tellsDuplicates, waitsForScanResponses: platform == .android)
    client = ClientEvents(limits)
    self.limits = limits
  }

  /// Processes one packet; `told` is then what it reports.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the dissection's slices count from.
  ///   - fragments: the packets of the PDU, if it came in several.
  ///   - memory: what is known after this packet.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory
  ) {
    if !told.isEmpty { told.removeAll(keepingCapacity: true) }
    // A record that repeats one of another file was already reported.
    guard record.original == nil else { return }
    if memory.links.gap != gap { lose(memory) }
    last = (record.number, record.time)
    discoveries.pass(record.time, into: &told)
    server.pass(record.time, into: &told)
    let scans = told.count
    observeAdapter(record, dissection, bytes, answer)
    for event in told[scans...] {
      guard case .scanStarted(let request) = event.what else { continue }
      heard.begin(record.adapter, isActive: request.isActive == true)
    }
    heard.observe(record, bytes, memory, into: &told)
    let ended = links.observe(record, dissection, bytes, answer, memory, into: &told)
    if dissection.smp != nil, let link = answer.link {
      discoveries.interrupt(memory.links.id(link), into: &told)
    }
    if dissection.att != nil {
      discoveries.observe(record, dissection, bytes, answer, memory, into: &told)
      server.observe(record, dissection, bytes, answer, memory, into: &told)
    }
    client.observe(
      record, dissection, bytes, answer, fragments: fragments, memory, links, into: &told)
    buffers.observe(record, dissection, bytes, answer, memory, into: &told)
    for id in ended {
      discoveries.end(id, into: &told)
      server.end(id, packet: record.number, time: record.time, into: &told)
      client.end(id)
    }
    if answer.opened || !ended.isEmpty, let position = adapter(record.adapter) {
      adapters[position].connections(
        links.count(on: record.adapter), record, into: &told)
    }
    settle(record.adapter, memory)
    for id in ended { peers[id] = nil }
  }

  /// Marks connections that end because a request was not answered within ATT's timeout.
  private mutating func noteSilence() {
    for index in told.indices {
      guard case .disconnected(var end) = told[index].what else { continue }
      end.isOfSilence = told.contains {
        guard case .value(let value) = $0.what else { return false }
        return $0.connection == told[index].connection && value.outcome.reason == .timedOut
      }
      told[index].what = .disconnected(end)
    }
  }

  /// Orders the events of a packet: the end of a link after what ends with it, and of the Link
  /// Layer's states only the final ones.
  private mutating func settle(_ adapter: AdapterIndex, _ memory: borrowing Memory) {
    guard !told.isEmpty else { return }
    noteSilence()
    let state = told.last { $0.isOfLinkLayer }
    let ends = told.filter { $0.isEnd }
    if state != nil || !ends.isEmpty { told.removeAll { $0.isOfLinkLayer || $0.isEnd } }
    told += ends
    if let state { told.append(state) }
    for index in told.indices {
      if told[index].connection == 0 { told[index].adapter = adapter }
      name(index, memory)
    }
  }

  /// Gives the peer of an event the single name by which apps know it: they have one object for a
  /// device, whatever addresses it uses.
  private mutating func name(_ index: Int, _ memory: borrowing Memory) {
    guard let peer = told[index].peer else { return }
    let connection = told[index].connection
    var name = peer
    if connection == 0 {
      name = memory.identities.identity(of: peer)?.address ?? peer
    } else if let known = peers[connection] {
      name = known
    } else if peers.count < Self.mostPeers {
      peers[connection] = peer
    }
    guard name != peer else { return }
    (told[index].peer, told[index].otherAddress) = (name, peer)
  }

  /// Ends the capture; `told` is then what only the end shows.
  package mutating func finish(_ memory: borrowing Memory) {
    told.removeAll(keepingCapacity: true)
    discoveries.end(nil, into: &told)
    client.finish(memory, links, packet: last.packet, time: last.time, into: &told)
    server.end(nil, packet: last.packet, time: last.time, into: &told)
    for index in told.indices { name(index, memory) }
  }

  /// Forgets what depended on lost records: it is unknown, and is not reported as not having
  /// happened.
  private mutating func lose(_ memory: borrowing Memory) {
    gap = memory.links.gap
    links.lose(memory.links.gapAdapter)
    discoveries.lose(memory.links.gapAdapter)
    server.lose(memory.links.gapAdapter)
  }

  private mutating func observeAdapter(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer
  ) {
    switch dissection.content {
    case .command, .event, .note, .control:
      guard let position = adapter(record.adapter) else { return }
      adapters[position].observe(record, dissection, bytes, answer, into: &told)
    case .acl, .sco, .iso, .controllerLog, .unknown: break
    }
  }

  private mutating func adapter(_ index: AdapterIndex) -> Int? {
    if let known = adapters.firstIndex(where: { $0.index == index }) { return known }
    guard adapters.count < limits.adapters else { return nil }
    adapters.append(AdapterEvents(index))
    return adapters.count - 1
  }
}

extension AppEvent {
  /// Whether it is a change of the Link Layer's states.
  fileprivate var isOfLinkLayer: Bool { if case .linkLayer = what { true } else { false } }

  /// Whether it is the end of a connection.
  fileprivate var isEnd: Bool {
    switch what {
    case .disconnected, .connectFailed(.notEstablished): true
    default: false
    }
  }
}
