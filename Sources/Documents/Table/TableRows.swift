import Bluetooth
import Bytes
import Captures
import Decoders
import Diagnosis
import Explanations
import Histories
import Meanings
import Reports
import Sessions

// The rows of each table, which declare its columns. Add new columns at the end of a table, since
// some programs read them by position.

protocol TableRow: ~Copyable {
  static var kind: TableKind { get }
  /// The columns after those that name the file.
  static var columns: [RowColumn<Self>] { get }
}

extension TableRow where Self: ~Copyable {
  typealias Column = RowColumn<Self>

  static var headings: [TableColumn] { columns.map(\.heading) }
}

/// A column, and how it writes its cell of a row.
struct RowColumn<Row: ~Copyable>: Sendable {
  let heading: TableColumn
  let write: @Sendable (_ row: borrowing Row, _ cells: inout RowWriter) -> Void

  init(
    _ name: StaticString, _ kind: TableColumn.Kind, _ meaning: StaticString,
    _ write: @escaping @Sendable (_ row: borrowing Row, _ cells: inout RowWriter) -> Void
  ) {
    heading = TableColumn(name: name, kind: kind, meaning: meaning)
    self.write = write
  }
}

/// A file.
struct CaptureRow: TableRow {
  let file: RowsFile
  let status: RowsStatus
  /// What is wrong with the file, in words.
  let damage: String?
  /// What the capture holds, or nil if none could be read.
  var content: Content?

  struct Content {
    let source: CaptureSummary
    let coverage: Coverage
    let adapters: Int
    let facts: CaptureFacts
    let explanation: Explanation?
    let operations: Int
  }

  /// The kinds of records that a capture may lack.
  private static let kinds: Coverage.Parts = [.commands, .events, .sentData, .receivedData]

  /// The kinds of records that the capture lacks, or nil if it has no records at all.
  private var lacks: Coverage.Parts? {
    content.flatMap { content in
      if content.facts.records == 0 { return nil }
      // A sniffer records neither commands nor events.
      let kinds = content.facts.isOnAir ? .bothDirections : Self.kinds
      return kinds.subtracting(content.coverage.parts)
    }
  }

  static let kind = TableKind.captures
  static let columns: [Column] = [
    Column("bytes", .integer, "size of the file") {
      $1.integer($0.file.bytes.map { Int(clamping: $0) })
    },
    Column("status", .string, "ok, damaged, not_a_capture, unreadable, timed_out or failed") {
      $1.word($0.status.key)
    },
    Column("damage", .string, "what is wrong, and at which byte") { $1.string($0.damage) },
    Column("format", .string, "format of the log, as info names it") {
      $1.string($0.content?.source.format.rawValue)
    },
    Column(
      "source", .string,
      "log; air: from a sniffer; cut logs: summary, filtered_headers, filtered_channels, filtered_payloads or snapshot"
    ) {
      $1.word(
        $0.content.map {
          $0.source.format == .btsnooz
            ? "summary" : $0.facts.isOnAir ? "air" : $0.coverage.cuts.reason.key
        })
    },
    Column("lacks", .string, "kinds of records that the log lacks, separated by spaces") {
      $1.text(of: $0.lacks) { output, parts in
        output.listed(parts.each, separatedBy: " ") { $0.text($1.key) }
      }
    },
    Column("os", .string, "phone's Android version, of a bug report") {
      $1.string($0.file.phone?.version.map { "Android \($0)" })
    },
    Column("build", .string, "phone's build, of a bug report") {
      $1.string($0.file.phone?.build)
    },
    Column("device_model", .string, "phone's model, of a bug report") {
      $1.string($0.file.phone?.model)
    },
    Column("snoop_mode", .string, "mode of the phone's Bluetooth log, of a bug report") {
      $1.string($0.file.phone?.logMode)
    },
    Column("first_time", .time, "earliest record") { $1.time($0.content?.facts.earliest) },
    Column("last_time", .time, "latest record") { $1.time($0.content?.facts.latest) },
    Column("records", .integer, "records") { $1.integer($0.content?.facts.records) },
    Column("records_cut", .integer, "records that were kept only in part") {
      $1.integer($0.content?.facts.truncated)
    },
    Column("records_lost", .integer, "records that the recorder reports as dropped") {
      $1.integer($0.content.map { Int(clamping: $0.facts.dropped) })
    },
    Column("adapters", .integer, "controllers") { $1.integer($0.content?.adapters) },
    Column("connections", .integer, "connections") {
      $1.integer($0.content?.facts.connectionCount)
    },
    Column("advertisers", .integer, "devices that advertise") {
      $1.integer($0.content?.facts.advertiserCount)
    },
    Column("errors", .integer, "findings of severity error") {
      $1.integer($0.content?.explanation?.count(.error))
    },
    Column("warnings", .integer, "findings of severity warning") {
      $1.integer($0.content?.explanation?.count(.warning))
    },
    Column("operations", .integer, "rows of operations") {
      $1.integer($0.content?.operations)
    },
    Column("cells_cut", .integer, "cells of this file that were too long and end in …") {
      $1.integer($1.cellsCut)
    },
  ]
}

struct ConnectionRow: TableRow {
  private let history: ConnectionHistory
  private let connection: Connection
  /// The device's services, if they are known and did not change later.
  private let services: [MapService]
  private let layout: UInt64?
  private let hash: [UInt8]?
  private let tally: ConnectionTally
  /// The times to an answer in microseconds, in ascending order.
  private let latencies: [UInt32]

  init(_ history: ConnectionHistory, _ device: MapDevice?, _ tally: ConnectionTally?) {
    self.history = history
    connection = history.connection
    services = device.flatMap { $0.isKnown(on: history.connection) ? $0.services : nil } ?? []
    layout = device?.layout(on: history.connection)
    hash = device?.database?.hash?.value
    self.tally = tally ?? ConnectionTally()
    latencies = self.tally.latencies.sorted()
  }

  /// Why pairing failed.
  private var pairingError: (name: AssignedName?, code: UInt64)? {
    guard history.paired == .failed,
      let attempt = history.pairing.attempts.last(where: { $0.ending != nil && !$0.isPaired })
    else { return nil }
    return switch attempt.ending {
    case .failed(let reason, _): (reason.name, UInt64(reason.rawValue))
    case .notEncrypted(let status): (status.name, UInt64(status.rawValue))
    case .abandoned, .superseded, nil: nil
    }
  }

  static let kind = TableKind.connections
  static let columns: [Column] = [
    Column("connection", .integer, "number in the capture, from 1") {
      $1.integer($0.connection.id)
    },
    Column("transport", .string, "le, br_edr or unknown") { $1.word($0.connection.transport.key) },
    Column("peer", .string, "peer's address") {
      $1.address(
        $0.connection.peer,
        isRandom: $0.connection.peerType.map { $0.rawValue & 1 == 1 } ?? true)
    },
    Column("peer_type", .string, "kind of that address") { $1.word($0.connection.peerKind?.key) },
    Column("identity", .string, "peer's identity address, if it differs") {
      $1.address(
        $0.connection.otherIdentity, isRandom: $0.connection.identity?.type == .random)
    },
    Column("name", .string, "name that the peer gave") { $1.name($0.history.name) },
    Column("local_role", .string, "central or peripheral: the captured host's") {
      $1.word($0.connection.isOnAir ? nil : $0.connection.role(of: .local)?.key)
    },
    Column("opened_packet", .integer, "first packet") { $1.integer($0.connection.firstPacket) },
    Column("opened", .time, "time of the first packet") { $1.time($0.connection.firstTime) },
    Column("duration_s", .real, "time to the end; null if that is not in the log") {
      $1.elapsed($0.connection.lastTime, since: $0.connection.firstTime)
    },
    Column("ended_by", .string, "who or what ended it; null while it is open") {
      $1.word($0.connection.ending?.key($0.connection.vantage))
    },
    Column("reason", .string, "reason that the controller gave: 0x08") {
      $1.code($0.connection.reason.map { UInt64($0.rawValue) }, digits: 2)
    },
    Column("reason_name", .string, "name of that reason") { $1.name($0.connection.reason?.name) },
    Column("mtu", .integer, "ATT MTU that was exchanged") {
      $1.integer($0.connection.mtu.map { Int($0) })
    },
    Column("interval_ms", .real, "last connection interval") {
      $1.real($0.connection.interval.map { Int($0) * 125 }, decimals: 2)
    },
    Column("latency", .integer, "last peripheral latency") {
      $1.integer($0.connection.latency.map { Int($0) })
    },
    Column("timeout_ms", .integer, "last supervision timeout") {
      $1.integer($0.connection.supervisionTimeout.map { Int($0) * 10 })
    },
    Column("phy", .string, "PHY that this side sends on, if an event reports it") {
      let known =
        $0.connection.isOnAir ? $0.connection.phys?.sent : $0.history.link.phys.last?.sent
      $1.name(known.flatMap { CodeSet.phy.name(of: UInt64($0)) })
    },
    Column("encrypted", .flag, "whether it was encrypted at the end") {
      $1.flag($0.connection.isEncrypted)
    },
    Column("paired", .string, "pairing method, no, failed, bonded_earlier or unknown") {
      $1.word($0.history.paired.key)
    },
    Column("pairing_error", .string, "why pairing failed") {
      $1.text(of: $0.pairingError) { $0.named($1.name, $1.code, digits: 2) }
    },
    Column(
      "services", .string,
      "UUIDs of the peer's services, separated by spaces; null if they changed later"
    ) { $1.uuids($0.services.map(\.declaration.uuid)) },
    Column(
      "layout", .string,
      "fingerprint of the peer's services and characteristics; null unless all were discovered"
    ) { $1.text(of: $0.layout) { $0.hexDigits($1, 16) } },
    Column("database_hash", .string, "peer's Database Hash, if it was read") {
      $1.text(of: $0.hash) { $0.hex($1.bytes) }
    },
    Column("operations", .integer, "rows of operations of this connection") {
      $1.integer($0.tally.operations)
    },
    Column("refused", .integer, "those that the server refused") { $1.integer($0.tally.refused) },
    Column("unanswered", .integer, "those without an answer") { $1.integer($0.tally.unanswered) },
    Column("latency_p50_ms", .real, "median time to an answer") {
      $1.real($0.latencies.quantile(50), decimals: 3)
    },
    Column("latency_p95_ms", .real, "time within which 95 % of answers came") {
      $1.real($0.latencies.quantile(95), decimals: 3)
    },
    Column("bytes_sent", .integer, "bytes of ACL data sent") { $1.integer($0.tally.sent) },
    Column("bytes_received", .integer, "bytes of ACL data received") {
      $1.integer($0.tally.received)
    },
    Column(
      "longest_silence_s", .real, "longest time without ACL data between two packets"
    ) { $1.real($0.tally.silence.map { Int(clamping: $0) }, decimals: 9) },
  ]
}

struct FindingRow: TableRow {
  let finding: Finding
  /// The time of the first packet of its evidence.
  let time: Timestamp?

  /// The general words for what each rule finds, by its id.
  private static let catalogue = Dictionary(
    Rule.all.map { ($0.id.description, $0.finds) }, uniquingKeysWith: { first, _ in first })

  static let kind = TableKind.findings
  static let columns: [Column] = [
    Column("connection", .integer, "connection; null if it is about several or none") {
      $1.integer($0.finding.connections.count == 1 ? $0.finding.connections[0] : nil)
    },
    Column("rule", .string, "rule, as explain --list-rules lists them") {
      $1.string($0.finding.key)
    },
    Column("severity", .string, "error, warning or note") {
      $1.word(($0.finding.severity ?? .note).key)
    },
    Column("certainty", .string, "certain, likely or possible") {
      $1.word($0.finding.certainty.key)
    },
    Column("packet", .integer, "first packet of the evidence") {
      $1.integer($0.finding.evidence.first)
    },
    Column("time", .time, "its time; null beyond the first 524288 packets") { $1.time($0.time) },
    Column("uuid", .string, "attribute that it is about") { $1.uuid($0.finding.attribute?.uuid) },
    Column("handle", .string, "handle of that attribute") {
      $1.code($0.finding.attribute?.handle.map { UInt64($0) }, digits: 4)
    },
    Column("resolved", .flag, "whether later packets show that it was resolved") {
      $1.flag($0.finding.isResolved)
    },
    Column("what", .string, "what failed, as explain words it") {
      // A finding's own words may name devices, so the rule's general ones are written instead.
      if $1.pseudonyms == nil {
        $1.string($0.finding.what.text)
      } else {
        $1.word(catalogue[$0.finding.rule.description] ?? "")
      }
    },
    Column("code", .string, "error or reason code that it is about: 0x05") {
      $1.code($0.finding.code?.value, digits: $0.finding.code?.digits ?? 2)
    },
    Column("code_name", .string, "name of that code") {
      if let name = $0.finding.code?.ownName {
        $1.string(name)
      } else {
        $1.name($0.finding.code?.name)
      }
    },
  ]
}

/// A value of an attribute, or an attempt to read or write one.
struct OperationRow: TableRow {
  let value: ConveyedValue
  /// The bytes of which the value is a part.
  let bytes: [UInt8]
  /// The time of the first record.
  let start: Timestamp?
  /// A profile's name for the error.
  let errorName: [UInt8]?
  var profile: String?
  var message: String?
  /// The value in words.
  var text: [UInt8]?

  private var error: ATTErrorCode? {
    if case .refused(let error) = value.outcome { error } else { nil }
  }

  static let kind = TableKind.operations
  static let columns: [Column] = [
    Column("connection", .integer, "connection") { $1.connection(of: $0.value) },
    Column("packet", .integer, "packet with the last byte, or the request") {
      $1.integer($0.value.packet)
    },
    Column("time", .time, "time of that packet") { $1.time($0.value.time) },
    Column("elapsed_s", .real, "time since the first record") {
      $1.elapsed($0.value.time, since: $0.start)
    },
    Column("operation", .string, "read, write, notification and so on, as in values") {
      $1.word($0.value.operation.key)
    },
    Column(
      "direction", .string,
      "sent or received: which way the value went; on the air central_to_peripheral or peripheral_to_central"
    ) {
      $1.word($0.value.direction?.key($0.value.parties.vantage))
    },
    Column("service", .string, "service of the attribute") { $1.uuid($0.value.attribute.service) },
    Column("uuid", .string, "attribute") { $1.uuid($0.value.attribute.uuid) },
    Column("handle", .string, "handle") {
      $1.code($0.value.attribute.handle.map { UInt64($0) }, digits: 4)
    },
    Column(
      "channel", .string, "serial channel instead of an attribute: RFCOMM channel 1, SPSM 0x0081"
    ) {
      if let channel = $0.value.attribute.channel {
        $1.text { $0.channel(channel) }
      } else {
        $1.null()
      }
    },
    Column("length", .integer, "bytes of the value") {
      $1.integer($0.value.value.map { Int($0.count) })
    },
    Column("value", .string, "value in hex; null if it is secret") {
      if let slice = $0.value.value, $1.pseudonyms == nil, !$0.value.isKeyMaterial {
        let shown = min(Int(slice.count), RowWriter.mostBytes / 2 + 1)
        let bytes = $0.bytes
        $1.text { $0.hex(bytes.bytes.part(Slice(start: Int(slice.start), count: shown))) }
      } else {
        $1.null()
      }
    },
    Column(
      "outcome", .string,
      "ok, refused, no_response, cancelled or not_executed; null if no answers were captured"
    ) {
      let success: StaticString? = $0.value.lacksAnswer ? nil : "ok"
      $1.word($0.value.outcome.failureKey ?? success)
    },
    Column("error", .string, "error code of a refusal: 0x05") {
      $1.code($0.error.map { UInt64($0.rawValue) }, digits: 2)
    },
    Column("error_name", .string, "name of that error") {
      if let name = $0.errorName { $1.string(name) } else { $1.name($0.error?.name) }
    },
    Column("latency_ms", .real, "time to the answer") {
      $1.real($0.value.latency.map { Int($0 / 1000) }, decimals: 3)
    },
    Column("profile", .string, "profile that decodes the value") { $1.string($0.profile) },
    Column("message", .string, "what the profile calls it") { $1.string($0.message) },
    Column("text", .string, "what the value means, in words") { $1.string($0.text) },
  ]
}

/// A number or word that a profile decodes from a value.
struct FieldRow: TableRow, ~Copyable {
  let value: ConveyedValue
  let writer: DecodedWriter
  /// The place of the field among those that were decoded.
  var place = 0
  /// The field's content: a number with its unit, or a word, which a code's number is beside.
  var number: [UInt8]?
  var word: [UInt8]?
  var unit: [UInt8]?

  init(value: ConveyedValue, writer: consuming DecodedWriter) {
    self.value = value
    self.writer = writer
  }

  static let kind = TableKind.fields
  static let columns: [Column] = [
    Column("connection", .integer, "connection") { $1.connection(of: $0.value) },
    Column("packet", .integer, "packet of the value") { $1.integer($0.value.packet) },
    Column("time", .time, "time of that packet") { $1.time($0.value.time) },
    Column("uuid", .string, "attribute") { $1.uuid($0.value.attribute.uuid) },
    Column("profile", .string, "profile that decodes the value") {
      $1.string($0.writer.decoded.definition?.profile)
    },
    Column("message", .string, "what the profile calls it") {
      $1.string($0.writer.decoded.definition?.name)
    },
    Column("field", .string, "name, after those of its groups and dots") { row, cells in
      cells.text { row.writer.path(of: row.place, into: &$0) }
    },
    Column("number", .real, "scaled number, or a code's number; null for anything else") {
      if let number = $0.number { $1.real(number.bytes) } else { $1.null() }
    },
    Column("word", .string, "word, flag, text or bytes; null if there is only a number") {
      $1.string($0.word)
    },
    Column("unit", .string, "unit of the number") { $1.string($0.unit) },
  ]
}

extension RowWriter {
  fileprivate mutating func connection(of value: ConveyedValue) {
    integer(value.parties.connection > 0 ? value.parties.connection : nil)
  }
}

struct DeviceRow: TableRow {
  private let device: Advertiser
  private let facts: AdvertisedFacts
  /// The strengths of its signals.
  private let range: (min: Int, median: Int, max: Int)?

  init(_ entry: ListedDevice) {
    device = entry.device
    facts = entry.facts
    range = entry.device.signals.range
  }

  static let kind = TableKind.devices
  static let columns: [Column] = [
    Column("address", .string, "address") {
      let kind = $0.device.addressKind
      $1.address(
        $0.device.address, isRandom: kind != .public && kind != .publicIdentity)
    },
    Column("address_type", .string, "kind of that address") {
      $1.word($0.device.addressKind?.key)
    },
    Column("identity", .string, "identity address, if a key reveals it") {
      $1.address($0.device.identity, isRandom: $0.device.identityType == .random)
    },
    Column("name", .string, "name that it advertises or gave") { $1.name($0.facts.name) },
    Column("company", .string, "first company whose data it sends: 0x004c") {
      $1.code($0.facts.companies.first.map { UInt64($0.rawValue) }, digits: 4)
    },
    Column("company_name", .string, "name of that company") {
      $1.string($0.facts.companies.first?.name.map { $0.bytes.array })
    },
    Column("reports", .integer, "reports") { $1.integer($0.device.reports) },
    Column("rssi_min", .integer, "weakest signal in dBm") { $1.integer($0.range?.min) },
    Column("rssi_median", .integer, "median signal in dBm") { $1.integer($0.range?.median) },
    Column("rssi_max", .integer, "strongest signal in dBm") { $1.integer($0.range?.max) },
    Column("interval_ms", .real, "estimated advertising interval") {
      $1.real($0.device.gaps?.estimate, decimals: 3)
    },
    Column("connectable", .flag, "whether it was connectable") {
      let device = $0.device
      $1.flag(
        device.wasConnectable || device.wasNotConnectable ? device.wasConnectable : nil)
    },
    Column("services", .string, "UUIDs that it advertises, separated by spaces") {
      $1.uuids($0.facts.services)
    },
  ]
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

extension [UInt32] {
  /// Returns the smallest of these sorted numbers that at least `percent` per cent of them do not
  /// exceed, or nil if the list is empty.
  fileprivate func quantile(_ percent: Int) -> Int? {
    guard !isEmpty else { return nil }
    return Int(self[Swift.max(0, (count * percent + 99) / 100 - 1)])
  }
}
