import Bluetooth
import Bytes
import Glibc
import Testing

@testable import Captures

struct CaptureWriterTests {
  /// The sample captures of the Linux monitor and of H4.
  private static let samples = [
    "monitor.btsnoop", "heart-rate.btsnoop", "management.btsnoop", "android-phone.btsnoop",
    "monitor.pcap", "wristband.pcapng", "write-refused.pklg",
  ]

  private static let formats: [WriterFormat] = [
    WriterFormat(.btsnoop, .monitor), WriterFormat(.btsnoop, .h4), WriterFormat(.pcap, .monitor),
    WriterFormat(.pcap, .h4), WriterFormat(.pcap, .h4WithoutDirection),
    WriterFormat(.pcapng, .monitor), WriterFormat(.pcapng, .h4),
    WriterFormat(.packetLogger, .packetLogger),
  ]

  /// A packet's contents that every format keeps, in terms of H4; nil for records that are not
  /// packets.
  private struct Packet: Equatable {
    var time: Timestamp?
    var direction: Direction?
    var bytes: [UInt8]

    init?(_ record: Kept, withDirection: Bool = true) {
      time = record.time
      direction = withDirection ? record.direction : nil
      switch record.framing {
      case .h4: bytes = record.bytes
      case .h1(let kind):
        bytes = [[2, 1, 4, 3, 5][Int(kind.rawValue)]] + record.bytes
      case .monitor(let opcode):
        let types: [UInt16: UInt8] = [
          2: 1, 3: 4, 4: 2, 5: 2, 6: 3, 7: 3, 18: 5, 19: 5,
        ]
        guard let type = types[opcode] else { return nil }
        bytes = [type] + record.bytes
      default: return nil
      }
    }
  }

  /// Every packet of a sample is the same after a round trip in every format; in the monitor's
  /// formats, so is every record of the monitor.
  @Test(arguments: samples, formats) func roundTrip(name: String, format: WriterFormat) throws {
    let folder = TemporaryFolder()
    let path = folder.file("out")
    let original = Reading(path: Samples.path(name))
    #expect(original.failure == nil)
    let decimals = original.summary?.timeDecimals ?? 6
    var writer = try CaptureWriter(path: path, format, decimals: decimals)
    var source = try CaptureReader(path: Samples.path(name))
    while let record = try source.next() { writer.write(record) }
    writer.finish()
    #expect(writer.failure == nil)
    // A PacketLogger file without records is empty, so its format cannot be detected.
    if format.container == .packetLogger, writer.recordsWritten == 0 { return }
    let written = Reading(path: path)
    #expect(written.failure == nil)
    #expect(written.records.count == writer.recordsWritten)

    let hasDirection = format.content != .h4WithoutDirection
    var before = original.records.compactMap { Packet($0, withDirection: hasDirection) }
    for index in before.indices {
      // A record without a time gets the previous record's, and one without a direction its kind's.
      let time = before[index].time ?? before[index - 1].time ?? Timestamp(microseconds: 0)
      let isCut = format.container == .btsnoop || format.container == .packetLogger
      before[index].time = Timestamp(
        seconds: time.seconds,
        nanoseconds: isCut ? time.nanoseconds / 1000 * 1000 : time.nanoseconds)
      if hasDirection, before[index].direction == nil {
        before[index].direction = [1: .sent, 4: .received][before[index].bytes[0]]
      }
    }
    let after = written.records.compactMap { Packet($0, withDirection: hasDirection) }
    #expect(original.records.count > 10)
    let differing = zip(before, after).first { $0 != $1 }
    #expect(before.count == after.count)
    #expect(differing == nil, "\(name) as \(format)")
    let isMonitor = original.records.contains {
      if case .monitor = $0.framing { true } else { false }
    }
    if name.hasSuffix(".pklg"), format.container == .packetLogger {
      // PacketLogger also keeps its own messages.
      #expect(original.records.map(\.withoutPlace) == written.records.map(\.withoutPlace))
      #expect(writer.remarks == [])
    } else if isMonitor, format.content == .monitor {
      #expect(original.records.map(\.withoutPlace) == written.records.map(\.withoutPlace))
      #expect(writer.remarks == [])
    } else {
      let left = original.records.count - before.count
      #expect(written.records.count == before.count)
      let remarks = writer.remarks
      #expect(left == 0 || remarks.contains { $0.hasPrefix("\(left) record") }, "\(remarks)")
    }
  }

  /// The monitor has one opcode for commands and one for events; the opposite direction is reported
  /// lost.
  @Test func directionsThatTheMonitorHasNot() throws {
    for (type, isReceived) in [(1, false), (1, true), (4, true), (4, false)] as [(UInt8, Bool)] {
      var file = PcapngBytes()
      file.section()
      file.interface(201)
      file.packet([0, 0, 0, isReceived ? 1 : 0, type, 3, 12, 0])
      let folder = TemporaryFolder()
      var writer = try CaptureWriter(
        path: folder.file("x"), WriterFormat(.btsnoop, .monitor), decimals: 6)
      let pipe = Pipe()
      pipe.feed(file.bytes, piece: 4096)
      var source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
      while let record = try source.next() { writer.write(record) }
      writer.finish()
      let isUsual = (type == 4) == isReceived
      #expect(
        writer.remarks
          == (isUsual
            ? []
            : [
              "1 packet lost its direction: the Linux monitor's commands are always sent, "
                + "its events always received"
            ]))
    }
  }

  /// btsnoop counts drops from the start of the file in 32 bits; pcapng has 64 bits for each
  /// packet.
  @Test func largeCountsOfDrops() throws {
    var file = PcapngBytes()
    file.section()
    file.interface(201)
    for drops in [3, UInt64.max, 5] { file.packet([0, 0, 0, 0, 1, 3, 12, 0], drops: drops) }
    func written(_ format: WriterFormat) throws -> (remarks: [String], drops: [UInt64]) {
      let folder = TemporaryFolder()
      var writer = try CaptureWriter(path: folder.file("x"), format)
      let pipe = Pipe()
      pipe.feed(file.bytes, piece: 4096)
      var source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
      while let record = try source.next() { writer.write(record) }
      writer.finish()
      return (writer.remarks, Reading(path: folder.file("x")).records.map(\.drops))
    }
    let btsnoop = try written(WriterFormat(.btsnoop, .h4))
    #expect(btsnoop.drops == [3, UInt64(UInt32.max) - 3, 0])
    #expect(
      btsnoop.remarks == [
        "2 counts of lost records were cut: the format counts no more than 4294967295"
      ])
    let pcapng = try written(WriterFormat(.pcapng, .h4))
    #expect(pcapng.drops == [3, .max, 5])
    #expect(pcapng.remarks == [])
  }

  /// Everything that a format cannot hold is reported, and nothing else.
  @Test func losses() throws {
    var file = PcapngBytes()
    file.section()
    file.interface(201, resolution: 9)
    file.interface(201)
    file.packet(
      [0, 0, 0, 1, 4, 0x0e, 0], ticks: 1_000_000_001, comments: ["here"], drops: 3)
    file.packet([0, 0, 0, 0, 1, 3, 12, 0], interface: 1, ticks: 2_000_000)
    func remarks(_ format: WriterFormat) throws -> (remarks: [String], records: [Kept]) {
      let folder = TemporaryFolder()
      var writer = try CaptureWriter(path: folder.file("x"), format, decimals: 9)
      let pipe = Pipe()
      pipe.feed(file.bytes, piece: 4096)
      var source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
      while let record = try source.next() { writer.write(record) }
      writer.finish()
      return (writer.remarks, Reading(path: folder.file("x")).records)
    }
    let btsnoop = try remarks(WriterFormat(.btsnoop, .h4))
    #expect(
      btsnoop.remarks == [
        "1 packet of hci1 is written as hci0's: the format has no room for a controller's number",
        "1 packet lost its comments", "1 time was cut to microseconds",
      ])
    #expect(btsnoop.records.map(\.drops) == [3, 0])
    let pcap = try remarks(WriterFormat(.pcap, .h4WithoutDirection))
    #expect(
      pcap.remarks == [
        "2 packets lost their direction: the link type has no room for it",
        "1 packet of hci1 is written as hci0's: the format has no room for a controller's number",
        "1 packet lost its comments",
        "1 count of lost records was left out: the format has no room for it",
      ])
    let pcapng = try remarks(WriterFormat(.pcapng, .h4))
    #expect(pcapng.remarks == [])
    #expect(pcapng.records.map(\.comments) == [["here"], []])
    #expect(pcapng.records.map(\.drops) == [3, 0])
    #expect(pcapng.records.map(\.adapter) == [0, 1])
    #expect(pcapng.records.map(\.time?.nanoseconds) == [1, 0])
    #expect(pcapng.records.map(\.direction) == [.received, .sent])
  }

  /// A packet without a direction is left out if the target requires one, and kept if it has none.
  @Test func directionless() throws {
    var file = PcapBytes(link: 187)
    file.record([2, 0x40, 0, 1, 0, 7], seconds: 5)
    file.record([1, 3, 12, 0], seconds: 6)
    func write(_ format: WriterFormat) throws -> (remarks: [String], records: [Kept]) {
      let folder = TemporaryFolder()
      var writer = try CaptureWriter(path: folder.file("x"), format)
      let pipe = Pipe()
      pipe.feed(file.bytes, piece: 4096)
      var source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
      while let record = try source.next() { writer.write(record) }
      writer.finish()
      return (writer.remarks, Reading(path: folder.file("x")).records)
    }
    let monitor = try write(WriterFormat(.btsnoop, .monitor))
    #expect(monitor.remarks == ["1 packet of unknown direction was left out"])
    #expect(monitor.records.map(\.framing) == [.monitor(opcode: 2)])
    let plain = try write(WriterFormat(.pcap, .h4WithoutDirection))
    #expect(plain.records.map(\.bytes) == [[2, 0x40, 0, 1, 0, 7], [1, 3, 12, 0]])
  }

  /// A marker is a user log among monitor records, and a comment of the next packet in pcapng.
  @Test func markers() throws {
    func write(_ format: WriterFormat) throws -> [Kept] {
      let folder = TemporaryFolder()
      var writer = try CaptureWriter(path: folder.file("x"), format)
      let payload = Marker.payload("pressed the button")
      writer.write(
        CaptureRecord(
          number: 1, time: Timestamp(seconds: 1, nanoseconds: 0), direction: nil, adapter: .unknown,
          framing: .monitor(opcode: 13), originalLength: payload.count, drops: 0, fileOffset: 0,
          bytes: payload.bytes))
      let packet: [UInt8] = [3, 12, 0]
      writer.write(
        CaptureRecord(
          number: 2, time: Timestamp(seconds: 2, nanoseconds: 0), direction: .sent, adapter: 0,
          framing: .monitor(opcode: 2), originalLength: 3, drops: 0, fileOffset: 0,
          bytes: packet.bytes))
      writer.finish()
      #expect(writer.remarks == [])
      return Reading(path: folder.file("x")).records
    }
    let monitor = try write(WriterFormat(.pcapng, .monitor))
    #expect(monitor.map(\.framing) == [.monitor(opcode: 13), .monitor(opcode: 2)])
    #expect(monitor[0].bytes == [6, 10] + Array("gattscope\0pressed the button\0".utf8))
    #expect(monitor[0].adapter == .unknown)
    let packets = try write(WriterFormat(.pcapng, .h4))
    #expect(packets.map(\.comments) == [["pressed the button"]])
  }

  /// The file is a complete capture after every flush, and before the first record unless the
  /// format has no header.
  @Test(arguments: formats) func completeAtEveryMoment(format: WriterFormat) throws {
    let folder = TemporaryFolder()
    let path = folder.file("x")
    var writer = try CaptureWriter(path: path, format)
    #expect(Reading(path: path).failure == nil || format.container == .packetLogger)
    let bytes: [UInt8] = [4, 0x0e, 1, 0]
    for number in 1...5 {
      writer.write(
        CaptureRecord(
          number: number, time: Timestamp(seconds: Int64(number), nanoseconds: 0),
          direction: .received, adapter: 0, framing: .h4, originalLength: 4, drops: 0,
          fileOffset: 0, bytes: bytes.bytes))
      writer.flush()
      let reading = Reading(path: path)
      #expect(reading.failure == nil)
      #expect(reading.records.count == number)
    }
  }
}

extension Kept {
  /// The record without the fields that depend on its position.
  var withoutPlace: Kept {
    var record = self
    record.number = 0
    record.fileOffset = 0
    record.section = 0
    record.file = 0
    return record
  }
}

enum Samples {
  static func path(_ name: String) -> String {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/") + "/captures/" + name
  }
}
