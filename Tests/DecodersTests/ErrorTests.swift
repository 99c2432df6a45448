import Testing

@testable import Decoders
@testable import ProfileFiles

/// Errors in profiles: file, line, keys, and what was expected.
struct ErrorTests {
  /// A field in line 6, and the error about it.
  @Test(
    arguments: [
      (
        "{name: it, type: u12}",
        "type: expected one of u8, u16, u24, u32, u40, u48, u56, u64, i8, i16, i24, i32, i40, i48, i56, i64, f16, f32, f64, medfloat16, medfloat32, bcd, datetime, utf8, utf16, text, bytes, uuid, address, json, cbor, found `u12`; did you mean `u16`?"
      ),
      (
        "{name: it, typ: u8}",
        "a field needs one of the keys type, fields, layout, choose, compute; is `typ` meant for it?"
      ),
      ("{name: it, type: u8, sacle: {divide: 2}}", "unknown key `sacle`; did you mean `scale`?"),
      (
        "{name: it, type: utf8, unit: m}",
        "unknown key `unit`; the keys here are endian, expand, label, name"
      ),
      ("{type: u8}", "the key `name` is missing"),
      (
        "{name: it, type: i8, bits: [{bit: 1, name: a}]}",
        "bits: bits need an unsigned type such as u8"
      ),
      (
        "{name: index, type: u8}",
        "name: `index` already has a meaning in expressions; the field needs another name"
      ),
      ("{name: It, type: u8}", "name: expected a name of a to z, digits and _, found `It`"),
      (
        "{name: it, type: u8, when: flag}",
        "when: in the expression, no earlier field is named `flag`"
      ),
      (
        "{name: it, type: u8, when: sise}",
        "when: in the expression, no earlier field is named `sise`; did you mean `size`?"
      ),
      (
        "{name: it, type: u8, when: \"1 +\"}",
        "when: in the expression, expected a number, a field's name or (, found the end"
      ),
      ("{name: it, type: u8, when: \"(1\"}", "when: in the expression, expected ), found the end"),
      (
        "{name: it, type: u8, when: \"1 2\"}",
        "when: in the expression, expected an operator, found `2`"
      ),
      (
        "{name: it, type: u8, when: \"08\"}",
        "when: in the expression, expected a number, found `08`"
      ),
      (
        "{name: it, type: u8, when: \"@2a37\"}",
        "when: in the expression, expected @UUID.field, found `2a37`"
      ),
      ("{name: it, type: u8, when: [1]}", "when: expected an expression, found a list"),
      (
        "{name: it, type: u8, scale: 2}",
        "scale: expected a mapping of multiply, divide, decimal, binary, add, found `2`"
      ),
      (
        "{name: it, type: u8, scale: {divide: 0}}",
        "scale.divide: expected a number from 1 to 9223372036854775807, found `0`"
      ),
      (
        "{name: it, type: u8, scale: {multiply: 1e3}}",
        "scale.multiply: expected a number such as 0.005, found `1e3`"
      ),
      (
        "{name: it, type: u8, scale: {multiply: 123456789012345678, binary: -64}}",
        "scale: a scale of this size cannot be computed exactly"
      ),
      (
        "{name: it, type: u8, scale: {divide: 2}, exponential: {base: 2}}",
        "a number has only one of the keys scale and exponential"
      ),
      (
        "{name: it, type: u8, values: {010: a}}",
        "values: expected a number or a range such as 0x80-0xff, found `010`"
      ),
      ("{name: it, type: u8, values: {256: a}}", "values: `256` does not fit into 8 bits"),
      (
        "{name: it, type: u8, values: {1: a}, special: {2: b}}",
        "a number has only one of the keys values and special"
      ),
      (
        "{name: it, type: u8, values: compny}",
        "values: no enumeration is named `compny`; did you mean `company`?"
      ),
      (
        "{name: it, type: u8, range: [2, 1]}",
        "range: expected a list of two numbers, the smaller first"
      ),
      (
        "{name: it, type: u8, repeat: rest, max: 9999}",
        "max: expected a number from 0 to 1024, found `9999`"
      ),
      ("{name: it, type: u8, optional: yes}", "optional: expected true or false, found `yes`"),
      ("{name: it, type: u8, checksum: crc32}", "checksum: crc32 needs a field of type u32"),
      (
        "{name: it, type: u8, bits: [{bit: 8, name: a}]}",
        "bits.bit: expected a number from 0 to 7, found `8`"
      ),
      (
        "{name: it, type: u8, bits: [{bits: [1, 2], name: a}, {bit: 2, name: b}]}",
        "bits: `b` has bits that another has"
      ),
      (
        "{name: it, type: u8, bits: [{bit: 1, name: a}, {bit: 2, name: a}]}",
        "bits: `a` is defined twice: bits appear next to fields"
      ),
      ("{name: it, type: u8, min: 1}", "min and max go with repeat"),
      (
        "{name: it, type: bytes, size: 1, prefix: u8}",
        "a field has only one of the keys size and prefix"
      ),
      (
        "{name: it, type: bytes, terminator: \"0\"}",
        "terminator: expected bytes in hexadecimal such as \"a5 06\", found `0`"
      ),
      ("{name: it, type: uuid, size: 3}", "size: a UUID has 2, 4 or 16 bytes"),
      ("{name: it, layout: pair}", "layout: no structure `pair`"),
      ("{name: it, layout: \"2fff\"}", "layout: no characteristic 2fff has fields here"),
      ("{name: it, layout: \"2aff\"}", "layout: the layout 2aff → 2aff contains itself"),
      ("{repeat: rest, fields: []}", "a repeated group needs a name"),
      ("{choose: size}", "the key `cases` is missing"),
      (
        "{name: it, type: u32, epoch: 1970}",
        "epoch: expected a date such as \"1970-01-01\", found `1970`"
      ),
      ("{name: it, type: u8, label: !!str x}", "label: tags such as !!str are not allowed"),
    ] as [(String, String)])
  func field(_ field: String, _ expected: String) {
    let found = Decoding.read(Decoding.profile("- \(field)")).errors.map(\.description)
    #expect(found.count == 1)
    let prefix = "test.yaml:6: characteristics.fields"
    let isKey = expected.split(separator: ":")[0].allSatisfy { $0.isLetter || $0 == "." }
    let wanted = prefix + (isKey ? "." : ": ") + expected
    #expect(found.first?.hasPrefix(wanted) == true, "expected \(wanted), found \(found)")
  }

  /// Complete files.
  @Test(
    arguments: [
      ("", "test.yaml: is empty"),
      ("a: [", "test.yaml:2: is not YAML: "),
      ("a: 1\na: 2\n", "test.yaml:2: the key `a` is defined twice: line 1 also defines it"),
      (
        "x:\n  - b: 1\n    c: {b: 1}\n    'b' : 2\nb: 3\n",
        "test.yaml:4: the key `b` is defined twice: line 2 also defines it"
      ),
      ("x: {a: 1, a: 2}\na: 1\n", "test.yaml:1: the key `a` is defined twice"),
      (
        "profile: x\r\ncharacteristics:\r\n\t- {uuid: 2aff}\r\n",
        "test.yaml:3: is not YAML: a tab precedes the text of the line, where only blanks are allowed"
      ),
      (
        "profile: x\ncharacteristics:\n\t- {uuid: 2aff}\n",
        "test.yaml:3: is not YAML: a tab precedes the text of the line, where only blanks are allowed"
      ),
      ("title: x\n", "test.yaml:1: the key `profile` is missing"),
      (
        "profile: x\ncharacteristic: []\n",
        "test.yaml:2: unknown key `characteristic`; did you mean `characteristics`?"
      ),
      (
        "profile: x\ncharacteristics: {}\n",
        "test.yaml:2: characteristics: expected a list of definitions, found a mapping"
      ),
      (
        "profile: x\ncharacteristics: [{uuid: \"2a3\", name: A, fields: []}]\n",
        "test.yaml:2: characteristics.uuid: expected a UUID such as \"2a37\", or all 128 bits with dashes, found `2a3`"
      ),
      (
        "profile: x\nadvertisements: [{name: A, fields: []}]\n",
        "test.yaml:2: advertisements: a definition of an advertisement has one of the keys company, service, ad_type"
      ),
      (
        "profile: x\nframe: {size: 2}\n",
        "test.yaml:2: frame: `frame` belongs to a protocol, and the key `messages` is missing"
      ),
      (
        "profile: x\napplies_to: [{frame: true}]\nmessages: []\n",
        "test.yaml:2: applies_to: frame: true alone needs a frame with start, length and checksum"
      ),
      (
        "profile: x\napplies_to: [{service: fff0}]\nmessages: [{command: 1, name: a}]\n",
        "test.yaml:3: messages.command: the frame has no command, so this can only be `other`"
      ),
      (
        "profile: x\napplies_to: [{rfcomm: 31}]\nmessages: []\n",
        "test.yaml:2: applies_to.rfcomm: expected a number from 1 to 30, found `31`"
      ),
      (
        "profile: x\napplies_to: [{rfcomm: 1, psm: 0x81}]\nmessages: []\n",
        "test.yaml:2: applies_to.psm: a mapping names one of `characteristic`, `rfcomm` and `psm`"
      ),
      (
        "profile: x\nendian: middle\n",
        "test.yaml:2: endian: expected one of little, big, found `middle`"
      ),
      (
        "profile: x\nstructures: {a: [{name: i, layout: b}], b: [{name: i, layout: a}]}\ncharacteristics: [{uuid: \"2aff\", name: A, fields: [{name: i, layout: a}]}]\n",
        "test.yaml:2: structures.b.layout: the layout x.a → x.b → x.a contains itself"
      ),
    ] as [(String, String)])
  func file(_ text: String, _ expected: String) {
    let found = Decoding.read(text).errors.map(\.description)
    #expect(found.first?.hasPrefix(expected) == true, "expected \(expected), found \(found)")
  }

  /// Texts, in line 7.
  @Test(arguments: [
    ("{b}", "no field is named `b` in the text; did you mean `a`?"),
    ("{a", "a { without } in the text"),
    ("a}", "a } without { in the text"), ("[a", "a [ without ] in the text"),
    ("a]", "a ] without [ in the text"),
    ("{a:99}", "expected :n, :02, :x2 or :raw in the text, found `:99`"),
  ])
  func text(_ text: String, _ expected: String) {
    let profile = Decoding.profile("- {name: a, type: u8}", more: "    text: \"\(text)\"\n")
    let found = Decoding.read(profile).errors.map(\.description)
    #expect(found == ["test.yaml:7: characteristics.text: \(expected)"])
  }

  /// A wrong definition does not hide the others.
  @Test
  func othersAreRead() {
    let file = Decoding.read(
      """
      profile: x
      characteristics:
        - {uuid: "2aff", name: A, fields: [{name: a, type: u9}]}
        - {uuid: "2afe", name: B, fields: [{name: a, type: u8}]}
        - {uuid: "2afd", name: C, fields: [{name: a}]}
      """)
    #expect(file.errors.map(\.line) == [3, 5])
    #expect(file.profile?.definitions.map(\.name) == ["B"])
  }

  /// Deep or large input does not crash the program.
  @Test(arguments: ["[", "{a: ", "- ", "? ", "- - [{", "&a [", "!a ", "\"", "|\n "])
  func deep(_ piece: String) {
    let text = String(repeating: piece, count: 20_000)
    #expect(!Decoding.read(text).errors.isEmpty)
    #expect(!Decoding.read("profile: x\ncharacteristics: " + text).errors.isEmpty)
  }

  @Test
  func deepFields() {
    var fields = "[{name: a, type: u8}]"
    for _ in 0..<9 { fields = "[{name: a, fields: \(fields)}]" }
    let text = "profile: x\ncharacteristics: [{uuid: \"2aff\", name: A, fields: \(fields)}]\n"
    let found = Decoding.read(text).errors.map(\.message)
    #expect(found == ["groups, layouts and choices nest up to 8 deep"])
    // Layouts that double in size: the limit on the number of fields stops them.
    var structures = "structures:\n  s0: [{name: a, type: u8}]\n"
    for level in 1...7 {
      let pair = ["a", "b", "c", "d"].map { "{name: \($0), layout: s\(level - 1)}" }
      structures += "  s\(level): [\(pair.joined(separator: ", "))]\n"
    }
    let bomb =
      "profile: x\n\(structures)characteristics: [{uuid: \"2aff\", name: A, fields: [{name: a, layout: s7}]}]\n"
    #expect(
      Decoding.read(bomb).errors.map(\.message)
        == ["a definition has up to 255 fields, those of layouts counted"])
  }
}
