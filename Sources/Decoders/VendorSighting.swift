package import Bytes

/// What a message answers.
package struct ExchangeNote: Sendable, Equatable {
  /// The packet with the request that this answers, and the nanoseconds between.
  package internal(set) var request: Int?
  package internal(set) var latency: Int64?
  /// Whether this is a response, and no request waits for it.
  package internal(set) var isOrphan = false

  /// Nothing is known.
  package init() {}
}

/// A series of messages, or the parts of one message, of which it is known that not all came.
package struct Unfinished: Sendable, Equatable {
  /// What is not complete.
  package enum Kind: Sendable {
    /// Messages that one announced; the parts of one message.
    case series, parts

    /// As JSON names it.
    package var name: StaticString {
      switch self {
      case .series: "series"
      case .parts: "parts"
      }
    }
  }

  /// What is not complete.
  package var kind: Kind
  /// The packet that announced it, or brought the first part.
  package var packet: Int
  /// How many there should be; nil where nobody said.
  package var count: Int?
  /// How many came.
  package var received: Int
  /// Which did not: by the number that they have in the protocol, the first few; empty where they have
  /// none.
  package var missing: [Int]
}

/// Where a message stands in a series that was announced.
package struct SeriesNote: Sendable, Equatable {
  /// The packet that announced the series.
  package var announcement: Int
  /// How many messages it has, and how many came so far.
  package var count: Int
  package var received: Int
  /// Whether this message announces the series.
  package var isAnnouncement = false
  /// Whether the message came before, or has a number that the series does not have.
  package var isRepeated = false
  package var isBeyond = false
  /// Whether it came after the time in which it should have.
  package var isLate = false

  /// Whether all came.
  package var isComplete: Bool { received >= count }
}

/// Which part of a message in several frames a frame is.
package struct ChunkNote: Sendable, Equatable {
  /// Which one, from 1; 0 where nobody said.
  package var number: Int
  /// How many there are; nil where that is not known yet.
  package var count: Int?
  /// Whether it came before; whether a later one came before it; whether it has a number beyond the
  /// last one's.
  package var isRepeated = false
  package var isLate = false
  package var isBeyond = false
  /// Parts before it that have not come so far: the first one, and how many.
  package var firstMissing = 0
  package var missing = 0
}

/// A value on a channel where a vendor's protocol is spoken: a message, or a part of one.
package struct VendorSighting: Sendable {
  /// The protocol.
  package let vendor: VendorProtocol
  /// The message; nil for a part.
  package internal(set) var message: VendorProtocol.Message?
  /// Its frame, in `bytes` or the value; nil for a part.
  package internal(set) var frame: Frame?
  /// The command, as far as it is known.
  package internal(set) var command: Int?
  /// Whether it is a request.
  package internal(set) var isRequest = false
  /// Of a part: which bytes of the frame it is; of a message that came in parts the whole.
  package internal(set) var part = Slice.empty
  /// How long the frame is; nil where that is not known yet.
  package internal(set) var total: Int?
  /// Which part of a message it is, where a message has several frames.
  package internal(set) var chunk: ChunkNote?
  /// Of a part with a wrong checksum: the one that is there, and the right one.
  package internal(set) var badChecksum: (found: UInt32, expected: UInt32)?
  /// Whether the message came in several values.
  package internal(set) var isJoined = false
  /// The bytes that the frame's places count in, where those are not the value's.
  package internal(set) var bytes: [UInt8]?
  /// The packets that it came in, where there are several.
  package internal(set) var packets: [Int] = []
  /// Bytes behind it that no frame explains, in `bytes`.
  package internal(set) var trailing = Slice.empty
  /// Whether nothing but a right frame tells that this protocol is spoken.
  package internal(set) var isByFrame: Bool
  /// Then, where its own frame is not right, the packets of the first right frame on its channel.
  package private(set) var recognition: [Int] = []
  /// What it answers.
  package var exchange = ExchangeNote()
  /// Where it stands in a series.
  package internal(set) var series: SeriesNote?
  /// What it shows to be over without being complete.
  package internal(set) var unfinished: [Unfinished] = []

  /// The packet with the request that this answers, and the nanoseconds between.
  package var request: Int? { exchange.request }
  package var latency: Int64? { exchange.latency }
  /// Whether this is a response, and no request waits for it.
  package var isOrphan: Bool { exchange.isOrphan }

  init(vendor: VendorProtocol, isByFrame: Bool) {
    self.vendor = vendor
    self.isByFrame = isByFrame
  }

  /// Notes the packets of the first right frame on its channel, where it is known by these.
  mutating func isKnown(by packets: [Int]) {
    if isByFrame, frame?.isSound == false { recognition = packets }
  }

  /// A message that stands alone, of which nothing is known but its bytes.
  package init(
    _ vendor: VendorProtocol, _ message: VendorProtocol.Message, _ frame: Frame, isRequest: Bool
  ) {
    self.init(vendor: vendor, isByFrame: vendor.claims.contains(where: \.isFrame))
    self.message = message
    self.frame = frame
    command = frame.command
    self.isRequest = isRequest
  }

  /// Decodes the message; bytes behind the last frame of a value are what no field explains.
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

/// What became of the requests and series of one protocol, or of one control point, with one device.
package struct VendorTally: Sendable {
  /// The conversation.
  package let conversation: UInt64
  /// The protocol's name, or the characteristic's.
  package let title: String
  /// A protocol's place, or below 0 a control point.
  let owner: Int
  /// Requests that something answers; how many were answered, and how many the server refused.
  package internal(set) var requests = 0
  package internal(set) var answered = 0
  package internal(set) var refused = 0
  /// The requests without an answer, the first few.
  package internal(set) var unanswered: [Int] = []
  /// Series that were announced, and those that are complete.
  package internal(set) var series = 0
  package internal(set) var completed = 0
  /// Messages in several frames that are not.
  package internal(set) var incompleteMessages = 0
  /// What was not complete, the first few.
  package internal(set) var unfinished: [Unfinished] = []

  /// How much was not complete.
  package var unfinishedCount: Int { series - completed + incompleteMessages }

  /// Whether there is anything to say.
  package var isEmpty: Bool { requests == 0 && series == 0 && incompleteMessages == 0 }
}
