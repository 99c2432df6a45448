package import Bluetooth
import Bytes

extension Timestamp {
  /// The host's current time, in microseconds like the kernel's timestamps.
  package static var now: Timestamp {
    let (seconds, nanoseconds) = WallClock.now
    return Timestamp(seconds: seconds, nanoseconds: UInt32(nanoseconds / 1000 * 1000))
  }

  /// Returns the time that is `nanoseconds` later.
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
