// Identifies attributes across captures by their types rather than their handles.

import Bluetooth
import Histories
import Meanings
import Reports
import Sessions

extension ComparedSession.Role {
  /// Creates a role from an attribute's type, its service and the characteristic that it describes.
  /// Among several equal ones, its position distinguishes it.
  init(_ named: NamedAttribute, _ twins: TwinAttributes, _ memory: borrowing Memory) {
    let attribute = named.identity
    var key: [UInt8] = []
    let add = { (uuid: BluetoothUUID?) in
      guard let uuid = uuid?.shortest else { return key.append(0) }
      key.append(uuid.width)
      for byte in uuid.octets { key.append(byte) }
    }
    var named = named
    named.identity.needsHandle = false
    var words: Wording = "\(named)"
    add(attribute.service)
    add(attribute.uuid)
    if attribute.uuid == nil, let handle = attribute.handle {
      key += [UInt8(handle >> 8), UInt8(handle & 0xff)]
    }
    if let owner = memory.owner(of: attribute, 0) {
      add(owner.uuid)
      words = "\(words) of \(short: NamedAttribute(owner))"
    }
    if attribute.kind == .value || attribute.kind == .descriptor, attribute.uuid != nil,
      let handle = attribute.handle
    {
      let server = memory.attributes.currentKey(attribute.server)
      if let (place, count) = twins.place(of: handle, on: server), count > 1 {
        key += [UInt8(place >> 8), UInt8(place & 0xff)]
        words = "\(words), \(place + 1) of \(count)"
      }
    }
    self.init(
      key: key, words: words, handle: attribute.handle, uuid: attribute.uuid,
      service: attribute.service)
  }
}

extension BluetoothUUID {
  /// Its bytes, most significant first.
  fileprivate var octets: [UInt8] {
    var octets: [UInt8] = []
    for half in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        octets.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
      }
    }
    return octets
  }
}
