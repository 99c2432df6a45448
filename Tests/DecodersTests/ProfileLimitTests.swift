import Decoders
import ProfileFiles
import Testing

/// Files that demand too much of their reader are refused with a sentence.
struct ProfileLimitTests {
  private static let definition = """
    profile: x
    characteristics:
    - uuid: "2a37"
      name: N
      fields:

    """

  private static func errors(_ text: String) -> [String] {
    Decoding.read(text).errors.map(\.description)
  }

  @Test
  func keysThatLeadToAnAlias() {
    let text = """
      profile: x
      structures:
        s: &f [{name: a, type: u8, range: [2, 1]}]
      characteristics:
        - {uuid: "2a37", name: N, fields: *f}
      """
    #expect(
      Self.errors(text) == [
        "test.yaml:3: characteristics.fields.range: expected a list of two numbers, the smaller first"
      ])
  }

  @Test(
    arguments: [
      (
        "\(String(repeating: "k", count: 65)): 1", "test.yaml:2: a key has at most 64 bytes, not 65"
      ),
      (
        "x: &x [1, 2, 3]\ny: [\(String(repeating: "*x,", count: 40_000))]",
        "test.yaml:2: y: the file has more than 131072 values; those that an alias repeats count each time"
      ),
      (
        "x: &x \(String(repeating: "t", count: 10_000))\ny: [\(String(repeating: "*x,", count: 200))]",
        "test.yaml:2: y: the file has more than 1048576 bytes of text; what an alias repeats counts each time"
      ),
      (
        "? \(String(repeating: "- ", count: 41))1\n: 1",
        "test.yaml:2: mappings and lists nest deeper than 40"
      ),
    ])
  func values(_ text: String, _ error: String) {
    #expect(Self.errors("profile: x\n" + text) == [error])
  }

  @Test
  func errorsAreCounted() {
    let definitions = String(repeating: "- {uuid: 2a37}\n", count: 500)
    let errors = Self.errors("profile: x\ncharacteristics:\n" + definitions)
    #expect(errors.count == 101)
    #expect(
      errors.last
        == "test.yaml:103: has more errors, from this line on, than the 100 that are listed")
  }

  @Test
  func longMessagesAreCut() throws {
    let name = String(repeating: "a", count: 5000)
    let error = try #require(
      Self.errors(Self.definition + "  - {name: a, type: u8, when: \(name)}").first)
    #expect(error.hasSuffix("aaa …"))
    #expect(error.utf8.count < 1100)
  }

  /// Each use of an enumeration counts.
  @Test
  func rows() {
    let words = (0..<1000).map { "\($0): w\($0)" }.joined(separator: ", ")
    let fields = (0..<40).map { "  - {name: a\($0), type: u16, values: e}\n" }.joined()
    let errors = Self.errors(Self.definition + fields + "enumerations: {e: {\(words)}}")
    #expect(errors.count == 1)
    #expect(
      errors.first?.contains("the definitions of a file have at most 32768 fields, bits, cases")
        == true)
  }

  @Test
  func casesOfOneDefinition() {
    let cases = (0..<1100).map { "      \($0): []\n" }.joined()
    #expect(
      Self.errors(
        Self.definition + "  - {name: a, type: u16}\n  - choose: a\n    cases:\n" + cases)
        == [
          "test.yaml:1031: characteristics.fields.cases: a definition has up to 1024 fields, bits and cases altogether"
        ])
  }

  /// Words are found whatever the order of their numbers.
  @Test
  func wordsInAnyOrder() throws {
    let text =
      Self.definition
      + "  - {name: a, type: i8, values: {7: seven, '20-30': many, -5: minus, 0: zero, '1-3': few}}\n"
    let definition = try Decoding.definition(text)
    let words = [
      "07": "seven", "14": "many", "1e": "many", "fb": "minus", "00": "zero", "02": "few",
      "04": "4",
    ]
    for (hex, word) in words {
      #expect(Decoding.decode(definition, Decoding.bytes(hex)).line == word, "\(hex)")
    }
  }

  /// The numbers of overlapping cases belong to the first.
  @Test
  func casesWithHoles() {
    let fields = """
        - {name: k, type: u8}
        - choose: k
          cases:
            5: [{name: a, type: u8}]
            7: [{name: a, type: u8}]
            "0-10": [{name: a, type: u8}]
            "3-12": [{name: a, type: u8}]
            other: [{name: a, type: u8}]
        - {name: b, type: bytes, when: k < 4}
        - {name: b, type: bytes, when: k == 4 || k > 6}
      """
    #expect(Self.errors(Self.definition + fields) == [])
    #expect(
      Self.errors(Self.definition + fields + "\n  - {name: b, type: u8, when: k > 8}").first?
        .contains("`b` is defined twice: line 15 also defines it") == true)
  }

  @Test
  func manyMessagesWithOneCommand() throws {
    let messages = (0..<500).map { "- {command: \($0 % 5), name: m\($0)}\n" }.joined()
    let text = """
      profile: x
      applies_to: [{characteristic: fff1}]
      frame: {command: {at: 0, type: u8}}
      messages:

      """
    let profile = try #require(Decoding.read(text + messages).profile)
    let ties = ProfileTies.find([("x.yaml", profile)]).map(\.description)
    #expect(ties.count == 5)
    #expect(
      ties.first
        == "x.yaml:10: the commands of `m0` (line 5), `m5` (line 10), `m10` (line 15), `m15` (line 20) and 96 other messages overlap"
    )
  }
}
