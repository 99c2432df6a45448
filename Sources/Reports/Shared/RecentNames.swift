import Bluetooth

/// The names of the short UUIDs that were looked up last: a capture contains the same few again and
/// again, and finding a name takes a dozen steps through the table.
struct RecentNames: Sendable {
  /// A UUID (above 16 bits for none) and its name.
  private struct Entry {
    var short = UInt64.max
    var name: AssignedName?
  }

  /// Indexed by the last bits of the UUID.
  private var entries = [Entry](repeating: Entry(), count: 64)

  /// Returns the name of a UUID whose use is known.
  mutating func name(
    of uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse
  ) -> AssignedName? {
    uuid.isNumbered(as: use) ? name(of: uuid) : nil
  }

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
