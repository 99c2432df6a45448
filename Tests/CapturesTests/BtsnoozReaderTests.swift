import Bluetooth
import Bytes
import Captures
import Testing

/// Android's summaries.
struct BtsnoozReaderTests {
  private let folder = TemporaryFolder()

  private func read(_ bytes: [UInt8]) -> Reading {
    Reading(path: folder.file("snooz", holding: bytes))
  }

  @Test("Both versions give the same packets and times", arguments: [1, 2])
  func versions(_ version: UInt8) {
    let reading = read(SummaryBytes.make(version))
    #expect(reading.failure == nil)
    #expect(
      reading.records.map(\.bytes) == [
        [0x03, 0x0c, 0], [0x0e, 4, 1, 3, 0x0c, 0], [1, 0x20, 0xfa, 0, 0xf6, 0, 4],
      ])
    #expect(reading.records.map(\.direction) == [.sent, .received, .sent])
    #expect(
      reading.records.map(\.framing) == [.h1(.command), .h1(.event), .h1(.acl)])
    // 250 bytes of data, which version 1 does not record.
    #expect(reading.records.map(\.originalLength) == [3, 6, version == 1 ? 7 : 254])
    let last = SummaryBytes.lastTime
    #expect(
      reading.records.map(\.time)
        == [last - 3000, last - 1000, last].map { Timestamp(microseconds: $0) })
  }

  @Test("The form after a btsnoop header has no dates") func behindHeader() {
    let bytes = BtsnoopBytes().bytes + SummaryBytes.records(2)
    let reading = read(bytes)
    #expect(
      reading.failure == nil && reading.records.count == 3, "\(reading.records.count) records")
    #expect(reading.summary?.format == .btsnooz)
    #expect(reading.records.map(\.time) == [0, 2000, 3000].map { Timestamp(microseconds: $0) })
  }

  @Test("A truncated summary yields its complete records") func truncated() {
    for version: UInt8 in [1, 2] {
      let whole = SummaryBytes.make(version)
      var records = 0
      for length in 11..<whole.count {
        let reading = read(Array(whole.prefix(length)))
        #expect(reading.records.count >= records, "\(version), \(length)")
        #expect(reading.failure?.kind == .damaged, "\(version), \(length): no damage reported")
        records = reading.records.count
      }
      #expect(records == 3)
    }
  }

  @Test("A damaged file with btsnoop's header is still btsnoop") func damaged() {
    var file = BtsnoopBytes()
    file.record([4, 0x0e, 0], flags: 3, time: BtsnoopBytes.epoch)
    let reading = read(Array(file.bytes.dropLast()))
    #expect(reading.summary?.format == .btsnoop && reading.failure?.kind == .damaged)
  }

  @Test("Repeated headers are neither records nor damage") func headers() {
    let header = BtsnoopBytes().bytes
    let reading = read(Array(repeating: header, count: 200_000).flatMap(\.self))
    #expect(reading.failure == nil && reading.records.isEmpty)
    #expect(reading.summary?.remarks.count == CaptureLimits.otherLinkTypes)
  }

  @Test("Two concatenated files are read as one") func concatenated() {
    var file = BtsnoopBytes()
    file.record([4, 0x0e, 0], flags: 3, time: BtsnoopBytes.epoch)
    let reading = read(file.bytes + file.bytes)
    #expect(reading.failure == nil && reading.records.map(\.number) == [1, 2])
    #expect(
      reading.summary?.remarks == [
        "another btsnoop file begins at byte \(file.bytes.count); both are read as one"
      ])
  }
}
