import Bluetooth

/// What a file could not hold of the records that were to be written to it.
struct WriterLosses: Equatable, Sendable {
  /// What a record is that is no packet.
  enum Note: Int, CaseIterable {
    case adapter, management, system, user, vendor, packetLogger

    /// The kind of a monitor's record.
    init(opcode: UInt16) {
      switch MonitorOpcode(rawValue: opcode) {
      case .newIndex, .deletedIndex, .openIndex, .closeIndex, .indexInfo: self = .adapter
      case .controlOpen, .controlClose, .controlCommand, .controlEvent: self = .management
      case .systemNote: self = .system
      case .userLog: self = .user
      default: self = .vendor
      }
    }

    var words: String {
      switch self {
      case .adapter: "of controllers that come and go"
      case .management: "of the management interface"
      case .system: "system notes"
      case .user: "notes of users and programs"
      case .vendor: "of vendors"
      case .packetLogger: "of PacketLogger's own"
      }
    }
  }

  /// Records that are no packets, where only packets can be, by their kind.
  private(set) var notes = [Int](repeating: 0, count: Note.allCases.count)
  /// Packets whose direction is not known, where it must be told.
  var directionless = 0
  /// Records of kinds that the target has no number for.
  var unknownKinds = 0
  /// Packets whose direction was left out.
  var directions = 0
  /// Packets of other adapters than the first, whose number was left out.
  var adapters = 0
  /// Packets whose comments were left out.
  var comments = 0
  /// Packets that had options of pcapng's beside those that are read.
  var options = 0
  /// Sections of a pcapng file that go on as one.
  var sections = 0
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

  /// Counts records that are no packets.
  mutating func leaveOut(_ note: Note, count: Int = 1) { notes[note.rawValue] += count }

  /// What the records were that are no packets: "5 system notes, 1 of vendors".
  private var noteWords: String {
    Note.allCases.filter { notes[$0.rawValue] > 0 }.map { "\(notes[$0.rawValue]) \($0.words)" }
      .joined(separator: ", ")
  }

  /// A sentence for each kind of loss.
  var remarks: [String] {
    let noteCount = notes.reduce(0, +)
    let kinds = noteWords
    let counted: [(Int, String, String)] = [
      (
        noteCount, "record that is no packet was left out: \(kinds)",
        "records that are no packets were left out: \(kinds)"
      ),
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
      (
        adapters, "packet of another controller than hci0 is no more told from hci0's",
        "packets of other controllers than hci0 are no more told from hci0's"
      ),
      (comments, "packet lost its comments", "packets lost their comments"),
      (
        options, "packet lost what pcapng said beside it",
        "packets lost what pcapng said beside them"
      ),
      (
        sections, "section of the file goes on in the one before it",
        "sections of the file go on in the one before them"
      ),
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
    return counted.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
  }
}
