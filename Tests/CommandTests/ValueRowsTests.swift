import Foundation
import ProgramRunner
import Testing

/// Runs `values` on a conversation with a profile.
private struct Trial {
  let folder: Folder
  let capture: String
  var profile: [String] = []

  init(_ talk: Talk, profile: String = "") throws {
    folder = try Folder()
    capture = try folder.write("talk.btsnoop", talk.file.bytes)
    guard !profile.isEmpty else { return }
    self.profile = ["--profile", try folder.write("trial.yaml", [UInt8](profile.utf8))]
  }

  func run(_ arguments: [String]) throws -> Program.Ending {
    let ending = try Program.run(arguments + profile + [capture])
    #expect(ending.status == 0, "\(ending.errors)")
    return ending
  }

  func objects(_ arguments: [String]) throws -> [[String: Any]] {
    try run(["values", "--json"] + arguments).objects.compactMap(\.self)
  }
}

private var talk: Talk {
  var talk = Talk()
  talk.discover(0xfff0, 0x10...0x1f, [(0x12, 0xfff6), (0x14, 0xfff7), (0x16, 0x2a19)])
  return talk
}

@Suite("The rows of values: changes, distinct values, CSV")
struct ValueRowsTests {
  private func counter() throws -> Trial {
    var talk = talk
    for value: UInt8 in [7, 7, 8] { talk.notify(0x14, [0, value]) }
    talk.request(0x12, [0xa1, 2])
    talk.notify(0x14, [0, 0])
    talk.notify(0x14, [0, 0])
    // The value changes before the write that caused it is answered.
    talk.att([0x12, 0x12, 0, 0xa2], isSent: true)
    talk.notify(0x14, [0, 1])
    talk.att([0x13], isSent: false)
    talk.request(0x12, [0xa3], error: 0x80)
    talk.notify(0x14, [0, 2])
    return try Trial(talk)
  }

  @Test("--changes prints values that differ from the one before, and the last write before each")
  func changes() throws {
    let trial = try counter()
    let rows = try trial.objects(["--changes", "--uuid", "fff7"])
    #expect(rows.map { $0["packet"] as? Int } == [5, 7, 10, 13, 17])
    let writes = rows.map { $0["last_write"] as? [String: Any] }
    #expect(writes.map { $0?["packet"] as? Int } == [nil, nil, 8, 12, 12])
    #expect(writes[2]?["uuid"] as? String == "fff6" && writes[2]?["value"] as? String == "a102")
    // Its outcome was not known yet; a write that was refused changed nothing.
    #expect(writes[3]?["value"] == nil && writes[4]?["value"] as? String == "a2")
    #expect(writes.map { $0?["answered"] as? Bool } == [nil, nil, nil, false, nil])
    let text = try trial.run(["values", "--changes", "--uuid", "fff7"]).lines
    #expect(text.count == 6 && text[3].hasSuffix("00 00  after #8 fff6 a1 02"), "\(text)")
    #expect(text[4].hasSuffix("00 01  after #12 fff6, not answered yet"), "\(text)")
    #expect(text[5].hasSuffix("00 02  after #12 fff6 a2"), "\(text)")
    let csv = try trial.run(["values", "--changes", "--csv", "--uuid", "fff7"]).lines
    #expect(
      csv.first?.hasSuffix(",last_write,last_write_uuid,last_write_value,last_write_state") == true)
    #expect(csv[3].hasSuffix(",8,fff6,a1 02,"), "\(csv)")
    #expect(csv[4].hasSuffix(",12,fff6,,unanswered"), "\(csv)")
    let columns = try trial.run(
      ["values", "--changes", "--csv", "--columns", "packet,last_write", "--uuid", "fff7"])
    #expect(columns.lines == ["packet,last_write", "5,", "7,", "10,8", "13,12", "17,12"])
  }

  @Test("A write is named once, and only by its packet if it has a line itself")
  func namedOnce() throws {
    var talk = talk
    talk.request(0x12, [0xa1])
    for value: UInt8 in [1, 2, 3] { talk.notify(0x14, [0, value]) }
    // It repeats the last one, so it has no line.
    talk.request(0x12, [0xa1])
    talk.notify(0x14, [0, 4])
    let lines = try Trial(talk).run(["values", "--changes"]).lines
    let ends = lines.suffix(4).map { $0.components(separatedBy: "  after ").dropFirst().first }
    #expect(ends == ["#5", nil, nil, "#10 fff6 a1"], "\(lines)")
  }

  @Test("--limit counts the values that are printed")
  func limit() throws {
    let rows = try counter().objects(["--changes", "--uuid", "fff7", "--limit", "2"])
    #expect(rows.map { $0["packet"] as? Int } == [5, 7])
  }

  @Test("--distinct prints each value once, with its count and its first and last packet")
  func distinct() throws {
    let trial = try counter()
    let rows = try trial.objects(["--distinct", "--operation", "notification"])
    #expect(rows.map { $0["value"] as? String } == ["0007", "0008", "0000", "0001", "0002"])
    #expect(rows.map { $0["count"] as? Int } == [2, 1, 2, 1, 1])
    #expect(rows.map { $0["packet"] as? Int } == [5, 7, 10, 13, 17])
    #expect(rows.map { $0["last_packet"] as? Int } == [6, 7, 11, 13, 17])
    let text = try trial.run(["values", "--distinct", "--uuid", "fff7"]).lines
    #expect(text.first?.hasPrefix("  count    #") == true && text.count == 6, "\(text)")
    #expect(text[1].hasPrefix("      2    5") && text[1].hasSuffix("00 07"), "\(text)")
    let csv = try trial.run(
      ["values", "--distinct", "--csv", "--columns", "value,count", "--uuid", "fff7"])
    #expect(csv.lines.prefix(3) == ["value,count", "00 07,2", "00 08,1"])
  }

  @Test("Columns that are empty throughout are left out, unless they are chosen")
  func columns() throws {
    var talk = talk
    talk.notify(0x16, [6])
    let trial = try Trial(talk)
    #expect(
      try trial.run(["values", "--csv", "--time", "none"]).lines == [
        "packet,connection,service,uuid,name,handle,operation,direction,value,number,decoded,"
          + "quantity,unit",
        "5,1,fff0,2a19,Battery Level,0x0016,notification,received,0x06,6,6 %,6,%",
      ])
    let chosen = ["values", "--csv", "--columns", "error,value,identity"]
    #expect(try trial.run(chosen).lines == ["error,value,identity", ",0x06,"])
    let wide = ["values", "--csv", "--wide", "--columns", "battery_level,nothing"]
    #expect(try trial.run(wide).lines == ["battery_level,nothing", "6,"])
  }

  @Test("--wide has a column for each field, by unit, and one cell for a repeated field")
  func wide() throws {
    let profile = """
      profile: trial
      characteristics:
        - uuid: fff7
          name: Trial
          fields:
            - {name: kind, type: u8, values: {1: warm}}
            - {name: level, type: u8, unit: V, when: kind == 1}
            - {name: level, type: u8, unit: A, when: kind != 1}
            - {name: time, type: u8, repeat: 2}
            - {name: rest, type: bytes}

      """
    var talk = talk
    talk.notify(0x14, [1, 2, 3, 4, 5])
    talk.notify(0x14, [2, 3, 4, 5, 6, 7])
    let trial = try Trial(talk, profile: profile)
    let lines = try trial.run(["values", "--csv", "--wide", "--operation", "notification"]).lines
    #expect(lines[0].hasSuffix(",kind,level (V),decoded.time,rest,level (A)"), "\(lines)")
    #expect(lines[1].hasSuffix(",warm,2,3 4,0x05,"), "\(lines)")
    #expect(lines[2].hasSuffix(",2,,4 5,06 07,3"), "\(lines)")
  }

  @Test(
    "Options that need others, and columns that do not exist, are refused",
    arguments: [
      ["--wide"], ["--columns", "time"], ["--csv", "--columns", "no"],
      ["--csv", "--columns", "count"], ["--csv", "--wide", "--follow"],
      ["--distinct", "--changes"], ["--messages", "--raw", "x"], ["--distinct", "--follow"],
    ])
  func refusals(_ options: [String]) throws {
    let ending = try Program.run(["values"] + options + [Program.sample("heart-rate")])
    #expect(ending.status == 64 && ending.output.isEmpty, "\(ending.errors)")
  }
}

@Suite("values --messages: a row for each message")
struct MessageRowsTests {
  private static let profile = """
    profile: band
    applies_to: [{service: fff0}]
    frame:
      start: "a6"
      length: {at: 1, type: u16, counts: frame}
      command: {at: 3, type: u8}
      payload: [4, -1]
      checksum: {at: -1, algorithm: xor8}
      reassemble: {timeout_ms: 2000MAX}
    exchange: {request: command & 0x80 == 0, response: command | 0x80}
    messages:
      - {command: 3, name: state.request, fields: []}
      - {command: 0x83, name: state, fields: [{name: level, type: u8}]}
      - {command: 4, name: log.request, fields: [], text: "log?"}
      - {command: 0x84, name: log, fields: [{name: text, type: bytes}]}

    """

  private func trial(_ talk: Talk, max: String = "") throws -> Trial {
    try Trial(talk, profile: Self.profile.replacingOccurrences(of: "MAX", with: max))
  }

  private func frame(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let count = payload.count + 5
    let frame = [0xa6, UInt8(count & 0xff), UInt8(count >> 8), command] + payload
    return frame + [frame.reduce(0, ^)]
  }

  /// Appends a frame in notifications of 20 bytes.
  private func send(
    _ frame: [UInt8], pause: Int64 = 0, parts: Int = .max, _ talk: inout Talk
  ) {
    for start in stride(from: 0, to: frame.count, by: 20).prefix(parts) {
      if start > 0 { talk.wait(pause) }
      talk.notify(0x14, [UInt8](frame[start..<min(start + 20, frame.count)]))
    }
  }

  private let log = [UInt8](repeating: 0x61, count: 736)

  @Test("A frame in many values is one row: name, all bytes, packets, and the answer")
  func messages() throws {
    var talk = talk
    talk.write(0x12, frame(4))
    send(frame(0x84, log), &talk)
    talk.write(0x12, frame(3))
    talk.notify(0x14, frame(0x83, [20]))
    talk.notify(0x16, [50])
    let trial = try trial(talk, max: ", max: 1024")
    let rows = try trial.objects(["--messages"]).filter { $0["type"] as? String == "message" }
    #expect(rows.map { $0["packet"] as? Int } == [5, 43, 44, 45])
    #expect(rows.map { $0["answered_by"] as? Int } == [43, nil, 45, nil])
    let names = rows.map { ($0["decoded"] as? [String: Any])?["name"] as? String }
    #expect(names == ["log.request", "log", "state.request", "state"])
    let whole = frame(0x84, log).map { String(format: "%02x", $0) }
    #expect(rows[1]["value"] as? String == whole.joined())
    #expect(rows[1]["packets"] as? [Int] == Array(6...43))
    let text = try trial.run(["values", "--messages"]).lines
    #expect(text.count == 6 && text[5] == "1 value is not part of a message", "\(text)")
    #expect(text[1].contains("log request: log?, answered by #43  a6 05 00 04"), "\(text[1])")
    #expect(text[2].contains("log: 61 61") && text[2].contains("#6–#43"), "\(text[2])")
    #expect(text[2].hasSuffix(whole.joined(separator: " ")))
    #expect(text[4].contains("state: 20, answers #44"), "\(text[4])")
    let csv = try trial.run(
      [
        "values", "--messages", "--csv", "--wide", "--columns",
        "packet,protocol,message,command,answers,answer,level",
      ]
    ).lines
    #expect(
      csv == [
        "packet,protocol,message,command,answers,answer,level", "5,band,log.request,0x04,,43,",
        "43,band,log,0x84,5,,", "44,band,state.request,0x03,,45,", "45,band,state,0x83,44,,20",
      ])
    // The message is in full under its last packet, and has its name without a text of its own.
    let details = try trial.run(["show", "-v", "--packets", "43"]).text
    #expect(details.contains("message: \(whole.joined(separator: " "))\n"))
    #expect(
      details.contains("text: \([String](repeating: "61", count: 736).joined(separator: " "))\n"))
    let shown = try trial.run(["show", "--packets", "45"]).text
    #expect(shown.contains("state: 20, answers #44"), "\(shown)")
  }

  @Test("A frame that is too long says so, in lines and in rows")
  func excess() throws {
    var talk = talk
    send(frame(0x84, log), &talk)
    let trial = try trial(talk)
    let reason = "741 bytes exceed reassemble.max (512)"
    let shown = try trial.run(["show", "--packets", "5"]).text
    #expect(shown.contains("command 84, bytes 1–20 of 741, not read: \(reason)"), "\(shown)")
    let rows = try trial.objects(["--messages"])
    #expect(rows.compactMap { $0["not_read"] as? String } == [reason])
    #expect(try trial.run(["values", "--messages"]).text.contains(reason))
    let problems = try trial.run(["show", "--json", "--packets", "5"]).text
    #expect(problems.contains("\"code\":\"frame_too_long\""), "\(problems)")
  }

  @Test("timeout_ms counts between parts")
  func timeout() throws {
    var talk = talk
    send(frame(0x84, [UInt8](log.prefix(90))), pause: 1900, &talk)
    let rows = try trial(talk).objects(["--messages"])
    #expect(rows.first?["packets"] as? [Int] == Array(5...9), "\(rows)")
  }

  @Test("An incomplete message says how much of it came, and why no more is expected")
  func incomplete() throws {
    var talk = talk
    send(frame(0x84, log), parts: 34, &talk)
    talk.wait(2500)
    talk.notify(0x14, frame(0x83, [1]))
    send(frame(0x84, log), parts: 2, &talk)
    let trial = try trial(talk, max: ", max: 1024")
    let rows = try trial.objects(["--messages"]).filter { $0["type"] as? String == "message" }
    #expect(
      rows.map { $0["not_read"] as? String } == [
        "incomplete: 680 of 741 bytes after 2.0 s", nil, "incomplete: 40 of 741 bytes",
      ])
    #expect((rows[0]["value"] as? String)?.count == 2 * 680)
    let csv = try trial.run(["values", "--messages", "--csv", "--columns", "packet,error"]).lines
    #expect(csv[1] == "5,incomplete: 680 of 741 bytes after 2.0 s", "\(csv)")
    let shown = try trial.run(["show", "--packets", "39"]).text
    #expect(
      shown.contains("the message of #5 is incomplete: 680 of 741 bytes after 2.0 s"), "\(shown)")
  }

  @Test("A message whose rest comes too late is listed, though the rest is no message")
  func late() throws {
    var talk = talk
    let whole = frame(0x84, [UInt8](log.prefix(40)))
    talk.notify(0x14, [UInt8](whole[..<20]))
    talk.wait(2500)
    talk.notify(0x14, [UInt8](whole[20...]))
    let rows = try trial(talk).objects(["--messages"])
    #expect(rows.first?["not_read"] as? String == "incomplete: 20 of 45 bytes after 2.0 s")
  }

  @Test("Without messages, a remark says so")
  func none() throws {
    var talk = talk
    talk.notify(0x16, [50])
    let ending = try trial(talk).run(["values", "--messages"])
    #expect(ending.output.isEmpty)
    #expect(
      ending.errors.contains("no value is a message of a protocol that a profile describes"))
  }

  @Test("A characteristic that carries frames is labelled with their protocol")
  func labels() throws {
    var talk = Talk()
    talk.discover(0xfff0, 0x10...0x1f, [(0x12, 0xfff6), (0x14, 0xfff7)])
    talk.notify(0x14, frame(0x83, [20]))
    talk.notify(0x14, [0])
    let trial = try trial(talk)
    #expect(try trial.run(["values"]).text.contains("fff7 band "))
  }
}
