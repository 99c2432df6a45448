import Bluetooth
package import Bytes
package import Dissectors

/// One report of the current packet, with what it completes.
package struct Advertisement: Sendable {
  package let report: AdvertisingReport
  /// Its data in `Advertisements.joined`, if it completes a chain of fragments; otherwise the
  /// report's own slice of the packet's bytes is all of it.
  package var joined: Slice?
  /// The packets of the chain, in `Advertisements.packets`.
  package var chain: Range<Int>?
  /// Whether the report's data is not a whole advertisement: it continues, or its beginning was
  /// given up.
  package var isPart = false
  /// The number of the report's data within a chain, from 1; 0 if it is not part of one or that is
  /// unknown.
  package var partNumber = 0
  /// Whether the first part of the data seems to lie before the beginning of the capture or in a
  /// gap: the data does not begin as advertising data does.
  package var lacksFirstPart = false
  /// Whether the report's data is part of something that holds a secret, or may hold one.
  package var mayHoldSecret = false
  /// For a report with a sync handle: the train it belongs to, if that is known.
  package var train: PeriodicTrain?

  /// The kind of advertisement; nil if it is not one, or its data was not received.
  package var event: AdvertisingEvent? {
    report.dataStatus == .failed ? nil : AdvertisingEvent(report)
  }

  /// Whether it counts as a report. An advertisement in parts counts once: by its first part, or by
  /// its last if the first is missing.
  package var isCounted: Bool {
    guard event != nil else { return false }
    guard isPart else { return joined == nil }
    return partNumber == 1 || lacksFirstPart && report.dataStatus != .incomplete
  }
}

/// The advertising reports of the current packet, and the extended ones that are still incomplete.
package struct Advertisements: Sendable {
  private struct Chain: Sendable {
    var key: AdvertisingKey?
    var data: [UInt8] = []
    var packets: [Int] = []
    var lastPacket = 0
    var parts = 0
    /// Whether its first part seems to be missing.
    var lacksFirstPart = false
    /// Whether it exceeded the limit or lacks bytes, so that only its end is awaited.
    private(set) var isGivenUp = false

    /// Gives up the data: from now on only its end is awaited.
    mutating func giveUp() { isGivenUp = true }

    /// Whether its data holds a secret or part of one, or is unknown.
    var mayHoldSecret: Bool {
      isGivenUp || ADStructures.holdSecret(data.bytes, Slice(start: 0, count: data.count))
    }

    /// Begins a new chain.
    mutating func begin(_ key: AdvertisingKey) {
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
  /// Whether one of them may be part of something secret.
  package var mayHoldSecret: Bool { reports.contains { $0.mayHoldSecret } }
  /// The data of the reports that complete a chain.
  package private(set) var joined: [UInt8] = []
  /// The packets of those chains.
  package private(set) var packets: [Int] = []
  private var chains: [Chain] = []
  private var hasReportedForgotten = false
  private var hasReportedNumbers = false
  private var trains: PeriodicTrains
  /// The train that the current packet reports as lost, if it is known.
  package private(set) var lostTrain: PeriodicTrain?
  private var hasReportedTrains = false
  private var starts: AdvertisingStarts
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  init(_ limits: SharedLimits) {
    shared = limits
    trains = PeriodicTrains(limit: limits.values.periodicTrains)
    starts = AdvertisingStarts(limits)
  }

  /// Records that the capture begins, or lacks records before one with this time: open chains are
  /// incomplete, and what comes may be a later part.
  mutating func lose(before time: Timestamp?, of adapter: AdapterIndex) {
    starts.lose(before: time, of: adapter)
    for position in chains.indices {
      if adapter.mayBe(chains[position].key?.adapter) { chains[position].key = nil }
    }
  }

  /// Records that a train was found or passed on.
  mutating func observe(_ sync: PeriodicSync, adapter: AdapterIndex, _ problems: inout Problems) {
    trains.learn(adapter, sync)
    if trains.hasForgotten, !hasReportedTrains {
      hasReportedTrains = true
      problems.add(Problem(.trains, limit: limits.periodicTrains))
    }
  }

  /// Records that a train was lost.
  mutating func lose(train handle: UInt16, adapter: AdapterIndex) {
    lostTrain = trains.find(adapter, handle)
    trains.lose(adapter, handle)
  }

  /// Whether the previous packet left something here.
  var hasNews: Bool { !reports.isEmpty || lostTrain != nil }

  /// Forgets the previous packet.
  mutating func clear() {
    lostTrain = nil
    reports.removeAll(keepingCapacity: true)
    joined.removeAll(keepingCapacity: true)
    packets.removeAll(keepingCapacity: true)
  }

  /// Reads the reports of an event, as far as they are present. If the list and its count disagree,
  /// the event's row has already reported it.
  mutating func observe(
    _ event: RawSpan, body: Slice, adapter: AdapterIndex, packet: Int, time: Timestamp?,
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

  /// Processes a report that was made of an advertising PDU from the air.
  mutating func observe(
    _ report: AdvertisingReport, _ train: PeriodicTrain?, _ bytes: RawSpan, adapter: AdapterIndex,
    packet: Int, time: Timestamp?, _ problems: inout Problems
  ) {
    var advertisement = join(
      report, bytes.part(report.data), adapter: adapter, packet: packet, time: time, &problems)
    advertisement.train = train
    check(advertisement, bytes, &problems)
    reports.append(advertisement)
  }

  /// Reads the reports of a record that repeats one of another file, each on its own. The chains
  /// that their data may belong to are not searched; what may be a part counts as one.
  mutating func observeAgain(_ event: RawSpan, body: Slice) {
    guard let list = AdvertisingReports(event: event, body: body) else { return }
    var cursor = Cursor(event, list.list)
    for _ in 0..<list.claimed {
      guard let report = list.next(&cursor) else { return }
      var advertisement = Advertisement(report: report)
      switch report.kind {
      case .extended, .periodic, .response:
        let data = event.part(report.data)
        advertisement.isPart =
          report.legacyName == nil
          && (report.isCut || report.dataStatus != .complete
            || !ADStructures.begin(data, Slice(start: 0, count: data.byteCount), goesOn: false))
        advertisement.mayHoldSecret = advertisement.isPart
      case .legacy, .directed, .bigInfo: break
      }
      reports.append(advertisement)
    }
  }

  /// Checks the data of an advertisement: only complete data can be malformed.
  private func check(
    _ advertisement: Advertisement, _ event: RawSpan, _ problems: inout Problems
  ) {
    guard problems.areLookedFor, !advertisement.isPart, !advertisement.report.isCut,
      advertisement.report.dataStatus == .complete
    else { return }
    if let joined = advertisement.joined {
      // The joined data has no place in this record.
      ADStructures.check(self.joined.bytes, joined, hasPlace: false, &problems)
    } else {
      ADStructures.check(event, advertisement.report.data, &problems)
    }
  }

  private mutating func join(
    _ report: AdvertisingReport, _ data: RawSpan, adapter: AdapterIndex, packet: Int,
    time: Timestamp?,
    _ problems: inout Problems
  ) -> Advertisement {
    var advertisement = Advertisement(report: report)
    switch report.kind {
    case .extended, .periodic, .response: break
    case .legacy, .directed, .bigInfo: return advertisement
    }
    let key = AdvertisingKey(adapter, report)
    let open = chains.firstIndex { $0.key == key }
    let lacksFirstPart = open == nil && lacksFirstPart(report, data, key, at: time)
    if report.legacyName == nil { starts.note(key, at: time) }
    if report.isCut, open != nil || report.dataStatus == .incomplete {
      // What the capture did not keep is missing in the chain.
      let position = open ?? begin(key, at: time, &problems)
      advertisement.isPart = true
      advertisement.mayHoldSecret = true
      chains[position].lastPacket = packet
      chains[position].giveUp()
      if report.dataStatus != .incomplete { chains[position].key = nil }
      return advertisement
    }
    if report.dataStatus == .incomplete {
      advertisement.isPart = true
      let position = open ?? begin(key, at: time, &problems)
      if lacksFirstPart {
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
    } else if lacksFirstPart {
      advertisement.isPart = true
      advertisement.mayHoldSecret = true
      advertisement.lacksFirstPart = true
    }
    return advertisement
  }

  /// Returns whether a report without an earlier part is the end of something: its first part may
  /// not have been seen, and its data does not begin as advertising data does.
  private func lacksFirstPart(
    _ report: AdvertisingReport, _ data: RawSpan, _ key: AdvertisingKey, at time: Timestamp?
  ) -> Bool {
    // Legacy PDUs come in one part.
    guard report.legacyName == nil, starts.mayLack(key, at: time) else { return false }
    let goesOn: Bool
    switch report.dataStatus {
    case .complete: goesOn = report.isCut
    case .incomplete, .truncated: goesOn = true
    case .reserved, .failed: return false
    }
    return !ADStructures.begin(data, Slice(start: 0, count: data.byteCount), goesOn: goesOn)
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
    } else if !hasReportedNumbers {
      hasReportedNumbers = true
      problems.add(Problem(.fragments, limit: limits.fragmentNumbers))
    }
  }

  /// Forgets the chains of an adapter that was reset or removed: what it reports later is new.
  mutating func forget(_ adapter: AdapterIndex) {
    for position in chains.indices where chains[position].key?.adapter == adapter {
      chains[position].key = nil
    }
    trains.forget(adapter)
    starts.reset(adapter)
  }

  /// Begins a chain in a free place, or in that of the chain that waited longest, and returns the
  /// place.
  private mutating func begin(
    _ key: AdvertisingKey, at time: Timestamp?, _ problems: inout Problems
  ) -> Int {
    let position: Int
    if let free = chains.firstIndex(where: { $0.key == nil }) {
      position = free
    } else if chains.count < max(1, limits.advertisingChains) {
      chains.append(Chain())
      position = chains.count - 1
    } else {
      position = chains.indices.min { chains[$0].lastPacket < chains[$1].lastPacket } ?? 0
      if !hasReportedForgotten {
        problems.add(Problem(.advertisements, limit: limits.advertisingChains))
      }
      hasReportedForgotten = true
      // The next part may belong to a chain that was forgotten.
      starts.lose(before: time, of: .unknown)
    }
    chains[position].begin(key)
    return position
  }
}
