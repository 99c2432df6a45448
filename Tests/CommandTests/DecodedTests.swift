import Foundation
import ProgramRunner
import Testing

private let generated = Program.sharedCaptures.appending(path: "generated")

/// Returns the generator's own record of a scenario.
private func truth(_ scenario: String) throws -> [[String: Any]] {
  let data = try Data(contentsOf: generated.appending(path: "\(scenario).truth.json"))
  let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
  return document?["ops"] as? [[String: Any]] ?? []
}

private func values(_ scenario: String, _ more: [String] = []) throws -> [[String: Any]] {
  let path = generated.appending(path: "\(scenario).btsnoop").path
  let run = try Program.run(["values", "--json", "--layer", "att", path] + more)
  #expect(run.status == 0, "\(run.errors)")
  return run.objects.compactMap(\.self)
}

private func bytes(_ hex: String) -> [UInt8] {
  let digits = Array(hex.utf8)
  return stride(from: 0, to: digits.count - 1, by: 2).map { index in
    UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
  }
}

@Suite(
  "Decoded values, compared with the truth of the capture generator",
  .enabled(
    if: FileManager.default.fileExists(atPath: generated.path),
    "the shared captures, which say what is true, are not there"))
struct DecodedTruthTests {
  /// The test parses the frames itself: A5, length, command, payload, exclusive or.
  @Test("The wristband's frames: commands, payloads, checksums, requests and responses")
  func wristband() throws {
    let reported = try values("wristband_a5").filter { $0["decoded"] != nil }
      .filter { ($0["uuid"] as? String)?.hasPrefix("fff") ?? false }
    let operations = try truth("wristband_a5").filter { operation in
      operation["handle"] as? Int == 16 && operation["op"] as? String == "write"
        || operation["handle"] as? Int == 18 && operation["op"] as? String == "notification"
    }
    try #require(reported.count == operations.count)
    var open: [UInt8] = []
    var parts: [Int] = []
    var requests: [(command: UInt8, packet: Int)] = []
    for (value, operation) in zip(reported, operations) {
      let packet = try #require(value["packet"] as? Int)
      let decoded = try #require(value["decoded"] as? [String: Any])
      #expect(decoded["profile"] as? String == "wristband")
      #expect(decoded["recognized_by"] as? String == "frame")
      let hex = try #require(operation["value"] as? String)
      #expect(value["value"] as? String == hex)
      open += bytes(hex)
      parts.append(packet)
      guard open.count == Int(open[1]) else {
        #expect(decoded["name"] as? String == "part", "#\(packet)")
        let part = try #require(decoded["part"] as? [String: Int])
        #expect(part["last_byte"] == open.count, "#\(packet)")
        #expect(part["frame_length"] == Int(open[1]), "#\(packet)")
        continue
      }
      let fields = try #require(decoded["fields"] as? [String: [String: Any]])
      let isRight = open.reduce(0, ^) == 0
      #expect(fields["checksum"]?["word"] as? String == (isRight ? "ok" : "bad"), "#\(packet)")
      #expect((decoded["problems"] == nil) == isRight, "#\(packet)")
      #expect(
        decoded["reassembled_from"] as? [Int] == (parts.count > 1 ? parts : nil), "#\(packet)")
      let command = open[2]
      let payload = Array(open[3..<open.count - 1])
      let digits = payload.map { String(format: "%02x", $0) }
      let expected: String =
        switch command {
        case 0x03: String(format: "packet count for %02d-%02d?", payload[0], payload[1])
        case 0x83: "packet count \(Int(payload[0]) | Int(payload[1]) << 8)"
        default:
          String(format: "command %02x", command)
            + (digits.isEmpty ? "" : ", payload \(digits.prefix(20).joined(separator: " "))")
            + (digits.count > 20 ? " … (\(digits.count) bytes)" : "")
        }
      // Text cuts long values; the field has all of it.
      if command & 0x7f != 3, !digits.isEmpty {
        #expect(fields["payload"]?["hex"] as? String == digits.joined(), "#\(packet)")
      }
      #expect(decoded["text"] as? String == expected, "#\(packet)")
      if command & 0x80 == 0 {
        requests.append((command, packet))
      } else if let place = requests.firstIndex(where: { $0.command | 0x80 == command }) {
        #expect(decoded["answers"] as? Int == requests.remove(at: place).packet, "#\(packet)")
        #expect((decoded["latency_ms"] as? Double ?? -1) > 0, "#\(packet)")
      } else {
        #expect(decoded["answers_nothing"] as? Bool == true, "#\(packet)")
      }
      open = []
      parts = []
    }
    #expect(requests.count == 1, "one request, with the wrong checksum, has no response")
  }

  @Test("The text service's values are their UTF-8")
  func text() throws {
    let reported = try values("cdd1_text", ["--uuid", "cdd2"]).filter { $0["failed"] == nil }
    #expect(reported.count >= 7)
    for value in reported {
      let hex = try #require(value["value"] as? String)
      guard let decoded = value["decoded"] as? [String: Any] else { continue }
      let fields = decoded["fields"] as? [String: [String: Any]]
      #expect(
        fields?["text"]?["text"] as? String == String(decoding: bytes(hex), as: UTF8.self),
        "#\(value["packet"] ?? "")")
    }
    let notified = reported.filter { $0["operation"] as? String == "notification" }
    #expect(
      notified.compactMap { ($0["decoded"] as? [String: Any])?["text"] as? String }
        == ["\"one\"", "\"two\"", "\"three ✓\""])
  }

  /// Heart Rate Service 1.0, 3.1.1: bit 0 the format, bits 1 and 2 the contact, bit 3 energy, bit 4
  /// RR.
  @Test("Heart rates, energy and RR intervals")
  func heartRate() throws {
    let reported = try values("hrm", ["--uuid", "2a37", "--operation", "notification"])
    #expect(reported.count == 7)
    for value in reported {
      let raw = bytes(try #require(value["value"] as? String))
      let decoded = try #require(value["decoded"] as? [String: Any])
      let fields = try #require(decoded["fields"] as? [String: [String: Any]])
      let isWide = raw[0] & 1 == 1
      var next = isWide ? 3 : 2
      let rate = isWide ? Int(raw[1]) | Int(raw[2]) << 8 : Int(raw[1])
      #expect(fields["heart_rate"]?["number"] as? Int == rate, "#\(value["packet"] ?? "")")
      if raw[0] & 8 != 0 {
        let energy = Int(raw[next]) | Int(raw[next + 1]) << 8
        #expect(fields["energy_expended"]?["number"] as? Int == energy)
        next += 2
      }
      if raw[0] & 16 != 0 {
        let intervals = stride(from: next, to: raw.count, by: 2).map { (place: Int) -> Double in
          let units = Int(raw[place]) | Int(raw[place + 1]) << 8
          return Double(units) / 1024
        }
        let list = try #require(fields["rr_interval"]?["list"] as? [[String: Double]])
        #expect(list == intervals.map { ["number": $0] })
      }
    }
  }
}

@Suite("Decoded values, as a user requests them")
struct DecodedCommandTests {
  private let profile = """
    profile: band
    characteristics:
      - uuid: "fff7"
        name: Band
        fields: [{name: start, type: u8}, {name: rest, type: bytes}]
        text: "starts with {start}"

    """

  @Test("A user's profile has precedence, by option or in the user's folder")
  func supplied() throws {
    let folder = try Folder()
    try folder.write("band.yaml", [UInt8](profile.utf8))
    let arguments = ["show", "--uuid", "fff7", "--opcode", "0x1b", Program.sample("wristband")]
    #expect(try Program.run(arguments).text.contains("fff7 wristband"))
    let named = try Program.run(arguments + ["--profile", folder.path("band.yaml")])
    #expect(named.text.contains("fff7 Band") && named.text.contains("starts with 165"))
    let home = folder.url.appending(path: "gattscope/profiles")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "band.yaml"), to: home.appending(path: "band.yaml"))
    let found = try Program.run(arguments, environment: ["XDG_CONFIG_HOME": folder.url.path])
    #expect(found.output == named.output, "\(found.errors)")
    let missing = try Program.run(arguments + ["--profile", folder.path("no.yaml")])
    #expect(missing.status == 66)
  }

  @Test(
    "Unanswered requests are counted, and packets that are not shown are still processed")
  func followed() throws {
    let capture = Program.sample("wristband")
    let table = try Program.run(["values", capture]).text
    #expect(table.contains("requests, ") && table.contains("answered; no answer to #"), "\(table)")
    let answers = try Program.run(["show", "--uuid", "fff7", capture]).text
    #expect(answers.contains(", answers #"), "\(answers)")
  }

  @Test("Frames over several notifications are joined in a long capture")
  func longCapture() throws {
    var file = CaptureBytes()
    // 51 bytes in three notifications.
    var frame: [UInt8] = [0xa5, 51, 0x84] + (0..<47).map { UInt8($0) }
    frame.append(frame.reduce(0, ^))
    for index in 0..<9000 {
      let part = index % 3
      let piece = frame[20 * part..<min(51, 20 * part + 20)]
      let size = UInt8(piece.count)
      file.record(
        [2, 1, 0x20, size + 7, 0, size + 3, 0, 4, 0, 0x1b, 0x10, 0] + piece, flags: 1,
        microseconds: Int64(index) * 1000)
    }
    let folder = try Folder()
    try folder.write("long.btsnoop", file.bytes)
    let run = try Program.run(["show", "--json", folder.path("long.btsnoop")])
    #expect(run.lines.count { $0.contains("\"reassembled_from\":[") } == 3000)
    // The first two parts come before a frame was recognised.
    #expect(run.lines.count { $0.contains("\"name\":\"part\"") } == 5998)
  }
}
