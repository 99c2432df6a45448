/// What is known of a capture as a whole.
package struct CaptureSummary: Equatable, Sendable {
  /// The formats that can be read.
  package enum Format: String, Sendable {
    case btsnoop, pcap, pcapng
    case packetLogger = "packetlogger"
    case btsnooz
    /// Live: the kernel's monitor channel, a device of libpcap's, `btmon --server`'s protocol, and the
    /// monitor's framing on a serial line.
    case monitor
    case pcapDevice = "pcap_device"
    case monitorServer = "monitor_server"
    case monitorSerial = "monitor_serial"

    /// As people write it.
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

  /// Packets that are no Bluetooth HCI.
  package struct LeftOut: Equatable, Sendable {
    /// What they are: "Ethernet".
    package var name: String
    /// How many there are.
    package var count: Int

    /// So many packets of a kind.
    package init(name: String, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// One of several files.
  package struct File: Equatable, Sendable {
    /// As it was named.
    package var name: String
    /// What it holds; nil where it was too damaged to say.
    package var summary: Summary?
    /// Its records.
    package var records = 0

    /// A file's format in words.
    package struct Summary: Equatable, Sendable {
      /// The file format.
      package var format: Format
      /// What the records hold, in words.
      package var datalinkName: String

      /// What a summary says of a file.
      package init(_ summary: CaptureSummary) {
        format = summary.format
        datalinkName = summary.datalinkName
      }
    }
  }

  /// The file format.
  package var format: Format
  /// The format's number for what its records hold; nil where it has none.
  package var datalink: UInt32?
  /// And that in words: "HCI UART (H4)".
  package var datalinkName: String
  /// Decimals of the capture's clock: 6 for microseconds.
  package var timeDecimals: Int
  /// Whether records lack a direction because their link type has no room for it.
  package var lacksDirection = false
  /// Whether its times are dates; else they count from its first record.
  package var isDated = true
  /// Packets of other interfaces, counted so far.
  package var leftOut: [LeftOut] = []
  /// The files, where there are several, in the order in which they are read.
  package var files: [File] = []
  /// What is to be said about the capture, beside its packets: one sentence each.
  package var remarks: [String] = []

  /// A summary from its parts.
  package init(format: Format, datalink: UInt32?, datalinkName: String, timeDecimals: Int) {
    self.format = format
    self.datalink = datalink
    self.datalinkName = datalinkName
    self.timeDecimals = timeDecimals
  }

  /// Adds a remark that a second file begins at `offset`; only the first few times.
  mutating func tellSecond(at offset: Int64) {
    guard remarks.count < CaptureLimits.otherLinkTypes else { return }
    remarks.append("another \(format.words) file begins at byte \(offset); both are read as one")
  }

  /// Counts a packet that is no Bluetooth.
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

  /// That directions are inferred, where they are.
  package var directionRemark: String? {
    lacksDirection ? "the capture does not say which way packets went; it is inferred" : nil
  }

  /// Everything that is to be said about the capture, beside its packets.
  package var allRemarks: [String] {
    [directionRemark, leftOutWords.map { $0 + " left out" }].compactMap(\.self) + remarks
  }

  /// "12 packets of other interfaces (Ethernet)", or nil where none were left out.
  package var leftOutWords: String? {
    guard !leftOut.isEmpty else { return nil }
    let count = leftOut.reduce(0) { $0 + $1.count }
    let names = leftOut.map(\.name).joined(separator: ", ")
    return "\(count) \(count == 1 ? "packet" : "packets") of other interfaces (\(names))"
  }
}
