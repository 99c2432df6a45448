package import Bluetooth
import Bytes
package import Captures
import Dissectors
package import Meanings
import Sessions

/// The capture as a whole: how long it is, and what it lacks.
package struct CaptureExtent: Sendable {
  /// Places where the clock jumps: back, or forward by hours.
  package struct ClockJumps: Sendable {
    package var count = 0
    /// The packets after the first jumps.
    package var packets = PacketSet()
    /// The largest jump, in nanoseconds.
    package var largest: Int64 = 0

    private static let most = 8

    mutating func add(_ packet: Int, _ nanoseconds: Int64) {
      count &+= 1
      largest = max(largest, nanoseconds)
      if count <= Self.most { packets.insert(packet) }
    }
  }

  package private(set) var records = 0
  /// The number of the last record.
  package private(set) var lastPacket = 0
  /// The earliest and the latest time of all records.
  package private(set) var earliest: Timestamp?
  package private(set) var latest: Timestamp?
  /// The number of records that the capture reports as dropped, and the first packets after them.
  package private(set) var dropped: UInt64 = 0
  package private(set) var drops: [Int] = []
  /// The number of records whose end is not in the capture, the first of them, and how many are
  /// data.
  package private(set) var truncated = 0
  package private(set) var cuts: [Int] = []
  package private(set) var truncatedData = 0
  package private(set) var commands = 0
  package private(set) var events = 0
  /// The number of records of the kernel's management interface.
  package private(set) var controls = 0
  /// The number of records that are no packets: what the kernel and programs report.
  package private(set) var notes = 0
  /// The number of records whose packet type is not known, or whose header is cut.
  package private(set) var undecoded = 0
  /// The number of advertising reports, and of devices that the management interface found.
  package private(set) var advertisements = 0
  /// The numbers of data packets that the host sent and received.
  package private(set) var sentData = 0
  package private(set) var receivedData = 0
  package var allData: Int { sentData + receivedData }
  /// The number of packets on the air.
  package private(set) var airPackets = 0
  /// The first packet that needs one of the other direction, while the capture has none: a response
  /// or confirmation, or a request or indication that follows another one of its kind on its
  /// connection, which is sent only after the answer (Core, Vol 3, Part F, 3.3.2).
  package private(set) var unpaired: Int?
  /// The last request or indication, until there is data of both directions.
  private var requesting: (connection: Int, isIndication: Bool)?
  /// Whether the capture does not contain the direction of packets.
  package private(set) var infersDirections = false
  /// Whether it contains Number Of Completed Packets events.
  package private(set) var reportsCompletedPackets = false
  /// Places where its clock goes back by more than a second.
  package private(set) var stepsBack = ClockJumps()
  /// Places where nothing was captured for more than an hour.
  package private(set) var pauses = ClockJumps()
  /// The source's summary; nil before the end.
  package private(set) var summary: CaptureSummary?
  /// The places where damage ends one of several files and another follows.
  package private(set) var holes: [CaptureSummary.Hole] = []
  /// Whether damage ended the capture early.
  package private(set) var endsDamaged = false
  /// The number of connections that are not remembered because there were too many.
  package private(set) var unlistedConnections = 0
  private var previous: Timestamp?

  package var isOfPacketLogger: Bool { summary?.format == .packetLogger }
  /// Whether the records are of Android's summary for bug reports.
  package var isOfBtsnooz: Bool { summary?.format == .btsnooz }
  /// Whether each record contains the number of records dropped before it, and the file is not an
  /// export of selected records.
  var countsDrops: Bool { summary?.format == .btsnoop }
  /// Whether the Linux monitor recorded it: btmon, or a link type that only it has.
  package private(set) var isOfLinux = false

  /// Whether records are missing somewhere.
  package var hasGaps: Bool { dropped > 0 || endsDamaged || !holes.isEmpty }
  /// Whether there are records that could not be read and whose place is unknown.
  package var lacksUnplaced: Bool { holes.contains { $0.after == nil } }

  private static let mostDrops = 16
  /// Captures of several sources are out of order by less.
  private static let leastStepBack: Int64 = 1_000_000_000
  private static let leastPause: Int64 = 3_600_000_000_000

  /// Records a packet.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    records += 1
    lastPacket = packet.record.number
    if let time = packet.record.time, time.isWritable { observe(time, packet.record.number) }
    // After a gap another clock may be used, and a pause may be shorter than it seems.
    if packet.record.isGapNote || packet.record.followsDamage { previous = nil }
    if packet.record.drops > 0 {
      dropped.add(clamped: packet.record.drops)
      if drops.count < Self.mostDrops { drops.append(packet.record.number) }
    }
    if packet.record.isTruncated {
      truncated += 1
      if cuts.count < Self.mostDrops { cuts.append(packet.record.number) }
    }
    if !isOfLinux, case .monitor = packet.record.framing { isOfLinux = true }
    switch packet.dissection.content {
    case .command: commands += 1
    case .event:
      events += 1
      if case .completedPackets = packet.dissection.fact { reportsCompletedPackets = true }
      advertisements &+= memory.advertisements.reports.count
    case .acl:
      if packet.record.direction == .sent { sentData += 1 } else { receivedData += 1 }
      if packet.record.isTruncated { truncatedData += 1 }
      // Where a sniffer's side comes from is known for each packet.
      if packet.answer.air != nil {
        airPackets += 1
      } else if packet.record.isDirectionInferred {
        infersDirections = true
      }
      // Each enhanced bearer has its own requests.
      if unpaired == nil, sentData == 0 || receivedData == 0, packet.answer.channel == nil,
        let opcode = packet.dissection.att?.opcode
      {
        observeOneSided(
          opcode, packet.record.number, packet.answer.link.map { memory.links.id($0) } ?? 0)
      }
    case .control(let control):
      controls += 1
      if control.isEvent, control.code == ManagementEvent.deviceFound { advertisements &+= 1 }
    case .unknown: undecoded += 1
    case .note: notes += 1
    case .advertising:
      airPackets += 1
      advertisements &+= memory.advertisements.reports.count
    case .linkData, .linkControl: airPackets += 1
    case .sco, .iso, .controllerLog: break
    }
  }

  private mutating func observeOneSided(_ opcode: ATTOpcode, _ packet: Int, _ connection: Int) {
    switch opcode.role {
    case .request, .indication:
      let isIndication = opcode.role == .indication
      if requesting?.connection == connection, requesting?.isIndication == isIndication {
        unpaired = packet
      }
      requesting = (connection, isIndication)
    case .response, .confirmation: unpaired = packet
    case .unacknowledged: break
    }
  }

  private mutating func observe(_ time: Timestamp, _ packet: Int) {
    defer { previous = time }
    guard let earliest, let latest else { return (earliest, latest) = (time, time) }
    if !time.isEarlier(than: latest) {
      self.latest = time
    } else if time.isEarlier(than: earliest) {
      self.earliest = time
    }
    guard let previous else { return }
    // Nearly every record is within the same second as the one before.
    if time.seconds == previous.seconds { return }
    let step = time.nanoseconds(since: previous)
    if step < -Self.leastStepBack {
      stepsBack.add(packet, step == .min ? .max : -step)
    } else if step > Self.leastPause {
      pauses.add(packet, step)
    }
  }

  /// Processes the end of the capture.
  mutating func finish(
    _ summary: CaptureSummary?, _ failure: CaptureFailure?, unlistedConnections: Int
  ) {
    self.summary = summary
    let all = summary?.holes ?? []
    holes = all.filter { $0.after != lastPacket }
    endsDamaged = all.isEmpty ? failure != nil : holes.count < all.count
    self.unlistedConnections = unlistedConnections
    if summary?.lacksDirection == true { infersDirections = true }
  }
}

extension Evidence {
  /// The connections that were open when the capture began.
  package var begunEarlier: [ConnectionHistory] {
    connections.filter { $0.connection.isOpeningMissing && !mayHaveBegunUnseen($0) }
  }

  /// The connections that may have been open when the capture began, or may have been opened where
  /// records are missing.
  package var begunUnseen: [ConnectionHistory] {
    connections.filter { $0.connection.isOpeningMissing && mayHaveBegunUnseen($0) }
  }

  /// Returns whether records are missing before the first one of a connection.
  package func mayHaveBegunUnseen(_ history: ConnectionHistory) -> Bool {
    history.connection.isOpeningLost || extent.lacksUnplaced
  }

  /// Whether a host's capture contains only data: no command or event describes the links.
  package var hasDataAlone: Bool {
    vantage == .host && extent.commands + extent.events == 0 && extent.allData > 0
  }

  /// Whether the capture contains records of the management interface, but no HCI packet.
  package var hasManagementAlone: Bool {
    extent.controls > 0
      && extent.commands + extent.events + extent.allData + extent.airPackets == 0
  }

  /// The minimum number of records that are missing although the capture does not report it: data
  /// that was completed but not sent, and commands that were answered but not given.
  package var unseenRecords: Int {
    guard extent.dropped == 0, !extent.infersDirections else { return 0 }
    return unseenData &+ adapters.reduce(0) { $0 &+ $1.commands.orphanCount }
  }

  /// Whether the capture omits all data: the controller counted some, or the format may omit it.
  package var lacksData: Bool {
    extent.allData == 0
      && (coverage.parts.contains(.accounting) || extent.summary?.format == .btsnooz)
  }

  /// The number of missing data packets. If the capture has no data at all, it was left out rather
  /// than lost.
  package var unseenData: Int {
    extent.sentData == 0 ? 0 : connections.reduce(0) { $0 &+ $1.link.unseenSent }
  }

  /// What the capture lacks, for the line at the top of the page. If nothing is missing, the line
  /// reports that.
  package var lacks: [Wording] {
    var words: [Wording] = []
    if extent.dropped > 0 {
      words.append("\(count: Int(clamping: extent.dropped), "record", "records") dropped")
    } else if unseenRecords > 0 {
      words.append("records missing")
    } else if extent.countsDrops, !hasDataAlone {
      words.append("no packets lost")
    }
    if extent.airPackets > 0 { words.append("from the air") }
    if lacksData { words.append("commands and events only, no data") }
    let (begun, unseen) = (begunEarlier.count, begunUnseen.count)
    if hasManagementAlone {
      words.append("management interface only, no HCI packets")
    } else if hasDataAlone {
      words.append("data only, no commands and events")
    } else if begun > 0 {
      words.append("starts in the middle of \(count: begun, "connection", "connections")")
    } else if unseen == 0, !connections.isEmpty {
      // Short, so that the verdict is on the second line.
      words.append("includes connection setup")
    }
    if unseen > 0, !hasDataAlone {
      words.append("opening of \(count: unseen, "connection", "connections") missing")
    }
    if extent.truncated > 0 {
      words.append("\(count: extent.truncated, "record", "records") cut short")
    }
    if extent.infersDirections { words.append("no direction") }
    words += extent.holes.prefix(Self.mostHoles).map { hole in
      hole.after.map { "damaged after \(packet: $0)" } ?? "\(hole.fileWords) damaged"
    }
    if extent.endsDamaged { words.append("damaged at its end") }
    if let unlisted { words.append(unlisted) }
    return words
  }

  /// The number of holes in the line; the findings have all of them.
  private static let mostHoles = 3

  /// Whether not all connections are kept, so that their counts may be too small.
  package var omitsConnections: Bool { extent.unlistedConnections > 0 }

  /// A remark that connections were left out because there were too many, or nil if none were.
  package var unlisted: Wording? {
    guard extent.unlistedConnections > 0 else { return nil }
    return
      "covers only the first \(connections.count) connections, \(extent.unlistedConnections) omitted"
  }
}

extension CaptureSummary.Hole {
  /// The damaged file, without its folder: `btsnoop_hci.log.last`.
  package var fileWords: Wording {
    guard let file = failure.file else { return "a file" }
    let name = file.split(separator: "/").last ?? "-"
    return Wording(printable: Array(CaptureFailure.subject(String(name)).utf8).bytes)
  }
}
