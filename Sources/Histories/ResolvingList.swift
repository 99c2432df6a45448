import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The entries of a controller's resolving list that the capture adds. Bounded; the keys are never
/// printed.
package struct ResolvingList: Sendable {
  private typealias Entry = (added: Moment, key: [UInt8])

  private var entries: [UInt64: Entry] = [:]
  /// The last command that changes the list.
  private var last: (opcode: UInt16, identity: UInt64, entry: Entry)?

  /// Identities that the controller refused to add, until it accepted them or was reset.
  private var refused: [(identity: UInt64, packet: Int, until: Int?)] = []

  /// The commands with which this host removed devices, here or from the stored link keys.
  private var removed: [(identity: UInt64, packet: Int)] = []

  private static let most = 256
  private static let mostRefused = 64

  /// Records a command: address type (1 byte), address (6), peer's key (16), own key (16) (Core,
  /// Vol 4, Part E, 7.8.38 and 7.8.39).
  mutating func observe(_ opcode: UInt16, _ moment: Moment, _ bytes: RawSpan, _ body: Slice) {
    switch opcode {
    case HCICommand.leAddDeviceToResolvingList, HCICommand.leRemoveDeviceFromResolvingList:
      last = nil
      var cursor = Cursor(bytes, body)
      guard let type = try? cursor.u8(), let address = try? DeviceAddress(parsing: &cursor) else {
        return
      }
      let key = bytes.part(cursor.takeUpTo(16)).array
      // A key that the capture cut is unknown.
      guard opcode == HCICommand.leRemoveDeviceFromResolvingList || key.count == 16 else { return }
      last = (opcode, Attributes.key(address, AddressType(rawValue: type & 1)), (moment, key))
    case HCICommand.leClearResolvingList: last = (opcode, 0, (moment, []))
    case HCICommand.deleteStoredLinkKey:
      var cursor = Cursor(bytes, body)
      guard let address = try? DeviceAddress(parsing: &cursor) else { return }
      noteRemoval(of: Attributes.key(address, .public), moment.packet)
    default: break
    }
  }

  private mutating func noteRemoval(of identity: UInt64, _ packet: Int) {
    if removed.count >= Self.mostRefused { removed.removeFirst() }
    removed.append((identity, packet))
  }

  /// Returns the commands between two packets with which this host removed a device.
  package func removals(of identity: UInt64, after first: Int, before end: Int) -> [Int] {
    removed.filter { $0.identity == identity && first < $0.packet && $0.packet < end }.map(\.packet)
  }

  /// Returns the entry that makes the controller refuse a command, if there is one.
  func obstacle(
    _ opcode: UInt16, _ request: Int?, _ status: StatusCode?
  ) -> CommandHistory.Obstacle? {
    // A full list shows nothing about its entries.
    guard status?.rawValue == 0x12, opcode == HCICommand.leAddDeviceToResolvingList, let last,
      last.opcode == opcode, last.entry.added.packet == request, let old = entries[last.identity]
    else { return nil }
    return .init(kind: old.key == last.entry.key ? .listed : .listedOtherwise, since: old.added)
  }

  /// Returns the command with which a device was to be added when `packet` came, if the controller
  /// had refused it.
  package func refusal(of identity: UInt64, at packet: Int) -> Int? {
    refused.first {
      $0.identity == identity && $0.packet < packet && $0.until ?? .max > packet
    }?.packet
  }

  mutating func refuse(_ opcode: UInt16, _ request: Int?) {
    guard opcode == HCICommand.leAddDeviceToResolvingList, let last, last.opcode == opcode,
      last.entry.added.packet == request, refused.count < Self.mostRefused
    else { return }
    refused.append((last.identity, last.entry.added.packet, nil))
  }

  mutating func accept(_ opcode: UInt16, _ request: Int?) {
    guard let last, last.opcode == opcode, last.entry.added.packet == request else { return }
    switch opcode {
    case HCICommand.leAddDeviceToResolvingList:
      for index in refused.indices where refused[index].identity == last.identity {
        refused[index].until = refused[index].until ?? request
      }
      if entries[last.identity] != nil || entries.count < Self.most {
        entries[last.identity] = last.entry
      }
    case HCICommand.leRemoveDeviceFromResolvingList:
      entries[last.identity] = nil
      noteRemoval(of: last.identity, last.entry.added.packet)
    case HCICommand.leClearResolvingList: entries.removeAll()
    default: break
    }
  }

  /// Forgets everything, because the controller was reset or records are missing.
  mutating func forget(at packet: Int) {
    entries.removeAll()
    last = nil
    for index in refused.indices { refused[index].until = refused[index].until ?? packet }
  }
}
