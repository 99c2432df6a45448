import Bluetooth
import Bytes
import Testing

@testable import Captures

/// Packets of sniffers in files that are written.
struct SnifferWriterTests {
  private let folder = TemporaryFolder()
  private let packet: [UInt8] = [0, 0xcc, 0x80, 0, 0xd6, 0xbe, 0x89, 0x8e, 0x13, 0x0c, 1, 2, 3]
  private let reset: [UInt8] = [1, 3, 12, 0]

  /// Returns a pcapng file with an interface for each link type, and a packet for each index.
  private func pcapng(_ links: [UInt16], _ interfaces: [UInt32]) -> String {
    var file = PcapngBytes()
    file.section()
    for link in links { file.interface(link) }
    for (index, interface) in interfaces.enumerated() {
      let bytes: [UInt8] =
        switch links[Int(interface)] {
        case 201: [0, 0, 0, 0] + reset
        case 254: [0, 0, 0, 2, 3, 12, 0]
        case 192: [0, 0, 24, 0, 251, 0, 0, 0] + packet
        default: packet + [UInt8(index)]
        }
      file.packet(bytes, interface: interface, ticks: UInt64(index) * 1_000_000)
    }
    return folder.file("in", holding: file.bytes)
  }

  /// Writes a capture, and returns what is read again, the remarks, and why it was refused.
  private func write(
    _ path: String, as name: String
  ) throws -> (reading: Reading, remarks: [String], refusal: String?) {
    let target = try #require(WriterTarget(name: name))
    var source = try CaptureReader(path: path)
    if let refusal = target.refusal(of: source.summary) { return (Reading([]), [], refusal) }
    var writer = try CaptureWriter(path: folder.file("out"), target.format(of: source.summary))
    while let record = try source.next() { writer.write(record) }
    writer.finish()
    return (Reading(path: folder.file("out")), writer.remarks, nil)
  }

  @Test(
    arguments: [
      (251, .linkLayer), (256, .pseudoHeader), (272, .nordic), (157, .nordic), (192, .ppi),
    ] as [(UInt16, SnifferFormat)], ["pcap", "pcapng"])
  func bytesStay(_ kind: (link: UInt16, format: SnifferFormat), name: String) throws {
    let path = pcapng([kind.link], [0, 0, 0])
    let before = Reading(path: path).records
    let (reading, remarks, _) = try write(path, as: name)
    #expect(remarks == [])
    #expect(reading.failure == nil)
    #expect(reading.records.map(\.bytes) == before.map(\.bytes))
    #expect(reading.records.map(\.time) == before.map(\.time))
    #expect(reading.records.allSatisfy { $0.framing == .air(kind.format) })
    // The old number is one for private use, which other readers do not know.
    #expect(reading.summary?.datalink == UInt32(kind.link == 157 ? 272 : kind.link))
    #expect(reading.summary?.holdsHCI == false)
  }

  /// Sniffers keep their numbers in pcapng; a pcap file has no room for them.
  @Test func severalSniffers() throws {
    let path = pcapng([272, 272, 272], [2, 0, 2])
    let (reading, remarks, _) = try write(path, as: "pcapng")
    #expect(remarks == [] && reading.records.map(\.adapter) == [2, 0, 2])
    let (flat, losses, _) = try write(path, as: "pcap")
    #expect(flat.records.map(\.adapter) == [0, 0, 0])
    #expect(
      losses == [
        "2 packets are written as if from another sniffer: the format has no room for an interface's number"
      ])
  }

  @Test func moreSniffersThanInterfaces() throws {
    let path = pcapng([UInt16](repeating: 256, count: 40), [39, 38, 37, 0, 39])
    let (reading, remarks, _) = try write(path, as: "pcapng")
    #expect(reading.records.count == 5)
    #expect(remarks.count == 1)
  }

  /// Every link type has its interfaces, and all numbers stay the same.
  @Test(
    arguments: [
      [201, 256], [256, 201], [187, 201, 272, 256], [254, 272], [272, 254, 256], [256, 272],
    ] as [[UInt16]])
  func mixed(links: [UInt16]) throws {
    let path = pcapng(links, (0..<UInt32(links.count)).flatMap { [$0, $0] })
    let before = Reading(path: path)
    let (reading, remarks, _) = try write(path, as: "pcapng")
    #expect(reading.failure == nil && remarks == [])
    #expect(reading.records.map(\.adapter) == before.records.map(\.adapter))
    #expect(reading.records.map(\.framing) == before.records.map(\.framing))
    let summary = try #require(reading.summary)
    let holdsHCI = links.contains { [187, 201, 254].contains($0) }
    #expect(summary.holdsHCI == holdsHCI)
    let what = holdsHCI ? "both HCI and packets from a sniffer" : "packets of several sniffers"
    #expect(
      try write(path, as: "pcap").refusal
        == "a pcap file has one link type, and the capture has \(what); write pcapng")
  }

  /// Files that hold only HCI count what they leave out.
  @Test(
    arguments: [
      ("btsnoop", "btsnoop holds only HCI"), ("btsnoop-2001", "btsnoop holds only HCI"),
      ("pklg", "PacketLogger holds only HCI"), ("pcap-201", "a pcap file has one link type"),
    ])
  func noRoom(name: String, why: String) throws {
    let (reading, remarks, _) = try write(pcapng([201, 256], [0, 1, 0, 1]), as: name)
    #expect(reading.records.count == 2)
    #expect(remarks.first == "2 packets from a sniffer were left out: \(why)")
  }

  /// HCI that comes unexpectedly has no room in a pcap file of a sniffer.
  @Test func hciInASniffersFile() throws {
    let path = pcapng([256, 201], [0, 1, 0])
    var source = try CaptureReader(path: path)
    var writer = try CaptureWriter(
      path: folder.file("out"), WriterFormat(.pcap, .h4WithoutDirection, sniffer: .pseudoHeader))
    while let record = try source.next() { writer.write(record) }
    writer.finish()
    #expect(writer.remarks.contains("1 HCI packet was left out: a pcap file has one link type"))
    #expect(Reading(path: folder.file("out")).records.count == 2)
  }

  /// An empty capture keeps its link type.
  @Test(arguments: ["pcap", "pcapng"]) func empty(name: String) throws {
    let (reading, _, _) = try write(
      folder.file("empty", holding: PcapBytes(link: 272).bytes), as: name)
    #expect(reading.failure == nil && reading.records.isEmpty)
    #expect(reading.summary?.datalink == 272)
  }

  /// A packet of link type 256 from its fields; its record's time and comments stay.
  @Test func pseudoHeader() throws {
    var file = PcapngBytes()
    file.section()
    file.interface(272)
    file.packet(packet, ticks: 7, comments: ["odd"])
    var source = try CaptureReader(path: folder.file("in", holding: file.bytes))
    var writer = try CaptureWriter(
      path: folder.file("out"),
      WriterFormat(.pcapng, .h4WithoutDirection, sniffer: .pseudoHeader))
    var bytes = Output()
    while let record = try source.next() {
      let header = PseudoHeader(
        channel: PseudoHeader.position(ofChannel: 36), signal: -60, reference: 0x5065_5c67,
        flags: [
          .dewhitened, .decrypted, .crcChecked, .crcRight, .micChecked, .micRight, .kind(3),
          .phy(2),
        ])
      let pdu: [UInt8] = [2, 1, 0xaa]
      bytes.clear()
      bytes.air(header, accessAddress: 0x5065_5c67, pdu: pdu.bytes, crc: 0x03_0201)
      writer.write(record.asAir(.pseudoHeader, bytes.bytes))
    }
    writer.finish()
    let record = try #require(Reading(path: folder.file("out")).records.first)
    #expect(
      record.bytes == [
        38, 0xc4, 0, 0, 0x67, 0x5c, 0x65, 0x50, 0x9b, 0x7d, 0x67, 0x5c, 0x65, 0x50, 2, 1, 0xaa, 1,
        2,
        3,
      ])
    #expect(record.comments == ["odd"])
    #expect(record.time == Timestamp(microseconds: 7))
    #expect(record.framing == .air(.pseudoHeader))
  }

  /// The order of frequencies, of which advertising has the first, the last and one between.
  @Test func channels() {
    let positions = (0..<40).map { PseudoHeader.position(ofChannel: $0) }
    #expect(positions[37] == 0 && positions[38] == 12 && positions[39] == 39)
    #expect(positions[0] == 1 && positions[10] == 11 && positions[11] == 13 && positions[36] == 38)
    #expect(Set(positions).count == 40)
  }
}

/// Captures of sniffers and of hosts, read as one.
struct SnifferMergingTests {
  private let folder = TemporaryFolder()

  private func file(_ name: String, _ seconds: ClosedRange<Int>, link: UInt32) -> CaptureFile {
    var file = PcapBytes(link: link)
    for second in seconds {
      let bytes: [UInt8] =
        link == 201 ? [0, 0, 0, 1, 4, 0x0e, 1] : [1, 2, UInt8(truncatingIfNeeded: link)]
      file.record(bytes + [UInt8(second)], seconds: UInt32(second))
    }
    return CaptureFile(name: name, path: folder.file(name, holding: file.bytes))
  }

  @Test func oneAfterTheOther() throws {
    let files = [
      file("a", 1...2, link: 256), file("b", 3...4, link: 201), file("c", 5...6, link: 256),
      file("d", 7...8, link: 201),
    ]
    var source = try JoinedSource(files)
    let reading = Reading(&source)
    #expect(reading.records.map(\.adapter) == [256, 256, 0, 0, 256, 256, 0, 0])
    #expect(reading.summary?.holdsHCI == true && reading.summary?.sniffers == [.pseudoHeader])
    var sniffers = try JoinedSource([files[0], files[2]])
    #expect(Reading(&sniffers).records.map(\.adapter) == [0, 0, 0, 0])
    #expect(sniffers.summary.holdsHCI == false)
  }

  /// A sniffer is never a controller, even if their files do not overlap.
  @Test(arguments: [(5, 6), (1, 4)]) func merged(first: Int, last: Int) throws {
    let files = [file("air", first...last, link: 272), file("phone", 1...4, link: 201)]
    let plan = try MergePlan(files)
    var source = try MergedSource(files, plan)
    let reading = Reading(&source)
    #expect(!plan.hasSeveralControllers)
    for record in reading.records {
      #expect(record.adapter == (record.framing == .h4 ? 0 : 1))
    }
    #expect(reading.summary?.remarks == ["sniffer 0 of air is sniffer 1"])
    #expect(reading.summary?.holdsHCI == true && reading.summary?.sniffers == [.nordic])
    #expect(
      WriterTarget(name: "pcapng")?.format(of: source.summary) == WriterFormat(.pcapng, .h4))
    #expect(WriterTarget(name: "pcap")?.refusal(of: source.summary) != nil)
  }

  /// Two sniffers in the same room record different packets.
  @Test func twoSniffers() throws {
    let files = [file("one", 1...9, link: 256), file("two", 1...9, link: 272)]
    var source = try MergedSource(files, try MergePlan(files))
    let reading = Reading(&source)
    #expect(Set(reading.records.map(\.adapter)) == [0, 1])
    #expect(reading.summary?.remarks == ["sniffer 0 of two is sniffer 1"])
    #expect(reading.summary?.holdsHCI == false)
  }
}
