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
  /// The user's keys.
  package var bonds: [Bond] = []
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
package enum RowsStatus: JSONKey, Sendable {
  case ok = "ok", damaged = "damaged", notACapture = "not_a_capture", unreadable = "unreadable",
    timedOut = "timed_out", failed = "failed"

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
    followsValues = !kinds.isDisjoint(with: Self.ofValues)
    if kinds.contains(.captures) || kinds.contains(.connections) || kinds.contains(.findings) {
      history = CaptureHistory(
        limits, knowledge: options.knowledge, passkeys: options.passkeys,
        followsRequests: !followsValues)
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
      if options.kinds.contains(.operations) { write(value, bytes) }
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
    conversations.finish(memory, latest: history?.latest)
    takeValues(memory)
    facts.finish(memory)
    let devices = map?.conclude(memory, conversations) ?? []
    var explanation: Explanation?
    if let history = history.take() {
      // Rows of many files are compared: equal findings have the same words.
      let evidence = history.finish(
        memory, source, failure, unanswered: followsValues ? conversations.unanswered : nil)
      explanation = Explanation(evidence, Selection(), isGrouped: false, isNamed: false)
    }
    if let explanation {
      if options.kinds.contains(.connections) {
        write(explanation.evidence.connections, devices)
      }
      if options.kinds.contains(.findings) {
        for finding in explanation.findings {
          rows.write(
            FindingRow(finding: finding, time: finding.evidence.first.flatMap { times[$0] }))
        }
      }
    }
    if listing != nil, let list = listing?.finish(memory) {
      for device in list.devices { rows.write(DeviceRow(device)) }
    }
    let damage = failure ?? file.damage
    let status = status ?? damage.map { RowsStatus($0) } ?? .ok
    self.status = status
    guard options.kinds.contains(.captures) else { return }
    let words = damage.map {
      options.pseudonyms == nil
        ? $0.messageWithFile : $0.words.text { options.shown(file: $0) }
    }
    let timeOut = status == .timedOut ? "not finished after \(options.patienceSeconds) s" : nil
    rows.write(
      CaptureRow(
        file: file, status: status, damage: words ?? timeOut,
        content: CaptureRow.Content(
          source: source, coverage: memory.coverage, adapters: memory.adapters.all.count,
          facts: facts, explanation: explanation, operations: operations)))
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
    rows.write(
      CaptureRow(file: file, status: status, damage: damage.text { options.shown(file: $0) }))
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

extension RowsReport {
  private mutating func write(_ histories: [ConnectionHistory], _ devices: [MapDevice]) {
    var places: [Int: Int] = [:]
    for (place, device) in devices.enumerated() where device.adapter == nil {
      for connection in device.connections { places[connection] = place }
    }
    for history in histories {
      rows.write(
        ConnectionRow(history, places[history.id].map { devices[$0] }, tallies[history.id]))
    }
  }

  private mutating func write(_ value: ConveyedValue, _ bytes: [UInt8]) {
    var row = OperationRow(
      value: value, bytes: bytes, start: start,
      errorName: reading.profiles.errorName(of: value))
    if value.value != nil, reading.meaning.isKnown {
      row.profile = reading.meaning.profileName
      row.message = reading.meaning.messageName
      if options.pseudonyms == nil {
        let end =
          reading.meaning.following.isEmpty ? reading.meaning.textEnd : reading.meaning.line.count
        row.text = reading.meaning.line.bytes.part(Slice(start: 0, count: end)).array
      }
    }
    rows.write(row)
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
    var row = FieldRow(value: value, writer: writer)
    for place in decoded.fields.indices {
      scalar.clear()
      row.writer.scalar(place, bytes.bytes, into: &scalar)
      guard scalar.count > 0 else { continue }
      row.place = place
      (row.number, row.word, row.unit) = (nil, nil, nil)
      if scalar.bytes.isNumber {
        row.number = scalar.bytes.array
        unit.clear()
        row.writer.unit(of: place, into: &unit)
        if unit.count > 0 { row.unit = unit.bytes.array }
      } else if decoded.fields[place].form == .utf8 {
        row.word = Array(row.writer.scalar(decoded.fields[place], bytes.bytes).utf8)
      } else {
        row.word = scalar.bytes.unquoted.array
        scalar.clear()
        row.writer.codeNumber(of: place, into: &scalar)
        if scalar.count > 0 { row.number = scalar.bytes.array }
      }
      rows.write(row)
    }
  }
}

extension ValueMeaning {
  /// The profile's name for the value, or nil for a part of a message.
  fileprivate var messageName: String? {
    isPart ? nil : decoded.definition?.name
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
