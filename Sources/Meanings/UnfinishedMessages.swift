import Bytes
import Decoders

/// The printed packets whose messages or series may stay incomplete.
struct UnfinishedMessages: Sendable {
  /// The last packets that announced a series or contained a part of a message.
  private var packets: [Int] = []

  /// The maximum number of packets that are remembered.
  private static let most = 256
  /// The maximum number of incomplete messages that are named.
  private static let mostNamed = 8

  /// Remembers the packets of a message that may stay incomplete.
  mutating func note(_ sighting: VendorSighting, _ messages: VendorMessages) {
    var new = sighting.frame == nil || sighting.chunk != nil ? sighting.packets : []
    if let series = sighting.series { new.append(series.announcement) }
    for packet in new where !packets.contains(packet) {
      if packets.count >= Self.most {
        // Complete ones are not needed any more.
        let open = Set(messages.leftOpen.map(\.what.packet))
        packets.removeAll { !open.contains($0) }
        if packets.count >= Self.most / 2 { packets.removeFirst(Self.most / 4) }
      }
      packets.append(packet)
    }
  }

  /// Returns what is still open in what was printed when the capture ends, or nil if nothing is.
  ///
  /// - Parameter isAllWorded: whether every packet was printed.
  func remark(isAllWorded: Bool, _ messages: VendorMessages) -> String? {
    let left = messages.leftOpen.filter { isAllWorded || packets.contains($0.what.packet) }
    guard !left.isEmpty else { return nil }
    var words = Output()
    words.listed(left.prefix(Self.mostNamed), separatedBy: "; ") {
      $0.string($1.profile)
      $0.text(": ")
      $0.unfinished($1.what)
    }
    if left.count > Self.mostNamed {
      words.byte(0x3b)
      words.andMore(left.count - Self.mostNamed)
    }
    words.text(", and the capture ends")
    return String(decoding: words.bytes.array, as: UTF8.self)
  }
}
