import Foundation
import ProgramRunner
import Testing

/// Secrets that users' profiles define, in the program as it is run.
@Suite("Secrets of user profiles")
struct OwnSecretTests {
  /// Every way to print values, without --show-keys.
  private static let views: [[String]] = [
    ["show"], ["show", "-v", "-x"], ["show", "-x"], ["show", "--json", "--raw"],
    ["show", "--brief"],
    ["values"], ["values", "--all"], ["values", "--csv", "--wide"], ["values", "--json"],
    ["values", "--distinct"], ["values", "--changes", "--json"], ["values", "--changes"],
    ["values", "--messages"], ["values", "--messages", "--csv", "--wide"],
    ["values", "--messages", "--json"], ["map"],
    ["map", "--json"], ["profiles", "match"], ["profiles", "match", "--json"],
  ]

  /// Returns the needles that the output contains, in hexadecimal with any spacing, or as text.
  private static func found(_ needles: [String], in output: String) -> [String] {
    let plain = output.replacingOccurrences(of: " ", with: "").lowercased()
    return needles.filter { output.contains($0) || plain.contains($0) }
  }

  /// Returns the hexadecimal needles that remain in a redacted file.
  private static func keptWhenRedacted(
    _ arguments: [String], _ needles: [String]
  ) throws -> [String] {
    let redacted = try Program.run(["convert", "--redact", "--to", "btsnoop"] + arguments + ["-"])
    #expect(redacted.status == 0, "\(redacted.errors)")
    let hex = redacted.output.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    return needles.filter { hex.contains($0) }
  }

  @Test("A secret characteristic's value is hidden in every view, and shown with --show-keys")
  func characteristic() throws {
    let folder = try Folder()
    try folder.write(
      "own.yaml",
      [UInt8](
        """
        profile: own
        characteristics:
          - uuid: "2a29"
            name: Manufacturer
            fields: [{name: maker, type: utf8, secret: true}]
            examples: [{hex: "41", text: "<hidden>"}]
        """.utf8))
    let profile = ["--profile", folder.path("own.yaml"), Program.sample("heart-rate")]
    // "Acme"
    let needles = ["Acme", "41636d65"]
    for view in Self.views {
      let output = try Program.run(view + profile).text
      #expect(Self.found(needles, in: output).isEmpty, "\(view): \(output)")
    }
    let shown = try Program.run(["show", "--json", "--show-keys"] + profile).text
    #expect(Self.found(needles, in: shown) == needles)
    let raw = try Program.run(["values", "--uuid", "2a29", "--raw", "-"] + profile)
    #expect(raw.status == 64 && raw.output.isEmpty, "\(raw.errors)")
    let without = try Program.run(["values", Program.sample("heart-rate")]).text
    #expect(without.contains("\"Acme\""))
    let bytes = ["41636d65"]
    #expect(try Self.keptWhenRedacted(profile, bytes).isEmpty)
    #expect(try Self.keptWhenRedacted([Program.sample("heart-rate")], bytes) == bytes)
  }

  @Test("So are all bytes of a protocol with a secret; other values are printed")
  func messages() throws {
    let folder = try Folder()
    func write(_ claims: String) throws {
      try folder.write(
        "own.yaml",
        [UInt8](
          """
          profile: own
          applies_to: [\(claims)]
          frame:
            start: "a5"
            length: {at: 1, type: u8, counts: frame}
            command: {at: 2, type: u8}
            checksum: {at: -1, algorithm: xor8}
            reassemble: {timeout_ms: 2000}
          messages:
            - command: 0x82
              name: pin
              fields: [{name: attempts, type: u8}, {name: pin, type: u8, secret: true}]
          """.utf8))
    }
    try write(#"{characteristic: "fff6"}, {characteristic: "fff7"}"#)
    let profile = ["--profile", folder.path("own.yaml"), Program.sample("wristband")]
    for view in Self.views {
      let output = try Program.run(view + profile).text
      // The frame of the message, and a part of a longer one.
      #expect(
        Self.found(["a50682550175", "41f50142590243"], in: output).isEmpty, "\(view): \(output)")
    }
    let bytes = ["a50682550175", "41f50142590243"]
    #expect(try Self.keptWhenRedacted(profile, bytes).isEmpty)
    #expect(try Self.keptWhenRedacted([Program.sample("wristband")], bytes) == bytes)
    let text = try Program.run(["show", "--uuid", "fff7"] + profile).text
    #expect(text.contains("attempts 85, pin <hidden>"), "\(text)")
    // Only a frame identifies the protocol, so the bytes before it would have been printed.
    try write("{frame: true}")
    let refused = try Program.run(["profiles", "check", folder.path("own.yaml")])
    #expect(refused.status == 65 && refused.errors.contains("must name its characteristic"))
  }

  @Test("Advertised data is not secret")
  func advertisement() throws {
    let folder = try Folder()
    try folder.write(
      "own.yaml",
      [UInt8](
        """
        profile: own
        advertisements:
          - company: "ffff"
            name: Own
            fields: [{name: code, type: u8, secret: true}]
        """.utf8))
    let refused = try Program.run(["profiles", "check", folder.path("own.yaml")])
    #expect(
      refused.status == 65 && refused.errors.contains("every device nearby"), "\(refused.errors)")
  }
}
