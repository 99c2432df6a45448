import Bluetooth
import Bytes
import Meanings
import Sessions

/// What a server on the local side is called: this host, or on the air a central.
extension Output {
  /// Appends `this host`, or on the air `the central` and its address.
  ///
  /// - Parameter connection: one of the server's connections.
  mutating func localServer(
    _ vantage: Vantage, connection: Int?, _ memory: borrowing Memory
  ) {
    text(Side.local.words(vantage))
    guard vantage == .air, let connection,
      let central = memory.air.link(connection: connection)?.central
    else { return }
    byte(0x20)
    address(central.address)
  }
}
