import Bluetooth

/// The counts of what a file could not represent of the records written to it.
struct WriterLosses: Equatable, Sendable {
  /// The kind of a record that is not a packet.
  enum Note: Int, CaseIterable {
    case adapter, management, system, user, vendor, packetLogger

    /// Returns the kind of a monitor record.
    init(opcode: UInt16) {
      switch MonitorOpcode(rawValue: opcode) {
      case .newIndex, .deletedIndex, .openIndex, .closeIndex, .indexInfo: self = .adapter
      case .controlOpen, .controlClose, .controlCommand, .controlEvent: self = .management
      case .systemNote: self = .system
      case .userLog: self = .user
      default: self = .vendor
      }
    }

    /// Returns the words that follow the number.
    func words(_ count: Int) -> String {
      switch self {
      case .adapter: "of controllers that come and go"
      case .management: "of the management interface"
      case .system: count == 1 ? "system note" : "system notes"
      case .user: count == 1 ? "note of a user or a program" : "notes of users and programs"
      case .vendor: "of vendors"
      case .packetLogger: "of PacketLogger's own"
      }
    }
  }

  /// Records that are not packets, in a file that holds only packets, counted by kind.
  private(set) var notes = [Int](repeating: 0, count: Note.allCases.count)
  /// Packets whose direction is unknown although the file requires it.
  var directionless = 0
  /// Packets from sniffers, in a file that has no room for them.
  var fromSniffers = 0
  /// Packets with HCI, in a file of a sniffer's packets.
  var ofHCI = 0
  /// Packets of other sniffers than the first, which are written as the first one's.
  var ofOtherSniffers = 0
  /// Records of kinds for which the target has no number.
  var unknownKinds = 0
  /// Packets whose direction was left out.
  var directions = 0
  /// Packets of adapters other than the first, which are written as the first adapter's.
  private(set) var adapters = 0
  /// The first few of those adapters.
  private var adapterNumbers: [AdapterIndex] = []
  private var hasMoreAdapters = false
  /// Packets whose comments were left out.
  var comments = 0
  /// Packets that had pcapng options other than those read.
  var options = 0
  /// Sections of a pcapng file that are merged into one.
  var sections = 0
  /// Drop counts that were left out.
  var drops = 0
  /// Drop counts that exceed the range of the file's cumulative count.
  var largeDrops = 0
  /// Records without a time, which get the time of the previous record.
  var timeless = 0
  /// Times truncated to microseconds.
  var cutTimes = 0
  /// Times that the format cannot represent.
  var impossibleTimes = 0
  /// Packets cut to the format's maximum length.
  var cutPackets = 0
  /// Packets cut by the capture, where the file cannot state the original length.
  var cutLengths = 0

  /// Counts records that are not packets.
  mutating func leaveOut(_ note: Note, count: Int = 1) { notes[note.rawValue] += count }

  /// Counts a packet whose adapter cannot be represented in the file.
  mutating func leaveOut(adapter: AdapterIndex) {
    adapters += 1
    if hasMoreAdapters || adapterNumbers.contains(adapter) { return }
    if adapterNumbers.count < Self.mostAdapters {
      adapterNumbers.append(adapter)
    } else {
      hasMoreAdapters = true
    }
  }

  /// The maximum number of adapters named.
  private static let mostAdapters = 8

  /// The adapters whose packets can no longer be distinguished from the first one's: "hci1 and
  /// hci3".
  private var adapterWords: String {
    let names =
      adapterNumbers.sorted().map { "hci\($0.value)" } + (hasMoreAdapters ? ["others"] : [])
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }

  /// The kinds of the records that are not packets: "5 system notes, 1 of vendors".
  private var noteWords: String {
    Note.allCases.filter { notes[$0.rawValue] > 0 }.map { note in
      "\(notes[note.rawValue]) \(note.words(notes[note.rawValue]))"
    }.joined(separator: ", ")
  }

  private func directionRoom(_ format: WriterFormat) -> String {
    switch format.content {
    case .monitor: "the Linux monitor's commands are always sent, its events always received"
    case .packetLogger: "PacketLogger's commands are always sent, its events always received"
    case .h4, .h4WithoutDirection: "the link type has no room for it"
    }
  }

  private static let oneLinkType = "a pcap file has one link type"

  private func snifferRoom(_ format: WriterFormat) -> String {
    switch format.container {
    case .btsnoop: "btsnoop holds only HCI"
    case .packetLogger: "PacketLogger holds only HCI"
    case .pcap, .pcapng: Self.oneLinkType
    }
  }

  private func interfaceRoom(_ format: WriterFormat) -> String {
    format.container == .pcapng
      ? "the file has room for \(RecordEncoder.mostInterfaces) more interfaces"
      : "the format has no room for an interface's number"
  }

  /// Returns a sentence for each kind of loss in a file of this format.
  func remarks(_ format: WriterFormat) -> [String] {
    let room =
      format.container == .pcapng
      ? "the file has room for the numbers 0 to \(RecordEncoder.mostInterfaces - 1)"
      : "the format has no room for a controller's number"
    let noteCount = notes.reduce(0, +)
    let kinds = noteWords
    let counted: [(Int, String, String)] = [
      (
        noteCount, "record that is not a packet was left out: \(kinds)",
        "records that are not packets were left out: \(kinds)"
      ),
      (
        directionless, "packet of unknown direction was left out",
        "packets of unknown direction were left out"
      ),
      (
        unknownKinds, "record of a kind that the format has no number for was left out",
        "records of kinds that the format has no number for were left out"
      ),
      (
        fromSniffers, "packet from a sniffer was left out: \(snifferRoom(format))",
        "packets from a sniffer were left out: \(snifferRoom(format))"
      ),
      (
        ofHCI, "HCI packet was left out: \(Self.oneLinkType)",
        "HCI packets were left out: \(Self.oneLinkType)"
      ),
      (
        ofOtherSniffers, "packet is written as if from another sniffer: \(interfaceRoom(format))",
        "packets are written as if from another sniffer: \(interfaceRoom(format))"
      ),
      (
        directions, "packet lost its direction: \(directionRoom(format))",
        "packets lost their direction: \(directionRoom(format))"
      ),
      (
        adapters, "packet of \(adapterWords) is written as hci0's: \(room)",
        "packets of \(adapterWords) are written as hci0's: \(room)"
      ),
      (comments, "packet lost its comments", "packets lost their comments"),
      (
        options, "packet lost its pcapng options",
        "packets lost their pcapng options"
      ),
      (
        sections, "section was joined to the one before it: the format has none",
        "sections were joined to the ones before them: the format has none"
      ),
      (
        drops, "count of lost records was left out: the format has no room for it",
        "counts of lost records were left out: the format has no room for them"
      ),
      (
        largeDrops, "count of lost records was cut: the format counts no more than 4294967295",
        "counts of lost records were cut: the format counts no more than 4294967295"
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
      (
        cutLengths, "packet that the capture had cut lost the length that it had before",
        "packets that the capture had cut lost the lengths that they had before"
      ),
    ]
    return counted.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
  }
}
