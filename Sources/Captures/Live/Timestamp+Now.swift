package import Bluetooth
import Glibc

extension Timestamp {
  /// This machine's clock, in microseconds as the kernel stamps records.
  package static var now: Timestamp {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec / 1000 * 1000))
  }

  /// The time so many nanoseconds later.
  package func advanced(nanoseconds: Int64) -> Timestamp {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var (sum, carried) = (Int64(self.nanoseconds) + rest, whole)
    if sum < 0 {
      (sum, carried) = (sum + 1_000_000_000, carried - 1)
    } else if sum >= 1_000_000_000 {
      (sum, carried) = (sum - 1_000_000_000, carried + 1)
    }
    return Timestamp(seconds: seconds &+ carried, nanoseconds: UInt32(sum))
  }
}
