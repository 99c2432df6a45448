import Foundation
import ProgramRunner
import Testing

@Suite("map, and supplied maps")
struct MapTests {
  /// Returns the ATT lines after the time, without packet numbers.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").dropFirst().map { line in
      let what = line.firstIndex { $0 == "\u{2190}" || $0 == "\u{2192}" } ?? line.startIndex
      let words = line[what...]
      return words.firstIndex(of: "#").map { words[..<$0] } ?? words
    }
  }

  /// Writes a capture without the discovery of its first connection to a folder: the rest begins
  /// with a packet that the whole one has, too.
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

  @Test("With the map of the whole capture, one without discovery gives the same output")
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
      let reported = try Program.run(["show", "--layer", "att", "--map", file.path, cut])
      #expect(reported.status == 0 && reported.errors.isEmpty)
      let supplied = Self.lines(reported.text).map {
        $0.replacing(", supplied", with: "").replacing(" (supplied)", with: "")
      }
      #expect(supplied.map { $0.split(separator: " ") } == full.map { $0.split(separator: " ") })
      // The capture asked for descriptors; nothing else counts as discovered.
      let again = try Program.run(["map", "--json", "--map", file.path, cut])
      let devices = again.objects.first??["devices"] as? [[String: Any]]
      let services = devices?.first?["services"] as? [[String: Any]]
      #expect(services?.count == 6)
      // Empty kinds are not counted.
      let page = try Program.run(["map", "--map", file.path, cut]).text
      #expect(page.contains("\n3 descriptors, discovered (#4–#12); "), "\(page)")
      #expect(
        page.contains("; 6 services, 15 characteristics, 2 descriptors supplied\n"), "\(page)")
    }
  }

  /// Returns the text without what differs: packet numbers, times, sources of names.
  private static func plain(_ text: String) -> [String] {
    lines(text).map { line in
      line.replacing(", supplied", with: "").replacing(" (supplied)", with: "")
        .replacing(/#\d+/, with: "#").split(separator: " ").joined(separator: " ")
    }
  }

  /// A session and the same one without its discovery.
  private static let session = ["trunc", "nodisc"].map { name in
    Program.sharedCaptures.appending(path: "damaged/\(name).btsnoop").path
  }

  @Test(
    "A real stack's session without discovery gives the same output with the map of the whole",
    .enabled(
      if: session.allSatisfy(FileManager.default.fileExists(atPath:)),
      "the shared captures are not there"))
  func sessionWithoutDiscovery() throws {
    let (full, cut) = (Self.session[0], Self.session[1])
    try Self.withFolder { folder in
      let file = folder.appending(path: "map.json")
      try Data(try Program.run(["map", "--json", full]).text.utf8).write(to: file)
      let shown = Self.plain(try Program.run(["show", "--layer", "att", full]).text)
      let reported = Self.plain(
        try Program.run(["show", "--layer", "att", "--map", file.path, cut]).text)
      // One record of the whole one is cut short; only the other one has it complete.
      let isWhole = shown.suffix(reported.count).map { !$0.contains("the capture kept") }
      #expect(reported.count == 30 && isWhole.count { !$0 } == 1)
      for (index, isWhole) in isWhole.enumerated() where isWhole {
        #expect(
          reported[index] == shown.suffix(reported.count)[shown.count - reported.count + index])
      }
      let values = try Self.values(["values", "--json", full])
      let others = try Self.values(["values", "--json", "--map", file.path, cut])
      // The read that was refused before encryption is in the removed part; the value that the
      // whole one lacks is in the other one.
      let left = values.filter { $0["failed"] == nil }
      #expect(others.count == left.count + 1)
      #expect(left.allSatisfy { others.contains($0) }, "\(left.filter { !others.contains($0) })")
    }
  }

  /// Returns the printed values, without their positions and the sources of their names.
  private static func values(_ arguments: [String]) throws -> [NSDictionary] {
    try Program.run(arguments).objects.compactMap(\.self).map { value in
      // The pairing reports the identity, and it was removed, too.
      let dropped: Set = ["packet", "packets", "time", "elapsed_s", "response", "via", "identity"]
      return value.filter { !dropped.contains($0.key) } as NSDictionary
    }
  }

  @Test("A map that fits no device, or several equally well, is reported")
  func fits() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "map.json")
      let service = """
        "services":[{"uuid":"180f","type":"primary","start_handle":"0x0100","end_handle":"0x0105",
        "characteristics":[]}]
        """
      let whole = Program.sample("heart-rate")
      for (devices, expected) in [
        (
          "{\"address\":\"00:00:00:00:00:01\",\(service)},{\"address\":\"00:00:00:00:00:02\",\(service)}",
          "no connected device fits the map"
        ),
        (
          "{\"name\":\"HRM-7\",\(service)},{\"name\":\"HRM-7\",\(service)}",
          "several devices of the map have the name of F1:F1:F1:F1:F1:F1: none was used"
        ),
        ("{\"name\":\"HRM-7\",\(service)}", ""),
      ] {
        try Data("{\"schema\":1,\"devices\":[\(devices)]}".utf8).write(to: file)
        let reported = try Program.run(["values", "--map", file.path, whole])
        #expect(reported.status == 0)
        #expect(
          expected.isEmpty
            ? reported.errors.isEmpty : reported.errors == "gattscope: \(whole): \(expected)\n",
          "\(reported.errors)")
      }
    }
  }

  @Test("A cache file of BlueZ, whether or not the device's address is its name")
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
      let reported = try Program.run(["show", "--layer", "att", "--map", file.path, cut])
      #expect(
        reported.text.contains(
          "Write Request   2902 CCCD of 2a37 (0x0011, supplied)  notifications")
      )
      #expect(
        reported.text.contains("Notification    2a37 Heart Rate Measurement (supplied)  72 bpm"))
    }
  }

  @Test("If a map contradicts the capture, the capture is used, and that is reported")
  func contradiction() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "map.json")
      let map = """
        {"schema":1,"devices":[{"services":[{"uuid":"180f","type":"primary","start_handle":"0x000e",
        "end_handle":"0x0015","characteristics":[]}]}]}
        """
      try Data(map.utf8).write(to: file)
      let whole = Program.sample("heart-rate")
      let reported = try Program.run(["map", "--map", file.path, whole])
      #expect(
        reported.text.contains(
          "discoveries disagree: 0x000e, service 180d Heart Rate (#50), but before 0x000e, "
            + "service 180f Battery (supplied)"))
      #expect(reported.text.contains("0x000e–0015  180d Heart Rate"))
      let shown = try Program.run(["show", "--errors", "--map", file.path, whole])
      #expect(shown.text.contains("0x000e differently from the map that was supplied"))
    }
  }

  @Test("A map that contradicts the use of attributes is not used, and that is reported")
  func contradictedByUse() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: "map.json")
      // No declaration is at the handle of the capture's notification.
      let map = """
        {"schema":1,"devices":[{"services":[{"uuid":"180f","type":"primary","start_handle":"0x000e",
        "end_handle":"0x0015","characteristics":[{"uuid":"2a19","declaration_handle":"0x0010",
        "value_handle":"0x0012","properties":["read"]}]}]}]}
        """
      try Data(map.utf8).write(to: file)
      let cut = try Self.cut("heart-rate", at: 126, into: folder)
      let reported = try Program.run(["map", "--map", file.path, cut])
      #expect(
        reported.text.contains("supplied, but contradicted by notification in #"),
        "\(reported.text)")
      #expect(reported.text.contains("nothing that was supplied is used of 0x000e–0015"))
      #expect(reported.text.contains("  0x0010       a value, inferred"))
      let document = try Program.run(["map", "--json", "--map", file.path, cut])
      #expect(document.text.contains("\"conflicts\":[{\"handle\":\"0x0010\""))
      for command in ["values", "show"] {
        let reported = try Program.run([command, "--map", file.path, cut])
        #expect(
          reported.errors.contains(
            "the map contradicts the capture: 0x0010, supplied as characteristic"),
          "\(command): \(reported.errors)")
        #expect(!reported.text.contains("2a19"))
      }
    }
  }

  @Test(
    "A file that is not a map is refused",
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

  @Test("A missing map")
  func missing() throws {
    let ending = try Program.run(["map", "--map", "/nowhere/map", Program.sample("heart-rate")])
    #expect(ending.status == 66)
  }
}
