import Bytes

/// Lays out the lines of `map` as a tree in columns, wrapped at the width of the terminal.
struct MapTree: ~Copyable {
  private let width: Int
  private let glyphs: Glyphs
  /// The lines of the current device.
  private var out = Output()
  /// The current line, and where its value begins, if it has one.
  private var line = Output()
  private var valueStart: Int?
  private var valueColumn = Column.value
  private var isFirst = true

  /// The columns of the names of services, characteristics and descriptors, of properties and of
  /// values.
  private enum Column {
    static let heading = 6
    static let service = 13
    static let characteristic = 15
    static let descriptor = 17
    static let properties = 51
    static let value = 70
  }

  init(_ options: MapOptions) {
    width = options.width ?? .max
    glyphs = options.glyphs
  }

  /// Writes the lines about a page's current device.
  mutating func write(_ page: borrowing MapPage, into output: inout Output) {
    valueColumn = max(Column.value, Column.properties + page.longestProperties + 2)
    if !isFirst { end() }
    isFirst = false
    var isInTree = false
    for row in page.lines {
      if row.kind == .title { end() }
      if row.kind == .service, !isInTree { headings() }
      isInTree = row.kind.isInTree
      write(row, page)
    }
    output.text(out.bytes, glyphs)
    out.clear()
  }

  /// Appends the headings of the columns, after an empty line.
  private mutating func headings() {
    end()
    line.text("  handle")
    pad(to: Column.characteristic)
    line.text("attribute")
    pad(to: Column.properties)
    line.text("properties")
    padToValue()
    line.text("value")
    end(isInTree: true)
  }

  private mutating func write(_ row: MapPage.Line, _ page: borrowing MapPage) {
    let name: Int
    switch row.kind {
    case .device, .detail, .title: name = 0
    case .service: name = Column.service
    case .include, .characteristic:
      line.spaces(2)
      name = Column.characteristic
    case .descriptor:
      line.spaces(4)
      name = Column.descriptor
    case .remark:
      line.spaces(Column.descriptor)
      name = 0
    }
    var isAfterName = false
    for place in 0..<row.count {
      guard let cell = row.cells[place] else { continue }
      let column =
        switch MapPage.Line.Cell(rawValue: place) {
        case .name: name
        case .properties: Column.properties
        case .value: valueColumn
        default: 0
        }
      // A name may be too long for the next column, for example because of a long UUID.
      if isAfterName, line.bytes.columns >= column { end(isInTree: true) }
      if place == MapPage.Line.Cell.value.rawValue {
        padToValue()
      } else if place > 0 {
        pad(to: column)
      }
      isAfterName = place == MapPage.Line.Cell.name.rawValue
      line.raw(page[cell])
    }
    end(isInTree: row.kind.isInTree)
  }

  /// Pads the line up to a column, with at least one blank.
  private mutating func pad(to column: Int) { line.spaces(max(column - line.bytes.columns, 1)) }

  private mutating func padToValue() {
    pad(to: valueColumn)
    valueStart = line.count
  }

  /// Ends the line, wrapped under the names in the tree, and before the value if that does not fit.
  private mutating func end(isInTree: Bool = false) {
    let indentation = isInTree ? Column.descriptor : Column.heading
    var line = Output()
    swap(&line, &self.line)
    if let valueStart, line.bytes.columns > width {
      var head = valueStart
      while head > 0, line.bytes.byte(at: head - 1) == 0x20 { head -= 1 }
      out.wrapped(
        line.bytes.part(Slice(start: 0, count: head)), columns: width, indentation: indentation)
      out.byte(0x0a)
      var value = Output()
      value.spaces(indentation)
      line.copy(Slice(start: valueStart, count: line.count - valueStart), into: &value)
      swap(&value, &line)
    }
    out.wrapped(line.bytes, columns: width, indentation: indentation)
    out.byte(0x0a)
    line.clear()
    swap(&line, &self.line)
    valueStart = nil
  }
}

extension MapPage.Line.Kind {
  /// Whether the line is about an attribute.
  fileprivate var isInTree: Bool {
    switch self {
    case .device, .detail, .title: false
    case .service, .include, .characteristic, .descriptor, .remark: true
    }
  }
}
