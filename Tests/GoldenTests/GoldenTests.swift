import Foundation
import ProgramRunner
import Testing

/// One line of `golden.txt`.
struct GoldenCase: Sendable, CustomTestStringConvertible {
  var name: String
  var capture: String
  var arguments: [String]
  var expected: String

  var testDescription: String { name }

  /// The folder of this file.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// The table: `name | capture | arguments | expected-file`.
  static let all: [GoldenCase] = {
    let table = (try? String(contentsOf: folder.appending(path: "golden.txt"), encoding: .utf8))
    return (table ?? "").split(separator: "\n").compactMap { line in
      guard !line.hasPrefix("#") else { return nil }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 4 else { return nil }
      return GoldenCase(
        name: cells[0], capture: cells[1],
        arguments: cells[2].split(separator: " ").map(String.init), expected: cells[3])
    }
  }()

  /// Returns the capture's bytes: the file `name`, or a part of it. `name[:count]` is its first
  /// bytes, `name[offset:]` omits the records before the offset, and `name[offset=value]` changes
  /// one byte.
  func captureBytes() throws -> [UInt8] {
    let parts = capture.split(separator: "[", maxSplits: 1)
    let name = String(parts[0])
    var bytes = try CaptureBytes(contentsOf: Program.sample(name)).bytes
    guard parts.count == 2 else { return bytes }
    let change = parts[1].dropLast()
    if change.hasPrefix(":") {
      return Array(bytes.prefix(try #require(Int(change.dropFirst()))))
    }
    if change.hasSuffix(":") {
      let start = try #require(Int(change.dropLast()))
      return Array(bytes.prefix(16) + bytes.dropFirst(start))
    }
    let sides = try change.split(separator: "=").map { try #require(Int($0)) }
    bytes[sides[0]] = UInt8(sides[1])
    return bytes
  }
}

/// Whether to rewrite the expected files.
private let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"

@Suite("The program's exact output")
struct GoldenTests {
  @Test("The table is readable and uses every expected file")
  func table() throws {
    #expect(GoldenCase.all.count > 20)
    let folder = GoldenCase.folder.appending(path: "Expected")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == Set(GoldenCase.all.map(\.expected)))
    #expect(Set(GoldenCase.all.map(\.name)).count == GoldenCase.all.count)
  }

  @Test(arguments: GoldenCase.all)
  func golden(_ golden: GoldenCase) throws {
    let folder = try Folder()
    try folder.write("capture.btsnoop", try golden.captureBytes())
    // CAPTURE marks the capture's position if other arguments follow it.
    let isPlaced = golden.arguments.contains("CAPTURE")
    let arguments = try golden.arguments.map {
      $0 == "CAPTURE" ? "capture.btsnoop" : try Self.written($0, in: folder)
    }
    let ending = try Program.run(arguments + (isPlaced ? [] : ["capture.btsnoop"]), in: folder)
    var got = Self.withoutStyle(ending.text)
    // The expected file includes errors.
    if !ending.errors.isEmpty { got += "standard error: \(ending.errors)" }
    if ending.status != 0 { got += "exit status: \(ending.status)\n" }
    let file = GoldenCase.folder.appending(path: "Expected/\(golden.expected)")
    let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    guard got != expected else { return }
    if isRecording {
      try got.write(to: file, atomically: true, encoding: .utf8)
      Issue.record("\(golden.expected) was rewritten; review the change before committing it")
    } else {
      Issue.record("\(golden.expected): \(Self.difference(expected, got))")
    }
  }

  /// Removes the style, the script and its digest, which are the same in every HTML page; returns
  /// other output unchanged.
  private static func withoutStyle(_ text: String) -> String {
    guard text.hasPrefix("<!doctype html>") else { return text }
    var text = text
    let parts = [("script-src 'sha256-", "'"), ("<style>", "</style>"), ("<script>", "</script>")]
    for (start, end) in parts {
      guard let first = text.range(of: start),
        let last = text.range(of: end, range: first.upperBound..<text.endIndex)
      else { continue }
      text.removeSubrange(first.upperBound..<last.lowerBound)
    }
    return text
  }

  /// Returns an argument; for `@NAME`, copies that sample capture to the folder under its own name.
  private static func written(_ argument: String, in folder: Folder) throws -> String {
    guard argument.hasPrefix("@") else { return argument }
    let name = String(argument.dropFirst())
    try folder.write(
      "\(name).btsnoop", try CaptureBytes(contentsOf: Program.sample(name)).bytes)
    return "\(name).btsnoop"
  }

  /// Returns the first lines that differ.
  private static func difference(_ expected: String, _ got: String) -> String {
    let left = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let right = got.split(separator: "\n", omittingEmptySubsequences: false)
    var words = ""
    var shown = 0
    for index in 0..<max(left.count, right.count) {
      let before = index < left.count ? left[index] : "(no line)"
      let after = index < right.count ? right[index] : "(no line)"
      guard before != after else { continue }
      shown += 1
      if shown > 3 { return words + "\n… and further lines" }
      words += "\nline \(index + 1)\n  expected \(before)\n  got      \(after)"
    }
    return words
  }
}
