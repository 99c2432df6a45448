// A capture that is made while it is read, on a clock that the test owns.

package import Captures
import Synchronization

/// A clock that goes on only when it is told to.
package final class TestClock: Sendable {
  private let time = Atomic<Int64>(0)

  /// At 0.
  package init() {}

  /// Milliseconds.
  package var now: Int64 { time.load(ordering: .relaxed) }

  /// Lets time go by.
  package func advance(_ milliseconds: Int64) {
    time.wrappingAdd(milliseconds, ordering: .relaxed)
  }
}

/// A source in which nothing comes for a while before certain records.
package struct PacedSource<Base: CaptureSource & ~Copyable>: CaptureSource, ~Copyable {
  private var base: Base
  private let clock: TestClock
  private let silence: (Int) -> Int64
  private var number = 1
  /// How much of the silence before the next record is left.
  private var left: Int64
  /// How long each wait was to be, -1 for one without an end.
  package private(set) var waits: [Int64] = []

  /// - Parameter silence: how many milliseconds nothing comes before a record, by its number; that behind
  ///   the last one stands before the end.
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
