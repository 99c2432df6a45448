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
    if uuid.shortest.isShort(0x2902), use == nil || use == .descriptor {
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

  /// Appends a UUID in its shortest form, and only a part of one that has no short form. Returns
  /// whether anything was left out.
  @discardableResult
  package mutating func uuid(
    _ uuid: BluetoothUUID, _ part: UUIDPart, ellipsis: StaticString = "…"
  ) -> Bool {
    let uuid = uuid.shortest
    guard uuid.width == 16, part != .whole else {
      self.uuid(uuid)
      return false
    }
    if part == .ends {
      hexDigits(uuid.high >> 48, 4)
      text(ellipsis)
      hexDigits(uuid.low & 0xffff, 4)
      return true
    }
    for index in 0..<(2 + 2 * Int(part.rawValue)) {
      let half = index < 8 ? uuid.high : uuid.low
      hex(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7))))
      if index >= 3, index & 1 == 1 { byte(0x2d) }
    }
    text(ellipsis)
    return true
  }

  /// Appends a handle without `0x`, for the end of a range.
  package mutating func digits(_ handle: UInt16) {
    hex(UInt8(handle >> 8))
    hex(UInt8(handle & 0xff))
  }
}
