import Bluetooth
import Sessions

extension ATTErrorCode {
  /// Whether the meaning of the code is defined by the server's application (Core, Vol 3, Part F,
  /// 3.4.1.1).
  var isOfApplication: Bool { 0x80...0x9f ~= rawValue }
}

extension Android {
  static let success = ArgumentValue.code("GATT_SUCCESS", 0)

  /// Returns the status for an ATT error, or for success (nil), with the public names of
  /// BluetoothGatt if there are any, else those of gatt_api.h.
  ///
  /// - Parameter isOwn: Whether the app chose the code itself, so that the app defines what an
  ///   application error means.
  static func status(_ error: ATTErrorCode?, isOwn: Bool = false) -> ArgumentValue {
    guard let error else { return success }
    return .code(isOwn && error.isOfApplication ? nil : name(error), Int(error.rawValue))
  }

  /// Returns the name of a status, which for some application errors is that of another error.
  static func name(_ error: ATTErrorCode) -> AssignedName? {
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
    // A peer's application errors have the names of the stack's own errors (AOSP, gatt_api.h).
    case 0x80: "GATT_NO_RESOURCES"
    case 0x81: "GATT_INTERNAL_ERROR"
    case 0x82: "GATT_WRONG_STATE"
    case 0x83: "GATT_DB_FULL"
    case 0x84: "GATT_BUSY"
    case 0x85: "GATT_ERROR"
    case 0x86: "GATT_CMD_STARTED"
    case 0x87: "GATT_ILLEGAL_PARAMETER"
    case 0x88: "GATT_PENDING"
    case 0x89: "GATT_AUTH_FAIL"
    case 0x8a: "GATT_MORE"
    case 0x8b: "GATT_INVALID_CFG"
    case 0x8c: "GATT_SERVICE_STARTED"
    case 0x8d: "GATT_ENCRYPED_NO_MITM"
    case 0x8e: "GATT_NOT_ENCRYPTED"
    // The public name (BluetoothGatt).
    case 0x8f: "GATT_CONNECTION_CONGESTED"
    case 0x90: "GATT_DUP_REG"
    case 0x91: "GATT_ALREADY_OPEN"
    case 0x92: "GATT_CANCEL"
    // The public name (BluetoothGatt).
    case 0x93: "GATT_CONNECTION_TIMEOUT"
    case 0xfd: "GATT_CCC_CFG_ERR"
    case 0xfe: "GATT_PRC_IN_PROGRESS"
    case 0xff: "GATT_OUT_OF_RANGE"
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
