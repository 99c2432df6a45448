import Bluetooth
package import Bytes

/// How rows are written.
package enum RowForm: Sendable {
  /// One JSON object a line, with every column.
  case json
  /// Comma-separated values with the quoting of RFC 4180, below one line with the columns' names.
  case csv
}

/// The places that rows are written to: a file for each table, or one stream for all.
package final class RowSinks {
  /// How rows are written.
  let form: RowForm
  /// Whether rows begin with the name of their table.
  let namesTables: Bool
  private var outputs: InlineArray<6, Output>
  private let isShared: Bool

  /// Prepares a file for each of `kinds`; the descriptors of others are not used.
  ///
  /// - Parameter descriptors: open files, one for each table in their order.
  package init(_ form: RowForm, _ kinds: TableKinds, files descriptors: [Int32]) {
    self.form = form
    namesTables = false
    isShared = false
    outputs = InlineArray { Output(descriptor: descriptors[$0]) }
    for kind in kinds.each { header(kind) }
  }

  /// Prepares one stream. Rows of several tables tell which table they are of.
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

  /// The `errno` of the first write that failed.
  package var failure: Int32? {
    for index in 0..<outputs.count {
      if let failure = outputs[index].failure { return failure }
    }
    return nil
  }

  /// Writes out what is buffered.
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

  /// Appends a row.
  func add(_ row: borrowing Output, to kind: TableKind) {
    row.copy(into: &outputs[isShared ? 0 : kind.rawValue])
  }
}

/// Writes rows cell by cell, in the order of the table's columns.
struct RowWriter: ~Copyable {
  private let sinks: RowSinks
  /// What takes the place of addresses and names; nil: they are written.
  let pseudonyms: Pseudonyms?
  private var row = Output()
  private var cell = Output()
  /// The first two cells, the same in each row of a file.
  private var source = Output()
  private var kind = TableKind.captures
  private var columns: [TableColumn] = []
  private var place = 0
  private var clock = Clock()
  /// How many cells were too long.
  private(set) var cellsCut = 0

  /// How many bytes a cell has at most: those of a value of 4096 bytes in hex.
  static let mostBytes = 8192

  init(_ sinks: RowSinks, _ pseudonyms: Pseudonyms?, file: [UInt8], capture: UInt64?) {
    self.sinks = sinks
    self.pseudonyms = pseudonyms
    columns = kind.columns
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

  /// The error of the first write that failed.
  var failure: Int32? { sinks.failure }

  /// Begins a row.
  mutating func begin(_ kind: TableKind) {
    self.kind = kind
    columns = kind.columns
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

  /// Ends the row.
  mutating func end() {
    assert(place == columns.count, "a row has a cell for each column")
    row.text(sinks.form == .json ? "}\n" : "\n")
    sinks.add(row, to: kind)
  }

  /// Begins a cell.
  private mutating func next() {
    if place > 0 { row.byte(0x2c) }
    if sinks.form == .json {
      row.byte(0x22)
      row.text(columns[place].name)
      row.text("\":")
    }
    place += 1
  }

  /// A cell of which nothing is known.
  mutating func null() {
    next()
    if sinks.form == .json { row.text("null") }
  }

  /// A cell of text that `write` appends.
  mutating func text(_ write: (inout Output) -> Void) {
    cell.clear()
    write(&cell)
    addText()
  }

  mutating func string(_ bytes: [UInt8]?) {
    guard let bytes else { return null() }
    cell.clear()
    // What does not fit is not copied.
    cell.raw(bytes.bytes.part(Slice(start: 0, count: min(bytes.count, Self.mostBytes + 1))))
    addText()
  }

  mutating func string(_ text: String?) { string(text.map { [UInt8]($0.utf8) }) }

  mutating func word(_ word: StaticString?) {
    guard let word else { return null() }
    text { $0.text(word) }
  }

  mutating func integer(_ number: Int?) {
    guard let number else { return null() }
    next()
    row.decimal(number)
  }

  /// A number of which `value` is a multiple of a power of ten.
  mutating func real(_ value: Int?, decimals: Int) {
    guard let value else { return null() }
    next()
    row.fixed(value, decimals: decimals)
  }

  /// A number that `write` appends.
  mutating func real(_ write: (inout Output) -> Void) {
    next()
    write(&row)
  }

  mutating func flag(_ value: Bool?) {
    guard let value else { return null() }
    next()
    row.text(value ? "true" : "false")
  }

  /// A time to the microsecond, which is all that DuckDB and Spark keep.
  mutating func time(_ time: Timestamp?) {
    guard let time, time.isWritable else { return null() }
    next()
    if sinks.form == .json { row.byte(0x22) }
    clock.utc(time, decimals: 6, into: &row)
    if sinks.form == .json { row.byte(0x22) }
  }

  /// The time between two, in seconds.
  mutating func elapsed(_ time: Timestamp?, since start: Timestamp?) {
    guard let time, let start else { return null() }
    next()
    row.elapsed(time, since: start)
  }

  mutating func code(_ value: UInt64?, digits: Int) {
    guard let value else { return null() }
    text {
      $0.hexadecimal(value, digits: digits)
    }
  }

  mutating func address(_ address: DeviceAddress?, isRandom: Bool) {
    guard let address else { return null() }
    let shown = pseudonyms?.address(address, isRandom: isRandom) ?? address
    text { $0.address(shown) }
  }

  /// A name that a person may have given.
  mutating func name(_ name: [UInt8]?) {
    guard let name else { return null() }
    // Some devices fill a field of fixed length with zeros.
    let end = name.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let text = Array(name.prefix(end))
    string(pseudonyms?.name(text) ?? text)
  }

  mutating func uuid(_ uuid: BluetoothUUID?) {
    guard let uuid else { return null() }
    text { $0.uuid(uuid.shortest) }
  }

  mutating func uuids(_ list: [BluetoothUUID]) {
    text { output in
      for (index, uuid) in list.enumerated() {
        if index > 0 { output.byte(0x20) }
        output.uuid(uuid.shortest)
      }
    }
  }

  /// Adds what the scratch cell holds: in JSON escaped, in CSV in quotes where it needs them.
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
      // Without quotes it would be a cell of which nothing is known.
      row.text("\"\"")
    } else {
      printable.clear()
      cell.copyPrintable(into: &printable)
      printable.copyCell(into: &row)
    }
  }

  /// The cell without what a terminal or a reader of CSV may stumble over.
  private var printable = Output()
}

extension RawSpan {
  /// How many of the first `most` bytes to keep so that no UTF-8 character is cut.
  fileprivate func wholeCharacters(atMost most: Int) -> Int {
    var end = min(most, byteCount)
    guard end < byteCount else { return end }
    // A character has three continuation bytes at most; more are no UTF-8.
    for _ in 0..<3 where end > 0 && byte(at: end) & 0xc0 == 0x80 { end -= 1 }
    return end
  }
}

extension Output {
  /// Appends this buffer's text to another one, with unprintable characters and bytes that are not UTF-8 as U+FFFD.
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

  /// Appends this buffer's text to another one, as a cell of CSV.
  fileprivate func copyCell(into other: inout Output) { other.cell(bytes) }
}
