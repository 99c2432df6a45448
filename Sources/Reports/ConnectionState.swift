import Bluetooth
import Sessions

/// All that is told of a connection with each of its packets: while it stays the same, so does what
/// was written.
struct ConnectionState: Equatable, Sendable {
  private let id: Int
  private let handle: UInt16
  private let peer: UInt64?
  private let identity: UInt64?
  private let resolvable: UInt64?
  private let kind: AddressKind?
  private let role: Connection.Role?
  private let hasName: Bool
  private let names: Int

  /// - Parameter names: the generation of the names that are known.
  init(_ connection: Connection, names: Int) {
    id = connection.id
    handle = connection.handle
    peer = connection.peer?.value
    identity = connection.otherIdentity?.value
    resolvable = connection.peerResolvable?.value
    kind = connection.peerKind
    role = connection.localRole
    hasName = connection.name != nil
    self.names = names
  }
}
