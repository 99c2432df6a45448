import Bluetooth
import Bytes
import Dissectors

/// The names that devices tell elsewhere than in LE advertisements.
extension Memory {
  /// Learns from Remote Name Request Complete (0x07): status (1 byte), address (6), name (248, ended by
  /// a zero unless it fills them); and from Extended Inquiry Result (0x2f): number of responses (1),
  /// address (6), page scan repetition mode (1), reserved (1), class (3), clock offset (2), RSSI (1),
  /// AD structures (240) (Core, Vol 4, Part E, 7.7.7, 7.7.38).
  mutating func learnName(_ code: UInt8, _ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    guard let first = try? cursor.u8(), let address = try? DeviceAddress(parsing: &cursor) else {
      return
    }
    if code == 0x07 {
      guard first == 0 else { return }
      names.learn(address, .public, fullName: bytes.part(cursor.takeUpTo(248)))
    } else {
      guard (try? cursor.take(8)) != nil else { return }
      names.learn(address, .public, from: bytes, cursor.rest())
    }
    links.takeName(names.find(address, .public), of: address, .public)
  }

  /// Learns from the events Device Connected and Device Found: address (6 bytes), type (1: 0 BR/EDR, 1
  /// LE public, 2 LE random), of a found device RSSI (1), flags (4), length of the AD structures (2),
  /// these (BlueZ, doc/mgmt-protocol.rst).
  mutating func learnName(_ control: ControlRecord, _ bytes: RawSpan, _ body: Slice) {
    let between: Int
    switch control.code {
    case ManagementEvent.deviceConnected: between = 4
    case ManagementEvent.deviceFound: between = 5
    default: return
    }
    var cursor = Cursor(bytes, body)
    guard let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
      (try? cursor.take(between)) != nil, let length = try? cursor.u16()
    else { return }
    let type: AddressType = kind == 2 ? .random : .public
    names.learn(address, type, from: bytes, cursor.takeUpTo(Int(length)))
    links.takeName(names.find(address, type), of: address, type)
  }
}
