import ProgramRunner
import Testing

@Suite("trace: the API if none is chosen") struct TracePlatformTests {
  @Test(
    "files with the names of Android's logs are Android's",
    arguments: [
      ("btsnoop_hci.log", true), ("lamp-btsnoop_hci.log.last", true), ("hci_snoop2025.cfa", true),
      ("bluetooth_manager.txt", true), ("session.btsnoop", false), ("hci.pklg", false),
    ])
  func names(_ name: String, isAndroids: Bool) throws {
    let folder = try Folder()
    var talk = Talk()
    talk.request(5, [1])
    let capture = try folder.write(name, talk.file.bytes)
    let run = try Program.run(["trace", capture])
    #expect(run.text.contains("Android") == isAndroids, "\(run.text)")
    #expect(run.text.contains("CoreBluetooth") != isAndroids, "\(run.text)")
    #expect(
      try Program.run(["trace", "--as", "corebluetooth", capture]).text.contains("CoreBluetooth"))
  }

  @Test("Android's vendor commands count more than the name")
  func commands() throws {
    let folder = try Folder()
    for (opcode, isAndroids) in [(UInt16(0xfd53), true), (0xfc01, false)] {
      var file = CaptureBytes()
      file.record([1, UInt8(opcode & 0xff), UInt8(opcode >> 8), 0], flags: 2, microseconds: 0)
      // A Read Request.
      file.record([2, 1, 0, 7, 0, 3, 0, 4, 0, 0x0a, 5, 0], flags: 0, microseconds: 1000)
      let run = try Program.run(["trace", folder.write("session.btsnoop", file.bytes)])
      #expect(
        run.text.contains("Android (the stack is Android's: #1)") == isAndroids, "\(run.text)")
    }
  }

  @Test("bleak: what it cannot do, and what the system does, is not replayed")
  func bleak() throws {
    var talk = Talk()
    talk.discover(0x1801, 1...4, [(3, 0x2a05)])
    talk.discover(0xfff0, 5...12, [(7, 0xfff6), (10, 0xfff7)])
    talk.indicate(3, [1, 0, 0xff, 0xff])
    talk.read(7, [1])
    // Read Multiple of two attributes.
    talk.att([0x0e, 7, 0, 10, 0], isSent: true)
    talk.att([0x0f, 1, 2], isSent: false)
    let folder = try Folder()
    let capture = try folder.write("session.btsnoop", talk.file.bytes)
    let run = try Program.run(["trace", "--as", "bleak", capture])
    #expect(
      run.text.contains(
        "read of several attributes not replayed: bleak reads one attribute at a time"),
      "\(run.text)")
    #expect(!run.text.contains("start_notify"), "\(run.text)")
  }
}
