package import Bytes

/// How a vendor's frame lies in bytes. Pure functions: what was begun and is not complete is kept by
/// whoever asks (`extent(of:)` says how much is missing).
package struct FrameLayout: Sendable, Equatable {
  /// A number at a place of the frame.
  package struct Part: Sendable, Equatable {
    /// From the frame's first byte; negative from behind its last.
    package var at: Int
    /// How many bytes, 1 to 8.
    package var width: Int
    /// The most significant byte first.
    package var isBigEndian: Bool

    /// A number of so many bytes.
    package init(at: Int, width: Int, isBigEndian: Bool) {
      self.at = at
      self.width = width
      self.isBigEndian = isBigEndian
    }
  }

  /// What a length counts.
  package enum Counted: Int, Sendable, CaseIterable {
    /// The whole frame; what follows the length; the payload.
    case frame, after, payload
  }

  /// How the end of a frame is known.
  package enum Ending: Sendable, Equatable {
    /// It is a write's or a notification's.
    case value
    /// All have so many bytes.
    case fixed(Int)
    /// A length says so; `add` is added to it.
    case length(Part, Counted, add: Int)
    /// These bytes end it.
    case delimiter([UInt8])
  }

  /// A checksum.
  package struct Checksum: Sendable, Equatable {
    /// Where it stands.
    package var part: Part
    /// How it is computed.
    package var algorithm: ChecksumAlgorithm
    /// The bytes that it covers: the first one, and behind the last one (0: the frame's end, negative:
    /// before that).
    package var first: Int
    package var end: Int

    /// A checksum over a range of the frame.
    package init(part: Part, algorithm: ChecksumAlgorithm, first: Int, end: Int) {
      self.part = part
      self.algorithm = algorithm
      self.first = first
      self.end = end
    }
  }

  /// A message in several frames.
  package struct Chunk: Sendable, Equatable {
    /// Which of them this is.
    package var index: Part
    /// The first one's index.
    package var first: Int
    /// How many there are, where the frame says so.
    package var count: Part?
    /// The last one's index, where that is always the same.
    package var last: Int?
    /// For how many milliseconds the next one is waited for.
    package var timeout = 5000
    /// No message that is put together has more bytes of payload.
    package var most = 4096

    /// A message's part.
    package init(index: Part, first: Int, count: Part?, last: Int?) {
      self.index = index
      self.first = first
      self.count = count
      self.last = last
    }
  }

  /// What each frame begins with; nil is any byte.
  package var start: [UInt8?] = []
  /// How its end is known.
  package var ending = Ending.value
  /// The command's parts, the most significant first.
  package var command: [Part] = []
  /// The number that a response repeats.
  package var sequence: Part?
  /// The payload: its first byte, and behind its last one.
  package var payloadFirst = 0
  package var payloadEnd = 0
  /// The checksum.
  package var checksum: Checksum?
  /// A message in several frames.
  package var chunk: Chunk?
  /// For how long a frame's parts are waited for, in milliseconds; nil: a frame has one part.
  package var timeout: Int?
  /// No frame that is put together is longer.
  package var most = 512
  /// What fills a frame up behind its fields.
  package var padding: UInt8?

  /// A layout in which each write or notification is a frame, and all of it payload.
  package init() {}

  /// Whether a frame has a length and a checksum that can be right.
  package var isVerifiable: Bool {
    switch ending {
    case .length, .fixed: checksum != nil
    case .value, .delimiter: false
    }
  }

  /// Whether a frame ends where its message's fields are complete.
  package var isOpenEnded: Bool { ending == .value && timeout != nil }

  /// Whether a frame with a right length and a right checksum can be told from all other bytes.
  package var isRecognizable: Bool {
    if case .length = ending { return !start.isEmpty && checksum != nil }
    return false
  }
}

/// How much of bytes is a frame.
package enum FrameExtent: Equatable, Sendable {
  /// No frame begins here.
  case none
  /// One begins, and is as long as this altogether; nil: that is not known yet.
  case partial(total: Int?)
  /// The first so many bytes are one.
  case complete(Int)
}

/// A frame's parts.
package struct Frame: Equatable, Sendable {
  /// The frame's bytes.
  package var bytes: Slice
  /// The command; nil where there is none.
  package var command: Int?
  /// The sequence number; nil where there is none.
  package var sequence: Int?
  /// The payload.
  package var payload: Slice
  /// The checksum as it is and as it should be; nil where there is none.
  package var checksum: (found: UInt32, expected: UInt32)? {
    hasChecksum ? (found, expected) : nil
  }
  /// Whether the checksum is right, or there is none.
  package var isSound: Bool { found == expected }
  /// Which of a message's frames this is, from 0, and how many there are where the frame says so.
  package var chunk: Int?
  package var chunks: Int?
  /// Whether the frame is marked as the last one.
  package var isLastChunk = false
  /// Whether it was put together of several frames: then its checksum stands in none of its bytes.
  package private(set) var isJoined = false

  fileprivate var hasChecksum = false
  fileprivate var found: UInt32 = 0
  fileprivate var expected: UInt32 = 0

  fileprivate init(_ bytes: Slice) {
    self.bytes = bytes
    payload = bytes
  }

  /// The frame of a message in several frames, whose payload begins behind `head` bytes.
  func joined(head: Int, count: Int) -> Frame {
    var frame = self
    frame.bytes = Slice(start: 0, count: count)
    frame.payload = Slice(start: head, count: count - head)
    frame.isJoined = true
    return frame
  }
}

extension FrameLayout {
  /// How much of these bytes is a frame.
  ///
  /// - Parameter searched: in so many of them the end was looked for before, in vain.
  package func extent(of bytes: RawSpan, searchedUpTo searched: Int = 0) -> FrameExtent {
    for (offset, expected) in start.enumerated() {
      guard offset < bytes.byteCount else {
        return bytes.byteCount == 0 ? .none : .partial(total: nil)
      }
      if let expected, bytes.byte(at: offset) != expected { return .none }
    }
    guard bytes.byteCount > 0 else { return .none }
    let total: Int
    switch ending {
    case .value: return bytes.byteCount >= least ? .complete(bytes.byteCount) : .none
    case .delimiter(let end): return delimited(bytes, end, searched)
    case .fixed(let size): total = size
    case .length(let part, let counted, let add):
      guard part.at >= 0, part.at + part.width <= bytes.byteCount else {
        return .partial(total: nil)
      }
      let number = ValueDecoder.load(bytes, part.at, part.width, bigEndian: part.isBigEndian)
      guard number <= 0xffff else { return .none }
      total = Int(number) + add + rest(counted, part)
    }
    guard total >= least, total <= max(most, bytes.byteCount) else { return .none }
    return total <= bytes.byteCount ? .complete(total) : .partial(total: total)
  }

  /// How many bytes of the frame a length does not count.
  private func rest(_ counted: Counted, _ part: Part) -> Int {
    switch counted {
    case .frame: 0
    case .after: part.at + part.width
    case .payload: payloadFirst - min(0, payloadEnd)
    }
  }

  private func delimited(_ bytes: RawSpan, _ end: [UInt8], _ searched: Int) -> FrameExtent {
    var offset = max(start.count, searched - end.count + 1)
    while offset + end.count <= bytes.byteCount {
      if bytes.part(Slice(start: offset, count: end.count)).isEqual(to: end.bytes) {
        return .complete(offset + end.count)
      }
      offset += 1
    }
    return bytes.byteCount < most ? .partial(total: nil) : .none
  }

  /// No frame is shorter: every part of it has its place.
  package var least: Int {
    var least = max(start.count, payloadFirst - min(0, payloadEnd))
    // No list of all parts: this is asked for every value of a channel.
    func reach(_ part: Part?) {
      if let part { least = max(least, part.at >= 0 ? part.at + part.width : -part.at) }
    }
    for part in command { reach(part) }
    reach(sequence)
    reach(checksum?.part)
    reach(chunk?.index)
    reach(chunk?.count)
    if case .length(let part, _, _) = ending { least = max(least, part.at + part.width) }
    return max(1, least)
  }

  /// The command of a frame that has begun; nil where there is none, or it is not there yet.
  package func command(of bytes: RawSpan) -> Int? {
    var value = 0
    for part in command {
      guard part.at >= 0, part.at + part.width <= bytes.byteCount else { return nil }
      let number = ValueDecoder.load(bytes, part.at, part.width, bigEndian: part.isBigEndian)
      value = value << (8 * part.width) | Int(truncatingIfNeeded: number)
    }
    return command.isEmpty ? nil : value
  }

  /// The parts of a frame that is complete; places count from the first of all bytes.
  package func parts(of bytes: RawSpan, _ slice: Slice) -> Frame {
    let frame = bytes.part(slice)
    let start = Int(slice.start)
    let count = frame.byteCount
    var parts = Frame(slice)
    func number(_ part: Part) -> Int {
      let offset = part.at >= 0 ? part.at : count + part.at
      return Int(
        truncatingIfNeeded: ValueDecoder.load(
          frame, offset, part.width, bigEndian: part.isBigEndian))
    }
    if !command.isEmpty {
      var value = 0
      for part in command { value = value << (8 * part.width) | number(part) }
      parts.command = value
    }
    parts.sequence = sequence.map(number)
    let first = min(max(0, payloadFirst), count)
    let end = max(first, min(count, payloadEnd > 0 ? payloadEnd : count + payloadEnd))
    parts.payload = Slice(start: start + first, count: end - first)
    if let checksum {
      let last = checksum.end > 0 ? checksum.end : count + checksum.end
      let covered = Slice(start: checksum.first, count: max(0, last - checksum.first))
      parts.hasChecksum = true
      parts.found = UInt32(truncatingIfNeeded: number(checksum.part))
      parts.expected = checksum.algorithm.compute(frame.part(covered))
    }
    if let chunk {
      let index = number(chunk.index)
      parts.chunk = index &- chunk.first
      parts.chunks = chunk.count.map(number)
      parts.isLastChunk = chunk.last == index
    }
    return parts
  }
}
