import Bluetooth
import Bytes
import Dissectors

/// Counts the connection events of a connection on the air (Core, Vol 6, Part B, 4.5.1).
///
/// Each event uses the channel that channel selection gives for its number, and begins one interval
/// after the one before. Where the capture counts events, that count is checked against the
/// channels; elsewhere the time gives the number, and the channel corrects it.
struct EventClock: Sendable {
  /// A change of interval or channel map that takes effect with an event.
  private struct Change: Sendable {
    /// The event, counted from the opening.
    var instant: Int
    /// The new interval in microseconds; nil: the map changes.
    var interval: Int64?
    /// How much later than expected the event begins, in microseconds.
    var offset: Int64 = 0
    var map: UInt64 = 0
  }

  /// The result of adding a packet.
  struct Step: Sendable {
    /// The event that the packet belongs to; nil: unknown.
    var event: Int?
    var evidence: AirFact.EventEvidence?
    /// Whether it is the first packet of its event in the capture.
    var isNew = true
    /// The events since the last one with a packet.
    var passed = 0
    /// The difference between the packet's start and the predicted one, in microseconds; nil:
    /// nothing was predicted.
    var lateness: Int64?
  }

  /// The interval in force, in microseconds; 0: unknown.
  private(set) var interval: Int64 = 0
  /// The latest event with a packet.
  private(set) var event: Int?
  /// The channels that carry data.
  private var map: UInt64 = ChannelSelection.allChannels
  private(set) var hop: UInt8 = 0
  /// Channel Selection Algorithm 1 or 2; 0: unknown.
  private(set) var algorithm: UInt8 = 0
  /// The channels of both algorithms; nil: the hop is unknown.
  private var first: ChannelSelection?
  private var second: ChannelSelection
  /// Packets that fit no event near the expected one.
  private(set) var lostHops = 0
  /// The event from which on the capture's own count is wrong.
  private(set) var wrongCountsSince: Int?
  private let accessAddress: UInt32
  /// The time when the latest event began, in microseconds, and the end of its latest packet.
  private var anchor: Int64?
  private var latestEnd: Int64?
  private var latestChannel: UInt8?
  private var latestClaim: UInt16?
  private var changes: [Change] = []
  /// The latest packet that was on another channel than expected, until the next one settles it.
  private var latestMisses: (expected: Int, channel: UInt8)?
  /// How many packets fit each algorithm, while it is unknown.
  private var fits: (first: Int, second: Int) = (0, 0)
  /// How many packets fit each hop (5–16), while the opening is missing.
  private var hopFits: [UInt16] = []
  private var hopVotes = 0

  /// No capture has more events than this.
  private static let farthest: Int64 = 1 << 32
  /// Later changes are forgotten while this many wait.
  private static let mostChanges = 8
  /// Within an event, packets follow each other in less than this, in microseconds.
  private static let longestPause: Int64 = 4000

  init(accessAddress: UInt32) {
    self.accessAddress = accessAddress
    second = ChannelSelection(accessAddress: accessAddress, map: ChannelSelection.allChannels)
  }

  /// Whether the channel of an event can be predicted.
  var predicts: Bool { algorithm == 2 || algorithm == 1 && first != nil }

  /// Sets what a connection begins with.
  ///
  /// - Parameter begins: the earliest start of event 0, in microseconds.
  mutating func open(
    interval: UInt16, map: UInt64, hop: UInt8, algorithm: UInt8, begins: Int64?
  ) {
    self.interval = Int64(interval) * 1250
    self.algorithm = algorithm
    set(hop: hop)
    if map != 0 { use(map) }
    anchor = begins
  }

  private mutating func set(hop: UInt8) {
    self.hop = hop
    first = hop > 0 ? ChannelSelection(hop: hop, map: map) : nil
  }

  private mutating func use(_ map: UInt64) {
    self.map = map
    first?.use(map)
    second.use(map)
  }

  /// Sets the algorithm that the connection turns out to use.
  mutating func settle(algorithm: UInt8) { if self.algorithm == 0 { self.algorithm = algorithm } }

  /// Records a connection update, which takes effect at an instant.
  ///
  /// - Parameter offset: in microseconds.
  mutating func change(interval: UInt16, offset: Int64, at instant: UInt16) {
    guard let place = place(of: instant) else { return }
    add(Change(instant: place, interval: Int64(interval) * 1250, offset: offset))
  }

  /// Records a new channel map, which takes effect at an instant.
  mutating func change(map: UInt64, at instant: UInt16) {
    guard map & ChannelSelection.allChannels != 0, let place = place(of: instant) else { return }
    add(Change(instant: place, map: map & ChannelSelection.allChannels))
  }

  private mutating func add(_ change: Change) {
    if changes.count >= Self.mostChanges { changes.removeFirst() }
    changes.append(change)
  }

  /// Returns the event that 16 bits of its number refer to; nil if no event is known.
  func place(of instant: UInt16) -> Int? {
    guard let event else { return nil }
    return event + Int(Int16(truncatingIfNeeded: Int(instant) - event & 0xffff))
  }

  /// Returns the channel of an event; nil: unknown.
  func channel(of number: Int) -> UInt8? {
    predicts ? channel(of: number, by: algorithm) : nil
  }

  /// Returns the channel of an event by one of the algorithms.
  private func channel(of number: Int, by algorithm: UInt8) -> UInt8? {
    guard var selection = algorithm == 1 ? first : second else { return nil }
    for change in changes where change.interval == nil && number >= change.instant {
      selection.use(change.map)
    }
    return selection.channel(ofEvent: number)
  }

  /// Returns the event at a time; nil: unknown.
  func event(at start: Int64) -> Int? { expected(at: start) }

  /// Returns the channels of the event at a time by those algorithms that may be in use.
  func channels(at start: Int64) -> (first: UInt8?, second: UInt8?) {
    guard let number = expected(at: start) else { return (nil, nil) }
    return (
      algorithm == 2 ? nil : channel(of: number, by: 1),
      algorithm == 1 ? nil : channel(of: number, by: 2)
    )
  }

  /// Adds a packet.
  ///
  /// - Parameters:
  ///   - start: the time when it began, in microseconds; nil: unknown.
  ///   - end: when it ended.
  ///   - claim: the event according to the capture.
  ///   - isExact: whether the times are exact to some ten microseconds.
  mutating func step(
    start: Int64?, end: Int64?, channel: UInt8?, claim: UInt16?, isExact: Bool
  ) -> Step {
    defer {
      latestEnd = end
      latestChannel = channel
      latestClaim = claim
    }
    learnHop(channel, claim)
    var step = Step()
    guard isNewEvent(start, channel, claim) else {
      step.isNew = false
      step.event = event
      return step
    }
    let expected = expected(at: start)
    if let start, let anchor, let expected, event != nil {
      step.lateness = (start - anchor).adding(clamped: -time(to: expected))
    }
    (step.event, step.evidence) = number(expected, isExact ? start : nil, channel, claim)
    guard let found = step.event else {
      anchor = start
      return step
    }
    step.passed = event.map { found - $0 } ?? found + 1
    apply(changesUpTo: found)
    event = found
    // Without the central's first packet, the event seems to begin later.
    if let late = step.lateness, isExact, 150...5000 ~= late, let start {
      anchor = start - late
    } else {
      anchor = start
    }
    learnAlgorithm(found, channel)
    return step
  }

  private func isNewEvent(_ start: Int64?, _ channel: UInt8?, _ claim: UInt16?) -> Bool {
    guard event != nil || latestEnd != nil else { return true }
    if let claim, let latestClaim { return claim != latestClaim }
    if let channel, let latestChannel, channel != latestChannel { return true }
    guard let start, let latestEnd else { return channel == nil }
    if start - latestEnd > Self.longestPause { return true }
    if start < latestEnd - Self.longestPause { return true }
    return interval > 0 && anchor.map { (start - $0) * 10 >= interval * 9 } ?? false
  }

  /// Returns the event at a time, according to the intervals.
  private func expected(at start: Int64?) -> Int? {
    guard let start, let anchor, interval > 0 else { return nil }
    guard let event else {
      // Before the first packet, the anchor is the earliest start of event 0.
      return Int(clamping: max(0, min(Self.farthest, (start - anchor) / interval)))
    }
    var (base, baseTime, interval) = (event, anchor, self.interval)
    for change in changes {
      guard let next = change.interval, change.instant > base else { continue }
      let begins = baseTime.adding(
        clamped: Int64(change.instant - base).multiplied(clamped: interval)
      ).adding(clamped: change.offset)
      guard start >= begins - min(next, interval) / 2 else { break }
      (base, baseTime, interval) = (change.instant, begins, max(1, next))
    }
    let (apart, overflows) = start.subtractingReportingOverflow(baseTime)
    guard !overflows else { return event + 1 }
    let passed = apart.adding(clamped: interval / 2) / interval
    return max(event + 1, base + Int(clamping: max(0, min(passed, Self.farthest))))
  }

  /// Returns the time from the anchor to an event, in microseconds.
  private func time(to number: Int) -> Int64 {
    guard let event else { return 0 }
    var (base, passed, interval) = (event, Int64(0), self.interval)
    for change in changes {
      guard let next = change.interval, change.instant > base, change.instant <= number else {
        continue
      }
      passed.add(clamped: Int64(change.instant - base).multiplied(clamped: interval))
      passed.add(clamped: change.offset)
      (base, interval) = (change.instant, next)
    }
    // Its negative exists, too.
    return max(
      -.max, passed.adding(clamped: Int64(number - base).multiplied(clamped: interval)))
  }

  /// Returns the number of a new event, and how it is known.
  private mutating func number(
    _ expected: Int?, _ start: Int64?, _ channel: UInt8?, _ claim: UInt16?
  ) -> (Int?, AirFact.EventEvidence?) {
    if let claim {
      // The first packet of the capture may belong to any event.
      let claimed = max(0, place(of: claim) ?? Int(claim))
      guard let expected, expected != claimed, isMiscounted(expected, start, channel) else {
        return (claimed, .capture)
      }
      if wrongCountsSince == nil { wrongCountsSince = expected }
      return (expected, .clock)
    }
    guard let expected else { return (nil, nil) }
    guard predicts, let channel else { return (expected, .clock) }
    for offset in Self.searched {
      let candidate = expected + offset
      guard candidate >= 0, event.map({ candidate > $0 }) ?? true else { continue }
      if self.channel(of: candidate) == channel {
        latestMisses = nil
        return (candidate, .hops)
      }
    }
    lostHops += 1
    // Two packets in a row that are on other channels than expected show by how much the count is
    // wrong.
    defer { latestMisses = (expected, channel) }
    if let latestMisses {
      for distance in 1...Self.farthestSearched {
        for candidate in [expected + distance, expected - distance]
        where candidate >= 0 && self.channel(of: candidate) == channel
          && self.channel(of: latestMisses.expected + candidate - expected) == latestMisses.channel
        {
          return (candidate, .hops)
        }
      }
    }
    return (expected, .clock)
  }

  private static let farthestSearched = 40

  /// Returns whether the sniffer counts wrong: the packet is on the channel and at the time of
  /// another event. A sniffer that missed a connection update counts the old interval on.
  private func isMiscounted(_ expected: Int, _ start: Int64?, _ channel: UInt8?) -> Bool {
    guard let start, let anchor, event != nil, predicts, self.channel(of: expected) == channel
    else { return false }
    let passed = start - anchor
    let late = passed.adding(clamped: -time(to: expected))
    // 100 ppm, and the length of an event.
    return abs(late) <= 1000 + passed / 10_000
  }

  private static let searched = [0, 1, -1, 2, -2, 3, -3, 4, 5, 6, 7, 8]

  /// Makes the changes up to an event the ones in force.
  private mutating func apply(changesUpTo number: Int) {
    guard !changes.isEmpty else { return }
    for change in changes where change.instant <= number {
      if let interval = change.interval { self.interval = interval } else { use(change.map) }
    }
    changes.removeAll { $0.instant <= number }
  }

  // MARK: What a missing opening would have said

  /// Decides between the algorithms while the connection allows both.
  private mutating func learnAlgorithm(_ number: Int, _ channel: UInt8?) {
    guard algorithm == 0, hop > 0, let channel else { return }
    if self.channel(of: number, by: 1) == channel { fits.first += 1 }
    if self.channel(of: number, by: 2) == channel { fits.second += 1 }
    if abs(fits.first - fits.second) >= 4 { algorithm = fits.first > fits.second ? 1 : 2 }
  }

  /// Collects which hop the channels of counted events fit.
  private mutating func learnHop(_ channel: UInt8?, _ claim: UInt16?) {
    guard algorithm == 0, hop == 0, let channel, let claim, hopVotes < 4096 else { return }
    if hopFits.isEmpty { hopFits = [UInt16](repeating: 0, count: 13) }
    hopVotes += 1
    // Algorithm 1 uses channel hop × (event + 1), modulo 37.
    for candidate in 5...16 where (candidate * (Int(claim) + 1)) % 37 == channel {
      hopFits[candidate - 5] += 1
    }
    if second.channel(ofEvent: Int(claim)) == channel { hopFits[12] += 1 }
    guard hopVotes >= 12 else { return }
    var (best, second) = (0, 0)
    for index in hopFits.indices where index != best {
      if hopFits[index] > hopFits[best] {
        (best, second) = (index, best)
      } else if second == best || hopFits[index] > hopFits[second] {
        second = index
      }
    }
    guard Int(hopFits[best]) * 10 >= hopVotes * 6, hopFits[best] > 2 * hopFits[second] else {
      return
    }
    if best == 12 {
      algorithm = 2
    } else {
      algorithm = 1
      set(hop: UInt8(best + 5))
    }
  }
}
