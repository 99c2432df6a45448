import Foundation
import Glibc
import ProgramRunner
import Testing

@Suite("profiles: files, folders, and wrong lines")
struct OwnProfileTests {
  private static let quiet = """
    profile: quiet
    characteristics:
      - {uuid: "fff1", name: Quiet, fields: [{name: a, type: u8, quiet: true}]}
      - {uuid: "fff2", name: Empty, fields: []}

    """

  /// Creates a settings folder with profiles; returns the environment that names it.
  private static func settings(
    _ files: [String: String]
  ) throws -> (folder: Folder, environment: [String: String?]) {
    let folder = try Folder()
    let profiles = folder.url.appending(path: "gattscope/profiles")
    try FileManager.default.createDirectory(at: profiles, withIntermediateDirectories: true)
    for (name, text) in files { try folder.write("gattscope/profiles/\(name)", [UInt8](text.utf8)) }
    return (folder, ["XDG_CONFIG_HOME": folder.url.path])
  }

  @Test(
    "Quiet and empty values are decoded",
    arguments: [
      (["--uuid", "fff1", "05"], "nothing of note\n"),
      (
        ["--uuid", "fff1", "--json", "05"],
        "{\"profile\":\"quiet\",\"name\":\"Quiet\",\"fields\":{\"a\":{\"number\":5}},\"text\":\"nothing of note\"}\n"
      ),
      (["--uuid", "fff2", ""], "empty\n"),
      (["--uuid", "fff1", ""], "no profile decodes this; Quiet is not without bytes\n"),
    ])
  func quietValues(_ arguments: [String], _ expected: String) throws {
    let folder = try Folder()
    let file = try folder.write("quiet.yaml", [UInt8](Self.quiet.utf8))
    let run = try Program.run(["profiles", "decode", "--profile", file] + arguments)
    #expect(run.text == expected, "expected \(expected), got \(run.text)\(run.errors)")
  }

  /// Definitions that make much text from few bytes are limited both when a profile is read and
  /// when it is used.
  @Test("Text and lines from bytes are limited")
  func amplification() throws {
    func profile(_ fields: String) -> [UInt8] {
      let head = "profile: p\ncharacteristics:\n  - {uuid: \"fff1\", name: X, fields: ["
      return [UInt8]((head + fields + "]}\n").utf8)
    }
    func expanding(_ count: Int) -> [UInt8] {
      let text = String(repeating: "x", count: count)
      return profile("{name: a, type: utf8, expand: {97: \"\(text)\"}}")
    }
    let folder = try Folder()
    let tooLong = try folder.write("long.yaml", expanding(33))
    for arguments in [
      ["check", tooLong], ["decode", "--profile", tooLong, "--uuid", "fff1", "61"],
    ] {
      let run = try Program.run(["profiles"] + arguments)
      #expect(run.status == 65)
      let expected = "a byte expands to at most 32 bytes of text, not 33"
      #expect(run.errors.contains(expected), "\(run.errors)")
    }
    let word = String(repeating: "w", count: 513)
    let wordy = try folder.write("word.yaml", profile("{name: a, type: u8, values: {1: \(word)}}"))
    let refused = try Program.run(["profiles", "check", wordy])
    #expect(refused.status == 65)
    #expect(refused.errors.contains("of 512 bytes at most, found 513"), "\(refused.errors)")

    let right = try folder.write("right.yaml", expanding(32))
    func decode(_ file: String, _ count: Int, json: Bool = false) throws -> Program.Ending {
      let value = String(repeating: "61", count: count)
      let face = json ? ["--json"] : []
      return try Program.run(
        ["profiles", "decode", "--profile", file, "--uuid", "fff1"] + face + [value])
    }
    let whole = try decode(right, 100)
    #expect(whole.text == "\"" + String(repeating: "x", count: 3200) + "\"\n", "\(whole.text)")
    let cut = try decode(right, 600)
    #expect(
      cut.text.contains(", a stands for more text than is shown\n"), "\(cut.text.suffix(200))")
    #expect(cut.text.utf8.count < 17_000)
    let document = try decode(right, 600, json: true)
    #expect(document.text.contains("a stands for more text than is shown"))
    #expect(document.text.utf8.count < 36_000 && document.objects.first != nil)

    // A text of many parts for each element of a group.
    let text = String(repeating: "{a}", count: 150)
    let group = "{name: g, repeat: rest, text: \"\(text)\", fields: ["
    let many = try folder.write(
      "many.yaml", profile(group + "{name: a, type: utf8, size: 60}]}"))
    let lines = try decode(many, 600)
    #expect(lines.text.hasSuffix(" … (longer than is shown)\n"), "\(lines.text.suffix(200))")
    #expect(lines.text.utf8.count < 17_000)
  }

  @Test("match and show count quiet and empty values as explained")
  func quietInCaptures() throws {
    var talk = Talk()
    talk.discover(0xfff0, 1...9, [(3, 0xfff1), (5, 0xfff2)])
    talk.att([0x1b, 3, 0, 5], isSent: false)
    talk.att([0x1b, 5, 0], isSent: false)
    let folder = try Folder()
    let capture = try folder.write("talk.btsnoop", talk.file.bytes)
    let file = try folder.write("quiet.yaml", [UInt8](Self.quiet.utf8))
    let match = try Program.run(["profiles", "match", "--profile", file, capture])
    #expect(match.text == "fff1  1 value  quiet\nfff2  1 value  quiet\n")
    let show = try Program.run(["show", "--json", "--profile", file, capture])
    let texts = show.objects.compactMap {
      ($0?["decoded"] as? [String: Any])?["text"] as? String
    }
    #expect(texts == ["nothing of note", "empty"])
  }

  @Test("A line that is not bytes does not stop the decoding of others")
  func wrongLines() throws {
    let folder = try Folder()
    let input = try folder.write("lines", [UInt8]("00 48\n0g\n00 49\n004\n".utf8))
    let run = try Program.run(["profiles", "decode", "--uuid", "2a37"], input: input)
    #expect(run.status == 65)
    #expect(run.text == "72 bpm\n73 bpm\n")
    #expect(
      run.errors == """
        gattscope: line 2 of standard input: expected bytes in hexadecimal, found 0g
        gattscope: line 4 of standard input: a hexadecimal digit is missing: a byte has two, found 004

        """)
  }

  @Test(
    "Unsuitable arguments of decode are refused with its own usage",
    arguments: [
      (["--uuid", "2a37", "--company", "004c"], "--uuid and --company exclude each other."),
      (["--ad-type", "300"], "expected an AD type from 00 to ff such as 0x16, found 300."),
      (["--uuid", "xyz"], "expected a UUID such as 2a37, found xyz."),
      (
        ["--company", "004c", "--service", "180d"],
        "--service goes with --uuid: it is the characteristic's."
      ),
    ])
  func wrongSubjects(_ arguments: [String], _ expected: String) throws {
    let run = try Program.run(["profiles", "decode"] + arguments + ["00"])
    #expect(run.status == 64)
    #expect(run.errors.contains("Error: \(expected)\n"), "expected \(expected), got \(run.errors)")
    #expect(run.errors.contains("\nUsage: gattscope profiles decode "), "got \(run.errors)")
  }

  @Test(
    "Advertising data that begins with a company or a service, and parts of frames",
    arguments: [
      (
        ["--ad-type", "0xff", "4c000215f7826da64fa24e988024bc5b71e0893e00010002c5"],
        "f7826da6-4fa2-4e98-8024-bc5b71e0893e, major 1, minor 2, -59 dBm at 1 m\n"
      ),
      (
        ["--ad-type", "16", "aafe00eb01"],
        "no profile decodes this; Eddystone-UID expects 18 to 20 bytes, not 3\n"
      ),
      (
        ["--uuid", "fff7", "a506830003"], "incomplete frame of wristband, 1 of 6 bytes missing\n"
      ), (["--uuid", "fff7", "a5"], "incomplete frame of wristband\n"),
    ])
  func others(_ arguments: [String], _ expected: String) throws {
    let run = try Program.run(["profiles", "decode"] + arguments)
    #expect(run.text == expected, "expected \(expected), got \(run.text)\(run.errors)")
  }

  @Test("check continues after an unreadable file, and reads each file once")
  func checkSeveral() throws {
    let folder = try Folder()
    let right = try folder.write("right.yaml", [UInt8](Self.quiet.utf8))
    let missing = folder.path("missing.yaml")
    let files = [missing, folder.url.path, right, folder.path("./right.yaml")]
    let run = try Program.run(["profiles", "check"] + files)
    #expect(run.status == 66)
    #expect(run.text == "\(right): 2 definitions, 0 examples\n")
    #expect(
      run.errors == """
        gattscope: \(missing) cannot be read: no such file or directory
        gattscope: \(folder.url.path) cannot be read: is a directory

        """)
    let wrong = try folder.write("wrong.yaml", [UInt8]("title: x\n".utf8))
    let both = try Program.run(["profiles", "check", missing, wrong, right])
    #expect(both.status == 65)
    #expect(both.text == run.text)
  }

  @Test("A protocol without a message for other commands keeps its own messages")
  func messageCount() throws {
    let folder = try Folder()
    let text = """
      profile: p
      applies_to: [{service: fff0}]
      frame: {command: {at: 0, type: u8}}
      messages: [{command: 1, name: a}, {command: 2, name: b}]
      """
    let file = try folder.write("p.yaml", [UInt8](text.utf8))
    let check = try Program.run(["profiles", "check", file])
    #expect(check.text == "\(file): 0 definitions, 2 messages, 0 examples\n")
    let list = try Program.run(["profiles", "list", "--profile", file])
    #expect(list.lines.contains { $0.hasPrefix("protocol ") && $0.contains("p, 2 messages ") })
  }

  @Test("Files in the folder: any case; a wrong one does not end the program")
  func folder() throws {
    let (folder, environment) = try Self.settings([
      "A.YAML": Self.quiet, "bad.yml": "profile: bad\nx: 1\n", "notes.txt": "",
    ])
    let place = folder.path("gattscope/profiles")
    let list = try Program.run(["profiles", "list"], environment: environment)
    #expect(list.status == 0)
    #expect(list.lines.count { $0.hasSuffix("quiet, your own") } == 2)
    let lines = list.errors.split(separator: "\n").map(String.init)
    #expect(lines.count == 2, "got \(lines)")
    let first = lines.first ?? ""
    #expect(first.hasPrefix("gattscope: \(place)/bad.yml:2: unknown key `x`; "), "got \(first)")
    #expect(first.hasSuffix("; gattscope continues without the file"), "got \(first)")
    #expect(
      lines.last
        == "gattscope: \(place)/notes.txt is not read: profiles' names end in .yaml or .yml")
    let show = try Program.run(
      ["show", "--limit", "1", Program.sample("heart-rate")], environment: environment)
    #expect(show.status == 0)
    #expect(show.lines.count > 0)
    let named = try Program.run(
      ["show", "--profile", "\(place)/bad.yml", Program.sample("heart-rate")],
      environment: environment)
    #expect(named.status == 65)
    #expect(named.text == "")
  }

  @Test(
    "show prints a user's profile as written, and a file that is given twice counts once"
  )
  func ownText() throws {
    let (folder, environment) = try Self.settings(["quiet.yaml": Self.quiet])
    let found = try Program.run(["profiles", "show", "quiet"], environment: environment)
    #expect(found.text == Self.quiet)
    let file = folder.path("gattscope/profiles/quiet.yaml")
    let named = try Program.run(["profiles", "show", "--profile", file, "quiet"])
    #expect(named.text == Self.quiet)
    let list = try Program.run(
      ["profiles", "list", "--profile", file, "--profile", file], environment: environment)
    #expect(list.lines.count { $0.hasSuffix("quiet, your own") } == 2)
  }

  @Test("match reports that there is nothing to match")
  func noValues() throws {
    let capture = Program.sample("management")
    #expect(try Program.run(["profiles", "match", capture]).text == "no values to explain\n")
    let json = try Program.run(["profiles", "match", "--json", capture])
    #expect((json.objects.first??["subjects"] as? [Any])?.isEmpty == true, "got \(json.text)")
  }

  @Test("decode uses the folder's profiles")
  func decodeInFolder() throws {
    let (kept, environment) = try Self.settings(["quiet.yaml": Self.quiet])
    defer { withExtendedLifetime(kept) {} }
    let run = try Program.run(
      ["profiles", "decode", "--uuid", "fff1", "05"], environment: environment)
    #expect(run.text == "nothing of note\n", "got \(run.text)\(run.errors)")
  }

  @Test("Non-files in the folder are not opened, and only list names them")
  func othersInFolder() throws {
    let (folder, environment) = try Self.settings(["quiet.yaml": Self.quiet])
    let place = folder.path("gattscope/profiles")
    let made = unsafe mkfifo("\(place)/pipe.yaml", 0o600)
    try #require(made == 0)
    let manager = FileManager.default
    try manager.createDirectory(atPath: "\(place)/dir.yaml", withIntermediateDirectories: true)
    try manager.createSymbolicLink(
      atPath: "\(place)/zero.yaml", withDestinationPath: "/dev/zero")
    let file = try folder.write("linked", [UInt8]("profile: linked\ntitle: x\n".utf8))
    try manager.createSymbolicLink(atPath: "\(place)/linked.yaml", withDestinationPath: file)
    let decode = try Program.run(
      ["profiles", "decode", "--uuid", "fff1", "05"], environment: environment)
    #expect(decode.text == "nothing of note\n" && decode.errors == "")
    let list = try Program.run(["profiles", "list"], environment: environment)
    let expected = ["dir", "pipe", "zero"].map {
      "gattscope: \(place)/\($0).yaml is not read: it is not a regular file\n"
    }
    #expect(list.errors == expected.joined(), "got \(list.errors)")
    let show = try Program.run(["profiles", "show", "linked"], environment: environment)
    #expect(show.text == "profile: linked\ntitle: x\n")
  }

  @Test("A missing folder is reported once")
  func noFolder() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "gattscope"), withIntermediateDirectories: true)
    let file = try folder.write("gattscope/profiles", [])
    let environment = ["XDG_CONFIG_HOME": folder.url.path]
    for verb in [["profiles", "list"], ["show", "--limit", "1", Program.sample("heart-rate")]] {
      let run = try Program.run(verb, environment: environment)
      #expect(run.status == 0)
      #expect(
        run.errors
          == "gattscope: \(file) cannot be read: not a directory; gattscope continues without it\n")
    }
  }

  @Test(
    "Bytes as people and programs write them",
    arguments: [
      ["0x16", "0x48"], ["0x1648"], ["16-48"], ["16,48"], ["16:48"], ["\\x16\\x48"], ["0x16,0x48"],
      ["1", "6", "48"],
    ])
  func hexadecimal(_ words: [String]) throws {
    let run = try Program.run(["profiles", "decode", "--uuid", "2a37"] + words)
    #expect(
      run.text == "72 bpm, contact detected, no rr interval\n", "\(words): \(run.text)\(run.errors)"
    )
  }

  @Test("A missing digit after 0x is not taken from the next byte")
  func halfBytes() throws {
    let run = try Program.run(["profiles", "decode", "--uuid", "2a37", "0x1", "0x6"])
    #expect(run.status == 64)
    #expect(
      run.errors
        == "gattscope: a hexadecimal digit is missing: a byte has two, found 0x1 0x6\n")
  }

  @Test("- is standard input; its blank lines are not values")
  func blankLines() throws {
    let folder = try Folder()
    let input = try folder.write("lines", [UInt8]("\n00 48\n \t\n0g\n".utf8))
    let run = try Program.run(["profiles", "decode", "--uuid", "2a37", "-"], input: input)
    #expect(run.text == "72 bpm\n")
    #expect(
      run.errors
        == "gattscope: line 4 of standard input: expected bytes in hexadecimal, found 0g\n")
  }

  @Test("An incomplete frame is an object, too")
  func openFrames() throws {
    let decode = ["profiles", "decode", "--uuid", "fff7", "--json"]
    let part = try Program.run(decode + ["a506830003"])
    #expect(
      part.text
        == "{\"profile\":\"wristband\",\"name\":\"part\",\"part\":{\"first_byte\":1,\"last_byte\":5,\"frame_length\":6,\"missing\":1},\"text\":\"incomplete frame of wristband, 1 of 6 bytes missing\"}\n"
    )
    let begun = try Program.run(decode + ["a5"])
    #expect(
      begun.text
        == "{\"profile\":\"wristband\",\"name\":\"part\",\"part\":{\"first_byte\":1,\"last_byte\":1},\"text\":\"incomplete frame of wristband\"}\n"
    )
  }

  @Test(
    "Advertising data that the program reads itself",
    arguments: [
      ("0x01", "06", "gattscope decodes this type itself, in show and devices\n"),
      ("0x0a", "04", "gattscope decodes this type itself, in show and devices\n"),
      ("0x99", "04", "no profile decodes this\n"),
    ])
  func ownTypes(_ type: String, _ bytes: String, _ expected: String) throws {
    let run = try Program.run(["profiles", "decode", "--ad-type", type, bytes])
    #expect(run.text == expected, "got \(run.text)")
  }

  @Test("--status accepts the error names of profiles, as they are printed")
  func statusNames() throws {
    let capture = Program.sample("heart-rate")
    for verb in [["show"], ["values", "--all"]] {
      let number = try Program.run(verb + [capture, "--status", "0x80"])
      #expect(number.lines.count == 2, "got \(number.text)")
      for name in ["Control Point Not Supported", "control point", "not supp"] {
        let run = try Program.run(verb + [capture, "--uuid", "2a39", "--status", name])
        #expect(run.text == number.text, "\(verb) \(name): \(run.text)\(run.errors)")
      }
      // The code's name without a profile is not printed here.
      let other = try Program.run(verb + [capture, "--status", "Application Error"])
      #expect(!other.text.contains("2a39"), "got \(other.text)")
    }
    let none = try Program.run(["show", capture, "--status", "My Error"])
    #expect(none.status == 64)
    let folder = try Folder()
    let text = """
      profile: mine
      characteristics: [{uuid: "2a39", name: Mine, fields: [], errors: {0x80: My Error}}]
      """
    let file = try folder.write("mine.yaml", [UInt8](text.utf8))
    let own = try Program.run(["show", capture, "--profile", file, "--status", "My Error"])
    #expect(own.lines.last?.contains("My Error (0x80)") == true, "got \(own.text)\(own.errors)")
    let hidden = try Program.run(
      ["show", capture, "--profile", file, "--status", "Control Point Not Supported"])
    #expect(!hidden.text.contains("2a39"), "got \(hidden.text)")
  }
}
