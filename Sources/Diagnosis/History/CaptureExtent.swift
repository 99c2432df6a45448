package import Bluetooth
import Bytes
package import Captures
import Dissectors
import Sessions

/// The capture as a whole: how long it is, and what it lacks.
package struct CaptureExtent: Sendable {
  /// The clock going where no clock goes: back, or forward by hours.
  package struct ClockJumps: Sendable {
    /// How often.
    package var count = 0
    /// The packets behind the first ones.
    package var packets = PacketSet()
    /// The largest, in nanoseconds.
    package var largest: Int64 = 0

    private static let most = 8

    mutating func add(_ packet: Int, _ nanoseconds: Int64) {
      count &+= 1
      largest = max(largest, nanoseconds)
      if count <= Self.most { packets.insert(packet) }
    }
  }

  /// Records.
  package private(set) var records = 0
  /// The number of the last one.
  package private(set) var lastPacket = 0
  /// The first time of all.
  package private(set) var earliest: Timestamp?
  /// The last time of all.
  package private(set) var latest: Timestamp?
  /// Records that the capture says were dropped.
  package private(set) var dropped: UInt64 = 0
  /// The packets in front of which they were, the first ones.
  package private(set) var drops: [Int] = []
  /// Records whose end the capture did not keep.
  package private(set) var truncated = 0
  /// The first ones of them.
  package private(set) var cuts: [Int] = []
  /// How many of them are data.
  package private(set) var truncatedData = 0
  /// Commands.
  package private(set) var commands = 0
  /// Events.
  package private(set) var events = 0
  /// Records of the kernel's management interface.
  package private(set) var controls = 0
  /// Advertising reports, and devices that the management interface has found.
  package private(set) var advertisements = 0
  /// Data packets that the host has sent.
  package private(set) var sentData = 0
  /// Data packets that it has received.
  package private(set) var receivedData = 0
  /// Whether the capture does not say which way packets went.
  package private(set) var infersDirections = false
  /// Whether it has Number Of Completed Packets events.
  package private(set) var tellsCompleted = false
  /// Where its clock goes back by more than a second.
  package private(set) var stepsBack = ClockJumps()
  /// Where nothing was captured for more than an hour.
  package private(set) var pauses = ClockJumps()
  /// What its source says of it; nil before the end.
  package private(set) var summary: CaptureSummary?
  /// What ended it before its end, where something did.
  package private(set) var failure: CaptureFailure?
  /// Connections that are not remembered, since there were too many.
  package private(set) var unlistedConnections = 0
  private var previous: Timestamp?

  /// Nothing seen.
  init() {}

  /// Whether Apple's PacketLogger recorded it.
  var isOfPacketLogger: Bool { summary?.format == .packetLogger }
  /// Whether each record says how many were dropped before it, and the file is not an export of some of them.
  var countsDrops: Bool { summary?.format == .btsnoop }
  /// Whether the Linux monitor recorded it: btmon, or a link type that only it has.
  package private(set) var isOfLinux = false

  /// Whether records are missing somewhere.
  package var hasGaps: Bool { dropped > 0 || failure != nil }

  private static let mostDrops = 16
  /// Captures of several sources are out of order by less.
  private static let leastStepBack: Int64 = 1_000_000_000
  private static let leastPause: Int64 = 3_600_000_000_000

  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    records += 1
    lastPacket = record.number
    if let time = record.time, time.isWritable { observe(time, record.number) }
    // Behind it another clock may go on.
    if record.isGapNote { previous = nil }
    if record.drops > 0 {
      dropped.add(clamped: record.drops)
      if drops.count < Self.mostDrops { drops.append(record.number) }
    }
    if record.isTruncated {
      truncated += 1
      if cuts.count < Self.mostDrops { cuts.append(record.number) }
    }
    if !isOfLinux, case .monitor = record.framing { isOfLinux = true }
    switch dissection.content {
    case .command: commands += 1
    case .event(let event):
      events += 1
      if event.code == HCIEvent.numberOfCompletedPacketsCode { tellsCompleted = true }
      advertisements &+= memory.advertisements.reports.count
    case .acl:
      if record.direction == .sent { sentData += 1 } else { receivedData += 1 }
      if record.isTruncated { truncatedData += 1 }
      if record.isDirectionInferred { infersDirections = true }
    case .control(let control):
      controls += 1
      if control.isEvent, control.code == ManagementEvent.deviceFound { advertisements &+= 1 }
    case .sco, .iso, .controllerLog, .note, .unknown: break
    }
  }

  private mutating func observe(_ time: Timestamp, _ packet: Int) {
    defer { previous = time }
    guard let earliest, let latest else {
      (earliest, latest) = (time, time)
      return
    }
    if !time.isEarlier(than: latest) {
      self.latest = time
    } else if time.isEarlier(than: earliest) {
      self.earliest = time
    }
    guard let previous else { return }
    // Nearly every record comes within a second of the one before.
    if time.seconds == previous.seconds { return }
    let step = time.nanoseconds(since: previous)
    if step < -Self.leastStepBack {
      stepsBack.add(packet, step == .min ? .max : -step)
    } else if step > Self.leastPause {
      pauses.add(packet, step)
    }
  }

  /// Takes the end.
  mutating func finish(
    _ summary: CaptureSummary?, _ failure: CaptureFailure?, unlistedConnections: Int
  ) {
    self.summary = summary
    self.failure = failure
    self.unlistedConnections = unlistedConnections
    if summary?.lacksDirection == true { infersDirections = true }
  }
}

extension Evidence {
  /// The connections of which the capture has no beginning.
  package var begunEarlier: [ConnectionHistory] {
    connections.filter { $0.connection.isOpeningMissing }
  }

  /// Whether the capture has data and nothing else: no command and no event tells of links.
  package var hasDataAlone: Bool {
    extent.commands == 0 && extent.events == 0 && extent.sentData + extent.receivedData > 0
  }

  /// Whether the capture has records of the management interface, and not one HCI packet.
  package var hasManagementAlone: Bool {
    extent.controls > 0
      && extent.commands + extent.events + extent.sentData + extent.receivedData == 0
  }

  /// How many records are missing, at least, without the capture's saying so: data that was completed and
  /// not sent, commands that were answered and not given.
  package var unseenRecords: Int {
    guard extent.dropped == 0, !extent.infersDirections else { return 0 }
    return unseenData &+ adapters.reduce(0) { $0 &+ $1.commands.orphanCount }
  }

  /// Whether the capture leaves out all data: the controller counted some, or the format may omit it.
  package var lacksData: Bool {
    extent.sentData + extent.receivedData == 0
      && (coverage.parts.contains(.accounting) || extent.summary?.format == .btsnooz)
  }

  /// The number of missing data packets. If the capture has no data at all, it was left out rather than lost.
  var unseenData: Int {
    extent.sentData == 0 ? 0 : connections.reduce(0) { $0 &+ $1.link.unseenSent }
  }

  /// What the capture lacks, for the line that begins the page; where nothing is missing it says so.
  package var lacks: [Wording] {
    var words: [Wording] = []
    if extent.dropped > 0 {
      words.append("\(count: Int(clamping: extent.dropped), "record", "records") dropped")
    } else if unseenRecords > 0 {
      words.append("records missing")
    } else if extent.countsDrops, !hasDataAlone {
      words.append("nothing dropped")
    }
    if lacksData {
      words.append("commands and events only, no data")
    }
    let begun = begunEarlier.count
    if hasManagementAlone {
      words.append("management interface only, no HCI packets")
    } else if hasDataAlone {
      words.append("data only, no commands and events")
    } else if begun > 0 {
      words.append("starts in the middle of \(count: begun, "connection", "connections")")
    } else if !connections.isEmpty {
      // Short: the verdict is to stand on the second line.
      words.append("connecting seen")
    }
    if extent.truncated > 0 {
      words.append("\(count: extent.truncated, "record", "records") cut short")
    }
    if extent.infersDirections { words.append("no direction") }
    if extent.failure != nil { words.append("damaged at its end") }
    if let unlisted { words.append(unlisted) }
    return words
  }

  /// That connections were left out, where there were too many; nil where none were.
  package var unlisted: Wording? {
    guard extent.unlistedConnections > 0 else { return nil }
    return
      "told of the first \(connections.count) connections alone, \(extent.unlistedConnections) left out"
  }
}
