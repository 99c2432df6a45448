import Foundation
import ProgramRunner
import Testing

@Suite("explain as a command") struct ExplainTests {
  private func run(_ arguments: String...) throws -> Program.Ending {
    try Program.run(["explain"] + arguments)
  }

  @Test("--strict ends with 1 if a finding is an error, with 65 if the capture is damaged")
  func strict() throws {
    #expect(try run("--strict", Program.sample("pairing-fails")).status == 1)
    #expect(try run(Program.sample("pairing-fails")).status == 0)
    #expect(try run("--strict", Program.sample("heart-rate")).status == 0)
    let folder = try Folder()
    let whole = try Data(contentsOf: URL(filePath: Program.sample("pairing-fails")))
    let cut = try folder.write("cut.btsnoop", [UInt8](whole.dropLast(3)))
    #expect(try run("--strict", cut).status == 65)
  }

  @Test(
    "--strict takes a severity, --fail-on and --allow rules; without a connection it ends with 2")
  func strictness() throws {
    // A write is refused: a warning.
    let refused = Program.sample("heart-rate")
    let rule = "att_application_error"
    for (arguments, status) in [
      (["--strict"], 0), (["--strict", "error"], 0), (["--strict=error"], 0),
      (["--strict", "warning"], 1), (["--strict=warning"], 1),
      (["--strict", "warning", "--allow", rule], 0), (["--fail-on", rule], 1),
      (["--fail-on", "ATT-application-error"], 1), (["--fail-on", "connect_timeout"], 0),
      (["--strict", "--json"], 0), (["--strict=high"], 64), (["--fail-on", "att_nothing"], 64),
      (["--fail-on", rule, "--allow", rule], 64),
    ] as [([String], Int32)] {
      let ending = try Program.run(["explain"] + arguments + [refused])
      #expect(ending.status == status, "\(arguments): \(ending.status) \(ending.errors)")
      // The option may also come last.
      let other = try Program.run(["explain", refused] + arguments)
      #expect(other.status == status, "\(arguments): \(other.status) \(other.errors)")
    }
    let wrong = try run("--fail-on", "att-aplication-error", refused)
    #expect(
      wrong.errors.contains("There is no rule att-aplication-error; did you mean \(rule)"),
      "\(wrong.errors)")
    let folder = try Folder()
    let empty = try folder.write(
      "empty.btsnoop", [UInt8]("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xea])
    for arguments in [["--strict"], ["--fail-on", rule]] {
      let ending = try Program.run(["explain"] + arguments + [empty])
      #expect(ending.status == 2)
      #expect(ending.errors == "gattscope: nothing was judged: this capture is empty\n")
    }
    #expect(try run(empty).status == 0)
  }

  @Test("the jq example of the help finds every error") func example() throws {
    let sample = Program.sample("connecting-fails")
    // Help is wrapped.
    let help = try run("--help").text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(help.contains(#"jq '.findings[] | select(.severity == "error")'"#), "\(help)")
    let document = try #require(try run("--json", sample).objects.first ?? nil)
    let findings = try #require(document["findings"] as? [[String: Any]])
    let errors = findings.filter { $0["severity"] as? String == "error" }
    let found = document["found"] as? [String: Int]
    #expect(errors.count == found?["error"] && findings.count == found?.values.reduce(0, +))
    var problems = document["problems"] as? [[String: Any]] ?? []
    for connection in document["connections"] as? [[String: Any]] ?? [] {
      problems += connection["problems"] as? [[String: Any]] ?? []
    }
    func words(_ list: [[String: Any]]) -> [String] {
      list.map { "\($0["rule"] ?? "") \($0["connections"] ?? "") \($0["evidence"] ?? "")" }.sorted()
    }
    #expect(words(problems) == words(findings))
  }

  @Test("--from and --to select connections and findings by time")
  func times() throws {
    let sample = Program.sample("pairing-fails")
    let whole = try run(sample)
    #expect(whole.text.contains("error"), "\(whole.text)")
    #expect(try run("--from", "0", sample).lines.dropFirst() == whole.lines.dropFirst())
    for times in [["--from", "100000"], ["--to", "0"]] {
      let ending = try Program.run(["explain"] + times + [sample])
      #expect(ending.status == 0)
      #expect(
        ending.lines.dropFirst().first?.hasPrefix("No connection matches the selection; ") == true,
        "\(times): \(ending.text)")
    }
    let part = try run("--from", "0.5", "--to", "1", sample).lines
    #expect(part.dropFirst().first?.contains("; the findings cover only #") == true, "\(part)")
    #expect(try run("--from", "2", "--to", "1", sample).status == 64)
  }

  @Test("usage: a capture or --list-rules, one output format")
  func usage() throws {
    let sample = Program.sample("heart-rate")
    for arguments in [
      [], ["--list-rules", sample], ["--json", "--markdown", sample],
      ["--connection", "x", sample],
    ] {
      let ending = try Program.run(["explain"] + arguments)
      #expect(ending.status == 64, "\(arguments): \(ending.status)")
      #expect(ending.output.isEmpty && ending.errors.hasPrefix("Error: "), "\(ending.errors)")
    }
  }

  @Test("the catalogue equals the documented one")
  func catalogue() throws {
    let page = try String(
      contentsOf: Program.package.appending(path: "docs/rules.md"), encoding: .utf8)
    let printed = try run("--list-rules", "--markdown")
    #expect(
      printed.text == page,
      "docs/rules.md differs from `gattscope explain --list-rules --markdown`")
  }

  @Test("files from both ends of a link report a failure once")
  func bothEnds() throws {
    let ends = [Program.sample("server-silent"), Program.sample("server-silent.peripheral")]
    for end in ends { #expect(try run(end).text.contains("Seen from both sides") == false) }
    let both = try run(ends[0], ends[1])
    #expect(both.lines.dropFirst().first?.hasPrefix("1 error: ") == true, "\(both.text)")
    #expect(
      both.text.contains("Seen from both sides: connection 2, the other end of this link"),
      "\(both.text)")
    // Two captures of one end are not both ends.
    #expect(try run(ends[0], ends[0]).text.contains("Seen from both sides") == false)
  }

  @Test("a stream gives the same output as the file; ASCII output is only ASCII")
  func faces() throws {
    let sample = Program.sample("pairing-fails")
    let file = try run(sample)
    let stream = try Program.run(["explain", "-"], input: sample)
    #expect(stream.text == file.text)
    let ascii = try run("--ascii", sample)
    #expect(ascii.output.allSatisfy { $0 < 0x80 })
  }

  @Test("another connection or device has none of these findings")
  func selection() throws {
    let sample = Program.sample("pairing-fails")
    #expect(
      try run("--connection", "1", sample).lines.dropFirst().first?.hasPrefix("1 error") == true)
    #expect(
      try run("--device", "Lock", sample).lines.dropFirst().first?.hasPrefix("1 error") == true)
    for arguments in [["--connection", "2"], ["--device", "Other"], ["--adapter", "7"]] {
      let ending = try Program.run(["explain", "--strict"] + arguments + [sample])
      #expect(ending.status == 2, "\(arguments)")
      #expect(
        ending.errors.hasSuffix(
          "gattscope: nothing was judged: no connection matches the selection\n"))
      #expect(
        ending.lines.dropFirst().first == "No connection matches the selection", "\(ending.text)")
    }
  }

  /// The names of all rules.
  private static let rules: Set<String> = {
    let document = (try? Program.run(["explain", "--list-rules", "--json"]).objects.first) ?? nil
    return Set((document?["rules"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String })
  }()

  @Test("captures of all kinds: existing evidence, listed rules, stories in order")
  func every() throws {
    #expect(!Self.rules.isEmpty)
    for capture in Program.captures {
      let ending = try run("--json", capture.path)
      #expect(ending.status == 0 || ending.status == 65, "\(capture.lastPathComponent)")
      guard let document = try #require(ending.objects.first, "\(capture.lastPathComponent)") else {
        Issue.record("\(capture.lastPathComponent): not JSON")
        continue
      }
      let records = document["records"] as? Int ?? 0
      let connections = document["connections"] as? [[String: Any]] ?? []
      var problems = document["problems"] as? [[String: Any]] ?? []
      for connection in connections {
        problems += connection["problems"] as? [[String: Any]] ?? []
        let starts = (connection["story"] as? [[String: Any]] ?? []).compactMap {
          $0["first_packet"] as? Int
        }
        #expect(starts == starts.sorted(), "\(capture.lastPathComponent): a story is out of order")
      }
      for problem in problems {
        let rule = problem["rule"] as? String ?? ""
        #expect(Self.rules.contains(rule), "\(capture.lastPathComponent): \(rule) is not listed")
        let evidence = problem["evidence"] as? [Int] ?? []
        // No packet shows what a whole capture lacks.
        #expect(
          !evidence.isEmpty || records == 0
            || [
              "capture_direction_missing", "capture_data_only", "capture_management_only",
              "capture_one_sided",
            ].contains(rule),
          "\(capture.lastPathComponent): \(rule) without evidence")
        #expect(
          evidence.allSatisfy { 1...max(1, records) ~= $0 },
          "\(capture.lastPathComponent): \(rule) names \(evidence), of \(records)")
      }
    }
  }
}
