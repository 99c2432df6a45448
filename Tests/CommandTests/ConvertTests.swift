import Foundation
import ProgramRunner
import Testing

@Suite("Conversion to other files")
struct ConvertTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func run(_ arguments: String..., input: String? = nil) throws -> Program.Ending {
    try Program.run(arguments, in: folder, input: input)
  }

  /// All names below a folder, including hidden files.
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
  }

  @Test(
    "Every format shows the same packets",
    arguments: [
      "btsnoop", "pcap", "pcapng", "btsnoop-1002", "btsnoop-2001", "pcap-201", "pcap-254",
      "pcapng-187", "pcapng-201", "pcapng-254", "pklg",
    ], ["heart-rate", "wristband.pcapng", "pairing-fails.pcap"])
  func sameLines(_ format: String, _ name: String) throws {
    let ending = try run("convert", "--as", format, Program.sample(name), "out")
    #expect(ending.status == 0 && ending.output.isEmpty, "\(ending.errors)")
    #expect(try names == ["out"])
    let expected = try run("show", Program.sample(name))
    let found = try run("show", "out")
    #expect(found.status == 0)
    #expect(found.lines.count == expected.lines.count)
    // An inferred direction is now a recorded one, and packets of other interfaces are gone.
    guard !name.contains(".") else { return }
    #expect(found.lines == expected.lines)
  }

  @Test("Packets from a sniffer, decrypted or as HCI, show the same ATT and Security Manager PDUs")
  func sniffed() throws {
    let sample = Program.sample("sniffed-pairing.pcap")
    func pdus(_ name: String) throws -> [String] {
      try run("show", "--json", "--show-keys", name).objects.compactMap { object in
        guard let object, object["att"] != nil || object["smp"] != nil else { return nil }
        return object["summary"] as? String
      }
    }
    let expected = try pdus(sample)
    #expect(expected.count == 28)
    for arguments in [
      ["--decrypt", "out.pcapng"], ["--decrypt", "out.pcap"], ["--as-hci", "out.btsnoop"],
      ["--as-hci", "out.pcapng"], ["--as-hci", "out.pklg"], ["--as", "pcap-256", "out.pcap"],
    ] {
      let name = arguments.last ?? ""
      let ending = try Program.run(
        ["convert", "--force"] + arguments.dropLast() + [sample, name], in: folder)
      #expect(ending.status == 0, "\(ending.errors)")
      // Requests have other numbers in HCI.
      let found = try pdus(name).map { $0.replacing(/#[0-9]+/, with: "#") }
      #expect(found == expected.map { $0.replacing(/#[0-9]+/, with: "#") }, "\(arguments)")
    }
    let comments = try run("show", "--json", "out.pcapng").objects.map {
      ($0?["comments"] as? [String])?.first ?? ""
    }
    #expect(comments.first == "not recorded: made by gattscope from packet #8 of the sniffer")
    #expect(comments.count { $0.isEmpty } == 28)
    for arguments in [
      ["--decrypt", sample, "no.btsnoop"], ["--as-hci", "--as", "pcap-256", sample, "no"],
    ] {
      #expect(try Program.run(["convert"] + arguments, in: folder).status == 64)
    }
  }

  @Test("Each packet's comment is what show prints for it")
  func comments() throws {
    for name in ["heart-rate", "monitor", "secret-values"] {
      let ending = try run(
        "convert", "--force", "--comments", Program.sample(name), "out.pcapng")
      #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending.errors)")
      let objects = try run("show", "--json", "out.pcapng").objects
      #expect(objects.count > 10)
      for object in objects {
        let summary = try #require(object?["summary"] as? String)
        #expect(object?["comments"] as? [String] == [summary])
      }
      // Only once: the second conversion finds the comments in the file.
      #expect(
        try run("convert", "--force", "--comments", "out.pcapng", "again.pcapng").status == 0)
      #expect(folder.bytes("again.pcapng") == folder.bytes("out.pcapng"))
    }
  }

  @Test("What a packet needs to be understood brings back no excluded device")
  func excluded() throws {
    let device = "F1:F1:F1:F1:F1:F1"
    let sample = Program.sample("heart-rate")
    #expect(try run("show", "--device", device, sample).lines.count > 10)
    #expect(try run("convert", "--device", "!" + device, sample, "out.btsnoop").status == 0)
    let found = try run("show", "--device", device, "out.btsnoop")
    #expect(found.lines.isEmpty, "\(found.output)")
  }

  @Test("Standard input and output")
  func streams() throws {
    let capture = Program.sample("heart-rate")
    let whole = try run("convert", "-", "-", input: capture)
    #expect(whole.status == 0 && whole.errors.isEmpty)
    #expect(try run("convert", capture, "file.pcapng").status == 0)
    #expect(folder.bytes("file.pcapng") == whole.output)
    // The older spelling of --as.
    #expect(
      try run("convert", "--to", "pcapng", "-", "-", input: capture).output == whole.output)
    // The selection is only complete at the end: the stream is kept for a second pass.
    let part = try run("convert", "--to", "pcapng", "--uuid", "2a37", "-", "-", input: capture)
    #expect(part.status == 0 && part.errors.hasPrefix("gattscope: standard input: "))
    #expect(try run("convert", "--uuid", "2a37", capture, "part.pcapng").status == 0)
    #expect(folder.bytes("part.pcapng") == part.output)
  }

  @Test("A damaged capture is converted up to the damage, which is reported")
  func damaged() throws {
    let whole = CaptureBytes.session(5)
    try folder.write("cut.btsnoop", Array(whole.bytes.dropLast(3)))
    let ending = try run("convert", "cut.btsnoop", "out.pcap")
    #expect(ending.status == 65)
    #expect(ending.errors.contains("cut.btsnoop: record 5 at byte \(whole.ends[4]): "))
    #expect(try run("show", "--json", "out.pcap").packets == [1, 2, 3, 4])
    let chosen = try run("convert", "--packets", "2-3", "cut.btsnoop", "part.pcap")
    #expect(chosen.status == 65)
    // Includes the packet that first shows the connection.
    #expect(try run("show", "--json", "part.pcap").packets == [1, 2, 3])
  }

  @Test("A failed conversion leaves nothing behind")
  func nothingLeft() throws {
    let capture = Program.sample("heart-rate")
    let full = try run("convert", "--to", "pcap", capture, "/dev/full")
    #expect(full.status == 74)
    #expect(full.errors == "gattscope: /dev/full cannot be written: no space left on device\n")
    let missing = try run("convert", capture, "no/such/folder.pcap")
    #expect(missing.status == 74)
    #expect(
      missing.errors
        == "gattscope: no/such/folder.pcap cannot be written: no such file or directory; make its folder first: mkdir -p no/such\n"
    )
    try folder.write("notes.txt", Array("no capture".utf8))
    #expect(try run("convert", "notes.txt", "out.pcap").status == 65)
    #expect(try run("convert", "missing.btsnoop", "out.pcap").status == 66)
    #expect(try names == ["notes.txt"])
  }

  @Test("At a limit on file size, the previous file stays")
  func noRoom() throws {
    try folder.write("out.btsnoop", [1, 2, 3])
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    // The limit is 512 bytes. The signal that would end the program is ignored, as on a full disk.
    shell.arguments = [
      "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" convert --force \"$1\" out.btsnoop",
      Program.url.path, Program.sample("heart-rate"),
    ]
    shell.currentDirectoryURL = folder.url
    shell.standardError = FileHandle.nullDevice
    try Program.start(shell)
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 74)
    #expect(folder.bytes("out.btsnoop") == [1, 2, 3])
    #expect(try names == ["out.btsnoop"])
  }

  @Test("A capture without records replaces no other")
  func noRecords() throws {
    let empty = CaptureBytes.session(0).bytes
    try folder.write("empty.btsnoop", empty)
    try folder.write("notes.btsnoop", CaptureBytes.session(2).bytes)
    let refused = try run("convert", "--force", "empty.btsnoop", "notes.btsnoop")
    #expect(refused.status == 74 && folder.bytes("notes.btsnoop") == CaptureBytes.session(2).bytes)
    #expect(
      refused.errors
        == "gattscope: notes.btsnoop stays as it is: there is no record to replace it with\n")
    // Nor do records that the format cannot hold, and they create no file, either.
    try folder.write("old.btsnoop", [1, 2, 3])
    var notes = CaptureBytes(datalink: 2001)
    notes.record([0x68, 0], flags: 12)
    try folder.write("system.btsnoop", notes.bytes)
    let left = try run(
      "convert", "--force", "--as", "btsnoop-1002", "system.btsnoop", "old.btsnoop")
    #expect(left.status == 64 && folder.bytes("old.btsnoop") == [1, 2, 3])
    #expect(left.errors.contains("1 record that is not a packet was left out: 1 system note\n"))
    #expect(
      left.errors.contains(
        "old.btsnoop was not written: nothing is left that its format has room for\n"))
    #expect(
      try run("convert", "--to", "btsnoop-1002", "system.btsnoop", "none.btsnoop").status == 64)
    #expect(try !names.contains("none.btsnoop"))
    // A new or empty file, or a capture without records, can be replaced repeatedly.
    for _ in 0..<2 {
      #expect(try run("convert", "--force", "empty.btsnoop", "new.btsnoop").status == 0)
    }
    try folder.write("nothing.btsnoop", [])
    #expect(try run("convert", "empty.btsnoop", "nothing.btsnoop").status == 0)
    #expect(folder.bytes("new.btsnoop") == empty && folder.bytes("nothing.btsnoop") == empty)
  }

  @Test("73: a file with contents is only replaced with --force")
  func existingFiles() throws {
    let capture = Program.sample("heart-rate")
    let other = CaptureBytes.session(2).bytes
    try folder.write("b.btsnoop", other)
    try folder.write("notes.pcapng", Array("no capture".utf8))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.pcap"), withDestinationPath: "b.btsnoop")
    for out in ["b.btsnoop", "notes.pcapng", "link.pcap"] {
      for arguments in [[capture], ["--redact", capture], ["--merge", capture, capture]] {
        let ending = try Program.run(["convert"] + arguments + [out], in: folder)
        #expect(ending.status == 73)
        #expect(
          ending.errors
            == "gattscope: \(out) already exists; name another file, or replace it with --force\n")
      }
    }
    #expect(folder.bytes("b.btsnoop") == other)
    #expect(folder.bytes("notes.pcapng") == Array("no capture".utf8))
    #expect(try run("convert", "--force", capture, "link.pcap").status == 0)
    #expect(folder.bytes("b.btsnoop").prefix(4) == [0xd4, 0xc3, 0xb2, 0xa1])
    // An empty file has no contents, and what is not a file cannot be replaced.
    try folder.write("empty.pcapng", [])
    for out in ["empty.pcapng", "/dev/null", "-"] {
      #expect(try run("convert", capture, out).status == 0)
    }
    #expect(!folder.bytes("empty.pcapng").isEmpty)
  }

  @Test("PacketLogger: records that it cannot hold are reported")
  func packetLogger() throws {
    let cut = try run("convert", Program.sample("write-refused.pklg"), "same.pklg")
    #expect(cut.status == 0 && cut.errors.isEmpty, "\(cut.errors)")
    let before = try run("show", "--json", Program.sample("write-refused.pklg"))
    #expect(try run("show", "--json", "same.pklg").lines == before.lines)
    let monitor = try run("convert", Program.sample("monitor"), "monitor.pklg")
    #expect(monitor.errors.contains(" records that are not packets were left out: "))
    var capture = CaptureBytes(datalink: 1002)
    capture.record([4, 0x0e, 4, 1, 3, 0x0c], flags: 3, original: 7)
    try folder.write("cut.btsnoop", capture.bytes)
    let lost = try run("convert", "cut.btsnoop", "cut.pklg")
    #expect(
      lost.errors
        == "gattscope: cut.pklg: 1 packet that the capture had cut lost the length that it had before\n"
    )
    // This format has no file header.
    try folder.write("empty.btsnoop", CaptureBytes.session(0).bytes)
    #expect(try run("convert", "empty.btsnoop", "empty.pklg").status == 0)
    #expect(try names.contains("empty.pklg") && folder.bytes("empty.pklg").isEmpty)
  }

  @Test("A link is followed, even if its target does not exist yet")
  func links() throws {
    let capture = Program.sample("heart-rate")
    func link(_ name: String, to destination: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(name), withDestinationPath: destination)
    }
    try link("first.btsnoop", to: "second.btsnoop")
    try link("second.btsnoop", to: "target.btsnoop")
    for _ in 0..<2 {
      #expect(try run("convert", "--force", capture, "first.btsnoop").status == 0)
      #expect(try names == ["first.btsnoop", "second.btsnoop", "target.btsnoop"])
      for name in ["first.btsnoop", "second.btsnoop"] {
        #expect(
          (try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path(name))) != nil)
      }
      #expect(folder.bytes("target.btsnoop").count > 1000)
    }
    try link("loop.btsnoop", to: "loop.btsnoop")
    let loop = try run("convert", capture, "loop.btsnoop")
    #expect(loop.status == 74)
    #expect(
      loop.errors
        == "gattscope: loop.btsnoop cannot be written: too many levels of symbolic links\n")
    try link("lost.btsnoop", to: "none/target.btsnoop")
    let lost = try run("convert", capture, "lost.btsnoop")
    #expect(lost.status == 74 && lost.errors.contains("mkdir -p ./none\n"), "\(lost.errors)")
  }

  @Test("A capture is not overwritten by its own conversion, whatever the name")
  func ownInput() throws {
    let bytes = CaptureBytes.session(5).bytes
    let path = try folder.write("a.btsnoop", bytes)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.btsnoop"), withDestinationPath: path)
    for out in ["a.btsnoop", "./a.btsnoop", path, "link.btsnoop"] {
      let ending = try run("convert", "a.btsnoop", out)
      #expect(ending.status == 64, "\(out)")
      #expect(
        ending.errors
          == "gattscope: a.btsnoop is the capture itself; name another file to write\n")
    }
    #expect(folder.bytes("a.btsnoop") == bytes)
  }

  @Test(
    "64: contradictory arguments",
    arguments: [
      ["convert"], ["convert", "a"], ["convert", "a", "b.txt"],
      ["convert", "--as", "pcap", "--to", "pcapng", "a", "b"], ["convert", "--as", "5", "a", "b"],
      ["convert", "a", "b", "c.pcap"], ["convert", "--to", "pcap-12", "a", "b"],
      ["convert", "--to", "pcap", "--to", "pcapng", "a", "b"],
      ["convert", "--comments", "a", "b.pcap"],
    ])
  func usage(_ arguments: [String]) throws {
    let ending = try Program.run(arguments, in: folder)
    #expect(ending.status == 64 && ending.output.isEmpty && ending.errors.hasPrefix("Error: "))
    #expect(try names == [])
  }

  @Test("Data that the format cannot hold is reported by kind and number")
  func losses() throws {
    let direction = try run("convert", "--to", "pcap-187", Program.sample("heart-rate"), "out")
    #expect(
      direction.errors
        == "gattscope: out: 166 packets lost their direction: the link type has no room for it\n")
    let notes = try run("convert", "--as", "btsnoop-1002", Program.sample("monitor"), "notes")
    let objects = try run("show", "--json", Program.sample("monitor")).objects
    let count = objects.count {
      $0?["type"] as? String == "note" || $0?["protocol"] as? String == "mgmt"
    }
    #expect(notes.status == 0)
    let words = "\(count) records that are not packets were left out: "
    #expect(notes.errors.hasPrefix("gattscope: notes: \(words)"))
  }

  @Test("Captures are joined by time; records that both have are written once")
  func merge() throws {
    let capture = Program.sample("heart-rate")
    #expect(try run("convert", "--packets", "1-90", capture, "a.btsnoop").status == 0)
    let both = try run("convert", "--merge", "a.btsnoop", capture, "both.btsnoop")
    #expect(both.status == 0)
    #expect(both.errors.contains(" of its records are in another file, too, and written once\n"))
    #expect(folder.bytes("both.btsnoop") == (try Folder.bytes(at: capture)))
    let ends = try run(
      "convert", "--merge", capture, Program.sample("heart-rate.peripheral"), "ends.pcapng")
    #expect(ends.status == 0)
    #expect(ends.errors.contains("hci0 of \(Program.sample("heart-rate.peripheral")) is hci1\n"))
    let adapters = try run("show", "--json", "ends.pcapng").objects.map { $0?["adapter"] as? Int }
    #expect(Set(adapters) == [0, 1])
  }
}

extension Folder {
  /// Returns the contents of a file at any path.
  fileprivate static func bytes(at path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }
}
