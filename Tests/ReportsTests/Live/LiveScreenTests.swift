import Bytes
import Testing

@testable import Reports

@Suite("Lines that are redrawn in place") struct LiveScreenTests {
  /// Draws lists of lines, one after the other, on a terminal that already has three lines; returns
  /// the whole screen after each.
  private func draw(
    _ lists: [[String]], rows: Int = 8, resizing: [Int: (rows: Int, columns: Int)] = [:]
  ) -> (screens: [[String]], everything: [String]) {
    var terminal = FakeTerminal(rows: rows, columns: 20)
    terminal.write("one\ntwo\n$ gattscope\n")
    var screen = LiveScreen()
    var screens: [[String]] = []
    for (index, list) in lists.enumerated() {
      if let size = resizing[index] { terminal.resize(rows: size.rows, columns: size.columns) }
      let text = list.map { $0 + "\n" }.joined()
      let written = written { output in
        screen.show([UInt8](text.utf8).bytes, rows: terminal.rows, into: &output)
      }
      terminal.write(written)
      screens.append(terminal.screen)
    }
    terminal.write(written { screen.clear(rows: terminal.rows, into: &$0) })
    return (screens, terminal.everything)
  }

  private let above = ["one", "two", "$ gattscope"]

  @Test("The screen has exactly the last lines, below the earlier contents") func inPlace() {
    let lists = [["a"], ["long long", "b", "c"], ["x", "y"], [], ["z"]]
    let (screens, everything) = draw(lists)
    for (screen, list) in zip(screens, lists) { #expect(screen == above + list) }
    #expect(everything == above, "after clearing, nothing of it remains: \(everything)")
  }

  @Test(
    "Lines beyond the terminal's height are not drawn, and only the earlier contents scroll off")
  func tooMany() {
    let many = (1...20).map { "line \($0)" }
    let (screens, everything) = draw([many, many, ["x"]])
    // The cursor needs its own line.
    #expect(screens[0] == Array(many.prefix(7)))
    #expect(screens[1] == screens[0])
    #expect(screens[2] == ["x"])
    #expect(everything == above, "got \(everything)")
  }

  @Test("A terminal whose height changes keeps the earlier contents") func resized() {
    let list = ["a", "b", "c"]
    let (screens, everything) = draw(
      [list, ["d"], list, list], resizing: [1: (5, 20), 3: (12, 30)])
    #expect(screens[0] == above + list)
    #expect(screens[1].last == "d" && !screens[1].contains("a"), "got \(screens[1])")
    #expect(Array(screens[3].suffix(3)) == list)
    #expect(everything.prefix(3) == above[...], "got \(everything)")
    #expect(!everything.contains("a") && !everything.contains("d"), "got \(everything)")
  }
}
