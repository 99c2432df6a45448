// Frames from values: a frame is a value, or begins in one and ends in another.

/// A frame that was found in the values of a channel.
package struct FoundFrame: Sendable {
  package var bytes: [UInt8]
  /// The places of its first and last value among those of the channel.
  package var first: Int
  package var last: Int
}

/// How values are joined to frames.
enum Assembly {
  /// The maximum number of bytes of a joined frame, and the longest time between its parts.
  static let mostBytes = 4096
  static let longestPause: Int64 = 2_000_000_000

  /// Returns whether a value can go on where another one ended.
  static func follows(_ value: ObservedValue, _ other: ObservedValue) -> Bool {
    guard value.connection == other.connection else { return false }
    guard let time = value.time, let before = other.time else { return true }
    return time - before <= longestPause
  }

  /// Returns the values that begin with `start`.
  static func single(_ values: [ObservedValue], _ start: [UInt8]) -> [FoundFrame] {
    values.indices.compactMap { index in
      let bytes = values[index].bytes
      return bytes.starts(with: start) && !bytes.isEmpty
        ? FoundFrame(bytes: bytes, first: index, last: index) : nil
    }
  }

  /// Returns the frames that begin with `start` and end where the next one begins.
  static func untilNext(_ values: [ObservedValue], _ start: [UInt8]) -> [FoundFrame] {
    var frames: [FoundFrame] = []
    var open: FoundFrame?
    for index in values.indices {
      let bytes = values[index].bytes
      if bytes.starts(with: start) {
        if let open { frames.append(open) }
        open = FoundFrame(bytes: bytes, first: index, last: index)
      } else if var frame = open {
        if follows(values[index], values[frame.last]), frame.bytes.count + bytes.count <= mostBytes
        {
          frame.bytes += bytes
          frame.last = index
          open = frame
        } else {
          frames.append(frame)
          open = nil
        }
      }
    }
    if let open { frames.append(open) }
    return frames
  }

  /// Returns the frames that begin with `start` and have the length in them. What follows
  /// a frame in its value is another one if it begins like one, otherwise it is left over.
  static func byLength(
    _ values: [ObservedValue], _ start: [UInt8], _ length: LearntLength
  ) -> [FoundFrame] {
    collect(values, start) { bytes in
      guard let total = length.total(of: bytes) else { return nil }
      return total >= length.at + length.width && total <= mostBytes ? total : 0
    }
  }

  /// Returns the frames that begin with `start` and have a fixed size.
  static func bySize(_ values: [ObservedValue], _ start: [UInt8], _ size: Int) -> [FoundFrame] {
    collect(values, start) { _ in size }
  }

  /// - Parameter total: returns the length of the frame that begins with some bytes; nil: not known
  ///   yet; 0: no frame begins there.
  private static func collect(
    _ values: [ObservedValue], _ start: [UInt8], _ total: ([UInt8]) -> Int?
  ) -> [FoundFrame] {
    var frames: [FoundFrame] = []
    var open: FoundFrame?
    for index in values.indices {
      var bytes = values[index].bytes
      var first = index
      if let frame = open {
        if follows(values[index], values[frame.last]), frame.bytes.count + bytes.count <= mostBytes,
          start.isEmpty || !bytes.starts(with: start) || !isComplete(frame.bytes, total)
        {
          bytes = frame.bytes + bytes
          first = frame.first
        }
        open = nil
      }
      while !bytes.isEmpty, bytes.starts(with: start) {
        guard let size = total(bytes) else {
          open = FoundFrame(bytes: bytes, first: first, last: index)
          break
        }
        guard size > 0 else { break }
        if size > bytes.count {
          open = FoundFrame(bytes: bytes, first: first, last: index)
          break
        }
        frames.append(FoundFrame(bytes: Array(bytes[..<size]), first: first, last: index))
        bytes.removeFirst(size)
        first = index
        // Without start bytes, nothing distinguishes a second frame from padding.
        if start.isEmpty { break }
      }
    }
    return frames
  }

  private static func isComplete(_ bytes: [UInt8], _ total: ([UInt8]) -> Int?) -> Bool {
    total(bytes).map { $0 <= bytes.count } ?? false
  }
}
