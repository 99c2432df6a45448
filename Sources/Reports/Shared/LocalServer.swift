import Bluetooth
import Bytes
import Meanings
import Sessions

/// What servers on the local side are called: this host, on the air a central.
extension Output {
  /// Appends `this host`, or on the air `the central` and its address.
  ///
  /// - Parameters:
  ///   - server: the server's key.
  ///   - connection: one of its connections.
  mutating func localServer(
    _ server: UInt64, connection: Int?, _ memory: borrowing Memory
  ) {
    let vantage = Attributes.vantage(ofLocal: server)
    text(Side.local.words(vantage))
    guard vantage == .air, let connection,
      let central = memory.air.link(connection: connection)?.central
    else { return }
    byte(0x20)
    address(central.address)
  }
}
