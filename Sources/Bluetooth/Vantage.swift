/// Where packets were recorded, which decides what the ends of a link are called.
package enum Vantage: UInt8, Sendable {
  /// In a host: it is the local side, and the other device is the peer.
  case host
  /// On the air, between two devices: the central is the local side, and the peripheral the peer.
  case air
}
