import Bluetooth
import Bytes
package import Sessions

extension Output {
  /// Appends the peer of a connection: `F4:F4:F4:F4:F4:F4 random static as 4D:66:77:88:99:AB`. The
  /// identity address comes first if known, since it does not change; the address that was used
  /// instead follows `as`.
  ///
  /// - Returns: whether the peer's address is known; if not, nothing is appended.
  @discardableResult
  package mutating func peer(_ connection: Connection) -> Bool {
    guard let peer = connection.peer else { return false }
    var (shown, kind, used) = (peer, connection.peerKind, connection.peerResolvable)
    if let identity = connection.identity, identity.address != peer {
      (shown, kind) = (identity.address, AddressKind(identity.address, identity.type))
      used = used ?? peer
    }
    address(shown)
    if let kind {
      byte(0x20)
      text(kind.words)
    }
    if let used {
      text(" as ")
      address(used)
    }
    return true
  }
}
