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
}
