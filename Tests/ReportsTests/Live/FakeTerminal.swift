import Bytes
import Testing

/// A minimal terminal: it understands what live tables write, and reports everything else.
struct FakeTerminal {
  private(set) var rows: Int
  private(set) var columns: Int
  /// The lines on the screen, and those that have scrolled off the top.
  private var lines: [[Character]] = [[]]
  private(set) var scrolled: [String] = []
  private var row = 0
  private var column = 0

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// The contents of the screen, without the empty lines at its end.
  var screen: [String] {
    var shown = lines.map { String($0) }
    while shown.last?.isEmpty ?? false { shown.removeLast() }
    return shown
  }

  /// The scrolled lines, then the screen.
  var everything: [String] { scrolled + screen }

  /// Changes the height; lines that do not fit scroll off the top.
  mutating func resize(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    while lines.count > rows { scroll() }
  }

  private mutating func scroll() {
    scrolled.append(String(lines.removeFirst()))
    row = max(0, row - 1)
  }

  /// Records what is written.
  mutating func write(_ text: String) {
    var rest = Substring(text)
    while let character = rest.popFirst() {
      switch character {
      case "\r": column = 0
      case "\n", "\r\n": newLine()
      case "\u{1b}": sequence(&rest)
      default: put(character)
      }
    }
  }

  private mutating func newLine() {
    column = 0
    row += 1
    while lines.count <= row { lines.append([]) }
    if lines.count > rows { scroll() }
  }

  private mutating func put(_ character: Character) {
    if column >= columns { newLine() }
    while lines[row].count < column { lines[row].append(" ") }
    if column < lines[row].count {
      lines[row][column] = character
    } else {
      lines[row].append(character)
    }
    column += 1
  }

  private mutating func sequence(_ rest: inout Substring) {
    guard rest.popFirst() == "[" else {
      Issue.record("expected a control sequence")
      return
    }
    let digits = rest.prefix { $0.isNumber }
    rest = rest.dropFirst(digits.count)
    switch rest.popFirst() {
    case "A": row = max(0, row - (Int(digits) ?? 1))
    case "K": lines[row] = Array(lines[row].prefix(column))
    case "J":
      lines[row] = Array(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    case "m": break
    case let other:
      Issue.record("expected A, K, J or m after \(digits), got \(String(describing: other))")
    }
  }
}

extension FakeTerminal {
  /// Returns what is written, in pieces that each end after a drawing: with an Erase in page.
  static func drawings(_ written: String) -> [String] {
    var pieces: [String] = []
    var rest = Substring(written)
    while let end = rest.firstRange(of: "\u{1b}[J") {
      pieces.append(String(rest[..<end.upperBound]))
      rest = rest[end.upperBound...]
    }
    if !rest.isEmpty { pieces.append(String(rest)) }
    return pieces
  }
}
