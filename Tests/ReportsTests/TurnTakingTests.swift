import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

@Suite("Reports that several make in turns")
struct TurnTakingTests {
  /// Commands, an empty record, and notifications on a link whose opening is there.
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

  /// What a member printed.
  private final class Turns {
    var texts: [String] = []
  }

  /// What each member prints at the end of each of its turns.
  private static func turns(_ members: Int, turnBytes: Int, _ failure: CaptureFailure?)
    -> [[String]]
  {
    (0..<members).map { member in
      let turns = Turns()
      var source = RecordList(records, failure: failure)
      var report = TurnTaking(
        ShowJSON(ShowOptions(), source.summary), member: member, of: members, turnBytes: turnBytes
      ) { output in
        turns.texts.append(output.string)
        output.clear()
      }
      _ = Rendering.run(&source, &report)
      return turns.texts
    }
  }

  @Test(
    "The turns, one after the other, are what one prints alone", arguments: [1, 2, 3, 4],
    [1, 100, 1000, 1_000_000])
  func turns(_ members: Int, _ turnBytes: Int) {
    let alone = Rendering.json(Self.records)
    for failure in [nil, CaptureFailure(.damaged, "the capture ends early")] {
      let parts = Self.turns(members, turnBytes: turnBytes, failure)
      var together = ""
      for turn in 0..<(parts.map(\.count).max() ?? 0) {
        for part in parts where turn < part.count { together += part[turn] }
      }
      #expect(together == alone)
    }
  }

  @Test("The work is shared: each of two members prints about half")
  func shares() {
    let parts = Self.turns(2, turnBytes: 100, nil).map { $0.joined().count }
    #expect(parts[0] > 0 && parts[1] > 0)
    #expect(abs(parts[0] - parts[1]) < (parts[0] + parts[1]) / 4, "\(parts)")
  }
}
