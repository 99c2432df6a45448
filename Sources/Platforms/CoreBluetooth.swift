// CoreBluetooth's terms. Sources: Apple's documentation of CBCentralManagerDelegate,
// CBPeripheralManagerDelegate and CBPeripheralManager
// (developer.apple.com/documentation/corebluetooth), of CBPeripheralDelegate, CBError and
// CBATTError [mem]; what the system keeps to itself: Apple, "Accessory Design Guidelines for Apple
// Devices" (2022-04-26), chapter 40, "Bluetooth Low Energy (BLE)".

import Bluetooth
import Sessions

/// The callbacks of an app that uses CoreBluetooth.
enum CoreBluetooth {
  /// Returns the lines for an event.
  static func callbacks(_ event: AppEvent) -> [Callback] {
    switch event.topic {
    case .adapter: adapter(event)
    case .link: link(event)
    case .client: client(event)
    case .server: server(event)
    }
  }

  /// Apple Notification Center Service, 7905f431-b5ce-4e99-a40f-4b1e122d00d0 (Apple, "Apple
  /// Notification Center Service Specification" [mem]).
  private static let notificationCenter = BluetoothUUID(
    high: 0x7905_f431_b5ce_4e99, low: 0xa40f_4b1e_122d_00d0)

  /// Returns whether apps do not see a service, of a peer or of their own, because the system uses
  /// it (Accessory Design Guidelines, chapter 40: filtered out of what third-party applications
  /// discover).
  static func isHidden(_ service: BluetoothUUID?) -> Bool {
    guard let service else { return false }
    // Generic Access, Generic Attribute, Human Interface Device.
    return service.isShort(0x1800) || service.isShort(0x1801) || service.isShort(0x1812)
      || service == notificationCenter
  }

  /// Returns whether apps do not see an attribute, because it belongs to such a service. The
  /// characteristics of Generic Access and Generic Attribute show this even if the services were
  /// not discovered (Assigned Numbers, 3.8).
  static func isHidden(_ attribute: AppAttribute) -> Bool {
    let own: [UInt16] = [
      0x2a00, 0x2a01, 0x2a04, 0x2a05, 0x2aa6, 0x2ac9, 0x2b29, 0x2b2a, 0x2b3a,
    ]
    return isHidden(attribute.identity.service) || own.contains { attribute.belongs(to: $0) }
  }

  // MARK: Links

  private static func link(_ event: AppEvent) -> [Callback] {
    var peer: [Callback.Named] = []
    peer.add("peripheral", event.peerArgument)
    switch event.what {
    case .connecting: return [.call("connect(_:options:)", peer)]
    case .connectingEnded: return [.call("cancelPeripheralConnection(_:)", peer)]
    case .connectNote(let note): return [.connecting(note, peer)]
    case .linkEstablished: return established(event, peer)
    case .connectFailed(let failure): return failed(failure, peer)
    case .disconnected(let end): return ended(end, peer)
    case .mtu(let mtu, let byPeer, let error):
      var arguments = peer
      if error == nil { arguments.add("mtu", .number(Int(mtu))) }
      arguments.add("error", error.map { attError($0) })
      return [
        .traffic(
          "the MTU is exchanged", arguments,
          remark: byPeer
            ? "apps get it with CBCentral.maximumUpdateValueLength"
            : "apps get it with maximumWriteValueLength(for:)")
      ]
    case .phy(let sent, let received, let status) where status == .success:
      return [
        .traffic(
          "the PHY is updated",
          peer + [("tx_phy", .number(Int(sent))), ("rx_phy", .number(Int(received)))])
      ]
    case .parameters(let interval, let latency, let timeout, let status) where status == .success:
      return [
        .traffic(
          "the connection parameters are updated",
          peer + [
            ("interval_us", .number(Int(interval) * 1250)), ("latency", .number(Int(latency))),
            ("timeout_ms", .number(Int(timeout) * 10)),
          ])
      ]
    case .phy(_, _, let status), .parameters(_, _, _, let status):
      return [.traffic("a link procedure fails", peer + [("status", .status(status))])]
    // CBPeripheralManager has no method for it.
    case .rssi where event.role == .peripheral:
      return [.traffic("the signal strength is read", rename(peer))]
    case .rssi(let rssi, let status):
      var arguments = peer
      if status == .success {
        arguments.add("rssi", .number(Int(rssi)))
      } else {
        arguments.add("error", .code("CBError.unknown", 0))
      }
      return [.callback("peripheral(_:didReadRSSI:error:)", arguments)]
    case .encryption(let isOn, let status):
      let name: StaticString =
        status != .success
        ? "encryption fails" : isOn ? "the link is encrypted" : "encryption ends"
      return [
        .traffic(name, status == .success ? peer : peer + [("status", .status(status))])
      ]
    case .bonding(let stage): return [bonding(stage, peer)]
    case .channel(let psm, let byPeer, let result, let set):
      return [channel(psm, byPeer: byPeer, result, set.name(of: UInt64(result)), event)]
    default: return []
    }
  }

  private static func established(_ event: AppEvent, _ peer: [Callback.Named]) -> [Callback] {
    event.role == .peripheral
      ? [
        .traffic(
          "a central has connected", rename(peer),
          remark: "CBPeripheralManager reports centrals when they subscribe, read or write")
      ]
      : [.callback("centralManager(_:didConnect:)", peer)]
  }

  private static func rename(_ peer: [Callback.Named]) -> [Callback.Named] {
    peer.map { ("central", $0.value) }
  }

  private static func failed(
    _ failure: AppEvent.ConnectFailure, _ peer: [Callback.Named]
  ) -> [Callback] {
    let name: StaticString = "centralManager(_:didFailToConnect:error:)"
    switch failure {
    case .givenUp:
      return [
        .traffic(
          "the connection attempt is cancelled", peer,
          remark: "connect(_:options:) does not time out by itself")
      ]
    case .notEstablished:
      return [.callback(name, peer + [("error", .code("CBError.connectionFailed", 10))])]
    case .refused(let status):
      let error: ArgumentValue =
        status.rawValue == 0x09
        ? .code("CBError.connectionLimitReached", 11) : .code("CBError.connectionFailed", 10)
      return [.callback(name, peer + [("error", error)])]
    }
  }

  private static func ended(_ end: AppEvent.LinkEnd, _ peer: [Callback.Named]) -> [Callback] {
    guard end.role != .peripheral else {
      return [.traffic("the central has disconnected", rename(peer) + reason(end))]
    }
    if !end.wasEstablished, end.ending == .localHost || end.ending == .reset {
      return [.traffic("the link is closed before the peer was heard", peer)]
    }
    var arguments = peer
    arguments.add("error", disconnectError(end) ?? .null)
    return [
      .callback(
        "centralManager(_:didDisconnectPeripheral:error:)", arguments,
        remark: end.role == nil
          ? "this host's role is not in the capture" : end.isOfSilence ? end.localRemark : nil)
    ]
  }

  private static func reason(_ end: AppEvent.LinkEnd) -> [Callback.Named] {
    guard let reason = end.reason else { return [] }
    return [(name: "reason", value: .status(reason))]
  }

  private static func bonding(
    _ stage: AppEvent.Bonding, _ peer: [Callback.Named]
  ) -> Callback {
    switch stage {
    case .began:
      .traffic("pairing begins", peer, remark: "the system asks the user; apps are not notified")
    case .bonded: .traffic("the devices are bonded", peer)
    case .paired: .traffic("the devices are paired without a bond", peer)
    case .unsettled:
      .traffic(
        "the connection ends after pairing has encrypted it", peer, remark: Callback.unsettledBond)
    case .failed(nil): .traffic("pairing ends with the connection", peer)
    case .failed(let reason?):
      .traffic("pairing fails", peer + [("reason", pairingFailure(reason))])
    }
  }

  private static func channel(
    _ psm: PSM, byPeer: Bool, _ result: UInt16, _ name: AssignedName?, _ event: AppEvent
  ) -> Callback {
    var arguments: [Callback.Named] = [("psm", .number(Int(psm.rawValue)))]
    arguments.add(byPeer ? "central" : "peripheral", event.peerArgument)
    if result != 0 { arguments.add("error", .code(name, Int(result))) }
    // Enhanced ATT (Assigned Numbers, 2.6) belongs to the system.
    if psm.rawValue == 0x27 { return .traffic("a channel for ATT is opened", arguments) }
    // No app has published it, or the link's security is insufficient: no app is asked.
    if byPeer, result != 0 { return .traffic("a channel is refused", arguments) }
    return .callback(
      byPeer ? "peripheralManager(_:didOpen:error:)" : "peripheral(_:didOpen:error:)", arguments,
      remark: result == 0 ? nil : "the error is the link's; the system has its own message for it")
  }
}
