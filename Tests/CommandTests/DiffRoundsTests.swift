import ProgramRunner
import Testing

@Suite("Rounds that repeat in diff") struct DiffRoundsTests {
  /// Writes two captures, of which only the second has rounds of a write and a notification.
  private func difference(_ values: [UInt8], _ options: String...) throws -> [String] {
    try difference(values.map { [$0] }, options)
  }

  private func difference(_ values: [[UInt8]], _ options: [String] = []) throws -> [String] {
    let folder = try Folder()
    var (left, right) = (Talk(), Talk())
    for index in 0..<2 {
      var talk = index == 0 ? left : right
      talk.discover(0x180d, 1...9, [(3, 0x2a38), (5, 0x2a39), (7, 0x2a37)])
      talk.read(3, [1])
      if index == 0 { left = talk } else { right = talk }
    }
    for value in values {
      right.request(5, [1])
      right.notify(7, value)
    }
    let paths = (
      try folder.write("left", left.file.bytes), try folder.write("right", right.file.bytes)
    )
    let run = try Program.run(["diff"] + options + [paths.0, paths.1])
    #expect(run.status == 1, "\(run.errors)")
    return run.text.split(separator: "\n").map(String.init)
  }

  private func count(_ word: String, _ lines: [String]) -> Int {
    lines.count { $0.contains("+ ") && $0.contains(word) }
  }

  @Test("a round is printed once, and how often it is repeated") func repeated() throws {
    let lines = try difference([7, 7, 7, 7])
    #expect(count("Notification", lines) == 1, "\(lines)")
    #expect(lines.contains { $0.contains("+ … repeated 3 times  ") }, "\(lines)")
    let others = try difference([7, 8, 9, 7])
    #expect(count("Notification", others) == 1, "\(others)")
    #expect(others.contains { $0.contains("… repeated 3 times, with other values") }, "\(others)")
    let lengths = try difference([[7], [8, 8], [9, 9, 9], [7]])
    #expect(count("Notification", lengths) == 1, "\(lengths)")
    // Twice is no rule, and all may be wanted.
    #expect(count("Notification", try difference([7, 7])) == 2)
    #expect(count("Notification", try difference([7, 7, 7, 7], "--all")) == 4)
  }
}
