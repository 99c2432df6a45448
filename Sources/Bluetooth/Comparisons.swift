// Comparisons that other modules make for every packet. They are written out because a derived one,
// and the general one for optionals, those modules reach only through the protocol's table of functions.

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

extension CodeSet {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
}

extension PSM {
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}
