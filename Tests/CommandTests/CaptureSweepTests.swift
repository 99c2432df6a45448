import Foundation
import ProgramRunner
import Testing

@Suite("Captures of all kinds")
struct CaptureSweepTests {
  /// Without the shared captures, the sweeps use only the project's own.
  @Test(
    "The shared captures are available",
    .enabled(
      if: FileManager.default.fileExists(atPath: Program.sharedCaptures.path),
      "the shared captures are not there: what goes through all captures has the project's alone"))
  func sharedCaptures() {
    let folder = Program.sharedCaptures.standardizedFileURL.path
    #expect(Program.captures.contains { $0.standardizedFileURL.path.hasPrefix(folder) })
  }

  @Test("One line per whole record, valid JSON, the same bytes on every run")
  func everyCapture() throws {
    #expect(Program.captures.count >= 7)
    for capture in Program.captures {
      let file = try CaptureBytes(contentsOf: capture.path)
      let isWhole = file.ends.last == file.bytes.count
      let name = capture.lastPathComponent
      let json = try Program.run(["show", "--json", "--raw", capture.path])
      let text = try Program.run(["show", capture.path])
      #expect(json.status == (isWhole ? 0 : 65), "\(name)")
      #expect(text.status == json.status && text.errors == json.errors, "\(name)")
      let isEmpty = file.records == 0
      // A capture may end within a message.
      let remarks = text.errors.split(separator: "\n").filter {
        !$0.hasSuffix("and the capture ends")
      }
      #expect(remarks.isEmpty == (isWhole && !isEmpty), "\(name)")
      #expect(json.packets == Array(1..<file.records + 1), "\(name)")
      #expect(text.lines.count == (file.records == 0 ? 0 : file.records + 1), "\(name)")
      #expect(try Program.run(["show", "--json", "--raw", capture.path]).output == json.output)
      #expect(try Program.run(["show", capture.path]).output == text.output)
      let info = try Program.run(["info", "--json", capture.path])
      let records = info.objects.first??["records"] as? [String: Any]
      #expect(records?["total"] as? Int == file.records, "\(name)")
    }
  }

  @Test("--raw prints every record's bytes unless they are hidden")
  func raw() throws {
    for capture in Program.captures {
      let file = try CaptureBytes(contentsOf: capture.path)
      let lines = try Program.run(["show", "--json", "--raw", "--show-keys", capture.path]).lines
      #expect(lines.count == file.records)
      for (line, record) in zip(lines, zip(file.ends, file.ends.dropFirst())) {
        let stored = file.bytes[record.0 + 24..<record.1]
        let digits = stored.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }
        let raw = Array("\"raw\":\"".utf8) + digits + Array("\"}".utf8)
        guard line.utf8.suffix(raw.count).elementsEqual(raw) else {
          Issue.record("\(capture.lastPathComponent), record at \(record.0): \(line)")
          break
        }
      }
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
