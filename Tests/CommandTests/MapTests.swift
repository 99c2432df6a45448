import Foundation
import ProgramRunner
import Testing

@Suite("map, and maps from elsewhere")
struct MapTests {
  /// The ATT lines behind the time, without packet numbers.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").dropFirst().map { line in
      let what = line.firstIndex { $0 == "\u{2190}" || $0 == "\u{2192}" } ?? line.startIndex
      let words = line[what...]
      return words.firstIndex(of: "#").map { words[..<$0] } ?? words
    }
  }

  /// A capture without the discovery of its first connection, in a folder: what is left begins with a
  /// packet that the whole one has, too.
  private static func cut(_ name: String, at packet: Int, into folder: URL) throws -> String {
    let bytes = try CaptureBytes(contentsOf: Program.sample(name)).bytes
    var offset = 16
    for _ in 1..<packet {
      let included = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
      offset += 24 + included
    }
    let file = folder.appending(path: "cut.btsnoop")
    try Data(bytes.prefix(16) + bytes.dropFirst(offset)).write(to: file)
    return file.path
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("With the map of the whole capture one without discovery reads as well")
  func supplied() throws {
    try Self.withFolder { folder in
      let whole = Program.sample("heart-rate")
      let map = try Program.run(["map", "--json", whole])
      #expect(map.status == 0 && map.errors.isEmpty)
      let file = folder.appending(path: "map.json")
      try Data(map.text.utf8).write(to: file)
      let cut = try Self.cut("heart-rate", at: 126, into: folder)
      let full = Self.lines(
        try Program.run(["show", "--layer", "att", "--packets", "126-", whole]).text)
      let told = try Program.run(["show", "--layer", "att", "--map", file.path, cut])
      #expect(told.status == 0 && told.errors.isEmpty)
      let supplied = Self.lines(told.text).map {
        $0.replacing(", supplied", with: "").replacing(" (supplied)", with: "")
      }
      #expect(supplied.map { $0.split(separator: " ") } == full.map { $0.split(separator: " ") })
      // The capture has asked for descriptors; nothing else is claimed to be discovered.
      let again = try Program.run(["map", "--json", "--map", file.path, cut])
      let devices = again.objects.first??["devices"] as? [[String: Any]]
      let services = devices?.first?["services"] as? [[String: Any]]
      #expect(services?.count == 6)
      #expect(services?.allSatisfy { $0["via"] as? String == "supplied" } == true)
    }
  }

  @Test("A cache file of BlueZ, named by the device's address or not")
  func cacheFile() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "F1:F1:F1:F1:F1:F1")
      try Data(
        """
        [General]
        Name=HRM-7

        [Attributes]
        000e=2800:0015:0000180d-0000-1000-8000-00805f9b34fb
        000f=2803:0010:10:00002a37-0000-1000-8000-00805f9b34fb
        0011=00002902-0000-1000-8000-00805f9b34fb
        """.utf8
      ).write(to: file)
      let cut = try Self.cut("heart-rate", at: 126, into: folder)
      let told = try Program.run(["show", "--layer", "att", "--map", file.path, cut])
      #expect(told.text.contains("Write Request   2902 CCCD of 2a37 (0x0011, supplied) 01 00"))
      #expect(told.text.contains("Notification    2a37 Heart Rate Measurement (supplied) 00 48"))
    }
  }

  @Test("The capture is believed where a map says otherwise, and that is reported")
  func contradiction() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "map.json")
      let map = """
        {"schema":1,"devices":[{"services":[{"uuid":"180f","type":"primary","start_handle":"0x000e",
        "end_handle":"0x0015","characteristics":[]}]}]}
        """
      try Data(map.utf8).write(to: file)
      let whole = Program.sample("heart-rate")
      let told = try Program.run(["map", "--map", file.path, whole])
      #expect(
        told.text.contains(
          "discoveries disagree: 0x000e, service 180d Heart Rate (#50), but before 0x000e, "
            + "service 180f Battery (supplied)"))
      #expect(told.text.contains("0x000e–0015  180d Heart Rate"))
      let shown = try Program.run(["show", "--errors", "--map", file.path, whole])
      #expect(shown.text.contains("0x000e than the map that was supplied"))
    }
  }

  @Test(
    "A file that is no map is refused",
    arguments: [
      ("{\"devices\":[{\"services\":[{\"uuid\":\"xyz\",\"start_handle\":\"0x0001\"}]}]}", 65),
      ("{\"devices\":", 65), ("[[[[[[[[[[[[[[[[[[[[", 65), ("{}", 65), ("hello", 65), ("", 65),
      ("[Attributes]\n0001=\n", 65),
    ])
  func noMap(_ text: String, _ status: Int) throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "map.json")
      try Data(text.utf8).write(to: file)
      let ending = try Program.run(["map", "--map", file.path, Program.sample("heart-rate")])
      #expect(Int(ending.status) == status && ending.text.isEmpty)
      #expect(ending.errors.hasPrefix("gattscope: \(file.path) "))
      #expect(ending.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("A map that is not there")
  func missing() throws {
    let ending = try Program.run(["map", "--map", "/nowhere/map", Program.sample("heart-rate")])
    #expect(ending.status == 66)
  }
}
