// The layout of lines: columns that grow, colours, and cutting.

import Bluetooth
package import Bytes

/// A right-aligned column that grows with its numbers and never shrinks.
package struct GrowingColumn: Sendable {
  /// The width in columns, including the margin.
  package private(set) var width: Int
  /// The smallest number that does not fit.
  private var limit: UInt

  /// Creates a column for numbers of up to `digits` digits, after a margin.
  package init(digits: Int, margin: Int) {
    width = digits + margin
    limit = (0..<digits).reduce(1) { power, _ in power * 10 }
  }

  /// Returns whether `number` fits.
  func hasRoom(_ number: UInt) -> Bool { number < limit }

  /// Widens the column so that `number` fits.
  package mutating func make(room number: UInt) {
    while number >= limit {
      width += 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      limit = next
      if overflow {
        limit = .max
        return
      }
    }
  }
}

/// The colours of text on a terminal.
package enum TextStyle {
  case plain, dim, failure, warning
  /// What this host sent, and received.
  case sent, received
  /// The names of PDUs that access attributes, and of those that make a link secure.
  case attribute, security

  /// The terminal's escape sequence (ECMA-48, SGR).
  package var sequence: StaticString {
    switch self {
    case .plain: "\u{1b}[0m"
    case .dim: "\u{1b}[2m"
    case .failure: "\u{1b}[31m"
    case .warning: "\u{1b}[33m"
    case .sent: "\u{1b}[36m"
    case .received: "\u{1b}[32m"
    case .attribute: "\u{1b}[1m"
    case .security: "\u{1b}[35m"
    }
  }
}

extension Output {
  /// Appends the escape sequence of a style, if colours are used.
  @inline(__always)
  package mutating func style(_ style: TextStyle, isOn usesColor: Bool) {
    if usesColor { text(style.sequence) }
  }

  /// Appends lines, wrapped between words at `columns`; continuation lines are indented. A word
  /// that is too long for a line is not split.
  package mutating func wrapped(_ lines: RawSpan, columns: Int, indentation: Int) {
    guard columns < .max else { return raw(lines) }
    var start = 0
    var offset = 0
    var used = 0
    var blank: (offset: Int, used: Int)?
    while offset < lines.byteCount {
      let first = lines.byte(at: offset)
      if first == 0x1b {
        while offset < lines.byteCount, lines.byte(at: offset) != 0x6d { offset += 1 }
        offset += 1
        continue
      }
      if first == 0x0a {
        offset += 1
        raw(lines.part(Slice(start: start, count: offset - start)))
        (start, used, blank) = (offset, 0, nil)
        continue
      }
      if first == 0x20, used > indentation { blank = (offset, used) }
      switch lines.textUnit(at: offset) {
      case .invalid:
        used += 1
        offset += 1
      case .scalar(let scalar, let count):
        used += columnsOf(scalar)
        offset += count
      }
      guard used > columns, let cut = blank else { continue }
      var end = cut.offset
      while end > start, lines.byte(at: end - 1) == 0x20 { end -= 1 }
      raw(lines.part(Slice(start: start, count: end - start)))
      byte(0x0a)
      spaces(indentation)
      start = cut.offset + 1
      while start == offset, offset < lines.byteCount, lines.byte(at: offset) == 0x20 {
        start += 1
        offset += 1
      }
      used = indentation + used - cut.used - 1
      blank = nil
    }
    raw(lines.part(Slice(start: start, count: lines.byteCount - start)))
  }

  /// Appends a finished line and a line feed, and clears `line`.
  ///
  /// - Parameters:
  ///   - ascii: a buffer for the ASCII form of the line, if only ASCII can be shown. The caller
  ///     keeps it so that nothing is allocated for each line.
  ///   - columns: the column at which the line is cut; nil: it is not cut.
  package mutating func line(
    _ line: inout Output, ascii: inout Output, columns: Int?, _ glyphs: Glyphs
  ) {
    line.makeASCII(&ascii, glyphs)
    if let columns {
      cut(line.bytes, columns: columns, glyphs: glyphs)
    } else {
      raw(line.bytes)
    }
    byte(0x0a)
    line.clear()
  }

  /// Appends a finished line with its end, wrapped at `columns`. See `line` for the parameters.
  mutating func wrappedLine(
    _ line: inout Output, ascii: inout Output, columns: Int?, indentation: Int, _ glyphs: Glyphs
  ) {
    line.makeASCII(&ascii, glyphs)
    wrapped(line.bytes, columns: columns ?? .max, indentation: indentation)
    byte(0x0a)
    line.clear()
  }

  /// Exchanges the buffer for `ascii` with the same text in ASCII, unless `glyphs` are UTF-8.
  private mutating func makeASCII(_ ascii: inout Output, _ glyphs: Glyphs) {
    guard !glyphs.isUTF8 else { return }
    ascii.clear()
    copyASCII(into: &ascii)
    swap(&ascii, &self)
  }

  /// Cuts the text, which is longer than `columns`.
  mutating func cut(columns: Int, _ glyphs: Glyphs) {
    let room = columns - (glyphs.isUTF8 ? 1 : 3)
    var used = 0
    var end = 0
    while end < count {
      let (width, length) =
        switch bytes.textUnit(at: end) {
        case .invalid: (1, 1)
        case .scalar(let scalar, let count): (columnsOf(scalar), count)
        }
      guard used + width <= room else { break }
      used += width
      end += length
    }
    shorten(to: end)
    text(glyphs.ellipsis)
  }

  /// Appends a line, cut to `columns`; colour sequences take no columns.
  mutating func cut(_ line: RawSpan, columns: Int, glyphs: Glyphs) {
    let room = columns - (glyphs.isUTF8 ? 1 : 3)
    var used = 0
    var offset = 0
    var cutAt: Int?
    var isStyled = false
    while offset < line.byteCount {
      if line.byte(at: offset) == 0x1b {
        isStyled = true
        while offset < line.byteCount, line.byte(at: offset) != 0x6d { offset += 1 }
        offset += 1
        continue
      }
      let (width, count) =
        switch line.textUnit(at: offset) {
        case .invalid: (1, 1)
        case .scalar(let scalar, let count): (columnsOf(scalar), count)
        }
      if used + width > room, cutAt == nil { cutAt = offset }
      used += width
      offset += count
    }
    guard used > columns, let cutAt else {
      raw(line)
      return
    }
    raw(line.part(Slice(start: 0, count: cutAt)))
    text(glyphs.ellipsis)
    if isStyled { text(TextStyle.plain.sequence) }
  }
}

extension String {
  /// The number of columns that the string takes on a terminal.
  package var columns: Int { [UInt8](utf8).bytes.columns }
}
