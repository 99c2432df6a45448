import Foundation
import ProgramRunner
import Testing

/// Returns the numbers of the selected packets; text and JSON must agree on them.
private func numbers(_ options: [String], _ capture: String = "monitor") throws -> [Int] {
  let json = try Program.run(["show", "--json"] + options + [Program.sample(capture)])
  let text = try Program.run(["show"] + options + [Program.sample(capture)])
  #expect(json.status == 0 && text.status == 0)
  // If nothing is shown, this is the only message on standard error.
  let remark = "no packet matches the selection\n"
  let isSilent = text.errors.isEmpty && json.errors.isEmpty
  let isTold = text.errors.hasSuffix(remark) && json.errors.hasSuffix(remark)
  #expect(json.packets.isEmpty && !options.contains("0") ? isTold : isSilent, "\(text.errors)")
  let inText = text.lines.dropFirst().map { line in
    Int(line.drop { $0 == " " }.prefix { $0.isNumber }) ?? -1
  }
  #expect(json.packets == inText)
  return json.packets
}

@Suite("Mistyped options") struct MistypedOptionTests {
  @Test(
    "The nearest option of the verb is suggested, or none",
    arguments: [
      ("show", "--eror", "--errors"), ("show", "--uuidd", "--uuid"),
      ("values", "--opration", "--operation"), ("show", "--xyz", nil),
      ("values", "--frobnicate=1", nil),
    ] as [(String, String, String?)])
  func nearest(verb: String, option: String, meant: String?) throws {
    let run = try Program.run([verb, option, Program.sample("heart-rate")])
    let wrong = option.split(separator: "=")[0]
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix(
        "Error: Unknown option '\(wrong)'." + (meant.map { " Did you mean '\($0)'?" } ?? "") + "\n"),
      "\(run.errors)")
  }

  @Test("values lists no option that it refuses") func refused() throws {
    let help = try Program.run(["values", "--help"]).text
    for option in ["--opcode", "--event", "--text"] {
      #expect(!help.contains("\(option) "), "\(option)")
    }
    #expect(help.contains("--layer "))
    #expect(try Program.run(["show", "--help"]).text.contains("--opcode "))
  }
}

// The sample has 28 records; captures/README.md explains how it was made.
@Suite("Options that select packets")
struct SelectionTests {
  @Test(
    "--packets",
    arguments: [
      (["97"], []), (["5"], [5]), (["5-7"], [5, 6, 7]), (["27-"], [27, 28]),
      (["1,3,5-6"], [1, 3, 5, 6]), (["6-7", "2-3"], [2, 3, 6, 7]), (["#5–#6"], [5, 6]),
      (["2-4,3-5"], [2, 3, 4, 5]), (["20-99"], Array(20...28)),
    ])
  func packets(_ values: [String], _ expected: [Int]) throws {
    #expect(try numbers(values.flatMap { ["--packets", $0] }) == expected)
  }

  @Test("--packets without a beginning")
  func openBeginning() throws { #expect(try numbers(["--packets=-3"]) == [1, 2, 3]) }

  @Test(
    "--layer",
    arguments: [
      ("hci_cmd", [12]), ("hci_evt", [13, 14, 16, 24]), ("att", [15, 17]), ("sco", [18, 19]),
      ("iso", [20, 21]), ("mgmt", [8, 9]), ("acl", []), ("l2cap", []), ("unknown", []),
      ("adv", []), ("note", [1, 2, 3, 4, 5, 6, 7, 10, 11, 22, 23, 25, 26, 27, 28]),
      ("att,sco", [15, 17, 18, 19]),
    ])
  func layers(_ layer: String, _ expected: [Int]) throws {
    #expect(try numbers(["--layer", layer]) == expected)
  }

  @Test("--layer adv in a capture with advertising")
  func advertising() throws {
    #expect(try numbers(["--layer", "adv"], "pairing-fails") == Array(33...38))
  }

  @Test("--connection, --direction, --errors")
  func others() throws {
    #expect(try numbers(["--connection", "1"]) == [14, 15, 16, 17, 24])
    #expect(try numbers(["--connection", "2"]) == [])
    #expect(try numbers(["--direction", "sent"]) == [12, 15, 18, 20])
    #expect(
      try numbers(["--direction", "received"]) == [13, 14, 16, 17, 19, 21, 24])
    #expect(try numbers(["--errors"]) == [23])
    #expect(try numbers(["--errors"], "pairing-fails") == [53])
  }

  @Test("--limit: none, some, more than exist")
  func limit() throws {
    #expect(try numbers(["--limit", "0"]) == [])
    #expect(try numbers(["--limit", "1"]) == [1])
    #expect(try numbers(["--limit", "99"]) == Array(1...28))
  }

  @Test("Different options must all match, a repeated one once")
  func combined() throws {
    #expect(try numbers(["--layer", "att", "--direction", "sent"]) == [15])
    #expect(try numbers(["--layer", "att", "--layer", "iso", "--limit", "3"]) == [15, 17, 20])
    #expect(try numbers(["--connection", "1", "--packets", "15-20"]) == [15, 16, 17])
    #expect(
      try numbers(["--direction", "sent", "--direction", "received", "--layer", "note"]) == [])
  }

  @Test("--limit and --packets stop reading before damage")
  func stops() throws {
    let folder = try Folder()
    let bytes = CaptureBytes.session(5).bytes.dropLast()
    let file = try folder.write("cut", Array(bytes))
    #expect(try Program.run(["show", "--packets", "1-4", file]).status == 0)
    #expect(try Program.run(["show", "--limit", "4", file]).status == 0)
    #expect(try Program.run(["show", "--limit", "5", file]).status == 65)
  }

  // The expected packets were read with tshark 4.0 if it has a filter: btatt.handle, btatt.uuid16,
  // btatt.opcode with btatt.req_opcode_in_error, frame.time_relative.
  @Test(
    "Options that look into packets",
    arguments: [
      ("heart-rate", "--uuid 2a37", [71] + Array(141...147)),
      ("heart-rate", "--uuid 2902 --direction sent", [126, 132, 138]),
      // Includes the ranges in requests for descriptors, which tshark shows as two other fields.
      (
        "heart-rate", "--handle 0x10-0x12",
        [71, 75, 77, 123, 125, 126, 128] + Array(141...147)
      ),
      ("heart-rate", "--opcode 0x12", [126, 132, 138, 157, 161, 163]),
      ("heart-rate", "--opcode 0x12 --uuid 2a39", [157, 161, 163]),
      ("heart-rate", "--value 5f*", [145]),
      ("heart-rate", "--device hrm* --limit 7", [33, 34, 35, 36, 37, 38, 41]),
      ("heart-rate", "--device F1:F1:* --layer adv", Array(33...38)),
      ("heart-rate", "--event Disconnection", [166]),
      ("heart-rate", "--text hrm --text 2a39", [34, 36, 38, 71, 157, 160, 161, 163]),
      ("heart-rate", "--from 11.4 --to 11.49", Array(160...165)),
      ("heart-rate", "--from 12:00:11.40Z", Array(159...166)),
      ("heart-rate", "--from 2026-11-21T12:00:11.40Z", Array(159...166)),
      ("heart-rate", "--status !0", [163]),
      ("heart-rate", "--adapter 1", []),
      ("write-refused", "--status !0", [80]),
      ("write-refused", "--device Lock --opcode 0x12", [78, 80, 219]),
      ("write-refused", "--layer security --packets 205-", [206, 207] + Array(209...216)),
      ("monitor", "--adapter hci1", [4, 27]), ("monitor", "--text bluetoothd", [7, 10]),
      ("monitor", "--device 00:00:5E:*", [6]), ("monitor", "--event 0x0001", [9]),
    ])
  func contents(_ capture: String, _ options: String, _ expected: [Int]) throws {
    #expect(try numbers(options.split(separator: " ").map(String.init), capture) == expected)
  }

  @Test("A device is found by a name that appears later, if the file can be read twice")
  func names() throws {
    // The command that connects to it comes after its name, its first report before.
    let file = try numbers(["--device", "HRM-7", "--packets", "1-36"], "heart-rate")
    #expect(file == [33, 34, 35, 36])
    let stream = try Program.run(
      ["show", "--json", "--device", "HRM-7", "--packets", "1-36", "-"],
      input: Program.sample("heart-rate"))
    #expect(stream.status == 0 && stream.packets == [34, 35, 36])
  }

  @Test("Options that work on a file also work on a stream")
  func streams() throws {
    for options in [
      ["--uuid", "2a37"], ["--handle", "0x15"], ["--text", "disc"], ["--status", "!0"],
      ["--from", "3", "--to", "5"], ["--value", "00 48"], ["--brief"],
    ] {
      let stream = try Program.run(["show"] + options + ["-"], input: Program.sample("heart-rate"))
      let file = try Program.run(["show"] + options + [Program.sample("heart-rate")])
      #expect(stream.status == 0 && stream.output == file.output, "\(options)")
      #expect(stream.lines.count > 1, "\(options)")
    }
  }

  @Test(
    "Invalid values are refused in one sentence that states the expected form",
    arguments: [
      ("--layer nonsense", "'nonsense' is not a layer; there are hci_cmd, hci_evt, acl"),
      ("--uuid 1", "expected a UUID as in 180d"), ("--handle x", "expected an attribute handle"),
      ("--opcode nonsense", "no opcode has that name"),
      ("--event nonsense", "no event has that name"),
      ("--status nonsense", "no status has that name"),
      ("--value xy", "expected bytes in hexadecimal"),
      ("--from noon", "expected seconds as in 12.5"),
      ("--adapter x", "expected a controller's number"),
      ("--from 1 --from 2 --to 3", "for several time ranges, use --from and --to equally often"),
      ("--brief --json", "--brief is for text"), ("--direction up", "expected sent or received"),
      (
        "--device F1:F1:F1:F1:F1:GG",
        "is not an address; expected six octets as in C0:FF:EE:12:34:56"
      ),
      ("--device F1:F1:F1", "'F1:F1:F1' is not an address"),
      ("--packets x", "expected packets by number"),
      ("--connection 0", "expected connections by number"),
      ("--limit x", "expected a number from 0"),
      ("--width 5", "expected 0, or 20 columns"), ("--from 3 --to 2", "--from is later than --to"),
      ("--from 2026-01-02 --to 2026-01-01T12:00", "--from is later than --to"),
      ("--uuid 180d,x", "expected a UUID as in 180d"),
    ])
  func refused(_ options: String, _ sentence: String) throws {
    let words = options.split(separator: " ").map(String.init)
    let ending = try Program.run(["show"] + words + [Program.sample("monitor")])
    #expect(ending.status == 64 && ending.output.isEmpty)
    let first = ending.errors.split(separator: "\n").first ?? ""
    #expect(first.hasPrefix("Error: ") && first.contains(sentence), "\(first)")
  }

  @Test(
    "Comma-separated values match any of them",
    arguments: [
      ("--handle", "0x0003,0x0005", ["0x0003", "0x0005"]),
      ("--opcode", "0x0a,0x12", ["0x0a", "18"]),
      ("--event", "0x0e,0x3e:0x01", ["14", "0x3e:0x01"]), ("--adapter", "0,hci1", ["0", "1"]),
      ("--direction", "sent,received", ["sent", "received"]),
      ("--uuid", "180d, 180f", ["180d", "180f"]),
    ])
  func commas(_ option: String, _ together: String, _ apart: [String]) throws {
    for capture in ["monitor", "heart-rate"] {
      let expected = try numbers(apart.flatMap { [option, $0] }, capture)
      #expect(try numbers([option, together], capture) == expected)
    }
    #expect(try !numbers([option, together], "heart-rate").isEmpty)
  }

  @Test("An event's words match all names that contain them at the start of a word")
  func eventWords() throws {
    let found = try numbers(["--event", "connection complete"], "heart-rate")
    #expect(!found.isEmpty)
    let codes = try numbers(["--event", "0x3e:0x01,0x3e:0x0a,0x03,0x3e:0x29"], "heart-rate")
    #expect(found == codes)
    let writes = try numbers(["--opcode", "Write Request"], "heart-rate")
    #expect(try writes == numbers(["--opcode", "0x12", "--layer", "att"], "heart-rate"))
  }

  @Test(
    "An address without colons works; for an unknown name, the known ones are listed")
  func devices() throws {
    let whole = try numbers(["--device", "F1:F1:F1:F1:F1:F1"], "heart-rate")
    let same = try numbers(["--device", "f1f1f1f1f1f1"], "heart-rate")
    #expect(!whole.isEmpty && whole == same)
    let ending = try Program.run(["show", "--device", "nobody", Program.sample("heart-rate")])
    #expect(ending.errors.hasSuffix("no device of that name; the capture has: HRM-7\n"))
  }

  @Test(
    "A device that does not exist gets the same answer from every verb",
    arguments: [
      "show", "show --brief", "show --json", "explain", "explain --json", "map", "map --json",
      "values", "values --all", "values --csv", "values --raw -", "devices", "devices --json",
      "trace", "report", "convert",
    ])
  func nobody(verb: String) throws {
    let folder = try Folder()
    let words = verb.split(separator: " ").map(String.init)
    let sample = Program.sample("heart-rate")
    let out = verb == "convert" ? [folder.path("out.pcapng")] : []
    let ending = try Program.run(words + ["--device", "nobody", sample] + out)
    let answer = "\(sample): no device of that name; the capture has: HRM-7"
    #expect(ending.errors.hasPrefix("gattscope: \(answer)"), "\(ending.errors)")
    #expect(ending.errors.firstRange(of: answer)?.upperBound != nil)
    #expect(ending.errors.ranges(of: "no device of that name").count == 1, "\(ending.errors)")
  }

  @Test("Times without a zone are UTC, as info and --time utc print them")
  func zones() throws {
    let arguments = ["show", "--time", "utc", "--limit", "1", Program.sample("heart-rate")]
    let line = try #require(try Program.run(arguments).lines.last)
    let time = try #require(line.firstMatch(of: /\d\d:\d\d:\d\d/)).0
    #expect(try numbers(["--from", String(time), "--limit", "1"], "heart-rate") == [1])
  }

  @Test(
    "Options of other programs work",
    arguments: [
      (["--grep", "heart"], ["--text", "heart"]), (["--head", "3"], ["--limit", "3"]),
      (["-n", "3"], ["--limit", "3"]), (["--frame=97-99"], ["--packets", "97-99"]),
      (["--op", "0x12"], ["--opcode", "0x12"]),
    ])
  func guesses(guess: [String], option: [String]) throws {
    let expected = try numbers(option, "heart-rate")
    #expect(!expected.isEmpty)
    #expect(try numbers(guess, "heart-rate") == expected)
  }

  @Test(
    "An option of another program that the verb has no equivalent of is named as it was typed",
    arguments: [
      (["explain", "--grep", "x"], "--grep"), (["map", "--hex"], "--hex"),
      (["explain", "-n", "3"], "-n"),
      (["explain", "--grep", "x", "--frobnicate"], "--grep"),
      (["show", "--grep", "x", "--frobnicate"], "--frobnicate"),
      (["convert", "--frobnicate", "x", "IN"], "--frobnicate"),
      (["diff", "--frobnicate", "x", "IN"], "--frobnicate"),
    ])
  func typed(arguments: [String], option: String) throws {
    let ending = try Program.run(arguments + [Program.sample("heart-rate")])
    #expect(ending.status == 64)
    #expect(ending.errors.hasPrefix("Error: Unknown option '\(option)'"), "\(ending.errors)")
  }

  @Test("convert accepts options of other programs before its two files")
  func convertGuesses() throws {
    let folder = try Folder()
    let ending = try Program.run(
      ["convert", "--op", "read", Program.sample("heart-rate"), folder.path("reads.pcapng")])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(!folder.bytes("reads.pcapng").isEmpty)
  }

  @Test(
    "Every help has --to after --from",
    arguments: ["show", "values", "devices", "live", "convert", "report", "trace", "explain"])
  func ends(verb: String) throws {
    let help = try Program.run([verb, "--help"]).text.split(separator: "\n")
    let options = help.filter { $0.hasPrefix("  --") }.map { $0.split(separator: " ")[0] }
    let from = try #require(options.firstIndex(of: "--from"))
    #expect(options[from + 1] == "--to")
  }

  @Test(
    "Usage lines fit a terminal",
    arguments: [
      ["info"], ["table"], ["profiles", "decode"], ["profiles", "match"], ["show"], ["values"],
    ])
  func usage(verb: [String]) throws {
    let lines = try Program.run(verb + ["--help"]).text.split(separator: "\n")
    let usage = try #require(lines.first { $0.hasPrefix("USAGE: ") })
    #expect(usage.count <= 100, "\(usage)")
    #expect(usage.contains("[<options>]"))
  }

  @Test("Options without an equivalent are answered with an alternative")
  func advice() throws {
    let info = try Program.run(["info", "--filter", "x", Program.sample("heart-rate")])
    #expect(info.status == 64)
    #expect(
      info.errors.hasPrefix("Error: there is no --filter; show and convert select packets"),
      "\(info.errors)")
    for (option, advice) in [("--filter", "--layer"), ("-r", "gattscope CAPTURE")] {
      let ending = try Program.run(["show", option, "x", Program.sample("heart-rate")])
      #expect(ending.status == 64, "\(option)")
      #expect(
        ending.errors.hasPrefix("Error: there is no \(option); ") && ending.errors.contains(advice),
        "\(ending.errors)")
    }
  }

  @Test(
    "A word similar to a verb, or a verb of another program, gets a suggestion",
    arguments: [
      ("shwo", "show"), ("valeus", "values"), ("expalin", "explain"), ("Info", "info"),
      ("capture", "live"), ("compare", "diff"), ("services", "map"), ("channels", "info"),
      ("throughput", "values --rate"), ("replay", "trace --as bleak"), ("csv", "values --csv"),
      ("anonymize", "convert --redact"), ("keys", "explain --show-keys"),
    ])
  func nearlyVerbs(word: String, verb: String) throws {
    let ending = try Program.run([word, Program.sample("heart-rate")])
    #expect(ending.status == 66)
    #expect(ending.errors.hasSuffix("; did you mean gattscope \(verb)?\n"), "\(ending.errors)")
    // An option that show does not have does not hide the hint.
    let other = try Program.run([word, "--strict", Program.sample("heart-rate")])
    #expect(other.status == 64)
    #expect(other.errors.hasSuffix("; did you mean gattscope \(verb)?\n"), "\(other.errors)")
    let help = try Program.run(["help", word])
    #expect(help.status == 64)
    #expect(help.errors.contains("\(word) is not a verb; did you mean gattscope \(verb)?"))
    for option in ["--help", "-h"] {
      #expect(try Program.run([word, option]).errors == help.errors)
    }
  }

  @Test(
    "Options of other programs work",
    arguments: [
      ("show --sent", "show --direction sent"), ("show --received", "show --direction received"),
      ("values --tx", "values --direction sent"), ("values --format csv", "values --csv"),
      ("values --format=json", "values --json"), ("show --format json", "show --json"),
      ("values --operation notification", "values --operation notify"),
      (
        "values --operation write_without_response,indicate",
        "values --operation write-nr,indication"
      ),
      ("show --opcode notify", "show --opcode Notification"),
      ("show --opcode write-without-response", "show --opcode 0x52"),
    ])
  func otherOptions(guess: String, meant: String) throws {
    let sample = Program.sample("heart-rate")
    let (left, right) = try (
      Program.run(guess.split(separator: " ").map(String.init) + [sample]),
      Program.run(meant.split(separator: " ").map(String.init) + [sample])
    )
    #expect(left.status == 0 && left.text == right.text && left.errors == right.errors)
  }

  @Test(
    "An option without an equivalent names what to use instead",
    arguments: [
      ("show --at 15:03", "there is no --at; --from and --to choose a time, as in --from 15:03"),
      ("info --stats", "there is no --stats; info has the numbers of a capture"),
      ("info --format csv", "there is no --format; for programs there are --json"),
    ])
  func advice(guess: String, words: String) throws {
    let ending = try Program.run(
      guess.split(separator: " ").map(String.init) + [Program.sample("heart-rate")])
    #expect(ending.status == 64)
    #expect(ending.errors.hasPrefix("Error: \(words)"), "\(ending.errors)")
  }

  @Test("A folder is refused with how to name what is in it", arguments: [[], ["show"], ["info"]])
  func folders(verb: [String]) throws {
    let folder = try Folder()
    let path = folder.url.path
    let ending = try Program.run(verb + [path])
    #expect(ending.status == 66)
    #expect(
      ending.errors
        == "gattscope: \(path): is a directory; name captures in it, as in \(path)/*, or use gattscope table, which reads folders\n"
    )
  }

  @Test("trace can be limited to attributes and times")
  func traced() throws {
    let sample = Program.sample("heart-rate")
    let all = try Program.run(["trace", sample]).lines
    let rates = try Program.run(["trace", "--uuid", "2a37", sample]).lines
    #expect(rates.count > 5 && rates.count < all.count)
    #expect(rates.dropFirst().allSatisfy { $0.contains("2a37") }, "\(rates)")
    let handles = try Program.run(["trace", "--handle", "0x0010", sample]).lines
    #expect(handles.filter { $0.contains("value ") } == rates.filter { $0.contains("value ") })
    let last = try #require(rates.last)
    let time = try #require(last.firstMatch(of: /\d+\.\d{4}/)).0
    let late = try Program.run(["trace", "--uuid", "2a37", "--from", String(time), sample]).lines
    let value = try #require(last.firstMatch(of: /2a37 .*/)).0
    #expect(late.count == 2 && late.last?.hasSuffix(value) == true, "\(late)")
    #expect(try Program.run(["trace", "--to", "0", sample]).lines.count < 3)
  }

  @Test("A word that is not a file gets a list of the verbs")
  func verbs() throws {
    let ending = try Program.run(["nosuchverb", Program.sample("heart-rate")])
    #expect(ending.status == 66)
    #expect(ending.errors.contains("the verbs are show, info, "), "\(ending.errors)")
    let behindVerb = try Program.run(["map", "nosuchfile"])
    #expect(behindVerb.status == 66)
    #expect(behindVerb.errors == "gattscope: nosuchfile: no such file or directory\n")
  }

  @Test("--brief omits only repetitions, and counts them")
  func brief() throws {
    for capture in Program.smallCaptures {
      let whole = try Program.run(["show", "--time", "none", capture.path])
      let brief = try Program.run(["show", "--time", "none", "--brief", capture.path])
      #expect(brief.status == whole.status && brief.errors == whole.errors)
      var counted = 0
      var shown = 0
      for line in brief.lines.dropFirst() {
        if line.hasPrefix("hidden: ") {
          counted += line.matches(of: /(\d+)\s/).reduce(0) { $0 + (Int($1.1) ?? 0) }
        } else if let run = line.firstMatch(of: /\((\d+) packets?, #\d+(–#\d+)?\)$/) {
          counted += Int(run.1) ?? 0
        } else {
          shown += 1
        }
      }
      #expect(
        shown + counted == max(0, whole.lines.count - 1),
        "\(capture.lastPathComponent): \(shown) shown, \(counted) counted")
    }
  }
}
