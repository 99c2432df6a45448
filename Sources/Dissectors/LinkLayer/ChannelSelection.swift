/// The channels on which a connection's events take place: Channel Selection Algorithms #1 and #2
/// (Core, Vol 6, Part B, 4.5.8).
package struct ChannelSelection: Sendable, Equatable {
  package enum Algorithm: Sendable, Equatable {
    /// #1, with the hop increment: 5 to 16.
    case first(hop: UInt8)
    /// #2, with the channel identifier: a function of the access address.
    case second(identifier: UInt16)
  }

  package let algorithm: Algorithm
  /// The channels in use, by their bits: 0 to 36.
  package private(set) var map: UInt64
  /// The channels in use, in ascending order.
  private var used: InlineArray<37, UInt8>
  private var usedCount: UInt8

  /// The bits of a channel map.
  package static let allChannels: UInt64 = (1 << 37) - 1

  /// Creates a selection of algorithm #1.
  package init(hop: UInt8, map: UInt64) { self.init(.first(hop: hop), map) }

  /// Creates a selection of algorithm #2.
  package init(accessAddress: UInt32, map: UInt64) {
    let identifier = UInt16(truncatingIfNeeded: accessAddress >> 16 ^ accessAddress)
    self.init(.second(identifier: identifier), map)
  }

  private init(_ algorithm: Algorithm, _ map: UInt64) {
    self.algorithm = algorithm
    self.map = 0
    used = InlineArray(repeating: 0)
    usedCount = 0
    use(map)
  }

  /// Uses other channels.
  package mutating func use(_ map: UInt64) {
    self.map = map & Self.allChannels
    usedCount = 0
    for channel in 0..<37 as Range<UInt8> where map >> channel & 1 == 1 {
      used[Int(usedCount)] = channel
      usedCount += 1
    }
  }

  /// Returns the channel index of an event. An empty map has the effect of a full one.
  ///
  /// - Parameter event: the event counter. Algorithm #1 needs one that goes on beyond 16 bits.
  package func channel(ofEvent event: Int) -> UInt8 {
    switch algorithm {
    case .first(let hop):
      // Only the remainder matters, so that no counter overflows.
      let position = (Int(hop) * ((event % 37) + 1)) % 37
      let unmapped = position < 0 ? position + 37 : position
      if isUsed(unmapped) { return UInt8(unmapped) }
      return used[unmapped % Int(usedCount)]
    case .second(let identifier):
      let random = Self.random(UInt16(truncatingIfNeeded: event), identifier)
      let unmapped = Int(random % 37)
      if isUsed(unmapped) { return UInt8(unmapped) }
      return used[(Int(usedCount) * Int(random)) >> 16]
    }
  }

  private func isUsed(_ channel: Int) -> Bool {
    usedCount == 0 || map >> UInt64(channel) & 1 == 1
  }

  /// Returns the pseudo-random number of an event (4.5.8.3.3).
  private static func random(_ event: UInt16, _ identifier: UInt16) -> UInt16 {
    var number = event ^ identifier
    for _ in 0..<3 {
      number = number >> 1 & 0x5555 | (number & 0x5555) << 1
      number = number >> 2 & 0x3333 | (number & 0x3333) << 2
      number = number >> 4 & 0x0f0f | (number & 0x0f0f) << 4
      number = number &* 17 &+ identifier
    }
    return number ^ identifier
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.algorithm == right.algorithm && left.map == right.map
  }
}

/// Channels, by their index and by their place on the air (Core, Vol 6, Part B, 1.4.1).
package enum RFChannel {
  /// Returns the index of the channel at a position in RF order; nil above 39. The advertising
  /// channels 37, 38 and 39 are at 0, 12 and 39.
  package static func index(ofPosition position: UInt8) -> UInt8? {
    switch position {
    case 0: 37
    case 1...11: position - 1
    case 12: 38
    case 13...38: position - 2
    case 39: 39
    default: nil
    }
  }

  /// Returns the position in RF order of a channel index; nil above 39.
  package static func position(ofIndex index: UInt8) -> UInt8? {
    switch index {
    case 0...10: index + 1
    case 11...36: index + 2
    case 37: 0
    case 38: 12
    case 39: 39
    default: nil
    }
  }

  /// Returns the frequency at a position in RF order, in MHz.
  package static func frequency(ofPosition position: UInt8) -> Int { 2402 + 2 * Int(position) }
}
