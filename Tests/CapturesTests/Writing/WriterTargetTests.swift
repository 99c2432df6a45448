import Bluetooth
import Testing

@testable import Captures

struct WriterTargetTests {
  private func summary(_ format: CaptureSummary.Format, _ datalink: UInt32?) -> CaptureSummary {
    CaptureSummary(format: format, datalink: datalink, datalinkName: "", timeDecimals: 6)
  }

  /// Without a link type, the target is the variant of the format that keeps most of the capture.
  @Test(arguments: [
    ("btsnoop", CaptureSummary.Format.btsnoop, 1002 as UInt32?, WriterFormat(.btsnoop, .h4)),
    ("btsnoop", .btsnoop, 1001, WriterFormat(.btsnoop, .h4)),
    ("btsnoop", .btsnoop, 2001, WriterFormat(.btsnoop, .monitor)),
    ("btsnoop", .pcap, 187, WriterFormat(.btsnoop, .h4)),
    ("btsnoop", .packetLogger, nil, WriterFormat(.btsnoop, .h4)),
    ("pcap", .pcap, 187, WriterFormat(.pcap, .h4WithoutDirection)),
    ("pcap", .pcapng, 201, WriterFormat(.pcap, .h4)),
    ("pcap", .btsnoop, 2001, WriterFormat(.pcap, .monitor)),
    ("pcapng", .pcapng, 254, WriterFormat(.pcapng, .monitor)),
    ("pcapng", .pcapng, 187, WriterFormat(.pcapng, .h4WithoutDirection)),
    ("pcapng-201", .btsnoop, 2001, WriterFormat(.pcapng, .h4)),
    ("btsnoop-2001", .btsnoop, 1002, WriterFormat(.btsnoop, .monitor)),
    ("pklg", .btsnoop, 2001, WriterFormat(.packetLogger, .packetLogger)),
    ("pklg", .pcap, 187, WriterFormat(.packetLogger, .packetLogger)),
  ])
  func choice(
    _ name: String, _ format: CaptureSummary.Format, _ datalink: UInt32?, _ expected: WriterFormat
  ) throws {
    let target = try #require(WriterTarget(name: name))
    #expect(target.format(of: summary(format, datalink)) == expected)
  }

  /// Of the H4 formats, only pcapng distinguishes controllers.
  @Test func severalControllers() throws {
    let capture = summary(.btsnoop, 1002)
    let formats = try ["btsnoop", "pcap", "pcapng", "pcap-201", "pklg"].map { name in
      try #require(WriterTarget(name: name)).format(of: capture, isOfSeveral: true)
    }
    #expect(
      formats == [
        WriterFormat(.btsnoop, .monitor), WriterFormat(.pcap, .monitor), WriterFormat(.pcapng, .h4),
        WriterFormat(.pcap, .h4), WriterFormat(.packetLogger, .packetLogger),
      ])
  }

  /// With the number 256, packets from sniffers get one layout; a pcap file has no room for HCI.
  @Test func oneLayout() throws {
    let (pcap, pcapng) = try (
      #require(WriterTarget(name: "pcap-256")), #require(WriterTarget(name: "pcapng-256"))
    )
    #expect(pcap.sniffer == .pseudoHeader && pcapng.sniffer == .pseudoHeader)
    var capture = summary(.pcapng, 272)
    (capture.sniffers, capture.holdsHCI) = ([.nordic, .ppi], false)
    #expect(
      pcap.format(of: capture)
        == WriterFormat(.pcap, .h4WithoutDirection, sniffer: .pseudoHeader))
    #expect(pcap.refusal(of: capture) == nil)
    #expect(WriterTarget(name: "pcap")?.refusal(of: capture) != nil)
    let host = summary(.btsnoop, 2001)
    #expect(pcapng.format(of: host) == WriterFormat(.pcapng, .monitor, sniffer: .pseudoHeader))
    let holding = WriterTarget.rows.map(\.name).filter {
      WriterTarget(name: $0)?.holdsSniffers == true
    }
    #expect(
      holding == [
        "pcap", "pcap-256", "pcapng", "pcapng-187", "pcapng-201", "pcapng-254", "pcapng-256",
      ])
  }

  @Test func names() {
    #expect(WriterTarget(path: "a/b.cap.PCAPNG")?.container == .pcapng)
    #expect(WriterTarget(path: "a/b.txt") == nil)
    #expect(WriterTarget(path: "b.pklg")?.container == .packetLogger)
    #expect(WriterTarget(path: "x.pcapng/b") == nil)
    #expect(WriterTarget(path: "-") == nil)
    #expect(WriterTarget(name: "pcap-202") == nil)
    #expect(Set(WriterTarget.rows.map(\.name)).count == WriterTarget.rows.count)
  }

  /// Live captures use the monitor's records wherever the format can hold them, for their markers;
  /// a sniffer's packets stay as they are.
  @Test func live() throws {
    let host = summary(.monitor, nil)
    func format(_ path: String) throws -> WriterFormat {
      try #require(WriterTarget(path: path) ?? WriterTarget(name: path)).liveFormat(of: host)
    }
    #expect(try format("a/b.btsnoop") == WriterFormat(.btsnoop, .monitor))
    #expect(try format("b.LOG") == WriterFormat(.btsnoop, .monitor))
    #expect(try format("b.pcap") == WriterFormat(.pcap, .monitor))
    #expect(try format("x.y/b.pcapng") == WriterFormat(.pcapng, .monitor))
    #expect(WriterTarget.stream.liveFormat(of: host) == WriterFormat(.pcapng, .monitor))
    #expect(try format("pcapng-201") == WriterFormat(.pcapng, .h4))
    #expect(try format("pklg") == WriterFormat(.packetLogger, .packetLogger))
    var sniffer = summary(.pcap, 272)
    (sniffer.sniffers, sniffer.holdsHCI) = ([.nordic], false)
    #expect(
      WriterTarget.stream.liveFormat(of: sniffer)
        == WriterFormat(.pcapng, .h4WithoutDirection, sniffer: .nordic))
    #expect(WriterTarget(name: "btsnoop")?.liveFormat(of: sniffer).container == .btsnoop)
  }
}
