import Bluetooth
import Bytes
import Sessions

/// A column of `values --csv`.
package enum ValueColumn: Int, Sendable, CaseIterable {
  case packet, time, elapsed, connection, device, service, uuid, name, handle
  case channel, operation, direction
  case value, number, error, response, packets, identity, offset, cut, mayGoOn, company, decoded
  case quantity, unit
  /// With `--changes`.
  case lastWrite, lastWriteUUID, lastWriteValue, lastWriteState
  /// With `--distinct`.
  case count, lastPacket
  /// With `--messages`.
  case vendor, message, command, answers, answer

  /// The name in the first row and for `--columns`.
  package var title: String {
    switch self {
    case .elapsed: "elapsed_s"
    case .mayGoOn: "may_go_on"
    case .lastWrite: "last_write"
    case .lastWriteUUID: "last_write_uuid"
    case .lastWriteValue: "last_write_value"
    case .lastWriteState: "last_write_state"
    case .lastPacket: "last_packet"
    case .vendor: "protocol"
    default: "\(self)"
    }
  }

  /// Returns the columns that rows may have.
  package static func all(of rows: ValuesOptions.Rows) -> [ValueColumn] {
    allCases.filter { column in
      switch column {
      case .lastWrite, .lastWriteUUID, .lastWriteValue, .lastWriteState: rows == .changes
      case .count, .lastPacket: rows == .distinct
      case .vendor, .message, .command, .answers, .answer: rows == .messages
      default: true
      }
    }
  }
}

/// Rows of CSV whose columns depend on all rows: those that are empty throughout are left out, and
/// decoded fields get columns when they first appear.
///
/// Rows are held until the end, up to a limit. Beyond it, all known columns are written and later
/// rows follow at once.
struct ColumnTable: ~Copyable {
  /// A cell of a held row: its column, or −1 at the end of the row, and the number of its bytes.
  private struct Cell: Sendable {
    let column: Int32
    let count: Int32
  }

  /// The current row, to which the caller writes the cell that it began.
  var row = Output()
  /// The names of the columns: those of `ValueColumn`, then others.
  private var titles: [[UInt8]]
  private var known: [[UInt8]: Int] = [:]
  /// The columns to write, in order, whether they are empty or not; nil: those that are not empty.
  private let chosen: [Int]?
  /// The columns that are written even if they are empty so far.
  private let usual: [Int]
  private var isUsed: [Bool]
  private var cells: [Cell] = []
  private var bytes = Output()
  /// The columns of rows, once the first row was written; nil: rows are still held.
  private var written: [Int]?
  /// Where the cell of each column is in the current row, and the columns that have one.
  private var places: [Slice]
  private var filled: [Int] = []
  /// The column of the cell that is being written, and where it begins.
  private var open: (column: Int, start: Int)?
  private let most: Int
  private let mostColumns: Int
  /// Whether decoded fields are left out because they first appeared after rows were written, or
  /// because there are too many.
  private(set) var omitsFields = false

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - usual: the columns that rows may have.
  ///   - chosen: the names of the columns to write; empty: all that are not empty.
  ///   - isStreamed: whether rows must not wait for others, so that all columns are written.
  init(_ usual: [ValueColumn], chosen: [String], isStreamed: Bool, _ limits: Limits) {
    var titles = ValueColumn.allCases.map { [UInt8]($0.title.utf8) }
    var known: [[UInt8]: Int] = [:]
    for (place, title) in titles.enumerated() { known[title] = place }
    var columns: [Int] = []
    for title in chosen.map({ [UInt8]($0.utf8) }) {
      let place = known[title] ?? titles.count
      if place == titles.count { titles.append(title) }
      known[title] = place
      columns.append(place)
    }
    self.chosen = columns.isEmpty ? nil : columns
    self.usual = usual.map(\.rawValue)
    self.titles = titles
    self.known = known
    isUsed = [Bool](repeating: false, count: titles.count)
    places = [Slice](repeating: .empty, count: titles.count)
    most = isStreamed ? 0 : limits.heldRowBytes
    mostColumns = titles.count + limits.valueColumns
  }

  /// Returns the column of a decoded field, and adds it if it is new; nil if it is not written.
  ///
  /// - Parameter unit: the unit, which distinguishes columns of one name; empty: none.
  mutating func column(_ path: [UInt8], unit: [UInt8]) -> Int? {
    let title = unit.isEmpty ? path : path + [0x20, 0x28] + unit + [0x29]
    // Chosen columns may be named without the unit.
    if let place = known[title] ?? (chosen == nil ? nil : known[path]) { return place }
    guard chosen == nil else { return nil }
    guard written == nil, titles.count < mostColumns else {
      omitsFields = true
      return nil
    }
    known[title] = titles.count
    titles.append(title)
    isUsed.append(false)
    places.append(.empty)
    return titles.count - 1
  }

  /// Begins a cell of the current row, which ends where the next one begins.
  mutating func begin(_ column: Int) {
    endCell()
    open = (column, row.count)
  }

  mutating func begin(_ column: ValueColumn) { begin(column.rawValue) }

  private mutating func endCell() {
    guard let (column, start) = open else { return }
    open = nil
    guard row.count > start else { return }
    places[column] = Slice(start: start, count: row.count - start)
    filled.append(column)
    isUsed[column] = true
  }

  /// Ends the current row.
  mutating func endRow(into output: inout Output) {
    endCell()
    if written == nil, most == 0 { writeHead(chosen ?? usual, into: &output) }
    if let written {
      Self.write(row, places, written, into: &output)
    } else {
      for column in filled {
        cells.append(Cell(column: Int32(column), count: places[column].count))
        row.copy(places[column], into: &bytes)
      }
      cells.append(Cell(column: -1, count: 0))
    }
    clearRow()
    if written == nil, bytes.count + 8 * cells.count > most {
      // Later rows may fill columns that are empty so far.
      writeHeld(usual + titles.indices.filter { isUsed[$0] && !usual.contains($0) }, into: &output)
    }
  }

  /// Whether rows were written, so that they cannot be forgotten.
  var hasWritten: Bool { written != nil }

  /// Forgets the rows that are held.
  mutating func forgetRows() {
    cells.removeAll()
    bytes.clear()
    for column in isUsed.indices { isUsed[column] = false }
  }

  /// Writes what is held, at the end of the capture.
  mutating func finish(into output: inout Output) {
    guard written == nil else { return }
    let used = titles.indices.filter { isUsed[$0] }
    writeHeld(used.isEmpty ? usual : used, into: &output)
  }

  private mutating func clearRow() {
    for column in filled { places[column] = .empty }
    filled.removeAll(keepingCapacity: true)
    row.clear()
  }

  private mutating func writeHead(_ columns: [Int], into output: inout Output) {
    written = columns
    for (place, column) in columns.enumerated() {
      if place > 0 { output.byte(0x2c) }
      let title = titles[column]
      output.cell(title.bytes)
    }
    output.byte(0x0a)
  }

  private mutating func writeHeld(_ columns: [Int], into output: inout Output) {
    let columns = chosen ?? columns
    writeHead(columns, into: &output)
    var offset = 0
    for cell in cells {
      if cell.column >= 0 {
        places[Int(cell.column)] = Slice(start: offset, count: Int(cell.count))
        filled.append(Int(cell.column))
        offset += Int(cell.count)
      } else {
        Self.write(bytes, places, columns, into: &output)
        clearRow()
      }
    }
    cells = []
    bytes = Output()
  }

  private static func write(
    _ row: borrowing Output, _ places: [Slice], _ columns: [Int], into output: inout Output
  ) {
    for (index, column) in columns.enumerated() {
      if index > 0 { output.byte(0x2c) }
      row.copy(places[column], into: &output)
    }
    output.byte(0x0a)
  }
}
