import Bluetooth
import Bytes
import Dissectors

/// The roles that this host will have on BR/EDR links, which Connection Complete does not contain.
/// Bounded: the oldest is dropped first.
struct ClassicRoles: Sendable {
  private var awaited: [(adapter: AdapterIndex, peer: DeviceAddress, role: LinkRole)] = []
  private static let most = 16

  /// Learns the role from a command. The host that creates a connection becomes the central. The
  /// host that accepts it stays the peripheral unless it requests a role switch, whose outcome a
  /// Role Change event reports (Core, Vol 4, Part E, 7.1.5 and 7.1.8).
  mutating func learn(
    _ command: HCICommand, _ peer: DeviceAddress, _ bytes: RawSpan, _ body: Slice,
    _ adapter: AdapterIndex
  ) {
    switch command.opcode {
    case HCICommand.createConnection: expect(peer, .central, adapter)
    case HCICommand.acceptConnectionRequest:
      // Address (6 bytes), role (1).
      guard body.count >= 7, bytes.byte(at: Int(body.start) + 6) == 1 else { return }
      expect(peer, .peripheral, adapter)
    default: break
    }
  }

  /// Remembers the role on the next link with a peer.
  mutating func expect(_ peer: DeviceAddress, _ role: LinkRole, _ adapter: AdapterIndex) {
    awaited.removeAll { $0.adapter == adapter && $0.peer == peer }
    if awaited.count >= Self.most { awaited.removeFirst() }
    awaited.append((adapter, peer, role))
  }

  /// Removes and returns the role on the link with a peer that was just established, or failed.
  mutating func take(_ peer: DeviceAddress, _ adapter: AdapterIndex) -> LinkRole? {
    guard let place = awaited.firstIndex(where: { $0.adapter == adapter && $0.peer == peer })
    else { return nil }
    return awaited.remove(at: place).role
  }
}
