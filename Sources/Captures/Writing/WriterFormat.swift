package import Bluetooth

/// A file format that can be written: a container, and the content of its records.
package struct WriterFormat: Equatable, Sendable {
  /// The file format.
  package enum Container: Sendable {
    case btsnoop, pcap, pcapng, packetLogger

    /// Returns the container for the extension of a file name, or nil for other names.
    package init?(path: String) {
      let name = path.split(separator: "/").last ?? ""
      guard let dot = name.lastIndex(of: ".") else { return nil }
      switch name[name.index(after: dot)...].lowercased() {
      case "btsnoop", "snoop", "log": self = .btsnoop
      case "pcap": self = .pcap
      case "pcapng": self = .pcapng
      case "pklg": self = .packetLogger
      default: return nil
      }
    }
  }

  /// The content of a record.
  package enum Content: Sendable {
    /// Records of the Linux monitor: packets, notes and adapters (datalink 2001, link type 254).
    case monitor
    /// H4 packets with their direction (datalink 1002, link type 201).
    case h4
    /// H4 packets (link type 187). btsnoop has no such datalink and uses 1002.
    case h4WithoutDirection
    /// Records of PacketLogger: packets whose type gives their direction, and its own log lines.
    case packetLogger
  }

  package let container: Container
  /// The content of records with HCI. Packets from a sniffer stay as they are.
  package let content: Content
  /// The layout of packets from a sniffer that a pcap file holds instead of HCI, or that a pcapng
  /// file begins with: it has an interface for each link type.
  package let sniffer: SnifferFormat?

  /// Creates a format. PacketLogger has only one content, whichever is requested.
  package init(_ container: Container, _ content: Content, sniffer: SnifferFormat? = nil) {
    self.container = container
    self.content = container == .packetLogger ? .packetLogger : content
    self.sniffer = container == .pcap || container == .pcapng ? sniffer : nil
  }

  /// The file name extensions that determine a container.
  package static let endings = ".btsnoop, .snoop, .log, .pcap, .pcapng or .pklg"

  var datalink: BtsnoopDatalink { content == .monitor ? .linuxMonitor : .h4 }

  /// The link type of a pcap file, or of a pcapng file's interfaces with HCI.
  var linkType: LinkType {
    if let sniffer, container == .pcap { return LinkType(sniffer) }
    return switch content {
    case .monitor: .linuxMonitor
    case .h4: .h4WithDirection
    case .h4WithoutDirection, .packetLogger: .h4
    }
  }
}
