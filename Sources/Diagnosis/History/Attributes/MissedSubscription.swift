package import Bluetooth
import Sessions
package import Words

/// A service that a client writes to, and to whose values it does not subscribe.
package struct MissedSubscription: Sendable {
  /// The side that has the service.
  package let server: Side
  /// The first characteristic that was written.
  package let written: NamedAttribute
  /// Its first write, and the number of all writes to the service.
  package let first: Moment
  package let count: Int
  /// The characteristics of the service that offer notifications or indications and are not
  /// subscribed to.
  package let senders: [NamedAttribute]
  /// A write that looks like a subscription, but went to another attribute than a CCCD.
  package let mistaken: Configuration?
  /// Whether the client uses other values of the service.
  package let isPartial: Bool
}

extension AttributeHistory {
  /// Returns the services that a client writes to, and that can send values to which it does not
  /// subscribe.
  func findMissedSubscriptions(
    _ connection: Connection, _ memory: borrowing Memory
  ) -> [MissedSubscription] {
    var all: [MissedSubscription] = []
    for server in [Side.peer, .local] {
      let written = usages.lazy.filter { $0.server == server && $0.written > 0 }.map(\.handle)
      guard !written.isEmpty else { continue }
      let key = memory.attributes.currentKey(Attributes.key(of: server, connection))
      guard let database = memory.attributes.servers.first(where: { $0.key == key }) else {
        continue
      }
      let senders = database.attributes.filter {
        $0.kind == .characteristic && $0.properties.canSend && $0.uuid != .serviceChanged
      }
      var last: UInt16 = 0
      for handle in written.sorted() where handle > last {
        guard let service = database.service(of: handle), service.end > service.handle else {
          continue
        }
        last = service.end
        let handles = service.handle...service.end
        let own = senders.filter { handles.contains($0.handle) }
        guard !own.isEmpty, all.count < Self.mostListed else { continue }
        if let found = missed(server, handles, own, connection, memory) { all.append(found) }
      }
    }
    return all
  }

  /// Returns what a client missed in the service with these handles and senders of values.
  private func missed(
    _ server: Side, _ handles: ClosedRange<UInt16>, _ senders: [Attribute],
    _ connection: Connection, _ memory: borrowing Memory
  ) -> MissedSubscription? {
    let used = usages.filter { $0.server == server && handles.contains($0.handle) }
    let configured = (configurations + commandedConfigurations + candidates).filter {
      $0.server == server && $0.descriptor.handle.map { handles.contains($0) } ?? true
    }
    // Of a write to an unknown attribute it is unknown what it subscribes to.
    guard configured.allSatisfy({ $0.owner != nil }) else { return nil }
    let isPartial =
      !configured.isEmpty || used.contains { $0.sent > 0 || $0.reads.count > 0 }
    let senders = senders.filter { sender in
      !configured.contains { $0.owner?.handle == sender.target }
        && !used.contains { $0.handle == sender.target && $0.sent > 0 }
    }
    guard !senders.isEmpty else { return nil }
    // Vendors write 01 00 as data, too, so a value must not be writable.
    let mistaken =
      isPartial
      ? nil
      : misdirected.first { write in
        write.server == server && write.descriptor.handle.map { handles.contains($0) } ?? false
          && isUnsuitable(write.descriptor, memory)
      }
    if used.contains(where: { $0.identity.isConfiguration && $0.written > 0 }) { return nil }
    let written = used.filter {
      $0.written > 0 && ($0.identity.kind == .value || mistaken != nil)
    }
    let first = written.min { $0.firstWrite?.packet ?? .max < $1.firstWrite?.packet ?? .max }
    guard let first, let moment = first.firstWrite else { return nil }
    return MissedSubscription(
      server: server, written: first.named, first: moment,
      count: written.reduce(0) { $0 + $1.written },
      senders: senders.map {
        let sender = memory.identity(
          of: $0.target, Attributes.key(of: server, connection), server, connection: connection.id)
        return NamedAttribute(sender, profileName(sender))
      },
      mistaken: mistaken, isPartial: isPartial)
  }

  /// Returns whether an attribute cannot be a subscription's target: a declaration, a value that
  /// cannot be written, or one of the descriptors that only describe.
  private func isUnsuitable(_ attribute: AttributeIdentity, _ memory: borrowing Memory) -> Bool {
    switch attribute.kind {
    case .service, .include, .characteristic: true
    case .value: memory.properties(of: attribute).map { !$0.canBeWritten } ?? false
    // Extended Properties, User Description, Presentation and Aggregate Format.
    case .descriptor:
      [0x2900, 0x2901, 0x2904, 0x2905].contains { attribute.uuid?.isShort($0) == true }
    case nil: false
    }
  }
}
