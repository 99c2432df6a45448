import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

@Suite("Reports by several members in turns")
struct TurnTakingTests {
  /// Commands, an empty record, and notifications on a link whose beginning is in the capture.
  private static let records: [TestRecord] = (0..<200).map { index in
    switch index % 5 {
    case 0: TestRecord(bytes: hex("01 03 0c 00"))
    case 1: TestRecord(bytes: [])
    case 2: TestRecord(bytes: hex("04 0e 04 01 03 0c 00"), direction: .received)
    default:
      TestRecord(
        bytes: hex("02 40 20 09 00 05 00 04 00 1b 10 00") + [UInt8(index), 0],
        direction: .received)
    }
  }

  /// The output of a member.
  private final class Turns {
    var texts: [String] = []
  }

  /// Records that widen columns and make lines depend on earlier ones: clocks that jump far ahead
  /// and back, within seconds and across them, more than nine connections, a second controller,
  /// fragments and problems.
  private static let uneven: [TestRecord] = records.indices.map { index in
    var record = records[index]
    let jump: Int64 = index % 41 == 40 ? 123_456_789 : index % 53 == 52 ? -2_000 : 0
    record.time = Timestamp(
      seconds: 1_700_000_000 + Int64(index / 6) + jump,
      nanoseconds: UInt32(index * 161_803_398 % 1_000_000_000))
    record.adapter = index > 120 && index % 7 == 0 ? 1 : 0
    if index % 5 > 2 {
      record.bytes[1] = 0x40 + UInt8(index / 12)
      if index % 25 == 4 { record.bytes.removeLast() }
    }
    if index % 31 == 30 { record.missing = 3 }
    return record
  }

  /// Returns the output of each member at the end of each of its turns.
  private static func turns<Report: SharedReport & ~Copyable>(
    _ records: [TestRecord], _ members: Int, turnBytes: Int, _ failure: CaptureFailure?,
    _ makeReport: (CaptureSummary) -> Report
  ) -> [[String]] {
    (0..<members).map { member in
      let turns = Turns()
      var source = RecordList(records, failure: failure)
      var report = TurnTaking(
        makeReport(source.summary), member: member, of: members, turnBytes: turnBytes
      ) { output in
        turns.texts.append(output.string)
        output.clear()
      }
      _ = Rendering.run(&source, &report)
      return turns.texts
    }
  }

  /// Returns the turns of all members in the order in which they are written.
  private static func together(_ parts: [[String]]) -> String {
    var together = ""
    for turn in 0..<(parts.map(\.count).max() ?? 0) {
      for part in parts where turn < part.count { together += part[turn] }
    }
    return together
  }

  @Test(
    "The turns, one after the other, equal the output of one member", arguments: [1, 2, 3, 4],
    [1, 100, 1000, 1_000_000])
  func turns(_ members: Int, _ turnBytes: Int) {
    let alone = Rendering.json(Self.records)
    for failure in [nil, CaptureFailure(.damaged, "the capture ends early")] {
      let parts = Self.turns(Self.records, members, turnBytes: turnBytes, failure) {
        ShowJSON(ShowOptions(), $0)
      }
      #expect(Self.together(parts) == alone)
    }
  }

  @Test(
    "So do those of lines in columns", arguments: [1, 2, 3], [1, 100, 1000])
  func lines(_ members: Int, _ turnBytes: Int) {
    for time in ShowOptions.TimeStyle.allCases {
      var plain = ShowOptions()
      plain.time = time
      var coloured = plain
      (coloured.usesColor, coloured.width, coloured.glyphs) = (true, 70, .ascii)
      var verbose = plain
      (verbose.isVerbose, verbose.showsBytes) = (true, true)
      for options in [plain, coloured, verbose] {
        let alone = Rendering.text(Self.uneven, options)
        let parts = Self.turns(Self.uneven, members, turnBytes: turnBytes, nil) {
          ShowText(options, $0)
        }
        #expect(Self.together(parts) == alone, "\(time)")
        #expect(alone.split(separator: "\n").count > Self.uneven.count)
      }
    }
  }

  @Test("The columns grow in the capture of these tests")
  func grows() throws {
    let lines = Rendering.text(Self.uneven).split(separator: "\n")
    let first = try #require(lines.dropFirst().first { $0.contains("Reset") })
    let last = try #require(lines.last { $0.contains("Reset") })
    let start = { (line: Substring) in line.prefix { $0 != "R" }.count }
    // Four more digits of seconds, a sign, a connection's digit, the controller's name.
    #expect(start(last) > start(first) + 9)
    #expect(lines.contains { $0.contains(" hci1 ") })
  }

  @Test("The work is shared: each of two members prints about half")
  func shares() {
    let parts = Self.turns(Self.records, 2, turnBytes: 100, nil) { ShowJSON(ShowOptions(), $0) }
      .map { $0.joined().count }
    #expect(parts[0] > 0 && parts[1] > 0)
    #expect(abs(parts[0] - parts[1]) < (parts[0] + parts[1]) / 4, "\(parts)")
  }
}
