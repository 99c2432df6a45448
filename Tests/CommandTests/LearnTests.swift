import Foundation
import ProgramRunner
import Testing

@Suite("profiles learn and new, values --positions")
struct LearnTests {
  /// The lines of a page with a claim, as "claim confidence".
  private func claims(_ page: String) -> [String] {
    page.split(separator: "\n").filter { $0.hasPrefix("  ") }.map { line in
      let words = line.split(separator: " ")
      let sure = ["certain", "likely"].contains(words.last) ? " \(words.last ?? "")" : ""
      return "\(words.first ?? "")\(sure)"
    }
  }

  @Test func aLampIsLearntAndItsProfilePassesItsCheck() throws {
    let folder = try Folder()
    let capture = Program.sample("lamp")
    let result = try Program.run(["profiles", "learn", "-o", "lamp.yaml", capture], in: folder)
    #expect(result.status == 0)
    #expect(result.errors == "")
    let found = claims(result.text)
    #expect(found.filter { $0 == "checksum certain" }.count == 2, "\(result.text)")
    #expect(found.filter { $0 == "length certain" }.count == 2)
    #expect(found.contains("answers certain"))
    #expect(result.text.contains("{crc: 8, poly: 0x39, init: 0x42}"))
    let check = try Program.run(["profiles", "check", "lamp.yaml"], in: folder)
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.text.hasPrefix("lamp.yaml: 0 definitions, 10 messages"))
    // The profile explains every value of the capture.
    let match = try Program.run(
      ["profiles", "match", "--profile", "lamp.yaml", capture], in: folder)
    #expect(match.text.contains("a0c1       50 values  lamp"))
    #expect(match.text.contains("a0c2       52 values  lamp"))
    #expect(!match.text.contains("problems"))
    // It does not replace what is there.
    let again = try Program.run(["profiles", "learn", "-o", "lamp.yaml", capture], in: folder)
    #expect(again.status == 73)
  }

  @Test func numbersThatWereShownBecomeFields() throws {
    let folder = try Folder()
    let capture = Program.sample("lamp")
    let result = try Program.run(
      [
        "profiles", "learn", "-o", "lamp.yaml", "--shown", "#26=25.8 Temperature", "--shown",
        "#38=25.9 Temperature", capture,
      ], in: folder)
    #expect(result.text.contains("Temperature: byte 8, u16, big endian, divided by 10\n"))
    let profile = try String(
      contentsOf: folder.url.appending(path: "lamp.yaml"), encoding: .utf8)
    #expect(
      profile.contains(
        "{name: temperature, type: u16, endian: big, scale: {divide: 10}}  # shown in #26, #38"))
    #expect(try Program.run(["profiles", "check", "lamp.yaml"], in: folder).status == 0)
  }

  @Test(
    "Meaningless numbers are reported",
    arguments: ["", "#26", "26=", "#x=3", "#26=a", "#0=3", "=3"])
  func wrongShown(_ text: String) throws {
    let result = try Program.run(
      [
        "profiles", "learn", "--shown", text,
        Program.sample("lamp"),
      ])
    #expect(result.status == 64)
    #expect(result.errors.contains("expected a packet, a number and a name"))
  }

  @Test func tooFewValuesAreSaidSo() throws {
    let folder = try Folder()
    let capture = Program.sample("heart-rate")
    let result = try Program.run(
      ["profiles", "learn", "--uuid", "2a39", "-o", "none.yaml", capture], in: folder)
    #expect(result.text.contains("too few: at least 4"))
    #expect(result.status == 1)
    #expect(result.errors.contains("nothing was learnt"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "none.yaml").path))
  }

  @Test func aNewProfilePassesItsCheck() throws {
    let folder = try Folder()
    let capture = Program.sample("heart-rate")
    let result = try Program.run(
      ["profiles", "new", "--uuid", "2a37", "-o", "new.yaml", capture], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    let check = try Program.run(["profiles", "check", "new.yaml"], in: folder)
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.text == "new.yaml: 1 definition, 7 examples\n")
  }

  @Test func positionsShowWhatBytesDo() throws {
    let result = try Program.run(
      [
        "values", "--positions", "--uuid", "a0c1",
        Program.sample("lamp"),
      ])
    #expect(result.text.contains("byte   0  always 5a; start\n"))
    #expect(result.text.contains("byte   1  02 to 05, 3 different; length (certain)\n"))
    let json = try Program.run(
      [
        "values", "--positions", "--json", "--uuid", "a0c1",
        Program.sample("lamp"),
      ])
    #expect(json.text.contains("\"kind\":\"constant\",\"least\":\"5a\",\"part\":\"start\""))
  }

  /// Channels of real captures: what their protocols' public descriptions say of length and
  /// checksum, by the place and the words of the claims.
  @Test(
    "Frames of real gadgets are learnt",
    arguments: [
      // esphome-jbd-bms: sum of the bytes from the command on, subtracted from 0x10000.
      (
        "esphome-jbd-bms-btsnoop_hci-mosfets-onoff.log", "ff01",
        "sum16_negated, big endian, over byte 2"
      ),
      // esphome-jk-bms: the sum of all bytes.
      (
        "esphome-jk-bms-btsnoop_hci_jk-b2a16s_hw30_sw330.log", "ffe1",
        "the last byte, sum8, over byte 0"
      ),
      // zengge_lednetwf: the sum of the payload.
      ("zengge_lednetwf-music_mode.log", "ff01", "the last byte, sum8, over byte 8"),
      // mc3000: the sum of all bytes.
      ("mc3000-btsnoop_hci.log", "ffe1", "the last byte, sum8, over byte 0"),
    ])
  func realGadgets(_ file: String, _ uuid: String, _ checksum: String) throws {
    let path = Program.sharedCaptures.appending(path: "real/\(file)").path
    guard FileManager.default.fileExists(atPath: path) else { return }
    let result = try Program.run(["profiles", "learn", "--uuid", uuid, path])
    let line = result.text.split(separator: "\n").first { $0.contains(checksum) }
    #expect(line?.hasSuffix("certain") == true, "\(result.text)")
  }

  /// The lamp's app sends only colors of one or three equal parts: the last byte is as well their
  /// maximum as their exclusive or.
  @Test func whatOnlyRepeatsIsNoChecksum() throws {
    let path = Program.sharedCaptures.appending(path: "real/bj_led-btsnoop_hci.full.log").path
    guard FileManager.default.fileExists(atPath: path) else { return }
    let text = try Program.run(["profiles", "learn", "--uuid", "ee01", path]).text
    #expect(text.contains("byte 2, u8: what follows it"), "\(text)")
    #expect(!text.contains("\n  checksum "), "\(text)")
  }
}
