package import Bytes

extension Output {
  /// Appends what an attribute of this type is called, behind a blank; nothing where it has no name,
  /// which gives false.
  ///
  /// - Parameter use: what it is, where that is known.
  @discardableResult
  package mutating func attributeName(
    _ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse? = nil
  ) -> Bool {
    attributeName(uuid, called: uuid.name(as: use), as: use)
  }

  /// The same where the name is known already.
  @discardableResult
  package mutating func attributeName(
    _ uuid: BluetoothUUID, called name: AssignedName?, as use: BluetoothUUID.AttributeUse? = nil
  ) -> Bool {
    if uuid.isShort(0x2902), use == nil || use == .descriptor {
      // Everybody calls the Client Characteristic Configuration Descriptor so.
      text(" CCCD")
    } else if let name {
      byte(0x20)
      self.name(name)
    } else {
      return false
    }
    return true
  }

  /// Appends the first groups of digits of a long UUID, 1 to 4, each with the dash behind it.
  package mutating func uuidStart(_ uuid: BluetoothUUID, groups: UInt8) {
    for index in 0..<(2 + 2 * Int(groups)) {
      let half = index < 8 ? uuid.high : uuid.low
      hex(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7))))
      if index >= 3, index & 1 == 1 { byte(0x2d) }
    }
  }

  /// Appends a handle without its `0x`: the end of a range.
  package mutating func digits(_ handle: UInt16) {
    hex(UInt8(handle >> 8))
    hex(UInt8(handle & 0xff))
  }
}
