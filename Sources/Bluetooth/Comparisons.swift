// Comparisons that other modules make for every packet. They are written out because those modules
// can only reach derived ones, and the generic one for optionals, through a witness table.

extension Direction {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}

extension DeviceAddress {
  package static func == (left: Self, right: Self) -> Bool { left.value == right.value }
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}

extension BluetoothUUID {
  package static func == (left: Self, right: Self) -> Bool {
    left.low == right.low && left.high == right.high && left.width == right.width
  }
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
  package static func ~= (pattern: Self, value: Self) -> Bool { pattern == value }
}

extension ATTOpcode {
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}

extension ATTOpcode.Role {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  package static func != (left: Self, right: Self) -> Bool { left.rawValue != right.rawValue }
}

extension SMPOpcode {
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}

extension PSM {
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}
