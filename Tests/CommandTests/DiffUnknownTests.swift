import ProgramRunner
import Testing

@Suite("diff: what a capture does not show") struct DiffUnknownTests {
  /// Two captures of data alone, so that only the right one shows an MTU, and neither an interval.
  @Test("is not called the same") func unknown() throws {
    let folder = try Folder()
    var (left, right) = (Talk(), Talk())
    left.request(5, [1])
    right.att([0x02, 0xb9, 0], isSent: true)
    right.att([0x03, 0xb9, 0], isSent: false)
    right.request(5, [1])
    let captures = [
      try folder.write("left", left.file.bytes), try folder.write("right", right.file.bytes),
    ]
    let short = try Program.run(["diff"] + captures)
    #expect(short.text.contains("Security, link: no known difference"))
    let facts = try Program.run(["diff", "--all", "--json"] + captures).objects.first??["link"]
    let mtu = (facts as? [[String: Any]])?.first { $0["name"] as? String == "MTU" }
    #expect(mtu?["uncertain"] as? Bool == true, "\(String(describing: facts))")
    let twice = try Program.run(["diff", "--html", captures[1], captures[1]])
    #expect(twice.text.contains("No known difference."))
    let whole = try Program.run(["diff", "--all"] + captures)
    let rows = whole.text.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    #expect(rows.contains("MTU 23 or more 185"), "\(whole.text)")
    #expect(rows.contains("interval not known not known"), "\(whole.text)")
    #expect(rows.contains("method none same"), "\(whole.text)")
  }
}
