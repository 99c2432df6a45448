import Foundation
import ProgramRunner
import Testing

@Suite("Serial channels, as a user sees them")
struct SerialTests {
  private static let profile = """
    profile: amplifier
    applies_to: [{rfcomm: 1}, {psm: 0x0081}]
    frame:
      start: "7e"
      length: {at: 1, type: u8}
      command: {at: 2, type: u8}
      checksum: {at: -1, algorithm: sum8}
      reassemble: {timeout_ms: 1000}
    exchange: {response: command | 0x80}
    messages:
      - {command: 0x01, name: volume.request, fields: []}
      - command: 0x81
        name: volume
        fields: [{name: volume, type: u8}, {name: muted, type: u8}, {name: input, type: u8}]
      - {command: 0x02, name: set_volume, fields: [{name: volume, type: u8}]}
      - {command: 0x82, name: volume_set, fields: [{name: volume, type: u8}]}
      - {command: 0x83, name: mode, unsolicited: true, fields: [{name: name, type: utf8}]}
    """

  /// Runs a command on the sample with the profile, or another place where it applies.
  private func text(_ command: [String], appliesTo place: String? = nil) throws -> [String] {
    var profile = Self.profile
    if let place {
      profile = profile.replacingOccurrences(of: "[{rfcomm: 1}, {psm: 0x0081}]", with: place)
    }
    let folder = try Folder()
    let path = try folder.write("amplifier.yaml", [UInt8](profile.utf8))
    let run = try withExtendedLifetime(folder) {
      try Program.run(command + ["--profile", path, Program.sample("serial")])
    }
    #expect(run.status == 0, "\(run.errors)")
    return run.text.split(separator: "\n").map { String($0) }
  }

  @Test func messages() throws {
    let lines = try text(["values", "--all"])
    #expect(lines.count == 8)
    // A message in two frames, two in one, and one in an SDU of two frames.
    #expect(lines[3].hasSuffix("volume: volume 24, muted 0, input 1, answers #56"))
    #expect(lines[5].hasSuffix(#"volume set: 32, answers #60; mode: "Night mode""#))
    #expect(lines[7].hasSuffix(#"mode: "A name that takes two frames", #87–#88"#))
  }

  @Test(
    arguments: [
      ("[{rfcomm: 1}]", ["5 values  amplifier", "no profile"]),
      ("[{rfcomm: 2}]", ["no profile", "no profile"]),
      ("[{psm: 0x0081}]", ["no profile", "2 values  amplifier"]),
      ("[{service: \"1101\"}]", ["5 values  amplifier", "no profile"]),
      ("[{frame: true}]", ["amplifier, recognized by frame", "amplifier, recognized by frame"]),
    ])
  func places(_ place: String, _ words: [String]) throws {
    let lines = try text(["profiles", "match"], appliesTo: place)
    // The command that learns what no profile explains may follow.
    #expect(lines.filter { !$0.hasPrefix("to learn more: ") }.count == 2)
    for (line, words) in zip(lines, words) { #expect(line.contains(words), "\(line)") }
  }

  @Test("A profile of a serial channel that decodes nothing is reported, with the reason")
  func unmatched() throws {
    let folder = try Folder()
    func errors(_ profile: String) throws -> String {
      let path = try folder.write("amplifier.yaml", [UInt8](profile.utf8))
      return try Program.run(["show", "--profile", path, Program.sample("serial")]).errors
    }
    #expect(try !errors(Self.profile).contains("matched nothing"))
    let other = Self.profile.replacingOccurrences(of: "\"7e\"", with: "\"7d\"")
    #expect(
      try errors(other).contains("matched nothing in this capture: 6 values begin with 7e, not 7d"))
  }

  @Test func selections() throws {
    func count(_ arguments: [String]) throws -> Int {
      let run = try Program.run(["values", "--json"] + arguments + [Program.sample("serial")])
      return run.objects.count
    }
    #expect(try count([]) == 7)
    #expect(try count(["--layer", "rfcomm"]) == 5)
    #expect(try count(["--uuid", "1101"]) == 5)
    #expect(try count(["--direction", "sent"]) == 3)
    #expect(try count(["--value", "4e69676874"]) == 1)
    #expect(try count(["--operation", "data"]) == 7)
    #expect(try count(["--operation", "write"]) == 0)
  }

  /// Redaction keeps the frames and removes what they carry.
  @Test func redaction() throws {
    let folder = try Folder()
    let path = folder.path("redacted.btsnoop")
    let run = try Program.run(
      ["convert", "--redact", "--redact-values", "1101", Program.sample("serial"), path])
    #expect(run.status == 0)
    #expect(run.errors.contains("5 values on serial channels"), "\(run.errors)")
    let shown = try Program.run(["show", "--json", path]).objects.compactMap { $0 }
    let frames = shown.compactMap { $0["rfcomm"] as? [String: Any] }
    #expect(frames.count == 28)
    let values = frames.compactMap { $0["value"] as? String }
    #expect(values.count == 5 && values.allSatisfy { $0.allSatisfy { $0 == "0" } })
    #expect(shown.allSatisfy { ($0["problems"] as? [[String: Any]] ?? []).count < 2 })
  }
}
