/// The files that can be written: a container, and what its records hold.
package struct WriterFormat: Equatable, Sendable {
  /// The file format.
  package enum Container: Sendable {
    case btsnoop, pcap, pcapng

    /// The one that a file's name ends with; nil for other names.
    package init?(path: String) {
      let name = path.split(separator: "/").last ?? ""
      guard let dot = name.lastIndex(of: ".") else { return nil }
      switch name[name.index(after: dot)...].lowercased() {
      case "btsnoop", "snoop", "log": self = .btsnoop
      case "pcap": self = .pcap
      case "pcapng": self = .pcapng
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
  }

  /// The file format.
  package var container: Container
  /// What its records hold.
  package var content: Content

  /// So much in such a container.
  package init(_ container: Container, _ content: Content) {
    self.container = container
    self.content = content
  }

  /// Monitor records in the container that a file's name ends with: `.btsnoop`, `.snoop` or `.log`,
  /// `.pcap`, `.pcapng`; nil for other names.
  package init?(path: String) {
    guard let found = Container(path: path) else { return nil }
    container = found
    content = .monitor
  }

  /// The endings of names that tell a container.
  package static let endings = ".btsnoop, .snoop, .log, .pcap or .pcapng"

  var datalink: BtsnoopDatalink { content == .monitor ? .linuxMonitor : .h4 }

  var linkType: LinkType {
    switch content {
    case .monitor: .linuxMonitor
    case .h4: .h4WithDirection
    case .h4WithoutDirection: .h4
    }
  }
}
