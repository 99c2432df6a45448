import ProgramRunner
import Testing

@Suite("Operations that moved") struct DiffMovedTests {
  /// Writes two captures of writes and reads in a different order, one of them with another value.
  private static func pair(_ folder: Folder) throws -> (String, String) {
    var (left, right) = (Talk(), Talk())
    left.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39), (7, 0x2a37)])
    left.request(5, [1])
    left.read(3, [1])
    left.read(7, [9])
    right.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39), (7, 0x2a37)])
    right.read(3, [1])
    right.read(7, [9])
    right.request(5, [2])
    return (
      try folder.write("left", left.file.bytes), try folder.write("right", right.file.bytes)
    )
  }

  @Test("an operation that fails on both sides, but at another place, fails on both")
  func failsOnBoth() throws {
    var (left, right) = (Talk(), Talk())
    left.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39), (7, 0x2a37)])
    left.request(5, [1], error: 0x80)
    left.read(3, [1])
    left.read(7, [9])
    right.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39), (7, 0x2a37)])
    right.read(3, [1])
    right.read(7, [9])
    right.request(5, [1], error: 0x80)
    let folder = try Folder()
    let sides = [
      try folder.write("left", left.file.bytes), try folder.write("right", right.file.bytes),
    ]
    let run = try Program.run(["diff"] + sides)
    #expect(run.text.contains("moved"), "\(run.text)")
    #expect(run.text.contains("no operation fails on only one side"), "\(run.text)")
    let page = try Program.run(["diff", "--html"] + sides)
    #expect(!page.text.contains("fails where"))
  }

  @Test("they are compared with each other, and each line has the place of the other one")
  func moved() throws {
    let folder = try Folder()
    let (left, right) = try Self.pair(folder)
    let run = try Program.run(["diff", left, right])
    #expect(run.status == 1)
    #expect(run.text.contains("moved to #9–#10"), "\(run.text)")
    #expect(run.text.contains("moved from #5–#6"), "\(run.text)")
    #expect(run.text.contains("reset energy expended  →  2, which is reserved"), "\(run.text)")
    let page = try Program.run(["diff", "--html", left, right])
    #expect(page.text.contains("moved from"))
    let operations = try Program.run(["diff", "--json", left, right]).objects.first??["operations"]
    let moved = (operations as? [[String: Any]] ?? []).compactMap { $0["moved"] as? Int }
    #expect(moved.sorted() == [5, 9], "\(String(describing: operations))")
  }
}
