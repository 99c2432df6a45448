import Bluetooth

/// The UUIDs of one server's attributes, and how much of each distinguishes them. Adding one costs
/// the same no matter how many there are.
struct UUIDTable: Sendable {
  /// What is known about a UUID.
  struct Fact: Sendable {
    let uuid: BluetoothUUID
    /// How many of its groups of digits distinguish it from all others: 1 to 5.
    var groups: UInt8 = 1
    /// Whether its first and last digits distinguish it, too.
    var endsDiffer = true
    /// The number of attributes with it, not counting declarations.
    var users = 0
    /// The number of attributes with it, including declarations.
    var all = 0

    /// The shortest part that distinguishes it from all others.
    var part: UUIDPart {
      if groups > 2, endsDiffer { return .ends }
      return groups < 5 ? UUIDPart(rawValue: groups) ?? .whole : .whole
    }
  }

  /// The beginning of a 128-bit UUID.
  private struct Beginning: Hashable {
    let groups: UInt8
    let high: UInt64
    let low: UInt64

    /// Keeps the first groups of digits, which have 8, 4, 4, 4 and 12.
    init(_ uuid: BluetoothUUID, _ groups: UInt8) {
      self.groups = groups
      let bits = UInt64(16 + 16 * Int(min(groups, 3)))
      high = uuid.high & ~(bits == 64 ? 0 : UInt64.max >> bits)
      low = groups < 4 ? 0 : uuid.low & 0xffff_0000_0000_0000
    }
  }

  private(set) var facts: [Fact] = []
  private var index: [BluetoothUUID: UInt16] = [:]
  /// The first UUID with each beginning.
  private var beginnings: [Beginning: UInt16] = [:]
  /// The first UUID with each pair of ends.
  private var ends: [UInt32: UInt16] = [:]

  /// Returns whether so many of the UUIDs are unused that the table should be rebuilt.
  func isSparse(for count: Int) -> Bool { facts.count > 2 * count + 64 || facts.count >= 0xff00 }

  /// Returns whether an attribute has this UUID.
  func has(_ uuid: BluetoothUUID) -> Bool { index[uuid].map { facts[Int($0)].all > 0 } ?? false }

  /// Records that an attribute has this UUID, and returns the index of its entry.
  mutating func add(_ uuid: BluetoothUUID, isDeclaration: Bool) -> UInt16 {
    let position: UInt16
    if let known = index[uuid] {
      position = known
    } else {
      position = UInt16(clamping: facts.count)
      facts.append(Fact(uuid: uuid))
      index[uuid] = position
      if uuid.width == 16 { compare(uuid, position) }
    }
    facts[Int(position)].all += 1
    if !isDeclaration { facts[Int(position)].users += 1 }
    return position
  }

  /// Records that an attribute no longer has this UUID.
  mutating func remove(_ position: UInt16, isDeclaration: Bool) {
    facts[Int(position)].all -= 1
    if !isDeclaration { facts[Int(position)].users -= 1 }
  }

  /// Records how many groups are needed to distinguish a new 128-bit UUID from others, and those
  /// from it.
  private mutating func compare(_ uuid: BluetoothUUID, _ position: UInt16) {
    let key = UInt32(truncatingIfNeeded: uuid.high >> 32 & 0xffff_0000 | uuid.low & 0xffff)
    if let other = ends[key] {
      facts[Int(position)].endsDiffer = false
      facts[Int(other)].endsDiffer = false
    } else {
      ends[key] = position
    }
    for groups in UInt8(1)...4 {
      guard let other = beginnings[Beginning(uuid, groups)] else {
        beginnings[Beginning(uuid, groups)] = position
        continue
      }
      facts[Int(position)].groups = groups + 1
      facts[Int(other)].groups = max(facts[Int(other)].groups, groups + 1)
    }
  }
}
