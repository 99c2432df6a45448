import Bluetooth
package import Bytes
import Captures
import Dissectors
import Meanings
package import Sessions

/// `info` as text.
struct InfoPage: ~Copyable {
  private let facts: CaptureFacts
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
  /// The maximum number of listed unanswered requests.
  private static let mostUnanswered = 8
  /// The maximum number of listed streams.
  private static let mostStreams = 16

  init(
    _ facts: CaptureFacts, _ source: CaptureSummary, _ archives: [ArchiveContents],
    _ failure: CaptureFailure?, _ glyphs: Glyphs, width: Int?, usesColor: Bool
  ) {
    self.facts = facts
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
    records(memory)
    for (index, remark) in memory.coverageRemarks.enumerated() {
      label(index == 0 ? "coverage" : "")
      out.string(remark)
      out.byte(0x0a)
    }
    adapters(memory)
    connections(memory)
    streams(memory)
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

  private mutating func records(_ memory: borrowing Memory) {
    if !facts.isOnAir {
      label("records")
      out.decimal(facts.records)
      var isFirst = true
      for kind in CaptureFacts.Kind.allCases where facts.kinds[kind.rawValue] > 0 {
        out.text(isFirst ? ": " : ", ")
        isFirst = false
        out.count(facts.kinds[kind.rawValue], kind.words.one, kind.words.several)
      }
      out.byte(0x0a)
    }
    air(memory)
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

  /// Appends what a sniffer recorded, and what it claims that is wrong.
  private mutating func air(_ memory: borrowing Memory) {
    guard !memory.air.isEmpty else { return }
    label("from the air")
    out.write(memory.air.claims.words)
    out.byte(0x0a)
    for remark in memory.air.claimRemarks {
      label("")
      out.write(remark)
      out.byte(0x0a)
    }
  }

  private mutating func adapters(_ memory: borrowing Memory) {
    for adapter in memory.adapters.all {
      label("adapter")
      out.facts(of: adapter)
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
    if memory.links.mostOpen > 1, !facts.lacksEvents || facts.isOnAir {
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
    var lines = ConnectionLines(facts, source, glyphs)
    let phone = EndNames.phone(
      isBtsnooz: source.format == .btsnooz, isAndroid: facts.isOfAndroid,
      adapters: memory.adapters.all.count)
    while lines.writeNext(memory) {
      if lines.current.first?.isOnAir ?? false {
        out.raw(lines.text)
        out.byte(0x0a)
        continue
      }
      let names = EndNames(
        local: phone,
        peer: lines.name(memory).flatMap { EndNames.phrase($0) })
      let words = Wording(stringLiteral: String(decoding: lines.text.array, as: UTF8.self))
      out.write(words.naming(names))
      out.byte(0x0a)
    }
    if facts.connectionCount > facts.connections.count {
      out.byte(0x20)
      out.andMore(facts.connectionCount - facts.connections.count)
      out.byte(0x0a)
    }
  }

  /// Appends the isochronous streams and periodic trains that a sniffer recorded.
  private mutating func streams(_ memory: borrowing Memory) {
    let streams = memory.air.streams
    for (index, stream) in streams.prefix(Self.mostStreams).enumerated() {
      label(index == 0 ? "streams" : "")
      out.write(stream)
      out.byte(0x0a)
    }
    guard streams.count > Self.mostStreams else { return }
    label("")
    out.andMore(streams.count - Self.mostStreams)
    out.byte(0x0a)
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

extension Output {
  /// Appends what is known of a controller: `hci0, C0:FF:EE:C0:FF:EE, Bluetooth 5.3`.
  package mutating func facts(of adapter: Adapter) {
    write("hci\(adapter.index.value)")
    if let address = adapter.address {
      text(", ")
      addressOrNone(address)
    }
    if let bus = adapter.bus, let name = MonitorNote.busName(bus) { write(", \(name)") }
    if let version = adapter.hciVersion {
      let name = CodeSet.coreVersion.name(of: UInt64(version))
      let words: Wording = name.map { "\($0)" } ?? "version \(code: version, digits: 2)"
      write(", Bluetooth \(words)")
    }
    // 0xffff means no company.
    if let manufacturer = adapter.manufacturer, manufacturer != 0xffff {
      text(", company ")
      assigned(CompanyID(rawValue: manufacturer).name, UInt64(manufacturer), digits: 4)
    }
  }
}
