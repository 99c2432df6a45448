import Bytes
import Bluetooth
import Glibc
import Testing

@testable import Captures

struct SerialTests {
  /// Returns a frame of an opcode, extensions and bytes.
  private static func frame(_ opcode: UInt16, _ extensions: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    Feeding.little(UInt16(4 + extensions.count + bytes.count)) + Feeding.little(opcode)
      + [0, UInt8(extensions.count)] + extensions + bytes
  }

  private static func ticks(_ ticks: UInt32) -> [UInt8] { [8] + Feeding.little(ticks) }

  /// Reads bytes through a pipe.
  private static func read(_ bytes: [UInt8], piece: Int = 4096) -> Reading {
    let pipe = Pipe()
    pipe.feed(bytes, piece: piece)
    var reader = SerialReader(InputBuffer(stream: pipe.takeReader(), Feeding.guarded()))
    let reading = Reading(&reader)
    pipe.wait()
    return reading
  }

  /// However a terminal splits the bytes, the records are the file's, except for the adapter and
  /// the part of the time below a tenth of a millisecond.
  @Test(arguments: [1, 7, 4096]) func pieces(piece: Int) throws {
    let expected = Reading(path: Samples.path("monitor.btsnoop")).records
    let start = try #require(expected.first?.time)
    let bytes = expected.flatMap { record -> [UInt8] in
      guard case .monitor(let opcode) = record.framing, let time = record.time else { return [] }
      return Self.frame(
        opcode, Self.ticks(UInt32(time.nanoseconds(since: start) / 100_000)), record.bytes)
    }
    let (master, path) = Self.terminal()
    var source = try LiveSource(.serial(path, speed: 115_200), Feeding.guarded())
    Feeding.thread {
      Feeding.write(bytes, to: master, piece: piece)
      // A terminal discards unread bytes when its other end closes.
      var left: Int32 = 1
      while unsafe ioctl(master, UInt(TIOCOUTQ), &left) == 0, left > 0 { usleep(1000) }
      usleep(100_000)
      close(master)
    }
    let reading = Reading(&source)
    #expect(reading.failure == nil)
    #expect(
      reading.records.map { $0.stripped(adapter: false) }
        == expected.map { $0.stripped(adapter: false) })
    let first = try #require(reading.records.first?.time)
    let moments = reading.records.compactMap { $0.time?.nanoseconds(since: first) }
    #expect(
      moments
        == expected.compactMap {
          ($0.time?.nanoseconds(since: start) ?? 0) / 100_000 * 100_000
        })
    #expect(reading.summary?.remarks == [])
  }

  /// Creates a pseudo-terminal: its controlling end, and the path of the other.
  private static func terminal() -> (Int32, String) {
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
    #expect(master >= 0)
    // TIOCSPTLCK and TIOCGPTN, which are not imported, unlock it and return its number.
    var number: Int32 = 0
    let unlocked = unsafe ioctl(master, 0x4004_5431, &number)
    let named = unsafe ioctl(master, 0x8004_5430, &number)
    #expect(unlocked == 0 && named == 0)
    return (master, "/dev/pts/\(number)")
  }

  /// Every byte value arrives unchanged; none acts as a control character.
  @Test func rawMode() throws {
    let (master, path) = Self.terminal()
    var source = try LiveSource(.serial(path, speed: 1_000_000), Feeding.guarded())
    let payload = (0...255).map { UInt8($0) }
    let packet = [0x40, 0x00] + Feeding.little(UInt16(256)) + payload
    Feeding.write(Self.frame(4, [], packet), to: master, piece: 400)
    let record = try source.nextKept()
    #expect(record?.bytes == packet)
    close(master)
  }

  @Test func dropsByKind() {
    let reading = Self.read(
      Self.frame(3, Self.ticks(5) + [2, 12, 4, 1], [0x0e, 1, 9]) + Self.frame(3, [2, 255], [1, 0])
        + Self.frame(0xff, [7, 3], []) + Self.frame(2, [], [3, 12, 0]))
    #expect(reading.records.map(\.drops) == [13, 255, 3])
    #expect(reading.records.map(\.adapter) == [0, 0, 0])
    #expect(
      reading.summary?.remarks == [
        "the device lost at least 267 events, 1 ACL packet received and 3 other records before "
          + "they could be sent"
      ])
  }

  /// Bytes that are not a record are skipped and reported at their position; they may have been a
  /// record.
  @Test func rubbish() {
    let good = Self.frame(3, Self.ticks(5), [0x0e, 1, 9])
    let torn = Array(good.dropFirst(4))
    for piece in [1, 7, 4096] {
      let reading = Self.read(torn + good + torn + [0xff, 0xff] + good + good, piece: piece)
      #expect(reading.failure == nil)
      let texts = reading.records.map { record in
        record.framing == .monitor(opcode: 12)
          ? String(decoding: record.bytes, as: UTF8.self) : "record"
      }
      #expect(
        texts == [
          "\(torn.count) bytes belong to no record and were skipped", "record",
          "\(torn.count + 2) bytes belong to no record and were skipped", "record", "record",
        ])
      #expect(reading.records.map(\.drops) == [0, 0, 0, 0, 0])
      #expect(reading.records.map(\.number) == [1, 2, 3, 4, 5])
    }
  }

  /// A frame that the end cut off counts neither as skipped bytes nor as a loss, and is reported.
  @Test func cutFrame() {
    let good = Self.frame(3, Self.ticks(5), [0x0e, 1, 9])
    for cut in 1..<good.count {
      let reading = Self.read(good + good.prefix(cut))
      #expect(reading.failure == nil)
      #expect(reading.records.map(\.framing) == [.monitor(opcode: 3)], "\(cut) bytes")
      #expect(reading.records.map(\.drops) == [0], "\(cut) bytes")
      let whole = cut < 6 ? "6 bytes of the header" : "\(good.count) bytes"
      #expect(
        reading.summary?.remarks == [
          "the last record is incomplete: only \(cut) of \(whole) are present"
        ])
    }
  }

  /// Endless skipped bytes are reported while they arrive, and are not a loss.
  @Test func longRubbish() {
    let good = Self.frame(3, Self.ticks(5), [0x0e, 1, 9])
    let reading = Self.read(good + [UInt8](repeating: 0xff, count: 10_000) + good)
    let texts = reading.records.map { record in
      record.framing == .monitor(opcode: 12)
        ? String(decoding: record.bytes, as: UTF8.self) : "record"
    }
    #expect(
      texts == [
        "record",
        "4096 bytes belong to no record and were skipped so far: another speed "
          + "(tty:DEVICE@SPEED), or a console on this UART; Zephyr's firmware needs "
          + "CONFIG_BT_DEBUG_MONITOR_UART",
        "5904 bytes belong to no record and were skipped", "record",
      ])
    #expect(reading.records.map(\.drops) == [0, 0, 0, 0])
    #expect(
      reading.summary?.remarks == ["10000 bytes belong to no record and were skipped, in 1 place"])
  }

  /// A few lines of a console are enough to report the probable cause while the line is still open.
  @Test func rubbishAtFirst() throws {
    let (master, path) = Self.terminal()
    var source = try LiveSource(.serial(path, speed: 115_200), Feeding.guarded())
    let text = Array("[00:00:00.123,000] <inf> bt_hci_core: HW Platform: Nordic\n".utf8)
    Feeding.write((0..<5).flatMap { _ in text }, to: master, piece: 64)
    let note = try source.nextKept()
    let words = String(decoding: note?.bytes ?? [], as: UTF8.self)
    #expect(
      words.hasPrefix(
        "256 bytes belong to no record and were skipped so far: another speed"), "\(words)"
    )
    close(master)
  }

  /// A line without any records is reported once while bytes arrive, and at the end.
  @Test func nothingButRubbish() {
    let reading = Self.read([UInt8](repeating: 0xff, count: 50_000))
    #expect(reading.records.count == 2)
    #expect(
      reading.summary?.remarks == [
        "50000 bytes belong to no record and were skipped, in 1 place: another speed "
          + "(tty:DEVICE@SPEED), or a console on this UART; Zephyr's firmware needs "
          + "CONFIG_BT_DEBUG_MONITOR_UART"
      ])
  }

  /// When the line ends, a frame that would continue after the end begins at every one of these
  /// bytes, and a complete frame follows them. The reader searches for it once, not from each byte.
  @Test func hostileEnd() {
    // ACL data of 60 000 bytes each, in frames of six bytes and headers of four.
    let claim = Self.frame(5, [], []).dropFirst(2)
    let long =
      Feeding.little(UInt16(4 + 4 + 60_000)) + claim + [0x40, 0] + Feeding.little(UInt16(60_000))
    let bytes = (0..<5000).flatMap { _ in long } + Self.frame(3, [], [0x0e, 1, 9])
    let start = MonotonicClock.nanoseconds
    let reading = Self.read(bytes)
    let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    #expect(reading.failure == nil)
    #expect(reading.records.last?.framing == .monitor(opcode: 3))
    #expect(seconds < 10, "\(seconds) s")
  }

  /// A previous user of the line may have left two stop bits and hardware flow control set.
  @Test func lineSettings() throws {
    let (master, path) = Self.terminal()
    defer { close(master) }
    let before = unsafe open(path, O_RDWR | O_NOCTTY)
    defer { close(before) }
    var settings = termios()
    #expect(unsafe tcgetattr(before, &settings) == 0)
    let left = tcflag_t(CRTSCTS) | tcflag_t(CSTOPB)
    settings.c_cflag |= left
    #expect(unsafe tcsetattr(before, TCSANOW, &settings) == 0)
    let line = try SerialLine.open(path, speed: 115_200)
    defer { close(line) }
    #expect(unsafe tcgetattr(line, &settings) == 0)
    #expect(settings.c_cflag & left == 0)
  }

  /// A lost byte costs a record or two, not the rest of the line.
  @Test func everyByteLost() {
    let frames = (0..<6).map {
      Self.frame(3, Self.ticks(UInt32($0)), [0x0e, 4, 1, UInt8($0), 3, 0])
    }
    let bytes = frames.flatMap { $0 }
    for lost in bytes.indices {
      var damaged = bytes
      damaged.remove(at: lost)
      let reading = Self.read(damaged)
      let records = reading.records.filter { $0.framing == .monitor(opcode: 3) }
      #expect(records.count >= 4, "byte \(lost): \(reading.records.count)")
      let isInLast = lost >= bytes.count - 2 * frames[5].count
      #expect(isInLast || records.last?.bytes[3] == 5, "byte \(lost): \(records)")
    }
  }

  /// The clock continues when its 32 bits wrap, keeps small steps back, and restarts on larger
  /// ones.
  @Test func clock() {
    var clock = SerialClock()
    let now = Timestamp(seconds: 1000, nanoseconds: 0)
    func at(_ ticks: UInt32, _ seconds: Int64) -> Int64 {
      clock.time(
        ticks, now: Timestamp(seconds: 1000 + seconds, nanoseconds: 0),
        moment: seconds * 1_000_000_000
      ).nanoseconds(since: now)
    }
    #expect(at(0xffff_fff0, 0) == 0)
    #expect(at(0x10, 0) == 3_200_000)
    #expect(at(0x08, 1) == 2_400_000)
    #expect(at(0x08 + 50_000_000, 2) == 5_000_002_400_000)
    // Restarted.
    #expect(at(7, 5003) == 5_003_000_000_000)
    #expect(at(10_007, 5004) == 5_004_000_000_000)
    // Six days of silence exceed the clock's range of 4.97 days.
    let days: Int64 = 6 * 86_400
    let passed = UInt32(truncatingIfNeeded: 10_007 + days * 10_000)
    #expect(at(passed, 5004 + days) == (5004 + days) * 1_000_000_000)
  }

  @Test func noSuchLine() {
    func failure(_ path: String) -> CaptureFailure? {
      do throws(CaptureFailure) {
        _ = try LiveSource(.serial(path, speed: 115_200), Interruption())
        return nil
      } catch {
        return error
      }
    }
    #expect(
      failure("/dev/nowhere")
        == CaptureFailure(
          .unavailable,
          "no such file or directory; plug it in and look for its name: ls /dev/ttyACM* /dev/ttyUSB*"
        ))
    #expect(
      failure("/dev/null")
        == CaptureFailure(
          .unavailable, "this is not a serial line; those of USB are /dev/ttyACM* and /dev/ttyUSB*")
    )
  }
}
