// Identifies attributes across captures by their types rather than their handles.

import Bluetooth
import Diagnosis
import Differences
import Reports
import Sessions
import Words

extension Session.Role {
  /// Creates a role from an attribute's type, its service and the characteristic that it describes.
  /// Among several equal ones, its position distinguishes it.
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

extension Session {
  /// Names the attributes of which the capture has only handles as the other side does, which
  /// assumes that both have one map. Names none if the types of an attribute contradict that.
  mutating func nameAttributes(as other: Session) {
    var names: [UInt16: Role?] = [:]
    for role in other.roles where role.service != nil && role.uuid != nil {
      guard let handle = role.handle else { continue }
      // A handle that two attributes have, such as one of each device, names neither.
      names[handle] = names[handle] == nil ? role : .some(nil)
    }
    let name = { (role: Role) in role.handle.flatMap { names[$0] ?? nil } }
    let isContradicted = roles.contains { role in
      role.uuid.map { known in name(role).map { $0.uuid != known } ?? false } ?? false
    }
    if isContradicted { return }
    for place in roles.indices where roles[place].service == nil {
      guard var role = name(roles[place]) else { continue }
      role.isInferred = true
      roles[place] = role
    }
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
