import Bluetooth
import Bytes
import Sessions
import Testing

@testable import Reports

@Suite("Rows of CSV for spreadsheets")
struct ColumnTableTests {
  private func cell(_ text: String) -> String {
    var output = Output()
    output.cell([UInt8](text.utf8).bytes)
    return String(decoding: output.bytes.array, as: UTF8.self)
  }

  @Test("Text that a spreadsheet would evaluate begins with an apostrophe; numbers do not")
  func formulas() {
    for text in ["=1+1", "@SUM(A1)", "+1+1", "-1 dB", "-", "--1", "-1.", "-.5", "-1.2.3"] {
      #expect(cell(text) == "'" + text)
    }
    #expect(cell("\tx") == "\"'\tx\"")
    for text in ["-12", "+3", "-12.5", "", "a=1", "1-1"] { #expect(cell(text) == text) }
    #expect(cell("a,\"b\"") == "\"a,\"\"b\"\"\"")
  }

  @Test("Texts that a spreadsheet would read as numbers or dates begin with an apostrophe")
  func converted() {
    func cell(_ text: String, isText: Bool = true) -> String {
      var output = Output()
      output.cell([UInt8](text.utf8).bytes, isText: isText)
      return output.string
    }
    for text in [
      "0048", "699603030901", "1E5", "1-2", "12", "-12", "1.5", "5 %", "$5", "€ 5", "1/2", "12:30",
      "2021-10-19", "2021-10-19T08:03:35Z", "3 Mar", "SEPT2", "1:30 PM", " 7", "(5)", "true",
      "FALSE",
      "NaN", "NULL", "n/a", "'48",
    ] {
      #expect(cell(text) == "'" + text)
      // Numbers and times of fields stay what they are.
      if !text.hasPrefix("-") { #expect(cell(text, isText: false) == text) }
    }
    #expect(cell("1,5") == "\"'1,5\"")
    for text in [
      "", "Acme", "1.2 kg", "v1.2", "AT+OK", "5G", "0x48", "n", "nothing", "Mar", "J1657", "1 2 x",
      "the 48",
    ] {
      #expect(cell(text) == text)
    }
  }

  @Test("Bytes and UUIDs are never numbers")
  func identifiers() {
    func hex(_ bytes: [UInt8]) -> String {
      var output = Output()
      output.cell(hex: bytes.bytes)
      return String(decoding: output.bytes.array, as: UTF8.self)
    }
    #expect([hex([]), hex([6]), hex([0, 0x48])] == ["", "0x06", "00 48"])
    let uuids: [(UInt16, String)] = [
      (0x0048, "0x0048"), (0x27e5, "0x27e5"), (0x2a37, "2a37"), (0x1809, "1809"), (0xe001, "e001"),
    ]
    for (number, expected) in uuids {
      var output = Output()
      output.cell(.init(number))
      #expect(String(decoding: output.bytes.array, as: UTF8.self) == expected)
    }
  }

  private func rows(_ number: Int, holding bytes: Int, chosen: [String] = []) -> [String] {
    var limits = Limits()
    limits.heldRowBytes = bytes
    var table = ColumnTable(
      [.packet, .time, .error], chosen: chosen, isStreamed: false, limits)
    var output = Output()
    for row in 0..<number {
      table.begin(.packet)
      table.row.decimal(row)
      table.begin(.time)
      if row == number - 1, let late = table.column([0x61], unit: [0x62]) {
        table.begin(late)
        table.row.text("x")
      }
      table.endRow(into: &output)
    }
    table.finish(into: &output)
    #expect(table.omitsFields == (bytes == 0))
    return String(decoding: output.bytes.array, as: UTF8.self).split(separator: "\n").map(
      String.init)
  }

  @Test("Beyond the limit of held rows, all columns are written, and later fields are left out")
  func held() {
    #expect(rows(3, holding: 1000) == ["packet,a (b)", "0,", "1,", "2,x"])
    #expect(rows(3, holding: 0) == ["packet,time,error", "0,,", "1,,", "2,,"])
    #expect(rows(2, holding: 1000, chosen: ["error", "a"]) == ["error,a", ",", ",x"])
  }
}
