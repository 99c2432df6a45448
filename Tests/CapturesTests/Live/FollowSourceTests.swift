import Bytes
import Bluetooth
import Glibc
import Testing

@testable import Captures

struct FollowSourceTests {
  private static let session = BtsnoopBytes.session(30).bytes
  /// The offset after its tenth record.
  private static let tenth = Reading(session).records[10].fileOffset

  /// A file that is written piece by piece.
  @Test(arguments: [1, 7, 4096]) func grows(piece: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Array(Self.session.prefix(5)))
    let interruption = Feeding.guarded()
    Feeding.thread {
      let file = unsafe open(path, O_WRONLY | O_APPEND)
      Feeding.write(Array(Self.session.dropFirst(5)), to: file, piece: piece)
      close(file)
    }
    var source = try FollowSource(path: path, interruption)
    var records: [Kept] = []
    while records.count < 30, let record = try source.nextKept() { records.append(record) }
    #expect(records == Reading(Self.session).records)
    let ready = source.isReady
    #expect(!ready)
    interruption.come()
    #expect(Reading(&source).failure == nil)
    withExtendedLifetime(folder) {}
  }

  /// A file is renamed, and a new one takes its name. Both are read, the old one to its end, even
  /// if it grows after the new one exists.
  @Test func renamed() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Array(Self.session.prefix(Int(Self.tenth))))
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    var records: [Kept] = []
    while records.count < 10, let record = try source.nextKept() { records.append(record) }
    #expect(unsafe rename(path, folder.file("log.last")) == 0)
    folder.append(Array(Self.session.dropFirst(Int(Self.tenth))), to: "log.last")
    _ = folder.file("log", holding: Self.session)
    while records.count < 61, let record = try source.nextKept() { records.append(record) }
    #expect(records.map(\.number) == Array(1...61))
    #expect(records.map(\.file) == (0..<61).map { $0 <= 30 ? 0 : 1 })
    #expect(records[31...].map(\.bytes) == records[..<30].map(\.bytes))
    #expect(
      Self.note(records[30]) == "a new file replaced this one; reading continues there")
    #expect(records[30].time == records[29].time)
    #expect(
      source.summary.remarks == ["it was replaced by a new file once; reading continued there"])
    interruption.come()
    #expect(Reading(&source).records.isEmpty)
  }

  /// Returns the text of the program's own notes.
  private static func note(_ record: Kept) -> String? {
    record.framing == .monitor(opcode: 12) ? String(decoding: record.bytes, as: UTF8.self) : nil
  }

  /// A new file that is not yet a capture is waited for.
  @Test func newFileIsNoCaptureYet() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Self.session)
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    var records: [Kept] = []
    while records.count < 30, let record = try source.nextKept() { records.append(record) }
    let next = folder.file("next", holding: [UInt8](repeating: 0, count: 64))
    #expect(unsafe rename(next, path) == 0)
    while records.count < 32, let record = try source.nextKept() { records.append(record) }
    #expect(
      Self.note(records[31])
        == "the new file is not a capture yet; reading continues when it is one")
    _ = folder.file("log", holding: Self.session)
    while records.count < 62, let record = try source.nextKept() { records.append(record) }
    #expect(records.map(\.number) == Array(1...62))
    #expect(records[32...].map(\.bytes) == records[..<30].map(\.bytes))
    interruption.come()
    #expect(Reading(&source).failure == nil)
  }

  /// An interruption before the first byte yields a source without records, not an empty file.
  @Test func interruptedBeforeTheFirstByte() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: [])
    let interruption = Interruption()
    interruption.come()
    var source = try FollowSource(path: path, interruption)
    let reading = Reading(&source)
    #expect(reading.failure == nil)
    #expect(reading.records.isEmpty)
    withExtendedLifetime(folder) {}
  }

  @Test func emptied() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Self.session)
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    var records: [Kept] = []
    while records.count < 30, let record = try source.nextKept() { records.append(record) }
    #expect(unsafe truncate(path, 0) == 0)
    Feeding.thread {
      usleep(300_000)
      folder.append(Array(Self.session.prefix(Int(Self.tenth))), to: "log")
    }
    while records.count < 41, let record = try source.nextKept() { records.append(record) }
    #expect(records.map(\.file) == (0..<41).map { $0 <= 30 ? 0 : 1 })
    #expect(Self.note(records[30]) == "the file was emptied; reading continues at its beginning")
    #expect(
      source.summary.remarks == ["it was emptied once; reading continued at its beginning"])
    interruption.come()
    #expect(Reading(&source).failure == nil)
  }

  /// A file is truncated and grows past the reading position before the next check. Its first bytes
  /// differ, or the bytes before the position do.
  @Test(arguments: [true, false]) func writtenAnew(atFirst: Bool) throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Self.session)
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    var records: [Kept] = []
    while records.count < 30, let record = try source.nextKept() { records.append(record) }
    // Another thread rewrites the file while reading waits at its end.
    var other = Self.session
    // Changes the first record's time, or the last record's last byte.
    other[atFirst ? 16 + 23 : other.count - 1] ^= 1
    let all = other + Self.session.dropFirst(16)
    Feeding.thread {
      usleep(300_000)
      // One write in place: the file is never shorter than before.
      let file = unsafe open(path, O_WRONLY)
      Feeding.write(all, to: file, piece: all.count)
      close(file)
    }
    while records.count < 91, let record = try source.nextKept() { records.append(record) }
    #expect(Self.note(records[30]) == "the file was emptied; reading continues at its beginning")
    #expect(records.map(\.file) == (0..<91).map { $0 <= 30 ? 0 : 1 })
    interruption.come()
    #expect(Reading(&source).failure == nil)
    withExtendedLifetime(folder) {}
  }

  /// An interruption within a record is reported.
  @Test func interruptedWithinARecord() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Self.session.dropLast(3))
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    var count = 0
    while count < 29, try source.nextKept() != nil { count += 1 }
    Feeding.thread {
      usleep(200_000)
      interruption.come()
    }
    #expect(Reading(&source).failure == nil)
    let remarks = source.summary.remarks
    #expect(remarks.count == 1)
    #expect(
      remarks.first?.hasPrefix("the last record is incomplete: record 30 at byte ") == true,
      "\(remarks)")
    withExtendedLifetime(folder) {}
  }

  /// A replaced file that ends within a record yields a remark; a damaged one is a failure.
  @Test func endsWithinARecord() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Self.session.dropLast(3))
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    let next = folder.file("next", holding: Self.session)
    #expect(unsafe rename(next, path) == 0)
    var records: [Kept] = []
    while records.count < 60, let record = try source.nextKept() { records.append(record) }
    #expect(
      Self.note(records[29])
        == "a new file replaced this one; reading continues there; the last record of the old "
        + "one is incomplete")
    folder.append([UInt8](repeating: 0xff, count: 24), to: "log")
    #expect(Reading(&source).failure?.kind == .damaged)
  }

  /// An interruption ends a long file before its end.
  @Test func interruptedBacklog() throws {
    let folder = TemporaryFolder()
    let many = BtsnoopBytes.session(50_000).bytes
    let path = folder.file("log", holding: many)
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    let first = try source.nextKept()
    #expect(first?.number == 1)
    interruption.come()
    let rest = Reading(&source)
    #expect(rest.failure == nil)
    #expect(rest.records.count < 49_999, "\(rest.records.count) records")
    withExtendedLifetime(folder) {}
  }

  /// A pipe that takes the name is not a growing file: the source does not wait for its writer.
  @Test func replacedByAPipe() throws {
    let folder = TemporaryFolder()
    let path = folder.file("log", holding: Self.session)
    let interruption = Feeding.guarded()
    var source = try FollowSource(path: path, interruption)
    let pipe = folder.file("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(unsafe rename(pipe, path) == 0)
    let next = folder.file("next", holding: Self.session)
    Feeding.thread {
      usleep(500_000)
      _ = unsafe rename(next, path)
    }
    var records: [Kept] = []
    while records.count < 62, let record = try source.nextKept() { records.append(record) }
    #expect(records.count == 62, "\(records.count) records: it waits for the pipe")
    #expect(
      records.count > 31
        && Self.note(records[31])
          == "the new file is not a capture yet; reading continues when it is one"
    )
    interruption.come()
    #expect(Reading(&source).failure == nil)
    withExtendedLifetime(folder) {}
  }

  @Test func whatCannotBeFollowed() {
    let folder = TemporaryFolder()
    #expect(throws: CaptureFailure(.inaccessible, "no such file or directory")) {
      _ = try FollowSource(path: folder.file("none"), Interruption())
    }
    #expect(
      throws: CaptureFailure(
        .inaccessible, "is not a file that can grow; streams are read to their end")
    ) {
      _ = try FollowSource(path: "/dev/null", Interruption())
    }
  }
}
