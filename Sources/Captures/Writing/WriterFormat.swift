/// The files that can be written: a container, and what its records hold.
package struct WriterFormat: Equatable, Sendable {
  /// The file format.
  package enum Container: Sendable {
    case btsnoop, pcap, pcapng, packetLogger

    /// The one that a file's name ends with; nil for other names.
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

  /// What a record is.
  package enum Content: Sendable {
    /// The Linux monitor's records: packets, notes and adapters (datalink 2001, link type 254).
    case monitor
    /// H4 packets and their direction (datalink 1002, link type 201).
    case h4
    /// H4 packets (link type 187); btsnoop has no such datalink, and writes 1002.
    case h4WithoutDirection
    /// What a PacketLogger file holds: packets whose type tells their direction, and its own lines.
    case packetLogger
  }

  /// The file format.
  package let container: Container
  /// What its records hold.
  package let content: Content

  /// So much in such a container. PacketLogger has one content, whichever is asked for.
  package init(_ container: Container, _ content: Content) {
    self.container = container
    self.content = container == .packetLogger ? .packetLogger : content
  }

  /// The endings of names that tell a container.
  package static let endings = ".btsnoop, .snoop, .log, .pcap, .pcapng or .pklg"

  var datalink: BtsnoopDatalink { content == .monitor ? .linuxMonitor : .h4 }

  var linkType: LinkType {
    switch content {
    case .monitor: .linuxMonitor
    case .h4: .h4WithDirection
    case .h4WithoutDirection, .packetLogger: .h4
    }
  }
}
