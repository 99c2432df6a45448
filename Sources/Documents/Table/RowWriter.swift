import Bluetooth
package import Bytes
import Reports

/// The format of rows.
package enum RowForm: Sendable {
  /// One JSON object a line, with every column.
  case json
  /// Comma-separated values with the quoting of RFC 4180, after one line with the columns' names.
  case csv
}

/// The destinations of rows: a file for each table, or one stream for all.
package final class RowSinks {
  /// The format of rows.
  let form: RowForm
  /// Whether rows begin with the name of their table.
  let namesTables: Bool
  private var outputs: InlineArray<6, Output>
  private let isShared: Bool

  /// Prepares a file for each of `kinds`. The descriptors of other tables are not used.
  ///
  /// - Parameter descriptors: open files, one for each table, in the order of the tables.
  package init(_ form: RowForm, _ kinds: TableKinds, files descriptors: [Int32]) {
    self.form = form
    namesTables = false
    isShared = false
    outputs = InlineArray { Output(descriptor: descriptors[$0]) }
    for kind in kinds.each { header(kind) }
  }

  /// Prepares one stream. If there are several tables, each row names its table.
  package init(_ form: RowForm, _ kinds: TableKinds, stream descriptor: Int32) {
    self.form = form
    namesTables = kinds.each.count > 1
    isShared = true
    outputs = InlineArray { $0 == 0 ? Output(descriptor: descriptor) : Output() }
    if let kind = kinds.each.first, !namesTables { header(kind) }
  }

  /// Keeps all rows in memory, for tests.
  package init(_ form: RowForm, _ kinds: TableKinds) {
    self.form = form
    namesTables = kinds.each.count > 1
    isShared = true
    outputs = InlineArray { _ in Output() }
  }

  /// Appends the rows that are kept in memory.
  package func copy(into output: inout Output) { outputs[0].copy(into: &output) }

  /// The `errno` of a write that failed, or nil if none did.
  package var failure: Int32? {
    for index in 0..<outputs.count {
      if let failure = outputs[index].failure { return failure }
    }
    return nil
  }

  /// Writes all buffered rows.
  package func flush() {
    for index in 0..<outputs.count { outputs[index].flush() }
  }

  private func header(_ kind: TableKind) {
    guard form == .csv else { return }
    let place = isShared ? 0 : kind.rawValue
    for (index, column) in kind.columns.enumerated() {
      if index > 0 { outputs[place].byte(0x2c) }
      outputs[place].text(column.name)
    }
    outputs[place].byte(0x0a)
  }

  /// Appends a row to a table.
  func add(_ row: borrowing Output, to kind: TableKind) {
    row.copy(into: &outputs[isShared ? 0 : kind.rawValue])
  }
}

/// Writes rows cell by cell. Each column writes one cell.
struct RowWriter: ~Copyable {
  private let sinks: RowSinks
  /// The pseudonyms for addresses and names, or nil to write them as they are.
  let pseudonyms: Pseudonyms?
  private var row = Output()
  private var cell = Output()
  /// The first two cells, the same in each row of a file.
  private var source = Output()
  private var kind = TableKind.captures
  /// What comes before each cell of all tables, and where: a comma and, in JSON, the column's name.
  private var keys = Output()
  private var keySlices: [Slice] = []
  /// The index of each table's first slice.
  private var firstKeys: [Int] = []
  private var place = 0
  private var clock = Clock()
  /// Whether the capture has dates. If not, its times count from the first record, and no cell has
  /// them.
  var isDated = true
  /// The number of cells that were too long and therefore cut.
  private(set) var cellsCut = 0

  /// The largest size of a cell in bytes: that of a value of 4096 bytes in hex.
  static let mostBytes = 8192

  init(_ sinks: RowSinks, _ pseudonyms: Pseudonyms?, file: [UInt8], capture: UInt64?) {
    self.sinks = sinks
    self.pseudonyms = pseudonyms
    for kind in TableKind.allCases {
      firstKeys.append(keySlices.count)
      for (place, column) in kind.columns.enumerated() {
        let start = keys.count
        if place > 0 { keys.byte(0x2c) }
        if sinks.form == .json {
          keys.byte(0x22)
          keys.text(column.name)
          keys.text("\":")
        }
        keySlices.append(Slice(start: start, count: keys.count - start))
      }
    }
    if let pseudonyms {
      string(pseudonyms.file(file))
    } else {
      string(file)
    }
    if let capture {
      text { $0.hexDigits(capture, 16) }
    } else {
      null()
    }
    swap(&row, &source)
  }

  /// The `errno` of a write that failed, or nil if none did.
  var failure: Int32? { sinks.failure }

  /// Writes a row after the cells that name its file, and passes it to its destination.
  mutating func write<Row: TableRow & ~Copyable>(_ row: borrowing Row) {
    begin(Row.kind)
    for column in Row.columns { column.write(row, &self) }
    end()
  }

  private mutating func begin(_ kind: TableKind) {
    self.kind = kind
    row.clear()
    if sinks.form == .json {
      row.byte(0x7b)
      if sinks.namesTables {
        row.text("\"kind\":\"")
        row.string(kind.name)
        row.text("\",")
      }
    }
    source.copy(into: &row)
    place = 2
  }

  private mutating func end() {
    precondition(place == kind.columns.count, "a row has a cell for each column")
    row.text(sinks.form == .json ? "}\n" : "\n")
    sinks.add(row, to: kind)
  }

  /// Begins the next cell.
  private mutating func next() {
    keys.copy(keySlices[firstKeys[kind.rawValue] + place], into: &row)
    place += 1
  }

  /// Appends a cell whose value is unknown.
  mutating func null() {
    next()
    if sinks.form == .json { row.text("null") }
  }

  /// Appends a cell with the text that `write` appends.
  mutating func text(_ write: (inout Output) -> Void) {
    cell.clear()
    write(&cell)
    addText()
  }

  /// Appends a cell with the text that `write` appends for a value, if the value is known.
  mutating func text<Value>(of value: Value?, _ write: (inout Output, Value) -> Void) {
    guard let value else { return null() }
    text { write(&$0, value) }
  }

  mutating func string(_ bytes: RawSpan) {
    cell.clear()
    // Only one byte more than fits is copied, so that `addText` cuts the cell.
    cell.raw(bytes.part(Slice(start: 0, count: min(bytes.byteCount, Self.mostBytes + 1))))
    addText()
  }

  mutating func string(_ bytes: [UInt8]?) {
    guard let bytes else { return null() }
    string(bytes.bytes)
  }

  mutating func string(_ text: String?) { self.text(of: text) { $0.string($1) } }

  mutating func name(_ name: AssignedName?) { text(of: name) { $0.name($1) } }

  mutating func word(_ word: StaticString?) { text(of: word) { $0.text($1) } }

  mutating func integer(_ number: Int?) {
    guard let number else { return null() }
    next()
    row.decimal(number)
  }

  /// Appends a cell with a number: `value` divided by 10 to the power of `decimals`.
  mutating func real(_ value: Int?, decimals: Int) {
    guard let value else { return null() }
    next()
    row.fixed(value, decimals: decimals)
  }

  /// Appends a cell with a number as it is written.
  mutating func real(_ digits: RawSpan) {
    next()
    row.raw(digits)
  }

  mutating func flag(_ value: Bool?) {
    guard let value else { return null() }
    next()
    row.text(value ? "true" : "false")
  }

  /// Appends a time in microseconds, the resolution of DuckDB and Spark, if the capture has dates.
  mutating func time(_ time: Timestamp?) {
    guard isDated, let time, time.isWritable else { return null() }
    next()
    if sinks.form == .json { row.byte(0x22) }
    clock.utc(time, decimals: 6, into: &row)
    if sinks.form == .json { row.byte(0x22) }
  }

  /// Appends the time from `start` to `time`, in seconds.
  mutating func elapsed(_ time: Timestamp?, since start: Timestamp?) {
    guard let time, let start else { return null() }
    next()
    row.elapsed(time, since: start)
  }

  mutating func code(_ value: UInt64?, digits: Int) {
    text(of: value) { $0.hexadecimal($1, digits: digits) }
  }

  mutating func address(_ address: DeviceAddress?, isRandom: Bool) {
    guard let address else { return null() }
    let shown = pseudonyms?.address(address, isRandom: isRandom) ?? address
    text { $0.address(shown) }
  }

  /// Appends a name that may have been given by the user, or its pseudonym.
  mutating func name(_ name: [UInt8]?) {
    guard let name else { return null() }
    // Some devices pad a field of fixed length with zeros.
    let end = name.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let text = Array(name.prefix(end))
    string(pseudonyms?.name(text) ?? text)
  }

  mutating func uuid(_ uuid: BluetoothUUID?) { text(of: uuid) { $0.uuid($1.shortest) } }

  /// Appends a cell with a list; an empty list counts as unknown.
  mutating func uuids(_ list: [BluetoothUUID]) {
    text(of: list.isEmpty ? nil : list) { output, list in
      output.listed(list, separatedBy: " ") { $0.uuid($1.shortest) }
    }
  }

  /// Appends the scratch cell: escaped in JSON, and quoted in CSV if it needs quotes.
  private mutating func addText() {
    next()
    let isCut = cell.count > Self.mostBytes
    if isCut {
      cellsCut += 1
      cell.shorten(to: cell.bytes.wholeCharacters(atMost: Self.mostBytes))
      cell.text("…")
    }
    if sinks.form == .json {
      row.byte(0x22)
      cell.copyEscaped(Slice(start: 0, count: cell.count), into: &row)
      row.byte(0x22)
    } else if cell.count == 0 {
      // Without quotes, the value would be unknown.
      row.text("\"\"")
    } else {
      printable.clear()
      cell.copyPrintable(into: &printable)
      printable.copyCell(into: &row)
    }
  }

  /// Scratch: the cell without characters that a terminal or a CSV reader may not handle.
  private var printable = Output()
}

extension RawSpan {
  /// Returns how many of the first `most` bytes to keep so that no UTF-8 character is cut.
  fileprivate func wholeCharacters(atMost most: Int) -> Int {
    var end = min(most, byteCount)
    guard end < byteCount else { return end }
    // A character has three continuation bytes at most; more are not UTF-8.
    for _ in 0..<3 where end > 0 && byte(at: end) & 0xc0 == 0x80 { end -= 1 }
    return end
  }
}

extension Output {
  /// Appends this buffer's text to another one, replacing unprintable characters and bytes that are
  /// not UTF-8 with U+FFFD.
  fileprivate func copyPrintable(into other: inout Output) {
    var offset = 0
    while offset < count {
      switch bytes.textUnit(at: offset) {
      case .invalid:
        other.text("\u{fffd}")
        offset += 1
      case .scalar(let scalar, let length):
        if isUnprintable(scalar) {
          other.text("\u{fffd}")
        } else {
          copy(Slice(start: offset, count: length), into: &other)
        }
        offset += length
      }
    }
  }
}
