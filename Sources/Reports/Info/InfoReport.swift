package import Bluetooth
package import Bytes
package import Captures
import Dissectors
package import Sessions

/// `info`: summarises a capture. Counts while packets are fed, and prints at the end.
package struct InfoReport: PacketReport, ~Copyable {
  private let name: String
  /// The archives that contained the capture.
  private let archives: [ArchiveContents]
  private let isJSON: Bool
  /// Whether no block of text precedes this one.
  private let isFirst: Bool
  private let glyphs: Glyphs
  private let width: Int?
  private let usesColor: Bool
  private var source: CaptureSummary
  private var facts: CaptureFacts
  private var requests: Conversations

  /// Creates a report on the capture `name`. Lines of text are wrapped at `width` columns, if
  /// given.
  package init(
    _ name: String, _ summary: CaptureSummary, archives: [ArchiveContents] = [], json isJSON: Bool,
    isFirst: Bool = true, glyphs: Glyphs, width: Int? = nil, usesColor: Bool = false,
    limits: Limits = Limits()
  ) {
    self.name = name
    self.archives = archives
    self.isJSON = isJSON
    self.isFirst = isFirst
    self.glyphs = glyphs
    self.width = width
    self.usesColor = usesColor
    source = summary
    facts = CaptureFacts(limits)
    requests = Conversations(limits, joinsValues: false)
  }

  /// Always false: every packet counts.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    facts.count(packet, memory)
    requests.observe(packet, memory)
  }

  package mutating func learn(_ summary: CaptureSummary) { source = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    facts.finish(memory)
    requests.finish(memory, latest: facts.latest)
    facts.unanswered = requests.unanswered
    if isJSON {
      var document = InfoDocument(facts, source, archives, failure)
      document.write(memory, into: &output)
    } else {
      if !isFirst { output.byte(0x0a) }
      var page = InfoPage(
        facts, source, archives, failure, glyphs, width: width, usesColor: usesColor)
      page.write(name, memory, into: &output)
    }
  }
}

/// The counts of a capture. Bounded by `Limits`.
package struct CaptureFacts: Sendable {
  /// The kinds of records.
  enum Kind: Int, CaseIterable, Sendable {
    case command, event, acl, sco, iso, controllerLog, mgmt, note, air, unknown

    /// The JSON key.
    var key: StaticString {
      switch self {
      case .command: "commands"
      case .event: "events"
      case .acl: "acl"
      case .sco: "sco"
      case .iso: "iso"
      case .controllerLog: "controller_log"
      case .mgmt: "mgmt"
      case .note: "notes"
      case .air: "air"
      case .unknown: "unknown"
      }
    }

    /// The words after a number: singular and plural.
    var words: (one: StaticString, several: StaticString) {
      switch self {
      case .command: ("command", "commands")
      case .event: ("event", "events")
      case .acl: ("ACL packet", "ACL packets")
      case .sco: ("SCO packet", "SCO packets")
      case .iso: ("ISO packet", "ISO packets")
      case .controllerLog: ("controller debug log packet", "controller debug log packets")
      case .mgmt: ("management record", "management records")
      case .note: ("note", "notes")
      case .air: ("from the air", "from the air")
      case .unknown: ("unknown", "unknown")
      }
    }
  }

  /// Why pairing failed on a connection, and who reported it.
  struct FailedPairing: Sendable {
    let connection: Int
    let reason: PairingFailure
    let direction: Direction?
    let packet: Int
  }

  /// Why a connection could not be encrypted.
  struct FailedEncryption: Sendable {
    let connection: Int
    let status: StatusCode
    let packet: Int
  }

  package private(set) var records = 0
  /// Whether commands show that the host is Android.
  private(set) var isOfAndroid = false
  /// The number of the last record.
  private(set) var lastPacket = 0
  private(set) var kinds = [Int](repeating: 0, count: Kind.allCases.count)
  package private(set) var earliest: Timestamp?
  package private(set) var latest: Timestamp?
  /// Whether nothing was captured for a day or more.
  private(set) var hasPause = false
  private static let leastPause: Int64 = 86_400_000_000_000

  /// A remark that the clock was not set, if so.
  var clockRemark: String? {
    guard earliest?.isOfUnsetClock ?? false else { return nil }
    return
      "the clock of the device that recorded it was not set: only differences between its times are meaningful"
  }

  private(set) var stepsBack = 0
  package private(set) var dropped: UInt64 = 0
  package private(set) var truncated = 0
  private(set) var problems = ProblemCounts()
  private(set) var failures = FailureCounts()
  private(set) var connections: [Connection] = []
  private(set) var pairingFailures: [FailedPairing] = []
  private(set) var encryptionFailures: [FailedEncryption] = []
  /// The changes of connections on the air.
  private(set) var changes: [AirChange] = []
  /// The unanswered requests, if requests were followed.
  fileprivate(set) var unanswered: UnansweredRequests
  package private(set) var connectionCount = 0
  private(set) var leData = 0
  private(set) var brEDRData = 0
  private(set) var unknownData = 0
  private(set) var advertisingReports = 0
  private var advertisers: Set<UInt64> = []
  private(set) var hasMoreAdvertisers = false
  private var previous: Timestamp?
  private var otherEndings = 0
  /// Indices into `connections`, by connection number.
  private var positions: [Int: Int] = [:]
  private let limits: Limits

  package init(_ limits: Limits) {
    self.limits = limits
    unanswered = UnansweredRequests(limit: 0)
  }

  package var advertiserCount: Int { advertisers.count }

  package mutating func count(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    records += 1
    if let failure = packet.dissection.failure(packet.bytes, packet.answer) {
      failures.add(failure)
      takeEncryption(packet, memory)
    }
    kinds[Self.kind(packet.dissection).rawValue] += 1
    if case .command(let command) = packet.dissection.content,
      packet.record.isOfAndroid(command.opcode)
    {
      isOfAndroid = true
    }
    add(packet.record.time)
    lastPacket = packet.record.number
    // After a gap another clock may be used.
    if packet.record.isGapNote || packet.record.followsDamage { previous = nil }
    dropped.add(clamped: packet.record.drops)
    if packet.record.isTruncated { truncated += 1 }
    problems.add(packet.dissection.problems)
    if case .acl = packet.dissection.content, let link = packet.answer.link {
      switch memory.links.connection(link).transport {
      case .brEDR: brEDRData += 1
      case .le: leData += 1
      case .unknown: unknownData += 1
      case .synchronous: break
      }
    }
    let hasOthers = memory.links.otherEndings != otherEndings
    if packet.answer.opened || packet.answer.closed { add(packet.answer, memory) }
    if hasOthers { takeOthers(memory) }
    if case .failed(let reason)? = packet.dissection.smp { add(reason, packet, memory) }
    if case .linkControl = packet.dissection.content, changes.count < limits.listedConnections,
      let change = AirChange(packet, memory)
    {
      changes.append(change)
    }
    // A packet that another file contains, too, was counted already.
    if packet.record.original == nil {
      for advertisement in memory.advertisements.reports where advertisement.event != nil {
        if advertisement.isCounted { advertisingReports += 1 }
        add(advertisement.report, advertisement.train)
      }
    }
  }

  private static func kind(_ dissection: Dissection) -> Kind {
    switch dissection.content {
    case .command: .command
    case .event: .event
    case .acl: dissection.air == nil ? .acl : .air
    case .sco: .sco
    case .iso: .iso
    case .controllerLog: .controllerLog
    case .control: .mgmt
    case .note: .note
    case .advertising, .linkData, .linkControl: .air
    case .unknown: dissection.air == nil ? .unknown : .air
    }
  }

  private mutating func add(_ time: Timestamp?) {
    guard let time, time.isWritable else { return }
    if let previous {
      let step = time.nanoseconds(since: previous)
      if step < 0 { stepsBack += 1 }
      if step > Self.leastPause { hasPause = true }
    }
    previous = time
    if let earliest, time.nanoseconds(since: earliest) >= 0 {} else { earliest = time }
    if let latest, time.nanoseconds(since: latest) <= 0 {} else { latest = time }
  }

  private mutating func add(_ answer: Answer, _ memory: borrowing Memory) {
    connectionCount = memory.links.count
    guard let link = answer.link else { return }
    store(memory.links.connection(link))
  }

  /// Stores the connections that ended without their own event: their slots may be reused before
  /// the end of the capture.
  private mutating func takeOthers(_ memory: borrowing Memory) {
    memory.links.forEachEnding(after: otherEndings) { store($0) }
    otherEndings = memory.links.otherEndings
  }

  /// Stores the newest state of a connection.
  private mutating func store(_ connection: Connection) {
    guard connection.id != 0 else { return }
    if let position = positions[connection.id] {
      connections[position] = connection
    } else if connections.count < limits.listedConnections {
      positions[connection.id] = connections.count
      connections.append(connection)
    }
  }

  /// Stores the last pairing failure of each connection.
  private mutating func add(
    _ reason: PairingFailure, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let link = packet.answer.link else { return }
    let failure = FailedPairing(
      connection: memory.links.id(link), reason: reason, direction: packet.record.direction,
      packet: packet.record.number)
    pairingFailures.keepLast(failure, limit: limits.listedConnections) {
      $0.connection == failure.connection
    }
  }

  /// Stores the last reason why each connection could not be encrypted (Encryption Change).
  private mutating func takeEncryption(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard case .encryption(let change) = packet.dissection.fact, !change.isRefresh,
      let link = packet.answer.link
    else { return }
    let failure = FailedEncryption(
      connection: memory.links.id(link), status: change.status, packet: packet.record.number)
    encryptionFailures.keepLast(failure, limit: limits.listedConnections) {
      $0.connection == failure.connection
    }
  }

  private mutating func add(_ report: AdvertisingReport, _ train: PeriodicTrain?) {
    // A periodic report names its train, whose first event contained the address.
    guard let address = report.address ?? train?.address else { return }
    let type = report.address == nil ? train?.addressType ?? .public : report.addressType
    let key = Attributes.key(address, type)
    if advertisers.count < limits.advertisers {
      advertisers.insert(key)
    } else if !advertisers.contains(key) {
      hasMoreAdvertisers = true
    }
  }

  /// Stores the last state of the links that are still open.
  package mutating func finish(_ memory: borrowing Memory) {
    connectionCount = memory.links.count
    memory.links.forEach { store($0) }
    connections.sort { $0.id < $1.id }
    // The key may have followed the connection.
    for index in connections.indices where connections[index].identity == nil {
      guard connections[index].peerKind == .randomResolvable, let peer = connections[index].peer
      else { continue }
      connections[index].identity = memory.identities.search(peer)
    }
    uniteAdvertisers(memory)
  }

  /// Counts a device once if it advertised under several addresses, as far as a connection or a key
  /// reveals it.
  private mutating func uniteAdvertisers(_ memory: borrowing Memory) {
    var identities: [UInt64: UInt64] = [:]
    for connection in connections {
      guard let peer = connection.peer, let type = connection.peerType else { continue }
      let key = Attributes.key(of: .peer, connection)
      identities[Attributes.key(peer, type)] = key
      if let resolvable = connection.peerResolvable {
        identities[Attributes.key(resolvable, .random)] = key
      }
    }
    guard !identities.isEmpty || !memory.identities.isEmpty else { return }
    // Only random addresses are resolvable.
    let random = advertisers.lazy.filter { [identities] in
      $0 >> 48 & 1 == 1 && identities[$0] == nil
    }
    memory.identities.search(random.map { DeviceAddress(value: $0 & 0xffff_ffff_ffff) }) {
      identities[Attributes.key($0, .random)] = Attributes.key($1.address, $1.type)
    }
    guard !identities.isEmpty else { return }
    advertisers = Set(advertisers.map { identities[$0] ?? $0 })
  }

  /// Whether the capture has no HCI events, so that the beginnings and ends of connections are
  /// unknown.
  var lacksEvents: Bool { kinds[Kind.event.rawValue] == 0 }

  /// Whether all records are from the air, so that no host was captured.
  package var isOnAir: Bool { records > 0 && kinds[Kind.air.rawValue] == records }
}

extension Array {
  /// Replaces the element that is like `new`, or appends it if there is room.
  fileprivate mutating func keepLast(_ new: Element, limit: Int, like: (Element) -> Bool) {
    if let known = lastIndex(where: like) {
      self[known] = new
    } else if count < limit {
      append(new)
    }
  }
}

extension Memory {
  /// Remarks on what the capture lacks, and on joined logs.
  var coverageRemarks: [String] {
    var remarks: [String] = []
    // What was not decrypted belongs to either side.
    let isUnread = vantage == .air && air.all.contains { $0.undecrypted > 0 }
    if !isUnread, let remark = coverage.remark(vantage) { remarks.append(remark) }
    let changes = adapters.addressChanges
    if changes > 0 {
      remarks.append(
        "a controller's own address changes \(changes == 1 ? "once" : "\(changes) times"): the logs of several hosts may be joined here"
      )
    }
    return remarks
  }
}
