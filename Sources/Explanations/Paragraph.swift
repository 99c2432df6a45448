import Bytes
import Histories
import Reports

/// Text between two margins.
struct Paragraph: Sendable {
  /// The width of a line that is never wrapped.
  static let endless = 1 << 30

  /// Its lines, without margins; there is at least one.
  private(set) var lines: [String] = []

  /// Wraps a text between words; a word that is too long for a line is broken.
  init(_ text: String, columns: Int) {
    if Self.isLine(text, columns: columns) {
      lines = [text]
      return
    }
    let bytes = [UInt8](text.utf8)
    var line: [UInt8] = []
    var used = 0
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: Self.space) ?? bytes.count
      let word = Slice(start: start, count: end - start)
      start = end + 1
      guard word.count > 0 else { continue }
      let width = bytes.bytes.part(word).columns
      if width > columns {
        if used > 0 { lines.append(String(decoding: line, as: UTF8.self)) }
        let long = String(decoding: bytes[Int(word.start)..<word.end], as: UTF8.self)
        let pieces = Self.pieces(of: long, columns: columns)
        lines += pieces.dropLast()
        line = Array((pieces.last ?? "").utf8)
        used = line.bytes.columns
        continue
      }
      if used > 0, used + 1 + width > columns {
        lines.append(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
        used = 0
      }
      if used > 0 {
        line.append(Self.space)
        used += 1
      }
      line += bytes[Int(word.start)..<word.end]
      used += width
    }
    lines.append(String(decoding: line, as: UTF8.self))
  }

  private static let space = UInt8(ascii: " ")

  /// Returns whether a text fits into a line as it is, which is usual: single spaces between words,
  /// and no more bytes than columns. A text never takes more columns than bytes.
  private static func isLine(_ text: String, columns: Int) -> Bool {
    guard text.utf8.count <= columns else { return false }
    var previous = space
    for byte in text.utf8 {
      if byte == space, previous == space { return false }
      previous = byte
    }
    return previous != space
  }

  /// Splits a word into pieces that fit into a line: after a hyphen or an underscore if there is
  /// one, otherwise at the end of the line.
  private static func pieces(of word: String, columns: Int) -> [String] {
    var pieces: [String] = []
    var piece = ""
    for character in word {
      if !piece.isEmpty, (piece + String(character)).columns > columns {
        let end =
          piece.lastIndex { $0 == "-" || $0 == "_" }.map { piece.index(after: $0) }
          ?? piece.endIndex
        pieces.append(String(piece[..<end]))
        piece = String(piece[end...])
      }
      piece.append(character)
    }
    return pieces + [piece]
  }

  /// Adds text at the right margin: on the last line if there is room, otherwise on a line of its
  /// own.
  init(_ text: String, columns: Int, right: String) {
    self.init(text, columns: columns)
    guard !right.isEmpty else { return }
    let width = right.columns
    if width > columns {
      lines += Paragraph(right, columns: columns).lines
      return
    }
    let used = lines.last?.columns ?? 0
    if columns > Self.endless / 2 {
      // There is no right margin to align with.
      let last = lines.removeLast()
      lines.append(last.isEmpty ? right : last + "  " + right)
    } else if used == 0 || used + 2 + width <= columns {
      let last = lines.removeLast()
      lines.append(last + .spaces(columns - used - width) + right)
    } else {
      lines.append(.spaces(columns - width) + right)
    }
  }
}

extension String {
  /// Returns `count` spaces. Built from bytes, since a repeated string is appended character by
  /// character.
  fileprivate static func spaces(_ count: Int) -> String {
    String(decoding: repeatElement(UInt8(ascii: " "), count: Swift.max(0, count)), as: UTF8.self)
  }
}
