import Bytes
import Diagnosis

/// Text between two margins.
struct Paragraph: Sendable {
  /// Its lines, without margins; there is one at least.
  private(set) var lines: [String] = []

  /// A text, wrapped between words at so many columns; a word that is too long for a line stays whole.
  init(_ text: String, columns: Int) {
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

  /// The same with something at the right margin: on the last line where there is room, else on one of its
  /// own.
  init(_ text: String, columns: Int, right: String) {
    self.init(text, columns: columns)
    guard !right.isEmpty else { return }
    let width = right.columns
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
