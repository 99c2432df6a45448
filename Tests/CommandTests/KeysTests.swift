// --keys: bonds from a file.

import Foundation
import ProgramRunner
import Testing

@Suite("Keys from a file") struct KeysTests {
  private static let key = "000102030405060708090a0b0c0d0e0f"
  /// A device of the sample that has no name there.
  private static let address = "F3:F3:F3:F3:F3:F3"
  private static let sample = Program.sample("pairing-all-keys")
  private static let info = "[General]\nName=Band\nAddressType=static\n[LongTermKey]\nKey=\(key)\n"
  private static let yaml = "devices:\n  - {address: \"\(address)\", name: Band, ltk: \(key)}\n"

  @Test("a file gives a device its name, and its keys only to who asks for keys")
  func named() throws {
    let folder = try Folder()
    let yaml = try folder.write("keys.yaml", Array(Self.yaml.utf8))
    let info = try folder.write("band.info", Array(Self.info.utf8))
    for file in [yaml, "\(Self.address)=\(info)"] {
      for verb in ["explain", "show", "map", "values", "devices"] {
        let ending = try Program.run([verb, "--keys", file, Self.sample])
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(verb): \(ending.errors)")
        #expect(!ending.text.contains(Self.key), "\(verb) prints a key")
      }
      let hidden = try Program.run(["explain", "--keys", file, Self.sample])
      #expect(hidden.text.contains("\(Self.address) random static \"Band\""), "\(hidden.text)")
      let shown = try Program.run(["explain", "--show-keys", "--keys", file, Self.sample])
      #expect(shown.text.contains(Self.key))
      let json = try Program.run(["explain", "--json", "--keys", file, Self.sample])
      #expect(!json.text.contains(Self.key) && json.text.contains("\"Band\""))
    }
  }

  @Test("BlueZ's folder says whose the file is") func folderName() throws {
    let folder = try Folder()
    let device = folder.url.appending(path: Self.address)
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    try Data(Self.info.utf8).write(to: device.appending(path: "info"))
    let path = device.appending(path: "info").path
    let ending = try Program.run(["explain", "--keys", path, Self.sample])
    #expect(ending.text.contains("\"Band\""), "\(ending.errors)")
  }

  @Test("a broken file ends with 65 and its line, a missing one with 66; nothing is printed else")
  func broken() throws {
    let folder = try Folder()
    let broken = try folder.write(
      "keys.yaml", Array("devices:\n  - {address: nobody}\n".utf8))
    let cases: [(String, Int32, String)] = [
      (broken, 65, "keys.yaml:2: "), (folder.path("none"), 66, "cannot be"),
    ]
    for (file, status, words) in cases {
      let ending = try Program.run(["explain", "--keys", file, Self.sample])
      #expect(ending.status == status)
      #expect(ending.output.isEmpty)
      #expect(
        ending.errors.contains(words) && ending.errors.split(separator: "\n").count == 1,
        "\(ending.errors)")
    }
  }
}
