// The values that are learnt from, and their sample.

/// A value of one channel, as it was observed.
package struct ObservedValue: Sendable {
  package var bytes: [UInt8]
  /// Nanoseconds; nil: unknown.
  package var time: Int64?
  package var packet: Int
  package var connection: Int

  package init(_ bytes: [UInt8], time: Int64? = nil, packet: Int = 0, connection: Int = 1) {
    self.bytes = bytes
    self.time = time
    self.packet = packet
    self.connection = connection
  }
}

/// The values of a channel, or an even sample of them if there are too many. The sample consists of
/// runs of values that followed each other, so that frames in several values stay whole.
package struct ValueSample: Sendable {
  package private(set) var values: [ObservedValue] = []
  /// The number of values that were seen.
  package private(set) var seen = 0
  /// Every run of this number of runs is kept.
  private var stride = 1
  private let most: Int
  private let run = 20

  /// The number of values that are used.
  package static let mostValues = 2000

  package init(most: Int = ValueSample.mostValues) { self.most = most }

  package var isPartial: Bool { values.count < seen }

  /// Adds a value, and returns whether it was kept.
  package mutating func add(_ value: @autoclosure () -> ObservedValue) -> Bool {
    let isWanted = seen / run % stride == 0
    seen += 1
    guard isWanted else { return false }
    values.append(value())
    guard values.count >= 2 * most else { return true }
    stride *= 2
    values = values.enumerated().filter { $0.offset / run % 2 == 0 }.map(\.element)
    return true
  }

  /// Returns at most as many values as are used.
  package func chosen() -> [ObservedValue] {
    guard values.count > most else { return values }
    let runs = (values.count + run - 1) / run
    let wanted = most / run
    return values.enumerated().filter {
      ($0.offset / run + 1) * wanted / runs > $0.offset / run * wanted / runs
    }
    .map(\.element)
  }
}
