package import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Diagnosis
package import Dissectors
import Explanations
import Reports
package import Sessions
import Words

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
  let options: RowsOptions
  private let limits: Limits
  let file: RowsFile
  var rows: RowWriter
  var source: CaptureSummary
  var facts: CaptureFacts
  private var history: CaptureHistory?
  private var map: MapReport?
  private var listing: DeviceListing?
  private var conversations: Conversations
  /// Whether any of the tables needs values.
  private let followsValues: Bool
  var reading: ValueReading
  var tallies: ConnectionTallies
  /// The times of the first packets, for findings.
  var times = PacketTimes()
  /// The time of the first record that has one.
  private(set) var start: Timestamp?
  /// The number of values and attempts, which is that of the rows of operations.
  private(set) var operations = 0
  /// Scratch: a field's value, and its unit.
  var scalar = Output()
  var unit = Output()
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
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
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
    if start == nil { start = record.time }
    facts.count(record, dissection, bytes, answer, memory)
    history?.observe(record, dissection, bytes, answer, memory)
    if options.kinds.contains(.findings) { times.add(record) }
    map?.packet(record, dissection, bytes, answer, fragments: fragments, memory, into: &output)
    listing?.observe(record, dissection, bytes, answer, memory)
    tallies.observe(record, dissection, answer, memory)
    guard followsValues else { return }
    reading.follow(record, dissection, bytes, answer, memory)
    conversations.observe(record, dissection, bytes, answer, fragments: fragments, memory)
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
    let devices = map?.conclude(memory) ?? []
    var explanation: Explanation?
    if let history = history.take() {
      explanation = Explanation(
        history.finish(memory, source, failure), Selection(), isGrouped: false)
    }
    if let explanation {
      if options.kinds.contains(.connections) {
        write(explanation.evidence.connections, devices, memory)
      }
      if options.kinds.contains(.findings) {
        for finding in explanation.findings { write(finding) }
      }
    }
    if listing != nil, let list = listing?.list(memory) {
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
    _ file: RowsFile, _ status: RowsStatus, _ damage: String, _ options: RowsOptions,
    to sinks: RowSinks
  ) {
    guard options.kinds.contains(.captures) else { return }
    var rows = RowWriter(sinks, options.pseudonyms, file: file.path, capture: file.capture)
    rows.begin(.captures)
    rows.integer(file.bytes.map { Int(clamping: $0) })
    rows.word(status.name)
    rows.string(damage)
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
