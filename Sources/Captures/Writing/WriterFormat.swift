/// The files that can be written: a container, and what its records hold.
package struct WriterFormat: Equatable, Sendable {
  /// The file format.
  package enum Container: Sendable {
    case btsnoop, pcap, pcapng
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
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    switch name[name.index(after: dot)...].lowercased() {
    case "btsnoop", "snoop", "log": container = .btsnoop
    case "pcap": container = .pcap
    case "pcapng": container = .pcapng
    default: return nil
    }
    content = .monitor
  }

  /// The endings of names that `init(path:)` knows.
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

/// What a file could not hold of the records that were to be written to it.
struct WriterLosses: Equatable, Sendable {
  /// Notes, index and control records, where only packets can be.
  var notes = 0
  /// Packets whose direction is not known, where it must be told.
  var directionless = 0
  /// Records of kinds that the target has no number for.
  var unknownKinds = 0
  /// Packets whose direction was left out.
  var directions = 0
  /// Whether adapters are told apart no more.
  var hasAdapters = false
  /// Packets whose comments were left out.
  var comments = 0
  /// Counts of drops that were left out.
  var drops = 0
  /// Records without a time; they have the time of the one before.
  var timeless = 0
  /// Times that were cut to microseconds.
  var cutTimes = 0
  /// Times that have no number in the format.
  var impossibleTimes = 0
  /// Packets that were cut to the format's longest.
  var cutPackets = 0

  /// A sentence for each kind of loss.
  var remarks: [String] {
    let counted: [(Int, String, String)] = [
      (notes, "record that is no packet was left out", "records that are no packets were left out"),
      (
        directionless, "packet whose direction is not known was left out",
        "packets whose direction is not known were left out"
      ),
      (
        unknownKinds, "record of a kind that the format has no number for was left out",
        "records of kinds that the format has no number for were left out"
      ),
      (
        directions, "packet lost its direction: the link type has no room for it",
        "packets lost their direction: the link type has no room for it"
      ),
      (comments, "packet lost its comments", "packets lost their comments"),
      (
        drops, "count of lost records was left out: the format has no room for it",
        "counts of lost records were left out: the format has no room for them"
      ),
      (
        timeless, "record has no time; it got that of the record before",
        "records have no time; they got that of the record before"
      ),
      (cutTimes, "time was cut to microseconds", "times were cut to microseconds"),
      (
        impossibleTimes, "time that the format cannot hold became the nearest one that it can",
        "times that the format cannot hold became the nearest ones that it can"
      ),
      (
        cutPackets, "packet was cut to the format's longest",
        "packets were cut to the format's longest"
      ),
    ]
    var remarks = counted.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    if hasAdapters { remarks.append("the format does not tell adapters apart") }
    return remarks
  }
}
