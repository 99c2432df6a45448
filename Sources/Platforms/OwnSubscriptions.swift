import Bluetooth
import Sessions

/// The subscriptions of the captured host as a client, as far as the capture shows: what comes
/// without one was not requested by an app. Bounded: if there are too many, nothing is reported as
/// unrequested any more.
struct OwnSubscriptions: Sendable {
  /// The handles of the characteristic values, by connection; 0: any.
  private var asked: [Int: Set<UInt16>] = [:]
  /// The number of handles.
  private var count = 0
  private static let most = 4096

  /// Records what this host requests, before it is answered, since notifications may come at once.
  mutating func ask(_ attribute: AppAttribute, connection: Int) {
    guard attribute.isConfiguration, let owner = attribute.owner?.handle else { return }
    add(owner, connection)
  }

  /// Processes a configuration value that is written or was read; `first` is its first byte, if
  /// there is one.
  mutating func observe(_ value: ConveyedValue, _ first: UInt8?) {
    if value.attribute.uuid == nil, value.operation.isWrite {
      // It may have been a configuration.
      add(0, value.parties.connection)
    }
    guard value.attribute.uuid?.isShort(0x2902) == true, let owner = value.attribute.owner else {
      return
    }
    // An attempt may have reached the server, whatever the outcome; zero requests nothing.
    if value.outcome == .done, first == 0 { return }
    add(owner, value.parties.connection)
  }

  /// Ends a connection.
  mutating func end(_ connection: Int) {
    count -= asked.removeValue(forKey: connection)?.count ?? 0
  }

  /// Returns whether a notification or indication comes unrequested: on a connection that the
  /// capture has from its beginning, and that is not encrypted with a bond, since subscriptions
  /// persist with one.
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
