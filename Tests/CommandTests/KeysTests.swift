// --keys: bonds from a file.

import Foundation
import ProgramRunner
import Testing

@Suite("Keys from a file") struct KeysTests {
  private static let key = "000102030405060708090a0b0c0d0e0f"
  /// A device of the sample without a name in it.
  private static let address = "F3:F3:F3:F3:F3:F3"
  private static let sample = Program.sample("pairing-all-keys")
  private static let info = "[General]\nName=Band\nAddressType=static\n[LongTermKey]\nKey=\(key)\n"
  private static let yaml = "devices:\n  - {address: \"\(address)\", name: Band, ltk: \(key)}\n"

  @Test("a file gives a device its name, and its keys only if they are requested")
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

  @Test("BlueZ's folder name identifies the device") func folderName() throws {
    let folder = try Folder()
    let device = folder.url.appending(path: Self.address)
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    try Data(Self.info.utf8).write(to: device.appending(path: "info"))
    let path = device.appending(path: "info").path
    let ending = try Program.run(["explain", "--keys", path, Self.sample])
    #expect(ending.text.contains("\"Band\""), "\(ending.errors)")
  }

  @Test("a broken file ends with 65 and its line, a missing one with 66; nothing else is printed")
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

  @Test(
    "a possible key is never printed, wherever it is in a file",
    arguments: [
      "devices:\n  - {address: KEY}\n",
      "devices:\n  - {KEY: 1}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", KEY: 1}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", KEY: {KEY: 1}, irk: KEYKEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", name: KEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", address_type: KEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", ltk: xKEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", ltk: KEY, ediv: KEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", ltk: KEY, rand: KEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", ltk: KEY, authenticated: KEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", ltk: KEY, key_size: KEY, host_is: 1}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", long_term_keys: KEY}\n",
      "devices:\n  - {address: \"F3:F3:F3:F3:F3:F3\", long_term_keys: [{KEY: KEY}]}\n",
      "devices: KEY\n", "KEY: 1\nKEY: 2\n", "byte_order: KEY\ndevices: []\n", "KEY\n", "*KEY\n",
      "devices: &KEY [*KEY]\n", "!KEY devices: []\n", "%KEY\n---\ndevices: []\n",
      "devices: []\n---\nKEY: 1\n", "devices:\n\t- KEY\n", "devices: [KEY\n",
      "[KEY]\nKey=1\n", "[General]\nKEY\n", "[General]\nAddressType=KEY\n", "[General]\nName=KEY\n",
      "[LongTermKey]\nKey=xKEY\n", "[LongTermKey]\nEDiv=KEY\nEncSize=KEY\n",
    ])
  func misplaced(_ text: String) throws {
    let folder = try Folder()
    let key = "c0ffee00deadbeefa1b2c3d4e5f60718"
    for name in ["keys", "F3:F3:F3:F3:F3:F3=keys"] {
      _ = try folder.write("keys", Array(text.replacing("KEY", with: key).utf8))
      for verb in ["explain", "devices"] {
        let ending = try Program.run([verb, "--keys", name, Self.sample], in: folder)
        let printed = (ending.text + ending.errors).lowercased().replacing(":", with: "")
        #expect(!printed.contains(key.prefix(8)), "\(ending.errors)")
        #expect(ending.status == 65 || ending.status == 0)
      }
    }
  }

  @Test("a key in place of a file name is not printed either")
  func keyAsFile() throws {
    for argument in [Self.key, "\(Self.key)=none", "none=\(Self.key)", "0x\(Self.key)"] {
      let ending = try Program.run(["explain", "--keys", argument, Self.sample])
      #expect(ending.status == 66)
      #expect(!ending.errors.contains(Self.key) && ending.errors.contains("not a key"))
    }
  }

  @Test("a passkey in place of a file name is refused with how to write it into a file")
  func passkeyAsFile() throws {
    let ending = try Program.run(["explain", "--keys", "271828", Self.sample])
    #expect(ending.status == 66)
    #expect(!ending.errors.contains("271828"))
    #expect(ending.errors.contains("not a passkey") && ending.errors.contains("address: any"))
  }

  @Test("a misspelt key of a mapping is named")
  func typo() throws {
    let folder = try Folder()
    let file = try folder.write(
      "keys.yaml", Array("devices:\n  - {address: \"\(Self.address)\", link_kei: 1}\n".utf8))
    let ending = try Program.run(["explain", "--keys", file, Self.sample])
    #expect(ending.errors.contains("unknown key `link_kei`; did you mean `link_key`?"))
  }
}

/// Reconnections and pairings of the same devices, recorded by sniffers.
private let onAir = Program.sharedCaptures.appending(path: "real")
private let reconnection = onAir.appending(path: "whad-client-comm.pcap").path
private let pairing = onAir.appending(path: "whad-client-ble_pairing.pcap").path
private let encrypted = onAir.appending(path: "crackle-known_ltk.pcap").path

@Suite(
  "Keys from another capture",
  .enabled(
    if: FileManager.default.fileExists(atPath: reconnection), "the shared captures are not there"))
struct KeysOfCapturesTests {
  private static let read = ["Data Receive", "Characteristic 3", "Characteristic 4"]

  @Test("the capture of the pairing decrypts the reconnection") func pairingOnAir() throws {
    let without = try Program.run(["values", reconnection])
    #expect(!without.text.contains("Characteristic"))
    for verb in ["values", "show", "map", "report"] {
      let ending = try Program.run([verb, reconnection, "--keys", pairing])
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(Self.read.allSatisfy { ending.text.contains($0) }, "\(verb)")
    }
    let rows = try Program.run(["table", "--kind", "operations", reconnection, "--keys", pairing])
    #expect(rows.status == 0 && rows.text.contains("0x0028"), "\(rows.errors)")
    let info = try Program.run(["info", "--json", reconnection, "--keys", pairing])
    #expect(info.status == 0 && info.errors.isEmpty, "\(info.errors)")
  }

  /// The LTK of the capture, least significant byte first.
  private static let key: [UInt8] = [
    0x9c, 0xd4, 0x2e, 0x6a, 0x89, 0x1d, 0x8b, 0xe6, 0xbb, 0xa5, 0x04, 0xf1, 0x53, 0xc0, 0x62, 0x7f,
  ]
  private static let name = "TI BLE Sensor Tag"

  @Test("the HCI log of either host decrypts what a sniffer recorded") func hostsLog() throws {
    let folder = try Folder()
    let zeros = [UInt8](repeating: 0, count: 10)
    let opened: [UInt8] =
      [4, 0x3e, 19, 1, 0, 0x40, 0, 0, 0, 0xe8, 0xdd, 0x6e, 0xe5, 0xc5, 0x78]
      + [0x36, 0, 0, 0, 0x2a, 0, 0]
    let enable = [1, 0x19, 0x20, 28, 0x40, 0] + zeros + Self.key
    let request = [4, 0x3e, 13, 5, 0x40, 0] + zeros
    let reply = [1, 0x1a, 0x20, 18, 0x40, 0] + Self.key
    // A log may begin after the connection.
    for records in [[opened, enable], [request, reply], [enable]] {
      var log = CaptureBytes()
      for record in records { log.record(record, flags: record[0] == 4 ? 3 : 2) }
      let file = try folder.write("host.btsnoop", log.bytes)
      let ending = try Program.run(["values", encrypted, "--keys", file])
      #expect(ending.text.contains(Self.name), "\(ending.errors)")
      #expect(ending.errors.isEmpty)
    }
  }

  @Test("either byte order of a key of any device decrypts") func anyDevice() throws {
    let folder = try Folder()
    let ascending = Self.key.map { String(format: "%02x", $0) }.joined()
    let descending = Self.key.reversed().map { String(format: "%02x", $0) }.joined()
    for key in [ascending, descending] {
      let file = try folder.write(
        "keys.yaml", Array("devices: [{address: any, ltk: \(key)}]\n".utf8))
      let ending = try Program.run(["values", encrypted, "--keys", file])
      #expect(ending.text.contains(Self.name), "\(ending.errors)")
      let explained = try Program.run(["explain", encrypted, "--keys", file])
      #expect(!explained.text.contains("00:00:00:00:00:00") && !explained.text.contains(key))
    }
  }

  @Test("a capture without a key is reported once, and the report follows") func none() throws {
    let ending = try Program.run(["values", reconnection, "--keys", reconnection])
    #expect(ending.status == 0)
    #expect(ending.errors.contains("whad-client-comm.pcap has no key: "))
    #expect(ending.errors.split(separator: "\n").count { $0.contains("has no key") } == 1)
  }
}
