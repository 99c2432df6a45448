import Foundation
import ProgramRunner
import Testing

@Suite("Exit statuses and messages on standard error")
struct ExitStatusTests {
  private func run(_ arguments: String..., in folder: Folder? = nil) throws -> Program.Ending {
    try Program.run(arguments, in: folder)
  }

  @Test("0: success, without a message")
  func good() throws {
    for arguments in [["show"], ["show", "--json"], ["info"], ["info", "--json"], []] {
      let ending = try Program.run(arguments + [Program.sample("monitor")])
      #expect(ending.status == 0 && ending.errors.isEmpty && !ending.output.isEmpty)
    }
    #expect(try run("--version").status == 0)
    #expect(try run("--help").status == 0)
    #expect(try run("schema").status == 0)
  }

  @Test("0: a header without records is a valid empty capture")
  func headerOnly() throws {
    let folder = try Folder()
    let file = try folder.write("empty.btsnoop", CaptureBytes().bytes)
    for arguments in [["show"], ["show", "--json"], ["show", "-v", "-x"]] {
      let ending = try Program.run(arguments + [file])
      #expect(ending.status == 0 && ending.output.isEmpty)
      #expect(ending.errors == "gattscope: \(file): the capture holds no records\n")
    }
    let info = try Program.run(["info", "--json", file])
    #expect(info.status == 0 && info.errors.isEmpty && info.objects.count == 1)
    #expect(try run("info", file).text.contains("records"))
  }

  @Test(
    "64: bad usage",
    arguments: [
      [], ["show"], ["show", "--no-such-option", "x"],
      ["show", "--packets", "0", "x"], ["show", "--packets", "5-3", "x"],
      ["show", "--packets", "a", "x"], ["show", "--packets", "", "x"],
      ["show", "--packets", "1,,2", "x"], ["show", "--packets", "1-2-3", "x"],
      ["show", "--packets=-", "x"], ["show", "--connection", "0", "x"],
      ["show", "--layer", "nonsense", "x"], ["show", "--layer", "", "x"],
      ["show", "--direction", "up", "x"], ["show", "--limit=-1", "x"],
      ["show", "--time", "never", "x"], ["show", "--color", "pink", "x"],
      ["show", "--width", "5", "x"],
    ])
  func usage(_ arguments: [String]) throws {
    let ending = try Program.run(arguments)
    #expect(ending.status == 64, "\(arguments)")
    #expect(ending.output.isEmpty && ending.errors.hasPrefix("Error: "))
  }

  @Test("65: damaged; everything before the damage is printed first, then its position")
  func damaged() throws {
    let folder = try Folder()
    let whole = CaptureBytes.session(5)
    let cut = whole.bytes.dropLast(3)
    try folder.write("cut.btsnoop", Array(cut))
    let text = try run("show", "cut.btsnoop", in: folder)
    #expect(text.status == 65 && text.lines.count == 5)
    #expect(
      text.errors
        == "gattscope: cut.btsnoop: record 5 at byte \(whole.ends[4]): only 11 of 14 bytes are present; "
        + "the capture ends early\n")
    let json = try run("show", "--json", "cut.btsnoop", in: folder)
    #expect(json.status == 65 && json.packets == [1, 2, 3, 4])
    let info = try run("info", "--json", "cut.btsnoop", in: folder)
    #expect(info.status == 65 && (info.objects.first??["damage"] as? String)?.isEmpty == false)
  }

  @Test("65: a truncated header, a record with wrong lengths")
  func damagedHeaders() throws {
    let folder = try Folder()
    try folder.write("short", Array(CaptureBytes().bytes.prefix(11)))
    let short = try run("show", "short", in: folder)
    #expect(short.status == 65)
    #expect(
      short.errors == "gattscope: short: its header ends early: only 11 of 16 bytes are present\n")
    var header = CaptureBytes.session(1)
    header.record([], included: 0)
    try folder.write("header", Array(header.bytes.dropLast(1)))
    let record = try run("show", "header", in: folder)
    #expect(record.status == 65 && record.errors.contains("23 of 24 bytes of its header"))
    var lying = CaptureBytes.session(1)
    lying.record([1, 2, 3], original: 2)
    try folder.write("lying", lying.bytes)
    let more = try run("show", "lying", in: folder)
    #expect(more.status == 65 && more.lines.count == 2)
    #expect(
      more.errors.contains("record 2 at byte 54: included length 3 exceeds original length 2"))
    var huge = CaptureBytes.session(1)
    huge.record([], included: 0xffff_ffff, original: 0xffff_ffff)
    try folder.write("huge", huge.bytes)
    let most = try run("show", "huge", in: folder)
    #expect(most.status == 65 && most.lines.count == 2)
    #expect(most.errors.contains("it claims 4294967295 bytes, of which 0 are present"))
  }

  @Test(
    "65: not a capture, or an unsupported one, by name",
    arguments: [
      (
        "# notes",
        "is not a capture: it starts with 23 20 6e 6f; expected btsnoop, pcap, pcapng or PacketLogger"
      ),
      ("", "is empty; expected btsnoop, pcap, pcapng or PacketLogger"),
      (
        "\u{1}",
        "is not a capture: it starts with 01; expected btsnoop, pcap, pcapng or PacketLogger"
      ),
    ])
  func text(_ content: String, _ sentence: String) throws {
    try refused(Array(content.utf8), sentence)
  }

  @Test(
    "65: other formats, by their first bytes",
    arguments: [
      // pcap of Ethernet, of BR/EDR on the air (both byte orders), of another radio, of an unknown
      // number
      (
        "d4c3b2a1020004000000000000000000ffff000001000000",
        "holds Ethernet packets (link type 1); gattscope reads Bluetooth HCI (link types 187"
      ),
      (
        "a1b23c4d0002000400000000000000000000ffff000000ff",
        "holds Bluetooth BR/EDR baseband packets from a sniffer (link type 255); gattscope reads "
          + "Bluetooth HCI (link types 187 and 201, H4, and 254, Linux monitor) and Bluetooth LE "
          + "packets from sniffers (251, 256, 272, 157 and 192); record Bluetooth HCI on one of the "
          + "two devices"
      ),
      ("d4c3b2a1020004000000000000000000ffff0000ff000000", "BR/EDR baseband"),
      ("d4c3b2a1020004000000000000000000ffff0000c3000000", "IEEE 802.15.4 packets"),
      ("d4c3b2a1020004000000000000000000ffff000094000000", "packets of another radio"),
      (
        "d4c3b2a1020004000000000000000000ffff00000f270000",
        "holds packets of link type 9999, which is unknown; gattscope reads"
      ),
      ("d4c3b2a1030004000000000000000000ffff0000c9000000", "is pcap version 3.4"),
      // pcapng: a section and an interface of link type 255
      (
        "0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000"
          + "0100000014000000ff00000000000000" + "14000000",
        "sniffer (link type 255)"
      ),
      ("0200000000000000009c789c00", "is not a capture"),
    ])
  func formats(_ digits: String, _ name: String) throws {
    var bytes: [UInt8] = []
    var rest = Substring(digits)
    while !rest.isEmpty {
      bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
      rest = rest.dropFirst(2)
    }
    try refused(bytes, name)
  }

  @Test(
    "65: unsupported datalinks and versions, by number and name",
    arguments: [
      (1003, "datalink 1003 (BCSP)"), (1004, "datalink 1004 (H5, three-wire UART)"),
      (2002, "datalink 2002 (simulator)"), (9999, "datalink 9999, which is unknown"),
    ])
  func datalinks(_ datalink: UInt32, _ words: String) throws {
    try refused(CaptureBytes(datalink: datalink).bytes, words)
    try refused(CaptureBytes(version: 2).bytes, "is btsnoop version 2; gattscope reads version 1")
  }

  @Test(
    "65: truncated archives and compressed files",
    arguments: [
      ("1f8b0800000000000003", "the compressed data ends early, after byte 10"),
      ("504b0304140000000000", "Truncated ZIP"),
      ("020000000000000000789c", "its records can be inflated up to byte 0"),
    ])
  func damagedArchives(_ digits: String, _ words: String) throws {
    let folder = try Folder()
    var rest = Substring(digits)
    var bytes: [UInt8] = []
    while !rest.isEmpty {
      bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
      rest = rest.dropFirst(2)
    }
    try folder.write("capture", bytes)
    let ending = try Program.run(["show", "capture"], in: folder)
    #expect(ending.status == 65 && ending.output.isEmpty, "\(ending.status)")
    #expect(ending.errors.hasPrefix("gattscope: capture"), "\(ending.errors)")
    #expect(ending.errors.contains(words), "\(ending.errors)")
  }

  private func refused(_ bytes: [UInt8], _ words: String) throws {
    let folder = try Folder()
    try folder.write("capture", bytes)
    for verb in ["show", "info"] {
      let ending = try Program.run([verb, "capture"], in: folder)
      #expect(ending.status == 65 && ending.output.isEmpty)
      #expect(ending.errors.hasPrefix("gattscope: capture "), "\(ending.errors)")
      #expect(ending.errors.contains(words), "\(ending.errors)")
      #expect(ending.errors.split(separator: "\n").count == 1)
    }
    let stdin = try Program.run(["show", "-"], in: folder, input: folder.path("capture"))
    #expect(stdin.status == 65 && stdin.errors.hasPrefix("gattscope: standard input "))
  }

  @Test("66: a missing file, a directory")
  func inaccessible() throws {
    let folder = try Folder()
    let missing = try run("show", "no.btsnoop", in: folder)
    #expect(missing.status == 66 && missing.output.isEmpty)
    #expect(missing.errors == "gattscope: no.btsnoop: no such file or directory\n")
    let directory = try run("show", ".", in: folder)
    #expect(directory.status == 66)
    #expect(
      directory.errors
        == "gattscope: .: is a directory; name captures in it, as in ./*, or use gattscope table, which reads folders\n"
    )
    let through = try run("show", "/dev/null/capture", in: folder)
    #expect(through.status == 66 && through.errors.contains("not a directory"))
  }

  @Test("66: no permission", .enabled(if: getuid() != 0, "root can read everything"))
  func noPermission() throws {
    let folder = try Folder()
    let file = try folder.write("secret.btsnoop", CaptureBytes.session(1).bytes)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
    let ending = try run("show", "secret.btsnoop", in: folder)
    #expect(ending.status == 66)
    #expect(ending.errors == "gattscope: secret.btsnoop: permission denied\n")
  }

  @Test("A name with control characters is escaped, and so is one that looks like an option")
  func names() throws {
    let ending = try run("show", "evil\u{1b}[31m\nname")
    #expect(ending.status == 66)
    #expect(
      ending.errors == "gattscope: evil\\x1b[31m\\nname: no such file or directory\n")
    let folder = try Folder()
    try folder.write("-capture", CaptureBytes.session(1).bytes)
    #expect(try run("show", "--", "-capture", in: folder).status == 0)
  }

  @Test("74: output that cannot be written, even if the capture is damaged", arguments: [0, 3])
  func fullDevice(_ missing: Int) throws {
    let folder = try Folder()
    let bytes = CaptureBytes.session(5).bytes.dropLast(missing)
    let file = try folder.write("capture", Array(bytes))
    for arguments in [["show"], ["show", "--json"], ["info"], ["info", "--json"]] {
      let process = Program.process(arguments + [file])
      process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
      let errors = Pipe()
      process.standardError = errors
      try Program.start(process)
      process.waitUntilExit()
      let reported = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      #expect(Program.status(of: process) == 74)
      #expect(
        reported.contains("gattscope: output could not be written: no space left on device\n"))
    }
  }
}
