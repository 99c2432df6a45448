package import Bluetooth

/// The known properties of a capture as a whole.
package struct CaptureSummary: Equatable, Sendable {
  /// The readable formats.
  package enum Format: String, Sendable {
    case btsnoop, pcap, pcapng
    case packetLogger = "packetlogger"
    case btsnooz
    /// Live sources: the kernel's monitor channel, a libpcap device, the protocol of `btmon
    /// --server`, and the monitor's framing on a serial line.
    case monitor
    case pcapDevice = "pcap_device"
    case monitorServer = "monitor_server"
    case monitorSerial = "monitor_serial"

    /// The usual name of the format.
    package var words: String {
      switch self {
      case .packetLogger: "PacketLogger"
      case .monitor: "the kernel's monitor channel"
      case .pcapDevice: "a device of libpcap's"
      case .monitorServer: "btmon's server protocol"
      case .monitorSerial: "the monitor's framing on a serial line"
      case .btsnoop, .btsnooz, .pcap, .pcapng: rawValue
      }
    }
  }

  /// Packets of one kind that are not Bluetooth HCI.
  package struct LeftOut: Equatable, Sendable {
    /// The kind of the packets, such as "Ethernet".
    package var name: String
    /// The number of packets.
    package var count: Int

    package init(name: String, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// One of several files.
  package struct File: Equatable, Sendable {
    /// The name as given.
    package var name: String
    /// The file's contents; nil if it was too damaged to tell.
    package var summary: Summary?
    /// The number of its records.
    package var records = 0
    /// How it overlaps the files before it: a sentence without its subject; nil if it does not.
    package var overlap: String?
    /// The remarks of its reader.
    package var remarks: [String] = []

    /// The overlap as a sentence.
    package var overlapSentence: String? {
      overlap.map { "\(CaptureFailure.subject(name)) \($0)" }
    }

    /// A file's format and contents.
    package struct Summary: Equatable, Sendable {
      package var format: Format
      /// The contents of the records, in words.
      package var datalinkName: String

      /// Creates the description of a file from its summary.
      package init(_ summary: CaptureSummary) {
        format = summary.format
        datalinkName = summary.datalinkName
      }
    }
  }

  /// Damage whose records are missing from several files read as one.
  package struct Hole: Equatable, Sendable {
    /// The damage, and the file that it is in.
    package fileprivate(set) var failure: CaptureFailure
    /// The number of the last record before the missing ones; nil if their place is unknown:
    /// nothing of the file could be read, or the next file repeats some of its records.
    package fileprivate(set) var after: Int?
  }

  /// The file format.
  package var format: Format
  /// The format's number for the contents of its records; nil if it has none.
  package var datalink: UInt32?
  /// The name of that number: "HCI UART (H4)".
  package var datalinkName: String
  /// The number of decimals of the capture's clock: 6 for microseconds.
  package var timeDecimals: Int
  /// The layouts of the packets from sniffers that it has.
  package var sniffers: [SnifferFormat] = []
  /// Whether it may have packets between a host and a controller.
  package var holdsHCI = true
  /// The link type of the first interface with HCI if a sniffer's precedes it.
  private var laterHCI: UInt32?
  /// The link type of packets with HCI.
  var hciLinkType: UInt32? { laterHCI ?? datalink }
  /// Whether records have no direction because their link type lacks a field for it.
  package var lacksDirection = false
  /// Whether times are dates; otherwise they count from the first record.
  package var isDated = true
  /// The packets of other interfaces counted so far.
  package var leftOut: [LeftOut] = []
  /// The files in reading order, if there are several.
  package var files: [File] = []
  /// The damage found so far, if there are several files or an archive is damaged.
  package internal(set) var holes: [Hole] = []
  /// Remarks about the capture apart from its packets, one sentence each.
  package var remarks: [String] = []

  package init(format: Format, datalink: UInt32?, datalinkName: String, timeDecimals: Int) {
    self.format = format
    self.datalink = datalink
    self.datalinkName = datalinkName
    self.timeDecimals = timeDecimals
  }

  /// Adds what another file of the same capture may have.
  mutating func add(contentsOf other: CaptureSummary) {
    sniffers += other.sniffers.filter { !sniffers.contains($0) }
    holdsHCI = holdsHCI || other.holdsHCI
  }

  /// Sets what it has by the link types of its packets.
  mutating func setContents(_ linkTypes: [LinkType]) {
    sniffers = []
    for next in linkTypes.compactMap(\.sniffer) where !sniffers.contains(next) {
      sniffers.append(next)
    }
    holdsHCI = sniffers.isEmpty || linkTypes.contains(where: \.isHCI)
    laterHCI = linkTypes.first(where: \.isHCI)?.rawValue
  }

  /// Records that the place of the latest damage is unknown. Files that could not be read at all
  /// may follow it.
  mutating func forgetPlaceOfHole() {
    guard let latest = holes.lastIndex(where: { $0.after != nil }) else { return }
    holes[latest].after = nil
  }

  /// Returns the summary without the names of damaged files.
  package consuming func hidingDamagedFiles() -> CaptureSummary {
    var summary = self
    for index in summary.holes.indices { summary.holes[index].failure.file = nil }
    return summary
  }

  /// Adds a remark that a second file begins at `offset`; only the first few times.
  mutating func remarkSecond(at offset: Int64) {
    guard remarks.count < CaptureLimits.otherLinkTypes else { return }
    remarks.append("another \(format.words) file begins at byte \(offset); both are read as one")
  }

  /// Counts a packet that is not Bluetooth and returns its kind's index in `leftOut`.
  mutating func leaveOut(_ name: @autoclosure () -> String, at place: Int?) -> Int {
    if let place {
      leftOut[place].count += 1
      return place
    }
    let name = name()
    if let known = leftOut.firstIndex(where: { $0.name == name }) {
      leftOut[known].count += 1
      return known
    }
    guard leftOut.count < CaptureLimits.otherLinkTypes else {
      leftOut[leftOut.count - 1].count += 1
      leftOut[leftOut.count - 1].name = "other link types"
      return leftOut.count - 1
    }
    leftOut.append(LeftOut(name: name, count: 1))
    return leftOut.count - 1
  }

  /// The remark that directions are inferred; nil if they are not.
  package var directionRemark: String? {
    lacksDirection ? "the capture does not record packet directions; they are inferred" : nil
  }

  /// All remarks about the capture apart from its packets.
  package var allRemarks: [String] {
    [directionRemark, leftOutWords.map { $0 + " left out" }].compactMap(\.self) + readersRemarks
  }

  /// The remarks about all files together, and about each.
  package var readersRemarks: [String] {
    remarks
      + files.flatMap { file in
        file.remarks.map { "\(CaptureFailure.subject(file.name)): \($0)" }
      } + files.compactMap(\.overlapSentence)
  }

  /// "12 packets of other interfaces (Ethernet)", or nil if none were left out.
  package var leftOutWords: String? {
    guard !leftOut.isEmpty else { return nil }
    let count = leftOut.reduce(0) { $0 + $1.count }
    let names = leftOut.map(\.name).joined(separator: ", ")
    return "\(count) \(count == 1 ? "packet" : "packets") of other interfaces (\(names))"
  }
}
