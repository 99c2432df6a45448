import Bluetooth
package import Sessions

extension TransferRun {
  /// What limits the transfer, in words: `the MTU of 23`.
  package func words(_ limit: TransferLimit) -> Wording {
    switch limit {
    case .roundTrips:
      perTrip > 1 ? "a round trip for each \(perTrip) values" : "a round trip for each value"
    case .onePacketPerInterval: "one packet in each interval"
    case .fewPacketsPerInterval: "few packets in each interval"
    case .dataLength: "the data length of 27 bytes"
    case .mtu: "the MTU of 23"
    case .phy: "\(phy: carrier.phy)"
    case .link: "the link itself"
    }
  }
}
