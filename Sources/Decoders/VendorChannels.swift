import Bluetooth
import Bytes

/// The channels on which protocols were looked for, found in the same time however many there are.
///
/// Each value on a channel that begins like a frame asks for one, so that a capture may ask for another one
/// with every packet. They are chained by their key's hash, and in the order of their last use; where
/// there are too many the one that was silent longest gives its place, and its room, to the new one.
struct VendorChannels: Sendable, RandomAccessCollection {
  /// A channel.
  struct Channel: Sendable {
    /// The conversation (from bit 18 on), the attribute's handle (from bit 2 on), and the way (bit 0).
    fileprivate(set) var key: UInt64
    /// The protocol's place.
    fileprivate(set) var vendor: Int
    /// The packets of the first right frame that was seen here; empty: none was.
    private(set) var recognition: [Int] = []
    /// Whether a right frame was seen here.
    var isRecognized: Bool { !recognition.isEmpty }
    /// The frame that is being put together, and when and where it began.
    var open: [UInt8] = []
    var packets: [Int] = []
    var began: Timestamp?
    /// Whether it was known, when it began, that the protocol is spoken here.
    var isKnown = false
    /// The message that is being put together of several frames.
    var chunks: ChunkedMessage?
    /// The next one whose key has the same hash.
    fileprivate var next = VendorChannels.none
    /// Those that were used last before this one, and first after it.
    fileprivate var older = VendorChannels.none
    fileprivate var newer = VendorChannels.none

    /// Notes that a right frame came in these packets, which are listed for the first one only.
    mutating func recognize(in packets: @autoclosure () -> [Int]) {
      if recognition.isEmpty { recognition = packets() }
    }

    /// As if no right frame had been seen.
    fileprivate mutating func forgetRecognition() { recognition = [] }

    /// What is there of the frame that is being put together; nil where none is, or nobody knows.
    var unfinished: Unfinished? {
      guard isKnown, !open.isEmpty, let first = packets.first else { return nil }
      return Unfinished(
        kind: .parts, packet: first, count: nil, received: packets.count, missing: [])
    }
  }

  /// How many channels are remembered.
  static let most = 256
  /// No channel's place.
  private static let none = -1
  /// The bits of a chain's number: twice as many chains as channels, so that most hold one at most.
  private static let chainBits: UInt64 = 9

  private var channels: [Channel] = []
  /// The first channel of each chain; made with the first channel.
  private var first: [Int] = []
  /// Those that were used last and longest ago.
  private var newest = none
  private var oldest = none

  /// The places of the channels.
  var startIndex: Int { 0 }
  var endIndex: Int { channels.count }

  /// A channel by its place.
  subscript(place: Int) -> Channel {
    _read { yield channels[place] }
    _modify { yield &channels[place] }
  }

  /// The channel that will go for the next new one; nil where there is room.
  var silent: Int? { channels.count < Self.most ? nil : oldest }

  /// The place of the channel of a key and a protocol, which is in use again.
  mutating func find(_ key: UInt64, _ vendor: Int) -> Int? {
    guard newest >= 0 else { return nil }
    // Values come in rows on one channel.
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

  /// Makes the channel of a key and a protocol, which has none, in place of `silent` if there is one.
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
      channels[place].began = nil
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

  /// Which chain a channel is in. Handles stand close together, so that the key is spread by Knuth's
  /// multiplication with a part of the golden ratio, of whose result the highest bits are the best.
  static func chain(_ key: UInt64, _ vendor: Int) -> Int {
    let mixed = (key ^ UInt64(truncatingIfNeeded: vendor) &<< 56) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed &>> (64 - Self.chainBits))
  }

  private mutating func use(_ place: Int) {
    unlink(place)
    link(place)
  }

  /// Takes a channel out of the chain of its key.
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

  /// Takes a channel out of the order of use.
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
