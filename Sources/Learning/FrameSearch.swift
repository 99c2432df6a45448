// The frames of one channel: which start, length and checksum explain most of its values.

/// A kind of frame that was found on a channel.
package struct LearntFrame: Sendable {
  /// The bytes at the beginning of each frame.
  package var start: [UInt8]
  package var length: LearntLength?
  /// The number of bytes of every frame, if all that were seen have the same.
  package var size: Int?
  /// The shortest and the longest frame.
  package var sizes: ClosedRange<Int>
  package var checksum: LearntChecksum?
  /// The constant bytes after the checksum.
  package var end: [UInt8]
  /// Whether a frame may have several values.
  package var isJoined: Bool
  /// What fills the rest of a value after a frame; nil: nothing does.
  package var padding: UInt8?
  /// All frames, in order, and how many of them differ.
  package var frames: [FoundFrame]
  package var different: Int

  /// The checksum that only those frames have that begin with some more bytes.
  package var partial: PartialChecksum?

  /// The end of the payload, and what is after it: the checksum and the constant bytes.
  package var tail: Int { checksum.map { $0.width + $0.after } ?? 0 }
}

/// A checksum of some frames of a kind.
package struct PartialChecksum: Sendable {
  /// What these frames begin with.
  package var start: [UInt8]
  package var checksum: LearntChecksum
}

/// What was learnt of one direction of a characteristic.
package struct LearntChannel: Sendable {
  /// Why nothing was found.
  package enum Remark: Sendable, Equatable {
    /// There are this many different values.
    case tooFew(Int)
    /// All are blocks of this many bytes.
    case blocks(Int)
    /// All are text.
    case text
    case nothing
  }

  package var kinds: [LearntFrame] = []
  package var remark: Remark?
  /// The number of values, and of different ones, that were used.
  package var used: Int
  package var different: Int
  /// The values that are not part of a frame.
  package var rest: [ObservedValue] = []
  /// The connection whose values were used, if those of all together have no frame.
  package var onlyConnection: Int?

  /// The least number of different values.
  package static let leastDifferent = 4

  /// Adds a kind of frame and takes its values out of the rest.
  mutating func add(_ frame: LearntFrame) {
    var used = Set<Int>()
    for found in frame.frames { used.formUnion(found.first...found.last) }
    rest = rest.indices.filter { !used.contains($0) }.map { rest[$0] }
    kinds.append(frame)
    remark = nil
  }
}

package enum FrameSearch {
  private static let mostKinds = 3
  private static let mostStarts = 12
  private static let mostFrames = 400

  /// Learns the frames of a channel's values.
  package static func learn(_ values: [ObservedValue]) -> LearntChannel {
    var channel = search(values)
    guard channel.kinds.isEmpty, channel.remark.map({ !isTooFew($0) }) ?? true else {
      return channel
    }
    // Values may have been encrypted in some connections only.
    let connections = Set(values.map(\.connection)).sorted().prefix(16)
    guard connections.count > 1 else { return channel }
    for connection in connections {
      var alone = search(values.filter { $0.connection == connection })
      guard !alone.kinds.isEmpty, alone.kinds[0].different > channel.kinds.first?.different ?? 0
      else { continue }
      alone.onlyConnection = connection
      channel = alone
    }
    return channel
  }

  private static func isTooFew(_ remark: LearntChannel.Remark) -> Bool {
    if case .tooFew = remark { return true }
    return false
  }

  private static func search(_ values: [ObservedValue]) -> LearntChannel {
    let different = Set(values.map(\.bytes))
    var channel = LearntChannel(used: values.count, different: different.count)
    channel.rest = values
    guard different.count >= LearntChannel.leastDifferent else {
      channel.remark = .tooFew(different.count)
      return channel
    }
    while channel.kinds.count < mostKinds, let frame = best(channel.rest) { channel.add(frame) }
    if let common = commonLength(channel, values) {
      channel.kinds.removeFirst()
      let others = channel.kinds
      channel.kinds = []
      channel.rest = values
      for frame in [common] + others { channel.add(frame) }
    }
    if channel.kinds.isEmpty { channel.remark = remark(different) }
    return channel
  }

  /// Returns a kind of frame that includes the first one, whose frames are all equally long, and
  /// more of the values, since they have a length in common.
  private static func commonLength(
    _ channel: LearntChannel, _ values: [ObservedValue]
  ) -> LearntFrame? {
    guard let main = channel.kinds.first, channel.kinds.count == 1, main.length == nil,
      main.size != nil, !main.isJoined, main.start.count >= 2, let checksum = main.checksum
    else { return nil }
    for count in (1..<main.start.count).reversed() {
      let start = Array(main.start.prefix(count))
      let all = Assembly.single(values, start)
      let different = differing(all)
      for var length in LengthSearch.candidates(different, lengths: different.map(\.count)) {
        guard length.at >= count, length.lengths >= 3, length.evidence.exceptions == 0,
          LengthSearch.confidence(length, beside: checksum) == .certain
        else { continue }
        length.confidence = .certain
        var common = finish(all, different, start, length, nil, padding: nil)
        common.partial = PartialChecksum(start: main.start, checksum: checksum)
        return common
      }
    }
    return nil
  }

  /// Tests whether a channel of which too little is known alone has the frames of another one of
  /// the same device: a single hypothesis needs less evidence than thousands.
  package static func confirm(_ values: [ObservedValue], like other: LearntFrame) -> LearntFrame? {
    guard let known = other.checksum else { return nil }
    var ways = [Assembly.single(values, other.start)]
    if let length = other.length {
      ways.insert(Assembly.byLength(values, other.start, length), at: 0)
    }
    for (place, found) in ways.enumerated() {
      let different = differing(found)
      guard different.count >= 3, found.count * 4 >= values.count * 3,
        let evidence = ChecksumSearch.evidence(known, different, isKnown: true),
        let confidence = evidence.confidence()
      else { continue }
      var checksum = known
      (checksum.evidence, checksum.confidence) = (evidence, confidence)
      var length = place == 0 ? other.length : nil
      if let judged = LengthSearch.candidates(different, lengths: different.map(\.count))
        .first(where: { $0.at == length?.at && $0.width == length?.width })
      {
        length?.evidence = judged.evidence
        length?.lengths = judged.lengths
      } else {
        length?.evidence = Evidence(matches: different.count, frames: different.count, bits: 0)
        length?.lengths = Set(different.map(\.count)).count
      }
      length?.confidence = .likely
      return finish(found, different, other.start, length, checksum, padding: nil)
    }
    return nil
  }

  private static func remark(_ different: Set<[UInt8]>) -> LearntChannel.Remark {
    if different.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 < 0x7f || $0 == 10 || $0 == 13 } }) {
      return .text
    }
    guard different.count >= 8, different.allSatisfy({ $0.count % 16 == 0 && !$0.isEmpty }) else {
      return .nothing
    }
    // Bytes of blocks that are encrypted are equally frequent.
    var frequencies = ByteFrequencies()
    for value in different { for byte in value { frequencies.add(byte) } }
    return frequencies.different * 10 >= 9 * min(256, frequencies.total * 6 / 10)
      ? .blocks(16) : .nothing
  }

  /// Returns the kind of frame with the strongest evidence.
  private static func best(_ values: [ObservedValue]) -> LearntFrame? {
    var best: (score: Double, frame: LearntFrame)?
    for start in starts(values) {
      for frame in frames(values, start) {
        let score =
          (frame.checksum?.evidence.bits ?? 0)
          + (frame.checksum == nil ? 0.3 : 1) * (frame.length?.evidence.bits ?? 0)
        // A longer start must explain more than a shorter one.
        if score > best.map({ $0.score + 1 }) ?? 0 { best = (score, frame) }
      }
    }
    return best?.frame
  }

  /// Returns beginnings that many values share, the shortest first.
  private static func starts(_ values: [ObservedValue]) -> [[UInt8]] {
    let different = Set(values.map(\.bytes))
    guard different.count >= LearntChannel.leastDifferent else { return [] }
    var starts: [[UInt8]] = [[]]
    var parents: [[UInt8]: Int] = [[]: different.count]
    for depth in 1...4 {
      var counts: [[UInt8]: Int] = [:]
      for value in different where value.count >= depth {
        counts[Array(value[..<depth]), default: 0] += 1
      }
      let frequent = counts.filter { start, count in
        count >= LearntChannel.leastDifferent && count * 20 >= different.count
          && parents[Array(start.dropLast())] != nil
      }
      parents = frequent
      for (start, _) in frequent.sorted(by: {
        $0.value != $1.value ? $0.value > $1.value : $0.key.lexicographicallyPrecedes($1.key)
      }).prefix(4) where starts.count < mostStarts {
        starts.append(start)
      }
    }
    return starts
  }

  /// Returns the frames that begin with `start`, one result for each way to join them that has a
  /// length or a checksum.
  private static func frames(_ values: [ObservedValue], _ start: [UInt8]) -> [LearntFrame] {
    let single = Assembly.single(values, start)
    var ways = [single]
    if !start.isEmpty, single.count < values.count {
      let joined = Assembly.untilNext(values, start)
      if joined.contains(where: { $0.first != $0.last }) { ways.append(joined) }
    }
    var results: [LearntFrame] = []
    for way in ways {
      let different = differing(way)
      guard different.count >= LearntChannel.leastDifferent else { continue }
      if let result = learn(way, different, padding: nil, values, start) { results.append(result) }
      if let padding = padding(different),
        let result = learn(way, different, padding: padding, values, start)
      {
        results.append(result)
      }
    }
    return results
  }

  /// Returns the different frames, in order, evenly chosen if there are many.
  static func differing(_ frames: [FoundFrame]) -> [[UInt8]] {
    var known: Set<[UInt8]> = []
    let different = frames.compactMap { known.insert($0.bytes).inserted ? $0.bytes : nil }
    return ChecksumSearch.evenly(different, mostFrames)
  }

  /// Returns the byte at the end of most frames, if it is repeated and their values are equally
  /// long.
  private static func padding(_ frames: [[UInt8]]) -> UInt8? {
    let count = frames.map(\.count).min() ?? 0
    guard count >= 8, frames.allSatisfy({ $0.count % count == 0 }), let last = frames[0].last else {
      return nil
    }
    let padded = frames.count { $0[$0.count - 1] == last && $0[$0.count - 2] == last }
    return padded * 2 >= frames.count ? last : nil
  }

  private static func learn(
    _ way: [FoundFrame], _ different: [[UInt8]], padding: UInt8?, _ values: [ObservedValue],
    _ start: [UInt8]
  ) -> LearntFrame? {
    let lengths = different.map { frame in
      padding.map { byte in frame.count - frame.reversed().prefix { $0 == byte }.count }
        ?? frame.count
    }
    var best: LearntFrame?
    var bestBits = 0.0
    for length in LengthSearch.candidates(different, lengths: lengths).prefix(4) {
      // The length decides where a frame ends, unless it is in the way of the start.
      guard length.at >= min(start.count, 4) || start.isEmpty else { continue }
      let exact = Assembly.byLength(values, start, length)
      guard exact.count * 10 >= way.count * 8 else { continue }
      let frames = differing(exact)
      let checksum = ChecksumSearch.find(frames)
      guard let confidence = LengthSearch.confidence(length, beside: checksum) else { continue }
      var proven = length
      proven.confidence = confidence
      let bits = (checksum?.evidence.bits ?? 0) + (checksum == nil ? 0.3 : 1) * length.evidence.bits
      guard bits > bestBits + 1 else { continue }
      bestBits = bits
      best = finish(exact, frames, start, proven, checksum, padding: padding)
    }
    if padding == nil, best?.checksum == nil {
      if let checksum = ChecksumSearch.find(different), checksum.evidence.bits > bestBits {
        best = finish(way, different, start, nil, checksum, padding: nil)
      } else if let size = commonSize(way), way.contains(where: { $0.bytes.count != size }) {
        // Some frames are longer than the others, since their next one was lost.
        let exact = Assembly.bySize(values, start, size)
        let frames = differing(exact)
        if frames.count >= LearntChannel.leastDifferent,
          let checksum = ChecksumSearch.find(frames), checksum.evidence.bits > bestBits
        {
          best = finish(exact, frames, start, nil, checksum, padding: nil)
        }
      }
    }
    return best
  }

  /// Returns the size that most frames have.
  private static func commonSize(_ frames: [FoundFrame]) -> Int? {
    var counts: [Int: Int] = [:]
    for frame in frames { counts[frame.bytes.count, default: 0] += 1 }
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    guard let most, most.value * 2 > frames.count else { return nil }
    return most.key
  }

  private static func finish(
    _ found: [FoundFrame], _ different: [[UInt8]], _ start: [UInt8], _ length: LearntLength?,
    _ checksum: LearntChecksum?, padding: UInt8?
  ) -> LearntFrame {
    let sizes = different.map(\.count)
    let least = sizes.min() ?? 0
    let most = sizes.max() ?? 0
    var frame = LearntFrame(
      start: start, length: length, size: least == most ? least : nil, sizes: least...most,
      checksum: checksum, end: [], isJoined: found.contains { $0.first != $0.last },
      padding: padding, frames: found, different: Set(found.map(\.bytes)).count)
    frame.start = commonStart(different, frame)
    if let checksum, checksum.after > 0 {
      let ends = Set(different.map { Array($0.suffix(checksum.after)) })
      if ends.count == 1, let end = ends.first { frame.end = end }
    }
    return frame
  }

  /// Returns the bytes that all frames begin with, up to four, before their length and checksum.
  private static func commonStart(_ different: [[UInt8]], _ frame: LearntFrame) -> [UInt8] {
    var most = min(4, frame.sizes.lowerBound - max(1, frame.tail))
    if let length = frame.length { most = min(most, length.at) }
    var common = different[0].prefix(max(0, most))
    for bytes in different {
      while !bytes.starts(with: common) { common = common.dropLast() }
    }
    // Zeros at its end are rather the high bytes of numbers.
    while common.count > frame.start.count, common.last == 0 { common = common.dropLast() }
    return common.count >= frame.start.count ? Array(common) : frame.start
  }
}
