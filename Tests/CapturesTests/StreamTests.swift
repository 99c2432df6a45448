import Bytes
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Captures

struct StreamTests {
  /// However the bytes are split, the records are the same, and `isReady` is false exactly when
  /// `next` has to read.
  @Test(arguments: [1, 7, 23, 24, 4096]) func pieces(piece: Int) throws {
    let file = BtsnoopBytes.session(200)
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: piece)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    var records: [Kept] = []
    while true {
      let (ready, reads) = (reader.isReady, reader.input.readCount)
      guard let record = try reader.nextKept() else { break }
      #expect(ready == (reader.input.readCount == reads))
      records.append(record)
    }
    #expect(records == Reading(file.bytes).records)
    #expect(records.count == 200)
    #expect(reader.input.capacity == CaptureLimits.bufferBytes)
    pipe.wait()
  }

  /// A record is returned as soon as its last byte arrives, even if the stream continues.
  @Test func aStreamThatNeverEnds() throws {
    let file = BtsnoopBytes.session(3).bytes  // records end at 41, 73 and 112
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(Array(file[..<16]))
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    var written = 16
    for end in [41, 73, 112] {
      pipe.write(Array(file[written..<end]))
      written = end
      let wasReady = reader.isReady
      #expect(!wasReady)
      let record = try reader.nextKept()
      #expect(record.map { Int($0.fileOffset) + 24 + $0.bytes.count } == end)
      #expect(reader.input.isAtEnd == false)
    }
  }

  /// Of two records in one write, the second is available without waiting; the third is not.
  @Test func readyWhileWholeRecordsAreBuffered() throws {
    let file = BtsnoopBytes.session(3).bytes
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(Array(file.dropLast()))
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    var ready: [Bool] = []
    for _ in 1...2 {
      _ = try reader.next()
      ready.append(reader.isReady)
    }
    #expect(ready == [true, false])
    pipe.closeWriter()
    #expect(
      Reading(&reader).message
        == "record 3 at byte 73: only 14 of 15 bytes are present; the capture ends early")
    ready = [reader.isReady]
    #expect(ready == [true])
  }

  /// A wrong header is reported at once, without waiting for the length that it claims.
  @Test func readyWhereDamageIsBuffered() throws {
    var file = BtsnoopBytes()
    file.record([1])
    file.record([], original: 4, included: 5)
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(file.bytes)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    _ = try reader.next()
    let (ready, reads) = (reader.isReady, reader.input.readCount)
    #expect(ready)
    #expect(Reading(&reader).failure?.kind == .damaged)
    #expect(reader.input.readCount == reads)
  }

  @Test func aDescriptorThatDoesNotBlock() throws {
    let file = BtsnoopBytes.session(50)
    let pipe = Pipe()
    let descriptor = pipe.takeReader()
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    pipe.feed(file.bytes, piece: 11)
    let reading = Reading(InputBuffer(descriptor: descriptor, owned: true))
    #expect(reading.failure == nil)
    #expect(reading.records == Reading(file.bytes).records)
  }

  /// Signals that interrupt `read(2)` are not the end of the stream.
  @Test func interruptedReadsAreRepeated() {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    let installed = unsafe sigaction(SIGUSR2, &action, nil)
    #expect(installed == 0)

    let pipe = Pipe()
    let descriptor = pipe.takeReader()
    let thread = Mutex<pthread_t?>(nil)
    let result = Mutex<Reading?>(nil)
    let bytes = BtsnoopBytes.session(5).bytes
    let finished = DispatchSemaphore(value: 0)
    withExtendedLifetime(pipe) {
      DispatchQueue(label: "reader").async {
        // Dispatch's threads block signals.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGUSR2)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        thread.withLock { $0 = pthread_self() }
        let reading = Reading(InputBuffer(descriptor: descriptor, owned: true))
        result.withLock { $0 = reading }
        finished.signal()
      }
      for position in bytes.indices {
        while thread.withLock({ $0 == nil }) { usleep(1000) }
        if position % 10 == 0 {
          usleep(1000)
          thread.withLock { _ = $0.map { pthread_kill($0, SIGUSR2) } }
        }
        pipe.write([bytes[position]])
      }
      pipe.closeWriter()
      finished.wait()
    }
    #expect(result.withLock { $0?.failure } == nil)
    #expect(result.withLock { $0?.records.count } == 5)
  }

  /// Records larger than the buffer, between small ones. The buffer doubles until it holds them.
  @Test func recordsLargerThanTheBuffer() throws {
    var file = BtsnoopBytes()
    let sizes = [10, 300_000, 3, CaptureLimits.bufferBytes, CaptureLimits.bufferBytes - 24, 7]
    for size in sizes { file.record((0..<size).map { UInt8(truncatingIfNeeded: $0 / 3) }) }
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 9999)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let reading = Reading(&reader)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.bytes.count) == sizes)
    #expect(reading.records[1].bytes == (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
    #expect(reader.input.capacity == 2 * CaptureLimits.bufferBytes)
  }

  /// A length alone does not make the buffer grow; only received bytes do.
  @Test(arguments: [200_000, 1_000_000, UInt32(CaptureLimits.recordBytes), 0x7fff_ffff])
  func aHostileLengthDoesNotAllocate(claimed: UInt32) throws {
    var file = BtsnoopBytes()
    file.record([UInt8](repeating: 0, count: 20), included: claimed)
    #expect(file.bytes.count == 60)
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 60)
    var reader = try BtsnoopReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let reading = Reading(&reader)
    #expect(reading.failure?.kind == .damaged)
    #expect(reader.input.capacity == CaptureLimits.bufferBytes)
  }

  @Test func aFileThatGrowsIsReadToWhereItEnds() throws {
    let folder = TemporaryFolder()
    let bytes = BtsnoopBytes.session(3).bytes
    let path = folder.file("growing", holding: Array(bytes[..<60]))  // into the second record
    var reader = try BtsnoopReader(path: path)
    let first = try reader.nextKept()
    #expect(first?.number == 1)
    folder.append(Array(bytes[60...]), to: "growing")
    let reading = Reading(&reader)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.number) == [2, 3])
  }

  @Test func aFileThatIsCutWhileItIsReadIsDamage() throws {
    let folder = TemporaryFolder()
    var file = BtsnoopBytes()
    for _ in 0..<3 { file.record([UInt8](repeating: 1, count: 200_000)) }
    let path = folder.file("cut", holding: file.bytes)
    var reader = try BtsnoopReader(path: path)
    _ = try reader.next()
    // The buffer already holds 262 144 bytes, so the second record has begun but will never end.
    let cut = unsafe truncate(path, 1000)
    #expect(cut == 0)
    #expect(
      Reading(&reader).message
        == "record 2 at byte 200040: only 62080 of 200000 bytes are present; the capture ends early"
    )
  }

  @Test func aFileThatIsReplacedIsReadOn() throws {
    let folder = TemporaryFolder()
    var file = BtsnoopBytes()
    for index in 0..<3 { file.record([UInt8](repeating: UInt8(index), count: 200_000)) }
    let path = folder.file("capture", holding: file.bytes)
    var reader = try BtsnoopReader(path: path)
    _ = try reader.next()
    let other = folder.file("other", holding: Array("something else".utf8))
    let renamed = unsafe rename(other, path)
    #expect(renamed == 0)
    let reading = Reading(&reader)
    #expect(reading.failure == nil)
    #expect(reading.records.map { $0.bytes.last } == [1, 2])
  }
}
