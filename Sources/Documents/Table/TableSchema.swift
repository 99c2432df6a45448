package import Bytes

/// The format of the tables' column types, which depends on the program that reads them.
package enum TableSchema: String, CaseIterable, Sendable {
  /// A JSON Schema (2020-12) with a definition for the rows of each table.
  case json
  /// `CREATE TABLE` statements.
  case duckdb
  /// A `StructType` for each table, in Spark's JSON form.
  case spark

  /// Writes the types of all tables.
  package func write(into output: inout Output) {
    switch self {
    case .json: Self.writeJSON(into: &output)
    case .duckdb:
      for kind in TableKind.allCases { Self.writeDuckDB(kind, into: &output) }
    case .spark: Self.writeSpark(into: &output)
    }
  }

  private static func writeJSON(into output: inout Output) {
    output.text(
      #"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Rows of gattscope table","$defs":{"#
    )
    for kind in TableKind.allCases {
      output.text(kind == .captures ? "\n\"" : ",\n\"")
      output.string(kind.name)
      output.text(#"":{"type":"object","description":"One row is "#)
      output.text(kind.subject)
      output.text(#"","additionalProperties":false,"properties":{"#)
      for (place, column) in kind.columns.enumerated() {
        output.text(place == 0 ? "\n  \"" : ",\n  \"")
        output.text(column.name)
        output.text(#"":{"type":[""#)
        output.text(column.kind.json)
        output.text(#"","null"]"#)
        if column.kind == .time { output.text(#","format":"date-time""#) }
        output.text(#","description":""#)
        output.text(column.meaning)
        output.text("\"}")
      }
      output.text("},\n  \"required\":[")
      for (place, column) in kind.columns.enumerated() {
        output.text(place == 0 ? "\"" : ",\"")
        output.text(column.name)
        output.byte(0x22)
      }
      output.text("]}")
    }
    output.text("}}\n")
  }

  private static func writeDuckDB(_ kind: TableKind, into output: inout Output) {
    output.string("CREATE TABLE IF NOT EXISTS \(kind.name) (")
    for (place, column) in kind.columns.enumerated() {
      output.text(place == 0 ? "\n  " : ",\n  ")
      output.text(column.name)
      output.byte(0x20)
      output.text(column.kind.duckDB)
    }
    output.text("\n);\n")
  }

  private static func writeSpark(into output: inout Output) {
    for kind in TableKind.allCases {
      output.string(kind == .captures ? "{\"" : ",\n\"")
      output.string(kind.name)
      output.text(#"":{"type":"struct","fields":["#)
      for (place, column) in kind.columns.enumerated() {
        output.text(place == 0 ? #"{"name":""# : #",{"name":""#)
        output.text(column.name)
        output.text(#"","type":""#)
        output.text(column.kind.spark)
        output.text(#"","nullable":true,"metadata":{}}"#)
      }
      output.text("]}")
    }
    output.text("}\n")
  }
}

extension TableColumn.Kind {
  /// The type's name in JSON Schema.
  fileprivate var json: StaticString {
    switch self {
    case .string, .time: "string"
    case .integer: "integer"
    case .real: "number"
    case .flag: "boolean"
    }
  }

  /// The type's name in DuckDB.
  fileprivate var duckDB: StaticString {
    switch self {
    case .string: "VARCHAR"
    case .integer: "BIGINT"
    case .real: "DOUBLE"
    case .flag: "BOOLEAN"
    case .time: "TIMESTAMPTZ"
    }
  }

  /// The type's name in Spark.
  fileprivate var spark: StaticString {
    switch self {
    case .string: "string"
    case .integer: "long"
    case .real: "double"
    case .flag: "boolean"
    case .time: "timestamp"
    }
  }
}
