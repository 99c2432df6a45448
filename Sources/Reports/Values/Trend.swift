import Bytes
import Decoders
import Meanings

/// A series of numbers reduced to a few points, each the mean of equally many of them.
struct Trend: Sendable {
  /// The sum of some values, and their number.
  private struct Point: Sendable {
    var sum: Double
    var count: Int

    static func + (left: Point, right: Point) -> Point {
      Point(sum: left.sum + right.sum, count: left.count + right.count)
    }
  }

  /// The maximum number of points; beyond it, pairs are merged.
  private static let most = 64
  /// The width in columns.
  static let columns = 32

  private var sums: [Point] = []
  /// The number of values that a point covers before the next one is started.
  private var perPoint = 1
  private(set) var count = 0
  private(set) var smallest = Double.infinity
  private(set) var largest = -Double.infinity

  mutating func add(_ number: Double) {
    count += 1
    smallest = min(smallest, number)
    largest = max(largest, number)
    if let last = sums.last, last.count < perPoint {
      sums[sums.count - 1] = last + Point(sum: number, count: 1)
    } else {
      if sums.count == Self.most { halve() }
      sums.append(Point(sum: number, count: 1))
    }
  }

  /// Appends numbers that followed and were counted separately.
  mutating func append(_ later: Self) {
    count += later.count
    smallest = min(smallest, later.smallest)
    largest = max(largest, later.largest)
    perPoint = max(perPoint, later.perPoint)
    sums += later.sums
    while sums.count > Self.most { halve() }
  }

  /// Merges pairs of points.
  private mutating func halve() {
    sums = stride(from: 0, to: sums.count, by: 2).map { index in
      index + 1 < sums.count ? sums[index] + sums[index + 1] : sums[index]
    }
    perPoint *= 2
  }

  /// The means, at most `columns` of them.
  var points: [Double] {
    let means = sums.map { $0.sum / Double(max(1, $0.count)) }
    guard means.count > Self.columns else { return means }
    return stride(from: 0, to: means.count, by: 2).map { index in
      index + 1 < means.count ? (means[index] + means[index + 1]) / 2 : means[index]
    }
  }
}

/// Numbers with one unit: their trend and their median.
struct QuantitySeries: Sendable {
  /// The unit as printed; empty: none.
  let unit: [UInt8]
  /// The maximum number of decimals.
  private(set) var decimals = 0
  private(set) var trend = Trend()
  /// Every n-th number, for the median.
  private var sample: [Double] = []
  private var every = 1
  /// The index of its unit in the definition that was used last, for fast lookup.
  fileprivate var latest: (definition: ObjectIdentifier?, unit: Int) = (nil, -1)

  /// The maximum number of numbers kept for the median; beyond it, every second one is dropped.
  private static let mostSampled = 1024

  fileprivate init(unit: [UInt8]) { self.unit = unit }

  fileprivate mutating func add(_ quantity: DecodedQuantity) {
    decimals = max(decimals, quantity.decimals)
    if trend.count % every == 0 { note(quantity.value) }
    trend.add(quantity.value)
  }

  private mutating func note(_ number: Double) {
    if sample.count == Self.mostSampled {
      sample = stride(from: 0, to: sample.count, by: 2).map { sample[$0] }
      every *= 2
    }
    sample.append(number)
  }

  fileprivate mutating func absorb(_ other: Self) {
    decimals = max(decimals, other.decimals)
    trend.append(other.trend)
    for number in other.sample { note(number) }
  }

  /// The median; an estimate if there are many numbers.
  var median: Double? {
    let sorted = sample.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

extension [QuantitySeries] {
  /// The maximum number of units that are counted for one attribute.
  private static var most: Int { 4 }

  /// Counts the number of a value.
  mutating func add(_ quantity: DecodedQuantity, _ meaning: borrowing ValueMeaning) {
    let definition = meaning.decoded.definition.map { ObjectIdentifier($0) }
    for index in indices
    where self[index].latest.unit == quantity.unit && self[index].latest.definition == definition {
      self[index].add(quantity)
      return
    }
    let unit = meaning.unit(of: quantity)
    var place = firstIndex { $0.unit == unit }
    if place == nil, count < Self.most {
      append(QuantitySeries(unit: unit))
      place = count - 1
    }
    guard let place else { return }
    self[place].latest = (definition, quantity.unit)
    self[place].add(quantity)
  }

  /// Adds what was counted separately.
  mutating func absorb(_ other: Self) {
    for series in other {
      if let place = firstIndex(where: { $0.unit == series.unit }) {
        self[place].absorb(series)
      } else if count < Self.most {
        append(series)
      }
    }
  }
}

extension Output {
  /// Appends a number with `decimals` decimals.
  package mutating func number(_ value: Double, decimals: Int) {
    var power = 1.0
    for _ in 0..<decimals { power *= 10 }
    let scaled = (value * power).rounded()
    guard scaled.isFinite, abs(scaled) < 9e18 else {
      string(String(value))
      return
    }
    fixed(Int(scaled), decimals: decimals, trim: false)
  }
}
