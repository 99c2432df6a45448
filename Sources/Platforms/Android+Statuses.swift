import Bluetooth
import Sessions

extension Android {
  static let success = ArgumentValue.code("GATT_SUCCESS", 0)

  /// Returns the status for an ATT error, or for success (nil), with the public names of
  /// BluetoothGatt if there are any, else those of gatt_api.h.
  static func status(_ error: ATTErrorCode?) -> ArgumentValue {
    guard let error else { return success }
    return .code(name(error), Int(error.rawValue))
  }

  private static func name(_ error: ATTErrorCode) -> AssignedName? {
    switch error.rawValue {
    case 0x01: "GATT_INVALID_HANDLE"
    case 0x02: "GATT_READ_NOT_PERMITTED"
    case 0x03: "GATT_WRITE_NOT_PERMITTED"
    case 0x04: "GATT_INVALID_PDU"
    case 0x05: "GATT_INSUFFICIENT_AUTHENTICATION"
    case 0x06: "GATT_REQUEST_NOT_SUPPORTED"
    case 0x07: "GATT_INVALID_OFFSET"
    case 0x08: "GATT_INSUFFICIENT_AUTHORIZATION"
    case 0x09: "GATT_PREPARE_Q_FULL"
    case 0x0a: "GATT_NOT_FOUND"
    case 0x0b: "GATT_NOT_LONG"
    case 0x0c: "GATT_INSUF_KEY_SIZE"
    case 0x0d: "GATT_INVALID_ATTRIBUTE_LENGTH"
    case 0x0e: "GATT_ERR_UNLIKELY"
    case 0x0f: "GATT_INSUFFICIENT_ENCRYPTION"
    case 0x10: "GATT_UNSUPPORT_GRP_TYPE"
    case 0x11: "GATT_INSUF_RESOURCE"
    case 0x12: "GATT_DATABASE_OUT_OF_SYNC"
    case 0x13: "GATT_VALUE_NOT_ALLOWED"
    default: nil
    }
  }

  /// Returns the status of a controller procedure.
  static func gattStatus(_ status: StatusCode) -> ArgumentValue {
    status == .success ? success : .status(status)
  }

  /// Returns the status in onConnectionStateChange for a connection that has ended: HCI's reason,
  /// but success if the app requested it, and always success for a server (AOSP,
  /// GattService.onClientConnected passes on status 0).
  static func disconnectStatus(_ end: AppEvent.LinkEnd) -> ArgumentValue {
    if end.role == .peripheral { return success }
    if end.ending == .localHost {
      return end.isOfLostKey || end.isOfSilence
        ? .code("GATT_CONN_TERMINATE_LOCAL_HOST", 22) : success
    }
    guard let reason = end.reason else { return .code("GATT_ERROR", 133) }
    let name: AssignedName? =
      switch reason.rawValue {
      case 0x08: "GATT_CONN_TIMEOUT"
      case 0x13: "GATT_CONN_TERMINATE_PEER_USER"
      case 0x16: "GATT_CONN_TERMINATE_LOCAL_HOST"
      case 0x22: "GATT_CONN_LMP_TIMEOUT"
      case 0x3e: "GATT_CONN_FAIL_ESTABLISH"
      default: reason.name
      }
    return .code(name, Int(reason.rawValue))
  }
}
