import Bluetooth
import Bytes
import Dissectors

/// The names that devices report elsewhere than in LE advertisements.
extension Memory {
  /// Learns from Remote Name Request Complete (0x07): status (1 byte), address (6), name (248,
  /// terminated by a zero unless it is full); and from Extended Inquiry Result (0x2f): number of
  /// responses (1), address (6), page scan repetition mode (1), reserved (1), class (3), clock
  /// offset (2), RSSI (1), AD structures (240) (Core, Vol 4, Part E, 7.7.7, 7.7.38).
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

  /// Learns the Device Name (2a00) of the peer's server, once all of it was read (Core, Vol 3, Part
  /// C, 12.1).
  mutating func learnDeviceName(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, _ direction: Direction,
    _ answer: Answer, isTruncated: Bool
  ) {
    guard direction == .received, !isTruncated, doubt.isEmpty, let link = answer.link,
      let request = answer.request
    else { return }
    switch opcode {
    case .readResponse, .readBlobResponse, .errorResponse:
      if !longValues.isEmpty {
        for joined in longValues.values where joined.offset == 0 && !joined.isCut {
          guard let place = attribute(joined.handle, opcode, direction, on: link),
            attributes.isShort(place, Self.deviceName)
          else { continue }
          learnDeviceName(longValues.bytes.bytes.part(joined.value), of: link)
        }
      } else if opcode == .readResponse, let value = fields.value, let place = answer.attribute,
        attributes.isShort(place, Self.deviceName),
        Int(value.count) + 1 < mtu(on: link, answer.channel).value
      {
        learnDeviceName(bytes.part(value), of: link)
      }
    case .readByTypeResponse:
      guard request.type?.shortForm == Self.deviceName, let items = fields.items,
        let length = items.singleValueLength,
        !ATTItems.isFull(length, mtu: mtu(on: link, answer.channel).value)
      else { return }
      var cursor = Cursor(bytes, items.list)
      guard let value = items.next(&cursor)?.value else { return }
      learnDeviceName(bytes.part(value), of: link)
    default: break
    }
  }

  private mutating func learnDeviceName(_ name: RawSpan, of link: LinkSlot) {
    guard let address = links[link].peer, let type = links[link].peerType else { return }
    names.learn(address, type, deviceName: name)
    links.takeName(names.find(address, type), of: address, type)
  }

  private static let deviceName: UInt16 = 0x2a00

  /// Learns from the events Device Connected and Device Found: address (6 bytes), type (1: 0
  /// BR/EDR, 1 LE public, 2 LE random), for a found device RSSI (1), flags (4), length of the AD
  /// structures (2), the AD structures (BlueZ, doc/mgmt-protocol.rst).
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
