package import Decoders

/// The messages of earlier packets that are described again: by `values` when the answer to a
/// request has arrived, by `map` at the end of the capture.
package struct RecentMessages: Sendable {
  package enum Content: Sendable {
    /// A message, or a part of one, and the messages after it in the same value.
    case message(VendorSighting, following: [VendorSighting])
    /// What the value of a control point answers.
    case control(ExchangeNote)

    /// The bytes and the packets' numbers that it keeps, in bytes: a message in several values
    /// keeps all of them.
    package var keptBytes: Int {
      guard case .message(let first, let following) = self else { return 0 }
      return following.reduce(first.keptBytes) { $0 + $1.keptBytes }
    }
  }

  private var contents: [Content] = []
  /// The packets and handles of `contents`.
  private var places: [UInt64] = []
  private let most: Int

  /// - Parameter most: the maximum number; the older half is discarded when it is reached.
  package init(_ most: Int = 512) { self.most = most }

  package mutating func keep(_ content: Content, _ packet: Int, _ handle: UInt16) {
    if contents.count >= most {
      contents.removeFirst(most / 2)
      places.removeFirst(most / 2)
    }
    contents.append(content)
    places.append(Self.place(packet, handle))
  }

  /// Returns the last message of a packet and an attribute.
  func content(_ packet: Int, _ handle: UInt16) -> Content? {
    places.lastIndex(of: Self.place(packet, handle)).map { contents[$0] }
  }

  private static func place(_ packet: Int, _ handle: UInt16) -> UInt64 {
    UInt64(truncatingIfNeeded: packet) << 16 | UInt64(handle)
  }
}

extension VendorSighting {
  fileprivate var keptBytes: Int {
    let numbers = packets.count + recognition.count
    return (bytes?.count ?? 0) + numbers * MemoryLayout<Int>.size
  }
}
