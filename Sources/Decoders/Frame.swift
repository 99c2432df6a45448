package import Bytes

/// The layout of a vendor's frame. Its functions are pure: the caller keeps a frame that has begun
/// but is not complete (`extent(of:)` reports how much is missing).
package struct FrameLayout: Sendable, Equatable {
  /// A number at a position in the frame.
  package struct Part: Sendable, Equatable {
    /// The offset from the frame's first byte; if negative, from its end.
    package var at: Int
    /// The number of bytes, 1 to 8.
    package var width: Int
    /// Whether the most significant byte comes first.
    package var isBigEndian: Bool

    package init(at: Int, width: Int, isBigEndian: Bool) {
      self.at = at
      self.width = width
      self.isBigEndian = isBigEndian
    }
  }

  /// What a length counts.
  package enum Counted: Int, Sendable, CaseIterable {
    /// The whole frame; everything after the length; the payload.
    case frame, after, payload
  }

  /// How the end of a frame is determined.
  package enum Ending: Sendable, Equatable {
    /// By the end of the write or notification.
    case value
    /// All frames have this many bytes.
    case fixed(Int)
    /// By a length, to which `add` is added.
    case length(Part, Counted, add: Int)
    /// By these bytes.
    case delimiter([UInt8])
    /// By the end of a line of text. The payload is the line without line ends, of which any number
    /// may come before and after it.
    case lines

    /// Whether the length is known before the end comes.
    package var isMeasured: Bool {
      switch self {
      case .fixed, .length: true
      case .value, .delimiter, .lines: false
      }
    }
  }

  package struct Checksum: Sendable, Equatable {
    /// Its position.
    package var part: Part
    package var algorithm: ChecksumAlgorithm
    /// The range of bytes that it covers: the first byte, and the end (0: the frame's end,
    /// negative: before it).
    package var first: Int
    package var end: Int
    /// The checksum of a frame without payload, if it is not computed.
    package var empty: UInt32?

    package init(part: Part, algorithm: ChecksumAlgorithm, first: Int, end: Int) {
      self.part = part
      self.algorithm = algorithm
      self.first = first
      self.end = end
    }
  }

  /// A message in several frames.
  package struct Chunk: Sendable, Equatable {
    /// The index of this frame.
    package var index: Part
    /// The index of the first frame.
    package var first: Int
    /// The number of frames, if the frame contains it.
    package var count: Part?
    /// The index of the last frame, if that is always the same.
    package var last: Int?
    /// How many milliseconds to wait for the next frame.
    package var timeout = 5000
    /// The maximum number of payload bytes of a joined message.
    package var most = 4096

    package init(index: Part, first: Int, count: Part?, last: Int?) {
      self.index = index
      self.first = first
      self.count = count
      self.last = last
    }
  }

  /// Whether only requests have this layout, or only responses; nil: both have it.
  package var isRequest: Bool?
  /// The bytes with which each frame begins; nil matches any byte.
  package var start: [UInt8?] = []
  /// How the end of a frame is determined.
  package var ending = Ending.value
  /// The bytes with which each frame must end if something else determines where that is.
  package var tail: [UInt8] = []
  /// The parts of the command, the most significant first.
  package var command: [Part] = []
  /// The number that a response repeats.
  package var sequence: Part?
  /// The payload: its first byte, and its end.
  package var payloadFirst = 0
  package var payloadEnd = 0
  package var checksum: Checksum?
  /// Set if a message can have several frames.
  package var chunk: Chunk?
  /// How many milliseconds to wait for a frame's parts; nil: a frame has one part.
  package var timeout: Int?
  /// The maximum length of a joined frame.
  package var most = 512
  /// The byte that fills a frame after its fields, and its last value after the frame.
  package var padding: UInt8?

  /// How bytes inside a frame are escaped. All positions count in what they represent.
  package var escape: FrameEscape?

  /// Creates a layout in which each write or notification is a frame, all of it payload.
  package init() {}

  /// Whether a frame has a length and a checksum that can be verified.
  package var isVerifiable: Bool { (ending.isMeasured || escape != nil) && checksum != nil }

  /// Whether a frame ends when its message's fields are complete.
  package var isOpenEnded: Bool { ending == .value && timeout != nil }

  /// Whether a frame with a correct length and a correct checksum can be distinguished from all
  /// other bytes.
  package var isRecognizable: Bool {
    if case .length = ending { return !start.isEmpty && checksum != nil }
    return escape != nil && !start.isEmpty && checksum != nil
  }
}

/// How many of some bytes are a frame.
package enum FrameExtent: Equatable, Sendable {
  /// No frame begins here.
  case none
  /// A frame of this total length begins; nil: the length is not known yet.
  case partial(total: Int?)
  /// The first bytes, as many as this, are a frame.
  case complete(Int)
}

/// The parts of a frame.
package struct Frame: Equatable, Sendable {
  package var bytes: Slice
  /// The index of its layout in the protocol.
  package fileprivate(set) var layout = 0
  /// The command, if any.
  package var command: Int?
  /// The sequence number, if any.
  package var sequence: Int?
  package var payload: Slice
  /// The checksum as found and as expected, if any.
  package var checksum: (found: UInt32, expected: UInt32)? {
    hasChecksum ? (found, expected) : nil
  }
  /// Whether the checksum is correct, or there is none.
  package var isSound: Bool { found == expected }
  /// The index of this frame in a message, from 0, and the number of frames if the frame contains
  /// it.
  package var chunk: Int?
  package var chunks: Int?
  /// Whether the frame is marked as the last one.
  package var isLastChunk = false
  /// Whether it was joined from several frames: its checksum is then in none of its bytes.
  package private(set) var isJoined = false

  fileprivate var hasChecksum = false
  fileprivate var found: UInt32 = 0
  fileprivate var expected: UInt32 = 0

  fileprivate init(_ bytes: Slice) {
    self.bytes = bytes
    payload = bytes
  }

  /// Returns the frame of a joined message, whose payload begins after `head` bytes.
  func joined(head: Int, count: Int) -> Frame {
    var frame = self
    frame.bytes = Slice(start: 0, count: count)
    frame.payload = Slice(start: head, count: count - head)
    frame.isJoined = true
    return frame
  }
}

extension FrameLayout {
  /// Returns how many of the bytes are a frame.
  ///
  /// - Parameter searched: the number of bytes that were already searched for the end, in vain.
  @inline(__always)
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
    case .lines: return line(bytes, searched)
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
    guard total <= bytes.byteCount else { return .partial(total: total) }
    return hasTail(bytes, before: total) ? .complete(total) : .none
  }

  /// Returns whether a frame that ends at an offset ends with the bytes that it must end with.
  private func hasTail(_ bytes: RawSpan, before end: Int) -> Bool {
    tail.isEmpty
      || bytes.part(Slice(start: end - tail.count, count: tail.count)).isEqual(to: tail.bytes)
  }

  /// Returns whether the bytes from an offset on only fill the value, and there are any.
  package func isFilled(_ bytes: RawSpan, from offset: Int) -> Bool {
    guard let padding, offset < bytes.byteCount else { return false }
    for place in offset..<bytes.byteCount where bytes.byte(at: place) != padding { return false }
    return true
  }

  /// Returns the length of a frame that begins here if it is more than may be joined, and the value
  /// has less of it; otherwise nil.
  @inline(__always)
  package func excess(of bytes: RawSpan) -> Int? {
    guard case .length(let part, let counted, let add) = ending, part.at >= 0,
      part.at + part.width <= bytes.byteCount, bytes.byteCount >= start.count
    else { return nil }
    for (offset, expected) in start.enumerated() {
      if let expected, bytes.byte(at: offset) != expected { return nil }
    }
    let number = ValueDecoder.load(bytes, part.at, part.width, bigEndian: part.isBigEndian)
    guard number <= 0xffff else { return nil }
    let total = Int(number) + add + rest(counted, part)
    return total > max(most, bytes.byteCount) ? total : nil
  }

  /// Returns the number of bytes of the frame that a length does not count.
  func rest(_ counted: Counted, _ part: Part) -> Int {
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
        return offset + end.count >= least ? .complete(offset + end.count) : .none
      }
      offset += 1
    }
    return bytes.byteCount < most ? .partial(total: nil) : .none
  }

  private func line(_ bytes: RawSpan, _ searched: Int) -> FrameExtent {
    let count = bytes.byteCount
    var start = 0
    while start < count, Self.isLineEnd(bytes.byte(at: start)) { start += 1 }
    // An empty line is complete, so that a line end that comes in a value of its own is not kept.
    guard start < count else { return .complete(count) }
    var end = max(start, searched)
    while end < count, !Self.isLineEnd(bytes.byte(at: end)) {
      guard !Self.isControl(bytes.byte(at: end)) else {
        return timeout == nil && end > start && isFilled(bytes, from: end) ? .complete(end) : .none
      }
      end += 1
    }
    guard end < count else {
      guard timeout != nil else { return .complete(count) }
      return count < most ? .partial(total: nil) : .none
    }
    while end < count, Self.isLineEnd(bytes.byte(at: end)) { end += 1 }
    return .complete(end)
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

  /// Returns whether a byte is a control character that is not part of a text.
  static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && !isLineEnd(byte) || byte == 0x7f
  }

  /// Returns the line without line ends.
  private static func text(_ frame: RawSpan) -> Range<Int> {
    var (start, end) = (0, frame.byteCount)
    while start < end, isLineEnd(frame.byte(at: start)) { start += 1 }
    while end > start, isLineEnd(frame.byte(at: end - 1)) { end -= 1 }
    return start..<end
  }

  /// The minimum length of a frame, with room for every part.
  @inline(__always)
  package var least: Int {
    var least = max(start.count, payloadFirst - min(0, payloadEnd), tail.count)
    // Without an array of all parts, since this is called for every value of a channel.
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

  /// Returns the command of a frame that has begun; nil if there is none, or it is not present yet.
  @inline(__always)
  package func command(of bytes: RawSpan) -> Int? {
    // Where it is depends on the escaped bytes before it.
    if escape != nil { return nil }
    var value = 0
    for part in command {
      guard part.at >= 0, part.at + part.width <= bytes.byteCount else { return nil }
      let number = ValueDecoder.load(bytes, part.at, part.width, bigEndian: part.isBigEndian)
      value = value << (8 * part.width) | Int(truncatingIfNeeded: number)
    }
    return command.isEmpty ? nil : value
  }

  /// Returns the parts of a complete frame; nil if it is too short for them.
  ///
  /// - Parameter unescaped: if bytes are escaped, what they represent is appended to this, in which
  ///   the frame's positions then count.
  func frame(
    _ bytes: RawSpan, _ slice: Slice, layout: Int, into unescaped: inout [UInt8]
  ) -> Frame? {
    guard let escape else { return parts(of: bytes, slice, layout: layout) }
    let start = unescaped.count
    escape.append(bytes.part(slice), to: &unescaped)
    let count = unescaped.count - start
    guard count >= least else { return nil }
    return parts(of: unescaped.bytes, Slice(start: start, count: count), layout: layout)
  }

  /// Returns the parts of a complete frame; positions count from the first of all bytes.
  ///
  /// - Parameter layout: the index of this layout in the protocol.
  @inline(__always)
  package func parts(of bytes: RawSpan, _ slice: Slice, layout: Int = 0) -> Frame {
    let frame = bytes.part(slice)
    let start = Int(slice.start)
    let count = frame.byteCount
    var parts = Frame(slice)
    parts.layout = layout
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
    if case .lines = ending {
      let text = Self.text(frame)
      parts.payload = Slice(start: start + text.lowerBound, count: text.count)
    }
    if let checksum {
      let last = checksum.end > 0 ? checksum.end : count + checksum.end
      let covered = Slice(start: checksum.first, count: max(0, last - checksum.first))
      parts.hasChecksum = true
      parts.found = UInt32(truncatingIfNeeded: number(checksum.part))
      parts.expected =
        if let empty = checksum.empty, first == end {
          empty
        } else {
          checksum.algorithm.compute(frame.part(covered))
        }
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
