import Bytes
import Testing

@testable import Reports

/// Every two consecutive bytes of the secret, in all forms in which they could be printed.
private let pieces: [String] = [SecretPackets.key, SecretPackets.key2].flatMap { key in
  zip(key, key.dropFirst()).flatMap { pair in
    let first = String(pair.0, radix: 16)
    let second = String(pair.1, radix: 16)
    return ["\(first)\(second)", "\(first) \(second)", "\(second)\(first)", "\(second) \(first)"]
  }
}

private func options(showsKeys: Bool) -> ShowOptions {
  var options = ShowOptions()
  options.isVerbose = true
  options.showsBytes = true
  options.showsKeys = showsKeys
  return options
}

/// Returns the parts of the secret in the text.
private func leaks(_ text: String) -> [String] { pieces.filter { text.contains($0) } }

@Suite("Secrets are printed only if requested")
struct SecretsTests {
  @Test("No two bytes of a secret in text, -v, -x", arguments: SecretPackets.all.indices)
  func text(_ index: Int) {
    let packets = SecretPackets.all[index]
    let text = Rendering.text(packets.records, options(showsKeys: false))
    #expect(leaks(text).isEmpty, "\(packets.name):\n\(text)")
    var bytesAlone = options(showsKeys: false)
    bytesAlone.isVerbose = false
    let dump = Rendering.text(packets.records, bytesAlone)
    #expect(leaks(dump).isEmpty, "\(packets.name):\n\(dump)")
  }

  @Test("No two bytes of a secret in --json --raw", arguments: SecretPackets.all.indices)
  func json(_ index: Int) {
    let packets = SecretPackets.all[index]
    let text = Rendering.json(packets.records, options(showsKeys: false))
    #expect(leaks(text).isEmpty, "\(packets.name):\n\(text)")
  }

  @Test("No two bytes of a secret in values and map", arguments: SecretPackets.all.indices)
  func valuesAndMap(_ index: Int) {
    let packets = SecretPackets.all[index]
    for form in [ValueLines.Form.text, .json] {
      var source = RecordList(packets.records)
      var lines = ValueLines(ValuesOptions(), form, source.summary)
      let text = Rendering.run(&source, &lines)
      #expect(leaks(text).isEmpty, "\(packets.name):\n\(text)")
    }
    var source = RecordList(packets.records)
    var table = ValuesReport(ValuesOptions())
    let text = Rendering.run(&source, &table)
    #expect(leaks(text).isEmpty, "\(packets.name):\n\(text)")
    for isJSON in [false, true] {
      var options = MapOptions()
      options.isJSON = isJSON
      var source = RecordList(packets.records)
      var map = MapReport(options)
      let text = Rendering.run(&source, &map)
      #expect(leaks(text).isEmpty, "\(packets.name):\n\(text)")
    }
  }

  @Test("--show-keys prints them, as text and JSON", arguments: SecretPackets.all.indices)
  func shown(_ index: Int) {
    let packets = SecretPackets.all[index]
    let text = Rendering.text(packets.records, options(showsKeys: true))
    let json = Rendering.json(packets.records, options(showsKeys: true))
    #expect(!leaks(text).isEmpty && !leaks(json).isEmpty, "\(packets.name)")
    #expect(!text.contains("<hidden>") && !json.contains("hidden"), "\(packets.name):\n\(text)")
  }

  @Test("Bytes after a packet are printed only if requested", arguments: 0..<3)
  func behind(_ index: Int) {
    let packets = SecretPackets.behind[index]
    for isVerbose in [false, true] {
      var hides = options(showsKeys: false)
      hides.isVerbose = isVerbose
      let text = Rendering.text(packets.records, hides) + Rendering.json(packets.records, hides)
      #expect(leaks(text).isEmpty, "\(packets.name):\n\(text)")
    }
    var shows = options(showsKeys: true)
    shows.isVerbose = false
    #expect(!leaks(Rendering.text(packets.records, shows)).isEmpty, "\(packets.name)")
    #expect(!leaks(Rendering.json(packets.records, shows)).isEmpty, "\(packets.name)")
  }

  @Test("Hidden fields are mentioned")
  func presence() {
    let packets = SecretPackets.all[0]
    let text = Rendering.text(packets.records, options(showsKeys: false))
    #expect(text.contains("Long_Term_Key: <hidden>, 16 bytes"))
    let json = Rendering.json(packets.records, options(showsKeys: false))
    #expect(json.contains(#""hidden":["long_term_key"]"#))
    #expect(json.contains(#""raw":"0119201c"#))
    #expect(json.contains(String(repeating: "..", count: 16) + #"""#))
  }

  @Test("Hidden fields are listed in their own object")
  func places() {
    let code = SecretPackets.all.first { $0.name == "LE BIG Create Sync" }
    let json = Rendering.json(code?.records ?? [], options(showsKeys: false))
    #expect(json.contains(#"]","hidden":["broadcast_code"]}"#.dropFirst(2)))
    let report = SecretPackets.all.first { $0.name.hasPrefix("LE Advertising Report") }
    let lines = Rendering.json(report?.records ?? [], options(showsKeys: false))
    #expect(lines.contains(#"}],"hidden":["data"]}]"#), "\(lines)")
    #expect(lines.contains(#""hidden":["data"]}],"hidden":["data"]}]"#), "\(lines)")
  }

  @Test("An event whose parameters are hidden entirely has its name")
  func misread() {
    let records = SecretPackets.all.first { $0.name.hasPrefix("A vendor's event") }?.records ?? []
    let json = Rendering.json(records, options(showsKeys: false))
    #expect(
      json.contains(
        #""hci":{"kind":"event","event":"0xff","name":"Vendor Specific","hidden":["data"]}"#),
      "\(json)")
  }

  @Test("Parts of a set's data are counted, whole data is decoded")
  func operations() {
    func line(_ operation: UInt8, _ data: [UInt8]) -> String {
      let parameters: [UInt8] = [1, operation, 1, UInt8(data.count)] + data
      let record = TestRecord(bytes: [1, 0x37, 0x20, UInt8(parameters.count)] + parameters)
      return Rendering.text([record])
    }
    #expect(line(1, [3, 9, 0x41]).contains("set 1, first fragment, 3 bytes\n"))
    #expect(line(0, [3, 9, 0x41]).contains("set 1, intermediate fragment, 3 bytes\n"))
    #expect(line(2, [3, 9, 0x41]).contains("set 1, last fragment, 3 bytes\n"))
    #expect(line(3, [3, 9, 0x41, 0x42]).contains(#"set 1, "AB""#))
    #expect(line(4, []).contains("set 1, unchanged\n"))
    #expect(line(9, [1]).contains("set 1, operation 0x09, 1 byte\n"))
  }

  @Test("Parts of an advertisement without secrets stay readable")
  func harmlessParts() {
    var records =
      SecretPackets.all.first { $0.name.hasSuffix("second of two parts") }?.records ?? []
    // A manufacturer's data in place of the broadcast code.
    records[0].bytes[records[0].bytes.count - 1] = 0xff
    #expect(!leaks(Rendering.text(records, options(showsKeys: false))).isEmpty)
    #expect(!Rendering.json(records, options(showsKeys: false)).contains("hidden"))
  }

  @Test("Public fields stay readable beside a secret")
  func neighbours() {
    let packets = SecretPackets.all[0]
    var bytesAlone = options(showsKeys: false)
    bytesAlone.isVerbose = false
    #expect(Rendering.text(packets.records, bytesAlone).contains("01 19 20 1c 01 00 00 00"))
    let att = TestRecord(bytes: [2, 1, 0, 9, 0, 5, 0, 4, 0, 0x1b, 0x10, 0, 0xc0, 0xc1])
    #expect(Rendering.text([att], options(showsKeys: false)).contains("c0 c1"))
  }
}
