// Texts in texts. Swift's library for this, _StringProcessing, would link its regular expressions
// into the program, so no module imports it (see Package.swift).

extension StringProtocol {
  /// Returns the first place where `text` occurs, byte for byte, or nil.
  package func range(ofText text: some StringProtocol) -> Range<Index>? {
    var start = startIndex
    while true {
      var (end, rest) = (start, text.utf8.makeIterator())
      while true {
        guard let byte = rest.next() else { return start..<end }
        guard end < endIndex else { return nil }
        guard utf8[end] == byte else { break }
        utf8.formIndex(after: &end)
      }
      utf8.formIndex(after: &start)
    }
  }

  /// Returns whether `text` occurs, byte for byte.
  package func contains(text: some StringProtocol) -> Bool { range(ofText: text) != nil }

  /// Returns this text with `new` in every place where `old` occurs.
  package func replacing(text old: some StringProtocol, with new: String) -> String {
    var (result, rest) = ("", self[...])
    while !old.isEmpty, let range = rest.range(ofText: old) {
      result += rest[..<range.lowerBound]
      result += new
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
