package import Bluetooth
package import Diagnosis

/// The attributes of a GATT server, as far as they are compared.
package struct ServerMap: Sendable {
  /// A service.
  package struct Service: Sendable {
    /// Its UUID.
    package var uuid: BluetoothUUID
    /// Its handles.
    package var handles: ClosedRange<UInt16>
    /// Whether it is a secondary one.
    package var isSecondary = false
    /// The UUIDs of the services that it includes, with their first handles.
    package var includes: [(uuid: BluetoothUUID, start: UInt16)] = []
    /// Its characteristics.
    package var characteristics: [Characteristic] = []
    /// Where it was learnt; 0: not from a capture.
    package var packet: Int

    /// A service.
    package init(_ uuid: BluetoothUUID, _ handles: ClosedRange<UInt16>, packet: Int) {
      (self.uuid, self.handles, self.packet) = (uuid, handles, packet)
    }
  }

  /// A characteristic.
  package struct Characteristic: Sendable {
    /// Its UUID.
    package var uuid: BluetoothUUID
    /// The handle of its value.
    package var handle: UInt16
    /// Its properties; nil where its declaration is not known.
    package var properties: CharacteristicProperties?
    /// What a client read of it last; nil where none did.
    package var value: Value?
    /// Its descriptors.
    package var descriptors: [Descriptor] = []
    /// Where it was learnt; 0: not from a capture.
    package var packet: Int

    /// A characteristic.
    package init(
      _ uuid: BluetoothUUID, _ handle: UInt16, properties: CharacteristicProperties?, packet: Int
    ) {
      (self.uuid, self.handle, self.properties, self.packet) = (uuid, handle, properties, packet)
    }
  }

  /// A descriptor.
  package struct Descriptor: Sendable {
    /// Its UUID.
    package var uuid: BluetoothUUID
    /// Its handle.
    package var handle: UInt16
    /// What a client read of it last; nil where none did.
    package var value: Value?
    /// Where it was learnt; 0: not from a capture.
    package var packet: Int

    /// A descriptor.
    package init(_ uuid: BluetoothUUID, _ handle: UInt16, packet: Int) {
      (self.uuid, self.handle, self.packet) = (uuid, handle, packet)
    }
  }

  /// A value that was read.
  package struct Value: Sendable {
    /// Its bytes.
    package var bytes: [UInt8]
    /// What it means; empty where that is not known.
    package var text: String
    /// The packet that brought it; 0: not from a capture.
    package var packet: Int
    /// Whether it is a secret that is not to be printed.
    package var isHidden = false

    /// A value.
    package init(_ bytes: [UInt8], text: String, packet: Int, isHidden: Bool = false) {
      (self.bytes, self.text, self.packet) = (bytes, text, packet)
      self.isHidden = isHidden
    }
  }

  /// Its services.
  package var services: [Service] = []
  /// Of what not all was asked for, so that what is missing here may be there: services, characteristics,
  /// descriptors.
  package var isWhole = (services: true, characteristics: true, descriptors: true)

  /// Nothing known.
  package init() {}
}

/// What differs between two maps.
package struct MapDifference: Sendable {
  /// What differs of it.
  package enum Kind: Sendable, Equatable {
    case added, removed, moved, changed

    /// As JSON names it: what has moved has changed.
    package var key: StaticString {
      switch self {
      case .added: "added"
      case .removed: "removed"
      case .moved, .changed: "changed"
      }
    }
  }

  /// What an attribute is.
  package enum Subject: Sendable, Equatable {
    case map, service, include, characteristic, descriptor

    /// As a person and JSON name it.
    package var key: StaticString {
      switch self {
      case .map: "map"
      case .service: "service"
      case .include: "include"
      case .characteristic: "characteristic"
      case .descriptor: "descriptor"
      }
    }
  }

  /// One of the two.
  package struct Side: Sendable {
    /// Where the attribute stands; nil where that does not matter.
    package var handles: ClosedRange<UInt16>?
    /// What there is here: properties, a value; empty where that does not matter.
    package var words: Wording = ""
    /// The packet that shows it; 0: none does.
    package var packet = 0
  }

  /// What differs of it.
  package let kind: Kind
  /// What it is.
  package let subject: Subject
  /// Its UUID; nil of the map as a whole.
  package var uuid: BluetoothUUID?
  /// The service or characteristic that holds it.
  package var owner: BluetoothUUID?
  /// Which property of it differs: `handles`, `properties`, `value`, `type`.
  package var what: StaticString = ""
  /// How it is on the left; nil where it is not there.
  package var left: Side?
  /// And on the right.
  package var right: Side?
  /// What is to be said of it: that it was not asked for on the other side.
  package var remark: Wording = ""
}

extension MapDifference {
  /// What differs between two maps: services and characteristics are paired by their UUIDs, of several with
  /// the same the first with the first.
  package static func between(_ left: ServerMap?, _ right: ServerMap?) -> [MapDifference] {
    let (left, right) = (left ?? ServerMap(), right ?? ServerMap())
    if left.services.isEmpty != right.services.isEmpty {
      var whole = MapDifference(kind: left.services.isEmpty ? .added : .removed, subject: .map)
      let words: (ServerMap) -> Side? = { map in
        map.services.isEmpty
          ? nil : Side(words: "\(count: map.services.count, "service", "services")")
      }
      (whole.left, whole.right) = (words(left), words(right))
      whole.remark =
        left.services.isEmpty
        ? "nothing was discovered on the left" : "nothing was discovered on the right"
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
        single.left = one.map { Side(handles: $0.handles, packet: $0.packet) }
        single.right = other.map { Side(handles: $0.handles, packet: $0.packet) }
        single.remark = missing(
          one == nil ? left.isWhole.services : right.isWhole.services, "services")
        found.append(single)
        continue
      }
      compare(one, other, left, right, &found)
    }
    return found
  }

  /// What is to be said of what one side does not have: nothing where it was asked for.
  private static func missing(_ isWhole: Bool, _ what: StaticString) -> Wording {
    isWhole ? "" : "not all \(what) were asked for there"
  }

  private static func compare(
    _ one: ServerMap.Service, _ other: ServerMap.Service, _ left: ServerMap, _ right: ServerMap,
    _ found: inout [MapDifference]
  ) {
    let shift = Int(other.handles.lowerBound) - Int(one.handles.lowerBound)
    let sides = (
      Side(handles: one.handles, packet: one.packet),
      Side(handles: other.handles, packet: other.packet)
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

  private static func side(_ characteristic: ServerMap.Characteristic) -> Side {
    Side(
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
    // What its service has moved by need not be said again.
    if Int(second.handle) - Int(first.handle) != shift {
      var moved = MapDifference(
        kind: .moved, subject: .characteristic, uuid: first.uuid, owner: service, what: "handles")
      moved.left = Side(handles: first.handle...first.handle, packet: first.packet)
      moved.right = Side(handles: second.handle...second.handle, packet: second.packet)
      found.append(moved)
    }
    if let difference = value(first.value, second.value, entry) { found.append(difference) }
    for pair in Pairing.pairs(first.descriptors.map(\.uuid), second.descriptors.map(\.uuid)) {
      let (here, there) = (
        pair.left.map { first.descriptors[$0] }, pair.right.map { second.descriptors[$0] }
      )
      let side: (ServerMap.Descriptor) -> Side = {
        Side(handles: $0.handle...$0.handle, packet: $0.packet)
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

  /// A value that differs, where both sides have read it.
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
    changed.left = Side(words: words(left), packet: left.packet)
    changed.right = Side(words: words(right), packet: right.packet)
    return changed
  }
}

/// Pairs what has the same name.
enum Pairing {
  /// Each element of both lists once: with its namesake, of several the first with the first; in the order of
  /// the left list, and what only the right one has behind that.
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
