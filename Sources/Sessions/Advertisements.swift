import Bluetooth
package import Bytes
package import Dissectors

/// One report of the current packet, with what it completes.
package struct Advertisement: Sendable {
  /// The report.
  package let report: AdvertisingReport
  /// Where its data stands in `Advertisements.joined`, if it completes a chain of fragments;
  /// otherwise the report's own slice of the packet's bytes is all.
  package var joined: Slice?
  /// Where the packets of the chain stand in `Advertisements.packets`.
  package var chain: Range<Int>?
  /// Whether the report's data is no advertisement by itself: it goes on, or its beginning was given
  /// up.
  package var isPart = false
  /// Which part of a chain the report's data is, from 1; 0 where it is none or that is not known.
  package var partNumber = 0
  /// Whether the first part of what the report's data is a part of seems to lie before the capture's
  /// beginning or in a gap: the data does not begin as advertising data does.
  package var lacksFirstPart = false
  /// Whether the report's data is a part of more that holds a secret, or may hold one.
  package var mayHoldSecret = false
  /// Of a report that carries a sync handle: who sends the train, where that was seen.
  package var train: PeriodicTrain?
}

/// The advertising reports of the current packet, and the extended ones that are still incomplete.
package struct Advertisements: Sendable {
  /// What fragments must have in common to belong together.
  private struct Key: Equatable, Sendable {
    let adapter: UInt16
    let kind: AdvertisingReport.Kind
    let addressType: AddressType
    let address: DeviceAddress?
    let sid: UInt8?
    let syncHandle: UInt16?
    let isScanResponse: Bool
    /// Set, subevent and slot of a response; the subevent of periodic advertising.
    let slot: UInt32

    init(_ adapter: UInt16, _ report: AdvertisingReport) {
      self.adapter = adapter
      kind = report.kind
      addressType = report.addressType
      address = report.address
      sid = report.sid
      syncHandle = report.syncHandle
      isScanResponse = report.isScanResponse
      slot =
        UInt32(report.advertisingHandle ?? 0) << 16 | UInt32(report.subevent ?? 0xff) << 8
        | UInt32(report.responseSlot ?? 0)
    }
  }

  private struct Chain: Sendable {
    var key: Key?
    var data: [UInt8] = []
    var packets: [Int] = []
    var lastPacket = 0
    var parts = 0
    /// Whether its first part seems to be missing.
    var lacksFirstPart = false
    /// Whether it has grown over the limit or lacks bytes: then only its end is waited for.
    private(set) var isGivenUp = false

    /// From now on only its end is waited for.
    mutating func giveUp() { isGivenUp = true }

    /// Whether its data holds a secret or a piece of one, or cannot be told.
    var mayHoldSecret: Bool {
      isGivenUp || ADStructures.holdSecret(data.bytes, Slice(start: 0, count: data.count))
    }

    /// Begins anew.
    mutating func begin(_ key: Key) {
      self.key = key
      isGivenUp = false
      lacksFirstPart = false
      parts = 0
      data.removeAll(keepingCapacity: true)
      packets.removeAll(keepingCapacity: true)
    }
  }

  /// The reports of the current packet.
  package private(set) var reports: [Advertisement] = []
  /// Whether one of them may be a part of something secret.
  package var mayHoldSecret: Bool { reports.contains { $0.mayHoldSecret } }
  /// The data of those that complete a chain.
  package private(set) var joined: [UInt8] = []
  /// The packets of those chains.
  package private(set) var packets: [Int] = []
  private var chains: [Chain] = []
  private var hasSaidForgotten = false
  private var hasSaidNumbers = false
  private var trains: PeriodicTrains
  private var hasSaidTrains = false
  /// Since when nothing is known to be missing: parts may lie before that.
  private var seenSince: Timestamp?
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  /// The parts of one advertisement arrive within this time: its last part may not be sent later
  /// than some seconds after the first (each points at most 2.46 s ahead).
  private static let chainNanoseconds: Int64 = 5_000_000_000

  init(_ limits: SharedLimits) {
    shared = limits
    trains = PeriodicTrains(limit: limits.values.periodicTrains)
  }

  /// The capture begins, or lacks records before one of this time: chains that were open are
  /// incomplete, and what comes may be a later part.
  mutating func lose(before time: Timestamp?, of adapter: UInt16?) {
    seenSince = time
    for position in chains.indices {
      if adapter == nil || chains[position].key?.adapter == adapter { chains[position].key = nil }
    }
  }

  /// Notes that a train was found, passed on or lost, by the parameters behind a subevent code.
  @_lifetime(cursor: copy cursor)
  mutating func observeTrain(
    _ subevent: UInt8, _ cursor: inout Cursor, adapter: UInt16, _ problems: inout Problems
  ) {
    if subevent == PeriodicSync.lost {
      if let handle = try? cursor.u16() { trains.lose(adapter, handle) }
    } else if let sync = try? PeriodicSync(subevent: subevent, parsing: &cursor) {
      trains.learn(adapter, sync)
      if trains.hasForgotten, !hasSaidTrains {
        hasSaidTrains = true
        problems.add(Problem(.limitReached, limits.periodicTrains))
      }
    }
  }

  /// Whether the first part of what a report holds may lie outside what was seen.
  private func mayLackFirstPart(at time: Timestamp?) -> Bool {
    guard let time, let seenSince else { return true }
    return time.nanoseconds(since: seenSince) < Self.chainNanoseconds
  }

  /// Forgets the reports of the packet before.
  mutating func clear() {
    reports.removeAll(keepingCapacity: true)
    joined.removeAll(keepingCapacity: true)
    packets.removeAll(keepingCapacity: true)
  }

  /// Reads the reports of an event, as far as they are there: where the list and its count disagree
  /// the event's row has said so.
  mutating func observe(
    _ event: RawSpan, body: Slice, adapter: UInt16, packet: Int, time: Timestamp?,
    _ problems: inout Problems
  ) {
    guard let list = AdvertisingReports(event: event, body: body) else { return }
    var cursor = Cursor(event, list.list)
    for _ in 0..<list.claimed {
      guard let report = list.next(&cursor) else { return }
      var advertisement = join(
        report, event.part(report.data), adapter: adapter, packet: packet, time: time, &problems)
      if let handle = report.syncHandle { advertisement.train = trains.find(adapter, handle) }
      check(advertisement, event, &problems)
      reports.append(advertisement)
    }
  }

  /// Only data that is all there can be broken.
  private func check(
    _ advertisement: Advertisement, _ event: RawSpan, _ problems: inout Problems
  ) {
    guard !advertisement.isPart, !advertisement.report.isCut,
      advertisement.report.dataStatus == .complete
    else { return }
    if let joined = advertisement.joined {
      // It stands in no place of this record.
      ADStructures.check(self.joined.bytes, joined, hasPlace: false, &problems)
    } else {
      ADStructures.check(event, advertisement.report.data, &problems)
    }
  }

  private mutating func join(
    _ report: AdvertisingReport, _ data: RawSpan, adapter: UInt16, packet: Int, time: Timestamp?,
    _ problems: inout Problems
  ) -> Advertisement {
    var advertisement = Advertisement(report: report)
    switch report.kind {
    case .extended, .periodic, .response: break
    case .legacy, .directed, .bigInfo: return advertisement
    }
    let key = Key(adapter, report)
    let open = chains.firstIndex { $0.key == key }
    if report.isCut {
      // What the capture did not keep is missing in the chain.
      guard open != nil || report.dataStatus == .incomplete else { return advertisement }
      let position = open ?? begin(key, at: time, &problems)
      advertisement.isPart = true
      advertisement.mayHoldSecret = true
      chains[position].lastPacket = packet
      chains[position].giveUp()
      return advertisement
    }
    if report.dataStatus == .incomplete {
      advertisement.isPart = true
      let position = open ?? begin(key, at: time, &problems)
      if open == nil, lacksFirstPart(report, data, at: time) {
        chains[position].lacksFirstPart = true
        chains[position].giveUp()
      }
      advertisement.lacksFirstPart = chains[position].lacksFirstPart
      extend(position, with: data, packet: packet, &problems)
      if !chains[position].isGivenUp {
        chains[position].parts += 1
        advertisement.partNumber = chains[position].parts
      }
      advertisement.mayHoldSecret = chains[position].mayHoldSecret
    } else if let open, chains[open].isGivenUp {
      advertisement.isPart = true
      advertisement.mayHoldSecret = true
      advertisement.lacksFirstPart = chains[open].lacksFirstPart
      chains[open].key = nil
    } else if let open {
      let start = joined.count
      let firstPacket = packets.count
      joined.append(contentsOf: chains[open].data)
      joined.append(data)
      packets.append(contentsOf: chains[open].packets)
      packets.append(packet)
      advertisement.joined = Slice(start: start, count: joined.count - start)
      advertisement.chain = firstPacket..<packets.count
      advertisement.mayHoldSecret = ADStructures.holdSecret(
        joined.bytes, Slice(start: start, count: joined.count - start))
      chains[open].key = nil
    } else if report.dataStatus == .complete, lacksFirstPart(report, data, at: time) {
      advertisement.isPart = true
      advertisement.mayHoldSecret = true
      advertisement.lacksFirstPart = true
    }
    return advertisement
  }

  /// Whether data that no part was seen before does not begin as advertising data does, and so may
  /// be the end of something. Legacy PDUs come in one part.
  private func lacksFirstPart(
    _ report: AdvertisingReport, _ data: RawSpan, at time: Timestamp?
  ) -> Bool {
    guard report.legacyName == nil, data.byteCount > 0, mayLackFirstPart(at: time) else {
      return false
    }
    let slice = Slice(start: 0, count: data.byteCount)
    return !ADStructures.begin(data, slice, goesOn: report.dataStatus == .incomplete)
  }

  private mutating func extend(
    _ position: Int, with data: RawSpan, packet: Int, _ problems: inout Problems
  ) {
    chains[position].lastPacket = packet
    guard !chains[position].isGivenUp else { return }
    guard chains[position].data.count + data.byteCount <= limits.advertisingBytes else {
      chains[position].giveUp()
      problems.add(Problem(.advertisementTooLong, limits.advertisingBytes))
      return
    }
    chains[position].data.append(data)
    if chains[position].packets.count < limits.fragmentNumbers {
      chains[position].packets.append(packet)
    } else if !hasSaidNumbers {
      hasSaidNumbers = true
      problems.add(Problem(.fragments, limit: limits.fragmentNumbers))
    }
  }

  /// Forgets the chains of an adapter that was reset or went away: what it reports later is new.
  mutating func forget(_ adapter: UInt16) {
    for position in chains.indices where chains[position].key?.adapter == adapter {
      chains[position].key = nil
    }
    trains.forget(adapter)
  }

  /// A place for a new chain: a free one, or the one that waited longest.
  private mutating func begin(
    _ key: Key, at time: Timestamp?, _ problems: inout Problems
  ) -> Int {
    let position: Int
    if let free = chains.firstIndex(where: { $0.key == nil }) {
      position = free
    } else if chains.count < max(1, limits.advertisingChains) {
      chains.append(Chain())
      position = chains.count - 1
    } else {
      position = chains.indices.min { chains[$0].lastPacket < chains[$1].lastPacket } ?? 0
      if !hasSaidForgotten { problems.add(Problem(.limitReached, limits.advertisingChains)) }
      hasSaidForgotten = true
      // What comes may be a later part of what was forgotten.
      seenSince = time
    }
    chains[position].begin(key)
    return position
  }
}
