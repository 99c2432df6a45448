// What this host requests, as lines of a trace: attempts to connect, and calls on a connection.

import Bluetooth
import Sessions

extension Callback {
  /// A line for a scan that stops and goes on at once.
  static let scanRestarted = traffic(
    "the scan is restarted",
    remark: "by the stack, or by an app that scans again at once: the capture does not show which")

  /// Creates a line for what a stack does with its attempts to connect, without an app.
  static func connecting(_ note: AppEvent.ConnectNote, _ peer: [Named]) -> Self {
    switch note {
    case .started:
      .traffic(
        "the stack starts a connection attempt", peer,
        remark: "the capture does not show for which device")
    case .restarted: .traffic("the stack restarts its attempt", peer)
    case .interrupted:
      .traffic(
        "the connection attempt is cancelled", peer,
        remark: "another one follows: it is unknown whether an app gave up")
    case .cancelledLate:
      .traffic(
        "the connection attempt is cancelled too late", peer, remark: "the link existed already")
    case .refused(let status):
      .traffic("the controller refuses the attempt", peer + [("status", .status(status))])
    case .failed(let status):
      .traffic("the connection attempt ends", peer + [("status", .status(status))])
    case .ended:
      .traffic(
        "the stack waits for the device no longer", peer,
        remark: "it began before the capture: it is unknown whether an app gave up")
    }
  }

  /// Creates a line for a request that the stack repeats.
  static func again(_ attribute: AppAttribute, _ peer: [Named]) -> Self {
    .traffic(
      "the request is repeated on the encrypted link",
      peer + [(attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(attribute))],
      remark: "by the stack, unless its version leaves that to the app")
  }
}

extension CoreBluetooth {
  /// Returns the lines for what this host asks a peer for.
  static func asked(_ call: AppCall, _ event: AppEvent) -> [Callback] {
    var peer: [Callback.Named] = []
    peer.add("peripheral", event.peerArgument)
    switch call {
    case .discoverServices(let wanted, _):
      var arguments = peer
      arguments.add("serviceUUIDs", wanted.map { .list([.uuid($0)]) })
      return [
        .call(
          "discoverServices(_:)", arguments, isSystem: isHidden(wanted),
          remark: wanted == nil ? "the requested services are not in the capture" : nil)
      ]
    case .discoverIncludedServices(let service):
      return [search("discoverIncludedServices(_:for:)", peer, service)]
    case .discoverCharacteristics(let service):
      return [search("discoverCharacteristics(_:for:)", peer, service)]
    // It is not known what characteristic they belong to, if any.
    case .discoverDescriptors(nil, _): return []
    case .discoverDescriptors(let attribute?, let again):
      return [
        .call(
          "discoverDescriptors(for:)", peer + [("characteristic", .attribute(attribute))],
          isSystem: again || isHidden(attribute))
      ]
    case .read(let attribute):
      return [
        .call(
          "readValue(for:)", peer + [named(of: attribute)], isSystem: isHidden(attribute),
          remark: attribute.unknownRemark)
      ]
    case .write(let write): return [written(write, peer)]
    case .again(let attribute): return [.again(attribute, peer)]
    case .rssi where event.role != .peripheral:
      return [.call("readRSSI()", peer, remark: "the system reads it on its own, too")]
    case .disconnect where event.role != .peripheral:
      return [.call("cancelPeripheralConnection(_:)", peer, remark: "or the system ends the link")]
    case .channel(let psm) where event.role != .peripheral:
      return [.call("openL2CAPChannel(_:)", peer + [("psm", .number(Int(psm.rawValue)))])]
    // CoreBluetooth has no methods for it.
    case .execute, .mtu, .rssi, .readPHY, .setPHY, .disconnect, .channel: return []
    }
  }

  private static func search(
    _ name: StaticString, _ peer: [Callback.Named], _ service: AppService?
  ) -> Callback {
    var arguments = peer
    arguments.add("service", service.map { .service($0) })
    return .call(name, arguments, isSystem: isHidden(service?.uuid))
  }

  private static func named(of attribute: AppAttribute) -> Callback.Named {
    (attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(attribute))
  }

  private static func written(_ write: AppCall.Write, _ peer: [Callback.Named]) -> Callback {
    let attribute = write.attribute
    let isSystem = isHidden(attribute)
    if attribute.isConfiguration, write.way == .request {
      var arguments = peer + [("enabled", ArgumentValue.flag(write.bytes.contains { $0 != 0 }))]
      if let characteristic = attribute.characteristic {
        arguments.add("characteristic", .attribute(characteristic))
      } else {
        arguments.add("descriptor", .attribute(attribute))
      }
      return .call("setNotifyValue(_:for:)", arguments, isSystem: isSystem)
    }
    var arguments = peer + [named(of: attribute)]
    // A value that is sent in parts is known as a whole at their end.
    if write.way != .parts { arguments.add("value", write.argument) }
    if write.isCut { arguments.add("cut", .flag(true)) }
    let remark: StaticString? =
      write.way == .parts ? AppCall.Write.inParts : attribute.unknownRemark
    if attribute.isDescriptor {
      guard write.way == .request || write.way == .parts else {
        return .traffic(
          "a descriptor is written in a way that CoreBluetooth has no method for", arguments)
      }
      return .call("writeValue(_:for:)", arguments, isSystem: isSystem, remark: remark)
    }
    let hasResponse = write.way == .request || write.way == .parts
    arguments.add("type", .word(hasResponse ? ".withResponse" : ".withoutResponse"))
    return .call(
      "writeValue(_:for:type:)", arguments, isSystem: isSystem,
      remark: hasResponse ? remark : "there is no callback")
  }
}

extension Android {
  /// Returns the lines for what this host asks a peer for.
  static func asked(_ call: AppCall, _ event: AppEvent) -> [Callback] {
    var peer: [Callback.Named] = []
    peer.add("device", event.peerArgument)
    let isServer = event.role == .peripheral
    switch call {
    case .discoverServices(let wanted, isNew: true):
      return [
        .call(
          "BluetoothGatt.discoverServices", peer, isSystem: wanted?.isShort(0x1801) == true,
          remark: "the stack also searches on its own, when it knows no services of the device")
      ]
    // A discovery is one call.
    case .discoverServices, .discoverIncludedServices, .discoverCharacteristics,
      .discoverDescriptors:
      return []
    case .read(let attribute):
      return [
        .call(
          attribute.isDescriptor
            ? "BluetoothGatt.readDescriptor" : "BluetoothGatt.readCharacteristic",
          peer + [
            (attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(attribute))
          ], isSystem: isStacks(attribute), remark: attribute.unknownRemark)
      ]
    case .write(let write): return [written(write, peer)]
    case .execute: return [.call("BluetoothGatt.executeReliableWrite", peer)]
    case .again(let attribute): return [.again(attribute, peer)]
    case .mtu(let mtu):
      return [
        .call(
          "BluetoothGatt.requestMtu", peer + [("mtu", .number(Int(mtu)))],
          remark: "Android 14 and later request 517, whatever the app does")
      ]
    case .rssi where !isServer:
      return [
        .call(
          "BluetoothGatt.readRemoteRssi", peer, remark: "the system reads it on its own, too")
      ]
    case .readPHY:
      return [.call(isServer ? "BluetoothGattServer.readPhy" : "BluetoothGatt.readPhy", peer)]
    case .setPHY(let sent, let received):
      return [
        .call(
          isServer ? "BluetoothGattServer.setPreferredPhy" : "BluetoothGatt.setPreferredPhy",
          peer + [("txPhy", .number(Int(sent))), ("rxPhy", .number(Int(received)))],
          remark: "masks: 1 LE 1M, 2 LE 2M, 4 LE Coded")
      ]
    case .disconnect:
      return [
        .call(
          isServer ? "BluetoothGattServer.cancelConnection" : "BluetoothGatt.disconnect", peer,
          remark: "or close, by the last app that uses the link, or the stack ends it")
      ]
    case .channel(let psm):
      return [.call("BluetoothSocket.connect", peer + [("psm", .number(Int(psm.rawValue)))])]
    // BluetoothGattServer has no method for it.
    case .rssi: return []
    }
  }

  private static func written(_ write: AppCall.Write, _ peer: [Callback.Named]) -> Callback {
    let attribute = write.attribute
    var arguments = peer
    arguments.append(
      (attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(attribute)))
    if write.way != .parts { arguments.add("value", write.argument) }
    if write.isCut { arguments.add("cut", .flag(true)) }
    if attribute.isDescriptor {
      guard write.way == .request || write.way == .parts else {
        return .traffic(
          "a descriptor is written in a way that BluetoothGatt has no method for", arguments)
      }
      return .call(
        "BluetoothGatt.writeDescriptor", arguments, isSystem: isStacks(attribute),
        remark: write.way == .parts
          ? AppCall.Write.inParts
          : attribute.isConfiguration
            ? "setCharacteristicNotification, which belongs to it, sends nothing" : nil)
    }
    let type: ArgumentValue =
      switch write.way {
      case .request, .parts: .code("WRITE_TYPE_DEFAULT", 2)
      case .command: .code("WRITE_TYPE_NO_RESPONSE", 1)
      case .signed: .code("WRITE_TYPE_SIGNED", 4)
      }
    arguments.add("writeType", type)
    return .call(
      "BluetoothGatt.writeCharacteristic", arguments, isSystem: isStacks(attribute),
      remark: write.way == .parts ? AppCall.Write.inParts : attribute.unknownRemark)
  }
}

extension AppCall.Write {
  /// For a value that is sent in parts.
  static let inParts: StaticString = "the value is sent in parts: the callback has all of it"

  /// The value as an argument.
  var argument: ArgumentValue { isHidden ? .hidden(bytes.count, bytes) : .bytes(bytes) }
}
