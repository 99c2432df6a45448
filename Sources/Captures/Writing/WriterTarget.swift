package import Bluetooth

/// A requested file format: a container and the content of its records, or the content that
/// preserves most of the capture.
package struct WriterTarget: Equatable, Sendable {
  package let container: WriterFormat.Container
  /// The content of the records; nil for the one that preserves most.
  package let content: WriterFormat.Content?
  /// The layout that packets from a sniffer get; nil: they stay as they are.
  package let sniffer: SnifferFormat?

  /// A row in the list of formats.
  package struct Row: Sendable {
    /// The name used to request it.
    package let name: String
    package let words: String
    fileprivate let target: WriterTarget

    fileprivate init(
      _ name: String, _ container: WriterFormat.Container, _ content: WriterFormat.Content?,
      _ words: String, sniffer: SnifferFormat? = nil
    ) {
      self.name = name
      self.words = words
      target = WriterTarget(container: container, content: content, sniffer: sniffer)
    }
  }

  /// The formats that can be requested. The numbers are those of btsnoop's datalinks and of
  /// tcpdump.org's link types.
  package static let rows: [Row] = [
    Row(
      "btsnoop", .btsnoop, nil,
      "btsnoop-2001 if the capture has the Linux monitor's records, else btsnoop-1002"),
    Row("btsnoop-1002", .btsnoop, .h4, "HCI packets with their direction, as Android writes them"),
    Row("btsnoop-2001", .btsnoop, .monitor, "records of the Linux monitor, as btmon writes them"),
    Row(
      "pcap", .pcap, nil,
      "pcap-254 for monitor records, pcap-187 without direction, else pcap-201; a sniffer's stay as is"
    ),
    Row("pcap-187", .pcap, .h4WithoutDirection, "HCI packets without their direction"),
    Row("pcap-201", .pcap, .h4, "HCI packets with their direction"),
    Row("pcap-254", .pcap, .monitor, "records of the Linux monitor"),
    Row(
      "pcap-256", .pcap, nil, "packets from any sniffer, after a header that all tools read",
      sniffer: .pseudoHeader),
    Row(
      "pcapng", .pcapng, nil,
      "the same choice as pcap, each on its own interface; comments and counts of lost records, too"
    ),
    Row(
      "pcapng-187", .pcapng, .h4WithoutDirection,
      "HCI packets, with their direction if known"),
    Row(
      "pcapng-201", .pcapng, .h4,
      "HCI packets with their direction, an interface for each controller"),
    Row("pcapng-254", .pcapng, .monitor, "records of the Linux monitor"),
    Row(
      "pcapng-256", .pcapng, nil,
      "the same choice as pcapng, but packets from any sniffer as in pcap-256",
      sniffer: .pseudoHeader),
    Row(
      "pklg", .packetLogger, .packetLogger,
      "Apple's PacketLogger: HCI packets with their direction"),
  ]

  private init(
    container: WriterFormat.Container, content: WriterFormat.Content?,
    sniffer: SnifferFormat? = nil
  ) {
    self.container = container
    self.content = content
    self.sniffer = sniffer
  }

  /// Whether the format has room for packets from sniffers.
  package var holdsSniffers: Bool {
    container == .pcapng || container == .pcap && content == nil
  }

  /// Returns the format with this name in `rows`, or nil for other names.
  package init?(name: String) {
    guard let row = Self.rows.first(where: { $0.name == name }) else { return nil }
    self = row.target
  }

  /// Returns the format for the extension of a file name, or nil for other names.
  package init?(path: String) {
    guard let container = WriterFormat.Container(path: path) else { return nil }
    self.init(container: container, content: nil)
  }

  /// The format of a stream without a file name: the one that preserves most.
  package static let stream = WriterTarget(container: .pcapng, content: nil)

  /// Returns the format of records written live: for HCI the Linux monitor's, since it can hold
  /// markers and notes.
  package func liveFormat(of summary: CaptureSummary) -> WriterFormat {
    if !summary.holdsHCI, content == nil { return format(of: summary) }
    return WriterFormat(container, content ?? .monitor)
  }

  /// Returns the format in which a capture is written.
  ///
  /// - Parameter isOfSeveral: Whether it has several controllers, which H4 in btsnoop and pcap
  ///   cannot distinguish.
  package func format(of summary: CaptureSummary, isOfSeveral: Bool = false) -> WriterFormat {
    if let content { return WriterFormat(container, content) }
    // Nothing is lost if there is HCI after all.
    if !summary.holdsHCI {
      return WriterFormat(
        container, .h4WithoutDirection, sniffer: sniffer ?? summary.sniffers.first)
    }
    if summary.holdsMonitorRecords || isOfSeveral && container != .pcapng {
      return WriterFormat(container, .monitor, sniffer: sniffer)
    }
    let lacksDirection = summary.mayLackDirection && container != .btsnoop
    return WriterFormat(container, lacksDirection ? .h4WithoutDirection : .h4, sniffer: sniffer)
  }

  /// Returns why this format cannot hold a capture, as the end of a sentence; nil if it can.
  package func refusal(of summary: CaptureSummary) -> String? {
    let linkTypes = summary.sniffers.count + (summary.holdsHCI ? 1 : 0)
    guard container == .pcap, content == nil, sniffer == nil, linkTypes > 1 else { return nil }
    let what =
      summary.holdsHCI ? "both HCI and packets from a sniffer" : "packets of several sniffers"
    return "a pcap file has one link type, and the capture has \(what); write pcapng"
  }
}

extension WriterFormat {
  /// Whether a packet can only be written if its direction is known.
  package var needsDirection: Bool { content != .h4WithoutDirection }
}

extension CaptureSummary {
  /// Whether the records are the Linux monitor's.
  var holdsMonitorRecords: Bool {
    switch format {
    case .btsnoop: datalink == BtsnoopDatalink.linuxMonitor.rawValue
    case .pcap, .pcapng: hciLinkType == LinkType.linuxMonitor.rawValue
    case .packetLogger, .btsnooz, .pcapDevice: false
    case .monitor, .monitorServer, .monitorSerial: true
    }
  }

  /// Whether packets may lack a direction because their link type has none.
  package var mayLackDirection: Bool {
    (format == .pcap || format == .pcapng) && hciLinkType == LinkType.h4.rawValue
  }
}
