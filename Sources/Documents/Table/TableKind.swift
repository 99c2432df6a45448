// The tables of `table` and their columns. Rows and `schema --table` have them in this order.

/// A table of `table`, named after the subject of its rows.
package enum TableKind: Int, CaseIterable, Sendable {
  case captures, connections, findings, operations, fields, devices

  /// The name on the command line and of files.
  package var name: String {
    switch self {
    case .captures: "captures"
    case .connections: "connections"
    case .findings: "findings"
    case .operations: "operations"
    case .fields: "fields"
    case .devices: "devices"
    }
  }

  /// Creates the table with this name, or returns nil if no table has it.
  package init?(name: some StringProtocol) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The subject of a row.
  package var subject: StaticString {
    switch self {
    case .captures: "a file, whether it could be read or not"
    case .connections: "a connection"
    case .findings: "a finding of explain, once for each connection on which it occurs"
    case .operations: "a value of an attribute that was read, written or sent, or an attempt"
    case .fields: "a number or word that a profile decodes from such a value"
    case .devices: "a device that advertises, or that a connection is made with"
    }
  }
}

/// A set of tables.
package struct TableKinds: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates a set of one table.
  package init(_ kind: TableKind) { rawValue = 1 << UInt8(kind.rawValue) }

  /// All tables.
  package static let all = TableKinds(rawValue: 1 << UInt8(TableKind.allCases.count) - 1)

  /// Returns whether a table is in the set.
  package func contains(_ kind: TableKind) -> Bool { contains(TableKinds(kind)) }

  /// The tables of the set, in their order.
  package var each: [TableKind] { TableKind.allCases.filter { contains($0) } }
}

/// A column. Its type never changes, and a cell whose value is unknown is null.
package struct TableColumn: Sendable {
  /// The type of its cells.
  package enum Kind: Sendable {
    case string, integer, real, flag, time
  }

  /// The column's name.
  package let name: StaticString
  /// The type of the column's cells.
  package let kind: Kind
  /// The description of its cells, as in `schema --table json` and docs/fleet.md.
  package let meaning: StaticString

  fileprivate init(_ name: StaticString, _ kind: Kind, _ meaning: StaticString) {
    self.name = name
    self.kind = kind
    self.meaning = meaning
  }
}

extension TableKind {
  /// The columns. Add new ones at the end, since some programs read them by position.
  package var columns: [TableColumn] { Self.columns[rawValue] }

  private static let columns: [[TableColumn]] = allCases.map { source + $0.own }

  /// The columns with which every table begins.
  private static let source: [TableColumn] = [
    TableColumn("file", .string, "path as it was passed"),
    TableColumn("capture", .string, "first 16 hex digits of the content's SHA-256"),
  ]

  private var own: [TableColumn] {
    switch self {
    case .captures: Self.ofCaptures
    case .connections: Self.ofConnections
    case .findings: Self.ofFindings
    case .operations: Self.ofOperations
    case .fields: Self.ofFields
    case .devices: Self.ofDevices
    }
  }

  private static let ofCaptures: [TableColumn] = [
    TableColumn("bytes", .integer, "size of the file"),
    TableColumn(
      "status", .string, "ok, damaged, not_a_capture, unreadable, timed_out or failed"),
    TableColumn("damage", .string, "what is wrong, and at which byte"),
    TableColumn("format", .string, "format of the log, as info names it"),
    TableColumn(
      "source", .string,
      "log; cut logs: summary, filtered_headers, filtered_channels, filtered_payloads or snapshot"),
    TableColumn("lacks", .string, "kinds of records that the log lacks, separated by spaces"),
    TableColumn("os", .string, "phone's Android version, of a bug report"),
    TableColumn("build", .string, "phone's build, of a bug report"),
    TableColumn("device_model", .string, "phone's model, of a bug report"),
    TableColumn("snoop_mode", .string, "mode of the phone's Bluetooth log, of a bug report"),
    TableColumn("first_time", .time, "earliest record"),
    TableColumn("last_time", .time, "latest record"),
    TableColumn("records", .integer, "records"),
    TableColumn("records_cut", .integer, "records that were kept only in part"),
    TableColumn("records_lost", .integer, "records that the recorder reports as dropped"),
    TableColumn("adapters", .integer, "controllers"),
    TableColumn("connections", .integer, "connections"),
    TableColumn("advertisers", .integer, "devices that advertise"),
    TableColumn("errors", .integer, "findings of severity error"),
    TableColumn("warnings", .integer, "findings of severity warning"),
    TableColumn("operations", .integer, "rows of operations"),
    TableColumn("cells_cut", .integer, "cells of this file that were too long and end in …"),
  ]

  private static let ofConnections: [TableColumn] = [
    TableColumn("connection", .integer, "number in the capture, from 1"),
    TableColumn("transport", .string, "le, br_edr or unknown"),
    TableColumn("peer", .string, "peer's address"),
    TableColumn("peer_type", .string, "kind of that address"),
    TableColumn("identity", .string, "peer's identity address, if it differs"),
    TableColumn("name", .string, "name that the peer gave"),
    TableColumn("local_role", .string, "central or peripheral: the captured host's"),
    TableColumn("opened_packet", .integer, "first packet"),
    TableColumn("opened", .time, "time of the first packet"),
    TableColumn("duration_s", .real, "time to the end; null if that is not in the log"),
    TableColumn("ended_by", .string, "who or what ended it; null while it is open"),
    TableColumn("reason", .string, "reason that the controller gave: 0x08"),
    TableColumn("reason_name", .string, "name of that reason"),
    TableColumn("mtu", .integer, "ATT MTU that was exchanged"),
    TableColumn("interval_ms", .real, "last connection interval"),
    TableColumn("latency", .integer, "last peripheral latency"),
    TableColumn("timeout_ms", .integer, "last supervision timeout"),
    TableColumn("phy", .string, "PHY that this side sends on, if an event reports it"),
    TableColumn("encrypted", .flag, "whether it was encrypted at the end"),
    TableColumn("paired", .string, "pairing method, no, failed, bonded_earlier or unknown"),
    TableColumn("pairing_error", .string, "why pairing failed"),
    TableColumn(
      "services", .string,
      "UUIDs of the peer's services, separated by spaces; null if they changed later"),
    TableColumn(
      "layout", .string,
      "fingerprint of the peer's services and characteristics; null unless all were discovered"),
    TableColumn("database_hash", .string, "peer's Database Hash, if it was read"),
    TableColumn("operations", .integer, "rows of operations of this connection"),
    TableColumn("refused", .integer, "those that the server refused"),
    TableColumn("unanswered", .integer, "those without an answer"),
    TableColumn("latency_p50_ms", .real, "median time to an answer"),
    TableColumn("latency_p95_ms", .real, "time within which 95 % of answers came"),
    TableColumn("bytes_sent", .integer, "bytes of ACL data sent"),
    TableColumn("bytes_received", .integer, "bytes of ACL data received"),
    TableColumn("longest_silence_s", .real, "longest time without ACL data between two packets"),
  ]

  private static let ofFindings: [TableColumn] = [
    TableColumn("connection", .integer, "connection; null if it is about several or none"),
    TableColumn("rule", .string, "rule, as explain --list-rules lists them"),
    TableColumn("severity", .string, "error, warning or note"),
    TableColumn("certainty", .string, "certain, likely or possible"),
    TableColumn("packet", .integer, "first packet of the evidence"),
    TableColumn("time", .time, "its time; null beyond the first 524288 packets"),
    TableColumn("uuid", .string, "attribute that it is about"),
    TableColumn("handle", .string, "handle of that attribute"),
    TableColumn("resolved", .flag, "whether later packets show that it was resolved"),
    TableColumn("what", .string, "what failed, as explain words it"),
    TableColumn("code", .string, "error or reason code that it is about: 0x05"),
    TableColumn("code_name", .string, "name of that code"),
  ]

  private static let ofOperations: [TableColumn] = [
    TableColumn("connection", .integer, "connection"),
    TableColumn("packet", .integer, "packet with the last byte, or the request"),
    TableColumn("time", .time, "time of that packet"),
    TableColumn("elapsed_s", .real, "time since the first record"),
    TableColumn("operation", .string, "read, write, notification and so on, as in values"),
    TableColumn("direction", .string, "sent or received: which way the value went"),
    TableColumn("service", .string, "service of the attribute"),
    TableColumn("uuid", .string, "attribute"),
    TableColumn("handle", .string, "handle"),
    TableColumn("length", .integer, "bytes of the value"),
    TableColumn("value", .string, "value in hex; null if it is secret"),
    TableColumn(
      "outcome", .string,
      "ok, refused, no_response, cancelled or not_executed; null if no answers were captured"),
    TableColumn("error", .string, "error code of a refusal: 0x05"),
    TableColumn("error_name", .string, "name of that error"),
    TableColumn("latency_ms", .real, "time to the answer"),
    TableColumn("profile", .string, "profile that decodes the value"),
    TableColumn("message", .string, "what the profile calls it"),
    TableColumn("text", .string, "what the value means, in words"),
  ]

  private static let ofFields: [TableColumn] = [
    TableColumn("connection", .integer, "connection"),
    TableColumn("packet", .integer, "packet of the value"),
    TableColumn("time", .time, "time of that packet"),
    TableColumn("uuid", .string, "attribute"),
    TableColumn("profile", .string, "profile that decodes the value"),
    TableColumn("message", .string, "what the profile calls it"),
    TableColumn("field", .string, "name, after those of its groups and dots"),
    TableColumn("number", .real, "scaled number; null if it is not a number"),
    TableColumn("word", .string, "word, flag, text or bytes; null if it is a number"),
    TableColumn("unit", .string, "unit of the number"),
  ]

  private static let ofDevices: [TableColumn] = [
    TableColumn("address", .string, "address"),
    TableColumn("address_type", .string, "kind of that address"),
    TableColumn("identity", .string, "identity address, if a key reveals it"),
    TableColumn("name", .string, "name that it advertises or gave"),
    TableColumn("company", .string, "first company whose data it sends: 0x004c"),
    TableColumn("company_name", .string, "name of that company"),
    TableColumn("reports", .integer, "reports"),
    TableColumn("rssi_min", .integer, "weakest signal in dBm"),
    TableColumn("rssi_median", .integer, "median signal in dBm"),
    TableColumn("rssi_max", .integer, "strongest signal in dBm"),
    TableColumn("interval_ms", .real, "estimated advertising interval"),
    TableColumn("connectable", .flag, "whether it was connectable"),
    TableColumn("services", .string, "UUIDs that it advertises, separated by spaces"),
  ]
}
