package import Bluetooth
package import Meanings
import Sessions

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
  package var senders: [NamedAttribute]
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
      guard let database = memory.server(server, connection) else { continue }
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
        // Without a CCCD, nobody can subscribe.
        let own = senders.filter { sender in
          handles.contains(sender.handle)
            && !faults.missing.contains { $0.server == server && $0.value.handle == sender.target }
        }
        guard !own.isEmpty, !database.isChanged(handles, after: connection),
          all.count < Self.mostListed
        else { continue }
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
    let misdirected = misdirected.filter { write in
      write.server == server && write.descriptor.handle.map { handles.contains($0) } ?? false
    }
    let configured = (configurations + commandedConfigurations + candidates).filter {
      $0.server == server && $0.descriptor.handle.map { handles.contains($0) } ?? true
    }
    // Of a write to an unknown attribute it is unknown what it subscribes to.
    guard configured.allSatisfy({ $0.owner != nil }),
      used.allSatisfy({ $0.identity.uuid != nil || $0.written == 0 }),
      // What an earlier connection discovered may be another attribute now.
      misdirected.allSatisfy({ $0.descriptor.via == .discovered })
    else { return nil }
    let isPartial = !configured.isEmpty || used.contains { $0.sent > 0 || $0.reads.count > 0 }
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
        isUnsuitable(write.descriptor, memory)
          // A value that gets other numbers, too, is a setting.
          && !used.contains { $0.handle == write.descriptor.handle && $0.dropped.hasOtherValues }
      }
    if used.contains(where: { $0.identity.isConfiguration && $0.written > 0 }) { return nil }
    let written = used.filter { $0.written > 0 && ($0.identity.kind == .value || mistaken != nil) }
    let first = written.min { $0.firstWrite?.packet ?? .max < $1.firstWrite?.packet ?? .max }
    guard let first, let moment = first.firstWrite else { return nil }
    return MissedSubscription(
      server: server, written: first.named, first: moment,
      count: written.reduce(0) { $0 + $1.written },
      senders: senders.map {
        let sender = memory.identity(of: $0.target, server, connection)
        return NamedAttribute(sender, profileName(sender))
      }, mistaken: mistaken, isPartial: isPartial)
  }

  /// Returns whether an attribute cannot be a subscription's target: one that cannot be written, or
  /// one of the descriptors that only describe.
  private func isUnsuitable(_ attribute: AttributeIdentity, _ memory: borrowing Memory) -> Bool {
    attribute.cannotBeWritten(memory.properties(of: attribute))
      || attribute.kind == .descriptor && attribute.via == .discovered
        // Extended Properties, User Description, Presentation and Aggregate Format.
        && [0x2900, 0x2901, 0x2904, 0x2905].contains { attribute.uuid?.isShort($0) == true }
  }
}

extension Database {
  /// Returns whether a later connection found other attributes at these handles.
  fileprivate func isChanged(_ handles: ClosedRange<UInt16>, after connection: Connection) -> Bool {
    disagreements.contains { change in
      change.packet > connection.lastPacket ?? .max
        && (handles.contains(change.older.handle)
          || change.newer.map { handles.contains($0.handle) } ?? false)
    }
  }
}
