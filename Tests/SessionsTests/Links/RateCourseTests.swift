// Bytes over time.

import Bluetooth
import Testing

@testable import Sessions

@Suite("Courses of bytes") struct RateCourseTests {
  private func course(_ parts: [(seconds: Int64, bytes: Int)]) -> RateCourse {
    var course = RateCourse()
    for part in parts { course.add(part.bytes, Timestamp(seconds: part.seconds, nanoseconds: 0)) }
    return course
  }

  @Test("The sum of courses has the bytes of both, where they were") func sum() {
    var sum = RateCourse()
    sum.add(course([(100, 5), (101, 7)]))
    sum.add(course([(101, 1), (130, 2)]))
    #expect(sum.bytes.reduce(0, +) == 15)
    #expect(sum.start?.seconds == 100)
    let places = sum.bytes.indices.filter { sum.bytes[$0] > 0 }
    #expect(places.map { Int64($0) * sum.width / 1_000_000_000 } == [0, 1, 30])
    #expect(sum.bytes[0] == 5)
  }

  @Test("Times that are far apart, or go back, do no harm") func extremes() {
    var sum = RateCourse()
    sum.add(RateCourse())
    #expect(sum.bytes.isEmpty && sum.start == nil)
    sum.add(course([(0, 1), (.max, 2)]))
    sum.add(course([(.min, 4), (.max, 8)]))
    #expect(sum.bytes.reduce(0, +) == 15)
  }
}
