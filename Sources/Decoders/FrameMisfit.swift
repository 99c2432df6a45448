import Bytes

/// Why bytes are not a frame of a protocol.
package enum FrameMisfit: Sendable, Hashable {
  /// The first bytes, up to the wrong one, and what they should be; nil: any byte.
  case start(found: [UInt8], expected: [UInt8?])
  /// The number of bytes, and the smallest number that a frame has.
  case short(count: Int, least: Int)
  /// A length of `width` bytes that should be another one.
  case length(found: Int, expected: Int, width: Int, countsFrame: Bool)
  /// The number of bytes that the length requires, and how many may be joined.
  case excess(total: Int, most: Int)
  /// The number of bytes, and that of all frames.
  case size(count: Int, expected: Int)
  /// The last bytes, and what they should be.
  case tail(found: [UInt8], expected: [UInt8])
  /// The bytes that end a frame do not come.
  case unended([UInt8])
  /// A control character that a line of text does not contain.
  case control(UInt8)
  case checksum(found: UInt32, expected: UInt32, digits: Int)

  /// How many bytes or rules were right before the wrong one: of several layouts, the one that fits
  /// best explains most.
  fileprivate var progress: Int {
    switch self {
    case .start(let found, _): found.count
    case .short, .control: 1 << 16
    case .length, .excess, .size, .unended: 2 << 16
    case .tail: 3 << 16
    case .checksum: 4 << 16
    }
  }

  /// The kind, by which misfits are counted.
  package var kind: Int { progress >> 16 }
}

extension VendorProtocol {
  /// Returns why bytes are not a whole frame of a direction with a correct checksum; nil if they
  /// are one.
  package func misfit(of bytes: RawSpan, isRequest: Bool) -> FrameMisfit? {
    var best: FrameMisfit?
    for frame in frames where frame.isRequest ?? isRequest == isRequest {
      guard let misfit = frame.misfit(of: bytes) else { return nil }
      if best.map({ $0.progress < misfit.progress }) ?? true { best = misfit }
    }
    return best
  }
}

extension FrameLayout {
  fileprivate func misfit(of bytes: RawSpan) -> FrameMisfit? {
    let count = bytes.byteCount
    for (offset, expected) in start.enumerated() {
      guard offset < count, let expected, bytes.byte(at: offset) != expected else { continue }
      let found = bytes.part(Slice(start: 0, count: offset + 1)).array
      return .start(found: found, expected: [UInt8?](start.prefix(offset + 1)))
    }
    guard count >= least else { return .short(count: count, least: least) }
    if case .complete(let end) = extent(of: bytes), end == count || isFilled(bytes, from: end) {
      var unescaped: [UInt8] = []
      guard let frame = frame(bytes, Slice(start: 0, count: end), layout: 0, into: &unescaped)
      else {
        return .short(count: unescaped.count, least: least)
      }
      guard let checksum = frame.checksum, !frame.isSound else { return nil }
      return .checksum(
        found: checksum.found, expected: checksum.expected,
        digits: 2 * (self.checksum?.part.width ?? 1))
    }
    switch ending {
    case .value: return nil
    case .fixed(let size):
      return count == size ? tailMisfit(bytes) : .size(count: count, expected: size)
    case .length(let part, let counted, let add):
      let number = Int(
        clamping: ValueDecoder.load(bytes, part.at, part.width, bigEndian: part.isBigEndian))
      let other = rest(counted, part)
      var total = number
      total.add(clamped: add + other)
      if total == count { return tailMisfit(bytes) }
      if timeout != nil, total > max(most, count) { return .excess(total: total, most: most) }
      return .length(
        found: number, expected: count - add - other, width: part.width,
        countsFrame: counted == .frame && add == 0)
    case .delimiter(let end): return .unended(end)
    case .lines:
      for place in 0..<count where Self.isControl(bytes.byte(at: place)) {
        return .control(bytes.byte(at: place))
      }
      return nil
    }
  }

  private func tailMisfit(_ bytes: RawSpan) -> FrameMisfit? {
    guard !tail.isEmpty else { return nil }
    let last = Slice(start: bytes.byteCount - tail.count, count: tail.count)
    return .tail(found: bytes.part(last).array, expected: tail)
  }
}
