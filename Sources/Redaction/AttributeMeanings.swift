import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What a capture reveals anywhere about attributes whose values are sensitive: the types of each
/// handle of a server. A client that knows handles from earlier reads a value before the capture
/// shows its type, and a server that changes may use a handle for several types: any of them may
/// be that of a value.
struct AttributeMeanings: Sendable {
  private struct Key: Hashable {
    let server: UInt64
    let handle: UInt16
  }

  /// The types with which the values of an attribute came.
  private struct Carried {
    let type: BluetoothUUID?
    var areSeveral = false
  }

  /// The types whose values are removed on request.
  private let removed: [BluetoothUUID]
  private var types: [Key: [BluetoothUUID]] = [:]
  /// The types of a handle on any server, and on servers that may be any other.
  private var anyone: [UInt16: [BluetoothUUID]] = [:]
  private var unidentified: [UInt16: [BluetoothUUID]] = [:]
  private var carried: [Key: Carried] = [:]
  private var latest: (key: Key, type: BluetoothUUID?)?
  /// The later keys of servers whose identity became known.
  private var keys: [UInt64: UInt64] = [:]
  /// Whether there are more attributes than are remembered, so that what is known of a handle may
  /// hold for any server.
  private var isFull = false
  /// Whether one of the types is that of a key.
  private(set) var holdKeyMaterial = false
  /// Whether a value came without a type that it has according to the whole capture.
  private(set) var areLate = false

  /// The most attributes of which types or values are remembered.
  private static let most = 1 << 16

  init(_ options: RedactionOptions) {
    if case .types(let types) = options.values { removed = types } else { removed = [] }
  }

  // MARK: Learning

  /// Processes an ATT PDU with its values.
  mutating func observe(
    _ values: [AttributeValue], _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let server = Self.server(packet, memory) else { return }
    for value in values {
      guard let handle = value.handle else { continue }
      let key = Key(server: server, handle: handle)
      if let latest, latest.key == key, latest.type == value.type { continue }
      latest = (key, value.type)
      carry(key, value.type?.shortest)
      if let type = value.type { note(type, key, memory) }
    }
    guard let items = packet.dissection.attFields.items else { return }
    let asked = packet.answer.request?.type
    let opcode = packet.dissection.att?.opcode
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { return }
      switch opcode {
      case .findInformationResponse:
        if let type = item.type { note(type, Key(server: server, handle: handle), memory) }
      case .findByTypeValueResponse:
        if let asked { note(asked, Key(server: server, handle: handle), memory) }
      case .readByTypeResponse:
        if let asked, asked != .characteristic {
          note(asked, Key(server: server, handle: handle), memory)
        } else if let value = item.value,
          let declaration = CharacteristicDeclaration(packet.bytes.part(value)),
          asked != nil || declaration.valueHandle > handle
        {
          note(declaration.uuid, Key(server: server, handle: declaration.valueHandle), memory)
        }
      default: return
      }
    }
  }

  private mutating func carry(_ key: Key, _ type: BluetoothUUID?) {
    if let known = carried[key] {
      if known.type != type { carried[key]?.areSeveral = true }
    } else if carried.count < Self.most {
      carried[key] = Carried(type: type)
    } else {
      isFull = true
    }
  }

  /// Records the type of an attribute if its values are sensitive.
  private mutating func note(_ uuid: BluetoothUUID, _ key: Key, _ memory: borrowing Memory) {
    let type = uuid.shortest
    let isKey = memory.attributes.secretTypes.contains(type)
    guard isKey || AttributeValue.isPersonal(type) || removed.contains(type) else { return }
    holdKeyMaterial = holdKeyMaterial || isKey
    if types[key] == nil, types.count >= Self.most {
      isFull = true
    } else {
      Self.add(type, key, &types)
    }
    Self.add(type, key.handle, &anyone)
  }

  private static func add<Key>(
    _ type: BluetoothUUID, _ key: Key, _ types: inout [Key: [BluetoothUUID]]
  ) {
    if types[key]?.contains(type) != true { types[key, default: []].append(type) }
  }

  /// Relates what was learnt to what servers are at the end of the capture.
  mutating func close(_ memory: borrowing Memory) {
    keys = memory.attributes.currentKeys
    let learnt = types
    types = [:]
    for (key, known) in learnt {
      let server = keys[key.server] ?? key.server
      for type in known {
        Self.add(type, Key(server: server, handle: key.handle), &types)
        if !Attributes.isIdentified(server) { Self.add(type, key.handle, &unidentified) }
      }
    }
    areLate =
      isFull && !anyone.isEmpty
      || carried.contains { key, carried in
        let others = others(than: carried.type, key.handle, of: key.server)
        return !others.isEmpty || carried.areSeveral && types[key] != nil
      }
    carried = [:]
  }

  // MARK: Asking

  /// Returns the server that an ATT PDU concerns.
  static func server(_ packet: borrowing Packet, _ memory: borrowing Memory) -> UInt64? {
    guard let opcode = packet.dissection.att?.opcode, let link = packet.answer.link,
      let direction = packet.record.direction
    else { return nil }
    return Attributes.key(of: opcode.server(direction), memory.links.connection(link))
  }

  /// Returns the sensitive types that an attribute has elsewhere in the capture, besides `type`,
  /// which is nil if its type is unknown here. Then the server may also be one that has no
  /// permanent address.
  func others(
    than type: BluetoothUUID?, _ handle: UInt16, of server: UInt64
  ) -> [BluetoothUUID] {
    guard let all = anyone[handle] else { return [] }
    if isFull { return all.filter { $0 != type } }
    let server = keys[server] ?? server
    var found = types[Key(server: server, handle: handle)] ?? []
    if type == nil, !Attributes.isLocal(server) {
      let more = Attributes.isIdentified(server) ? unidentified[handle] ?? [] : all
      for type in more where !found.contains(type) { found.append(type) }
    }
    return found.filter { $0 != type }
  }
}
