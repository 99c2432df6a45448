import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

/// Fields with equal names: which are allowed, and what is written if both are present.
struct NameTests {
  /// Fields, the first in line 6, that are never both present.
  @Test(arguments: [
    "- {name: f, type: u8}\n- {name: a, type: u8, when: f}\n- {name: a, type: u16, when: \"!f\"}",
    "- {name: f, type: u8}\n- {name: a, type: u8, when: f == 1}\n- {name: a, type: u16, when: f == 2}",
    "- {name: f, type: u8}\n- {name: a, type: u8, when: f < 4}\n- {name: a, type: u16, when: 4 <= f}",
    "- {name: f, type: u8}\n- {name: a, type: u8, when: f > 4 && f < 9}\n- {name: a, type: u8, when: f == 9 || f == 4}",
    "- {name: f, type: u8}\n- {name: a, type: u8, when: f & 3 == 1}\n- {name: a, type: u8, when: f & 3 != 1}",
    "- {name: f, type: u8}\n- {when: f, fields: [{name: a, type: u8}]}\n- {name: a, type: u8, when: f == 0}",
    "- choose: size\n  cases: {1: [{name: a, type: u8}], 2-3: [{name: a, type: u16}], other: [{name: a, type: u24}]}",
    "- choose: remaining\n  cases: {1: [{name: a, type: u8}], other: [{name: a, type: u16}]}",
    "- {name: a, type: u8, when: size == 1}\n- {name: a, type: u16, when: size != 1}",
    "- {name: f, type: u8}\n- {name: a, when: f, fields: [{name: b, type: u8}]}\n- {name: b, type: u8}",
  ])
  func allowed(_ fields: String) {
    let found = Decoding.read(Decoding.profile(fields)).errors.map(\.description)
    #expect(found == [], "expected no errors, got \(found)")
  }

  /// Fields, the first in line 6, that may both be present, and both lines.
  @Test(
    arguments: [
      ("- {name: a, type: u8}\n- {name: a, type: u8}", 7, 6),
      (
        "- {name: f, type: u8}\n- {name: a, type: u8, when: f}\n- {name: a, type: u8, when: f > 1}",
        8, 7
      ),
      (
        "- {name: f, type: u8}\n- {name: a, type: u8, when: f & 1}\n- {name: a, type: u8, when: f & 2}",
        8, 7
      ),
      // Fewer bytes remain after the first field.
      (
        "- {name: a, type: u8, when: remaining > 2}\n- {name: a, type: u8, when: remaining <= 2}",
        7,
        6
      ),
      // Each size is that of a different stretch.
      (
        "- {size: 2, fields: [{name: a, type: u16, when: size == 2}]}\n- {name: a, type: u8, when: size == 3}",
        7, 6
      ),
      ("- {name: a, type: u8}\n- {fields: [{name: a, type: u8}]}", 7, 6),
      ("- {name: a, type: u8}\n- {name: a, fields: [{name: b, type: u8}]}", 7, 6),
      ("- {name: a, type: u8}\n- {name: a, compute: \"1\"}", 7, 6),
      (
        "- {name: f, type: u8, bits: [{bit: 0, name: a}]}\n- {name: g, type: u8, bits: [{bit: 0, name: a}]}",
        7, 6
      ),
    ] as [(String, Int, Int)])
  func refused(_ fields: String, _ line: Int, _ other: Int) {
    let found = Decoding.read(Decoding.profile(fields)).errors
    let wanted =
      "`a` is defined twice: line \(other) also defines it, and no condition ensures that only one of the two is present; use cases of `choose`, or a `when` on each that requires different numbers of one expression"
    #expect(found.map(\.message) == [wanted], "expected \(wanted), got \(found)")
    #expect(found.map(\.line) == [line], "expected line \(line), got \(found.map(\.line))")
  }

  /// If a condition is unknown, both fields are present. Each key occurs once in the JSON, and
  /// remarks use the same names.
  @Test
  func unknownCondition() throws {
    let fields = """
      - {name: a, type: u8, unit: m, when: "@2aa8.x"}
      - {name: a, type: u16, unit: s, when: "!@2aa8.x"}
      """
    let result = try Decoding.decode(fields, "01 0200")
    #expect(result.fields == #"{"a":1,"a.2":2}"#)
    let value: [UInt8] = [1, 2, 0]
    var output = Output()
    DecodedWriter(result.decoded, isJSON: true)?.head(value.bytes, into: &output)
    let found = String(decoding: output.bytes.array, as: UTF8.self)
    let wanted =
      #""a":{"number":1,"unit":"m"},"a.2":{"number":2,"unit":"s"}},"assumed":["a","a.2"]"#
    #expect(found.hasSuffix(wanted), "expected \(wanted), got \(found)")
  }

  /// Unexplained bytes are named unknown, and so may a field be.
  @Test
  func unknownField() throws {
    let result = try Decoding.decode("- {name: unknown, type: u8}", "01 02")
    #expect(result.fields == #"{"unknown":1,"unknown.2":"02"}"#)
  }

  /// Sets of numbers, as conditions use them.
  @Test
  func numbers() {
    let low = NumberSet(Int.min...3)
    let high = NumberSet(4...Int.max)
    #expect(low.complement == high)
    #expect(high.complement == low)
    #expect(low.union(high).complement.isEmpty)
    #expect(low.intersection(high).isEmpty)
    #expect(
      NumberSet(3...4).gaps(in: 0...9) == NumberSet(0...2).union(NumberSet(5...9)))
    #expect(NumberSet.nonzero.intersection(NumberSet(0...1)) == NumberSet(1...1))
    #expect(NumberSet.nonzero.union(NumberSet(0...0)).complement.isEmpty)
    // Against sets of single numbers.
    var random = Seeded(7)
    for _ in 0..<2000 {
      var (set, numbers) = (NumberSet(), Set<Int>())
      var (other, others) = (NumberSet(), Set<Int>())
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let low = Int.random(in: 0...30, using: &random)
        let range = low...low + Int.random(in: 0...4, using: &random)
        if Bool.random(using: &random) {
          set.insert(range)
          numbers.formUnion(range)
        } else {
          other.insert(range)
          others.formUnion(range)
        }
      }
      func members(_ set: NumberSet) -> Set<Int> {
        Set((-2...40).filter { !set.isDisjoint(with: NumberSet($0...$0)) })
      }
      #expect(members(set) == numbers)
      #expect(members(set.union(other)) == numbers.union(others))
      #expect(members(set.intersection(other)) == numbers.intersection(others))
      #expect(members(set.gaps(in: 5...25)) == Set(5...25).subtracting(numbers))
      #expect(set.isDisjoint(with: other) == numbers.isDisjoint(with: others))
      #expect(set.isSubset(of: other) == numbers.isSubset(of: others))
      #expect(set.complement.complement == set)
    }
  }
}
