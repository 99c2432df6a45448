package import Bluetooth
import Bytes
import Dissectors

/// The number of a device's reports of each kind.
package struct ReportCounts: Sendable {
  private var numbers = SIMD16<UInt32>(repeating: 0)

  package subscript(event: AdvertisingEvent) -> Int { Int(numbers[Int(event.rawValue)]) }

  package var all: Int { Int(numbers.wrappedSum()) }

  /// The number of advertising reports that controllers sent.
  package var advertising: Int {
    var reports = 0
    for event in AdvertisingEvent.all where event.isReport { reports += self[event] }
    return reports
  }

  mutating func add(_ event: AdvertisingEvent) { numbers[Int(event.rawValue)] &+= 1 }

  mutating func add(_ other: ReportCounts) { numbers &+= other.numbers }
}

/// A device that advertised, or with which a connection was made. It is large, so loops over
/// many devices read single properties in place: a copy costs more than most of their work.
package struct Advertiser: Sendable {
  /// A stream of reports, with what is known about it.
  private struct Stream: Sendable {
    var stream: AdvertisingStream
    /// The index of its last payload.
    var payload: Int
    /// The time of its last advertising event; the adapter and the scan that reported it follow.
    var time: Timestamp?
    var adapter: AdapterIndex
    var scan: Int
    var gaps = AdvertisingGaps()
    /// The gaps of a scan that may have filtered duplicates.
    var doubtfulGaps = AdvertisingGaps()
    var doubtfulScan = 0
  }

  /// What was measured in a scan that may have filtered duplicates.
  private struct Doubtful: Sendable {
    let scan: Int
    var reports = 0
    var isPaused = false
    var signals = SignalLevels()
  }

  /// A scan response that came after an advertisement.
  package struct Join: Sendable {
    /// The index of the advertisement in `payloads`.
    package let advertisement: Int
    /// The index of the response in `payloads`.
    package let response: Int
    /// How often this pair occurred.
    package fileprivate(set) var count: Int
  }

  /// The key that identifies it and distinguishes it from others.
  package let key: UInt64
  /// Its address; nil if it is anonymous or not known.
  package private(set) var address: DeviceAddress?
  /// The sync handle of a train whose advertiser is not known.
  package let syncHandle: UInt16?
  /// The address types that it was seen with: bit n for type n.
  package private(set) var types: UInt8 = 0
  /// Its identity address, if a key resolved the address or the device sent it.
  package internal(set) var identity: DeviceAddress?
  package internal(set) var identityType: AddressType?
  /// Other addresses that it used, up to a limit.
  package private(set) var otherAddresses: [DeviceAddress] = []
  /// The number of reports of each kind.
  package private(set) var counts = ReportCounts()
  /// The first packet that mentions it, with a report or a connection.
  package private(set) var firstPacket: Int
  /// The first packet with a report of it; 0: none.
  package private(set) var firstReport = 0
  package private(set) var firstTime: Timestamp?
  /// The last packet with a report of it; 0: none.
  package private(set) var lastPacket = 0
  package private(set) var lastTime: Timestamp?
  /// The RSSI of the first report that has one.
  package private(set) var firstSignal: Int8?
  /// The RSSI of the last report that has one.
  package private(set) var lastSignal: Int8?
  /// The RSSI of its reports from scans known not to filter duplicates.
  package private(set) var signals = SignalLevels()
  /// Reports while duplicates were filtered, and while that was unknown.
  package private(set) var filteredReports = 0
  package var doubtfulReports: Int { otherDoubtful + doubtful.reduce(0) { $0 + $1.reports } }
  private var doubtful: [Doubtful] = []
  private var otherDoubtful = 0
  /// Whether a scan that heard it was paused, so that events may have been missed.
  package private(set) var scanPaused = false
  /// The PHYs of its advertisements, bit n for PHY n: on the primary and on the secondary channels.
  package private(set) var primaryPHYs: UInt8 = 0
  package private(set) var secondaryPHYs: UInt8 = 0
  /// The channels on which a sniffer received it, bit n for channel index n.
  package private(set) var channels: UInt64 = 0
  /// Whether it was connectable, and whether it was not, at any time.
  package private(set) var wasConnectable = false
  package private(set) var wasNotConnectable = false
  /// The target of its last directed advertisement.
  package private(set) var called: DeviceAddress?
  /// The interval of its periodic train, in units of 1.25 ms.
  package private(set) var periodicInterval: UInt16?
  package private(set) var payloads = Payloads()
  /// Which scan response followed which advertisement, up to a limit.
  package private(set) var joins: [Join] = []
  /// How often the data of a stream changed.
  package private(set) var changes = 0
  /// The packet of the last change.
  package private(set) var lastChange = 0
  /// The numbers of its connections, up to a limit, and their count.
  package var connections: [Int] { connectionNumbers.first }
  package var connectionCount: Int { connectionNumbers.count }
  /// The number of its last connection; 0: none.
  package var latestConnection: Int { connectionNumbers.latest }
  private var connectionNumbers = ConnectionNumbers()
  /// Whether it was only connected over BR/EDR, or answered an inquiry.
  package private(set) var isClassic = false
  private var streams: [Stream] = []
  /// The advertisement that the next scan response belongs to.
  private var latestAdvertisement: Int?
  /// Whether it was heard again since room was last made.
  var wasHeardLately = false

  private static let streamLimit = 8
  private static let doubtfulLimit = 4
  /// A controller that filters duplicates would not report the same data again within this time.
  private static let soon: Int64 = 1_000_000_000
  private static let joinLimit = 32
  private static let addressLimit = 16
  private static let connectionLimit = 16

  init(_ key: UInt64, _ address: DeviceAddress?, sync: UInt16?, packet: Int) {
    self.key = key
    self.address = address
    syncHandle = sync
    firstPacket = packet
  }

  /// The number of reports of all kinds.
  package var reports: Int { counts.all }

  /// Whether it appears in HCI reports.
  var hasReports: Bool { firstReport > 0 && counts[.management] < reports }

  /// The kind of its address: as the controller resolved it, if it did.
  package var addressKind: AddressKind? { Self.kind(address, types) }

  /// Returns the kind of an address that was seen with some types.
  package static func kind(_ address: DeviceAddress?, _ types: UInt8) -> AddressKind? {
    guard let address, types != 0 else { return nil }
    func has(_ type: AddressType) -> Bool { types >> type.rawValue & 1 == 1 }
    if has(.publicIdentity) { return AddressKind(address, .publicIdentity) }
    if has(.randomIdentity) { return AddressKind(address, .randomIdentity) }
    if has(.public) { return AddressKind(address, .public) }
    return has(.random) ? AddressKind(address, .random) : nil
  }

  /// The gaps of the stream with the most gaps.
  package var gaps: AdvertisingGaps? {
    var most: Int?
    for place in streams.indices where streams[place].gaps.isEnough {
      if streams[place].gaps.count > most.map({ streams[$0].gaps.count }) ?? 0 { most = place }
    }
    return most.map { streams[$0].gaps }
  }

  /// Records a type of its address.
  mutating func note(_ type: AddressType) {
    if type.rawValue < 8 { types |= 1 << type.rawValue }
  }

  /// Counts a report, and records its packet, time and signal.
  mutating func count(_ event: AdvertisingEvent, packet: Int, time: Timestamp?, signal: Int8?) {
    counts.add(event)
    if firstReport == 0 {
      (firstReport, firstTime) = (packet, time)
    } else {
      wasHeardLately = true
    }
    if firstSignal == nil { firstSignal = signal }
    if let signal { lastSignal = signal }
    goesOn(packet, time)
    if event == .inquiry { isClassic = true }
  }

  /// Records a further packet of an advertisement that is already counted.
  mutating func goesOn(_ packet: Int, _ time: Timestamp?) {
    lastPacket = packet
    lastTime = time
  }

  /// Records that it was found over BR/EDR.
  mutating func noteClassic() { isClassic = true }

  /// Records a channel on which a sniffer received it.
  mutating func note(channel: UInt8) {
    if channel < 40 { channels |= 1 << UInt64(channel) }
  }

  /// Records the properties in a report of the device's advertising.
  mutating func note(_ report: AdvertisingReport) {
    if let phy = report.primaryPHY, phy < 8 { primaryPHYs |= 1 << phy }
    if let phy = report.secondaryPHY, phy > 0, phy < 8 { secondaryPHYs |= 1 << phy }
    if let interval = report.periodicInterval, interval != 0 { periodicInterval = interval }
    if let direct = report.directAddress, direct != .zero { called = direct }
    guard !report.isScanResponse else { return }
    switch report.kind {
    case .legacy where report.eventType <= 1, .directed: wasConnectable = true
    case .extended where report.eventType & 1 == 1: wasConnectable = true
    // A reserved type does not show whether it is connectable.
    case .legacy where report.legacyName == nil: break
    case .legacy, .extended: wasNotConnectable = true
    case .periodic, .response, .bigInfo: break
    }
  }

  /// Adds a report to the statistics.
  mutating func measure(_ scan: Scans.Hearing, _ signal: Int8?) {
    switch scan.filtersDuplicates {
    case false?:
      if let signal { signals.add(signal) }
      if scan.isPaused { scanPaused = true }
    case true?: filteredReports += 1
    case nil:
      if doubtful.last?.scan != scan.id {
        guard doubtful.count < Self.doubtfulLimit else {
          otherDoubtful += 1
          return
        }
        doubtful.append(Doubtful(scan: scan.id))
      }
      let last = doubtful.count - 1
      doubtful[last].reports += 1
      doubtful[last].isPaused = doubtful[last].isPaused || scan.isPaused
      if let signal { doubtful[last].signals.add(signal) }
    }
  }

  /// Adds what was measured in scans of which `isProven` now reports that they did not filter
  /// duplicates.
  mutating func settle(_ isProven: (Int) -> Bool) {
    for position in streams.indices where isProven(streams[position].doubtfulScan) {
      streams[position].gaps.absorb(streams[position].doubtfulGaps)
    }
    for found in doubtful where isProven(found.scan) {
      signals.absorb(found.signals)
      scanPaused = scanPaused || found.isPaused
    }
    doubtful.removeAll { isProven($0.scan) }
  }

  /// Records the data of a report.
  ///
  /// - Returns: whether the same data came just before in the same scan.
  mutating func record(
    _ stream: AdvertisingStream, _ data: RawSpan, isTruncated: Bool, packet: Int,
    time: Timestamp?, adapter: AdapterIndex, _ scan: Scans.Hearing?, limit: Int,
    _ budget: inout PayloadBudget
  ) -> Bool {
    let place = payloads.record(
      stream, data, isTruncated: isTruncated, packet: packet, time: time, limit: limit, &budget)
    if stream.isScanResponse {
      if place >= 0, let latestAdvertisement { join(latestAdvertisement, place) }
    } else if stream.isScannable {
      latestAdvertisement = place >= 0 ? place : nil
    }
    guard let known = streams.firstIndex(where: { $0.stream == stream }) else {
      if streams.count < Self.streamLimit {
        streams.append(
          Stream(stream: stream, payload: place, time: time, adapter: adapter, scan: scan?.id ?? 0))
      }
      return false
    }
    var isRepeated = false
    if streams[known].payload != place {
      streams[known].payload = place
      changes += 1
      lastChange = packet
    } else if let scan, streams[known].scan == scan.id, let time, let before = streams[known].time {
      isRepeated = 0...Self.soon ~= time.nanoseconds(since: before)
    }
    pace(known, time, adapter, scan)
    return isRepeated
  }

  /// Records the time since the previous event of a stream, if nothing was left out in between.
  private mutating func pace(
    _ known: Int, _ time: Timestamp?, _ adapter: AdapterIndex, _ scan: Scans.Hearing?
  ) {
    guard let scan, let time, scan.filtersDuplicates != true,
      !streams[known].stream.isScanResponse, streams[known].stream.event != .periodic
    else { return }
    if streams[known].scan == scan.id, streams[known].adapter == adapter,
      let before = streams[known].time
    {
      let gap = time.nanoseconds(since: before)
      if scan.filtersDuplicates == false {
        guard streams[known].gaps.add(gap) else { return }
      } else {
        // The gaps of one such scan are enough: there are others only if records were lost.
        if streams[known].doubtfulScan == 0 { streams[known].doubtfulScan = scan.id }
        guard streams[known].doubtfulScan != scan.id || streams[known].doubtfulGaps.add(gap) else {
          return
        }
      }
    }
    streams[known].time = time
    streams[known].scan = scan.id
    streams[known].adapter = adapter
  }

  private mutating func join(_ advertisement: Int, _ response: Int, times: Int = 1) {
    if let known = joins.firstIndex(where: {
      $0.advertisement == advertisement && $0.response == response
    }) {
      joins[known].count += times
    } else if joins.count < Self.joinLimit {
      joins.append(Join(advertisement: advertisement, response: response, count: times))
    }
  }

  /// Records a connection with the device.
  mutating func connect(_ connection: Int, isClassic: Bool) {
    let isFirst = connectionCount == 0
    guard connectionNumbers.note(connection, limit: Self.connectionLimit) else { return }
    if reports == 0, isFirst { self.isClassic = isClassic }
    wasHeardLately = true
  }

  /// Merges what is known of the same device under another address. From now on the identity, which
  /// must be known, represents them all.
  mutating func absorb(_ other: Advertiser, limit: Int) {
    counts.add(other.counts)
    types |= other.types
    firstPacket = min(firstPacket, other.firstPacket)
    if firstReport == 0 || other.firstReport > 0 && other.firstReport < firstReport {
      (firstReport, firstTime, firstSignal) =
        (other.firstReport, other.firstTime, other.firstSignal)
    }
    if other.lastPacket > lastPacket {
      (lastPacket, lastTime) = (other.lastPacket, other.lastTime)
      lastSignal = other.lastSignal ?? lastSignal
    }
    for address in [address, other.address].compactMap(\.self) + other.otherAddresses
    where address != identity && otherAddresses.count < Self.addressLimit
      && !otherAddresses.contains(address)
    {
      otherAddresses.append(address)
    }
    address = identity
    signals.absorb(other.signals)
    filteredReports += other.filteredReports
    otherDoubtful += other.doubtfulReports
    scanPaused = scanPaused || other.scanPaused
    primaryPHYs |= other.primaryPHYs
    secondaryPHYs |= other.secondaryPHYs
    channels |= other.channels
    wasConnectable = wasConnectable || other.wasConnectable
    wasNotConnectable = wasNotConnectable || other.wasNotConnectable
    called = called ?? other.called
    periodicInterval = periodicInterval ?? other.periodicInterval
    isClassic = isClassic && other.isClassic
    changes += other.changes
    lastChange = max(lastChange, other.lastChange)
    streams += other.streams
    // Streams now matter only for how regular they are.
    if streams.count > Self.streamLimit {
      streams.sort { $0.gaps.count > $1.gaps.count }
      streams.removeSubrange(Self.streamLimit...)
    }
    let places = payloads.absorb(other.payloads, limit: limit)
    for joined in other.joins {
      if let advertisement = places[joined.advertisement], let response = places[joined.response] {
        join(advertisement, response, times: joined.count)
      }
    }
    connectionNumbers.absorb(other.connectionNumbers, limit: Self.connectionLimit)
  }
}
