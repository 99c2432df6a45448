import Foundation
import ProgramRunner
import Testing

private func show(_ options: [String], _ environment: [String: String?] = [:]) throws
  -> Program.Ending
{
  try Program.run(["show"] + options + [Program.sample("heart-rate")], environment: environment)
}

@Suite("Appearance of text")
struct AppearanceTests {
  @Test(
    "--time: each style in the column after the number",
    arguments: [
      ("elapsed", #"^ +2 +0\.\d{4}  "#), ("delta", #"^ +2 +0\.\d{4}  "#),
      ("utc", #"^ +2 2026-11-21T12:00:00\.\d{6}Z  "#),
      ("local", #"^ +2 2026-11-21 12:00:00\.\d{6}  "#), ("none", #"^ +2 +←"#),
    ])
  func times(_ style: String, _ pattern: String) throws {
    let lines = try show(["--time", style]).lines
    let expression = try Regex(pattern)
    #expect(lines[2].firstMatch(of: expression) != nil, "\(lines[2])")
  }

  @Test("--time local follows TZ", arguments: ["Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"])
  func zone(_ zone: String) throws {
    let isKnown =
      zone.contains(",") || FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/\(zone)")
    try #require(isKnown || zone.contains("/"))
    guard isKnown else { return }
    let lines = try show(["--time", "local"], ["TZ": zone]).lines
    #expect(lines[1].contains(" 2026-11-21 13:00:00."))
    let utc = try show(["--time", "utc"], ["TZ": zone]).lines
    #expect(utc[1].contains(" 2026-11-21T12:00:00."))
  }

  @Test("--color: always, never, and on its own only on a terminal")
  func color() throws {
    func hasColor(_ ending: Program.Ending) -> Bool { ending.output.contains(0x1b) }
    #expect(try hasColor(show(["--color", "always"])))
    #expect(try hasColor(show(["--color", "always"], ["NO_COLOR": "1"])))
    #expect(try !hasColor(show(["--color", "never"])))
    #expect(try !hasColor(show(["--color", "auto"])))
    #expect(try !hasColor(show([])))
  }

  @Test("Colour does not change the text")
  func colorOnly() throws {
    let plain = try show(["-v"]).text
    let colored = try show(["-v", "--color", "always"]).text
    #expect(colored.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain)
  }

  @Test(
    "On a terminal output goes through PAGER, unless it is empty or not wanted",
    arguments: [
      ("cat | tr a-z A-Z >\"$PAGED\"", [], true), ("cat", [], false), ("", [], false),
      ("cat >\"$PAGED\"", ["--no-pager"], false), ("no-such-pager", [], false),
    ])
  func pager(_ command: String, _ options: [String], _ isPaged: Bool) throws {
    let folder = try Folder()
    let (window, program) = try pseudoTerminal(columns: 100)
    let process = Program.process(
      ["info", Program.sample("heart-rate")] + options,
      environment: ["PAGER": command, "PAGED": folder.path("paged")])
    process.standardOutput = program
    try Program.start(process)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let printed = String(decoding: everything(from: window), as: UTF8.self)
    let paged = String(decoding: folder.bytes("paged"), as: UTF8.self)
    #expect(printed.contains("records") != isPaged, "\(printed)")
    #expect(paged.contains("RECORDS") == isPaged, "\(paged)")
  }

  @Test(
    "With another user's rights less may start no programs, whatever the environment says",
    arguments: [
      ([:], ""), (["SUDO_UID": "1000"], "1"), (["SUDO_UID": "1000", "LESSSECURE": "0"], "1"),
      (["DOAS_USER": "me"], "1"), (["PKEXEC_UID": "1000"], "1"), (["LESSSECURE": "0"], "0"),
    ])
  func securePager(_ environment: [String: String], _ expected: String) throws {
    let folder = try Folder()
    let (window, program) = try pseudoTerminal(columns: 100)
    defer { window.closeFile() }
    let shown = ["PAGER": "printenv LESSSECURE >\"$PAGED\"", "PAGED": folder.path("paged")]
    let process = Program.process(
      ["info", Program.sample("heart-rate")], environment: environment.merging(shown) { $1 })
    process.standardOutput = program
    try Program.start(process)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(
      String(decoding: folder.bytes("paged"), as: UTF8.self)
        == (expected.isEmpty ? "" : "\(expected)\n"))
  }

  @Test("A pager that is closed early ends the program quietly")
  func closedPager() throws {
    let (window, program) = try pseudoTerminal(columns: 100)
    // Nothing can be written to a terminal whose window is closed.
    defer { window.closeFile() }
    let process = Program.process(
      ["show", "-v", Program.sample("heart-rate")], environment: ["PAGER": "true"])
    process.standardOutput = program
    let errors = Pipe()
    process.standardError = errors
    try Program.start(process)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }

  @Test(
    "Text on a terminal is coloured and cut to its width by default",
    arguments: [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)])
  func terminal(_ environment: [String: String], _ isColored: Bool) throws {
    let (window, program) = try pseudoTerminal(columns: 60)
    let process = Program.process(
      ["show", "--packets", "1-20", Program.sample("heart-rate")],
      environment: environment.mapValues { $0 })
    process.standardOutput = program
    try Program.start(process)
    process.waitUntilExit()
    // 20 lines of at most 60 columns fit into the terminal's buffer.
    let text = String(decoding: everything(from: window), as: UTF8.self)
    #expect(process.terminationStatus == 0)
    #expect(text.contains("\u{1b}[") == isColored)
    let plain = text.replacing(/\u{1b}\[[0-9;]*m/, with: "").replacing("\r\n", with: "\n")
    let lines = plain.split(separator: "\n")
    #expect(lines.count > 10)
    #expect(lines.allSatisfy { $0.unicodeScalars.count <= 60 })
  }

  @Test("--width cuts every line, marks the cut, and never cuts inside a character")
  func width() throws {
    let ending = try show(["--width", "40"])
    #expect(String(validating: ending.output, as: UTF8.self) != nil)
    let whole = try show([]).lines
    // The lines use the same columns and are cut where the shorter ones ended.
    let wider = try show(["--width", "47"]).lines
    for (line, full) in zip(ending.lines, wider) {
      #expect(line.unicodeScalars.count <= 40)
      let isCut = full.unicodeScalars.count > 40
      #expect(isCut ? line.hasSuffix("…") && full.hasPrefix(line.dropLast()) : line == full)
    }
    #expect(ending.lines.count == whole.count)
    let never = try show(["--width", "0"])
    #expect(never.lines == whole)
    let ascii = try show(["--width", "40", "--ascii"])
    #expect(ascii.lines.allSatisfy { $0.utf8.count <= 40 })
    #expect(ascii.lines.contains { $0.hasSuffix("...") })
  }

  @Test(
    "values and map wrap their lines and lose nothing", arguments: ["values", "map"], ["60", "80"])
  func wrapped(verb: String, width: String) throws {
    let whole = try Program.run([verb, Program.sample("heart-rate")])
    let ending = try Program.run([verb, "--width", width, Program.sample("heart-rate")])
    let lines = ending.lines
    for line in lines {
      #expect(line.unicodeScalars.count <= Int(width) ?? 0, "\(line)")
    }
    // Except for the last column heading, for which there is no room.
    let words = { (text: String) in
      text.replacing("first → last", with: "").split { $0.isWhitespace }
    }
    #expect(words(ending.text) == words(whole.text))
  }

  @Test(
    "Narrow lines omit the time, first the gap, to leave room for the packet",
    arguments: [
      ("60", "  102    1.9452         1 → Read Request    2a38 Body Senso…"),
      ("59", "  102    1.9452  1 → Read Request    2a38 Body Sensor Loca…"),
      ("47", "  102  1 → Read Request    2a38 Body Sensor Lo…"),
      ("40", "  102  1 → Read Request    2a38 Body Se…"),
    ])
  func narrow(_ width: String, _ expected: String) throws {
    let lines = try show(["--width", width, "--packets", "102"]).lines
    #expect(lines.last == expected)
    let head = lines.first ?? ""
    #expect(head.contains("gap") == (width == "60"), "\(head)")
    #expect(head.contains("time") == (width >= "59"), "\(head)")
    #expect(head.hasSuffix("what"), "\(head)")
    // The requested time stays.
    let utc = try show(["--width", width, "--packets", "102", "--time", "utc"]).lines
    #expect(utc.last?.contains(" 2026-11-21T12:00:01.954434Z ") == true, "\(utc)")
  }

  @Test(
    "ASCII only, if requested or if the locale has nothing else",
    arguments: [["show"], ["show", "-v", "-x"], ["info"]])
  func ascii(_ verb: [String]) throws {
    for capture in Program.smallCaptures {
      let asked = try Program.run(verb + ["--ascii", capture.path])
      let locale = try Program.run(verb + [capture.path], environment: ["LC_ALL": "C"])
      #expect(asked.output.allSatisfy { $0 < 0x80 }, "\(capture.lastPathComponent)")
      #expect(asked.output == locale.output)
    }
  }

  @Test("The locale is the first of LC_ALL, LC_CTYPE and LANG that is set")
  func locale() throws {
    func isUTF8(_ environment: [String: String?]) throws -> Bool {
      try show([], environment).text.contains("→")
    }
    #expect(try isUTF8(["LC_ALL": nil, "LANG": "de_DE.utf8"]))
    #expect(try !isUTF8(["LC_ALL": nil, "LC_CTYPE": "C", "LANG": "de_DE.UTF-8"]))
    #expect(try isUTF8(["LC_ALL": "", "LANG": "en_US.UTF-8"]))
    #expect(try isUTF8(["LC_ALL": nil]))
  }

  @Test("-v, -x and --raw only add output")
  func more() throws {
    let plain = try show([]).lines
    let verbose = try show(["-v"]).lines
    let hex = try show(["-x"]).lines
    #expect(verbose.filter { !$0.hasPrefix("      ") || $0.contains("what") } == plain)
    #expect(hex.filter { !$0.hasPrefix("      0x") } == plain)
    let dumped = "01 03 0c 00".padding(toLength: 48, withPad: " ", startingAt: 0)
    #expect(hex.contains("      0x0000 \(dumped)  ...."), "\(hex[2])")
    let json = try show(["--json", "--raw"])
    #expect(json.objects.allSatisfy { $0?["raw"] is String })
    #expect(json.objects.first??["raw"] as? String == "01030c00")
  }
}
