import Bluetooth
import Bytes
import Cryptography

/// The result of comparing a reconstructed map with the Database Hash that its server reported
/// (Core, Vol 3, Part G, 7.3.1).
package enum DatabaseProof: Sendable {
  /// The hash agrees: the map is complete and correct.
  case proven
  /// The hash agrees with these inferred attributes: the map is complete and correct.
  case concluded([Attribute])
  /// The hash would agree without this attribute.
  case surplus(Attribute)
  /// The hash would agree with this attribute.
  case missing(Attribute)
  /// The hash does not agree, and no single attribute explains it.
  case disproved
  /// The hash does not agree, but the discovery was incomplete, which may explain it.
  case unchecked

  /// How much may be hashed to find explanations, for all servers of a capture together.
  package struct Budget: Sendable {
    /// The bytes that are left.
    private var left = 50_000_000
    /// The servers that share them.
    private var servers: Int
    /// The maximum share, in bytes, if the discovery was incomplete: one attribute is then unlikely
    /// to explain it.
    private static let small = 2_000_000

    /// Creates a budget for a number of servers.
    package init(servers: Int) { self.servers = servers }

    /// Returns the share of the next server. What it does not use is left for the others.
    fileprivate func share(isWhole: Bool) -> Int {
      let share = left / max(1, servers)
      return isWhole ? share : min(share, Self.small)
    }

    fileprivate mutating func spend(_ bytes: Int) {
      left = max(0, left - bytes)
      servers -= 1
    }
  }

  /// Compares attributes, in ascending order of their handles, with a hash.
  ///
  /// - Parameters:
  ///   - isWhole: whether the discovery was complete.
  ///   - budget: what is left for this and the following servers.
  package init(
    _ attributes: [Attribute], hash: [UInt8], isWhole: Bool = true, budget: inout Budget
  ) {
    var search = HandleSearch(attributes, hash)
    let share = budget.share(isWhole: isWhole)
    self = search.run(budget: share)
    budget.spend(share - search.left)
  }

  /// Returns whether attributes, in ascending order of their handles, have a hash.
  package static func agrees(_ attributes: [Attribute], hash: [UInt8]) -> Bool {
    DatabaseHash.matches(hash, DatabaseHash.hash(of: message(attributes)))
  }

  /// Returns the hash of attributes, in ascending order of their handles, as the characteristic's
  /// value contains it.
  package static func hash(of attributes: [Attribute]) -> [UInt8] {
    DatabaseHash.hash(of: message(attributes)).reversed()
  }

  /// Returns the bytes that are hashed.
  private static func message(_ attributes: [Attribute]) -> [UInt8] {
    var message: [UInt8] = []
    for attribute in attributes { message += attribute.hashed }
    return message
  }
}

/// The search for the one attribute that explains a hash.
private struct HandleSearch {
  private let attributes: [Attribute]
  /// The offset in the message at which each attribute begins, and the end of the last.
  private var offsets = [0]
  private let known: Set<UInt16>
  private var hashes: DatabaseHashSearch
  private(set) var left = 0

  init(_ attributes: [Attribute], _ hash: [UInt8]) {
    self.attributes = attributes
    var message: [UInt8] = []
    for attribute in attributes {
      message += attribute.hashed
      offsets.append(message.count)
    }
    hashes = DatabaseHashSearch(message, hash: hash)
    known = Set(attributes.map(\.handle))
  }

  mutating func run(budget: Int) -> DatabaseProof {
    left = budget
    if fits(0..<0) { return .proven }
    for index in attributes.indices where left > 0 && offsets[index] < offsets[index + 1] {
      if fits(offsets[index]..<offsets[index + 1]) { return .surplus(attributes[index]) }
    }
    if let found = descriptor() ?? declaration() ?? include() ?? service() ?? characteristic() {
      return .missing(found)
    }
    return .disproved
  }

  /// Returns whether the hash agrees if other bytes replace a range of the message.
  private mutating func fits(_ range: Range<Int>, _ bytes: [UInt8] = []) -> Bool {
    let before = hashes.hashed
    defer { left -= hashes.hashed - before + 64 }
    return hashes.matches(replacing: range, with: bytes)
  }

  private mutating func fits(_ candidate: Attribute) -> Bool {
    guard left > 0 else { return false }
    let offset = offsets[position(of: candidate.handle)]
    return fits(offset..<offset, candidate.hashed)
  }

  /// Returns the index of the first attribute with at least this handle.
  private func position(of handle: UInt16) -> Int {
    var (low, high) = (0, attributes.count)
    while low < high {
      let middle = (low + high) / 2
      if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Unused handles next to used ones, and handle 1 if it is unused.
  private var free: [UInt16] {
    var handles: Set<UInt16> = [1]
    for handle in known {
      if handle > 1 { handles.insert(handle - 1) }
      if handle < .max { handles.insert(handle + 1) }
    }
    return handles.subtracting(known).sorted()
  }

  private func candidate(_ handle: UInt16, _ kind: Attribute.Kind, _ uuid: BluetoothUUID)
    -> Attribute
  {
    var attribute = Attribute(handle: handle, kind: kind, uuid: uuid, connection: 0, packet: 0)
    attribute.via = .inferred
    return attribute
  }

  private mutating func descriptor() -> Attribute? {
    for handle in free where left > 0 {
      for type in UInt16(0x2900)...0x2905 {
        var attribute = candidate(handle, .descriptor, BluetoothUUID(type))
        for value in UInt16(0)...(type == 0x2900 ? 3 : 0) {
          attribute.extendedProperties = value
          if fits(attribute) { return attribute }
        }
      }
    }
    return nil
  }

  /// Returns the missing declaration of a characteristic whose value is known.
  private mutating func declaration() -> Attribute? {
    let declared = Set(attributes.filter { $0.kind == .characteristic }.map(\.target))
    for value in attributes
    where left > 0 && (value.kind == .value || value.kind == .descriptor)
      && !declared.contains(value.handle)
    {
      guard value.handle > 1, !known.contains(value.handle - 1) else { continue }
      if let found = declaration(of: value.uuid, at: value.handle - 1, among: Array(0...255)) {
        return found
      }
    }
    return nil
  }

  private mutating func declaration(
    of uuid: BluetoothUUID, at handle: UInt16, among properties: [UInt8]
  ) -> Attribute? {
    guard handle < .max else { return nil }
    var attribute = candidate(handle, .characteristic, uuid)
    attribute.target = handle + 1
    for value in properties {
      attribute.properties = CharacteristicProperties(rawValue: value)
      if fits(attribute) { return attribute }
    }
    return nil
  }

  /// Returns the missing include of a known service.
  private mutating func include() -> Attribute? {
    let services = attributes.filter { $0.kind == .service }
    for handle in free where left > 0 {
      for service in services where left > 0 {
        var attribute = candidate(
          handle, .include, service.uuid.width == 2 ? service.uuid : .include)
        attribute.target = service.handle
        attribute.end = service.end
        if fits(attribute) { return attribute }
      }
    }
    return nil
  }

  /// Returns the missing declaration of a service. Assigned UUIDs are tried at every candidate
  /// handle; then, at handles where a service must begin, any 16-bit UUID, and any that differs
  /// from a 128-bit UUID of the server in the digits that usually vary.
  private mutating func service() -> Attribute? {
    let assigned = (UInt16(0x1800)...0x18ff).map { BluetoothUUID($0) }
    for handle in free where left > 0 && borders(handle) {
      if let found = service(at: handle, among: assigned) { return found }
    }
    for handle in free where left > 0 && borders(handle) && !isCovered(handle) {
      if let found = service(at: handle, among: (UInt16(0)...0xffff).map { BluetoothUUID($0) }) {
        return found
      }
      for base in bases where left > 0 {
        let long = (UInt64(0)...0xffff).map {
          BluetoothUUID(high: base.high & ~(0xffff << 32) | $0 << 32, low: base.low)
        }
        if let found = service(at: handle, among: long) { return found }
      }
    }
    return nil
  }

  private mutating func service(at handle: UInt16, among uuids: [BluetoothUUID]) -> Attribute? {
    for isSecondary in [false, true] {
      for uuid in uuids {
        guard left > 0 else { return nil }
        var attribute = candidate(handle, .service, uuid)
        attribute.isSecondary = isSecondary
        if fits(attribute) { return attribute }
      }
    }
    return nil
  }

  /// Returns whether a declaration follows, so that a service may begin here.
  private func borders(_ handle: UInt16) -> Bool {
    let next = position(of: handle) + (known.contains(handle) ? 1 : 0)
    guard next < attributes.count, handle < .max, attributes[next].handle == handle + 1 else {
      return false
    }
    return [.characteristic, .include, .service].contains(attributes[next].kind)
  }

  /// Returns whether a known service covers this handle.
  private mutating func isCovered(_ handle: UInt16) -> Bool {
    left -= attributes.count
    return attributes.contains { $0.kind == .service && $0.handle <= handle && handle <= $0.end }
  }

  /// The server's 128-bit UUIDs without the digits that vary within one service; up to four.
  private var bases: [BluetoothUUID] {
    var bases: [BluetoothUUID] = []
    for attribute in attributes where attribute.uuid.width == 16 {
      let base = BluetoothUUID(
        high: attribute.uuid.high & ~(0xffff << 32), low: attribute.uuid.low)
      if !bases.contains(base), bases.count < 4 { bases.append(base) }
    }
    return bases
  }

  /// Returns a missing characteristic of which nothing is known: one with an assigned UUID and
  /// common properties.
  private mutating func characteristic() -> Attribute? {
    let usual: [UInt8] = [
      0x02, 0x0a, 0x10, 0x12, 0x20, 0x22, 0x08, 0x04, 0x0c, 0x0e, 0x1a, 0x30, 0x28, 0x18, 0x14,
    ]
    let uuids = [UInt16(0x2a00)...0x2aff, 0x2b00...0x2bff].joined().map { BluetoothUUID($0) }
      .filter { $0.name != nil }
    for handle in free where left > 0 && handle < .max && !known.contains(handle + 1) {
      for uuid in uuids {
        guard left > 0 else { return nil }
        if let found = declaration(of: uuid, at: handle, among: usual) { return found }
      }
    }
    return nil
  }
}

extension Attribute {
  /// The bytes that are hashed for the attribute.
  fileprivate var hashed: [UInt8] {
    let type: UInt16
    var value: [UInt8] = []
    switch kind {
    case .service:
      type = isSecondary ? 0x2801 : 0x2800
      value = uuid.littleEndian
    case .include:
      type = 0x2802
      value = target.littleEndian + end.littleEndian
      if uuid != .include { value += uuid.littleEndian }
    case .characteristic:
      type = 0x2803
      value = [properties.rawValue] + target.littleEndian + uuid.littleEndian
    case .descriptor:
      guard uuid.width == 2 else { return [] }
      type = UInt16(truncatingIfNeeded: uuid.low)
      // If it was not read, zero is the most likely value.
      value = (extendedProperties ?? 0).littleEndian
    case .value: return []
    }
    var part: [UInt8] = []
    DatabaseHash.Entry(handle: handle, type: type, value: value)?.append(to: &part)
    return part
  }
}

extension UInt16 {
  fileprivate var littleEndian: [UInt8] {
    [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
  }
}

extension BluetoothUUID {
  /// The bytes in the order in which they are transmitted.
  fileprivate var littleEndian: [UInt8] {
    (0..<Int(width)).map { index -> UInt8 in
      let half = index < 8 ? low : high
      return UInt8(truncatingIfNeeded: half >> UInt64(8 * (index & 7)))
    }
  }
}
