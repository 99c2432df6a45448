import ProgramRunner
import Testing

@Suite("profiles: trying and checking decoders")
struct ProfilesTests {
  @Test(
    "Bytes are decoded",
    arguments: [
      (
        ["--uuid", "2a37", "16", "48", "00", "03"], "72 bpm, contact detected, RR 0.750 s\n"
      ),
      (["--uuid", "fff7", "a50683030023"], "packet count 3\n"),
      (["--uuid", "fff6", "a506030b1400"], "no profile decodes this\n"),
      (["--uuid", "fff6", "--json", "a506030b1400"], "{}\n"),
      (
        ["--company", "004c", "0215f7826da64fa24e988024bc5b71e0893e00010002c5"],
        "f7826da6-4fa2-4e98-8024-bc5b71e0893e, major 1, minor 2, -59 dBm at 1 m\n"
      ),
    ])
  func decode(_ arguments: [String], _ expected: String) throws {
    let result = try Program.run(["profiles", "decode"] + arguments)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.text == expected)
  }

  @Test(
    "Meaningless arguments are reported",
    arguments: [
      (["decode", "00"], 64), (["decode", "--uuid", "xyz", "00"], 64),
      (["decode", "--uuid", "2a37", "0g"], 64), (["decode", "--uuid", "2a37", "001"], 64),
      (["show", "nothing"], 64), (["check", "/nowhere/there.yaml"], 66),
    ] as [([String], Int32)])
  func wrong(_ arguments: [String], _ status: Int32) throws {
    let result = try Program.run(["profiles"] + arguments)
    #expect(result.status == status)
    #expect(result.text == "")
    #expect(result.errors != "")
  }

  @Test("A user's protocol is decoded as defined, even over several lines")
  func ownProtocol() throws {
    let folder = try Folder()
    let yaml = try Program.run(["profiles", "show", "wristband"]).output
    let file = try folder.write("own.yaml", yaml)
    let decode = ["profiles", "decode", "--profile", file, "--uuid", "fff6"]
    let bad = try Program.run(decode + ["--written", "a506030b1400"])
    #expect(bad.text == "packet count for 11-20?, checksum 00, not bf\n")
    let part = try Program.run(decode + ["a506830003"])
    #expect(part.text == "part of a frame: command 83, bytes 1–5 of 6\n")
    let input = try folder.write("lines", [UInt8]("a506830003\n23\n".utf8))
    let lines = try Program.run(decode, input: input)
    #expect(
      lines.text == "part of a frame: command 83, bytes 1–5 of 6\npacket count 768\n")
  }

  @Test("The error names what the closest match expects")
  func nearest() throws {
    let decode = ["profiles", "decode"]
    let short = try Program.run(decode + ["--service-data", "feaa", "00eb01"])
    #expect(
      short.text == "no profile decodes this; Eddystone-UID expects 18 to 20 bytes, not 3\n")
    let elsewhere = try Program.run(decode + ["--uuid", "ffe1", "4f4b"])
    #expect(
      elsewhere.text
        == "no profile decodes this; Serial Data is a characteristic of service ffe0\n")
    #expect(try Program.run(decode + ["--uuid", "ffe1", "--json", "4f4b"]).text == "{}\n")
  }

  @Test("A user's profile is checked and decodes")
  func own() throws {
    let folder = try Folder()
    let right = try folder.write("right.yaml", [UInt8](Self.right.utf8))
    let check = try Program.run(["profiles", "check", right])
    #expect(check.status == 0)
    #expect(check.text == "\(right): 1 definition, 1 example\n")
    let decoded = try Program.run(
      ["profiles", "decode", "--profile", right, "--uuid", "fff1", "0102"])
    #expect(decoded.text == "level 513 %\n")
    let wrong = Self.right.replacing("level: 258", with: "level: 3")
      .replacing("unit:", with: "unot:")
    let file = try folder.write("wrong.yaml", [UInt8](wrong.utf8))
    let errors = try Program.run(["profiles", "check", file])
    #expect(errors.status == 65)
    #expect(
      errors.errors
        == "gattscope: \(file):5: characteristics.fields: unknown key `unot`; did you mean `unit`?\n"
    )
    let refused = try Program.run(
      ["profiles", "decode", "--profile", file, "--uuid", "fff1", "0102"])
    #expect(refused.status == 65)
  }

  private static let right = """
    profile: own
    characteristics:
      - uuid: "fff1"
        name: Own
        fields: [{name: state, type: u8, when: 0}, {name: level, type: u16, unit: "%"}]
        text: "level {level}"
        examples: [{hex: "02 01", fields: {level: 258}, text: "level 258 %"}]

    """

  @Test("list and show know each profile")
  func listed() throws {
    let list = try Program.run(["profiles", "list"])
    #expect(list.status == 0)
    #expect(list.text.contains("characteristic 2a37"))
    let show = try Program.run(["profiles", "show", "heart_rate"])
    #expect(show.text.hasPrefix("profile: heart_rate\n"))
  }
}
