import Bluetooth
import Sessions

/// What the captured host as a client has subscribed to, as far as the capture tells: what comes without that is of no app's
/// asking. Bounded: where there are too many nothing is said to be unasked any more.
struct OwnSubscriptions: Sendable {
  /// The values of the characteristics, with the connections.
  private var asked: Set<UInt64> = []
  private static let most = 4096

  /// Takes what this host asks for, before it is answered: notifications may come at once.
  mutating func ask(_ attribute: AppAttribute, connection: Int) {
    guard attribute.isConfiguration, let owner = attribute.owner?.handle, asked.count < Self.most
    else { return }
    asked.insert(Self.key(connection, owner))
  }

  /// Takes a value: a configuration that is written, or was read; and its first byte, where there are any.
  mutating func observe(_ value: ConveyedValue, _ first: UInt8?) {
    guard asked.count < Self.most else { return }
    if value.attribute.uuid == nil, value.operation.isWrite {
      // It may have been a configuration.
      asked.insert(Self.key(value.parties.connection, 0))
    }
    guard value.attribute.uuid?.isShort(0x2902) == true, let owner = value.attribute.owner else {
      return
    }
    // An attempt may have reached the server, whatever became of the answer; zero asks for nothing.
    if value.outcome == .done, first == 0 { return }
    asked.insert(Self.key(value.parties.connection, owner))
  }

  /// Whether a notification or indication comes of itself: on a connection that the capture has from its beginning, and
  /// that no bond encrypts, with which subscriptions last.
  func isUnasked(_ value: ConveyedValue, _ links: LinkEvents) -> Bool {
    guard value.operation == .notification || value.operation == .indication,
      asked.count < Self.most, value.attribute.uuid != nil, let handle = value.attribute.handle,
      !asked.contains(Self.key(value.parties.connection, 0)),
      links.isAllKnown(of: value.parties.connection)
    else { return false }
    return !asked.contains(Self.key(value.parties.connection, handle))
  }

  private static func key(_ connection: Int, _ handle: UInt16) -> UInt64 {
    UInt64(truncatingIfNeeded: connection) << 16 | UInt64(handle)
  }
}
