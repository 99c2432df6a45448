import Foundation
import ProgramRunner
import Testing

@Suite("Known keys of captures")
struct SecretLeakTests {
  /// Returns strings of 16 bytes below keys that name a secret, anywhere in a JSON document.
  private static func secrets(_ value: Any, _ isSecret: Bool = false) -> Set<String> {
    switch value {
    case let object as [String: Any]:
      var found: Set<String> = []
      for (key, value) in object {
        let names = ["ltk", "irk", "csrk", "random", "link_key", "stk"]
        found.formUnion(secrets(value, isSecret || names.contains { key.contains($0) }))
      }
      return found
    case let list as [Any]:
      return list.reduce(into: []) { $0.formUnion(secrets($1, isSecret)) }
    case let text as String where isSecret && text.count == 32:
      // Some keys of the generator are zero, like many other values.
      return Set(text) == ["0"] ? [] : [text.lowercased()]
    default: return []
    }
  }

  private static func reversed(_ digits: String) -> String {
    stride(from: digits.count - 2, through: 0, by: -2).map {
      digits.dropFirst($0).prefix(2)
    }.joined()
  }

  private static let known: Set<String> = {
    let folder = Program.sharedCaptures.appending(path: "generated")
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    var found: Set<String> = []
    for file in files ?? [] where file.lastPathComponent.hasSuffix(".truth.json") {
      guard let data = try? Data(contentsOf: file) else { continue }
      if let truth = try? JSONSerialization.jsonObject(with: data) {
        found.formUnion(secrets(truth))
      }
    }
    return found
  }()

  /// The generator's random numbers repeat between scenarios: an LTK of pair_legacy_justworks is
  /// here the random value of a numeric comparison, which is not secret.
  private static let coincidence = (capture: "bond_privacy_reconnect", digits: "3129903ac1d4")

  @Test(
    "No key is printed without --show-keys, although the captures contain them",
    .enabled(if: !known.isEmpty, "the shared captures, which tell their keys, are not there"),
    arguments: [
      ["show"], ["show", "-v", "-x"], ["show", "--json", "--raw"], ["info"], ["info", "--json"],
      ["values"], ["values", "--all"], ["values", "--csv", "--wide"], ["values", "--json"],
      ["values", "--distinct", "--csv"], ["values", "--changes"], ["values", "--messages"],
    ])
  func leaks(_ verb: [String]) throws {
    // Both byte orders, and only the beginning, because `-x` breaks lines.
    let needles = Self.known.flatMap { [$0, Self.reversed($0)] }.map { Array($0.utf8.prefix(12)) }
    let index = Dictionary(grouping: needles) { Self.key($0[0..<8]) }
    func found(_ arguments: [String], _ capture: URL) throws -> Set<[UInt8]> {
      Self.find(index, in: try Program.run(verb + arguments + [capture.path]).output)
    }
    var seen: Set<[UInt8]> = []
    for capture in Program.smallCaptures {
      for needle in try found([], capture) {
        let digits = String(decoding: needle, as: UTF8.self)
        if digits == Self.coincidence.digits,
          capture.lastPathComponent.hasPrefix(Self.coincidence.capture)
        {
          continue
        }
        Issue.record("\(verb) \(capture.lastPathComponent) prints \(digits)")
      }
      // Makes sure that the search finds existing keys.
      if verb.contains("--raw") { seen.formUnion(try found(["--show-keys"], capture)) }
    }
    #expect(!verb.contains("--raw") || seen.count >= Self.known.count / CaptureFiles.step)
  }

  /// Returns the values that `--show-keys` adds: their keys are `hidden` without it.
  private static func revealed(_ hidden: Any, _ shown: Any) -> Set<String> {
    if let left = hidden as? [String: Any], let right = shown as? [String: Any] {
      var found: Set<String> = []
      for case let name as String in left["hidden"] as? [Any] ?? [] {
        if let value = right[name] as? String { found.insert(value) }
      }
      for (key, value) in left { right[key].map { found.formUnion(revealed(value, $0)) } }
      return found
    }
    guard let left = hidden as? [Any], let right = shown as? [Any] else { return [] }
    return zip(left, right).reduce(into: []) { $0.formUnion(revealed($1.0, $1.1)) }
  }

  @Test("Values that --show-keys adds to the samples appear nowhere without it")
  func samples() throws {
    func documents(_ arguments: [String]) throws -> [Any] {
      try Program.run(["show", "--json"] + arguments).output.split(separator: 0x0a).map {
        try JSONSerialization.jsonObject(with: Data($0))
      }
    }
    var count = 0
    for name in ["write-refused", "pairing-fails"] {
      let capture = Program.sample(name)
      let known = Self.revealed(
        try documents([capture]), try documents(["--show-keys", capture])
      ).filter { $0.count >= 16 && Set($0) != ["0"] }
      count += known.count
      let needles = known.flatMap { [$0, Self.reversed($0)] }.map { Array($0.utf8.suffix(12)) }
      let index = Dictionary(grouping: needles) { Self.key($0[0..<8]) }
      for verb in [["show", "-v", "-x"], ["show", "--json", "--raw"], ["info", "--json"]] {
        let found = Self.find(index, in: try Program.run(verb + [capture]).output)
        #expect(
          found.isEmpty, "\(verb) \(name): \(found.map { String(decoding: $0, as: UTF8.self) })")
      }
    }
    #expect(count > 4)
  }

  /// An enhanced ATT bearer is an L2CAP channel. This one is between CIDs 0x0040 of the host and
  /// 0x0050, created by L2CAP_CREDIT_BASED_CONNECTION_REQ and RSP (Core, Vol 3, Part A, 4.25 and
  /// 4.26), with each SDU after its length. Encrypted Data Key Material is read over it by its
  /// type, 0x2b88.
  @Test("--raw --channel writes no key that crosses an enhanced bearer")
  func enhancedBearer() throws {
    var file = CaptureBytes()
    func l2cap(_ channel: UInt8, _ data: [UInt8], _ flags: UInt32) {
      let pdu = [UInt8(data.count), 0, channel, 0] + data
      file.record(
        [2, 0x40, flags == 1 ? 0x20 : 0, UInt8(pdu.count), 0] + pdu, flags: flags)
    }
    func att(_ channel: UInt8, _ pdu: [UInt8], _ flags: UInt32) {
      l2cap(channel, [UInt8(pdu.count), 0] + pdu, flags)
    }
    file.record(
      [4, 0x3e, 0x13, 1, 0, 0x40, 0, 0, 0, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 200, 0, 0], flags: 3)
    l2cap(5, [0x17, 1, 10, 0, 0x27, 0, 64, 0, 64, 0, 10, 0, 0x40, 0], 0)
    l2cap(5, [0x18, 1, 10, 0, 64, 0, 64, 0, 10, 0, 0, 0, 0x50, 0], 1)
    let key = [UInt8](0xa0..<0xb8)
    att(0x50, [8, 1, 0, 0xff, 0xff, 0x88, 0x2b], 0)
    att(0x40, [9, 0x1a, 3, 0] + key, 1)
    let folder = try Folder()
    try folder.write("capture", file.bytes)
    let arguments = [
      "values", "--raw", "-", "--channel", "0x0040", "--direction", "received",
      folder.path("capture"),
    ]
    let hidden = try Program.run(arguments)
    #expect(hidden.status == 64 && hidden.errors.contains("--show-keys"), "\(hidden.errors)")
    #expect(hidden.output.isEmpty && !hidden.errors.contains("no data was sent"), "\(hidden)")
    let shown = try Program.run(arguments + ["--show-keys"])
    #expect(shown.status == 0 && shown.output.suffix(24).elementsEqual(key), "\(shown)")
  }

  private static func key(_ digits: some Collection<UInt8>) -> UInt64 {
    digits.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the needles in the output, ignoring its spaces and the offsets at the start of lines
  /// of `-x`.
  private static func find(_ index: [UInt64: [[UInt8]]], in output: [UInt8]) -> Set<[UInt8]> {
    var digits: [UInt8] = []
    digits.reserveCapacity(output.count)
    for line in output.split(separator: 0x0a) {
      let isDump = line.starts(with: Array("      0x".utf8))
      digits += line.dropFirst(isDump ? 12 : 0).filter { $0 != 0x20 }
    }
    var found: Set<[UInt8]> = []
    var latest: UInt64 = 0
    for position in digits.indices {
      latest = latest << 8 | UInt64(digits[position])
      guard let candidates = index[latest] else { continue }
      for needle in candidates where digits[(position - 7)...].starts(with: needle) {
        found.insert(needle)
      }
    }
    return found
  }
}
