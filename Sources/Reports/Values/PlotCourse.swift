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
  private static let most = 512

  package init() {}

  package mutating func add(_ number: Double, at time: Int64) {
    count += 1
    lastTime = time
    if let last = points.last, last.count < perPoint {
      let end = points.count - 1
      points[end].count += 1
      points[end].low = min(last.low, number)
      points[end].high = max(last.high, number)
      return
    }
    if points.count == Self.most { halve() }
    points.append(Point(time: time, low: number, high: number))
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
