import Bluetooth
import Sessions

/// What the captured host as a client has subscribed to, as far as the capture tells: what comes without that is of no app's
/// asking. Bounded: where there are too many nothing is said to be unasked any more.
struct OwnSubscriptions: Sendable {
  /// The values of the characteristics, by connection; 0: any.
  private var asked: [Int: Set<UInt16>] = [:]
  /// How many they are.
  private var count = 0
  private static let most = 4096

  /// Takes what this host asks for, before it is answered: notifications may come at once.
  mutating func ask(_ attribute: AppAttribute, connection: Int) {
    guard attribute.isConfiguration, let owner = attribute.owner?.handle else { return }
    add(owner, connection)
  }

  /// Takes a value: a configuration that is written, or was read; and its first byte, where there are any.
  mutating func observe(_ value: ConveyedValue, _ first: UInt8?) {
    if value.attribute.uuid == nil, value.operation.isWrite {
      // It may have been a configuration.
      add(0, value.parties.connection)
    }
    guard value.attribute.uuid?.isShort(0x2902) == true, let owner = value.attribute.owner else {
      return
    }
    // An attempt may have reached the server, whatever became of the answer; zero asks for nothing.
    if value.outcome == .done, first == 0 { return }
    add(owner, value.parties.connection)
  }

  /// A connection has ended.
  mutating func end(_ connection: Int) {
    count -= asked.removeValue(forKey: connection)?.count ?? 0
  }

  /// Whether a notification or indication comes of itself: on a connection that the capture has from its beginning, and
  /// that no bond encrypts, with which subscriptions last.
  func isUnasked(_ value: ConveyedValue, _ links: LinkEvents) -> Bool {
    guard value.operation == .notification || value.operation == .indication,
      count < Self.most, value.attribute.uuid != nil, let handle = value.attribute.handle,
      links.isAllKnown(of: value.parties.connection)
    else { return false }
    let known = asked[value.parties.connection] ?? []
    return !known.contains(0) && !known.contains(handle)
  }

  private mutating func add(_ handle: UInt16, _ connection: Int) {
    guard count < Self.most else { return }
    if asked[connection, default: []].insert(handle).inserted { count += 1 }
  }
}
