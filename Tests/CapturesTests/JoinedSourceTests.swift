import Bluetooth
import Captures
import Testing

struct JoinedSourceTests {
  private let folder = TemporaryFolder()

  /// Creates a btsnoop file of records at these microseconds.
  private func file(_ name: String, _ times: [Int64], cut: Int = 0) -> String {
    var file = BtsnoopBytes()
    for time in times { file.record([4, 0x0e, 0], flags: 3, time: BtsnoopBytes.epoch + time) }
    return folder.file(name, holding: Array(file.bytes.dropLast(cut)))
  }

  private func read(_ paths: [String]) throws -> (Reading, [CaptureFailure]) {
    var source = try JoinedSource(paths.map { CaptureFile($0) })
    let reading = Reading(&source)
    return (reading, source.failures)
  }

  @Test func orderedByTheirFirstRecords() throws {
    let (late, early) = (file("late", [500, 600]), file("early", [100, 200, 300]))
    let (reading, _) = try read([late, early])
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.number) == [1, 2, 3, 4, 5])
    #expect(reading.records.map(\.file) == [0, 0, 0, 1, 1])
    #expect(reading.summary?.files.map(\.name) == [early, late])
    #expect(reading.summary?.files.map(\.records) == [3, 2])
    #expect(reading.summary?.readersRemarks == [])
  }

  /// Formats may be mixed. The finest clock counts, and a file without times keeps its place.
  @Test func formatsAndFilesWithoutTime() throws {
    var pcapng = PcapngBytes()
    pcapng.section()
    pcapng.interface(187)
    pcapng.simple([1, 3, 12, 0])
    let timeless = folder.file("timeless", holding: pcapng.bytes)
    var pcap = PcapBytes(link: 201, nanoseconds: true)
    pcap.record([0, 0, 0, 1, 4, 0x0e, 0], seconds: 0, fraction: 50_000)
    let fine = folder.file("fine", holding: pcap.bytes)
    let empty = folder.file("empty", holding: BtsnoopBytes().bytes)
    let (reading, _) = try read([file("late", [100]), timeless, empty, fine])
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.file) == [0, 1, 3])
    #expect(reading.records.map(\.time?.nanoseconds) == [50_000, nil, 100_000])
    #expect(
      reading.summary?.files.map { $0.summary?.format } == [.pcap, .pcapng, .btsnoop, .btsnoop])
    #expect(reading.summary?.timeDecimals == 9)
    #expect(reading.summary?.lacksDirection == true)
  }

  /// What is known only when a file has been read is not lost, and the file is named.
  @Test func remarksOfEachFile() throws {
    var double = BtsnoopBytes()
    double.record([4, 0x0e, 0], flags: 3, time: BtsnoopBytes.epoch)
    let path = folder.file("double", holding: double.bytes + double.bytes)
    let remark = "another btsnoop file begins at byte \(double.bytes.count); both are read as one"
    #expect(try read([path]).0.summary?.readersRemarks == [remark])
    let (reading, _) = try read([path, file("late", [500])])
    #expect(reading.records.map(\.file) == [0, 0, 1])
    #expect(reading.summary?.readersRemarks == ["\(path): \(remark)"])
  }

  @Test func overlapIsSaidOnce() throws {
    let (first, second) = (
      file("a", [0, 1_000_000, 2_000_000, 3_500_000]), file("b", [1_000_000, 2_000_000, 4_000_000])
    )
    let (reading, _) = try read([second, first])
    #expect(reading.records.map(\.original) == [nil, nil, nil, nil, 2, 3, nil])
    #expect(
      reading.summary?.readersRemarks == [
        "\(second) overlaps the files before it by 2.500 s; 2 of its records are in those too and "
          + "shown twice"
      ])
  }

  @Test("A log of another device at the same time has other controllers") func devices()
    throws
  {
    let (first, second) = (
      file("a", [0, 50_000_000, 200_000_000]), file("b", [20_000_000, 300_000_000])
    )
    let (reading, _) = try read([first, second])
    #expect(reading.records.map(\.adapter) == [0, 0, 0, 1, 1])
    #expect(
      reading.summary?.readersRemarks == [
        "\(second) overlaps the files before it by 180.000 s; it is from another device, so its controllers get new numbers"
      ])
  }

  /// A clock that goes back within a file is not an overlap of files.
  @Test func clocksThatGoBackAreNoOverlap() throws {
    let (reading, _) = try read([file("a", [100, 50, 90]), file("b", [200, 150])])
    #expect(reading.summary?.readersRemarks == [])
  }

  @Test func damagedFilesAreReadAsFarAsTheyGo() throws {
    let first = file("a", [1, 2, 3], cut: 2)
    let second = file("b", [10, 20], cut: 1)
    let header = folder.file("c", holding: Array(BtsnoopBytes().bytes.prefix(11)))
    let (reading, failures) = try read([first, second, header, file("d", [30])])
    #expect(reading.records.map(\.file) == [0, 0, 1, 3])
    #expect(reading.records.map(\.number) == [1, 2, 3, 4])
    #expect(reading.records.map(\.followsDamage) == [false, false, true, true])
    #expect(failures.map(\.file) == [first, second, header])
    #expect(reading.summary?.holes.map(\.failure) == failures)
    #expect(reading.summary?.holes.map(\.after) == [2, 3, nil])
    #expect(reading.failure == failures.first)
    #expect(
      failures.first?.sentence(about: "x")
        == "\(first): record 3 at byte 70: only 1 of 3 bytes are present; the capture ends early")
  }

  @Test("If the next file has records of a damaged one, too, nothing need be missing between them")
  func damagedButRepeated() throws {
    let (reading, _) = try read([file("a", [1, 2, 3, 4], cut: 2), file("b", [2, 3, 4, 5])])
    #expect(reading.records.map(\.original) == [nil, nil, nil, 2, 3, nil, nil])
    #expect(reading.summary?.holes.map(\.after) == [nil])
  }

  @Test func whatCannotBeReadAtAllIsSaidBeforeAnythingElse() throws {
    let good = file("a", [1])
    let missing = folder.file("missing")
    #expect(throws: CaptureFailure(.inaccessible, "no such file or directory", file: missing)) {
      _ = try JoinedSource([good, missing].map { CaptureFile($0) })
    }
    let text = folder.file("text", holding: Array("hello".utf8))
    let failure = #expect(throws: CaptureFailure.self) {
      _ = try JoinedSource([good, text].map { CaptureFile($0) })
    }
    #expect(failure?.kind == .notReadable && failure?.file == text)
  }
}
