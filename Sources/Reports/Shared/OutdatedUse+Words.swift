import Bluetooth
import Bytes
import Sessions

/// The words for outdated handles, used by `map` and `values`.
extension Output {
  /// Appends that a connection used handles which may be outdated, and what shows it: `connection 2
  /// uses handles from an earlier connection (from #21 on), but …`.
  mutating func outdated(_ use: OutdatedUse) {
    text("connection ")
    decimal(use.connection)
    text(" uses handles from an earlier connection (from ")
    packet(use.first)
    text(" on), but ")
    switch use.sign {
    case .refusal(let error): named(error.name, UInt64(error.rawValue), digits: 2)
    case .hash: text("another Database Hash")
    case .serviceChanged: text("Service Changed")
    case .discovery: text("a later discovery")
    }
    text(" at ")
    packet(use.packet)
    text(use.sign.isDoubtful ? " suggests" : " shows")
    text(" that attributes have changed: its values may belong to other attributes")
  }
}
