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

  @Test("bleak reads one attribute at a time, and no attribute of the system's services")
  func bleak() throws {
    let folder = try Folder()
    func script(_ service: Int, _ build: (inout Talk) -> Void) throws -> String {
      var talk = Talk()
      talk.discover(service, 1...8, [(3, 0xfff6), (6, 0xfff7)])
      build(&talk)
      let capture = try folder.write("\(service).btsnoop", talk.file.bytes)
      return try Program.run(["trace", "--as", "bleak", capture]).text
    }
    let several = try script(0xfff0) {
      // Read Multiple of two attributes, whose lengths are unknown.
      $0.att([0x0e, 3, 0, 6, 0], isSent: true)
      $0.att([0x0f, 1, 2, 3], isSent: false)
      $0.notify(6, [1])
    }
    let words = "read of several attributes not replayed: bleak reads one attribute at a time"
    #expect(several.contains(words), "\(several)")
    #expect(several.contains("start_notify(CHARACTERISTIC_0000FFF7"), "\(several)")
    let system = try script(0x1801) { $0.indicate(3, [1, 0, 0xff, 0xff]) }
    #expect(!system.contains("start_notify"), "\(system)")
  }
}
