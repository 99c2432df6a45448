import Captures
import Glibc
import Testing

struct DamageTests {
  /// A valid file of two records: 16 + (24 + 4) + (24 + 3) = 71 bytes.
  private let good: BtsnoopBytes = {
    var file = BtsnoopBytes()
    file.record([0x01, 0x03, 0x0c, 0x00])
    file.record([0x04, 0x0e, 0x00])
    return file
  }()

  /// Reads the bytes from a file, whose size is known, and from a pipe, whose end is not.
  private func read(_ file: BtsnoopBytes) throws -> (file: Reading, pipe: Reading) {
    let folder = TemporaryFolder()
    let path = folder.file("capture", holding: file.bytes)
    let readings = (Reading(path: path), Reading(file.bytes))
    #expect(readings.0.records == readings.1.records)
    return readings
  }

  private func expect(_ file: BtsnoopBytes, records: Int = 2, _ message: String) throws {
    let (fromFile, fromPipe) = try read(file)
    #expect(fromFile.records.count == records)
    #expect(fromFile.failure == CaptureFailure(.damaged, message))
    #expect(fromPipe.failure == CaptureFailure(.damaged, message))
  }

  @Test(arguments: [1, 7, 8, 23]) func aRecordHeaderThatEndsEarly(count: Int) throws {
    var file = good
    file.raw([UInt8](repeating: 0, count: count))
    try expect(
      file,
      "record 3 at byte 71: only \(count) of 24 bytes of its header are present; the capture ends early"
    )
  }

  @Test func aRecordThatEndsEarly() throws {
    var file = good
    file.record([UInt8](repeating: 2, count: 17), included: 41)
    try expect(file, "record 3 at byte 71: only 17 of 41 bytes are present; the capture ends early")
  }

  @Test func aRecordOfWhichOnlyTheHeaderIsThere() throws {
    var file = good
    file.record([], original: 30, included: 29)
    try expect(file, "record 3 at byte 71: only 0 of 29 bytes are present; the capture ends early")
  }

  @Test func theFirstRecordEndsEarly() throws {
    var file = BtsnoopBytes()
    file.record([1], included: 2)
    try expect(
      file, records: 0, "record 1 at byte 16: only 1 of 2 bytes are present; the capture ends early"
    )
  }

  @Test func lengthsThatLie() throws {
    var file = good
    file.record([UInt8](repeating: 2, count: 900), original: 20, included: 900)
    file.record([1])
    try expect(
      file,
      "record 3 at byte 71: included length 900 exceeds original length 20; the rest was not read")
  }

  /// Text after the last record: its bytes 4 to 7, `has `, are read as a length.
  @Test func garbageBehindAGoodRecord() throws {
    var file = good
    file.raw(Array("the has nothing of a record in it".utf8))
    let message =
      "record 3 at byte 71: it claims 1751216928 bytes, of which 9 are present, "
      + "but a record has at most 1048576; the rest was not read"
    let (fromFile, fromPipe) = try read(file)
    #expect(fromFile.records.count == 2)
    // The original length `the ` is larger, so the lengths do not contradict each other.
    #expect(fromFile.failure == CaptureFailure(.damaged, message))
    #expect(fromPipe.failure?.kind == .damaged)
  }

  @Test(arguments: [0x0010_0001, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as [UInt32])
  func aRecordOverTheLimit(included: UInt32) throws {
    var file = good
    file.record([1, 2, 3, 4, 5], included: included)
    let (fromFile, _) = try read(file)
    #expect(
      fromFile.message
        == "record 3 at byte 71: it claims \(included) bytes, of which 5 are present, "
        + "but a record has at most 1048576; the rest was not read")
  }

  /// The remaining bytes of a stream are unknown, and the reader does not wait for them.
  @Test func aRecordOverTheLimitOfAStreamThatGoesOn() throws {
    var file = good
    file.record([1, 2, 3, 4, 5], included: 0x7fff_ffff)
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(file.bytes)
    let reading = Reading(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    #expect(reading.records.count == 2)
    #expect(
      reading.message
        == "record 3 at byte 71: it claims 2147483647 bytes, "
        + "but a record has at most 1048576; the rest was not read")
  }

  @Test func aRecordAtTheLimitIsRead() throws {
    var file = good
    let payload = [UInt8](repeating: 0x5a, count: CaptureLimits.recordBytes)
    file.record(payload)
    file.record([9])
    let (fromFile, fromPipe) = try read(file)
    #expect(fromFile.failure == nil)
    #expect(fromPipe.failure == nil)
    #expect(fromFile.records.count == 4)
    #expect(fromFile.records[2].bytes == payload)
    #expect(fromFile.records[3].bytes == [9])
  }

  @Test func afterDamageNothingFollows() throws {
    var file = good
    file.record([1], original: 0, included: 1)
    file.record([1])
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 4096)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    #expect(Reading(&reader).failure?.kind == .damaged)
    let again = Reading(&reader)
    #expect(again.failure == nil)
    #expect(again.records.isEmpty)
    let isReady = reader.isReady
    #expect(isReady)
  }

  /// Every prefix of a file yields its complete records and describes what is missing.
  @Test func everyPrefix() {
    for count in 0...good.bytes.count {
      let reading = Reading(Array(good.bytes[..<count]))
      let whole = count >= 71 ? 2 : count >= 44 ? 1 : 0
      #expect(reading.records.count == whole)
      switch count {
      case 0: #expect(reading.message == "is empty; expected \(CaptureFormat.readable)")
      case 16, 44, 71: #expect(reading.failure == nil)
      default: #expect(reading.failure?.kind == .damaged)
      }
    }
  }

  /// Replacing any byte never traps: the result is records, with or without a failure.
  @Test func everyByteReplaced() {
    for position in good.bytes.indices {
      for replacement in [0x00, 0x01, 0x7f, 0x80, 0xff, good.bytes[position] ^ 0x10] as [UInt8] {
        var bytes = good.bytes
        bytes[position] = replacement
        let reading = Reading(bytes)
        let isWhole = reading.failure == nil
        // Two records, or one that swallowed the second and was cut by `original`.
        #expect(!isWhole || reading.records.count <= 2)
        #expect(reading.failure?.kind != .inaccessible)
        if position < 16, !isWhole { #expect(reading.records.isEmpty) }
      }
    }
  }
}
