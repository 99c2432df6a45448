package import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Diagnosis
import Histories
import Explanations
import Meanings
import Reports
package import Sessions

/// The options that all files of a run of `table` share.
package struct RowsOptions: Sendable {
  /// The tables to write.
  package var kinds = TableKinds.all
  /// The user's profiles.
  package let profiles: SuppliedProfiles
  /// The profiles' knowledge of protocols, read once for all files.
  let knowledge: ProfileKnowledge
  /// The pseudonyms for addresses, names and paths, or nil to write them as they are.
  package var pseudonyms: Pseudonyms?
  /// The number of seconds after which a file is given up.
  package var patienceSeconds = 300
  /// The passkeys to try when one is searched for.
  package var passkeys = SixDigits.all

  /// Returns the name of a file, or its pseudonym.
  func shown(file name: String) -> String {
    pseudonyms.map { String(decoding: $0.file(Array(name.utf8)), as: UTF8.self) } ?? name
  }

  /// Creates the default options with the user's profiles.
  package init(_ profiles: SuppliedProfiles = SuppliedProfiles()) {
    self.profiles = profiles
    knowledge = ProfileKnowledge(profiles)
  }
}

/// A file from which rows are made.
package struct RowsFile: Sendable {
  /// The path, which may not be UTF-8.
  package let path: [UInt8]
  /// The first eight bytes of its content's SHA-256, or nil if it could not be read.
  package var capture: UInt64?
  /// The size in bytes.
  package var bytes: Int64?
  /// The phone as the bug report around the capture describes it.
  package var phone: PhoneReport?
  /// The bonds that the bug report lists.
  package var bonds: [Bond] = []
  /// The damage of an archive around the capture.
  package var damage: CaptureFailure?
  /// The time that is left for the file, or nil to start the clock with the report.
  package var patience: Patience?

  /// Creates a file of which only the path is known.
  package init(_ path: [UInt8]) { self.path = path }
}

/// The outcome of reading a file.
package enum RowsStatus: Sendable {
  case ok, damaged, notACapture, unreadable, timedOut, failed

  /// The word for the column `status`.
  package var name: StaticString {
    switch self {
    case .ok: "ok"
    case .damaged: "damaged"
    case .notACapture: "not_a_capture"
    case .unreadable: "unreadable"
    case .timedOut: "timed_out"
    case .failed: "failed"
    }
  }

  /// Creates the status of a file with this failure.
  package init(_ failure: CaptureFailure) {
    switch failure.kind {
    case .damaged: self = .damaged
    case .notReadable: self = .notACapture
    case .inaccessible, .unavailable, .forbidden: self = .unreadable
    }
  }
}

/// `table`: the rows of one file, for all tables in one pass. Rows of values are written packet by
/// packet, all others at the end.
package struct RowsReport: PacketReport, ~Copyable {
  private let options: RowsOptions
  private let limits: Limits
  private let file: RowsFile
  private var rows: RowWriter
  private var source: CaptureSummary
  private var facts: CaptureFacts
  private var history: CaptureHistory?
  private var map: MapReport?
  private var listing: DeviceListing?
  private var conversations: Conversations
  /// Whether any of the tables needs values.
  private let followsValues: Bool
  private var reading: ValueReading
  private var tallies: ConnectionTallies
  /// The times of the first packets, for findings.
  private var times = PacketTimes()
  /// The time of the first record that has one.
  private(set) var start: Timestamp?
  /// The number of values and attempts, which is that of the rows of operations.
  private(set) var operations = 0
  /// Scratch: a field's value, and its unit.
  private var scalar = Output()
  private var unit = Output()
  private var countdown = Self.packetsBetweenChecks
  private var patience: Patience
  private var isStopped = false
  /// The outcome of reading the file, or nil if it is not known yet.
  package private(set) var status: RowsStatus?

  /// The number of packets between two checks of the clock.
  private static let packetsBetweenChecks = 256

  /// Creates a report on the capture in `file`.
  package init(
    _ file: RowsFile, _ summary: CaptureSummary, _ options: RowsOptions, to sinks: RowSinks,
    limits: Limits = Limits()
  ) {
    self.options = options
    self.limits = limits
    self.file = file
    rows = RowWriter(sinks, options.pseudonyms, file: file.path, capture: file.capture)
    rows.isDated = summary.isDated
    source = summary
    facts = CaptureFacts(limits)
    tallies = ConnectionTallies(limits)
    let kinds = options.kinds
    if kinds.contains(.captures) || kinds.contains(.connections) || kinds.contains(.findings) {
      history = CaptureHistory(
        limits, knowledge: options.knowledge, passkeys: options.passkeys)
    }
    if kinds.contains(.connections) {
      var map = MapOptions()
      // None of the columns has values, so no profiles are needed.
      map.profiles = nil
      self.map = MapReport(map, limits: limits)
    }
    if kinds.contains(.devices) {
      listing = DeviceListing(DevicesOptions(), summary, limits: limits)
    }
    followsValues = !kinds.isDisjoint(with: Self.ofValues)
    conversations = Conversations(limits)
    let decodes = kinds.contains(.operations) || kinds.contains(.fields)
    reading = ValueReading(
      decodes ? options.profiles : nil, showsKeys: false, keepsRecent: decodes)
    patience = file.patience ?? Patience(seconds: options.patienceSeconds)
  }

  /// The tables that need values; `captures` counts them.
  private static let ofValues = TableKinds([
    TableKinds(.captures), TableKinds(.connections), TableKinds(.operations), TableKinds(.fields),
  ])

  /// Whether the time is up, or rows cannot be written.
  package var isSatisfied: Bool { isStopped }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    countdown -= 1
    if countdown == 0 {
      countdown = Self.packetsBetweenChecks
      if rows.failure != nil { isStopped = true }
      if patience.isOver() {
        isStopped = true
        status = .timedOut
      }
    }
    if start == nil { start = packet.record.time }
    facts.count(packet, memory)
    history?.observe(packet, memory)
    if options.kinds.contains(.findings) { times.add(packet.record) }
    listing?.observe(packet, memory)
    tallies.observe(packet, memory)
    guard followsValues else { return }
    reading.follow(packet, memory)
    conversations.observe(packet, memory)
    map?.observe(conversations)
    map?.packet(packet, memory, read: reading)
    takeValues(memory)
  }

  /// Counts and writes the values whose outcome the latest packet determined.
  private mutating func takeValues(_ memory: borrowing Memory) {
    guard !conversations.values.isEmpty else { return }
    // Copied to a constant, because a span of the property would borrow all of `self` while rows
    // are written.
    let bytes = conversations.bytes
    for value in conversations.values where value.operation != .advertisement {
      operations += 1
      tallies.add(value)
      guard options.kinds.contains(.operations) || options.kinds.contains(.fields) else { continue }
      _ = reading.read(value, bytes.bytes, memory)
      if options.kinds.contains(.operations) { write(value, bytes.bytes) }
      if options.kinds.contains(.fields) { writeFields(value, bytes.bytes) }
    }
  }

  package mutating func learn(_ summary: CaptureSummary) {
    source = summary
    rows.isDated = summary.isDated
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    takeValues(memory)
    facts.finish(memory)
    let devices = map?.conclude(memory, conversations) ?? []
    var explanation: Explanation?
    if let history = history.take() {
      // Rows of many files are compared: equal findings have the same words.
      explanation = Explanation(
        history.finish(memory, source, failure), Selection(), isGrouped: false, isNamed: false)
    }
    if let explanation {
      if options.kinds.contains(.connections) {
        write(explanation.evidence.connections, devices, memory)
      }
      if options.kinds.contains(.findings) {
        for finding in explanation.findings { write(finding) }
      }
    }
    if listing != nil, let list = listing?.finish(memory) {
      for device in list.devices { write(device) }
    }
    let damage = failure ?? file.damage
    let status = status ?? damage.map { RowsStatus($0) } ?? .ok
    self.status = status
    guard options.kinds.contains(.captures) else { return }
    writeCapture(status, damage, explanation, memory)
  }
}

extension RowsReport {
  /// Writes the row of a file in which no capture was found, or none that could be read.
  package static func refuse(
    _ file: RowsFile, _ status: RowsStatus, _ damage: FileWords, _ options: RowsOptions,
    to sinks: RowSinks
  ) {
    guard options.kinds.contains(.captures) else { return }
    var rows = RowWriter(sinks, options.pseudonyms, file: file.path, capture: file.capture)
    rows.begin(.captures)
    rows.integer(file.bytes.map { Int(clamping: $0) })
    rows.word(status.name)
    rows.string(damage.text { options.shown(file: $0) })
    for _ in 0..<3 { rows.null() }
    rows.phone(file.phone)
    for _ in 0..<11 { rows.null() }
    rows.integer(rows.cellsCut)
    rows.end()
  }
}

/// The times of the first packets, by number, up to a limit.
struct PacketTimes: Sendable {
  private var times: [Timestamp?] = []

  /// The most times that are kept; later packets have none.
  private static let most = 1 << 19

  mutating func add(_ record: borrowing CaptureRecord) {
    if times.count < Self.most, record.number == times.count + 1 { times.append(record.time) }
  }

  subscript(packet: Int) -> Timestamp? {
    packet > 0 && packet <= times.count ? times[packet - 1] : nil
  }
}

// The rows of each table: one cell for each column, in the order of `TableKind.columns`.

extension RowsReport {
  private mutating func writeCapture(
    _ status: RowsStatus, _ damage: CaptureFailure?, _ explanation: Explanation?,
    _ memory: borrowing Memory
  ) {
    rows.begin(.captures)
    rows.integer(file.bytes.map { Int(clamping: $0) })
    rows.word(status.name)
    rows.string(
      damage.map {
        options.pseudonyms == nil
          ? $0.messageWithFile : $0.words.text { options.shown(file: $0) }
      }
        ?? (status == .timedOut ? "not finished after \(options.patienceSeconds) s" : nil))
    rows.string(source.format.rawValue)
    rows.word(source.format == .btsnooz ? "summary" : memory.coverage.cuts.reason.key)
    if facts.records == 0 {
      rows.null()
    } else {
      let lacks = Self.kinds.subtracting(memory.coverage.parts)
      rows.text { output in
        for (index, part) in lacks.each.enumerated() {
          if index > 0 { output.byte(0x20) }
          output.text(part.key)
        }
      }
    }
    rows.phone(file.phone)
    rows.time(facts.earliest)
    rows.time(facts.latest)
    rows.integer(facts.records)
    rows.integer(facts.truncated)
    rows.integer(Int(clamping: facts.dropped))
    rows.integer(memory.adapters.all.count)
    rows.integer(facts.connectionCount)
    rows.integer(facts.advertiserCount)
    rows.integer(explanation?.count(.error))
    rows.integer(explanation?.count(.warning))
    rows.integer(operations)
    rows.integer(rows.cellsCut)
    rows.end()
  }

  /// The kinds of records that a capture may lack.
  private static let kinds: Coverage.Parts = [.commands, .events, .sentData, .receivedData]

  // MARK: Connections

  private mutating func write(
    _ histories: [ConnectionHistory], _ devices: [MapDevice], _ memory: borrowing Memory
  ) {
    var places: [Int: Int] = [:]
    for (place, device) in devices.enumerated() where device.adapter == nil {
      for connection in device.connections { places[connection] = place }
    }
    for history in histories {
      write(history, places[history.id].map { devices[$0] }, tallies[history.id])
    }
  }

  private mutating func write(
    _ history: ConnectionHistory, _ device: MapDevice?, _ tally: ConnectionTally?
  ) {
    let connection = history.connection
    let isRandom = connection.peerType.map { $0.rawValue & 1 == 1 } ?? true
    rows.begin(.connections)
    rows.integer(connection.id)
    rows.word(connection.transport.key)
    rows.address(connection.peer, isRandom: isRandom)
    rows.word(connection.peerKind?.key)
    rows.address(
      connection.otherIdentity, isRandom: connection.identity?.type == .random)
    rows.name(history.name)
    rows.word(connection.role(of: .local)?.key)
    rows.integer(connection.firstPacket)
    rows.time(connection.firstTime)
    rows.elapsed(connection.lastTime, since: connection.firstTime)
    rows.word(connection.ending?.key)
    rows.code(connection.reason.map { UInt64($0.rawValue) }, digits: 2)
    rows.name(connection.reason?.name)
    rows.integer(connection.mtu.map { Int($0) })
    rows.real(connection.interval.map { Int($0) * 125 }, decimals: 2)
    rows.integer(connection.latency.map { Int($0) })
    rows.integer(connection.supervisionTimeout.map { Int($0) * 10 })
    rows.name(history.link.phys.last.flatMap { CodeSet.phy.name(of: UInt64($0.sent)) })
    rows.flag(connection.isEncrypted)
    rows.word(history.paired.key)
    writePairingError(history)
    let services = device.flatMap { $0.isKnown(on: connection) ? $0.services : nil } ?? []
    if services.isEmpty { rows.null() } else { rows.uuids(services.map(\.declaration.uuid)) }
    if let layout = device?.layout(on: connection) {
      rows.text { $0.hexDigits(layout, 16) }
    } else {
      rows.null()
    }
    if let hash = device?.database?.hash {
      rows.text { $0.hex(hash.value.bytes) }
    } else {
      rows.null()
    }
    rows.integer(tally?.operations ?? 0)
    rows.integer(tally?.refused ?? 0)
    rows.integer(tally?.unanswered ?? 0)
    let sorted = tally?.latencies.sorted() ?? []
    rows.real(sorted.quantile(50), decimals: 3)
    rows.real(sorted.quantile(95), decimals: 3)
    rows.integer(tally?.sent ?? 0)
    rows.integer(tally?.received ?? 0)
    rows.real(tally?.silence.map { Int(clamping: $0) }, decimals: 9)
    rows.end()
  }

  private mutating func writePairingError(_ history: ConnectionHistory) {
    guard history.paired == .failed,
      let attempt = history.pairing.attempts.last(where: { $0.ending != nil && !$0.isPaired })
    else { return rows.null() }
    switch attempt.ending {
    case .failed(let reason, _):
      rows.text { $0.named(reason.name, UInt64(reason.rawValue), digits: 2) }
    case .notEncrypted(let status):
      rows.text { $0.named(status.name, UInt64(status.rawValue), digits: 2) }
    case .abandoned, .superseded, nil: rows.null()
    }
  }

  // MARK: Findings

  private mutating func write(_ finding: Finding) {
    let packet = finding.evidence.first
    rows.begin(.findings)
    rows.integer(finding.connections.count == 1 ? finding.connections[0] : nil)
    rows.string(finding.key)
    rows.word((finding.severity ?? .note).key)
    rows.word(finding.certainty.key)
    rows.integer(packet)
    rows.time(packet.flatMap { times[$0] })
    rows.uuid(finding.attribute?.uuid)
    rows.code(finding.attribute?.handle.map { UInt64($0) }, digits: 4)
    rows.flag(finding.isResolved)
    // A finding's own words may name devices, so the rule's general ones are written instead.
    if options.pseudonyms == nil {
      rows.string(finding.what.text)
    } else {
      rows.word(Self.catalogue[finding.rule.description] ?? "")
    }
    let code = finding.code
    rows.code(code?.value, digits: code?.digits ?? 2)
    if let name = code?.ownName { rows.string(name) } else { rows.name(code?.name) }
    rows.end()
  }

  /// The general words for what each rule finds, by its id.
  private static let catalogue = Dictionary(
    Rule.all.map { ($0.id.description, $0.finds) }, uniquingKeysWith: { first, _ in first })

  // MARK: Values

  private mutating func write(_ value: ConveyedValue, _ bytes: RawSpan) {
    let isOpen = options.pseudonyms == nil
    rows.begin(.operations)
    rows.integer(value.parties.connection > 0 ? value.parties.connection : nil)
    rows.integer(value.packet)
    rows.time(value.time)
    rows.elapsed(value.time, since: start)
    rows.word(value.operation.key)
    rows.word(value.direction.map { $0 == .sent ? "sent" : "received" })
    rows.uuid(value.attribute.service)
    rows.uuid(value.attribute.uuid)
    rows.code(value.attribute.handle.map { UInt64($0) }, digits: 4)
    rows.integer(value.value.map { Int($0.count) })
    if let slice = value.value, isOpen, !value.isKeyMaterial {
      let shown = min(Int(slice.count), RowWriter.mostBytes / 2 + 1)
      rows.text { $0.hex(bytes.part(Slice(start: Int(slice.start), count: shown))) }
    } else {
      rows.null()
    }
    let success: StaticString? = value.lacksAnswer ? nil : "ok"
    rows.word(value.outcome.errorKey ?? (value.isRefused ? "refused" : success))
    if case .refused(let error) = value.outcome {
      rows.code(UInt64(error.rawValue), digits: 2)
      if let name = reading.profiles.errorName(of: value) {
        rows.string(name)
      } else {
        rows.name(error.name)
      }
    } else {
      rows.null()
      rows.null()
    }
    rows.real(value.latency.map { Int($0 / 1000) }, decimals: 3)
    let isRead = value.value != nil && reading.meaning.isKnown
    rows.string(isRead ? reading.meaning.profileName : nil)
    rows.string(isRead ? reading.meaning.messageName : nil)
    if isRead, isOpen {
      let end =
        reading.meaning.following.isEmpty ? reading.meaning.textEnd : reading.meaning.line.count
      rows.string(reading.meaning.line.bytes.part(Slice(start: 0, count: end)).array)
    } else {
      rows.null()
    }
    rows.end()
  }

  private mutating func writeFields(_ value: ConveyedValue, _ bytes: RawSpan) {
    guard let slice = value.value, reading.meaning.isKnown else { return }
    let content = bytes.part(slice)
    if !reading.meaning.isPart {
      writeFields(reading.meaning.decoded, value, reading.meaning.whole ?? content.array)
    }
    for message in reading.meaning.following where message.sighting.frame != nil {
      writeFields(message.decoded, value, message.sighting.bytes ?? content.array)
    }
  }

  private mutating func writeFields(
    _ decoded: Decoded, _ value: ConveyedValue, _ bytes: [UInt8]
  ) {
    guard let writer = DecodedWriter(decoded, isJSON: true) else { return }
    for place in decoded.fields.indices {
      scalar.clear()
      writer.scalar(place, bytes.bytes, into: &scalar)
      guard scalar.count > 0 else { continue }
      rows.begin(.fields)
      rows.integer(value.parties.connection > 0 ? value.parties.connection : nil)
      rows.integer(value.packet)
      rows.time(value.time)
      rows.uuid(value.attribute.uuid)
      rows.string(decoded.definition?.profile)
      rows.string(decoded.definition?.name)
      rows.text { writer.path(of: place, into: &$0) }
      let isNumber = scalar.bytes.isNumber
      if isNumber {
        let number = scalar.bytes.array
        rows.real(number.bytes)
        rows.null()
      } else {
        rows.null()
        if decoded.fields[place].form == .utf8 {
          rows.string(writer.scalar(decoded.fields[place], bytes.bytes))
        } else {
          let word = scalar.bytes.unquoted.array
          rows.string(word)
        }
      }
      unit.clear()
      if isNumber { writer.unit(of: place, into: &unit) }
      let symbol = unit.count == 0 ? nil : unit.bytes.array
      rows.string(symbol)
      rows.end()
    }
  }

  // MARK: Devices

  private mutating func write(_ entry: ListedDevice) {
    let device = entry.device
    let isRandom = device.addressKind != .public && device.addressKind != .publicIdentity
    rows.begin(.devices)
    rows.address(device.address, isRandom: isRandom)
    rows.word(device.addressKind?.key)
    rows.address(device.identity, isRandom: device.identityType == .random)
    rows.name(entry.facts.name)
    rows.code(entry.facts.companies.first.map { UInt64($0.rawValue) }, digits: 4)
    rows.string(entry.facts.companies.first?.name.map { $0.bytes.array })
    rows.integer(device.reports)
    let range = device.signals.range
    rows.integer(range?.min)
    rows.integer(range?.median)
    rows.integer(range?.max)
    rows.real(device.gaps?.estimate, decimals: 3)
    rows.flag(
      device.wasConnectable || device.wasNotConnectable ? device.wasConnectable : nil)
    if entry.facts.services.isEmpty { rows.null() } else { rows.uuids(entry.facts.services) }
    rows.end()
  }
}

extension RowWriter {
  /// Appends the cells about the phone.
  mutating func phone(_ report: PhoneReport?) {
    string(report?.version.map { "Android \($0)" })
    string(report?.build)
    string(report?.model)
    string(report?.logMode)
  }
}

extension ConveyedValue {
  /// Whether the server refused it.
  var isRefused: Bool {
    if case .refused = outcome { return true }
    return false
  }
}

extension ValueMeaning {
  /// The profile's name for the value, or nil for a part of a message.
  fileprivate var messageName: String? {
    isPart ? nil : decoded.definition?.name
  }
}

extension CutLengths.Reason? {
  /// The word for the column `source`.
  fileprivate var key: StaticString {
    switch self {
    case nil: "log"
    case .summary: "summary"
    case .headers: "filtered_headers"
    case .channels: "filtered_channels"
    case .payloads: "filtered_payloads"
    case .snapshot: "snapshot"
    }
  }
}

extension RawSpan {
  /// The bytes of a value in JSON without quotes around it.
  fileprivate var unquoted: RawSpan {
    @_lifetime(copy self)
    get {
      let isQuoted = byteCount >= 2 && byte(at: 0) == 0x22 && byte(at: byteCount - 1) == 0x22
      return isQuoted ? part(Slice(start: 1, count: byteCount - 2)) : self
    }
  }

  /// Whether the bytes, a value in JSON, are a number.
  fileprivate var isNumber: Bool {
    guard byteCount > 0 else { return false }
    return byte(at: 0) == 0x2d || 0x30...0x39 ~= byte(at: 0)
  }
}

extension [UInt32] {
  /// Returns the smallest of these sorted numbers that at least `percent` per cent of them do not
  /// exceed, or nil if the list is empty.
  fileprivate func quantile(_ percent: Int) -> Int? {
    guard !isEmpty else { return nil }
    return Int(self[Swift.max(0, (count * percent + 99) / 100 - 1)])
  }
}
