package import Bytes

extension Output {
  /// Appends the name of an attribute with this type, preceded by a blank. Without a name, appends
  /// nothing and returns false.
  ///
  /// - Parameter use: The kind of attribute, if known.
  @discardableResult
  package mutating func attributeName(
    _ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse? = nil
  ) -> Bool {
    attributeName(uuid, called: uuid.name(as: use), as: use)
  }

  /// Does the same with a name that is already known.
  @discardableResult
  package mutating func attributeName(
    _ uuid: BluetoothUUID, called name: AssignedName?, as use: BluetoothUUID.AttributeUse? = nil
  ) -> Bool {
    if uuid.isShort(0x2902), use == nil || use == .descriptor {
      // The usual name of the Client Characteristic Configuration Descriptor.
      text(" CCCD")
    } else if let name {
      byte(0x20)
      self.name(name)
    } else {
      return false
    }
    return true
  }

  /// Appends the first groups of digits of a 128-bit UUID, 1 to 4, each followed by a dash.
  package mutating func uuidStart(_ uuid: BluetoothUUID, groups: UInt8) {
    for index in 0..<(2 + 2 * Int(groups)) {
      let half = index < 8 ? uuid.high : uuid.low
      hex(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7))))
      if index >= 3, index & 1 == 1 { byte(0x2d) }
    }
  }

  /// Appends a handle without `0x`, for the end of a range.
  package mutating func digits(_ handle: UInt16) {
    hex(UInt8(handle >> 8))
    hex(UInt8(handle & 0xff))
  }
}
