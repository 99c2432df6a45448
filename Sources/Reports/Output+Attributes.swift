import Bluetooth
import Bytes

extension Output {
  /// Appends what an attribute of this type is called, behind a blank; nothing where it has no name,
  /// which gives false.
  @discardableResult
  mutating func attributeName(_ uuid: BluetoothUUID) -> Bool {
    attributeName(uuid, called: uuid.name)
  }

  /// The same where the name is known already.
  @discardableResult
  mutating func attributeName(_ uuid: BluetoothUUID, called name: AssignedName?) -> Bool {
    if uuid.isShort(0x2902) {
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
  mutating func uuidStart(_ uuid: BluetoothUUID, groups: UInt8) {
    for index in 0..<(2 + 2 * Int(groups)) {
      let half = index < 8 ? uuid.high : uuid.low
      hex(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7))))
      if index >= 3, index & 1 == 1 { byte(0x2d) }
    }
  }

  /// Appends a handle without its `0x`: the end of a range.
  mutating func digits(_ handle: UInt16) {
    hex(UInt8(handle >> 8))
    hex(UInt8(handle & 0xff))
  }
}

/// The names of the short UUIDs that were asked for last: a capture tells of the same few again and
/// again, and finding a name takes a dozen steps through the table.
struct RecentNames: Sendable {
  /// A UUID, above 16 bits for none, and its name.
  private struct Entry {
    var short = UInt64.max
    var name: AssignedName?
  }

  /// By the last bits of the UUID.
  private var entries = [Entry](repeating: Entry(), count: 64)

  /// What a UUID is called.
  mutating func name(of uuid: BluetoothUUID) -> AssignedName? {
    guard uuid.width == 2 else { return uuid.name }
    let place = Int(truncatingIfNeeded: uuid.low & 63)
    return entries[place].short == uuid.low ? entries[place].name : find(uuid, place)
  }

  @inline(never)
  private mutating func find(_ uuid: BluetoothUUID, _ place: Int) -> AssignedName? {
    let name = uuid.name
    entries[place] = Entry(short: uuid.low, name: name)
    return name
  }
}
