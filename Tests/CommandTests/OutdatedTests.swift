import ProgramRunner
import Testing

@Suite("Values read through outdated handles") struct OutdatedTests {
  /// A bond of two connections, each given by its ATT PDUs: sent ones, or received ones.
  private static func capture(_ connections: [[(String, String)]]) -> CaptureBytes {
    var file = CaptureBytes()
    var time: Int64 = 0
    func add(_ text: String, _ flags: UInt32) {
      time += 10_000
      let bytes = text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
      file.record(bytes, flags: flags, microseconds: time)
    }
    func att(_ pdu: String, isSent: Bool) {
      let count = pdu.split(separator: " ").count
      let (outer, inner) = (String(count + 4, radix: 16), String(count, radix: 16))
      let header = "02 01 \(isSent ? "00" : "20") \(outer) 00 \(inner) 00 04 00"
      add("\(header) \(pdu)", isSent ? 0 : 1)
    }
    for pdus in connections {
      add("04 3e 13 01 00 01 00 00 00 06 05 04 03 02 c1 18 00 00 00 f4 01 00", 3)
      for (request, answer) in pdus {
        if !request.isEmpty { att(request, isSent: true) }
        if !answer.isEmpty { att(answer, isSent: false) }
      }
      add("04 05 04 00 01 00 13", 3)
    }
    return file
  }

  private static let discovery = [
    ("10 01 00 ff ff 00 28", "11 06 01 00 15 00 0d 18"), ("10 16 00 ff ff 00 28", "01 10 16 00 0a"),
    ("08 01 00 15 00 03 28", "09 07 02 00 02 03 00 38 2a 14 00 08 15 00 39 2a"),
  ]
  private static let reading = [("0a 03 00", "0b 01")]
  private static func hash(_ byte: String) -> (String, String) {
    ("08 01 00 ff ff 2a 2b", "09 12 0d 00" + String(repeating: " \(byte)", count: 16))
  }

  @Test(
    "map and values report them, and what shows it",
    arguments: [
      ([("0a 03 00", "01 0a 03 00 12"), ("0a 03 00", "0b 02")], "Database Out Of Sync (0x12)"),
      ([("0a 03 00", "0b 02"), ("0a 03 00", "01 0a 03 00 01")], "Invalid Handle (0x01)"),
      ([("0a 03 00", "0b 02"), hash("22")], "another Database Hash"),
      (
        [("0a 03 00", "0b 02"), ("08 01 00 15 00 03 28", "09 07 02 00 02 03 00 19 2a")],
        "a later discovery"
      ),
    ])
  func outdated(second: [(String, String)], sign: String) throws {
    let first = Self.discovery + Self.reading + [Self.hash("11")]
    let folder = try Folder()
    let file = try folder.write("x", Self.capture([first, second]).bytes)
    for verb in ["map", "values"] {
      let text = try Program.run([verb, file]).text
      #expect(
        text.contains("connection 2 uses handles from an earlier connection (from #")
          && text.contains(sign), "\(verb): \(text)")
    }
    let devices = try Program.run(["map", "--json", file]).objects.first??["devices"]
    let use = (devices as? [[String: Any]])?.first?["outdated_use"] as? [String: Any]
    #expect(use?["connection"] as? Int == 2, "\(String(describing: use))")
  }

  @Test(
    "nothing is reported of handles that are discovered again, proven, or only refused",
    arguments: [
      [("0a 03 00", "01 0a 03 00 12")] + discovery + reading,
      [hash("11")] + reading,
      [("0a 03 00", "01 0a 03 00 12")],
      reading,
    ])
  func current(second: [(String, String)]) throws {
    let first = Self.discovery + Self.reading + [Self.hash("11")]
    let folder = try Folder()
    let file = try folder.write("x", Self.capture([first, second]).bytes)
    for verb in ["map", "values"] {
      let text = try Program.run([verb, file]).text
      #expect(!text.contains("earlier discovery"), "\(verb): \(text)")
    }
  }
}
