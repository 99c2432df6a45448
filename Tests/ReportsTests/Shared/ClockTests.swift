import Bluetooth
import Bytes
import Testing

@testable import Reports

private func utc(_ seconds: Int64, _ nanoseconds: UInt32 = 0, decimals: Int = 6) -> String {
  var clock = Clock()
  let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
  return written { clock.utc(time, decimals: decimals, into: &$0) }
}

private func isLeap(_ year: Int) -> Bool {
  year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

@Suite("Dates and times of day")
struct ClockTests {
  // From `date -u -d @N +%FT%TZ` (GNU coreutils), if it supports the year.
  @Test(
    "Known moments",
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"),
      (-1, "1969-12-31T23:59:59.000000Z"),
      (951_782_400, "2000-02-29T00:00:00.000000Z"),
      (951_868_799, "2000-02-29T23:59:59.000000Z"),
      (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
      (1_700_000_000, "2023-11-14T22:13:20.000000Z"),
      (-62_167_219_200, "0000-01-01T00:00:00.000000Z"),
      (-62_162_121_600, "0000-02-29T00:00:00.000000Z"),
      (253_402_300_799, "9999-12-31T23:59:59.000000Z"),
    ])
  func moments(_ seconds: Int64, _ text: String) { #expect(utc(seconds) == text) }

  @Test("Every year's first, last and leap days, counted day by day from 0000-01-01")
  func everyYear() {
    var day: Int64 = -719_528
    for year in 0...9999 {
      let digits = String(String(year + 10_000).dropFirst())
      let length = isLeap(year) ? 366 : 365
      let days: [(Int, String)] = [
        (0, "01-01"), (58, "02-28"), (59, isLeap(year) ? "02-29" : "03-01"),
        (length - 1, "12-31"),
      ]
      for (offset, name) in days {
        let text = utc((day + Int64(offset)) * 86_400 + 3661, decimals: 0)
        guard text == "\(digits)-\(name)T01:01:01Z" else {
          Issue.record("\(text) is not \(digits)-\(name)T01:01:01Z")
          return
        }
      }
      day += Int64(length)
    }
    #expect(day == 2_932_897)
  }

  @Test("Decimals are the capture's, truncated and not rounded")
  func decimals() {
    #expect(utc(0, 175_500_999, decimals: 6) == "1970-01-01T00:00:00.175500Z")
    #expect(utc(0, 1, decimals: 9) == "1970-01-01T00:00:00.000000001Z")
    #expect(utc(-1, 999_999_999, decimals: 6) == "1969-12-31T23:59:59.999999Z")
    #expect(utc(0, 999_999_999, decimals: 0) == "1970-01-01T00:00:00Z")
  }

  @Test("One clock converts times in any order")
  func anyOrder() {
    var clock = Clock()
    let text = written {
      for seconds: Int64 in [59, 60, 59, -1, 119] {
        clock.utc(Timestamp(seconds: seconds, nanoseconds: 0), decimals: 0, into: &$0)
        $0.byte(0x20)
      }
    }
    #expect(
      text == "1970-01-01T00:00:59Z 1970-01-01T00:01:00Z 1970-01-01T00:00:59Z "
        + "1969-12-31T23:59:59Z 1970-01-01T00:01:59Z ")
  }

  @Test("A zone moves the date with the hour")
  func zone() {
    var clock = Clock()
    let time = Timestamp(seconds: 1_704_063_600, nanoseconds: 250_000_000)
    let text = written { clock.local(time, offset: 3600, decimals: 6, into: &$0) }
    #expect(text == "2024-01-01 00:00:00.250000")
  }
}

@Suite("Time between packets")
struct ElapsedTests {
  @Test(
    "Exact, negative if the clock went back",
    arguments: [
      (Timestamp(seconds: 0, nanoseconds: 0), "0"),
      (Timestamp(seconds: 0, nanoseconds: 175_500_000), "0.1755"),
      (Timestamp(seconds: 7, nanoseconds: 1), "7.000000001"),
      (Timestamp(seconds: 0, nanoseconds: 99_999), "0.000099999"),
      (Timestamp(seconds: -1, nanoseconds: 500_000_000), "-0.5"),
      (Timestamp(seconds: -2, nanoseconds: 800_000_000), "-1.2"),
      (Timestamp(seconds: -10, nanoseconds: 0), "-10"),
    ])
  func elapsed(_ time: Timestamp, _ text: String) {
    for start: Int64 in [0, 1_700_000_000, -62_167_219_200] {
      let from = Timestamp(seconds: start, nanoseconds: 0)
      let to = Timestamp(seconds: start + time.seconds, nanoseconds: time.nanoseconds)
      #expect(written { $0.elapsed(to, since: from) } == text)
    }
  }

  @Test("Clocks that differ by more than nanoseconds can count")
  func farApart() {
    let start = Timestamp(seconds: -9_223_372_036_854, nanoseconds: 0)
    let end = Timestamp(seconds: 9_223_372_036_854, nanoseconds: 999_999_000)
    #expect(written { $0.elapsed(end, since: start) } == "18446744073708.999999")
  }

  @Test(
    "In the column: four decimals, the sign before the digits, a space on both sides",
    arguments: [
      (175_599_999, "0.1755"), (123_456_000_000_000, "123456.0000"), (-1_999_999_000, "-1.9999"),
      (-10_000_000_000, "-10.0000"), (-100_000_000_000_000, "-100000.0000"),
    ])
  func column(_ nanoseconds: Int64, _ text: String) {
    var second = TestRecord(bytes: [1, 0x03, 0x0c, 0])
    let first = second
    let sum = 1_700_000_000_000_000_000 + nanoseconds
    second.time = Timestamp(
      seconds: sum / 1_000_000_000, nanoseconds: UInt32(sum % 1_000_000_000))
    let lines = Rendering.text([first, second]).split(separator: "\n")
    #expect(lines[2].hasPrefix("    2 ") && lines[2].contains(" \(text) "), "\(lines[2])")
  }

  @Test(
    "The gap is in its own column, whatever its size",
    arguments: [
      (500_000_000, "500 ms"), (509_600_000, "510 ms"), (999_999_999, "1.0 s"),
      (99_949_000_000, "100 s"), (7_199_000_000_000, "7199 s"),
      (86_400_000_000_000, "24.0 h"), (86_400_000_000_000_000, "3 y"),
    ])
  func gap(_ nanoseconds: Int64, _ text: String) {
    var second = TestRecord(bytes: [1, 0x03, 0x0c, 0])
    let first = second
    let sum = 1_700_000_000_000_000_000 + nanoseconds
    second.time = Timestamp(
      seconds: sum / 1_000_000_000, nanoseconds: UInt32(sum % 1_000_000_000))
    let lines = Rendering.text([first, second]).split(separator: "\n")
    #expect(lines[2].contains(" \(text)  "), "\(lines[2])")
  }

  @Test(
    "A duration has a suitable unit",
    arguments: [
      (0, "0 ms"), (49_999, "0 ms"), (50_000, "0.1 ms"), (4_500_000, "4.5 ms"),
      (100_000_000, "100 ms"), (999_949_999, "999.9 ms"), (999_950_000, "1.0 s"),
      (1_000_000_000, "1.0 s"), (99_949_999_999, "99.9 s"), (99_950_000_000, "100 s"),
      (7_199_499_999_999, "7199 s"), (7_200_000_000_000, "2.0 h"),
      (86_400_000_000_000, "24.0 h"), (-4_500_000, "-4.5 ms"), (-2_000_000_000, "-2.0 s"),
      (Int64.min, "-2562047.8 h"), (Int64.max, "2562047.8 h"),
    ])
  func duration(_ nanoseconds: Int64, _ text: String) {
    #expect(written { $0.duration(nanoseconds: nanoseconds) } == text)
  }
}
