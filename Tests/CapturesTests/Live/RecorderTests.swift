import Bluetooth
import Bytes
import Glibc
import Synchronization
import Testing

@testable import Captures

struct RecorderTests {
  /// Every record is passed on unchanged and written to the file.
  @Test(arguments: ["monitor.btsnoop", "wristband.pcapng", "android-phone.btsnoop"])
  func everything(name: String) throws {
    let expected = Reading(path: Samples.path(name))
    let folder = TemporaryFolder()
    let source = try CaptureReader(path: Samples.path(name))
    let decimals = source.summary.timeDecimals
    let isMonitor = source.summary.datalink == 2001
    let writer = try CaptureWriter(
      path: folder.file("x"), WriterFormat(.pcapng, isMonitor ? .monitor : .h4), decimals: decimals)
    let recorder = Recorder(of: source.summary, losing: false, writer)
    let thread = recorder.start(source)
    var records = recorder.records()
    let reading = Reading(&records)
    thread?.join()
    #expect(reading.failure == nil)
    #expect(reading.records == expected.records)
    #expect(recorder.status.records == expected.records.count)
    #expect(recorder.status.written == expected.records.count)
    #expect(Reading(path: folder.file("x")).records.count == expected.records.count)
  }

  /// The failure that ends the source ends the records, and is reported after the last one.
  @Test func failure() throws {
    let pipe = Pipe()
    pipe.feed(BtsnoopBytes.session(5).bytes.dropLast(), piece: 11)
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let recorder = Recorder(of: source.summary, losing: false)
    let thread = recorder.start(source)
    var records = recorder.records()
    let reading = Reading(&records)
    thread?.join()
    #expect(reading.records.count == 4)
    #expect(reading.failure?.kind == .damaged)
    let after = try records.nextKept()
    #expect(after == nil)
  }

  /// Without a consumer, a source that can wait is stopped when the buffer is full, and loses
  /// nothing. The file has every record that was read.
  @Test func aSourceThatWaits() throws {
    let folder = TemporaryFolder()
    let session = BtsnoopBytes.session(20_000)
    let pipe = Pipe()
    pipe.feed(session.bytes, piece: 4096)
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let writer = try CaptureWriter(path: folder.file("x"), WriterFormat(.btsnoop, .h4))
    let recorder = Recorder(
      of: source.summary, losing: false, writer, waitingBytes: 200_000)
    let thread = recorder.start(source)
    var before = -1
    while recorder.status.records != before {
      before = recorder.status.records
      usleep(200_000)
    }
    #expect(before > 0 && before < 20_000)
    #expect(Reading(path: folder.file("x")).records.count > before - 1)
    var records = recorder.records()
    let reading = Reading(&records)
    thread?.join()
    #expect(reading.records.map(\.number) == Array(1...20_000))
    #expect(reading.records.allSatisfy { $0.drops == 0 })
    #expect(recorder.status.leftOut == 0)
  }

  /// Without a consumer, records of a source that cannot wait are left out and counted.
  @Test func aSourceThatLoses() throws {
    let folder = TemporaryFolder()
    let pipe = Pipe()
    pipe.feed(BtsnoopBytes.session(20_000).bytes, piece: 4096)
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let writer = try CaptureWriter(path: folder.file("x"), WriterFormat(.btsnoop, .h4))
    let recorder = Recorder(of: source.summary, losing: true, writer, waitingBytes: 200_000)
    let thread = recorder.start(source)
    thread?.join()
    var records = recorder.records()
    let reading = Reading(&records)
    let status = recorder.status
    #expect(status.records == 20_000)
    #expect(status.leftOut > 0)
    #expect(reading.records.count + status.leftOut == 20_000)
    #expect(reading.records.map(\.number) == Array(1...reading.records.count))
    #expect(
      reading.summary?.remarks == [
        "\(status.leftOut) records came faster than they could be printed, and were left out of "
          + "what was printed; the file has them"
      ])
    #expect(Reading(path: folder.file("x")).records.count == 20_000)
  }

  /// The record after those left out counts them as drops.
  @Test func leftOutAreDrops() throws {
    let pipe = Pipe()
    let session = BtsnoopBytes.session(3000).bytes
    pipe.feed(session, piece: 4096)
    pipe.guardAgainstWaiting()
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let recorder = Recorder(of: source.summary, losing: true, waitingBytes: 70_000)
    let thread = recorder.start(source)
    var records = recorder.records()
    thread?.join()
    _ = try records.nextKept()
    recorder.mark("too late")
    let reading = Reading(&records)
    let reported = reading.records.reduce(0) { $0 + Int($1.drops) }
    // No record follows those at the very end.
    #expect(reported == 0)
    #expect(reading.records.count + 1 + recorder.status.leftOut == 3000)
  }

  /// Markers appear between the records before and after them, in the output and in the file.
  @Test func markers() throws {
    let folder = TemporaryFolder()
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    let session = BtsnoopBytes.session(2).bytes
    pipe.write(Array(session.prefix(41)))
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let writer = try CaptureWriter(path: folder.file("x"), WriterFormat(.pcapng, .h4))
    let recorder = Recorder(of: source.summary, losing: false, writer)
    let thread = recorder.start(source)
    var records = recorder.records()
    let first = try records.nextKept()
    recorder.mark("now")
    let marker = try records.nextKept()
    pipe.write(Array(session.dropFirst(41)))
    let second = try records.nextKept()
    pipe.closeWriter()
    thread?.join()
    #expect([first, marker, second].map { $0?.number } == [1, 2, 3])
    #expect(marker?.framing == .monitor(opcode: 13))
    #expect(marker?.bytes == [6, 10] + Array("gattscope\0now\0".utf8))
    #expect(recorder.status.markers == 1)
    let file = Reading(path: folder.file("x")).records
    #expect(file.map(\.comments) == [[], ["now"]])
  }

  /// While printing is stopped, a marker keeps its place among the records, as in the file.
  @Test func markersKeepTheirPlace() throws {
    let folder = TemporaryFolder()
    let pipe = Pipe()
    // Received data, numbered.
    let bytes = (0..<3000).flatMap { number -> [UInt8] in
      Feeding.little(UInt16(5)) + Feeding.little(UInt16(0)) + Feeding.little(UInt16(100))
        + Feeding.little(UInt32(number)) + [UInt8](repeating: 0, count: 96)
    }
    pipe.feed(bytes, piece: 4096)
    let source = MonitorPacketReader(InputBuffer(stream: pipe.takeReader(), Feeding.guarded()))
    let writer = try CaptureWriter(path: folder.file("x"), WriterFormat(.btsnoop, .monitor))
    let recorder = Recorder(of: source.summary, losing: false, writer, waitingBytes: 70_000)
    let thread = recorder.start(source)
    var before = -1
    while recorder.status.records != before {
      before = recorder.status.records
      usleep(200_000)
    }
    for number in 1...80 { recorder.mark("\(number)") }
    var records = recorder.records()
    let printed = Reading(&records).records
    thread?.join()
    let written = Reading(path: folder.file("x")).records
    #expect(recorder.status.markers == 80)
    // 64 are buffered. The others are only in the file, and the record after them counts them.
    #expect(recorder.status.leftOut == 16)
    #expect(printed.reduce(0) { $0 + Int($1.drops) } == 16)
    #expect(written.count == 3080)
    #expect(written.firstIndex { $0.framing == .monitor(opcode: 13) } == before)
    let kept = Array(written[..<(before + 64)]) + Array(written[(before + 80)...])
    // One result, instead of thousands of records in the failure message.
    let isSame = printed.map(\.bytes) == kept.map(\.bytes)
    #expect(isSame)
    let isNumbered =
      printed.map(\.number) == Array(1...before + 64) + Array(before + 81...3080)
    #expect(isNumbered)
  }

  /// A full disk is reported once, immediately, and reading continues.
  @Test func fullDisk() throws {
    let source = try CaptureReader(path: Samples.path("monitor.btsnoop"))
    let writer = try CaptureWriter(path: "/dev/full", WriterFormat(.btsnoop, .monitor))
    let reported = Mutex<[String]>([])
    let recorder = Recorder(of: source.summary, losing: false, writer) { failure in
      reported.withLock { $0.append(failure.sentence) }
    }
    let thread = recorder.start(source)
    var records = recorder.records()
    let reading = Reading(&records)
    thread?.join()
    let expected = Reading(path: Samples.path("monitor.btsnoop")).records
    #expect(reading.records == expected)
    #expect(reported.withLock { $0 } == ["/dev/full cannot be written: no space left on device"])
    #expect(
      reading.summary?.remarks == ["/dev/full: \(expected.count) records were not written"])
  }

  /// A consumer that stops does not stop the reading.
  @Test func abandoned() throws {
    let pipe = Pipe()
    pipe.feed(BtsnoopBytes.session(20_000).bytes, piece: 4096)
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let recorder = Recorder(of: source.summary, losing: false, waitingBytes: 100_000)
    let thread = recorder.start(source)
    do {
      var records = recorder.records()
      _ = try records.nextKept()
    }
    thread?.join()
    #expect(recorder.status.records == 20_000)
    #expect(recorder.status.hasEnded)
  }
}
