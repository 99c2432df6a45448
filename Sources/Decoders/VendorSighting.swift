package import Bytes

/// What a message answers.
package struct ExchangeNote: Sendable, Equatable {
  /// The packet with the request that this answers, and the nanoseconds between.
  package internal(set) var request: Int?
  package internal(set) var latency: Int64?
  /// Whether this is a response for which no request waits.
  package internal(set) var isOrphan = false

  package init() {}
}

/// A series of messages, or the parts of one message, known to be incomplete.
package struct Unfinished: Sendable, Equatable {
  /// What is incomplete.
  package enum Kind: Sendable {
    /// Messages that another one announced; the parts of one message.
    case series, parts

    /// The name in JSON.
    package var name: StaticString {
      switch self {
      case .series: "series"
      case .parts: "parts"
      }
    }
  }

  package var kind: Kind
  /// The packet that announced it, or carried the first part.
  package var packet: Int
  /// The expected number; nil if unknown.
  package var count: Int?
  /// The number that came.
  package var received: Int
  /// The missing ones, up to a limit, by their numbers in the protocol; empty if they have none.
  package var missing: [Int]
  /// The bytes that came of a frame, and how many it has, if known.
  package var bytes: [UInt8] = []
  package var byteCount = 0
  package var total: Int?
  /// Why no more is expected; nil: the capture ends, or too much is open.
  package var ending: Ending?

  /// Why a frame is given up.
  package enum Ending: Sendable, Equatable {
    /// Nothing came for this many milliseconds.
    case silence(Int)
    /// Another frame began.
    case another
    /// With the next value it would have this many bytes, which is more than the profile allows.
    case excess(Int, most: Int)
  }

  /// The same without the bytes.
  var counted: Self {
    var other = self
    other.bytes = []
    return other
  }
}

/// The position of a message in an announced series.
package struct SeriesNote: Sendable, Equatable {
  /// The packet that announced the series.
  package var announcement: Int
  /// The number of messages in the series, and how many came so far.
  package var count: Int
  package var received: Int
  /// Whether this message announces the series.
  package var isAnnouncement = false
  /// Whether the message came before, and whether its number is outside the series.
  package var isRepeated = false
  package var isBeyond = false
  /// Whether it came after the timeout.
  package var isLate = false

  /// Whether all messages came.
  package var isComplete: Bool { received >= count }
}

/// The position of a frame in a message with several frames.
package struct ChunkNote: Sendable, Equatable {
  /// The frame's number, from 1; 0 if unknown.
  package var number: Int
  /// The number of frames; nil if not known yet.
  package var count: Int?
  /// Whether it came before, whether a later frame came before it, and whether its number is beyond
  /// the last one's.
  package var isRepeated = false
  package var isLate = false
  package var isBeyond = false
  /// The first of the earlier parts that have not come so far, and their number.
  package var firstMissing = 0
  package var missing = 0
}

/// A value on a channel that uses a vendor's protocol: a message, or part of one.
package struct VendorSighting: Sendable {
  package let vendor: VendorProtocol
  /// The message; nil for a part.
  package internal(set) var message: VendorProtocol.Message?
  /// Its frame, in `bytes` or the value; nil for a part.
  package internal(set) var frame: Frame?
  /// The command, if known.
  package internal(set) var command: Int?
  package internal(set) var isRequest = false
  /// For a part, its range in the frame's bytes; for a message that came in parts, the whole.
  package internal(set) var part = Slice.empty
  /// The length of the frame; nil if not known yet.
  package internal(set) var total: Int?
  /// The part of a message that it is, if the message has several frames.
  package internal(set) var chunk: ChunkNote?
  /// For a part with a wrong checksum: the one found, the correct one, and their number of digits.
  package internal(set) var badChecksum: (found: UInt32, expected: UInt32, digits: Int)?
  /// For a part of a frame that is not read because it is too long: its length, and the most that
  /// the profile allows.
  package internal(set) var excess: (total: Int, most: Int)?
  /// Whether the message came in several values.
  package internal(set) var isJoined = false
  /// The bytes that the frame's positions count in, if they are not the value's.
  package internal(set) var bytes: [UInt8]?
  /// The packets that it came in, if there are several.
  package internal(set) var packets: [Int] = []
  /// Bytes after it that no frame explains, in `bytes`.
  package internal(set) var trailing = Slice.empty
  /// Whether only a correct frame shows that this protocol is used.
  package internal(set) var isByFrame: Bool
  /// In that case, if its own frame is not correct, the packets of the first correct frame on its
  /// channel.
  package internal(set) var recognition: [Int] = []
  /// The exchange that it belongs to.
  package var exchange = ExchangeNote()
  /// Its position in a series.
  package internal(set) var series: SeriesNote?
  /// What this value shows to have ended without being complete.
  package internal(set) var unfinished: [Unfinished] = []

  /// The packet with the request that this answers.
  package var request: Int? { exchange.request }

  /// Returns the first bytes of a frame as one part, of which this is the first.
  package func extended(to count: Int) -> Self {
    var other = self
    other.part = Slice(start: 0, count: count)
    return other
  }

  init(vendor: VendorProtocol, isByFrame: Bool) {
    self.vendor = vendor
    self.isByFrame = isByFrame
  }

  /// Creates a message on its own, of which only the bytes are known.
  ///
  /// - Parameter held: the bytes in which the frame's positions count if those are not the value's.
  init(
    _ vendor: VendorProtocol, _ frame: Frame, _ bytes: RawSpan, onRequestChannel: Bool,
    held: [UInt8]? = nil
  ) {
    self.init(vendor: vendor, isByFrame: vendor.claims.contains(where: \.isFrame))
    isRequest = vendor.isRequest(frame, bytes, onRequestChannel: onRequestChannel)
    message = vendor.message(frame, bytes, isRequest: isRequest)
    self.frame = frame
    command = frame.command
    self.bytes = held
  }

  /// Decodes the message; bytes after the last frame of a value are added as unexplained.
  package func decode(
    _ frame: Frame, _ message: VendorProtocol.Message, _ value: RawSpan, _ externals: [Known],
    with decoder: inout ValueDecoder, into decoded: inout Decoded
  ) {
    if let bytes {
      vendor.decode(
        frame, message, bytes.bytes, isRequest: isRequest, externals: externals, with: &decoder,
        into: &decoded)
    } else {
      vendor.decode(
        frame, message, value, isRequest: isRequest, externals: externals, with: &decoder,
        into: &decoded)
    }
    if !trailing.isEmpty { decoded.addTail(trailing) }
  }
}
