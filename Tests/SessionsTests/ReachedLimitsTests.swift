// The report about full tables at the end.

import Testing

@testable import Dissectors
@testable import Sessions

@Suite("Reached limits") struct ReachedLimitsTests {
  @Test("Each limit is reported once, with its first packet, in packet order")
  func order() {
    var reached = ReachedLimits()
    var problems = Problems()
    problems.add(Problem(.leftOver, at: nil, 3))
    problems.add(Problem(.trains, limit: 64))
    reached.note(problems, packet: 20)
    reached.note(problems, packet: 30)
    var others = Problems()
    others.add(Problem(.links, limit: 128))
    reached.note(others, packet: 10)
    #expect(reached.all.map(\.packet) == [10, 20])
    #expect(reached.all.map(\.problem.first) == [128, 64])
    #expect(reached.all.map(\.problem.second) == [0, 9])
  }

  @Test("A packet full of other problems does not hide a reached limit")
  func priority() {
    var problems = Problems()
    for count in 1...6 { problems.add(Problem(.leftOver, at: nil, count)) }
    problems.add(Problem(.attributes, limit: 2048))
    #expect(problems.omitted == 3)
    var reached = ReachedLimits()
    reached.note(problems, packet: 7)
    #expect(reached.all.map(\.problem.first) == [2048])
  }
}
