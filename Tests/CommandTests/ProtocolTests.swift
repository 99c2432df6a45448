import Foundation
import ProgramRunner
import Testing

/// Runs commands on a conversation with a profile.
private struct Trial {
  let folder: Folder
  let arguments: [String]

  init(_ talk: Talk, profile: String = "") throws {
    folder = try Folder()
    let capture = try folder.write("talk.btsnoop", talk.file.bytes)
    if profile.isEmpty {
      arguments = [capture]
    } else {
      let path = try folder.write("trial.yaml", [UInt8](profile.utf8))
      arguments = ["--profile", path, capture]
    }
  }

  func text(_ command: [String]) throws -> String {
    let run = try Program.run(command + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return run.text
  }

  /// Returns the decoded values of one attribute, in order.
  func decoded(_ uuid: String, _ command: String = "show") throws -> [[String: Any]] {
    let run = try Program.run([command, "--json", "--uuid", uuid] + arguments)
    return run.objects.compactMap { $0?["decoded"] as? [String: Any] }
  }

  /// Returns the lines of values about the outcome of requests and series.
  func exchanges() throws -> [[String: Any]] {
    let run = try Program.run(["values", "--json"] + arguments)
    return run.objects.compactMap(\.self).filter { $0["type"] as? String == "exchange" }
  }

  /// Returns the end of each line of show about an attribute, without its discovery.
  func lines(_ uuid: String) throws -> [String] {
    let all = try text(["show", "--uuid", uuid]).split(separator: "\n").dropFirst()
    return all.filter { !$0.contains("Read By Type") && !$0.contains("Find Info") }.map { line in
      String(line.split(separator: "  ").last ?? "").trimmingCharacters(in: .whitespaces)
    }
  }
}

private func codes(_ decoded: [String: Any]) -> [String] {
  (decoded["problems"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
}

@Suite("Messages over several packets, as a user sees them")
struct ProtocolTests {
  private static let band = """
    profile: band
    applies_to: [{service: fff0}]
    frame:
      start: "a6"
      length: {at: 1, type: u8}
      command: {at: 2, type: u8}
      payload: [3, -1]
      checksum: {at: -1, algorithm: xor8}
      reassemble: {timeout_ms: 2000}
    exchange: {request: command & 0x80 == 0, response: command | 0x80}
    messages:
      - {command: 3, name: count.request, fields: [], text: "how many?"}
      - command: 0x83
        name: count.response
        fields: [{name: total, type: u8}]
        series: {count: total, command: 0x84, index: number}
        text: "{total} follow"
      - {command: 0x84, name: data, unsolicited: true, fields: [{name: number, type: u8}], text: "data {number}"}
      - command: "0x90-0x9f"
        name: event
        unsolicited: true
        fields: [{name: data, type: bytes, optional: true}]
        text: "event[ {data}]"

    """

  private static func frame(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let frame = [0xa6, UInt8(payload.count + 4), command] + payload
    return frame + [frame.reduce(0, ^)]
  }

  private static var talk: Talk {
    var talk = Talk()
    talk.discover(0xfff0, 0x10...0x1f, [(0x12, 0xfff6), (0x14, 0xfff7)])
    return talk
  }

  @Test("A series reports how much of it arrived, and why it is incomplete")
  func series() throws {
    var talk = Self.talk
    for count: UInt8 in [2, 3, 4] {
      talk.write(0x12, Self.frame(3))
      talk.notify(0x14, Self.frame(0x83, [count]))
      talk.notify(0x14, Self.frame(0x84, [0]))
      talk.notify(0x14, Self.frame(0x84, [count - 1]))
      if count == 3 {
        talk.wait(8000)
        talk.notify(0x14, Self.frame(0x90, [1]))
      }
    }
    let trial = try Trial(talk, profile: Self.band)
    let lines = try trial.lines("fff7")
    #expect(
      lines == [
        "2 follow, answers #5", "data 0, 1 of 2", "data 1, 2 of 2, all that #6 announced",
        "3 follow, answers #9", "data 0, 1 of 3", "data 2, 2 of 3",
        "event 01, 2 of 3 that #10 announced came, missing 1",
        "4 follow, answers #14", "data 0, 1 of 4", "data 3, 2 of 4",
      ])
    for command in ["show", "values"] {
      let decoded = try trial.decoded("fff7", command)
      let series = decoded.map { $0["series"] as? [String: Any] }
      #expect(series.map { $0?["received"] as? Int } == [0, 1, 2, 0, 1, 2, nil, 0, 1, 2])
      #expect(series[2]?["complete"] as? Bool == true)
      #expect(series[2]?["announced_by"] as? Int == 6)
      let unfinished = (decoded[6]["unfinished"] as? [[String: Any]])?.first
      #expect(unfinished?["kind"] as? String == "series")
      #expect(unfinished?["missing"] as? [Int] == [1])
      #expect(codes(decoded[6]) == ["series_incomplete"])
    }
    let table = try trial.text(["values"])
    #expect(
      table.contains(
        """
        band: 3 requests, all answered; 1 of 3 series complete
          2 of 3 that #10 announced came, missing 1
          2 of 4 that #15 announced came, missing 1–2

        """), "\(table)")
    // Open series are reported after the lines, unless reading ended before the capture did.
    for options in [[], ["--json"], ["--uuid", "fff7"]] {
      let shown = try Program.run(["show"] + options + trial.arguments)
      #expect(
        shown.errors.hasSuffix(
          ": band: 2 of 4 that #15 announced came, missing 1–2, and the capture ends\n"))
    }
    for options in [["--packets", "1-16"], ["--layer", "hci_evt"]] {
      let errors = try Program.run(["show"] + options + trial.arguments).errors
      #expect(!errors.contains("announced"), "\(options): \(errors)")
    }
    let exchange = try #require(try trial.exchanges().first)
    #expect(exchange["name"] as? String == "band" && exchange["connection"] as? Int == 1)
    #expect(exchange["series"] as? Int == 3 && exchange["complete"] as? Int == 1)
    #expect((exchange["unfinished"] as? [[String: Any]])?.count == 2)
  }

  @Test("Several frames in one value are several messages")
  func several() throws {
    var talk = Self.talk
    talk.write(0x12, Self.frame(3))
    talk.notify(0x14, Self.frame(0x90, [1]) + Self.frame(0x83, [0]) + Self.frame(0x91))
    talk.notify(0x14, Self.frame(0x90) + Self.frame(0x91, [2, 3])[..<3])
    talk.notify(0x14, Self.frame(0x91, [2, 3])[3...] + Self.frame(0x92) + [7])
    let trial = try Trial(talk, profile: Self.band)
    #expect(
      try trial.lines("fff7") == [
        "event 01; 0 follow, answers #5; event", "event; command 91, bytes 1–3 of 6",
        "event 02 03; event, 1 byte too many: 07",
      ])
    let decoded = try trial.decoded("fff7", "values")
    let following = decoded.map { $0["following"] as? [[String: Any]] ?? [] }
    #expect(following.map(\.count) == [2, 1, 1])
    #expect(following[0][0]["answers"] as? Int == 5)
    #expect(following[1][0]["name"] as? String == "part")
    #expect(decoded[2]["reassembled_from"] as? [Int] == [7, 8])
    #expect(codes(following[2][0]) == ["trailing_bytes"])
    let details = try trial.text(["show", "-v", "--packets", "6"])
    #expect(details.contains("text: event 01\n") && details.contains("following: 0 follow"))
    // Showing only one packet still processes all others.
    let last = try trial.text(["show", "--packets", "8"])
    #expect(last.contains("event 02 03; event"))
  }

  @Test("A message in several frames is joined; gaps and repetitions are reported")
  func chunks() throws {
    let profile = """
      profile: chunky
      applies_to: [{characteristic: fff7}]
      frame:
        start: "b0"
        command: {at: 1, type: u8}
        payload: [4, -1]
        checksum: {at: -1, algorithm: sum8}
        chunk: {index: {at: 2, type: u8}, count: {at: 3, type: u8}}
      messages:
        - {command: 0x81, name: text, unsolicited: true, fields: [{name: text, type: utf8, label: ""}]}

      """
    func frame(_ index: UInt8, _ text: String) -> [UInt8] {
      let frame = [0xb0, 0x81, index, 3] + [UInt8](text.utf8)
      return frame + [frame.reduce(0, &+)]
    }
    var talk = Self.talk
    for index: UInt8 in [0, 1, 2, 0, 2, 2, 1, 0] { talk.notify(0x14, frame(index, "<\(index)>")) }
    talk.notify(0x14, frame(0, "other"))
    let trial = try Trial(talk, profile: profile)
    #expect(
      try trial.lines("fff7") == [
        "command 81, part 1 of 3", "command 81, part 2 of 3", "text: \"<0><1><2>\"",
        "command 81, part 1 of 3", "command 81, part 3 of 3, part 2 has not come",
        "command 81, part 3 of 3, part 3 came before", "text: \"<0><1><2>\", part 2 comes late",
        "command 81, part 1 of 3",
        "command 81, part 1 of 3, the message of #12 is incomplete: 1 of 3 parts, missing 2–3",
      ])
    let left =
      "chunky: the message of #13 is incomplete: 1 of 3 parts, missing 2–3, and the capture ends"
    for arguments in [["show"], ["show", "--json"]] {
      let run = try Program.run(arguments + trial.arguments)
      #expect(run.errors.hasSuffix(left + "\n"), "\(arguments): \(run.errors)")
    }
    let decoded = try trial.decoded("fff7", "values")
    #expect(
      decoded.map { ($0["part"] as? [String: Int])?["number"] }
        == [1, 2, nil, 1, 3, 3, nil, 1, 1])
    #expect(decoded[6]["reassembled_from"] as? [Int] == [8, 9, 11])
    #expect(
      decoded.map(codes) == [
        [], [], [], [], ["missing_part"], ["repeated_part"], ["part_out_of_order"], [],
        ["message_incomplete"],
      ])
    #expect(try trial.text(["values"]).contains("chunky: 2 messages incomplete\n"))
  }

  @Test("Control points pair requests and responses")
  func controlPoint() throws {
    var talk = Talk()
    talk.discover(0x1808, 0x20...0x2f, [(0x22, 0x2a52)])
    talk.request(0x22, [4, 1])
    talk.indicate(0x22, [5, 0, 12, 0])
    talk.request(0x22, [1, 1])
    talk.request(0x22, [3, 0])
    talk.indicate(0x22, [6, 0, 3, 1])
    talk.request(0x22, [2, 1], error: 0xfe)
    talk.indicate(0x22, [6, 0, 4, 1])
    let trial = try Trial(talk)
    for command in ["show", "values"] {
      let decoded = try trial.decoded("2a52", command)
      let answers = decoded.map { $0["answers"] as? Int }
      #expect(answers == [nil, 5, nil, nil, 11, nil, nil], "\(command)")
      #expect(decoded[1]["latency_ms"] as? Double == 20)
      #expect(decoded[6]["answers_nothing"] as? Bool == true)
    }
    let shown = try trial.text(["show"])
    #expect(shown.contains("number of stored records, 12, answers #5\n"), "\(shown)")
    #expect(
      try trial.text(["values"]).contains(
        "Record Access Control Point: 4 requests, 2 answered, 1 refused; no answer to #9\n"))
    let exchange = try trial.exchanges().first
    #expect(exchange?["refused"] as? Int == 1 && exchange?["unanswered"] as? [Int] == [9])
  }

  /// CGM Service 1.0.2, 3.1.1.3: bit 12 of the features means that there is a CRC.
  @Test("A value that depends on another is certain once the other one was seen")
  func externals() throws {
    var talk = Talk()
    talk.discover(0x181f, 0x30...0x3f, [(0x32, 0x2aa8), (0x34, 0x2aa7)])
    let measurement: [UInt8] = [8, 0, 0x78, 0, 5, 0, 0x0d, 0xe8]
    talk.notify(0x34, measurement)
    talk.read(0x32, [0, 0x10, 0, 0x19, 0xf4, 0x0b])
    talk.notify(0x34, measurement)
    let trial = try Trial(talk)
    for command in ["show", "values"] {
      let decoded = try trial.decoded("2aa7", command)
      #expect(decoded.map { $0["assumed"] as? [String] } == [["e2e_crc"], nil], "\(command)")
    }
  }

  @Test("A descriptor's format decodes its value if no profile does")
  func format() throws {
    var talk = Talk()
    talk.discover(
      0xfeaa, 0x40...0x4f, [(0x42, 0xff01), (0x45, 0xff02), (0x4a, 0x2a19)],
      descriptors: [(0x43, 0x2904), (0x46, 0x2904), (0x47, 0x2904), (0x48, 0x2905), (0x4b, 0x2904)])
    let temperature: [UInt8] = [0x0e, 0xfe, 0x2f, 0x27, 1, 0, 0]
    talk.notify(0x42, [0xf6, 9])
    talk.read(0x43, temperature)
    talk.notify(0x42, [0xf6, 9])
    talk.read(0x46, temperature)
    talk.read(0x47, [4, 0, 0xad, 0x27, 1, 0, 0])
    // Nothing tells which of the two it is.
    talk.notify(0x45, [0xf6, 9, 55])
    talk.read(0x48, [0x46, 0, 0x47, 0])
    talk.notify(0x45, [0xf6, 9, 55])
    talk.read(0x4b, temperature)
    talk.notify(0x4a, [55])
    let trial = try Trial(talk)
    #expect(
      try trial.lines("ff01").suffix(2) == ["f6 09", "25.50 °C, by its presentation format"])
    #expect(
      try trial.lines("ff02").suffix(2) == [
        "f6 09 37", "25.50 °C, 55 %, by its presentation format",
      ])
    #expect(try trial.lines("2a19").last?.hasPrefix("55 %") == true)
    for command in ["show", "values"] {
      let decoded = try trial.decoded("ff01", command)
      #expect(decoded.count == 1)
      #expect(decoded[0]["recognized_by"] as? String == "presentation_format")
      let fields = decoded[0]["fields"] as? [String: [String: Any]]
      #expect(fields?["value"]?["number"] as? Double == 25.5)
      #expect(fields?["value"]?["unit"] as? String == "°C")
    }
    #expect(try trial.text(["values"]).contains("25.50 °C, by its presentation format"))
    let map = try trial.text(["map"])
    #expect(map.contains("25.50 °C, by its presentation format"), "\(map)")
  }

  @Test("A named profile that decodes nothing is reported with the most common reason")
  func unmatched() throws {
    var talk = Self.talk
    for byte: UInt8 in [1, 2, 3] { talk.notify(0x14, [0x55, 5, byte, 0, 0]) }
    let trial = try Trial(
      talk, profile: Self.band.replacingOccurrences(of: "fff0", with: "fff0, characteristic: fff7"))
    for options in [[], ["--json"], ["--uuid", "fff7"]] {
      let errors = try Program.run(["show"] + options + trial.arguments).errors
      #expect(
        errors.hasSuffix(
          "trial.yaml matched nothing in this capture: 3 values of fff7 begin with 55, not a6\n"),
        "\(options): \(errors)")
    }
    // Not if reading ended before the capture did.
    let some = try Program.run(["show", "--limit", "1"] + trial.arguments).errors
    #expect(!some.contains("matched nothing"))
    let details = try trial.text(["show", "-v", "--uuid", "fff7"])
    #expect(details.contains("not band: begins with 55, not a6\n"), "\(details)")
    #expect(!details.contains("not band: has a checksum"))
    talk.notify(0x14, [0xa6, 4, 0x83, 0x21])
    let other = try Trial(talk, profile: Self.band)
    #expect(try !Program.run(["show"] + other.arguments).errors.contains("matched nothing"))
  }

  @Test("Lines of text are found by their words, also if a line spans values")
  func lines() throws {
    let profile = """
      profile: modem
      applies_to: [{characteristic: fff7}]
      frame: {lines: true, reassemble: {timeout_ms: 2000}}
      messages:
        - {command: "+NAME:", name: named, fields: [{name: name, type: utf8}], text: "is called {name}"}

      """
    var talk = Self.talk
    for part in ["+NAME:lan", "tern\r\n", "OK\r"] { talk.notify(0x14, [UInt8](part.utf8)) }
    let trial = try Trial(talk, profile: profile)
    let lines = try trial.lines("fff7")
    #expect(lines.count == 3 && lines[1] == "is called \"lantern\"" && lines[2] == "\"OK\"")
    let found = try trial.text(["show", "--text", "lantern"])
    #expect(found.contains("is called \"lantern\""))
    // Without a profile, line ends are visible in quoted text.
    let trialled = try Program.run(["profiles", "decode", "--uuid", "2a00", "41540d0a"])
    #expect(trialled.text == "\"AT\\r\\n\"\n")
    let refused = try Program.run(
      ["profiles", "decode", "--profile", trial.arguments[1], "--uuid", "fff7", "4101"])
    #expect(refused.text == "no profile decodes this; modem: contains 01, which is not text\n")
  }

  /// Of the wristband's sample, only the data that the host sent: 8 requests.
  @Test("A capture without anything from the server does not show whether it answered")
  func oneDirection() throws {
    let sample = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Program.sample("wristband"))))
    func number(_ place: Int) -> Int { sample[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    var sent = Array(sample.prefix(16))
    var place = 16
    while place + 24 < sample.count {
      let end = place + 24 + number(place + 4)
      if number(place + 8) & 1 == 0, sample[place + 24] == 2 { sent += sample[place..<end] }
      place = end
    }
    let folder = try Folder()
    let path = try folder.write("sent.btsnoop", sent)
    let values = try Program.run(["values", path]).text
    #expect(values.contains("command 02 → command 77") && !values.contains("answer"), "\(values)")
    let told = try Program.run(["explain", path]).text
    #expect(told.contains("wristband: 8 requests\n"), "\(told)")
    #expect(!told.contains("0 answered"), "\(told)")
  }
}
