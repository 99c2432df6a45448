// The map of a device: what `map` prints, as text and as JSON.

package import Bluetooth
package import Bytes
package import Sessions

/// A device and its attributes.
package struct MapDevice: Sendable {
  /// Identifies its server.
  package let key: UInt64
  /// For this host's own server: its controller; on the air, for a central's: the interface.
  package var adapter: AdapterIndex?
  package var address: DeviceAddress?
  var kind: AddressKind?
  package var identity: DeviceAddress?
  /// All addresses under which it was seen, as far as there is room.
  package var addresses: [DeviceAddress] = []
  package var names: [[UInt8]] = []
  package var connections: [Int] = []
  /// The controllers of those connections.
  var adapters: Set<AdapterIndex> = []
  /// How much is known in total, if not all of it is shown.
  var wholeSummary: MapSummary?
  /// Whether the capture may lack answers of this device.
  var mayLackAnswers = false
  /// Whether the capture has nothing that its clients sent.
  var lacksRequests = false
  /// The ATT MTU of the last connection.
  var mtu: BearerMTU?
  package var database: Database?
  package var services: [MapService] = []
  /// Attributes that are not in any known service.
  var loose: [MapCharacteristic] = []
  /// Handles that were used but never discovered.
  var unknown: [MapUnknown] = []
  var proof: DatabaseProof?

  /// Whether nothing is known of its attributes.
  var isEmpty: Bool { services.isEmpty && loose.isEmpty && unknown.isEmpty }

  /// Its characteristics, inside and outside services.
  var characteristics: [MapCharacteristic] { services.flatMap(\.characteristics) + loose }
}

package struct MapService: Sendable {
  package let declaration: Attribute
  /// The last handle that can belong to it: its end, or the handle before the next service.
  package internal(set) var end: UInt16
  package var includes: [Attribute] = []
  package var characteristics: [MapCharacteristic] = []
}

package struct MapCharacteristic: Sendable {
  /// Its declaration, if it was seen.
  package var declaration: Attribute?
  /// Its value or, if that is unknown, what the declaration reveals of it.
  package var value: Attribute
  package var use: AttributeUse?
  package var descriptors: [MapDescriptor] = []

  /// The most informative attribute.
  package var attribute: Attribute { declaration ?? value }

  /// Whether its value can only come from a client.
  var isOnlyWritten: Bool {
    guard let properties = declaration?.properties else { return false }
    return !properties.has(bit: 1) && !properties.has(bit: 4) && !properties.has(bit: 5)
  }

  /// Whether this is a placeholder for an unknown characteristic, because descriptors were found
  /// without one.
  package var isPlaceholder = false
}

package struct MapDescriptor: Sendable {
  package let attribute: Attribute
  package var use: AttributeUse?
}

/// A handle that was used although its attribute is unknown.
struct MapUnknown: Sendable {
  let handle: UInt16
  var use: AttributeUse?
  /// For a Client Characteristic Configuration, the evidence that it is one.
  var conclusion: UseEvidence.Conclusion?
  /// Whether it is such a configuration.
  var isConfiguration: Bool { conclusion != nil }
  /// Whether such a configuration belongs to it, so that it is a value.
  var isValue = false

  /// Whether the server answered every access with Invalid Handle, so that there is no such
  /// attribute.
  var isDenied: Bool {
    guard let use, !use.accesses.isEmpty else { return false }
    return use.accesses.allSatisfy { $0.error?.rawValue == 0x01 }
  }

  /// The properties, as far as use reveals them.
  var properties: CharacteristicProperties { use?.properties ?? .init(rawValue: 0) }

  /// Whether it must be a characteristic's value: nothing else is notified, indicated, or written
  /// without a response (Core, Vol 3, Part G, 4.9.1, 4.10, 4.11).
  var mustBeValue: Bool {
    isValue || properties.has(bit: 4) || properties.has(bit: 5)
      || use?.count(of: .writeWithoutResponse) ?? 0 > 0
  }
}

extension MapDevice {
  /// Creates the tree of a supplied map.
  package init(_ supplied: SuppliedMap) {
    key = 0
    place(supplied.attributes.sorted { $0.handle < $1.handle }, [])
  }

  /// Combines attributes and uses.
  ///
  /// - Parameter budget: how much may be hashed for this device and those that follow.
  mutating func build(
    _ database: Database?, _ uses: [AttributeUse], _ budget: inout DatabaseProof.Budget
  ) {
    self.database = database
    let attributes = database?.attributes ?? []
    place(attributes, uses)
    // If no service was found, there is nothing to compare with the hash.
    guard let hash = database?.hash, !services.isEmpty else { return }
    proof = proof(attributes, uses, hash, &budget)
    guard case .concluded(let concluded) = proof else { return }
    (services, loose, unknown) = ([], [], [])
    place(DatabaseProof.merge(attributes, concluded), uses)
  }

  /// Checks the attributes against the Database Hash.
  private func proof(
    _ attributes: [Attribute], _ uses: [AttributeUse], _ hash: (value: [UInt8], packet: Int),
    _ budget: inout DatabaseProof.Budget
  ) -> DatabaseProof {
    let known = attributes.filter { $0.via != .inferred }
    if DatabaseProof.agrees(known, hash: hash.value) { return .proven }
    let isWhole =
      known.contains { $0.via == .supplied }
      || [serviceExtent, characteristicExtent, descriptorExtent, includeExtent].allSatisfy {
        $0 == .all
      }
    let concluded = { DatabaseProof.conclusions(attributes, uses, hash: hash) }
    // What was requested but is not there is more likely missing.
    if !isWhole, let concluded = concluded() { return .concluded(concluded) }
    let proof = DatabaseProof(known, hash: hash.value, isWhole: isWhole, budget: &budget)
    guard case .disproved = proof else { return proof }
    if isWhole, let concluded = concluded() { return .concluded(concluded) }
    return isWhole ? proof : .unchecked
  }

  /// Builds the tree of attributes, and the list of what else was used.
  private mutating func place(_ attributes: [Attribute], _ uses: [AttributeUse]) {
    let conclusions = database?.evidence.conclusions ?? []
    // The keys are handles, as integers of a type that many tables have as keys: to find out how to
    // hash another one would cost as much as many attributes.
    var places: [Int: Int] = [:]
    for (index, use) in uses.enumerated() { places[Int(use.handle)] = index }
    let use = { (handle: UInt16) in places[Int(handle)].map { uses[$0] } }
    var slots: [Int: Int] = [:]
    for (index, attribute) in attributes.enumerated() { slots[Int(attribute.handle)] = index }
    let slot = { (handle: UInt16) in slots[Int(handle)] }
    let declared = Set(
      attributes.filter { $0.kind == .characteristic }.map { Int($0.target) })

    for attribute in attributes {
      switch attribute.kind {
      case .service:
        services.append(MapService(declaration: attribute, end: .max))
      case .include:
        guard let last = index(of: attribute.handle) else { continue }
        services[last].includes.append(attribute)
      case .characteristic:
        let value = slot(attribute.target).map { attributes[$0] } ?? attribute
        add(
          MapCharacteristic(
            declaration: attribute, value: value, use: use(attribute.target)), attribute.handle)
      case .value:
        if declared.contains(Int(attribute.handle)) { continue }
        add(MapCharacteristic(value: attribute, use: use(attribute.handle)), attribute.handle)
      case .descriptor:
        if attribute.via == .inferred, slot(attribute.target) == nil { continue }
        add(MapDescriptor(attribute: attribute, use: use(attribute.handle)))
      }
    }
    for position in services.indices {
      let next =
        position + 1 < services.count ? services[position + 1].declaration.handle - 1 : .max
      let end = services[position].declaration.end
      services[position].end = min(end == 0 ? .max : end, next)
    }
    let left = uses.indices.filter { index in
      let handle = uses[index].handle
      return slot(handle) == nil
        || conclusions.contains { $0.handle == handle && slot($0.value) == nil }
    }
    // They are large, so the list must not grow by doubling.
    unknown.reserveCapacity(left.count)
    for use in left.lazy.map({ uses[$0] }) {
      var entry = MapUnknown(handle: use.handle, use: use)
      entry.conclusion = conclusions.first { $0.handle == use.handle }
      entry.isValue = conclusions.contains { $0.value == use.handle }
      unknown.append(entry)
    }
  }

  /// Returns the index of the service that contains a handle, among those so far.
  private func index(of handle: UInt16) -> Int? {
    guard let last = services.indices.last else { return nil }
    let end = services[last].declaration.end
    return end == 0 || handle <= end ? last : nil
  }

  private mutating func add(_ characteristic: MapCharacteristic, _ handle: UInt16) {
    if let service = index(of: handle) {
      services[service].characteristics.append(characteristic)
    } else {
      loose.append(characteristic)
    }
  }

  /// Adds a descriptor to the characteristic before it (Core, Vol 3, Part G, 3.3.3).
  private mutating func add(_ descriptor: MapDescriptor) {
    let handle = descriptor.attribute.handle
    if let service = index(of: handle) {
      services[service].characteristics.add(descriptor)
    } else {
      loose.add(descriptor)
    }
  }
}

extension [MapCharacteristic] {
  fileprivate mutating func add(_ descriptor: MapDescriptor) {
    if isEmpty {
      append(MapCharacteristic(value: descriptor.attribute, isPlaceholder: true))
    }
    self[count - 1].descriptors.append(descriptor)
  }
}

extension MapDevice {
  /// How much is known of it.
  var summary: MapSummary { wholeSummary ?? MapSummary(self) }

  /// Returns the descriptors of a value that was never discovered.
  func descriptors(of handle: UInt16) -> [MapDescriptor] {
    loose.flatMap(\.descriptors).filter { $0.attribute.target == handle }
  }

  /// The characteristics that are not in a service, without the descriptors of values that were
  /// never discovered.
  var looseElsewhere: [MapCharacteristic] {
    loose.compactMap { characteristic in
      var left = characteristic
      left.descriptors.removeAll { descriptor in
        unknown.contains { $0.handle == descriptor.attribute.target }
      }
      return left.isPlaceholder && left.descriptors.isEmpty ? nil : left
    }
  }

  /// The number of known descriptors.
  var descriptorCount: Int { characteristics.reduce(0) { $0 + $1.descriptors.count } }

  /// How most of it is known, which is shown once.
  var usualVia: Attribute.Via {
    if let database, database.discovery != nil {
      // Supplied and inferred attributes are always marked.
      let known = database.attributes.lazy.filter { $0.via == .discovered }
      let connection = connections.last ?? 0
      return known.isEmpty || known.contains { database.via(of: $0, on: connection) != .carried }
        ? .discovered : .carried
    }
    let isSupplied = database?.attributes.contains { $0.via == .supplied } ?? false
    return isSupplied ? .supplied : .discovered
  }

  /// How far discovery went.
  package enum Extent: JSONKey, Sendable {
    case all = "all", part = "part", none = "none"
  }

  /// Whether all services were requested.
  package var serviceExtent: Extent {
    let extent = extent(.primaryServices, [1...UInt16.max])
    // A search for one type finds services, too.
    return extent == .none && services.contains { $0.declaration.via == .discovered }
      ? .part : extent
  }

  /// Whether the characteristics of all services were requested.
  package var characteristicExtent: Extent {
    let extent = extent(.characteristics, ranges)
    return extent == .none
      && characteristics.contains { !$0.isPlaceholder && $0.attribute.via == .discovered }
      ? .part : extent
  }

  /// Whether the includes of all services were requested.
  var includeExtent: Extent { extent(.includes, ranges) }

  /// Whether descriptors were requested wherever there may be any: after the value of each
  /// characteristic, up to what follows it.
  package var descriptorExtent: Extent {
    var gaps: [ClosedRange<UInt16>] = []
    for service in services {
      for (index, characteristic) in service.characteristics.enumerated() {
        let isLast = index + 1 == service.characteristics.count
        let next = isLast ? service.end : service.characteristics[index + 1].attribute.handle - 1
        let value = characteristic.value.handle
        if !characteristic.isPlaceholder, value < next, database != nil, next < .max || !isLast {
          gaps.append(value + 1...next)
        }
      }
    }
    if gaps.isEmpty {
      // If the characteristics are unknown, descriptors may be anywhere.
      return characteristicExtent == .all ? .all : extent(.descriptors, [1...UInt16.max])
    }
    return extent(.descriptors, gaps)
  }

  /// The handles of services, or all handles if no service is known.
  private var ranges: [ClosedRange<UInt16>] {
    services.isEmpty
      ? [1...UInt16.max]
      : services.map { $0.declaration.handle...max($0.declaration.handle, $0.end) }
  }

  private func extent(_ search: Database.Search, _ wanted: [ClosedRange<UInt16>]) -> Extent {
    guard let searched = database?.searched[search.rawValue], !searched.isEmpty else {
      return .none
    }
    // The last service may extend to the last possible handle; nothing requires a search that far.
    let isAll = wanted.allSatisfy { range in
      searched.covers(range.lowerBound, range.upperBound)
    }
    return isAll ? .all : .part
  }
}
