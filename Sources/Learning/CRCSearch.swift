// Finds any CRC of 8 or 16 bits. The exclusive or of two equally long frames with their CRCs is a
// multiple of the polynomial, whatever the initial value and the final exclusive or: so is the
// greatest common divisor of several such differences, which is usually the polynomial itself.

import Decoders

/// A polynomial over the field of two elements, bit 0 of the first word the lowest coefficient.
struct BinaryPolynomial {
  private(set) var words: [UInt64] = []
  /// The degree; −1 for 0.
  private(set) var degree = -1

  init() {}

  /// Creates a polynomial from bits, the highest coefficient first.
  ///
  /// - Parameter isReflected: whether the least significant bit of each byte comes first.
  init(_ bytes: [UInt8], isReflected: Bool) {
    words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
    for (index, byte) in bytes.reversed().enumerated() {
      let value = isReflected ? Self.reflected(byte) : byte
      words[index / 8] |= UInt64(value) << UInt64(8 * (index % 8))
    }
    degree = 64 * words.count - 1
    lower()
  }

  /// Returns a byte with its bits in the opposite order.
  private static func reflected(_ byte: UInt8) -> UInt8 {
    var (rest, result) = (byte, UInt8(0))
    for _ in 0..<8 {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }

  private mutating func lower() {
    while degree >= 0, words[degree / 64] >> UInt64(degree % 64) & 1 == 0 {
      if degree % 64 == 63, words[degree / 64] == 0 { degree -= 64 } else { degree -= 1 }
    }
  }

  /// Replaces it by its remainder.
  mutating func reduce(by divisor: BinaryPolynomial) {
    guard divisor.degree >= 0 else { return }
    let count = divisor.degree / 64 + 1
    while degree >= divisor.degree {
      let shift = degree - divisor.degree
      let (skipped, bits) = (shift / 64, UInt64(shift % 64))
      for index in 0..<count {
        words[index + skipped] ^= divisor.words[index] << bits
        if bits > 0, index + skipped + 1 < words.count {
          words[index + skipped + 1] ^= divisor.words[index] >> (64 - bits)
        }
      }
      lower()
    }
  }

  /// Returns the greatest common divisor.
  static func commonDivisor(
    _ first: BinaryPolynomial, _ second: BinaryPolynomial
  ) -> BinaryPolynomial {
    var (first, second) = (first, second)
    while second.degree >= 0 {
      first.reduce(by: second)
      swap(&first, &second)
    }
    return first
  }

  /// The polynomial without its factors x, as a number; nil if it has more than 63 bits then.
  var oddNumber: UInt64? {
    guard degree >= 0 else { return nil }
    var zeros = 0
    while words[zeros / 64] >> UInt64(zeros % 64) & 1 == 0 { zeros += 1 }
    guard degree - zeros < 63 else { return nil }
    var number = words[zeros / 64] >> UInt64(zeros % 64)
    if zeros % 64 > 0, zeros / 64 + 1 < words.count {
      number |= words[zeros / 64 + 1] << UInt64(64 - zeros % 64)
    }
    return number
  }
}

enum CRCSearch {
  typealias Found = (after: Int, first: Int, isBigEndian: Bool, crc: ChecksumAlgorithm)

  /// The number of differences that the polynomial is taken from, of bytes of a frame, and of
  /// frames that constants are computed from.
  private static let mostDifferences = 6
  private static let mostBytes = 160
  private static let mostEquations = 12

  /// Returns CRCs that agree with some frames. The caller tests them on all.
  static func find(_ frames: [[UInt8]]) -> [Found] {
    let usable = frames.filter { $0.count <= mostBytes && $0.count >= 4 }
    // Another choice, in case one of the frames is damaged.
    for offset in 0..<2 {
      let pairs = pairs(usable, offset)
      guard pairs.count >= 3 else { return [] }
      let found = find(usable, pairs)
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Returns pairs of equally long frames.
  private static func pairs(_ frames: [[UInt8]], _ offset: Int) -> [([UInt8], [UInt8])] {
    var groups: [Int: [[UInt8]]] = [:]
    for frame in frames { groups[frame.count, default: []].append(frame) }
    var pairs: [([UInt8], [UInt8])] = []
    for (_, group) in groups.sorted(by: { ($0.value.count, $0.key) > ($1.value.count, $1.key) }) {
      let few = ChecksumSearch.evenly(group, 2 * mostDifferences + offset).dropFirst(offset)
      for index in few.indices.dropLast() { pairs.append((few[index], few[index + 1])) }
      if pairs.count >= mostDifferences { break }
    }
    return Array(pairs.prefix(mostDifferences))
  }

  private static func find(_ frames: [[UInt8]], _ pairs: [([UInt8], [UInt8])]) -> [Found] {
    var found: [Found] = []
    for width in [1, 2] {
      for after in 0...ChecksumSearch.mostAfter {
        for isBigEndian in width == 1 ? [true] : [true, false] {
          for isReflected in [false, true] {
            for first in 0...ChecksumSearch.lastFirst {
              guard
                let polynomial = polynomial(
                  pairs, width, after, first, isBigEndian, isReflected)
              else { continue }
              for crc in parameters(
                frames, width, after, first, isBigEndian, isReflected, polynomial)
              {
                found.append((after, first, isBigEndian, crc))
              }
            }
          }
        }
      }
    }
    return found.sorted { $0.crc.isPlain && !$1.crc.isPlain }
  }

  /// Returns the only polynomial that divides all differences.
  private static func polynomial(
    _ pairs: [([UInt8], [UInt8])], _ width: Int, _ after: Int, _ first: Int, _ isBigEndian: Bool,
    _ isReflected: Bool
  ) -> UInt32? {
    var divisor = BinaryPolynomial()
    for (one, other) in pairs {
      let place = one.count - after - width
      guard place > first else { return nil }
      var difference = [UInt8]()
      for index in first..<place + width { difference.append(one[index] ^ other[index]) }
      // The register's first bit is the highest coefficient: the highest bit of a CRC that is not
      // reflected, the lowest of one that is.
      if width == 2, isBigEndian == isReflected {
        difference.swapAt(difference.count - 1, difference.count - 2)
      }
      let multiple = BinaryPolynomial(difference, isReflected: isReflected)
      if multiple.degree < 0 { continue }
      divisor = .commonDivisor(multiple, divisor)
      if divisor.degree < 8 * width { return nil }
    }
    guard let number = divisor.oddNumber else { return nil }
    let bits = 8 * width
    let degree = 63 - number.leadingZeroBitCount
    guard degree >= bits else { return nil }
    let top = UInt64(1) << UInt64(bits)
    // With the polynomial 1, a CRC is an exclusive or of bytes.
    if degree == bits { return number ^ top == 1 ? nil : UInt32(number ^ top) }
    // Some factors are left over: the polynomial is the only divisor of the right degree.
    guard degree <= bits + 8 else { return nil }
    var only: UInt32?
    for candidate in stride(from: UInt64(3), to: top, by: 2) {
      guard remainder(number, top | candidate) == 0 else { continue }
      if only != nil { return nil }
      only = UInt32(candidate)
    }
    return only
  }

  private static func remainder(_ number: UInt64, _ divisor: UInt64) -> UInt64 {
    var rest = number
    let degree = 63 - divisor.leadingZeroBitCount
    while rest != 0 {
      let shift = 63 - rest.leadingZeroBitCount - degree
      if shift < 0 { break }
      rest ^= divisor << UInt64(shift)
    }
    return rest
  }

  /// Returns the plain initial values and final exclusive ors that fit, or else the computed ones.
  private static func parameters(
    _ frames: [[UInt8]], _ width: Int, _ after: Int, _ first: Int, _ isBigEndian: Bool,
    _ isReflected: Bool, _ polynomial: UInt32
  ) -> [ChecksumAlgorithm] {
    var crc = ChecksumAlgorithm(.crc, width: width)
    crc.polynomial = polynomial
    (crc.reflectsInput, crc.reflectsOutput) = (isReflected, isReflected)
    // One frame of each length: what others of the same length add is in the polynomial already.
    var byLength: [Int: [[UInt8]]] = [:]
    for frame in frames where frame.count - after - width > first {
      if byLength[frame.count, default: []].count < 3 { byLength[frame.count]?.append(frame) }
      if byLength[frame.count] == nil { byLength[frame.count] = [frame] }
    }
    let equations = byLength.sorted { $0.key < $1.key }.prefix(mostEquations).map { _, frames in
      let frame = frames[frames.count / 2]
      let place = frame.count - after - width
      let found = frame.number(at: place, width: width, isBigEndian: isBigEndian)
      let rest = found ^ crc.compute(frame, first..<place)
      return (count: place - first, rest: rest)
    }
    guard !equations.isEmpty else { return [] }
    let mask = crc.mask
    for (initial, xorout) in [(0, 0), (mask, 0), (0, mask), (mask, mask)] {
      (crc.initial, crc.inverted) = (initial, xorout)
      if equations.allSatisfy({ effect(crc, $0.count) == $0.rest }) { return [crc] }
    }
    (crc.initial, crc.inverted) = (0, 0)
    for xorout in [0, mask] as [UInt32?] + [nil] {
      guard let solved = solve(crc, equations, xorout) else { continue }
      return [solved]
    }
    return []
  }

  /// Returns what the initial value and the final exclusive or change after some bytes.
  private static func effect(_ crc: ChecksumAlgorithm, _ count: Int) -> UInt32 {
    let zeros = [UInt8](repeating: 0, count: count)
    return crc.compute(zeros, 0..<count)
  }

  /// Solves the equations for the initial value, and for the final exclusive or if it is not given.
  /// Exclusive or is linear: the effect of an initial value is that of its bits.
  private static func solve(
    _ crc: ChecksumAlgorithm, _ equations: [(count: Int, rest: UInt32)], _ xorout: UInt32?
  ) -> ChecksumAlgorithm? {
    let width = 8 * crc.width
    // A row has a bit for each unknown, and the right side above them.
    var rows: [UInt64] = []
    for (count, rest) in equations {
      let zeros = [UInt8](repeating: 0, count: count)
      let effects = (0..<width).map { bit in
        var one = crc
        one.initial = 1 << UInt32(bit)
        return one.compute(zeros, 0..<count)
      }
      let right = rest ^ (xorout ?? 0)
      for bit in 0..<width {
        var row: UInt64 = 0
        for unknown in 0..<width where effects[unknown] >> UInt32(bit) & 1 == 1 {
          row |= 1 << UInt64(unknown)
        }
        if xorout == nil { row |= 1 << UInt64(width + bit) }
        if right >> UInt32(bit) & 1 == 1 { row |= 1 << 40 }
        rows.append(row)
      }
    }
    var solution: UInt64 = 0
    var pivots: [(bit: UInt64, row: UInt64)] = []
    for row in rows {
      var row = row
      for pivot in pivots where row & pivot.bit != 0 { row ^= pivot.row }
      let unknowns = row & (1 << 40 - 1)
      guard unknowns != 0 else {
        if row != 0 { return nil }
        continue
      }
      let bit = unknowns & (0 &- unknowns)
      for index in pivots.indices where pivots[index].row & bit != 0 { pivots[index].row ^= row }
      pivots.append((bit, row))
    }
    // Unknowns without a pivot are 0.
    for pivot in pivots where pivot.row & 1 << 40 != 0 { solution |= pivot.bit }
    var result = crc
    result.initial = UInt32(solution & UInt64(crc.mask))
    result.inverted = xorout ?? UInt32(solution >> UInt64(width) & UInt64(crc.mask))
    return result
  }
}
