// The tables of `table`. `TableRows.swift` declares their columns.

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
}

extension TableKind {
  /// The columns, in their order.
  package var columns: [TableColumn] { Self.columns[rawValue] }

  private static let columns: [[TableColumn]] = allCases.map { source + $0.own }

  /// The columns with which every table begins.
  private static let source: [TableColumn] = [
    TableColumn(name: "file", kind: .string, meaning: "path as it was passed"),
    TableColumn(
      name: "capture", kind: .string,
      meaning: "first 16 hex digits of the content's SHA-256"),
  ]

  private var own: [TableColumn] {
    switch self {
    case .captures: CaptureRow.headings
    case .connections: ConnectionRow.headings
    case .findings: FindingRow.headings
    case .operations: OperationRow.headings
    case .fields: FieldRow.headings
    case .devices: DeviceRow.headings
    }
  }
}
