import Foundation
import Glibc
import ProgramRunner
import Testing

@Suite("values, as a user runs it")
struct ValuesCommandTests {
  init() { signal(SIGPIPE, SIG_IGN) }

  @Test("--raw writes a file only if one attribute is selected")
  func raw() throws {
    let folder = try Folder()
    let path = folder.path("bytes")
    let capture = Program.sample("wristband")
    try folder.write("bytes", [1, 2, 3])
    let refused = try Program.run(["values", "--raw", path, capture])
    #expect(refused.status == 64 && refused.output.isEmpty)
    #expect(
      refused.errors.contains("fff7 notified (12 values)")
        && refused.errors.contains("choose with --device or --uuid or --operation"),
      "\(refused.errors)")
    // The old contents stay, and there is no other file.
    #expect(folder.bytes("bytes") == [1, 2, 3])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(files.allSatisfy { !$0.hasSuffix(".part") }, "\(files)")
    let arguments = ["values", "--uuid", "fff7", "--operation", "notification", capture]
    let written = try Program.run(arguments + ["--raw", path])
    #expect(written.status == 0 && written.output.isEmpty && written.errors.isEmpty)
    let bytes = folder.bytes("bytes")
    #expect(bytes.count == 136 && bytes.starts(with: [0xa5, 0x06, 0x82, 0x55]))
    #expect(try Program.run(arguments + ["--raw", "-"]).output == bytes)
    // With nothing to write, no file is emptied or created.
    for name in ["bytes", "new"] {
      let nothing = try Program.run(
        ["values", "--uuid", "ffff", "--raw", folder.path(name), capture])
      #expect(nothing.status == 0 && nothing.errors.contains("no value matches"))
    }
    #expect(
      folder.bytes("bytes") == bytes && !FileManager.default.fileExists(atPath: folder.path("new")))
    let nowhere = try Program.run(arguments + ["--raw", folder.path("no/file")])
    #expect(nowhere.status == 74 && nowhere.errors.contains("cannot be written"))
  }

  @Test("--raw --channel writes what crossed an L2CAP channel in one direction")
  func channel() throws {
    let capture = Program.sample("channels")
    let arguments = ["values", "--raw", "-", "--channel", "0x0040", capture]
    #expect(try Program.run(arguments).status == 64)
    let sent = try Program.run(arguments + ["--direction", "sent"])
    #expect(sent.status == 0 && !sent.output.isEmpty, "\(sent.errors)")
    // The number in the frames, which `show` prints, is the peer's end.
    let peers = try Program.run(
      ["values", "--raw", "-", "--channel", "0x0061", "--direction", "sent", capture])
    #expect(peers.output == sent.output, "\(peers.errors)")
  }

  @Test(
    "Selecting options, and formats that exclude each other, are refused",
    arguments: [
      ["--opcode", "0x12"], ["--event", "5"], ["--text", "a"], ["--layer", "smp"],
      ["--json", "--csv"], ["--raw", "x", "--follow"], ["--all", "--raw", "x"],
      ["--channel", "0x40"], ["--operation", "no"], ["--csv", "--time", "delta"],
      ["--time", "utc"], ["--raw", "x", "--time", "none"],
    ])
  func refusals(_ options: [String]) throws {
    let ending = try Program.run(["values"] + options + [Program.sample("heart-rate")])
    #expect(ending.status == 64 && ending.output.isEmpty, "\(ending.errors)")
  }

  @Test(
    "--follow prints values as they arrive, and ends with success", arguments: [SIGINT, SIGTERM])
  func follow(_ signal: Int32) throws {
    let capture = try CaptureBytes(contentsOf: Program.sample("heart-rate"))
    let pipe = Pipe()
    let session = try Session(["values", "--follow", "-"], input: pipe.fileHandleForReading)
    // Record 104 has the first value that is read.
    pipe.fileHandleForWriting.write(Data(capture.bytes[..<capture.ends[104]]))
    #expect(session.line()?.hasSuffix("value") == true)
    #expect(session.line()?.contains("2a38 Body Sensor Location") == true)
    #expect(!session.hasMore)
    kill(session.process.processIdentifier, signal)
    let ending = session.finish()
    #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
  }

  @Test(
    "Ctrl-C keeps everything before it: no value is lost, and half a record is no damage"
  )
  func interrupted() throws {
    let capture = try CaptureBytes(contentsOf: Program.sample("heart-rate"))
    let pipe = Pipe()
    let session = try Session(
      ["values", "--follow", "--csv", "-"], input: pipe.fileHandleForReading)
    // A read request without a response, and half of the record with the response: the open request
    // is reported.
    pipe.fileHandleForWriting.write(Data(capture.bytes[..<(capture.ends[105] + 9)]))
    #expect(session.line()?.hasPrefix("packet,time") == true)
    #expect(session.line()?.hasPrefix("104,") == true)
    kill(session.process.processIdentifier, SIGINT)
    let ending = session.finish()
    #expect(ending.status == 0, "\(ending)")
    // The half record is reported, but not as damage: it is what the user interrupted.
    #expect(
      ending.errors.contains("the last record is incomplete: record 106 at byte "), "\(ending)")
    #expect(ending.lines.count == 1 && ending.text.contains("no_response"), "\(ending.text)")
    #expect(ending.output.last == 0x0a)
  }

  @Test("--time: lines have a column for it, rows their date in this machine's zone")
  func times() throws {
    func lines(_ options: [String]) throws -> [String] {
      try Program.run(
        ["values", "--uuid", "2a38", Program.sample("heart-rate")] + options,
        environment: ["TZ": "CET-1"]
      ).lines
    }
    #expect(try lines(["--all", "--time", "none"]).last?.hasPrefix("  104  1 ←") == true)
    let utc = try lines(["--all", "--time", "utc"])
    #expect(utc.last?.hasPrefix("  104 2026-11-21T12:00:0") == true, "\(utc)")
    let local = try lines(["--csv", "--time", "local"])
    #expect(local.last?.hasPrefix("104,2026-11-21 13:00:0") == true, "\(local)")
    #expect(try lines(["--csv", "--time", "none"]).last?.hasPrefix("104,1,") == true)
    // There are no lines to which a difference could refer.
    let devices = ["devices", "--time", "delta", Program.sample("heart-rate")]
    #expect(try Program.run(devices).status == 64)
  }

  @Test("A damaged capture gives its values up to the damage")
  func damaged() throws {
    let folder = try Folder()
    let capture = try CaptureBytes(contentsOf: Program.sample("heart-rate"))
    try folder.write("cut", Array(capture.bytes[..<(capture.ends[110] + 9)]))
    let ending = try Program.run(["values", "--csv", folder.path("cut")])
    #expect(ending.status == 65 && ending.lines.count == 4, "\(ending.text)")
  }
}
