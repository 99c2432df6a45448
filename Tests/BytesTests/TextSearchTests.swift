import Testing

@testable import Bytes

/// Texts in texts, byte for byte.
@Suite struct TextSearchTests {
  @Test(arguments: [
    ("", 0, 0), ("a", 0, 1), ("aab", 1, 4), ("aabc", 1, 5), ("ü", 5, 7),
  ])
  func found(text: String, from: Int, to: Int) throws {
    let whole = "aaabcü"
    let range = try #require(whole.range(ofText: text))
    #expect(whole.utf8.distance(from: whole.startIndex, to: range.lowerBound) == from)
    #expect(whole.utf8.distance(from: whole.startIndex, to: range.upperBound) == to)
    #expect(whole.contains(text: text))
  }

  @Test(arguments: ["b", "abcd", "aaaaaa", "\u{308}"])
  func notFound(text: String) {
    #expect(!"aaac".contains(text: text))
    #expect(!"".contains(text: text))
  }

  @Test func replaced() {
    #expect("a-b--c".replacing(text: "-", with: "–") == "a–b––c")
    #expect("aaaaa".replacing(text: "aa", with: "b") == "bba")
    #expect("\\x16\\x48".dropFirst(2).replacing(text: "\\x", with: " 0x") == "16 0x48")
    #expect("abc".replacing(text: "c", with: "") == "ab")
    #expect("abc".replacing(text: "", with: "x") == "abc")
    #expect("".replacing(text: "a", with: "x").isEmpty)
  }
}
