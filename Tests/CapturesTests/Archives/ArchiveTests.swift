import Bluetooth
import Bytes
import Captures
import Testing

/// Logs in archives, which the tests build byte by byte.
struct ArchiveTests {
  private let folder = TemporaryFolder()

  private static func log(_ times: [Int64]) -> [UInt8] {
    var file = BtsnoopBytes()
    for time in times { file.record([4, 0x0e, 0], flags: 3, time: BtsnoopBytes.epoch + time) }
    return file.bytes
  }

  private func search(
    _ names: [String], entries pattern: String? = nil
  ) throws -> CaptureSearch {
    try CaptureSearch(names, entries: pattern, folder: folder.path)
  }

  /// Counts the records of all captures found, and collects the failures.
  private func read(_ found: CaptureSearch) throws -> (records: Int, failures: [CaptureFailure]) {
    var source = try JoinedSource(found.files)
    let reading = Reading(&source)
    return (reading.records.count, source.failures + found.failures)
  }

  private static let report = TarBytes([
    ("FS/data/misc/bluetooth/logs/btsnoop_hci.log", log([500, 600])),
    ("FS/data/misc/bluetooth/logs/btsnoop_hci.log.last", log([100, 200, 300])),
    ("FS/data/misc/bluetooth/logs/btsnooz_hci.log", log([])),
    ("FS/data/misc/bluetooth/logs/copy.log", log([500, 600])),
    (
      "bugreport-x-2026.txt",
      Array("== dumpstate: 2026-11-21 12:05:00\n[ro.build.version.release]: [16]\n".utf8)
    ),
    ("notes.txt", Array("nothing\n".utf8)),
  ]).bytes

  @Test("The logs of an archive are one capture, without empty logs and copies")
  func report() throws {
    let name = folder.file("report.tar", holding: Self.report)
    let found = try search([name])
    #expect(
      found.files.map(\.name) == [
        "\(name):FS/data/misc/bluetooth/logs/btsnoop_hci.log",
        "\(name):FS/data/misc/bluetooth/logs/btsnoop_hci.log.last",
      ])
    let (records, failures) = try read(found)
    #expect(records == 5 && failures.isEmpty, "\(records) records, \(failures)")
    let contents = try #require(found.archives.first)
    #expect(contents.entryCount == 6)
    #expect(contents.logs.compactMap(\.omission) == [.empty, .repeated])
    #expect(contents.report.version == "16" && contents.report.madeAt == "2026-11-21 12:05:00")
  }

  @Test("A pattern selects entries by path") func pattern() throws {
    let name = folder.file("report.tar", holding: Self.report)
    let found = try search([name], entries: "*.last")
    #expect(found.files.count == 1)
    #expect(try read(found).records == 3)
    let failure = #expect(throws: CaptureFailure.self) { _ = try search([name], entries: "x") }
    #expect(
      failure?.message.hasPrefix("holds no log that --entry matches") == true,
      "\(failure?.message ?? "")")
  }

  @Test("Archives in archives are read, up to two levels deep", arguments: [1, 2, 3])
  func nested(depth: Int) throws {
    var bytes = TarBytes([("a.log", Self.log([1, 2]))]).bytes
    for level in 1..<depth { bytes = TarBytes([("level\(level).tar", bytes)]).bytes }
    let name = folder.file("outer.tar", holding: bytes)
    guard depth <= CaptureLimits.archiveDepth else {
      let failure = #expect(throws: CaptureFailure.self) { _ = try search([name]) }
      #expect(failure?.kind == .notReadable)
      return
    }
    #expect(try read(search([name])).records == 2)
  }

  @Test(
    "A truncated archive yields the entries before the cut, and reports the damage"
  )
  func truncated() throws {
    let whole = ZipBytes([("a.log", Self.log([1])), ("b.log", Self.log([2]))]).bytes
    var records = 0
    for length in stride(from: 30, through: whole.count, by: 1) {
      let name = folder.file("cut.zip", holding: Array(whole.prefix(length)))
      do {
        let (count, failures) = try read(search([name]))
        #expect(count >= records && count <= 2, "\(length): \(count) records after \(records)")
        records = count
        if count < 2 {
          #expect(!failures.isEmpty, "\(length): \(count) records without a failure")
        }
      } catch let failure as CaptureFailure {
        #expect(records == 0, "\(length): \(failure)")
        #expect(failure.kind != .inaccessible, "\(length): \(failure)")
      }
    }
    #expect(records == 2)
  }

  @Test("of a compressed log that ends early, everything that is there is read") func cutGzip()
    throws
  {
    let log = Self.log((0..<20).map { Int64($0) })
    let whole = GzipBytes.make(log)
    var records = 0
    for length in 30..<whole.count {
      let name = folder.file("cut.gz", holding: Array(whole.prefix(length)))
      let (count, failures) = try read(search([name]))
      #expect(count >= records, "\(length): \(count) records after \(records)")
      records = count
      let (blocks, rest) = (length - 10).quotientAndRemainder(dividingBy: 105)
      let inflated = blocks * 100 + max(0, rest - 5)
      #expect(records == max(0, min(20, (inflated - 16) / 27)), "\(length)")
      #expect(
        failures.last?.message == "the compressed data ends early, after byte \(length)",
        "\(length): \(failures)")
    }
    #expect(records == 20)
  }

  @Test("A log that ends early in its archive is damaged, even where a record ends") func cutLog()
    throws
  {
    let log = Self.log([1, 2, 3])
    let whole = GzipBytes.make(log)
    // Each stored block holds 100 bytes after 5 of a header; gzip's header has 10.
    let name = folder.file("cut.gz", holding: Array(whole.prefix(10 + 5 + 16 + 2 * 27)))
    let found = try search([name])
    var source = try found.joined()
    let reading = Reading(&source)
    #expect(reading.records.count == 2)
    #expect(reading.failure == found.failures.first && reading.failure != nil)
    #expect(reading.summary?.holes.map(\.after) == [2])
    #expect(reading.summary?.files == [])
  }

  @Test("Of a log that cannot be read at all, the place is unknown") func lostLog() throws {
    let (last, first) = (GzipBytes.make(Self.log([1, 2])), Self.log([3]))
    let name = folder.file(
      "x.tar", holding: TarBytes([("a.log.gz", Array(last.prefix(12))), ("b.log", first)]).bytes)
    let found = try search([name])
    var source = try found.joined()
    let reading = Reading(&source)
    #expect(reading.records.count == 1 && reading.failure == nil)
    #expect(reading.summary?.holes.map(\.after) == [nil])
    #expect(reading.summary?.holes.map(\.failure) == found.failures)
  }

  @Test(
    "gzip's checksum and length are compared, in files alone and in archives, around logs and archives",
    arguments: [8, 4], [false, true])
  func trailer(_ place: Int, isInTar: Bool) throws {
    let log = Self.log([1, 2, 3])
    for content in [log, TarBytes([("a.log", log)]).bytes] {
      let good = GzipBytes.make(content)
      var bad = good
      bad[bad.count - place] ^= 1
      for (bytes, isGood) in [(good, true), (bad, false), (good + good.prefix(12), false)] {
        let file = isInTar ? TarBytes([("b.gz", bytes)]).bytes : bytes
        let name = folder.file("x", holding: file)
        let found = try search([name])
        let (records, failures) = try read(found)
        // Two logs in a row are read as one.
        #expect(records == 3)
        #expect(failures.isEmpty == isGood, "\(failures)")
        guard bytes == bad else { continue }
        #expect(
          failures.first?.message
            == "the compressed data at byte \(bad.count - place + 4) is damaged: its checksum is wrong"
        )
        #expect(failures.first?.file == (isInTar ? "\(name):b.gz" : name))
      }
    }
  }

  @Test("gzip files one after the other, with zeros between, are one") func members() throws {
    let log = Self.log([1, 2, 3])
    let bytes =
      GzipBytes.make(Array(log.prefix(50))) + [0, 0] + GzipBytes.make(Array(log.dropFirst(50)))
    let (records, failures) = try read(search([folder.file("x.gz", holding: bytes + [0])]))
    #expect(records == 3 && failures.isEmpty, "\(failures)")
  }

  @Test("files that contain themselves end") func compressedInCompressed() throws {
    let log = GzipBytes.make(Self.log([1]))
    let twice = folder.file("twice.gz", holding: GzipBytes.make(log))
    #expect(try read(search([twice])).records == 1)
    let thrice = folder.file("thrice.gz", holding: GzipBytes.make(GzipBytes.make(log)))
    let failure = #expect(throws: CaptureFailure.self) { _ = try search([thrice]) }
    #expect(failure?.kind == .notReadable)
  }

  @Test("tar as old programs wrote it") func oldArchives() throws {
    let entries = [("a.log", Self.log([1, 2])), ("b.log", Self.log([3]))]
    let (records, failures) = try read(
      search([folder.file("old", holding: TarBytes(entries).old)]))
    #expect(records == 3 && failures.isEmpty, "\(failures)")
  }

  @Test("Logs of one size are compared to their ends") func lateDifference() throws {
    // Longer than what is read at once.
    let first = Self.log((0..<20_000).map { Int64($0) })
    var second = first
    second[second.count - 1] ^= 1
    #expect(first.count > 2 * CaptureLimits.bufferBytes)
    let logs = [("a.log", first), ("b.log", second), ("c.log", first), ("d.log", second)]
    let found = try search([folder.file("x.tar", holding: TarBytes(logs).bytes)])
    #expect(found.files.count == 2 && found.files.last?.name.hasSuffix("b.log") == true)
    #expect(found.archives.first?.logs.map(\.omission) == [nil, nil, .repeated, .repeated])
  }

  @Test("A caller that gives up ends the search", arguments: [0, 10]) func patience(calls: Int)
    throws
  {
    let entries = (0..<100).map { ("\($0).log", Self.log([Int64($0)])) }
    for bytes in [TarBytes(entries).bytes, ZipBytes(entries).bytes, GzipBytes.make(Self.report)] {
      var left = calls
      let name = folder.file("x", holding: bytes)
      let found = CaptureSearch(in: CaptureFile(name), folder: folder.path) {
        left -= 1
        return left < 0
      }
      #expect(left < 0)
      let failure = found.refusal ?? found.failures.last
      #expect(
        failure?.message == "it was not read to its end in the time allowed",
        "\(failure?.message ?? "")")
      #expect(found.files.count < 100)
    }
  }

  @Test("Archives that nest or repeat without end cost a bounded amount")
  func manyArchives() throws {
    // A tar of tiny zips, each of which needs a process.
    let zip = ZipBytes([("a", [1])]).bytes
    let entries = (0..<1000).map { ("\($0).zip", zip) }
    let failure = #expect(throws: CaptureFailure.self) {
      _ = try search([folder.file("x.tar", holding: TarBytes(entries).bytes)])
    }
    #expect(failure?.kind == .damaged, "\(failure?.message ?? "")")
    // On a slow machine the time for the processes ends first.
    let endings = ["it unpacks to more than 256 MB", "unpacking it takes too long"]
    #expect(
      endings.contains { failure?.message.hasPrefix($0) == true }, "\(failure?.message ?? "")")
  }

  @Test("Empty logs and logs that --entry excludes do not count towards the limit")
  func manyLogs() throws {
    let empty = (0..<2000).map { ("empty\($0).log", Self.log([])) }
    let some = (0..<70).map { ("some\($0).log", Self.log([Int64($0)])) }
    let name = folder.file("many.tar", holding: TarBytes(empty + some).bytes)
    let found = try search([name])
    #expect(found.files.count == CaptureLimits.logs)
    #expect(found.files.last?.name == "\(name):some63.log")
    #expect(
      found.failures.map(\.message) == [
        "more than 64 logs; the first ones are read, choose others with --entry"
      ])
    #expect(try search([name], entries: "some6?.log").files.count == 10)
    #expect(try search([name], entries: "some6?.log").failures.isEmpty)
  }

  @Test("Entries are never written to disk by name, and links are not read") func names() throws {
    let log = Self.log([1])
    let tar = TarBytes(
      [
        ("../escaped.log", log), ("/absolute.log", log + log.dropFirst(16)),
        ("bad\u{1b}[2Jname.log", Self.log([7])),
      ], links: [("link.log", "/etc/passwd")])
    let found = try search([folder.file("x.tar", holding: tar.bytes)])
    #expect(found.files.count == 3)
    #expect(
      !found.files.contains { $0.name.unicodeScalars.contains("\u{1b}") },
      "\(found.files.map(\.name))")
    #expect(folder.names().sorted() == ["x.tar"], "\(folder.names())")
  }

  @Test("A summary in a text is decoded, whatever lines are in between") func text() throws {
    let summary = SummaryBytes.version2
    let base64 = SummaryBytes.base64(summary)
    let half = base64.count / 2 / 4 * 4
    let text =
      "Bluetooth Status\r\n  Bonded devices:\r\n    60:B9:7C:95:68:CC [BR/EDR][ 0x240404 ] HCW Music\r\n\r\n"
      + "--- BEGIN:BTSNOOP_LOG_SUMMARY (99 bytes in) ---\r\n\(base64.prefix(half))\r\n"
      + "08-19 14:51:23.947 I/foreign: line\r\n\(base64.dropFirst(half))\r\n"
    let found = try search([folder.file("dump.txt", holding: Array(text.utf8))])
    let contents = try #require(found.archives.first)
    #expect(contents.foreignLines == 1)
    #expect(contents.report.bondedDevices.map(\.name) == ["HCW Music"])
    #expect(found.bonds.first?.name == Array("HCW Music".utf8))
    #expect(try read(found).records == 3)
  }

  @Test("An archive without a log is described") func nothing() throws {
    let text =
      "== dumpstate: 2018-04-25 11:45:07\n[ro.build.version.release]: [7.1.1]\nsSnoopLogSettingAtEnable = EMPTY\n"
    let name = folder.file(
      "r.tar", holding: TarBytes([("bugreport-x.txt", Array(text.utf8))]).bytes)
    let failure = #expect(throws: CaptureFailure.self) { _ = try search([name]) }
    #expect(
      failure?.message
        == "holds no Bluetooth log: 1 entry; a bug report of 2018-04-25 11:45:07 (Android 7.1.1); the phone's option \"Bluetooth HCI snoop log\" was not on: set it to Enabled, switch Bluetooth off and on, and report again"
    )
    #expect(failure?.kind == .notReadable && failure?.file == name)
  }

  @Test(
    "Files that users mistake for captures",
    arguments: [
      ("Bluetooth monitor ver 5.66\n= Note: Linux", "is btmon's text"),
      ("<!DOCTYPE html>\n<html lang=\"en\">", "is a web page"),
      ("No.     Time           Source", "is text that Wireshark has exported"),
      ("hello", "is not a capture: it starts with 68 65 6c 6c"),
    ]) func foreign(_ text: String, _ words: String) throws
  {
    let name = folder.file("x", holding: Array(text.utf8))
    let failure = #expect(throws: CaptureFailure.self) { _ = try search([name]) }
    #expect(failure?.message.hasPrefix(words) == true, "\(failure?.message ?? "")")
  }
}
