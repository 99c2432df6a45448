// Android's terms. Sources: Android's documentation of BluetoothGattCallback,
// BluetoothGattServerCallback, ScanCallback, AdvertiseCallback, BluetoothAdapter and
// BluetoothDevice; numbers without a public name: AOSP, stack/include/gatt_api.h [mem].

import Bluetooth
import Sessions

/// The callbacks of an app that uses Android's Bluetooth.
enum Android {
  /// Returns the lines for an event.
  static func callbacks(_ event: AppEvent) -> [Callback] {
    switch event.topic {
    case .adapter: adapter(event)
    case .link: link(event)
    case .client: client(event)
    case .server: server(event)
    }
  }

  /// Returns whether the stack reads and writes an attribute on its own: Client and Server
  /// Supported Features, Database Hash, Central Address Resolution, Resolvable Private Address
  /// Only, and the configuration of Service Changed.
  static func isStacks(_ attribute: AppAttribute) -> Bool {
    let own: [UInt16] = [0x2b29, 0x2b3a, 0x2b2a, 0x2aa6, 0x2ac9]
    return own.contains { attribute.isShort($0) }
      || attribute.isConfiguration && attribute.belongs(to: 0x2a05)
  }

  // MARK: Links

  private static let changed: StaticString = "onConnectionStateChange"

  /// Returns the callback for a role: a host that is the peripheral gets its server's.
  private static func changed(_ role: LinkRole?) -> StaticString {
    role == .peripheral ? "BluetoothGattServerCallback.onConnectionStateChange" : changed
  }

  private static func link(_ event: AppEvent) -> [Callback] {
    var peer: [Callback.Named] = []
    peer.add("device", event.peerArgument)
    switch event.what {
    case .connecting(let way):
      var arguments = peer
      arguments.add("autoConnect", way.map { .flag($0 == .background) })
      return [
        .call(
          "BluetoothDevice.connectGatt", arguments,
          remark: "by an app, or by the system for a device that it uses itself")
      ]
    case .connectingEnded(let end):
      // The stack gives up, not an app, and the app is notified that the attempt has failed.
      switch giver(of: end) {
      case .stack: return [.traffic("the stack cancels the connection attempt", peer)]
      case .app:
        return [
          .call(
            "BluetoothGatt.disconnect", peer,
            remark: "or close; by the app or the system that requested it")
        ]
      case nil:
        return [
          .traffic(
            "the connection attempt is cancelled", peer,
            remark: "by the app, or by the stack after 30 s: the capture shows neither")
        ]
      }
    case .connectNote(let note): return [.connecting(note, peer)]
    case .linkCreated:
      return [
        .callback(
          changed(event.role),
          peer + [("status", success), ("newState", .code("STATE_CONNECTED", 2))])
      ]
    case .connectFailed(let failure): return failed(failure, peer)
    case .disconnected(let end):
      return [
        .callback(
          changed(end.role),
          peer + [
            ("status", disconnectStatus(end)), ("newState", .code("STATE_DISCONNECTED", 0)),
          ],
          remark: end.localRemark)
      ]
    case .mtu(let mtu, let byPeer, let error):
      var arguments = peer + [("mtu", ArgumentValue.number(Int(mtu)))]
      if !byPeer { arguments.add("status", status(error)) }
      return [
        .callback(byPeer ? "BluetoothGattServerCallback.onMtuChanged" : "onMtuChanged", arguments)
      ]
    case .phy(let sent, let received, let status):
      return [
        .callback(
          event.role == .peripheral ? "BluetoothGattServerCallback.onPhyUpdate" : "onPhyUpdate",
          peer + [
            ("txPhy", .number(Int(sent))), ("rxPhy", .number(Int(received))),
            ("status", gattStatus(status)),
          ])
      ]
    case .phyRead(let sent, let received, let status):
      return [
        .callback(
          event.role == .peripheral ? "BluetoothGattServerCallback.onPhyRead" : "onPhyRead",
          peer + [
            ("txPhy", .number(Int(sent))), ("rxPhy", .number(Int(received))),
            ("status", gattStatus(status)),
          ])
      ]
    case .parameters(let interval, let latency, let timeout, let status):
      return [
        .callback(
          "onConnectionUpdated",
          peer + [
            ("interval", .number(Int(interval))), ("latency", .number(Int(latency))),
            ("timeout", .number(Int(timeout))), ("status", gattStatus(status)),
          ], isSystem: true, remark: "hidden from apps")
      ]
    // BluetoothGattServer has no method for it.
    case .rssi where event.role == .peripheral:
      return [.traffic("the signal strength is read", peer)]
    case .rssi(let rssi, let status):
      return [
        .callback(
          "onReadRemoteRssi",
          peer + [("rssi", .number(Int(rssi))), ("status", gattStatus(status))])
      ]
    case .encryption(let isOn, let status):
      let name: StaticString =
        status != .success
        ? "encryption fails" : isOn ? "the link is encrypted" : "encryption ends"
      var lines: [Callback] = [
        .traffic(name, status == .success ? peer : peer + [("status", .status(status))])
      ]
      if status == .pinOrKeyMissing {
        lines.append(
          .callback(
            "BluetoothDevice.ACTION_KEY_MISSING", extras(peer), remark: "Android 16 and later"))
      }
      return lines
    case .bonding(let stage): return [bonding(stage, peer)]
    case .channel(let psm, let byPeer, let result, let set):
      return [channel(psm, byPeer: byPeer, result, set.name(of: UInt64(result)), peer)]
    // That the peer was heard changes nothing.
    default: return []
    }
  }

  /// Who ends the wait for a device.
  private enum Giver { case app, stack }

  /// A direct attempt ends on its own after 30 s (AOSP, connection_manager.cc); in nanoseconds.
  private static let limit: ClosedRange<Int64> = 28_500_000_000...33_000_000_000

  /// Returns who ended the wait for a device; nil: unknown.
  private static func giver(of end: AppEvent.ConnectEnd) -> Giver? {
    guard let waited = end.waited else { return nil }
    guard limit.contains(waited) else { return .app }
    return end.way.map { $0 == .direct ? .stack : .app }
  }

  private static func failed(
    _ failure: AppEvent.ConnectFailure, _ peer: [Callback.Named]
  ) -> [Callback] {
    let disconnected: Callback.Named = ("newState", .code("STATE_DISCONNECTED", 0))
    switch failure {
    case .givenUp(let end):
      switch giver(of: end) {
      case .stack:
        return [
          .callback(
            changed, peer + [("status", .code("GATT_ERROR", 133)), disconnected],
            remark: "the stack gave up after 30 s of silence; Android 14 and later report 147")
        ]
      case .app:
        return [
          .traffic(
            "the connection attempt is cancelled", peer,
            remark: "apps that requested it receive nothing more")
        ]
      case nil: return []
      }
    case .notEstablished:
      return [
        .callback(
          changed, peer + [("status", .code("GATT_CONN_FAIL_ESTABLISH", 62)), disconnected],
          remark: "many versions report 133")
      ]
    case .refused:
      return [
        .callback(changed, peer + [("status", .code("GATT_ERROR", 133)), disconnected])
      ]
    }
  }

  /// Returns the device as in broadcasts.
  private static func extras(_ peer: [Callback.Named]) -> [Callback.Named] {
    peer.map { ("EXTRA_DEVICE", $0.value) }
  }

  /// Returns ACTION_BOND_STATE_CHANGED with EXTRA_BOND_STATE and the previous state.
  private static func bonding(
    _ stage: AppEvent.Bonding, _ peer: [Callback.Named]
  ) -> Callback {
    let none = ArgumentValue.code("BOND_NONE", 10)
    let bonding = ArgumentValue.code("BOND_BONDING", 11)
    let bonded = ArgumentValue.code("BOND_BONDED", 12)
    if case .unsettled = stage {
      return .traffic(
        "the connection ends after pairing has encrypted it", peer, remark: Callback.unsettledBond)
    }
    let (before, now): (ArgumentValue, ArgumentValue) =
      switch stage {
      case .began(let wasBonded): (wasBonded ? bonded : none, bonding)
      case .bonded: (bonding, bonded)
      case .paired, .failed, .unsettled: (bonding, none)
      }
    return .callback(
      "BluetoothDevice.ACTION_BOND_STATE_CHANGED",
      extras(peer) + [("EXTRA_BOND_STATE", now), ("EXTRA_PREVIOUS_BOND_STATE", before)])
  }

  private static func channel(
    _ psm: PSM, byPeer: Bool, _ result: UInt16, _ name: AssignedName?, _ peer: [Callback.Named]
  ) -> Callback {
    var arguments = peer + [("psm", ArgumentValue.number(Int(psm.rawValue)))]
    // Enhanced ATT (Assigned Numbers, 2.6) belongs to the stack.
    if psm.rawValue == 0x27 { return .traffic("a channel for ATT is opened", arguments) }
    if byPeer, result != 0 {
      // accept() keeps waiting.
      return .traffic(
        "a channel is refused", arguments + [("result", .code(name, Int(result)))])
    }
    if result != 0 { arguments.add("IOException", .code(name, Int(result))) }
    return .callback(
      byPeer ? "BluetoothServerSocket.accept returns" : "BluetoothSocket.connect returns",
      arguments,
      remark: result == 0 ? nil : "the reason is the link's; the exception has its own message")
  }
}
