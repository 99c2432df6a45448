import Bluetooth
import Sessions

extension Android {
  /// Returns the lines for what clients request of the captured host as a server.
  static func server(_ event: AppEvent) -> [Callback] {
    var device: [Callback.Named] = []
    device.add("device", event.peerArgument)
    switch event.what {
    case .serviceServed(let service):
      guard !isStacks(service.uuid) else { return [] }
      return [
        .callback(
          "onServiceAdded", [named("status", success), named("service", .service(service))],
          remark: "at the latest: services are added before they are reported to a client")
      ]
    case .readRequested(let attribute, let offset):
      if isStacks(attribute.identity.service) { return [.answering(attribute, device)] }
      return [
        .callback(
          attribute.isDescriptor ? "onDescriptorReadRequest" : "onCharacteristicReadRequest",
          device + [
            ("offset", .offset(offset)),
            (attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(attribute)),
          ], remark: attribute.unknownRemark)
      ]
    case .writeRequested(let writes, let way):
      // The parts were reported when they were queued.
      guard way != .execute else { return [] }
      return writes.map {
        written($0, device, isPrepared: false, isResponseNeeded: way == .request)
      }
    case .writePrepared(let write):
      return [written(write, device, isPrepared: true, isResponseNeeded: true)]
    case .writesExecuted(let isWritten):
      return [.callback("onExecuteWrite", device + [("execute", .flag(isWritten))])]
    case .responded(let answer):
      if let attribute = answer.attribute, isStacks(attribute.identity.service) { return [] }
      var arguments = device
      arguments.add(
        answer.attribute?.isDescriptor == true ? "descriptor" : "characteristic",
        answer.attribute.map { .attribute($0) })
      arguments.add("status", status(answer.error, isOwn: true))
      arguments.add("value", answer.argument)
      return [.call("BluetoothGattServer.sendResponse", arguments)]
    case .stackRefused(let attribute, let request, let error):
      return [
        .refusing(
          "the stack refuses", attribute, request, status(error), device,
          isPermission: error.isOfPermissions)
      ]
    case .neverResponded(let attribute, _, let linkEnded):
      if let attribute, isStacks(attribute.identity.service) { return [] }
      var arguments = device
      arguments.add("attribute", attribute.map { .attribute($0) })
      return [
        .absence(
          linkEnded
            ? "sendResponse was not called before the client disconnected"
            : "sendResponse was not called before the capture ended", arguments)
      ]
    case .updated(let attribute, let value, _, isIndication: true)
    where isServiceChanged(attribute, value):
      return [.answering(attribute, device)]
    case .updated(let attribute, let value, let isHidden, let isIndication):
      return updated(
        attribute, isHidden ? .hidden(value.count, value) : .bytes(value), isIndication, device)
    case .confirmed(let attribute):
      guard !isStacks(attribute.identity.service), !isServiceChanged(attribute) else { return [] }
      return [.callback("onNotificationSent", device + [("status", success)])]
    // Apps are notified of the configuration's write and decide what to do with it. Room is
    // reported by onNotificationSent.
    default: return []
    }
  }

  /// Returns whether a service is Generic Access or Generic Attribute, which belong to the stack.
  private static func isStacks(_ service: BluetoothUUID?) -> Bool {
    service?.isShort(0x1800) == true || service?.isShort(0x1801) == true
  }

  /// Returns whether an attribute of an unknown service is the stack's Service Changed, which
  /// always has this handle (AOSP, stack/gatt/gatt_int.h: GATT_GATT_START_HANDLE), and a value a
  /// range of handles.
  private static func isServiceChanged(_ attribute: AppAttribute, _ value: [UInt8]? = nil) -> Bool {
    attribute.identity.service == nil && attribute.identity.handle == 3 && value?.count ?? 4 == 4
  }

  private static func written(
    _ write: AppWrite, _ device: [Callback.Named], isPrepared: Bool, isResponseNeeded: Bool
  ) -> Callback {
    let attribute = write.attribute
    if isStacks(attribute.identity.service) { return .answering(attribute, device) }
    return .callback(
      attribute.isDescriptor ? "onDescriptorWriteRequest" : "onCharacteristicWriteRequest",
      device + [
        (attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(attribute)),
        ("preparedWrite", .prepared(isPrepared)), ("responseNeeded", .flag(isResponseNeeded)),
        ("offset", .offset(write.offset)), ("value", write.argument),
      ], remark: attribute.unknownRemark)
  }

  private static func updated(
    _ attribute: AppAttribute, _ value: ArgumentValue, _ isIndication: Bool,
    _ device: [Callback.Named]
  ) -> [Callback] {
    if isStacks(attribute.identity.service) { return [.answering(attribute, device)] }
    let call = Callback.call(
      "BluetoothGattServer.notifyCharacteristicChanged",
      device + [
        ("characteristic", .attribute(attribute)), ("confirm", .flag(isIndication)),
        ("value", value),
      ])
    // A notification counts as sent at once, an indication when it is confirmed.
    return isIndication
      ? [call] : [call, .callback("onNotificationSent", device + [("status", success)])]
  }
}

extension Callback {
  /// Creates a line for the stack answering for its own services.
  fileprivate static func answering(_ attribute: AppAttribute, _ device: [Named]) -> Self {
    .traffic("the stack answers", device + [("attribute", .attribute(attribute))])
  }
}
