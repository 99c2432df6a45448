import Testing

@testable import Bytes

/// Sums and products saturate at the limits of their type.
@Suite struct SaturatingTests {
  @Test func sums() {
    #expect((3 as UInt64).adding(clamped: 4) == 7)
    #expect(UInt64.max.adding(clamped: 1) == .max)
    #expect(UInt64.max.adding(clamped: .max) == .max)
    #expect(Int64.max.adding(clamped: 1) == .max)
    #expect(Int64.min.adding(clamped: -1) == .min)
    #expect(Int64.min.adding(clamped: .max) == -1)
    var sum = UInt8(250)
    for _ in 1...3 { sum.add(clamped: 3) }
    #expect(sum == .max)
  }

  @Test func products() {
    #expect((300 as UInt64).multiplied(clamped: 4) == 1200)
    #expect(UInt64.max.multiplied(clamped: 2) == .max)
    #expect(Int64.max.multiplied(clamped: -2) == .min)
    #expect(Int64.min.multiplied(clamped: -1) == .max)
    #expect(Int64.min.multiplied(clamped: 0) == 0)
  }
}
