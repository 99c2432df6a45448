import Bluetooth
import Sessions

extension CoreBluetooth {
  /// Returns the lines for what the captured host does as a client.
  static func client(_ event: AppEvent) -> [Callback] {
    var peer: [Callback.Named] = []
    peer.add("peripheral", event.peerArgument)
    switch event.what {
    case .asked(let call): return asked(call, event)
    case .services(let found, let wanted, let error):
      let shown = found.filter { !isHidden($0.uuid) }
      var arguments = peer
      arguments.add("services", .list(shown.map { .service($0) }))
      if shown.count < found.count {
        arguments.add("withheld", .list(found.filter { isHidden($0.uuid) }.map { .service($0) }))
      }
      arguments.add("error", error.map { attError($0) })
      return [
        .callback(
          "peripheral(_:didDiscoverServices:)", arguments,
          isSystem: isHidden(wanted) || shown.isEmpty && !found.isEmpty)
      ]
    case .includedServices(let found, let service, let error):
      return [
        discovered(
          "peripheral(_:didDiscoverIncludedServicesFor:error:)", peer, service,
          ("includedServices", .list(found.map { .service($0) })), error)
      ]
    case .characteristics(let found, let service, let error):
      return [
        discovered(
          "peripheral(_:didDiscoverCharacteristicsFor:error:)", peer, service,
          (
            "characteristics",
            .list(found.map { .characteristic($0, properties($0.properties)) })
          ), error)
      ]
    case .descriptors(let found, let characteristic, let error, let again):
      var arguments = peer
      if found.isEmpty, characteristic == nil {
        arguments.add("error", error.map { attError($0) })
        return [
          .traffic("descriptors are searched for where no characteristic is known", arguments)
        ]
      }
      arguments.add("characteristic", characteristic.map { .attribute($0) })
      arguments.add("descriptors", .list(found.map { .descriptor($0) }))
      arguments.add("error", error.map { attError($0) })
      return [
        .callback(
          "peripheral(_:didDiscoverDescriptorsFor:error:)", arguments,
          isSystem: again || characteristic.map(isHidden) == true,
          remark: again ? "searched for again: setNotifyValue(_:for:) does that by itself" : nil)
      ]
    case .value(let value): return reported(value, peer).map { [$0] } ?? []
    case .queueAborted: return [.traffic("queued writes are cancelled", peer)]
    case .readyToWrite:
      return [
        .callback(
          "peripheralIsReady(toSendWriteWithoutResponse:)", peer,
          remark: "the controller has room again: the earliest time")
      ]
    default: return []
    }
  }

  private static func discovered(
    _ name: StaticString, _ peer: [Callback.Named], _ service: AppService?,
    _ found: Callback.Named, _ error: ATTErrorCode?
  ) -> Callback {
    var arguments = peer
    arguments.add("service", service.map { .service($0) })
    arguments.append(found)
    arguments.add("error", error.map { attError($0) })
    return .callback(name, arguments, isSystem: isHidden(service?.uuid))
  }

  // MARK: Values

  private static func reported(_ value: AppValue, _ peer: [Callback.Named]) -> Callback? {
    var arguments = peer
    arguments.add(
      value.attribute.isDescriptor ? "descriptor" : "characteristic", .attribute(value.attribute))
    arguments.add("value", value.argument)
    if value.isCut { arguments.add("cut", .flag(true)) }
    arguments.add("error", value.error.map { attError($0) })
    switch value.outcome {
    case .noResponse(.recordsLost), .notExecuted(.recordsLost):
      return .traffic("it is unknown whether a callback came: records were lost", arguments)
    case .noResponse(let reason), .notExecuted(let reason):
      arguments.add("because", reason.argument)
      return isHidden(value.attribute)
        ? .traffic("the request was never answered", arguments)
        : .absence("no callback: the request was never answered", arguments)
    case .cancelled: return .traffic("queued writes are cancelled", arguments)
    case .done, .refused: break
    }
    let isHidden = isHidden(value.attribute)
    let remark: StaticString? =
      value.isRepeatedByStack
      ? "iOS pairs and repeats the request by itself; apps get this only if that fails"
      : value.isRestRefused
        ? "the peer refused the next read; what iOS reports then is unknown"
        : value.isOfUnknown ? Callback.unknownAttribute : nil
    switch value.operation {
    case .read: return read(value, peer, arguments, isHidden, remark)
    case .write where value.isAnswerUnseen: return .traffic(Callback.answerUnseen, arguments)
    case .write, .preparedWrite:
      if value.attribute.isConfiguration { return subscribed(value, peer, isHidden, remark) }
      return .callback(
        "peripheral(_:didWriteValueFor:error:)", arguments, isSystem: isHidden, remark: remark)
    // The call is all.
    case .writeWithoutResponse, .signedWrite, .data: return nil
    case .notification, .indication:
      if value.attribute.isShort(0x2a05) {
        return .callback(
          "peripheral(_:didModifyServices:)",
          peer + [("invalidatedServices", .list(value.invalidated.map { .service($0) }))],
          remark: value.invalidated.isEmpty ? Callback.unknownServices : nil)
      }
      return .callback(
        "peripheral(_:didUpdateValueFor:error:)",
        arguments + [("from", .word(value.operation.key))], isSystem: isHidden,
        remark: value.isUnasked ? Callback.unasked : nil)
    case .advertisement: return .traffic("advertised", arguments)
    }
  }

  private static func read(
    _ value: AppValue, _ peer: [Callback.Named], _ arguments: [Callback.Named], _ isHidden: Bool,
    _ remark: StaticString?
  ) -> Callback {
    switch value.request {
    case .some(.readByTypeRequest), .some(.readMultipleRequest),
      .some(.readMultipleVariableRequest):
      return .traffic(
        "values are read in a way that CoreBluetooth has no method for", arguments)
    default: break
    }
    if value.attribute.isShort(0x2a00), value.error == nil {
      return .callback(
        "peripheralDidUpdateName(_:)",
        peer + [
          ("name", value.bytes.map { value.isHidden ? .hidden($0.count, $0) : .text($0) } ?? .null)
        ],
        remark: "if the name has changed")
    }
    return .callback(
      "peripheral(_:didUpdateValueFor:error:)", arguments + [("from", .word("read"))],
      isSystem: isHidden, remark: remark)
  }

  /// Returns the callback for a write to the Client Characteristic Configuration, which apps make
  /// with setNotifyValue(_:for:).
  private static func subscribed(
    _ value: AppValue, _ peer: [Callback.Named], _ isHidden: Bool, _ remark: StaticString?
  ) -> Callback {
    var arguments = peer
    if let characteristic = value.attribute.characteristic {
      arguments.add("characteristic", .attribute(characteristic))
    } else {
      arguments.add("descriptor", .attribute(value.attribute))
    }
    if value.error == nil {
      arguments.add("isNotifying", .flag(value.bytes?.contains { $0 != 0 } ?? false))
    }
    arguments.add("error", value.error.map { attError($0) })
    return .callback(
      "peripheral(_:didUpdateNotificationStateFor:error:)", arguments, isSystem: isHidden,
      remark: remark)
  }
}
