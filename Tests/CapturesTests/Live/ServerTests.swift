import Bytes
import Bluetooth
import Glibc
import Testing

@testable import Captures

struct ServerTests {
  private static let taken =
    "another program already listens at this socket; choose another path, or end that program"

  /// However the bytes are split, the records are the file's, except for the time.
  @Test(arguments: [1, 7, 4096]) func pieces(piece: Int) throws {
    let expected = Reading(path: Samples.path("monitor.btsnoop")).records
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let bytes = Feeding.serverBytes(expected)
    let before = Timestamp.now
    var source = try LiveSource(.server(path), Feeding.guarded())
    Feeding.thread {
      let client = Feeding.connect(path)
      Feeding.write(bytes, to: client, piece: piece)
      close(client)
    }
    let reading = Reading(&source)
    #expect(reading.failure == nil)
    #expect(reading.records.map { $0.stripped() } == expected.map { $0.stripped() })
    #expect(reading.records.map(\.number) == Array(1...expected.count))
    let times = reading.records.compactMap(\.time)
    #expect(times.count == expected.count)
    #expect(times.allSatisfy { !$0.isEarlier(than: before) })
    #expect(reading.summary?.format == .monitorServer)
  }

  /// Clients are read one after the other, as sections with a note between them. A client's
  /// incomplete last record is left out.
  @Test func severalClients() throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let interruption = Feeding.guarded()
    let record: [UInt8] = [2, 0, 1, 0, 3, 0, 3, 12, 0]
    var source = try LiveSource(.server(path), reopens: true, interruption)
    Feeding.thread {
      for end in [9, 14, 9] {
        let client = Feeding.connect(path)
        Feeding.write(Array((record + record).prefix(end)), to: client, piece: 4)
        close(client)
      }
    }
    var records: [Kept] = []
    while records.count < 5, let record = try source.nextKept() { records.append(record) }
    #expect(records.map(\.section) == [0, 0, 1, 1, 2])
    #expect(records.map(\.number) == [1, 2, 3, 4, 5])
    #expect(records.map(\.adapter) == [1, .unknown, 1, .unknown, 1])
    #expect(
      [records[1], records[3]].map { String(decoding: $0.bytes, as: UTF8.self) } == [
        "what happened here is not known: the source closed, and is opened again",
        "what happened here is not known: the source failed (record 2 at byte 9: only 5 of 6 bytes of its "
          + "header are present; the stream ends early), and is opened again",
      ])
    #expect(
      source.summary.remarks == [
        "the source failed: record 2 at byte 9: only 5 of 6 bytes of its header are present; the stream "
          + "ends early",
        "the source closed 2 times and was opened again; what happened meanwhile is not known",
      ])
    interruption.come()
    let rest = Reading(&source)
    #expect(rest.records.isEmpty)
    #expect(rest.failure == nil)
  }

  /// A program that connects and sends nothing is not a client: it is neither an end nor a section.
  @Test(arguments: [false, true]) func silentClients(reopens: Bool) throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let interruption = Feeding.guarded()
    var source = try LiveSource(.server(path), reopens: reopens, interruption)
    #expect(throws: CaptureFailure(.unavailable, Self.taken)) {
      _ = try LiveSource(.server(path), Interruption())
    }
    Feeding.thread {
      for bytes: [UInt8] in [[], [2, 0, 1, 0, 3, 0, 3, 12, 0]] {
        let client = Feeding.connect(path)
        Feeding.write(bytes, to: client, piece: 9)
        close(client)
      }
    }
    let record = try source.nextKept()
    #expect(record?.number == 1)
    #expect(record?.section == 0)
    #expect(source.summary.remarks == [])
    interruption.come()
    #expect(Reading(&source).failure == nil)
    withExtendedLifetime(folder) {}
  }

  /// Waiting clients that have sent data are reported; silent ones are not.
  @Test func clientsThatAreNotHeard() throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let record: [UInt8] = [2, 0, 1, 0, 3, 0, 3, 12, 0]
    var source = try LiveSource(.server(path), Feeding.guarded())
    let clients = (0..<4).map { _ in Feeding.connect(path) }
    for client in clients.dropLast() { Feeding.write(record, to: client, piece: 9) }
    close(clients[0])
    let reading = Reading(&source)
    for client in clients.dropFirst() { close(client) }
    #expect(reading.failure == nil)
    #expect(reading.records.count == 1)
    #expect(
      reading.summary?.remarks == [
        "2 further clients have sent data that was not read: clients are served one after the "
          + "other, further ones with --reconnect"
      ])
  }

  @Test func aRecordThatEndsEarly() throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    var source = try LiveSource(.server(path), Feeding.guarded())
    Feeding.thread {
      let client = Feeding.connect(path)
      Feeding.write([2, 0, 1, 0, 3, 0, 3], to: client, piece: 7)
      close(client)
    }
    #expect(
      Reading(&source).message
        == "record 1 at byte 0: only 1 of 3 bytes are present; the stream ends early")
  }

  /// The socket's file is removed with the source. A stale socket is replaced, any other file kept.
  @Test func socketFiles() throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    do {
      let source = try LiveSource(.server(path), Interruption())
      #expect(unsafe access(path, F_OK) == 0)
      #expect(throws: CaptureFailure(.unavailable, Self.taken)) {
        _ = try LiveSource(.server(path), Interruption())
      }
      _ = consume source
    }
    #expect(unsafe access(path, F_OK) != 0)
    // A socket that another process left.
    let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: Array(path.utf8))
    }
    let bound = unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe bind(
        stale, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    #expect(bound == 0)
    close(stale)
    do {
      let source = try LiveSource(.server(path), Interruption())
      _ = consume source
    }
    #expect(unsafe access(path, F_OK) != 0)
    let file = folder.file("file", holding: [1])
    #expect(
      throws: CaptureFailure(
        .unavailable,
        "this name belongs to a file that is not a socket; choose another path, or remove it")
    ) {
      _ = try LiveSource(.server(file), Interruption())
    }
    #expect(unsafe access(file, F_OK) == 0)
    let long = folder.file(String(repeating: "x", count: 120))
    #expect(
      throws: CaptureFailure(.unavailable, "is too long a name for a socket: 107 bytes at most")
    ) {
      _ = try LiveSource(.server(long), Interruption())
    }
  }

  /// An interruption ends the wait for a client and for a client's next bytes.
  @Test func interruption() throws {
    let folder = TemporaryFolder()
    for sendsRecord in [false, true] {
      let path = folder.file("s\(sendsRecord)")
      let interruption = Feeding.guarded()
      var source = try LiveSource(.server(path), interruption)
      Feeding.thread {
        var client: Int32 = -1
        if sendsRecord {
          client = Feeding.connect(path)
          Feeding.write([2, 0, 1, 0, 3, 0, 3, 12, 0], to: client, piece: 9)
        }
        usleep(50_000)
        interruption.come()
        usleep(500_000)
        if client >= 0 { close(client) }
      }
      let reading = Reading(&source)
      #expect(reading.failure == nil)
      #expect(reading.records.count == (sendsRecord ? 1 : 0))
    }
  }
}
