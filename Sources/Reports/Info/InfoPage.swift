import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions
import Words

/// `info` as text.
struct InfoPage: ~Copyable {
  private let facts: CaptureFacts
  /// Whether the connections belong to more than one adapter.
  private let hasSeveralAdapters: Bool
  private let source: CaptureSummary
  private let archives: [ArchiveContents]
  private let failure: CaptureFailure?
  private let glyphs: Glyphs
  /// The width of the terminal in columns; nil: lines are not wrapped.
  private let width: Int?
  private let usesColor: Bool
  private var out = Output()

  /// The width of the labels on the left.
  private static let labelColumns = 13
  /// The number of connections of one peer, one after the other, that have a line each.
  private static let mostAlike = 3
  /// The maximum number of listed unanswered requests.
  private static let mostUnanswered = 8

  init(
    _ facts: CaptureFacts, _ source: CaptureSummary, _ archives: [ArchiveContents],
    _ failure: CaptureFailure?, _ glyphs: Glyphs, width: Int?, usesColor: Bool
  ) {
    self.facts = facts
    hasSeveralAdapters = facts.connections.contains {
      $0.adapter != facts.connections[0].adapter
    }
    self.source = source
    self.archives = archives
    self.failure = failure
    self.glyphs = glyphs
    self.width = width
    self.usesColor = usesColor
  }

  mutating func write(_ name: String, _ memory: borrowing Memory, into output: inout Output) {
    if source.files.isEmpty {
      label("capture")
      file(name, .init(source))
    }
    for (index, file) in source.files.enumerated() {
      label(index == 0 ? "captures" : "")
      self.file(file.name, file.summary, records: file.records)
    }
    archives.forEach { archive($0) }
    let clockRemark = source.isDated ? facts.clockRemark : nil
    let own = [source.directionRemark, clockRemark].compactMap(\.self)
    for remark in own + source.readersRemarks + archives.flatMap(\.remarks) {
      label("remark")
      line(remark)
    }
    times()
    records()
    for (index, remark) in memory.coverageRemarks.enumerated() {
      label(index == 0 ? "coverage" : "")
      out.string(remark)
      out.byte(0x0a)
    }
    adapters(memory)
    connections(memory)
    channels(memory)
    advertising()
    failures(memory)
    problems()
    guard let width else {
      output.text(out.bytes, glyphs)
      return
    }
    var lines = Output()
    lines.text(out.bytes, glyphs)
    output.wrapped(lines.bytes, columns: width, indentation: Self.labelColumns)
  }

  private mutating func file(
    _ name: String, _ summary: CaptureSummary.File.Summary?, records: Int? = nil
  ) {
    out.printable([UInt8](CaptureFailure.subject(name).utf8).bytes)
    if let summary {
      out.text(": ")
      out.string(summary.format.words)
      out.text(", ")
      out.string(summary.datalinkName)
    }
    if let records { out.write(", \(count: records, "record", "records")") }
    out.byte(0x0a)
  }

  /// Appends what an archive contains besides its logs, and the logs that are not read.
  private mutating func archive(_ contents: ArchiveContents) {
    if let words = contents.report.words {
      label("phone")
      line(words)
    }
    for (index, device) in contents.report.bondedDevices.enumerated() {
      label(index == 0 ? "bonded" : "")
      out.address(device.address)
      line(device.name.isEmpty ? "" : " \"\(device.name)\"")
    }
    if !contents.report.clients.isEmpty {
      label("apps")
      line(contents.report.clients.joined(separator: ", "))
    }
    for (index, entry) in contents.notRead.enumerated() {
      label(index == 0 ? "not read" : "")
      line("\(entry.isSummary ? "the summary in \(entry.name)" : entry.name): \(entry.reason)")
    }
  }

  private mutating func line(_ text: String) {
    out.printable([UInt8](text.utf8).bytes)
    out.byte(0x0a)
  }

  private mutating func label(_ text: StaticString) {
    if usesColor { out.text(TextStyle.dim.sequence) }
    out.text(text)
    if usesColor { out.text(TextStyle.plain.sequence) }
    for _ in text.utf8CodeUnitCount..<Self.labelColumns { out.byte(0x20) }
  }

  private mutating func times() {
    guard let earliest = facts.earliest, let latest = facts.latest else { return }
    var clock = Clock()
    label("time")
    guard source.isDated else {
      out.duration(nanoseconds: latest.nanoseconds(since: earliest))
      out.byte(0x0a)
      return
    }
    clock.local(earliest, offset: 0, decimals: source.timeDecimals, into: &out)
    if facts.hasPause, source.files.count > 1 {
      out.text(" to ")
      clock.local(latest, offset: 0, decimals: source.timeDecimals, into: &out)
      out.write(" UTC, \(count: source.files.count, "file", "files") of different times")
    } else {
      out.write(" UTC, \(duration: latest.nanoseconds(since: earliest))")
    }
    if facts.stepsBack > 0, source.format != .packetLogger {
      out.write("; the clock goes back \(count: facts.stepsBack, "time", "times")")
    }
    out.byte(0x0a)
  }

  /// Appends what could not be read, and where, if packets follow.
  private mutating func damage() {
    for hole in source.holes {
      label("damage")
      if let after = hole.after, after < facts.lastPacket {
        out.write("after \(packet: after): ")
      }
      line(hole.failure.messageWithFile)
    }
    guard let failure, source.holes.isEmpty else { return }
    label("damage")
    line(failure.messageWithFile)
  }

  private mutating func records() {
    label("records")
    out.decimal(facts.records)
    var isFirst = true
    for kind in CaptureFacts.Kind.allCases where facts.kinds[kind.rawValue] > 0 {
      out.text(isFirst ? ": " : ", ")
      isFirst = false
      out.count(facts.kinds[kind.rawValue], kind.words.one, kind.words.several)
    }
    out.byte(0x0a)
    if let remark = source.leftOutWords {
      label("left out")
      out.printable([UInt8](remark.utf8).bytes)
      out.byte(0x0a)
    }
    damage()
    if facts.dropped > 0 {
      label("lost")
      out.count(Int(clamping: facts.dropped), "record", "records")
      out.text(", by the writer's count\n")
    }
    if facts.truncated > 0 {
      label("truncated")
      out.count(facts.truncated, "record", "records")
      out.text(": the capture kept only the beginning\n")
    }
  }

  private mutating func adapters(_ memory: borrowing Memory) {
    for adapter in memory.adapters.all {
      label("adapter")
      out.write("hci\(adapter.index.value)")
      if let address = adapter.address {
        out.text(", ")
        out.addressOrNone(address)
      }
      if let bus = adapter.bus, let name = MonitorNote.busName(bus) { out.write(", \(name)") }
      if let version = adapter.hciVersion {
        let name = CodeSet.coreVersion.name(of: UInt64(version))
        let words: Wording = name.map { "\($0)" } ?? "version \(code: version, digits: 2)"
        out.write(", Bluetooth \(words)")
      }
      // 0xffff means no company.
      if let manufacturer = adapter.manufacturer, manufacturer != 0xffff {
        out.text(", company ")
        out.assigned(
          CompanyID(rawValue: manufacturer).name, UInt64(manufacturer), digits: 4)
      }
      out.byte(0x0a)
    }
    for software in memory.adapters.software {
      label("host")
      out.printable(software.bytes)
      out.byte(0x0a)
    }
  }

  private mutating func connections(_ memory: borrowing Memory) {
    label("connections")
    if facts.connectionCount == 0 {
      out.text("none\n")
      return
    }
    out.decimal(facts.connectionCount)
    // Without events the ends of connections are unknown.
    if memory.links.mostOpen > 1, !facts.lacksEvents {
      out.write(", up to \(memory.links.mostOpen) of them open at the same time")
    }
    let data = facts.leData + facts.brEDRData
    let isMixed = facts.leData > 0 && facts.brEDRData > 0
    if isMixed { out.write("; \(facts.leData * 100 / data) % of their data is LE") }
    if facts.unknownData > 0 {
      out.text(isMixed ? ", not counting " : "; ")
      let packets: Wording = "\(count: facts.unknownData, "data packet", "data packets")"
      out.write("\(packets) of links of unknown type")
    }
    out.byte(0x0a)
    var place = 0
    let failed = Set(
      facts.pairingFailures.map(\.connection) + facts.encryptionFailures.map(\.connection))
    while place < facts.connections.count {
      let run = facts.reconnections(from: place, except: failed)
      if run.count > Self.mostAlike {
        line(run, memory)
        place = run.endIndex
      } else {
        line(facts.connections[place], memory)
        place += 1
      }
    }
    if facts.connectionCount > facts.connections.count {
      out.byte(0x20)
      out.andMore(facts.connectionCount - facts.connections.count)
      out.byte(0x0a)
    }
  }

  /// Appends connections of one peer, one after the other, as one line.
  private mutating func line(_ run: ArraySlice<Connection>, _ memory: borrowing Memory) {
    guard let first = run.first, var shown = run.last else { return }
    out.write("  \(first.id)\(glyphs.to)\(shown.id)  ")
    let lastPacket = shown.lastPacket ?? shown.firstPacket
    shown.name = run.last { $0.name != nil }?.name
    if !run.allSatisfy({ $0.peer == shown.peer && $0.peerResolvable == shown.peerResolvable }) {
      // It used several private addresses, which are omitted.
      if let identity = shown.identity { (shown.peer, shown.peerType) = identity }
      shown.peerResolvable = nil
    }
    subject(shown, memory)
    out.write(", \(packet: first.firstPacket)\(glyphs.to)\(packet: lastPacket)")
    out.write(", \(run.count) connections")
    let durations = run.compactMap(\.duration)
    if let shortest = durations.min(), let longest = durations.max() {
      let (from, to): (Wording, Wording) = ("\(duration: shortest)", "\(duration: longest)")
      out.write(" of \(from == to ? from : "\(duration: shortest, to: longest)")")
    }
    if let mtu = first.mtu, run.allSatisfy({ $0.mtu == mtu }) { out.write(", MTU \(mtu)") }
    let sent = run.reduce(0) { $0 &+ $1.figures.bytes.sent }
    let received = run.reduce(0) { $0 &+ $1.figures.bytes.received }
    let hasTraffic = sent &+ received > 0
    if hasTraffic { out.write("; \(bytes: sent) sent, \(bytes: received) received") }
    let encrypted = run.count { $0.isEncrypted == true }
    if encrypted > 0 || run.allSatisfy({ $0.isEncrypted == false }) {
      out.text(hasTraffic ? "; " : ", ")
      if encrypted > 0, encrypted < run.count { out.write("\(encrypted) ") }
      out.text(encrypted > 0 ? "encrypted" : "not encrypted")
    }
    var endings: [(words: [UInt8], count: Int)] = []
    for connection in run {
      let start = out.count
      ending(connection)
      let words = out.bytes.part(Slice(start: start, count: out.count - start)).array
      out.shorten(to: start)
      if let known = endings.firstIndex(where: { $0.words == words }) {
        endings[known].count += 1
      } else {
        endings.append((words, 1))
      }
    }
    out.text(endings.count == 1 ? "; all ended " : "; ended: ")
    out.listed(endings.sorted { $0.count > $1.count }) { out, ending in
      if endings.count > 1 { out.write("\(ending.count) ") }
      out.raw(ending.words.bytes)
    }
    out.byte(0x0a)
  }

  private mutating func line(_ connection: Connection, _ memory: borrowing Memory) {
    out.write("  \(connection.id)  ")
    subject(connection, memory)
    if let last = connection.lastPacket {
      out.write(", \(packet: connection.firstPacket)\(glyphs.to)\(packet: last)")
    } else {
      out.write(", from \(packet: connection.firstPacket) on")
    }
    if let duration = connection.duration {
      out.text(connection.ending == .fileEnded ? ", at least " : ", ")
      out.duration(nanoseconds: duration)
    } else if connection.isOpen, !facts.lacksEvents, let first = connection.firstTime,
      let latest = facts.latest, latest.nanoseconds(since: first) >= 0
    {
      out.write(", at least \(duration: latest.nanoseconds(since: first))")
    }
    let link = connection.linkWords
    if !link.isEmpty { out.write(", \(link)") }
    if let mtu = connection.mtu { out.write(", MTU \(mtu)") }
    let hasTraffic = connection.sentPackets &+ connection.receivedPackets > 0
    if hasTraffic { out.write("; \(connection.trafficWords(until: facts.latest))") }
    if let isEncrypted = connection.isEncrypted {
      out.text(hasTraffic ? "; " : ", ")
      out.text(isEncrypted ? "encrypted" : "not encrypted")
    }
    if connection.isEncrypted != true,
      let failure = facts.encryptionFailures.last(where: { $0.connection == connection.id })
    {
      out.write(", encryption failed: \(failure.status), \(packet: failure.packet)")
    }
    if let failure = facts.pairingFailures.last(where: { $0.connection == connection.id }) {
      let by: StaticString =
        switch failure.direction {
        case .sent: ", by this host"
        case .received: ", by the peer"
        case nil: ""
        }
      out.write(", pairing failed: \(failure.reason)\(by), \(packet: failure.packet)")
    }
    if facts.lacksEvents, connection.isOpeningMissing, connection.isOpen {
      out.text(", when it was opened and closed is not known: the capture has no HCI events")
      out.byte(0x0a)
      return
    }
    if connection.isOpeningMissing {
      let isLost = connection.isOpeningLost || source.holes.contains { $0.after == nil }
      out.text(isLost ? ", its opening is missing" : ", already open when the capture begins")
    }
    if connection.isOpen {
      // If the opening of a link is missing, the peer may have been heard before.
      let wasHeard = connection.isEstablished || connection.isOpeningMissing
      if let asked = connection.disconnectPacket {
        out.write(
          ", this host asks to disconnect, \(packet: asked), and the end is not in the capture")
      } else {
        out.text(wasHeard ? ", still open at the end" : ", created, peer never heard")
      }
    } else {
      out.text(connection.hasKnownEnd ? "; ended " : "; ")
      ending(connection)
      if connection.ending == .reset, let asked = connection.disconnectPacket {
        out.write(", after this host asked to disconnect, \(packet: asked)")
      }
    }
    out.byte(0x0a)
  }

  /// Appends the controller if there are several, the peer, the role and the transport.
  private mutating func subject(_ connection: Connection, _ memory: borrowing Memory) {
    if hasSeveralAdapters, let number = connection.adapter.number {
      out.write("hci\(number), ")
    }
    out.text("peer ")
    if !out.peer(connection) { out.write("unknown, handle \(handle: connection.handle)") }
    if let entry = connection.name, let name = memory.names[entry] {
      out.write(" \(quoted: name)")
    }
    if let role = connection.role(of: .local) { out.write(", this host is \(role.key)") }
    if connection.transport == .brEDR { out.text(", BR/EDR") }
    if connection.isTransportInferred {
      if connection.transport == .le { out.text(", LE") }
      out.text(" (inferred)")
    }
  }

  private mutating func ending(_ connection: Connection) {
    var sentence = Sentence(showsKeys: false, glyphs: glyphs)
    switch connection.ending {
    case .timeout, .neverEstablished, .micFailure, .controller: sentence.output.text("with ")
    case .localHost where connection.endedUnheard: sentence.output.text("with ")
    default: break
    }
    sentence.ending(connection)
    sentence.output.copy(into: &out)
  }

  /// Appends the L2CAP channels that were opened, by service.
  private mutating func channels(_ memory: borrowing Memory) {
    let opened = memory.channels.opened
    guard !opened.isEmpty else { return }
    label("channels")
    out.listed(opened) { out, tally in
      if let name = tally.psm.name {
        out.name(name)
      } else {
        out.service(tally.psm)
        out.byte(0x3a)
      }
      out.byte(0x20)
      out.decimal(tally.count)
    }
    if memory.channels.otherOpened > 0 { out.write(", others \(memory.channels.otherOpened)") }
    out.byte(0x0a)
  }

  private mutating func advertising() {
    guard facts.advertisingReports > 0 else { return }
    label("advertisers")
    let reports: Wording = "\(count: facts.advertisingReports, "report", "reports")"
    if facts.advertiserCount == 0 {
      out.write("\(reports) without an address")
    } else {
      let more: StaticString = facts.hasMoreAdvertisers ? " and more" : ""
      out.write("\(facts.advertiserCount)\(more) in \(reports)")
    }
    out.byte(0x0a)
  }

  /// Appends what failed, according to the packets.
  private mutating func failures(_ memory: borrowing Memory) {
    label("failures")
    out.failures(facts.failures)
    if facts.failures.count > 0 {
      // Where records are cut, --errors lists each of them, too.
      out.text(
        facts.truncated > 0 ? "; show --status '!0' lists them" : "; show --errors lists them")
    }
    out.byte(0x0a)
    let unanswered = facts.unanswered
    // A capture of one direction cannot contain answers.
    guard unanswered.count > 0, memory.coverage.parts.isSuperset(of: .bothDirections) else {
      return
    }
    label("unanswered")
    let requests = unanswered.count - unanswered.indications
    if requests > 0 { out.count(requests, "request", "requests") }
    if unanswered.indications > 0 {
      if requests > 0 { out.text(" and ") }
      out.count(unanswered.indications, "indication", "indications")
    }
    for (index, request) in unanswered.listed.prefix(Self.mostUnanswered).enumerated() {
      out.text(index == 0 ? ": " : ", ")
      if let name = request.opcode.shortName ?? request.opcode.name { out.name(name) }
      out.byte(0x20)
      out.packet(request.packet)
    }
    let left = unanswered.count - Self.mostUnanswered
    out.andMore(left)
    if left > 0 { out.text("; info --json lists all") }
    out.byte(0x0a)
  }

  /// Appends the problems: packets that are malformed or unexpected.
  private mutating func problems() {
    label("problems")
    out.problems(facts.problems)
    out.byte(0x0a)
  }
}

extension CaptureFacts {
  /// Returns the connections from a position on that are like the first one, and whose line would
  /// report nothing but their times and ends.
  ///
  /// - Parameter failed: the connections on which pairing or encryption failed.
  fileprivate func reconnections(
    from start: Int, except failed: Set<Int>
  ) -> ArraySlice<Connection> {
    let first = connections[start]
    let key = Attributes.key(of: .peer, first)
    return connections[start...].prefix {
      $0.peer != nil && Attributes.key(of: .peer, $0) == key && $0.adapter == first.adapter
        && $0.transport == first.transport && $0.central == first.central
        && $0.isTransportInferred == first.isTransportInferred && $0.hasKnownEnd
        && ($0.ending != .reset || $0.disconnectPacket == nil) && !$0.endedUnheard
        && !$0.isOpeningMissing && !failed.contains($0.id)
    }
  }
}

extension Connection {
  /// Whether it ended in the capture.
  fileprivate var hasKnownEnd: Bool {
    switch ending {
    case .replaced, .forgotten, .fileEnded, nil: false
    default: true
    }
  }

  /// How long it lasted, in nanoseconds; nil: unknown, since the clock may go back.
  fileprivate var duration: Int64? {
    guard let firstTime, let lastTime else { return nil }
    let duration = lastTime.nanoseconds(since: firstTime)
    return duration >= 0 ? duration : nil
  }
}
