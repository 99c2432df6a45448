// What a pass does while its source has no data.

import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// Asks to be called again after a number of milliseconds.
private struct Waker: PacketReport, ~Copyable {
  let wait: Int32?
  /// The number of pauses after which it is satisfied.
  var enough = Int.max
  var events: [String] = []
  var pauses = 0

  init(every wait: Int32?, enough: Int = .max) {
    self.wait = wait
    self.enough = enough
  }

  var isSatisfied: Bool { pauses >= enough }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) { events.append("#\(packet.record.number)") }

  mutating func pause(_ memory: borrowing Memory, into output: inout Output) -> Int32? {
    pauses += 1
    events.append("pause")
    return wait
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) { events.append("end") }
}

@Suite("While a source has no data") struct PauseTests {
  /// Returns a report's events and the waits of a source of two records that is silent for 250 ms
  /// before the second.
  private func run(_ report: consuming Waker) -> (events: [String], waits: [Int64]) {
    var traffic = Traffic()
    traffic.command(0x0c03)
    traffic.command(0x0c03)
    var source = PacedSource(MemorySource(traffic), TestClock()) { $0 == 2 ? 250 : 0 }
    var report = report
    var output = Output()
    var pass = Pass()
    try? pass.run(&source, &report, into: &output)
    return (report.events, source.waits)
  }

  @Test("A report is called as often as it asks until a packet arrives") func again() {
    let (events, waits) = run(Waker(every: 100))
    #expect(events == ["#1", "pause", "pause", "pause", "#2", "end"])
    #expect(waits == [100, 100, 100])
  }

  @Test("A report that asks for nothing is called once") func once() {
    let (events, waits) = run(Waker(every: nil))
    #expect(events == ["#1", "pause", "#2", "end"])
    #expect(waits == [-1])
  }

  @Test("A satisfied report ends the pass without waiting") func enough() {
    let (events, waits) = run(Waker(every: 100, enough: 2))
    #expect(events == ["#1", "pause", "pause", "end"])
    #expect(waits == [100])
  }

  @Test("A source without a wait continues at once") func plain() {
    var source = MemorySource(Traffic())
    let goesOn = source.wait(milliseconds: 1000)
    #expect(goesOn)
  }
}
