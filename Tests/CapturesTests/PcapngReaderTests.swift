import Bluetooth
import Captures
import Testing

struct PcapngReaderTests {
  private let reset: [UInt8] = [1, 3, 12, 0]
  private let event: [UInt8] = [4, 0x0e, 0]

  /// Ethernet and two HCI interfaces, then a section of the other byte order with other interfaces.
  @Test(arguments: [false, true]) func sectionsAndInterfaces(bigEndian: Bool) {
    var file = PcapngBytes()
    file.section(bigEndian: bigEndian)
    file.interface(1)
    file.interface(201)
    file.packet([UInt8](repeating: 9, count: 61), interface: 0)
    file.interface(187)
    file.packet([0, 0, 0, 1] + event, interface: 1, ticks: 1_700_000_000_123_456)
    file.packet(reset, interface: 2, ticks: 1_700_000_000_123_457, flags: 2)
    file.packet([9], interface: 0)
    file.section(bigEndian: !bigEndian)
    file.interface(254, resolution: 9)
    file.packet([0, 3, 0, 2, 3, 12, 0], ticks: 5_000_000_007)
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    // Packets that are left out keep their numbers.
    #expect(reading.records.map(\.number) == [2, 3, 5])
    #expect(reading.records.map(\.bytes) == [event, reset, [3, 12, 0]])
    #expect(reading.records.map(\.direction) == [.received, .sent, .sent])
    #expect(reading.records.map(\.adapter) == [0, 1, 3])
    #expect(reading.records.map(\.framing) == [.h4, .h4, .monitor(opcode: 2)])
    #expect(
      reading.records.map(\.time) == [
        Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000),
        Timestamp(seconds: 1_700_000_000, nanoseconds: 123_457_000),
        Timestamp(seconds: 5, nanoseconds: 7),
      ])
    #expect(reading.summary?.leftOut == [CaptureSummary.LeftOut(name: "Ethernet", count: 2)])
    #expect(reading.summary?.leftOutWords == "2 packets of other interfaces (Ethernet)")
    #expect(reading.summary?.format == .pcapng)
  }

  /// If the link type has no direction, the flags give it; otherwise it is unknown.
  @Test(
    arguments: [
      (nil, nil), (0, nil), (1, .received), (2, .sent), (3, nil), (0x25, .received),
    ] as [(UInt32?, Direction?)])
  func flags(flags: UInt32?, direction: Direction?) {
    var file = PcapngBytes()
    file.section()
    file.interface(187)
    file.interface(201)
    file.packet(reset, flags: flags)
    file.packet([0, 0, 0, 0] + reset, interface: 1, flags: flags)
    let reading = Reading(file.bytes)
    #expect(reading.records.map(\.direction) == [direction, .sent])
    #expect(reading.summary?.lacksDirection == (direction == nil))
  }

  @Test(arguments: [false, true]) func comments(bigEndian: Bool) {
    var file = PcapngBytes()
    file.section(bigEndian: bigEndian)
    file.interface(187)
    file.packet(reset, flags: 2, comments: ["odd", "", "zwölf"], drops: 70_000)
    file.packet(reset)
    let records = Reading(file.bytes).records
    #expect(records.map(\.comments) == [["odd", "", "zwölf"], []])
    #expect(records.map(\.direction) == [.sent, nil])
    #expect(records.map(\.drops) == [70_000, 0])
  }

  /// An option that reaches past its block ends the list.
  @Test func optionsThatLie() {
    var file = PcapngBytes()
    file.section()
    file.interface(187)
    file.block(6) {
      for value in [0, 0, 0, 4, 4] as [UInt32] { $0.put(value) }
      $0.put(reset)
      $0.put(1 as UInt16)
      $0.put(60_000 as UInt16)
      $0.put(0x4141_4141 as UInt32)
    }
    let reading = Reading(file.bytes)
    #expect(reading.records.map(\.bytes) == [reset])
    #expect(reading.records.map(\.comments) == [[]])
  }

  @Test func simpleAndOldPackets() {
    var file = PcapngBytes()
    file.section(bigEndian: true)
    file.interface(187, snapshot: 6)
    file.simple(reset)
    // truncated to the snapshot length
    file.simple([4, 0x0e, 9, 9, 9, 9], original: 40)
    file.old(reset, drops: 3, ticks: 1_000_001)
    file.old(reset, drops: 0xffff)
    let records = Reading(file.bytes).records
    #expect(records.map(\.bytes) == [reset, [4, 0x0e, 9, 9, 9, 9], reset, reset])
    #expect(records.map(\.originalLength) == [4, 40, 4, 4])
    #expect(records.map(\.drops) == [0, 0, 3, 0])
    #expect(
      records.map(\.time) == [
        nil, nil, Timestamp(seconds: 1, nanoseconds: 1000), Timestamp(seconds: 0, nanoseconds: 0),
      ])
  }

  /// Ticks of every resolution; parts below a nanosecond are cut off.
  @Test(
    arguments: [
      (0, 7, 7, 0), (3, 7008, 7, 8_000_000), (6, 7_000_008, 7, 8000), (9, 7_000_000_008, 7, 8),
      (12, 7_000_000_008_999, 7, 8), (19, 10_000_000_000_000_000_001, 1, 0),
      (20, 18_000_000_000_000_000_000, 0, 180_000_000), (40, UInt64.max, 0, 0),
      (127, UInt64.max, 0, 0), (0x80, 7, 7, 0), (0x81, 15, 7, 500_000_000),
      (0x94, 7 << 20 | 1, 7, 953), (0xbf, UInt64.max, 1, 999_999_999),
      (0xc0, UInt64.max, 0, 999_999_999), (0xc1, UInt64.max, 0, 499_999_999),
      (0xff, UInt64.max, 0, 0),
    ] as [(UInt8, UInt64, Int64, UInt32)])
  func resolutions(byte: UInt8, ticks: UInt64, seconds: Int64, nanoseconds: UInt32) {
    var file = PcapngBytes()
    file.section()
    file.interface(187, resolution: byte)
    file.packet(reset, ticks: ticks)
    #expect(
      Reading(file.bytes).records.first?.time
        == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(arguments: [(0, 6), (3, 3), (9, 9), (12, 9), (0x80, 0), (0x94, 7), (0xff, 9)])
  func decimals(byte: UInt8, decimals: Int) {
    var file = PcapngBytes()
    file.section()
    file.interface(187, resolution: byte == 0 ? nil : byte)
    #expect(Reading(file.bytes).summary?.timeDecimals == decimals)
  }

  /// Offsets are added. Absurd ones are clamped to a distant time at which differences still work.
  @Test(arguments: [(3600, 3607), (-10, -3), (.max, 1 << 56), (.min, -1 << 56)])
  func offsets(offset: Int64, seconds: Int64) {
    var file = PcapngBytes()
    file.section()
    file.interface(187, offset: offset)
    file.packet(reset, ticks: 7_000_000)
    #expect(Reading(file.bytes).records.first?.time?.seconds == seconds)
  }

  @Test func blocksOfOtherKindsAreSkipped() {
    var file = PcapngBytes()
    file.section()
    file.block(4) { $0.put([UInt8](repeating: 1, count: 300_000)) }
    file.interface(187)
    file.block(0x8000_0001) { _ in }
    file.packet(reset)
    file.block(0xbad) { $0.put([1, 2, 3]) }
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.bytes) == [reset])
  }

  @Test func noInterfaceThatIsRead() {
    var file = PcapngBytes()
    file.section()
    let empty = Reading(file.bytes)
    #expect(empty.failure == nil && empty.records.isEmpty)
    file.interface(1)
    file.interface(255)
    file.packet([1], interface: 1)
    #expect(
      Reading(file.bytes).failure
        == CaptureFailure(
          .notReadable,
          "holds Ethernet packets (link type 1) and Bluetooth BR/EDR baseband packets from a "
            + "sniffer (link type 255); gattscope reads Bluetooth HCI (link types 187 and 201, H4, "
            + "and 254, Linux monitor) and Bluetooth LE packets from sniffers (251, 256, 272, 157 "
            + "and 192); record Bluetooth HCI on one of the two devices"
        ))
    // One HCI interface that follows is enough.
    file.interface(187)
    let later = Reading(file.bytes)
    #expect(later.failure == nil && later.summary?.leftOut.count == 1)
  }

  /// Checks the message about the block after a good packet.
  private func expect(_ message: String, _ change: (inout PcapngBytes) -> Void) {
    var file = PcapngBytes()
    file.section()
    file.interface(187)
    file.packet(reset)
    let start = file.bytes.count
    change(&file)
    let reading = Reading(file.bytes)
    #expect(reading.records.count == 1)
    #expect(
      reading.failure
        == CaptureFailure(.damaged, message.replacing("@", with: "at byte \(start)")))
  }

  @Test func damage() {
    expect("record 2 @: its length is 36 at the start and 40 at the end") {
      $0.block(6, first: 36, last: 40) { for _ in 0..<6 { $0.put(0 as UInt32) } }
    }
    expect("record 2 @: its length is 37; a block has at least 12 bytes, in multiples of 4") {
      $0.block(6, first: 37) { for _ in 0..<6 { $0.put(0 as UInt32) } }
    }
    expect("block @: its length is 8; a block has at least 12 bytes, in multiples of 4") {
      $0.block(77, first: 8) { _ in }
    }
    expect(
      "record 2 @: its length is 28; such a block has 32 to 2097152 bytes; the rest was not read"
    ) {
      $0.block(6) { for _ in 0..<4 { $0.put(0 as UInt32) } }
    }
    expect("record 2 @: it is of interface 7, which is not described") {
      $0.packet([1], interface: 7)
    }
    expect(
      "record 2 @: 9 bytes of data are claimed, but its block has room for only 4; the rest was not read"
    ) { $0.packet([1], captured: 9) }
    expect("section header @: it is of version 2; gattscope reads version 1") {
      $0.section(major: 2)
    }
    expect("block @: only 13 of 4000 bytes are present; the capture ends early") {
      $0.block(5, first: 4000) { $0.put([1]) }
      $0.removeLast(3)
    }
  }

  @Test(arguments: [false, true]) func everyPrefix(bigEndian: Bool) {
    var file = PcapngBytes()
    file.section(bigEndian: bigEndian)
    file.interface(187)
    var ends = [28, 48]
    file.packet(reset, comments: ["a"])
    ends.append(file.bytes.count)
    file.block(0xbad) { $0.put([1, 2, 3]) }
    ends.append(file.bytes.count)
    file.simple(reset)
    ends.append(file.bytes.count)
    for count in 4...file.bytes.count {
      let reading = Reading(Array(file.bytes[..<count]))
      let packets = (count >= ends[2] ? 1 : 0) + (count >= ends[4] ? 1 : 0)
      #expect(reading.records.count == packets, "\(count) bytes")
      #expect((reading.failure == nil) == ends.contains(count), "\(count) bytes")
      #expect(reading.failure == nil || reading.failure?.kind == .damaged)
    }
  }

  @Test(arguments: [1, 7, 4096]) func pieces(piece: Int) throws {
    var file = PcapngBytes()
    file.section()
    file.interface(187)
    for index in 0..<60 { file.packet([UInt8](repeating: 4, count: index), comments: ["\(index)"]) }
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: piece)
    let reading = Reading(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.bytes.count) == Array(0..<60))
    #expect(reading.records.map(\.comments) == (0..<60).map { ["\($0)"] })
    pipe.wait()
  }

  /// A packet is returned as soon as its block's last byte arrives.
  @Test func aStreamThatNeverEnds() throws {
    var file = PcapngBytes()
    file.section()
    file.interface(187)
    let start = file.bytes.count
    for _ in 0..<3 { file.packet(reset) }
    let size = (file.bytes.count - start) / 3
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(Array(file.bytes[..<(start + size)]))
    var reader = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    for index in 0..<3 {
      if index > 0 {
        pipe.write(Array(file.bytes[(start + index * size)..<(start + (index + 1) * size)]))
      }
      #expect(try reader.nextKept()?.bytes == reset)
      let isReady = reader.isReady
      #expect(!isReady)
    }
  }

  /// Between two packets are complete blocks that are left out: the second packet, or damage, is
  /// available without waiting, but half a packet is not.
  @Test func readyBehindBlocksThatAreLeftOut() throws {
    var file = PcapngBytes()
    file.section()
    file.interface(1)
    file.interface(187)
    file.packet(reset, interface: 1)
    let first = file.bytes.count
    file.packet([1, 2, 3], interface: 0)
    file.block(0xbad) { $0.put([1, 2, 3]) }
    file.old([1, 2, 3], interface: 0)
    let between = file.bytes.count
    file.packet(reset, interface: 1)
    for (end, isReady) in [
      (first, false), (between, false), (file.bytes.count - 1, false), (file.bytes.count, true),
    ] {
      let pipe = Pipe()
      pipe.guardAgainstWaiting()
      pipe.write(Array(file.bytes[..<end]))
      var reader = try PcapngReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
      #expect(try reader.nextKept()?.bytes == reset)
      let found = reader.isReady
      #expect(found == isReady, "\(end) bytes")
    }
  }

  @Test func sectionsAreCounted() throws {
    var file = PcapngBytes()
    for link in [201, 187, 1, 187] as [UInt16] {
      file.section()
      file.interface(link)
      file.packet([0, 0, 0, 0] + reset)
    }
    let reading = Reading(file.bytes)
    #expect(reading.records.map(\.section) == [0, 1, 3])
    // One name is part of the other.
    #expect(
      reading.summary?.datalinkName == "HCI UART (H4) and HCI UART (H4), without direction")
  }
}
