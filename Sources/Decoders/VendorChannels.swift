import Bluetooth
import Bytes

/// The channels on which protocols were looked for. Finding one takes the same time no matter how
/// many there are.
///
/// Each value that begins like a frame looks up a channel, so a capture may look up another one
/// with every packet. Channels are chained by their key's hash, and in the order of their last use.
/// If there are too many, the new one gets the place and the storage of the one that was silent
/// longest.
struct VendorChannels: Sendable, RandomAccessCollection {
  struct Channel: Sendable {
    /// The conversation (from bit 18), whether there is a serial channel instead of an attribute
    /// (bit 17), its number or the attribute's handle (from bit 1), and the direction (bit 0).
    fileprivate(set) var key: UInt64
    /// The index of the protocol.
    fileprivate(set) var vendor: Int
    /// The packets of the first correct frame that was seen here; empty: none.
    private(set) var recognition: [Int] = []
    /// Whether a correct frame was seen here.
    var isRecognized: Bool { !recognition.isEmpty }
    /// The frame that is being joined, its packets, and their number.
    var open: [UInt8] = []
    var packets: [Int] = []
    var valueCount = 0
    /// The index of its layout.
    var layout = 0
    /// Its length, if known.
    var total: Int?
    /// The times of its first and its last part.
    var began: Timestamp?
    var last: Timestamp?
    /// Whether it was known, when the frame began, that the protocol is used here.
    var isKnown = false
    /// The message that is being joined from several frames.
    var chunks: ChunkedMessage?
    /// The next channel whose key has the same hash.
    fileprivate var next = VendorChannels.none
    /// The neighbors in the order of last use.
    fileprivate var older = VendorChannels.none
    fileprivate var newer = VendorChannels.none

    /// Records that a correct frame came in these packets, which are kept for the first one only.
    mutating func recognize(in packets: @autoclosure () -> [Int]) {
      if recognition.isEmpty { recognition = packets() }
    }

    /// Forgets that a correct frame was seen.
    fileprivate mutating func forgetRecognition() { recognition = [] }

    /// What is present of the frame that is being joined; nil if there is none, or the protocol was
    /// not known.
    var unfinished: Unfinished? {
      guard isKnown, !open.isEmpty, let first = packets.first else { return nil }
      return Unfinished(
        kind: .parts, packet: first, count: nil, received: valueCount, missing: [], bytes: open,
        byteCount: open.count, total: total)
    }
  }

  /// The most channels that are remembered.
  static let most = 256
  /// The index that means no channel.
  private static let none = -1
  /// The bits of a chain's number: twice as many chains as channels, so that most hold at most one.
  private static let chainBits: UInt64 = 9

  private var channels: [Channel] = []
  /// The first channel of each chain; created with the first channel.
  private var first: [Int] = []
  /// The channel that was used last, and the one that was silent longest.
  private var newest = none
  private var oldest = none

  /// The range of the channels' indexes.
  var startIndex: Int { 0 }
  var endIndex: Int { channels.count }

  /// The channel at an index.
  subscript(place: Int) -> Channel {
    _read { yield channels[place] }
    _modify { yield &channels[place] }
  }

  /// The channel that the next new one will replace; nil if there is room.
  var silent: Int? { channels.count < Self.most ? nil : oldest }

  /// Returns the index of the channel of a key and a protocol, and marks it as used.
  mutating func find(_ key: UInt64, _ vendor: Int) -> Int? {
    guard newest >= 0 else { return nil }
    // Consecutive values often come on one channel.
    if channels[newest].key == key, channels[newest].vendor == vendor { return newest }
    var place = first[Self.chain(key, vendor)]
    while place >= 0 {
      if channels[place].key == key, channels[place].vendor == vendor {
        use(place)
        return place
      }
      place = channels[place].next
    }
    return nil
  }

  /// Creates the channel of a key and a protocol that have none, in place of `silent` if there is
  /// one.
  mutating func make(_ key: UInt64, _ vendor: Int) -> Int {
    if first.isEmpty { first = [Int](repeating: Self.none, count: 1 << Self.chainBits) }
    let place: Int
    if let silent {
      place = silent
      unchain(place)
      unlink(place)
      channels[place].key = key
      channels[place].vendor = vendor
      channels[place].forgetRecognition()
      channels[place].open.removeAll(keepingCapacity: true)
      channels[place].packets.removeAll(keepingCapacity: true)
      channels[place].total = nil
      channels[place].began = nil
      channels[place].last = nil
      channels[place].chunks = nil
    } else {
      place = channels.count
      channels.append(Channel(key: key, vendor: vendor))
    }
    let chain = Self.chain(key, vendor)
    channels[place].next = first[chain]
    first[chain] = place
    link(place)
    return place
  }

  /// Returns the chain of a channel. Handles are close together, so the key is spread by Knuth's
  /// multiplicative hashing with a part of the golden ratio; the highest bits of the result are the
  /// best.
  static func chain(_ key: UInt64, _ vendor: Int) -> Int {
    let mixed = (key ^ UInt64(truncatingIfNeeded: vendor) &<< 56) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed &>> (64 - Self.chainBits))
  }

  private mutating func use(_ place: Int) {
    unlink(place)
    link(place)
  }

  /// Removes a channel from the chain of its key.
  private mutating func unchain(_ place: Int) {
    let chain = Self.chain(channels[place].key, channels[place].vendor)
    if first[chain] == place {
      first[chain] = channels[place].next
      return
    }
    var before = first[chain]
    while before >= 0 {
      let next = channels[before].next
      if next == place {
        channels[before].next = channels[place].next
        return
      }
      before = next
    }
  }

  /// Removes a channel from the order of use.
  private mutating func unlink(_ place: Int) {
    let (older, newer) = (channels[place].older, channels[place].newer)
    if older >= 0 { channels[older].newer = newer } else { oldest = newer }
    if newer >= 0 { channels[newer].older = older } else { newest = older }
  }

  /// Puts a channel at the end of the order of use.
  private mutating func link(_ place: Int) {
    channels[place].older = newest
    channels[place].newer = Self.none
    if newest >= 0 { channels[newest].newer = place } else { oldest = place }
    newest = place
  }
}
