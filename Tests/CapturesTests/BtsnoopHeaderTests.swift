import Captures
import Testing

struct BtsnoopHeaderTests {
  @Test(
    arguments: [
      (1001, "HCI (H1)"), (1002, "HCI UART (H4)"), (2001, "Linux monitor"),
    ] as [(UInt32, String)])
  func aHeaderWithoutRecordsIsAGoodCapture(datalink: UInt32, name: String) throws {
    let pipe = Pipe()
    pipe.feed(BtsnoopBytes(datalink: datalink).bytes, piece: 16)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    #expect(
      reader.summary
        == CaptureSummary(
          format: .btsnoop, datalink: datalink, datalinkName: name, timeDecimals: 6))
    let reading = Reading(&reader)
    #expect(reading.records.isEmpty)
    #expect(reading.failure == nil)
  }

  @Test(
    arguments: [
      (1003, "1003 (BCSP)"), (1004, "1004 (H5, three-wire UART)"), (2002, "2002 (simulator)"),
      (0, "0, which is unknown"), (1000, "1000, which is unknown"),
      (0xffff_ffff, "4294967295, which is unknown"),
    ] as [(UInt32, String)])
  func otherDatalinksAreNamedAndRefused(datalink: UInt32, words: String) {
    var file = BtsnoopBytes(datalink: datalink)
    file.record([1, 2, 3])
    let reading = Reading(file.bytes)
    #expect(reading.records.isEmpty)
    #expect(
      reading.failure
        == CaptureFailure(
          .notReadable,
          "is btsnoop of datalink \(words); "
            + "gattscope reads 1001 (H1), 1002 (H4) and 2001 (Linux monitor)"))
  }

  @Test(arguments: [0, 2, 0xffff_ffff] as [UInt32])
  func otherVersionsAreRefused(version: UInt32) {
    let reading = Reading(BtsnoopBytes(version: version).bytes)
    #expect(
      reading.failure
        == CaptureFailure(
          .notReadable, "is btsnoop version \(version); gattscope reads version 1"))
  }

  @Test(arguments: 1..<16) func aHeaderThatEndsEarlyIsDamage(count: Int) {
    let reading = Reading(Array(BtsnoopBytes().bytes[..<count]))
    #expect(
      reading.failure
        == CaptureFailure(.damaged, "its header ends early: only \(count) of 16 bytes are present"))
  }
}
