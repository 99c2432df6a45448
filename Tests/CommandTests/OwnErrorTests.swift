import ProgramRunner
import Testing

@Suite("Error names of user profiles")
struct OwnErrorTests {
  @Test(
    "An error that only some devices define has its name only for them",
    arguments: [("HRM-?", "It Cannot (0x80)"), ("Other*", "Control Point Not Supported (0x80)")])
  func device(_ device: String, _ expected: String) throws {
    let folder = try Folder()
    let profile = """
      profile: own
      characteristics:
        - {uuid: "2a39", name: Point, device: "\(device)", fields: [], errors: {0x80: It Cannot}}

      """
    let file = try folder.write("own.yaml", [UInt8](profile.utf8))
    let run = try Program.run(
      ["show", "--profile", file, "--opcode", "0x01", Program.sample("heart-rate")])
    #expect(run.text.contains(" \(expected), to "), "expected \(expected), got \(run.text)")
  }
}
