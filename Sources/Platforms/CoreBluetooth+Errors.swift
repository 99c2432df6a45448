import Bluetooth
import Sessions

extension CoreBluetooth {
  /// Returns the CBATTError for an ATT code; codes without a name are passed on as numbers of its
  /// domain.
  static func attError(_ error: ATTErrorCode) -> ArgumentValue {
    .code(attErrorName(error) ?? "CBATTErrorDomain", Int(error.rawValue))
  }

  private static func attErrorName(_ error: ATTErrorCode) -> AssignedName? {
    switch error.rawValue {
    case 0x01: "CBATTError.invalidHandle"
    case 0x02: "CBATTError.readNotPermitted"
    case 0x03: "CBATTError.writeNotPermitted"
    case 0x04: "CBATTError.invalidPdu"
    case 0x05: "CBATTError.insufficientAuthentication"
    case 0x06: "CBATTError.requestNotSupported"
    case 0x07: "CBATTError.invalidOffset"
    case 0x08: "CBATTError.insufficientAuthorization"
    case 0x09: "CBATTError.prepareQueueFull"
    case 0x0a: "CBATTError.attributeNotFound"
    case 0x0b: "CBATTError.attributeNotLong"
    case 0x0c: "CBATTError.insufficientEncryptionKeySize"
    case 0x0d: "CBATTError.invalidAttributeValueLength"
    case 0x0e: "CBATTError.unlikelyError"
    case 0x0f: "CBATTError.insufficientEncryption"
    case 0x10: "CBATTError.unsupportedGroupType"
    case 0x11: "CBATTError.insufficientResources"
    default: nil
    }
  }

  /// Returns the CBError for a connection that has ended; nil: the app requested it.
  static func disconnectError(_ end: AppEvent.LinkEnd) -> ArgumentValue? {
    switch end.ending {
    // iOS ends the link itself when the peer has lost the key of the bond.
    case .localHost where end.isOfLostKey:
      .code("CBError.peerRemovedPairingInformation", 14)
    case .localHost: nil
    case .peer: .code("CBError.peripheralDisconnected", 7)
    case .timeout: .code("CBError.connectionTimeout", 6)
    // LMP Response Timeout / LL Response Timeout of the encryption procedure.
    case .controller where end.reason == .responseTimeout:
      .code("CBError.encryptionTimedOut", 15)
    case .controller where end.reason == .pinOrKeyMissing:
      .code("CBError.peerRemovedPairingInformation", 14)
    case .neverEstablished, .micFailure, .controller: .code("CBError.connectionFailed", 10)
    case .reset, .replaced, .unknown, .forgotten, .fileEnded: .code("CBError.unknown", 0)
    }
  }

  /// Returns an SMP reason, which apps never see.
  static func pairingFailure(_ reason: PairingFailure) -> ArgumentValue {
    .code(reason.name, Int(reason.rawValue))
  }

  /// Returns properties by their names in CBCharacteristicProperties: the eight in a declaration.
  static func properties(_ properties: CharacteristicProperties) -> [StaticString] {
    let names: [StaticString] = [
      "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate",
      "authenticatedSignedWrites", "extendedProperties",
    ]
    return names.indices.filter { properties.has(bit: $0) }.map { names[$0] }
  }
}
