import Bluetooth
import Testing

@testable import Captures

struct MergedSourceTests {
  private let folder = TemporaryFolder()

  /// Creates a btsnoop file of H4 records, given by milliseconds and a byte that distinguishes
  /// them.
  private func file(
    _ name: String, _ records: [(milliseconds: Int64, mark: UInt8)], cut: Int = 0
  ) -> CaptureFile {
    var file = BtsnoopBytes()
    for record in records {
      file.record(
        [4, 0x0e, 1, record.mark], flags: 3, time: BtsnoopBytes.epoch + record.milliseconds * 1000)
    }
    let bytes = Array(file.bytes.dropLast(cut))
    return CaptureFile(name: name, path: folder.file(name, holding: bytes))
  }

  /// Returns records a second apart, starting at a given second.
  private func seconds(_ range: Range<Int>, _ mark: Int = 0) -> [(milliseconds: Int64, mark: UInt8)]
  {
    range.map { (Int64($0) * 1000, UInt8(truncatingIfNeeded: $0 + mark)) }
  }

  private func merge(
    _ files: CaptureFile...
  ) throws -> (reading: Reading, failures: [CaptureFailure], several: Bool) {
    let plan = try MergePlan(files)
    var source = try MergedSource(files, plan)
    let reading = Reading(&source)
    return (reading, source.failures, plan.hasSeveralControllers)
  }

  @Test func logsThatWereBegunAnewFollowOneAnother() throws {
    let (reading, _, several) = try merge(
      file("log", seconds(10..<13)), file("log.last", seconds(0..<10)))
    #expect(reading.failure == nil && !several)
    #expect(reading.records.map { $0.bytes[3] } == Array(0..<13))
    #expect(reading.records.map(\.number) == Array(1...13))
    #expect(Set(reading.records.map(\.adapter)) == [0])
    #expect(reading.summary?.remarks == [])
  }

  @Test func whatTwoFilesHaveIsWrittenOnce() throws {
    let (reading, _, several) = try merge(
      file("a", seconds(0..<10)), file("b", seconds(4..<12)), file("c", seconds(4..<5)))
    #expect(!several)
    #expect(reading.records.map { $0.bytes[3] } == Array(0..<12))
    #expect(
      reading.summary?.remarks == [
        "b: 6 of its records are in another file, too, and written once",
        "c: 1 of its records is in another file, too, and written once",
      ])
  }

  /// A record that occurs twice in one file is kept twice.
  @Test func repeatsWithinAFileStay() throws {
    let twice: [(milliseconds: Int64, mark: UInt8)] = [(0, 1), (1000, 2), (1000, 2), (2000, 3)]
    let (reading, _, _) = try merge(file("a", twice), file("b", twice))
    #expect(reading.records.map { $0.bytes[3] } == [1, 2, 2, 3])
    let (one, _, _) = try merge(file("c", twice), file("d", [(0, 1), (1000, 2), (2000, 3)]))
    #expect(one.records.map { $0.bytes[3] } == [1, 2, 2, 3])
  }

  @Test func differentControllersGetDifferentNumbers() throws {
    let (reading, _, several) = try merge(
      file("phone", seconds(0..<10)), file("sensor", seconds(0..<10, 100)))
    #expect(several)
    #expect(reading.records.count == 20)
    #expect(reading.records.filter { $0.bytes[3] < 100 }.allSatisfy { $0.adapter == 0 })
    #expect(reading.records.filter { $0.bytes[3] >= 100 }.allSatisfy { $0.adapter == 1 })
    #expect(reading.summary?.remarks == ["hci0 of sensor is hci1"])
    let times = reading.records.map { $0.time?.seconds ?? -1 }
    #expect(times == times.sorted())
  }

  /// Creates a btsnoop file of the Linux monitor with a command for each of these controllers.
  private func monitor(
    _ name: String, _ adapters: Range<UInt32>, _ mark: UInt8, seconds: Int64
  ) -> CaptureFile {
    var file = BtsnoopBytes(datalink: 2001)
    for adapter in adapters {
      let share = Int64(adapter - adapters.lowerBound) * seconds * 1_000_000 / Int64(adapters.count)
      file.record([mark, 0x0c, 0], flags: adapter << 16 | 2, time: BtsnoopBytes.epoch + share)
    }
    return CaptureFile(name: name, path: folder.file(name, holding: file.bytes))
  }

  /// The search for free numbers does not start over for each controller. Remarks name a few
  /// controllers and count the rest.
  @Test func manyControllers() throws {
    let (reading, _, several) = try merge(
      monitor("a", 0..<20_000, 3, seconds: 20), monitor("b", 0..<20_000, 4, seconds: 20))
    #expect(several)
    #expect(Set(reading.records.map(\.adapter)).count == 40_000)
    let remarks = reading.summary?.remarks ?? []
    #expect(remarks.count == 9 && remarks.first == "hci0 of b is hci20000", "\(remarks)")
    #expect(remarks.last == "19992 more controllers of b have other numbers")
  }

  /// If no number is free, two controllers share one, which is reported.
  @Test func noNumberLeft() throws {
    let (reading, _, _) = try merge(
      monitor("a", 0..<65_534, 3, seconds: 20), monitor("b", 0..<3, 4, seconds: 20))
    #expect(
      reading.summary?.remarks == [
        "hci0 of b is hci65534",
        "2 controllers of b have the numbers of other files': no others are free",
      ])
  }

  /// Single records that are equal by chance do not make two controllers one.
  @Test func alikeByChance() throws {
    let (reading, _, several) = try merge(
      file("phone", [(0, 7)] + seconds(1..<10)), file("sensor", [(0, 7)] + seconds(1..<10, 100)))
    #expect(several)
    #expect(reading.records.count == 20)
  }

  /// Rotated logs of two controllers: each continues its own earlier log.
  @Test func rotatedLogsOfTwo() throws {
    let (reading, _, _) = try merge(
      file("a1", seconds(0..<10)), file("b1", seconds(2..<14, 100)),
      file("a2", seconds(10..<20)), file("b2", seconds(14..<22, 100)))
    #expect(reading.records.filter { $0.bytes[3] < 100 }.allSatisfy { $0.adapter == 0 })
    #expect(reading.records.filter { $0.bytes[3] >= 100 }.allSatisfy { $0.adapter == 1 })
    #expect(reading.summary?.remarks == ["hci0 of b1 is hci1", "hci0 of b2 is hci1"])
  }

  /// A clock that was set back a little between two logs does not make the second one another
  /// controller's.
  @Test func aSmallStepBack() throws {
    let (reading, _, several) = try merge(
      file("a", [(0, 1), (60_000, 2)]), file("b", [(59_700, 3), (120_000, 4)]))
    #expect(!several)
    #expect(reading.records.map { $0.bytes[3] } == [1, 3, 2, 4])
  }

  /// The same packets are recognised as monitor records and as H4 records.
  @Test func formatsMayDiffer() throws {
    var monitor = BtsnoopBytes(datalink: 2001)
    for second in 0..<5 {
      monitor.record(
        [0x0e, 1, UInt8(second)], flags: 3, time: BtsnoopBytes.epoch + Int64(second) * 1_000_000)
    }
    let other = CaptureFile(
      name: "monitor", path: folder.file("monitor", holding: monitor.bytes))
    let (reading, _, several) = try merge(file("h4", seconds(0..<5)), other)
    #expect(!several)
    #expect(reading.records.count == 5)
    #expect(reading.summary?.datalink == 2001)
  }

  @Test func damagedFilesGiveWhatTheyHave() throws {
    let (reading, failures, _) = try merge(
      file("a", seconds(0..<3), cut: 2), file("b", seconds(5..<7)),
      CaptureFile(
        name: "c", path: folder.file("c", holding: Array(BtsnoopBytes().bytes.prefix(11)))))
    #expect(reading.records.map { $0.bytes[3] } == [0, 1, 5, 6])
    #expect(Set(failures.map(\.file)) == ["a", "c"])
    #expect(reading.failure?.kind == .damaged)
  }

  @Test func whatCannotBeReadAtAllIsSaidBeforeAnythingElse() throws {
    let missing = CaptureFile(name: "m", path: folder.file("missing"))
    #expect(throws: CaptureFailure(.inaccessible, "no such file or directory", file: "m")) {
      _ = try MergePlan([file("a", seconds(0..<3)), missing])
    }
  }

  /// Records keep their order within a file even if its clock goes back.
  @Test func orderWithinAFileStays() throws {
    let (reading, _, _) = try merge(
      file("a", [(5000, 1), (3000, 2), (6000, 3)]),
      file("b", [(4000, 101), (5500, 102), (7000, 103)]))
    #expect(reading.records.map { $0.bytes[3] } == [101, 1, 2, 102, 3, 103])
  }
}
