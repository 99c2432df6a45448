import Foundation
import ProgramRunner
import Testing

@Suite("convert --redact --pseudonyms")
struct PseudonymsTests {
  private func convert(
    _ capture: String, _ options: [String], in folder: borrowing Folder
  ) throws -> Program.Ending {
    try Program.run(
      ["convert", "--redact", "--pseudonyms", folder.path("list.csv")] + options
        + [Program.sample(capture), folder.path("out.btsnoop")])
  }

  private func mode(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(facts[.posixPermissions] as? Int)
  }

  @Test("Lists what each pseudonym of the capture stands for, for its owner alone")
  func list() throws {
    let folder = try Folder()
    let ending = try convert("advertising-types", [], in: folder)
    #expect(ending.status == 0)
    #expect(ending.errors.contains("do not share it"))
    #expect(try mode(folder.path("list.csv")) == 0o600)
    let lines = String(decoding: folder.bytes("list.csv"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    #expect(lines.first == "kind,original,pseudonym")
    let original = try Program.run(
      ["devices", "-", "--ascii"], input: Program.sample("advertising-types")
    ).text
    let redacted = try Program.run(["devices", folder.path("out.btsnoop"), "--ascii"]).text
    var known = Set<String>()
    for line in lines.dropFirst() where line.hasPrefix("address,D2") || line.hasPrefix("name,B") {
      let cells = line.split(separator: ",").map(String.init)
      known.insert(cells[0])
      #expect(original.contains(cells[1]) && redacted.contains(cells[2]))
      if cells[0] == "address" { #expect(!redacted.contains(cells[1])) }
    }
    #expect(known == ["address", "name"])
    let beacon = try #require(lines.first { $0.hasPrefix("beacon,5ca1ab1e-") })
    let values = try Program.run(["values", "--all", folder.path("out.btsnoop")]).text
    #expect(values.contains(beacon.split(separator: ",")[2]) && !values.contains("5ca1ab1e-"))
  }

  @Test("Keys are never listed") func secrets() throws {
    let folder = try Folder()
    #expect(try convert("pairing-all-keys", [], in: folder).status == 0)
    let kinds = String(decoding: folder.bytes("list.csv"), as: UTF8.self)
      .split(separator: "\n").dropFirst().map { $0.prefix { $0 != "," } }
    #expect(Set(kinds).isSubset(of: ["address", "name", "serial", "beacon"]) && !kinds.isEmpty)
  }

  @Test("Replaces a file only with --force, and then keeps it from others") func force() throws {
    let folder = try Folder()
    try folder.write("list.csv", Array("mine".utf8))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: folder.path("list.csv"))
    #expect(try convert("heart-rate", [], in: folder).status == 73)
    #expect(folder.bytes("list.csv") == Array("mine".utf8) && folder.bytes("out.btsnoop").isEmpty)
    #expect(try convert("heart-rate", ["--force"], in: folder).status == 0)
    #expect(try mode(folder.path("list.csv")) == 0o600)
    #expect(folder.bytes("list.csv").starts(with: "kind,".utf8))
  }

  @Test("Appears only with the capture") func together() throws {
    let folder = try Folder()
    let files = FileManager.default
    #expect(try convert("heart-rate", ["--connection", "99"], in: folder).status == 64)
    #expect(!files.fileExists(atPath: folder.path("list.csv")))
    let list = folder.path("list.csv")
    let capture = Program.sample("heart-rate")
    let run = try Program.run(
      ["convert", "--redact", "--pseudonyms", list, capture, folder.path("none/out.btsnoop")])
    #expect(run.status == 74 && !files.fileExists(atPath: list))
    let other = try Program.run(
      [
        "convert", "--redact", "--pseudonyms", folder.path("none/list.csv"), capture,
        folder.path("out.btsnoop"),
      ])
    #expect(other.status == 74 && !files.fileExists(atPath: folder.path("out.btsnoop")))
  }

  @Test("Needs --redact, and a file of its own") func refused() throws {
    let folder = try Folder()
    let (capture, out) = (Program.sample("heart-rate"), folder.path("out.btsnoop"))
    for options in [
      ["--pseudonyms", folder.path("x")], ["--redact", "--pseudonyms", "-"],
      ["--redact", "--pseudonyms", "/dev/null"], ["--redact", "--pseudonyms", out],
      ["--redact", "--force", "--pseudonyms", capture],
    ] {
      let run = try Program.run(["convert"] + options + [capture, out])
      #expect(run.status == 64, "\(options): \(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: out))
    }
  }
}
