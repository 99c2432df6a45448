import Bluetooth
import Bytes
import Testing

@testable import Reports

private func cut(_ line: String, _ columns: Int, _ glyphs: Glyphs = .utf8) -> String {
  written { $0.cut([UInt8](line.utf8).bytes, columns: columns, glyphs: glyphs) }
}

@Suite("Lines wrapped at a terminal's width")
struct WrapTests {
  private func wrapped(_ lines: String, _ columns: Int) -> String {
    written { $0.wrapped([UInt8](lines.utf8).bytes, columns: columns, indentation: 2) }
  }

  @Test("Between words, after an indentation; a word that is too long stays whole")
  func words() {
    #expect(wrapped("ab cdef gh\nx\n", 10) == "ab cdef gh\nx\n")
    #expect(wrapped("ab cdef gh\nx\n", 9) == "ab cdef\n  gh\nx\n")
    #expect(wrapped("ab cdef gh ij kl\n", 7) == "ab cdef\n  gh ij\n  kl\n")
    #expect(wrapped("abcdefghijkl mn\n", 5) == "abcdefghijkl\n  mn\n")
    #expect(wrapped("→→→ →→ →\n", 7) == "→→→ →→\n  →\n")
  }

  @Test("Colour sequences take no columns")
  func colours() {
    #expect(wrapped("\u{1b}[2mabc\u{1b}[0m de\n", 6) == "\u{1b}[2mabc\u{1b}[0m de\n")
  }
}

@Suite("Lines cut to a terminal's width")
struct CutTests {
  @Test("What fits is unchanged")
  func fits() {
    #expect(cut("abcdef", 6) == "abcdef")
    #expect(cut("", 6) == "")
    #expect(cut("→ abcd", 6) == "→ abcd")
    #expect(cut("abcdef", 6, .ascii) == "abcdef")
  }

  @Test("What does not fit ends with the mark of a cut, within the width")
  func ellipsis() {
    #expect(cut("abcdefg", 6) == "abcde…")
    #expect(cut("abcdefg", 6, .ascii) == "abc...")
    #expect(cut("→→→→→→→", 6) == "→→→→→…")
  }

  @Test("A wide character takes two columns and is never halved")
  func wide() {
    #expect(cut("漢字漢字", 8) == "漢字漢字")
    #expect(cut("漢字漢字", 7) == "漢字漢…")
    #expect(cut("漢字漢字", 6) == "漢字…")
    #expect(cut("a漢字", 4) == "a漢…")
  }

  @Test("A combining mark stays with its letter")
  func combining() {
    #expect(cut("e\u{301}e\u{301}e\u{301}", 3) == "e\u{301}e\u{301}e\u{301}")
    #expect(cut("e\u{301}e\u{301}e\u{301}e\u{301}", 3) == "e\u{301}e\u{301}…")
  }

  @Test("Colours take no column, and a cut line ends without one")
  func colours() {
    let styled = "\u{1b}[2mabc\u{1b}[0mdef"
    #expect(cut(styled, 6) == styled)
    #expect(cut(styled, 5) == "\u{1b}[2mabc\u{1b}[0md…\u{1b}[0m")
    #expect(cut("\u{1b}[31mabcdef", 4) == "\u{1b}[31mabc…\u{1b}[0m")
    // An escape sequence without an end.
    #expect(cut("abcdef\u{1b}[", 4).hasPrefix("abc…"))
  }
}

@Suite("Text for ASCII-only terminals")
struct ASCIITests {
  @Test("Units stay readable, names are escaped")
  func ascii() {
    let text = written { $0.ascii([UInt8]("in 328 µs \"Café 漢\"\n".utf8).bytes) }
    #expect(text == "in 328 us \"Caf\\u{e9} \\u{6f22}\"\n")
    #expect(written { $0.ascii([0x41, 0xff].bytes) } == "A\\xff")
    // The quotes before a symbol decide, wherever they are, and however long the text around is.
    let padding = String(repeating: "x", count: 21)
    let long = written { $0.ascii([UInt8]("\(padding)\"→\(padding)→\"\(padding)→".utf8).bytes) }
    #expect(long == "\(padding)\"\\u{2192}\(padding)\\u{2192}\"\(padding)->")
  }
}
