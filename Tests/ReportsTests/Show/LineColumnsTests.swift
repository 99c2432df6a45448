import Bluetooth
import Bytes
import Testing

@testable import Reports

/// The columns before a line's text, which are partly overwritten from line to line.
@Suite("Columns at the start of a line")
struct LineColumnsTests {
  /// A packet: number, microseconds since the first, connection, direction.
  typealias Packet = (number: Int, time: Int64?, id: Int, direction: Direction?)

  private let start = Timestamp(seconds: 1000, nanoseconds: 900_000_000)

  private func time(_ microseconds: Int64?) -> Timestamp? {
    microseconds.map { Timestamp(microseconds: 1_000_900_000 + $0) }
  }

  /// Returns the lines of several packets.
  private func lines(_ packets: [Packet], _ change: (inout ShowOptions) -> Void = { _ in })
    -> [String]
  {
    var options = ShowOptions()
    change(&options)
    var columns = LineColumns(options, decimals: 6)
    return packets.map { packet in
      var line = Output()
      columns.observe(0)
      columns.prefix(
        packet.number, time(packet.time), since: start, packet.id, 0, packet.direction, into: &line)
      return String(decoding: line.bytes.array, as: UTF8.self)
    }
  }

  /// Returns a packet's line after one with a greater number, which never reuses columns.
  private func anew(_ packet: Packet, after time: Int64?) -> String {
    lines([(99_999_999, time, 0, nil), packet]).last ?? ""
  }

  @Test("Digits, connections and directions change, the rest stays")
  func goesOn() {
    let found = lines([
      (8, 0, 0, .sent), (9, 50_000, 1, .received), (10, 99_000, 9, .sent),
      (99, 99_999, 0, nil), (100, 100_000, 10, .sent), (101, 350_100, 10, .received),
      (102, 350_200, 2, .sent),
    ])
    #expect(
      found == [
        "    8    0.0000           → ", "    9    0.0500         1 ← ",
        "   10    0.0990         9 → ", "   99    0.0999             ",
        "  100    0.1000        10 → ", "  101    0.3501        10 ← ",
        "  102    0.3502         2 → ",
      ])
  }

  @Test("Whole seconds, gaps, clocks that go back, no time, and numbers that outgrow their column")
  func beginsAnew() {
    let found = lines([
      (1, 0, 1, .sent), (2, 400_000, 1, .sent), (3, 1_000_000, 1, .sent), (4, 999_000, 1, .sent),
      (5, -1000, 1, .sent), (6, -999, 1, .sent), (7, nil, 1, .sent), (8, 1_100_000, 1, .sent),
      (9, 1_100_100, 1, .sent), (99_999, 1_100_200, 1, .sent), (100_000, 1_100_300, 1, .sent),
      (100_001, 1_100_400, 1, .sent),
    ])
    #expect(
      found == [
        "    1    0.0000         1 → ", "    2    0.4000         1 → ",
        "    3    1.0000 600 ms  1 → ", "    4    0.9990         1 → ",
        "    5   -0.0010         1 → ", "    6   -0.0009         1 → ",
        "    7                   1 → ", "    8    1.1000  1.1 s  1 → ",
        "    9    1.1001         1 → ", "99999    1.1002         1 → ",
        "100000    1.1003         1 → ", "100001    1.1004         1 → ",
      ])
  }

  @Test("Many lines equal those that are written from scratch")
  func likeNew() {
    var state: UInt64 = 7
    func random(_ below: UInt64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64((state >> 33) % below)
    }
    var packets: [Packet] = []
    var time: Int64 = 0
    for index in 0..<3000 {
      time += random(20) == 0 ? random(3_000_000) - 300_000 : random(9000)
      packets.append(
        (
          index * 3 + Int(random(3)) + 1, random(50) == 0 ? nil : time, Int(random(12)),
          [.sent, .received, nil][Int(random(3))]
        ))
    }
    let found = lines(packets)
    for (index, packet) in packets.enumerated() {
      let expected = anew(packet, after: packets[..<index].last { $0.time != nil }?.time)
      // The number's column is as wide as its greatest number.
      guard found[index].drop(while: { $0 == " " }) == expected.drop(while: { $0 == " " }) else {
        Issue.record("line \(index): \(found[index]), not \(expected)")
        return
      }
    }
  }

  @Test("In colour, with other times")
  func styles() {
    let both: [Packet] = [(1, 0, 1, .sent), (2, 100, 1, .received), (3, 200, 0, .sent)]
    let packets: [Packet] = [(1, 0, 1, .sent), (2, 100, 1, .sent), (3, 200, 0, .sent)]
    #expect(
      lines(both) { $0.usesColor = true } == [
        "\u{1b}[2m    1    0.0000       \u{1b}[0m  1 \u{1b}[36m→\u{1b}[0m ",
        "\u{1b}[2m    2    0.0001       \u{1b}[0m  1 \u{1b}[32m←\u{1b}[0m ",
        "\u{1b}[2m    3    0.0002       \u{1b}[0m    \u{1b}[36m→\u{1b}[0m ",
      ])
    #expect(
      lines(packets) { $0.time = .none }
        == ["    1         1 → ", "    2         1 → ", "    3           → "])
    #expect(
      lines(packets) {
        $0.time = .delta
        $0.glyphs = .ascii
      } == ["    1    0.0000  1 -> ", "    2    0.0001  1 -> ", "    3    0.0001    -> "])
  }
}
