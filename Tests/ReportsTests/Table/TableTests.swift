// The output of `table`: rows and their cells.

import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Documents
@testable import Reports

/// Returns the rows of a table.
private func rows(
  _ kind: TableKind, form: RowForm = .json, file: [UInt8] = Array("x".utf8), key: [UInt8]? = nil,
  failure: CaptureFailure? = nil, of write: (inout Link) -> Void
) -> [String] {
  var link = Link()
  write(&link)
  var options = RowsOptions()
  options.kinds = TableKinds(kind)
  options.pseudonyms = key.flatMap { Pseudonyms(key: $0) }
  let sinks = RowSinks(form, options.kinds)
  var source = RecordList(link.records, failure: failure)
  var report = RowsReport(RowsFile(file), source.summary, options, to: sinks)
  _ = Rendering.run(&source, &report)
  var output = Output()
  sinks.copy(into: &output)
  return output.string.split(separator: "\n").map(String.init)
}

/// Returns the cell of a column in a row of JSON, unparsed.
private func cell(_ column: String, _ row: String) -> String? {
  guard let start = row.firstRange(of: "\"\(column)\":") else { return nil }
  let rest = row[start.upperBound...]
  if rest.hasPrefix("\"") {
    return "\"" + rest.dropFirst().prefix { $0 != "\"" } + "\""
  }
  return String(rest.prefix { $0 != "," && $0 != "}" })
}

/// Discovers a service with a characteristic at these handles completely.
private func discover(
  _ link: inout Link, at start: UInt8, properties: String = "12", isWhole: Bool = true
) {
  func digits(_ value: UInt8) -> String {
    String(UInt16(value) | 0x100, radix: 16).suffix(2) + " 00"
  }
  let end = digits(start + 7)
  link.ask("10 01 00 ff ff 00 28", "11 06 \(digits(start)) \(end) 0f 18")
  link.ask("10 \(digits(start + 8)) ff ff 00 28", "01 10 \(digits(start + 8)) 0a")
  link.att("08 \(digits(start)) \(end) 03 28", .sent)
  link.att("09 07 \(digits(start + 1)) \(properties) \(digits(start + 2)) 19 2a", .received)
  guard isWhole else { return }
  link.ask("08 \(digits(start + 2)) \(end) 03 28", "01 08 \(digits(start + 2)) 0a")
}

@Suite("The output of table")
struct TableTests {
  @Test("Columns have one name each, and every table begins with file and capture")
  func columns() {
    for kind in TableKind.allCases {
      let names = kind.columns.map(\.name.description)
      #expect(Set(names).count == names.count, "\(kind): \(names)")
      #expect(Array(names.prefix(2)) == ["file", "capture"], "\(kind)")
      #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } })
      #expect(TableKind(name: kind.name) == kind)
    }
    #expect(TableKinds.all.each == TableKind.allCases)
  }

  @Test("A row has every column of its table, in order", arguments: TableKind.allCases)
  func order(_ kind: TableKind) throws {
    let made = rows(kind) { link in
      link.discover(0x10, "19 2a")
      link.att("1b 11 00 05", .received)
      link.ask("12 11 00 01", "01 12 11 00 03")
      // An advertising report.
      link.add(hex("04 3e 0c 02 01 00 01 66 55 44 33 22 c1 00 c4"), .received)
    }
    let row = try #require(made.first, "no row of \(kind.name)")
    var rest = row[...]
    for column in kind.columns {
      let key = "\"\(column.name)\":"
      let found = try #require(rest.firstRange(of: key), "\(key) in \(row)")
      rest = rest[found.upperBound...]
    }
    #expect(row.split(separator: "\":").count - 1 == kind.columns.count, "\(row)")
  }

  @Test("Values: read, refused, and decoded ones")
  func operations() {
    let made = rows(.operations) { link in
      link.discover(0x10, "19 2a")
      link.att("1b 11 00 05", .received)
      link.ask("12 11 00 01", "01 12 11 00 03")
      link.att("0a 11 00", .sent)
    }
    #expect(made.map { cell("outcome", $0) } == ["\"ok\"", "\"refused\"", "\"no_response\""])
    #expect(
      made.first == """
        {"file":"x","capture":null,"connection":1,"packet":4,"time":"2023-11-14T22:13:23.000000Z",\
        "elapsed_s":3,"operation":"notification","direction":"received","service":null,"uuid":"2a19",\
        "handle":"0x0011","channel":null,"length":1,"value":"05","outcome":"ok","error":null,\
        "error_name":null,"latency_ms":null,"profile":"battery","message":"Battery Level","text":"5 %"}
        """)
    #expect(made.count > 1 && cell("error", made[1]) == "\"0x03\"", "\(made)")
    #expect(made.count > 1 && cell("latency_ms", made[1]) == "1000", "\(made)")
    // A capture of one direction has no answers, so the outcome is unknown.
    let unknown = rows(.operations) { link in
      link.records = []
      link.att("12 11 00 01", .sent)
    }
    #expect(unknown.map { cell("outcome", $0) } == ["null"])
  }

  @Test("A finding has the code that its words name, and the name of that code")
  func codes() {
    let made = rows(.findings) { link in
      link.discover(0x10, "19 2a")
      link.ask("12 11 00 01", "01 12 11 00 03")
      link.add(hex("04 05 04 00 40 00 08"), .received)
    }
    func code(_ rule: String) -> [String?] {
      made.filter { cell("rule", $0) == "\"\(rule)\"" }.map { cell("code", $0) }
    }
    #expect(code("att_not_permitted") == ["\"0x03\""], "\(made)")
    #expect(code("link_supervision_timeout") == ["\"0x08\""], "\(made)")
    #expect(made.contains { cell("code_name", $0) == "\"Write Not Permitted\"" }, "\(made)")
  }

  @Test("Damage is in the row of the capture")
  func damage() {
    let made = rows(.captures, failure: CaptureFailure(.damaged, "record 2 at byte 50")) { _ in }
    #expect(made.count == 1)
    #expect(cell("status", made[0]) == "\"damaged\"", "\(made)")
    #expect(cell("damage", made[0]) == "\"record 2 at byte 50\"", "\(made)")
    #expect(cell("records", made[0]) == "1", "\(made)")
  }

  @Test("A layout is the same at other handles, and differs with other properties")
  func layouts() {
    func layout(_ start: UInt8, _ properties: String, isWhole: Bool = true) -> String? {
      let made = rows(.connections) { link in
        discover(&link, at: start, properties: properties, isWhole: isWhole)
      }
      return made.first.flatMap { cell("layout", $0) }
    }
    let usual = layout(1, "12")
    #expect(usual?.count == 18 && usual != "null", "\(usual ?? "")")
    #expect(layout(0x30, "12") == usual)
    #expect(layout(1, "02") != usual)
    #expect(layout(1, "12", isWhole: false) == "null", "not claimed if not requested")
  }

  @Test("A connection that ended before the discovery has no layout")
  func laterLayout() {
    let made = rows(.connections) { link in
      link.add(hex("04 05 04 00 40 00 13"), .received)
      link.connect()
      discover(&link, at: 1)
    }
    #expect(made.count == 2)
    #expect(made.map { cell("layout", $0) == "null" } == [true, false], "\(made)")
  }

  @Test("Time in which the process was suspended does not count")
  func suspended() {
    let start = MonotonicClock.nanoseconds
    var patience = Patience(seconds: 1)
    let answers = [500, 5500, 6200, 7900].map { milliseconds in
      patience.isOver(at: start + Int64(milliseconds) * 1_000_000)
    }
    #expect(answers == [false, false, true, true], "\(answers)")
  }

  @Test("Names end before the zeros that pad their field, and UUIDs are in their shortest form")
  func shortForms() {
    let devices = rows(.devices) { link in
      link.add(
        hex("04 3e 12 02 01 00 01 66 55 44 33 22 c1 06 05 09 61 62 00 00 c4"), .received)
    }
    #expect(devices.last.flatMap { cell("name", $0) } == "\"ab\"", "\(devices)")
    let connections = rows(.connections) { link in
      link.att("10 01 00 ff ff 00 28", .sent)
      link.att("11 14 10 00 17 00 fb 34 9b 5f 80 00 00 80 00 10 00 00 01 ff 00 00", .received)
    }
    #expect(connections.first.flatMap { cell("services", $0) } == "\"ff01\"", "\(connections)")
  }

  @Test("Names of ten megabytes are cut, and counted")
  func longNames() {
    let made = rows(.captures, file: [UInt8](repeating: 0x61, count: 10_000_000)) { _ in }
    #expect(made[0].utf8.count < 2 * RowWriter.mostBytes, "\(made[0].utf8.count)")
    #expect(cell("cells_cut", made[0]) == "1", "\(made)")
    let cut = cell("file", made[0]) ?? ""
    #expect(cut.hasSuffix("…\""), "\(cut.suffix(9))")
  }

  @Test("Cutting a cell does not cut a character")
  func cutCharacters() {
    for shift in 0..<4 {
      let name = [UInt8](repeating: 0x61, count: RowWriter.mostBytes - shift) + Array("€€€".utf8)
      let made = rows(.captures, file: name) { _ in }
      #expect(!made[0].contains("\u{fffd}"), "\(shift) bytes before the end")
    }
  }

  @Test(
    "Control characters and invalid UTF-8 reach neither JSON nor CSV",
    arguments: [RowForm.json, .csv])
  func controls(_ form: RowForm) {
    let name = Array("a\n\u{1b}[31m\u{202e}\",".utf8) + [0xff]
    let made = rows(.captures, form: form, file: name) { _ in }
    #expect(made.count == 1, "\(made)")
    let isClean = made[0].unicodeScalars.allSatisfy { !isUnprintable($0.value) }
    #expect(isClean, "\(made)")
  }

  @Test("Pseudonyms depend only on the key, and keep the kind of an address")
  func pseudonyms() throws {
    let key = Array("0123456789abcdef".utf8)
    #expect(Pseudonyms(key: Array(key.dropLast())) == nil)
    let one = try #require(Pseudonyms(key: key))
    let other = try #require(Pseudonyms(key: key + [0]))
    let address = DeviceAddress(value: 0xc022_3344_5566)
    let found = one.address(address, isRandom: true)
    #expect(found == Pseudonyms(key: key)?.address(address, isRandom: true))
    #expect(found != address && found != other.address(address, isRandom: true))
    #expect(found.value >> 46 == 3, "a static address stays static")
    #expect(one.address(address, isRandom: false).value >> 40 & 3 == 2)
    #expect(one.name([0x61]) != one.file([0x61]).map { $0 }, "a name is not a path")
  }

  @Test("With a key no address, name or value remains")
  func redacted() {
    for kind in TableKind.allCases where kind != .fields {
      let made = rows(kind, file: Array("/home/anna/x".utf8), key: [UInt8](repeating: 3, count: 32))
      {
        link in
        link.discover(0x10, "00 2a")
        // Device Name: "Anna".
        link.ask("0a 11 00", "0b 41 6e 6e 61")
      }
      let text = made.joined()
      for secret in ["anna", "Anna", "416e6e61", "C0:11:22:33:44:55"] {
        #expect(!text.contains(secret), "\(secret) in \(text)")
      }
      let isEmpty = kind == .findings || kind == .devices
      #expect(isEmpty || text.contains("\"file\":\"file-"), "\(kind): \(text)")
    }
  }

  @Test("Types are printed for every column")
  func schema() {
    for schema in TableSchema.allCases {
      var output = Output()
      schema.write(into: &output)
      let text = output.string
      for kind in TableKind.allCases {
        #expect(text.contains(kind.name), "\(kind) in \(schema)")
        for column in kind.columns { #expect(text.contains(column.name.description)) }
      }
    }
  }
}
