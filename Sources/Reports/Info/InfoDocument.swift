package import Bluetooth
import Bytes
import Captures
import Dissectors
import Meanings
package import Sessions

/// `info --json`: one document (json.md).
struct InfoDocument: ~Copyable {
  private let facts: CaptureFacts
  private let source: CaptureSummary
  private let archives: [ArchiveContents]
  private let failure: CaptureFailure?
  private var sink = JSONSink(showsKeys: false)

  init(
    _ facts: CaptureFacts, _ source: CaptureSummary, _ archives: [ArchiveContents],
    _ failure: CaptureFailure?
  ) {
    self.facts = facts
    self.source = source
    self.archives = archives
    self.failure = failure
  }

  mutating func write(_ memory: borrowing Memory, into output: inout Output) {
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.string("format", source.format.rawValue)
    sink.begin("datalink")
    if let datalink = source.datalink { sink.number("code", Int(datalink)) }
    sink.string("name", source.datalinkName)
    sink.end()
    files()
    archiveList()
    times()
    sink.begin("records")
    sink.number("total", facts.records)
    for kind in CaptureFacts.Kind.allCases where facts.kinds[kind.rawValue] > 0 {
      sink.number(kind.key, facts.kinds[kind.rawValue])
    }
    sink.end()
    air(memory.air)
    let remarks = memory.coverageRemarks
    if !remarks.isEmpty {
      sink.begin("coverage")
      sink.parts("has", memory.coverage.parts)
      sink.string("remark", remarks.joined(separator: "; "))
      sink.end()
    }
    sink.number("dropped", Int(clamping: facts.dropped))
    sink.number("truncated", facts.truncated)
    leftOut()
    if let failure = failure ?? source.holes.first?.failure {
      sink.string("damage", failure.messageWithFile)
    }
    holes()
    adapters(memory)
    connections(memory)
    streams(memory.air)
    channels(memory)
    sink.begin("advertisers")
    sink.number("count", facts.advertiserCount)
    if facts.hasMoreAdvertisers { sink.flag("more", true) }
    sink.number("reports", facts.advertisingReports)
    sink.end()
    sink.begin("data_packets")
    sink.number("le", facts.leData)
    sink.number("br_edr", facts.brEDRData)
    if facts.unknownData > 0 { sink.number("unknown", facts.unknownData) }
    sink.end()
    sink.counts("failures", by: "kind", of: Failure.allCases) { ($0.key, facts.failures[$0]) }
    unanswered()
    problems()
    sink.endDocument(in: &output)
  }

  /// Appends where records are missing because one of several files is damaged.
  private mutating func holes() {
    let holes = source.holes.filter { $0.after != facts.lastPacket }
    guard !holes.isEmpty else { return }
    sink.beginList("holes")
    for hole in holes {
      sink.beginItem()
      if let after = hole.after { sink.number("after", after) }
      if let file = hole.failure.file { sink.string("file", file) }
      sink.string("damage", hole.failure.message)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func files() {
    if source.lacksDirection { sink.word("direction_via", "inferred") }
    guard !source.files.isEmpty else { return strings("remarks", source.remarks) }
    sink.beginList("files")
    for file in source.files {
      sink.beginItem()
      sink.string("name", file.name)
      if let summary = file.summary {
        sink.string("format", summary.format.rawValue)
        sink.string("datalink", summary.datalinkName)
      }
      sink.number("records", file.records)
      strings("remarks", file.remarks)
      sink.endItem()
    }
    sink.endList()
    strings("overlaps", source.files.compactMap(\.overlapSentence))
  }

  private mutating func archiveList() {
    guard !archives.isEmpty else { return }
    sink.beginList("archives")
    for contents in archives {
      sink.beginItem()
      sink.string("name", contents.name)
      sink.number("entries", contents.entryCount)
      phone(contents.report)
      let omitted = contents.notRead
      if !omitted.isEmpty {
        sink.beginList("not_read")
        for entry in omitted {
          sink.beginItem()
          sink.string("name", entry.name)
          if entry.isSummary { sink.flag("summary", true) }
          sink.string("reason", entry.reason)
          sink.endItem()
        }
        sink.endList()
      }
      strings("remarks", contents.remarks)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func phone(_ report: PhoneReport) {
    guard !report.isEmpty else { return }
    sink.begin("phone")
    for (key, value) in report.facts { sink.string(key, value) }
    if !report.bondedDevices.isEmpty {
      sink.beginList("bonded")
      for device in report.bondedDevices {
        sink.beginItem()
        sink.address("address", device.address)
        if !device.name.isEmpty { sink.string("name", device.name) }
        sink.endItem()
      }
      sink.endList()
    }
    strings("apps", report.clients)
    sink.end()
  }

  /// Appends a list of texts, unless it is empty.
  private mutating func strings(_ key: StaticString, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    sink.beginList(key)
    for text in texts { sink.element(string: [UInt8](text.utf8).bytes) }
    sink.endList()
  }

  private mutating func leftOut() {
    guard !source.leftOut.isEmpty else { return }
    sink.beginList("left_out")
    for left in source.leftOut {
      sink.beginItem()
      sink.string("name", left.name)
      sink.number("packets", left.count)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func times() {
    guard let earliest = facts.earliest, let latest = facts.latest else { return }
    var clock = Clock()
    sink.key("first_time")
    sink.output.byte(0x22)
    clock.utc(earliest, decimals: source.timeDecimals, into: &sink.output)
    sink.output.byte(0x22)
    sink.key("last_time")
    sink.output.byte(0x22)
    clock.utc(latest, decimals: source.timeDecimals, into: &sink.output)
    sink.output.byte(0x22)
    sink.key("duration_s")
    sink.output.elapsed(latest, since: earliest)
    if facts.stepsBack > 0, source.format != .packetLogger {
      sink.number("clock_steps_back", facts.stepsBack)
    }
  }

  private mutating func adapters(_ memory: borrowing Memory) {
    sink.beginList("adapters")
    for adapter in memory.adapters.all {
      sink.beginItem()
      sink.number("index", Int(adapter.index.value))
      if !adapter.name.isEmpty { sink.string("name", adapter.name.bytes) }
      if let address = adapter.address { sink.address("address", address) }
      if let bus = adapter.bus {
        sink.code("bus", UInt64(bus), digits: 2, MonitorNote.busName(bus))
      }
      if let version = adapter.hciVersion {
        sink.code(
          "hci_version", UInt64(version), digits: 2, CodeSet.coreVersion.name(of: UInt64(version)))
      }
      if let manufacturer = adapter.manufacturer {
        sink.identifier("manufacturer", UInt64(manufacturer), digits: 4)
        if let name = CompanyID(rawValue: manufacturer).name {
          sink.string("manufacturer_name", name.bytes)
        }
      }
      sink.endItem()
    }
    sink.endList()
    guard !memory.adapters.software.isEmpty else { return }
    sink.beginList("host_software")
    for software in memory.adapters.software { sink.element(string: software.bytes) }
    sink.endList()
  }

  private mutating func connections(_ memory: borrowing Memory) {
    sink.number("connections_total", facts.connectionCount)
    sink.number("most_open", memory.links.mostOpen)
    sink.beginList("connections")
    for connection in facts.connections {
      sink.beginItem()
      var name: [UInt8]?
      if let entry = connection.name, let known = memory.names[entry] { name = known.bytes.array }
      sink.connection(
        connection, name: name, until: facts.latest, memory.air.link(connection: connection.id))
      if connection.isOnAir {
        sink.changes(facts.changes.filter { $0.connection == connection.id }, of: connection)
      }
      sink.endItem()
    }
    sink.endList()
  }

  /// Appends what a sniffer recorded, and what it claims that is wrong.
  private mutating func air(_ air: AirLinks) {
    guard !air.isEmpty else { return }
    let claims = air.claims
    sink.begin("air")
    if let format = claims.format {
      sink.word("format", format.key)
      if format == .nordic { sink.number("protocol", Int(claims.version)) }
    }
    sink.number("records", claims.records)
    sink.number("advertising", claims.advertising)
    sink.number("data", claims.data)
    sink.number("empty", claims.empty)
    sink.number("resent", claims.resent)
    sink.begin("crc_errors")
    sink.number("advertising", claims.advertisingErrors)
    sink.number("data", claims.dataErrors)
    sink.end()
    if claims.isChannelIndex == true { sink.flag("channel_is_index", true) }
    if claims.lacksCRCs { sink.flag("crc_not_recorded", true) }
    let wrong = air.all.reduce(0) { $0.adding(clamped: $1.wrongDirections) }
    for (key, count): (StaticString, Int) in [
      ("crc_flags_wrong", claims.wrongCRCClaims), ("direction_flags_wrong", wrong),
      ("clock_goes_back", claims.clockGoesBack), ("records_lost", claims.sniffersLosses),
    ] where count > 0 {
      sink.number(key, count)
    }
    sink.end()
  }

  /// Appends the isochronous streams and periodic trains.
  private mutating func streams(_ air: AirLinks) {
    let streams = air.all.filter { $0.stream.streamKey != nil }
    guard !streams.isEmpty else { return }
    sink.beginList("streams")
    for stream in streams {
      guard let key = stream.stream.streamKey else { continue }
      sink.beginItem()
      sink.word("kind", key)
      sink.identifier("access_address", UInt64(stream.accessAddress), digits: 8)
      if stream.owner > 0 { sink.number("connection", stream.owner) }
      if stream.answersTrain { sink.flag("responses", true) }
      if let advertiser = stream.train?.address { sink.address("advertiser", advertiser) }
      sink.number("packet", stream.firstPacket)
      sink.number("last_packet", stream.lastPacket)
      sink.number("packets", stream.packets)
      sink.number("crc_errors", stream.crcErrors)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func unanswered() {
    guard facts.unanswered.count > 0 else { return }
    sink.begin("unanswered")
    sink.number("count", facts.unanswered.count)
    sink.beginList("requests")
    for request in facts.unanswered.listed {
      sink.beginItem()
      sink.number("packet", request.packet)
      sink.identifier("opcode", UInt64(request.opcode.rawValue), digits: 2)
      if let name = request.opcode.name { sink.name("name", name) }
      sink.number("connection", request.connection)
      sink.endItem()
    }
    sink.endList()
    sink.end()
  }

  private mutating func channels(_ memory: borrowing Memory) {
    guard !memory.channels.opened.isEmpty else { return }
    sink.beginList("channels")
    for tally in memory.channels.opened {
      sink.beginItem()
      sink.code("psm", UInt64(tally.psm.rawValue), digits: 4, tally.psm.name)
      sink.flag("credit_based", tally.isCreditBased)
      sink.number("count", tally.count)
      sink.endItem()
    }
    sink.endList()
    if memory.channels.otherOpened > 0 {
      sink.number("channels_other", memory.channels.otherOpened)
    }
  }

  private mutating func problems() {
    sink.begin("problems")
    sink.number("error", facts.problems[.error])
    sink.number("warning", facts.problems[.warning])
    sink.counts("codes", by: "code", of: Problem.Code.allCases) { ($0.key, facts.problems[$0]) }
    sink.end()
  }
}

extension JSONSink {
  /// Appends a list of the parts' names. Omits the key if the list would be empty.
  package mutating func parts(_ key: StaticString, _ parts: Coverage.Parts) {
    guard !parts.isEmpty else { return }
    beginList(key)
    for part in parts.each { element(word: part.key) }
    endList()
  }

  /// Appends what is known of a connection as keys of the current object.
  ///
  /// - Parameters:
  ///   - latest: the time of the capture's last record, until which an open connection is open.
  ///   - air: what a sniffer recorded of it.
  package mutating func connection(
    _ connection: Connection, name: [UInt8]?, until latest: Timestamp?, _ air: AirLink? = nil
  ) {
    number("id", connection.id)
    if let index = connection.adapter.number { number("adapter", Int(index)) }
    if !connection.isOnAir { identifier("handle", UInt64(connection.handle), digits: 4) }
    word("transport", connection.transport.key)
    if connection.isTransportInferred { word("transport_via", "inferred") }
    if let peer = connection.peer { address("peer", peer) }
    if let kind = connection.peerKind?.key { word("peer_type", kind) }
    if let identity = connection.otherIdentity { address("identity", identity) }
    if let own = connection.peerResolvable { address("resolvable_address", own) }
    if let name { string("name", name.bytes) }
    if !connection.isOnAir, let role = connection.role(of: .local) { word("local_role", role.key) }
    if let central = air?.central {
      address("central", central.address)
      if let kind = central.kind.key { word("central_type", kind) }
    }
    if let identity = connection.localIdentity { address("central_identity", identity) }
    number("opened", connection.firstPacket)
    if connection.isOpeningMissing { flag("opening_missing", true) }
    if let last = connection.lastPacket { number("closed", last) }
    if let first = connection.firstTime, let last = connection.lastTime,
      last.nanoseconds(since: first) >= 0
    {
      key("duration_s")
      output.elapsed(last, since: first)
    }
    if let ending = connection.ending { word("ended_by", ending.key(connection.vantage)) }
    if let reason = connection.reason {
      code("reason", UInt64(reason.rawValue), digits: 2, reason.name)
    }
    if let mtu = connection.shownMTU {
      number(mtu.isLowerBound ? "mtu_at_least" : "mtu", mtu.value)
      if !mtu.isExchanged, !mtu.isLowerBound { word("mtu_via", "default") }
    }
    if let interval = connection.interval { quantity("interval", Int(interval), .interval) }
    if let latency = connection.latency { number("latency", Int(latency)) }
    if let timeout = connection.supervisionTimeout {
      quantity("supervision_timeout", Int(timeout), .timeout)
    }
    if let isEncrypted = connection.isEncrypted { flag("encrypted", isEncrypted) }
    figures(of: connection, until: latest)
    if let air { radio(of: air) }
  }
}
