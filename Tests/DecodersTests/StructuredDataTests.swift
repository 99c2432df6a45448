import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("JSON and CBOR as values")
struct StructuredDataTests {
  private func hex(_ text: String) -> String {
    text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test(
    "JSON",
    arguments: [
      (
        #"{"state": "on", "level": 12.50, "list": [1, -2e3, null], "in": {"a": true}}"#,
        #"{"body":{"state":"on","level":12.50,"list":[1,-2e3,null],"in":{"a":true}}}"#,
        #"state "on", level 12.50, list [1, -2e3, null], in {a true}"#
      ),
      ("{}", #"{"body":{}}"#, "{}"), (" [ ] ", #"{"body":[]}"#, "[]"),
      ("-0", #"{"body":-0}"#, "-0"),
      (#""\u00e9\ud83d\ude00\ud800\n\/""#, #"{"body":"é😀\#u{fffd}\n/"}"#, #""é😀\#u{fffd}\n/""#),
    ])
  func json(_ text: String, _ fields: String, _ line: String) throws {
    let found = try Decoding.decode("- {name: body, type: json}", hex(text))
    #expect(found.fields == fields && found.line == line && found.problems == [])
  }

  @Test(
    "What is not JSON is shown as bytes",
    arguments: [
      "", "{", "{}x", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", ".5", "1e", "-",
      "tru",
      "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\u{1}\"", "nul", "[1 2]", "{\"a\":1,}", "+1",
    ])
  func notJSON(_ text: String) throws {
    let found = try Decoding.decode("- {name: body, type: json}", hex(text))
    if text.isEmpty {
      #expect(found.fields.contains("\"\""))
    } else {
      #expect(found.problems == ["bad_format@0"])
      #expect(found.fields == "{\"body\":\"\(hex(text))\"}")
    }
  }

  /// The encodings are from RFC 8949, Appendix A, apart from the first two, which are those of an
  /// image upload of mcumgr (SMP), put together by hand.
  @Test(
    "CBOR",
    arguments: [
      ("a2636f66661901f4636c656e1a00012345", #"{"off":500,"len":74565}"#, "off 500, len 74565"),
      (
        "bf64646174614401020304627263 00ff", #"{"data":"01020304","rc":0}"#,
        "data 01 02 03 04, rc 0"
      ),
      ("1bffffffffffffffff", "18446744073709551615", "18446744073709551615"),
      ("3bffffffffffffffff", "-18446744073709551616", "-18446744073709551616"),
      ("3863", "-100", "-100"), ("f93e00", "1.5", "1.5"), ("fa47c35000", "100000", "100000"),
      ("fb3ff199999999999a", "1.1", "1.1"), ("f97e00", #""nan""#, "nan"),
      ("f4", "false", "false"), ("f5", "true", "true"), ("f6", "null", "null"),
      ("f7", "null", "null"),
      ("c11a514b67b0", "1363896240", "1363896240"), ("62c3bc", #""ü""#, #""ü""#),
      ("a201020304", #"{"1":2,"3":4}"#, "1 2, 3 4"),
      ("8301820203820405", "[1,[2,3],[4,5]]", "[1, [2, 3], [4, 5]]"),
      ("9f018202039f0405ffff", "[1,[2,3],[4,5]]", "[1, [2, 3], [4, 5]]"),
      ("5f42010243030405ff", #""0102030405""#, "01 02 03 04 05"),
      ("7f657374726561646d696e67ff", #""streaming""#, #""streaming""#),
      ("826161a161626163", #"["a",{"b":"c"}]"#, #"["a", {b "c"}]"#),
      ("a14101f5", #"{"01":true}"#, "01 true"),
    ])
  func cbor(_ digits: String, _ fields: String, _ line: String) throws {
    let found = try Decoding.decode("- {name: body, type: cbor}", digits)
    #expect(found.fields == #"{"body":\#(fields)}"# && found.line == line && found.problems == [])
  }

  @Test(
    "What is not CBOR is shown as bytes",
    arguments: [
      "18", "1c", "ff", "62c328", "6261", "a1", "a161", "8201", "9f01", "5f6161ff", "0101",
      "5bffffffffffffffff",
      "9bffffffffffffffff", "bf6161ff", "1f",
    ])
  func notCBOR(_ digits: String) throws {
    let found = try Decoding.decode("- {name: body, type: cbor}", digits)
    #expect(found.problems == ["bad_format@0"])
    #expect(found.fields == "{\"body\":\"\(digits)\"}")
  }

  @Test("Depth and number of elements are limited")
  func limits() throws {
    let deep = String(repeating: "[", count: 5000)
    #expect(try Decoding.decode("- {name: body, type: json}", hex(deep)).problems == ["limit@0"])
    let tags = String(repeating: "c1", count: 5000)
    #expect(try Decoding.decode("- {name: body, type: cbor}", tags).problems == ["limit@0"])
    let wide = "[" + String(repeating: "1,", count: 2000) + "1]"
    #expect(try Decoding.decode("- {name: body, type: json}", hex(wide)).problems == ["limit@0"])
    let fits = "[" + String(repeating: "1,", count: 1022) + "1]"
    #expect(try Decoding.decode("- {name: body, type: json}", hex(fits)).problems == [])
  }

  @Test("Every prefix of a value fails, and none stops the program")
  func sweep() {
    var generator = Seeded(49)
    let json = [UInt8](#"{"a": [1.5, "\u00e9", {"b": null}], "c": -2e+3}"#.utf8)
    let cbor = Decoding.bytes("a3616183f93e0062c3bca16162f66163396161645f4101ff616544616263 64")
    for (format, whole) in [(StructuredData.Format.json, json), (.cbor, cbor)] {
      let bytes = whole
      let isWhole = StructuredData.failure(bytes.bytes, format) == nil
      #expect(isWhole || format == .cbor)
      for count in bytes.indices {
        let prefix = [UInt8](bytes[..<count])
        let failure = StructuredData.failure(prefix.bytes, format)
        #expect(failure != nil)
      }
      for _ in 0..<4000 {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(
            in: 0...255, using: &generator)
        }
        _ = StructuredData.failure(damaged.bytes, format)
      }
    }
  }

  @Test("Fields have sizes, and examples can describe what is inside")
  func example() throws {
    let text = Decoding.profile(
      """
      - {name: count, type: u8, quiet: true}
      - {name: body, type: json, size: count}
      - {name: more, type: cbor}
      """,
      more: """
            text: "{body}; {more}"
            examples:
              - hex: "07 7b 22 61 22 3a 31 7d a1 61 62 82 01 02"
                fields: {body: {a: 1}, more: {b: [1, 2]}}
                text: "a 1; b [1, 2]"

        """)
    let file = Decoding.read(text)
    #expect(file.errors.map(\.description) == [])
    let profile = try #require(file.profile)
    #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
    let definition = try #require(profile.definitions.first)
    let again = try #require(Definition(stored: definition.stored))
    #expect(again.stored == definition.stored)
    let found = Decoding.decode(again, Decoding.bytes("07 7b2261223a317d a1616202"))
    #expect(found.fields == #"{"count":7,"body":{"a":1},"more":{"b":2}}"#)
  }
}
