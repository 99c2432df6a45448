import Bluetooth
import Captures
import Testing

/// Changes every byte of a file of each format and cuts the file at every byte: no traps, no
/// endless loops, and every damage is described.
struct FormatSweepTests {
  private static let files: [(String, [UInt8])] = {
    var found: [(String, [UInt8])] = []
    for link in [187, 201, 254] as [UInt32] {
      var file = PcapBytes(link: link, nanoseconds: link == 187, bigEndian: link == 201)
      file.record([0, 0, 0, 1, 4, 0x0e, 1, 0])
      file.record([0, 0, 0, 3, 4, 0x0e, 1, 0], seconds: 7, original: 20)
      found.append(("pcap \(link)", file.bytes))
    }
    for link in [256, 192] as [UInt32] {
      var file = PcapBytes(link: link, bigEndian: link == 192)
      file.record([0, 0, 24, 0, 251, 0, 0, 0] + [UInt8](repeating: 7, count: 20))
      file.record([0, 0, 24, 0, 251, 0, 0, 0], seconds: 7, original: 20)
      found.append(("pcap \(link)", file.bytes))
    }
    for isBigEndian in [false, true] {
      var mixed = PcapngBytes()
      mixed.section(bigEndian: isBigEndian)
      for link in [192, 255, 272, 201] as [UInt16] { mixed.interface(link) }
      for interface in 0..<4 as Range<UInt32> {
        mixed.packet([0, 0, 0, 0, 251, 0, 0, 0, 1], interface: interface)
      }
      found.append(("mixed pcapng \(isBigEndian)", mixed.bytes))
      var file = PcapngBytes()
      file.section(bigEndian: isBigEndian)
      file.interface(1)
      file.interface(187, snapshot: 9, resolution: 0x83, offset: 5)
      file.packet([1, 3, 12, 0, 9], interface: 1, flags: 1, comments: ["x"], drops: 2)
      file.packet([1], interface: 0)
      file.section(bigEndian: !isBigEndian)
      file.interface(254)
      file.simple([0, 0, 0, 2, 3, 12, 0])
      file.old([0, 0, 0, 2, 3, 12, 0])
      file.block(5) { $0.put([1, 2, 3, 4]) }
      found.append(("pcapng \(isBigEndian)", file.bytes))
      var log = PacketLoggerBytes(bigEndian: isBigEndian)
      log.record(0, [3, 12, 0])
      log.record(0xf7, [1, 0, 0, 0, 9] + Array("a\0b\0c\0d\0e".utf8))
      log.record(0x13, [0x60, 0x20, 0, 0])
      found.append(("PacketLogger \(isBigEndian)", log.bytes))
    }
    return found
  }()

  @Test(arguments: files.indices) func everyByteReplaced(index: Int) {
    let (name, good) = Self.files[index]
    #expect(Reading(good).failure == nil, "\(name)")
    for position in good.indices {
      let old = good[position]
      for replacement in [0x00, 0x01, 0x7f, 0x80, 0xff, old ^ 0x10, old &+ 1, old &- 1] as [UInt8] {
        var bytes = good
        bytes[position] = replacement
        let reading = Reading(bytes)
        #expect(reading.failure?.kind != .inaccessible, "\(name), byte \(position)")
        #expect(reading.records.count <= good.count / 4, "\(name), byte \(position)")
        for record in reading.records {
          #expect(record.originalLength >= record.bytes.count)
          #expect((record.time?.nanoseconds ?? 0) < 1_000_000_000)
        }
      }
    }
  }

  /// A truncated file yields the records that are complete in it, and nothing else.
  @Test(arguments: files.indices) func everyPrefix(index: Int) {
    let (name, good) = Self.files[index]
    let whole = Reading(good).records
    for count in 0..<good.count {
      let reading = Reading(Array(good[..<count]))
      #expect(reading.records == Array(whole.prefix(reading.records.count)), "\(name), \(count)")
      #expect(reading.records.count < whole.count || count > good.count - 17, "\(name), \(count)")
    }
  }
}
