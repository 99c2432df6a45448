import Foundation
import ProgramRunner
import Testing

@Suite("Several files, of which one is damaged") struct HoleTests {
  /// Returns a sample's first records without the last bytes, and the rest, as two files.
  private static func halves(_ folder: Folder, cut: Int = 3) throws -> (String, String) {
    let whole = try CaptureBytes(contentsOf: Program.sample("heart-rate"))
    let middle = whole.ends[70]
    return (
      try folder.write("first.log", Array(whole.bytes[..<(middle - cut)])),
      try folder.write("second.log", Array(whole.bytes[..<16] + whole.bytes[middle...]))
    )
  }

  /// Runs a program of the system, as `gzip`.
  private static func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(arguments)")
  }

  @Test("explain places the damage of an earlier file between two packets") func between() throws {
    let folder = try Folder()
    let (first, second) = try Self.halves(folder)
    let run = try Program.run(["explain", first, second])
    #expect(run.status == 65)
    #expect(run.text.contains("Records are missing between #69 and #70: first.log is damaged"))
    #expect(run.lines.prefix(2).joined(separator: " ").contains("damaged after #69"), "\(run.text)")
    for claim in ["damaged after #1", "damaged at its end", "starts in the middle"] {
      #expect(!run.text.contains(claim), "\(claim): \(run.text)")
    }
    // The last file's damage is at the end.
    let other = try Folder()
    let (whole, cut) = try Self.halves(other, cut: 0)
    let bytes = try CaptureBytes(contentsOf: cut).bytes
    let ending = try Program.run(
      ["explain", whole, try other.write("cut.log", Array(bytes.dropLast(3)))])
    #expect(ending.text.contains("The capture is damaged after #165"), "\(ending.text)")
    #expect(!ending.text.contains("Records are missing between"), "\(ending.text)")
  }

  @Test("a response after the damage answers no request from before it")
  func forgotten() throws {
    let folder = try Folder()
    var files: [String] = []
    for (name, pdus) in [
      ("a", [(true, [UInt8]([0x0a, 0x10, 0]))]), ("b", [(false, [0x0b, 1])]),
    ] {
      var talk = Talk()
      for _ in 0..<2 { talk.att([0x52, 0x20, 0, 1], isSent: true) }
      if name == "b" { talk.wait(200) }
      for (isSent, pdu) in pdus { talk.att(pdu, isSent: isSent) }
      if name == "a" { talk.att([0x52, 0x20, 0, 2], isSent: true) }
      files.append(try folder.write(name, Array(talk.file.bytes.dropLast(name == "a" ? 2 : 0))))
    }
    let lines = try Program.run(["show", "--json"] + files).objects
    let answer = lines.last { ($0?["packet"] as? Int) == 6 }
    #expect(answer != nil && (answer??["request"] as? Int) == nil, "\(lines)")
  }

  @Test("info lists each damage with its place; JSON, too") func info() throws {
    let folder = try Folder()
    _ = try Self.halves(folder)
    // info reads files one by one, and the logs of an archive as one.
    let archive = folder.path("report.tar.gz")
    try Self.run("tar", "czf", archive, "-C", folder.url.path, "first.log", "second.log")
    let run = try Program.run(["info", archive])
    #expect(run.status == 65)
    let damage = run.lines.filter { $0.hasPrefix("damage ") }
    #expect(damage.count == 1 && damage[0].contains("after #69: "), "\(run.text)")
    let holes = try Program.run(["info", "--json", archive]).objects.first??["holes"]
    let hole = (holes as? [[String: Any]])?.first
    #expect(hole?["after"] as? Int == 69, "\(String(describing: holes))")
    #expect((hole?["file"] as? String)?.hasSuffix(":first.log") == true)
  }

  @Test("a log that cannot be read at all may hold what the others lack") func lost() throws {
    let folder = try Folder()
    let (first, _) = try Self.halves(folder, cut: 0)
    try Self.run("gzip", first)
    let bytes = folder.bytes("first.log.gz")
    try folder.write("first.log.gz", Array(bytes.prefix(20)))
    let archive = folder.path("report.tar")
    try Self.run("tar", "cf", archive, "-C", folder.url.path, "first.log.gz", "second.log")
    let run = try Program.run(["explain", archive])
    #expect(run.status == 65, "\(run.text)")
    #expect(
      run.text.contains("Records may be missing: report.tar:first.log.gz is damaged"), "\(run.text)"
    )
    #expect(run.text.contains("The opening of 1 connection is not in the capture"), "\(run.text)")
    for claim in ["starts in the middle", "was open before the capture began"] {
      #expect(!run.text.contains(claim), "\(claim): \(run.text)")
    }
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }
}
