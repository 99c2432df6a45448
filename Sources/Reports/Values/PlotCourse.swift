/// Numbers over time, in a bounded number of points. Each point holds the least and the greatest of
/// several numbers.
package struct PlotCourse: Sendable {
  /// Consecutive numbers, and the time of the first one.
  package struct Point: Sendable {
    package var time: Int64
    package var low: Double
    package var high: Double
    var count = 1
  }

  package private(set) var points: [Point] = []
  package private(set) var count = 0
  package private(set) var lastTime: Int64 = 0
  private var perPoint = 1
  /// The most points of a course.
  package static let most = 512

  package init() {}

  /// Adds a number, in a new point if the latest one is complete.
  ///
  /// - Parameter most: the most points, which may fall while numbers are added.
  package mutating func add(_ number: Double, at time: Int64, most: Int = Self.most) {
    count += 1
    lastTime = time
    if let last = points.last, last.count < perPoint {
      let end = points.count - 1
      points[end].count += 1
      points[end].low = min(last.low, number)
      points[end].high = max(last.high, number)
      return
    }
    limit(to: most - 1)
    points.append(Point(time: time, low: number, high: number))
  }

  /// Halves the number of points until there are at most `most`.
  mutating func limit(to most: Int) {
    while points.count > max(1, most) { halve() }
  }

  private mutating func halve() {
    points = stride(from: 0, to: points.count, by: 2).map { index in
      guard index + 1 < points.count else { return points[index] }
      let (left, right) = (points[index], points[index + 1])
      return Point(
        time: left.time, low: min(left.low, right.low), high: max(left.high, right.high),
        count: left.count + right.count)
    }
    perPoint *= 2
  }
}
