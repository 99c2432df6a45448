/// Determines which elements of two sequences belong together: a longest common subsequence if that
/// is affordable, else a good one.
///
/// Memory is linear, and so is the time for sequences that differ little. For others each element
/// costs at most a few hundred steps (`bound`): what a search has passed, from either end, is not
/// searched again. Elements that the other side lacks entirely are left out beforehand.
enum Alignment {
  /// Two elements that belong together, by their indexes.
  struct Pair: Equatable, Sendable {
    /// The index in the left sequence.
    let left: Int
    /// The index in the right sequence.
    let right: Int
  }

  /// The most insertions and deletions, in each direction, up to which a shortest script is
  /// searched for.
  static let bound = 128

  /// Returns the pairs of equal elements, ascending on both sides.
  static func pairs(_ left: [Int], _ right: [Int]) -> [Pair] {
    let (kept, others) = (places(of: left, alsoIn: right), places(of: right, alsoIn: left))
    var aligner = Aligner(kept.map { left[$0] }, others.map { right[$0] })
    aligner.run()
    return aligner.pairs.map { Pair(left: kept[$0.left], right: others[$0.right]) }
  }

  private static func places(of elements: [Int], alsoIn others: [Int]) -> [Int] {
    let known = Set(others)
    return elements.indices.filter { known.contains(elements[$0]) }
  }
}

/// The work on one pair of sequences: E. W. Myers, "An O(ND) Difference Algorithm and Its
/// Variations" (1986), section 4b, with a stack instead of recursion, since sequences may be long
/// and hostile.
private struct Aligner {
  /// A part of both sequences that is still to be aligned.
  struct Box {
    var left: Range<Int>
    var right: Range<Int>
    /// Whether unique elements were already searched for in an enclosing box, in vain.
    var hasNoAnchors = false
  }

  let left: [Int]
  let right: [Int]
  private(set) var pairs: [Alignment.Pair] = []
  private var boxes: [Box] = []
  /// For each diagonal, how far a path reaches on the left side, from the beginning and from the
  /// end of the box; −1: no path. Diagonal 0 is in the middle of each.
  private var forward: [Int]
  private var backward: [Int]

  init(_ left: [Int], _ right: [Int]) {
    (self.left, self.right) = (left, right)
    forward = [Int](repeating: -1, count: 2 * Alignment.bound + 3)
    backward = forward
  }

  mutating func run() {
    boxes = [Box(left: left.indices, right: right.indices)]
    // The first box of what remains is on top, so that pairs come in order.
    var tails: [(depth: Int, pairs: [Alignment.Pair])] = []
    while let box = boxes.popLast() {
      let core = trim(box, &tails)
      if !core.left.isEmpty, !core.right.isEmpty { split(core) }
      while let tail = tails.last, tail.depth == boxes.count {
        pairs += tail.pairs
        tails.removeLast()
      }
    }
  }

  /// Removes the common beginning and end of both sides of a box; the pairs of its end are held
  /// until those before them are found.
  private mutating func trim(
    _ box: Box, _ tails: inout [(depth: Int, pairs: [Alignment.Pair])]
  ) -> Box {
    var (low, high) = (
      (box.left.lowerBound, box.right.lowerBound), (box.left.upperBound, box.right.upperBound)
    )
    while low.0 < high.0, low.1 < high.1, left[low.0] == right[low.1] {
      pairs.append(Alignment.Pair(left: low.0, right: low.1))
      low = (low.0 + 1, low.1 + 1)
    }
    let end = high
    while high.0 > low.0, high.1 > low.1, left[high.0 - 1] == right[high.1 - 1] {
      high = (high.0 - 1, high.1 - 1)
    }
    if end.0 > high.0 {
      var tail: [Alignment.Pair] = []
      for place in 0..<end.0 - high.0 {
        tail.append(Alignment.Pair(left: high.0 + place, right: high.1 + place))
      }
      tails.append((boxes.count, tail))
    }
    return Box(
      left: low.0..<high.0, right: low.1..<high.1, hasNoAnchors: box.hasNoAnchors)
  }

  /// Splits a box into smaller ones: at the middle of a shortest script, else at its unique
  /// elements, else where a search has come furthest.
  private mutating func split(_ box: Box) {
    let (point, tail, isMiddle) = search(box)
    if !isMiddle, !box.hasNoAnchors {
      let anchors = anchors(in: box)
      if !anchors.isEmpty {
        var (ends, pieces) = ((box.left.lowerBound, box.right.lowerBound), [Box]())
        for anchor in anchors {
          pieces.append(Box(left: ends.0..<anchor.left, right: ends.1..<anchor.right))
          ends = (anchor.left, anchor.right)
        }
        pieces.append(
          Box(left: ends.0..<box.left.upperBound, right: ends.1..<box.right.upperBound))
        boxes += pieces.reversed()
        return
      }
    }
    let low = (box.left.lowerBound, box.right.lowerBound)
    let high = (box.left.upperBound, box.right.upperBound)
    for (from, to) in [(tail, high), (point, tail), (low, point)] where from != to {
      boxes.append(
        Box(
          left: from.0..<to.0, right: from.1..<to.1, hasNoAnchors: box.hasNoAnchors || !isMiddle))
    }
  }

  /// Returns the point where the shortest scripts from the beginning and from the end of a box
  /// meet. If they are longer than the bound, returns the points that both searches have come
  /// furthest to, unless these pass each other.
  private mutating func search(
    _ box: Box
  ) -> (point: (Int, Int), tail: (Int, Int), isMiddle: Bool) {
    let (n, m) = (box.left.count, box.right.count)
    let (x0, y0) = (box.left.lowerBound, box.right.lowerBound)
    let (delta, middle) = (n - m, Alignment.bound + 1)
    let isOdd = delta & 1 != 0
    for place in forward.indices { (forward[place], backward[place]) = (-1, -1) }
    for d in 0...Alignment.bound {
      for diagonal in stride(from: -d, through: d, by: 2) {
        var x = Self.step(forward, diagonal, d, n, m)
        if x >= 0 {
          while x < n, x - diagonal < m, left[x0 + x] == right[y0 + x - diagonal] { x += 1 }
        }
        forward[middle + diagonal] = x
        let opposite = delta - diagonal
        guard isOdd, x >= 0, abs(opposite) < d, backward[middle + opposite] >= 0,
          x + backward[middle + opposite] >= n
        else { continue }
        let point = (x0 + x, y0 + x - diagonal)
        return (point, point, true)
      }
      for diagonal in stride(from: -d, through: d, by: 2) {
        var x = Self.step(backward, diagonal, d, n, m)
        if x >= 0 {
          while x < n, x - diagonal < m,
            left[x0 + n - 1 - x] == right[y0 + m - 1 - (x - diagonal)]
          { x += 1 }
        }
        backward[middle + diagonal] = x
        let opposite = delta - diagonal
        guard !isOdd, x >= 0, abs(opposite) <= d, forward[middle + opposite] >= 0,
          x + forward[middle + opposite] >= n
        else { continue }
        let point = (x0 + n - x, y0 + m - (x - diagonal))
        return (point, point, true)
      }
    }
    let (start, end) = (Self.furthest(forward), Self.furthest(backward))
    let point = (x0 + start.0, y0 + start.1)
    let tail = (x0 + n - end.0, y0 + m - end.1)
    let isApart = point.0 <= tail.0 && point.1 <= tail.1
    return (point, isApart ? tail : (x0 + n, y0 + m), false)
  }

  /// Returns the point on any diagonal that is furthest on both sides together.
  private static func furthest(_ reached: [Int]) -> (Int, Int) {
    var furthest = (0, 0)
    for diagonal in -Alignment.bound...Alignment.bound {
      let x = reached[Alignment.bound + 1 + diagonal]
      if x >= 0, 2 * x - diagonal > furthest.0 + furthest.1 { furthest = (x, x - diagonal) }
    }
    return furthest
  }

  /// Returns how far a path with one more insertion or deletion reaches on the left side of a
  /// diagonal, before equal elements extend it; −1: no path reaches it.
  private static func step(
    _ reached: [Int], _ diagonal: Int, _ d: Int, _ n: Int, _ m: Int
  ) -> Int {
    if d == 0 { return 0 }
    let middle = Alignment.bound + 1
    var best = -1
    if diagonal > -d {
      let before = reached[middle + diagonal - 1]
      if before >= 0, before < n { best = before + 1 }
    }
    if diagonal < d {
      let before = reached[middle + diagonal + 1]
      if before > best, before - diagonal <= m { best = before }
    }
    return best
  }

  /// Returns elements that occur once on each side of a box, as many as are in the same order on
  /// both (patience sorting).
  private func anchors(in box: Box) -> [Alignment.Pair] {
    var counts: [Int: (left: Int, right: Int, place: Int)] = [:]
    for place in box.right { counts[right[place], default: (0, 0, place)].right += 1 }
    for place in box.left { counts[left[place]]?.left += 1 }
    // Piles with the smallest end of an ascending run of each length, and the predecessor of each
    // element.
    var (piles, unique, before): ([Int], [Alignment.Pair], [Int]) = ([], [], [])
    for place in box.left {
      guard let found = counts[left[place]], found.left == 1, found.right == 1 else { continue }
      var (low, high) = (0, piles.count)
      while low < high {
        let half = (low + high) / 2
        if unique[piles[half]].right < found.place { low = half + 1 } else { high = half }
      }
      before.append(low > 0 ? piles[low - 1] : -1)
      if low == piles.count { piles.append(unique.count) } else { piles[low] = unique.count }
      unique.append(Alignment.Pair(left: place, right: found.place))
    }
    var (anchors, next): ([Alignment.Pair], Int) = ([], piles.last ?? -1)
    while next >= 0 {
      anchors.append(unique[next])
      next = before[next]
    }
    return anchors.reversed()
  }
}
