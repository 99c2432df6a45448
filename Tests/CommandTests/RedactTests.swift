// convert --redact: a capture without private data.

import Foundation
import ProgramRunner
import Testing

@Suite("convert --redact") struct RedactTests {
  private static let sample = Program.sample("pairing-fails")
  private static let address = "F1:F1:F1:F1:F1:F1"

  /// Returns the rule and the packets of each finding.
  private func findings(_ path: String) throws -> [String] {
    let ending = try Program.run(["explain", "--json", path])
    let object = ending.objects.first ?? nil
    let connections = object?["connections"] as? [[String: Any]] ?? []
    let problems =
      (object?["problems"] as? [[String: Any]] ?? [])
      + connections.flatMap { $0["problems"] as? [[String: Any]] ?? [] }
    return problems.map { "\($0["rule"] ?? "") \($0["evidence"] ?? "")" }
  }

  @Test("the same findings without addresses and names; the changes are reported")
  func redacted() throws {
    let folder = try Folder()
    let out = folder.path("out.btsnoop")
    let ending = try Program.run(["convert", "--redact", Self.sample, out])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.errors.contains("replaced: 10 addresses, 3 keys and other secrets, 3 names"))
    #expect(ending.errors.contains("vendor data may still contain identifiers"))
    let before = try findings(Self.sample)
    #expect(!before.isEmpty)
    #expect(try findings(out) == before)
    let shown = try Program.run(["show", "-v", out]).text
    #expect(!shown.contains(Self.address) && !shown.contains("Lock"))
    let again = try Program.run(["convert", "--redact", Self.sample, folder.path("again.btsnoop")])
    #expect(again.errors == ending.errors)
    #expect(
      try Data(contentsOf: URL(filePath: out))
        != Data(contentsOf: URL(filePath: folder.path("again.btsnoop"))), "other pseudonyms")
  }

  @Test("names can stay, and a selection uses the rest of the capture")
  func options() throws {
    let folder = try Folder()
    let out = folder.path("out.pcapng")
    let kept = try Program.run([
      "convert", "--redact", "--keep-names", "--comments", Self.sample, out,
    ])
    #expect(kept.status == 0, "\(kept.errors)")
    let shown = try Program.run(["show", "-v", out]).text
    #expect(shown.contains("Lock") && !shown.contains(Self.address))
    #expect(try !Data(contentsOf: URL(filePath: out)).contains(Data(Self.address.utf8)))
    let part = folder.path("part.btsnoop")
    let selected = try Program.run(
      ["convert", "--redact", "--device", Self.address, Self.sample, part])
    #expect(selected.status == 0, "\(selected.errors)")
    #expect(!(try Program.run(["show", "-v", part]).text.contains(Self.address)))
  }

  @Test("values of a type become zeros") func values() throws {
    let folder = try Folder()
    let out = folder.path("out.btsnoop")
    let heartRate = Program.sample("heart-rate")
    let ending = try Program.run(["convert", "--redact", "--redact-values", "2a37", heartRate, out])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.errors.contains("attribute value"))
    let values = try Program.run(["values", "--uuid", "2a37", out]).text
    #expect(values.contains("0 bpm → 0 bpm"), "\(values)")
    #expect(try Program.run(["map", out]).text.contains("2a37"))
  }

  @Test(
    "useless options end with 64",
    arguments: [
      ["--keep-names"], ["--keep-vendor"], ["--redact-values", "all"],
      ["--redact", "--redact-values", "heart"],
    ]) func refused(_ options: [String]) throws
  {
    let folder = try Folder()
    let out = folder.path("out.btsnoop")
    let ending = try Program.run(["convert"] + options + [Self.sample, out])
    #expect(ending.status == 64)
    #expect(!FileManager.default.fileExists(atPath: out))
  }
}
