import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What apps can have been notified of, packet by packet:
///
///     events.observe(packet, memory)
///     for event in events.latest { … }
///
/// What becomes known late is reported late: a long read ends with what follows it. Sorting within
/// a second restores the order of packets, since that is the longest wait for a search for
/// attributes.
struct AppEvents: ~Copyable {
  /// The events of the current packet.
  private(set) var latest: [AppEvent] = []
  private var adapters: [AdapterEvents] = []
  private var heard: HeardDevices
  private var links = LinkEvents()
  private var discoveries = DiscoveryEvents()
  private var client: ClientEvents
  private var asking = RequestEvents()
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
  ///   - reportsDuplicates: whether all advertisements are reported, not only those with new
  ///     content.
  ///   - platform: the platform of the apps.
  init(reportsDuplicates: Bool, for platform: Platform, _ limits: Limits = Limits()) {
    // Android's stack waits: `if (is_active_scan && is_scannable && !is_scan_resp) return`, and
    // leaves out a scan response whose advertisement it has not heard (AOSP,
    // stack/btm/btm_ble_gap.cc).
    heard = HeardDevices(
      reportsDuplicates: reportsDuplicates, waitsForScanResponses: platform == .android)
    client = ClientEvents(limits)
    self.limits = limits
  }

  /// Processes one packet; `latest` is then what it reports.
  ///
  /// - Parameter memory: what is known after this packet.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if !latest.isEmpty { latest.removeAll(keepingCapacity: true) }
    // A record that repeats one of another file was already reported.
    guard packet.record.original == nil else { return }
    if memory.links.gap != gap { lose(memory) }
    last = (packet.record.number, packet.record.time)
    discoveries.pass(packet.record.time, into: &latest)
    server.pass(packet.record.time, into: &latest)
    for position in adapters.indices where adapters[position].index == packet.record.adapter {
      adapters[position].pass(packet.record, into: &latest)
    }
    let scans = latest.count
    observeAdapter(packet)
    for event in latest[scans...] {
      guard case .scanStarted(let request) = event.what else { continue }
      heard.begin(packet.record.adapter, isActive: request.isActive == true)
    }
    // A sniffer does not show which advertisements a central receives.
    let isOnAir = packet.dissection.air != nil
    if !isOnAir { heard.observe(packet.record, packet.bytes, memory, into: &latest) }
    asking.observe(packet, memory, into: &latest)
    let ended = links.observe(packet, memory, into: &latest)
    if packet.dissection.smp != nil, let link = packet.answer.link {
      discoveries.interrupt(memory.links.id(link), into: &latest)
    }
    if packet.dissection.att != nil {
      discoveries.observe(packet, memory, into: &latest)
      server.observe(packet, memory, into: &latest)
    }
    client.observe(packet, memory, links, into: &latest)
    buffers.observe(packet, memory, into: &latest)
    for id in ended {
      discoveries.end(id, into: &latest)
      server.end(id, packet: packet.record.number, time: packet.record.time, into: &latest)
      client.end(id)
      asking.end(id)
    }
    if packet.answer.opened, let link = packet.answer.link {
      for case .some(let peer) in [memory.links.peer(link), memory.links.peerResolvable(link)] {
        heard.connect(peer, packet.record.adapter)
      }
    }
    if packet.answer.opened || !ended.isEmpty, !isOnAir,
      let position = adapter(packet.record.adapter)
    {
      adapters[position].connections(
        links.count(on: packet.record.adapter), packet.record, into: &latest)
    }
    settle(packet.record.adapter, memory)
    for id in ended { peers[id] = nil }
  }

  /// Marks connections that end because a request was not answered within ATT's timeout.
  private mutating func noteSilence() {
    for index in latest.indices {
      guard case .disconnected(var end) = latest[index].what else { continue }
      end.isOfSilence = latest.contains {
        guard case .value(let value) = $0.what else { return false }
        return $0.connection == latest[index].connection && value.outcome.reason == .timedOut
      }
      latest[index].what = .disconnected(end)
    }
  }

  /// Orders the events of a packet: the end of a link after what ends with it, and of the Link
  /// Layer's states only the final ones.
  private mutating func settle(_ adapter: AdapterIndex, _ memory: borrowing Memory) {
    if latest.contains(where: { $0.isOfLinkLayer || $0.isEnd }) {
      noteSilence()
      let state = latest.last { $0.isOfLinkLayer }
      let ends = latest.filter { $0.isEnd }
      latest.removeAll { $0.isOfLinkLayer || $0.isEnd }
      latest += ends
      if let state { latest.append(state) }
    }
    for index in latest.indices {
      if latest[index].connection == 0 { latest[index].adapter = adapter }
      name(index, memory)
    }
  }

  /// Gives the peer of an event the single name by which apps know it: they have one object for a
  /// device, whatever addresses it uses.
  private mutating func name(_ index: Int, _ memory: borrowing Memory) {
    guard let peer = latest[index].peer else { return }
    let connection = latest[index].connection
    var name = peer
    if connection == 0 {
      name = memory.identities.identity(of: peer)?.address ?? peer
    } else if let known = peers[connection] {
      name = known
    } else if peers.count < Self.mostPeers {
      peers[connection] = peer
    }
    guard name != peer else { return }
    (latest[index].peer, latest[index].otherAddress) = (name, peer)
  }

  /// Ends the capture; `latest` is then what only the end shows.
  mutating func finish(_ memory: borrowing Memory) {
    latest.removeAll(keepingCapacity: true)
    for position in adapters.indices { adapters[position].finish(into: &latest) }
    discoveries.end(nil, into: &latest)
    client.finish(memory, links, packet: last.packet, time: last.time, into: &latest)
    server.end(nil, packet: last.packet, time: last.time, into: &latest)
    for index in latest.indices { name(index, memory) }
  }

  /// Forgets what depended on lost records: it is unknown, and is not reported as not having
  /// happened.
  private mutating func lose(_ memory: borrowing Memory) {
    gap = memory.links.gap
    for position in adapters.indices where memory.links.gapAdapter.mayBe(adapters[position].index) {
      adapters[position].lose()
    }
    links.lose(memory.links.gapAdapter)
    discoveries.lose(memory.links.gapAdapter)
    server.lose(memory.links.gapAdapter)
  }

  private mutating func observeAdapter(_ packet: borrowing Packet) {
    switch packet.dissection.content {
    case .command, .event, .note, .control:
      guard let position = adapter(packet.record.adapter) else { return }
      adapters[position].observe(packet, into: &latest)
    case .acl, .sco, .iso, .controllerLog, .unknown, .advertising, .linkData, .linkControl: break
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
