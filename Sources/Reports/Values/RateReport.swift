import Bluetooth
package import Bytes
package import Captures
import Dissectors
import Meanings
package import Sessions

/// `values --rate`: how fast values crossed each connection, and what the link would allow.
package struct RateReport: PacketReport, ~Copyable {
  private let options: ValuesOptions
  private let isJSON: Bool
  private let limits: Limits
  private var filter: ValueFilter
  private var reading: ValueReading
  /// The values, which decide the names of their attributes.
  private var values: CountedValues
  private var sink: JSONSink
  private var links: [(connection: Connection, transfers: LinkTransfers)] = []
  /// Indices into `links`, by connection number.
  private var positions: [Int: Int] = [:]
  private var latest: (id: Int, position: Int?) = (0, nil)
  /// The number of connections without room.
  private var omitted = 0
  private var lastOmitted = 0
  /// The flows of the current connection, the largest first.
  private var flows: [LinkTransfers.Flow] = []
  /// Whether the capture has what the current connection's peer sent.
  private var isHeard = false
  /// The first packets of all flows that were sent, in ascending order, and their last packets.
  private var sent: (starts: [Int], ends: [Int]) = ([], [])
  private var end: Timestamp?
  /// Which packets stay encrypted, if the output does not state it.
  private var unread: String?
  private var out = Output()

  /// The width of the labels.
  private static let labelColumns = 18

  package init(_ options: ValuesOptions, json isJSON: Bool, limits: Limits = Limits()) {
    self.options = options
    self.isJSON = isJSON
    self.limits = limits
    filter = ValueFilter(options)
    sink = JSONSink(showsKeys: options.showsKeys)
    reading = ValueReading(options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
    values = CountedValues(options, limits: limits)
  }

  package var remark: String? { filter.remark ?? unread }

  /// Always false: every packet counts.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(packet.record, memory)
    // Only text has names that depend on all values.
    if !isJSON {
      reading.follow(packet, memory)
      values.packet(packet, memory, &reading)
    }
    if let time = packet.record.time { end = time }
    guard filter.covers(packet.record) else { return }
    switch packet.dissection.content {
    case .event:
      guard case .completedPackets(let completed) = packet.dissection.fact else { break }
      complete(completed, packet.record, packet.bytes, memory)
    case .acl:
      guard let link = packet.answer.link, let position = position(of: link, memory) else { break }
      links[position].transfers.observe(packet, memory)
    default: break
    }
    if packet.answer.closed, let link = packet.answer.link { store(memory.links.connection(link)) }
  }

  private mutating func position(of link: LinkSlot, _ memory: borrowing Memory) -> Int? {
    let id = memory.links.id(link)
    if id == latest.id { return latest.position }
    guard id > 0 else { return nil }
    var position = positions[id]
    if position == nil {
      if links.count < limits.listedConnections {
        position = links.count
        positions[id] = position
        links.append((memory.links.connection(link), LinkTransfers()))
      } else if id > lastOmitted {
        // Connections are numbered as they are opened.
        omitted += 1
        lastOmitted = id
      }
    }
    latest = (id, position)
    return position
  }

  private mutating func complete(
    _ completed: CompletedPackets, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ memory: borrowing Memory
  ) {
    for index in 0..<completed.count {
      let (handle, packets) = completed.link(index, bytes)
      guard let id = memory.links.id(LinkKey(record.adapter, handle)),
        let position = id == latest.id ? latest.position : positions[id]
      else { continue }
      links[position].transfers.complete(packets, record, memory)
    }
  }

  private mutating func store(_ connection: Connection) {
    if let position = positions[connection.id] { links[position].connection = connection }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    memory.links.forEach { store($0) }
    if !isJSON { values.finish(memory, &reading) }
    let names = values.conclude(memory, &reading).facts.names
    reading.clear()
    // No value has bytes here.
    let nothing: [UInt8] = []
    for (_, transfers) in links {
      for flow in transfers.flows where flow.direction == .sent {
        sent.starts.append(flow.firstPacket)
        sent.ends.append(flow.lastPacket)
      }
    }
    sent = (sent.starts.sorted(), sent.ends.sorted())
    for (connection, transfers) in links.sorted(by: { $0.connection.id < $1.connection.id }) {
      isHeard = connection.receivedPackets > 0
      flows = transfers.flows.sorted { ($0.bytes, $1.firstPacket) > ($1.bytes, $0.firstPacket) }
      var isFirst = true
      for flow in flows {
        let value = flow.value(on: connection, memory)
        guard filter.admits(value, nothing.bytes) else { continue }
        if isJSON {
          json(flow, value, into: &output)
        } else {
          if isFirst { heading(connection, memory) }
          text(flow, value, names.name(of: value.attribute, &reading), memory)
        }
        isFirst = false
      }
      if transfers.omitted > 0, !isFirst {
        if isJSON {
          omit(connection.id, values: transfers.omitted, into: &output)
        } else {
          out.write("  \(count: transfers.omitted, "value", "values") of further attributes\n")
        }
      }
    }
    if omitted > 0 {
      if isJSON {
        omit(connections: omitted, into: &output)
      } else {
        out.write("\(count: omitted, "connection is", "connections are") not listed\n")
      }
    }
    if isJSON {
      unread = memory.air.encryptionRemark
    } else if out.count == 0, filter.remark == nil {
      out.text("no attribute values were transferred\n")
    }
    var lines = Output()
    lines.text(out.bytes, options.glyphs)
    output.wrapped(
      lines.bytes, columns: options.width ?? .max, indentation: Self.labelColumns + 4)
    if !isJSON { output.encryptionRemarks(memory, options.glyphs, width: options.width) }
  }

  // MARK: Text

  private mutating func heading(_ connection: Connection, _ memory: borrowing Memory) {
    if out.count > 0 { out.byte(0x0a) }
    let start = out.count
    if options.usesColor { out.text(TextStyle.dim.sequence) }
    if !out.peer(connection) {
      let link = memory.air.link(connection: connection.id)
      out.write(
        link.map { "access address \($0.accessAddressWords)" }
          ?? (connection.isOnAir
            ? "peripheral unknown" : "peer unknown, handle \(handle: connection.handle)"))
    }
    if let entry = connection.name, let name = memory.names[entry] {
      out.write(" \(quoted: name.bytes.array)")
    }
    out.write("  connection \(connection.id)")
    let link = connection.linkWords
    if !link.isEmpty { out.write(", \(link)") }
    out.mtu(connection.attMTU)
    if options.usesColor, out.count > start { out.text(TextStyle.plain.sequence) }
    out.byte(0x0a)
  }

  private mutating func label(_ text: StaticString) {
    out.text("    ")
    out.text(text)
    for _ in text.utf8CodeUnitCount..<Self.labelColumns { out.byte(0x20) }
  }

  private mutating func text(
    _ flow: LinkTransfers.Flow, _ value: ConveyedValue, _ name: String?,
    _ memory: borrowing Memory
  ) {
    out.text("  ")
    out.text(flow.direction == .sent ? options.glyphs.sent : options.glyphs.received)
    out.byte(0x20)
    if value.attribute.handle == nil {
      out.text("several attributes")
    } else {
      out.attribute(
        value.attribute, owner: memory.owner(of: value.attribute, 0), options.glyphs,
        profileName: name)
    }
    out.text(", ")
    out.operation(flow.operation)
    out.write(": \(count: flow.values, "value", "values"), \(bytes: flow.bytes), ")
    out.packet(flow.firstPacket)
    if flow.lastPacket > flow.firstPacket {
      out.text("–")
      out.packet(flow.lastPacket)
    }
    out.byte(0x0a)
    guard let run = flow.longest, run.isTransfer else { return }
    course(flow.course)
    label("transfer")
    out.write(
      "\(count: run.values, "value", "values") of up to \(count: run.longest, "byte", "bytes") in \(duration: run.span) (\(packet: run.firstPacket)–\(packet: run.lastPacket)): \(rate: run.rate)\n"
    )
    if let intervals = run.intervals, intervals > 0 {
      label("per interval")
      out.write("\(decimal: run.values * 10_000 / intervals) values")
      if let room = run.room {
        // Without events that complete them it is unknown when sent packets crossed the link.
        let most: Wording = run.mostInEvent > 0 ? ", at most \(run.mostInEvent)" : ""
        out.write(
          ", \(decimal: run.packets * 10_000 / intervals) packets on average\(most); \(count: room, "such packet fits", "such packets fit") in \(interval: run.carrier.interval)"
        )
      }
      out.byte(0x0a)
    }
    if run.completed > 0, run.isDrained {
      label("in the controller")
      out.write(
        "\(duration: run.held / Int64(run.completed)) on average, up to \(duration: run.longestHeld); \(run.behind * 100 / run.completed) % of the packets had others queued behind them\n"
      )
    }
    if run.isInSteps(flow.direction) {
      label("round trips")
      let (trip, own) = run.halves(flow.direction)
      let count = Int64(max(1, run.answered))
      out.write(
        "\(run.answered) for \(count: run.values, "value", "values"): \(duration: trip / count)")
      if run.carrier.period > 0 {
        out.write(
          " or \(decimal: Int(clamping: (trip / count).multiplied(clamped: 100) / run.carrier.period)) intervals"
        )
      }
      let words: Wording =
        " until the peer's next packet, then \(duration: own / count) until this host's\n"
      out.write(value.parties.vantage == .air ? words.naming(.onAir) : words)
    }
    if let allowed = run.allowed, let byMTU = run.allowedByMTU, let share = run.share {
      label("allowed")
      out.write("\(rate: allowed) with values of \(count: run.longest, "byte", "bytes")")
      if byMTU > allowed { out.write(", \(rate: byMTU) with values of MTU - 3 bytes") }
      out.write(share == 0 ? "; less than 1 % reached\n" : "; \(share) % reached\n")
    }
    if let reason = reason(flow, run) {
      label("limited by")
      out.write("\(run.words(reason))\n")
    }
  }

  /// Appends the bytes per second over time.
  private mutating func course(_ course: RateCourse) {
    let sums = course.bytes
    guard sums.count > 2, let most = sums.max(), most > 0 else { return }
    label("over time")
    for sum in sums { options.glyphs.bar(min(7, sum * 8 / (most + 1)), into: &out) }
    out.write(
      "  up to \(rate: Rate.perSecond(most, course.width)), \(duration: course.width) each\n")
  }

  /// Returns why a transfer is not faster; nil: packets do not show it. What comes back for the
  /// values of a larger one does not wait itself, unless it was requested.
  private func reason(_ flow: LinkTransfers.Flow, _ run: TransferRun) -> RateReason? {
    // Round trips show without the interval, too.
    let isInSteps = run.span > 0 && run.values > 1 && run.isInSteps(flow.direction)
    if let limit = run.limit(flow.direction) ?? (isInSteps ? .roundTrips : nil) {
      let isAnswer =
        limit == .roundTrips && !flow.operation.hasResponse
        && flow.bytes < (flows.first?.bytes ?? 0)
      return isAnswer ? nil : .limit(limit)
    }
    guard flow.direction == .sent, run.span > 0, run.values > 1 else { return nil }
    // Without events that complete packets, the link may be what takes the time.
    let mayWait = run.completed > 0 || flow.operation.isAcknowledged
    for other in flows where mayWait && other.operation.hasResponse {
      if let trips = other.longest, trips.isTransfer, trips.isInSteps(other.direction),
        run.packetRange.overlaps(trips.packetRange),
        trips.halves(other.direction).trip >= run.span / 5 * 3, run.values >= trips.answered
      {
        return .requests(other.operation, trips, other.direction)
      }
    }
    if run.isQueued == true { return .queue }
    return run.isPacedByHost && !flow.operation.isAcknowledged && isHeard && isAlone(run)
      ? .host : nil
  }

  /// Returns whether the controller had nothing else to send during a run.
  private func isAlone(_ run: TransferRun) -> Bool {
    sent.starts.count(below: run.packetRange.upperBound + 1)
      - sent.ends.count(below: run.packetRange.lowerBound) <= 1
  }

  // MARK: JSON

  private mutating func json(
    _ flow: LinkTransfers.Flow, _ value: ConveyedValue, into output: inout Output
  ) {
    sink.beginDocument(in: &output)
    sink.word("type", "rate")
    sink.number("connection", value.parties.connection)
    if let peer = value.parties.peer { sink.address("device", peer) }
    if let identity = value.parties.otherIdentity { sink.address("identity", identity) }
    let nothing: [UInt8] = []
    sink.identity(value, nothing.bytes)
    sink.word("operation", flow.operation.key)
    sink.word("direction", flow.direction.key(value.parties.vantage))
    sink.number("values", flow.values)
    sink.number("bytes", flow.bytes)
    sink.number("first_packet", flow.firstPacket)
    sink.number("last_packet", flow.lastPacket)
    sink.begin("course")
    sink.fixed("width_s", Int(flow.course.width / 1_000_000), decimals: 3)
    sink.packets("bytes", flow.course.bytes[...])
    sink.end()
    if let run = flow.longest, run.isTransfer { transfer(run, flow, value.parties.vantage) }
    sink.endDocument(in: &output)
  }

  /// Appends what is not listed: values of further attributes of a connection, or connections.
  private mutating func omit(
    _ connection: Int? = nil, values: Int = 0, connections: Int = 0, into output: inout Output
  ) {
    sink.beginDocument(in: &output)
    sink.word("type", "omitted")
    if let connection { sink.number("connection", connection) }
    if values > 0 { sink.number("values", values) }
    if connections > 0 { sink.number("connections", connections) }
    sink.endDocument(in: &output)
  }

  private mutating func transfer(
    _ run: TransferRun, _ flow: LinkTransfers.Flow, _ vantage: Vantage
  ) {
    let direction = flow.direction
    sink.begin("transfer")
    sink.number("values", run.values)
    sink.number("bytes", run.bytes)
    sink.number("longest", run.longest)
    sink.number("first_packet", run.firstPacket)
    sink.number("last_packet", run.lastPacket)
    sink.fixed("duration_s", Int(run.span / 1_000_000), decimals: 3)
    sink.number("bytes_per_s", run.rate)
    if let intervals = run.intervals, intervals > 0, let room = run.room {
      sink.begin("per_interval")
      sink.quantity("interval", Int(run.carrier.interval), .interval)
      sink.fixed("values", run.values * 10_000 / intervals, decimals: 2)
      sink.fixed("packets", run.packets * 10_000 / intervals, decimals: 2)
      if run.mostInEvent > 0 { sink.number("most_packets", run.mostInEvent) }
      sink.number("room", room)
      sink.end()
    }
    if run.completed > 0, run.isDrained {
      sink.begin("in_controller")
      sink.number("packets", run.completed)
      sink.fixed("mean_ms", Int(run.held / Int64(run.completed) / 1000), decimals: 3)
      sink.fixed("longest_ms", Int(run.longestHeld / 1000), decimals: 3)
      sink.number("with_others_waiting", run.behind)
      sink.end()
    }
    if run.isInSteps(direction) {
      let (trip, own) = run.halves(direction)
      let count = Int64(max(1, run.answered))
      sink.begin("round_trips")
      sink.number("count", run.answered)
      let (other, host): (StaticString, StaticString) =
        vantage == .air ? ("peripheral_ms", "central_ms") : ("peer_ms", "host_ms")
      sink.fixed(other, Int(trip / count / 1000), decimals: 3)
      sink.fixed(host, Int(own / count / 1000), decimals: 3)
      sink.end()
    }
    sink.begin("link")
    if run.carrier.isKnown {
      sink.string("phy", Wording("\(phy: run.carrier.phy)").text)
      sink.number("data_length", Int(run.carrier.length))
    }
    if run.carrier.isMTUKnown { sink.number("mtu", Int(run.carrier.mtu)) }
    if let isEncrypted = run.carrier.isEncrypted { sink.flag("encrypted", isEncrypted) }
    if run.carrier.isKnown { sink.number("busy_percent", run.busy) }
    sink.end()
    if let allowed = run.allowed, let byMTU = run.allowedByMTU, let share = run.share {
      sink.begin("allowed")
      sink.number("bytes_per_s", allowed)
      sink.number("with_full_values", byMTU)
      sink.number("reached_percent", share)
      sink.end()
    }
    if let reason = reason(flow, run) {
      sink.word("limited_by", reason.key)
      if case .requests(let operation, _, _) = reason { sink.word("waits_for", operation.key) }
    }
    sink.end()
  }
}

/// Why a transfer is not faster.
private enum RateReason {
  case limit(TransferLimit)
  /// Requests between its values, each of which is answered before the next values are sent.
  case requests(ValueOperation, TransferRun, Direction)
  /// The controller nearly always has packets waiting, however many fit into an interval.
  case queue
  /// The controller has mostly nothing to send.
  case host

  /// The name in JSON.
  var key: StaticString {
    switch self {
    case .limit(let limit): limit.key
    case .requests: TransferLimit.roundTrips.key
    case .queue: TransferLimit.link.key
    case .host: "host"
    }
  }
}

extension TransferRun {
  fileprivate var packetRange: ClosedRange<Int> { firstPacket...max(firstPacket, lastPacket) }

  /// Whether the controller held nothing for most of the time and rarely more than one packet, so
  /// that it could have sent more, and little came back that the host may have waited for.
  fileprivate var isPacedByHost: Bool {
    completed >= 20 && isDrained && behind * 5 <= completed && held <= span / 2
      && answered * 10 <= values
  }

  /// Why the transfer is not faster, in words, and how that shows.
  fileprivate func words(_ reason: RateReason) -> Wording {
    switch reason {
    case .limit(let limit): details(limit)
    case .requests(let operation, let trips, let direction):
      """
      the \(operation.words)s between its values: one for every \(values / max(1, trips.answered)), \
      each answered after \(duration: trips.halves(direction).trip / Int64(max(1, trips.answered)))
      """
    case .queue: "the link, since the controller nearly always had packets waiting"
    case .host: "this host, since the controller had nothing to send most of the time"
    }
  }

  /// What limits the transfer, in words, and how that shows.
  private func details(_ limit: TransferLimit) -> Wording {
    switch limit {
    case .roundTrips, .onePacketPerInterval, .fewPacketsPerInterval: words(limit)
    case .dataLength: "\(words(limit)): a value takes \(packets / max(1, values)) packets"
    case .mtu: "\(words(limit)), which leaves 20 bytes for a value"
    case .phy, .link: "\(words(limit)), which is busy for \(busy) % of the time"
    }
  }
}

extension [Int] {
  /// Returns how many elements of an ascending array are below a limit.
  fileprivate func count(below limit: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
