import Bytes
import Bluetooth
import Glibc
import Testing

@testable import Captures

struct StreamSourceTests {
  private static let session = BtsnoopBytes.session(50).bytes

  /// Android's server: a btsnoop stream over TCP, however the bytes are split.
  @Test(arguments: [1, 7, 4096]) func tcp(piece: Int) throws {
    let (listener, port) = Feeding.listener()
    Feeding.thread {
      let client = accept(listener, nil, nil)
      Feeding.write(Self.session, to: client, piece: piece)
      close(client)
      close(listener)
    }
    var source = try LiveSource(.tcp(host: "127.0.0.1", port: port), Feeding.guarded())
    let reading = Reading(&source)
    #expect(reading.failure == nil)
    #expect(reading.records == Reading(Self.session).records)
  }

  @Test func nobodyAnswers() {
    let (listener, port) = Feeding.listener()
    close(listener)
    #expect(
      throws: CaptureFailure(
        .unavailable, "nothing answers at 127.0.0.1, port \(port): connection refused")
    ) {
      _ = try LiveSource(.tcp(host: "127.0.0.1", port: port), Interruption())
    }
  }

  /// A source reconnects to a server that closes. The new records are a new section, after a note
  /// with the time of the record before it.
  @Test func reopened() throws {
    let (listener, port) = Feeding.listener()
    let interruption = Feeding.guarded()
    Feeding.thread {
      // The second one ends within a record.
      for end in [Self.session.count, Self.session.count - 1, 41] {
        let client = accept(listener, nil, nil)
        Feeding.write(Array(Self.session.prefix(end)), to: client, piece: 4096)
        close(client)
      }
      close(listener)
    }
    var source = try LiveSource(
      .tcp(host: "127.0.0.1", port: port), reopens: true, interruption)
    var records: [Kept] = []
    while records.count < 102, let record = try source.nextKept() { records.append(record) }
    interruption.come()
    let rest = Reading(&source)
    #expect(rest.failure == nil)
    #expect(records.map(\.number) == Array(1...102))
    #expect(records.map(\.section) == (0..<102).map { $0 <= 50 ? 0 : $0 <= 100 ? 1 : 2 })
    let isNote = records.map { $0.framing == .monitor(opcode: 12) }
    #expect(isNote == (0..<102).map { $0 == 50 || $0 == 100 })
    #expect(records[50].time == records[49].time)
    #expect(records[101].bytes == records[0].bytes)
  }

  /// A source ends if it reopens as something else than a capture; remarks report a long wait.
  @Test func reopeningFails() throws {
    let folder = TemporaryFolder()
    let path = folder.file("fifo")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    Feeding.thread {
      for bytes in [Self.session, Array("this is no capture at all".utf8)] {
        let writer = unsafe open(path, O_WRONLY)
        Feeding.write(bytes, to: writer, piece: 4096)
        close(writer)
        usleep(300_000)
      }
    }
    var source = try LiveSource(.stream(path), reopens: true, Feeding.guarded())
    let reading = Reading(&source)
    // One of them is the note about the closing.
    #expect(reading.records.count == 51)
    #expect(reading.failure?.kind == .notReadable)

    let (listener, port) = Feeding.listener()
    let interruption = Feeding.guarded()
    Feeding.thread {
      let client = accept(listener, nil, nil)
      close(listener)
      Feeding.write(Self.session, to: client, piece: 4096)
      close(client)
      // Enough time for an attempt or two.
      usleep(1_500_000)
      interruption.come()
    }
    var gone = try LiveSource(.tcp(host: "127.0.0.1", port: port), reopens: true, interruption)
    let rest = Reading(&gone)
    #expect(rest.failure == nil)
    #expect(rest.records.count == 51)
    let remarks = gone.summary.remarks
    #expect(remarks.count == 1, "\(remarks)")
    #expect(
      remarks.first?.hasPrefix("the source could not be opened again at once: ") == true,
      "\(remarks)")
  }

  /// The source waits for a named pipe's writer, and then for the next one.
  @Test func namedPipe() throws {
    let folder = TemporaryFolder()
    let path = folder.file("fifo")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let interruption = Feeding.guarded()
    Feeding.thread {
      for _ in 1...2 {
        let writer = unsafe open(path, O_WRONLY)
        Feeding.write(Self.session, to: writer, piece: 7)
        close(writer)
        // A pipe that is reopened immediately would have no end in between.
        usleep(300_000)
      }
    }
    var source = try LiveSource(.stream(path), reopens: true, interruption)
    var records: [Kept] = []
    while records.count < 101, let record = try source.nextKept() { records.append(record) }
    interruption.come()
    #expect(records.map(\.number) == Array(1...101))
    #expect(records.map(\.section) == (0..<101).map { $0 <= 50 ? 0 : 1 })
  }

  /// A server that closes before it sends anything was reachable, but had nothing to read.
  @Test func closedAtOnce() {
    let (listener, port) = Feeding.listener()
    Feeding.thread {
      let client = accept(listener, nil, nil)
      close(client)
      close(listener)
    }
    var failure: CaptureFailure?
    do throws(CaptureFailure) {
      _ = try LiveSource(.tcp(host: "127.0.0.1", port: port), Feeding.guarded())
    } catch {
      failure = error
    }
    #expect(failure?.kind == .unavailable)
    #expect(
      failure?.message.hasPrefix("the connection was closed before any data came; adb forward")
        == true,
      "\(String(describing: failure))")
  }

  /// An interruption within a header is not the source's failure, but is reported.
  @Test(arguments: [
    (5, "its header ends early: only 5 of 16 bytes are present"),
    (10, "its header ends early: only 10 of 16 bytes are present"),
  ]) func interruptedHeader(count: Int, words: String) throws {
    let (listener, port) = Feeding.listener()
    let interruption = Feeding.guarded()
    Feeding.thread {
      let client = accept(listener, nil, nil)
      Feeding.write(Array(Self.session.prefix(count)), to: client, piece: 16)
      usleep(300_000)
      interruption.come()
      usleep(300_000)
      close(client)
      close(listener)
    }
    var source = try LiveSource(.tcp(host: "127.0.0.1", port: port), interruption)
    let reading = Reading(&source)
    #expect(reading.failure?.kind == .damaged)
    #expect(
      reading.failure?.message.hasPrefix(words) == true, "\(String(describing: reading.failure))")
    let after = try source.nextKept()
    #expect(after == nil)
  }

  /// An interruption ends the wait for a pipe's writer; bytes already in the pipe are still read.
  @Test func interruptedPipe() throws {
    let folder = TemporaryFolder()
    let path = folder.file("fifo")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let early = Interruption()
    early.come()
    var none = try LiveSource(.stream(path), early)
    let ready = none.isReady
    #expect(ready)
    let nothing = try none.nextKept()
    #expect(nothing == nil)

    let interruption = Feeding.guarded()
    let pipe = Pipe()
    pipe.write(Self.session)
    var reader = try CaptureReader(
      InputBuffer(stream: pipe.takeReader(), interruption))
    interruption.come()
    let reading = Reading(&reader)
    #expect(reading.failure == nil)
    #expect(reading.records.count == 50)
  }

  /// A regular file given as a source is read once, even with reopening on.
  @Test func aFileIsReadOnce() throws {
    let path = Samples.path("heart-rate.btsnoop")
    var source = try LiveSource(.stream(path), reopens: true, Feeding.guarded())
    #expect(Reading(&source).records == Reading(path: path).records)
  }
}
