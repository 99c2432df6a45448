import Bytes
import Diagnosis

/// Text between two margins.
struct Paragraph: Sendable {
  /// Its lines, without margins; there is one at least.
  private(set) var lines: [String] = []

  /// A text, wrapped between words at so many columns; a word that is too long for a line is broken.
  init(_ text: String, columns: Int) {
    var line = ""
    var used = 0
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    for word in words.flatMap({ Self.pieces(of: $0, columns: columns) }) {
      let width = word.columns
      if used > 0, used + 1 + width > columns {
        lines.append(line)
        (line, used) = ("", 0)
      }
      if used > 0 {
        line += " "
        used += 1
      }
      line += word
      used += width
    }
    lines.append(line)
  }

  /// A word, in pieces that fit into a line: behind a hyphen where there is one, else where the line ends.
  private static func pieces(of word: Substring, columns: Int) -> [String] {
    if String(word).columns <= columns { return [String(word)] }
    var pieces: [String] = []
    var piece = ""
    for character in word {
      if !piece.isEmpty, (piece + String(character)).columns > columns {
        let end = piece.lastIndex(of: "-").map { piece.index(after: $0) } ?? piece.endIndex
        pieces.append(String(piece[..<end]))
        piece = String(piece[end...])
      }
      piece.append(character)
    }
    return pieces + [piece]
  }

  /// The same with something at the right margin: on the last line where there is room, else on one of its
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
    if used == 0 || used + 2 + width <= columns {
      let last = lines.removeLast()
      lines.append(last + String(repeating: " ", count: max(0, columns - used - width)) + right)
    } else {
      lines.append(String(repeating: " ", count: max(0, columns - width)) + right)
    }
  }
}

extension String {
  /// The columns that it takes on a terminal.
  var columns: Int { [UInt8](utf8).bytes.columns }
}
