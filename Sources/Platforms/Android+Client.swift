import Bluetooth
import Sessions

extension Android {
  /// Returns the lines for what the captured host does as a client.
  static func client(_ event: AppEvent) -> [Callback] {
    var peer: [Callback.Named] = []
    peer.add("device", event.peerArgument)
    switch event.what {
    case .asked(let call): return asked(call, event)
    case .discoveryEnded(let services, let error):
      return [
        .callback(
          "onServicesDiscovered",
          peer + [("services", .list(services.map { .service($0) })), ("status", status(error))])
      ]
    case .queueWritten(let error):
      return [.callback("onReliableWriteCompleted", peer + [("status", status(error))])]
    case .queueAborted: return [.call("BluetoothGatt.abortReliableWrite")]
    case .value(let value): return reported(value, peer)
    // Searches are reported once, when all are done; onCharacteristicWrite shows that there is
    // room.
    default: return []
    }
  }

  private static func reported(_ value: AppValue, _ peer: [Callback.Named]) -> [Callback] {
    var arguments = peer
    arguments.add(
      value.attribute.isDescriptor ? "descriptor" : "characteristic",
      .attribute(value.attribute))
    // gatt_process_error_rsp ends the read with the error, without the bytes before it, unless the
    // error is Attribute Not Long (Bluedroid, stack/gatt/gatt_cl.c; in AOSP's gatt_cl.cc [mem]).
    if !value.isRestRefused { arguments.add("value", value.argument) }
    if value.isCut { arguments.add("cut", .flag(true)) }
    switch value.outcome {
    case .noResponse(.recordsLost), .notExecuted(.recordsLost):
      return [
        .traffic("it is unknown whether a callback came: records were lost", arguments)
      ]
    // gatt_cleanup_upon_disc ends each waiting operation with GATT_ERROR before it reports the
    // disconnection (AOSP, stack/gatt/gatt_utils.cc).
    case .noResponse(.connectionEnded) where !isStacks(value.attribute),
      .noResponse(.timedOut) where !isStacks(value.attribute):
      arguments.add("status", .code("GATT_ERROR", 133))
      return answered(
        value, arguments, false,
        "never answered: the stack ends pending requests with the connection")
    case .noResponse(let reason), .notExecuted(let reason):
      arguments.add("because", reason.argument)
      return [
        isStacks(value.attribute)
          ? .traffic("the request was never answered", arguments)
          : .absence("no callback: the request was never answered", arguments)
      ]
    // The queue is discarded as a whole.
    case .cancelled: return []
    case .done, .refused: break
    }
    let isSystem = isStacks(value.attribute)
    let remark: StaticString? =
      value.isRepeatedByStack
      ? "the stack encrypts or pairs and repeats the request by itself; apps get this only if that fails"
      : value.isRestRefused
        ? "the peer refused the next read: the stack drops the bytes that it had read"
        : value.isOfUnknown
          ? Callback.unknownAttribute
          : value.error.map { $0.isOfApplication && name($0) != nil } == true
            ? Callback.applicationError : nil
    switch value.operation {
    case .notification, .indication:
      if value.attribute.isShort(0x2a05) {
        return [
          .callback("onServiceChanged", peer, remark: "Android 12 and later")
        ]
      }
      return [
        .callback(
          "onCharacteristicChanged", arguments + [("from", .word(value.operation.key))],
          isSystem: isSystem, remark: value.isUnasked ? Callback.unasked : nil)
      ]
    case .advertisement: return []
    case .write where value.isAnswerUnseen:
      return [.traffic(Callback.answerUnseen, arguments)]
    // Its call says that apps have no method for it.
    case .writeWithoutResponse where value.attribute.isDescriptor,
      .signedWrite where value.attribute.isDescriptor:
      return []
    default:
      arguments.add("status", status(value.isRestRefused ? .invalidOffset : value.error))
      return answered(value, arguments, isSystem, remark)
    }
  }

  private static func answered(
    _ value: AppValue, _ arguments: [Callback.Named], _ isSystem: Bool, _ remark: StaticString?
  ) -> [Callback] {
    switch value.operation {
    // readUsingCharacteristicUuid is hidden from apps (AOSP, BluetoothGatt.java).
    case .read
    where value.request == .readMultipleRequest
      || value.request == .readMultipleVariableRequest || value.request == .readByTypeRequest:
      return [
        .traffic("values are read in a way that BluetoothGatt has no method for", arguments)
      ]
    case .read:
      return [
        .callback(
          value.attribute.isDescriptor ? "onDescriptorRead" : "onCharacteristicRead", arguments,
          isSystem: isSystem, remark: remark)
      ]
    case .writeWithoutResponse, .signedWrite:
      return [
        .callback(
          "onCharacteristicWrite", arguments, isSystem: isSystem,
          remark: "sent without a response: the peer does not confirm it")
      ]
    default:
      // GattService passes on each Prepare Write Response (AOSP, stack/gatt/gatt_cl.cc,
      // gatt_process_prep_write_rsp [mem]).
      let early: StaticString? =
        value.isReliable ? "at the latest: apps get each value when it is queued" : nil
      return [
        .callback(
          value.attribute.isDescriptor ? "onDescriptorWrite" : "onCharacteristicWrite", arguments,
          isSystem: isSystem, remark: remark ?? early)
      ]
    }
  }
}
