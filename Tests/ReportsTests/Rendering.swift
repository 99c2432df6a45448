import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

/// A record to be printed.
struct TestRecord {
  var bytes: [UInt8]
  var direction: Direction? = .sent
  var framing = CaptureRecord.Framing.h4
  /// Bytes that the capture did not keep.
  var missing = 0
  var time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
  var adapter: AdapterIndex = 0
  var isReplayed = false
  /// Records that the writer lost before it.
  var drops: UInt64 = 0
}

/// Returns a received record, given in hexadecimal.
func received(_ text: String) -> TestRecord {
  TestRecord(bytes: hex(text), direction: .received)
}

/// Returns an ACL packet with a whole L2CAP PDU, by default on the link 0x0001.
func acl(_ payload: [UInt8], cid: UInt8 = 4, sent: Bool, handle: UInt8 = 1) -> TestRecord {
  let count = UInt8(payload.count)
  return TestRecord(
    bytes: [2, handle, sent ? 0 : 0x20, count + 4, 0, count, 0, cid, 0] + payload,
    direction: sent ? .sent : .received)
}

/// Records from memory.
struct RecordList: CaptureSource, ~Copyable {
  let summary = CaptureSummary(
    format: .btsnoop, datalink: 1002, datalinkName: "HCI UART (H4)", timeDecimals: 6)
  private let records: [TestRecord]
  /// The error that ends the capture, if any.
  private let failure: CaptureFailure?
  private var number = 0
  /// The bytes of the last borrowed record.
  private var bytes: [UInt8] = []

  init(_ records: [TestRecord], failure: CaptureFailure? = nil) {
    self.records = records
    self.failure = failure
  }

  var isReady: Bool { true }

  @_lifetime(&self)
  mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    guard number < records.count else {
      if let failure { throw failure }
      return nil
    }
    let record = records[number]
    number += 1
    bytes = record.bytes
    return CaptureRecord(
      number: number, time: record.time, direction: record.direction, adapter: record.adapter,
      framing: record.framing, originalLength: bytes.count + record.missing, drops: record.drops,
      fileOffset: 0, bytes: bytes.bytes
    ).replayed(record.isReplayed)
  }
}

/// The output of `show` for records.
enum Rendering {
  static func text(_ records: [TestRecord], _ options: ShowOptions = ShowOptions()) -> String {
    var source = RecordList(records)
    var report = ShowText(options, source.summary)
    return run(&source, &report)
  }

  static func json(_ records: [TestRecord], _ options: ShowOptions = ShowOptions()) -> String {
    var source = RecordList(records)
    var report = ShowJSON(options, source.summary)
    return run(&source, &report)
  }

  static func run<Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable>(
    _ source: inout Source, _ report: inout Report, _ bonds: [Bond] = []
  ) -> String {
    var output = Output()
    var pass = Pass(bonds: bonds)
    try? pass.run(&source, &report, into: &output)
    return output.string
  }
}

extension Rendering {
  /// Returns a report's output for one link, and its messages.
  static func report<Report: PacketReport & ~Copyable>(
    _ report: consuming Report, of write: (inout Link) -> Void
  ) -> (text: String, remark: String?) {
    var link = Link()
    write(&link)
    var source = RecordList(link.records)
    var report = report
    let text = run(&source, &report)
    return (text, report.remark)
  }

  /// Returns the output of `map` for one link.
  static func map(
    _ options: MapOptions = MapOptions(), json: Bool = false, of write: (inout Link) -> Void
  ) -> String {
    var options = options
    options.isJSON = json
    return report(MapReport(options), of: write).text
  }

  /// Returns the numbers of the shown packets, on which text and JSON must agree.
  static func numbers(_ records: [TestRecord], _ options: ShowOptions) -> [Int] {
    let json = json(records, options).split(separator: "\n").compactMap { line in
      line.firstMatch(of: /"packet":(\d+)/).flatMap { Int($0.1) }
    }
    let text = text(records, options).split(separator: "\n").dropFirst().compactMap {
      Int($0.drop { $0 == " " }.prefix { $0.isNumber })
    }
    #expect(json == text)
    return json
  }
}

/// Returns the bytes of text such as "02 40 00".
func hex(_ text: String) -> [UInt8] {
  text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

extension Output {
  /// The written text.
  var string: String { String(decoding: bytes.array, as: UTF8.self) }
}

/// Returns what `write` writes.
func written(_ write: (inout Output) -> Void) -> String {
  var output = Output()
  write(&output)
  return output.string
}
