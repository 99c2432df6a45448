// A capture that grows while it is read, on the test's own clock.

package import Captures
import Synchronization

/// A clock that only the test advances.
package final class TestClock: Sendable {
  private let time = Atomic<Int64>(0)

  package init() {}

  /// The time in milliseconds.
  package var now: Int64 { time.load(ordering: .relaxed) }

  package func advance(_ milliseconds: Int64) {
    time.wrappingAdd(milliseconds, ordering: .relaxed)
  }
}

/// A source that stays silent for a while before certain records.
package struct PacedSource<Base: CaptureSource & ~Copyable>: CaptureSource, ~Copyable {
  private var base: Base
  private let clock: TestClock
  private let silence: (Int) -> Int64
  private var number = 1
  /// What is left of the silence before the next record.
  private var left: Int64
  /// The requested timeout of each wait, or -1 if it had none.
  package private(set) var waits: [Int64] = []

  /// - Parameter silence: the silence before a record, in milliseconds, given the record's number.
  ///   The silence after the last record precedes the end.
  package init(_ base: consuming Base, _ clock: TestClock, silence: @escaping (Int) -> Int64) {
    self.base = base
    self.clock = clock
    self.silence = silence
    left = silence(1)
  }

  package var summary: CaptureSummary { base.summary }

  package var isReady: Bool { left == 0 }

  package mutating func wait(milliseconds: Int32) -> Bool {
    waits.append(Int64(milliseconds))
    let time = min(left, Int64(milliseconds))
    clock.advance(time)
    left -= time
    return left == 0
  }

  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    if left > 0 {
      waits.append(-1)
      clock.advance(left)
    }
    number += 1
    left = silence(number)
    return try base.next()
  }
}
