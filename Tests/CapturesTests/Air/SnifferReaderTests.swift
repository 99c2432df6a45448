import Bluetooth
import Bytes
import Testing

@testable import Captures

/// Captures of sniffers in pcap and pcapng. Their records keep all of their bytes.
struct SnifferReaderTests {
  private static let linkTypes: [(UInt32, SnifferFormat)] = [
    (251, .linkLayer), (256, .pseudoHeader), (272, .nordic), (157, .nordic), (192, .ppi),
  ]

  /// Records of every length that a header may be cut at, with a packet of PPI first.
  private static let packets: [[UInt8]] =
    [[0, 0, 24, 0, 251, 0, 0, 0, 0x36, 0x75]]
    + (0..<40).map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }

  private func check(_ reading: Reading, _ format: SnifferFormat, _ linkType: UInt32) {
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.bytes) == Self.packets)
    #expect(reading.records.map(\.originalLength) == Self.packets.map { $0.count + 5 })
    #expect(reading.records.map(\.number) == Array(1...Self.packets.count))
    for record in reading.records {
      #expect(record.framing == .air(format))
      #expect(record.direction == nil && record.adapter == 0)
    }
    #expect(reading.summary?.datalink == linkType)
    #expect(reading.summary?.sniffers == [format])
    #expect(reading.summary?.holdsHCI == false)
    #expect(reading.summary?.lacksDirection == false)
    #expect(reading.summary?.allRemarks == [])
  }

  @Test(arguments: linkTypes.indices, [false, true])
  func pcap(index: Int, bigEndian: Bool) {
    let (linkType, format) = Self.linkTypes[index]
    // Bits above the link type give the length of a frame check sequence.
    for bits in [0, 0x3400_0000, 0xf000_0000] as [UInt32] {
      var file = PcapBytes(link: linkType | bits, nanoseconds: bits != 0, bigEndian: bigEndian)
      for packet in Self.packets { file.record(packet, original: UInt32(packet.count + 5)) }
      check(Reading(file.bytes), format, linkType)
    }
  }

  @Test(arguments: linkTypes.indices, [false, true])
  func pcapng(index: Int, bigEndian: Bool) {
    let (linkType, format) = Self.linkTypes[index]
    var file = PcapngBytes()
    file.section(bigEndian: bigEndian)
    file.interface(UInt16(linkType))
    for (index, packet) in Self.packets.enumerated() {
      // The flags of a packet's direction have no meaning here.
      file.packet(
        packet, ticks: 5, original: UInt32(packet.count + 5),
        flags: index % 2 == 0 ? 1 : 2, comments: ["x"])
    }
    let reading = Reading(file.bytes)
    check(reading, format, linkType)
    #expect(reading.records.allSatisfy { $0.comments == ["x"] })
  }

  /// What a sniffer's extcap pipes is passed on at once.
  @Test(arguments: [251, 256, 272, 192] as [UInt32])
  func aPipe(link: UInt32) throws {
    var file = PcapBytes(link: link)
    for _ in 0..<3 { file.record(Self.packets[0]) }
    let size = 16 + Self.packets[0].count
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    // The first packet of PPI shows what it is.
    pipe.write(Array(file.bytes[..<(24 + (link == 192 ? size : 0))]))
    var reader = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    for count in 1...3 {
      if count > 1 || link != 192 {
        let isReady = reader.isReady
        #expect(!isReady)
        pipe.write(Array(file.bytes[(24 + (count - 1) * size)..<(24 + count * size)]))
      }
      #expect(try reader.nextKept()?.bytes == Self.packets[0])
    }
  }

  /// A recorder passes them on unchanged, too.
  @Test(arguments: linkTypes.indices) func recorded(index: Int) throws {
    var file = PcapBytes(link: Self.linkTypes[index].0)
    for packet in Self.packets { file.record(packet) }
    let pipe = Pipe()
    pipe.feed(file.bytes, piece: 100)
    let source = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    let folder = TemporaryFolder()
    let format = try #require(WriterTarget(name: "pcapng")).liveFormat(of: source.summary)
    let writer = try CaptureWriter(path: folder.file("x"), format)
    let recorder = Recorder(of: source.summary, losing: false, writer)
    let thread = recorder.start(source)
    var records = recorder.records()
    let reading = Reading(&records)
    thread?.join()
    #expect(reading.records == Reading(file.bytes).records)
    let written = Reading(path: folder.file("x"))
    #expect(written.records.map(\.bytes) == Self.packets)
    #expect(written.records.map(\.framing) == reading.records.map(\.framing))
  }
}

/// pcapng files with interfaces of several kinds.
struct MixedInterfaceTests {
  private let packet = [UInt8](repeating: 0x20, count: 20)
  private let reset: [UInt8] = [1, 3, 12, 0]

  /// Two sniffers keep the numbers of their interfaces.
  @Test func twoSniffers() {
    var file = PcapngBytes()
    file.section()
    for link in [272, 1, 272, 256] as [UInt16] { file.interface(link) }
    for interface in [2, 0, 1, 3, 2] as [UInt32] { file.packet(packet, interface: interface) }
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.adapter) == [2, 0, 3, 2])
    #expect(reading.records.map(\.number) == [1, 2, 4, 5])
    #expect(reading.summary?.sniffers == [.nordic, .pseudoHeader])
    #expect(
      reading.summary?.datalinkName == "nRF Sniffer and Bluetooth LE Link Layer with pseudo header")
    #expect(reading.summary?.leftOutWords == "1 packet of other interfaces (Ethernet)")
  }

  /// Controllers have the numbers that they have without sniffers, and sniffers have others.
  @Test func besideHCI() {
    var file = PcapngBytes()
    file.section()
    for link in [256, 255, 201, 187, 272] as [UInt16] { file.interface(link) }
    file.block(0xbad) { $0.put([1, 2, 3]) }
    for interface in [0, 1, 4] as [UInt32] { file.packet(packet, interface: interface) }
    file.packet([0, 0, 0, 0] + reset, interface: 2)
    file.packet(reset, interface: 3)
    // A controller that is described later has a number that no sniffer has.
    file.interface(187)
    file.packet(reset, interface: 5)
    file.packet(packet, interface: 1)
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.adapter) == [2, 4, 0, 1, 5])
    #expect(
      reading.records.map(\.framing) == [.air(.pseudoHeader), .air(.nordic), .h4, .h4, .h4])
    #expect(reading.summary?.holdsHCI == true)
    #expect(reading.summary?.sniffers == [.pseudoHeader, .nordic])
    #expect(
      reading.summary?.leftOutWords
        == "2 packets of other interfaces (Bluetooth BR/EDR baseband)")
  }

  /// The records of the Linux monitor have numbers of their own.
  @Test func besideTheMonitor() {
    var file = PcapngBytes()
    file.section()
    file.interface(272)
    file.interface(254)
    file.packet(packet, interface: 0)
    file.packet([0, 3, 0, 2, 3, 12, 0], interface: 1)
    file.section()
    file.interface(272)
    file.packet(packet, interface: 0)
    let reading = Reading(file.bytes)
    #expect(reading.records.map(\.adapter) == [257, 3, 0])
    #expect(reading.records.map(\.section) == [0, 0, 1])
  }

  @Test func wiFiInPPI() {
    let wiFi = [0, 0, 24, 0, 105, 0, 0, 0] + packet
    let bluetooth = [0, 0, 24, 0, 147, 0, 0, 0] + packet
    var file = PcapngBytes()
    file.section()
    file.interface(192)
    file.interface(192)
    file.packet(wiFi, interface: 0)
    file.old(wiFi, interface: 0)
    let alone = Reading(file.bytes)
    #expect(
      alone.message?.hasPrefix(
        "holds Wi-Fi packets in PPI headers (link type 192); gattscope reads")
        == true)
    file.packet(bluetooth, interface: 1)
    // Only the first packet is looked at.
    file.packet(wiFi, interface: 1)
    file.packet(bluetooth, interface: 0)
    let reading = Reading(file.bytes)
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.number) == [3, 4])
    #expect(reading.records.map(\.adapter) == [1, 1])
    #expect(
      reading.summary?.leftOutWords == "3 packets of other interfaces (Wi-Fi in PPI headers)")
    #expect(reading.summary?.datalinkName == "Bluetooth LE in PPI headers")
  }

  /// A simple packet block has neither interface nor time.
  @Test func simplePackets() {
    var file = PcapngBytes()
    file.section()
    file.interface(192)
    file.simple([0, 0, 24, 0, 251, 0, 0, 0] + packet)
    #expect(Reading(file.bytes).records.map(\.framing) == [.air(.ppi)])
    var other = PcapngBytes()
    other.section()
    other.interface(192)
    other.simple([0, 0, 24, 0, 105, 0, 0, 0] + packet)
    #expect(Reading(other.bytes).failure?.kind == .notReadable)
  }

  /// Before the packet that shows what an interface holds, nothing is known.
  @Test func readyBeforeTheFirstPacket() throws {
    var file = PcapngBytes()
    file.section()
    file.interface(256)
    file.interface(272)
    file.packet(packet, interface: 0)
    let first = file.bytes.count
    file.packet(packet, interface: 1)
    let second = file.bytes.count
    file.packet(packet, interface: 1)
    for (end, isReady) in [(first, false), (second, false)] {
      let pipe = Pipe()
      pipe.guardAgainstWaiting()
      pipe.write(Array(file.bytes[..<end]))
      var reader = try PcapngReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
      #expect(try reader.nextKept()?.adapter == 0)
      let found = reader.isReady
      #expect(found == isReady)
    }
    #expect(Reading(file.bytes).records.count == 3)
  }
}

/// Captures that are not read are named, with what to do instead.
struct ForeignPacketTests {
  private static let ethernet = [UInt8](repeating: 2, count: 12)
  /// IP and UDP with these ports.
  private static func udp(_ ports: [UInt8]) -> [UInt8] {
    ethernet + [8, 0, 0x45] + [UInt8](repeating: 0, count: 8) + [17]
      + [UInt8](repeating: 0, count: 10) + ports + [UInt8](repeating: 0, count: 20)
  }

  @Test(
    arguments: [
      (
        255, [], "Bluetooth BR/EDR baseband packets from a sniffer (link type 255)",
        "record Bluetooth HCI on one of the two devices"
      ),
      (
        195, [1], "IEEE 802.15.4 packets (link type 195)",
        "to record Bluetooth, the sniffer needs its Bluetooth LE firmware"
      ),
      (
        230, [], "IEEE 802.15.4 packets (link type 230)",
        "to record Bluetooth, the sniffer needs its Bluetooth LE firmware"
      ),
      (148, [1], "packets of another radio, such as Logitech's from WHAD (link type 148)", ""),
      (
        147, [1], "private use packets (link type 147)",
        "if they are Bluetooth LE packets, editcap -T bluetooth-le-ll IN OUT gives them their link type"
      ),
      (
        1, ethernet + [0xff, 0xf0, 1],
        "Link Manager packets of BR/EDR in Ethernet frames (link type 1)",
        "record Bluetooth HCI on one of the two devices"
      ),
      (
        1, udp([0x45, 0x60, 0, 9]), "packets of TI's SmartRF Packet Sniffer 2 in UDP (link type 1)",
        "bsniffhub writes this sniffer's packets as link type 256"
      ),
      (
        1, udp([0, 9, 0x45, 0x60]), "packets of TI's SmartRF Packet Sniffer 2 in UDP (link type 1)",
        "bsniffhub writes this sniffer's packets as link type 256"
      ),
      (1, udp([0, 9, 0, 53]), "Ethernet packets (link type 1)", ""),
      (1, [], "Ethernet packets (link type 1)", ""),
      (192, [0, 0, 8, 0, 105, 0, 0, 0], "Wi-Fi packets in PPI headers (link type 192)", ""),
      (
        192, [0, 0, 8, 0, 0x0f, 0x27, 0, 0],
        "packets of link type 9999 in PPI headers (link type 192)", ""
      ),
      (9999, [], "packets of link type 9999, which is unknown", ""),
    ] as [(UInt32, [UInt8], String, String)])
  func refusals(link: UInt32, first: [UInt8], what: String, advice: String) {
    let readable =
      "gattscope reads Bluetooth HCI (link types 187 and 201, H4, and 254, Linux monitor) and "
      + "Bluetooth LE packets from sniffers (251, 256, 272, 157 and 192)"
    let message = "holds \(what); \(readable)" + (advice.isEmpty ? "" : "; \(advice)")
    let folder = TemporaryFolder()
    for isBigEndian in [false, true] {
      var file = PcapBytes(link: link, bigEndian: isBigEndian)
      if !first.isEmpty { file.record(first) }
      let path = folder.file("x", holding: file.bytes)
      #expect(Reading(path: path).failure == CaptureFailure(.notReadable, message))
      if link > 0xffff { continue }
      var other = PcapngBytes()
      other.section(bigEndian: isBigEndian)
      other.interface(UInt16(link))
      if !first.isEmpty { other.packet(first) }
      #expect(Reading(other.bytes).failure == CaptureFailure(.notReadable, message))
    }
  }

  /// A pipe is refused without waiting for its first packet.
  @Test func aPipe() throws {
    let pipe = Pipe()
    pipe.guardAgainstWaiting()
    pipe.write(PcapBytes(link: 1).bytes)
    #expect(throws: CaptureFailure.self) {
      _ = try CaptureReader(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    }
  }

  /// Several kinds in one file are named together, and each advice once.
  @Test func together() {
    var file = PcapngBytes()
    file.section()
    for link in [255, 1, 1] as [UInt16] { file.interface(link) }
    file.packet(Self.ethernet + [0xff, 0xf0, 1], interface: 1)
    file.packet(Self.ethernet + [8, 6, 1], interface: 2)
    #expect(
      Reading(file.bytes).message
        == "holds Bluetooth BR/EDR baseband packets from a sniffer (link type 255) and "
        + "Link Manager packets of BR/EDR in Ethernet frames (link type 1) and "
        + "Ethernet packets (link type 1); gattscope reads Bluetooth HCI (link types 187 and 201, "
        + "H4, and 254, Linux monitor) and Bluetooth LE packets from sniffers (251, 256, 272, 157 "
        + "and 192); record Bluetooth HCI on one of the two devices")
  }

  /// Formats that are not public are only known by name; a capture may have any name.
  @Test(
    arguments: [
      ("a.psd", "TI's packet sniffer"), ("B.BTT", "Ellisys's analyzer"),
      ("c.cfa", "Frontline's analyzer"), ("d.fts", "Frontline's analyzer"),
    ])
  func names(name: String, whose: String) throws {
    let folder = TemporaryFolder()
    let bytes = [UInt8](repeating: 0xe5, count: 600)
    let path = folder.file(name, holding: bytes)
    let failure = #expect(throws: CaptureFailure.self) {
      _ = try CaptureSearch([path], folder: folder.path)
    }
    #expect(failure?.kind == .notReadable)
    #expect(failure?.message.contains("; if \(whose) saved it, ") == true)
    let capture = folder.file(name, holding: BtsnoopBytes.session(2).bytes)
    #expect(try CaptureSearch([capture], folder: folder.path).files.count == 1)
    let empty = folder.file(name, holding: [])
    #expect(try CaptureSearch([empty], folder: folder.path).files.count == 1)
  }
}
