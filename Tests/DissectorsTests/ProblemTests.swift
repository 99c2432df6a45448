import Bytes
import Testing

@testable import Dissectors

@Suite struct ProblemTests {
  @Test func aFewInPlaceAndACountOfTheRest() {
    var problems = Problems()
    #expect(problems.isEmpty && problems.count == 0 && problems.omitted == 0)
    for index in 0..<10 { problems.add(Problem(.leftOver, at: index, index)) }
    #expect(!problems.isEmpty && problems.count == 4 && problems.omitted == 6)
    #expect((0..<4).map { problems[$0].first } == [0, 1, 2, 3])
  }

  @Test func fromAParseError() {
    let problem = Problem(ParseError(offset: 7, needed: 2, available: 1))
    #expect(problem == Problem(.tooShort, at: 7, 2, 1))
    #expect(Problem(.emptyRecord).offset == nil)
  }

  /// The words of the JSON contract.
  @Test func keys() {
    let kinds = (UInt8.min...UInt8.max).compactMap { MonitorNote.Kind(rawValue: $0) }
    #expect(
      kinds.map(\.key.description) == [
        "new_index", "deleted_index", "open_index", "close_index", "index_info", "system_note",
        "user_log", "control_open", "control_close", "vendor_diagnostic", "lmp", "log",
        "unknown",
      ])
    let boundaries = (UInt8(0)..<4).compactMap { ACLHeader.Boundary(rawValue: $0) }
    #expect(
      boundaries.map(\.key.description) == [
        "first_non_flushable", "continuation", "first_flushable", "complete",
      ])
  }
}
