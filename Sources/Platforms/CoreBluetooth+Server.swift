import Bluetooth
import Sessions

extension CoreBluetooth {
  /// Returns the lines for what clients request of the captured host as a server.
  static func server(_ event: AppEvent) -> [Callback] {
    var central: [Callback.Named] = []
    central.add("central", event.peerArgument)
    switch event.what {
    case .serviceServed(let service):
      guard !isHidden(service.uuid) else { return [] }
      return [
        .callback(
          "peripheralManager(_:didAdd:error:)", [("service", .service(service))],
          remark: "at the latest: services are added before they are reported to a central")
      ]
    case .readRequested(let attribute, let offset):
      if let hidden = keptBack(attribute, "the system answers a read", central) { return [hidden] }
      return [
        .callback(
          "peripheralManager(_:didReceiveRead:)",
          central + [("characteristic", .attribute(attribute)), ("offset", .offset(offset))],
          remark: attribute.unknownRemark)
      ]
    case .writeRequested(let writes, _): return written(writes, central)
    case .writesExecuted(false): return [.traffic("queued writes are cancelled", central)]
    case .writePrepared, .writesExecuted: return []
    case .responded(let answer): return responded(answer, central)
    case .stackRefused(let attribute, let request, let error):
      return [
        .refusing(
          "the system refuses", attribute, request, attError(error), central,
          isPermission: error.isOfPermissions)
      ]
    case .neverResponded(let attribute, let request, let linkEnded):
      // Only what the app was asked.
      if request == .prepare || request == .cancel || attribute.map(isKeptBack) == true {
        return []
      }
      var arguments = central
      arguments.add("attribute", attribute.map { .attribute($0) })
      return [
        .absence(
          linkEnded
            ? "respond(to:withResult:) was not called before the central disconnected"
            : "respond(to:withResult:) was not called before the capture ended", arguments)
      ]
    case .subscription(let attribute, let before, let now):
      return subscription(attribute, before, now, central)
    case .updated(let attribute, let value, let isHidden, let isIndication):
      if isKeptBack(attribute) {
        return [
          .traffic(
            "the system notifies a central", central + [("attribute", .attribute(attribute))])
        ]
      }
      return [
        .call(
          "updateValue(_:for:onSubscribedCentrals:)",
          central + [
            ("characteristic", .attribute(attribute)),
            ("value", isHidden ? .hidden(value.count, value) : .bytes(value)),
            ("as", .word(isIndication ? "indication" : "notification")),
          ])
      ]
    case .confirmed(let attribute):
      return [
        .traffic(
          "the central confirms an indication", central + [("attribute", .attribute(attribute))])
      ]
    case .readyToUpdate:
      return [
        .callback(
          "peripheralManagerIsReady(toUpdateSubscribers:)", [],
          remark: "the controller has room again: the earliest time")
      ]
    default: return []
    }
  }

  /// Returns whether the system answers for an attribute without asking the app: for its own
  /// services, and for descriptors.
  private static func isKeptBack(_ attribute: AppAttribute) -> Bool {
    isHidden(attribute) || attribute.isDescriptor
  }

  private static func keptBack(
    _ attribute: AppAttribute, _ name: StaticString, _ central: [Callback.Named]
  ) -> Callback? {
    isKeptBack(attribute)
      ? .traffic(name, central + [("attribute", .attribute(attribute))]) : nil
  }

  /// Returns a single call for everything that one request has written.
  private static func written(
    _ writes: [AppWrite], _ central: [Callback.Named]
  ) -> [Callback] {
    let own = writes.filter { !isKeptBack($0.attribute) }
    guard !own.isEmpty else {
      // Changes of a configuration are reported as subscriptions.
      return writes.filter { !$0.attribute.isConfiguration }.compactMap {
        keptBack($0.attribute, "the system handles a write", central)
      }
    }
    let requests = own.map { write in
      ArgumentValue.object([
        ("characteristic", .attribute(write.attribute)), ("offset", .offset(write.offset)),
        ("value", write.argument),
      ])
    }
    return [
      .callback(
        "peripheralManager(_:didReceiveWrite:)", central + [("requests", .list(requests))],
        remark: own.compactMap(\.attribute.unknownRemark).first)
    ]
  }

  private static func responded(
    _ answer: AppAnswer, _ central: [Callback.Named]
  ) -> [Callback] {
    // The system collects what is queued, and asks the app when it is to be written.
    if answer.request == .cancel || answer.request == .prepare { return [] }
    if let attribute = answer.attribute, isKeptBack(attribute) {
      return answer.error.map {
        [
          .refusing(
            "the system refuses", attribute, answer.request, attError($0), central,
            isPermission: $0.isOfPermissions)
        ]
      } ?? []
    }
    var arguments = central
    arguments.add("characteristic", answer.attribute.map { .attribute($0) })
    arguments.add("value", answer.argument)
    arguments.add("result", answer.error.map { attError($0) } ?? .code("CBATTError.success", 0))
    return [.call("respond(to:withResult:)", arguments)]
  }

  private static func subscription(
    _ attribute: AppAttribute, _ before: UInt16, _ now: UInt16, _ central: [Callback.Named]
  ) -> [Callback] {
    let arguments =
      central + [("characteristic", .attribute(attribute.characteristic ?? attribute))]
    let isSystem = isHidden(attribute)
    if now == 0 {
      return [
        .callback(
          "peripheralManager(_:central:didUnsubscribeFrom:)", arguments, isSystem: isSystem)
      ]
    }
    guard before == 0 else { return [] }
    return [
      .callback("peripheralManager(_:central:didSubscribeTo:)", arguments, isSystem: isSystem)
    ]
  }
}
