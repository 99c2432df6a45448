import Bluetooth
import Bytes
import Foundation
import Testing

@testable import Decoders
@testable import ProfileFiles

/// Reproducible random numbers (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

/// Generates random profiles; most are valid.
struct RandomProfile {
  private var generator: Seeded
  private var names: [String] = []
  private var fresh = 0

  init(_ seed: UInt64) { generator = Seeded(seed) }

  private mutating func pick(_ words: [String]) -> String {
    words.randomElement(using: &generator) ?? ""
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  mutating func text() -> String {
    let endian = chance(50) ? "endian: big\n" : ""
    let fields = list(depth: 0)
    let text =
      chance(40) && !names.isEmpty ? "    text: \"[\(template()), ]{\(pick(names))}\"\n" : ""
    return
      "profile: random\n\(endian)characteristics:\n  - uuid: \"2aff\"\n    name: Random\n    fields: \(fields)\n\(text)"
  }

  private mutating func template() -> String {
    "{\(pick(names))\(pick(["", ":n", ":02", ":x2", ":raw"]))}"
  }

  private mutating func list(depth: Int) -> String {
    let count = Int.random(in: depth == 0 ? 1...5 : 0...3, using: &generator)
    let fields = (0..<count).map { _ in field(depth: depth) }
    return "[\(fields.joined(separator: ", "))]"
  }

  private mutating func field(depth: Int) -> String {
    var keys = ""
    if chance(30) { keys += ", when: \"\(expression(0))\"" }
    if chance(15) { keys += ", optional: true" }
    if chance(25) {
      keys += ", repeat: \(chance(50) ? "rest" : "\"\(expression(1))\"")"
      if chance(30) { keys += ", min: \(Int.random(in: 0...3, using: &generator))" }
    }
    if chance(10) { keys += ", quiet: true" }
    // Two fields with one name are usually refused, but sometimes both are valid.
    fresh += 1
    let name = chance(95) ? "a\(fresh)" : pick(["a", "b", "c", "d", "e", "f", "g", "h"])
    let kind = Int.random(in: 0..<10, using: &generator)
    if kind == 0, depth < 6 {
      return
        "{choose: \"\(expression(1))\", cases: {0: \(list(depth: depth + 1)), \"1-9\": \(list(depth: depth + 1)), other: \(list(depth: depth + 1))}}"
    }
    if kind < 3, depth < 6 {
      return "{name: \(name), fields: \(list(depth: depth + 1))\(keys)\(size())}"
    }
    let field = "{name: \(name), \(value())\(keys)}"
    names.append(name)
    return field
  }

  private mutating func size() -> String {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: ", size: \(Int.random(in: 1...5, using: &generator))"
    case 1: ", size: \"\(expression(1))\""
    case 2: ", prefix: \(pick(["u8", "u16", "u32"]))"
    case 3: ", prefix: u8, prefix_counts: whole"
    default: ""
    }
  }

  private mutating func value() -> String {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      return
        "type: u\(8 * Int.random(in: 1...8, using: &generator)), bits: [{bit: 0, name: p\(fresh)}, {bits: [1, 6], name: q\(fresh), signed: true}]"
    case 1:
      let type = pick(["u", "i"]) + "\(8 * Int.random(in: 1...8, using: &generator))"
      return "type: \(type)"
        + pick([
          "", ", scale: {multiply: 0.125, add: -3.5}", ", scale: {binary: -20, divide: 7}",
          ", exponential: {base: 1.1, minus: 64}", ", unit: m", ", values: {0: a, \"1-100\": b}",
          ", special: {0: a}", ", range: [1, 5]", ", equals: 3", ", epoch: \"2000-01-01\"",
          ", values: company", ", format: hex", ", epoch: \"1970-01-01\", unit: d",
        ])
    case 2:
      return
        "type: \(pick(["f16", "f32", "f64", "medfloat16", "medfloat32", "datetime", "address"]))"
    default:
      return "type: \(pick(["utf8", "utf16", "bytes", "bcd", "uuid"]))"
        + (chance(20) ? ", terminator: \"00\"" : chance(80) ? ", prefix: u8" : size())
    }
  }

  private mutating func expression(_ depth: Int) -> String {
    if depth < 3, chance(60) {
      let sign = pick([
        "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=", "&&",
        "||",
      ])
      return
        "\(pick(["", "", "!", "~", "-"]))(\(expression(depth + 1)) \(sign) \(expression(depth + 1)))"
    }
    if chance(40), !names.isEmpty { return pick(names) }
    return pick([
      "size", "remaining", "index", "written", "0", "1", "3", "0xffffffffffffffff", "@2aa8.x",
    ])
  }
}

/// Random definitions and bytes, and examples cut at every byte: nothing traps, and results are
/// bounded.
struct SweepTests {
  /// Decodes and writes a value, and checks what must always hold.
  static func run(_ definition: Definition, _ bytes: [UInt8], _ words: String) {
    let result = Decoding.decode(definition, bytes)
    let fields = result.decoded.fields
    #expect(fields.count <= ValueDecoder.mostFields + Definition.Tables.deepest + 1, "\(words)")
    #expect(
      fields.allSatisfy {
        $0.bytes.start >= 0 && $0.bytes.end <= bytes.count && $0.end <= fields.count
      },
      "\(words)")
    #expect(isJSON(result.fields), "\(words): \(result.fields)")
    var output = Output()
    var line = Output()
    result.decoded.writeJSON(bytes.bytes, line: &line, into: &output)
    let document = String(decoding: output.bytes.array, as: UTF8.self)
    #expect(isJSON(document), "\(words): \(document)")
  }

  @Test("If a number's bits exceed the limit, none is shown, and the remaining bytes are")
  func bits() throws {
    let definition = try Decoding.definition(
      Decoding.profile(
        "- {name: it, type: u8, repeat: rest, bits: [{bit: 0, name: a}, {bit: 1, name: b}, "
          + "{bit: 2, name: c}]}"))
    let decoded = Decoding.decode(definition, [UInt8](repeating: 7, count: 400)).decoded
    // 341 numbers of three bits, and the bytes after them.
    #expect(decoded.fields.count == 1024, "\(decoded.fields.count)")
    #expect(decoded.fields.last?.bytes == Slice(start: 341, count: 59))
    #expect(decoded.problems.map(\.code) == [.limit])
  }

  /// Returns whether the braces, brackets and quotes of a text are balanced as in JSON.
  static func isJSON(_ text: String) -> Bool {
    var open: [UInt8] = []
    var isInside = false
    var isEscaped = false
    for byte in text.utf8 {
      if isInside {
        if byte < 0x20 { return false }
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5c {
          isEscaped = true
        } else if byte == 0x22 {
          isInside = false
        }
        continue
      }
      switch byte {
      case 0x22: isInside = true
      case 0x7b, 0x5b: open.append(byte + 2)
      case 0x7d, 0x5d: guard open.popLast() == byte else { return false }
      default: break
      }
    }
    return open.isEmpty && !isInside
  }

  @Test(arguments: 0..<8)
  func random(_ part: UInt64) {
    var understood = 0
    let reader = Decoding.reader
    for seed in part * 250..<(part + 1) * 250 {
      var profile = RandomProfile(seed)
      let text = profile.text()
      let file = Decoding.read(text, by: reader)
      guard let definition = file.profile?.definitions.first else { continue }
      understood += 1
      var generator = Seeded(seed)
      for count in [0, 1, 2, 3, 5, 8, 13, 21, 60, 300] {
        let range: ClosedRange<UInt8> = count % 2 == 0 ? 0...255 : 0...3
        let bytes = (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
        Self.run(definition, bytes, "seed \(seed), \(bytes)")
      }
      #expect(Definition(stored: definition.stored)?.tables == definition.tables, "seed \(seed)")
    }
    // The generator must mostly write valid profiles.
    #expect(understood > 60, "\(understood) of 250 were right")
  }

  /// Excessive numbers of everything: the results are bounded.
  @Test(arguments: [
    "- {name: a, repeat: 1024, fields: [{name: b, repeat: 1024, fields: [{name: c, repeat: 1024, fields: [{name: d, repeat: 1024, fields: []}]}]}]}",
    "- {name: a, type: u8, repeat: rest}",
    "- {name: a, type: u32, checksum: crc32, repeat: rest}",
    "- {name: a, repeat: rest, fields: [{name: b, type: u8, when: 0}]}",
    "- {name: a, repeat: 1024, fields: [{name: b, type: utf8, size: 0}, {name: c, type: u8, when: 0}]}",
    "- {name: a, type: u8, values: {0: b}, repeat: rest}",
    "- {name: a, repeat: rest, prefix: u8, fields: [{name: b, type: u32}]}",
  ])
  func bounded(_ fields: String) throws {
    let definition = try Decoding.definition(Decoding.profile(fields))
    for byte in [UInt8(0), 1, 255] {
      Self.run(definition, [UInt8](repeating: byte, count: 65_535), fields)
    }
  }
}

/// The built-in profiles.
struct BuiltInTests {
  /// All built-in profiles, read from the texts in the program.
  static let profiles: [Profile] = {
    let reader = ProfileReader(others: ProfileSources.files)
    return ProfileSources.files.compactMap { reader.read($0.bytes, name: $0.name).profile }
  }()

  @Test
  func examplesComeOut() {
    for profile in Self.profiles {
      for example in profile.examples {
        #expect(example.check(profile).map(\.description) == [])
      }
    }
  }

  /// Each definition and message has an example.
  @Test
  func everyDefinitionHasAnExample() {
    for profile in Self.profiles {
      // Services have no bytes, only names of errors.
      var missing = Set(
        profile.definitions.indices.filter { profile.definitions[$0].subject.kind != .service })
      for example in profile.examples {
        if case .definition(let place) = example.target { missing.remove(place) }
      }
      #expect(missing.map { profile.definitions[$0].name } == [], "of \(profile.name)")
    }
  }

  /// Examples cut at every byte: missing bytes are reported, and no byte is lost.
  @Test
  func examplesCutShort() {
    for profile in Self.profiles {
      for example in profile.examples {
        guard case .definition(let place) = example.target else { continue }
        let bytes = example.bytes
        for count in 0...bytes.count {
          SweepTests.run(
            profile.definitions[place], Array(bytes[..<count]), "\(profile.name), \(count) bytes")
        }
      }
    }
  }

  /// The program's tables have the same definitions as the files.
  @Test
  func tablesAreTheProfiles() {
    var output = Output()
    ProfileCompiler.writeTables(Self.profiles, into: &output)
    let made = String(decoding: output.bytes.array, as: UTF8.self)
    let definitions = Self.profiles.flatMap(\.definitions)
    #expect(BuiltInProfiles.count == definitions.count, "run make profiles")
    for definition in definitions {
      #expect(
        made.contains(StoredText.text(definition.stored))
          && BuiltInProfiles.definitions(definition.subject.kind, definition.subject.uuid)
            .contains { $0.stored == definition.stored },
        "\(definition.name) differs from its profile; run make profiles")
    }
    let vendors = Self.profiles.compactMap(\.vendor)
    let stored = BuiltInProfiles.vendors.map(\.stored)
    #expect(stored.count == vendors.count, "run make profiles")
    for profile in Self.profiles {
      guard let vendor = profile.vendor else { continue }
      let isThere = stored.contains(vendor.stored)
      #expect(isThere, "\(profile.name) differs from its profile; run make profiles")
    }
  }

  /// What is read first of a definition is its subject, however long its names are.
  @Test
  func entriesHaveTheSubjects() throws {
    for definition in BuiltInProfiles.all {
      let subject = definition.subject
      let isListed = BuiltInProfiles.listed(subject.kind, subject.uuid).contains {
        $0.subject == subject && $0.definition?.name == definition.name
      }
      #expect(isListed, "\(definition.name)")
    }
    var subject = Subject(.company, BluetoothUUID(0x004c))
    subject.device = "Lamp*"
    subject.match = [0x10, nil]
    subject.sizes = 2...9
    let name = String(repeating: "long ", count: 50)
    let definition = try #require(
      Definition(subject, profile: "lamp", name: name, Definition.Tables()))
    let text = [UInt8](StoredText.text(definition.stored).utf8)
    #expect(ListedDefinition(text.bytes, line: 0)?.subject == subject)
    let isCutRead = ListedDefinition(Array(text.prefix(100)).bytes, line: 0) != nil
    #expect(!isCutRead)
  }

  /// The package's folder.
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The texts in the program are the files of Profiles/, and complete.
  @Test
  func textsAreTheFiles() throws {
    let files = FileManager.default.enumerator(
      at: Self.folder.appending(path: "Profiles"), includingPropertiesForKeys: nil)
    var texts: [[UInt8]] = []
    let built = Set(ProfileSources.files.map(\.bytes))
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "yaml" else { continue }
      var bytes = [UInt8](try Data(contentsOf: file))
      if bytes.last != 0x0a { bytes.append(0x0a) }
      texts.append(bytes)
      // Compares outside of the expectation, which would print all bytes on failure.
      let isThere = built.contains(bytes)
      #expect(isThere, "\(file.lastPathComponent) differs between the program and Profiles/")
    }
    let (count, expected) = (ProfileSources.files.count, texts.count)
    #expect(count == expected, "Profiles/ has \(expected) files, the program \(count)")
    #expect(Self.profiles.count == texts.count)
    // Scripts/write-texts.sh names a text after its file, and `profiles show` looks for the
    // profile's name.
    #expect(Self.profiles.map(\.name) == ProfileSources.files.map(\.name))
  }

  /// The complete profiles in docs/profiles.md are valid, and their examples decode as shown.
  @Test
  func documentedProfiles() throws {
    let page = Self.folder.appending(path: "docs").appending(path: "profiles.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let blocks = text.components(separatedBy: "```yaml\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
      .filter { $0.contains("profile: ") && $0.contains("examples:") }
    #expect(blocks.count >= 3)
    for block in blocks {
      let file = Decoding.read(block)
      #expect(file.errors.map(\.description) == [])
      let profile = try #require(file.profile)
      #expect(!profile.examples.isEmpty)
      #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
    }
  }

  /// No two definitions apply to the same bytes.
  @Test
  func noTies() {
    #expect(ProfileTies.find(Self.profiles.map { ($0.name, $0) }).map(\.description) == [])
  }
}
