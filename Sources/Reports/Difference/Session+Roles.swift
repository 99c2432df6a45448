// What an attribute is called where two captures are compared: by what it is, not by its handle.

import Bluetooth
import Diagnosis
import Differences
import Sessions

extension Session.Role {
  /// An attribute by its type, its service, and the characteristic that it describes; of several alike by
  /// which one it is among them.
  init(_ attribute: AttributeIdentity, _ twins: TwinAttributes, _ memory: borrowing Memory) {
    var key: [UInt8] = []
    let add = { (uuid: BluetoothUUID?) in
      guard let uuid = uuid?.shortest else { return key.append(0) }
      key.append(uuid.width)
      for byte in uuid.octets { key.append(byte) }
    }
    var identity = attribute
    identity.needsHandle = false
    var words: Wording = "\(identity)"
    add(attribute.service)
    add(attribute.uuid)
    if attribute.uuid == nil, let handle = attribute.handle {
      key += [UInt8(handle >> 8), UInt8(handle & 0xff)]
    }
    if let owner = memory.owner(of: attribute, 0) {
      add(owner.uuid)
      words = "\(words) of \(short: owner)"
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
  /// Its bytes as two numbers hold them, most significant first.
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
