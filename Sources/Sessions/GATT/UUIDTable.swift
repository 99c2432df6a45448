import Bluetooth

/// The UUIDs of one server's attributes, and what tells them apart. One more costs the same however
/// many there are.
struct UUIDTable: Sendable {
  /// What is known of a UUID.
  struct Fact: Sendable {
    let uuid: BluetoothUUID
    /// How many of its groups of digits tell it from all others: 1 to 5.
    var groups: UInt8 = 1
    /// Attributes that have it, without the declarations.
    var users = 0
    /// All.
    var all = 0
  }

  /// The beginning of a long UUID.
  private struct Beginning: Hashable {
    let groups: UInt8
    let high: UInt64
    let low: UInt64

    /// The first groups of digits, of 8, 4, 4, 4 and 12.
    init(_ uuid: BluetoothUUID, _ groups: UInt8) {
      self.groups = groups
      let bits = UInt64(16 + 16 * Int(min(groups, 3)))
      high = uuid.high & ~(bits == 64 ? 0 : UInt64.max >> bits)
      low = groups < 4 ? 0 : uuid.low & 0xffff_0000_0000_0000
    }
  }

  private(set) var facts: [Fact] = []
  private var index: [BluetoothUUID: UInt16] = [:]
  /// Which UUID has had a beginning first.
  private var beginnings: [Beginning: UInt16] = [:]

  /// Whether there is room for as many attributes again before those that nobody has must go.
  func isSparse(for count: Int) -> Bool { facts.count > 2 * count + 64 || facts.count >= 0xff00 }

  /// Whether an attribute has this UUID.
  func has(_ uuid: BluetoothUUID) -> Bool { index[uuid].map { facts[Int($0)].all > 0 } ?? false }

  /// Takes in that an attribute has this UUID, and says where what is known of that stands.
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

  /// Takes in that an attribute has it no more.
  mutating func remove(_ position: UInt16, isDeclaration: Bool) {
    facts[Int(position)].all -= 1
    if !isDeclaration { facts[Int(position)].users -= 1 }
  }

  /// Notes how much of a long UUID that is new is taken to tell it from others, and of those that begin
  /// alike.
  private mutating func compare(_ uuid: BluetoothUUID, _ position: UInt16) {
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
