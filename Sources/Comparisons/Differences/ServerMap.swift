import Bluetooth
import Bytes
import Histories
import Meanings

/// The attributes of a GATT server, as far as they are compared.
struct ServerMap: Sendable {
  struct Service: Sendable {
    var uuid: BluetoothUUID
    var handles: ClosedRange<UInt16>
    /// Whether it is a secondary service.
    var isSecondary = false
    /// The UUIDs of the services that it includes, with their first handles.
    var includes: [(uuid: BluetoothUUID, start: UInt16)] = []
    var characteristics: [Characteristic] = []
    /// The packet in which it was discovered; 0: not from a capture.
    var packet: Int

    init(_ uuid: BluetoothUUID, _ handles: ClosedRange<UInt16>, packet: Int) {
      (self.uuid, self.handles, self.packet) = (uuid, handles, packet)
    }
  }

  struct Characteristic: Sendable {
    var uuid: BluetoothUUID
    /// The handle of its value.
    var handle: UInt16
    /// Its properties; nil if its declaration is not known.
    var properties: CharacteristicProperties?
    /// The last value that a client read of it; nil if none did.
    var value: Value?
    var descriptors: [Descriptor] = []
    /// The packet in which it was discovered; 0: not from a capture.
    var packet: Int

    init(
      _ uuid: BluetoothUUID, _ handle: UInt16, properties: CharacteristicProperties?, packet: Int
    ) {
      (self.uuid, self.handle, self.properties, self.packet) = (uuid, handle, properties, packet)
    }
  }

  struct Descriptor: Sendable {
    var uuid: BluetoothUUID
    var handle: UInt16
    /// The last value that a client read of it; nil if none did.
    var value: Value?
    /// The packet in which it was discovered; 0: not from a capture.
    var packet: Int

    init(_ uuid: BluetoothUUID, _ handle: UInt16, packet: Int) {
      (self.uuid, self.handle, self.packet) = (uuid, handle, packet)
    }
  }

  /// A value that was read.
  struct Value: Sendable {
    var bytes: [UInt8]
    /// Its meaning; empty if unknown.
    var text: String
    /// The packet that carried it; 0: not from a capture.
    var packet: Int
    /// Whether it is a secret that must not be printed.
    var isHidden = false

    init(_ bytes: [UInt8], text: String, packet: Int, isHidden: Bool = false) {
      (self.bytes, self.text, self.packet) = (bytes, text, packet)
      self.isHidden = isHidden
    }
  }

  var services: [Service] = []
  /// Whether the discovery was complete: of services, of characteristics, of descriptors. If not,
  /// what is missing here may exist.
  var isWhole = (services: true, characteristics: true, descriptors: true)

  /// Creates an empty map.
  init() {}
}

/// A difference between two maps.
struct MapDifference: Sendable {
  /// How an attribute differs.
  enum Kind: Sendable, Equatable {
    case added, removed, moved, changed

    /// The name in JSON, where a moved attribute counts as changed.
    var key: StaticString {
      switch self {
      case .added: "added"
      case .removed: "removed"
      case .moved, .changed: "changed"
      }
    }
  }

  /// What differs.
  enum Subject: JSONKey, Sendable {
    case map = "map", service = "service", include = "include", characteristic = "characteristic",
      descriptor = "descriptor"
  }

  /// One of the two sides.
  struct Half: Sendable {
    /// The attribute's handles; nil if they do not matter.
    var handles: ClosedRange<UInt16>?
    /// What is different on this side: properties, a value; empty if that does not matter.
    var words: Wording = ""
    /// The packet that shows it; 0: none does.
    var packet = 0
  }

  /// How it differs.
  let kind: Kind
  /// What differs.
  let subject: Subject
  /// Its UUID; nil for the map as a whole.
  var uuid: BluetoothUUID?
  /// The service or characteristic that contains it.
  var owner: BluetoothUUID?
  /// The property that differs: `handles`, `properties`, `value`, `type`.
  var what: StaticString = ""
  /// The left side; nil if it is absent there.
  var left: Half?
  /// The right side; nil if it is absent there.
  var right: Half?
  /// A remark, for instance that the discovery on the other side was incomplete.
  var remark: Wording = ""
}

extension MapDifference {
  /// Returns the differences between two maps. Services and characteristics are paired by their
  /// UUIDs; of several with the same UUID the first with the first.
  static func between(_ left: ServerMap?, _ right: ServerMap?) -> [MapDifference] {
    let (left, right) = (left ?? ServerMap(), right ?? ServerMap())
    if left.services.isEmpty != right.services.isEmpty {
      var whole = MapDifference(kind: left.services.isEmpty ? .added : .removed, subject: .map)
      let words: (ServerMap) -> Half? = { map in
        map.services.isEmpty
          ? nil : Half(words: "\(count: map.services.count, "service", "services")")
      }
      (whole.left, whole.right) = (words(left), words(right))
      whole.remark = "nothing was discovered on the other side"
      return [whole]
    }
    var found: [MapDifference] = []
    for pair in Pairing.pairs(left.services.map(\.uuid), right.services.map(\.uuid)) {
      let (one, other) = (
        pair.left.map { left.services[$0] }, pair.right.map { right.services[$0] }
      )
      guard let one, let other else {
        var single = MapDifference(kind: one == nil ? .added : .removed, subject: .service)
        single.uuid = (one ?? other)?.uuid
        single.left = one.map { Half(handles: $0.handles, packet: $0.packet) }
        single.right = other.map { Half(handles: $0.handles, packet: $0.packet) }
        single.remark = missing(
          one == nil ? left.isWhole.services : right.isWhole.services, "services")
        found.append(single)
        continue
      }
      compare(one, other, left, right, &found)
    }
    return found
  }

  /// Returns the remark about what is absent on one side: empty if its discovery was complete.
  private static func missing(_ isWhole: Bool, _ what: StaticString) -> Wording {
    isWhole ? "" : "not all \(what) were requested there"
  }

  private static func compare(
    _ one: ServerMap.Service, _ other: ServerMap.Service, _ left: ServerMap, _ right: ServerMap,
    _ found: inout [MapDifference]
  ) {
    let shift = Int(other.handles.lowerBound) - Int(one.handles.lowerBound)
    let sides = (
      Half(handles: one.handles, packet: one.packet),
      Half(handles: other.handles, packet: other.packet)
    )
    if one.handles != other.handles {
      var moved = MapDifference(
        kind: .moved, subject: .service, uuid: one.uuid, what: "handles")
      (moved.left, moved.right) = sides
      found.append(moved)
    }
    if one.isSecondary != other.isSecondary {
      var changed = MapDifference(kind: .changed, subject: .service, uuid: one.uuid, what: "type")
      (changed.left, changed.right) = sides
      changed.left?.words = one.isSecondary ? "secondary" : "primary"
      changed.right?.words = other.isSecondary ? "secondary" : "primary"
      found.append(changed)
    }
    for pair in Pairing.pairs(one.includes.map(\.uuid), other.includes.map(\.uuid)) {
      guard pair.left == nil || pair.right == nil else { continue }
      var single = MapDifference(kind: pair.left == nil ? .added : .removed, subject: .include)
      single.uuid =
        pair.left.map { one.includes[$0].uuid } ?? pair.right.map { other.includes[$0].uuid }
      single.owner = one.uuid
      single.left = pair.left.map { _ in sides.0 }
      single.right = pair.right.map { _ in sides.1 }
      found.append(single)
    }
    let pairs = Pairing.pairs(one.characteristics.map(\.uuid), other.characteristics.map(\.uuid))
    for pair in pairs {
      let (first, second) = (
        pair.left.map { one.characteristics[$0] }, pair.right.map { other.characteristics[$0] }
      )
      guard let first, let second else {
        var single = MapDifference(
          kind: first == nil ? .added : .removed, subject: .characteristic)
        single.uuid = (first ?? second)?.uuid
        single.owner = one.uuid
        single.left = first.map(side)
        single.right = second.map(side)
        single.remark = missing(
          first == nil ? left.isWhole.characteristics : right.isWhole.characteristics,
          "characteristics")
        found.append(single)
        continue
      }
      compare(first, second, shift, one.uuid, left, right, &found)
    }
  }

  private static func side(_ characteristic: ServerMap.Characteristic) -> Half {
    Half(
      handles: characteristic.handle...characteristic.handle,
      words: words(characteristic.properties), packet: characteristic.packet)
  }

  private static func words(_ properties: CharacteristicProperties?) -> Wording {
    guard let properties else { return "" }
    let names = (0..<8).filter { properties.has(bit: $0) }.map { (bit: Int) -> Wording in
      "\(CharacteristicProperties.key(bit: bit))"
    }
    return names.isEmpty ? "no properties" : Wording(names, joinedBy: " ")
  }

  private static func compare(
    _ first: ServerMap.Characteristic, _ second: ServerMap.Characteristic, _ shift: Int,
    _ service: BluetoothUUID, _ left: ServerMap, _ right: ServerMap, _ found: inout [MapDifference]
  ) {
    var entry = MapDifference(
      kind: .changed, subject: .characteristic, uuid: first.uuid, owner: service)
    if let here = first.properties, let there = second.properties, here != there {
      entry.what = "properties"
      (entry.left, entry.right) = (side(first), side(second))
      found.append(entry)
    }
    // A shift along with its service is not reported again.
    if Int(second.handle) - Int(first.handle) != shift {
      var moved = MapDifference(
        kind: .moved, subject: .characteristic, uuid: first.uuid, owner: service, what: "handles")
      moved.left = Half(handles: first.handle...first.handle, packet: first.packet)
      moved.right = Half(handles: second.handle...second.handle, packet: second.packet)
      found.append(moved)
    }
    if let difference = value(first.value, second.value, entry) { found.append(difference) }
    for pair in Pairing.pairs(first.descriptors.map(\.uuid), second.descriptors.map(\.uuid)) {
      let (here, there) = (
        pair.left.map { first.descriptors[$0] }, pair.right.map { second.descriptors[$0] }
      )
      let side: (ServerMap.Descriptor) -> Half = {
        Half(handles: $0.handle...$0.handle, packet: $0.packet)
      }
      var single = MapDifference(
        kind: here == nil ? .added : there == nil ? .removed : .changed, subject: .descriptor)
      single.uuid = (here ?? there)?.uuid
      single.owner = first.uuid
      if let here, let there {
        if let difference = value(here.value, there.value, single) { found.append(difference) }
        continue
      }
      single.left = here.map(side)
      single.right = there.map(side)
      single.remark = missing(
        here == nil ? left.isWhole.descriptors : right.isWhole.descriptors, "descriptors")
      found.append(single)
    }
  }

  /// Returns the difference of a value that both sides have read.
  private static func value(
    _ left: ServerMap.Value?, _ right: ServerMap.Value?, _ entry: MapDifference
  ) -> MapDifference? {
    guard let left, let right, left.bytes != right.bytes else { return nil }
    let words: (ServerMap.Value) -> Wording = { value in
      if value.isHidden { return "<hidden>" }
      if !value.text.isEmpty { return Wording(stringLiteral: value.text) }
      return value.bytes.isEmpty ? "(empty)" : "\(hex: value.bytes)"
    }
    var changed = entry
    changed.what = "value"
    changed.left = Half(words: words(left), packet: left.packet)
    changed.right = Half(words: words(right), packet: right.packet)
    return changed
  }
}

/// Pairs elements with the same UUID.
enum Pairing {
  /// Returns each element of both lists once: paired with its counterpart, of several the first
  /// with the first. The order is that of the left list, followed by what only the right one has.
  static func pairs(
    _ left: [BluetoothUUID], _ right: [BluetoothUUID]
  ) -> [(left: Int?, right: Int?)] {
    var places: [BluetoothUUID: [Int]] = [:]
    for (place, uuid) in right.enumerated().reversed() {
      places[uuid.shortest, default: []].append(place)
    }
    var pairs: [(left: Int?, right: Int?)] = []
    for (place, uuid) in left.enumerated() {
      pairs.append((place, places[uuid.shortest]?.popLast()))
    }
    let rest = places.values.flatMap(\.self).sorted()
    return pairs + rest.map { (nil, $0) }
  }
}
